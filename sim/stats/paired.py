"""Differences on the same dice: mean, spread, and how often nothing changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sim.stats.counts import mean, moments, whole
from sim.stats.estimate import Estimate
from sim.stats.proportions import wilson


@dataclass(frozen=True)
class Paired:
    """What a change does to the same games.

    Attributes
    ----------
    mean : Estimate
        Mean difference, Student's interval over pairs.
    sd : float
        Standard deviation of the difference.
    better, same, worse : Estimate
        Shares of pairs with a positive, no, or a negative difference.
    """

    mean: Estimate
    sd: float
    better: Estimate
    same: Estimate
    worse: Estimate


def paired(differences: ArrayLike, counts: ArrayLike, level: float = 0.95) -> Paired:
    """Summary of paired differences given as counts."""
    d = np.asarray(differences, np.float64)
    c = whole(counts)
    n = int(c.sum())
    m = mean(d, c, level)
    m = Estimate(m.value, m.low, m.high, n, level, "mean of paired differences, Student's t")
    parts = [wilson(int(c[here].sum()), n, level) for here in (d > 0, d == 0, d < 0)]
    return Paired(m, moments(d, c).sd, *parts)
