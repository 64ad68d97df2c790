"""Where to write labels in the set-up: the `placement` parameter that every Caterpillars policy takes.

Two decisions: in the variation, which die stands alone (`single`); then, for each value in turn, which blank gets it
(`place`).
"""

from __future__ import annotations

from sim.engine.jit import jit
from sim.engine.rng import pick
from sim.games.base import PolicyParameter

RANDOM = 0
LOWEST = 1
SPREAD = 2
DOUBLE = 3
ODDS = 4
CHOICES = ("random", "lowest", "spread", "double", "odds")


def placement(default: str) -> PolicyParameter:
    """The `placement` parameter with a policy's own default."""
    return PolicyParameter(
        "placement",
        default,
        "where labels are written in the set-up: on random blanks; in rolled order on the lowest blanks; so "
        "that equal labels are on "
        "different caterpillars (spread) or on the same one (double); or poor labels together on one "
        "caterpillar (odds)",
        choices=CHOICES,
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
