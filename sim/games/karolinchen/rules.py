"""Rules of Karolinchen: every parameter that could matter, validated, with its source and the reason of each reading.

Karolinchen is a dice race for 2 to 6 players. Six equal dice show six colours; every player owns the same six fruit
cards, one per colour, and covers their fruits with dice of the card's colour. Whoever covers their last fruit wins.
"""

from __future__ import annotations

import json
import re
from typing import Any, ClassVar, Literal

from pydantic import Field, field_validator

from sim.errors import listing
from sim.games.base import Preset, RulesModel

#: colours of the dice and cards, by number
COLOURS = ("blue", "orange", "purple", "yellow", "green", "red")
#: the fruit on the card of each colour
FRUITS = ("blueberry", "apricot", "plum", "mirabelle", "gooseberry", "cherry")

MIN_SEATS = 2
MAX_SEATS = 6
#: fruits on one card, for designers: beyond this a game is only longer
MAX_FRUITS = 30
MAX_TURNS = 1_000_000

RULEBOOK = "Karolinchen, rulebook"
REVIEW = "review of the game at www.ludowelt.de/rezension-zu-karolinchen-von-zoch; fits every example of the rulebook"


def _entries(value: Any) -> list[Any] | None:
    """The entries of a list, a tuple, or a text such as ``0,5``, ``[0, 5]`` or ``blue red``; None for anything else."""
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("["):
            try:
                value = json.loads(text)
            except ValueError:
                text = text.strip("[]")
        if isinstance(value, str):
            return [part for part in re.split(r"[\s,]+", text) if part]
    if hasattr(value, "tolist"):  # a numpy array
        value = value.tolist()
    return list(value) if isinstance(value, list | tuple) else None


def _whole(value: Any, low: int, high: int) -> int | None:
    """`value` as an int in [low, high], also from its text; None if it is not one."""
    if isinstance(value, str) and re.fullmatch(r"\d{1,9}", value.strip()):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return None
    number = int(value.__index__())
    return number if low <= number <= high else None


def _colour(value: Any) -> int | None:
    """The number of a colour given by number or name; None if there is no such colour."""
    if isinstance(value, str) and value.strip().lower() in COLOURS:
        return COLOURS.index(value.strip().lower())
    return _whole(value, 0, len(COLOURS) - 1)


class KarolinchenRules(RulesModel):
    """One full set of rule parameters of Karolinchen."""

    GAME: ClassVar[str] = "karolinchen"

    start_fruit: Literal["distinct"] | tuple[int, ...] = Field(
        "distinct",
        description="The fruit on each worm's tail, which is the first card of its player: a random draw without "
        "replacement, or one colour per seat.",
        json_schema_extra={
            "accepts": f"distinct, or a list of {MIN_SEATS} to {MAX_SEATS} colours, one per seat, repeats allowed "
            f"({listing(f'{i} {c}' for i, c in enumerate(COLOURS))})",
            "source": f"{RULEBOOK}: the card of the fruit on the worm's tail is laid out first",
            "reading": "which worm has which tail is not known, so the tails are drawn at random, no two alike",
        },
    )
    opening: Literal["open", "own_roll"] = Field(
        "open",
        description="How the six dice come into play: open, they were rolled into the middle before seat 0's turn; "
        "own_roll, seat 0 rolls them itself and has no second chance.",
        json_schema_extra={
            "accepts": "open, own_roll",
            "source": RULEBOOK,
            "reading": "the first roll can be read as part of the set-up or of the first turn",
        },
    )
    reroll_after_eating: bool = Field(
        False,
        description="Whether a player who rolls all six dice after an eating and gets no match may roll once more, as "
        "if the dice had lain in the middle. Never applies to seat 0's own opening roll.",
        json_schema_extra={
            "accepts": "true, false",
            "source": f"{RULEBOOK}: after an eating the next player rolls all six",
            "reading": "the roll after an eating is taken to be the one roll that a turn has",
        },
    )
    new_card_take: Literal["must", "may"] = Field(
        "must",
        description="Whether matching dice must be taken for a card laid out in the same turn, or the player may take "
        "all that fit or none; a refusal ends the turn. Dice for the current card are always taken.",
        json_schema_extra={
            "accepts": "must, may",
            "source": f"{RULEBOOK}: 'you may take them'",
            "reading": "'may' is read as leave to go on taking, not as a choice to refuse; preset may plays the other",
        },
    )
    fruits: tuple[int, int, int, int, int, int] = Field(
        (1, 2, 3, 4, 5, 6),
        description="Fruits on the cards: blue, orange, purple, yellow, green, red. Whoever covers them all wins.",
        json_schema_extra={
            "accepts": f"six whole numbers from 1 to {MAX_FRUITS}, one per colour ({listing(COLOURS)})",
            "source": REVIEW,
            "reading": "the rulebook does not give the numbers",
        },
    )
    max_turns: int = Field(
        10_000,
        description="Safety cap on the turns of a game; a capped game is reported as such and nobody wins it.",
        json_schema_extra={
            "accepts": f"a whole number from 1 to {MAX_TURNS}",
            "source": "simulator; real games end long before",
        },
    )

    PRESETS: ClassVar[dict[str, Preset]] = {
        p.id: p
        for p in (
            Preset("standard", {}, "all defaults", f"{RULEBOOK}, with the readings of the rules page"),
            Preset(
                "may",
                {"new_card_take": "may"},
                "dice for a new card may be refused, which ends the turn",
                f"{RULEBOOK}: 'you may take them', read literally",
            ),
            Preset(
                "own_roll",
                {"opening": "own_roll"},
                "seat 0 rolls the six dice as its first turn and has no second chance",
                f"{RULEBOOK}, the other reading of the opening",
            ),
            Preset(
                "second_roll",
                {"reroll_after_eating": True},
                "the player after an eating has the normal second roll too",
                f"{RULEBOOK}, the other reading of the roll after an eating",
            ),
        )
    }

    @field_validator("start_fruit", mode="before")
    @classmethod
    def _start_fruit(cls, value: Any) -> Any:
        if isinstance(value, str) and value.strip().lower() == "distinct":
            return "distinct"
        entries = _entries(value)
        colours = [] if entries is None else [_colour(entry) for entry in entries]
        if not MIN_SEATS <= len(colours) <= MAX_SEATS or None in colours:
            raise ValueError(f"start_fruit = {value!r} is not accepted; accepted: {cls.accepts('start_fruit')}")
        return tuple(colours)

    @field_validator("fruits", mode="before")
    @classmethod
    def _fruits(cls, value: Any) -> Any:
        entries = _entries(value)
        counts = [] if entries is None else [_whole(entry, 1, MAX_FRUITS) for entry in entries]
        if len(counts) != len(COLOURS) or None in counts:
            raise ValueError(f"fruits = {value!r} is not accepted; accepted: {cls.accepts('fruits')}")
        return tuple(counts)

    @field_validator("max_turns", mode="before")
    @classmethod
    def _max_turns(cls, value: Any) -> Any:
        turns = _whole(value, 1, MAX_TURNS)
        if turns is None:
            raise ValueError(f"max_turns = {value!r} is not accepted; accepted: {cls.accepts('max_turns')}")
        return turns

    def without_effect(self) -> frozenset[str]:
        """Parameters that cannot change anything: a game capped at one turn has no turn after an eating."""
        return frozenset({"reroll_after_eating"}) if self.max_turns == 1 else frozenset()

    @property
    def total(self) -> int:
        """Fruits to cover to win: 21 in the published game."""
        return sum(self.fruits)
