"""What a worker does: play some games of some scenarios, and count them or write them to a file.

A job is plain data. A worker of the same process finds the compiled scenarios ready; one of another process, perhaps
on another machine, builds them again from the text of the rules and policies, and refuses if its code or libraries
are not those of the caller. A worker never sends rows back: it writes them to the shared folder itself, or returns
counts.
"""

from __future__ import annotations

import os
import platform
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sim.engine.simulate import BLOCK, Worker, blocks
from sim.errors import FaultError, PolicyError, StoreError
from sim.games.base import Playable, Recorder, Scenario
from sim.store.columns import Arrays, Rows
from sim.store.parquet import write_table
from sim.store.provenance import code_stamp
from sim.sweep import rounds
from sim.sweep.counting import Pair, ScenarioCounts, Table
from sim.sweep.rowkind import RowKind

#: groups of scenarios that a worker process keeps compiled
KEPT = 8


@dataclass(frozen=True)
class Side:
    """A scenario as plain data, and what is compared with it."""

    id: str
    label: str
    rules: Mapping[str, Any]
    policies: tuple[Mapping[str, Any], ...]
    pairs: tuple[tuple[str, tuple[int, ...], str, str | None], ...] = ()


@dataclass(frozen=True)
class Work:
    """What the jobs of a group of scenarios have in common."""

    key: str
    game: str
    seed: int
    by: tuple[str, ...]
    sides: tuple[Side, ...]
    plugins: tuple[str, ...]
    stamp: str
    rows: RowKind = field(default_factory=RowKind)


@dataclass(frozen=True)
class Job:
    """Some games of some scenarios of a group.

    Attributes
    ----------
    work : Work
    number : int
        Unlike that of any other job of the run.
    first, games : int
        Games `first` … `first + games − 1`, counted from game 0 of the seed.
    members : tuple of str
        Scenarios to be counted, or the one whose rows are written.
    path : str, optional
        File for the rows, absolute; None: count.
    record : mapping, optional
        Provenance of that file.
    """

    work: Work
    number: int
    first: int
    games: int
    members: tuple[str, ...]
    path: str | None = None
    record: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Failure:
    """Why a scenario could not be played."""

    message: str
    trace: str


@dataclass
class Done:
    """What became of a job.

    Attributes
    ----------
    number : int
    seconds : float
        Time it took on one core.
    tables : dict
        Counts by scenario.
    failures : dict
        What went wrong, by scenario.
    storage : str
        Why a file could not be written; empty where all went well.
    worker : str
        Who did it.
    """

    number: int
    seconds: float = 0.0
    tables: dict[str, Table] = field(default_factory=dict)
    failures: dict[str, Failure] = field(default_factory=dict)
    storage: str = ""
    worker: str = ""


class Opened:
    """The scenarios of a group, ready to be played."""

    def __init__(self, scenarios: Mapping[str, Scenario], pairs: Mapping[str, list[Pair]]) -> None:
        self.scenarios = dict(scenarios)
        self.pairs = dict(pairs)
        self.playables: dict[str, Playable] = {id: s.game.compile(s.rules, s.policies) for id, s in scenarios.items()}
        self._recorders: dict[str, Recorder] = {}
        self._lock = threading.Lock()

    def recorder(self, id: str, kind: RowKind) -> Recorder:
        """What tells a scenario's rounds; made when first asked for, because it may have to solve."""
        with self._lock:
            if id not in self._recorders:
                self._recorders[id] = rounds.recorder(self.scenarios[id], kind.regret)
            return self._recorders[id]


_opened: OrderedDict[str, Opened] = OrderedDict()
_own = threading.local()
_lock = threading.Lock()


def offer(work: Work, opened: Opened) -> None:
    """Let the workers of this process have a group as it is."""
    with _lock:
        _opened[work.key] = opened


def withdraw(work: Work) -> None:
    """Forget a group."""
    with _lock:
        _opened.pop(work.key, None)


def describe(scenario: Scenario, pairs: list[Pair] | None = None) -> Side:
    """A scenario as plain data."""
    return Side(
        scenario.id,
        scenario.label,
        scenario.rules.model_dump(mode="json"),
        tuple({"id": p.id, **p.parameters()} for p in scenario.policies),
        tuple((p.of, p.seats, p.label, None if p.against is None else p.against.id) for p in pairs or ()),
    )


def _open(work: Work) -> Opened:
    with _lock:
        found = _opened.get(work.key)
        if found is not None:
            _opened.move_to_end(work.key)
            return found
    made = _build(work)
    with _lock:
        _opened[work.key] = made
        while len(_opened) > KEPT:
            _opened.popitem(last=False)
    return made


def _build(work: Work) -> Opened:
    from sim.games import get, own

    for plugin in work.plugins:
        own.load(plugin)
    game = get(work.game)
    mine = code_stamp(work.game)
    if mine != work.stamp:
        raise FaultError(
            f"worker {_name()} has {mine}, the sweep was started with {work.stamp}; accepted: the same code and "
            "libraries on every machine"
        )
    scenarios = {}
    for side in work.sides:
        try:
            scenarios[side.id] = game.scenario(side.rules, side.policies, side.label)
        except PolicyError as error:
            raise FaultError(
                f"worker {_name()} cannot play {side.label}: {error} (a policy of your own has to stand in a file)"
            ) from None
        if scenarios[side.id].id != side.id:
            raise FaultError(
                f"worker {_name()} builds scenario {scenarios[side.id].id} where {side.id} was asked for"
                "; accepted: the same code and plugin files on every machine"
            )
    pairs = {
        side.id: [
            Pair(of, seats, label, None if other is None else scenarios[other])
            for of, seats, label, other in side.pairs
        ]
        for side in work.sides
    }
    return Opened(scenarios, pairs)


def _name() -> str:
    return f"{platform.node()}:{os.getpid()}"


class _Room:
    """One thread's memory for one group: scratch, output, counters."""

    def __init__(self, key: str, opened: Opened, size: int) -> None:
        self.key = key
        self.opened = opened
        self.size = size
        self.workers: dict[str, Worker] = {}

    def play(self, id: str, seed: int, first: int, games: int) -> np.ndarray:
        worker = self.workers.get(id)
        if worker is None:
            worker = self.workers[id] = Worker([self.opened.playables[id]], self.size)
        return worker.play(seed, first, games)[0]


def _room(work: Work, opened: Opened, size: int) -> _Room:
    room: _Room | None = getattr(_own, "room", None)
    if room is None or room.opened is not opened or room.size < size:
        room = _own.room = _Room(work.key, opened, size)
    return room


def perform(job: Job) -> Done:
    """Do a job; whatever goes wrong is told in the result, never raised."""
    begun = time.thread_time()
    result = Done(job.number, worker=_name())
    try:
        opened = _open(job.work)
        if job.path is None:
            _count(job, opened, result)
        else:
            _write(job, opened)
    except StoreError as error:
        result.storage = str(error)
    except Exception as error:
        for id in job.members:
            result.failures[id] = failure(error)
    result.seconds = time.thread_time() - begun
    return result


def failure(error: BaseException) -> Failure:
    """An error as plain data."""
    text = str(error) if isinstance(error, FaultError | PolicyError) else f"{type(error).__name__}: {error}"
    return Failure(text, "".join(traceback.format_exception(error)))


def _count(job: Job, opened: Opened, result: Done) -> None:
    """Count the members of a job; one that fails leaves the others as they are."""
    needed = dict.fromkeys(job.members)
    for id in job.members:
        needed |= dict.fromkeys(p.against.id for p in opened.pairs[id] if p.against is not None)
    states = {
        id: ScenarioCounts(opened.playables[id], job.work.by, opened.pairs[id], opened.playables) for id in job.members
    }
    room = _room(job.work, opened, min(BLOCK, job.games))
    broken: dict[str, Failure] = {}
    for first, games in blocks(job.first, job.games):
        outs: dict[str, np.ndarray] = {}
        for id in needed:
            if id in broken:
                continue
            try:
                outs[id] = room.play(id, job.work.seed, first, games)
            except Exception as error:
                broken[id] = failure(error)
        for id in list(states):
            sides = [id, *(p.against.id for p in opened.pairs[id] if p.against is not None)]
            bad = [side for side in sides if side in broken]
            try:
                if not bad:
                    states[id].add(outs[id], outs)
            except Exception as error:
                bad, broken[id] = [id], failure(error)
            if bad:
                result.failures[id] = broken[bad[0]]
                del states[id]
        if not states:
            break
    result.tables = {id: state.tables() for id, state in states.items()}


def _write(job: Job, opened: Opened) -> None:
    """Write the rows of the one member of a job."""
    (id,) = job.members
    scenario, kind = opened.scenarios[id], job.work.rows
    assert job.path is not None
    assert job.record is not None
    if kind.table == "rounds":
        arrays = rounds.play(
            scenario,
            opened.recorder(id, kind),
            seed=job.work.seed,
            first=job.first,
            games=job.games,
            regret=kind.regret,
        )
    else:
        arrays = _results(job, opened, id)
    write_table(Path(job.path), kind.columns(scenario), dict(job.record), arrays)


def _results(job: Job, opened: Opened, id: str) -> Arrays:
    """One row per seat per game."""
    playable = opened.playables[id]
    rows = Rows(playable.fields, playable.seats, job.first, job.games)
    room = _room(job.work, opened, min(BLOCK, job.games))
    for first, games in blocks(job.first, job.games):
        rows.place(first, games, room.play(id, job.work.seed, first, games))
    return rows.filled()
