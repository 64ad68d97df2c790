"""What a roll can do at the levels with bonus boxes, as flat arrays for every filling of the bonus boxes (*table*).

A table is one filling (a, b, c) of the three bonus boxes, 0 = empty. In a table every roll offers *choices* (a bonus
write or none): the
table it leads to, points added, and a *set* of entries. Sets are shared: the entries (label sum, score sum) that some
dice allow, and what a butterfly brings. Rolls with the same choices are one row with the sum of their weights.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np

from sim.games.caterpillars.exact.candidates import Ways, rolls, ways
from sim.games.caterpillars.rules import FACES, CaterpillarsRules

#: label sums above 12 fit no box and share one bit
BEYOND = 13

Bonus = tuple[int, int, int]


@dataclass(frozen=True)
class Moves:
    """All choices of all rolls in all tables that can be reached from one filling.

    Attributes
    ----------
    tables : list of (int, int, int)
        Fillings; those with more empty boxes come first, the start is number 0.
    row_start : int64[tables + 1]
        Rows of each table.
    weight : uint32[rows]
        Equally likely rolls behind a row; they sum to `rolls` in every table.
    choice_start : int64[rows + 1]
        Choices of each row.
    to, add, entries, fly : int64[choices]
        Table led to; points to be added to what it says; set of entries; butterfly total (0: none).
    sums : int64[sets]
        Label sums of a set as bits.
    score_start : int64[13 × sets + 1], scores : int64[…]
        Scores for each label 0 … 12 of each set, ascending.
    rolls : int
        Equally likely rolls.
    """

    tables: list[Bonus]
    row_start: np.ndarray
    weight: np.ndarray
    choice_start: np.ndarray
    to: np.ndarray
    add: np.ndarray
    entries: np.ndarray
    fly: np.ndarray
    sums: np.ndarray
    score_start: np.ndarray
    scores: np.ndarray
    rolls: int


def storable(rules: CaterpillarsRules) -> list[int]:
    """Values that a bonus box can hold."""
    values = set(range(1, 7)) if rules.has_bonus else set()
    if rules.has_action and rules.double_stores == "doubled":
        values |= {2 * v for v in range(1, 7)}
    if rules.has_action and rules.bonus_source == "any":
        values |= {10}
    return sorted(values)


def shifts(rules: CaterpillarsRules) -> bool:
    """Whether a sheet with all bonus boxes filled is worth just so much more when every bonus is larger by one."""
    return rules.has_bonus and not rules.has_action


def settle(bonus: Bonus, rules: CaterpillarsRules) -> tuple[Bonus, int]:
    """The table that answers for `bonus`, and the points to be added to what it says."""
    if min(bonus) <= 1 or not shifts(rules):
        return bonus, 0
    low = min(bonus) - 1
    a, b, c = (x - low for x in bonus)
    return (a, b, c), low * (3 if rules.final == "total" else 1)


def reachable(start: Bonus, rules: CaterpillarsRules) -> list[Bonus]:
    """Tables that can follow `start`, itself first, by the number of empty boxes."""
    values = storable(rules)
    found = {
        settle((a, b, c), rules)[0]
        for a, b, c in product(*([x] if x else [0, *values] for x in start))
        if (a, b, c) != start
    }
    first, _ = settle(start, rules)
    return [first, *sorted(found - {first}, key=lambda t: (-t.count(0), t))]


def build(start: Bonus, rules: CaterpillarsRules) -> Moves:
    """List the choices of every roll in every table reachable from `start`."""
    tables = reachable(start, rules)
    number = {t: i for i, t in enumerate(tables)}
    counted = rolls(rules)
    sets: dict[frozenset[tuple[int, int]], int] = {}
    known: dict[tuple[object, ...], dict[tuple[int, int], Ways]] = {}
    row_start, weight, choice_start = [0], [], [0]
    to: list[int] = []
    add: list[int] = []
    entries: list[int] = []
    fly: list[int] = []
    for table in tables:
        rows: dict[tuple[tuple[int, int, int, int], ...], int] = {}
        empty = tuple(x == 0 for x in table)
        for (dice, face), count in counted.items():
            # of the values in the boxes only the one that the face calls matters
            key = (dice, face, table[FACES.index(face)] if face in ("A", "B", "C") else 0, empty)
            if key not in known:
                known[key] = ways(rules, dice, face, table)
            choices = []
            for (box, value), way in known[key].items():
                after = list(table)
                if box >= 0:
                    after[box] = value
                then, points = settle((after[0], after[1], after[2]), rules)
                index = sets.setdefault(way.entries, len(sets))
                choices.append((number[then], points, index, way.butterfly))
            row = tuple(choices)
            rows[row] = rows.get(row, 0) + count
        for row, count in rows.items():
            weight.append(count)
            for target, points, index, butterfly in row:
                to.append(target)
                add.append(points)
                entries.append(index)
                fly.append(butterfly)
            choice_start.append(len(to))
        row_start.append(len(weight))
    sums, score_start, scores = flatten(sets)
    return Moves(
        tables,
        np.array(row_start, np.int64),
        np.array(weight, np.uint32),
        np.array(choice_start, np.int64),
        np.array(to, np.int64),
        np.array(add, np.int64),
        np.array(entries, np.int64),
        np.array(fly, np.int64),
        sums,
        score_start,
        scores,
        sum(counted.values()),
    )


def flatten(sets: Iterable[frozenset[tuple[int, int]]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sets of entries as `sums`, `score_start` and `scores` of `Moves`."""
    sums, start, scores = [], [0], []
    for entries in sets:
        sums.append(sum(1 << s for s in {min(label, BEYOND) for label, _ in entries}))
        for label in range(BEYOND):
            scores.extend(sorted(score for served, score in entries if served == label))
            start.append(len(scores))
    return np.array(sums, np.int64), np.array(start, np.int64), np.array(scores or [0], np.int64)
