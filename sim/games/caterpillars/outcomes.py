"""What a round can change for a player: the list of distinct outcomes, from tables.

An *outcome* is ``(bonus_box, bonus_value, box, score)``. All ways of using the dice are listed once per set of rules,
in tables,
so that the kernel only has to match label sums against empty boxes:

- a *mode* says which dice there are: 0 the regular dice alone; 1 … 12 with a fourth die of that value; 13 with one die
  doubled; 14 the butterfly;
- a *group* is one bonus choice (none, or a value written) for one mode and one multiset of regular dice: for each
label sum the
  sorted distinct scores that can go with it.

Matching a group against the sheet gives the outcomes of that bonus choice, in sorted order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from sim.engine.bits import trailing_zeros
from sim.engine.jit import jit
from sim.errors import InputError
from sim.games.base import RulesModel
from sim.games.caterpillars.position import CAPACITY, GROUPS, POSITION, WORK
from sim.games.caterpillars.rules import FACES, FINALS, MAX_LABEL, ZERO_RULES, CaterpillarsRules

DOUBLE = 13
BUTTERFLY = 14
MODES = 15
#: room for any rules; the largest variant needs 3,384 groups and 42,430 scores
_GROUPS = 3500
_SCORES = 44_000
#: any number of dice may make the label
ANY_SPLIT = 0b111
#: label sums are held up to this number; larger ones match no label and are held as 13
SLOTS = 14

NO_FACE = -1
_FACE_DOUBLE = 3
_FACE_TEN = 4

ZERO_FORCED = 0
ZERO_SPLIT = 1
ZERO_STRICT = 2


#: All ways of using the dice under some rules, as one record of fixed size: a record costs a compiled call one
#: pointer, an array
#: costs it a reference count.
#:
#: =================  ==================================================================================================
#: multiset           index of the sorted dice for a roll ``d0 − 1 + 6 (d1 − 1) + 36 (d2 − 1)`` (beginner: first two
#:                    dice)
#: plain              per mode and multiset: group without a bonus write
#: first, last        per mode and multiset: first and one past the last group with a bonus write, ascending in the
#:                    value
#: value              per group: value written to the bonus box (0: none)
#: sums               per group: bit L set where some split has label sum L (bit 13: a sum above 12)
#: offset, scores     ``scores[offset[14 g + L] : offset[14 g + L + 1]]``: scores of group g for label L, ascending
#: capacity           no position has more outcomes than this
#: =================  ==================================================================================================
TABLES = np.dtype(
    [
        ("multiset", np.int64, (216,)),
        ("plain", np.int64, (MODES, 56)),
        ("first", np.int64, (MODES, 56)),
        ("last", np.int64, (MODES, 56)),
        ("value", np.int16, (_GROUPS,)),
        ("sums", np.int64, (_GROUPS,)),
        ("offset", np.int32, (_GROUPS * SLOTS + 1,)),
        ("scores", np.int16, (_SCORES,)),
        ("capacity", np.int64),
    ],
    align=True,
)

#: What the kernel needs to know of the rules.
RULES = np.dtype(
    [
        ("level", np.int64),
        ("final", np.int64),
        ("zero_rule", np.int64),
        ("ban_any", np.bool_),
        ("has_bonus", np.bool_),
        ("has_action", np.bool_),
        ("variation", np.bool_),
        ("plain", np.bool_),  # one split per label, no bonus, zeros only where nothing fits: the short way is open
        ("rounds", np.int64),
        ("setup_rolls", np.int64),
        ("printed", np.int64, (12,)),
        ("blanks", np.int64),  # bit b set where box b is blank before the set-up
    ],
    align=True,
)


def rules_record(rules: CaterpillarsRules) -> np.ndarray:
    """The rules as the kernel sees them: one `RULES` record."""
    out = np.zeros(1, RULES).view(np.recarray)
    r = out[0]
    r.level = rules.level_index
    r.final = FINALS.index(rules.final)
    r.zero_rule = ZERO_RULES.index(rules.zero_rule)
    r.ban_any = rules.bonus_ban == "any"
    r.has_bonus = rules.has_bonus
    r.has_action = rules.has_action
    r.variation = rules.setup == "variation"
    r.plain = not rules.has_bonus and rules.zero_rule != "split" and (rules.level_index == 0 or not rules.idle_dice)
    r.rounds = rules.rounds
    r.setup_rolls = rules.setup_rolls
    r.printed[: rules.rounds] = rules.printed
    r.blanks = sum(1 << b for b, label in enumerate(rules.printed) if label == 0)
    return out


def _splits(dice: Sequence[int], idle: bool, label_dice: int) -> Iterator[tuple[int, int]]:
    """(label sum, score sum) of every split into two non-empty groups; with `idle`, dice may be left out.

    `label_dice`: how many dice may make the label, as the sum of 2^(number − 1).
    """
    for part in product((0, 1, 2) if idle else (0, 1), repeat=len(dice)):
        if 0 in part and 1 in part and (label_dice >> (part.count(0) - 1)) & 1:
            yield (
                sum(d for d, p in zip(dice, part, strict=True) if p == 0),
                sum(d for d, p in zip(dice, part, strict=True) if p == 1),
            )


def _uses(dice: tuple[int, ...], mode: int, rules: CaterpillarsRules) -> Iterator[tuple[int, tuple[int, ...]]]:
    """(value written to a bonus box or 0, dice left) for every way of doubling and storing."""
    if mode == DOUBLE:
        doubled: list[int | None] = list(range(len(dice)))
        if rules.double_optional:
            doubled.append(None)
        for i in doubled:
            played = tuple(2 * d if j == i else d for j, d in enumerate(dice))
            yield 0, played
            for j, d in enumerate(dice):
                left = played[:j] + played[j + 1 :]
                if i != j or rules.double_stores == "face":
                    yield d, left
                elif rules.double_stores == "doubled":
                    yield 2 * d, left
        return
    fourth = (mode,) if 1 <= mode <= MAX_LABEL else ()
    yield 0, dice + fourth
    for j, d in enumerate(dice):
        yield d, dice[:j] + dice[j + 1 :] + fourth
    if fourth and rules.bonus_source == "any":
        yield fourth[0], dice


@cache
def _tables(
    dice: int, bonus: bool, action: bool, idle: bool, optional: bool, stores: str, source: str, label_dice: int
) -> np.ndarray:
    level = "expert" if action else "advanced" if bonus else "intermediate" if dice == 3 else "beginner"
    rules = CaterpillarsRules(
        level=level,
        idle_dice=idle,
        double_optional=optional,
        double_stores=stores,
        bonus_source=source,  # type: ignore[arg-type]
    )
    rolls = list(combinations_with_replacement(range(1, 7), dice))
    out = np.zeros(1, TABLES).view(np.recarray)
    t = out[0]
    for x in range(216):
        t.multiset[x] = rolls.index(tuple(sorted((x % 6 + 1, x // 6 % 6 + 1, x // 36 + 1)[:dice])))
    t.plain[:] = -1
    value: list[int] = []
    sums: list[int] = []
    offset: list[int] = [0]
    scores: list[int] = []
    capacity = 0
    for mode in range(MODES if action else 1):
        for m, roll in enumerate(rolls):
            groups: dict[int, set[tuple[int, int]]] = {}
            totals: dict[int, int] = {}
            for written, left in _uses(roll, mode, rules):
                if written == 0 or bonus:
                    groups.setdefault(written, set()).update(_splits(left, idle, label_dice))
                    totals[written] = sum(left)
            assert len(groups) <= GROUPS
            widest = 0
            for written in sorted(groups):
                entries = groups[written]
                at = len(value)
                if written == 0:
                    t.plain[mode, m] = at
                    t.first[mode, m] = at + 1
                t.last[mode, m] = at + 1
                value.append(written)
                sums.append(sum(1 << s for s in {min(label, MAX_LABEL + 1) for label, _ in entries}))
                most = 0
                for label in range(SLOTS):
                    here = {score for s, score in entries if s == label and label <= MAX_LABEL}
                    if mode == BUTTERFLY and 1 <= label <= MAX_LABEL:
                        here.add(totals[written])
                    scores.extend(sorted(here))
                    offset.append(len(scores))
                    most = max(most, len(here))
                widest += (1 if written == 0 else 3) * 12 * (most + 1)
            capacity = max(capacity, widest)
    assert len(value) <= _GROUPS
    assert len(scores) <= _SCORES
    assert capacity <= CAPACITY
    t.value[: len(value)] = value
    t.sums[: len(sums)] = sums
    t.offset[: len(offset)] = offset
    t.scores[: len(scores)] = scores
    t.capacity = capacity
    return out


def tables(rules: CaterpillarsRules) -> np.ndarray:
    """Outcome tables of a variant (kept; equal for variants that differ only in what the tables do not depend on)."""
    return split_tables(rules, ANY_SPLIT)


def split_tables(rules: CaterpillarsRules, label_dice: int) -> np.ndarray:
    """As `tables`, with the same groups but only such splits whose label is made of so many dice.

    `label_dice`: the sum of 2^(number − 1) over the numbers of dice.
    """
    action = rules.has_action
    return _tables(
        rules.dice,
        rules.has_bonus,
        action,
        rules.idle_dice and rules.dice == 3,
        rules.double_optional and action,
        rules.double_stores if action else "doubled",
        rules.bonus_source if action else "regular",
        label_dice,
    )


@jit
def pack(bonus_box, bonus_value, box, score):
    """One outcome as a 64-bit number: the four int16 values of a row of `options`, lowest first."""
    return (bonus_box & 0xFFFF) | (bonus_value << 16) | (box << 32) | (score << 48)


@jit
def unpack(outcome):
    """(bonus_box, bonus_value, box, score) of a packed outcome."""
    bonus_box = outcome & 0xFFFF
    if bonus_box == 0xFFFF:
        bonus_box = -1
    return bonus_box, (outcome >> 16) & 0xFFFF, (outcome >> 32) & 0xFFFF, outcome >> 48


@jit
def emit(packed, n, bonus_box, group, zeros, matched, position, tables):
    """Append the outcomes of one bonus choice: over the boxes in order, a zero if legal, then the entries."""
    head = pack(bonus_box, int(tables.value[group]), 0, 0)
    boxes = position.open_boxes if zeros else matched
    while boxes != 0:
        box = trailing_zeros(boxes)
        boxes &= boxes - 1
        here = head | (box << 32)
        if zeros:
            packed[n] = here
            n += 1
        if (matched >> box) & 1:
            at = group * SLOTS + int(position.labels[box])
            for i in range(tables.offset[at], tables.offset[at + 1]):
                packed[n] = here | (int(tables.scores[i]) << 48)
                n += 1
    return n


@jit
def matching(sums, position):
    """Empty boxes whose label is among the label sums `sums` (bit masks)."""
    boxes = 0
    labels = sums & position.open_labels
    while labels != 0:
        boxes |= position.label_boxes[trailing_zeros(labels)]
        labels &= labels - 1
    return boxes & position.open_boxes


@jit
def groups(position, roll, face, rules, tables):
    """Which groups a roll has: (group without a bonus write, first and one past the last group with one, whether it
    is the
    butterfly, whether a bonus choice without an entry may be given a zero)."""
    m = tables.multiset[roll]
    mode = 0
    bonus_mode = 0
    if face >= 0:
        if face < 3:
            mode = int(position.bonus[face])
            bonus_mode = 0 if rules.ban_any else mode
        else:
            mode = DOUBLE if face == _FACE_DOUBLE else 10 if face == _FACE_TEN else BUTTERFLY
            bonus_mode = mode
    butterfly = mode == BUTTERFLY
    group = tables.plain[mode, m]
    first = tables.first[bonus_mode, m]
    last = first
    if rules.has_bonus and (position.bonus[0] == 0 or position.bonus[1] == 0 or position.bonus[2] == 0):
        last = tables.last[bonus_mode, m]
    zero_possible = True
    if rules.zero_rule == ZERO_STRICT:
        some = butterfly or (tables.sums[group] & position.open_labels) != 0
        for g in range(first, last):
            some = some or (tables.sums[g] & position.open_labels) != 0
        zero_possible = not some
    return group, first, last, butterfly, zero_possible


@jit
def list_outcomes(packed, position, roll, face, rules, tables):
    """Fill `packed` (int64[CAPACITY], see `pack`) with the sorted distinct outcomes; returns how many.

    Parameters
    ----------
    position : POSITION record
        Labels, empty boxes and bonus boxes are read.
    roll : int
        ``d0 − 1 + 6 (d1 − 1) + 36 (d2 − 1)``.
    face : int
        Action face 0 … 5, or −1.
    rules : RULES record
    tables : TABLES record
    """
    if position.open == 0:
        return 0
    group, first, last, butterfly, zero_possible = groups(position, roll, face, rules, tables)
    open_labels = position.open_labels
    n = 0
    start = group
    stop = group + 1
    for choice in range(-1, 3):
        if choice >= 0:
            if not rules.has_bonus:
                break
            if position.bonus[choice] != 0:
                continue
            start = first
            stop = last
        for g in range(start, stop):
            sums = tables.sums[g]
            entries = butterfly or (sums & open_labels) != 0
            if rules.zero_rule == ZERO_SPLIT:
                zeros = (sums & ~open_labels) != 0
            else:
                zeros = zero_possible and not entries
            if zeros or entries:
                matched = position.open_boxes if butterfly else matching(sums, position)
                n = emit(packed, n, choice, g, zeros, matched, position, tables)
    return n


@jit
def open_sheet(position, size):
    """Make every box of a labelled sheet empty, and index the labels."""
    for label in range(14):
        position.label_boxes[label] = 0
    position.open_boxes = (1 << size) - 1
    position.open = size
    labels = 0
    for b in range(size):
        label = int(position.labels[b])
        position.label_boxes[label] |= 1 << b
        labels |= 1 << label
    position.open_labels = labels


@jit
def close_box(position, box):
    """Take a box that has just been filled off the list of empty ones."""
    position.open_boxes &= ~(1 << box)
    position.open -= 1
    label = int(position.labels[box])
    if (position.label_boxes[label] & position.open_boxes) == 0:
        position.open_labels &= ~(1 << label)


@jit
def write(position, bonus_box, bonus_value, box, score):
    """Write one outcome on the sheet."""
    if bonus_box >= 0:
        position.bonus[bonus_box] = bonus_value
    c = position.owner[box]
    position.scores[box] = score
    position.totals[c] += score
    position.empty[c] -= 1
    close_box(position, box)


def outcomes(
    rules: Mapping[str, Any] | str | RulesModel | None,
    labels: Sequence[int],
    filled: Sequence[bool],
    bonus: Sequence[int],
    dice: Sequence[int],
    face: str | None = None,
) -> list[tuple[int, int, int, int]]:
    """All distinct outcomes of a roll, sorted; the code the kernel plays with.

    Parameters
    ----------
    rules
        Mapping over the defaults, preset id, or rules object.
    labels : sequence of int
        Label of each box, 1 … 12; 3 × boxes of them (the sheet is not consulted).
    filled : sequence of bool
        Which boxes have a score already.
    bonus : sequence of int
        Values of the three bonus boxes, 0 = empty.
    dice : sequence of int
        The regular dice: 2 at beginner, else 3.
    face : str, optional
        Action face at expert: ``A B C 2x 10 butterfly``.

    Returns
    -------
    list of (bonus_box, bonus_value, box, score)
        bonus_box −1 and bonus_value 0 where none is written. Empty if no box is empty.

    Raises
    ------
    InputError, RulesError
        In one line: what was given, what is accepted.
    """
    if isinstance(rules, Mapping) and rules.get("boxes", 4) in (1, 2, 3, 4):
        # the sheet is not consulted: any complete one will do
        rules = {**rules, "sheet": [1] * (3 * rules.get("boxes", 4))}
    parsed = CaterpillarsRules.parse(rules)
    assert isinstance(parsed, CaterpillarsRules)
    size = 3 * parsed.boxes
    _check("labels", labels, size, 1, MAX_LABEL)
    _check("filled", filled, size, 0, 1)
    _check("bonus", bonus, 3, 0, MAX_LABEL)
    _check("dice", dice, parsed.dice, 1, 6)
    if face is None and parsed.has_action:
        raise InputError(f"no face was given at level expert; accepted: {', '.join(FACES)}")
    if face is not None and not parsed.has_action:
        raise InputError(f"face = {face!r} was given at level {parsed.level}, which has no action die; accepted: none")
    if face is not None and face not in FACES:
        raise InputError(f"face = {face!r} is not accepted; accepted: {', '.join(FACES)}")
    position = np.zeros(1, POSITION).view(np.recarray)[0]
    position.labels[:size] = labels
    position.bonus[:] = bonus
    open_sheet(position, size)
    for box in range(size):
        if filled[box]:
            close_box(position, box)
    work = np.zeros(1, WORK).view(np.recarray)[0]
    roll = sum((int(d) - 1) * 6**i for i, d in enumerate(dice))
    number = NO_FACE if face is None else FACES.index(face)
    n = list_outcomes(work.packed, position, roll, number, rules_record(parsed)[0], tables(parsed)[0])
    return [tuple(row) for row in work.options[:n].tolist()]


def _check(name: str, values: Sequence[Any], size: int, low: int, high: int) -> None:
    accepted = f"accepted: {size} whole numbers from {low} to {high}"
    try:
        numbers = [v.__index__() for v in values]
    except (TypeError, AttributeError):
        raise InputError(f"{name} = {values!r} is not accepted; {accepted}") from None
    if len(numbers) != size or any(not low <= v <= high for v in numbers):
        raise InputError(f"{name} = {list(values)!r} is not accepted; {accepted}")
