"""Detail ``summary``: exact counts into Parquet, with checkpoints: a killed run goes on in the middle of a scenario.

A checkpoint holds the counts of the first games of a scenario. As counts are sums, it does not matter where it was
taken: the final file has the same bytes. A complete file of fewer games serves as a checkpoint too, so a sweep can be
extended.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from sim.engine.simulate import blocks, map_blocks
from sim.errors import StoreError
from sim.games.base import Field, Playable
from sim.store.load import Footer, read_arrow, read_footer
from sim.store.parquet import write_bytes, write_table
from sim.store.provenance import Provenance, provenance, text
from sim.store.schema import columns
from sim.sweep.counting import ScenarioCounts, Table, total
from sim.sweep.groups import Group
from sim.sweep.plan import Cell, Plan

#: seconds between two checkpoints, and about how long a stretch of play without looking at the clock may take
INTERVAL = 10.0

#: folder of the checkpoints in the folder of a sweep
CHECKPOINTS = ".checkpoints"


def counts_provenance(cell: Cell, plan: Plan, games: int) -> dict[str, Provenance]:
    """Provenance of the files of a scenario's counts, by table."""
    common = {"seed": plan.spec.seed, "first_game": plan.spec.first_game, "games": games}
    result = {"counts": provenance("counts", cell.scenario, by=list(plan.by), **common)}
    if cell.pairs:
        result["differences"] = provenance(
            "differences", cell.scenario, pairs=[p.identity() for p in cell.pairs], **common
        )
    return result


def by_fields(cell: Cell, by: Sequence[str]) -> list[Field]:
    """The fields that are counted jointly."""
    found = {f.name: f for f in cell.scenario.game.fields(cell.scenario.rules, len(cell.scenario.policies))}
    return [found[name] for name in by]


class Member:
    """A scenario on its way: what is done, what was restored, and where it goes."""

    def __init__(self, cell: Cell, plan: Plan, folder: Path) -> None:
        self.cell = cell
        self.plan = plan
        self.done = 0
        self.restored: list[Table] = []
        self.states: list[ScenarioCounts] = []
        self.paths = {
            table: folder / table / f"scenario={cell.id}" / f"{table}.parquet"
            for table in counts_provenance(cell, plan, cell.games)
        }
        self.checkpoint = folder / CHECKPOINTS / f"{cell.id}.npz"

    @property
    def games(self) -> int:
        return self.cell.games

    def footers(self) -> dict[str, Footer] | None:
        """Footers of the files if all are there and readable."""
        try:
            return {table: read_footer(path) for table, path in self.paths.items()}
        except StoreError:
            return None

    def complete(self) -> bool:
        """Whether the final files are there, made by this very call."""
        found = self.footers()
        wanted = counts_provenance(self.cell, self.plan, self.games)
        return found is not None and all(found[t].provenance == wanted[t] for t in wanted)

    def restore(self) -> None:
        """Take over the games of a checkpoint or of complete files of fewer games, whichever is further."""
        best: tuple[int, Table] | None = None
        found = self.footers()
        if found is not None:
            games = found["counts"].provenance["games"]
            wanted = counts_provenance(self.cell, self.plan, games)
            if games <= self.games and all(found[t].provenance == wanted[t] for t in wanted):
                best = games, {t: _arrays(f) for t, f in found.items()}
        saved = _read_checkpoint(self.checkpoint)
        if saved is not None:
            games, kept, tables = saved
            if (best is None or games > best[0]) and games <= self.games:
                if kept == _checkpoint_text(counts_provenance(self.cell, self.plan, games)):
                    best = games, tables
        if best is not None:
            self.done, self.restored = best[0], [best[1]]

    def begin(self, playables: Mapping[str, Playable], workers: int) -> None:
        """Make one set of counters per thread."""
        mine = playables[self.cell.id]
        self.states = [ScenarioCounts(mine, self.plan.by, self.cell.pairs, playables) for _ in range(workers)]

    def tables(self) -> Table:
        """The counts so far."""
        return total([*self.restored, *(state.tables() for state in self.states)])

    def save(self) -> None:
        """Write a checkpoint."""
        record = _checkpoint_text(counts_provenance(self.cell, self.plan, self.done))
        _write_checkpoint(self.checkpoint, self.done, record, self.tables())

    def finish(self) -> None:
        """Write the final files and drop the checkpoint."""
        records = counts_provenance(self.cell, self.plan, self.games)
        for table, arrays in self.tables().items():
            own = by_fields(self.cell, self.plan.by) if table == "counts" else ()
            write_table(self.paths[table], columns(table, own), records[table], arrays)
        self.checkpoint.unlink(missing_ok=True)
        self.states, self.restored = [], []


def play(
    group: Group,
    members: Sequence[Member],
    *,
    workers: int,
    stop: Callable[[], bool] = lambda: False,
    on_games: Callable[[int], None] | None = None,
    on_kept: Callable[[int], None] | None = None,
    interval: float | None = None,
) -> bool:
    """Play what is missing of the members of a group; False if `stop()` came true before the end.

    `on_games(games)` is told after every block how many games were recorded, over all scenarios; `on_kept(games)` how
    many were taken over from an earlier run.
    """
    interval = INTERVAL if interval is None else interval
    playables = group.playables()
    plan = members[0].plan
    for member in members:
        member.restore()
        member.begin(playables, workers)
        if on_kept is not None and member.done:
            on_kept(member.done)
    saved = time.monotonic()
    stretch = 1 << 16
    while True:
        for member in members:
            if member.done == member.games and member.states:
                member.finish()
        waiting = [m for m in members if m.done < m.games]
        if not waiting:
            return True
        if stop():
            for member in waiting:
                member.save()
            return False
        start = min(m.done for m in waiting)
        active = [m for m in waiting if m.done == start]
        ahead = [m.done for m in waiting if m.done > start]
        end = min([start + stretch, *ahead, *(m.games for m in active)])
        begun = time.monotonic()
        done = _stretch(active, playables, plan, start, end, workers, stop, on_games)
        for member in active:
            member.done = done
        now = time.monotonic()
        if done > start:
            stretch = int(np.clip((done - start) / max(now - begun, 1e-6) * interval / 2, 1 << 15, 1 << 26))
        if now - saved >= interval:
            for member in active:
                if member.done < member.games:
                    member.save()
            saved = time.monotonic()


def _stretch(
    active: Sequence[Member],
    playables: Mapping[str, Playable],
    plan: Plan,
    start: int,
    end: int,
    workers: int,
    stop: Callable[[], bool],
    on_games: Callable[[int], None] | None,
) -> int:
    """Play games `start` … `end − 1` (counted from the first game of the sweep); returns where it stopped."""
    needed = {m.cell.id for m in active} | {p.against.id for m in active for p in m.cell.pairs if p.against is not None}
    ids = [id for id in playables if id in needed]
    issued = start

    def tasks() -> Iterator[tuple[int, int]]:
        nonlocal issued
        for first, games in blocks(plan.spec.first_game + start, end - start):
            if stop():
                return
            issued = first + games - plan.spec.first_game
            yield first, games

    def consume(_first: int, _games: int, outs: list[np.ndarray], state: list[ScenarioCounts]) -> None:
        by_id = dict(zip(ids, outs, strict=True))
        for member, counters in zip(active, state, strict=True):
            counters.add(by_id[member.cell.id], by_id)

    threads = iter(range(workers))

    def local() -> list[ScenarioCounts]:
        thread = next(threads)
        return [member.states[thread] for member in active]

    map_blocks(
        [playables[id] for id in ids],
        plan.spec.seed,
        tasks(),
        consume,
        workers=workers,
        local=local,
        on_block=None if on_games is None else lambda games: on_games(games * len(active)),
    )
    return issued


def _arrays(footer: Footer) -> dict[str, np.ndarray]:
    table = read_arrow(footer)
    return {
        c.name: np.array(table[c.name].to_pylist(), object)
        if c.dtype == "string"
        else table[c.name].to_numpy().astype(c.numpy)
        for c in footer.columns
    }


def _checkpoint_text(records: Mapping[str, Provenance]) -> str:
    return text(dict(records))


def _write_checkpoint(path: Path, games: int, record: str, tables: Table) -> None:
    arrays: dict[str, Any] = {"games": np.array(games), "provenance": np.array(record)}
    for table, content in tables.items():
        for name, values in content.items():  # no pickles: texts as fixed-width unicode
            arrays[f"{table}/{name}"] = values.astype(str) if values.dtype == object else values
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    write_bytes(path, buffer.getvalue())


def _read_checkpoint(path: Path) -> tuple[int, str, Table] | None:
    try:
        with np.load(path, allow_pickle=False) as saved:
            tables: Table = {}
            for key in saved.files:
                table, slash, name = key.partition("/")
                if slash:
                    values = saved[key]
                    tables.setdefault(table, {})[name] = values.astype(object) if values.dtype.kind == "U" else values
            return int(saved["games"]), str(saved["provenance"]), tables
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None
