"""Several numbers measured on the same games: exact sums, and from them means, covariances and contrasts.

Common random numbers make the results of different comparisons depend on each other: the same deal helps the same
policy in several pairs. Whoever combines them needs the covariances. All sums are whole numbers, so nothing depends on
the order in which games were added, and memory is one matrix, however many games there were.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from sim.stats.estimate import Estimate


@dataclass(frozen=True)
class Joint:
    """Sums over `n` units of m whole numbers that were measured on each.

    Attributes
    ----------
    n : int
        Independent units: game indices.
    sums : int64[m]
    cross : int64[m, m]
        Sums of products.
    scale : float64[m]
        What one step of each number is worth in its unit.
    """

    n: int
    sums: np.ndarray
    cross: np.ndarray
    scale: np.ndarray

    @cached_property
    def mean(self) -> np.ndarray:
        """float64[m]."""
        return np.asarray(self.sums / self.n * self.scale, np.float64)

    @cached_property
    def covariance(self) -> np.ndarray:
        """float64[m, m]: covariance of the means, estimated; NaN for a single unit."""
        if self.n < 2:
            return np.full(self.cross.shape, math.nan)
        s = self.sums.astype(object)
        # Python's whole numbers: the difference of two large products is exact
        centred = (self.n * self.cross.astype(object) - np.outer(s, s)).astype(np.float64)
        return np.asarray(centred / self.n**2 / (self.n - 1) * np.outer(self.scale, self.scale), np.float64)

    def contrast(self, weights: ArrayLike, level: float = 0.95) -> Estimate:
        """Mean of a weighted sum of the numbers, with Student's interval over units."""
        w = np.asarray(weights, np.float64)
        value = float(w @ self.mean)
        if self.n < 2:
            return Estimate(value, math.nan, math.nan, self.n, level, "mean over units, Student's t")
        error = math.sqrt(max(0.0, float(w @ self.covariance @ w)))
        half = float(stats.t.ppf((1 + level) / 2, self.n - 1)) * error
        return Estimate(value, value - half, value + half, self.n, level, "mean over units, Student's t")


def paired_share(mean: float, variance: float, n: int, level: float = 0.95) -> Estimate:
    """A share (win rate) averaged over units that are not single games: Wilson's interval with an effective n.

    The score interval of Wilson for as many independent games as would give the measured variance,
    ``mean (1 − mean) / variance``. It stays inside 0 … 1 near the ends, and for units that are single games without
    draws it is Wilson's own. Where all units came out alike, there is no variance to go by, and the number of units is
    taken, which is the least that it can be.

    Parameters
    ----------
    mean : float
        Mean over units of a number between 0 and 1.
    variance : float
        Estimated variance of that mean.
    n : int
        Units.
    """
    method = "Wilson, effective number of units"
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, 0, level, method)
    spread = mean * (1 - mean)
    # nothing between 0 and 1 spreads more than a toss of 0 and 1 does, so `effective` is at least n (n − 1) / n
    effective = spread / variance if variance > 0 and spread > 0 else float(n)
    z = float(stats.norm.ppf((1 + level) / 2))
    scale = 1 + z**2 / effective
    centre = (mean + z**2 / (2 * effective)) / scale
    half = z / scale * math.sqrt(spread / effective + z**2 / (4 * effective**2))
    low = 0.0 if mean == 0 else max(0.0, centre - half)
    high = 1.0 if mean == 1 else min(1.0, centre + half)
    return Estimate(mean, low, high, n, level, method)


def half_test(mean: float, variance: float, n: int) -> float:
    """p-value, two-sided, of "the mean of these units is one half".

    Student's t over units; where all units came out alike and not at one half, the sign test, 2^(1 − n).
    """
    if n < 2:
        return 1.0
    if variance <= 0:
        return 1.0 if mean == 0.5 else 2.0 ** (1 - n)
    return float(2 * stats.t.sf(abs(mean - 0.5) / math.sqrt(variance), n - 1))
