"""Sums that a player has to do in the head: what a roll asks of a child's arithmetic, whatever is on the sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from sim.games.base import RulesModel
from sim.games.caterpillars.rules import FACES, CaterpillarsRules


@dataclass(frozen=True)
class Sums:
    """Sums of a round, over all rolls of a level.

    Attributes
    ----------
    mean : float
        Different sums of two or more dice that a player has to form to see every entry of a roll.
    most : int
        The largest number of them.
    largest : int
        The largest sum.
    """

    mean: float
    most: int
    largest: int


def sums_in_head(rules: Mapping[str, Any] | str | RulesModel | None = None, bonus: Sequence[int] = (0, 0, 0)) -> Sums:
    """How many sums a round asks for, by exact enumeration of all rolls.

    A group of two or more of the dice at hand that can be label or score is a sum; equal groups count once, single dice
    and the group of all dice not at all. With 2x a doubled die is a sum of its own (a die and itself), and groups are
    formed for every die that may be doubled. A butterfly asks for the total of all dice as well.

    Parameters
    ----------
    rules
        As `sim.simulate` takes them; the level and its dice count.
    bonus : sequence of int
        What the bonus boxes hold, 0 for nothing: a letter's box gives a fourth die.
    """
    parsed = CaterpillarsRules.parse(rules)
    assert isinstance(parsed, CaterpillarsRules)
    faces: tuple[str | None, ...] = FACES if parsed.has_action else (None,)
    counts: Counter[int] = Counter()
    largest = 0
    for dice in product(range(1, 7), repeat=parsed.dice):
        for face in faces:
            found = _groups(dice, face, bonus)
            counts[len(found)] += 1
            largest = max([largest, *map(sum, found)])
    total = sum(counts.values())
    return Sums(sum(k * c for k, c in counts.items()) / total, max(counts), largest)


def _groups(dice: tuple[int, ...], face: str | None, bonus: Sequence[int]) -> set[tuple[int, ...]]:
    """Different sums, as sorted groups of dice; a doubled die stands as the pair (d, d) with a mark in front."""
    fourth = 10 if face == "10" else bonus[FACES.index(face)] if face in ("A", "B", "C") else 0
    hands = [(*dice, fourth) if fourth else dice]
    found: set[tuple[int, ...]] = set()
    if face == "2x":
        hands = [tuple(2 * d if i == k else d for i, d in enumerate(dice)) for k in range(len(dice))]
        found |= {(0, d, d) for d in dice}
    for hand in hands:
        for size in range(2, len(hand)):
            found |= {tuple(sorted(group)) for group in combinations(hand, size)}
        if face == "butterfly":
            found.add(tuple(sorted(hand)))
    return found
