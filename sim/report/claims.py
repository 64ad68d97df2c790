"""All claims of the report: the register of facts, and the lists that the prose walks over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sim.report import (
    claims_alarms,
    claims_caterpillars,
    claims_choices,
    claims_decided,
    claims_karolinchen,
    claims_open,
    claims_own,
    claims_parlett,
    claims_people,
    claims_proposals,
    claims_thumb,
    claims_verified,
)
from sim.report.facts import Facts
from sim.report.findings import ranked
from sim.report.params import Params
from sim.report.parts import CHAPTERS, PARTS, shown
from sim.report.tables import Tables, parts_of

MAXIMUM_PLAYERS = 6

#: section of the report → registers its facts; what it returns stands under the name of the chapter in the model
CLAIMS: Mapping[str, Callable[[Facts, Tables, Params], dict[str, Any]]] = {
    "levels": claims_caterpillars.levels,
    "thumb": claims_thumb.add,
    "setup": claims_caterpillars.setup,
    "readings": claims_caterpillars.readings,
    "better_levels": claims_proposals.levels,
    "karolinchen": claims_karolinchen.add,
    "decided": claims_decided.add,
    "ties": claims_decided.ties,
    "better_karolinchen": claims_proposals.karolinchen,
    "parlett": claims_parlett.add,
    "better_parlett": claims_proposals.parlett,
    "own": claims_own.scenarios,
    "own_cut": claims_own.cut,
    "own_results": claims_own.results,
    "own_seats": claims_own.seats,
    "own_changes": claims_own.changes,
    "own_more": claims_own.more,
    "verified": claims_verified.add,
    "restricted": claims_choices.restricted,
    "courts": claims_choices.courts,
    "skill": claims_choices.skill,
    "decisions": claims_choices.decisions,
    "alarms": claims_alarms.add,
}


def build_facts(tables: Tables, params: Params) -> tuple[Facts, dict[str, Any]]:
    """Facts, and the model: plain lists of keys, names and verdicts, by chapter.

    The model also has ``shown``, the names of the sections that are there, ``whole``, whether that is every part,
    ``card``, what the sample settles and what not, ``findings``, and ``sweeps``.
    """
    facts, parts = Facts(), parts_of(tables)
    sections = shown(parts, tables)
    sweeps = tables["sweeps"].to_dicts()
    _common(facts, sweeps, params)
    model: dict[str, Any] = {name: {} for name in CHAPTERS}
    for section in sections:
        if section.name in CLAIMS:
            model[section.chapter] |= CLAIMS[section.name](facts, tables, params)
    names = tuple(s.name for s in sections)
    model |= {"shown": names, "parts": parts, "whole": parts == tuple(PARTS), "sweeps": sweeps}
    model["least"] = _least(sweeps, params)
    model["views"] = list(params.levels.views)
    model["people"] = claims_people.add(facts, params, *_first_seat(facts, params))
    model["card"] = claims_open.add(facts, tables, params, names)
    model["findings"] = ranked(facts, model, params, names)
    intervals = sum(1 for fact in facts.all() if fact.low is not None)
    facts.add("claims.intervals", intervals, "number", method="facts with an interval")
    facts.add(
        "claims.missing", round((1 - params.confidence) * intervals), "number", method="expected at the stated level"
    )
    return facts, model


def _first_seat(facts: Facts, params: Params) -> tuple[str, float]:
    """The share of wins of who begins, where the report has one, and what would be fair."""
    for key, fair in (("karolinchen.4.seat0", 1 / 4), (f"parlett.seat.{params.parlett.policy}", 1 / 2)):
        if key in facts:
            return key, fair
    return "", 0.0


def _least(sweeps: list[dict[str, Any]], params: Params) -> list[tuple[str, str]]:
    """The smallest differences that matter in the games at hand: the key of the fact, and its unit."""
    games, least = {row["game"] for row in sweeps}, []
    if "caterpillars" in games:
        least.append(("smallest.score", "points of score"))
    if "karolinchen" in games:
        least.append(("smallest.turns", "turn" if params.smallest.turns == 1 else "turns"))
    if "parlett" in games:
        least.append(("smallest.cards", "points of Parlett's game"))
    return [*least, ("smallest.win", "point of win rate" if params.smallest.win == 0.01 else "points of win rate")]


def _common(facts: Facts, sweeps: list[dict[str, Any]], params: Params) -> None:
    """What every page quotes: the sweeps, the thresholds, and plain numbers for prose, which has none of its own."""
    for row in sweeps:
        key, more = f"sweep.{row['part']}", {"sweep": row["sweep"], "seed": int(row["seed"])}
        facts.add(f"{key}.seed", row["seed"], "text", **more)
        facts.add(f"{key}.kernel", row["kernel_version"], "number", **more)
        facts.add(f"{key}.games", row["games"], "count", **more)
        facts.add(f"{key}.least", row["least"], "count", method="fewest games of a scenario", **more)
        facts.add(f"{key}.scenarios", row["scenarios"], "number", **more)
    facts.add("games", sum(row["games"] for row in sweeps), "count", method="all games of all sweeps")
    facts.add("scenarios", sum(row["scenarios"] for row in sweeps), "number", method="all scenarios of all sweeps")
    facts.add("least", min(row["least"] for row in sweeps), "count", method="fewest games of a scenario")
    fixed = "fixed in params.yaml before the run"
    facts.add("smallest.score", params.smallest.score, "number", method=fixed)
    facts.add("smallest.win", 100 * params.smallest.win, "number", method=fixed)
    facts.add("smallest.turns", params.smallest.turns, "number", method=fixed)
    facts.add("smallest.cards", params.smallest.cards, "number", method=fixed)
    facts.add("seats.band", 100 * params.seats.band, "number", method=fixed)
    facts.add("confidence", 100 * params.confidence, "number", method="params.yaml")
    facts.add("hundred", 100, "number")
    for players in range(2, MAXIMUM_PLAYERS + 1):
        facts.add(f"players.{players}", players, "number")
