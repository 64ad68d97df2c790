"""An exactly known distribution of whole numbers in a few figures. Nothing here is estimated."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

#: cumulative sums are compared with this slack: they carry the rounding of at most a few thousand additions
_SLACK = 1e-12


@dataclass(frozen=True)
class Distribution:
    """Mean, standard deviation and quantiles of a known distribution, in the unit of its values."""

    mean: float
    sd: float
    p10: int
    median: int
    p90: int
    low: int
    high: int


def pmf_quantile(pmf: ArrayLike, p: float) -> int:
    """Smallest x with F(x) ≥ p, for probabilities of 0, 1, 2, …; 0 < p < 1."""
    if not 0 < p < 1:
        raise ValueError(f"p = {p}; a quantile needs 0 < p < 1")
    cumulated = np.cumsum(np.asarray(pmf, np.float64))
    return int(np.argmax(cumulated >= p - _SLACK))


def distribution(pmf: ArrayLike) -> Distribution:
    """Figures of a distribution given as probabilities of 0, 1, 2, …

    Parameters
    ----------
    pmf : float array
        Non-negative; its sum may miss 1 by rounding or by a tail that was cut.

    Returns
    -------
    Distribution
        `low` and `high` are the smallest and the largest value with a probability above zero.
    """
    p = np.asarray(pmf, np.float64)
    if p.ndim != 1 or p.size == 0 or p.min() < 0 or p.max() <= 0:
        raise ValueError("a distribution needs non-negative probabilities, at least one above zero")
    values = np.arange(p.size)
    mean = float(values @ p)
    sd = math.sqrt(float((values - mean) ** 2 @ p))
    possible = np.flatnonzero(p > 0)
    return Distribution(
        mean,
        sd,
        pmf_quantile(p, 0.1),
        pmf_quantile(p, 0.5),
        pmf_quantile(p, 0.9),
        int(possible[0]),
        int(possible[-1]),
    )
