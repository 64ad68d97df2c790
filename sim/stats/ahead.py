"""Chance to be ahead in total after several games: exact convolution of exact counts."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import signal, stats

from sim.stats.counts import moments, sample
from sim.stats.estimate import Estimate
from sim.stats.joint import paired_share

#: results are whole multiples of 1/5040: scores, and wins shared by up to ten
_FINEST = 5040
#: longest distribution that is convolved; beyond it the sum is as good as normal
_LONGEST = 1 << 20


def ahead(values: ArrayLike, counts: ArrayLike, games: int, level: float = 0.95) -> Estimate:
    """Chance that the sum of `games` differences is above 0, a sum of 0 counting half.

    For two players at one table with the same dice: `values` are differences of their results in one game. The sum's
    distribution is that of independent games from the counts (convolution by fast Fourier transform, error below 1e-9).
    One game is a share with Wilson's interval. For more, the interval comes from how much one game in the sample
    moves the chance, games × (h(x) − mean), h(x) the chance with x in one of the games, on the scale of the normal
    quantile (delta method).

    Parameters
    ----------
    values, counts
        Exact counts of paired differences, whole multiples of 1/5040.
    games : int

    Returns
    -------
    Estimate
        Its value is the exact chance if the counts are exact.
    """
    v, p, n = _distribution(values, counts, games)
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, 0, level, "ahead in total")
    v = v // (math.gcd(*v.tolist()) or 1)
    size = (games - 1) * int(v[-1] - v[0]) + 1
    h = _normal(v, p, games) if size > _LONGEST else _chance(v, p, games, v)
    return _estimate(float(p @ h), games**2 * _variance(p, h, n), games, n, level)


def ahead_apart(
    values: ArrayLike,
    counts: ArrayLike,
    other_values: ArrayLike,
    other_counts: ArrayLike,
    games: int,
    level: float = 0.95,
) -> Estimate:
    """The same for two players who each have their own dice: the first's total against the other's.

    Parameters
    ----------
    values, counts, other_values, other_counts
        Exact counts of the two results; they need not be of the same games.
    """
    v, p, n = _distribution(values, counts, games)
    w, q, m = _distribution(other_values, other_counts, games)
    if n == 0 or m == 0:
        return Estimate(math.nan, math.nan, math.nan, 0, level, "ahead in total, own dice")
    step = math.gcd(*v.tolist(), *w.tolist()) or 1
    v, w = v // step, w // step
    one, other = np.zeros(int(v[-1] - v[0]) + 1), np.zeros(int(w[-1] - w[0]) + 1)
    one[v - v[0]], other[w - w[0]] = p, q
    d = np.arange(one.size + other.size - 1) + int(v[0] - w[-1])  # v − w from the least to the most
    chance = np.maximum(signal.fftconvolve(one, other[::-1]), 0.0)
    chance /= chance.sum()
    size = (games - 1) * (d.size - 1) + 1
    h = _normal(d, chance, games) if size > _LONGEST else _chance(d, chance, games, d)
    table = h[v[:, None] - w[None, :] - d[0]]
    mine, theirs = table @ q, p @ table
    variance = games**2 * (_variance(p, mine, n) + _variance(q, theirs, m))
    return _estimate(float(p @ mine), variance, games, min(n, m), level, ", own dice")


def games_needed(
    values: ArrayLike, counts: ArrayLike, sure: float = 0.9, level: float = 0.95, most: int = 1_000_000
) -> Estimate:
    """Fewest games after which the better of two is ahead in total with probability `sure`, a tie counting half.

    From the exact distribution of the sum (`ahead`), not from a normal approximation as `games_to_tell`; the ends of
    the interval are where the ends of that chance reach `sure`. Infinite where the first is not better on average, or
    (upper end) may not be.

    Parameters
    ----------
    values, counts
        Exact counts of one game's difference, better minus other.
    sure : float
        Between 0.5 and 1.
    most : int
        Beyond this many games the answer is infinite.
    """
    if not 0.5 < sure < 1:
        raise ValueError(f"sure = {sure}; accepted: above 0.5 and below 1")
    m = moments(values, counts)
    method = "smallest number with the exact chance of a sum"
    if m.n < 2:
        return Estimate(math.nan, math.nan, math.nan, m.n, level, method)
    known: dict[int, Estimate] = {}

    def chance(games: int) -> Estimate:
        if games not in known:
            known[games] = ahead(values, counts, games, level)
        return known[games]

    value = _first(lambda k: chance(k).value >= sure, most) if m.mean > 0 else math.inf
    low = _first(lambda k: chance(k).high >= sure, most)
    # where the sign is not sure there is no upper end
    sign = m.mean > float(stats.t.ppf((1 + level) / 2, m.n - 1)) * m.sd / math.sqrt(m.n)
    high = _first(lambda k: chance(k).low >= sure, most) if sign else math.inf
    return Estimate(value, min(low, value), high, m.n, level, method)


def _first(reached: Callable[[int], bool], most: int) -> float:
    """Smallest whole number from which on something holds, by doubling and halving; infinite beyond `most`."""
    high = 1
    while not reached(high):
        if high >= most:
            return math.inf
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return float(high)


def _distribution(values: ArrayLike, counts: ArrayLike, games: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Values as whole numbers in ascending order, their shares, and the number of games."""
    if games < 1:
        raise ValueError(f"games = {games}; accepted: at least 1")
    v, c = sample(values, counts)
    whole = np.rint(v * _FINEST)
    if np.abs(whole - v * _FINEST).max(initial=0.0) > 1e-6 * _FINEST:
        odd = v[np.abs(whole / _FINEST - v).argmax()]
        raise ValueError(f"a result of {odd}; accepted: multiples of 1/{_FINEST}, as scores and shared wins are")
    w = whole.astype(np.int64)
    n = int(c.sum())
    return w, c / max(n, 1), n


def _chance(v: np.ndarray, p: np.ndarray, games: int, at: np.ndarray) -> np.ndarray:
    """P(x + sum of games − 1 others > 0) + half of P(= 0), for every x in `at`."""
    width = int(v[-1] - v[0])
    dense = np.zeros(width + 1)
    dense[v - v[0]] = p
    size = (games - 1) * width + 1
    others = np.ones(1)
    if games > 1:
        length = 1 << (size - 1).bit_length()
        others = np.maximum(np.fft.irfft(np.fft.rfft(dense, length) ** (games - 1), length)[:size], 0.0)
        others /= others.sum()
    above = np.concatenate([np.cumsum(others[::-1])[::-1], [0.0]])  # P(sum ≥ place)
    zero = -(at + (games - 1) * int(v[0]))  # place at which x + sum is 0
    least, beyond = np.clip(zero, 0, size), np.clip(zero + 1, 0, size)
    return (above[least] + above[beyond]) / 2


def _normal(v: np.ndarray, p: np.ndarray, games: int) -> np.ndarray:
    """The same for every value by the normal approximation."""
    mean = float(p @ v)
    sd = math.sqrt(float(p @ (v - mean) ** 2))
    h = np.asarray(stats.norm.cdf((v + (games - 1) * mean) / (sd * math.sqrt(games))), np.float64)
    # around the chance of the whole sum: the noise of the single game is in it twice otherwise
    return h - float(p @ h) + float(stats.norm.cdf(math.sqrt(games) * mean / sd))


def _variance(p: np.ndarray, h: np.ndarray, n: int) -> float:
    if n < 2:
        return math.nan
    centre = float(p @ h)
    return float(p @ (h - centre) ** 2) / (n - 1)


def _estimate(chance: float, variance: float, games: int, n: int, level: float, more: str = "") -> Estimate:
    chance = min(max(chance, 0.0), 1.0)
    method = f"ahead in total after {games} games{more}" if games > 1 else f"ahead after a game{more}"
    z = float(stats.norm.ppf(chance))
    if games == 1 or not math.isfinite(z) or not variance > 0:
        e = paired_share(chance, variance if variance > 0 else 0.0, n, level)
        return Estimate(chance, e.low, e.high, n, level, method)
    half = float(stats.norm.ppf((1 + level) / 2)) * math.sqrt(variance) / float(stats.norm.pdf(z))
    low, high = stats.norm.cdf([z - half, z + half]).tolist()
    return Estimate(chance, low, high, n, level, method)
