"""How many people, turns or games it takes to answer what no program can."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats


def observations_for_mean(spread: float, within: float, level: float = 0.95) -> int:
    """Observations after which a mean is known to within a share of itself.

    Parameters
    ----------
    spread : float
        Standard deviation of one observation as a share of the mean; observations count as independent.
    within : float
        Half-width of the interval as a share of the mean.
    level : float
        Of the interval (normal approximation).

    Raises
    ------
    ValueError
        In one line: what was given, what is accepted.
    """
    if not (0 < spread < math.inf and 0 < within < math.inf):
        raise ValueError(f"spread = {spread}, within = {within}; accepted: numbers above 0, not infinite")
    if not 0 < level < 1:
        raise ValueError(f"level = {level}; accepted: a number above 0 and below 1, as 0.95")
    return math.ceil((float(stats.norm.ppf((1 + level) / 2)) * spread / within) ** 2)


def observations_for_share(even: float, share: float, sure: float = 0.9, level: float = 0.95) -> int:
    """Fewest observations of yes or no after which a share is told from an even one.

    Told apart means: the exact binomial test (both tails, each at most half of what `level` leaves) rejects `even`.
    From the number returned on it does so with probability `sure` or more if the truth is `share`; with one fewer it
    does not (with fewer still it may: the chance rises in a saw-tooth).

    Parameters
    ----------
    even, share : float
        Between 0 and 1, not equal.
    sure : float
        Between 0 and 1.
    level : float
        One minus the error rate of the test.

    Raises
    ------
    ValueError
        In one line: what was given, what is accepted.
    """
    if not (0 < even < 1 and 0 < share < 1 and even != share):
        raise ValueError(f"even = {even}, share = {share}; accepted: two different numbers between 0 and 1")
    if not (0 < sure < 1 and 0 < level < 1):
        raise ValueError(f"sure = {sure}, level = {level}; accepted: numbers between 0 and 1")
    z, power = (float(stats.norm.ppf(q)) for q in ((1 + level) / 2, sure))
    root = z * math.sqrt(even * (1 - even)) + power * math.sqrt(share * (1 - share))
    about = (root / (share - even)) ** 2
    if about > 1e6:  # far beyond any table of people: the normal approximation is as good
        return math.ceil(about)
    n = np.arange(1, 4 * math.ceil(about) + 20)
    tail = (1 - level) / 2
    low = stats.binom.ppf(tail, n, even)  # rejected below: P(X < low) is at most the tail
    high = stats.binom.isf(tail, n, even)  # rejected above
    seen = stats.binom.cdf(low - 1, n, share) + stats.binom.sf(high, n, share)
    short = np.flatnonzero(seen < sure)
    return int(n[short[-1]]) + 1 if short.size else 1
