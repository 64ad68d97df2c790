"""Luck of the set-up: what a sheet is worth by the rolls that labelled it, less the mean over all set-ups.

A sheet is valued as it is labelled from sorted rolls of sorted dice: so there are few of them, and what comes out is a
function of dice alone, whose mean over all set-ups is exact, whatever players do with those dice.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations_with_replacement, permutations
from typing import Any

import numpy as np

from sim.engine.jit import jit
from sim.games.base import Policy
from sim.games.caterpillars.kernel import Plan, set_up
from sim.games.caterpillars.luck.rounds import BEST, begin, mean_worth
from sim.games.caterpillars.mind import make_mind
from sim.games.caterpillars.odds import show_level
from sim.games.caterpillars.outcomes import open_sheet, rules_record
from sim.games.caterpillars.placement import OPTIMAL, OWN, RANDOM, SPREAD
from sim.games.caterpillars.position import POSITION, SEAT, WORK
from sim.games.caterpillars.rules import FINALS, CaterpillarsRules

#: set-ups of more rolls are left alone: their table would be too large
MOST_ROLLS = 3
#: three dice in ascending order, each 0 … 5
ROLLS = tuple(combinations_with_replacement(range(6), 3))


def places() -> np.ndarray:
    """For each roll of three dice, the place of its sorted dice among the 56: int64[216]."""
    order = {roll: i for i, roll in enumerate(ROLLS)}
    return np.array([order[(*sorted((x % 6, x // 6 % 6, x // 36)),)] for x in range(216)], np.int64)


def chances() -> np.ndarray:
    """Probability of each of the 56 sorted rolls."""
    return np.bincount(places(), minlength=len(ROLLS)) / 216


@jit
def label_sheets(rolls, count, positions, rules_, works, players, plan, labels):
    """Labels after so many set-up rolls each (int64[n, count], as `work.setup`), into `labels`."""
    position = positions[0]
    work = works[0]
    for i in range(rolls.shape[0]):
        for j in range(count):
            work.setup[0, j] = rolls[i, j]
        set_up(position, rules_[0], work, 0, players[0], plan, None)
        for b in range(position.rounds):
            labels[i, b] = position.labels[b]


@jit
def value_sheets(labels, positions, players, mind, out):
    """What empty sheets are worth: the exact mean over the first roll of the best fitted value after it."""
    position = positions[0]
    for i in range(labels.shape[0]):
        for b in range(position.rounds):
            position.labels[b] = labels[i, b]
        open_sheet(position, position.rounds)
        for c in range(3):
            position.totals[c] = 0
            position.bonus[c] = 0
        begin(position, position.rounds - 1, mind, None)
        out[i] = mean_worth(BEST, position, 0, position.rounds - 1, players[0], 0.0, mind, None)


def setup_luck(rules: CaterpillarsRules, policy: Policy, plan: Plan | None) -> np.ndarray:
    """Luck of the set-up by the places of its rolls, float64[56^rolls]; a single zero where none is taken out."""
    how = int(policy.vector()[0])
    if how in (RANDOM, OWN):  # what is asked of a table is that it goes along with the sheets, no more
        how = SPREAD
    if not 1 <= rules.setup_rolls <= MOST_ROLLS:
        return np.zeros(1)
    if how == OPTIMAL:
        return _table(rules, how, plan)
    return _kept(rules.text(), how)


@lru_cache(maxsize=16)
def _kept(rules_text: str, how: int) -> np.ndarray:
    return _table(CaterpillarsRules.model_validate_json(rules_text), how, None)


def _table(rules: CaterpillarsRules, how: int, plan: Plan | None) -> np.ndarray:
    positions = np.zeros(1, POSITION).view(np.recarray)
    position = positions[0]
    position.rounds = rules.rounds
    position.boxes = rules.boxes
    position.owner[: rules.rounds] = [b // rules.boxes for b in range(rules.rounds)]
    position.final = FINALS.index(rules.final)
    show_level(position, rules)
    players = np.zeros(1, SEAT).view(np.recarray)
    players[0].params[0] = how
    works = np.zeros(1, WORK).view(np.recarray)
    # sorted rolls of sorted dice, and the sheets that they lead to
    which = np.array(list(combinations_with_replacement(range(len(ROLLS)), rules.setup_rolls)), np.int64)
    coded = np.array([a + 6 * b + 36 * c for a, b, c in ROLLS], np.int64)
    labels = np.zeros((len(which), 12), np.int16)
    label_sheets(coded[which], rules.setup_rolls, positions, rules_record(rules), works, players, plan, labels)
    # most sheets come up again and again
    distinct, back = np.unique(labels, axis=0, return_inverse=True)
    worth = np.zeros(len(distinct))
    value_sheets(distinct, positions, players, make_mind(rules), worth)
    return less_mean(which, worth[back.ravel()])


def less_mean(which: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """Worth less its mean, by the places of all rolls in the order they fell, float64[56^rolls]."""
    count = which.shape[1]
    table = np.zeros((len(ROLLS),) * count)
    for order in permutations(range(count)):
        table[tuple(which[:, i] for i in order)] = worth
    mean: Any = table
    for _ in range(count):
        mean = chances() @ mean
    return (table - mean).ravel()
