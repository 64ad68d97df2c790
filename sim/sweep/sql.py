"""The data of a finished sweep as SQL views, by DuckDB (extra ``sql``); files are read where they lie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sim.errors import StoreError
from sim.store.load import read_footer
from sim.store.provenance import fingerprint
from sim.sweep import manifest
from sim.sweep.frames import folder_of, scenarios


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
    for entry in found["scenarios"]:
        for file in entry["files"]:
            path = folder / file["path"]
            if fingerprint(read_footer(path).provenance) != file["provenance"]:
                raise StoreError(f"{path} belongs to another run; accepted: the file of this manifest (run it again)")
            files.setdefault(file["table"], []).append(str(path.resolve()))
    connection = duckdb.connect()
    connection.register("scenarios", scenarios(folder).to_arrow())
    for table, paths in files.items():
        # the partition key is a text even where every id looks like a number
        quoted = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
        connection.execute(
            f"CREATE VIEW {table} AS SELECT * FROM read_parquet([{quoted}], hive_partitioning = true, "
            "hive_types = {'scenario': VARCHAR})"
        )
    return connection
