"""The data of a finished sweep as SQL views, by DuckDB (extra ``sql``); files are read where they lie."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

from sim.errors import InputError, StoreError
from sim.sweep import manifest
from sim.sweep.frames import checked, described, folder_of


def sql(sweep: str | Path, *, data: str | Path = "data") -> Any:
    """A DuckDB connection in memory with a view per table of a sweep, and ``scenarios``.

    Parameters
    ----------
    sweep : str or path
        Name, YAML file or folder of a finished sweep.
    data : path
        The data folder.

    Returns
    -------
    duckdb.DuckDBPyConnection
        Views ``games``, ``rounds``, or ``counts`` and ``differences``, each with a column ``scenario``; ``scenarios``
        holds what `sim.scenarios` gives.

    Raises
    ------
    StoreError
        The sweep is not finished, a file is of another run, or DuckDB is not installed.
    """
    try:
        import duckdb
    except ImportError:
        raise StoreError("sql needs DuckDB; accepted: pip install 'caterpillar-table-lab[sql]'") from None
    folder = folder_of(sweep, data)
    found = manifest.read(folder)
    files: dict[str, list[str]] = {}
    shared = False
    for entry in found["scenarios"]:
        for file in entry["files"]:
            footer = checked(folder, file)
            shared = shared or footer.start is not None
            files.setdefault(file["table"], []).append(str(footer.path.resolve()))
    connection = duckdb.connect()
    connection.register("scenarios", described(found).to_arrow())
    for table, paths in files.items():
        quoted = ", ".join("'" + path.replace("'", "''") + "'" for path in dict.fromkeys(paths))
        if shared:  # the scenario is a column; of a sweep that has lost some, files may hold more than it does
            columns = "* EXCLUDE (scenario), scenario"
            source = f"read_parquet([{quoted}], hive_partitioning = false) SEMI JOIN scenarios USING (scenario)"
        else:  # the partition key is a text even where every id looks like a number
            columns = "*"
            source = f"read_parquet([{quoted}], hive_partitioning = true, hive_types = {{'scenario': VARCHAR}})"
        connection.execute(f"CREATE VIEW {table} AS SELECT {columns} FROM {source}")
    return connection


def ask(sweep: str | Path, query: str, *, data: str | Path = "data") -> tuple[list[str], list[tuple[Any, ...]]]:
    """Names of the columns and rows of one query, as plain data.

    Parameters
    ----------
    sweep : str or path
    query : str
        One statement of DuckDB's SQL.
    data : path

    Raises
    ------
    InputError
        DuckDB does not accept the query; its words, in one line.
    """
    connection = sql(sweep, data=data)
    import duckdb

    try:
        with connection:
            result = connection.execute(query)
            names = [column[0] for column in result.description or ()]
            rows = [tuple(_plain(value) for value in row) for row in result.fetchall()]
    except duckdb.Error as error:
        words = " ".join(str(error).split())
        raise InputError(f"query '{query}' is not accepted: {words}; accepted: SQL as DuckDB reads it") from None
    return [f"{name}_{i}" if name in names[:i] else name for i, name in enumerate(names)], rows


def _plain(value: Any) -> Any:
    """A value that JSON has a word for: a sum of whole numbers is whole, a decimal a real number, the rest text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    return str(value)
