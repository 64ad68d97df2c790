"""Luck adjustment: the mean of an outcome, estimated with the luck of chance events taken out.

A game's chance events are known, and so are their probabilities. Let V be any number that can be told after an event
(what the position is worth, say), and E V its mean over everything the event could have been, given what was known
before. V − E V, the *luck* of the event, has mean 0. So

    adjusted outcome = outcome − Σ over events (V − E V)

has the mean of the outcome, exactly, whatever V is: V decides how much is saved, not what is estimated. With the value
function of those who play, nothing is left but the mean itself.

These are control variates with known mean; for games of chance known as *advantage sums* (M. Zinkevich, M. Bowling,
N. Bard, M. Kan and D. Billings, *Optimal unbiased estimators for evaluating agent performance*, AAAI 2006), and with
the choices of a known player taken as chance events as well, *AIVAT* (N. Burch, M. Schmid, M. Moravčík, D. Morrill and
M. Bowling, *AIVAT: a new variance reduction technique for agent evaluation in imperfect information games*, AAAI 2018).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from sim.stats.estimate import Estimate
from sim.stats.joint import Joint

#: adjusted outcomes are rounded to this, so that their sums are whole and do not depend on the order of games
STEP = 2.0**-16
#: most games that are summed in 64 bits before Python's whole numbers take over; fewer where outcomes are large
_CHUNK = 1024


@dataclass(frozen=True)
class Lucky:
    """A mean with and without luck.

    Attributes
    ----------
    mean : Estimate
        Of the adjusted outcome.
    raw : Estimate
        Of the outcome itself, from the same games.
    ratio : float
        Variance of the outcome over that of the adjusted one: so many times the games would be needed without
        adjustment. Infinite where nothing is left.
    """

    mean: Estimate
    raw: Estimate
    ratio: float


@dataclass(frozen=True)
class Adjusted:
    """Outcomes of some seats with the luck taken out.

    Attributes
    ----------
    joint : Joint
        Outcomes of all seats, then adjusted outcomes of all seats.
    seats : tuple of Lucky
    value : str
        Name of the value function.
    level : float
        Of the intervals.
    """

    joint: Joint
    seats: tuple[Lucky, ...]
    value: str
    level: float

    @property
    def n(self) -> int:
        """Games."""
        return self.joint.n

    @property
    def mean(self) -> Estimate:
        """Adjusted mean of seat 0."""
        return self.seats[0].mean

    @property
    def raw(self) -> Estimate:
        """Mean of seat 0 without adjustment."""
        return self.seats[0].raw

    @property
    def ratio(self) -> float:
        """Variance ratio of seat 0."""
        return self.seats[0].ratio

    def difference(self, a: int, b: int) -> Lucky:
        """Seat `a` minus seat `b` of the same game, with and without luck."""
        weights = np.zeros(len(self.seats))
        weights[a] += 1
        weights[b] -= 1
        return contrast(self.joint, weights, self.level)


def contrast(joint: Joint, weights: np.ndarray, level: float) -> Lucky:
    """A weighted sum over seats of outcomes, and of adjusted outcomes; `joint` as in `Adjusted`."""
    nothing = np.zeros_like(weights)
    raw = joint.contrast(np.concatenate([weights, nothing]), level)
    mean = joint.contrast(np.concatenate([nothing, weights]), level)
    ratio = math.nan
    if joint.n > 1:
        ratio = (raw.half_width / mean.half_width) ** 2 if mean.half_width > 0 else math.inf
    return Lucky(replace(mean, method=f"{mean.method}, luck adjusted"), raw, ratio)


class LuckSums:
    """Exact sums of outcomes and adjusted outcomes; memory does not depend on the number of games."""

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.n = 0
        self._sums = np.zeros(2 * seats, object)
        self._cross = np.zeros((2 * seats, 2 * seats), object)

    def add(self, outcome: np.ndarray, adjusted: np.ndarray) -> None:
        """Add games: float64[n × seats] each, the seats of a game next to each other."""
        both = np.hstack([outcome.reshape(-1, self.seats), adjusted.reshape(-1, self.seats)])
        whole = np.rint(both / STEP).astype(np.int64)
        peak = int(np.abs(whole).max(initial=0))
        chunk = min(_CHUNK, 2**62 // max(peak * peak, 1))
        if chunk == 0:  # thousands of points: Python's whole numbers from the first
            whole, chunk = whole.astype(object), _CHUNK
        for start in range(0, len(whole), chunk):
            part = whole[start : start + chunk]
            self._sums += part.sum(axis=0).astype(object)
            self._cross += (part.T @ part).astype(object)
        self.n += len(whole)

    def merge(self, other: LuckSums) -> None:
        """Add another thread's games."""
        self._sums += other._sums
        self._cross += other._cross
        self.n += other.n

    def result(self, value: str, level: float = 0.95) -> Adjusted:
        """What the games say."""
        joint = Joint(self.n, self._sums, self._cross, np.full(2 * self.seats, STEP))
        return Adjusted(joint, tuple(contrast(joint, w, level) for w in np.eye(self.seats)), value, level)
