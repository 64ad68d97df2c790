"""The printed summary of a run: estimates with intervals from exact counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sim import stats
from sim.games.base import Field

QUANTILES = (5, 25, 50, 75, 95)


def summary(counts: Mapping[str, np.ndarray], fields: Sequence[Field]) -> list[dict[str, Any]]:
    """One row per seat and column: estimate, 95 % interval and its method; spread and quantiles of whole numbers."""
    rows: list[dict[str, Any]] = []
    for seat in np.unique(counts["seat"]).tolist():
        here = counts["seat"] == seat
        for field in fields:
            row = _estimate(counts[field.name][here], counts["count"][here], field)
            rows.append({"seat": seat, "column": field.name, "unit": field.unit, **row})
    return rows


def _estimate(values: np.ndarray, weight: np.ndarray, field: Field) -> dict[str, Any]:
    found = stats.mean(values, weight) if field.kind == "int" else stats.mean_share(values, weight)
    row = {
        "kind": "number" if field.kind == "int" else "share",
        "n": found.n,
        "mean": found.value,
        "low": found.low,
        "high": found.high,
        "half_width": found.half_width,
        "method": found.method,
    }
    if field.kind != "int":
        return row
    moments = stats.moments(values, weight)
    return {
        **row,
        "sd": moments.sd,
        "minimum": int(moments.low),
        "maximum": int(moments.high),
        "quantiles": {str(q): int(stats.quantile(values, weight, q / 100).value) for q in QUANTILES},
    }
