"""Small tools for frames of counts: attach what a scenario was, group, and hand arrays to the estimators."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from sim import games as registry
from sim.errors import InputError, unknown

LEVELS = ("beginner", "intermediate", "advanced", "expert")

#: columns of an estimate, in every table
ESTIMATE = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64}


def attach(counts: pl.DataFrame, scenarios: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """`counts` with attributes of its scenarios, in the order of the plan; scenarios not in `scenarios` are left
    out.
    """
    for name in columns:
        if name not in scenarios.columns:
            raise InputError(unknown("attribute of the scenarios", name, scenarios.columns))
    new = [name for name in columns if name not in counts.columns]
    order = scenarios.with_row_index("order").select("scenario", "order", *new)
    return counts.join(order, on="scenario", how="inner").sort("order", maintain_order=True).drop("order")


def groups(frame: pl.DataFrame, keys: Sequence[str]) -> Iterator[tuple[dict[str, Any], pl.DataFrame]]:
    """Sub-frames by the values of `keys`, in the order of appearance."""
    if frame.is_empty():
        return
    for values, part in frame.partition_by(list(keys), as_dict=True, maintain_order=True).items():
        yield dict(zip(keys, values, strict=True)), part


def arrays(part: pl.DataFrame, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Values of `column` (float64) and their counts (int64)."""
    return part[column].cast(pl.Float64).to_numpy(), part["count"].to_numpy()


def plain(scenarios: pl.DataFrame, game: str, free: Sequence[str] = ()) -> pl.DataFrame:
    """The scenarios whose rules are the defaults, except for the parameters in `free`."""
    keep = pl.lit(True)
    for name, value in registry.get(game).rules_type().model_dump(mode="json").items():
        if name in scenarios.columns and name not in free:
            wanted = json.dumps(value) if isinstance(value, list | dict) else value
            keep = keep & (pl.col(name) == pl.lit(wanted, scenarios[name].dtype))
    return scenarios.filter(keep)


def table(rows: Sequence[Mapping[str, Any]], schema: Mapping[str, Any]) -> pl.DataFrame:
    """A frame of rows with a fixed schema, also where there are no rows."""
    return pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=dict(schema), strict=False)


def level_rank(name: str) -> int:
    """Position of a Caterpillars level; unknown names come last."""
    return LEVELS.index(name) if name in LEVELS else len(LEVELS)
