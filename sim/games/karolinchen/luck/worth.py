"""What a position of Karolinchen is worth to each seat, about: the race of `race`, corrected by a fitted network.

A position is looked at where somebody has to roll: the worm of every seat, whose turn it is, and the number of dice
rolled. What colours the dice in the middle had before no longer matters then.

The network has two hidden layers of rectified units. Its first layer is linear in what is told of each seat, so it is
a sum over seats of one row of a table (by kind of player, place in the order of turns, worm), plus one row for who is
to roll what. Its last layer is added to the logarithms of what the race says, and one softmax makes chances of them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim.engine.jit import jit

#: number of dice that stands for: the opening roll is about to be made, and will lie open
OPENING = 0
#: positions whose worth is kept, a power of two
SLOTS = 8192
#: a race is followed until it is still open with this chance
_REST = 1e-5
#: least chance of which a logarithm is taken
LEAST = 1e-6


class Sight(NamedTuple):
    """What positions are looked at with.

    Attributes
    ----------
    seats : int
    keys, chance, start : int64[n], float64[n], int64[8]
        All rolls, see `race.all_vectors`.
    fruits, before : int64[6]
        By colour: fruits on the card, and on the cards of lower colours.
    end, beyond : float64[worms, 7, turns + 1]
        See `race.Race`.
    fitted : bool
        Whether there is a network; without one the race alone is what positions are worth.
    kinds : int64[6]
        Kind of player by seat, see `network.kind_of`.
    seen : float32[kinds, places, worms, units]
        First layer: what is told of each seat.
    rolls : float32[worms, 7, units]
        First layer: who is to roll how many dice.
    race, inner, inner_bias, outer, outer_bias : float32 arrays
        First layer from the logarithms of the race; second and third layer.
    """

    seats: int
    keys: np.ndarray
    chance: np.ndarray
    start: np.ndarray
    fruits: np.ndarray
    before: np.ndarray
    end: np.ndarray
    beyond: np.ndarray
    fitted: bool
    kinds: np.ndarray
    seen: np.ndarray
    rolls: np.ndarray
    race: np.ndarray
    inner: np.ndarray
    inner_bias: np.ndarray
    outer: np.ndarray
    outer_bias: np.ndarray


class Desk(NamedTuple):
    """Working memory of one thread: positions whose worth is known, hidden units, and what `tree` has still to do."""

    known: np.ndarray
    worth: np.ndarray
    first: np.ndarray
    second: np.ndarray
    chances: np.ndarray
    tasks: np.ndarray
    weights: np.ndarray
    rows: np.ndarray


def desk(sight: Sight) -> Desk:
    """Working memory for one thread."""
    return Desk(
        np.full((SLOTS, 8), -2, np.int64),
        np.zeros((SLOTS, 6)),
        np.zeros(sight.inner.shape[0], np.float32),
        np.zeros(sight.inner.shape[1], np.float32),
        np.zeros((4, 7)),
        np.zeros((TASKS, TASK), np.int64),
        np.zeros(TASKS),
        np.zeros(6, np.int64),
    )


#: most tasks of `tree` at a time, and numbers of each: six worms, seat, middle, cards left, whether it has rolled
TASKS, TASK = 128, 10


@jit
def race_worth(seats, roller, rows, dice, end, beyond, chances, worth):
    """Chances of independent racers: ``worth[seat]``; `roller` rolls `dice` dice (`OPENING`: six) and goes next.

    `chances`, float64[4, 7], is working memory.
    """
    first = dice if dice > 0 else 6
    for s in range(seats):
        worth[s] = 0.0
        chances[0, s] = 1.0  # by place in the order: chance not to have come to the end before this round
    for t in range(1, end.shape[2]):
        chances[1, seats] = 1.0
        for i in range(seats):
            a = seats - 1 - i
            chances[1, a] = chances[1, a + 1] * chances[0, a]  # none of those from this place on has
        if chances[1, 0] < _REST:
            break
        ahead = 1.0
        for a in range(seats):
            s = roller + a
            s -= seats if s >= seats else 0
            how = first if a == 0 else 0
            worth[s] += ahead * chances[1, a + 1] * end[rows[s], how, t]
            chances[0, a] = beyond[rows[s], how, t]
            ahead *= chances[0, a]


@jit
def node_worth(rows, roller, dice, sight, desk, worth):
    """About the chance of each seat to win where `roller` is to roll `dice` dice, into ``worth[seat]``."""
    seats = sight.seats
    mixed = dice + 7 * roller
    for s in range(seats):
        mixed = (mixed * 1000003 + rows[s]) & 0xFFFFFFFF
    slot = (mixed ^ (mixed >> 15)) & (SLOTS - 1)
    known = desk.known[slot]
    same = known[6] == roller and known[7] == dice
    for s in range(seats):
        same = same and known[s] == rows[s]
    if same:
        for s in range(seats):
            worth[s] = desk.worth[slot, s]
        return
    race_worth(seats, roller, rows, dice, sight.end, sight.beyond, desk.chances, worth)
    if sight.fitted:
        corrected(rows, roller, dice, sight, desk, worth)
    known[6] = roller
    known[7] = dice
    for s in range(seats):
        known[s] = rows[s]
        desk.worth[slot, s] = worth[s]


@jit
def corrected(rows, roller, dice, sight, desk, worth):
    """What the network makes of the worth by the race, in place."""
    seats = sight.seats
    units = sight.inner.shape[0]
    first = desk.first
    second = desk.second
    row = sight.rolls[rows[roller], dice]
    for h in range(units):
        first[h] = row[h]
    for a in range(seats):
        s = roller + a
        s -= seats if s >= seats else 0
        row = sight.seen[sight.kinds[s], a, rows[s]]
        logarithm = math.log(max(worth[s], LEAST))
        desk.chances[2, a] = logarithm
        told = np.float32(logarithm)
        pull = sight.race[a]
        for h in range(units):
            first[h] += row[h] + told * pull[h]
    more = sight.inner.shape[1]
    for k in range(more):
        second[k] = sight.inner_bias[k]
    for h in range(units):
        x = first[h]
        if x > 0:
            row = sight.inner[h]
            for k in range(more):
                second[k] += x * row[k]
    peak = -1e30
    for a in range(seats):
        out = sight.outer_bias[a]
        row = sight.outer[a]
        for k in range(more):
            out += max(second[k], np.float32(0)) * row[k]
        desk.chances[2, a] += out
        peak = max(peak, desk.chances[2, a])
    total = 0.0
    for a in range(seats):
        desk.chances[2, a] = math.exp(desk.chances[2, a] - peak)
        total += desk.chances[2, a]
    for a in range(seats):
        s = roller + a
        s -= seats if s >= seats else 0
        worth[s] = desk.chances[2, a] / total
