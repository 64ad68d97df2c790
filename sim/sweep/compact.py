"""A finished sweep of many small files as one of few: ``shared/<table>-000.parquet`` in its folder.

New files are written first, then the manifest, then the old files are removed: whenever it is cut short, the manifest
names files that are there. A run that has to play more puts every scenario into files of its own again, with the bytes
they had, and goes on from those.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.engine.simulate import blocks
from sim.errors import StoreError
from sim.store.load import Footer, read_columns, read_footer
from sim.store.parquet import GROUP_ROWS, write_table
from sim.store.parts import part_of, read_parts, write_parts
from sim.store.provenance import fingerprint
from sim.store.schema import TABLES
from sim.sweep import manifest
from sim.sweep.frames import checked
from sim.sweep.lock import locked
from sim.sweep.members import Member
from sim.sweep.plan import Cell, Plan
from sim.sweep.rowkind import ROW_TABLES
from sim.sweep.status import place

#: folder of the shared files in the folder of a sweep
SHARED = "shared"

#: a file of fewer rows than this is joined to the one before it
LEAST_ROWS = 100_000


@dataclass(frozen=True)
class Compacted:
    """What was done: scenarios, files and bytes before and after."""

    sweep: str
    scenarios: int
    files_before: int
    files: int
    bytes_before: int
    bytes: int


def compact(sweep: str | Path, *, data: str | Path = "data") -> Compacted:
    """Put the scenarios of a finished sweep into few files; every frame stays the same.

    Parameters
    ----------
    sweep : str or path
        Name, YAML file or folder of a finished sweep.
    data : path
        The data folder.

    Raises
    ------
    SweepError
        A run is writing there.
    StoreError
        The sweep is not finished, or a file is damaged or of another run.
    """
    home, name = place(sweep, data)
    folder = home / name
    with locked(home, name):
        found = manifest.read(folder)
        files = [file for entry in found["scenarios"] for file in entry["files"]]
        before = {folder / file["path"] for file in files}
        size = sum(path.stat().st_size for path in before if path.exists())
        if not all("start" in file for file in files):
            _write(folder, files)
            manifest.write(folder, found)
        _remove(before - {folder / file["path"] for file in files})
        tidy(folder, found)
        after = {folder / file["path"] for file in files}
        return Compacted(
            name, len(found["scenarios"]), len(before), len(after), size, sum(path.stat().st_size for path in after)
        )


def _write(folder: Path, files: Sequence[dict[str, Any]]) -> None:
    """Write the shared files and tell `files`, entries of the manifest, where their rows are now."""
    for table in dict.fromkeys(file["table"] for file in files):
        mine = [(file, checked(folder, file)) for file in files if file["table"] == table]
        for number, group in enumerate(_groups(mine)):
            path = folder / SHARED / f"{table}-{number:03d}.parquet"
            write_parts(path, [footer for _, footer in group])
            start = 0
            for (file, footer), part in zip(group, read_parts(path), strict=True):
                if (part.provenance, part.columns) != (footer.provenance, footer.columns):
                    raise StoreError(f"{path} came back different from what was written; accepted: try again")
                file |= {"path": path.relative_to(folder).as_posix(), "start": start}
                start += footer.rows


def _groups(files: Sequence[tuple[dict[str, Any], Footer]]) -> Iterator[list[tuple[dict[str, Any], Footer]]]:
    """Files to go together: of equal columns, up to about a million rows, and none much smaller than it need be."""
    groups: list[list[tuple[dict[str, Any], Footer]]] = []
    kind: list[tuple[str, str]] = []
    counted = 0
    for file, footer in files:
        own = [(c.name, c.dtype) for c in footer.columns]
        if not groups or own != kind or counted + footer.rows > GROUP_ROWS:
            groups.append([])
            kind, counted = own, 0
        groups[-1].append((file, footer))
        counted += footer.rows
    if len(groups) > 1 and counted < LEAST_ROWS:
        before = groups[-2][-1][1]
        if [(c.name, c.dtype) for c in before.columns] == kind:
            last = groups.pop()
            groups[-1] += last
    yield from groups


def _remove(paths: set[Path]) -> None:
    """Remove files, and their folders where they are empty then."""
    for path in paths:
        path.unlink(missing_ok=True)
    _remove_empty({path.parent for path in paths})


def _remove_empty(folders: set[Path]) -> None:
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()


def tidy(folder: Path, found: Mapping[str, Any]) -> None:
    """Remove what an attempt that was cut short left behind: files that the manifest does not name any more."""
    named = {folder / file["path"] for entry in found["scenarios"] for file in entry["files"]}
    _remove(set((folder / SHARED).glob("*.parquet")) - named)
    if any(path.parent.name == SHARED for path in named):
        _remove(set(folder.glob("*/scenario=*/*.parquet")) - named)
        own = set(folder.glob("*/scenario=*"))
        _remove_empty(own)
        _remove_empty({path.parent for path in own})
    _remove_empty({folder / table for table in TABLES})


def is_compact(folder: Path) -> bool:
    """Whether there are shared files in the folder of a sweep."""
    return (folder / SHARED).is_dir()


def settled(planned: Plan, folder: Path) -> dict[str, list[tuple[str, Footer]]]:
    """(table, footer) by scenario where the manifest holds all of a plan, finished by this very call; else empty."""
    result = {}
    try:
        if planned.spec.minutes is not None and not manifest.same(folder, planned):
            return {}
        entries = {entry["scenario"]: entry for entry in manifest.read(folder)["scenarios"]}
        for cell in planned.cells:
            files = entries[cell.id]["files"]
            footers = [(file["table"], part_of(folder, file)) for file in files]
            told = [fingerprint(footer.provenance) for _, footer in footers]
            if told != [file["provenance"] for file in files] or not _final(cell, planned, folder, footers):
                return {}
            result[cell.id] = footers
    except (StoreError, KeyError):
        return {}
    return result


def _final(cell: Cell, planned: Plan, folder: Path, footers: Sequence[tuple[str, Footer]]) -> bool:
    spec = planned.spec
    if planned.rows is not None:
        pieces = blocks(spec.first_game, cell.games, planned.rows.group_games(cell.scenario))
        wanted = [planned.rows.provenance(cell.scenario, spec.seed, first, games) for first, games in pieces]
        return wanted == [footer.provenance for _, footer in footers]
    member = Member(cell, planned, folder)
    held = dict(footers)
    return member.accepts(held) and (spec.minutes is not None or member.suffices(held))


def unpack(folder: Path) -> None:
    """Give every scenario files of its own again, with the bytes they had; what is damaged is left out.

    The sweep counts as unfinished from here on: whoever calls this is about to play more of it.
    """
    for shared in sorted((folder / SHARED).glob("*.parquet")):
        try:
            parts = read_parts(shared)
        except StoreError:
            continue
        for part in parts:
            try:
                arrays = read_columns(part)
            except StoreError:
                continue
            _unpack(folder, part, arrays)  # an error while writing is one: nothing may be removed after it
    (folder / manifest.NAME).unlink(missing_ok=True)
    _remove(set((folder / SHARED).glob("*.parquet")))


def _unpack(folder: Path, part: Footer, arrays: Mapping[str, Any]) -> None:
    record = part.provenance
    table = record["table"]
    name = f"rows-{record['first_game']:012d}" if table in ROW_TABLES else table
    path = folder / table / f"scenario={record['scenario']}" / f"{name}.parquet"
    with contextlib.suppress(StoreError):
        if read_footer(path).provenance == record:
            return
    write_table(path, part.columns, record, arrays)
