"""Comparisons: which of two is better, how many games tell, and verdicts that may say 'not yet known'."""

from __future__ import annotations

import math
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from sim.stats.counts import moments, sample
from sim.stats.estimate import Estimate


class Verdict(StrEnum):
    """Three outcomes of a check against a target; absence of evidence is not a pass."""

    INSIDE = "inside"
    OUTSIDE = "outside"
    UNKNOWN = "not yet known"


def inside(estimate: Estimate, low: float, high: float) -> Verdict:
    """Is the quantity inside the band [low, high]? Inside or outside only if the whole interval is."""
    if not estimate or math.isnan(estimate.low):
        return Verdict.UNKNOWN
    if low <= estimate.low and estimate.high <= high:
        return Verdict.INSIDE
    if estimate.high < low or estimate.low > high:
        return Verdict.OUTSIDE
    return Verdict.UNKNOWN


def at_least(estimate: Estimate, threshold: float) -> Verdict:
    """Is the quantity at least `threshold`? 'inside' means yes."""
    return inside(estimate, threshold, math.inf)


def superiority(
    values: ArrayLike, counts: ArrayLike, other_values: ArrayLike, other_counts: ArrayLike, level: float = 0.95
) -> Estimate:
    """Probability that a game of the first sample beats one of the second, ties counting half.

    The interval is that of Brunner and Munzel (2000): from the variances of the placements of each sample in the other.
    """
    x, a = sample(values, counts)
    y, b = sample(other_values, other_counts)
    n, m = int(a.sum()), int(b.sum())
    if n == 0 or m == 0:
        return Estimate(math.nan, math.nan, math.nan, 0, level, "probability of superiority")
    place_x = _placement(x, y, b)  # P(Y < x) + ½ P(Y = x)
    place_y = _placement(y, x, a)
    p = float((place_x * a).sum() / n)
    variance = 0.0
    for place, weight, size in ((place_x, a, n), (place_y, b, m)):
        if size > 1:
            centre = (place * weight).sum() / size
            variance += float(((place - centre) ** 2 * weight).sum()) / (size - 1) / size
    half = float(stats.norm.ppf((1 + level) / 2)) * math.sqrt(variance)
    return Estimate(p, max(0.0, p - half), min(1.0, p + half), min(n, m), level, "Brunner–Munzel")


def _placement(at: np.ndarray, values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    below = np.concatenate([[0], np.cumsum(counts)])
    left = below[np.searchsorted(values, at, "left")]
    right = below[np.searchsorted(values, at, "right")]
    return np.asarray((left + right) / 2 / below[-1], np.float64)


def games_to_tell(mean_difference: float, sd: float, sure: float = 0.9) -> float:
    """Games after which the better of two is ahead in total with probability `sure` (normal approximation).

    Parameters
    ----------
    mean_difference, sd : float
        Of one game's difference, better minus other.
    """
    if mean_difference <= 0:
        return math.inf
    return max(1.0, float(stats.norm.ppf(sure)) ** 2 * (sd / mean_difference) ** 2)


def games_to_settle(estimate: Estimate, low: float, high: float) -> float:
    """Games after which a verdict about the band [low, high] should be known, if the value stays where it is.

    The interval shrinks with the square root of n until it no longer reaches the nearest end of the band; infinite
    where the value lies on that end.
    """
    distance = min(abs(estimate.value - end) for end in (low, high) if math.isfinite(end))
    if distance == 0:
        return math.inf
    return max(float(estimate.n), estimate.n * (estimate.half_width / distance) ** 2)


def separate(
    values: ArrayLike, counts: ArrayLike, other_values: ArrayLike, other_counts: ArrayLike, level: float = 0.95
) -> Estimate:
    """Difference of two means, first minus second, of samples that have no game in common.

    Welch's interval: no equal spreads are assumed; degrees of freedom after Satterthwaite.
    """
    x, y = moments(values, counts), moments(other_values, other_counts)
    value = x.mean - y.mean
    half = math.nan
    if min(x.n, y.n) > 1:
        a, b = x.sd**2 / x.n, y.sd**2 / y.n
        half = 0.0
        if a + b > 0:
            freedom = (a + b) ** 2 / (a**2 / (x.n - 1) + b**2 / (y.n - 1))
            half = float(stats.t.ppf((1 + level) / 2, freedom)) * math.sqrt(a + b)
    return Estimate(value, value - half, value + half, min(x.n, y.n), level, "difference of separate means, Welch")


def without_pairing(sd: float, other_sd: float, n: int, level: float = 0.95) -> float:
    """Half-width of `separate` for two samples of `n` games each: what pairing them is measured against."""
    if n < 2:
        return math.nan
    a, b = sd**2 / n, other_sd**2 / n
    if a + b == 0:
        return 0.0
    freedom = (n - 1) * (a + b) ** 2 / (a**2 + b**2)
    return float(stats.t.ppf((1 + level) / 2, freedom)) * math.sqrt(a + b)
