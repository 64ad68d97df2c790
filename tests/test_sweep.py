"""Sweeps: a YAML file becomes scenarios, scenarios become files, exactly once, whatever happens in between."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from conftest import ROOT
from folders import content, wait_for

import sim
from sim.errors import FaultError, InputError, SimError, StoreError, SweepError
from sim.store.load import read_footer
from sim.sweep import rows, streams
from sim.sweep.groups import groups
from sim.sweep.members import CHECKPOINTS
from sim.sweep.plan import plan
from sim.sweep.run import run
from sim.sweep.stopping import Interrupted

pytestmark = pytest.mark.usefixtures("toy")

BASE: dict[str, Any] = {"name": "t", "game": "toy", "seed": 7, "games": 20_000, "policies": ["plain"]}


def spec(**more: Any) -> dict[str, Any]:
    return {**BASE, **more}


def labels(given: Mapping[str, Any]) -> list[str]:
    return [cell.scenario.label for cell in plan(given).cells]


# ----------------------------------------------------------------------------------------------------------------------
# Plans


def test_grid_is_every_combination_of_rules_and_of_policy_parameters() -> None:
    given = spec(
        variants=[{"grid": {"sides": [6, 8], "lucky": [False, True]}}],
        policies=["plain", [{"id": "add", "grid": {"more": [1, 2]}}, "plain"]],
    )
    found = labels(given)
    assert len(found) == 2 * 2 * 3
    assert found[0] == "sides=6, lucky=false · plain"
    assert found[-1] == "sides=8, lucky=true · add(more=2), plain"


def test_repeated_policy_fills_the_seats() -> None:
    given = spec(
        policies=[
            {"repeat": [2, 3], "policy": "plain"},
            ["add", {"repeat": 2, "policy": "plain"}],
            {"repeat": 2, "policy": {"id": "add", "grid": {"more": [1, 3]}}, "name": "cheats"},
        ]
    )
    assert labels(given) == [
        "default · plain ×2",
        "default · plain ×3",
        "default · add, plain, plain",
        "default · cheats: add ×2",
        "default · cheats: add(more=3) ×2",
    ]


def test_one_factor_changes_one_rule_at_a_time_around_its_base() -> None:
    given = spec(
        variants=[{"grid": {"sides": [6, 8]}, "one_factor": {"lucky": [True], "preset": ["big"]}}],
        pairs=[{"of": "score", "against": "base"}],
    )
    planned = plan(given)
    assert [(c.variant, c.factor, c.value) for c in planned.cells] == [
        ("sides=6", "", ""),
        ("sides=6, lucky=true", "lucky", "true"),
        ("sides=8", "", ""),
        ("sides=8, lucky=true", "lucky", "true"),
    ]
    # sides is given, so a preset under it changes nothing: the same scenario, noted and played once
    assert [a["variant"] for a in planned.aliases] == ["sides=6, preset=big", "sides=8, preset=big"]
    base = {c.variant: c.id for c in planned.cells}
    against = {c.variant: [p.against.id for p in c.pairs if p.against] for c in planned.cells}
    assert against["sides=6, lucky=true"] == [base["sides=6"]]
    assert against["sides=8, lucky=true"] == [base["sides=8"]]
    assert against["sides=6"] == []


def test_parameter_without_effect_makes_no_second_scenario() -> None:
    planned = plan(spec(variants=[{"grid": {"sides": [4, 8], "lucky": [False, True]}}]))
    assert [c.variant for c in planned.cells] == ["sides=4, lucky=false", "sides=8, lucky=false", "sides=8, lucky=true"]
    assert planned.notes == [
        "sides=4, lucky=true · plain is the same scenario as sides=4, lucky=false · plain: played once"
    ]


def test_impossible_combination_is_refused_or_left_out_with_a_note() -> None:
    given = spec(variants=[{"grid": {"sides": [12, 13], "lucky": [True]}}])
    with pytest.raises(
        SweepError, match=r"^sweep t: sides=13, lucky=true · plain: .*impossible" "; accepted: other sides$"
    ):
        plan(given)
    planned = plan({**given, "impossible": "skip"})
    assert [c.variant for c in planned.cells] == ["sides=12, lucky=true"]
    assert "is left out" in planned.notes[0]


def test_games_of_a_variant_and_of_a_line_up_bound_those_of_the_sweep() -> None:
    given = spec(
        variants=[{"name": "few", "rules": {"sides": 9}, "games": "1e3"}, {}],
        policies=["plain", {"seats": ["add"], "games": 10}],
    )
    assert [c.games for c in plan(given).cells] == [1000, 10, 20_000, 10]


def test_scenarios_compared_with_the_same_others_are_played_side_by_side() -> None:
    given = spec(
        variants=[{"one_factor": {"sides": list(range(7, 27))}}, {"rules": {"sides": 50}}], pairs=[{"against": "base"}]
    )
    found = groups(plan(given).cells)
    base = plan(given).cells[0].id
    assert [len(g.cells) for g in found] == [16, 5, 1]
    assert found[0].cells[0].id == base
    assert [base in g.others for g in found] == [True, True, False]
    assert len(found[0].playables()) == 16  # the base is not played twice


def test_scenarios_compared_with_each_other_are_played_once() -> None:
    others = [{"against": {"policies": "plain"}}, {"against": {"policies": "add(more=3)"}}]
    (group,) = groups(plan(spec(policies=["plain", "add", "add(more=3)"], pairs=others)).cells)
    assert [len(c.pairs) for c in group.cells] == [1, 2, 1]
    assert len(group.playables()) == 3


def test_several_designs_are_one_sweep_and_share_their_scenarios() -> None:
    given = spec(
        policies=[],
        designs=[
            {"name": "wide", "variants": [{"grid": {"sides": [6, 8]}}], "policies": ["plain"]},
            {"name": "deep", "variants": [{"rules": {"sides": 8}}], "policies": ["plain", "add"], "games": 50_000},
        ],
    )
    planned = plan(given)
    assert [(c.design, c.variant, c.line_up, c.games) for c in planned.cells] == [
        ("wide", "sides=6", "plain", 20_000),
        ("wide", "sides=8", "plain", 50_000),
        ("deep", "sides=8", "add", 50_000),
    ]
    assert [(a["design"], a["scenario"]) for a in planned.aliases] == [("deep", planned.cells[1].id)]
    assert planned.notes == []  # the same variant in two designs is what was meant
    with pytest.raises(SweepError, match="put them in a design"):
        plan({**given, "variants": [{}]})


WRONG = [
    ({"designs": [{"policies": ["plain"], "pairz": []}]}, "unknown key in designs 'pairz'"),
    ({"designs": [{"policies": ["plain"], "variants": [{"rulez": {}}]}]}, "unknown key in variants 'rulez'"),
    ({"gmae": "toy"}, r"unknown key 'gmae' \(did you mean game\?\)"),
    ({"name": "../x"}, "it names a folder"),
    ({"game": "tyo"}, "unknown game 'tyo'"),
    ({"games": 0}, "games = 0"),
    ({"games": "many"}, "games = 'many'"),
    ({"seed": -1}, "seed = -1"),
    ({"detail": "rows"}, "detail = 'rows'.*'games', 'rounds' or 'summary'"),
    ({"variants": [{"rule": {}}]}, "unknown key in variants 'rule'"),
    ({"variants": [{"rules": {"side": 4}}]}, "unknown rule parameter of toy 'side'"),
    ({"variants": [{"grid": {"side": [4]}}]}, "unknown rule parameter of toy in grid 'side'"),
    ({"variants": [{"grid": {"sides": []}}]}, r"sides = \[\]"),
    ({"variants": [{"preset": "huge"}]}, "unknown preset of toy 'huge'"),
    ({"variants": []}, "nothing to play"),
    ({"policies": ["nobody"]}, "unknown policy of toy 'nobody'"),
    ({"policies": [3]}, "policies entry 3"),
    ({"policies": [{"seat": ["plain"]}]}, "unknown key in policies 'seat'"),
    ({"policies": [{"policy": "plain", "repeat": 0}]}, "repeat = 0"),
    ({"policies": [{"id": "add", "grid": {"more": 3}}]}, "grid: more = 3"),
    ({"policies": [{"id": "add", "grid": {"less": [3]}}]}, "unknown parameter of policy add in grid 'less'"),
    ({"policies": [["plain"] * 5]}, "5 policies were given"),
    ({"by": ["scroe"]}, "unknown column in by 'scroe'"),
    ({"by": []}, ""),
    ({"detail": "games", "by": ["score"]}, "by with detail = games"),
    ({"detail": "games", "pairs": [{"seats": [0, 1]}]}, "pairs with detail = games"),
    ({"pairs": [{"seats": [0, 1]}]}, "seat in pairs = 1"),
    ({"pairs": [{"of": "scroe", "against": {"rules": {"sides": 9}}}]}, "unknown column in pairs 'scroe'"),
    ({"pairs": [{"against": "nothing"}]}, "unknown variant in against 'nothing'"),
    ({"pairs": [{"against": {"ruels": {}}}]}, "unknown key in against 'ruels'"),
    ({"pairs": [{"against": {"policies": {"repeat": 2, "policy": "plain"}}}]}, "pairs compare 1 seats with 2"),
    ({"pairs": [{"offf": 1}]}, "unknown key in pairs 'offf'"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG)
def test_wrong_sweep_is_one_line(wrong: dict[str, Any], message: str) -> None:
    if wrong == {"by": []}:
        assert plan(spec(by=[])).by == ("score", "win")  # empty means the default
        return
    with pytest.raises(SweepError, match=message) as caught:
        plan(spec(**wrong))
    assert "\n" not in str(caught.value)
    assert "accepted" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: t\nname: u\n", "line 2: .*'name' stands twice"),
        ("a: [1, 2\n", "not readable as YAML"),
        ("- 1\n", "holds no mapping"),
        ("name: t\ngame: toy\nseed: 1\npolicies: [plain]\n", "the key 'games' is missing"),
    ],
)
def test_wrong_file_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(text)
    with pytest.raises(SweepError, match=message) as caught:
        plan(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("path", sorted((ROOT / "sweeps").glob("*.yaml")), ids=lambda p: p.stem)
def test_shipped_sweeps_are_accepted_and_named_as_their_files(path: Path) -> None:
    planned = plan(path)
    assert planned.name == path.stem
    assert planned.spec.title
    assert planned.cells


# ----------------------------------------------------------------------------------------------------------------------
# Files


def test_rows_do_not_depend_on_workers_or_on_the_size_of_the_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "GROUP_ROWS", 30_000)
    given = spec(detail="games", games=50_000, policies=["plain", ["plain", "add"]])
    one = run(given, workers=1, data=tmp_path / "one")
    three = run(given, workers=3, data=tmp_path / "three")
    assert content(one.folder) == content(three.folder)
    files = [p for p in content(one.folder) if p.endswith(".parquet")]
    assert len(files) == 2 + 4
    longer = run({**given, "games": 60_000}, data=tmp_path / "one")
    assert longer.reused == 30_000 + 45_000  # whole pieces of the shorter sweep stay
    frame = longer.frame(where={"line_up": "plain, add"}, columns=["game", "seat", "score", "win", "doubled"])
    assert frame.equals(sim.simulate("toy", policies=["plain", "add"], games=60_000, seed=7))


def test_counts_and_differences_are_those_of_the_rows(tmp_path: Path) -> None:
    given = spec(
        by=["score", "win", "doubled"],
        variants=[{"name": "lucky", "rules": {"lucky": True, "sides": 8}}, {"name": "dull", "rules": {"sides": 8}}],
        policies=[["plain", "add", "plain"]],
        pairs=[{"of": ["score", "win"], "seats": [1, 0]}, {"of": ["score", "win"], "against": {"variant": "dull"}}],
    )
    result = run(given, workers=2, data=tmp_path)
    ids = dict(result.scenarios().select("variant", "scenario").iter_rows())
    frames = {
        name: sim.simulate("toy", rules=rules, policies=["plain", "add", "plain"], games=20_000, seed=7)
        for name, rules in {"lucky": {"lucky": True, "sides": 8}, "dull": {"sides": 8}}.items()
    }
    for name, frame in frames.items():
        expected = (
            frame.group_by("seat", "score", "win", "doubled").len("count").sort("seat", "score", "win", "doubled")
        )
        found = result.frame(where={"variant": name}).drop("scenario")
        assert found.equals(expected.cast({"count": pl.Int64}))
    differences = result.frame("differences")
    for of in ("score", "win"):
        pivot = frames["lucky"].pivot("seat", index="game", values=of)
        gap = (pivot["1"] - pivot["0"]).cast(pl.Float64).rename("difference")
        assert_counts(differences, ids["lucky"], "seat 1 − seat 0", of, 1, gap)
        for seat in range(3):
            a, b = (frames[n].filter(pl.col("seat") == seat)[of] for n in ("lucky", "dull"))
            assert_counts(
                differences, ids["lucky"], "this − dull", of, seat, (a - b).cast(pl.Float64).rename("difference")
            )
    assert differences.filter((pl.col("scenario") == ids["dull"]) & (pl.col("against") != "")).is_empty()


def assert_counts(frame: pl.DataFrame, scenario: str, pair: str, of: str, seat: int, values: pl.Series) -> None:
    here = (pl.col("scenario") == scenario) & (pl.col("pair") == pair) & (pl.col("of") == of) & (pl.col("seat") == seat)
    found = frame.filter(here)
    if pair.startswith("seat"):
        found = frame.filter((pl.col("scenario") == scenario) & (pl.col("pair") == pair) & (pl.col("of") == of))
    expected = values.value_counts().sort("difference")
    assert found["difference"].to_list() == expected["difference"].to_list()
    assert found["count"].to_list() == expected["count"].to_list()


GIVEN = {
    "games": spec(
        detail="games", games=60_000, policies=["plain", ["plain", "add"]], variants=[{"grid": {"sides": [6, 9]}}]
    ),
    "summary": spec(
        games=60_000,
        policies=["plain", ["plain", "add"]],
        variants=[{"one_factor": {"sides": [9, 10]}}],
        pairs=[{"of": "score", "against": "base"}],
    ),
}


@pytest.mark.parametrize("detail", ["games", "summary"])
@pytest.mark.parametrize("workers", [1, 3])
def test_run_stopped_again_and_again_ends_with_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, detail: str, workers: int
) -> None:
    monkeypatch.setattr(rows, "GROUP_ROWS", 30_000)
    monkeypatch.setattr(streams.CountStream, "_stretch", lambda _, left: min(left, 9_000))
    whole = run(GIVEN[detail], data=tmp_path / "whole")
    played: list[int] = []
    calls = 0

    def impatient(self: Any) -> bool:
        nonlocal calls
        calls += 1
        return calls % 4 == 0

    for _ in range(100):
        monkeypatch.setattr("sim.sweep.stopping.Stop.__call__", latched(impatient))
        try:
            last = run(GIVEN[detail], workers=workers, data=tmp_path / "parts")
            break
        except Interrupted:
            with pytest.raises(StoreError, match="is not finished"):
                sim.load("t", data=tmp_path / "parts")
        played.append(1)
    assert len(played) >= 3
    assert last.reused > 0
    assert content(last.folder) == content(whole.folder)


def latched(question: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Once asked to stop, a run stays asked."""
    asked: list[bool] = []

    def answer(self: Any) -> bool:
        if not asked and question(self):
            asked.append(True)
        return bool(asked)

    return answer


def start(tmp_path: Path, given: Mapping[str, Any], workers: int = 2) -> subprocess.Popen[str]:
    """`sim sweep` with the toy game in a process of its own."""
    file = tmp_path / "t.yaml"
    file.write_text(json.dumps(given))
    command = [
        sys.executable,
        str(ROOT / "tests" / "toy.py"),
        "sweep",
        str(file),
        "--data",
        str(tmp_path / "data"),
        "--workers",
        str(workers),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TOY_INTERVAL": "0.05"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


@pytest.mark.parametrize("detail", ["games", "summary"])
def test_killed_run_goes_on_in_the_middle_and_ends_with_the_same_bytes(tmp_path: Path, detail: str) -> None:
    rules = {"nap": 0.02}  # 400 ms per million games: slow enough to be caught in the act
    given = spec(detail=detail, games=3_000_000, variants=[{"rules": rules}])
    signs = {"games": "games/*/rows-*.parquet", "summary": ".checkpoints/*.npz"}
    folder = tmp_path / "data" / "t"
    process = start(tmp_path, given)
    wait_for(lambda: any(folder.glob(signs[detail])))
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not (folder / "manifest.json").exists()
    quick = {**given, "variants": [{}]}  # the nap has no effect on results
    again = run(quick, workers=1, data=tmp_path / "data")
    assert 0 < again.reused < 3_000_000
    whole = run(quick, workers=2, data=tmp_path / "whole")
    # the manifest lists all parameters, also those without effect
    assert content(again.folder) == content(whole.folder)


def test_ctrl_c_ends_cleanly_and_says_how_to_go_on(tmp_path: Path) -> None:
    given = spec(games=3_000_000, variants=[{"rules": {"nap": 0.02}}])
    process = start(tmp_path, given)
    wait_for(lambda: any((tmp_path / "data").rglob("*.npz")))
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.splitlines()[-1].startswith("sim: stopped: stopped after ")
    assert f"sim sweep {tmp_path / 't.yaml'} --data {tmp_path / 'data'} goes on from here" in errors.splitlines()[-1]
    record = json.loads((tmp_path / "data" / "runs" / "runs.jsonl").read_text().splitlines()[-1])
    assert record["outcome"] == "stopped"
    again = run({**given, "variants": [{}]}, data=tmp_path / "data")
    assert again.reused == record["played"] > 0


def test_finished_sweep_is_not_touched(tmp_path: Path) -> None:
    first = run(spec(), data=tmp_path)
    times = {p: p.stat().st_mtime_ns for p in first.folder.rglob("*")}
    second = run(spec(), data=tmp_path)
    assert (second.played, second.reused) == (0, 20_000)
    assert {p: p.stat().st_mtime_ns for p in second.folder.rglob("*")} == times


def test_counts_are_extended_not_replayed(tmp_path: Path) -> None:
    run(spec(), data=tmp_path)
    longer = run(spec(games=50_000), data=tmp_path)
    assert (longer.played, longer.reused) == (30_000, 20_000)
    assert content(longer.folder) == content(run(spec(games=50_000), data=tmp_path / "whole").folder)


@pytest.mark.parametrize("change", ["seed", "by", "kernel", "policy version", "kernel sources", "library"])
def test_anything_that_decides_results_makes_old_files_useless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, toy: Any
) -> None:
    run(spec(), data=tmp_path)
    given = spec()
    if change == "seed":
        given = spec(seed=8)
    if change == "by":
        given = spec(by=["score"])
    if change == "kernel":
        monkeypatch.setattr(type(toy), "kernel_version", 2)
    if change == "policy version":
        entry = toy.policies.entries["plain"]
        monkeypatch.setitem(toy.policies.entries, "plain", type(entry)(**{**vars(entry), "version": 2}))
    if change == "kernel sources":
        monkeypatch.setattr("sim.store.provenance.source_hash", lambda _: "0" * 12)
    if change == "library":
        monkeypatch.setattr("sim.store.provenance.libraries", lambda: {"numba": "0", "numpy": "0", "pyarrow": "0"})
    second = run(given, data=tmp_path, replace=True)
    assert (second.played, second.reused) == (20_000, 0)
    assert second.frame()["scenario"].unique().to_list() == second.scenarios()["scenario"].to_list()


def test_changed_sweep_is_not_readable_until_it_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = spec(variants=[{"grid": {"sides": [4, 6]}}])
    run(given, data=tmp_path)
    monkeypatch.setattr("sim.sweep.stopping.Stop.__call__", lambda _: True)
    with pytest.raises(Interrupted):
        run({**given, "seed": 8}, data=tmp_path, replace=True)
    with pytest.raises(StoreError, match="is not finished"):
        sim.load("t", data=tmp_path)


def test_loader_reads_the_scenarios_of_the_plan_only(tmp_path: Path) -> None:
    run(spec(variants=[{"grid": {"sides": [4, 5, 6]}}]), data=tmp_path)
    fewer = run(spec(variants=[{"grid": {"sides": [4, 6]}}]), data=tmp_path)
    assert fewer.played == 0
    assert fewer.frame()["scenario"].n_unique() == 2


@pytest.mark.parametrize("detail", ["games", "summary"])
@pytest.mark.parametrize("damage", ["cut", "missing", "foreign"])
def test_damaged_piece_is_played_again(tmp_path: Path, detail: str, damage: str) -> None:
    given = spec(detail=detail, variants=[{"grid": {"sides": [4, 6]}}])
    first = run(given, data=tmp_path)
    before = content(first.folder)
    file = next(first.folder.rglob("*.parquet"))
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:-20])
    if damage == "missing":
        file.unlink()
    if damage == "foreign":
        pl.DataFrame({"score": [1]}).write_parquet(file)
    with pytest.raises(StoreError, match="accepted"):
        sim.load("t", data=tmp_path)
    again = run(given, data=tmp_path)
    assert again.played == 20_000
    assert content(again.folder) == before


def test_damaged_checkpoint_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    cell = plan(spec()).cells[0]
    checkpoint = folder / CHECKPOINTS / f"{cell.id}.npz"
    checkpoint.parent.mkdir(parents=True)
    checkpoint.write_bytes(b"PK\x03\x04 nothing")
    assert run(spec(), data=tmp_path).played == 20_000
    assert not checkpoint.exists()


def test_file_of_another_run_is_not_read(tmp_path: Path) -> None:
    one = run(spec(detail="games"), data=tmp_path / "one")
    two = run(spec(detail="games", seed=8), data=tmp_path / "two")
    (a,), (b,) = one.folder.rglob("*.parquet"), two.folder.rglob("*.parquet")
    shutil.copy(b, a)
    with pytest.raises(StoreError, match="belongs to another run"):
        one.frame()


def test_leftovers_of_killed_runs_are_cleared(tmp_path: Path) -> None:
    leftover = tmp_path / "t" / "games" / ".rows.parquet.123.tmp"
    leftover.parent.mkdir(parents=True)
    leftover.write_text("half a file")
    run(spec(detail="games"), data=tmp_path)
    assert not leftover.exists()


def test_second_run_in_the_same_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[SimError] = []

    def meanwhile(*_: Any) -> None:
        try:
            run(spec(), data=tmp_path)
        except SimError as error:
            seen.append(error)

    monkeypatch.setattr("toy.ToyPlayable.scratch", meanwhile)
    run(spec(), data=tmp_path)
    assert seen
    assert "is being written by another run; accepted: one run at a time" in str(seen[0])


def test_one_failing_scenario_does_not_take_the_others_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import toy

    whole = toy.ToyPlayable.play

    def play(self: Any, seed: int, first: int, *rest: Any) -> None:
        if self.rules.sides == 5 and first > 8000:
            raise ArithmeticError("a bug")
        whole(self, seed, first, *rest)

    monkeypatch.setattr(toy.ToyPlayable, "play", play)
    given = spec(variants=[{"grid": {"sides": [4, 5, 6]}}])
    with pytest.raises(FaultError, match=r"1 of 3 scenarios failed.*sides=5 · plain: ArithmeticError: a bug"):
        run(given, workers=2, data=tmp_path)
    monkeypatch.undo()
    assert len(list((tmp_path / "t").rglob("counts.parquet"))) == 2


def test_full_disk_stops_the_sweep_in_one_line_and_it_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = spec(detail="games", variants=[{"grid": {"sides": [4, 5]}}])
    replace, calls = os.replace, []

    def full(*arguments: Any) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        replace(*arguments)

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(StoreError, match="No space left on device"):
        run(given, workers=2, data=tmp_path)
    assert len(list((tmp_path / "t").rglob("*.parquet"))) == 1
    assert not list((tmp_path / "t").rglob("*.tmp"))
    assert run(given, data=tmp_path).reused == 20_000


def test_kernel_result_outside_its_bounds_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import toy

    whole = toy.ToyPlayable.play

    def play(self: Any, seed: int, first: int, games: int, out: Any, scratch: Any) -> None:
        whole(self, seed, first, games, out, scratch)
        out[0, 0] = 99

    monkeypatch.setattr(toy.ToyPlayable, "play", play)
    with pytest.raises(FaultError, match="score is outside"):
        run(spec(), data=tmp_path)


# ----------------------------------------------------------------------------------------------------------------------
# Reading


def test_sweep_is_loaded_by_name_file_or_folder(tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    file.write_text(json.dumps(spec(variants=[{"grid": {"sides": [4, 6]}}])))
    result = sim.sweep(file, workers=2, data=tmp_path)
    frame = sim.load("t", data=tmp_path)
    assert frame.columns == ["scenario", "seat", "score", "win", "count"]
    assert frame.equals(sim.load(file, data=tmp_path))
    assert frame.equals(sim.load(result.folder))
    assert frame.to_pandas().equals(sim.load("t", data=tmp_path, frame="pandas"))
    assert frame.group_by("scenario").agg(pl.col("count").sum())["count"].to_list() == [20_000, 20_000]
    some = sim.load(
        "t", data=tmp_path, where={"sides": 6, "score": [5, 6]}, columns=["sides", "line_up", "score", "count"]
    )
    assert some.columns == ["sides", "line_up", "score", "count"]
    assert some["score"].to_list() == [5, 6]
    assert some["sides"].unique().to_list() == [6]
    assert sim.load("t", data=tmp_path, where=(pl.col("sides") == 6) & (pl.col("score") > 4)).shape == (2, 5)


def test_scenarios_tell_variants_policies_and_their_parameters(tmp_path: Path) -> None:
    given = spec(variants=[{"grid": {"sides": [4, 6]}}], policies=[[{"id": "add", "grid": {"more": [0, 2]}}, "plain"]])
    sim.sweep(given, data=tmp_path)
    table = sim.scenarios("t", data=tmp_path)
    assert table["sides"].to_list() == [4, 4, 6, 6]
    assert table["seat0.more"].to_list() == [0.0, 2.0, 0.0, 2.0]
    assert table["seat1"].unique().to_list() == ["plain"]
    told = sim.describe(table["scenario"][1], data=tmp_path)
    assert told["rules"]["sides"] == 4
    assert told["policies"] == ["add(more=2)", "plain"]
    assert (told["seed"], told["games"]) == (7, 20_000)
    assert sim.describe(table["scenario"][1][:8], data=tmp_path) == told
    with pytest.raises(InputError, match="is in no finished sweep"):
        sim.describe("zzzz", data=tmp_path)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"table": "rows"}, "unknown table 'rows'"),
        ({"columns": ["scroe"]}, "unknown column 'scroe'"),
        ({"where": {"scroe": 1}}, "unknown column 'scroe'"),
        ({"where": {"sides": 99}}, "fits no scenario"),
    ],
)
def test_wrong_load_is_one_line(tmp_path: Path, more: dict[str, Any], message: str) -> None:
    sim.sweep(spec(games=100), data=tmp_path)
    with pytest.raises(InputError, match=message):
        sim.load("t", data=tmp_path, **more)
    with pytest.raises(StoreError, match="is not there; accepted"):
        sim.load("u", data=tmp_path)


def test_scenario_column_survives_ids_that_look_like_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.games.base.Scenario.id", "123456789012")
    assert sim.sweep(spec(games=100), data=tmp_path).frame()["scenario"].unique().to_list() == ["123456789012"]


def test_manifest_lists_files_by_provenance_and_says_nothing_of_time(tmp_path: Path) -> None:
    result = run(spec(), data=tmp_path)
    manifest = json.loads((result.folder / "manifest.json").read_text())
    (entry,) = manifest["scenarios"]
    (file,) = entry["files"]
    assert read_footer(result.folder / file["path"]).rows == file["rows"]
    assert not {"time", "host", "seconds", "ended"} & set(manifest)
    assert threading.active_count() < 10


def test_the_format_as_documented_is_accepted() -> None:
    from sim.sweep import spec as module

    text = (module.__doc__ or "").partition("::")[2]
    text = text.replace("plugins: [my_policies.py]", "plugins: []")  # that file is the reader's own
    planned = plan(yaml.safe_load(text))
    assert sum(c.variant.startswith("level=") for c in planned.cells) == 3 * 11 + 3 * (11 - 2)  # no child at beginner
    pairs = {c.variant: [p.label for p in c.pairs] for c in planned.cells}
    seats, base, level = "seat 0 − seat 1", "this − base", "this − level=beginner"
    assert pairs["level=beginner"] == [seats]
    assert pairs["level=expert"] == [seats, level]
    assert pairs["level=expert, final=total"] == [seats, base, level]


def test_sql_sees_the_tables_and_the_scenarios(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    given = spec(variants=[{"one_factor": {"sides": [4]}}], pairs=[{"of": "score", "against": "base"}])
    sim.sweep(given, data=tmp_path)
    connection = sim.sql("t", data=tmp_path)
    query = "SELECT s.sides, sum(score * count) / sum(count) FROM counts JOIN scenarios s USING (scenario) GROUP BY 1"
    means = dict(connection.execute(query).fetchall())
    frame = sim.load("t", data=tmp_path, columns=["sides", "score", "count"])
    for sides, part in frame.group_by("sides"):
        assert means[sides[0]] == pytest.approx((part["score"] * part["count"]).sum() / part["count"].sum())
    ((played,),) = connection.execute("SELECT sum(count) FROM differences").fetchall()
    assert played == 20_000
    with pytest.raises(StoreError, match="is not there; accepted"):
        sim.sql("u", data=tmp_path)


def test_sql_keeps_ids_that_look_like_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("duckdb")
    monkeypatch.setattr("sim.games.base.Scenario.id", "012345678901")
    sim.sweep(spec(games=100, detail="games"), data=tmp_path)
    assert sim.sql("t", data=tmp_path).execute("SELECT DISTINCT scenario FROM games").fetchall() == [("012345678901",)]


@pytest.mark.parametrize("state", ["finished", "unfinished", "manifest cut short"])
@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"seed": 8}, "seed = 7"),
        ({"games": 10_000}, "20,000 games of a scenario"),
        ({"by": ["win"]}, "by = "),
        ({"until": "half_width(mean score) <= 1"}, "until = none"),
    ],
)
def test_results_are_not_replaced_unasked_whatever_became_of_the_manifest(
    tmp_path: Path, state: str, more: dict[str, Any], message: str
) -> None:
    given = spec(variants=[{"grid": {"sides": [4, 6]}}])
    folder = run(given, data=tmp_path).folder
    if state == "unfinished":
        (folder / "manifest.json").unlink()
    elif state == "manifest cut short":
        os.truncate(folder / "manifest.json", 100)
    before = content(folder)
    with pytest.raises(SweepError, match=message):
        run({**given, **more}, data=tmp_path)
    assert content(folder) == before
    assert run(given, data=tmp_path).played == 0
    assert (folder / "manifest.json").stat().st_size > 1_000
    assert run({**given, **more}, data=tmp_path, replace=True).folder == folder


@pytest.mark.parametrize("text", ["3", "[]", '{"scenarios": 3}', '{"scenarios": [{"x": 1}]}'])
def test_odd_manifest_is_one_line(tmp_path: Path, text: str) -> None:
    folder = run(spec(games=100), data=tmp_path).folder
    (folder / "manifest.json").write_text(text)
    for read in (sim.load, sim.scenarios):
        with pytest.raises(StoreError, match="is not a manifest"):
            read("t", data=tmp_path)


@pytest.mark.parametrize("name", ["runs", "exact", "ladders", "league"])
def test_folders_of_the_lab_are_no_names_of_sweeps(name: str) -> None:
    with pytest.raises(SweepError, match="names a folder"):
        plan(spec(name=name))
