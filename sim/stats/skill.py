"""Skill and luck: which part of a result's variance is due to who plays, and which to the dice.

All of it is about named players: the share of "skill" between two policies says nothing about another pair. How many
games it takes until the better one shows is in `sim.stats.ahead`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from sim.stats.counts import moments, sample, whole
from sim.stats.estimate import Estimate

_METHOD = "two-way layout on common dice, large sample"


@dataclass(frozen=True)
class VarianceShares:
    """Where the variance of a result comes from if one of these policies is taken by lot and plays one game.

    Attributes
    ----------
    policy : Estimate
        Share due to who plays: the variance of the policies' true means.
    dice : Estimate
        Share due to the game drawn, the same for all policies: the variance of the policies' mean result in a game.
    interaction : Estimate
        The rest: dice that suit one policy more than another, and a policy's own draws.
    total : float
        The variance itself.
    n : int
        Games, each played by all policies.
    """

    policy: Estimate
    dice: Estimate
    interaction: Estimate
    total: float
    n: int


def two_way(results: ArrayLike, counts: ArrayLike, level: float = 0.95) -> VarianceShares:
    """Shares of variance due to policy, dice and their interaction, from joint counts.

    The two-way layout without replication, policies fixed and games drawn: first-order Sobol' indices of policy and
    dice (Cornfield and Tukey 1956, *Average values of mean squares in factorials*, Annals of Mathematical Statistics
    27; Sobol' 1993). The three variances are unbiased, the noise of the means being taken out of the first, so its
    share can come out slightly below 0. Intervals over games, from the influence of each game on the shares, with the
    term of second order where the policies hardly differ.

    Parameters
    ----------
    results : float[kinds, policies]
        Results of the policies in games of one kind: the same dice in a row.
    counts : int[kinds]
        How many games of that kind.

    Returns
    -------
    VarianceShares
    """
    x = np.asarray(results, np.float64)
    c = whole(counts)
    if x.ndim != 2 or x.shape[1] < 2 or x.shape[0] != c.size:
        raise ValueError(f"results of shape {x.shape} with {c.size} counts; accepted: a column for each of two or more")
    n, k = int(c.sum()), x.shape[1]
    if n < 2:
        return _nothing(n, level)
    weight = c / n
    mean = weight @ x
    away = x - mean
    common = away.mean(axis=1)
    own = ((away - common[:, None]) ** 2).mean(axis=1)
    excess = mean - mean.mean()
    dice = float(weight @ common**2) * n / (n - 1)
    interaction = float(weight @ own) * n / (n - 1)
    policy = float((excess**2).mean()) - interaction / n
    influence = np.stack([2 / k * away @ excess, common**2 - dice, own - interaction])
    centred = away - common[:, None]
    covariance = (centred * weight[:, None]).T @ centred / n
    second = 2 * float((covariance**2).sum()) / k**2
    spread = influence * weight @ influence.T / n
    spread[0, 0] += second
    parts = np.array([policy, dice, interaction])
    total = float(parts.sum())
    if total <= 0:
        return _nothing(n, level)
    shares = parts / total
    gradient = (np.eye(3) - shares[:, None]) / total
    errors = np.sqrt(np.maximum(np.diag(gradient @ spread @ gradient.T), 0.0))
    return _shares(shares, errors, total, n, level, _METHOD)


def variance_shares(
    one: tuple[ArrayLike, ArrayLike],
    other: tuple[ArrayLike, ArrayLike],
    differences: tuple[ArrayLike, ArrayLike],
    level: float = 0.95,
) -> VarianceShares:
    """The same for two policies, from what a sweep keeps: counts of both and of their differences in the same games.

    The estimates are those of `two_way`, since Var((a + b)/2) = (Var a + Var b)/2 − Var(a − b)/4. How the errors of
    the three counts go together is not known from them; they are added as if they always did (Minkowski's inequality),
    so the intervals cover with at least the stated confidence.

    Parameters
    ----------
    one, other, differences : (values, counts)
        Exact counts of the same games.
    """
    parts = [sample(*given) for given in (one, other, differences)]
    a, b, d = (moments(*given) for given in parts)
    if not a.n == b.n == d.n:
        raise ValueError(f"{d.n} differences of {a.n} and {b.n} games; accepted: three counts of the same games")
    n = a.n
    if n < 2:
        return _nothing(n, level)
    both = (a.sd**2 + b.sd**2) / 2
    interaction = d.sd**2 / 4
    policy = d.mean**2 / 4 - interaction / n
    total = policy + both
    if total <= 0:
        return _nothing(n, level)
    shares = np.array([policy, both - interaction, interaction]) / total
    # how policy, dice and interaction change with Var a, Var b and with the differences
    moved = np.array([[0.0, 0.0], [0.5, 0.5], [0.0, 0.0]])
    gradient = (np.eye(3) - shares[:, None]) / total
    squares = (parts[2][0] - d.mean) ** 2 - d.sd**2
    lines = d.mean * (parts[2][0] - d.mean) / 2
    by_difference = gradient @ np.stack([lines, -squares / 4, squares / 4])
    weight = parts[2][1] / n
    of_difference = np.sqrt(np.maximum(by_difference**2 @ weight / n, 0.0))
    second = gradient[:, 0] ** 2 * 2 * (interaction / n) ** 2
    errors = np.sqrt(of_difference**2 + second)
    for place, m in enumerate((a, b)):
        errors = errors + np.abs(gradient @ moved[:, place]) * math.sqrt(max(m.fourth - m.sd**4, 0.0) / n)
    return _shares(shares, errors, total, n, level, _METHOD + ", on the wide side")


def _shares(shares: np.ndarray, errors: np.ndarray, total: float, n: int, level: float, method: str) -> VarianceShares:
    z = float(stats.norm.ppf((1 + level) / 2))
    policy, dice, interaction = (
        Estimate(s, max(0.0, s - z * e), min(1.0, s + z * e), n, level, method)
        for s, e in zip(shares.tolist(), errors.tolist(), strict=True)
    )
    return VarianceShares(policy, dice, interaction, total, n)


def _nothing(n: int, level: float) -> VarianceShares:
    unknown = Estimate(math.nan, math.nan, math.nan, n, level, _METHOD)
    return VarianceShares(unknown, unknown, unknown, math.nan if n < 2 else 0.0, n)
