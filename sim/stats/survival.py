"""How long it takes: survival curves, time quantiles and tails, with games cut off at a cap."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from sim.stats.counts import quantile, sample
from sim.stats.estimate import Estimate
from sim.stats.proportions import wilson, wilson_band


@dataclass(frozen=True)
class Curve:
    """Share of games still going after each time, with a pointwise band.

    Attributes
    ----------
    time : float64 array
        0 and every time at which a game ended.
    share, low, high : float64 arrays
        P(length > time) and its Wilson interval.
    """

    time: np.ndarray
    share: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n: int
    level: float


def _lengths(times: ArrayLike, counts: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    v, c = sample(times, counts)
    if v.size and v[0] < 0:
        raise ValueError(f"a time of {v[0]:g}; accepted: times from 0 on")
    return v, c


def survival(times: ArrayLike, counts: ArrayLike, capped: int = 0, level: float = 0.95) -> Curve:
    """Survival curve of games that ended, plus `capped` games that were still going at the cap.

    As all games are cut at the same time, the curve is a plain proportion up to there (no Kaplan–Meier needed).

    Parameters
    ----------
    times, counts : arrays
        Lengths of the games that ended.
    capped : int
        Games cut off, longer than every time in `times`.

    Raises
    ------
    ValueError
        In one line: a time below 0.
    """
    v, c = _lengths(times, counts)
    n = int(c.sum()) + capped
    left = n - np.concatenate([[0], np.cumsum(c)])
    low, high = wilson_band(left, np.full(left.shape, n), level)
    share = left / n if n else np.full(left.shape, np.nan)
    return Curve(np.concatenate([[0.0], v]), share, low, high, n, level)


def time_quantile(times: ArrayLike, counts: ArrayLike, p: float, capped: int = 0, level: float = 0.95) -> Estimate:
    """Length that a share `p` of games does not exceed; infinite where it lies beyond the cap."""
    v, c = _lengths(times, counts)
    if capped:
        v, c = np.append(v, math.inf), np.append(c, capped)
    return replace(quantile(v, c, p, level), method="order statistics")


def longer_than(times: ArrayLike, counts: ArrayLike, limit: float, capped: int = 0, level: float = 0.95) -> Estimate:
    """Share of games longer than `limit`; a capped game counts as longer."""
    v, c = _lengths(times, counts)
    return wilson(int(c[v > limit].sum()) + capped, int(c.sum()) + capped, level)
