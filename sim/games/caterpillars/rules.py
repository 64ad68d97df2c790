"""Rules of Caterpillars (German title *Raupen*): every reading is a parameter.

Three caterpillars with four labelled boxes each and one bonus box; twelve rounds with one roll of dice each. In every
round a
player writes one score into an empty box whose label matches some of the dice. At the end the caterpillar with the
highest and the one with the lowest total are struck; the remaining one *flies* and counts, with its bonus box.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from sim.games.base import Preset, RulesModel

#: caterpillars by index
NAMES = ("Alex", "Bobby", "Charlie")
LETTERS = ("A", "B", "C")
LEVELS = ("beginner", "intermediate", "advanced", "expert")
FACES = ("A", "B", "C", "2x", "10", "butterfly")
ZERO_RULES = ("forced", "split", "strict")
FINALS = ("median", "lowest", "highest", "total")
MAX_LABEL = 12

#: named sheets: the printed label of each box, 0 for a blank
SHEETS: dict[str, tuple[int, ...]] = {"pairs": (1, 6, 0, 0, 2, 5, 0, 0, 1, 6, 0, 0)}

_ENGLISH = "English rulebook"
_GERMAN = "German rulebook"
_BOTH = "both rulebooks"
_DESIGN = "house rule for designers"


def _field(default: Any, meaning: str, accepts: str, source: str, reading: str = "") -> Any:
    extra = {"accepts": accepts, "source": source}
    if reading:
        extra["reading"] = reading
    return Field(default, description=meaning, json_schema_extra=extra)  # type: ignore[arg-type]


class CaterpillarsRules(RulesModel):
    """One variant of Caterpillars. See the fields' descriptions, or ``sim rules caterpillars``."""

    GAME: ClassVar[str] = "caterpillars"

    level: Literal["beginner", "intermediate", "advanced", "expert"] = _field(
        "beginner", "difficulty level: which dice, and what may be done with them", ", ".join(LEVELS), _BOTH
    )
    setup: Literal["standard", "variation"] = _field(
        "standard",
        "how blank labels are written: three dice on three labels, or (variation) one die on one and the sum of "
        "two on another",
        "standard, variation (not at beginner)",
        _BOTH,
    )
    sheet: str | tuple[int, ...] = _field(
        "pairs",
        "printed label of each box, caterpillar by caterpillar; 0 is a blank",
        "pairs, or 3 × boxes whole numbers from 0 to 12",
        "neither rulebook's text says which box carries which number",
        reading="pairs: every caterpillar has one of the printed numbers of each pair, then two blanks",
    )
    zero_rule: Literal["forced", "split", "strict"] = _field(
        "forced",
        "when a zero may be written: after a bonus choice that leaves no entry (forced), as soon as one split "
        "of the dice has no "
        "box (split), or only if no bonus choice leaves an entry (strict)",
        ", ".join(ZERO_RULES),
        f"split: {_ENGLISH}, to the letter; forced, strict: closing note of the {_GERMAN}",
        reading="the German note ('if a player can make no matching entry') supports forced and, read hard, strict",
    )
    bonus_ban: Literal["same_box", "any"] = _field(
        "same_box",
        "what a bonus write in the round of a letter forbids: only the letter's own box both written and used, "
        "or the letter's die",
        "same_box, any",
        _BOTH,
    )
    double_optional: bool = _field(False, "whether the doubling of 2x may be declined", "true, false", _BOTH)
    double_stores: Literal["doubled", "face", "barred"] = _field(
        "doubled",
        "what a bonus box gets when the doubled die is written there: twice its value, its value, or nothing "
        "(not allowed)",
        "doubled, face, barred",
        _BOTH,
    )
    bonus_source: Literal["regular", "any"] = _field(
        "regular",
        "which dice may be written to a bonus box: the three regular ones, or the fourth die's value too",
        "regular, any",
        _BOTH,
    )
    idle_dice: bool = _field(
        False, "whether dice may lie idle, as long as label group and score group are not empty", "true, false", _BOTH
    )
    final: Literal["median", "lowest", "highest", "total"] = _field(
        "median", "which caterpillar counts at the end", ", ".join(FINALS), f"median: {_BOTH}; others: {_DESIGN}"
    )
    boxes: int = _field(
        4,
        "boxes per caterpillar; there are 3 × boxes rounds",
        "a whole number from 1 to 4",
        f"4: {_BOTH}; others: {_DESIGN}",
    )

    @field_validator("sheet", mode="before")
    @classmethod
    def _parse_sheet(cls, value: object) -> object:
        accepted = f"accepted: {', '.join(SHEETS)}, or 3 × boxes whole numbers from 0 to {MAX_LABEL}"
        if isinstance(value, str):
            if value in SHEETS:
                return value
            parts: Sequence[Any] = value.replace(",", " ").split()
        elif isinstance(value, Sequence):
            parts = value
        else:
            raise ValueError(f"sheet = {value!r} is not accepted; {accepted}")
        try:
            if any(isinstance(p, bool | float) for p in parts):
                raise ValueError
            numbers = tuple(int(p) for p in parts)
        except (TypeError, ValueError):
            raise ValueError(f"sheet = {value!r} is not accepted; {accepted}") from None
        if not numbers or min(numbers) < 0 or max(numbers) > MAX_LABEL:
            raise ValueError(f"sheet = {value!r} is not accepted; {accepted}")
        return numbers

    @field_validator("boxes", mode="before")
    @classmethod
    def _parse_boxes(cls, value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 4:
            raise ValueError(f"boxes = {value!r} is not accepted; accepted: a whole number from 1 to 4")
        return value

    @model_validator(mode="after")
    def _possible(self) -> CaterpillarsRules:
        if self.setup == "variation" and self.level == "beginner":
            raise ValueError("setup = variation is not played at beginner; accepted: standard, or a higher level")
        if not isinstance(self.sheet, str) and len(self.sheet) != 3 * self.boxes:
            raise ValueError(
                f"sheet has {len(self.sheet)} numbers; accepted: {3 * self.boxes} (3 × boxes, boxes = {self.boxes})"
            )
        if self.blanks % self.labels_per_roll:
            raise ValueError(
                f"sheet has {self.blanks} blanks, which do not fill whole rolls; "
                f"accepted: a multiple of {self.labels_per_roll} with setup = {self.setup}"
            )
        return self

    @property
    def printed(self) -> tuple[int, ...]:
        """The printed label of each of the 3 × boxes boxes (0 = blank)."""
        if not isinstance(self.sheet, str):
            return self.sheet
        full = SHEETS[self.sheet]
        return tuple(full[4 * c + b] for c in range(3) for b in range(self.boxes))

    @property
    def blanks(self) -> int:
        return self.printed.count(0)

    @property
    def labels_per_roll(self) -> int:
        return 3 if self.setup == "standard" else 2

    @property
    def setup_rolls(self) -> int:
        return self.blanks // self.labels_per_roll

    @property
    def rounds(self) -> int:
        return 3 * self.boxes

    @property
    def level_index(self) -> int:
        return LEVELS.index(self.level)

    @property
    def dice(self) -> int:
        """Regular dice rolled in a round."""
        return 2 if self.level == "beginner" else 3

    @property
    def has_bonus(self) -> bool:
        return self.level_index >= 2

    @property
    def has_action(self) -> bool:
        return self.level_index == 3

    @property
    def max_bonus(self) -> int:
        """Largest value a bonus box can hold."""
        if not self.has_bonus:
            return 0
        if not self.has_action:
            return 6
        return max(6, 12 if self.double_stores == "doubled" else 0, 10 if self.bonus_source == "any" else 0)

    @property
    def max_entry(self) -> int:
        """Largest score a box can get: all dice but the one (of at least 1) that makes the label."""
        if not self.has_action:
            return 6 * (self.dice - 1)
        return 12 + max(10, self.max_bonus)

    @property
    def max_score(self) -> int:
        """Upper bound on the end total."""
        one = self.boxes * self.max_entry + self.max_bonus
        return 3 * one if self.final == "total" else one

    def without_effect(self) -> frozenset[str]:
        idle: set[str] = set()
        if not self.has_action:
            idle |= {"bonus_ban", "double_optional", "double_stores", "bonus_source"}
        if self.level == "beginner":
            idle.add("idle_dice")  # two dice, two groups: none can lie idle
        if self.blanks == 0:
            idle.add("setup")
        return frozenset(idle)

    def identity(self) -> dict[str, Any]:
        out = super().identity()
        out["sheet"] = list(self.printed)
        if not self.has_bonus and self.zero_rule == "strict":
            out["zero_rule"] = "forced"  # one bonus choice (none): the two readings agree
        return out

    PRESETS: ClassVar[dict[str, Preset]] = {}


CaterpillarsRules.PRESETS = {
    "german": Preset("german", {}, "the German rulebook's closing note on zeros; all defaults", _GERMAN),
    "english": Preset(
        "english",
        {"zero_rule": "split"},
        "the literal English wording: first choose the split, then look for the box",
        _ENGLISH,
    ),
    **{
        level: Preset(level, {"level": level}, f"the {level} game with the default readings", _BOTH) for level in LEVELS
    },
}
