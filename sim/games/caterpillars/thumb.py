"""A rule of thumb: counting on the fingers which caterpillar will be the middle one.

Every empty box is worth a few points by its label, less if the label stands on another empty box too, and half of that
near the end. With these, every caterpillar has a count: what stands on it and what its empty boxes are worth. The rule
takes the outcome after which the counts are best: the middle one weighs `MIDDLE`, the highest and the lowest what the
parameters say. All in whole numbers (counts are doubled for the sake of the halves), so ties are ties.
"""

from __future__ import annotations

from sim.engine.jit import jit
from sim.games.base import PolicyParameter

#: weight of the middle caterpillar's count; those of the others are parameters
MIDDLE = 8
#: the last of the low labels, and of the middle ones
LOW, MID = 3, 6

LOW_AT, MID_AT, FAR_AT, LATE_AT, TWIN_AT, TOP_AT, BOTTOM_AT, KEEP_AT = range(1, 9)


def _points(name: str, default: int, high: int, meaning: str) -> PolicyParameter:
    return PolicyParameter(name, default, meaning, 0, high, "points", integer=True)


def _weight(name: str, default: int, which: str) -> PolicyParameter:
    meaning = f"weight of the {which} caterpillar's count, where the middle one's is {MIDDLE}"
    return PolicyParameter(name, default, meaning, 0, MIDDLE, "weight", integer=True)


PARAMETERS = (
    _points("low", 4, 30, "worth of an empty box labelled 1 to 3"),
    _points("mid", 3, 30, "worth of an empty box labelled 4 to 6"),
    _points("far", 3, 30, "worth of an empty box labelled 7 to 12"),
    PolicyParameter(
        "late",
        5,
        "with so many rounds left after this one, or fewer, empty boxes are worth half",
        0,
        12,
        "rounds",
        True,
    ),
    _points("twin", 1, 12, "what an empty box is worth less while its label stands on another empty box too"),
    _weight("top", 5, "highest"),
    _weight("bottom", 2, "lowest"),
    _points("keep", 3, 14, "what a die has to exceed to be worth storing; the rest counts on its caterpillar"),
)


@jit
def worth(position, box, params, left):
    """Twice what an empty box is worth."""
    label = position.labels[box]
    points = params[LOW_AT] if label <= LOW else params[MID_AT] if label <= MID else params[FAR_AT]
    same = position.label_boxes[label] & position.open_boxes
    if same & (same - 1) != 0:
        points = max(points - params[TWIN_AT], 0.0)
    return int(points) if left <= params[LATE_AT] else 2 * int(points)


@jit
def weigh(c0, c1, c2, top, bottom):
    """Three counts, weighed by their order."""
    high = max(c0, c1, c2)
    low = min(c0, c1, c2)
    return MIDDLE * (c0 + c1 + c2 - high - low) + top * high + bottom * low


@jit
def choose_thumb(position, options, n, params):
    """The outcome after which the counts are best; of equals the larger score, then the first in sorted order."""
    left = position.rounds - position.round_index - 1
    top = int(params[TOP_AT])
    bottom = int(params[BOTTOM_AT])
    c0 = 2 * position.totals[0]
    c1 = 2 * position.totals[1]
    c2 = 2 * position.totals[2]
    for box in range(position.rounds):
        if position.scores[box] < 0:
            points = worth(position, box, params, left)
            c = position.owner[box]
            c0 += points if c == 0 else 0
            c1 += points if c == 1 else 0
            c2 += points if c == 2 else 0
    choice = 0
    most = -(1 << 60)
    for i in range(n):
        box = options[i, 2]
        gain = 2 * int(options[i, 3]) - worth(position, box, params, left)
        c = position.owner[box]
        a0 = c0 + gain if c == 0 else c0
        a1 = c1 + gain if c == 1 else c1
        a2 = c2 + gain if c == 2 else c2
        value = weigh(a0, a1, a2, top, bottom)
        k = options[i, 0]
        if k >= 0:
            count = a0 if k == 0 else a1 if k == 1 else a2
            weight = MIDDLE
            if count == max(a0, a1, a2):
                weight = top
            elif count == min(a0, a1, a2):
                weight = bottom
            value += 2 * weight * (int(options[i, 1]) - int(params[KEEP_AT]))
        value = 128 * value + int(options[i, 3])  # scores stay below 128
        if value > most:
            most = value
            choice = i
    return choice
