"""What a player can work out at the table: what laying out a card brings now, and what it leaves to the next player."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from sim.engine.jit import jit


def _expected_takes(rolls: int) -> np.ndarray:
    """Expected dice taken, float64[7, 7], from d dice (row) for a card with p free places (column).

    The dice are rolled until one shows the colour of the card, at most `rolls` times; then all that fit are taken.
    Worked out in fractions, so the numbers are correctly rounded.
    """
    table = np.zeros((7, 7))
    for dice in range(7):
        chance = [comb(dice, k) * Fraction(1, 6) ** k * Fraction(5, 6) ** (dice - k) for k in range(dice + 1)]
        tries = sum(chance[0] ** r for r in range(rolls))
        for places in range(7):
            table[dice, places] = float(tries * sum(min(k, places) * p for k, p in enumerate(chance)))
    return table


#: [dice rolled, free places]: expected dice taken with one roll, and with a second roll if the first shows none
ONE_ROLL = _expected_takes(1)
TWO_ROLLS = _expected_takes(2)


@jit
def next_seat(position: Any) -> int:
    """The player after the one to decide."""
    seat = position.seat + 1
    return 0 if seat == position.seats else seat


@jit
def lay_out(position: Any, colour: int) -> tuple[int, int, int]:
    """What follows if the card `colour` is laid out now and fitting dice are taken for it and the cards after it.

    A card filled at once lets the next one take dice too. As dice of a colour serve its card only, nothing is lost by
    filling every card that can be filled and laying out last the card that takes the most of the dice left.

    Returns
    -------
    taken : int
        Dice taken in the rest of this turn.
    places : int
        Free places on the card that then lies open.
    wanted : int
        Dice then left in the middle that show the colour of the next player's current card.
    """
    want = position.current[next_seat(position)]
    size = position.fruits[colour]
    taken = min(position.middle[colour], size)
    places = size - taken
    from_next = taken if colour == want else 0
    if places == 0:
        partial = -1
        last = colour
        for c in range(6):
            if c != colour and (position.left[position.seat] >> c) & 1 == 1:
                size = position.fruits[c]
                fits = min(position.middle[c], size)
                if fits == size:
                    taken += fits
                    if c == want:
                        from_next += fits
                elif fits > partial or (fits == partial and size - fits > places):
                    partial = fits
                    places = size - fits
                    last = c
        if partial > 0:
            taken += partial
            if last == want:
                from_next += partial
    return taken, places, position.middle[want] - from_next


@jit
def next_takes(position: Any, dice: int, wanted: int) -> float:
    """Dice the next player may expect to take for their current card.

    `dice` are left in the middle, `wanted` of them in the colour of that card; with none wanted all are rolled, and all
    six once they have returned. What a full card brings beyond that is left out.
    """
    places = min(position.places[next_seat(position)], 6)
    if wanted > 0:
        return np.float64(min(wanted, places))
    if dice > 0:
        return ONE_ROLL[dice, places]
    if position.second_roll == 1:
        return TWO_ROLLS[6, places]
    return ONE_ROLL[6, places]


@jit
def own_roll(dice: int, places: int) -> float:
    """Dice to expect from one roll of what is left in the middle (all six if nothing is) for `places` places."""
    return ONE_ROLL[dice if dice > 0 else 6, min(places, 6)]


@jit
def others_on(position: Any, colour: int) -> int:
    """Number of other players whose current card has this colour: they want the same dice."""
    n = 0
    for s in range(position.seats):
        if s != position.seat and position.current[s] == colour:
            n += 1
    return n
