"""What one chance event says: of a card that came, of a choice that was drawn, each less what was to be expected.

All numbers are linear in what is told: a number of the event less its mean over what else could have been.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sim.engine.jit import jit
from sim.games.parlett.kernel import allowed_cards
from sim.games.parlett.luck.ahead import STOPS, look_ahead
from sim.games.parlett.luck.network import may_play
from sim.games.parlett.luck.worth import Judge, Players, before_play, foresee_next, judge_known, play_card, weigh
from sim.games.parlett.moves import COURTS, NUMERALS, PIPS, SUIT, card_gain, count_cards, legal_cards, lowest
from sim.games.parlett.rules import LAST_NUMERAL

#: numbers told of a card: plain ones, those from looking ahead, and the two of the networks
AHEAD = 13 + LAST_NUMERAL - 1
NET = AHEAD + STOPS
TOLD = NET + 2


class Thought(NamedTuple):
    """What is needed to look ahead: a position with the rules, working memory, and the policies by seat.

    `odds` is by card the chance to come next, times the number of cards: 1 for all; anything else is an error, for
    tests. With `plain` all numbers are told, else those of the networks alone.
    """

    positions: np.ndarray
    cards: np.ndarray
    told: np.ndarray
    numbers: np.ndarray
    params: np.ndarray
    odds: np.ndarray
    players: Players
    judge: Judge
    plain: bool


@jit
def say(card: Any, hand: Any, other: Any, total: Any, suit: Any, best: Any, stuck: Any, gain: Any, told: Any) -> None:
    """What a card says that comes to `hand`, into ``told[TOLD]``.

    Parameters
    ----------
    card, hand, other : the card, the hand without it, the other hand as far as told
    total, suit : row total and last suit (−1: the row is empty)
    best : float
        The most that a card of the hand scores now.
    stuck : bool
        Whether no card of the hand may be played now.
    gain : table of `fill_gain`
    """
    told[:] = 0.0
    s = SUIT[card]
    fits = legal_cards(1 << card, suit) != 0
    if fits:
        scores = card_gain(card, total, suit, gain)
        told[0] = scores
        told[1] = max(0.0, scores - best)
        if stuck:
            told[2] = 1.0
            told[3] = count_cards(other & COURTS)
    if PIPS[card] == 0:
        told[4] = 1.0
        told[5] = count_cards(hand & COURTS)
        told[6] = count_cards(other & COURTS)
        told[7] = 1.0 if s == suit else 0.0
    else:
        mine = count_cards(hand & NUMERALS[s])
        theirs = count_cards(other & NUMERALS[s])
        told[8] = mine
        told[9] = theirs
        told[10] = 1.0 if mine == 0 else 0.0
        told[11] = 1.0 if theirs == 0 else 0.0
        told[12] = 1.0 if s == suit else 0.0
        if PIPS[card] > 1:
            told[11 + PIPS[card]] = 1.0


@jit
def outlook(lead: Any, centre: Any, width: Any) -> Any:
    """Share of a win of seat 0 for an expected lead; without a width the lead itself."""
    if width == 0.0:
        return lead
    return 0.5 * (1.0 + math.erf((lead + centre) / (width * math.sqrt(2.0))))


@jit
def tell_card(
    cards: Any, at: Any, hand: Any, other: Any, played: Any, total: Any, suit: Any, left: Any, moves: Any, dealt: Any,
    seat: Any, base: Any, centre: Any, width: Any, thought: Any, row: Any,
) -> Any:  # fmt: skip
    """Add what card ``cards[at]`` says, less the mean over it and all cards behind it, to `row`.

    Parameters
    ----------
    hand, other : sets
        The owner's cards and the other's, as far as told.
    left : int
        Cards in the stock when the next card is played.
    moves : bool
        Whether its owner is next to play.
    dealt : bool
        Whether it belongs to a hand that is being dealt.
    seat : int
        Who is next to play.
    base : int
        Lead of seat 0 so far, without courts in hand.
    centre, width : see `tell_deal`

    Returns
    -------
    lead : float
        That seat 0 is to expect with the card.
    """
    position = thought.positions[0]
    told = thought.told
    best = 0.0
    stuck = True
    legal = legal_cards(hand, suit)
    while legal:
        stuck = False
        best = max(best, card_gain(lowest(legal), total, suit, position.gain))
        legal &= legal - 1
    n = cards.shape[0] - at
    sign = 1 - 2 * seat
    expected, before = 0.0, 0.0
    deeper = (
        moves and not dealt and n <= thought.judge.deeper and thought.players.mix[0] + thought.players.mix[1] == 0.0
    )
    for i in range(at, cards.shape[0]):
        own = hand | 1 << cards[i]
        mine, theirs = (own, other) if moves else (other, own)
        if dealt:
            lead, both = judge_known(
                thought.judge, thought.players, position, thought.cards, True, seat, mine, theirs, played, total, suit,
                left,
            )  # fmt: skip
        elif deeper:
            lead, both = foresee_next(
                thought.judge, thought.players, position, thought.cards, seat, mine, theirs, played, total, suit, left,
                cards, at, i,
            )  # fmt: skip
        else:
            lead, both = before_play(
                thought.judge, thought.players, position, thought.cards, seat, mine, theirs, played, total, suit, left
            )
        lead = base + sign * lead
        part = (1.0 if i == at else 0.0) - thought.odds[cards[i]] / n
        row[NET] += part * outlook(lead, centre, width)
        if width == 0.0:
            row[NET + 1] += part * both
        before += lead / n
        if i == at:
            expected = lead
    if thought.plain:
        weight = weight_of(before, centre, width)  # known before the card
        for i in range(cards.shape[0] - 1, at - 1, -1):
            say(cards[i], hand, other, total, suit, best, stuck, position.gain, told)
            if suit >= 0:  # else there is no row to play on
                own = hand | 1 << cards[i]
                look_ahead(
                    position, thought.cards, thought.numbers, thought.params, seat, own if moves else other,
                    other if moves else own, played, total, suit, left, told, AHEAD,
                )  # fmt: skip
            part = weight * ((1.0 if i == at else 0.0) - thought.odds[cards[i]] / n)
            for k in range(NET):
                row[k] += told[k] * part
    return expected


@jit
def tell_choice(
    card: Any, own: Any, other: Any, played: Any, total: Any, suit: Any, left: Any, seat: Any, base: Any, centre: Any,
    width: Any, thought: Any, row: Any,
) -> Any:  # fmt: skip
    """Add what it says that `seat` plays `card`, less the mean over all it may play, to `row`.

    As `tell_card` otherwise. The chances are those of the kernel.
    """
    position = thought.positions[0]
    players = thought.players
    legal = may_play(position, own, other, suit, left)
    if players.limits[seat]:
        legal = allowed_cards(legal, players.limits[seat])
    if legal & (legal - 1) == 0:
        return np.nan
    sign = 1 - 2 * seat
    alike, choice = weigh(players, position, thought.cards, seat, own, legal, played, total, suit, left)
    expected = 0.0
    while legal:
        c = lowest(legal)
        legal &= legal - 1
        p = alike + (1.0 - players.mix[seat] if c == choice else 0.0)
        part = (1.0 if c == card else 0.0) - p * thought.odds[c]
        lead, both = play_card(
            thought.judge, players, position, thought.cards, seat, own, other, played, total, suit, left, c
        )
        lead = base + sign * lead
        row[NET] += part * outlook(lead, centre, width)
        if width == 0.0:
            row[NET + 1] += part * both
        row[0] += part * card_gain(c, total, suit, position.gain)
        row[4] += part * (1.0 if PIPS[c] == 0 else 0.0)
        if c == card:
            expected = lead
    return expected


@jit
def share(x: Any) -> Any:
    """Share of a win for a lead: 1, 1/2 or 0."""
    return 1.0 if x > 0 else 0.5 if x == 0 else 0.0


@jit
def tell_last(
    cards: Any, at: Any, normal: Any, lead: Any, sign: Any, bonus: Any, width: Any, row: Any
) -> None:  # fmt: skip
    """As `tell_card` for a card that comes when all has been played: it counts if it is a court, else not.

    The card that is left when the last but one has come is the other player's: that is told with it.

    Parameters
    ----------
    lead : int
        Seat 0's without the card, in all deals so far.
    sign : int
        A court adds ``sign × bonus`` to it.
    """
    n = cards.shape[0] - at
    courts = 0
    for i in range(at, cards.shape[0]):
        courts += 1 if PIPS[cards[i]] == 0 else 0
    both = normal and n == 2
    for i in range(at, cards.shape[0]):
        part = (1.0 if i == at else 0.0) - 1.0 / n
        own = 1 if PIPS[cards[i]] == 0 else 0
        other = courts - own if both else 0
        more = sign * bonus * (own - other)
        row[0 if normal else 1] += part * own
        if width == 0.0:
            row[NET] += part * more
            row[NET + 1] += part * bonus * (own + other)
        else:
            row[NET] += part * share(lead + more)


@jit
def weight_of(lead: Any, centre: Any, width: Any) -> Any:
    """For shares of wins, what is said counts by exp(−z²/2), z = (lead + centre) / width: cards decide close games."""
    if width == 0.0:
        return 1.0
    z = (lead + centre) / width
    return np.exp(-0.5 * z * z)
