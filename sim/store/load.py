"""Reading our own Parquet files: the register's dtypes again, one clear line for files not ours or damaged."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sim.errors import InputError, StoreError, unknown
from sim.store.parquet import COLUMNS_KEY, PROVENANCE_KEY, arrow_schema
from sim.store.provenance import FORMAT, Provenance
from sim.store.schema import SCHEMA_VERSION, Column

FRAMES = ("polars", "pandas")


@dataclass(frozen=True)
class Footer:
    """What the end of a file tells about it, or about one part of it: `start` is then its first row."""

    path: Path
    rows: int
    columns: tuple[Column, ...]
    provenance: Provenance
    start: int | None = None


def read_footer(path: Path | str) -> Footer:
    """Footer of one of our files.

    Raises
    ------
    StoreError
        If the file is missing, cut short, foreign, or of another schema version.
    """
    path = Path(path)
    if not path.is_file():
        raise StoreError(f"no file {path}; accepted: a Parquet file written by sim")
    try:
        found = pq.read_metadata(path)
    except (pa.ArrowException, OSError) as error:
        raise StoreError(
            f"{path} is damaged or not Parquet ({str(error).splitlines()[0]})"
            "; accepted: a complete Parquet file written by sim"
        ) from None
    kept = found.metadata or {}
    if PROVENANCE_KEY not in kept or COLUMNS_KEY not in kept:
        raise StoreError(
            f"{path} was not written by sim or lost its footer notes; accepted: a Parquet file written by sim"
        )
    record = json.loads(kept[PROVENANCE_KEY])
    if record.get("format") != FORMAT or record.get("schema_version") != SCHEMA_VERSION:
        raise StoreError(
            f"{path} has schema version {record.get('schema_version')}"
            f"; accepted: {SCHEMA_VERSION} (run the sweep again)"
        )
    columns = tuple(Column(**note) for note in json.loads(kept[COLUMNS_KEY]))
    return Footer(path, found.num_rows, columns, record)


def read_arrow(footer: Footer, columns: Sequence[str] | None = None) -> pa.Table:
    """The data of a file as an Arrow table in the register's dtypes."""
    names = [c.name for c in footer.columns]
    for name in columns or ():
        if name not in names:
            raise InputError(unknown("column", name, names))
    wanted = [c for c in footer.columns if columns is None or c.name in columns]
    if columns is not None:
        wanted.sort(key=lambda c: list(columns).index(c.name))
    chosen = tuple(c.name for c in wanted)
    try:
        if footer.start is None:
            table = pq.ParquetFile(footer.path, memory_map=True).read(chosen)
        else:
            found = footer.path.stat()
            table = _shared(footer.path, found.st_mtime_ns, found.st_size, chosen).slice(footer.start, footer.rows)
    except (pa.ArrowException, OSError) as error:
        raise StoreError(
            f"{footer.path} is damaged ({str(error).splitlines()[0]})"
            "; accepted: a complete file (delete this one and run the sweep again)"
        ) from None
    return table.select(chosen).cast(arrow_schema(wanted))


@lru_cache(maxsize=2)
def _shared(path: Path, _time: int, _size: int, columns: tuple[str, ...]) -> pa.Table:
    """A file of many parts, which are asked for one after the other."""
    return pq.ParquetFile(path, memory_map=True).read(columns)


def read_columns(footer: Footer) -> dict[str, np.ndarray]:
    """The data of a file as one numpy array per column, in the register's dtypes."""
    table = read_arrow(footer)
    return {
        c.name: np.array(table[c.name].to_pylist(), object)
        if c.dtype == "string"
        else table[c.name].to_numpy().astype(c.numpy)
        for c in footer.columns
    }


def condition(where: Mapping[str, Any] | Any) -> Any:
    """A polars expression from a mapping column → value (or list of values), or the expression itself."""
    import polars as pl

    if isinstance(where, pl.Expr):
        return where
    if not isinstance(where, Mapping):
        raise InputError(
            f"where = {where!r} is not accepted; accepted: a mapping column → value or values, or a polars expression"
        )
    result = pl.lit(True)
    for name, value in where.items():
        many = list(value) if isinstance(value, list | tuple | set) else [value]
        column = pl.col(str(name))
        if all(isinstance(v, str) for v in many):
            result = result & column.is_in(many)
        else:  # each by itself: a whole number is looked for in a column of real numbers too
            result = result & pl.any_horizontal([column == v for v in many])
    return result


def needed(where: Mapping[str, Any] | Any | None) -> list[str]:
    """Names of the columns that a condition looks at."""
    if where is None:
        return []
    if isinstance(where, Mapping):
        return [str(name) for name in where]
    return list(condition(where).meta.root_names())


def as_frame(frame: Any, kind: str) -> Any:
    """A polars frame as the asked kind of frame."""
    if kind not in FRAMES:
        raise InputError(unknown("kind of frame", kind, FRAMES))
    return frame.to_pandas() if kind == "pandas" else frame


def load_file(
    path: Path | str,
    *,
    where: Mapping[str, Any] | Any | None = None,
    columns: Sequence[str] | None = None,
    frame: str = "polars",
) -> Any:
    """One file as a frame, with its column `scenario`.

    Parameters
    ----------
    path : path
    where : mapping or polars expression, optional
        Rows to keep.
    columns : sequence of str, optional
        Columns to return; default all.
    frame : {"polars", "pandas"}

    Returns
    -------
    polars.DataFrame or pandas.DataFrame
    """
    import polars as pl

    footer = read_footer(path)
    own = [c.name for c in footer.columns]
    # a file of many scenarios has the column itself, a kept table of answers belongs to none
    first = ["scenario"] if "scenario" in (*own, *footer.provenance) else []
    known = [*first, *(name for name in own if name != "scenario")]
    wanted = list(columns) if columns is not None else known
    for name in [*wanted, *needed(where)]:
        if name not in known:
            raise InputError(unknown("column", name, known))
    read = [n for n in own if n in wanted or n in needed(where)]
    table = pl.DataFrame(pl.from_arrow(read_arrow(footer, read or own[:1])))
    if "scenario" in footer.provenance:
        table = table.with_columns(scenario=pl.lit(footer.provenance["scenario"]))
    if where is not None:
        table = table.filter(condition(where))
    return as_frame(table.select(wanted), frame)
