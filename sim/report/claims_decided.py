"""Claims about when a game of Karolinchen for two is decided: decided time, the last roll, comebacks, three games."""

from __future__ import annotations

from typing import Any

from sim.report import words
from sim.report.facts import Facts
from sim.report.params import Params
from sim.report.tables import Tables

_KINDS = {"share": "turns_share", "left": "turns_left", "last": "share"}
_METHODS = {"share": "mean share, Student's t", "left": "mean, Student's t", "last": "Wilson"}


def add(facts: Facts, tables: Tables, params: Params) -> dict[str, Any]:
    """Register every claim about decided games; returns the comebacks and the three games."""
    given, seconds = params.decided, params.karolinchen.seconds_per_turn
    source: dict[str, Any] = {"seed": given.seed, "sweep": "decided"}
    key = "karolinchen.decided"
    for row in tables["decided"].iter_rows(named=True):
        more = {**source, "level": params.confidence}
        facts.row(f"{key}.{row['measure']}", row, _KINDS[row["measure"]], method=_METHODS[row["measure"]], **more)
        if row["measure"] == "left":
            minutes = {end: row[end] * seconds / 60 for end in ("value", "low", "high")}
            how = f"turns left times {seconds / 60:.4g}"
            facts.row(f"{key}.left.minutes", {**row, **minutes}, "minutes_left", method=how, **more)
    facts.add(f"{key}.n", int(tables["decided"]["n"][0]), "count", **source)
    facts.add(f"{key}.seed", str(given.seed), "text")
    for name, chance in (("open", given.open), ("closed", 1 - given.open)):
        facts.add(f"{key}.{name}", 100 * chance, "number", method="fixed in params.yaml before the run")
    told = [_comeback(facts, row, {**source, "level": params.confidence}) for row in tables["comebacks"].to_dicts()]
    return {
        "decided": {"comebacks": told, "games": [_game(facts, row, source) for row in tables["moments"].to_dicts()]}
    }


def _comeback(facts: Facts, row: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    key = f"karolinchen.decided.comeback.{100 * row['chance']:g}"
    facts.row(key, row, "share", method="Wilson", **more)
    facts.add(f"{key}.chance", row["chance"], "share", method="fixed in params.yaml before the run")
    facts.add(f"{key}.bound", row["bound"], "share", method="p / (1 − p), which no right chances exceed")
    return {"key": key, "verdict": row["verdict"]}


def _game(facts: Facts, row: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """One of the three games: the roll that decided it, and how the chance of the one who rolled changed."""
    key = f"karolinchen.decided.{row['kind']}"
    facts.add(f"{key}.game", row["game"], "number", method="picked by rank, see docs/statistics.md", **more)
    facts.add(f"{key}.turn", row["turn"], "number", method="of the last roll before which it was open", **more)
    facts.add(f"{key}.turns", row["turns"], "number", method="turns of the game", **more)
    for name in ("before", "after"):
        chance = row[name] if row["mover"] == 0 else 1 - row[name]
        facts.add(f"{key}.{name}", chance, "share", method="exact", **more)
    facts.add(f"{key}.told", row["told"], "text", method="the turn, as `sim trace` tells it", **more)
    return {
        "kind": row["kind"],
        "key": key,
        "who": words.seat(row["mover"]),
        "winner": words.seat(0 if row["won"] else 1),
    }
