"""An open position of a deal as a user gives it: cards in any notation, checked, in one line where it cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sim.errors import InputError, RulesError, whole_number
from sim.games.parlett.rules import (
    CARDS,
    LAST_NUMERAL,
    MOST_HAND,
    MOST_TOTAL,
    RANK_NAMES,
    RANKS,
    SUIT_NAMES,
    SUITS,
    ParlettRules,
    card_name,
)

SUIT_LETTERS = "CDHS"
_CARD = (
    f"[suit, rank] with suit 0 to {SUITS - 1} and rank 1 to {RANKS}, a number from 0 to {CARDS - 1} "
    "(13 × suit + rank − 1), or text like 10S, QH"
)
_SUIT = f"0 to {SUITS - 1}, one of {', '.join(SUIT_LETTERS)} or of {', '.join(SUIT_NAMES)}, None before the first card"


@dataclass(frozen=True)
class OpenPosition:
    """A position with all cards known, before the mover plays.

    Attributes
    ----------
    rules : ParlettRules
    hands : tuple of two tuples of int
        Cards of seat 0 and seat 1, ascending; a card is ``13 × suit + rank − 1``.
    stock : tuple of int
        Cards left to draw, the next one first; as many cards will be played at most.
    suit : int
        Suit of the last card on the row, −1 before the first.
    total : int
        Row total.
    running : tuple of two int
        Running scores of seat 0 and seat 1.
    mover : int
        The seat that plays next.
    """

    rules: ParlettRules
    hands: tuple[tuple[int, ...], tuple[int, ...]]
    stock: tuple[int, ...]
    suit: int
    total: int
    running: tuple[int, int]
    mover: int


def pips(card: int) -> int:
    """Ace 1, numerals what they show, courts nothing."""
    rank = card % RANKS + 1
    return rank if rank <= LAST_NUMERAL else 0


def name(card: int) -> str:
    """A card in two or three signs."""
    return card_name(card // RANKS, card % RANKS + 1)


def pair(card: int) -> tuple[int, int]:
    """A card as (suit, rank)."""
    return card // RANKS, card % RANKS + 1


def _whole(value: object, low: int, high: int) -> int:
    """`value` as an int in [low, high], or ValueError."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise ValueError
    number = int(value.__index__())
    if not low <= number <= high:
        raise ValueError
    return number


def parse_card(where: str, given: object) -> int:
    """A card as a number, from [suit, rank], a number, or text like ``10S``, ``QH``, ``A♣``."""
    try:
        if isinstance(given, str):
            text = given.strip().upper()
            suit = (SUIT_LETTERS.find(text[-1:]) + 1 or "".join(SUIT_NAMES).find(text[-1:]) + 1) - 1
            if len(text) < 2 or suit < 0:
                raise ValueError
            return RANKS * suit + RANK_NAMES.index(text[:-1])
        if isinstance(given, Iterable):
            first, second = given
            return RANKS * _whole(first, 0, SUITS - 1) + _whole(second, 1, RANKS) - 1
        return _whole(given, 0, CARDS - 1)
    except (ValueError, TypeError):
        raise InputError(f"card {given!r} in {where} is not accepted; accepted: {_CARD}") from None


def parse_cards(where: str, given: object) -> tuple[int, ...]:
    """A list of cards, in the order given."""
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise InputError(f"{where} = {given!r} is not accepted; accepted: a list of cards")
    return tuple(parse_card(where, card) for card in given)


def parse_suit(given: object) -> int:
    """A suit as a number, −1 for None."""
    if given is None:
        return -1
    if isinstance(given, str):
        text = given.strip().upper()
        if len(text) == 1 and text in SUIT_LETTERS:
            return SUIT_LETTERS.index(text)
        if text in SUIT_NAMES:
            return SUIT_NAMES.index(text)
    try:
        return _whole(given, 0, SUITS - 1)
    except ValueError:
        raise InputError(f"suit = {given!r} is not accepted; accepted: {_SUIT}") from None


def _check_cards(hands: tuple[tuple[int, ...], ...], stock: tuple[int, ...]) -> None:
    seen: dict[int, str] = {}
    for where, cards in (("hands[0]", hands[0]), ("hands[1]", hands[1]), ("stock", stock)):
        for card in cards:
            if card in seen:
                raise InputError(
                    f"card {name(card)} is given twice, in {seen[card]} and in {where}; accepted: each of the {CARDS} "
                    f"cards at most once"
                )
            seen[card] = where


def _check_counts(rules: ParlettRules, hands: tuple[tuple[int, ...], ...], stock: tuple[int, ...], row: bool) -> None:
    """Hands are equal before every play; the stock holds at most what the hands and the row leave."""
    a, b = map(len, hands)
    if a != b or not 1 <= a <= MOST_HAND:
        raise InputError(f"hands of {a} and {b} cards are not accepted; accepted: equally many, 1 to {MOST_HAND}")
    if "hand_size" in rules.model_fields_set and a != rules.hand_size:
        raise InputError(
            f"hands of {a} cards are not accepted under hand_size = {rules.hand_size}; accepted: {rules.hand_size} each"
        )
    most = CARDS - 2 * a - row
    if len(stock) > most:
        told = "with a card on the row" if row else "before the first card"
        raise InputError(f"a stock of {len(stock)} is not accepted; accepted: at most {most} {told} and hands of {a}")


def parse_position(
    rules: Mapping[str, Any] | str | ParlettRules | None,
    *,
    hands: object,
    stock: object,
    suit: object = None,
    total: object = None,
    previous: object = None,
    running: object = (0, 0),
    mover: object = 0,
) -> OpenPosition:
    """A checked position; see `sim.games.parlett.exact.solution.solve_position` for the arguments.

    Raises
    ------
    RulesError, InputError
        In one line: what was given, what is accepted.
    """
    parsed = ParlettRules.parse(rules)
    if not isinstance(parsed, ParlettRules):
        raise RulesError(f"rules = {rules!r} are not accepted; accepted: rules of parlett")
    if isinstance(hands, str | Mapping) or not isinstance(hands, Iterable) or len(two := list(hands)) != 2:
        raise InputError(f"hands = {hands!r} are not accepted; accepted: two lists of cards, seat 0's and seat 1's")
    held = (parse_cards("hands[0]", two[0]), parse_cards("hands[1]", two[1]))
    left = parse_cards("stock", stock)
    _check_cards(held, left)
    follow = parse_suit(suit)
    if previous is not None:
        last = parse_card("previous", previous)
        if suit is not None and follow != last // RANKS:
            raise InputError(f"suit = {suit!r} is not the suit of previous = {name(last)}; accepted: one of the two")
        if last in {*held[0], *held[1], *left}:
            raise InputError(f"previous = {name(last)} is also in a hand or the stock; accepted: a card that is played")
        follow = last // RANKS
    _check_counts(parsed, held, left, follow >= 0)
    if total is None:
        row = MOST_TOTAL - sum(pips(card) for card in (*held[0], *held[1], *left))
        made = row if follow >= 0 else 0
    else:
        made = whole_number("total", total, 0, MOST_TOTAL)
    if follow < 0 and made > 0:
        raise InputError(f"total = {made} without suit is not accepted; accepted: the suit of the last card, {_SUIT}")
    try:
        first, second = (whole_number("running", score, -(10**6), 10**6) for score in running)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise InputError(f"running = {running!r} is not accepted; accepted: two whole numbers, by seat") from None
    seat = whole_number("mover", mover, 0, 1)
    return OpenPosition(
        parsed, (tuple(sorted(held[0])), tuple(sorted(held[1]))), left, follow, made, (first, second), seat
    )
