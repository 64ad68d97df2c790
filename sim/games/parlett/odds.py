"""What a player can expect of the other hand, every unseen card being equally likely to be in it."""

from __future__ import annotations

from typing import Any

from sim.engine.jit import jit
from sim.games.parlett.moves import COURTS, NUMERALS, RANK_COURTS, RANK_NUMERALS, count_cards, highest, lowest
from sim.games.parlett.rules import RANKS


@jit
def foresee(position: Any, suit: Any, total: Any, mine: Any) -> Any:
    """What is likely to follow once a card of `suit` has made the row total `total`.

    The other player is taken to score if possible, the highest numeral first, then a court if that brings more than
    keeping it; else to play the lowest numeral of the suit; else some court. `mine` is the set of ranks of one's own
    numerals left in the suit.

    Returns
    -------
    answer, after, none : float
        Expected score of the other's card; expected best score of one's own numerals after it; probability that the
        other neither scores nor has a numeral of the suit.
    """
    p = position.hand_size / (position.stock + position.hand_size)
    unseen = position.unseen >> RANKS * suit
    numerals = unseen & RANK_NUMERALS
    scoring = numerals & position.scoring[total]
    quiet = numerals & ~scoring
    none = 1.0  # probability that the other has none of the cards considered so far
    answer = 0.0
    after = 0.0
    while scoring:
        top = highest(scoring)
        scoring ^= 1 << top
        made = total + top + 1
        answer += none * p * made
        reach = mine & position.scoring[made]
        if reach:
            after += none * p * (made + highest(reach) + 1)
        none *= 1.0 - p
    if position.gain[total] > position.court_bonus:
        reach = mine & position.scoring[total]
        for _ in range(count_cards(unseen & RANK_COURTS)):
            answer += none * p * (total - position.court_bonus)
            if reach:
                after += none * p * (total + highest(reach) + 1)
            none *= 1.0 - p
    while quiet:
        low = lowest(quiet)
        quiet &= quiet - 1
        made = total + low + 1
        reach = mine & position.scoring[made]
        if reach:
            after += none * p * (made + highest(reach) + 1)
        none *= 1.0 - p
    return answer, after, none


@jit
def chance_stuck(position: Any, suit: Any) -> Any:
    """Probability that a card of `suit` leaves the other stuck, every unseen card being equally likely in that hand."""
    return position.none_chance[position.stock, count_cards(position.unseen & (COURTS | NUMERALS[suit]))]


@jit
def fill_none_chance(none_chance: Any, hand_size: Any) -> None:
    """Tabulate, by stock and k, the probability that none of k given unseen cards is among the other's `hand_size`.

    All k are then in the stock: stock / (stock + hand) × (stock − 1) / (stock + hand − 1) × …, k factors.
    """
    for stock in range(none_chance.shape[0]):
        p = 1.0
        for k in range(none_chance.shape[1]):
            none_chance[stock, k] = p
            p = p * (stock - k) / (stock + hand_size - k) if k < stock else 0.0
