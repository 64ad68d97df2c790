"""Hands jobs to a back end and results to whom they belong, until all is played, time is up or somebody says stop."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sim.errors import DiskError, StoreError
from sim.sweep.backends import Backend
from sim.sweep.groups import groups
from sim.sweep.jobs import Done, Failure, Job
from sim.sweep.log import Log
from sim.sweep.members import Member
from sim.sweep.plan import Cell, Plan
from sim.sweep.progress import Progress, duration, rate
from sim.sweep.streams import CountStream, RowStream, Stream

#: seconds between two lines of progress in the log
EVERY = 10.0

#: seconds that jobs which are out may take to end after a stop; what is not back by then is played again later
GRACE = 30.0


@dataclass(frozen=True)
class Outcome:
    """How a run of the schedule ended.

    Attributes
    ----------
    played : int
        Games recorded now.
    failures : list of (Cell, Failure)
    stopped : bool
        Somebody asked to stop before the end.
    gave_up : bool
        More scenarios failed than are allowed.
    """

    played: int
    failures: list[tuple[Cell, Failure]]
    stopped: bool
    gave_up: bool

    def ending(self) -> str:
        """Why it is not complete, in a word for the run record."""
        if self.stopped:
            return "stopped"
        return "fault" if self.failures else "unfinished"


class Watch:
    """Told by the streams what happens; keeps progress, log and the list of failures."""

    def __init__(self, plan: Plan, weight: Mapping[str, float], bar: Progress, log: Log) -> None:
        self.plan = plan
        self.weight = weight
        self.bar = bar
        self.log = log
        self.done = 0
        self.failures: list[tuple[Cell, Failure]] = []
        self.told = time.monotonic()

    def restored(self, cell: Cell, games: int) -> None:
        self.bar.work -= games * self.weight[cell.id]
        self.log.write("restored", scenario=cell.id, games=games)

    def recorded(self, cell: Cell, games: int) -> None:
        self.bar.advance(games, games * self.weight[cell.id])
        now = time.monotonic()
        if now - self.told >= EVERY:
            self.told = now
            self.log.write("progress", **self.bar.state(now))

    def finished(self, cell: Cell, games: int) -> None:
        self.done += 1
        self.bar.scenarios = (self.done, len(self.failures))
        self.bar.work -= (cell.games - games) * self.weight[cell.id]  # it needed fewer than it might have
        self.log.write("finished", scenario=cell.id, games=games)

    def failed(self, cell: Cell, failure: Failure) -> None:
        self.failures.append((cell, failure))
        self.bar.scenarios = (self.done, len(self.failures))
        self.log.write(
            "failed", scenario=cell.id, label=cell.scenario.label, message=failure.message, traceback=failure.trace
        )
        self.bar.say(f"{self.plan.name}: failed: {cell.scenario.label}: {failure.message}")


def streams(
    plan: Plan, todo: list[Cell], folder: Path, weight: Mapping[str, float], lanes: int, watch: Watch
) -> Iterator[Stream]:
    """The streams of all that is missing, one at a time, in the order of the plan."""
    for group in groups(todo):
        if plan.rows is not None:
            for cell in group.cells:
                yield RowStream(cell, plan, folder, watch)
        else:
            members = [Member(cell, plan, folder) for cell in group.cells]
            seconds = sum(weight[cell.id] for cell in group.cells)
            yield CountStream(group, plan, members, seconds, lanes, watch)


def play(
    plan: Plan,
    todo: list[Cell],
    folder: Path,
    backend: Backend,
    weight: Mapping[str, float],
    watch: Watch,
    *,
    stop: Callable[[], bool],
    max_failures: int | None = None,
) -> Outcome:
    """Play the cells of a plan that are not finished.

    Parameters
    ----------
    plan : Plan
    todo : list of Cell
    folder : Path
        The folder of the sweep.
    backend : Backend
    weight : mapping
        Expected seconds of one core per game, by scenario.
    watch : Watch
    stop : callable
        Asked between jobs.
    max_failures : int, optional
        Give up after more failing scenarios than this.

    Raises
    ------
    StoreError
        A file cannot be written: the others would fail too.
    """
    begun = time.monotonic()
    limit = None if plan.spec.minutes is None else 60 * plan.spec.minutes
    source = _Source(plan, streams(plan, todo, folder, weight, backend.lanes, watch), backend.lanes)
    gave_up = False
    patience = math.inf  # once somebody has asked to stop, jobs that are out are not awaited for ever

    def over() -> bool:
        return limit is not None and time.monotonic() - begun >= limit

    try:
        while True:
            while not (stop() or gave_up or over()) and len(source.owner) < backend.capacity:
                job = source.next()
                if job is None:
                    break
                backend.submit(job)
            if stop() and patience == math.inf:
                patience = time.monotonic() + GRACE
            if not source.owner or time.monotonic() > patience:
                break
            for job, done in backend.wait():
                if done.storage:
                    raise DiskError(done.storage)
                source.take(job, done)
                gave_up = max_failures is not None and len(watch.failures) > max_failures
        source.close(settle=over() and not stop() and not gave_up)
    except BaseException:
        with contextlib.suppress(StoreError):  # a full disk has said so already
            source.close()
        raise
    watch.log.write("progress", **watch.bar.state(time.monotonic()))
    return Outcome(watch.bar.games, watch.failures, stop(), gave_up)


class _Source:
    """The streams that are open, and whose job is whose."""

    def __init__(self, plan: Plan, waiting: Iterator[Stream], lanes: int) -> None:
        self.owner: dict[int, Stream] = {}
        self._waiting = waiting
        self._open: list[Stream] = []
        self._fair = plan.spec.minutes is not None  # under a limit of time everybody gets a share
        self._most = len(plan.cells) if self._fair else 2 * lanes + 1

    def next(self) -> Job | None:
        """A job, or None while all open streams wait for results, or when nothing is left."""
        while self._fair and self._begin() is not None:
            pass
        if self._fair:
            self._open.sort(key=lambda stream: stream.games())
        for stream in self._open:
            job = stream.next()
            if job is not None:
                self.owner[job.number] = stream
                return job
        while len(self._open) < self._most:
            fresh = self._begin()
            if fresh is None:
                return None
            job = fresh.next()
            if job is not None:
                self.owner[job.number] = fresh
                return job
        return None

    def _begin(self) -> Stream | None:
        stream = next(self._waiting, None)
        if stream is not None:
            self._open.append(stream)
            stream.begin()
            self._drop(stream)
        return stream

    def _drop(self, stream: Stream) -> None:
        if stream.finished():
            self._open.remove(stream)
            stream.end()

    def take(self, job: Job, done: Done) -> None:
        """Hand a result to its stream."""
        stream = self.owner.pop(job.number)
        stream.take(job, done)
        self._drop(stream)

    def close(self, *, settle: bool = False) -> None:
        """End every open stream, also after an error of one of them, which is raised in the end."""
        error: StoreError | None = None
        for stream in self._open:
            try:
                stream.end(settle=settle)
            except StoreError as found:
                error = found
        self._open = []
        if error is not None:
            raise error


def closing(plan: Plan, scenarios: int, bar: Progress) -> str:
    """One line about the whole run."""
    seconds = time.monotonic() - bar.begun
    return f"{plan.name}: {scenarios} scenarios, {bar.games:,} games, {rate(bar.games, seconds)}, {duration(seconds)}"
