"""Calls of the wrong kind get one line that says what is accepted."""

from __future__ import annotations

import pytest

import sim
from sim.errors import SimError
from sim.sweep.plan import plan

CALL = {"policies": ["random"], "games": 5, "seed": 1}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sim.simulate(["caterpillars"], **CALL), "accepted: caterpillars, karolinchen, parlett"),
        (lambda: sim.summarise("caterpillars", pairs=[], **CALL), "at least one mapping"),
        (lambda: sim.summarise("caterpillars", pairs={"of": "score"}, **CALL), "at least one mapping"),
        (lambda: sim.summarise("caterpillars", by=5, **CALL), "a list of columns"),
        (lambda: sim.load(None), "name, YAML file or folder"),
        (lambda: sim.sweep([]), "a YAML file"),
    ],
)
def test_one_line(call, words) -> None:
    with pytest.raises(SimError) as caught:
        call()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        {"variants": [{"grid": {"sheet": [[1] * 12] * 1000, "boxes": [4] * 1000}}]},
        {"policies": [[{"id": "child", "grid": {"slip": [0.1] * 1000, "store": [6] * 1000}}]]},
        {"variants": [{"grid": {"final": ["median"] * 1000}}], "policies": [["random"]] * 1000},
    ],
)
def test_a_sweep_that_could_never_be_planned_is_refused_at_once(change) -> None:
    sweep = {"name": "huge", "game": "caterpillars", "seed": 1, "games": 1, "policies": [["random"]], **change}
    with pytest.raises(SimError, match="at most 100,000"):
        plan(sweep)
