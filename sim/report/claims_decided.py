"""Claims about when games are decided: decided time, the last move, comebacks, three games, ties."""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from sim import stats
from sim.report import words
from sim.report.facts import Facts
from sim.report.findings import verdict
from sim.report.names import GAME_NAMES
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
    games = [_game(facts, row, source) for row in tables["moments"].to_dicts()]
    noise = tables.get("noise", pl.DataFrame())
    watched = _watched(facts, tables["watched"], noise, params)
    unknown = [
        f"{GAME_NAMES[e['game']]}{' at ' * bool(e['level'])}{e['level']} with {e['players']} players"
        for e in watched
        if e["enough"] is stats.Verdict.UNKNOWN
    ]
    return {"decided": {"comebacks": told, "games": games, "watched": watched, "open": unknown}}


#: kinds and methods of what is told of every line-up that is watched
_WATCHED = {
    **{name: (kind, _METHODS[name]) for name, kind in _KINDS.items()},
    "comeback": ("share", "Wilson"),
    "shared": ("share", "Wilson"),
}


def _watched(facts: Facts, table: pl.DataFrame, noise: pl.DataFrame, params: Params) -> list[dict[str, Any]]:
    """What was seen of every line-up; one entry each."""
    given, result = params.decided, []
    for (name,), rows in table.group_by("name", maintain_order=True):
        first, key = rows.row(0, named=True), f"decided.{name}"
        how = f", {first['playouts']} play-outs a position" if first["playouts"] else ", exact chances"
        more: dict[str, Any] = {"seed": given.seed, "sweep": "decided", "level": params.confidence}
        for row in rows.iter_rows(named=True):
            kind, method = _WATCHED[row["measure"]]
            facts.row(f"{key}.{row['measure']}", row, kind, method=method + how, **more)
        back = rows.row(by_predicate=pl.col("measure") == "comeback", named=True)
        method = "(players − 1) p / (1 − p), which no right chances exceed"
        facts.add(f"{key}.bound", back["bound"], "share", method=method)
        facts.add(f"{key}.n", first["n"], "count", seed=given.seed, sweep="decided")
        names = ("name", "game", "level", "players", "policy", "playouts")
        enough = verdict(facts.get(f"{key}.share"), given.enough, math.inf)
        result.append({k: first[k] for k in names} | {"key": key, "verdict": back["verdict"], "enough": enough})
    for row in noise.iter_rows(named=True):
        kind = {"share": "turns_gap", "left": "turns_change"}.get(row["measure"], "gap")
        paired: dict[str, Any] = {
            "method": "paired, play-outs less exact",
            "level": params.confidence,
            "sweep": "decided",
        }
        facts.row(f"decided.noise.{row['measure']}", row, kind, seed=given.seed, **paired)
    fixed = "fixed in params.yaml before the run"
    facts.add("decided.comeback", given.comeback, "share", method=fixed)
    facts.add("decided.enough", given.enough, "turns_share", method=fixed)
    for outcome in (stats.Verdict.INSIDE, stats.Verdict.OUTSIDE):
        found = sum(entry["enough"] is outcome for entry in result)
        facts.add(f"decided.{outcome}", found, "number", method="share of open turns against what is enough")
    facts.add("decided.count", len(result), "number", method="line-ups watched")
    facts.add("decided.playouts", given.playouts, "number", method=fixed)
    return result


def ties(facts: Facts, tables: Tables, params: Params) -> dict[str, Any]:
    """Register how often the highest score is shared, and what the tie-break makes of it."""
    given = params.decided
    more: dict[str, Any] = {"seed": given.seed, "sweep": "decided", "level": params.confidence, "method": "Wilson"}
    entries: dict[tuple[str, int], str] = {}
    widest = 0.0
    for row in tables["ties"].iter_rows(named=True):
        key = f"ties.{row['level']}.{row['players']}"
        entries[row["level"], row["players"]] = key
        facts.row(f"{key}.{row['measure']}", row, "share", **more)
        widest = max(widest, (row["high"] - row["low"]) / 2)
    facts.add("ties.widest", 100 * float(f"{widest:.2g}"), "number", method="half-width of the widest interval")
    facts.add("ties.n", int(tables["ties"]["n"].min()), "count", seed=given.seed, sweep="decided")  # type: ignore[arg-type]
    facts.add("ties.policy", given.ties.policy, "text")
    levels, players = (list(dict.fromkeys(k[i] for k in entries)) for i in (0, 1))
    return {"ties": {"levels": levels, "players": players, "keys": entries}}


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
