"""Open-hands optimal play of a deal: compiled depth-first search with a table of positions, no allocation per node.

State: both hands, the suit to follow, the number of cards played since the root (and so who moves, what is drawn next
and the row total, which the played cards fix). Transition: play a legal card, draw the known next card. Objective: own
final score minus the other's, from here on, to the mover; whole numbers, so values are exact. The deal has perfect
information and is zero-sum: the value is that of minimax. Search: principal variation search (Marsland and Campbell
1982), fail-soft, with stored bounds.

A hand is one whole number. Bit ``10 × suit + rank − 1`` stands for a numeral; courts of one suit are interchangeable
(they follow, score and count alike), so only how many there are is kept, in two bits per suit from bit 40 on. A *kind*
is what may be played: 0 … 39 a numeral, ``40 + suit`` a court. This is deliberately another form than the kernel's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.engine.bits import count_ones, trailing_zeros
from sim.engine.jit import jit
from sim.games.parlett.rules import CARDS, LAST_NUMERAL, MOST_PLAYS, MOST_TOTAL, RANKS, SUITS

#: kinds of cards: numerals one by one, then the courts of each suit
FIRST_COURT = SUITS * LAST_NUMERAL
KINDS = FIRST_COURT + SUITS
ONE_SUIT = (1 << LAST_NUMERAL) - 1
NUMERALS = (1 << FIRST_COURT) - 1

KIND = np.array(
    [
        (c // RANKS) * LAST_NUMERAL + c % RANKS if c % RANKS < LAST_NUMERAL else FIRST_COURT + c // RANKS
        for c in range(CARDS)
    ],
    np.int64,
)
#: what one card of a kind adds to a hand
UNIT = np.array([1 << k if k < FIRST_COURT else 1 << (FIRST_COURT + 2 * (k - FIRST_COURT)) for k in range(KINDS)])

#: row totals with room for study positions, whose total need not fit the cards that are gone
TOTALS = 2 * MOST_TOTAL + LAST_NUMERAL + 1
#: no value is so large: 25 rows of at most 220 and 24 courts of at most 1,000
INFINITE = 1 << 20
#: moves are sorted by one number, ``(score + OFFSET) << 6 | kind``
OFFSET = 1 << 21
FIRST = OFFSET << 8

#: what the value of a table entry is
AT_LEAST, AT_MOST, EXACT = 1, 2, 3

#: rules and root of a search, and its working memory
WORK = np.dtype(
    [
        ("plays", np.int64),
        ("bonus", np.int64),
        ("barred", np.int64),
        ("stamp", np.int64),
        ("mask", np.int64),
        ("nodes", np.int64),
        ("stock", np.int64, (MOST_PLAYS,)),
        ("gain", np.int64, (TOTALS,)),
        ("scoring", np.int64, (TOTALS,)),
        ("moves", np.int64, (MOST_PLAYS + 1, LAST_NUMERAL * SUITS + SUITS)),
    ]
)

_A = 0x1E3779B97F4A7C15
_B = 0x3F58476D1CE4E5B9
_LOW62 = (1 << 62) - 1


def fill_rules(work: Any, multiple: int, bonus: int, barred: bool) -> None:
    """Write the rules into a record of `WORK`: what each total scores, and which ranks score on it (bit rank − 1)."""
    work.bonus = bonus
    work.barred = int(barred)
    totals = np.arange(work.gain.size)
    work.gain[:] = np.where(totals % multiple == 0, totals, 0)
    for rank in range(1, LAST_NUMERAL + 1):
        made = totals + rank
        work.scoring[:] |= np.where(made % multiple == 0, 1 << (rank - 1), 0)


@jit
def courts_in(hand: Any) -> Any:
    """How many courts a hand holds."""
    pairs = hand >> FIRST_COURT
    return count_ones(pairs & 0x55) + 2 * count_ones(pairs & 0xAA)


@jit
def top_bit(ranks: Any) -> Any:
    """Index of the highest of up to ten bits, of which at least one is set."""
    at = 0
    while ranks > 1:
        ranks >>= 1
        at += 1
    return at


@jit
def kind_gain(kind: Any, suit: Any, total: Any, work: Any) -> Any:
    """What a card of a kind scores on a row of total `total` whose last card has suit `suit` (−1: no card)."""
    if kind < FIRST_COURT:
        return work.gain[total + kind % LAST_NUMERAL + 1]
    return work.gain[total] if kind - FIRST_COURT == suit else 0


@jit
def promise(kind: Any, own_after: Any, other: Any, suit: Any, total: Any, left: Any, work: Any) -> Any:
    """For sorting only: what a card scores, less the other's best answer; courts cost and are worth their bonus."""
    if kind < FIRST_COURT:
        made = total + kind % LAST_NUMERAL + 1
        follow = kind // LAST_NUMERAL
        worth = work.gain[made]
    else:
        made = total
        follow = kind - FIRST_COURT
        worth = (work.gain[total] if follow == suit else 0) - work.bonus
    if left == 1:
        return worth
    answers = (other >> LAST_NUMERAL * follow) & ONE_SUIT
    if answers == 0:
        if other <= NUMERALS:
            return worth - work.bonus * courts_in(own_after)
        return worth + work.bonus
    scoring = answers & work.scoring[made]
    if scoring:
        worth -= made + top_bit(scoring) + 1
    return worth


@jit
def list_moves(own: Any, other: Any, suit: Any, total: Any, t: Any, work: Any) -> Any:
    """Write the kinds that may be played, with their promise, to ``work.moves[t]``; returns how many."""
    moves = work.moves[t]
    left = work.plays - t
    numerals = own & NUMERALS if suit < 0 else own & (ONE_SUIT << LAST_NUMERAL * suit)
    harmless = 15  # suits that the other can follow
    if work.barred and left > 1 and other <= NUMERALS:
        harmless = 0
        for s in range(SUITS):
            if (other >> LAST_NUMERAL * s) & ONE_SUIT:
                harmless |= 1 << s
        some = False
        for s in range(SUITS):
            if harmless >> s & 1:
                some |= (numerals >> LAST_NUMERAL * s) & ONE_SUIT != 0
                some |= (own >> (FIRST_COURT + 2 * s)) & 3 != 0
        if not some:
            harmless = 15
    n = 0
    draw = work.stock[t]
    while numerals:
        kind = trailing_zeros(numerals)
        numerals &= numerals - 1
        if harmless >> (kind // LAST_NUMERAL) & 1:
            after = own - UNIT[kind] + UNIT[draw]
            moves[n] = (promise(kind, after, other, suit, total, left, work) + OFFSET) << 6 | kind
            n += 1
    for s in range(SUITS):
        if (own >> (FIRST_COURT + 2 * s)) & 3 and harmless >> s & 1:
            kind = FIRST_COURT + s
            after = own - UNIT[kind] + UNIT[draw]
            moves[n] = (promise(kind, after, other, suit, total, left, work) + OFFSET) << 6 | kind
            n += 1
    return n


@jit
def last_card(own: Any, other: Any, suit: Any, total: Any, t: Any, work: Any) -> Any:
    """Value of a position with one card left to play and to draw, without listing moves."""
    numerals = (own >> LAST_NUMERAL * suit) & ONE_SUIT
    best = -INFINITE
    scoring = numerals & work.scoring[total]
    if scoring:
        best = total + top_bit(scoring) + 1
    elif numerals:
        best = 0
    if own > NUMERALS:
        scores = (own >> (FIRST_COURT + 2 * suit)) & 3
        best = max(best, (work.gain[total] if scores else 0) - work.bonus)
    elif numerals == 0:
        return work.bonus * courts_in(other)
    drawn = 1 if work.stock[t] >= FIRST_COURT else 0
    return best + work.bonus * (courts_in(own) + drawn - courts_in(other))


@jit
def search(own: Any, other: Any, suit: Any, total: Any, t: Any, alpha: Any, beta: Any, work: Any, table: Any) -> Any:
    """Value of a position to its mover, from here on, exact if inside (alpha, beta), else a bound on that side.

    Parameters
    ----------
    own, other : hands of the mover and of the other
    suit : int
        Suit of the last card on the row, −1 before the first.
    total : int
        Row total.
    t : int
        Cards played since the root: ``work.stock[t]`` is drawn next.
    alpha, beta : int
    work : record of `WORK`
    table : int64[slots, 4]
        Hand of the mover with suit and `t`; other hand; ``value × 4 + kind of bound``; ``stamp × 64 + best kind``.
    """
    work.nodes += 1
    left = work.plays - t
    if left == 0:
        return work.bonus * (courts_in(own) - courts_in(other))
    if left == 1 and suit >= 0:
        return last_card(own, other, suit, total, t, work)
    own = int(own)
    other = int(other)
    key = own | int(suit + 1) << 48 | t << 52
    mixed = (key * _A ^ other * _B) & _LOW62
    mixed ^= mixed >> 29
    slot = (mixed * _A & _LOW62) >> 20 & int(work.mask)
    known = -1
    for way in range(2):
        place = slot ^ way
        if table[place, 0] == key and table[place, 1] == other and table[place, 3] >> 6 == work.stamp:
            value = table[place, 2] >> 2
            bound = table[place, 2] & 3
            if bound == EXACT or (bound == AT_LEAST and value >= beta) or (bound == AT_MOST and value <= alpha):
                return value
            known = table[place, 3] & 63
    n = list_moves(own, other, suit, total, t, work)
    if n == 0:
        return work.bonus * courts_in(other)
    moves = work.moves[t]
    if known >= 0:
        for i in range(n):
            if moves[i] & 63 == known:
                moves[i] = FIRST | known
    best = -INFINITE
    chosen = 0
    low = alpha
    for i in range(n):
        at = i
        for j in range(i + 1, n):
            if moves[j] > moves[at]:
                at = j
        move = moves[at]
        moves[at] = moves[i]
        moves[i] = move
        kind = move & 63
        now = kind_gain(kind, suit, total, work)
        if kind < FIRST_COURT:
            follow = kind // LAST_NUMERAL
            made = total + kind % LAST_NUMERAL + 1
        else:
            follow = kind - FIRST_COURT
            made = total
        after = own - UNIT[kind] + UNIT[work.stock[t]]
        if i == 0:
            value = now - search(other, after, follow, made, t + 1, now - beta, now - low, work, table)
        else:
            value = now - search(other, after, follow, made, t + 1, now - low - 1, now - low, work, table)
            if low < value < beta:
                value = now - search(other, after, follow, made, t + 1, now - beta, now - value, work, table)
        if value > best:
            best = value
            chosen = kind
            if value > low:
                low = value
                if low >= beta:
                    break
    bound = EXACT
    if best >= beta:
        bound = AT_LEAST
    elif best <= alpha:
        bound = AT_MOST
    # two places: the first keeps positions far from the end, the second the latest
    place = slot
    if table[slot, 3] >> 6 == work.stamp and table[slot, 0] >> 52 < t:
        place = slot ^ 1
    table[place, 0] = key
    table[place, 1] = other
    table[place, 2] = best * 4 + bound
    table[place, 3] = work.stamp << 6 | chosen
    return best
