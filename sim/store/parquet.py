"""Writing Parquet: complete under its final name or not there at all, the same bytes for the same call.

Every integer and real column is stored as split byte streams under a light zstd: on dice-game columns this was both
the fastest and the smallest of the encodings tried (half the time of dictionary pages, 3 bytes per game instead of
4), because whole numbers of one byte leave three streams of zeros. The game index is stored as differences. No column
has missing values.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sim.errors import DiskError, FaultError, StoreError
from sim.store.provenance import Provenance, text
from sim.store.schema import GAME, SCENARIO, Column

#: rows per row group, and per file of a sweep in detail ``games``
GROUP_ROWS = 1 << 20

PROVENANCE_KEY = b"sim.provenance"
COLUMNS_KEY = b"sim.columns"

_ARROW = {
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "boolean": pa.bool_(),
    "string": pa.string(),
}


def arrow_schema(columns: Sequence[Column], provenance: Provenance | None = None) -> pa.Schema:
    """The Arrow schema of a table, with field notes and provenance as its metadata."""
    fields = [pa.field(c.name, _ARROW[c.dtype], nullable=False) for c in columns]
    if provenance is None:
        return pa.schema(fields)
    notes = json.dumps([c.note() for c in columns], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return pa.schema(fields, {PROVENANCE_KEY: text(provenance).encode(), COLUMNS_KEY: notes.encode()})


def arrow_table(
    arrays: Mapping[str, np.ndarray], columns: Sequence[Column], schema: pa.Schema | None = None
) -> pa.Table:
    """An Arrow table over numpy arrays (extra arrays are ignored); numbers are not copied.

    It is put together from buffers, because `pyarrow.array` imports pandas, which takes longer than writing a million
    rows.
    """
    data = [_array(arrays[c.name], c) for c in columns]
    return pa.Table.from_arrays(data, schema=arrow_schema(columns) if schema is None else schema)


def _array(values: np.ndarray, column: Column) -> pa.Array:
    kind = _ARROW[column.dtype]
    if column.dtype == "string":
        texts = [str(value).encode() for value in values]
        ends = np.zeros(len(texts) + 1, np.int32)
        np.cumsum([len(text) for text in texts], out=ends[1:])
        return pa.Array.from_buffers(kind, len(texts), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(texts))])
    if column.dtype == "boolean":
        data = np.packbits(values, bitorder="little")
    else:
        data = np.ascontiguousarray(values, column.numpy)
    return pa.Array.from_buffers(kind, values.size, [None, pa.py_buffer(data)])


def options(columns: Sequence[Column]) -> dict[str, Any]:
    """How pyarrow is to write a table."""
    split = [c.name for c in columns if c.dtype not in ("boolean", "string")]
    return {
        "compression": "zstd",
        "compression_level": 1,
        "use_dictionary": [c.name for c in columns if c.dtype == "string"],
        "column_encoding": {n: "DELTA_BINARY_PACKED" if n == GAME.name else "BYTE_STREAM_SPLIT" for n in split},
        "write_statistics": [c.name for c in columns if c in (GAME, SCENARIO)] or [GAME.name],
        "store_schema": False,
    }


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def refused(path: Path, error: BaseException) -> StoreError:
    """What to say of a file that cannot be written: a full disk is a fault, a missing permission a wrong call."""
    full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO)
    kind = DiskError if full else StoreError
    return kind(f"cannot write {path}: {_reason(error)}; accepted: a folder with room and permission")


class TableWriter:
    """Writes one Parquet file, row group by row group; a context manager.

    Rows go to a temporary name in the same folder. On leaving, the footer is read back and checked, the bytes are
    flushed to the disk and the file is renamed; after any error the temporary is removed and the final name is
    untouched.

    Parameters
    ----------
    path : Path
    columns : sequence of Column
    provenance : dict
    """

    def __init__(self, path: Path | str, columns: Sequence[Column], provenance: Provenance) -> None:
        self.path = Path(path)
        self.columns = tuple(columns)
        self.schema = arrow_schema(columns, provenance)
        self.rows = 0
        self._temporary = self.path.with_name(f".{self.path.name}.{os.getpid()}.tmp")
        self._writer: pq.ParquetWriter | None = None

    def __enter__(self) -> TableWriter:
        with self._guard():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = pq.ParquetWriter(self._temporary, self.schema, **options(self.columns))
            # the schema's own metadata are dropped without the stored Arrow schema
            self._writer.add_key_value_metadata(self.schema.metadata)
        return self

    def write(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Append one row group: an array per column (extra arrays are ignored)."""
        with self._guard():
            assert self._writer is not None
            table = arrow_table(arrays, self.columns, self.schema)
            self._writer.write_table(table, row_group_size=max(1, table.num_rows))
            self.rows += table.num_rows

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._discard()
            return
        with self._guard():
            assert self._writer is not None
            self._writer.close()
            self._writer = None
            self._check()
            sync(self._temporary)
            # the folder's list of names is not flushed: a name lost with the power is a file to be written again
            os.replace(self._temporary, self.path)

    def _check(self) -> None:
        found = pq.read_metadata(self._temporary)
        kept = found.metadata or {}
        wanted = self.schema.metadata
        if found.num_rows != self.rows or any(kept.get(k) != wanted[k] for k in (PROVENANCE_KEY, COLUMNS_KEY)):
            raise FaultError(f"the footer of {self.path} came back different from what was written")

    @contextlib.contextmanager
    def _guard(self) -> Any:
        try:
            yield
        except (OSError, pa.ArrowException) as error:
            self._discard()
            raise refused(self.path, error) from error
        except BaseException:
            self._discard()
            raise

    def _discard(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            with contextlib.suppress(Exception):
                writer.close()
        with contextlib.suppress(OSError):
            self._temporary.unlink()


def sync(path: Path) -> None:
    """Flush a file to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_table(
    path: Path | str, columns: Sequence[Column], provenance: Provenance, arrays: Mapping[str, np.ndarray]
) -> None:
    """Write a table that is in memory as one file."""
    with TableWriter(path, columns, provenance) as writer:
        writer.write(arrays)


def write_bytes(path: Path | str, content: bytes) -> None:
    """Write any small file by the same promise: complete or not there at all."""
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise refused(path, error) from error
