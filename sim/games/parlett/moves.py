"""Cards as bits: which cards may be played and what they score.

A card is a number ``13 × suit + rank − 1`` (suits 0 … 3, ranks 1 … 13); a set of cards is a whole number whose bit
``c`` stands for card ``c``. Everything here is a few machine instructions when compiled and plain arithmetic otherwise.
In this form the rule of following reads: after a card of suit ``s`` the legal cards of a hand are ``hand & FOLLOW[s]``,
before the first card all of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.engine.jit import COMPILED, jit

CARDS = 52
SUITS = 4
RANKS = 13
#: the highest rank that is a numeral; jack 11, queen 12 and king 13 are courts
LAST_NUMERAL = 10
#: sets of ranks (bit ``rank − 1``)
RANK_NUMERALS = (1 << LAST_NUMERAL) - 1
RANK_COURTS = ((1 << RANKS) - 1) ^ RANK_NUMERALS
#: the sum of all pips: no row total is larger
MOST_TOTAL = 220
#: one card in each hand leaves fifty in the stock: no row is longer
MOST_PLAYS = 50
MOST_HAND = 25
#: the cards that may follow a card: ten numerals of the suit and all courts
MOST_FOLLOWERS = 22

#: sets of cards: all, the courts, the numerals and all cards of a suit, and what may follow a card of a suit
ALL = (1 << CARDS) - 1
COURTS = sum(RANK_COURTS << (RANKS * s) for s in range(SUITS))
NUMERALS = np.array([RANK_NUMERALS << (RANKS * s) for s in range(SUITS)], np.int64)
SUIT_CARDS = np.array([((1 << RANKS) - 1) << (RANKS * s) for s in range(SUITS)], np.int64)
FOLLOW = NUMERALS | COURTS

#: pips and suit, by card
PIPS = np.array([c % RANKS + 1 if c % RANKS < LAST_NUMERAL else 0 for c in range(CARDS)], np.int64)
SUIT = np.arange(CARDS, dtype=np.int64) // RANKS


# ----------------------------------------------------------------------------------------------------------------------
# Sets of cards


lowest: Any  #: number of the lowest card of a set that is not empty
highest: Any  #: number of the highest card of a set that is not empty
count_cards: Any  #: how many cards are in a set

if COMPILED:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    def _lowest(typing_context: Any, cards: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

        return types.int64(types.int64), code

    def _highest(typing_context: Any, cards: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            leading_zeros = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))
            return builder.sub(ir.Constant(ir.IntType(64), 63), leading_zeros)

        return types.int64(types.int64), code

    def _count_cards(typing_context: Any, cards: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.int64), code

    lowest, highest, count_cards = intrinsic(_lowest), intrinsic(_highest), intrinsic(_count_cards)

else:

    def _lowest_plain(cards: Any) -> int:
        return (int(cards) & -int(cards)).bit_length() - 1

    def _highest_plain(cards: Any) -> int:
        return int(cards).bit_length() - 1

    def _count_plain(cards: Any) -> int:
        return int(cards).bit_count()

    lowest, highest, count_cards = _lowest_plain, _highest_plain, _count_plain


@jit
def list_cards(cards, out):
    """Write a set of cards to `out` in ascending order; returns how many there are.

    Four at a time, because the processor guesses a loop of one or two rounds better than one of five or six: `out` has
    room for three more, and what stands there after the last card means nothing.
    """
    n = 0
    left = cards
    while left:
        for i in range(n, n + 4):
            out[i] = lowest(left)
            left &= left - 1
        n += 4
    return count_cards(cards)


@jit
def of_ranks(ranks):
    """All cards, of any suit, whose ranks are in a set of ranks (bit ``rank − 1``)."""
    return ranks | ranks << RANKS | ranks << 2 * RANKS | ranks << 3 * RANKS


@jit
def ranks_of(cards):
    """The set of ranks (bit ``rank − 1``) that occur in a set of cards."""
    return (cards | cards >> RANKS | cards >> 2 * RANKS | cards >> 3 * RANKS) & ((1 << RANKS) - 1)


# ----------------------------------------------------------------------------------------------------------------------
# Rules


@jit
def legal_cards(hand, last_suit):
    """The cards of a hand that may follow a card of suit `last_suit` (−1: the row is empty), before any barring."""
    if last_suit < 0:
        return hand
    return hand & FOLLOW[last_suit]


@jit
def harmless_cards(legal, other):
    """The legal cards after which the other hand has a legal card."""
    if other & COURTS:
        return legal
    can_follow = 0
    for s in range(SUITS):
        if other & NUMERALS[s]:
            can_follow |= SUIT_CARDS[s]
    return legal & can_follow


@jit
def fill_gain(gain, multiple):
    """Tabulate what bringing the row total to ``t`` scores: ``t`` if it is a positive multiple, else 0."""
    for t in range(gain.shape[0]):
        gain[t] = t if t > 0 and t % multiple == 0 else 0


@jit
def fill_scoring(scoring, gain):
    """Tabulate, by row total, the ranks of the numerals that score on it (bit ``rank − 1``)."""
    for t in range(scoring.shape[0]):
        ranks = 0
        for rank in range(1, LAST_NUMERAL + 1):
            if gain[t + rank] > 0:
                ranks |= 1 << (rank - 1)
        scoring[t] = ranks


@jit
def card_gain(card, total, last_suit, gain):
    """What `card` scores on a row of total `total` whose last card has suit `last_suit` (−1: the row is empty).

    A numeral scores the total that it makes, a court the total that it repeats, if `gain` (the table of `fill_gain`)
    says so; a court only in the suit of the card before.
    """
    pips = PIPS[card]
    if pips == 0 and SUIT[card] != last_suit:
        return 0
    return gain[total + pips]
