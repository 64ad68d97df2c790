"""A scenario of detail ``summary`` on its way: counts so far, checkpoints, final files.

A checkpoint holds the counts of the first games of a scenario. As counts are sums, it does not matter where it was
taken: the final file has the same bytes. A complete file of fewer games serves as a checkpoint too, so a sweep can be
extended.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from sim.errors import StoreError
from sim.games.base import Field
from sim.store.load import Footer, read_columns, read_footer
from sim.store.parquet import write_bytes, write_table
from sim.store.provenance import Provenance, provenance, text
from sim.store.schema import columns
from sim.sweep.counting import Table, total
from sim.sweep.plan import Cell, Plan

#: folder of the checkpoints in the folder of a sweep
CHECKPOINTS = ".checkpoints"

#: tables kept before they are added up
_PARTS = 16


def counts_provenance(cell: Cell, plan: Plan, games: int) -> dict[str, Provenance]:
    """Provenance of the files of a scenario's counts, by table.

    Where precision decides when a scenario stops, the rule stands in it: the games of such a file are not just any.
    """
    common: dict[str, Any] = {"seed": plan.spec.seed, "first_game": plan.spec.first_game, "games": games}
    if plan.conditions:
        common["until"] = [c.text() for c in plan.conditions]
        common["most"] = cell.games
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
    """What is done of a scenario, what was given out, and where it goes.

    Attributes
    ----------
    done : int
        Games 0 … `done` − 1 (from the first of the sweep) are counted.
    issued : int
        Games given out to workers.
    target : int
        Games to be counted before anybody looks at the result.
    """

    def __init__(self, cell: Cell, plan: Plan, folder: Path) -> None:
        self.cell = cell
        self.plan = plan
        self.done = self.issued = 0
        self.target = cell.games
        self.finished = self.failed = False
        self._parts: list[Table] = []
        self._ahead: dict[int, tuple[int, Table]] = {}
        self.paths = {
            table: folder / table / f"scenario={cell.id}" / f"{table}.parquet"
            for table in (("counts", "differences") if cell.pairs else ("counts",))
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

    def held(self) -> dict[str, Footer] | None:
        """Footers of complete files of this scenario and this way of stopping, whatever their number of games."""
        found = self.footers()
        return found if found is not None and self.accepts(found) else None

    def accepts(self, found: Mapping[str, Footer]) -> bool:
        """Whether footers are those of all files of this scenario and this way of stopping."""
        if set(found) != set(self.paths):
            return False
        games = found["counts"].provenance["games"]
        most = found["counts"].provenance.get("most", games)
        wanted = counts_provenance(self.cell, self.plan, games)
        for table, footer in found.items():
            if footer.provenance != {**wanted[table], **({"most": most} if "most" in wanted[table] else {})}:
                return False
        return True

    def suffices(self, held: Mapping[str, Footer]) -> bool:
        """Whether files that are there (`held`) are the final ones of this very call."""
        record = held["counts"].provenance
        if self.plan.conditions:
            return bool(record["most"] == self.games)
        return bool(record["games"] == self.games)

    def restore(self) -> None:
        """Take over the games of a checkpoint or of complete files of fewer games, whichever is further."""
        best: tuple[int, Table] | None = None
        found = self.held()
        if found is not None:
            record = found["counts"].provenance
            if record["games"] <= self.games and record.get("most", 0) <= self.games:
                best = record["games"], {t: read_columns(f) for t, f in found.items()}
        saved = _read_checkpoint(self.checkpoint)
        if saved is not None:
            games, kept, tables = saved
            if (best is None or games > best[0]) and games <= self.games:
                if kept == text(dict(counts_provenance(self.cell, self.plan, games))):
                    best = games, tables
        if best is not None:
            self.done = self.issued = best[0]
            self._parts = [best[1]]

    def add(self, start: int, games: int, table: Table) -> None:
        """Take over the counts of games `start` … `start + games − 1`, which may come out of order."""
        self._ahead[start] = (games, table)
        while self.done in self._ahead:
            games, table = self._ahead.pop(self.done)
            self._parts.append(table)
            self.done += games
        if len(self._parts) >= _PARTS:
            self._parts = [total(self._parts)]

    def tables(self) -> Table:
        """The counts of games 0 … `done` − 1."""
        self._parts = [total(self._parts)]
        return self._parts[0]

    def save(self) -> None:
        """Write a checkpoint, if there is anything to save."""
        if self.done and not self.finished:
            record = text(dict(counts_provenance(self.cell, self.plan, self.done)))
            _write_checkpoint(self.checkpoint, self.done, record, self.tables())

    def finish(self) -> None:
        """Write the final files and drop the checkpoint."""
        records = counts_provenance(self.cell, self.plan, self.done)
        for table, arrays in self.tables().items():
            own = by_fields(self.cell, self.plan.by) if table == "counts" else ()
            write_table(self.paths[table], columns(table, own), records[table], arrays)
        self.checkpoint.unlink(missing_ok=True)
        self.finished = True
        self._parts, self._ahead = [], {}

    def fail(self) -> None:
        """Give the scenario up for this run."""
        self.failed = True
        self._parts, self._ahead = [], {}


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
