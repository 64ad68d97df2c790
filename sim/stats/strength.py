"""Bradley–Terry strengths from paired win rates, with a test of whether one number per player is enough.

Model: i beats j with probability 1 / (1 + exp(θ_j − θ_i)) (R. A. Bradley and M. E. Terry, *Rank analysis of incomplete
block designs*, Biometrika 39, 1952). A draw is half a win for both. The strengths are those of largest likelihood for
independent games (D. R. Hunter, *MM algorithms for generalized Bradley–Terry models*, Annals of Statistics 32, 2004,
who also tells when they exist); the likelihood is concave, and Newton's steps find its top.

Games are *not* taken to be independent: two seatings of one deal are not, nor are different pairs on the same deals.
The estimating equations Σ (rate − fitted) = 0 need independence only for efficiency, so standard errors come from the
measured covariance C of all rates ("sandwich"): H⁻¹ Xᵀ C X H⁻¹ with X the design (+1, −1 per pair), D the fitted
variances p (1 − p) and H = Xᵀ D X. Residuals have covariance M C Mᵀ, M = I − D X H⁻¹ Xᵀ, and the test of fit is
Hotelling's T² on them, as an F of (pairs − players + 1, units − that) degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats
from scipy.linalg import null_space

from sim.stats.estimate import Estimate


@dataclass(frozen=True)
class Strengths:
    """Fitted strengths.

    Attributes
    ----------
    anchor : int
        The player whose strength is 0.
    value : float64[players]
        Strength in log-odds of beating the anchor.
    covariance : float64[players, players]
    fitted, misfit, misfit_error : float64[pairs]
        Fitted win rate; observed minus fitted; its standard error.
    statistic, p_value : float
        F of the test of fit and its p-value; NaN where nothing is left to test.
    freedom : int
        Its first degrees of freedom: pairs − players + 1, fewer where residuals cannot vary.
    padded : bool
        Whether one drawn unit was added to every pair, because without it some strengths would be infinite.
    n : int
        Units behind each rate.
    """

    anchor: int
    value: np.ndarray
    covariance: np.ndarray
    fitted: np.ndarray
    misfit: np.ndarray
    misfit_error: np.ndarray
    statistic: float
    p_value: float
    freedom: int
    padded: bool
    n: int

    def strength(self, i: int, level: float = 0.95) -> Estimate:
        """Strength of a player in log-odds against the anchor, with a large-sample interval."""
        half = float(stats.norm.ppf((1 + level) / 2)) * math.sqrt(max(0.0, float(self.covariance[i, i])))
        v = float(self.value[i])
        return Estimate(v, v - half, v + half, self.n, level, "Bradley–Terry, covariance over units")

    def against_anchor(self, i: int, level: float = 0.95) -> Estimate:
        """The same as win rate against the anchor."""
        e = self.strength(i, level)
        return Estimate(_expit(e.value), _expit(e.low), _expit(e.high), self.n, level, e.method)

    @property
    def worst(self) -> int:
        """The pair that the model fits worst, in points of win rate."""
        return int(np.argmax(np.abs(self.misfit)))


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _connected(players: int, pairs: Sequence[tuple[int, int]], rate: np.ndarray) -> bool:
    """Whether everybody has, over some others, beaten everybody: then all strengths are finite (Hunter 2004)."""
    reach = np.eye(players, dtype=bool)
    for (i, j), r in zip(pairs, rate.tolist(), strict=True):
        reach[i, j] |= r > 0
        reach[j, i] |= r < 1
    for k in range(players):
        reach |= reach[:, [k]] & reach[[k], :]
    return bool(reach.all())


def bradley_terry(
    players: int, pairs: Sequence[tuple[int, int]], rates: ArrayLike, covariance: ArrayLike, n: int, anchor: int = 0
) -> Strengths:
    """Strengths of largest likelihood from win rates, each measured on the same `n` units.

    Parameters
    ----------
    players : int
    pairs : sequence of (i, j)
        Every player in at least one.
    rates : float array
        Win rate of i against j, a draw as half.
    covariance : float array, pairs × pairs
        Of the rates, estimated.
    n : int
        Units (at least 2).
    anchor : int
        Whose strength is 0.
    """
    r = np.asarray(rates, np.float64)
    c = np.array(covariance, np.float64)
    padded = not _connected(players, pairs, r)
    drawn = (n * r + 0.5) / (n + 1)
    # all won or all lost: no spread was seen, which does not mean that there is none
    for p in np.flatnonzero((r == 0) | (r == 1)).tolist():
        c[p, p] += drawn[p] * (1 - drawn[p]) / n
    y = drawn if padded else r
    full = np.zeros((len(pairs), players))
    for p, (i, j) in enumerate(pairs):
        full[p, i], full[p, j] = 1.0, -1.0
    free = [i for i in range(players) if i != anchor]
    x = full[:, free]
    theta = _top(x, y)
    fitted = np.array([_expit(v) for v in x @ theta])
    d = fitted * (1 - fitted)
    h = np.linalg.inv(x.T @ (d[:, None] * x))
    own = np.zeros((players, players))
    own[np.ix_(free, free)] = h @ x.T @ c @ x @ h
    value = np.zeros(players)
    value[free] = theta
    misfit = y - fitted
    project = np.eye(len(pairs)) - d[:, None] * (x @ h @ x.T)
    spread = project @ c @ project.T
    statistic, p_value, freedom = _fit_test(x, misfit, spread, n)
    errors = np.sqrt(np.clip(np.diag(spread), 0, None))
    return Strengths(anchor, value, own, fitted, misfit, errors, statistic, p_value, freedom, padded, n)


def _top(x: np.ndarray, y: np.ndarray, rounds: int = 200) -> np.ndarray:
    """Where Σ y log p + (1 − y) log(1 − p) is largest, by Newton's method with halved steps."""

    def height(at: np.ndarray) -> float:
        z = x @ at
        return float(y @ z - np.logaddexp(0, z).sum())

    theta = np.zeros(x.shape[1])
    here = height(theta)
    for _ in range(rounds):
        p = np.array([_expit(v) for v in x @ theta])
        slope = x.T @ (y - p)
        step = np.linalg.solve(x.T @ ((p * (1 - p))[:, None] * x), slope)
        while height(theta + step) < here - 1e-15 * abs(here) and np.abs(step).max() > 1e-15:
            step = step / 2
        theta = theta + step
        here = height(theta)
        if np.abs(step).max() < 1e-12:
            break
    return theta


def _fit_test(x: np.ndarray, misfit: np.ndarray, spread: np.ndarray, n: int) -> tuple[float, float, int]:
    """Hotelling's T² of the residuals as F: statistic, p-value, first degrees of freedom."""
    if x.shape[0] <= x.shape[1]:
        return math.nan, math.nan, 0
    basis = null_space(x.T)  # at the top of the likelihood, residuals are orthogonal to the design
    variances, axes = np.linalg.eigh(basis.T @ spread @ basis)
    real = variances > 1e-10 * max(float(variances.max()), 1e-300)
    freedom = int(real.sum())
    if freedom == 0 or n <= freedom or variances.max() <= 0:
        return math.nan, math.nan, freedom
    along = (axes.T @ basis.T @ misfit)[real]
    t2 = float((along**2 / variances[real]).sum())
    f = t2 * (n - freedom) / (freedom * (n - 1))
    return f, float(stats.f.sf(f, freedom, n - freedom)), freedom
