"""One round of a policy that is followed forward: the compiled half of `policy`.

Positions are states of *blocks* (which boxes are filled) in *tables* (what the bonus boxes hold, see `choices`). The
policy is asked for every position that can occur, with outcomes that are listed once per block, table and roll.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sim.engine.jit import jit
from sim.games.caterpillars.exact.stages import SPLIT, STRICT, worth
from sim.games.caterpillars.policies import chances
from sim.games.caterpillars.search import deep_chances

#: kinds of loss, see `regret`
KINDS = ("bonus", "split", "box", "zero")
BONUS, SPLITS, BOX, ZERO = range(4)
#: no box ever scores as much
_SCORES = 64


class Blocks(NamedTuple):
    """Positions that can follow a spot: per caterpillar its filled boxes as bits (bit b: its box b), and totals.

    Attributes
    ----------
    length : int64[3, 2^n]
        Totals that can have been gained, 0 … length − 1.
    offset : int64[2^n, 2^n, 2^n]
        First state of a block in its layer and table; −1 where it does not occur.
    base : int64[3]
        Totals at the spot.
    labels : int64[3n]
    zero_rule : int
    """

    length: np.ndarray
    offset: np.ndarray
    base: np.ndarray
    labels: np.ndarray
    zero_rule: int


class Worth(NamedTuple):
    """Optimal values of the positions of one layer, as a solver keeps them.

    The value of filled boxes (a, b, c), totals t and table q is
    ``values[at[q] + first[a, b, c] + (t0 × wide[1, b] + t1) × wide[2, c] + t2] + plus[q]``; no values: none are wanted.
    """

    values: np.ndarray
    at: np.ndarray
    plus: np.ndarray
    first: np.ndarray
    wide: np.ndarray


class Options(NamedTuple):
    """Working memory for the outcomes of one roll: as policies see them, table led to, and how they are grouped.

    `write` numbers the bonus choices; `split` numbers the pairs (label sum, score) within each of them. `mark` is
    used to find these pairs again.
    """

    outcome: np.ndarray
    shift: np.ndarray
    write: np.ndarray
    split: np.ndarray
    mark: np.ndarray


def make_options(most: int) -> Options:
    """Room for `most` outcomes."""
    shift, write, split = np.zeros((3, most), np.int64)
    return Options(np.zeros((most, 4), np.int16), shift, write, split, np.full((14, _SCORES), -1, np.int64))


@jit
def list_options(o, serial, m, case, boxes, blocks, choices):
    """All outcomes of one roll in sorted order; returns how many, and `serial` raised by the number of splits.

    Splits are numbered on from `serial`, so that the marks of earlier rolls are told apart from own ones.
    """
    labels = blocks.labels
    opened = 0
    for c in range(3):
        for b in range(boxes):
            if (m[c] >> b) & 1 == 0:
                opened |= 1 << labels[c * boxes + b]
    first = choices.start[case]
    last = choices.start[case + 1]
    any_entry = False
    for i in range(first, last):
        if (choices.sums[choices.entries[i]] & opened) != 0 or choices.fly[i] > 0:
            any_entry = True
    n = 0
    begin = serial
    for i in range(first, last):
        s = choices.entries[i]
        fly = choices.fly[i]
        none = (choices.sums[s] & opened) == 0 and fly == 0
        if blocks.zero_rule == SPLIT:
            zero = none or (choices.sums[s] & ~opened) != 0
        elif blocks.zero_rule == STRICT:
            zero = not any_entry
        else:
            zero = none
        own = serial  # splits of this choice start here
        for c in range(3):
            for b in range(boxes):
                if (m[c] >> b) & 1:
                    continue
                box = c * boxes + b
                at = 13 * s + labels[box]
                stop = choices.score_start[at + 1]
                for x in range(choices.score_start[at] - 1, stop + 1):
                    if x < choices.score_start[at]:
                        if not zero:
                            continue
                        score = 0
                    elif x == stop:
                        if fly == 0:
                            continue
                        score = fly
                    else:
                        score = choices.scores[x]
                    # zeros and butterflies go into boxes of any label
                    label = 0 if score == 0 or score == fly else labels[box]
                    if o.mark[label, score] < own:
                        o.mark[label, score] = serial
                        serial += 1
                    o.outcome[n, 0] = choices.bonus_box[i]
                    o.outcome[n, 1] = choices.bonus_value[i]
                    o.outcome[n, 2] = box
                    o.outcome[n, 3] = score
                    o.shift[n] = choices.shift[i]
                    o.write[n] = i - first
                    o.split[n] = o.mark[label, score] - begin
                    n += 1
    return n, serial


@jit
def show_block(position, m, boxes, bonus, labels):
    """Write filled and empty boxes, and the bonus boxes, into the record that policies read."""
    position.open_boxes = 0
    position.open_labels = 0
    position.open = 0
    for c in range(3):
        position.bonus[c] = bonus[c]
        position.empty[c] = 0
        for b in range(boxes):
            box = c * boxes + b
            if (m[c] >> b) & 1:
                position.scores[box] = 0
            else:
                position.scores[box] = -1
                position.open_boxes |= 1 << box
                position.open_labels |= 1 << labels[box]
                position.open += 1
                position.empty[c] += 1


@jit
def lead(m, n, boxes, table, o, blocks, size, worth_later, to, look):
    """Where the outcomes of a roll lead, for totals gained of 0: `to[k]` and `look[k]` are (first, step of the first
    total, step of the second) among probabilities and among optimal values.
    """
    for k in range(n):
        box = int(o.outcome[k, 2])
        score = int(o.outcome[k, 3])
        c = box // boxes
        bit = 1 << (box % boxes)
        n0 = m[0] | bit if c == 0 else m[0]
        n1 = m[1] | bit if c == 1 else m[1]
        n2 = m[2] | bit if c == 2 else m[2]
        q = table + o.shift[k]
        step1 = blocks.length[2, n2]
        step0 = blocks.length[1, n1] * step1
        to[k, 0] = q * size + blocks.offset[n0, n1, n2] + score * (step0 if c == 0 else step1 if c == 1 else 1)
        to[k, 1] = step0
        to[k, 2] = step1
        if worth_later.values.size > 0:
            step1 = worth_later.wide[2, n2]
            step0 = worth_later.wide[1, n1] * step1
            at = worth_later.at[q] + worth_later.first[n0, n1, n2]
            look[k, 0] = at + score * (step0 if c == 0 else step1 if c == 1 else 1)
            look[k, 1] = step0
            look[k, 2] = step1


@jit
def push_policy(
    chance, size, handed, size_after, triples, layer, blocks, choices, worth_later, policy, params, positions, o,
    mind, lost
):  # fmt: skip
    """Hand the probability of every position of one layer on to the next, along the policy's choices.

    Where values are given, the expected loss of each kind is added to `lost`.
    """
    position = positions[0]
    position.round_index = layer
    boxes = position.boxes
    most = o.shift.size
    to = np.zeros((most, 3), np.int64)
    look = np.zeros((most, 3), np.int64)
    value = np.zeros(most)
    share = np.zeros(most)
    write_best = np.zeros(most)
    split_best = np.zeros(most)
    wanted = worth_later.values.size > 0
    serial = 0
    for label in range(o.mark.shape[0]):  # splits are numbered anew
        for score in range(o.mark.shape[1]):
            o.mark[label, score] = -1
    for i in range(triples.shape[0]):
        m = triples[i]
        l0 = blocks.length[0, m[0]]
        l1 = blocks.length[1, m[1]]
        l2 = blocks.length[2, m[2]]
        for table in range(choices.bonus.shape[0]):
            base = table * size + blocks.offset[m[0], m[1], m[2]]
            met = False
            for j in range(base, base + l0 * l1 * l2):
                if chance[j] > 0.0:
                    met = True
                    break
            if not met:
                continue
            show_block(position, m, boxes, choices.bonus[table], blocks.labels)
            for r in range(choices.weight.size):
                for d in range(3):
                    position.dice[d] = choices.dice[r, d]
                position.face = choices.face[r]
                start = serial
                n, serial = list_options(o, serial, m, choices.case[table, r], boxes, blocks, choices)
                lead(m, n, boxes, table, o, blocks, size_after, worth_later, to, look)
                lost_write = lost_split = lost_box = lost_zero = 0.0
                at = base
                for t0 in range(l0):
                    position.totals[0] = blocks.base[0] + t0
                    for t1 in range(l1):
                        position.totals[1] = blocks.base[1] + t1
                        for t2 in range(l2):
                            p = chance[at] * choices.weight[r]
                            at += 1
                            if p == 0.0:
                                continue
                            position.totals[2] = blocks.base[2] + t2
                            if mind is None:
                                chances(policy, position, o.outcome, n, params, share)
                            else:
                                deep_chances(policy, position, o.outcome, n, params, share, mind)
                            for k in range(n):
                                if share[k] > 0.0:
                                    handed[to[k, 0] + t0 * to[k, 1] + t1 * to[k, 2] + t2] += p * share[k]
                            if not wanted:
                                continue
                            best = -1e300
                            for g in range(serial - start):
                                split_best[g] = -1e300
                            for g in range(o.write[n - 1] + 1):
                                write_best[g] = -1e300
                            for k in range(n):
                                x = worth_later.values[look[k, 0] + t0 * look[k, 1] + t1 * look[k, 2] + t2]
                                x += worth_later.plus[table + o.shift[k]]
                                value[k] = x
                                split_best[o.split[k]] = max(split_best[o.split[k]], x)
                                write_best[o.write[k]] = max(write_best[o.write[k]], x)
                                best = max(best, x)
                            for k in range(n):
                                if share[k] == 0.0:
                                    continue
                                q = p * share[k]
                                lost_write += q * (best - write_best[o.write[k]])
                                lost_split += q * (write_best[o.write[k]] - split_best[o.split[k]])
                                if o.outcome[k, 3] == 0:
                                    lost_zero += q * (split_best[o.split[k]] - value[k])
                                else:
                                    lost_box += q * (split_best[o.split[k]] - value[k])
                lost[BONUS] += lost_write
                lost[SPLITS] += lost_split
                lost[BOX] += lost_box
                lost[ZERO] += lost_zero


@jit
def count_ends(chance, size, pmf, lengths, base, bonus, final):
    """Add the probabilities of full sheets to their end totals."""
    for table in range(bonus.shape[0]):
        at = table * size
        for t0 in range(lengths[0]):
            for t1 in range(lengths[1]):
                for t2 in range(lengths[2]):
                    if chance[at] > 0.0:
                        pmf[worth(base[0] + t0, base[1] + t1, base[2] + t2, bonus[table], final)] += chance[at]
                    at += 1
