"""What a roll offers a player who is followed forward, at every level, as flat arrays.

A *table* is one filling (a, b, c) of the three bonus boxes, 0 = empty; at beginner and intermediate there is one. What
a roll offers depends on the table only through which bonus boxes are empty and the value that a letter calls: its
*case*. A case is a list of *choices* (a bonus write or none), in sorted order, each with a set of entries and what a
butterfly brings.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from sim.games.caterpillars.exact.candidates import Ways, rolls, ways
from sim.games.caterpillars.exact.moves import flatten, storable
from sim.games.caterpillars.rules import FACES, MAX_LABEL, CaterpillarsRules


class Choices(NamedTuple):
    """All choices of all rolls in all tables.

    Attributes
    ----------
    bonus : int64[tables, 3]
        The fillings.
    weight : float64[rolls]
        Probability of each distinct roll.
    dice : int64[rolls, 3], face : int64[rolls]
        Regular dice (0 where not rolled), face of the action die or −1.
    case : int32[tables, rolls]
        Which choices a roll offers.
    start : int64[cases + 1]
        Choices of each case.
    bonus_box, bonus_value : int64[choices]
        The write, −1 and 0 for none.
    shift : int64[choices]
        Number of the table led to, less that of the table before.
    entries, fly : int64[choices]
        Set of entries; total that a butterfly brings, 0 for none.
    sums, score_start, scores
        The sets, as in `moves.Moves`.
    """

    bonus: np.ndarray
    weight: np.ndarray
    dice: np.ndarray
    face: np.ndarray
    case: np.ndarray
    start: np.ndarray
    bonus_box: np.ndarray
    bonus_value: np.ndarray
    shift: np.ndarray
    entries: np.ndarray
    fly: np.ndarray
    sums: np.ndarray
    score_start: np.ndarray
    scores: np.ndarray


def tables(rules: CaterpillarsRules) -> int:
    """Number of fillings of the bonus boxes."""
    return (1 + len(storable(rules))) ** 3


def list_choices(rules: CaterpillarsRules) -> Choices:
    """List the choices of every roll in every table."""
    return _list_choices(rules.model_dump_json())


@lru_cache(maxsize=4)
def _list_choices(rules_text: str) -> Choices:
    rules = CaterpillarsRules.model_validate_json(rules_text)
    values = [0, *storable(rules)]
    stride = [len(values) ** 2, len(values), 1]
    fillings = list(product(values, repeat=3))
    counted = rolls(rules)
    total = sum(counted.values())
    sets: dict[frozenset[tuple[int, int]], int] = {}
    cases: dict[tuple[int, int, tuple[bool, ...]], int] = {}
    case = np.zeros((len(fillings), len(counted)), np.int32)
    start, rows = [0], []
    for i, (dice, face) in enumerate(counted):
        for j, table in enumerate(fillings):
            key = (i, table[FACES.index(face)] if face in ("A", "B", "C") else 0, tuple(x == 0 for x in table))
            if key not in cases:
                cases[key] = len(cases)
                for (box, value), way in sorted(ways(rules, dice, face, table).items()):
                    step = values.index(value) * stride[box] if box >= 0 else 0
                    rows.append((box, value, step, sets.setdefault(way.entries, len(sets)), way.butterfly))
                start.append(len(rows))
            case[j, i] = cases[key]
    box_of, value_of, shift, entries, fly = np.array(rows, np.int64).T.copy()
    sums, score_start, scores = flatten(sets)
    rolled = np.zeros((len(counted), 3), np.int64)
    for i, (dice, _) in enumerate(counted):
        rolled[i, : len(dice)] = dice
    return Choices(
        np.array(fillings, np.int64),
        np.array([count / total for count in counted.values()]),
        rolled,
        np.array([-1 if face is None else FACES.index(face) for _, face in counted], np.int64),
        case,
        np.array(start, np.int64),
        box_of,
        value_of,
        shift,
        entries,
        fly,
        sums,
        score_start,
        scores,
    )


def most_options(c: Choices, boxes: int) -> int:
    """No roll offers more outcomes than this with so many empty boxes."""
    scores = np.diff(c.score_start).reshape(-1, 13).max(axis=1)
    each = 2 + scores[c.entries]  # a zero and a butterfly beside the entries
    return int(boxes * np.add.reduceat(each, c.start[:-1]).max())


def label_odds(rules: CaterpillarsRules) -> tuple[np.ndarray, np.ndarray]:
    """Chance per roll that a label can be served with all bonus boxes empty, and the mean best score when it can:
    float64[13] each.
    """
    counted = rolls(rules)
    total = sum(counted.values())
    hits = np.zeros(MAX_LABEL + 1)
    best = np.zeros(MAX_LABEL + 1)
    for (dice, face), count in counted.items():
        way: Ways = ways(rules, dice, face, (0, 0, 0))[-1, 0]
        for label in range(1, MAX_LABEL + 1):
            served = [score for own, score in way.entries if own == label] + [way.butterfly] * (way.butterfly > 0)
            if served:
                hits[label] += count
                best[label] += count * max(served)
    return hits / total, np.divide(best, hits, out=np.zeros_like(best), where=hits > 0)
