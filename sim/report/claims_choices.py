"""Claims about choices: what a box, a face, a split or courts are worth; skill and luck; what there is to decide."""

from __future__ import annotations

from typing import Any

import polars as pl

from sim.report.claims_base import Source
from sim.report.facts import Facts
from sim.report.names import GAME_NAMES, RESTRICTIONS, VIEWS
from sim.report.params import Params
from sim.report.tables_choices import SKILL

Model = dict[str, Any]
Tables = dict[str, pl.DataFrame]

_PAIRED = "mean of paired differences, Student's t"


def restricted(facts: Facts, tables: Tables, params: Params) -> Model:
    """Every restriction by level and player; lists of what is broken, a trap, filler."""
    source = Source.of("restricted", facts, tables, params)
    facts.add("choices.broken", params.choices.broken, "share", method="fixed in params.yaml before the run")
    entries = []
    for row in tables["restricted"].iter_rows(named=True):
        key = f"caterpillars.restricted.{row['level']}.{row['policy']}.{row['restrict']}"
        source.row(key, row, "fine", _PAIRED)
        told = {"told": RESTRICTIONS[row["restrict"]], "who": VIEWS.get(row["policy"], row["policy"]), "key": key}
        entries.append(told | {k: row[k] for k in ("level", "policy", "restrict", "factor", "value", "finding")})
    never = [e for e in entries if e["restrict"].startswith("no_")]
    found: Model = {name: _by_thing(never, name) for name in ("broken", "trap", "filler")}
    for name in found:
        source.add(f"caterpillars.restricted.{name}", len(found[name]), "number", method="things tried at a level")
    single = [e for e in never if e["restrict"].count("_") == 2 and e["factor"] != "split"]
    found["most"] = min(single, key=lambda e: e["value"], default=None)
    forced = [e for e in entries if e["finding"] == "underused"]
    found["underused"] = max(forced, key=lambda e: e["value"], default=None)
    return {"restricted": {"rows": entries, **found}}


def _by_thing(entries: list[Model], finding: str) -> list[Model]:
    """What has a finding, each thing once a level with the players for whom it has."""
    result: dict[tuple[str, str], Model] = {}
    for e in entries:
        if e["finding"] == finding:
            own = result.setdefault((e["level"], e["told"]), {"level": e["level"], "told": e["told"], "who": []})
            own["who"].append(e["who"])
    return list(result.values())


def courts(facts: Facts, tables: Tables, params: Params) -> Model:
    """Court cards never played, or always, by player and seat."""
    source = Source.of("courts", facts, tables, params)
    result = []
    for row in tables["courts"].iter_rows(named=True):
        key = f"parlett.courts.{row['policy']}.{row['seat']}.{row['restrict']}"
        source.row(key, row, "gap", _PAIRED)
        entry = {"seat": "leads" if row["seat"] == 0 else "deals", "told": RESTRICTIONS[row["restrict"]], "key": key}
        result.append(entry | {k: row[k] for k in ("policy", "restrict", "finding", "value")})
    never = [e for e in result if e["restrict"] == "no_courts"]
    return {"courts": {"rows": result, "missed": all(e["finding"] == "of use" for e in never), "never": never}}


def skill(facts: Facts, tables: Tables, params: Params) -> Model:
    """Shares of the variance, chances to be ahead, games needed: one entry per pair of policies."""
    sources = {part: Source.of(part, facts, tables, params) for part in SKILL}
    facts.add("choices.sure", params.choices.sure, "share", method="fixed in params.yaml before the run")
    ahead = tables["ahead"].filter(pl.col("dice") == "same")
    entries = []
    for row in tables["skill"].iter_rows(named=True):
        source = sources[row["part"]]
        key = f"skill.{row['game']}.{row['level'] + '.' if row['level'] else ''}{row['better']}-{row['other']}"
        for part in ("policy", "dice", "interaction"):
            source.row(f"{key}.{part}", row, "part", "two-way layout under common dice", part)
        source.row(f"{key}.needed", row, "tries", "exact convolution of counted differences", "needed")
        own = (ahead["scenario"] == row["scenario"]) & (ahead["against"] == row["against"])
        for a in ahead.filter(own).iter_rows(named=True):
            source.row(f"{key}.after.{a['games']}", a, "share", "exact convolution of counted differences")
        names = [row[k].split(", ")[0] if row["plays"] == 2 else row[k] for k in ("better", "other")]
        told = {"better": names[0], "other": names[1], "key": key, "where": row["level"] or GAME_NAMES[row["game"]]}
        entries.append(
            told | {k: row[k] for k in ("game", "level", "plays", "policy", "dice", "interaction", "needed")}
        )
    by_skill = sorted(entries, key=lambda e: e["policy"])
    return {"skill": {"rows": entries, "least": by_skill[0], "most": by_skill[-1], "games": params.choices.games}}


def decisions(facts: Facts, tables: Tables, params: Params) -> Model:
    """What there is to decide at each level, what it is worth where that is known, and sums in the head."""
    kinds = {"options": "choices", "random": "points", "regret": "points"}
    frame = tables["decisions"]
    facts.add("choices.least", params.choices.least, "number", method="fixed in params.yaml before the run")
    for row in frame.iter_rows(named=True):
        exact = row["sweep"] == params.choices.decisions
        key = f"decisions.{'exact.' if exact else ''}{row['level']}.{row['seat0']}.{row['measure']}"
        ends = {"low": row["low"], "high": row["high"], "level": params.confidence, "n": row["n"]}
        method = "mean over games" + (", against exact values of optimal play" if exact else "")
        where = {"seed": int(row["seed"]), "sweep": row["sweep"], "scenario": row["scenario"], "method": method}
        facts.add(key, row["value"], kinds.get(row["measure"], "rounds_share"), **ends, **where)
    for row in tables["sums"].iter_rows(named=True):
        for name, kind in (("mean", "choices"), ("most", "number"), ("largest", "number")):
            method = "exact, over all rolls, bonus boxes filled"
            facts.add(f"sums.{row['level']}.{name}", row[name], kind, method=method)
    known = frame.filter(pl.col("sweep") == params.choices.decisions)
    players = frame["seat0"].unique(maintain_order=True).to_list()
    return {
        "decisions": {
            "levels": tables["sums"]["level"].to_list(),
            "known": known["level"].unique(maintain_order=True).to_list(),
            "players": players,
            "sensible": players[-1],
        }
    }
