"""Chance events of recorded deals: what every card that came said, less what was to be expected of it.

A deal is a shuffled pack, told card by card: first the hands, then the stock. To an observer who has seen all cards
told so far, the next one is any of the others with the same chance. So the mean of any number that can be told of a
card is its plain mean over the cards not told yet, and what a card says less this mean has mean 0, whatever is said.

A card drawn is told when its owner is next to move, that is after the other player's answer: under
``block = allowed`` nobody's choice depends on it before. Then the row on which it can first be played is known. Under
``block = barred`` the answer depends on it (a card that leaves the other stuck may be barred), so it is told at once.

What is said (see `tell`) is summed by *bin*: dealt cards by player and half of the hand, cards drawn by player and
stage of the deal, the last ones by player; choices that a player draws by lot by player and stage as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.engine.jit import jit
from sim.games.parlett.luck.tell import tell_card, tell_choice, tell_last
from sim.games.parlett.moves import COURTS, SUIT, count_cards

#: bins of dealt cards, most pairs of bins of cards drawn (and of choices), bins of last cards
DEALT, PAIRS, LAST = 4, 13, 2


def bins(turns: int) -> int:
    """Number of bins of a deal with so many stock cards."""
    return DEALT + LAST + 4 * min(turns // 2, PAIRS)


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
        For shares of wins: the final lead of seat 0 less the one expected in a bin has this mean (`centre`) and this
        standard deviation. A width of 0 stands for scores.
    leads : float64[bins]
        The last expected lead of every bin is left here.
    """
    barred = thought.positions[0].barred
    bonus = thought.positions[0].court_bonus
    played = 0
    turns = cards.shape[0] - 2 * hand_size
    pairs = turns // 2
    kept = min(pairs, PAIRS)
    lasts = DEALT + 2 * kept
    hands = np.zeros(2, np.int64)
    running = np.zeros(2, np.int64)
    total = 0
    suit = -1
    row = 0
    first = 0 if side > 0 else 1  # the seat that leads
    for t in range(-1, count + 1):
        mover = t & 1
        base = side * (running[0] - running[1]) + carried
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
            dealt = i < 2 * hand_size
            if dealt:
                row = 2 * owner + (2 * (i % hand_size)) // hand_size
            else:
                d = i - 2 * hand_size
                row = DEALT + 2 * (((d // 2) * kept) // pairs) + (d & 1)
            if end:
                lead = base + side * bonus * (count_courts(hands[0]) - count_courts(hands[1]))
                tell_last(
                    cards, i, True, lead, side * (1 - 2 * owner), bonus, width[lasts + owner], sums[lasts + owner]
                )
            else:
                moves = owner == max(t, 0) & 1
                leads[row] = tell_card(
                    cards, i, hands[owner], hands[1 - owner], played, total, suit, turns - max(t, 0), moves, dealt,
                    (owner if moves else 1 - owner) ^ first, base, centre[row], width[row], thought, sums[row],
                )  # fmt: skip
            hands[owner] |= 1 << cards[i]
        if t < 0:
            continue
        if t == count:
            break
        card = plays[t, 1]
        if thought.players.chance[mover ^ first]:
            row = lasts + LAST + 2 * (((t // 2) * kept) // pairs) + mover
            found = tell_choice(
                card, hands[mover], hands[1 - mover], played, total, suit, turns - t, mover ^ first, base, centre[row],
                width[row], thought, sums[row],
            )  # fmt: skip
            if found == found:
                leads[row] = found
        hands[mover] &= ~(1 << card)
        played |= 1 << card
        total = plays[t, 2]
        running[mover] += plays[t, 3]
        suit = SUIT[card]
        if barred:
            base = side * (running[0] - running[1]) + carried
            i = 2 * hand_size + t
            row = DEALT + 2 * (((t // 2) * kept) // pairs) + mover
            if t >= turns - 2:  # nothing that it could be played on
                lead = base + side * bonus * (count_courts(hands[0]) - count_courts(hands[1]))
                tell_last(
                    cards, i, True, lead, side * (1 - 2 * mover), bonus, width[lasts + mover], sums[lasts + mover]
                )
            else:
                leads[row] = tell_card(
                    cards, i, hands[mover], hands[1 - mover], played, total, suit, turns - t - 1, False, False,
                    1 - mover ^ first, base, centre[row], width[row], thought, sums[row],
                )  # fmt: skip
            hands[mover] |= 1 << cards[i]
    if count < turns and not barred:  # short: the last card drawn is its owner's, and counts for the other
        stuck = count & 1
        lead = side * (running[0] - running[1] + bonus * count_courts(hands[1 - stuck]) * (1 - 2 * stuck)) + carried
        at = 2 * hand_size + count - 1
        tell_last(cards, at, False, lead, side * (1 - 2 * stuck), bonus, width[lasts + stuck], sums[lasts + stuck])


@jit
def count_courts(cards: Any) -> Any:
    """How many courts are in a set."""
    return count_cards(cards & COURTS)


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
