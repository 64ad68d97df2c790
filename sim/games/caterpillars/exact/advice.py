"""What to do with a roll: a sheet as a player sees it, checked, and every outcome ranked by what it leads to.

Works with any solution that ranks outcomes (``best(filled=, totals=, bonus=, dice=, face=)``), whatever the level.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sim.errors import InputError, listing
from sim.games.caterpillars.exact.answer import shown_rules, shown_sheet
from sim.games.caterpillars.exact.candidates import rolls, ways
from sim.games.caterpillars.exact.pmf import TIE
from sim.games.caterpillars.exact.solution import numbers
from sim.games.caterpillars.rules import LETTERS, MAX_LABEL, NAMES, CaterpillarsRules


@dataclass(frozen=True)
class SheetInPlay:
    """A labelled sheet before a roll.

    Attributes
    ----------
    rules : CaterpillarsRules
    labels : tuple of int
        Per box.
    scores : tuple of int or None
        Per box; None where it is empty.
    bonus : tuple of int
        Values of the three bonus boxes, 0 where empty.
    """

    rules: CaterpillarsRules
    labels: tuple[int, ...]
    scores: tuple[int | None, ...]
    bonus: tuple[int, ...]

    @property
    def filled(self) -> list[bool]:
        """Per box: whether it has a score."""
        return [score is not None for score in self.scores]

    @property
    def totals(self) -> list[int]:
        """Sum of the scores of each caterpillar."""
        n = self.rules.boxes
        return [sum(score or 0 for score in self.scores[c * n : (c + 1) * n]) for c in range(3)]

    @property
    def round(self) -> int:
        """The round to be played, counted from 1."""
        return sum(self.filled) + 1


def box_name(box: int, boxes: int) -> str:
    """A box as players speak of it: ``Alex's box 3``."""
    return f"{NAMES[box // boxes]}'s box {box % boxes + 1}"


def entries(rules: CaterpillarsRules, bonus: Sequence[int]) -> dict[int, set[int]]:
    """Per label, every score above zero that a round of this game can have brought into a box with it.

    `bonus` are the bonus boxes as they are now: a letter can have brought no other value than what stands there, and
    what was stored in a round must stand there.
    """
    found: dict[int, set[int]] = {label: set() for label in range(1, MAX_LABEL + 1)}
    for dice, face in rolls(rules):
        before: set[tuple[int, ...]] = {(0, 0, 0)}
        if face in LETTERS:  # or its bonus box was filled before that round
            before.add(tuple(bonus[c] if letter == face else 0 for c, letter in enumerate(LETTERS)))
        for held in before:
            for (box, value), way in ways(rules, dice, face, held).items():
                if box >= 0 and bonus[box] != value:
                    continue
                for label, score in way.entries:
                    if label in found:
                        found[label].add(score)
                if way.butterfly:
                    for scores in found.values():
                        scores.add(way.butterfly)
    return found


def stores(rules: CaterpillarsRules) -> set[int]:
    """Values that can stand in a bonus box (under ``bonus_source = any``, a letter's die copies such a value)."""
    return {value for dice, face in rolls(rules) for box, value in ways(rules, dice, face, (0, 0, 0)) if box >= 0}


def read_sheet(
    rules: CaterpillarsRules,
    labels: Sequence[int | None],
    scores: Sequence[int | None],
    bonus: Sequence[int] = (0, 0, 0),
) -> SheetInPlay:
    """A sheet as a player sees it, checked.

    Parameters
    ----------
    rules : CaterpillarsRules
    labels : sequence of int or None, length 3 × boxes
        0 or None where a label is still missing.
    scores : sequence of int or None, length 3 × boxes
        None for an empty box.
    bonus : sequence of int, length 3
        0 for an empty bonus box.

    Raises
    ------
    InputError
        In one line: what cannot be on a sheet, and what could.
    """
    n = rules.boxes
    blank = [box_name(b, n) for b, label in enumerate(labels) if not label]
    if blank and len(labels) == rules.rounds:
        raise InputError(
            f"the labels of {listing(blank)} are missing, and play has begun; accepted: every label, or no score yet"
        )
    own = numbers("labels", [0 if label is None else label for label in labels], rules.rounds, 1, MAX_LABEL)
    if len(scores) != rules.rounds:
        raise InputError(
            f"scores for {len(scores)} boxes were given; accepted: {rules.rounds}, one per label, - for an empty box"
        )
    held = numbers("bonus", bonus, 3, 0, rules.max_bonus) if rules.has_bonus else tuple(bonus)
    if not rules.has_bonus and held != (0, 0, 0):
        raise InputError(
            f"bonus = {list(held)} at level {rules.level} is not accepted; accepted: 0 0 0, there are none"
        )
    if rules.has_bonus:
        storable = stores(rules)
        for letter, value in zip(LETTERS, held, strict=True):
            if value and value not in storable:
                raise InputError(
                    f"bonus box {letter} holds {value}, which cannot be stored; accepted: 0 (empty), "
                    f"{listing(sorted(storable))}"
                )
    possible = entries(rules, held)
    checked: list[int | None] = []
    for b, (label, score) in enumerate(zip(own, scores, strict=True)):
        if score is None:
            checked.append(None)
            continue
        if score and score not in possible[label]:
            raise InputError(
                f"a score of {score} in {box_name(b, n)} (label {label}) cannot be; accepted: - (empty), "
                f"{listing([0, *sorted(possible[label])])}"
            )
        checked.append(int(score))
    sheet = SheetInPlay(rules, own, tuple(checked), held)
    played = sheet.round - 1
    if sum(map(bool, held)) > played:
        raise InputError(
            f"{sum(map(bool, held))} bonus boxes are filled after {played} rounds; accepted: at most one per round"
        )
    if played == rules.rounds:
        raise InputError("every box has a score: the game is over; accepted: a sheet with an empty box")
    return sheet


def judge(ranked: Sequence[tuple[Any, float]], error: float) -> list[tuple[Any, dict[str, Any]]]:
    """Choices with ``rank`` (equals share one), ``expected`` end total and ``regret``, from values sorted best first.

    Two values closer than twice the proven error of a value cannot be told apart, and tie.
    """
    tie = max(TIE, 2 * error)
    best = max(value for _, value in ranked)
    rank, level = 0, math.inf
    out = []
    for place, (choice, value) in enumerate(ranked, start=1):
        if level - value > tie:
            rank, level = place, value
        regret = 0.0 if best - value <= tie else float(best - value)
        out.append((choice, {"rank": rank, "expected": float(value), "regret": regret}))
    return out


def advise(solved: Any, sheet: SheetInPlay, dice: Sequence[int], face: str | None = None) -> dict[str, Any]:
    """Rank every outcome of a roll.

    Parameters
    ----------
    solved
        A solution of this sheet: what `sim.solve` returns for its rules and labels.
    sheet : SheetInPlay
    dice : sequence of int
    face : str, optional
        Face of the action die.

    Returns
    -------
    dict
        Plain data: the sheet, the roll, ``error_bound`` and ``outcomes``, best first, each with ``rank`` (equals
        share one), ``outcome`` as (bonus_box, bonus_value, box, score), ``expected`` end total, ``regret`` (expected
        points less than the best; 0 for all that tie with it).
    """
    ranked = solved.best(filled=sheet.filled, totals=sheet.totals, bonus=sheet.bonus, dice=tuple(dice), face=face)
    outcomes = [
        {"outcome": [int(x) for x in outcome], **judged} for outcome, judged in judge(ranked, float(solved.error_bound))
    ]
    return {
        "game": "caterpillars",
        "rules": {k: v for k, v in sheet.rules.identity().items() if k not in ("sheet", "setup")},
        "labels": list(sheet.labels),
        "scores": list(sheet.scores),
        "bonus": list(sheet.bonus),
        "totals": sheet.totals,
        "round": sheet.round,
        "dice": [int(d) for d in dice],
        "face": face,
        "error_bound": float(solved.error_bound),
        "outcomes": outcomes,
    }


def in_words(outcome: Sequence[int], labels: Sequence[int]) -> str:
    """An outcome as an instruction: ``write 5 into Alex's box 3 (label 3)``."""
    bonus_box, bonus_value, box, score = outcome
    where = f"{box_name(box, len(labels) // 3)} (label {labels[box]})"
    entry = f"write {score or 'a zero'} into {where}"
    return entry if bonus_box < 0 else f"store {bonus_value} in bonus box {LETTERS[bonus_box]}, then {entry}"


def _points(value: float) -> str:
    """Three decimals, more where that would read as nothing."""
    return f"{value:.3f}" if value >= 0.0005 else f"{value:.1e}"


def tell_ranked(entries: Sequence[Mapping[str, Any]], instructions: Sequence[str], what: str, top: int) -> list[str]:
    """The first `top` judged choices, one a line."""
    best = [entry for entry in entries if entry["regret"] == 0]
    lines = []
    if len(entries) == 1:
        lines.append(f"there is one {what} only:")
    elif len(best) > 1:
        lines.append(f"{len(best)} {what}s tie for the best:")
    for entry, instruction in zip(entries[:top], instructions, strict=False):
        if entry["regret"] > 0:
            judged = f"{_points(entry['regret'])} less than the best"
        else:
            judged = "ties for the best" if len(best) > 1 else "the best"
        lines.append(f"{entry['rank']:3d}. {instruction}: expected end total {entry['expected']:.3f}; {judged}")
    if len(entries) > top:
        lines.append(f"     … and {len(entries) - top} more")
    return lines


def tell(advice: Mapping[str, Any], top: int) -> str:
    """Advice in words: the sheet, the roll, and the first `top` outcomes with what they lead to."""
    outcomes = advice["outcomes"]
    labels = advice["labels"]
    face = f" and {advice['face']}" if advice["face"] else ""
    held = [f"{letter} {value}" for letter, value in zip(LETTERS, advice["bonus"], strict=True) if value]
    lines = [
        f"Caterpillars, {shown_rules(advice['rules'])}, round {advice['round']} of {len(labels)}: rolled "
        f"{' '.join(map(str, advice['dice']))}{face}",
        shown_sheet(labels, advice["scores"]) + (f"  bonus {', '.join(held)}" if held else ""),
    ]
    lines += tell_ranked(outcomes, [in_words(entry["outcome"], labels) for entry in outcomes], "outcome", top)
    lines.append(
        f"expected end totals are for optimal play from there on, proven to within {advice['error_bound']:.1e}"
    )
    return "\n".join(lines)
