"""How a deal goes on in one world: both players by one fast rule, the last cards exactly if wanted.

The rule is that of `planner` without the look at one's own next card, with weights tuned for playing so. It plays as
well as `planner` in a third of the time. Each player sees in a world what players see: own hand, row and unseen cards.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.engine.jit import jit
from sim.games.parlett.endgame import choices, distinct, solve_end
from sim.games.parlett.moves import (
    ALL,
    COURTS,
    NUMERALS,
    PIPS,
    RANK_COURTS,
    RANK_NUMERALS,
    SUIT,
    card_gain,
    count_cards,
    highest,
    lowest,
)
from sim.games.parlett.rules import LAST_NUMERAL, MOST_PLAYS, RANKS

#: weights of the rule, as those of `planner`: points, or points per point
COURT_VALUE = 85.0
FOLLOW = 20.0
SQUEEZE = 120.0
BLOCK = 9.0
SHORT = 0.6


def fill_miss(miss: np.ndarray, hand_size: int) -> None:
    """Tabulate, by stock and k, how likely k unseen cards are all absent from the other hand, as if independent."""
    stock = np.arange(MOST_PLAYS + 1)[:, None]
    miss[:] = (stock / (stock + hand_size)) ** np.arange(LAST_NUMERAL + 1)


@jit
def likely_card(position: Any, miss: Any, own: Any, unseen: Any, legal: Any, suit: Any, total: Any, left: Any) -> Any:
    """The card that the rule plays.

    value = score now − `COURT_VALUE` (if a court) − the other's expected score + `SQUEEZE` × chance that the other must
    give up a court + `FOLLOW` × own numerals left in the suit − `BLOCK` × 2 × bonus × own courts × chance that the
    other is stuck + `SHORT` × 2 × bonus × the other's expected courts × chance that the suit stays, if nothing in hand
    can follow it. Of equals the lower rank.

    Parameters
    ----------
    position : record of `POSITION`
        For the rules and tables only.
    miss : table of `fill_miss`
    own, unseen, legal : hand of the mover, cards that the mover does not see, cards to choose from
    suit, total, left : last suit, row total, cards in the stock
    """
    gain = position.gain
    bonus = position.court_bonus
    stake = 2.0 * bonus
    p = position.hand_size / (left + position.hand_size)
    held = count_cards(own & COURTS)
    theirs = p * count_cards(unseen & COURTS)
    court_value = COURT_VALUE if left > 2 else float(bonus)
    choice = -1
    most = -1e9
    rest = distinct(legal)
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        s = SUIT[card]
        made = total + PIPS[card]
        value = card_gain(card, total, suit, gain) - 0.01 * (card - RANKS * s)
        courts = held
        if PIPS[card] == 0:
            value -= court_value
            courts -= 1
        if left > 1:
            hidden = unseen >> RANKS * s
            numerals = hidden & RANK_NUMERALS
            scoring = numerals & position.scoring[made]
            answer = 0.0
            absent = 1.0
            while scoring:
                top = highest(scoring)
                scoring ^= 1 << top
                answer += absent * p * (made + top + 1)
                absent *= 1.0 - p
            none = miss[left, count_cards(numerals)]
            if gain[made] > bonus:
                no_court = miss[left, count_cards(hidden & RANK_COURTS)]
                answer += absent * (1.0 - no_court) * (made - bonus)
                none *= no_court
            value += SQUEEZE * none - answer
            if courts > 0 and not position.barred:
                stuck = position.none_chance[left, count_cards(unseen & (COURTS | NUMERALS[s]))]
                value -= BLOCK * stake * courts * stuck
            if left > 2:
                mine = count_cards(own & ~(1 << card) & NUMERALS[s])
                value += FOLLOW * mine
                if courts == 0 and mine == 0:
                    value += SHORT * stake * theirs * (1.0 - none)
        if value > most:
            most = value
            choice = card
    return choice


@jit
def play_on(position: Any, miss: Any, stack: Any, cards: Any, m: Any, other: Any, card: Any, exact_left: Any) -> Any:
    """Own minus the other's final score of the deal, after playing `card` in a world.

    Parameters
    ----------
    position : record of `POSITION`
        Before the card.
    miss, stack : working memory
    cards, m : the world's stock is ``cards[hand_size:m]``
    other : int
        The world's other hand.
    card : int
    exact_left : int
        With so many cards left in the stock, or fewer, the end is played optimally with open hands.
    """
    own = position.hand
    row = ALL & ~(position.unseen | own)  # every card is in a hand, in the stock or here
    total = position.total
    suit = position.last_suit
    lead = position.running[0] - position.running[1]
    bonus = position.court_bonus
    at = position.hand_size
    sign = 1
    while True:
        lead += sign * card_gain(card, total, suit, position.gain)
        total += PIPS[card]
        suit = SUIT[card]
        row |= 1 << card
        after = (own ^ (1 << card)) | (1 << cards[at])
        at += 1
        own, other = other, after
        sign = -sign
        left = m - at
        if left == 0:
            return lead + sign * bonus * (count_cards(own & COURTS) - count_cards(other & COURTS))
        if left <= exact_left:
            return lead + sign * solve_end(stack, position, own, other, suit, total, cards, at, m)
        legal = choices(own, other, suit, left, position.barred)
        if legal == 0:
            return lead + sign * bonus * count_cards(other & COURTS)
        if legal & (legal - 1):
            card = likely_card(position, miss, own, ALL & ~(own | row), legal, suit, total, left)
        else:
            card = lowest(legal)
