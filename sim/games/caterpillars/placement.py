"""Where to write labels in the set-up: the `placement` parameter that every Caterpillars policy takes.

Two decisions: in the variation, which die stands alone (`single`); then, for each value in turn, which blank gets it
(`place`). Placement `optimal` decides for all values of a roll at once (`write_roll`), by a table of exact values.
"""

from __future__ import annotations

from sim.engine.bits import count_ones, trailing_zeros
from sim.engine.jit import jit
from sim.engine.rng import pick
from sim.games.base import PolicyParameter

RANDOM = 0
LOWEST = 1
SPREAD = 2
DOUBLE = 3
ODDS = 4
OPTIMAL = 5
OWN = 6  # a user's function
CHOICES = ("random", "lowest", "spread", "double", "odds", "optimal")

#: ways to write a roll whose values differ by no more are equally good
TIE = 1e-9


def placement(default: str) -> PolicyParameter:
    """The `placement` parameter with a policy's own default; ``own`` for a user's policy with a function for it."""
    own = default == "own"
    return PolicyParameter(
        "placement",
        default,
        "where labels are written in the set-up: on random blanks; in rolled order on the lowest blanks; so "
        "that equal labels are on "
        "different caterpillars (spread) or on the same one (double); poor labels together on one "
        "caterpillar (odds); or all values of a roll at once so that the expected end total of optimal play is largest "
        "(optimal; where the whole game has exact values)" + ("; or by its own function (own)" if own else ""),
        choices=(*CHOICES, "own") if own else CHOICES,
    )


@jit
def single(position, how, u):
    """Variation: index of the die that stands alone (the other two are added)."""
    if how == RANDOM:
        return pick(u, 3)
    if how == LOWEST:
        return 0
    # the die whose pair of labels is served most often; a pair that the sheet has already counts less
    choice = 0
    most = -1.0
    for i in range(3):
        one = position.dice[i]
        two = position.dice[(i + 1) % 3] + position.dice[(i + 2) % 3]
        worth = position.chance[one] * position.best[one] + position.chance[two] * position.best[two]
        if worth > most + 1e-12:
            most = worth
            choice = i
    return choice


@jit
def place(position, value, blanks, n, how, u):
    """Index into `blanks` (ascending boxes, the first `n`) for a label of this value."""
    if how == RANDOM:
        return pick(u, n)
    if how == LOWEST:
        return 0
    choice = 0
    most = -1e30
    for i in range(n):
        c = blanks[i] // position.boxes
        worth = 0.0
        for b in range(c * position.boxes, (c + 1) * position.boxes):
            label = position.labels[b]
            if how == ODDS:
                # poor labels join poor ones, good ones good ones: one caterpillar is going to be struck as the lowest
                # anyway
                if label > 0:
                    worth += (position.chance[label] - 0.3) * (position.chance[value] - 0.3)
            elif label == value:
                worth += 1.0 if how == DOUBLE else -1.0
        if how == ODDS and position.chance[value] < 0.3:
            worth += 1e-6 * c
        if worth > most + 1e-12:
            most = worth
            choice = i
    return choice


@jit
def place_by_count(position, value, mask, how):
    """As `place`, for `SPREAD` and `DOUBLE`, from and to boxes: the lowest blank of `mask` (bits) on the caterpillar
    that has the label least or most often.
    """
    same = 0
    for b in range(12):
        same |= int(position.labels[b] == value) << b
    n = position.boxes
    part = (1 << n) - 1
    choice = 0
    most = -100
    for c in range(3):
        blanks = mask & (part << (c * n))
        worth = count_ones(same & (part << (c * n)))
        worth = worth if how == DOUBLE else -worth
        if blanks != 0 and worth > most:
            most = worth
            choice = blanks
    return trailing_zeros(choice)


@jit
def filled(plan, c, filling, value):
    """What caterpillar `c` holds after one more value, −1 where there is no room."""
    return plan[1][c, filling, value] if filling >= 0 else -1


@jit
def way_value(plan, n0, n1, n2, v0, v1, v2, way):
    """What it is worth to write three values (two where v2 is 0) on three caterpillars.

    `way` holds the caterpillars in base 3: ``way // 9`` gets v0, ``way // 3 % 3`` v1, ``way % 3`` v2. `plan` is what an
    exact solver hands in: (value, add), see `PlacementTable` there; n0, n1, n2 are the fillings so far. −1e30 where a
    caterpillar has no room.
    """
    for i in range(2 if v2 == 0 else 3):
        c = way // 9 if i == 0 else way // 3 % 3 if i == 1 else way % 3
        v = v0 if i == 0 else v1 if i == 1 else v2
        if c == 0:
            n0 = filled(plan, 0, n0, v)
        elif c == 1:
            n1 = filled(plan, 1, n1, v)
        else:
            n2 = filled(plan, 2, n2, v)
    return plan[0][n0, n1, n2] if min(n0, n1, n2) >= 0 else -1e30


@jit
def best_offer(plan, n0, n1, n2, d0, d1, d2, variation):
    """How to write a roll of the set-up, dice ascending: ``offer × 27 + way``, the first in sorted order among equals.

    An offer is all three dice, or, in the variation, the single die: the lowest, the middle or the highest one.
    """
    most = -1e30
    for again in range(2):
        for offer in range(3 if variation else 1):
            v0, v1, v2 = offered(d0, d1, d2, variation, offer)
            for way in range(0, 27, 3 if variation else 1):
                worth = way_value(plan, n0, n1, n2, v0, v1, v2, way)
                if again == 0:
                    most = max(most, worth)
                elif worth >= most - TIE:
                    return 27 * offer + way
    return 0


@jit
def offered(d0, d1, d2, variation, offer):
    """Values to write, ascending; the third is 0 in the variation. Dice are ascending."""
    if not variation:
        return d0, d1, d2
    if offer == 0:
        return d0, d1 + d2, 0
    if offer == 1:
        return d1, d0 + d2, 0
    return min(d2, d0 + d1), max(d2, d0 + d1), 0
