"""Long exact computations: they go on where they stopped, and what they left is solved again."""

from __future__ import annotations

import json

import polars as pl
import pytest

from sim.errors import InputError
from sim.games.caterpillars.exact.solution import SheetSolution
from sim.games.caterpillars.rules import CaterpillarsRules
from sim.store.answers import write_answers
from sim.verify import jobs, kept, layouts
from sim.verify.jobs import Job


def toy(called: list[str], stop_at: str = "") -> Job:
    """Three tasks that note that they were called."""

    def task(name):
        def run(room):
            if name == stop_at:
                raise KeyboardInterrupt
            called.append(name)
            row = {"layout": name, "kind": "even", "value": float(len(name)), "error_bound": 0.0}
            return {"layouts": [row]}

        return run

    rules = CaterpillarsRules.parse({})
    return Job("toy", "a toy", ("layouts",), rules, {n: task(n) for n in ("a", "bb", "ccc")}, {"seed": 1})


def test_a_job_goes_on_where_it_stopped(tmp_path) -> None:
    called: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        jobs.run(toy(called, stop_at="bb"), results=tmp_path, work=tmp_path / "work")
    assert called == ["a"]
    assert not list(tmp_path.glob("*.parquet"))
    assert jobs.run(toy(called), results=tmp_path, work=tmp_path / "work")
    assert called == ["a", "bb", "ccc"]
    assert pl.read_parquet(tmp_path / "layouts.parquet")["value"].to_list() == [1.0, 2.0, 3.0]
    assert not (tmp_path / "work" / "toy").exists()


def test_a_note_that_was_cut_off_counts_as_not_done(tmp_path) -> None:
    called: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        jobs.run(toy(called, stop_at="ccc"), results=tmp_path, work=tmp_path / "work")
    notes = tmp_path / "work" / "toy" / "done.jsonl"
    notes.write_text(notes.read_text()[:-20])
    called.clear()
    assert jobs.run(toy(called), results=tmp_path, work=tmp_path / "work")
    assert called == ["bb", "ccc"]


def test_notes_of_other_settings_are_not_used(tmp_path) -> None:
    called: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        jobs.run(toy(called, stop_at="ccc"), results=tmp_path, work=tmp_path / "work")
    other = toy(called)
    other.facts["seed"] = 2
    called.clear()
    assert jobs.run(other, results=tmp_path, work=tmp_path / "work")
    assert called == ["a", "bb", "ccc"]


def test_nothing_new_is_begun_when_time_is_over(tmp_path) -> None:
    called: list[str] = []
    assert not jobs.run(toy(called), results=tmp_path, work=tmp_path / "work", until=0.0)
    assert called == []


def test_equal_jobs_write_equal_bytes(tmp_path) -> None:
    for name in ("one", "two"):
        jobs.run(toy([]), results=tmp_path / name, work=tmp_path / "work")
    assert (tmp_path / "one/layouts.parquet").read_bytes() == (tmp_path / "two/layouts.parquet").read_bytes()


def test_there_are_52_even_layouts_and_ten_uneven_ones() -> None:
    even, uneven = layouts.even(), layouts.uneven()
    assert len(set(even)) == 52
    assert len(set(uneven)) == 10
    for layout in even + uneven:
        printed = [x for x in layout if x]
        assert len(layout) == 12
        assert len(printed) == 6
        assert set(printed) == {1, 2, 5, 6}
    assert all(sum(x > 0 for x in layout[c : c + 4]) == 2 for layout in even for c in (0, 4, 8))
    assert (1, 6, 0, 0, 1, 6, 0, 0, 2, 5, 0, 0) in even  # the default sheet, its caterpillars in order
    for layout in uneven:  # they are sheets that the rules accept
        CaterpillarsRules.parse({"sheet": list(layout)})


def test_a_sampled_set_up_fills_the_blanks_and_leaves_the_printed_numbers() -> None:
    layout = layouts.even()[7]
    for setup, most in (("standard", 6), ("variation", 12)):
        labels = layouts.labels_of(layout, setup, seed=3, game=0)
        assert all(new == old for new, old in zip(labels, layout, strict=True) if old)
        assert all(1 <= new <= most for new in labels)


def atlas_row(labels: list[int], shift: float) -> dict[str, object]:
    solution = SheetSolution(CaterpillarsRules.parse({"level": "beginner", "sheet": labels}), labels)
    mean = solution.value
    sd = sum(p * (s - mean) ** 2 for s, p in enumerate(solution.pmf)) ** 0.5
    text = " ".join(map(str, labels))
    return {"labels": text, "value": mean + shift, "sd": sd, "zero_share": 0.2, "chance": 0.0}


@pytest.mark.parametrize(("shift", "agrees"), [(0.0, True), (1e-6, False)])
def test_a_kept_value_that_is_off_by_a_millionth_is_found(tmp_path, shift, agrees) -> None:
    row = atlas_row([1, 6, 3, 4, 2, 5, 1, 2, 1, 6, 5, 3], shift)
    arrays = jobs._arrays("atlas", [row])
    write_answers(tmp_path / "atlas.parquet", "atlas", CaterpillarsRules.parse({}), arrays)
    found = kept.check(1, tmp_path)
    assert [r["passed"] for r in found] == [agrees, True]
    assert json.loads(kept.text(found, 1))["passed"] is agrees
    fault = kept.fault(found)
    assert (fault is None) is agrees
    if fault is not None:
        assert "atlas, row 0, value: kept" in str(fault)


def test_wrong_calls_get_one_line(tmp_path) -> None:
    with pytest.raises(
        InputError, match="job sunshine is not known; accepted: atlas, layouts, advanced, bracket, panel"
    ):
        jobs.chosen(["sunshine"])
    with pytest.raises(InputError, match="holds no exact results"):
        kept.check(1, tmp_path)
