"""Looking more than once: levels for intervals that stay valid under repeated looks, and intervals that start small.

A run that stops when an interval is short enough looks at its data several times. Repeated confidence intervals
(Jennison and Turnbull 1984; *Group Sequential Methods with Applications to Clinical Trials*, 2000, chapter 9) are
intervals at every look, each a little wider than usual, such that the chance that ANY of them misses the truth is
`alpha`. Whatever decides when to stop, the interval at that look can then be trusted.

Here the same level is used at every look (Pocock 1977). Between looks after n₁ < n₂ < … games an estimate, over its
standard error, is a Gaussian process with correlations √(nᵢ / nⱼ): sums of independent increments, information in
proportion to games. The chance that it stays within ± c at all looks is integrated look by look, over the density of
those still inside (Armitage, McPherson and Rowe 1969), and c is solved for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, stats

from sim.stats.counts import sample, whole
from sim.stats.estimate import Estimate
from sim.stats.proportions import wilson_band

#: the limit of large samples is not trusted with fewer games than this that differ from the commonest value
RARE = 30

#: correlations of neighbouring looks above √(1 − this²) are taken as that: less correlated looks miss more often, so
#: the level errs to the safe side, and the integration needs no finer grid
_FINEST = 0.1


def looks(first: int, most: int, factor: float = 2.0) -> list[int]:
    """Numbers of games after which to look: `first`, then `factor` times as many each time, and `most` in the end.

    A look less than √factor short of the last one is left out: it would cost precision and spare few games. The
    schedule is known before anything is played; nothing about the data or the clock changes it.

    Parameters
    ----------
    first, most : int
        Games at the first and at the last look; a `first` of more than `most` leaves one look.
    factor : float
        More than 1.
    """
    if first < 1 or most < 1 or not factor > 1:
        raise ValueError(f"first = {first}, most = {most}, factor = {factor}; at least 1 game, and a factor above 1")
    found: list[int] = []
    games = float(first)
    while games * math.sqrt(factor) <= most:
        if not found or round(games) > found[-1]:
            found.append(round(games))
        games *= factor
    return [*found, most]


def any_miss(looks: Sequence[int], level: float) -> float:
    """Chance that at least one of the intervals, each of confidence `level`, misses the truth.

    Parameters
    ----------
    looks : sequence of int
        Games at each look, rising.
    level : float
        Two-sided confidence level of every look.
    """
    return _any_miss(_correlations(looks), float(stats.norm.isf((1 - level) / 2)))


def look_level(looks: Sequence[int], alpha: float) -> float:
    """Confidence level for every look, such that the chance that any of the looks misses is `alpha`.

    Parameters
    ----------
    looks : sequence of int
        Games at each look, rising.
    alpha : float
        Chance of any miss over all looks, e.g. 0.05.

    Returns
    -------
    float
        Two-sided level, between 1 − alpha (one look) and 1 − alpha / number of looks (Bonferroni).
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha = {alpha}; between 0 and 1")
    return _look_level(_correlations(looks), alpha)


def _correlations(looks: Sequence[int]) -> tuple[float, ...]:
    """Correlation of every look with the one before."""
    n = np.asarray(looks, np.float64)
    if not n.size or n[0] < 1 or (np.diff(n) <= 0).any():
        raise ValueError(f"looks = {list(looks)}; rising numbers of games")
    return tuple(np.minimum(np.sqrt(n[:-1] / n[1:]), math.sqrt(1 - _FINEST**2)).tolist())


@lru_cache(maxsize=1024)
def _look_level(correlations: tuple[float, ...], alpha: float) -> float:
    count = len(correlations) + 1
    if count == 1:
        return 1 - alpha
    low, high = (float(stats.norm.isf(a / 2)) for a in (alpha, alpha / count))
    bound = optimize.brentq(lambda c: _any_miss(correlations, c) - alpha, low, high, xtol=1e-10)
    return 1 - 2 * float(stats.norm.sf(bound))


def _any_miss(correlations: tuple[float, ...], bound: float) -> float:
    finest = min([math.sqrt(1 - r * r) for r in correlations], default=1.0)
    x, weights = np.polynomial.legendre.leggauss(int(32 + 4 * bound / finest))
    x, weights = bound * x, bound * weights
    inside = stats.norm.pdf(x)  # density of the estimate at this look where no look so far has missed
    moves: dict[float, np.ndarray] = {}  # in a geometric schedule almost all steps are alike
    for r in correlations:
        if r not in moves:
            spread = math.sqrt(1 - r * r)
            moves[r] = np.exp(-(((x[:, None] - r * x) / spread) ** 2) / 2) * (weights / spread / math.sqrt(2 * math.pi))
        inside = moves[r] @ inside
    return float(1 - weights @ inside)


Band = tuple[np.ndarray, np.ndarray, np.ndarray]


def mean_band(
    values: ArrayLike, counts: ArrayLike, level: float, low: float | None = None, high: float | None = None
) -> Band:
    """Means with intervals for early looks, of one sample or of many.

    Student's half-width, and on both sides the size of Hall's correction for skewness (Hall 1992, *The Bootstrap and
    Edgeworth Expansion*, 3.6), s |g| (1 + 2 z²) / 6 n: nothing in large samples, as much as is needed in skewed ones.

    Fewer than `RARE` games that differ from the commonest value say little about how much they differ. Then only
    their share p is estimated, by its exact upper limit (Clopper and Pearson), and the mean is commonest + p × any
    distance there is: between `low` and `high`, the least and the greatest value that can occur, or without limit
    where these are not known. So nothing is ever known for certain because it has not happened yet.

    Parameters
    ----------
    values : float array, m
        Distinct values.
    counts : int array, … × m
        How often each was seen.
    level : float
        Two-sided confidence level.
    low, high : float, optional
        Limits of a single value.

    Returns
    -------
    value, low, high : float arrays
    """
    v, c = np.asarray(values, np.float64), whole(counts)
    n = c.sum(-1)
    commonest = v[c.argmax(-1)]
    others = n - c.max(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = c @ v / n
        centred = v - value[..., None]
        squares = (c * centred**2).sum(-1)
        deviation = np.sqrt(squares / (n - 1))
        skewness = np.where(squares > 0, (c * centred**3).sum(-1) / n / (squares / n) ** 1.5, 0.0)
        z = stats.t.isf((1 - level) / 2, n - 1)
        half = z * deviation / np.sqrt(n) + deviation * np.abs(skewness) * (1 + 2 * z**2) / (6 * n)
        most = stats.beta.ppf(level, others + 1, n - others)  # chance of anything but the commonest value
        below = most * ((-math.inf if low is None else low) - commonest)
        above = most * ((math.inf if high is None else high) - commonest)
    rare = others < RARE
    lower = np.where(rare, np.minimum(commonest + np.minimum(below, 0), value), value - half)
    upper = np.where(rare, np.maximum(commonest + np.maximum(above, 0), value), value + half)
    if low is not None:
        lower = np.maximum(lower, low)
    if high is not None:
        upper = np.minimum(upper, high)
    return value, lower, upper


def share_band(values: ArrayLike, counts: ArrayLike, level: float) -> Band:
    """Shares between 0 and 1 (a shared win counts 1/k) with intervals for early looks, of one sample or of many.

    Wilson's interval where only zeros and ones occur; with fewer than `RARE` of either the exact one (Clopper and
    Pearson), because Wilson's misses rare wins far too often at the high levels of repeated looks. Where wins are
    shared: `mean_band` within 0 … 1. Parameters and results as there.
    """
    v, c = np.asarray(values, np.float64), whole(counts)
    if v.size and (v.min() < 0 or v.max() > 1):
        raise ValueError("a share is outside 0 … 1")
    n, wins = c.sum(-1), c[..., v == 1].sum(-1)
    losses = c[..., v == 0].sum(-1)
    value, lower, upper = mean_band(v, c, level, 0.0, 1.0)
    low, high = wilson_band(wins, n, level)
    with np.errstate(invalid="ignore"):
        exact_low = np.where(wins == 0, 0.0, stats.beta.ppf((1 - level) / 2, wins, losses + 1))
        exact_high = np.where(losses == 0, 1.0, stats.beta.isf((1 - level) / 2, wins + 1, losses))
    rare = np.minimum(wins, losses) < RARE
    plain = wins + losses == n
    lower = np.where(plain, np.where(rare, exact_low, low), lower)
    upper = np.where(plain, np.where(rare, exact_high, high), upper)
    return value, lower, upper


def early_mean(
    values: ArrayLike, counts: ArrayLike, level: float = 0.95, low: float | None = None, high: float | None = None
) -> Estimate:
    """Mean of one sample with the interval of `mean_band`."""
    v, c = sample(values, counts)
    return _estimate(mean_band(v, c, level, low, high) if v.size else None, c, level, "mean, for repeated looks")


def early_share(values: ArrayLike, counts: ArrayLike, level: float = 0.95) -> Estimate:
    """Share of one sample with the interval of `share_band`."""
    v, c = sample(values, counts)
    return _estimate(share_band(v, c, level) if v.size else None, c, level, "share, for repeated looks")


def _estimate(band: Band | None, counts: np.ndarray, level: float, method: str) -> Estimate:
    value, low, high = (math.nan, math.nan, math.nan) if band is None else map(float, band)
    return Estimate(value, low, high, int(counts.sum()), level, method)
