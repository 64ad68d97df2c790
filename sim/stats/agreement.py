"""Agreement of a sample with an exact distribution: how surprising are the counts, if the exact values are true?

Each function returns an `Agreement` with a p-value: the chance of a sample at least as far off. Nothing here decides;
whoever makes many comparisons divides one error rate among them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from sim.stats.counts import whole

#: a cell of a distribution is merged with its neighbours until so many games are expected in it: with fewer, the
#: chi-square's far tail is too short
LEAST_EXPECTED = 25.0
#: chance that a value outside an exact distribution is still possible (distributions are cut where less is left)
TAIL = 1e-12


@dataclass(frozen=True)
class Agreement:
    """One comparison of a sample with the truth.

    Attributes
    ----------
    method : str
        The test, in a few words.
    exact, observed : float
        A mean, a share, or, for a distribution, the chance and the share of the cell that differs most.
    where : str
        That cell; empty for means and shares.
    statistic : float
        Standard deviations for means and shares, Pearson's X² for distributions.
    freedom : int
        Degrees of freedom of X²; 0 for means and shares.
    p : float
        Chance of a sample at least as far off.
    n : int
        Games.
    """

    method: str
    exact: float
    observed: float
    where: str
    statistic: float
    freedom: int
    p: float
    n: int


@dataclass(frozen=True)
class Exact:
    """A distribution that is known: values in ascending order and their probabilities.

    Attributes
    ----------
    values, chances : float64 arrays
        Probabilities of exactly 0 mean *impossible*.
    error : float
        Bound on the error of the mean.
    """

    values: np.ndarray
    chances: np.ndarray
    error: float = 0.0

    @classmethod
    def of(cls, chances: ArrayLike, error: float = 0.0) -> Exact:
        """Probabilities of 0, 1, 2, …"""
        p = np.asarray(chances, np.float64)
        return cls(np.arange(p.size, dtype=np.float64), p, error)

    @classmethod
    def at(cls, chances: dict[float, float], error: float = 0.0) -> Exact:
        """Probabilities of some values."""
        values = sorted(chances)
        return cls(np.array(values, np.float64), np.array([chances[v] for v in values], np.float64), error)

    @property
    def mean(self) -> float:
        return float(self.values @ self.chances / self.chances.sum())

    @property
    def sd(self) -> float:
        return math.sqrt(float((self.values - self.mean) ** 2 @ self.chances / self.chances.sum()))


def cells_of(expected: np.ndarray, least: float = LEAST_EXPECTED) -> np.ndarray:
    """Number of the merged cell of each value: neighbours together until `least` games are expected; the last cell
    takes what is left over.
    """
    cell = np.zeros(expected.size, np.int64)
    held, number, begun = 0.0, 0, 0
    for i, e in enumerate(expected):
        if held >= least:
            held, number, begun = 0.0, number + 1, i
        cell[i] = number
        held += e
    if number and held < least:
        cell[begun:] = number - 1
    return cell


def share_agreement(successes: int, n: int, exact: float, error: float = 0.0) -> Agreement:
    """A share against an exact probability: the binomial distribution itself, both tails (twice the smaller one).

    `error` bounds what is not known of `exact`; the end of that range nearer to the sample is tested.
    """
    near = min(max(successes / n, exact - error), exact + error)
    near = min(max(near, 0.0), 1.0)
    low = float(stats.binom.cdf(successes, n, near))
    high = float(stats.binom.sf(successes - 1, n, near))
    sd = math.sqrt(n * near * (1 - near))
    off = successes - n * near
    z = off / sd if sd > 0 else math.copysign(math.inf, off) if abs(off) > 0 else 0.0
    return Agreement("binomial", exact, successes / n, "", z, 0, min(1.0, 2 * min(low, high)), n)


def mean_agreement(values: ArrayLike, counts: ArrayLike, exact: Exact) -> Agreement:
    """A mean against its exact value, with the exact standard deviation: normal distribution, both tails.

    A difference no larger than the error of the exact value is no difference.
    """
    v, c = np.asarray(values, np.float64), whole(counts).astype(np.float64)
    n = int(c.sum())
    observed = float(v @ c / n)
    off = observed - exact.mean
    off = math.copysign(max(abs(off) - exact.error, 0.0), off)
    se = exact.sd / math.sqrt(n)
    z = off / se if se > 0 else (0.0 if abs(off) < 1e-9 else math.copysign(math.inf, off))
    return Agreement(
        "mean, exact standard deviation", exact.mean, observed, "", z, 0, float(2 * stats.norm.sf(abs(z))), n
    )


def distribution_agreement(
    values: ArrayLike, counts: ArrayLike, exact: Exact, least: float = LEAST_EXPECTED
) -> Agreement:
    """Counts of values against an exact distribution: Pearson's X² over cells in which at least `least` games are
    expected.

    With two cells left it is a share and tested as one. A value that the exact distribution does not hold, or holds
    with probability 0, is possible only through what was cut off: its p-value is that chance.
    """
    v, c = np.asarray(values, np.float64), whole(counts)
    n = int(c.sum())
    at = np.searchsorted(exact.values, v)
    known = at < exact.values.size
    known[known] = exact.values[at[known]] == v[known]
    known[known] = exact.chances[at[known]] > 0
    strange = (~known) & (c > 0)
    if strange.any():
        cut = max(abs(1.0 - float(exact.chances.sum())), TAIL)
        value = v[strange][np.argmax(c[strange])]
        seen = int(c[strange].sum())
        return Agreement("impossible value", 0.0, seen / n, f"{value:g}", math.inf, 0, min(1.0, n * cut), n)
    observed = np.zeros(exact.values.size)
    np.add.at(observed, at[known], c[known])
    cell = cells_of(n * exact.chances, least)
    size = int(cell[-1]) + 1
    told = [_range(exact.values[(cell == k) & (exact.chances > 0)]) for k in range(size)]
    p = np.bincount(cell, exact.chances, size) / exact.chances.sum()
    o = np.bincount(cell, observed, size)
    if size == 1:
        return Agreement("one cell", 1.0, 1.0, told[0], 0.0, 0, 1.0, n)
    if size == 2:
        share = share_agreement(int(o[1]), n, float(p[1]))
        return Agreement(share.method, share.exact, share.observed, told[1], share.statistic, 0, share.p, n)
    e = n * p
    statistic = float(((o - e) ** 2 / e).sum())
    worst = int(np.argmax(np.abs(o - e) / np.sqrt(e * (1 - p))))
    chance = float(stats.chi2.sf(statistic, size - 1))
    return Agreement("chi-square", float(p[worst]), float(o[worst] / n), told[worst], statistic, size - 1, chance, n)


def _range(values: np.ndarray) -> str:
    if values.size == 1:
        return f"{values[0]:g}"
    return f"{values[0]:g} to {values[-1]:g}"
