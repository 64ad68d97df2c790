"""Small tables about several policies on the same games, as Parquet: the register's columns and a footer.

`STANDINGS` says what is in each; `sim schema` and ``data/README.md`` print it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sim.engine.jit import source_hash
from sim.games.base import Game, Policy, RulesModel
from sim.store.parquet import write_table
from sim.store.provenance import FORMAT, Provenance, libraries
from sim.store.schema import SCHEMA_VERSION, STANDINGS


def standings_provenance(
    table: str, game: Game, rules: RulesModel, policies: Sequence[Policy], *, seed: int, games: int, **more: Any
) -> Provenance:
    """What made a table of standings: enough to run the call again.

    Parameters
    ----------
    table : str
        A name of `STANDINGS`.
    game, rules, policies
        All policies that took part, in order.
    seed, games : int
        Game indices per pair.
    **more
        Further plain data that decides the content.
    """
    return {
        "format": FORMAT,
        "schema_version": SCHEMA_VERSION,
        "table": table,
        "game": game.name,
        "rules": rules.identity(),
        "policies": [policy.identity() for policy in policies],
        "seed": seed,
        "games": games,
        **more,
        "kernel_version": game.kernel_version,
        "kernel_sources": source_hash(game.name),
        "libraries": libraries(),
    }


def write_standings(path: Path | str, table: str, rows: Sequence[Mapping[str, Any]], provenance: Provenance) -> Path:
    """Write rows of a table of `STANDINGS`: complete under its final name or not there at all."""
    _, columns = STANDINGS[table]
    arrays = {
        c.name: np.array([row[c.name] for row in rows], np.object_ if c.dtype == "string" else c.numpy) for c in columns
    }
    write_table(path, columns, provenance, arrays)
    return Path(path)
