"""The table of ``sim thumb`` as a result table of the report."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from sim.store.load import read_footer

#: where the table is kept, below the data folder
KEPT = Path("league") / "thumb.parquet"


def thumb_tables(data: Path) -> dict[str, pl.DataFrame]:
    """Table ``thumb`` with the seed of its games; nothing where none is kept (a data folder of one's own)."""
    path = data / KEPT
    if not path.exists():
        return {}
    seed = str(read_footer(path).provenance["seed"])
    return {"thumb": pl.read_parquet(path).with_columns(seed=pl.lit(seed))}
