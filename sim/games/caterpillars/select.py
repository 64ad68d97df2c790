"""The reference policies without the list: pick a random outcome, or the largest score, straight from the outcome
groups.

`random` and `greedy` need not see every outcome written out: counting them, or looking at each label's best score,
gives the same choice several
times faster. `policies.choose` on the list of outcomes stays the definition; a test compares the two on every variant.
"""

from __future__ import annotations

from sim.engine.bits import count_ones, nth_one, trailing_zeros
from sim.engine.jit import jit
from sim.engine.rng import pick
from sim.games.caterpillars.outcomes import SLOTS, ZERO_SPLIT, groups, matching, pack


@jit
def count_group(group, zeros, butterfly, position, tables):
    """Number of outcomes of one group for one bonus box."""
    n = position.open if zeros else 0
    if butterfly:
        boxes = position.open_boxes
        while boxes != 0:
            at = group * SLOTS + int(position.labels[trailing_zeros(boxes)])
            n += tables.offset[at + 1] - tables.offset[at]
            boxes &= boxes - 1
        return n
    labels = tables.sums[group] & position.open_labels
    while labels != 0:
        label = trailing_zeros(labels)
        labels &= labels - 1
        at = group * SLOTS + label
        here = count_ones(position.label_boxes[label] & position.open_boxes)
        n += here * (tables.offset[at + 1] - tables.offset[at])
    return n


@jit
def has_zeros(group, butterfly, zero_possible, position, rules, tables):
    """Whether a zero is legal after the bonus choice of this group."""
    sums = tables.sums[group]
    if rules.zero_rule == ZERO_SPLIT:
        return (sums & ~position.open_labels) != 0
    return zero_possible and not butterfly and (sums & position.open_labels) == 0


@jit
def nth_of_group(k, bonus_box, group, zeros, butterfly, position, tables):
    """Outcome number `k` of one group in sorted order, packed."""
    boxes = position.open_boxes if zeros or butterfly else matching(tables.sums[group], position)
    while True:
        box = trailing_zeros(boxes)
        boxes &= boxes - 1
        if zeros:
            if k == 0:
                return pack(bonus_box, int(tables.value[group]), box, 0)
            k -= 1
        at = group * SLOTS + int(position.labels[box])
        start = tables.offset[at]
        here = tables.offset[at + 1] - start
        if k < here:
            return pack(bonus_box, int(tables.value[group]), box, int(tables.scores[start + k]))
        k -= here


@jit
def plain_labels(x, level):
    """Label sums of a roll (as bits) and the total of its dice, where all dice are used and nothing else is
    possible.
    """
    d0 = x % 6 + 1
    d1 = x // 6 % 6 + 1
    if level == 0:
        return (1 << d0) | (1 << d1), d0 + d1
    d2 = x // 36 % 6 + 1
    sums = (1 << d0) | (1 << d1) | (1 << d2) | (1 << (d0 + d1)) | (1 << (d0 + d2)) | (1 << (d1 + d2))
    return sums, d0 + d1 + d2


@jit
def plain_matching(x, level, position):
    """Empty boxes that fit a roll, and the total of its dice: no branches at all."""
    d0 = x % 6 + 1
    d1 = x // 6 % 6 + 1
    boxes = position.label_boxes[d0] | position.label_boxes[d1]
    if level == 0:
        return boxes & position.open_boxes, d0 + d1
    d2 = x // 36 % 6 + 1
    boxes |= position.label_boxes[d2] | position.label_boxes[d0 + d1]
    boxes |= position.label_boxes[d0 + d2] | position.label_boxes[d1 + d2]
    return boxes & position.open_boxes, d0 + d1 + d2


@jit
def plain_choices(roll, position, rules):
    """Boxes that can be filled, and the total of the dice, 0 where only zeros are possible."""
    boxes, total = plain_matching(roll, rules.level, position)
    return (boxes, total) if boxes != 0 else (position.open_boxes, 0)


@jit
def select_random(position, roll, face, rules, tables, work, u):
    """The outcome that `random` takes with the uniform number `u`, packed."""
    if rules.plain:
        boxes, total = plain_matching(roll, rules.level, position)
        fits = boxes != 0
        if not fits:
            boxes = position.open_boxes
        box = nth_one(boxes, pick(u, count_ones(boxes)))
        return pack(-1, 0, box, total - int(position.labels[box]) if fits else 0)
    plain, first, last, butterfly, zero_possible = groups(position, roll, face, rules, tables)
    zeros = has_zeros(plain, butterfly, zero_possible, position, rules, tables)
    own = count_group(plain, zeros, butterfly, position, tables)
    if first == last:
        return nth_of_group(pick(u, own), -1, plain, zeros, butterfly, position, tables)
    each = 0  # outcomes with a bonus write, for each empty bonus box the same
    for g in range(first, last):
        zeros_here = has_zeros(g, butterfly, zero_possible, position, rules, tables)
        work.counts[g - first] = count_group(g, zeros_here, butterfly, position, tables)
        each += work.counts[g - first]
    empty = 0
    for c in range(3):
        if position.bonus[c] == 0:
            empty += 1
    k = pick(u, own + empty * each)
    if k < own:
        return nth_of_group(k, -1, plain, zeros, butterfly, position, tables)
    k -= own
    bonus_box = 0
    while position.bonus[bonus_box] != 0 or k >= each:
        if position.bonus[bonus_box] == 0:
            k -= each
        bonus_box += 1
    g = first
    while k >= work.counts[g - first]:
        k -= work.counts[g - first]
        g += 1
    zeros_here = has_zeros(g, butterfly, zero_possible, position, rules, tables)
    return nth_of_group(k, bonus_box, g, zeros_here, butterfly, position, tables)


@jit
def best_of_group(group, butterfly, floor, position, tables):
    """Largest score above `floor` in one group and the lowest box for it, as ``score × 16 + box``; −1 if there
    is none.
    """
    labels = position.open_labels if butterfly else tables.sums[group] & position.open_labels
    best = floor
    boxes = 0
    while labels != 0:
        label = trailing_zeros(labels)
        labels &= labels - 1
        at = group * SLOTS + label
        stop = tables.offset[at + 1]
        if stop > tables.offset[at]:
            score = int(tables.scores[stop - 1])
            if score > best:
                best = score
                boxes = position.label_boxes[label]
            elif score == best:
                boxes |= position.label_boxes[label]
    boxes &= position.open_boxes
    if best == floor:
        return -1
    return best * 16 + trailing_zeros(boxes)


@jit
def select_greedy(position, roll, face, rules, tables):
    """The outcome that `greedy` takes, packed: the largest score, the first in sorted order among equals."""
    if rules.plain:
        sums, total = plain_labels(roll, rules.level)
        sums &= position.open_labels
        if sums == 0:
            return pack(-1, 0, trailing_zeros(position.open_boxes), 0)
        label = trailing_zeros(sums)  # the smallest label leaves the most
        return pack(-1, 0, trailing_zeros(position.label_boxes[label] & position.open_boxes), total - label)
    plain, first, last, butterfly, zero_possible = groups(position, roll, face, rules, tables)
    best = best_of_group(plain, butterfly, 0, position, tables)
    if best >= 0:
        choice = pack(-1, 0, best & 15, best >> 4)
        most = best >> 4
    else:
        choice = -1
        most = 0
        if has_zeros(plain, butterfly, zero_possible, position, rules, tables):
            choice = pack(-1, 0, trailing_zeros(position.open_boxes), 0)
    if first == last:
        return choice
    bonus_box = 0  # a tie goes to the first empty bonus box
    while position.bonus[bonus_box] != 0:
        bonus_box += 1
    for g in range(first, last):
        best = best_of_group(g, butterfly, most, position, tables)
        if best >= 0:
            choice = pack(bonus_box, int(tables.value[g]), best & 15, best >> 4)
            most = best >> 4
    return choice
