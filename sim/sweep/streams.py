"""Where jobs come from: one stream per group of scenarios gives out games in order and takes results in any order.

Which games a job holds decides nothing: counts are sums, and every file of rows holds the same games whoever wrote it.
So jobs can be cut to last about as long as is handy.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from sim.engine.simulate import BLOCK, blocks
from sim.errors import StoreError
from sim.store.load import Footer, read_footer
from sim.store.provenance import code_stamp
from sim.sweep.groups import Group
from sim.sweep.jobs import Done, Failure, Job, Opened, Work, describe, offer, withdraw
from sim.sweep.members import Member
from sim.sweep.plan import Cell, Plan
from sim.sweep.precision import limits, met
from sim.sweep.rowkind import RowKind

#: about how long a job should take, in seconds of one core
JOB_SECONDS = 0.4

#: workers from which on jobs last longer, so that the caller has no more than some hundred results a second to take
CROWD = 64

#: seconds between two checkpoints
INTERVAL = 10.0

_numbers = itertools.count()


class Events(Protocol):
    """Who wants to know what happens to scenarios."""

    def restored(self, cell: Cell, games: int) -> None: ...
    def recorded(self, cell: Cell, games: int) -> None: ...
    def finished(self, cell: Cell, games: int) -> None: ...
    def failed(self, cell: Cell, failure: Failure) -> None: ...


class _Nobody:
    """Hears nothing."""

    def restored(self, cell: Cell, games: int) -> None: ...
    def recorded(self, cell: Cell, games: int) -> None: ...
    def finished(self, cell: Cell, games: int) -> None: ...
    def failed(self, cell: Cell, failure: Failure) -> None: ...


NOBODY = _Nobody()


def package(group: Group, plan: Plan) -> tuple[Work, Opened]:
    """What the jobs of a group have in common, as plain data and ready to be played."""
    scenarios = {cell.id: cell.scenario for cell in group.cells} | group.others
    pairs = {cell.id: cell.pairs for cell in group.cells}
    opened = Opened(scenarios, {id: pairs.get(id, []) for id in scenarios})
    sides = tuple(describe(scenario, pairs.get(id)) for id, scenario in scenarios.items())
    codes = [p.info.code for s in scenarios.values() for p in s.policies if p.info.code is not None]
    plugins = dict.fromkeys(str(Path(code.where.rpartition(":")[0]).resolve()) for code in codes)
    game = plan.game.name
    key = f"{plan.name}-{plan.spec.seed}-{'-'.join(scenarios)}-{next(_numbers)}"
    files = tuple(name for name in plugins if Path(name).is_file())
    return Work(
        key, game, plan.spec.seed, tuple(plan.by), sides, files, code_stamp(game), plan.rows or RowKind()
    ), opened


class Stream(Protocol):
    """Jobs of one group."""

    def begin(self) -> None:
        """Look what is there already, and get ready."""

    def next(self) -> Job | None:
        """The next job, or None: all is given out, or results are awaited first."""

    def take(self, job: Job, done: Done) -> None:
        """Use the result of a job."""

    def games(self) -> int:
        """Games given out, of the scenario that had fewest."""

    def finished(self) -> bool:
        """Whether nothing is left to be given out or awaited."""

    def end(self, *, settle: bool = False) -> None:
        """Keep what is unfinished for a later run, or with `settle` make it the result; then forget everything."""


class CountStream:
    """Exact counts of scenarios that are played side by side.

    Parameters
    ----------
    group : Group
    plan : Plan
    members : sequence of Member
    seconds : float
        Expected seconds of one core for one game of every scenario.
    lanes : int
        Jobs that can be done at once.
    events : Events
    """

    def __init__(
        self, group: Group, plan: Plan, members: Sequence[Member], seconds: float, lanes: int, events: Events
    ) -> None:
        self.group = group
        self.plan = plan
        self.members = {member.cell.id: member for member in members}
        self.seconds = seconds
        self.lanes = lanes
        self.events = events
        self.open: dict[int, Job] = {}
        self.saved = time.monotonic()
        self.work: Work | None = None

    def begin(self) -> None:
        self.work, opened = package(self.group, self.plan)
        offer(self.work, opened)
        for member in self.members.values():
            member.restore()
            if member.done:
                self.events.restored(member.cell, member.done)
            self._aim(member)
            self._look(member)

    def _aim(self, member: Member) -> None:
        """The number of games at which the member is looked at next."""
        member.target = next((n for n in self.plan.looks(member.games) if n >= max(member.done, 1)), member.games)

    def _look(self, member: Member) -> None:
        """Finish a member that has all its games, or enough of them."""
        while member.done == member.target and not member.finished and not member.failed:
            looks = self.plan.looks(member.games)
            enough = member.done == member.games
            if not enough and self.plan.conditions:
                known = limits(member.cell.scenario, member.cell.pairs)
                enough = met(self.plan.conditions, member.tables(), looks, looks.index(member.target), known)
            if enough:
                games = member.done
                member.finish()
                self.events.finished(member.cell, games)
            else:
                member.target = looks[looks.index(member.target) + 1]

    def next(self) -> Job | None:
        waiting = [m for m in self.members.values() if m.issued < m.target and not m.finished and not m.failed]
        if not waiting:
            return None
        start = min(m.issued for m in waiting)
        active = [m for m in waiting if m.issued == start]
        ahead = [m.issued for m in waiting if m.issued > start]
        end = min([start + self._stretch(min(m.target for m in active) - start), *ahead, *(m.target for m in active)])
        assert self.work is not None
        ids = tuple(m.cell.id for m in active)
        job = Job(self.work, next(_numbers), self.plan.spec.first_game + start, end - start, ids)
        for member in active:
            member.issued = end
        self.open[job.number] = job
        return job

    def _stretch(self, left: int) -> int:
        """Games of one job: long enough to hide its cost, short enough to share what is left among all."""
        # thousands of workers would ask for thousands of jobs a second: theirs are longer
        games = JOB_SECONDS * max(1.0, self.lanes / CROWD) / max(self.seconds, 1e-9)
        games = min(games, left / self.lanes) if left > self.lanes * BLOCK else min(games, left)
        return int(games) // BLOCK * BLOCK if games >= BLOCK else max(1, int(games))

    def take(self, job: Job, done: Done) -> None:
        del self.open[job.number]
        self.seconds += 0.5 * (done.seconds / job.games - self.seconds) if done.seconds else 0.0
        for id in job.members:
            member = self.members[id]
            if member.failed:
                continue
            if id in done.failures:
                member.fail()
                self.events.failed(member.cell, done.failures[id])
            else:
                member.add(job.first - self.plan.spec.first_game, job.games, done.tables[id])
                self.events.recorded(member.cell, job.games)
                self._look(member)
        if time.monotonic() - self.saved >= INTERVAL:
            self._save()

    def _save(self) -> None:
        for member in self.members.values():
            if not member.failed:
                member.save()
        self.saved = time.monotonic()

    def games(self) -> int:
        return min((m.issued for m in self.members.values() if not m.finished and not m.failed), default=0)

    def finished(self) -> bool:
        return not self.open and all(m.finished or m.failed for m in self.members.values())

    def end(self, *, settle: bool = False) -> None:
        if self.work is not None:
            withdraw(self.work)
        for member in self.members.values():
            if settle and member.done and not member.finished and not member.failed:
                games = member.done
                member.finish()
                self.events.finished(member.cell, games)
        self._save()


class RowStream:
    """Files of the rows of one scenario.

    Parameters
    ----------
    cell : Cell
    plan : Plan
    folder : Path
        The folder of the sweep.
    events : Events
    """

    def __init__(self, cell: Cell, plan: Plan, folder: Path, events: Events) -> None:
        self.cell = cell
        self.plan = plan
        self.events = events
        self.kind = plan.rows or RowKind()
        self.all = list(blocks(plan.spec.first_game, cell.games, self.kind.group_games(cell.scenario)))
        self.folder = folder / self.kind.table / f"scenario={cell.id}"
        self.footers: list[Footer] = []
        self.missing = [piece for piece in self.all if not self.present(*piece)]
        self.left = len(self.missing)
        self.broken = False
        self.work: Work | None = None
        self._next: Iterator[tuple[int, int]] = iter(self.missing)

    def path(self, first: int) -> Path:
        return self.folder / f"rows-{first:012d}.parquet"

    def record(self, first: int, games: int) -> dict[str, Any]:
        return self.kind.provenance(self.cell.scenario, self.plan.spec.seed, first, games)

    def present(self, first: int, games: int) -> bool:
        try:
            found = read_footer(self.path(first))
        except StoreError:
            return False
        if found.provenance != self.record(first, games):
            return False
        self.footers.append(found)
        return True

    def open_games(self) -> int:
        return sum(games for _, games in self.missing)

    def begin(self) -> None:
        self.work, opened = package(Group([self.cell], {}), self.plan)
        offer(self.work, opened)
        kept = self.cell.games - self.open_games()
        if kept:
            self.events.restored(self.cell, kept)

    def next(self) -> Job | None:
        piece = None if self.broken else next(self._next, None)
        if piece is None:
            return None
        first, games = piece
        assert self.work is not None
        path = str(self.path(first).resolve())
        return Job(self.work, next(_numbers), first, games, (self.cell.id,), path, self.record(first, games))

    def take(self, job: Job, done: Done) -> None:
        self.left -= 1
        if done.failures and not self.broken:
            self.broken = True
            self.left -= sum(1 for _ in self._next)
            self.events.failed(self.cell, done.failures[self.cell.id])
        elif not done.failures:
            self.events.recorded(self.cell, job.games)
            if not self.left and not self.broken:
                self.events.finished(self.cell, self.cell.games)

    def games(self) -> int:
        return self.cell.games - self.open_games()

    def finished(self) -> bool:
        return self.left == 0

    def end(self, *, settle: bool = False) -> None:
        if self.work is not None:
            withdraw(self.work)
