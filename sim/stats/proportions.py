"""Shares: Wilson intervals, and win/draw/loss."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from sim.stats.counts import moments, whole
from sim.stats.estimate import Estimate


def wilson_band(successes: ArrayLike, n: ArrayLike, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Wilson's score interval, element by element.

    Returns
    -------
    low, high : float arrays
        NaN where n is 0.
    """
    x = np.asarray(successes, np.float64)
    total = np.asarray(n, np.float64)
    z = float(stats.norm.ppf((1 + level) / 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        p = x / total
        centre = (p + z**2 / (2 * total)) / (1 + z**2 / total)
        half = z / (1 + z**2 / total) * np.sqrt(p * (1 - p) / total + z**2 / (4 * total**2))
    low = np.where(x == 0, 0.0, np.clip(centre - half, 0, 1))
    high = np.where(x == total, 1.0, np.clip(centre + half, 0, 1))
    nothing = total == 0
    return np.where(nothing, np.nan, low), np.where(nothing, np.nan, high)


def wilson(successes: float, n: int, level: float = 0.95) -> Estimate:
    """Share with Wilson's interval; for 0 of n the one-sided bound −ln(1 − level)/n, about 3/n at 95 %.

    For n of n it is the complement: from 1 − 3/n up to 1. Where games count in parts, as a shared win does, `successes`
    is the sum of the parts: these vary less than whole ones, so the interval is on the safe side.

    Raises
    ------
    ValueError
        In one line: more successes than games, or less than none.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} games; accepted: from 0 to all of them")
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, 0, level, "Wilson")
    if successes in (0, n):
        bound = min(1.0, -math.log(1 - level) / n)
        if successes == 0:
            return Estimate(0.0, 0.0, bound, n, level, "0 of n: rule of three")
        return Estimate(1.0, 1 - bound, 1.0, n, level, "n of n: rule of three")
    low, high = wilson_band(successes, n, level)
    return Estimate(successes / n, float(low), float(high), n, level, "Wilson")


def mean_share(values: ArrayLike, counts: ArrayLike, level: float = 0.95) -> Estimate:
    """Mean of shares between 0 and 1, where a shared win counts 1/k: Student's interval, cut to [0, 1].

    With only zeros and ones it is a plain proportion, and Wilson's interval is used.
    """
    v = np.asarray(values, np.float64)
    c = whole(counts)
    if v.size and (v.min() < 0 or v.max() > 1):
        raise ValueError("a share is outside 0 … 1")
    if np.isin(v[c > 0], (0.0, 1.0)).all():
        return wilson(int(c[v == 1].sum()), int(c.sum()), level)
    m = moments(v, c)
    half = float(stats.t.ppf((1 + level) / 2, m.n - 1)) * m.sd / math.sqrt(m.n) if m.n > 1 else math.nan
    return Estimate(m.mean, max(0.0, m.mean - half), min(1.0, m.mean + half), m.n, level, "mean share, Student's t")


def win_draw_loss(values: ArrayLike, counts: ArrayLike, level: float = 0.95) -> Mapping[str, Estimate]:
    """Shares of games won alone (value 1), shared (between) and lost (0), each with Wilson's interval."""
    v = np.asarray(values, np.float64)
    c = whole(counts)
    n = int(c.sum())
    parts = {"win": v == 1, "draw": (v > 0) & (v < 1), "loss": v == 0}
    return {name: wilson(int(c[here].sum()), n, level) for name, here in parts.items()}
