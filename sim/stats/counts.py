"""Mean, spread, quantiles and the expected best of several games, from exact counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from sim.stats.estimate import Estimate


def whole(counts: ArrayLike) -> np.ndarray:
    """Counts of games as int64; ValueError where one is no whole number, instead of cutting it off."""
    c = np.asarray(counts)
    if c.dtype.kind == "f" and not (odd := np.isfinite(c) & (c == np.floor(c))).all():
        raise ValueError(f"a count of {c[~odd].flat[0]:g}; accepted: whole numbers of games")
    return c.astype(np.int64, copy=False)


def sample(values: ArrayLike, counts: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Distinct values in ascending order and their counts; zero counts are left out.

    Returns
    -------
    values : float64 array
    counts : int64 array

    Raises
    ------
    ValueError
        In one line: a count that is negative or no whole number, or not one for each value.
    """
    v = np.asarray(values, np.float64).ravel()
    c = whole(counts).ravel()
    if v.shape != c.shape:
        raise ValueError(f"{v.size} values with {c.size} counts")
    if c.size and c.min() < 0:
        raise ValueError("a count is negative")
    distinct, where = np.unique(v, return_inverse=True)
    summed = np.zeros(distinct.size, np.int64)
    np.add.at(summed, where, c)
    return distinct[summed > 0], summed[summed > 0]


@dataclass(frozen=True)
class Moments:
    """Sample size, mean, standard deviation (n − 1), fourth central moment (n), smallest and largest value."""

    n: int
    mean: float
    sd: float
    fourth: float
    low: float
    high: float


def moments(values: ArrayLike, counts: ArrayLike) -> Moments:
    """Moments of a sample given as counts; NaN where there are too few games."""
    v, c = sample(values, counts)
    n = int(c.sum())
    if n == 0:
        return Moments(0, *[math.nan] * 5)
    centre = float((v * c).sum() / n)
    squares = float(((v - centre) ** 2 * c).sum())
    fourth = float(((v - centre) ** 4 * c).sum() / n)
    sd = math.sqrt(squares / (n - 1)) if n > 1 else math.nan
    return Moments(n, centre, sd, fourth, float(v[0]), float(v[-1]))


def mean(values: ArrayLike, counts: ArrayLike, level: float = 0.95) -> Estimate:
    """Mean with Student's interval."""
    m = moments(values, counts)
    half = math.nan
    if m.n > 1:
        half = float(stats.t.ppf((1 + level) / 2, m.n - 1)) * m.sd / math.sqrt(m.n)
    return Estimate(m.mean, m.mean - half, m.mean + half, m.n, level, "mean, Student's t")


def spread(values: ArrayLike, counts: ArrayLike, level: float = 0.95) -> Estimate:
    """Standard deviation with a large-sample interval that does not assume a normal distribution.

    The variance of the sample standard deviation is (m4 − s⁴) / (4 s² n), m4 the fourth central moment.
    """
    m = moments(values, counts)
    half = math.nan
    if m.n > 1 and m.sd > 0:
        half = float(stats.norm.ppf((1 + level) / 2)) * math.sqrt(max(m.fourth - m.sd**4, 0.0) / (4 * m.sd**2 * m.n))
    elif m.n > 1:
        half = 0.0
    return Estimate(m.sd, max(m.sd - half, 0.0), m.sd + half, m.n, level, "standard deviation, large sample")


def _at_rank(v: np.ndarray, c: np.ndarray, rank: int) -> float:
    """The `rank`-th smallest of the sample (from 1)."""
    return float(v[np.searchsorted(np.cumsum(c), rank)])


@lru_cache(maxsize=1024)
def _ranks(n: int, p: float, level: float) -> tuple[int, int]:
    """Ranks of the order statistics that enclose a quantile; below 1 or above `n` where there are too few games."""
    tail = (1 - level) / 2
    # the r-th smallest is above the quantile only if fewer than r games are at or below it
    r = int(stats.binom.ppf(tail, n, p))
    if stats.binom.cdf(r - 1, n, p) > tail:  # ppf may land one too high through rounding
        r -= 1
    return r, int(stats.binom.ppf(1 - tail, n, p)) + 1


def quantile(values: ArrayLike, counts: ArrayLike, p: float, level: float = 0.95) -> Estimate:
    """Quantile with a distribution-free interval from order statistics.

    The number of games at or below the true quantile is binomial, so a pair of order statistics encloses it
    with at least the stated confidence, whatever the distribution (David and Nagaraja, *Order Statistics*, 7.1). The
    value is the smallest x with F(x) ≥ p.

    Parameters
    ----------
    p : float
        0 < p < 1.
    """
    if not 0 < p < 1:
        raise ValueError(f"p = {p}; a quantile needs 0 < p < 1")
    v, c = sample(values, counts)
    n = int(c.sum())
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, 0, level, "order statistics")
    value = _at_rank(v, c, min(n, max(1, math.ceil(n * p - 1e-9))))
    r, s = _ranks(n, p, level)
    low = _at_rank(v, c, r) if r >= 1 else -math.inf
    high = _at_rank(v, c, s) if s <= n else math.inf
    return Estimate(value, low, high, n, level, "order statistics")


def share_at_least(values: ArrayLike, counts: ArrayLike, limit: float) -> tuple[int, int]:
    """(games with a value of at least `limit`, all games)."""
    v, c = sample(values, counts)
    return int(c[v >= limit].sum()), int(c.sum())


def expected_best(values: ArrayLike, counts: ArrayLike, games: int, level: float = 0.95) -> Estimate:
    """Expected best result of `games` independent games.

    Unbiased: the mean of the maximum over all subsets of `games` different games of the sample (a U-statistic), from
    counts; P(max ≤ x) = C(N(x), k) / C(n, k). Its interval is Hoeffding's: k² Var h(X) / n with h(x) = E max(x, best of
    k − 1 others).
    """
    v, c = sample(values, counts)
    n = int(c.sum())
    if games < 1:
        raise ValueError(f"games = {games}; at least 1")
    if n < games:
        return Estimate(math.nan, math.nan, math.nan, n, level, "best of several, U-statistic")
    below = np.cumsum(c)
    steps = np.arange(games)
    chance = np.prod((below[:, None] - steps).clip(0) / (n - steps), axis=1)  # P(max ≤ v)
    value = float((v * np.diff(chance, prepend=0.0)).sum())
    f = below / n
    others = np.diff(f ** (games - 1), prepend=0.0)  # distribution of the best of k − 1 others
    h = np.array([(np.maximum(x, v) * others).sum() for x in v]) if games > 1 else v
    centre = (h * c).sum() / n
    variance = games**2 * float((c * (h - centre) ** 2).sum() / n) / n
    half = float(stats.norm.ppf((1 + level) / 2)) * math.sqrt(variance)
    return Estimate(value, value - half, value + half, n, level, "best of several, U-statistic")
