"""The rules of Parlett's Caterpillar as a validated set of parameters."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, ValidationInfo

from sim.games.base import Preset, RulesModel

# the pack
CARDS = 52
SUITS = 4
RANKS = 13
#: the highest rank that is a numeral; jack 11, queen 12 and king 13 are courts
LAST_NUMERAL = 10
#: the sum of all pips: no row total is larger
MOST_TOTAL = 220
#: one card in each hand leaves fifty in the stock: no row is longer
MOST_PLAYS = 50
MOST_HAND = 25
#: the cards that may follow a card: ten numerals of the suit and all courts
MOST_FOLLOWERS = 22

#: what the numbers 0 … 3 and 1 … 13 are called where a game is told in words
SUIT_NAMES = ("♣", "♦", "♥", "♠")
RANK_NAMES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")

_PARLETT = "David Parlett, Caterpillar (Court Short)"
_DESIGN = "a number of the game, opened for designers"


def _no_truth_value(value: object, info: ValidationInfo) -> object:
    """`True` is not the number 1 in a rule."""
    if isinstance(value, bool):
        name = str(info.field_name)
        raise ValueError(f"{name} = {value} is not accepted; accepted: {ParlettRules.accepts(name)}")
    return value


Whole = Annotated[int, BeforeValidator(_no_truth_value)]


def _extra(accepts: str, source: str, reading: str = "") -> dict[str, Any]:
    return {"accepts": accepts, "source": source} | ({"reading": reading} if reading else {})


class ParlettRules(RulesModel):
    """One variant of Parlett's Caterpillar, for two players."""

    GAME: ClassVar[str] = "parlett"
    PRESETS: ClassVar[dict[str, Preset]] = {
        "standard": Preset("standard", {}, "the card game as described: one deal, blocking allowed", _PARLETT),
        "match": Preset("match", {"deals": 2}, "two deals, each seat leads once, scores add up", _PARLETT),
        "barred": Preset(
            "barred", {"block": "barred"}, "a card that leaves the opponent stuck is barred where avoidable", _PARLETT
        ),
        "short_hands": Preset(
            "short_hands", {"hand_size": 7}, "seven cards each: 38 plays, less to plan with", _DESIGN
        ),
        "quick": Preset("quick", {"hand_size": 20}, "twenty cards each: 12 plays, almost everything in hand", _DESIGN),
        "poor_courts": Preset("poor_courts", {"court_bonus": 50}, "a court in hand is worth half as much", _DESIGN),
    }

    block: Literal["allowed", "barred"] = Field(
        "allowed",
        description="whether a card that leaves the opponent stuck may be played while another legal card would not",
        json_schema_extra=_extra(
            "allowed, barred",
            _PARLETT,
            "the text names a penalty for leaving the other stuck and no ban, so the penalty is taken as the sanction; "
            "under barred the last card of a deal stays free, because nobody has to follow it",
        ),
    )
    deals: Whole = Field(
        1,
        ge=1,
        le=2,
        description="deals to a game; the second is fresh and led by seat 1, and both count together",
        json_schema_extra=_extra("1 or 2", _PARLETT),
    )
    hand_size: Whole = Field(
        13,
        ge=1,
        le=MOST_HAND,
        description="cards dealt to each player; the rest is the stock, and a deal ends when the stock is empty",
        json_schema_extra=_extra(f"a whole number from 1 to {MOST_HAND}", _DESIGN),
    )
    multiple: Whole = Field(
        5,
        ge=1,
        le=MOST_TOTAL,
        description="row totals that are multiples of this number score",
        json_schema_extra=_extra(f"a whole number from 1 to {MOST_TOTAL}", _DESIGN),
    )
    court_bonus: Whole = Field(
        100,
        ge=0,
        le=1000,
        description="points for each court in hand at the end, and for each of the other's courts to a stuck player",
        json_schema_extra=_extra("a whole number from 0 to 1000", _DESIGN),
    )

    @property
    def plays(self) -> int:
        """Cards played in a deal that ends normally: one for each stock card."""
        return CARDS - 2 * self.hand_size

    def without_effect(self) -> frozenset[str]:
        """With one card in hand there is never a choice, so nothing can be barred."""
        return frozenset({"block"}) if self.hand_size == 1 else frozenset()


def card_name(suit: int, rank: int) -> str:
    """A card in two or three signs, e.g. ``10♥`` or ``Q♣``."""
    return RANK_NAMES[rank - 1] + SUIT_NAMES[suit]
