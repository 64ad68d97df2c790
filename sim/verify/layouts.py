"""How far exact results depend on the printed layout of the sheet, which the rulebooks do not tell.

All layouts with two printed boxes per caterpillar, printed numbers from {1, 2, 5, 6} and each of them at least once, up
to the order of caterpillars and boxes: 52. Beside them ten uneven ones, drawn once. For each layout the
whole game at beginner is solved exactly, set-up included. The step to intermediate and the effect of the set-up
variation are exact values of labelled sheets, averaged over set-ups that are a sample: those of games 0, 1, … of one
seed, the same dice for all layouts, labels placed by one policy.
"""

from __future__ import annotations

import random
from itertools import combinations_with_replacement
from typing import Any

from sim import games as registry
from sim.games.caterpillars.exact.bonus import Solved, Start
from sim.games.caterpillars.exact.solution import SheetSolution
from sim.games.caterpillars.exact.whole import solve_whole
from sim.games.caterpillars.rules import CaterpillarsRules

PRINTED = (1, 2, 5, 6)
#: who places labels in the sampled set-ups
PLACER = "planner"
#: printed boxes per caterpillar of the uneven layouts
SHAPES = ((3, 2, 1), (3, 3, 0), (4, 1, 1), (4, 2, 0), (3, 2, 1), (3, 3, 0), (4, 1, 1), (4, 2, 0), (3, 2, 1), (4, 1, 1))

Layout = tuple[int, ...]


def even() -> list[Layout]:
    """The 52 layouts with two printed boxes per caterpillar, as 12 numbers (0 = blank)."""
    pairs = list(combinations_with_replacement(PRINTED, 2))
    return [
        tuple(number for pair in sheet for number in (*pair, 0, 0))
        for sheet in combinations_with_replacement(pairs, 3)
        if {number for pair in sheet for number in pair} == set(PRINTED)
    ]


def uneven() -> list[Layout]:
    """Ten layouts with six printed boxes spread unevenly, drawn once and for all."""
    rng = random.Random("uneven layouts")
    found: list[Layout] = []
    for shape in SHAPES:
        while True:
            numbers = [*PRINTED, *rng.choices(PRINTED, k=2)]
            rng.shuffle(numbers)
            sheet: list[int] = []
            for printed in shape:
                own = sorted(numbers[:printed])
                numbers = numbers[printed:]
                sheet += own + [0] * (4 - printed)
            if tuple(sheet) not in found:
                found.append(tuple(sheet))
                break
    return found


def _rules(level: str, labels: tuple[int, ...]) -> CaterpillarsRules:
    rules = CaterpillarsRules.parse({"level": level, "sheet": list(labels)})
    assert isinstance(rules, CaterpillarsRules)
    return rules


def labels_of(layout: Layout, setup: str, seed: int, game: int) -> tuple[int, ...]:
    """Labels after the set-up of one game."""
    room = registry.get("caterpillars")
    scenario = room.scenario({"level": "intermediate", "sheet": list(layout), "setup": setup}, [PLACER])
    trace = room.trace(scenario.rules, scenario.policies, seed, game)
    return tuple(trace["seats"][0]["labels"])


def intermediate(labels: tuple[int, ...]) -> tuple[float, float]:
    """Optimal value of a labelled sheet at intermediate in 16-bit fixed point, and the bound on its error."""
    rules = _rules("intermediate", labels)
    place = Start((labels[:4], labels[4:8], labels[8:]), (0, 0, 0), (0, 0, 0))
    solved = Solved(rules, place, keep=0)
    return solved.value(place), solved.error_bound


def solve_layout(layout: Layout, kind: str, sheets: int, seed: int, workers: int) -> dict[str, list[dict[str, Any]]]:
    """Rows of the tables ``layouts`` (one) and ``layout_sheets`` (three for each sampled set-up)."""
    text = " ".join(map(str, layout))
    whole = solve_whole({"level": "beginner", "sheet": list(layout)}, workers)
    rows: list[dict[str, Any]] = []
    for game in range(sheets):
        standard = labels_of(layout, "standard", seed, game)
        variation = labels_of(layout, "variation", seed, game)
        low = SheetSolution(_rules("beginner", standard), standard, workers)
        for setup, level, labels, (value, bound) in (
            ("standard", "beginner", standard, (low.value, low.error_bound)),
            ("standard", "intermediate", standard, intermediate(standard)),
            ("variation", "intermediate", variation, intermediate(variation)),
        ):
            rows.append(
                {
                    "layout": text,
                    "game": game,
                    "setup": setup,
                    "level": level,
                    "labels": " ".join(map(str, labels)),
                    "value": value,
                    "error_bound": bound,
                }
            )
    one = {"layout": text, "kind": kind, "value": whole.value, "error_bound": whole.error_bound}
    return {"layouts": [one], "layout_sheets": rows}
