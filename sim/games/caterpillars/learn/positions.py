"""Positions to learn from: sheets of all kinds, played by good and by careless players.

Streams used here are of this package alone: nothing that is learned has met the dice of a simulated game.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sim.engine.jit import jit
from sim.engine.rng import pick, uniform
from sim.games.caterpillars.mind import choose_learned
from sim.games.caterpillars.outcomes import close_box, list_outcomes, open_sheet, unpack, write
from sim.games.caterpillars.policies import GREEDY, LEARNED, PLANNER, WEIGHTED, choose
from sim.games.caterpillars.search import mean_of_next
from sim.games.caterpillars.value import (
    BIAS_ROW,
    FILLED_ROW,
    NOISE,
    OPEN_ROW,
    PER_POINT,
    ROWS,
    SLOT,
    TOTAL_ROW,
    soft_middle,
)

#: streams, beside those of games
_SHEET = 16
_PLAYER = 17
_DICE = 18
_SLIP = 19
_ANY = 20


class Positions(NamedTuple):
    """Positions right after a move, by rounds left (12) and number.

    Attributes
    ----------
    labels, owner : int8[12, n, 12]
    opened : int64[12, n]
        Empty boxes, as bits.
    totals : int16[12, n, 3]
    bonus : int8[12, n, 3]
    rounds : int8[12, n]
        Boxes on the sheet.
    filled : int64[12]
        How many there are.
    """

    labels: np.ndarray
    owner: np.ndarray
    opened: np.ndarray
    totals: np.ndarray
    bonus: np.ndarray
    rounds: np.ndarray
    filled: np.ndarray


def room(n: int) -> Positions:
    """Room for `n` positions for each number of rounds left."""
    return Positions(
        np.zeros((12, n, 12), np.int8),
        np.zeros((12, n, 12), np.int8),
        np.zeros((12, n), np.int64),
        np.zeros((12, n, 3), np.int16),
        np.zeros((12, n, 3), np.int8),
        np.zeros((12, n), np.int8),
        np.zeros(12, np.int64),
    )


@jit
def place_anywhere(labels, value, u):
    """Write a label on one of the blanks, all equally likely."""
    left = 0
    for b in range(12):
        if labels[b] == 0:
            left += 1
    k = pick(u, left)
    for b in range(12):
        if labels[b] == 0:
            if k == 0:
                labels[b] = value
                return
            k -= 1


@jit
def draw_sheet(seed, number, labels, owner, printed):
    """A labelled sheet, int64[12] each; returns how many boxes it has.

    45 % after a standard set-up of the default sheet and 25 % after the variation, labels anywhere; 20 % with labels 1
    to 6 as they fall; 10 % with large labels among them. Of 30 % only one to three boxes a caterpillar are kept.
    """
    kind = uniform(seed, number, _SHEET, 0, 0)
    at = 1
    for b in range(12):
        owner[b] = b // 4
        labels[b] = printed[b] if kind < 0.7 else 0
    if kind < 0.7:
        variation = kind >= 0.45
        for _ in range(3 if variation else 2):
            dice = at
            at += 3
            for i in range(2 if variation else 3):
                value = 1 + pick(uniform(seed, number, _SHEET, 0, dice + i), 6)
                if variation and i == 1:
                    value += 1 + pick(uniform(seed, number, _SHEET, 0, dice + 2), 6)
                place_anywhere(labels, value, uniform(seed, number, _SHEET, 0, at))
                at += 1
    else:
        for b in range(12):
            labels[b] = 1 + pick(uniform(seed, number, _SHEET, 0, at), 6)
            if kind >= 0.9 and uniform(seed, number, _SHEET, 0, at + 12) < 0.3:
                labels[b] += 6
            at += 1
    u = uniform(seed, number, _SHEET, 0, 100)
    boxes = 4 if u < 0.7 else 3 if u < 0.82 else 2 if u < 0.95 else 1
    if boxes == 4:
        return 12
    n = 0
    for c in range(3):
        keep = boxes
        for b in range(4):
            if uniform(seed, number, _SHEET, 0, 101 + 4 * c + b) * (4 - b) < keep:
                labels[n] = labels[4 * c + b]
                owner[n] = c
                n += 1
                keep -= 1
    return n


@jit
def lay(position, labels, owner, opened, totals, bonus, rounds):
    """Write a sheet into the record that policies read."""
    position.rounds = rounds
    position.boxes = rounds // 3
    for b in range(rounds):
        position.labels[b] = labels[b]
        position.owner[b] = owner[b]
    open_sheet(position, rounds)
    for c in range(3):
        position.totals[c] = totals[c]
        position.bonus[c] = bonus[c]
        position.empty[c] = 0
    for b in range(rounds):
        if (opened >> b) & 1:
            position.scores[b] = -1
            position.empty[owner[b]] += 1
        else:
            position.scores[b] = 0
            close_box(position, b)


@jit
def sample(seed, games, trained, printed, positions, mind, found):
    """Play games and keep the position after every move but the last.

    Of the players 8 % are `greedy`, 17 % `planner`, the others `weighted` or, where `trained`, half the players
    `learned` with the mind's networks; three in ten never slip, others in 10, 30 or 70 % of their decisions.
    """
    labels = np.zeros(12, np.int64)
    owner = np.zeros(12, np.int64)
    nothing = np.zeros(3, np.int64)
    position = positions[0]
    rules = mind.rules[0]
    packed = mind.works[0].packed
    options = mind.works[0].options
    for g in range(games):
        number = np.uint64(g)
        n = draw_sheet(seed, number, labels, owner, printed)
        lay(position, labels, owner, (1 << n) - 1, nothing, nothing, n)
        who = uniform(seed, number, _PLAYER, 0, 0)
        u = uniform(seed, number, _PLAYER, 0, 1)
        slip = 0.0 if u < 0.3 else 0.1 if u < 0.6 else 0.3 if u < 0.9 else 0.7
        policy = GREEDY if who < 0.08 else PLANNER if who < 0.25 else WEIGHTED if who < 0.5 or not trained else LEARNED
        for r in range(n - 1):
            x = int(uniform(seed, number, _DICE, 0, r) * 1296)
            face = x // 216 if rules.has_action else -1
            position.round_index = r
            position.face = face
            m = list_outcomes(packed, position, x % 216, face, rules, mind.tables[0])
            if uniform(seed, number, _SLIP, 0, r) < slip:
                k = pick(uniform(seed, number, _ANY, 0, r), m)
            elif policy == LEARNED:
                k = choose_learned(position, options, m, mind)
            else:
                k = choose(policy, position, options, m, mind.defaults[policy], 0.0)
            bonus_box, bonus_value, box, score = unpack(packed[k])
            write(position, bonus_box, bonus_value, box, score)
            left = n - 1 - r
            at = found.filled[left]
            if at < found.opened.shape[1]:
                for b in range(n):
                    found.labels[left, at, b] = labels[b]
                    found.owner[left, at, b] = owner[b]
                found.opened[left, at] = position.open_boxes
                for c in range(3):
                    found.totals[left, at, c] = position.totals[c]
                    found.bonus[left, at, c] = position.bonus[c]
                found.rounds[left, at] = n
                found.filled[left] += 1


@jit
def describe(position, left, curve, out):
    """The inputs of the network for a position, float64[ROWS]; returns the smoothed median of the projected totals."""
    for i in range(ROWS):
        out[i] = 0.0
    p0 = float(position.totals[0])
    p1 = float(position.totals[1])
    p2 = float(position.totals[2])
    for box in range(position.rounds):
        if (position.open_boxes >> box) & 1:
            worth = curve[left, int(position.labels[box])]
            c = position.owner[box]
            p0 += worth if c == 0 else 0.0
            p1 += worth if c == 1 else 0.0
            p2 += worth if c == 2 else 0.0
    k0 = (1 if p1 < p0 else 0) + (1 if p2 < p0 else 0)
    k1 = (1 if p0 <= p1 else 0) + (1 if p2 < p1 else 0)
    low = min(p0, p1, p2)
    high = max(p0, p1, p2)
    base, f0, f1, f2 = soft_middle(low, p0 + p1 + p2 - low - high, high, curve[left, NOISE])
    scale = curve[left, PER_POINT]
    for c in range(3):
        k = k0 if c == 0 else k1 if c == 1 else 3 - k0 - k1
        p = p0 if c == 0 else p1 if c == 1 else p2
        stored = position.bonus[c] * scale
        out[SLOT * k + TOTAL_ROW] = (p - base) * scale
        if stored > 0:
            out[SLOT * k + FILLED_ROW] = 1.0
            out[SLOT * k + FILLED_ROW + 1] = stored
            out[SLOT * k + FILLED_ROW + 2] = stored * (f0 if k == 0 else f1 if k == 1 else f2)
        for box in range(position.rounds):
            if position.owner[box] == c and (position.open_boxes >> box) & 1:
                label = int(position.labels[box])
                out[SLOT * k + label - 1] += 1.0
                out[OPEN_ROW + label - 1] = 1.0
    out[BIAS_ROW] = 1.0
    return base


@jit
def target_of(found, left, start, stop, positions, mind, inputs, base, target):
    """Inputs and targets of positions `start` … `stop − 1`: the exact mean over the next roll of the best value."""
    position = positions[0]
    for i in range(start, stop):
        n = int(found.rounds[left, i])
        lay(
            position, found.labels[left, i], found.owner[left, i], found.opened[left, i], found.totals[left, i],
            found.bonus[left, i], n,
        )  # fmt: skip
        base[i] = describe(position, left, mind.curve, inputs[i])
        target[i] = mean_of_next(position, left, mind)
