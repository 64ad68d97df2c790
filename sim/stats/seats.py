"""Do k seats get the same share of the wins? Simultaneous intervals, a test, and a spread without the noise in it.

The largest difference between k seats grows with k and with the noise, in a fair game too; what is printed here is
corrected for both. Before anything is said about seats, `aa_seats` tells how often the test alarms where seats are
alike by construction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from sim.stats.counts import whole
from sim.stats.estimate import Estimate
from sim.stats.proportions import wilson


@dataclass(frozen=True)
class FairShare:
    """Do k seats get the same share of the wins?

    Attributes
    ----------
    shares : list of Estimate
        Share of each seat; the intervals hold for all seats at once (`seat_level`).
    fair : float
        The share that each should get: the mean of the shares (1/k where every game has a winner).
    chi_square, p_value : float
        Test of equal shares, k − 1 degrees of freedom: Pearson's, among the games with a winner; Wald's of
        `seat_balance`.
    spread : float
        Standard deviation of the true shares over seats, corrected for sampling noise (0 where the noise explains all).
    variance : float
        Its square before negative ones are cut: an unbiased estimate, the one to average over scenarios.
    plain : float
        Standard deviation of the shares as they came out, noise included: what `spread` corrects.
    """

    shares: list[Estimate]
    fair: float
    chi_square: float
    p_value: float
    spread: float
    n: int
    variance: float = math.nan
    plain: float = math.nan


def fair_share(wins: ArrayLike, games: int, level: float = 0.95) -> FairShare:
    """Compare the wins of k seats when each game has at most one winner.

    Parameters
    ----------
    wins : array of int, length k
        Games won by each seat.
    games : int
        Games played; games without a winner (capped) count for nobody.
    """
    w = whole(wins)
    if w.size < 2 or games <= 0 or w.sum() > games:
        raise ValueError(f"{w.tolist()} wins in {games} games; accepted: two or more seats, at most one win per game")
    each = seat_level(w / games, level)
    shares = [wilson(int(x), games, each) for x in w]
    shares = [Estimate(e.value, e.low, e.high, e.n, level, "Wilson, simultaneous over seats") for e in shares]
    total = int(w.sum())
    test = stats.chisquare(w) if total else None
    p = w / games
    covariance = (np.diag(p) - np.outer(p, p)) / max(games - 1, 1)
    return _balance(p, covariance, games, shares, float(test.statistic) if test else math.nan, test and test.pvalue)


def seat_balance(patterns: ArrayLike, counts: ArrayLike, level: float = 0.95) -> FairShare:
    """Compare the shares of the wins of k seats when a win may be shared: a winner among m gets 1/m of it.

    The covariances between the seats are those of the games themselves, so that shared and missing wins are counted for
    what they are. The test is Wald's: n dᵀ S⁺ d, d the departures from the mean share.

    Parameters
    ----------
    patterns : bool[kinds, k]
        Which seats won in games of a kind; no seat where nobody did.
    counts : int[kinds]
        How many games of that kind.

    Returns
    -------
    FairShare
    """
    won, c = _patterns(patterns, counts)
    n, k = int(c.sum()), won.shape[1]
    part = won / np.maximum(won.sum(axis=1, keepdims=True), 1)
    p = c @ part / n
    away = part - p
    covariance = (away * c[:, None]).T @ away / max(n - 1, 1) / n
    each = seat_level(p, level) if k == 2 or (won.sum(axis=1) <= 1).all() else 1 - (1 - level) / k
    z = float(stats.t.ppf((1 + each) / 2, max(n - 1, 1)))
    if (won.sum(axis=1) <= 1).all():
        shares = [wilson(round(x * n), n, each) for x in p]
    else:
        half = z * np.sqrt(np.diag(covariance))
        ends = zip(p.tolist(), np.maximum(p - half, 0).tolist(), np.minimum(p + half, 1).tolist(), strict=True)
        shares = [Estimate(v, low, high, n, level, "") for v, low, high in ends]
    shares = [Estimate(e.value, e.low, e.high, n, level, "share of wins, simultaneous over seats") for e in shares]
    centre = np.eye(k) - 1 / k
    d = centre @ p
    noise = centre @ covariance @ centre
    if np.abs(noise).max() > 0:
        statistic = float(d @ np.linalg.pinv(noise, rcond=1e-9, hermitian=True) @ d)
        p_value = float(stats.chi2.sf(statistic, k - 1))
    else:  # every game was shared by all, or ended in the same way
        statistic, p_value = (0.0, 1.0) if np.abs(d).max() < 1e-12 else (math.inf, 0.0)
    return _balance(p, covariance, n, shares, statistic, p_value)


def _balance(
    p: np.ndarray, covariance: np.ndarray, n: int, shares: list[Estimate], statistic: float, p_value: float | None
) -> FairShare:
    """The squares of the departures hold, on average, the true ones and the noise; the noise is taken away."""
    k = p.size
    excess = float(((p - p.mean()) ** 2).sum())
    noise = float(np.trace(covariance) - covariance.sum() / k)
    variance = (excess - noise) / k
    return FairShare(
        shares,
        float(p.mean()),
        statistic,
        math.nan if p_value is None else float(p_value),
        math.sqrt(max(0.0, variance)),
        n,
        variance,
        math.sqrt(excess / k),
    )


def seat_level(shares: ArrayLike, level: float = 0.95) -> float:
    """Confidence of each seat's interval such that those of all k seats hold at once with confidence `level`.

    What one seat wins the others do not, so the shares depend on each other: of two seats both intervals hold or fail
    together, and Bonferroni's 1 − (1 − level)/2 would be too wide. The chance that any fails is at most the sum over
    seats minus the largest sum, over the others, of "this one and that one fail" (E. G. Kounias 1968, *Bounds for the
    probability of a union*, Annals of Mathematical Statistics 39), each pair a bivariate normal with the correlation of
    a multinomial. Exact for two seats.

    Parameters
    ----------
    shares : float[k]
        Share of games won by each seat.
    """
    p = np.clip(np.asarray(shares, np.float64), 0, 1)
    k = p.size
    odds = np.sqrt(p / np.maximum(1 - p, 1e-300))
    # its sign does not matter for two-sided intervals
    correlation = np.minimum(1.0, np.outer(odds, odds))
    np.fill_diagonal(correlation, 0.0)
    alpha = 1 - level

    def any_miss(z: float) -> float:
        both = _both_miss(z, correlation)
        np.fill_diagonal(both, 0.0)
        return 2 * k * float(special.ndtr(-z)) - float(both.sum(axis=1).max())

    wide, narrow = float(-special.ndtri(alpha / 2)), float(-special.ndtri(alpha / 2 / k))
    if any_miss(wide) <= alpha + 1e-12:
        return level
    z = float(optimize.brentq(lambda x: any_miss(x) - alpha, wide, narrow, xtol=1e-6))
    return 1 - 2 * float(special.ndtr(-z))


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)


def _both_miss(z: float, correlation: np.ndarray) -> np.ndarray:
    """P(|X| > z and |Y| > z) of two standard normal numbers, for every correlation."""
    x = z + 4 * (_NODES + 1)  # beyond z + 8 nothing is left
    density = 2 * 4 * _WEIGHTS * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    r = np.minimum(correlation, 1 - 1e-9)[..., None]
    s = np.sqrt(1 - r**2)
    tail = special.ndtr((r * x - z) / s) + special.ndtr((-z - r * x) / s)
    return np.where(correlation >= 1 - 1e-9, 2 * special.ndtr(-z), tail @ density)


@dataclass(frozen=True)
class SeatsAA:
    """What the test of seats says where seats are alike, and what it says here.

    Attributes
    ----------
    chi_square, p_value : float
        Of the games as they are, every shared win given to one of its winners by lot.
    alarms : Estimate
        Share of repetitions with seats relabelled by lot in which the test alarmed: its false-alarm rate.
    alpha : float
        The rate that was promised.
    sound : bool
        Whether the false-alarm rate may be what was promised: only then is an alarm of the test worth anything.
    """

    chi_square: float
    p_value: float
    alarms: Estimate
    alpha: float
    sound: bool

    @property
    def alarm(self) -> bool:
        """Whether the seats differ: a fault where policies are the same and the rules treat seats alike."""
        return self.p_value <= self.alpha


def aa_seats(
    patterns: ArrayLike, counts: ArrayLike, seed: int, *, alpha: float = 0.05, repetitions: int = 2000
) -> SeatsAA:
    """A/A test to run before any claim about seats: identical policies, ties broken by lot.

    A program that breaks ties by the order of seats shows a seat advantage that no table has. So a shared win goes to
    one of its winners by lot, and the same χ² test is made on `repetitions` copies of the games in which the seats were
    relabelled by lot game by game, where every alarm is false.

    Parameters
    ----------
    patterns, counts
        As for `seat_balance`: of games with the same policy in every seat.
    seed : int
        Of the lots.
    alpha : float
        The test's promised error rate.
    repetitions : int

    Returns
    -------
    SeatsAA
    """
    won, c = _patterns(patterns, counts)
    k = won.shape[1]
    rng = np.random.default_rng(seed)
    by_lot = np.zeros(k, np.int64)
    for row, count in zip(won, c.tolist(), strict=True):
        if row.any():
            by_lot += rng.multinomial(count, row / row.sum())
    played = int(by_lot.sum())
    if not played:
        raise ValueError("no game has a winner; accepted: at least one game with a winner")
    test = stats.chisquare(by_lot)
    # relabelled by lot, the winner of every game is any of the seats with the same chance
    again = rng.multinomial(played, np.full(k, 1 / k), size=repetitions)
    statistic = ((again - played / k) ** 2).sum(axis=1) / (played / k)
    false = int((stats.chi2.sf(statistic, k - 1) <= alpha).sum())
    alarms = wilson(false, repetitions, 0.999)
    return SeatsAA(float(test.statistic), float(test.pvalue), alarms, alpha, alarms.low <= alpha <= alarms.high)


def _patterns(patterns: ArrayLike, counts: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    won = np.asarray(patterns, bool)
    c = whole(counts)
    if won.ndim != 2 or won.shape[1] < 2 or won.shape[0] != c.size or c.sum() <= 0 or (c < 0).any():
        raise ValueError(
            f"patterns of shape {won.shape} with {c.size} counts; accepted: a row per kind of game, a column per seat"
        )
    return won, c
