"""What a position is worth: a fitted estimate of the expected end total, which `learned` and the searches read.

The estimate is a smoothed median of the three projected totals plus the output of a small network, one for every
number of rounds left. Its inputs, for the caterpillar with the lowest, the middle and the highest projected total:
how many empty boxes of each label, the projected total less the smoothed median, whether the bonus box is filled, what
it holds, and that times the chance to fly; and for each label whether some empty box has it. So caterpillars may change
places, and a sheet on which everybody has five points more is worth just that. Hidden units are
rectified but the first, which is linear.

`net` is float64[12, ROWS, UNITS] by rounds left: weights of the inputs, and in row `OUT_ROW` those of the hidden units.
`curve` is float64[12, 16] by rounds left: noise of the median; worth of an empty box by label 1 … 12; one over the size
of a good box score; that size. The networks are made by `learn` for ``final = median``; other finals are judged by the
projection alone.
"""

from __future__ import annotations

import math

import numpy as np

from sim.engine.bits import trailing_zeros
from sim.engine.jit import jit

#: hidden units
UNITS = 32
#: rows of one caterpillar: 12 labels, and the four below
SLOT = 16
TOTAL_ROW = 12
FILLED_ROW = 13
STORED_ROW = 14
FLYING_ROW = 15
#: rows of all three: label open somewhere (12), bias; then the weights of the hidden units
OPEN_ROW = 48
BIAS_ROW = 60
OUT_ROW = 61
ROWS = 62
#: columns of `curve`
NOISE = 0
PER_POINT = 13
POINTS = 14
CURVE = 16
#: rows of what `prepare` fills: all three; caterpillar c in place k at 1 + 3 k + c; projected totals
PREPARED = 11
PROJECTED = 10
#: among values that differ by no more the first outcome in sorted order is taken
TIE = 1e-9

_MEDIAN = 0
_LOWEST = 1
_TOTAL = 3


@jit
def soft_middle(low, mid, high, noise):
    """Smoothed median of three numbers in ascending order, and how much it moves with each of them."""
    d = low - mid
    root = math.sqrt(d * d + noise)
    g1 = 0.5 * (1.0 + d / root)
    above = 0.5 * (low + mid + root)
    below = 0.5 * (low + mid - root)
    d = above - high
    root = math.sqrt(d * d + noise)
    g2 = 0.5 * (1.0 + d / root)
    top = 0.5 * (above + high + root)
    d = below - high
    root = math.sqrt(d * d + noise)
    g3 = 0.5 * (1.0 - d / root)
    bottom = 0.5 * (below + high - root)
    return (
        low + mid + high - top - bottom,
        1.0 - g2 * g1 - g3 * (1.0 - g1),
        1.0 - g2 * (1.0 - g1) - g3 * g1,
        g2 + g3 - 1.0,
    )


@jit
def end_total(t0, t1, t2, b0, b1, b2, final):
    """End total of a full sheet; ties go to the better bonus."""
    if final == _TOTAL:
        return float(t0 + t1 + t2 + b0 + b1 + b2)
    low = min(t0, t1, t2)
    high = max(t0, t1, t2)
    if final == _MEDIAN:
        target = t0 + t1 + t2 - low - high
    elif final == _LOWEST:
        target = low
    else:
        target = high
    bonus = 0
    if t0 == target:
        bonus = max(bonus, b0)
    if t1 == target:
        bonus = max(bonus, b1)
    if t2 == target:
        bonus = max(bonus, b2)
    return float(target + bonus)


@jit
def projected_end(p0, p1, p2, bonus, final, noise):
    """Projected end total under a final that the networks do not know; a stored point counts by a third or in full."""
    if final == _TOTAL:
        return p0 + p1 + p2 + bonus
    sign = -1.0 if final == _LOWEST else 1.0
    p0 *= sign
    p1 *= sign
    p2 *= sign
    p0 = 0.5 * (p0 + p1 + math.sqrt((p0 - p1) * (p0 - p1) + noise))
    return sign * 0.5 * (p0 + p2 + math.sqrt((p0 - p2) * (p0 - p2) + noise)) + bonus / 3.0


@jit
def prepare(net, curve, position, left, prepared):
    """Sums over the empty boxes of a position, as of `left` rounds left, for `value_after`."""
    if left == 0:
        return
    for k in range(PROJECTED):
        for h in range(np.uint64(UNITS)):
            prepared[k, h] = 0.0
    for h in range(np.uint64(UNITS)):
        prepared[0, h] = net[left, BIAS_ROW, h]
    labels = position.open_labels
    while labels != 0:
        row = OPEN_ROW - 1 + trailing_zeros(labels)
        labels &= labels - 1
        for h in range(np.uint64(UNITS)):
            prepared[0, h] += net[left, row, h]
    for c in range(3):
        prepared[PROJECTED, c] = float(position.totals[c])
    boxes = position.open_boxes
    while boxes != 0:
        box = trailing_zeros(boxes)
        boxes &= boxes - 1
        c = position.owner[box]
        label = int(position.labels[box])
        prepared[PROJECTED, c] += curve[left, label]
        for k in range(3):
            row = SLOT * k + label - 1
            for h in range(np.uint64(UNITS)):
                prepared[1 + 3 * k + c, h] += net[left, row, h]


@jit
def value_after(net, curve, position, left, prepared, units, bonus_box, bonus_value, box, score):
    """Estimated expected end total after one outcome, with `left` rounds left then.

    `prepared` is what `prepare` has found for the position before the outcome and the same `left`; `units` is working
    memory, float64[UNITS].
    """
    b0 = int(position.bonus[0])
    b1 = int(position.bonus[1])
    b2 = int(position.bonus[2])
    if bonus_box == 0:
        b0 = bonus_value
    elif bonus_box == 1:
        b1 = bonus_value
    elif bonus_box == 2:
        b2 = bonus_value
    owner = position.owner[box]
    if left == 0:
        return end_total(
            position.totals[0] + (score if owner == 0 else 0),
            position.totals[1] + (score if owner == 1 else 0),
            position.totals[2] + (score if owner == 2 else 0),
            b0, b1, b2, position.final,
        )  # fmt: skip
    label = int(position.labels[box])
    gain = score - curve[left, label]
    p0 = prepared[PROJECTED, 0] + (gain if owner == 0 else 0.0)
    p1 = prepared[PROJECTED, 1] + (gain if owner == 1 else 0.0)
    p2 = prepared[PROJECTED, 2] + (gain if owner == 2 else 0.0)
    if position.final != _MEDIAN:
        return projected_end(p0, p1, p2, float(b0 + b1 + b2), position.final, curve[left, NOISE])
    k0 = (1 if p1 < p0 else 0) + (1 if p2 < p0 else 0)
    k1 = (1 if p0 <= p1 else 0) + (1 if p2 < p1 else 0)
    k2 = 3 - k0 - k1
    low = min(p0, p1, p2)
    high = max(p0, p1, p2)
    base, f0, f1, f2 = soft_middle(low, p0 + p1 + p2 - low - high, high, curve[left, NOISE])
    scale = curve[left, PER_POINT]
    q0 = (p0 - base) * scale
    q1 = (p1 - base) * scale
    q2 = (p2 - base) * scale
    s0 = 1 + 3 * k0
    s1 = 2 + 3 * k1
    s2 = 3 + 3 * k2
    t0 = SLOT * k0 + TOTAL_ROW
    t1 = SLOT * k1 + TOTAL_ROW
    t2 = SLOT * k2 + TOTAL_ROW
    # the box that is filled takes its own inputs away
    gone = SLOT * (k0 if owner == 0 else k1 if owner == 1 else k2) + label - 1
    alone = 1.0 if (position.label_boxes[label] & position.open_boxes) == (1 << box) else 0.0
    shut = OPEN_ROW + label - 1
    for h in range(np.uint64(UNITS)):
        units[h] = (
            prepared[0, h] + prepared[s0, h] + prepared[s1, h] + prepared[s2, h]
            - net[left, gone, h] - alone * net[left, shut, h]
            + q0 * net[left, t0, h] + q1 * net[left, t1, h] + q2 * net[left, t2, h]
        )  # fmt: skip
    for c in range(3):
        b = b0 if c == 0 else b1 if c == 1 else b2
        if b > 0:
            k = k0 if c == 0 else k1 if c == 1 else k2
            row = SLOT * k + FILLED_ROW
            stored = b * scale
            flown = stored * (f0 if k == 0 else f1 if k == 1 else f2)
            for h in range(np.uint64(UNITS)):
                units[h] += net[left, row, h] + stored * net[left, row + 1, h] + flown * net[left, row + 2, h]
    y = net[left, OUT_ROW, 0] * min(units[0], 0.0)
    for h in range(np.uint64(UNITS)):
        units[h] = net[left, OUT_ROW, h] * max(units[h], 0.0)
    y0 = y1 = y2 = y3 = 0.0
    for h in range(np.uint64(UNITS // 4)):  # four sums side by side: one would wait for itself
        i = np.uint64(4) * h
        y0 += units[i]
        y1 += units[i + np.uint64(1)]
        y2 += units[i + np.uint64(2)]
        y3 += units[i + np.uint64(3)]
    return base + (y + y0 + y1 + y2 + y3) * curve[left, POINTS]
