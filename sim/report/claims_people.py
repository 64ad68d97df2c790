"""Claims about what only people can answer: how many turns, players and games that takes."""

from __future__ import annotations

from typing import Any

from sim import stats
from sim.report.facts import Facts
from sim.report.params import Params

Model = dict[str, Any]


def add(facts: Facts, params: Params, leader: str = "", fair: float = 0.0) -> Model:
    """Register the numbers of observations; `leader` is the key of the share of wins of the first seat, if any."""
    given, fixed = params.people, "assumption in params.yaml"
    facts.add("people.spread", 100 * given.spread, "number", method=fixed)
    facts.add("people.within", 100 * given.within, "number", method=fixed)
    facts.add("people.prefer", given.prefer, "share", method=fixed)
    facts.add("people.even", 0.5, "share")
    facts.add("people.sure", given.sure, "share", method=fixed)
    turns = stats.observations_for_mean(given.spread, given.within, params.confidence)
    facts.add("people.turns", turns, "number", method="normal approximation, independent turns")
    method = "exact binomial test, both tails"
    asked = stats.observations_for_share(0.5, given.prefer, given.sure, params.confidence)
    facts.add("people.asked", asked, "number", method=method)
    if leader and (share := float(facts.get(leader).value)) != fair and 0 < share < 1:
        games = stats.observations_for_share(fair, share, given.sure, params.confidence)
        facts.add("people.games", games, "count", method=method)
    return {"leader": leader if "people.games" in facts else ""}
