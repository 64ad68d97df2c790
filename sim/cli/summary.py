"""Estimates with intervals from exact counts, for the printed summary of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sim.games.base import Field

#: two-sided 95 % point of the normal distribution
Z = 1.959963984540054

QUANTILES = (5, 25, 50, 75, 95)


def wilson(mean: float, n: int, z: float = Z) -> tuple[float, float]:
    """Wilson interval of a rate from `n` games.

    For shared wins (values between 0 and 1) it is wider than needed, never narrower: their variance is at most that
    of a win-or-loss with the same mean.

    Source
    ------
    E. B. Wilson, *Probable inference, the law of succession, and statistical inference*, JASA 22 (1927).
    """
    centre = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(mean * (1 - mean) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def summary(counts: Mapping[str, np.ndarray], fields: Sequence[Field]) -> list[dict[str, Any]]:
    """One row per seat and column: mean, half-width of the 95 % interval, spread, quantiles or Wilson limits."""
    rows: list[dict[str, Any]] = []
    for seat in np.unique(counts["seat"]).tolist():
        here = counts["seat"] == seat
        for field in fields:
            values, inverse = np.unique(counts[field.name][here], return_inverse=True)
            weight = np.bincount(inverse.ravel(), weights=counts["count"][here]).astype(np.int64)
            rows.append({"seat": seat, "column": field.name, "unit": field.unit, **_estimate(values, weight, field)})
    return rows


def _estimate(values: np.ndarray, weight: np.ndarray, field: Field) -> dict[str, Any]:
    n = int(weight.sum())
    numbers = values.astype(np.float64)
    mean = float(numbers @ weight / n)
    variance = float((numbers - mean) ** 2 @ weight / max(n - 1, 1))
    result: dict[str, Any] = {
        "kind": "number" if field.kind == "int" else "share",
        "n": n,
        "mean": mean,
        "half_width": Z * math.sqrt(variance / n),
    }
    if field.kind != "int":
        low, high = wilson(mean, n)
        return {**result, "low": low, "high": high}
    below = np.cumsum(weight)
    quantiles = {str(q): int(values[np.searchsorted(below, math.ceil(q / 100 * n))]) for q in QUANTILES}
    return {
        **result,
        "sd": math.sqrt(variance),
        "minimum": int(values[0]),
        "maximum": int(values[-1]),
        "quantiles": quantiles,
    }
