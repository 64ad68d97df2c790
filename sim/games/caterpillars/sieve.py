"""`planner` and `weighted` without the list: most outcomes need not be valued, or even written out.

Both policies value an outcome by what its box gains and, apart from that, by what is stored. So within one bonus
choice and one caterpillar nothing beats the largest gain, and it is enough to value that. What is left to find is the
first outcome in sorted order that is as good as the best one; it lies in the first bonus choice that has one.

`policies.choose` on the list of outcomes stays the definition; a test compares the two on every variant. The definition
goes through the list and takes what is better than the best so far by more than `TIE`. That is the first outcome within
`TIE` of the best one, except where some outcome lies on the edge, about one or two `TIE` below it: then
nothing is returned (−1), and the list decides.
"""

from __future__ import annotations

from sim.engine.bits import count_ones, trailing_zeros
from sim.engine.jit import jit
from sim.games.caterpillars.outcomes import SLOTS, groups, matching, pack
from sim.games.caterpillars.policies import EXPERT, PLANNER, TIE, WEIGHTED, expected, soft_median
from sim.games.caterpillars.select import has_zeros, plain_choices

#: outcomes this close to the best one are as good as it, with room for rounding
_EQUAL = 0.9 * TIE
#: outcomes this far below the best one are worse, with room for rounding
_WORSE = 2.0 * TIE
#: no outcome
_NEVER = -1e30


@jit
def gather(g, group, zeros, butterfly, position, tables, work):
    """Largest gain on each caterpillar within one group, into ``work.gains[:, g]``: score less the box's worth."""
    n = position.boxes
    part0 = (1 << n) - 1
    part1 = part0 << n
    part2 = part1 << n
    gain0 = _NEVER
    gain1 = _NEVER
    gain2 = _NEVER
    labels = position.open_labels
    if not (zeros or butterfly):
        labels &= tables.sums[group]
    while labels != 0:
        label = trailing_zeros(labels)
        labels &= labels - 1
        at = group * SLOTS + label
        stop = tables.offset[at + 1]
        last = float(tables.scores[max(stop - 1, 0)])  # looked up before it is asked for: no branch to mispredict
        score = last if stop > tables.offset[at] else 0.0
        boxes = position.label_boxes[label] & position.open_boxes
        here0 = score - work.served[0, label]
        here1 = score - work.served[1, label]
        here2 = score - work.served[2, label]
        gain0 = max(gain0, here0 if boxes & part0 else _NEVER)
        gain1 = max(gain1, here1 if boxes & part1 else _NEVER)
        gain2 = max(gain2, here2 if boxes & part2 else _NEVER)
    work.gains[0, g] = gain0
    work.gains[1, g] = gain1
    work.gains[2, g] = gain2


@jit
def gather_all(groups_, position, rules, tables, work):
    """`gather` for every group of a roll, the one without a bonus write first; returns how many groups there are."""
    plain, first, last, butterfly, zero_possible = groups_
    zeros = has_zeros(plain, butterfly, zero_possible, position, rules, tables)
    gather(0, plain, zeros, butterfly, position, tables, work)
    for g in range(first, last):
        zeros = has_zeros(g, butterfly, zero_possible, position, rules, tables)
        gather(g - first + 1, g, zeros, butterfly, position, tables, work)
    return last - first + 1


@jit
def fill_served(player, position):
    """What an empty box is good for, by boxes left of its label, rounds left and label, into ``player.served``.

    Once for `patience`, once for the patience with the caterpillar that `weighted` neglects.
    """
    params = player.params
    crowd = params[6] if player.policy == WEIGHTED else 0.0
    neglect = params[7] if player.policy == WEIGHTED else 1.0
    for which in range(2):
        patience = params[1] * neglect if which == 1 else params[1]
        for same in range(1, 13):
            for left in range(1, 13):
                for label in range(1, 13):
                    shared = patience / (1.0 + crowd * (same - 1))
                    player.served[which, same, left, label] = expected(position, label, left, shared)


@jit
def project_all(position, left, player, work):
    """Projected end totals, and what the empty boxes of each label are good for, into ``work.served``."""
    served = player.served
    crowded = player.policy == WEIGHTED
    labels = position.open_labels
    while labels != 0:
        label = trailing_zeros(labels)
        labels &= labels - 1
        same = count_ones(position.label_boxes[label] & position.open_boxes) if crowded else 1
        points = served[0, same, left, label]
        for c in range(3):
            work.served[c, label] = points
    p0 = float(position.totals[0])
    p1 = float(position.totals[1])
    p2 = float(position.totals[2])
    boxes = position.open_boxes
    while boxes != 0:
        box = trailing_zeros(boxes)
        boxes &= boxes - 1
        c = position.owner[box]
        points = work.served[0, position.labels[box]]
        p0 += points if c == 0 else 0.0
        p1 += points if c == 1 else 0.0
        p2 += points if c == 2 else 0.0
    return p0, p1, p2


@jit
def project_neglected(c, position, left, player, work):
    """Projected end total of the caterpillar that is neglected, and what its empty boxes are good for."""
    n = position.boxes
    boxes = (position.open_boxes >> (c * n)) & ((1 << n) - 1)
    total = float(position.totals[c])
    while boxes != 0:
        label = int(position.labels[c * n + trailing_zeros(boxes)])
        boxes &= boxes - 1
        same = count_ones(position.label_boxes[label] & position.open_boxes)
        points = player.served[1, same, left, label]
        work.served[c, label] = points
        total += points
    return total


@jit
def lowest(p0, p1, p2):
    """Index of the lowest of three numbers, the first among equals."""
    if p2 < min(p0, p1):
        return 2
    return 1 if p1 < p0 else 0


@jit
def worth(policy, c, gain, frame):
    """What a gain on caterpillar `c` is worth, before what is stored counts.

    `frame` is, for `weighted`, the three projected totals and the noise; for `planner` the three weights of a point.
    """
    f0, f1, f2, noise = frame
    if policy == PLANNER:
        return gain * (f0 if c == 0 else f1 if c == 1 else f2)
    if c == 0:
        f0 += gain
    elif c == 1:
        f1 += gain
    else:
        f2 += gain
    return soft_median(f0, f1, f2, noise)


@jit
def value_all(policy, frame, count, work):
    """What the gains of the first `count` groups are worth, into ``work.worths``, and of each group the most."""
    f0, f1, f2, noise = frame
    for g in range(count):
        gain0 = work.gains[0, g]
        gain1 = work.gains[1, g]
        gain2 = work.gains[2, g]
        if policy == PLANNER:
            worth0 = gain0 * f0
            worth1 = gain1 * f1
            worth2 = gain2 * f2
        else:
            worth0 = soft_median(f0 + gain0, f1, f2, noise)
            worth1 = soft_median(f0, f1 + gain1, f2, noise)
            worth2 = soft_median(f0, f1, f2 + gain2, noise)
        worth0 = worth0 if gain0 > _NEVER else _NEVER
        worth1 = worth1 if gain1 > _NEVER else _NEVER
        worth2 = worth2 if gain2 > _NEVER else _NEVER
        work.worths[0, g] = worth0
        work.worths[1, g] = worth1
        work.worths[2, g] = worth2
        work.worths[3, g] = max(worth0, worth1, worth2)


@jit
def find_first(policy, frame, most, extra, bonus_box, g, group, zeros, butterfly, position, tables, work):
    """The first outcome of one bonus choice that is as good as the best one (`most`), packed; −1 if the list has to
    decide.

    `extra` is what storing is worth; ``work.gains`` and ``work.worths`` are known of this group.
    """
    n = position.boxes
    part = (1 << n) - 1
    boxes = position.open_boxes if zeros or butterfly else matching(tables.sums[group], position)
    for c in range(3):
        if work.worths[c, g] + extra <= most - _WORSE:
            boxes &= ~(part << (c * n))
    while boxes != 0:
        box = trailing_zeros(boxes)
        boxes &= boxes - 1
        c = position.owner[box]
        label = int(position.labels[box])
        at = group * SLOTS + label
        start = tables.offset[at] - (1 if zeros else 0)
        for i in range(start, tables.offset[at + 1]):
            score = int(tables.scores[i]) if i >= tables.offset[at] else 0
            gain = score - work.served[c, label]
            value = work.worths[c, g] if gain == work.gains[c, g] else worth(policy, c, gain, frame)
            value += extra
            if value >= most - _EQUAL:
                return pack(bonus_box, int(tables.value[group]), box, score)
            if value > most - _WORSE:
                return -1
    return -1


@jit
def select_first(policy, frame, store, asked, hold, groups_, position, rules, tables, work):
    """The outcome to take when all gains are known (`gather_all`), packed, or −1.

    Storing a value v in bonus box k is worth ``store[k] * (v - asked)``; a value below `hold` is not stored.
    """
    plain, first, last, butterfly, zero_possible = groups_
    s0, s1, s2 = store
    value_all(policy, frame, last - first + 1, work)
    best = work.worths[3, 0]
    most = best
    for g in range(first, last):
        value = int(tables.value[g])
        if value >= hold:
            here = work.worths[3, g - first + 1]
            for k in range(3):
                if position.bonus[k] == 0:
                    s = s0 if k == 0 else s1 if k == 1 else s2
                    most = max(most, here + s * (value - asked))
    if most <= _NEVER:
        return -1
    if best > most - _WORSE:
        zeros = has_zeros(plain, butterfly, zero_possible, position, rules, tables)
        return find_first(policy, frame, most, 0.0, -1, 0, plain, zeros, butterfly, position, tables, work)
    for k in range(3):
        if position.bonus[k] == 0:
            s = s0 if k == 0 else s1 if k == 1 else s2
            for g in range(first, last):
                at = g - first + 1
                value = int(tables.value[g])
                extra = s * (value - asked)
                here = work.worths[3, at]
                if value >= hold and here + extra > most - _WORSE:
                    zeros = has_zeros(g, butterfly, zero_possible, position, rules, tables)
                    return find_first(policy, frame, most, extra, k, at, g, zeros, butterfly, position, tables, work)
    return -1


@jit
def select_plain(policy, frame, boxes, total, position, work):
    """The outcome to take where every box has one score and nothing is stored, packed: the list without a list.

    `total` is that of the dice, 0 where only zeros are possible.
    """
    choice = 0
    most = _NEVER
    points = 0
    while boxes != 0:
        box = trailing_zeros(boxes)
        boxes &= boxes - 1
        c = position.owner[box]
        label = int(position.labels[box])
        score = total - label if total > 0 else 0
        value = worth(policy, c, score - work.served[c, label], frame)
        if value > most + TIE:
            most = value
            choice = box
            points = score
    return pack(-1, 0, choice, points)


@jit
def select_planner(position, roll, face, rules, tables, work, player):
    """The outcome that `planner` takes, packed; −1 if the list has to decide."""
    params = player.params
    left = position.rounds - position.round_index
    p0, p1, p2 = project_all(position, left, player, work)
    victim = lowest(p0, p1, p2)
    w0 = params[2] if victim == 0 else 1.0
    w1 = params[2] if victim == 1 else 1.0
    w2 = params[2] if victim == 2 else 1.0
    frame = (w0, w1, w2, 0.0)
    if rules.plain:
        boxes, total = plain_choices(roll, position, rules)
        return select_plain(PLANNER, frame, boxes, total, position, work)
    groups_ = groups(position, roll, face, rules, tables)
    gather_all(groups_, position, rules, tables, work)
    use = params[5] * (left - 1) if position.level == EXPERT else 0.0
    store = (w0 * params[3] + use, w1 * params[3] + use, w2 * params[3] + use)
    hold = params[4] if left > 3 else 0.0
    return select_first(PLANNER, frame, store, 0.0, hold, groups_, position, rules, tables, work)


@jit
def select_weighted(position, roll, face, rules, tables, work, player):
    """The outcome that `weighted` takes, packed; −1 if the list has to decide."""
    params = player.params
    left = position.rounds - position.round_index
    p0, p1, p2 = project_all(position, left, player, work)
    neglected = lowest(p0, p1, p2)
    total = project_neglected(neglected, position, left, player, work)
    p0 = total if neglected == 0 else p0
    p1 = total if neglected == 1 else p1
    p2 = total if neglected == 2 else p2
    noise = params[2] * position.typical * position.typical * (left - 1)
    frame = (p0, p1, p2, noise)
    if rules.plain:
        boxes, points = plain_choices(roll, position, rules)
        return select_plain(WEIGHTED, frame, boxes, points, position, work)
    groups_ = groups(position, roll, face, rules, tables)
    store = (0.0, 0.0, 0.0)
    asked = 0.0
    if gather_all(groups_, position, rules, tables, work) > 1:
        use = params[5] * (left - 1) if position.level == EXPERT else 0.0
        now = soft_median(p0, p1, p2, noise)
        store = (
            params[3] * (soft_median(p0 + 1.0, p1, p2, noise) - now) + use,
            params[3] * (soft_median(p0, p1 + 1.0, p2, noise) - now) + use,
            params[3] * (soft_median(p0, p1, p2 + 1.0, noise) - now) + use,
        )
        asked = params[4] * (left - 1) / (position.rounds - 1) if position.rounds > 1 else 0.0
    return select_first(WEIGHTED, frame, store, asked, 0.0, groups_, position, rules, tables, work)


@jit
def select_sieved(position, roll, face, rules, tables, work, player):
    """The outcome that `planner` or `weighted` takes, packed; −1 if the list has to decide."""
    if rules.plain:
        boxes, total = plain_choices(roll, position, rules)
        if boxes & (boxes - 1) == 0:  # nothing to choose
            box = trailing_zeros(boxes)
            return pack(-1, 0, box, total - int(position.labels[box]) if total > 0 else 0)
    if player.policy == PLANNER:
        return select_planner(position, roll, face, rules, tables, work, player)
    return select_weighted(position, roll, face, rules, tables, work, player)
