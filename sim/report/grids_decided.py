"""The table about comebacks: shares against the bound."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.report.facts import Facts
from sim.report.grid import Grid
from sim.report.grids_proposals import SIGNS
from sim.report.params import Params

#: what a verdict says of the chances
_TOLD = {
    "inside": "not above the bound",
    "outside": "above it: the chances are wrong",
    "not yet known": "not yet known",
}


def comebacks(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    """Games whose winner had been at a low chance, by that chance."""
    rows = []
    for e in model["karolinchen"]["decided"]["comebacks"]:
        fact = facts.get(e["key"])
        bound, chance = (facts.get(f"{e['key']}.{name}").text for name in ("bound", "chance"))
        rows.append([chance, fact.beside(), fact.interval(), bound, f"{SIGNS[e['verdict']]} {_TOLD[e['verdict']]}"])
    return Grid(
        "Comebacks, two players, perfect play",
        ["the winner once had at most", "games", "interval, in 100", "bound", "finding"],
        rows,
        f"Of {facts.get('karolinchen.decided.n').text} games. Bound: the chance p divided by 1 − p.",
    )
