"""Optimal set-up: which label to write where, when every labelling's worth is known.

What a caterpillar's blanks hold so far is a *filling*: the multiset of values written on them (blanks of one
caterpillar are interchangeable). Backward over the rolls: the value of three fillings is the mean, over all rolls of
three dice, of the best way to write what was rolled. A roll makes *offers*: three values for three blanks in the
standard set-up; one die for one blank and the sum of the other two for another in the variation, for each choice of the
single die.

Ways to write an offer are tried in sorted order: values ascending, lower caterpillars first; among those within `TIE`
of the best the first is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, product

import numpy as np

from sim.engine.jit import jit
from sim.games.caterpillars.exact.pmf import TIE
from sim.games.caterpillars.rules import MAX_LABEL, CaterpillarsRules


@dataclass(frozen=True)
class Offers:
    """Distinct rolls of the set-up as arrays.

    Attributes
    ----------
    rolls : list of (int, int, int)
        Dice, ascending.
    weight : float64[R]
        Probability of each.
    count : int64[R]
        Offers of each.
    values : int64[R, 3, V]
        Values of an offer, ascending; V = 3 (standard) or 2 (variation).
    """

    rolls: list[tuple[int, int, int]]
    weight: np.ndarray
    count: np.ndarray
    values: np.ndarray


def offers(rules: CaterpillarsRules) -> Offers:
    """What every roll of the set-up offers to write."""
    counted = Counter((a, b, c) for a, b, c in (sorted(dice) for dice in product(range(1, 7), repeat=3)))
    rolls = sorted(counted)
    size = rules.labels_per_roll
    count = np.zeros(len(rolls), np.int64)
    values = np.zeros((len(rolls), 3, size), np.int64)
    for r, dice in enumerate(rolls):
        found = {dice} if size == 3 else {tuple(sorted((die, sum(dice) - die))) for die in dice}
        count[r] = len(found)
        values[r, : len(found)] = sorted(found)
    return Offers(rolls, np.array([counted[dice] / 216 for dice in rolls]), count, values)


@dataclass(frozen=True)
class Fillings:
    """Fillings of the blanks of each caterpillar, numbered by size, then in sorted order: 0 is empty.

    Attributes
    ----------
    items : list of list of tuple of int, by caterpillar
        Values of each filling, ascending.
    add : int64[3, N, 13]
        Filling after one more value is written, per caterpillar, filling and value; −1 where no blank is left or no
        roll gives the value.
    size : int64[3, N]
        Values written.
    blanks : tuple of int
        Blanks per caterpillar.
    """

    items: list[list[tuple[int, ...]]]
    add: np.ndarray
    size: np.ndarray
    blanks: tuple[int, int, int]

    def full(self, c: int) -> list[int]:
        """Fillings without a blank left."""
        return [i for i, item in enumerate(self.items[c]) if len(item) == self.blanks[c]]


def fillings(rules: CaterpillarsRules) -> Fillings:
    """All fillings of a sheet's blanks."""
    n = rules.boxes
    top = 6 if rules.setup == "standard" else MAX_LABEL
    a, b, c = (sum(x == 0 for x in rules.printed[n * i : n * i + n]) for i in range(3))
    blanks = (a, b, c)
    items = [
        [item for size in range(most + 1) for item in combinations_with_replacement(range(1, top + 1), size)]
        for most in blanks
    ]
    most = max(map(len, items))
    add = np.full((3, most, MAX_LABEL + 1), -1, np.int64)
    size = np.zeros((3, most), np.int64)
    for i, own in enumerate(items):
        number = {item: at for at, item in enumerate(own)}
        for item, at in number.items():
            size[i, at] = len(item)
            if len(item) < blanks[i]:
                for value in range(1, top + 1):
                    add[i, at, value] = number[tuple(sorted((*item, value)))]
    return Fillings(items, add, size, blanks)


@jit
def best_way(value, add, a, b, c, offered, offer_count, tie, spot):
    """Best value of writing one roll on fillings (a, b, c); `spot` gets the fillings after the first best way.

    `offered` is int64[3, V]. Returns −inf where nothing can be written.
    """
    best = -np.inf
    size = offered.shape[1]
    for again in range(2):  # first what is best, then the first way that is as good
        for o in range(offer_count):
            for c0 in range(3):
                for c1 in range(3):
                    for c2 in range(3 if size == 3 else 1):
                        n0 = a
                        n1 = b
                        n2 = c
                        for i in range(size):
                            to = c0 if i == 0 else c1 if i == 1 else c2
                            v = offered[o, i]
                            if to == 0 and n0 >= 0:
                                n0 = add[0, n0, v]
                            elif to == 1 and n1 >= 0:
                                n1 = add[1, n1, v]
                            elif to == 2 and n2 >= 0:
                                n2 = add[2, n2, v]
                        if n0 < 0 or n1 < 0 or n2 < 0:
                            continue
                        x = value[n0, n1, n2]
                        if again == 0:
                            best = x if x > best else best
                        elif x >= best - tie:
                            spot[0] = n0
                            spot[1] = n1
                            spot[2] = n2
                            return best
    return best


@jit
def back_one_roll(value, add, states, weight, count, offered, tie):
    """Fill the values of `states` (int64[k, 3]), one roll before those that are known."""
    spot = np.zeros(3, np.int64)
    for i in range(states.shape[0]):
        total = 0.0
        for r in range(weight.size):
            total += weight[r] * best_way(
                value, add, states[i, 0], states[i, 1], states[i, 2], offered[r], count[r], tie, spot
            )
        value[states[i, 0], states[i, 1], states[i, 2]] = total


@jit
def forth_one_roll(value, chance, add, states, weight, count, offered, tie):
    """Hand the probabilities of `states` on to where the best way of every roll leads."""
    spot = np.zeros(3, np.int64)
    for i in range(states.shape[0]):
        p = chance[states[i, 0], states[i, 1], states[i, 2]]
        if p == 0.0:
            continue
        for r in range(weight.size):
            best_way(value, add, states[i, 0], states[i, 1], states[i, 2], offered[r], count[r], tie, spot)
            chance[spot[0], spot[1], spot[2]] += p * weight[r]


def states_after(parts: Fillings, values_written: int) -> np.ndarray:
    """Triples of fillings with so many values written in all: int64[k, 3]."""
    a, b, c = (parts.size[i, : len(own)] for i, own in enumerate(parts.items))
    return np.argwhere(a[:, None, None] + b[:, None] + c == values_written)


def _stages(rules: CaterpillarsRules, parts: Fillings) -> Iterator[np.ndarray]:
    for rolled in range(sum(parts.blanks) // rules.labels_per_roll):
        yield states_after(parts, rolled * rules.labels_per_roll)


def placement_values(rules: CaterpillarsRules, parts: Fillings, labelled: np.ndarray) -> np.ndarray:
    """Value of every triple of fillings before a roll: float64[N0, N1, N2], NaN between rolls.

    Parameters
    ----------
    labelled : float64[F0, F1, F2]
        Value of every labelling, by the full fillings of the three caterpillars in order.
    """
    value = np.full([len(own) for own in parts.items], np.nan)
    value[np.ix_(*(parts.full(c) for c in range(3)))] = labelled
    given = offers(rules)
    for states in reversed(list(_stages(rules, parts))):
        back_one_roll(value, parts.add, states, given.weight, given.count, given.values, TIE)
    return value


def placement_chances(rules: CaterpillarsRules, parts: Fillings, value: np.ndarray) -> np.ndarray:
    """Probability of every triple of fillings under optimal set-up, same shape as `value`."""
    chance = np.zeros(value.shape)
    chance[0, 0, 0] = 1.0
    given = offers(rules)
    for states in _stages(rules, parts):
        forth_one_roll(value, chance, parts.add, states, given.weight, given.count, given.values, TIE)
    return chance
