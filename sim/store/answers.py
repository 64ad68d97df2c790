"""Small tables of exact answers as Parquet: register of columns and footers as for games, without seed or games.

`ANSWERS` says what is in each; `sim schema` and ``data/README.md`` print it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sim.engine.jit import source_hash
from sim.games.base import RulesModel
from sim.store.parquet import write_table
from sim.store.provenance import FORMAT, Provenance, libraries
from sim.store.schema import ANSWERS, SCHEMA_VERSION


def answer_provenance(table: str, rules: RulesModel, **more: Any) -> Provenance:
    """What made a table of answers: enough to run the call again.

    Parameters
    ----------
    table : str
        A name of `ANSWERS`.
    rules : RulesModel
    **more
        Further plain data that decides the content, or belongs to all of it (an error bound).
    """
    return {
        "format": FORMAT,
        "schema_version": SCHEMA_VERSION,
        "table": table,
        "game": rules.GAME,
        "rules": rules.identity(),
        **more,
        "kernel_sources": source_hash(rules.GAME),
        "libraries": libraries(),
    }


def write_answers(
    path: Path | str, table: str, rules: RulesModel, arrays: Mapping[str, np.ndarray], **more: Any
) -> Path:
    """Write a table of `ANSWERS`: complete under its final name or not there at all; equal calls give equal bytes."""
    _, columns = ANSWERS[table]
    write_table(path, columns, answer_provenance(table, rules, **more), arrays)
    return Path(path)
