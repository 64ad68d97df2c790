"""How many points make two seats even: shares of the wins as a function of points given to one side.

A game is decided by the sign of a difference D, first side minus second. With k points given to the first side it wins
where D + k > 0, and a tie counts half. The share is a step function of k that only rises, so what is known of the
distribution of D answers for every k at once, from the same games.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sim.stats.compare import inside
from sim.stats.counts import sample
from sim.stats.estimate import Estimate
from sim.stats.proportions import mean_share, win_draw_loss


@dataclass(frozen=True)
class Handicap:
    """Points that make a game of two sides even.

    Attributes
    ----------
    side : int
        Who needs the points: 0 the first side, 1 the second; −1 where no points are needed.
    points : int or None
        The fewest points with which the estimated share is inside the band; None where no number of points does.
    low, high : int or None
        Interval of that number: with fewer than `low` the share is surely outside, with `high` it is surely past the
        near end of the band (None: not known up to the largest number looked at).
    advised : int or None
        The fewest points with which the whole interval is inside the band; where there are none, `points`.
    without, share : Estimate
        The first side's share of wins without points and with `advised`.
    parts : dict
        ``win``, ``draw``, ``loss`` of the first side with `advised`, each an Estimate.
    fairest : int
        The number of points (to the same side) with which the share is closest to one half; the fewest of equals.
    fairest_share : Estimate
    fits : (int, int) or None
        From and to how many points, to the same side, the whole interval is inside the band; None where nowhere.
    """

    side: int
    points: int | None
    low: int | None
    high: int | None
    advised: int | None
    without: Estimate
    share: Estimate
    parts: dict[str, Estimate]
    fairest: int
    fairest_share: Estimate
    fits: tuple[int, int] | None

    @property
    def given(self) -> int:
        """The advised points to the first side, negative where the second gets them."""
        points = self.advised or 0
        return -points if self.side == 1 else points


def share_with(differences: ArrayLike, counts: ArrayLike, points: float, level: float = 0.95) -> Estimate:
    """The first side's share of the wins with so many points given to it; a tie counts half."""
    d, c = sample(differences, counts)
    return mean_share((np.sign(d + points) + 1) / 2, c, level)


def handicap(
    differences: ArrayLike, counts: ArrayLike, band: float, *, most: int | None = None, level: float = 0.95
) -> Handicap:
    """The fewest points that make two sides even, with an interval.

    Parameters
    ----------
    differences : array
        First side's result minus the second's; whole numbers.
    counts : array of int
        How often each was seen.
    band : float
        Departure from one half that is still even, e.g. 0.02.
    most : int, optional
        Largest number of points to look at; default: the largest difference seen.
    level : float
        Of every interval.

    Notes
    -----
    The interval of the number of points comes from turning the intervals of the shares around: `low` is the first
    number whose interval reaches the band, `high` the first whose interval is past the band's near end. The true
    number is left out only if the interval of the share at one single number errs (at the true number, or one below
    it), so the interval holds with at least `level`.
    """
    d, c = sample(differences, counts)
    if d.size == 0:
        raise ValueError("no games; accepted: at least one")
    if not np.all(d == np.rint(d)):
        raise ValueError("differences that are no whole numbers; accepted: scores that are")
    without = share_with(d, c, 0, level)
    side = 0 if without.value < 0.5 else 1
    mine = d if side == 0 else -d  # seen by the side that gets the points
    mine, weight = sample(mine, c)
    top = int(np.abs(mine).max()) + 1 if most is None else most
    # the share changes only where a difference becomes a tie, and one further
    steps = sorted({0, *(int(k) for x in mine if x <= 0 for k in (-x, 1 - x) if 0 <= k <= top)})
    shares = [share_with(mine, weight, k, level) for k in steps]
    near, far = 0.5 - band, 0.5 + band

    def first(ok: list[bool]) -> int | None:
        return next((k for k, fine in zip(steps, ok, strict=True) if fine), None)

    points = first([near <= s.value <= far for s in shares])
    low = first([s.high >= near for s in shares])
    high = first([s.low >= near for s in shares])
    fairest = min(range(len(steps)), key=lambda i: (abs(shares[i].value - 0.5), i))
    fitting = [i for i, s in enumerate(shares) if inside(s, near, far) == "inside"]
    # between two steps the share stays as it was: a range ends one below the next step
    fits = None
    if fitting:
        after = fitting[-1] + 1
        fits = (steps[fitting[0]], steps[after] - 1 if after < len(steps) else steps[-1])
    advised = points if fits is None else fits[0]
    given = advised or 0
    chosen = given if side == 0 else -given
    outcome = (np.sign(d + chosen) + 1) / 2
    best = steps[fairest] if side == 0 else -steps[fairest]
    return Handicap(
        -1 if advised == 0 else side,
        points,
        low,
        high,
        advised,
        without,
        share_with(d, c, chosen, level),
        dict(win_draw_loss(outcome, c, level)),
        steps[fairest],
        share_with(d, c, best, level),
        fits,
    )


def common_points(
    samples: list[tuple[ArrayLike, ArrayLike]], band: float, *, most: int = 1000, level: float = 0.95
) -> tuple[int, list[Estimate]] | None:
    """The fewest points to one side that make the game even in every sample: say, at every strength of play.

    Parameters
    ----------
    samples : list of (differences, counts)

    Returns
    -------
    (points, shares) or None
        Points to the first side (negative: to the second), and its share in every sample; all intervals are inside the
        band. Of equally many points those to the first side are taken. None where no number up to `most` does.
    """
    read = [sample(*s) for s in samples]
    marks = {0}
    for d, _ in read:
        for x in d:
            marks |= {int(-x), int(1 - x), int(-1 - x)}
    for points in sorted((k for k in marks if abs(k) <= most), key=lambda k: (abs(k), k < 0)):
        shares = [share_with(d, c, points, level) for d, c in read]
        if all(inside(s, 0.5 - band, 0.5 + band) == "inside" for s in shares):
            return points, shares
    return None
