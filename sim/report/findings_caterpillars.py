"""What the questions about Caterpillars look at."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from sim.report.claims_caterpillars import GAINS
from sim.report.facts import Facts
from sim.report.findings_base import Candidate
from sim.report.names import VIEWS
from sim.report.params import Params

Model = Mapping[str, Any]


def levels(facts: Facts, model: Model, params: Params) -> Iterator[Candidate]:
    """Steps that bring too little, and what skill is worth."""
    least = params.smallest.score
    for step in model["caterpillars"]["steps"]:
        told = f"{step['lower']} to {step['higher']}"
        for view in step["verdicts"]:
            for measure, what in GAINS.items():
                key = f"caterpillars.step.{told.replace(' to ', '-')}.{view}.{measure}"
                topic = f"the step from {told} in {what} for {VIEWS.get(view, view)}"
                short = f"The step from {told} brings {VIEWS.get(view, view)} too little {what}"
                yield Candidate(
                    f"steps.{measure}", key, topic, topic, short, params.levels.thresholds[measure], math.inf, least,
                    "steps",
                )  # fmt: skip
    for entry in model["caterpillars"]["skill"]:
        where = f"at {entry['level']} on the same dice"
        above = f"The best program beats a child's habit {where}"
        below = f"The best program loses to a child's habit {where}"
        win = params.smallest.win
        yield Candidate(
            "skill", entry["key"], f"who is ahead {where}", above, below, 0.5 - win, 0.5 + win, win, "scores"
        )


def _changes(
    entries: Any, question: str, what: str, figure: str, params: Params, many: bool = False
) -> Iterator[Candidate]:
    least = params.smallest.score
    up, down = ("raise", "lower") if many else ("raises", "lowers")
    for entry in entries:
        told = what.format(**entry)
        where = f"for {VIEWS.get(entry['view'], entry['view'])} at {entry['level']}"
        yield Candidate(
            question, entry["key"], f"{told} {where}", f"{told} {up} the mean score {where}",
            f"{told} {down} the mean score {where}", -least, least, least, figure,
        )  # fmt: skip


def setup(facts: Facts, model: Model, params: Params) -> Iterator[Candidate]:
    """What the set-up variation changes."""
    yield from _changes(model["caterpillars"]["setup"], "setup", "The set-up variation", "setup", params)


def readings(facts: Facts, model: Model, params: Params) -> Iterator[Candidate]:
    """Readings, sheets and the two wordings."""
    mine = model["caterpillars"]
    yield from _changes(mine["readings"]["rows"], "readings", 'The reading "{told}"', "readings", params)
    yield from _changes(mine["sheets"]["rows"], "sheets", "The printed labels {told}", "sheets", params, True)
    yield from _changes(mine["languages"], "languages", "The English wording instead of the German", "", params)


def thumb(facts: Facts, model: Model, params: Params) -> Iterator[Candidate]:
    """What a rule of thumb gains on a child's habit."""
    least = params.smallest.score
    for entry in model["caterpillars"]["thumb"]:
        told = f"a rule of thumb against a child's habit at {entry['level']}"
        yield Candidate(
            "thumb", f"{entry['key']}.child", told, f"A rule that fits on a note card gains on the habit at "
            f"{entry['level']}", f"No rule of thumb helps at {entry['level']}", -least, least, least,
        )  # fmt: skip
