"""What is seen of a sheet after a round: several numbers, so that the value of a player can be put together from them.

The networks (or the exact values) say what *good* play will make of a sheet. What a policy itself will make of it is
seen by a projection: every empty box counts for what boxes with this label bring this policy on the average, by rounds
left. How much of each is put together, and when, `fit` finds by least squares.

The views of an outcome:

====  ==============================================================================================================
0     V: the fitted or the exact value
1     median of the three projected totals, allowing for what is uncertain in them
2     points in bonus boxes, each times the chance (by 1) that its caterpillar is the one that flies
3, 4  as 1 and 2, with four times the variance
5     sum of the projected totals
6     the largest of them
====  ==============================================================================================================
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim.engine.bits import trailing_zeros
from sim.engine.jit import jit
from sim.games.caterpillars.mind import BOXES, NEVER, SCORES
from sim.games.caterpillars.outcomes import list_outcomes, unpack
from sim.games.caterpillars.policies import after
from sim.games.caterpillars.value import prepare, value_after

VIEWS = 7
#: views by name, and behind them the value that is put together from them
WORTH, MEDIAN, FLOWN, MEDIAN_WIDE, FLOWN_WIDE, SUM, LARGEST, VALUE = range(VIEWS + 1)
_KEYS = (1 + 3 * 12) * BOXES * SCORES
#: E |x| of a normal number with mean 0, squared, over its variance
_NORMAL = 2 / math.pi


class Views(NamedTuple):
    """Memory for what is seen of one sheet, and what it is seen with.

    Attributes
    ----------
    points, spread : float64[seats, 13, 13]
        By seat, rounds left and label: mean and variance of what the policy writes into a box that is empty then.
    weight : float64[seats, 12, VIEWS]
        By seat and rounds left: the value of a sheet is the sum of views with these weights.
    kept, stamp : float64[…, VIEWS + 1], int64[…]
        Views by outcome and their sum, valid where the stamp is that of the round.
    projected, variance, flies : float64[3]
        By caterpillar, before the outcome; and the chances to fly.
    """

    points: np.ndarray
    spread: np.ndarray
    weight: np.ndarray
    kept: np.ndarray
    stamp: np.ndarray
    projected: np.ndarray
    variance: np.ndarray
    flies: np.ndarray


def make_views(points: np.ndarray, spread: np.ndarray, weight: np.ndarray) -> Views:
    """Views with memory for one thread."""
    kept, stamp = np.zeros((_KEYS, VIEWS + 1)), np.zeros(_KEYS, np.int64)
    return Views(points, spread, weight, kept, stamp, np.zeros(3), np.zeros(3), np.zeros(3))


@jit
def begin(position, left, mind, book):
    """Make ready for values after a round, with `left` rounds left then."""
    mind.clock[0] += 1
    if book is None:
        prepare(mind.net, mind.curve, position, left, mind.ahead)


@jit
def project(position, s, left, views):
    """Projected totals of seat `s` and their variances, as of `left` rounds left."""
    for c in range(3):
        views.projected[c] = float(position.totals[c])
        views.variance[c] = 0.0
    boxes = position.open_boxes
    while boxes != 0:
        box = trailing_zeros(boxes)
        boxes &= boxes - 1
        c = position.owner[box]
        label = int(position.labels[box])
        views.projected[c] += views.points[s, left, label]
        views.variance[c] += views.spread[s, left, label]


@jit
def key_of(outcome):
    """Where what is known of an outcome is kept."""
    bonus_box, bonus_value, box, score = unpack(outcome)
    key = box * SCORES + score
    if bonus_box >= 0:
        key += (12 * bonus_box + bonus_value) * (BOXES * SCORES)
    return key


@jit
def worth(outcome, position, left, mind, book):
    """V after a packed outcome: exact where there is a book, else fitted, and kept for the round."""
    bonus_box, bonus_value, box, score = unpack(outcome)
    if book is not None:  # without a book this is not even compiled
        at, step = after(position, box, book)
        return book[0][at + step * score]
    key = key_of(outcome)
    if mind.stamp[key] != mind.clock[0]:
        mind.stamp[key] = mind.clock[0]
        mind.kept[key] = value_after(
            mind.net, mind.curve, position, left, mind.ahead, mind.units, bonus_box, bonus_value, box, score
        )
    return mind.kept[key]


@jit
def uncertain_median(p0, p1, p2, v0, v1, v2, times, flies):
    """Mean of the median of three uncertain numbers, roughly, and the chance of each to be it, into `flies`.

    `times` their variances; of two numbers the larger one is (x + y + √((x − y)² + noise)) / 2, as in `value`.
    """
    root = math.sqrt((p0 - p1) * (p0 - p1) + times * _NORMAL * (v0 + v1) + 1e-9)
    high = 0.5 * (p0 + p1 + root)
    low = 0.5 * (p0 + p1 - root)
    first = 0.5 * (1.0 + (p0 - p1) / root)
    noise = times * _NORMAL * (0.5 * (v0 + v1) + v2) + 1e-9
    above = math.sqrt((high - p2) * (high - p2) + noise)
    below = math.sqrt((low - p2) * (low - p2) + noise)
    up = 0.5 * (1.0 + (high - p2) / above)
    down = 0.5 * (1.0 - (low - p2) / below)
    flies[0] = 1.0 - first * up - (1.0 - first) * down
    flies[1] = 1.0 - (1.0 - first) * up - first * down
    flies[2] = up + down - 1.0
    return p0 + p1 + p2 - 0.5 * (high + p2 + above) - 0.5 * (low + p2 - below)


@jit
def look(outcome, position, s, left, mind, book, views):
    """See a sheet after a packed outcome; returns the row of ``views.kept``."""
    key = key_of(outcome)
    if views.stamp[key] == mind.clock[0]:
        return key
    views.stamp[key] = mind.clock[0]
    bonus_box, bonus_value, box, score = unpack(outcome)
    label = int(position.labels[box])
    gain = score - views.points[s, left, label]
    certain = views.spread[s, left, label]
    owner = position.owner[box]
    p0 = views.projected[0] + (gain if owner == 0 else 0.0)
    p1 = views.projected[1] + (gain if owner == 1 else 0.0)
    p2 = views.projected[2] + (gain if owner == 2 else 0.0)
    v0 = views.variance[0] - (certain if owner == 0 else 0.0)
    v1 = views.variance[1] - (certain if owner == 1 else 0.0)
    v2 = views.variance[2] - (certain if owner == 2 else 0.0)
    b0 = float(bonus_value if bonus_box == 0 else position.bonus[0])
    b1 = float(bonus_value if bonus_box == 1 else position.bonus[1])
    b2 = float(bonus_value if bonus_box == 2 else position.bonus[2])
    flies = views.flies
    seen = views.kept[key]
    seen[WORTH] = worth(outcome, position, left, mind, book)
    for wide in range(2):
        seen[MEDIAN + 2 * wide] = uncertain_median(p0, p1, p2, v0, v1, v2, 4.0 if wide else 1.0, flies)
        seen[FLOWN + 2 * wide] = b0 * flies[0] + b1 * flies[1] + b2 * flies[2]
    seen[SUM] = p0 + p1 + p2
    seen[LARGEST] = max(p0, p1, p2)
    seen[VALUE] = 0.0
    for v in range(VIEWS):
        seen[VALUE] += views.weight[s, left, v] * seen[v]
    return key


@jit
def best_outcome(position, roll, face, left, rules, tables, work, mind, book):
    """The outcome of a roll with the largest V, packed."""
    packed = work.packed
    n = list_outcomes(packed, position, roll, face, rules, tables)
    best = NEVER
    choice = packed[0]
    for i in range(n):
        if i + 1 < n and ((packed[i] ^ packed[i + 1]) & 0xFFFFFFFFFFFF) == 0:
            continue  # the same box and bonus with a larger score comes next
        here = worth(packed[i], position, left, mind, book)
        if here > best:
            best = here
            choice = packed[i]
    return choice
