"""The end of a deal in one world, exactly: what open-hands optimal play of the last few cards is worth.

Depth-first search with bounds (alpha-beta) and a stack of its own, because compiled functions that call themselves
cannot be kept on disk. It is meant for a handful of cards: no table of positions, moves in order of what they score.
The objective is the final score difference; a player who wants to win plays alike, since more is never worse.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.engine.jit import jit
from sim.games.parlett.moves import (
    COURTS,
    NUMERALS,
    PIPS,
    SUIT,
    SUIT_CARDS,
    card_gain,
    count_cards,
    harmless_cards,
    highest,
    legal_cards,
    lowest,
)
from sim.games.parlett.rules import MOST_HAND, RANKS

#: most cards left that `solve_end` takes
MOST_LEFT = 6
#: no value is so large
INFINITE = 1 << 20
_OFFSET = 1 << 20

#: by depth: hands of the mover and the other, the row, bounds, the best value so far, the move being tried
STACK = np.dtype(
    [
        ("mine", np.int64, (MOST_LEFT + 1,)),
        ("theirs", np.int64, (MOST_LEFT + 1,)),
        ("suit", np.int64, (MOST_LEFT + 1,)),
        ("total", np.int64, (MOST_LEFT + 1,)),
        ("low", np.int64, (MOST_LEFT + 1,)),
        ("high", np.int64, (MOST_LEFT + 1,)),
        ("best", np.int64, (MOST_LEFT + 1,)),
        ("gain", np.int64, (MOST_LEFT + 1,)),
        ("tried", np.int64, (MOST_LEFT + 1,)),
        ("moves", np.int64, (MOST_LEFT + 1,)),
        ("move", np.int64, (MOST_LEFT + 1, MOST_HAND + 1)),
    ]
)


@jit
def choices(own: Any, other: Any, suit: Any, left: Any, barred: Any) -> Any:
    """The cards among which the mover chooses with `left` cards in the stock; none if the mover is stuck."""
    legal = legal_cards(own, suit)
    if barred and left > 1:
        harmless = harmless_cards(legal, other)
        if harmless:
            return harmless
    return legal


@jit
def distinct(cards: Any) -> Any:
    """A set of cards with one court for all courts of a suit, the lowest: they follow, score and count alike."""
    kept = cards & ~COURTS
    courts = cards & COURTS
    while courts:
        card = lowest(courts)
        kept |= 1 << card
        courts &= ~SUIT_CARDS[SUIT[card]]
    return kept


@jit
def last_turn(own: Any, other: Any, suit: Any, total: Any, drawn: Any, position: Any) -> Any:
    """Value of the last turn of a deal to its mover, who draws card `drawn` after it; nothing is barred any more."""
    numerals = own & NUMERALS[suit]
    courts = own & COURTS
    if numerals | courts == 0:
        return position.court_bonus * count_cards(other & COURTS)
    best = -INFINITE
    if numerals:
        scoring = (numerals >> RANKS * suit) & position.scoring[total]
        best = position.gain[total + highest(scoring) + 1] if scoring else 0
    if courts:
        in_suit = position.gain[total] if courts & SUIT_CARDS[suit] else 0
        best = max(best, in_suit - position.court_bonus)
    at_end = count_cards(courts) + count_cards((1 << drawn) & COURTS) - count_cards(other & COURTS)
    return best + position.court_bonus * at_end


@jit
def enter(stack: Any, d: Any, legal: Any, gain: Any, bonus: Any) -> None:
    """List the moves of depth `d`, the most promising first: by what they score, a court less its bonus."""
    move = stack.move
    total = stack.total[d]
    suit = stack.suit[d]
    n = 0
    rest = distinct(legal)
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        promise = card_gain(card, total, suit, gain) - (bonus if PIPS[card] == 0 else 0)
        entry = (promise + _OFFSET) << 6 | card
        j = n
        while j > 0 and move[d, j - 1] < entry:
            move[d, j] = move[d, j - 1]
            j -= 1
        move[d, j] = entry
        n += 1
    stack.moves[d] = n
    stack.tried[d] = 0
    stack.best[d] = -INFINITE


@jit
def solve_end(
    stack: Any, position: Any, own: Any, other: Any, suit: Any, total: Any, cards: Any, at: Any, m: Any
) -> Any:
    """Own minus the other's final score from here on, both playing optimally with all cards known.

    Parameters
    ----------
    stack : record of `STACK`
    position : record of `POSITION`
        For the rules only.
    own, other : hands of the mover and of the other
    suit, total : the row's last suit and total
    cards, at, m : the stock is ``cards[at:m]``, at least one and at most `MOST_LEFT` cards
    """
    gain = position.gain
    bonus = position.court_bonus
    barred = position.barred
    left = m - at
    mine, theirs, low, high, best, gains = stack.mine, stack.theirs, stack.low, stack.high, stack.best, stack.gain
    suits, totals, tried, moves, move = stack.suit, stack.total, stack.tried, stack.moves, stack.move
    if left == 1:
        return last_turn(own, other, suit, total, cards[at], position)
    legal = choices(own, other, suit, left, barred)
    if legal == 0:
        return bonus * count_cards(other & COURTS)
    mine[0] = own
    theirs[0] = other
    suits[0] = suit
    totals[0] = total
    low[0] = -INFINITE
    high[0] = INFINITE
    enter(stack, 0, legal, gain, bonus)
    d = 0
    while True:
        if tried[d] == moves[d] or best[d] >= high[d]:
            if d == 0:
                return best[0]
            value = gains[d - 1] - best[d]
            d -= 1
        else:
            card = move[d, tried[d]] & 63
            tried[d] += 1
            scores = card_gain(card, totals[d], suits[d], gain)
            gains[d] = scores
            after = (mine[d] ^ (1 << card)) | (1 << cards[at + d])
            if left == d + 2:
                value = scores - last_turn(theirs[d], after, SUIT[card], totals[d] + PIPS[card], cards[m - 1], position)
            else:
                legal = choices(theirs[d], after, SUIT[card], left - d - 1, barred)
                if legal:
                    d += 1
                    mine[d] = theirs[d - 1]
                    theirs[d] = after
                    suits[d] = SUIT[card]
                    totals[d] = totals[d - 1] + PIPS[card]
                    low[d] = scores - high[d - 1]
                    high[d] = scores - low[d - 1]
                    enter(stack, d, legal, gain, bonus)
                    continue
                value = scores - bonus * count_cards(after & COURTS)
        if value > best[d]:
            best[d] = value
            low[d] = max(low[d], value)
