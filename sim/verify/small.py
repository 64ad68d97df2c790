"""Exact results on small sheets of Caterpillars at any level, for the two reference policies, several seats and set-up.

A plain walk forward over positions: every roll, every outcome that the policy may take, with its probability. Slow and
obvious; meant for one box per caterpillar. Outcomes come from the exact solvers' own generator of dice uses, the
policies, the end of the game and who wins are written here from their definitions: nothing is the kernel's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple, TypeVar

from sim.games.caterpillars.exact.candidates import rolls, ways
from sim.games.caterpillars.rules import FACES, CaterpillarsRules

Outcome = tuple[int, int, int, int]
Triple = tuple[int, int, int]
T = TypeVar("T")


def _changed(three: Triple, place: int, value: int) -> Triple:
    a, b, c = three
    return (value, b, c) if place == 0 else (a, value, c) if place == 1 else (a, b, value)


class Sheet(NamedTuple):
    """A player's sheet: filled boxes (bit b), totals and bonus boxes by caterpillar, zeros written so far."""

    filled: int = 0
    totals: Triple = (0, 0, 0)
    bonus: Triple = (0, 0, 0)
    zeros: int = 0

    def after(self, outcome: Outcome, boxes: int) -> Sheet:
        """The sheet after an outcome."""
        bonus_box, value, box, score = outcome
        totals = _changed(self.totals, box // boxes, self.totals[box // boxes] + score)
        bonus = _changed(self.bonus, bonus_box, value) if bonus_box >= 0 else self.bonus
        return Sheet(self.filled | 1 << box, totals, bonus, self.zeros + (score == 0))


class Solitaire:
    """One labelled sheet: outcomes of a roll, and what the reference policies make of them."""

    def __init__(self, rules: CaterpillarsRules, labels: Sequence[int]) -> None:
        self.rules = rules
        self.labels = tuple(labels)
        self.rolls = rolls(rules)
        self.weight = sum(self.rolls.values())
        self.taken = cache(self._taken)
        self.likely = cache(self._likely)

    def outcomes(self, filled: int, bonus: Triple, dice: tuple[int, ...], face: str | None) -> list[Outcome]:
        """Distinct outcomes of a roll, sorted."""
        empty = [b for b in range(self.rules.rounds) if not filled >> b & 1]
        open_labels = {self.labels[b] for b in empty}
        found: set[Outcome] = set()
        zeros: set[Outcome] = set()
        anywhere = False
        for (box, value), way in ways(self.rules, dice, face, bonus).items():
            entries = {(box, value, b, s) for b in empty for label, s in way.entries if label == self.labels[b]}
            if way.butterfly:
                entries |= {(box, value, b, way.butterfly) for b in empty}
            found |= entries
            anywhere |= bool(entries)
            unmatched = any(label not in open_labels for label, _ in way.entries)
            if self.rules.zero_rule == "strict" or (unmatched if self.rules.zero_rule == "split" else not entries):
                zeros |= {(box, value, b, 0) for b in empty}
        if self.rules.zero_rule == "strict" and anywhere:
            zeros = set()
        return sorted(found | zeros)

    def _taken(
        self, policy: str, filled: int, bonus: Triple, dice: tuple[int, ...], face: str | None
    ) -> list[tuple[Outcome, float]]:
        """Outcomes of a roll that `policy` may take, with their probabilities."""
        options = self.outcomes(filled, bonus, dice, face)
        if policy == "random":
            return [(o, 1.0 / len(options)) for o in options]
        assert policy == "greedy", policy
        return [(max(options, key=lambda o: o[3]), 1.0)]  # the first in sorted order among equals

    def _likely(self, policy: str, filled: int, bonus: Triple) -> list[tuple[Outcome, float]]:
        """The same over all rolls."""
        found: dict[Outcome, float] = defaultdict(float)
        for (dice, face), weight in self.rolls.items():
            for outcome, p in self.taken(policy, filled, self.seen(bonus, face), dice, face):
                found[outcome] += p * weight / self.weight
        return list(found.items())

    def seen(self, bonus: Triple, face: str | None) -> Triple:
        """The bonus boxes as far as they matter for a roll: which are empty, and the value that a letter uses."""
        letter = FACES.index(face) if face in ("A", "B", "C") else -1
        a, b, c = (v if k == letter else min(v, 1) for k, v in enumerate(bonus))
        return a, b, c


def play(
    rules: CaterpillarsRules,
    labels: Sequence[int],
    policies: Sequence[str],
    result: Callable[[tuple[Sheet, ...]], T],
) -> dict[T, float]:
    """Probability of every `result` of the players' full sheets, all with the same labels and the same dice."""
    solitaire = Solitaire(rules, labels)
    now: dict[tuple[Sheet, ...], float] = {tuple(Sheet() for _ in policies): 1.0}
    ends: dict[T, float] = defaultdict(float)
    for number in range(rules.rounds):
        after: dict[tuple[Sheet, ...], float] = defaultdict(float)
        for sheets, p in now.items():
            for q, ahead in _round(solitaire, sheets, policies):
                if number + 1 < rules.rounds:
                    after[ahead] += p * q
                else:
                    ends[result(ahead)] += p * q
        now = after
    return dict(ends)


def _round(
    solitaire: Solitaire, sheets: tuple[Sheet, ...], policies: Sequence[str]
) -> Iterator[tuple[float, tuple[Sheet, ...]]]:
    """The sheets that one round may lead to, with their probabilities."""
    boxes = solitaire.rules.boxes
    if len(sheets) == 1:
        own = sheets[0]
        for outcome, p in solitaire.likely(policies[0], own.filled, own.bonus):
            yield p, (own.after(outcome, boxes),)
        return
    for (dice, face), weight in solitaire.rolls.items():
        each = [
            [
                (s.after(o, boxes), q)
                for o, q in solitaire.taken(name, s.filled, solitaire.seen(s.bonus, face), dice, face)
            ]
            for s, name in zip(sheets, policies, strict=True)
        ]
        for combination in product(*each):
            q = weight / solitaire.weight
            for _, one in combination:
                q *= one
            yield q, tuple(s for s, _ in combination)


def end_total(rules: CaterpillarsRules, sheet: Sheet) -> int:
    """What the caterpillar that counts is worth with its bonus box; among equal totals the best bonus."""
    if rules.final == "total":
        return sum(sheet.totals) + sum(sheet.bonus)
    place = {"lowest": 0, "median": 1, "highest": 2}[rules.final]
    target = sorted(sheet.totals)[place]
    return target + max(b for t, b in zip(sheet.totals, sheet.bonus, strict=True) if t == target)


def wins(rules: CaterpillarsRules, sheets: Sequence[Sheet]) -> tuple[Fraction, ...]:
    """Each seat's share of the win: end total, then the sum of all boxes, then shared."""
    keys = [(end_total(rules, s), sum(s.totals)) for s in sheets]
    best = max(keys)
    return tuple(Fraction(key == best, keys.count(best)) for key in keys)


def set_ups(rules: CaterpillarsRules, policy: str) -> Iterator[tuple[tuple[int, ...], float]]:
    """Labels after the set-up of ``greedy`` or ``random``, with their probabilities.

    In the standard set-up dice are independent and alike, so on whichever blanks they are written, each blank has a die
    of its own. In the variation the single die and the sum of two are told apart: `greedy` writes the first die on the
    lower blank, `random` on either.
    """
    blanks = [b for b, label in enumerate(rules.printed) if label == 0]
    numbers = range(1, 7)
    found: dict[tuple[int, ...], float] = defaultdict(float)

    def put(values: Sequence[int], weight: float) -> None:
        labels = list(rules.printed)
        for b, value in zip(blanks, values, strict=True):
            labels[b] = value
        found[tuple(labels)] += weight

    if rules.setup == "standard":
        for values in product(numbers, repeat=len(blanks)):
            put(values, 6.0 ** -len(blanks))
    else:
        assert len(blanks) == 2
        for one, two, three in product(numbers, repeat=3):
            if policy == "greedy":
                put((one, two + three), 1 / 216)
            else:
                put((one, two + three), 1 / 432)
                put((two + three, one), 1 / 432)
    yield from found.items()
