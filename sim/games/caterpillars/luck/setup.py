"""Luck of the set-up: what a sheet is worth by the rolls that labelled it, less the mean over all set-ups.

What comes out is a function of dice alone, whose mean over all set-ups is exact, whatever players do with those dice.
Two rolls are told apart in every way that they can fall; three only as far as the order of the dice in a roll does not
matter, so that the table stays small: sheets are labelled from sorted dice then.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from sim.engine.jit import jit
from sim.games.base import Policy
from sim.games.caterpillars.kernel import Plan, set_up
from sim.games.caterpillars.luck.views import begin, best_outcome, worth
from sim.games.caterpillars.mind import make_mind
from sim.games.caterpillars.odds import show_level
from sim.games.caterpillars.outcomes import NO_FACE, open_sheet, rules_record
from sim.games.caterpillars.placement import OPTIMAL, OWN, RANDOM, SPREAD
from sim.games.caterpillars.position import POSITION, SEAT, WORK
from sim.games.caterpillars.rules import FINALS, CaterpillarsRules

#: set-ups of more rolls are left alone: their table would be too large
MOST_ROLLS = 3
#: three dice in ascending order, each 0 … 5
ROLLS = tuple(combinations_with_replacement(range(6), 3))


def ways(rolls: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How set-up rolls are told apart.

    Returns
    -------
    place : int64[216]
        Place of each roll of three dice.
    rolls : int64[places]
        A roll for each place.
    chance : float64[places]
        Probability of each place.
    """
    every = np.arange(216)
    if rolls <= 2:
        return every, every, np.full(216, 1 / 216)
    order: dict[tuple[int, ...], int] = {roll: i for i, roll in enumerate(ROLLS)}
    place = np.array([order[tuple(sorted((x % 6, x // 6 % 6, x // 36)))] for x in range(216)], np.int64)
    coded = np.array([a + 6 * b + 36 * c for a, b, c in ROLLS], np.int64)
    return place, coded, np.bincount(place, minlength=len(ROLLS)) / 216


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
def value_sheets(labels, positions, mind, out):
    """What empty sheets are worth: the exact mean over the first roll of the best fitted value after it."""
    position = positions[0]
    for i in range(labels.shape[0]):
        for b in range(position.rounds):
            position.labels[b] = labels[i, b]
        open_sheet(position, position.rounds)
        for c in range(3):
            position.totals[c] = 0
            position.bonus[c] = 0
        left = position.rounds - 1
        begin(position, left, mind, None)
        out[i] = 0.0
        for k in range(mind.rolls.size):
            best = best_outcome(
                position, mind.rolls[k], NO_FACE, left, mind.rules[0], mind.tables[0], mind.works[0], mind, None
            )
            out[i] += mind.chance[k] * worth(best, position, left, mind, None)


def setup_luck(rules: CaterpillarsRules, policy: Policy, plan: Plan | None) -> np.ndarray:
    """Luck of the set-up by the places of its rolls (see `ways`), the first one counting most; a single zero where none
    is taken out."""
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
    _, coded, chance = ways(rules.setup_rolls)
    which = np.indices((coded.size,) * rules.setup_rolls).reshape(rules.setup_rolls, -1).T
    labels = np.zeros((len(which), 12), np.int16)
    label_sheets(coded[which], rules.setup_rolls, positions, rules_record(rules), works, players, plan, labels)
    # boxes of a caterpillar, and caterpillars, may change places: most sheets come up again and again
    boxes = np.sort(labels[:, : rules.rounds].reshape(-1, 3, rules.boxes), axis=2)
    code = np.sort(boxes @ 13 ** np.arange(rules.boxes), axis=1)
    _, first, back = np.unique(code, axis=0, return_index=True, return_inverse=True)
    values = np.zeros(len(first))
    mind = make_mind(rules)
    mind.rules[0].has_action = False  # thousands of sheets: the first roll without its action die tells them apart
    value_sheets(labels[first], positions, mind, values)
    table = values[back.ravel()].reshape((coded.size,) * rules.setup_rolls)
    mean: Any = table
    for _ in range(rules.setup_rolls):
        mean = chance @ mean
    return np.asarray((table - mean).ravel())
