"""The headline figures: a few numbers that ``dvc metrics diff`` compares between two versions of the laboratory."""

from __future__ import annotations

import json
import math

from sim.report.facts import Facts

#: name of the file, beside the page
FILE = "headline.json"

#: keys of facts; those that a page does not have are left out
HEADLINES = (
    "games",
    "caterpillars.beginner.child.mean",
    "caterpillars.beginner.best.mean",
    "caterpillars.expert.child.mean",
    "caterpillars.expert.planner.mean",
    "caterpillars.expert.best.mean",
    "caterpillars.expert.best.sd",
    "caterpillars.beginner.skill",
    "caterpillars.expert.skill",
    "caterpillars.steps.enough.child",
    "caterpillars.steps.enough.planner",
    "caterpillars.steps.enough.best",
    "caterpillars.setup.expert.child",
    "caterpillars.readings.quiet.best",
    "karolinchen.2.p50",
    "karolinchen.4.p50",
    "karolinchen.4.p95",
    "karolinchen.6.p50",
    "karolinchen.2.seat0",
    "karolinchen.4.seat0",
    "karolinchen.6.seat0",
    "parlett.seat.random",
    "parlett.seat.greedy",
    "parlett.seat.planner",
    "parlett.duel.planner.greedy",
    "parlett.hold.greedy.gain",
    "open.verdicts",
    "open.count",
)


def headline(facts: Facts) -> str:
    """The headline figures as JSON text: key → number, with more digits than their intervals deserve."""
    found = {key: facts.get(key).value for key in HEADLINES if key in facts}
    known = {k: v if isinstance(v, int) else float(f"{v:.6g}") for k, v in found.items() if _finite(v)}
    return json.dumps(known, indent=1) + "\n"


def _finite(value: float | str) -> bool:
    return not isinstance(value, str) and math.isfinite(value)
