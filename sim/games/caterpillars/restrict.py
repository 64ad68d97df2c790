"""Restricted play: a player who never, or always, does one thing; what is left of the legal outcomes.

A restriction is a parameter of every policy, `restrict`. It strikes outcomes off the list before the policy chooses;
where nothing would be left it gives way, and the policy chooses among all of them. Three things can be restricted:

- *a bonus box*: ``no_bonus_a`` never writes A, ``force_bonus_a`` writes A as soon as it can; ``no_bonus`` and
  ``force_bonus`` mean any of the three;
- *the kind of split*, by how many dice make the label: ``no_split_one`` has no entry with one die as the label,
  ``force_split_one`` no other. An outcome that can be had in two ways is kept if one of them is allowed. Zeros and
  butterflies are no splits: they are left alone by ``no_…`` and shunned by ``force_…``;
- *a face of the action die*: with ``no_face_10`` the face does nothing for this player, as if it were blank
  (``no_face``: the whole die). Letters, 2x and 10 have to be used when they are rolled, so only the butterfly can be
  forced: ``force_butterfly``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from sim.engine.jit import jit
from sim.games.base import NO_RESTRICTION, Policy
from sim.games.caterpillars.outcomes import NO_FACE, SLOTS, TABLES, groups, split_tables, unpack
from sim.games.caterpillars.rules import FACES, CaterpillarsRules

_LETTERS = "abc"
_COUNTS = ("one", "two", "three")

#: values of the parameter, in the order of their numbers
RESTRICTIONS: tuple[str, ...] = (
    NO_RESTRICTION,
    *("no_bonus", *(f"no_bonus_{x}" for x in _LETTERS)),
    *("force_bonus", *(f"force_bonus_{x}" for x in _LETTERS)),
    *("no_face", *(f"no_face_{x.lower()}" for x in FACES)),
    "force_butterfly",
    *(f"no_split_{x}" for x in _COUNTS),
    *(f"force_split_{x}" for x in _COUNTS),
)

BUTTERFLY_FACE = FACES.index("butterfly")
_ANY_BONUS = 0b1111
_NO_SPLITS = 0b111

#: What the kernel knows of a seat's restriction.
#:
#: ===========  ========================================================================================================
#: on           whether there is one
#: bonus        bonus boxes that may be written, as the sum of 2^(box + 1); bit 0: none
#: dead         faces that do nothing, as the sum of 2^face
#: flutter      whether only a butterfly will do
#: splits       index of the tables with the splits allowed; −1: all are
#: loose        whether zeros and butterflies are let through where splits are restricted
#: ===========  ========================================================================================================
LIMIT = np.dtype(
    [
        ("on", np.bool_),
        ("bonus", np.int64),
        ("dead", np.int64),
        ("flutter", np.bool_),
        ("splits", np.int64),
        ("loose", np.bool_),
    ],
    align=True,
)

#: limits by seat, and tables of allowed splits
Limits = tuple[np.ndarray, np.ndarray]


@cache
def _allowed(name: str) -> tuple[int, int, bool, int, bool]:
    """Bonus boxes, dead faces, whether a butterfly is wanted, label dice allowed (bits), whether no splits pass."""
    what, _, which = name.partition("_")
    kind, _, one = which.partition("_")
    bonus, dead, flutter, splits, loose = _ANY_BONUS, 0, False, _NO_SPLITS, True
    if kind == "bonus":
        boxes = 1 << (_LETTERS.index(one) + 1) if one else _ANY_BONUS & ~1
        bonus = boxes if what == "force" else _ANY_BONUS & ~boxes
    elif kind == "face":
        dead = 1 << [x.lower() for x in FACES].index(one) if one else (1 << len(FACES)) - 1
    elif kind == "butterfly":
        flutter = True
    elif kind == "split":
        label_dice = 1 << _COUNTS.index(one)
        loose = what == "no"
        splits = _NO_SPLITS & ~label_dice if loose else label_dice
    return bonus, dead, flutter, splits, loose


def limits(rules: CaterpillarsRules, policies: Sequence[Policy]) -> Limits | None:
    """What the kernel knows of the seats' restrictions; None where nobody has one."""
    if all(p.restriction == NO_RESTRICTION for p in policies):
        return None
    out = np.zeros(len(policies), LIMIT).view(np.recarray)
    kinds: list[int] = []
    for record, policy in zip(out, policies, strict=True):
        bonus, dead, flutter, splits, loose = _allowed(policy.restriction)
        record.on = policy.restriction != NO_RESTRICTION
        record.bonus, record.dead, record.flutter, record.loose = bonus, dead, flutter, loose
        record.splits = -1
        if splits != _NO_SPLITS:
            if splits not in kinds:
                kinds.append(splits)
            record.splits = kinds.index(splits)
    made = [split_tables(rules, k) for k in kinds] or [np.zeros(1, TABLES)]
    return out, np.concatenate(made).view(np.recarray)


def dead_faces(rules: CaterpillarsRules, policies: Sequence[Policy]) -> np.ndarray:
    """By seat, the faces that do nothing for it, as the sum of 2^face: int64[seats]."""
    return np.array([_allowed(p.restriction)[1] for p in policies], np.int64)


@jit
def seen_face(face, dead):
    """The face as a seat plays it: none, where it is dead for it."""
    return NO_FACE if face >= 0 and (dead >> face) & 1 else face


@jit
def has_split(bonus_box, bonus_value, label, score, plain, first, last, tables):
    """Whether an allowed split makes this entry after this bonus choice."""
    start = plain
    stop = plain + 1
    if bonus_box >= 0:
        start = first
        stop = last
    for g in range(start, stop):
        if tables.value[g] == bonus_value:
            at = g * SLOTS + label
            for i in range(tables.offset[at], tables.offset[at + 1]):
                if tables.scores[i] == score:
                    return True
    return False


@jit
def keep_allowed(packed, n, position, roll, face, rules, limit, allowed_tables):
    """Move the allowed ones of the first `n` outcomes to the front, in order; returns how many, all if none is."""
    total = roll % 6 + 1 + roll // 6 % 6 + 1 + (roll // 36 % 6 + 1 if rules.level > 0 else 0)
    butterfly = face == BUTTERFLY_FACE
    plain = 0
    first = 0
    last = 0
    if limit.splits >= 0:
        plain, first, last, _, _ = groups(position, roll, face, rules, allowed_tables[limit.splits])
    kept = 0
    for i in range(n):
        bonus_box, bonus_value, box, score = unpack(packed[i])
        allowed = (limit.bonus >> (bonus_box + 1)) & 1 == 1
        flies = butterfly and score == total - bonus_value
        if limit.flutter and not flies:
            allowed = False
        if limit.splits >= 0:
            if score == 0 or flies:
                allowed = allowed and limit.loose
            else:
                label = int(position.labels[box])
                tables = allowed_tables[limit.splits]
                allowed = allowed and has_split(bonus_box, bonus_value, label, score, plain, first, last, tables)
        if allowed:  # nothing is lost before all are looked at: what moves to the front was looked at already
            packed[i], packed[kept] = packed[kept], packed[i]
            kept += 1
    return kept if kept > 0 else n
