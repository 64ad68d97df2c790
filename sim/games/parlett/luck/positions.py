"""Positions of recorded deals to fit networks to, and what came of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.engine.jit import jit
from sim.games.parlett.luck.network import describe
from sim.games.parlett.moves import ALL, PIPS, SUIT

#: positions of one game
PER_GAME = 5


@jit
def gather(
    records: Any, barred: Any, hand_size: Any, hands: Any, draws: Any, position: Any, cards: Any, numbers: Any,
    params: Any, multiple: Any, states: Any, whole: Any, target: Any,
) -> Any:  # fmt: skip
    """Positions of recorded deals led by seat 0; returns how many.

    Parameters
    ----------
    hands : bool
        Whether hands are being told: positions before the row is followed, with part of a hand told.
    draws : int64[records, PER_GAME]
        Random numbers: which plays are taken, or how much of a hand is told.
    states : int64[n, 5]
        Left here: cards of next, cards of last, cards not told, pips missing, suit.
    whole, target : float32[n, whole numbers], float32[n, 2]
        Left here: `describe`; what came of it, lead and sum, in hundreds of points.
    """
    turns = PIPS.shape[0] - 2 * hand_size
    n = 0
    for g in range(records.shape[0]):
        record = records[g]
        deck = record.deck
        own, other, played, total, suit, fresh = 0, 0, 0, 0, -1, 0
        for i in range(hand_size):
            own |= 1 << deck[i]
            other |= 1 << deck[hand_size + i]
        scored = np.zeros(2, np.int64)
        for t in range(-1, record.count):
            mover = t & 1
            if t >= 0:
                card = record.plays[t, 1]
                own &= ~(1 << card)
                played |= 1 << card
                total = record.plays[t, 2]
                suit = SUIT[card]
                scored[mover] += record.plays[t, 3]
            if t >= turns - 1:
                break
            for k in range(PER_GAME):
                draw = draws[g, k]
                if n >= states.shape[0]:
                    return n
                if hands:
                    # of the leader's hand (even numbers) or of the other's (odd) the first so many cards
                    if draw % 2 == 0 and t == -1:
                        mine, theirs = known(deck, 0, draw // 2 % (hand_size + 1)), 0
                    elif draw % 2 == 1 and not barred and t == 0:
                        mine, theirs = known(deck, hand_size, draw // 2 % (hand_size + 1)), own
                    elif draw % 2 == 1 and barred and t == -1:
                        mine, theirs = own, known(deck, hand_size, draw // 2 % (hand_size + 1))
                    else:
                        continue
                else:
                    if t < 0 or draw % (turns - 1) != t:
                        continue
                    mine, theirs = other & ~fresh, own
                seat = 0 if t < 0 else 1 - mover
                unseen = ALL & ~(mine | theirs | played)
                states[n, 0] = mine
                states[n, 1] = theirs
                states[n, 2] = unseen
                states[n, 3] = multiple - total % multiple
                states[n, 4] = suit
                describe(
                    position, cards, numbers, params, multiple, mine, theirs, played, total, suit, turns - t - 1,
                    whole[n],
                )  # fmt: skip
                mine_more = record.scores[seat] - scored[seat]
                more = record.scores[1 - seat] - scored[1 - seat]
                target[n, 0] = (mine_more - more) / 100.0
                target[n, 1] = (mine_more + more) / 100.0
                n += 1
            if t >= 0:
                drawn = 1 << deck[2 * hand_size + t]
                own |= drawn
                fresh = 0 if barred else drawn
                own, other = other, own
    return n


@jit
def known(deck: Any, start: Any, count: Any) -> Any:
    """The set of `count` cards of a deck from place `start` on."""
    cards = 0
    for i in range(start, start + count):
        cards |= 1 << deck[i]
    return cards
