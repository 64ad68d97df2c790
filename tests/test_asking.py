"""Looking at sweeps: how they stand while they run, stop and fail; what lies in the folder; lazy frames; SQL."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest
import yaml
from conftest import ROOT

import sim
from sim.cli import run as command
from sim.errors import FaultError, InputError, StoreError
from sim.store.parquet import PROVENANCE_KEY
from sim.sweep import log
from sim.sweep.lock import is_running, locked
from sim.sweep.run import run
from sim.sweep.status import status
from sim.sweep.stopping import Interrupted

pytestmark = pytest.mark.usefixtures("toy")

BASE: dict[str, Any] = {"name": "t", "game": "toy", "seed": 7, "games": 20_000, "policies": ["plain"]}
THREE = {"variants": [{"grid": {"sides": [4, 5, 6]}}]}


def spec(**more: Any) -> dict[str, Any]:
    return {**BASE, **more}


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """Calls ``sim … --data`` and gives (status, stdout, stderr)."""

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        ended = command([*arguments, "--data", str(tmp_path)])
        return (ended, *capsys.readouterr())

    return call


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The scenario with five sides has a fault."""
    import toy

    whole = toy.ToyPlayable.play

    def play(self: Any, *rest: Any) -> None:
        if self.rules.sides == 5:
            raise ArithmeticError("a bug")
        whole(self, *rest)

    monkeypatch.setattr(toy.ToyPlayable, "play", play)
    return monkeypatch


def stop_after(monkeypatch: pytest.MonkeyPatch, scenarios: int) -> None:
    """Ctrl-C after so many finished scenarios."""
    from sim.sweep.schedule import Watch

    whole = Watch.finished

    def finished(self: Any, *rest: Any) -> None:
        whole(self, *rest)
        if self.done == scenarios:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Watch, "finished", finished)


@pytest.fixture
def stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with the sweep of three scenarios, stopped after the first."""
    stop_after(monkeypatch, 1)
    with pytest.raises(Interrupted):
        run(spec(**THREE, games=200_000), backend="sequential", data=tmp_path)
    monkeypatch.undo()
    import toy

    monkeypatch.setattr("sim.games.REGISTRY", (*sim.games(), "toy"))
    monkeypatch.setitem(sys.modules, "sim.games.toy", toy)
    return tmp_path


# ----------------------------------------------------------------------------------------------------------------------
# How it stands


def test_complete_sweep_says_so_and_how_many_games_it_has(tmp_path: Path, cli: Any) -> None:
    run(spec(**THREE), data=tmp_path)
    told = status("t", data=tmp_path)
    wanted = {"state": "complete", "scenarios": 3, "done": 3, "failed": 0, "open": 0, "games": 60_000, "failures": []}
    assert {key: told[key] for key in wanted} == wanted
    assert told["run"]["outcome"] == "complete"
    assert json.loads(cli("status", "t", "--json")[1]) == told
    assert cli("status", "t")[1].startswith("t: complete\n  scenarios: 3 (3 done, 0 failed, 0 open)\n")
    assert status(tmp_path / "t") == told  # the folder itself


def test_sweep_that_was_stopped_has_open_scenarios_and_its_finished_ones_can_be_read(stopped: Path, cli: Any) -> None:
    told = status("t", data=stopped)
    assert (told["state"], told["scenarios"], told["failed"]) == ("stopped", 3, 0)
    assert told["done"] + told["open"] == 3
    assert 1 <= told["done"] < 3
    assert told["games"] == 200_000 * told["done"]
    assert told["run"]["outcome"] == "stopped"
    with pytest.raises(StoreError, match=r"is not finished; accepted: .*partial=True reads what is done"):
        sim.load("t", data=stopped)
    some, described = sim.load("t", data=stopped, partial=True), sim.scenarios("t", data=stopped, partial=True)
    assert len(described) == told["done"]
    assert set(some["scenario"]) == set(described["scenario"])
    assert sim.load("t", data=stopped, partial=True, lazy=True).collect().equals(some)
    run(spec(**THREE, games=200_000), data=stopped)
    whole = sim.load("t", data=stopped)
    assert whole.filter(pl.col("scenario").is_in(described["scenario"].to_list())).equals(some)
    assert sim.load("t", data=stopped, partial=True).equals(whole)
    assert status("t", data=stopped)["state"] == "complete"


def test_failed_scenarios_are_told_with_tracebacks_until_they_finish(
    tmp_path: Path, cli: Any, failing: pytest.MonkeyPatch
) -> None:
    with pytest.raises(FaultError, match="sim status t --failures"):
        run(spec(**THREE), data=tmp_path)
    told = status("t", data=tmp_path)
    assert (told["state"], told["done"], told["failed"], told["open"]) == ("failed", 2, 1, 0)
    (failure,) = told["failures"]
    assert (failure["label"], failure["message"]) == ("sides=5 · plain", "ArithmeticError: a bug")
    ended, out, _ = cli("status", "t", "--failures")
    assert ended == 0
    assert "sides=5 · plain: ArithmeticError: a bug\nTraceback" in out
    assert 'raise ArithmeticError("a bug")' in out
    ended, out, _ = cli("status", "t", "--scenario", failure["scenario"][:6])
    assert "failed  label: sides=5 · plain" in out
    assert len(sim.load("t", data=tmp_path, partial=True)["scenario"].unique()) == 2
    failing.setattr("toy.ToyPlayable.play", lambda self, seed, first, games, out, scratch: out.fill(1))
    run(spec(**THREE), data=tmp_path)
    assert status("t", data=tmp_path)["failures"] == []
    assert "nothing failed" in cli("status", "t", "--failures")[1]
    _, out, _ = cli("status", "t", "--scenario", failure["scenario"], "--json")
    assert [event["event"] for event in json.loads(out)] == ["failed", "finished"]


def test_failure_of_a_run_is_over_when_the_scenario_finished_later_in_the_log(tmp_path: Path) -> None:
    lines = log.Log(tmp_path, "t")
    (tmp_path / "runs").mkdir()
    lines.begin(scenarios=2, open=2, games=20)
    lines.write("failed", scenario="aaaa", label="a", message="lost a process", traceback="")
    assert status("t", data=tmp_path)["state"] == "failed"
    lines.write("finished", scenario="aaaa", games=10)
    told = status("t", data=tmp_path)
    assert (told["state"], told["done"], told["failed"], told["open"]) == ("stopped", 1, 0, 1)
    lines.write("failed", scenario="bbbb", label="b", message="again", traceback="")
    lines.begin(scenarios=2, open=1, games=20)  # of another run: what failed before is open again
    assert status("t", data=tmp_path)["failed"] == 0


def test_running_sweep_is_told_with_rate_and_time_left(tmp_path: Path, cli: Any) -> None:
    given = spec(**THREE, games=400_000)
    given["variants"][0]["rules"] = {"nap": 0.02}
    (tmp_path / "t.yaml").write_text(yaml.safe_dump(given))
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    call = [sys.executable, str(ROOT / "tests" / "toy.py"), "sweep", str(tmp_path / "t.yaml"), "--data", str(tmp_path)]
    process = subprocess.Popen([*call, "--quiet"], env=environment, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 30
        while not any(log.read(tmp_path, "t")):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.05)
        assert status("t", data=tmp_path)["state"] == "running"
        log.Log(tmp_path, "t").write("progress", share=0.25, games=300_000, rate=150_000.0, left=6.0, done=0, failed=0)
        assert "progress: 25%, 300,000 games, 150.00 k games/s, about 6.0 s left" in cli("status", "t")[1]
        assert "running" in cli("status")[1]
        process.kill()  # without a word
        process.wait()
        told = status("t", data=tmp_path)
        assert told["state"] == "stopped"
        assert "outcome" not in told["run"]
        assert "killed before it could say so" in cli("status", "t")[1]
    finally:
        process.kill()
        process.wait()


def test_asking_does_not_get_in_the_way_of_a_run_that_begins(tmp_path: Path) -> None:
    with locked(tmp_path, "t"):
        assert is_running(tmp_path, "t")
    assert not is_running(tmp_path, "t")
    run(spec(), data=tmp_path)
    before = sorted(tmp_path.rglob("*"))
    status("t", data=tmp_path)
    assert sorted(tmp_path.rglob("*")) == before


def test_broken_log_line_is_passed_over_and_the_next_run_begins_on_a_line_of_its_own(tmp_path: Path) -> None:
    run(spec(**THREE, games=100), data=tmp_path)
    path = log.path_of(tmp_path, "t")
    with path.open("ab") as file:
        file.write(b'{"time": "2026-01-01T00:00:00.000+00:00", "event": "fini\xff')
    assert status("t", data=tmp_path)["state"] == "complete"
    run(spec(**THREE, games=200), data=tmp_path)
    assert [event["event"] for event in log.read(tmp_path, "t")].count("begin") == 2
    assert status("t", data=tmp_path)["games"] == 600


def test_what_ended_each_scenario_is_told(tmp_path: Path, cli: Any) -> None:
    given = spec(
        variants=[{"grid": {"sides": [4, 80]}}], games=20_000, until="half_width(mean score) <= 0.05 at 95 %", minutes=5
    )
    run(given, data=tmp_path)
    told = status("t", data=tmp_path)
    assert told["ended_by"] == {"games": 1, "precision": 1}
    assert (told["until"], told["minutes"]) == (["half_width(mean score) <= 0.05 at 95 %"], 5)
    assert "; ended: 1 by games, 1 by precision" in cli("status", "t")[1]
    assert [row["ended_by"] for row in json.loads(cli("ls", "t", "--json")[1])] == ["precision", "games"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("status", "nope"), "nothing is known of sweep 'nope' in"),
        (("status", "nope.yaml"), "cannot read sweep file nope.yaml"),
        (("status", "--failures"), "--failures and --scenario need a sweep"),
        (("status", "t", "--scenario", "zzzz"), "scenario 'zzzz' is not in the log of t"),
        (("ls", "nope"), "nothing is known of sweep 'nope' in"),
        (("sql", "nope", "SELECT 1"), "is not there"),
        (("sql", "t", "SELECT scroe FROM counts"), "query 'SELECT scroe FROM counts' is not accepted: Binder Error"),
        (("sql", "t", "SELEC 1"), "query 'SELEC 1' is not accepted: Parser Error"),
    ],
)
def test_wrong_question_is_one_line_and_status_2(
    tmp_path: Path, cli: Any, arguments: tuple[str, ...], message: str
) -> None:
    run(spec(games=100), data=tmp_path)
    ended, out, error = cli(*arguments)
    assert (ended, out, len(error.splitlines())) == (2, "", 1)
    assert error.startswith("sim: error: ")
    assert message in error
    assert "accepted" in error


def test_where_nothing_exists_it_is_said_in_one_line(tmp_path: Path, cli: Any) -> None:
    assert cli("status") == (0, f"no sweep in {tmp_path}\n", "")
    assert cli("ls") == (0, f"no sweep in {tmp_path}\n", "")
    for name in ("status", "ls"):
        assert command([name, "--data", str(tmp_path / "nowhere")]) == 2
    (tmp_path / "t.yaml").write_text(yaml.safe_dump(spec()))
    assert cli("status", str(tmp_path / "t.yaml"))[1].startswith("t: not begun; nothing was played")


# ----------------------------------------------------------------------------------------------------------------------
# What lies there


def test_sweeps_of_a_folder_are_listed_from_their_manifests(stopped: Path, cli: Any) -> None:
    run(spec(name="a", title="Other", detail="games", seed=3), data=stopped)
    (stopped / "a" / "stray.parquet").write_bytes(b"not ours, and not in the manifest")
    (stopped / "exact").mkdir()
    rows = {row["sweep"]: row for row in json.loads(cli("ls", "--json")[1])}
    assert sorted(rows) == ["a", "t"]
    size = sum(p.stat().st_size for p in (stopped / "a" / "games").rglob("*.parquet"))
    assert rows["a"] == {
        "sweep": "a",
        "game": "toy",
        "scenarios": 1,
        "games": 20_000,
        "bytes": size,
        "detail": "games",
        "seed": 3,
        "complete": True,
        "title": "Other",
    }
    assert rows["t"]["complete"] is False
    (listed,) = json.loads(cli("ls", "a", "--json")[1])
    assert listed["rows"] == {"games": 20_000}
    assert listed["label"] == "default · plain"
    assert listed["scenario"] in cli("ls", "a")[1]


def test_manifest_that_cannot_be_read_does_not_hide_the_others(tmp_path: Path, cli: Any) -> None:
    run(spec(games=100), data=tmp_path)
    shutil.copytree(tmp_path / "t", tmp_path / "broken")
    (tmp_path / "broken" / "manifest.json").write_text("{")
    rows = {row["sweep"]: row for row in json.loads(cli("ls", "--json")[1])}
    assert "cannot be read" in rows["broken"]["title"]
    assert rows["t"]["complete"]
    assert cli("ls")[0] == 0
    assert cli("status")[0] == 0


# ----------------------------------------------------------------------------------------------------------------------
# Lazy frames


@pytest.fixture
def both(tmp_path: Path) -> Path:
    """A sweep of counts with differences, and one of rows in several scenarios."""
    counted = {"variants": [{"one_factor": {"sides": [4, 8]}}], "pairs": [{"of": "score", "against": "base"}]}
    run(spec(**counted), data=tmp_path)
    run(spec(name="r", detail="games", games=3000, policies=[["plain", "add"]], **THREE), data=tmp_path)
    return tmp_path


WAYS: list[dict[str, Any]] = [
    {},
    {"where": {"sides": [4, 6], "score": [3, 4]}},
    {"where": {"score": 3}, "columns": ["score"]},
    {"where": (pl.col("sides") == 4) & (pl.col("score") > 2), "columns": ["label", "score", "scenario"]},
    {"where": pl.col("sides") == 6, "columns": ["seat0"]},
    {"columns": ["label"]},
]


@pytest.mark.parametrize("way", WAYS, ids=range(len(WAYS)))
@pytest.mark.parametrize("name", ["t", "r"])
def test_lazy_frame_collects_to_the_eager_one(both: Path, name: str, way: dict[str, Any]) -> None:
    lazy, eager = sim.load(name, data=both, lazy=True, **way), sim.load(name, data=both, **way)
    assert isinstance(lazy, pl.LazyFrame)
    assert eager.height
    assert lazy.collect().equals(eager)
    assert lazy.collect().schema == eager.schema  # the register's dtypes


def test_lazy_frame_of_differences_is_the_eager_one(both: Path) -> None:
    way: dict[str, Any] = {"table": "differences", "data": both, "where": {"difference": [0, 1]}}
    eager = sim.load("t", **way)
    assert sorted(eager["difference"].unique()) == [0.0, 1.0]  # whole numbers are found among real ones
    assert sim.load("t", lazy=True, **way).collect().equals(eager)


def test_lazy_frame_reads_only_what_is_asked_of_it(both: Path) -> None:
    plan = sim.load("r", data=both, lazy=True).filter(pl.col("score") == 3).select("score").explain()
    assert 'SELECTION: col("score") == 3' in plan  # the condition is in the scan
    assert "PROJECT 1/6 COLUMNS" in plan  # that column of the table, and the name of the file
    plan = sim.load("r", data=both, lazy=True, where={"sides": 4}).explain()
    assert "other sources" not in plan  # files of scenarios that do not fit are not opened


def test_lazy_frame_checks_files_before_anything_is_read(both: Path) -> None:
    for name, value in {"lazy with frame": {"frame": "pandas"}, "unknown column": {"columns": ["scroe"]}}.items():
        with pytest.raises(InputError, match=name):
            sim.load("t", data=both, lazy=True, **value)
    path = next((both / "t" / "counts").rglob("*.parquet"))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(StoreError, match="is damaged"):
        sim.load("t", data=both, lazy=True)


@pytest.mark.parametrize("lazy", [False, True])
def test_data_of_another_schema_version_are_refused_when_they_are_loaded(both: Path, lazy: bool) -> None:
    path = next((both / "t" / "counts").rglob("*.parquet"))
    table = pq.read_table(path)
    kept = pq.read_metadata(path).metadata
    record = {**json.loads(kept[PROVENANCE_KEY]), "schema_version": 999}
    pq.write_table(table.replace_schema_metadata({**kept, PROVENANCE_KEY: json.dumps(record).encode()}), path)
    with pytest.raises(StoreError, match=r"has schema version 999; accepted: \d+ \(run the sweep again\)"):
        sim.load("t", data=both, lazy=lazy)


@pytest.mark.parametrize(
    ("text", "message"), [("{", "cannot be read"), ("[]", "is not a manifest"), ('{"a": 1}', "is not a manifest")]
)
def test_manifest_that_is_none_is_refused_when_it_is_loaded(both: Path, text: str, message: str) -> None:
    (both / "t" / "manifest.json").write_text(text)
    with pytest.raises(StoreError, match=f"{message}.*; accepted: a manifest"):
        sim.load("t", data=both)


def test_sweep_of_which_nothing_is_finished_says_so(tmp_path: Path, failing: pytest.MonkeyPatch) -> None:
    with pytest.raises(FaultError):
        run(spec(variants=[{"rules": {"sides": 5}}]), data=tmp_path)
    with pytest.raises(StoreError, match=r"no scenario of .* is finished yet; accepted"):
        sim.load("t", data=tmp_path, partial=True)
    assert sim.scenarios("t", data=tmp_path, partial=True).is_empty()


# ----------------------------------------------------------------------------------------------------------------------
# SQL


def test_sql_prints_the_answer(both: Path, cli: Any) -> None:
    pytest.importorskip("duckdb")
    query = (
        "SELECT sides, sum(count) AS n, sum(count * score) AS total FROM counts JOIN scenarios USING (scenario) "
        "GROUP BY 1 ORDER BY 1"
    )
    ended, out, _ = cli("sql", "t", query, "--json")
    assert ended == 0
    found = json.loads(out)
    frame = sim.load("t", data=both, columns=["sides", "score", "count"])
    assert [row["sides"] for row in found] == [4, 6, 8]
    for row in found:
        part = frame.filter(pl.col("sides") == row["sides"])
        assert row["n"] == 20_000
        assert row["total"] == (part["score"].cast(pl.Int64) * part["count"]).sum()
    assert cli("sql", "t", query)[1].splitlines()[0].split() == ["sides", "n", "total"]
    assert cli("sql", "t", query)[1].splitlines()[-1] == "3 rows"
