"""What a roll can do, for the exact solvers: a generator of its own, independent of the kernel's outcome tables.

Every die is given a role (label, score, bonus box, idle) and, with 2x, one die is doubled; what the rules forbid is
thrown away. A test compares
the result with `outcomes` on random positions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from sim.games.caterpillars.rules import FACES, CaterpillarsRules

LABEL, SCORE, STORE, IDLE = range(4)

#: bonus box (−1: none), bonus value (0: none), box, score
Outcome = tuple[int, int, int, int]


@dataclass(frozen=True)
class Ways:
    """What can follow one bonus choice: entries as (label sum, score sum), and the total for a butterfly (0: none)."""

    entries: frozenset[tuple[int, int]]
    butterfly: int


def rolls(rules: CaterpillarsRules) -> dict[tuple[tuple[int, ...], str | None], int]:
    """Distinct rolls (sorted dice, face) with the number of equally likely rolls that give them."""
    faces: tuple[str | None, ...] = FACES if rules.has_action else (None,)
    count: Counter[tuple[tuple[int, ...], str | None]] = Counter()
    for dice in product(range(1, 7), repeat=rules.dice):
        for face in faces:
            count[tuple(sorted(dice)), face] += 1
    return dict(count)


def _plays(
    dice: tuple[int, ...], fourth: int, doubling: bool, rules: CaterpillarsRules
) -> Iterator[tuple[int, tuple[int, int], int]]:
    """(stored value or 0, (label sum, score sum), total of all dice left) of every legal use of all dice."""
    values = list(dice) + ([fourth] if fourth else [])
    regular = len(dice)
    doubled = list(range(regular)) if doubling else []
    choices: list[int | None] = [*doubled] if doubling and not rules.double_optional else [*doubled, None]
    for twice in choices:
        for roles in product((LABEL, SCORE, STORE, IDLE), repeat=len(values)):
            if roles.count(STORE) > (1 if rules.has_bonus else 0) or LABEL not in roles or SCORE not in roles:
                continue
            if IDLE in roles and not rules.idle_dice:
                continue
            worth = [2 * v if i == twice else v for i, v in enumerate(values)]
            stored = 0
            if STORE in roles:
                i = roles.index(STORE)
                if i >= regular and rules.bonus_source == "regular":
                    continue
                stored = worth[i]
                if i == twice:
                    if rules.double_stores == "barred":
                        continue
                    if rules.double_stores == "face":
                        stored = values[i]
            label = sum(w for w, r in zip(worth, roles, strict=True) if r == LABEL)
            score = sum(w for w, r in zip(worth, roles, strict=True) if r == SCORE)
            rest = sum(w for w, r in zip(worth, roles, strict=True) if r != STORE)
            yield stored, (label, score), rest


@cache
def _by_stored(dice: tuple[int, ...], fourth: int, doubling: bool, rules_text: str) -> dict[int, Ways]:
    rules = CaterpillarsRules.model_validate_json(rules_text)
    entries: dict[int, set[tuple[int, int]]] = {}
    totals: dict[int, int] = {}
    for stored, entry, rest in _plays(dice, fourth, doubling, rules):
        entries.setdefault(stored, set()).add(entry)
        totals[stored] = rest
    return {stored: Ways(frozenset(e), totals[stored]) for stored, e in entries.items()}


def ways(
    rules: CaterpillarsRules, dice: tuple[int, ...], face: str | None, bonus: tuple[int, ...]
) -> dict[tuple[int, int], Ways]:
    """Per bonus choice (bonus_box, bonus_value), (−1, 0) for none: what can follow it.

    Parameters
    ----------
    dice : tuple of int
        The regular dice.
    bonus : tuple of int
        Values of the three bonus boxes before this round, 0 = empty.
    """
    text = rules.model_dump_json()
    key = tuple(sorted(dice))
    fourth = 10 if face == "10" else bonus[FACES.index(face)] if face in ("A", "B", "C") else 0
    doubling = face == "2x"
    butterfly = face == "butterfly"

    def finish(w: Ways) -> Ways:
        return w if butterfly else Ways(w.entries, 0)

    plain = _by_stored(key, fourth, doubling, text)
    out = {(-1, 0): finish(plain[0])}
    if not rules.has_bonus:
        return out
    forfeits = face in ("A", "B", "C") and rules.bonus_ban == "any"
    stores = _by_stored(key, 0, doubling, text) if forfeits else plain
    for box in range(3):
        if bonus[box] == 0:
            for value, w in stores.items():
                if value > 0:
                    out[box, value] = finish(w)
    return out


def list_outcomes(
    rules: CaterpillarsRules,
    labels: Sequence[int],
    filled: Sequence[int],
    bonus: Sequence[int],
    dice: Sequence[int],
    face: str | None,
) -> list[Outcome]:
    """Distinct outcomes of a roll, sorted, from the solvers' own generator."""
    empty = [b for b in range(len(labels)) if not filled[b]]
    opened = {labels[b] for b in empty}
    way = ways(rules, tuple(dice), face, tuple(bonus))
    any_entry = any(w.butterfly or any(label in opened for label, _ in w.entries) for w in way.values())
    found: set[Outcome] = set()
    for (box, value), w in way.items():
        entries = {(b, score) for b in empty for label, score in w.entries if label == labels[b]}
        if w.butterfly:
            entries |= {(b, w.butterfly) for b in empty}
        if rules.zero_rule == "split":
            zero = not entries or any(label not in opened for label, _ in w.entries)
        elif rules.zero_rule == "strict":
            zero = not any_entry
        else:
            zero = not entries
        if zero:
            entries |= {(b, 0) for b in empty}
        found |= {(box, value, b, score) for b, score in entries}
    return sorted(found)
