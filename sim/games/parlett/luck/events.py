"""Chance events of recorded deals: what every card that came said, less what was to be expected of it.

A deal is a shuffled pack, told card by card: first the hands, then the stock. To an observer who has seen all cards
told so far, the next one is any of the others with the same chance. So the mean of any number that can be told of a
card is its plain mean over the cards not told yet, and what a card says less this mean has mean 0, whatever is said.

A card drawn is told when its owner is next to move, that is after the other player's answer: under
``block = allowed`` nobody's choice depends on it before. Then the row on which it can first be played is known. Under
``block = barred`` the answer depends on it (a card that leaves the other stuck may be barred), so it is told at once.

What is said of a card are the numbers of `say`; they are summed by *bin*: dealt cards by player and half of the hand,
cards drawn by player and stage of the deal, the last ones by player.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sim.engine.jit import jit
from sim.games.parlett.luck.ahead import STOPS, look_ahead
from sim.games.parlett.moves import COURTS, NUMERALS, PIPS, SUIT, card_gain, count_cards, legal_cards, lowest
from sim.games.parlett.rules import LAST_NUMERAL

#: numbers told of a card
AHEAD = 13 + LAST_NUMERAL - 1
TOLD = AHEAD + STOPS
#: bins of dealt cards, most pairs of bins of cards drawn, bins of last cards
DEALT, PAIRS, LAST = 4, 13, 2


def bins(turns: int) -> int:
    """Number of bins of a deal with so many stock cards."""
    return DEALT + 2 * min(turns // 2, PAIRS) + LAST


class Thought(NamedTuple):
    """What is needed to look ahead: a position with the rules, working memory, and the policies by seat.

    `odds` is by card the chance to come next, times the number of cards: 1 for all; anything else is an error, for
    tests.
    """

    positions: np.ndarray
    cards: np.ndarray
    told: np.ndarray
    numbers: np.ndarray
    params: np.ndarray
    odds: np.ndarray


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
def tell_card(
    cards: Any, at: Any, hand: Any, other: Any, played: Any, total: Any, suit: Any, left: Any, moves: Any, seat: Any,
    weight: Any, thought: Any, row: Any,
) -> None:  # fmt: skip
    """Add what card ``cards[at]`` says, less the mean over it and all cards behind it, times `weight`, to `row`.

    `seat` is next to play, the card's owner if `moves`, with `left` cards in the stock; 0: nobody looks ahead.
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
    for i in range(cards.shape[0] - 1, at - 1, -1):
        say(cards[i], hand, other, total, suit, best, stuck, position.gain, told)
        if left > 0:
            own = hand | 1 << cards[i]
            look_ahead(
                position, thought.cards, thought.numbers, thought.params, seat, own if moves else other,
                other if moves else own, played, total, suit, left, told, AHEAD,
            )  # fmt: skip
        part = weight * ((1.0 if i == at else 0.0) - thought.odds[cards[i]] / n)
        for k in range(TOLD):
            row[k] += told[k] * part


@jit
def share(x: Any) -> Any:
    """Share of a win for a lead: 1, 1/2 or 0."""
    return 1.0 if x > 0 else 0.5 if x == 0 else 0.0


@jit
def tell_last(cards: Any, at: Any, normal: Any, lead: Any, sign: Any, bonus: Any, row: Any) -> None:
    """As `tell_card` for a card that comes when all has been played: it counts if it is a court, else not.

    `lead` is seat 0's without the card, in all deals so far, and a court adds ``sign × bonus`` to it.
    """
    n = cards.shape[0] - at
    courts = 0
    for i in range(at, cards.shape[0]):
        courts += 1 if PIPS[cards[i]] == 0 else 0
    over = (1.0 if PIPS[cards[at]] == 0 else 0.0) - courts / n
    row[0 if normal else 1] += over
    row[2] += over * (share(lead + sign * bonus) - share(lead))


@jit
def tell_deal(
    cards: Any, plays: Any, count: Any, hand_size: Any, side: Any, carried: Any, thought: Any, centre: Any, width: Any,
    sums: Any, leads: Any,
) -> None:  # fmt: skip
    """Add all that the cards of one deal said, by bin, to ``sums[bin, TOLD]``.

    Parameters
    ----------
    cards : int64[cards]
        The leader's hand, the other's, the stock from the top.
    plays, count : plays as (seat, card, total, gain), and how many
    side : int
        1 if seat 0 leads, −1 if seat 1 does.
    carried : int
        Seat 0's lead from deals before.
    centre, width : float64[bins]
        What is said is weighted by exp(−z²/2), z = (lead of seat 0 + centre) / width: close games are decided by cards.
        A width of 0 stands for no weights.
    leads : float64[bins]
        The last such lead of every bin is left here.
    """
    barred = thought.positions[0].barred
    bonus = thought.positions[0].court_bonus
    played = 0
    turns = cards.shape[0] - 2 * hand_size
    pairs = turns // 2
    kept = min(pairs, PAIRS)
    hands = np.zeros(2, np.int64)
    running = np.zeros(2, np.int64)
    total = 0
    suit = -1
    row = 0
    for t in range(-1, count + 1):
        mover = t & 1
        # cards that are told before turn t: places of the pack, to whom, and if all has been played
        start, stop, owner, end = 0, 0, mover, False
        if t == -1:
            stop, owner = hand_size, 0
        elif t == 0:
            if barred:
                start, stop, owner = hand_size, 2 * hand_size, 1
        elif t == 1 and not barred:
            start, stop = hand_size, 2 * hand_size
        elif t >= 2 and not barred:
            start = 2 * hand_size + t - 2
            stop = start + 1
            end = t == turns
        for i in range(start, stop):
            if i < 2 * hand_size:
                row = 2 * owner + (2 * (i % hand_size)) // hand_size
            else:
                d = i - 2 * hand_size
                row = DEALT + 2 * (((d // 2) * kept) // pairs) + (d & 1)
            lead = (
                side * (running[0] - running[1] + bonus * (count_courts(hands[0]) - count_courts(hands[1]))) + carried
            )
            if end:
                tell_last(cards, i, True, lead, side * (1 - 2 * owner), bonus, sums[sums.shape[0] - 2 + owner])
            else:
                weight = weight_of(lead, centre[row], width[row])
                leads[row] = lead
                tell_card(
                    cards, i, hands[owner], hands[1 - owner], played, total, suit, turns - t if t > 0 else 0,
                    True, owner if side > 0 else 1 - owner, weight, thought, sums[row],
                )  # fmt: skip
            hands[owner] |= 1 << cards[i]
        if t < 0:
            continue
        if t == count:
            break
        card = plays[t, 1]
        hands[mover] &= ~(1 << card)
        played |= 1 << card
        total = plays[t, 2]
        running[mover] += plays[t, 3]
        suit = SUIT[card]
        if barred:
            i = 2 * hand_size + t
            row = DEALT + 2 * (((t // 2) * kept) // pairs) + mover
            lead = (
                side * (running[0] - running[1] + bonus * (count_courts(hands[0]) - count_courts(hands[1]))) + carried
            )
            if t >= turns - 2:  # nothing that it could be played on
                tell_last(cards, i, True, lead, side * (1 - 2 * mover), bonus, sums[sums.shape[0] - 2 + mover])
            else:
                weight = weight_of(lead, centre[row], width[row])
                leads[row] = lead
                tell_card(
                    cards, i, hands[mover], hands[1 - mover], played, total, suit,
                    turns - t - 1, False, 1 - mover if side > 0 else mover, weight, thought, sums[row],
                )  # fmt: skip
            hands[mover] |= 1 << cards[i]
    if count < turns and not barred:  # short: the last card drawn is its owner's, and counts for the other
        stuck = count & 1
        lead = side * (running[0] - running[1] + bonus * count_courts(hands[1 - stuck]) * (1 - 2 * stuck)) + carried
        at = 2 * hand_size + count - 1
        tell_last(cards, at, False, lead, side * (1 - 2 * stuck), bonus, sums[sums.shape[0] - 2 + stuck])


@jit
def count_courts(cards: Any) -> Any:
    """How many courts are in a set."""
    return count_cards(cards & COURTS)


@jit
def weight_of(lead: Any, centre: Any, width: Any) -> Any:
    """See `tell_deal`."""
    if width == 0.0:
        return 1.0
    z = (lead + centre) / width
    return np.exp(-0.5 * z * z)


@jit
def tell_games(
    games: Any, deals: Any, records: Any, hand_size: Any, thought: Any, centre: Any, width: Any, sums: Any, leads: Any
) -> None:
    """`tell_deal` of recorded games, ``sums[game, deals × bins, TOLD]``, ``leads[game, deals × bins]``."""
    n = centre.shape[0] // deals
    cards = np.zeros(records[0].deck.shape[0], np.int64)
    for g in range(games):
        carried = 0
        for deal in range(deals):
            record = records[g * deals + deal]
            cards[:] = record.deck
            if deal == 1:  # seat 1 leads
                for i in range(hand_size):
                    cards[i] = record.deck[hand_size + i]
                    cards[hand_size + i] = record.deck[i]
            own = slice(deal * n, (deal + 1) * n)
            tell_deal(
                cards, record.plays, record.count, hand_size, 1 - 2 * deal, carried, thought, centre[own], width[own],
                sums[g, own], leads[g, own],
            )  # fmt: skip
            carried += record.scores[0] - record.scores[1]
