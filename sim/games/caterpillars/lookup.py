"""`optimal` without the list, and several games in step.

Where every box has one score and nothing is stored, the outcomes of a roll are boxes. What costs time then is not the
choice but the table: it is larger than a processor's fast memory. So a lone player's games are played four at a time:
first all four places where the values stand are worked out and asked for, then the four choices are made.

`policies.choose_optimal` on the list of outcomes stays the definition.
"""

from __future__ import annotations

from sim.engine.bits import trailing_zeros
from sim.engine.fetch import fetch
from sim.engine.jit import jit
from sim.games.caterpillars.outcomes import pack
from sim.games.caterpillars.policies import TIE
from sim.games.caterpillars.select import plain_choices, plain_labels


@jit
def find_values(lane, position, work, book):
    """Where the value after filling each of ``work.boxes[lane]`` stands, into ``work.at[lane]``.

    `book` is as for `after` in the policies; ``work.points`` is the total of the dice, 0 where only zeros are possible.
    """
    values, place, length, node = book
    n = position.boxes
    part = (1 << n) - 1
    opened = work.open[lane]
    total = work.points[lane]
    n0 = work.nodes[lane, 0]
    n1 = work.nodes[lane, 1]
    n2 = work.nodes[lane, 2]
    t0 = work.totals[lane, 0]
    t1 = work.totals[lane, 1]
    t2 = work.totals[lane, 2]
    boxes = work.boxes[lane]
    i = 0
    while boxes != 0:
        box = trailing_zeros(boxes)
        boxes &= boxes - 1
        c = position.owner[box]
        score = total - int(position.labels[box]) if total > 0 else 0
        then = node[c, ((opened & ~(1 << box)) >> (c * n)) & part]
        a0 = then if c == 0 else n0
        a1 = then if c == 1 else n1
        a2 = then if c == 2 else n2
        u0 = t0 + (score if c == 0 else 0)
        u1 = t1 + (score if c == 1 else 0)
        u2 = t2 + (score if c == 2 else 0)
        at = place[a0, a1, a2] + (u0 * length[1, a1] + u1) * length[2, a2] + u2
        work.at[lane, i] = at
        fetch(values, at)
        i += 1


@jit
def best_box(lane, work, values):
    """The box with the largest value; the lowest among equals."""
    boxes = work.boxes[lane]
    most = values[work.at[lane, 0]]
    rest = boxes & (boxes - 1)
    i = 1
    while rest != 0:
        most = max(most, values[work.at[lane, i]])
        rest &= rest - 1
        i += 1
    i = 0
    while values[work.at[lane, i]] < most - TIE:
        boxes &= boxes - 1
        i += 1
    return trailing_zeros(boxes)


@jit
def select_optimal(position, roll, rules, work, book):
    """The outcome that `optimal` takes, packed; only under plain rules."""
    boxes, total = plain_choices(roll, position, rules)
    n = position.boxes
    part = (1 << n) - 1
    work.open[0] = position.open_boxes
    work.boxes[0] = boxes
    work.points[0] = total
    for c in range(3):
        work.nodes[0, c] = book[3][c, (position.open_boxes >> (c * n)) & part]
        work.totals[0, c] = position.totals[c]
    box = trailing_zeros(boxes)
    if boxes & (boxes - 1) != 0:
        find_values(0, position, work, book)
        box = best_box(0, work, book[0])
    return pack(-1, 0, box, total - int(position.labels[box]) if total > 0 else 0)


@jit
def list_fits(position, rules, work):
    """Boxes that fit each roll, and above them the total of its dice, into ``work.fits``."""
    for x in range(216):
        sums, total = plain_labels(x, rules.level)
        sums &= position.open_labels
        boxes = 0
        while sums != 0:
            boxes |= position.label_boxes[trailing_zeros(sums)]
            sums &= sums - 1
        work.fits[x] = boxes | (total << 12)


@jit
def play_in_step(lanes, position, rules, work, book):
    """Play so many of the four games whose rolls are in ``work.dice``: totals and zeros into `work`.

    `position` is the empty sheet of all of them; ``work.fits`` is known.
    """
    values = book[0]
    node = book[3]
    n = position.boxes
    part = (1 << n) - 1
    for lane in range(lanes):
        work.open[lane] = (1 << rules.rounds) - 1
        work.zeros[lane] = 0
        for c in range(3):
            work.nodes[lane, c] = node[c, part]
            work.totals[lane, c] = 0
    for r in range(rules.rounds):
        for lane in range(lanes):
            fit = work.fits[work.dice[lane, r] % 216]
            boxes = fit & work.open[lane]
            total = fit >> 12
            if boxes == 0:
                boxes = work.open[lane]
                total = 0
                work.zeros[lane] += 1
            work.boxes[lane] = boxes
            work.points[lane] = total
            if boxes & (boxes - 1) != 0:
                find_values(lane, position, work, book)
        for lane in range(lanes):
            boxes = work.boxes[lane]
            box = trailing_zeros(boxes)
            if boxes & (boxes - 1) != 0:
                box = best_box(lane, work, values)
            c = position.owner[box]
            opened = work.open[lane] & ~(1 << box)
            work.open[lane] = opened
            work.nodes[lane, c] = node[c, (opened >> (c * n)) & part]
            if work.points[lane] > 0:
                work.totals[lane, c] += work.points[lane] - int(position.labels[box])
