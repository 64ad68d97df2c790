"""Files that hold many scenarios: the rows of each stand together, and the footer keeps the provenance of each.

What two scenarios have in common stands in the footer once. A part of such a file is a `Footer` with a first row, and
is read like a file of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sim.errors import StoreError
from sim.store.load import Footer, read_columns, read_footer
from sim.store.parquet import write_table
from sim.store.provenance import FORMAT
from sim.store.schema import SCENARIO, SCHEMA_VERSION, Column


def write_parts(path: Path, parts: Sequence[Footer]) -> None:
    """Write files of one table as one file, in this order, with the scenario as its first column."""
    notes = [[column.note() for column in part.columns] for part in parts]
    records = [part.provenance for part in parts]
    common = {k: v for k, v in records[0].items() if all(k in r and r[k] == v for r in records)}
    listed = [
        {
            "rows": part.rows,
            "provenance": {k: v for k, v in part.provenance.items() if k not in common},
            # ranges differ with the rules
            **({"columns": note} if note != notes[0] else {}),
        }
        for part, note in zip(parts, notes, strict=True)
    ]
    record = {"format": FORMAT, "schema_version": SCHEMA_VERSION, "table": records[0]["table"]}
    contents = [read_columns(part) for part in parts]
    arrays = {c.name: np.concatenate([content[c.name] for content in contents]) for c in parts[0].columns}
    ids = np.array([r["scenario"] for r in records], object)
    arrays[SCENARIO.name] = np.repeat(ids, [part.rows for part in parts])
    write_table(path, [SCENARIO, *parts[0].columns], {**record, "common": common, "parts": listed}, arrays)


def read_parts(path: Path) -> list[Footer]:
    """The parts of a file that holds many scenarios, in order; StoreError where it is none."""
    try:
        found = path.stat()
    except OSError:
        raise StoreError(f"no file {path}; accepted: a Parquet file written by sim") from None
    return _parts(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=64)
def _parts(path: Path, _time: int, _size: int) -> list[Footer]:
    whole = read_footer(path)
    if "parts" not in whole.provenance:
        raise StoreError(f"{path} holds one scenario; accepted: a file written by sim compact")
    own = tuple(c for c in whole.columns if c.name != SCENARIO.name)
    result = []
    start = 0
    for part in whole.provenance["parts"]:
        columns = tuple(Column(**note) for note in part["columns"]) if "columns" in part else own
        record = {**whole.provenance["common"], **part["provenance"]}
        result.append(replace(whole, rows=part["rows"], columns=columns, provenance=record, start=start))
        start += part["rows"]
    if start != whole.rows:
        raise StoreError(f"{path} has {whole.rows:,} rows and notes for {start:,}; accepted: a complete file")
    return result


def part_of(folder: Path, file: Mapping[str, Any]) -> Footer:
    """The footer of a file of a manifest, which may be a part of a file."""
    path = folder / file["path"]
    if "start" not in file:
        return read_footer(path)
    for part in read_parts(path):
        if part.start == file["start"] and part.rows == file["rows"]:
            return part
    raise StoreError(f"{path} has no part at row {file['start']:,}; accepted: the file of this manifest (run it again)")
