"""Back ends of a sweep: threads, processes and a dask cluster leave the same bytes, whoever dies on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from folders import content, wait_for

import sim
from sim.errors import FaultError, StoreError, SweepError
from sim.games import get
from sim.sweep import jobs, log, streams
from sim.sweep.backends import RETRIES, choose, processes
from sim.sweep.groups import groups
from sim.sweep.jobs import Done, Job
from sim.sweep.plan import plan
from sim.sweep.run import run
from sim.sweep.streams import package

PLUGIN = """
import sim

@sim.policy("karolinchen")
def last(position, cards, n, params, u):
    "Takes the last card."
    return n - 1
"""

BASE: dict[str, Any] = {
    "name": "t",
    "game": "karolinchen",
    "seed": 7,
    "games": 30_000,
    "policies": [["random", "match"]],
}


def spec(**more: Any) -> dict[str, Any]:
    return {**BASE, **more}


@pytest.fixture(scope="module", autouse=True)
def _forget_policies() -> Iterator[None]:
    """Policies of a user's file are known until here."""
    known = get("karolinchen").policies
    before = dict(known.entries)
    yield
    known.entries = before


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """A sweep of counts with comparisons and a user's policy, and one of rows."""
    plugin = tmp_path_factory.mktemp("policies") / "mine.py"
    plugin.write_text(PLUGIN)
    counted = spec(
        plugins=[str(plugin)],
        policies=[["random", "match"], ["last", "random"]],
        variants=[{"one_factor": {"opening": ["own_roll"]}}],
        pairs=[{"of": "win", "seats": [0, 1]}, {"of": "turns", "against": "base"}],
        by=["turns", "win"],
    )
    return {"summary": counted, "games": spec(detail="games", policies=[["random", "match"], ["match"] * 3])}


@pytest.fixture(scope="module")
def whole(given: dict[str, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, bytes]]:
    """What one thread leaves, by detail."""
    data = tmp_path_factory.mktemp("whole")
    return {d: content(run(s, backend="sequential", data=data / d).folder) for d, s in given.items()}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A dask scheduler and three workers, each a process of its own in a folder of its own."""
    pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("cluster")
    file = folder / "scheduler.json"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def start(module: str, name: str, *more: str) -> subprocess.Popen[bytes]:
        (folder / name).mkdir()
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--scheduler-file", str(file), *more]
        return subprocess.Popen(
            command, cwd=folder / name, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    head = start("dask_scheduler", "head", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-jupyter")
    wait_for(file.exists)
    workers = [start("dask_worker", f"w{i}", "--no-nanny", "--nthreads", "1", "--no-dashboard") for i in range(3)]
    try:
        yield json.loads(file.read_text())["address"], workers
    finally:
        for process in [*workers, head]:
            process.kill()
            process.wait()


def test_processes_leave_the_same_bytes(
    tmp_path: Path, given: dict[str, dict[str, Any]], whole: dict[str, dict[str, bytes]]
) -> None:
    for detail, sweep in given.items():
        assert content(run(sweep, backend="loky", workers=2, data=tmp_path).folder) == whole[detail]
        (tmp_path / "t").rename(tmp_path / detail)


def test_cluster_leaves_the_same_bytes_though_a_worker_is_killed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    given: dict[str, dict[str, Any]],
    whole: dict[str, dict[str, bytes]],
    cluster: tuple[str, list[subprocess.Popen[bytes]]],
) -> None:
    address, workers = cluster
    monkeypatch.chdir(tmp_path)  # a relative data folder means the caller's, whatever the workers' own folder is
    assert content(run(given["games"], backend="dask", scheduler=address, data="rows").folder) == whole["games"]
    monkeypatch.setattr(streams, "JOB_SECONDS", 0.01)
    finished: list[Job] = []
    take = streams.CountStream.take

    def counted(self: Any, job: Job, done: Done) -> None:
        finished.append(job)
        if len(finished) == 3:
            os.kill(int(done.worker.rpartition(":")[2]), signal.SIGKILL)
        take(self, job, done)

    monkeypatch.setattr(streams.CountStream, "take", counted)
    result = run(given["summary"], backend="dask", scheduler=address, data="counts")
    assert content(result.folder) == whole["summary"]
    wait_for(lambda: sum(process.poll() is not None for process in workers) == 1)
    assert len(finished) > 10


def test_process_that_dies_is_replaced_and_its_games_are_played_again(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    given: dict[str, dict[str, Any]],
    whole: dict[str, dict[str, bytes]],
) -> None:
    monkeypatch.setattr(streams, "JOB_SECONDS", 0.01)
    killed: list[int] = []
    take = streams.CountStream.take

    def counted(self: Any, job: Job, done: Done) -> None:
        if not killed:
            killed.append(int(done.worker.rpartition(":")[2]))
            os.kill(killed[0], signal.SIGKILL)
        take(self, job, done)

    monkeypatch.setattr(streams.CountStream, "take", counted)
    assert content(run(given["summary"], backend="loky", workers=2, data=tmp_path).folder) == whole["summary"]
    assert killed


@pytest.mark.deep
def test_scenario_that_kills_its_workers_is_given_up_and_the_others_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = spec(variants=[{"grid": {"max_turns": [100, 200, 300]}}], games=2_000)
    bad = plan(sweep).cells[1].id
    real = jobs.perform

    def perform(job: Job) -> Done:
        if bad in job.members:
            os._exit(1)
        return real(job)

    monkeypatch.setattr(processes, "perform", perform)
    with pytest.raises(FaultError, match=rf"1 of 3 .*max_turns=200.*: the worker process died {RETRIES + 1} times"):
        run(sweep, backend="loky", workers=2, data=tmp_path)
    assert len(list((tmp_path / "t").rglob("counts.parquet"))) == 2
    failed = [line for line in log.read(tmp_path, "t") if line["event"] == "failed"]
    assert [line["scenario"] for line in failed] == [bad]
    monkeypatch.undo()
    assert run(sweep, data=tmp_path).played == 2_000


def test_worker_with_other_code_refuses() -> None:
    planned = plan(spec())
    work, _ = package(groups(planned.cells)[0], planned)
    job = Job(replace(work, stamp="kernel sources 000000000000"), 1, 0, 10, (planned.cells[0].id,))
    (failure,) = jobs.perform(job).failures.values()
    assert "the sweep was started with kernel sources 000000000000; accepted: the same code" in failure.message
    twisted = replace(work, sides=tuple(replace(side, id="000000000000") for side in work.sides))
    (failure,) = jobs.perform(Job(twisted, 2, 0, 10, ("000000000000",))).failures.values()
    assert "where 000000000000 was asked for" in failure.message


def test_job_travels_as_plain_data(given: dict[str, dict[str, Any]]) -> None:
    import pickle

    planned = plan(given["summary"])
    group = groups(planned.cells)[0]
    work, _ = package(group, planned)
    ids = tuple(cell.id for cell in group.cells)
    job = pickle.loads(pickle.dumps(Job(work, 1, 5, 1_000, ids)))
    here = jobs.perform(job)
    assert not here.failures
    assert {id: int(t["counts"]["count"].sum()) for id, t in here.tables.items()} == dict.fromkeys(ids, 2_000)
    assert len(pickle.dumps(job)) < 20_000


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"backend": "ray"}, "unknown backend 'ray'; accepted: threads, sequential, loky, dask"),
        ({"backend": "loky", "scheduler": "tcp://h:1"}, "scheduler = 'tcp://h:1' with backend = loky"),
        ({"workers": 0}, "workers = 0 is not accepted"),
        ({"max_failures": -1}, "max_failures = -1 is not accepted"),
    ],
)
def test_wrong_call_is_one_line(tmp_path: Path, more: dict[str, Any], message: str) -> None:
    with pytest.raises(sim.errors.SimError, match=message) as caught:
        run(spec(), data=tmp_path, **more)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "t").exists()


def test_nobody_at_the_address_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("sim.sweep.backends.cluster.PATIENCE", 0.3)
    with pytest.raises(SweepError, match=r"no dask scheduler with workers at tcp://127.0.0.1:9"):
        choose("dask", 1, "tcp://127.0.0.1:9")


@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_library_that_is_not_installed_is_one_line(monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    monkeypatch.setitem(sys.modules, "loky", None)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SweepError, match=f"backend = {backend} needs .*; accepted: pip install"):
        choose(backend, 2)


def test_failures_beyond_the_limit_end_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(job: Job) -> Done:
        raised = ArithmeticError("a bug")
        return Done(job.number, failures={id: jobs.failure(raised) for id in job.members})

    monkeypatch.setattr("sim.sweep.backends.local.perform", broken)
    sweep = spec(variants=[{"grid": {"max_turns": list(range(100, 120))}}])
    with pytest.raises(FaultError, match=r"of 20 scenarios failed, gave up after more than 2; first: .*a bug"):
        run(sweep, data=tmp_path, max_failures=2)
    assert 3 <= sum(line["event"] == "failed" for line in log.read(tmp_path, "t")) < 10
    assert threading.active_count() < 20


def test_full_disk_of_a_worker_stops_the_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(job: Job) -> Done:
        return Done(job.number, storage="cannot write x: No space left on device; accepted: a folder with room")

    monkeypatch.setattr("sim.sweep.backends.local.perform", full)
    with pytest.raises(StoreError, match="No space left on device"):
        run(spec(detail="games"), data=tmp_path)


@pytest.mark.deep
@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_ctrl_c_on_a_terminal_reaches_workers_too_and_still_ends_cleanly(tmp_path: Path, backend: str) -> None:
    given = spec(games=3_000_000, policies=[["random", "random"]])
    (tmp_path / "t.yaml").write_text(json.dumps(given))
    command = [sys.executable, "-c", "from sim.cli import main; main()", "sweep", str(tmp_path / "t.yaml")]
    command += ["--data", str(tmp_path / "data"), "--workers", "2", "--backend", backend]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_for(lambda: any(line["event"] == "progress" for line in log.read(tmp_path / "data", "t")))
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "goes on from here" in said.splitlines()[-1]
    assert run(given, data=tmp_path / "data").reused > 0
