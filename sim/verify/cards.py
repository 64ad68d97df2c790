"""What counting says about Parlett's game: short deals whose results are sums over cards and binomial coefficients.

Hands are uniform subsets of the pack, so a choice that depends on the hand alone can be counted. A card is
(suit, rank). Nothing here is shared with the kernel; cards, legality and gains are written from the rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations
from math import comb

Card = tuple[int, int]

SUITS, RANKS, COURTS = range(4), range(1, 14), (11, 12, 13)
PACK: tuple[Card, ...] = tuple((s, r) for s in SUITS for r in RANKS)
#: twenty-five cards each leave two plays: one for each seat
LONG = 25


def pips(card: Card) -> int:
    """Pips of a numeral, 0 for a court."""
    return 0 if card[1] in COURTS else card[1]


def legal(card: Card, previous: Card) -> bool:
    """Whether a card may follow: a court, or a numeral of the suit."""
    return card[1] in COURTS or card[0] == previous[0]


def gain(card: Card, total: int, previous: Card | None, multiple: int) -> int:
    """What a card scores on a row of this total: the total that it makes or, in suit, repeats."""
    made = total + pips(card)
    in_suit = previous is not None and previous[0] == card[0]
    return made if made and made % multiple == 0 and (card[1] not in COURTS or in_suit) else 0


def preference(cards: Iterable[Card], total: int, previous: Card | None, multiple: int) -> list[Card]:
    """Cards in the order in which ``greedy`` plays them: gain, numerals first, lower rank, lower suit."""
    return sorted(cards, key=lambda c: (-gain(c, total, previous, multiple), c[1] in COURTS, c[1], c[0]))


# ----------------------------------------------------------------------------------------------------------------------
# Twenty-five cards each: seat 0 leads, seat 1 follows, the deal is over


def leads(policy: str, multiple: int) -> list[tuple[Card, float, tuple[Card, ...]]]:
    """First card, its probability, and the cards that the hand of seat 0 then cannot hold."""
    if policy == "random":
        return [(card, 1 / len(PACK), ()) for card in PACK]
    order = preference(PACK, 0, None, multiple)
    return [
        (card, comb(51 - j, LONG - 1) / comb(52, LONG), tuple(order[:j]))
        for j, card in enumerate(order)
        if comb(51 - j, LONG - 1)
    ]


def absent(cards: Sequence[Card], not_led: Sequence[Card]) -> float:
    """Chance that seat 1 holds none of `cards`, where seat 0 has led a card and holds none of `not_led`.

    Seat 0's other cards are any of the 51 − len(not_led) that are left to it, all sets alike; seat 1 holds any of the
    rest.
    """
    room = 51 - len(not_led)
    open_cards = [c for c in cards if c not in not_led]
    m, hidden = len(open_cards), len(cards) - len(open_cards)
    found = 0
    for k in range(m + 1):  # so many of them in seat 0's hand
        if k <= LONG - 1 <= room - m + k:
            found += comb(m, k) * comb(room - m, LONG - 1 - k) * comb(27 - hidden - (m - k), LONG)
    return found / (comb(room, LONG - 1) * comb(27, LONG))


def follow(policies: Sequence[str], multiple: int) -> dict[float, float]:
    """Distribution of what seat 1 scores with its only card."""
    found: dict[float, float] = defaultdict(float)
    for lead, p, not_led in leads(policies[0], multiple):
        total = pips(lead)
        answers = [c for c in PACK if c != lead and legal(c, lead)]
        if policies[1] == "greedy":
            order = preference(answers, total, lead, multiple)
            still = 1.0
            for i, card in enumerate(order):
                after = absent(order[: i + 1], not_led)
                found[gain(card, total, lead, multiple)] += p * (still - after)
                still = after
            found[0] += p * still
        else:  # given that there is one, every legal card is played with the same chance, if nothing is known of seat 0
            assert not not_led
            stuck = absent(answers, ())
            for card in answers:
                found[gain(card, total, lead, multiple)] += p * (1 - stuck) / len(answers)
            found[0] += p * stuck
    return found


def lead(policy: str, multiple: int) -> dict[float, float]:
    """Distribution of what seat 0 scores with its only card."""
    found: dict[float, float] = defaultdict(float)
    for card, p, _ in leads(policy, multiple):
        found[gain(card, 0, None, multiple)] += p
    return found


def sums(a: dict[float, float], b: dict[float, float]) -> dict[float, float]:
    """Distribution of the sum of two independent numbers."""
    found: dict[float, float] = defaultdict(float)
    for x, p in a.items():
        for y, q in b.items():
            found[x + y] += p * q
    return found


def courts(cards: int, held: int, most: int = 12) -> list[float]:
    """Distribution of courts among `held` of `cards` cards, `most` of which are courts."""
    return [comb(most, k) * comb(cards - most, held - k) / comb(cards, held) for k in range(13)]


def lead_score(multiple: int, bonus: int) -> dict[float, float]:
    """Final score of seat 0 that leads at random: its card's gain, and its courts after the draw.

    Whatever it led, the hand it ends with is any 25 of the other 51 cards.
    """
    found: dict[float, float] = defaultdict(float)
    for card, p, _ in leads("random", multiple):
        for k, q in enumerate(courts(51, LONG, 11 if card[1] in COURTS else 12)):
            found[gain(card, 0, None, multiple) + bonus * k] += p * q
    return found


# ----------------------------------------------------------------------------------------------------------------------
# Stuck at once: seat 1 cannot follow the first card


def stuck_at_once(hand_size: int, policy: str, multiple: int, barred: bool) -> float:
    """Chance that seat 1 has no card to play at its first turn.

    The lead depends on seat 0's hand alone, and given that hand seat 1's cards are any of the others. Where blocking is
    barred, seat 1 is stuck only if every card of seat 0 leaves it so.
    """
    if policy == "random" and not barred:  # 21 cards can follow a card, whether it is a numeral or a court
        return comb(30, hand_size) / comb(51, hand_size)
    hands = list(combinations(PACK, hand_size))
    return sum(_stuck_after(hand, policy, multiple, barred) for hand in hands) / len(hands)


def _stuck_after(hand: Sequence[Card], policy: str, multiple: int, barred: bool) -> float:
    assert barred or policy == "greedy"
    led = hand if barred else preference(hand, 0, None, multiple)[:1]
    suits = {card[0] for card in led}
    others = [c for c in PACK if c not in hand]
    useless = sum(1 for c in others if c[1] not in COURTS and c[0] not in suits)
    return comb(useless, len(hand)) / comb(len(others), len(hand))


# ----------------------------------------------------------------------------------------------------------------------
# One card each: the row is the pack as it lies, until a card does not fit


def row_lengths(most: int = 24) -> list[float]:
    """Chance of each number of cards played when every hand is one card: index = cards, up to `most` − 1.

    What is left of the pack is counted by suit as (numerals, courts); the last card's suit comes first, the others are
    interchangeable.
    """

    @cache
    def on(own: tuple[int, int], others: tuple[tuple[int, int], ...], left: int) -> tuple[float, ...]:
        """Chances of 0, 1, 2, … further cards."""
        played = 52 - left
        if played == most:
            return (0.0,)
        found = [0.0] * (most - played + 1)
        fits = 0

        def add(ways: int, after: tuple[float, ...]) -> None:
            for k, p in enumerate(after):
                found[k + 1] += ways / left * p

        if own[0]:
            fits += own[0]
            add(own[0], on((own[0] - 1, own[1]), others, left - 1))
        if own[1]:
            fits += own[1]
            add(own[1], on((own[0], own[1] - 1), others, left - 1))
        for i, (numerals, court) in enumerate(others):
            if court:
                fits += court
                rest = tuple(sorted((*others[:i], own, *others[i + 1 :])))
                add(court, on((numerals, court - 1), rest, left - 1))
        found[0] += (left - fits) / left
        return tuple(found)

    full = (10, 3)
    numeral = on((9, 3), (full,) * 3, 51)
    court = on((10, 2), (full,) * 3, 51)
    return [0.0, *(40 / 52 * a + 12 / 52 * b for a, b in zip(numeral, court, strict=True))]


def by_seat(lengths: Sequence[float], seat: int) -> dict[float, float]:
    """Cards played by a seat, from the cards played by both."""
    found: dict[float, float] = defaultdict(float)
    for k, p in enumerate(lengths):
        found[(k + 1 - seat) // 2] += p
    return found
