"""How a deal goes on with the cards that are known: both players play from their hands, and nobody draws."""

from __future__ import annotations

from typing import Any

from sim.engine.jit import jit
from sim.games.parlett.moves import (
    ALL,
    COURTS,
    PIPS,
    SUIT,
    card_gain,
    count_cards,
    harmless_cards,
    legal_cards,
    list_cards,
    lowest,
)
from sim.games.parlett.policies import choose

#: plays looked ahead, and after how many of them the score so far is told
DEPTH = 10
STOPS = 5


@jit
def look_ahead(
    position: Any, cards: Any, numbers: Any, params: Any, seat: Any, own: Any, other: Any, played: Any, total: Any,
    suit: Any, left: Any, told: Any, at: Any,
) -> None:  # fmt: skip
    """Play on from a position with hands known: the mover's lead after 1, 2, 4, 6 plays and at last, to ``told[at:]``.

    The last number counts courts in hand as well, or what a player who is stuck gets for them.

    Parameters
    ----------
    position : record of `POSITION`
        With the rules; all else is overwritten.
    cards : room for a hand
    numbers, params : of the policies, by seat
    seat, own, other, played : whose turn it is, hands, and the cards on the row
    left : int
        Cards in the stock.
    """
    sign = 1.0
    lead = 0.0
    bonus = position.court_bonus
    unseen = ALL & ~(own | other | played)
    for ply in range(DEPTH):
        if left == 0:
            break
        legal = legal_cards(own, suit)
        if legal == 0:
            if own | other:  # else nobody has anything left: nothing is known
                lead += sign * bonus * count_cards(other & COURTS)
                told[at + 4] = lead
                for k in range(4):
                    if ply < (1, 2, 4, 6)[k]:
                        told[at + k] = lead
            return
        if position.barred and left > 1:
            harmless = harmless_cards(legal, other)
            if harmless:
                legal = harmless
        card = lowest(legal)
        if legal & (legal - 1):
            position.hand = own
            position.legal = legal
            position.unseen = unseen | other
            position.total = total
            position.last_suit = suit
            position.stock = left
            n = list_cards(legal, cards)
            card = cards[choose(numbers[seat], position, cards, n, params[seat], 0.0)]
        lead += sign * card_gain(card, total, suit, position.gain)
        total += PIPS[card]
        suit = SUIT[card]
        own ^= 1 << card
        left -= 1
        own, other = other, own
        seat = 1 - seat
        sign = -sign
        if ply == 0:
            told[at] = lead
        if ply <= 1:
            told[at + 1] = lead
        if ply <= 3:
            told[at + 2] = lead
        if ply <= 5:
            told[at + 3] = lead
    told[at + 4] = lead + sign * bonus * (count_cards(own & COURTS) - count_cards(other & COURTS))
