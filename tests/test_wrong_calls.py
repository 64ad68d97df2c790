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


def test_finished_data_are_not_given_up_by_accident(tmp_path) -> None:
    sweep = {"name": "kept", "game": "caterpillars", "seed": 1, "games": 200, "policies": [["greedy"]]}
    sim.sweep(sweep, data=tmp_path)
    before = {p: p.read_bytes() for p in (tmp_path / "kept").rglob("*") if p.is_file()}
    for change in ({"seed": 2}, {"games": 100}, {"detail": "games"}, {"first_game": 5}):
        with pytest.raises(SimError, match="--replace"):
            sim.sweep({**sweep, **change}, data=tmp_path)
    assert before == {p: p.read_bytes() for p in (tmp_path / "kept").rglob("*") if p.is_file()}
    sim.sweep({**sweep, "games": 300}, data=tmp_path)  # more games lose nothing
    sim.sweep({**sweep, "seed": 2}, data=tmp_path, replace=True)
    assert sim.load("kept", data=tmp_path)["count"].sum() == 200


@pytest.mark.parametrize("workers", [0, -1, "a", 1.5, True, None])
@pytest.mark.parametrize(
    "asked",
    [
        {"rules": {"boxes": 1}, "labels": [1, 2, 3]},
        {"rules": {"boxes": 1}, "labels": [1, 2, 3], "policies": ["greedy"]},
        {"rules": {"boxes": 1, "level": "advanced"}, "labels": [1, 2, 3]},
        {"rules": {"boxes": 1}},
    ],
)
def test_solvers_take_at_least_one_worker(asked, workers) -> None:
    with pytest.raises(
        SimError, match=rf"^workers = {workers!r} is not accepted; accepted: a whole number of at least"
    ):
        sim.solve("caterpillars", workers=workers, **asked)
