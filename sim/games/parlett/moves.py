"""Cards as bits: which cards may be played, what they score, and how the deck is shuffled.

A card is a number ``13 × suit + rank − 1`` (suits 0 … 3, ranks 1 … 13); a set of cards is a whole number whose bit
``c`` stands for card ``c``. Everything here is a few machine instructions when compiled and plain arithmetic otherwise.
In this form the rule of following reads: after a card of suit ``s`` the legal cards of a hand are ``hand & FOLLOW[s]``,
before the first card all of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.engine.jit import COMPILED, jit
from sim.engine.rng import DECK, WIDE, bounded, philox_wide, set_counter
from sim.games.parlett.rules import CARDS, LAST_NUMERAL, RANKS, SUITS

#: sets of ranks (bit ``rank − 1``)
RANK_NUMERALS = (1 << LAST_NUMERAL) - 1
RANK_COURTS = ((1 << RANKS) - 1) ^ RANK_NUMERALS
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


if COMPILED:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    # one machine instruction each; the language has no name for them
    def _cttz(typing_context: Any, number: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

        return types.int64(types.int64), code

    def _ctlz(typing_context: Any, number: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

        return types.int64(types.int64), code

    def _ctpop(typing_context: Any, number: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.int64), code

    _trailing_zeros: Any = intrinsic(_cttz)
    _leading_zeros: Any = intrinsic(_ctlz)
    _ones: Any = intrinsic(_ctpop)

else:

    def _trailing_zeros(number: Any) -> int:
        return (int(number) & -int(number)).bit_length() - 1

    def _leading_zeros(number: Any) -> int:
        return 64 - int(number).bit_length()

    def _ones(number: Any) -> int:
        return int(number).bit_count()


@jit
def lowest(cards):
    """Number of the lowest card of a set that is not empty."""
    return _trailing_zeros(cards)


@jit
def highest(cards):
    """Number of the highest card of a set that is not empty."""
    return 63 - _leading_zeros(cards)


@jit
def count_cards(cards):
    """How many cards are in a set."""
    return _ones(cards)


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


# ----------------------------------------------------------------------------------------------------------------------
# The deck
#
# A deck takes 51 words of one stream, which lie in thirteen blocks: sixteen are computed together.

_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
#: how many cards there are to pick from at word ``4 b + lane``, which lies at ``16 lane + b``; 1 where no pick is left
_LEFT = np.array([max(CARDS - 4 * (i % WIDE) - i // WIDE, 1) for i in range(4 * WIDE)], np.uint64)


@jit
def deck_words(words: Any, seed: Any, game: Any, deal: Any) -> None:
    """Words 0 … 63 of a deal's part of the deck stream, word ``4 b + lane`` at ``words[16 lane + b]``."""
    for b in range(WIDE):
        set_counter(words, b, game, DECK, 0, WIDE * deal + b)
    philox_wide(words, seed)


@jit
def deck_picks(words: Any, picks: Any) -> Any:
    """Scale every word to its pick; true if a word may have to be refused (about 3 in 10 million decks)."""
    doubtful = 0
    for i in range(4 * WIDE):
        m = words[i] * _LEFT[i]
        doubtful |= (m & _LOW) < _LEFT[i]
        picks[i] = np.int64(m >> _32)
    return doubtful


@jit
def exact_picks(picks: Any, seed: Any, game: Any, deal: Any) -> None:
    """The picks one by one, with refusals."""
    for i in range(CARDS):
        picks[WIDE * (i & 3) + (i >> 2)] = bounded(seed, game, DECK, 0, 64 * deal + i, CARDS - i)


@jit
def swap_cards(deck: Any, picks: Any) -> None:
    """The forward shuffle: each place in turn changes cards with itself or a later one."""
    for i in range(CARDS):
        deck[i] = i
    for b in range(CARDS // 4):
        for lane in range(4):
            i = 4 * b + lane
            j = i + picks[WIDE * lane + b]
            deck[i], deck[j] = deck[j], deck[i]


@jit
def shuffle(work: Any, seed: Any, game: Any, deal: Any) -> None:
    """The deck of one deal into `work.deck`."""
    deck_words(work.words, seed, game, deal)
    if deck_picks(work.words, work.picks):
        exact_picks(work.picks, seed, game, deal)
    swap_cards(work.deck, work.picks)
