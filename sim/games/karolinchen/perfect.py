"""The policy `optimal` for two: every way to go on is played out until somebody has to roll, and looked up there.

A choice of a card is followed by no roll as long as the dice in the middle last: the player may fill the card and
choose another one, the other player may find a match in what is left, fill a card and choose in turn. All of this is
known at the table, so it is searched to its end, either player choosing what is best for them. At the end somebody has
to roll or has won; what that is worth is read from a table of exact values, which whoever starts a game hands in.

The search keeps its path in a list of its own, as a compiled function that calls itself cannot be kept on disk.

The table, float64[worms × worms × layers], holds the chance of winning of the player to roll: entry ``(own × worms +
other) × layers``, and the next one for six dice after an eating where that makes a difference (two layers, under
`reroll_after_eating`). A worm, the cards of one player, is numbered by the open card, then by the set of cards not yet
laid out (the other five, lower colours as lower bits), then by the fruits covered on the open card: ``worms`` is 32 for
each fruit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.engine.jit import jit

#: values that are closer than this count as equal: the lower card, and taking before refusing
TIE = 1e-12
#: most fruits of one player for which there is a table: (32 × 44)² entries, 16 MB, twice that with two layers
MAX_FRUITS = 44
#: decisions on one path: each follows a card that took at least one of the dice in the middle
DEPTH = 7
#: what one step of a path holds: by player (0 the one to decide, 1 the other) cards not yet laid out, open card and
#: fruits covered on it; the dice in the middle, packed and as a number; who moves; the next choice to try; the best yet
LEFT, COLOUR, COVERED = 0, 1, 2
MIDDLE, DICE, MOVER, NEXT, CHOICE = 6, 7, 8, 9, 10
STEP = 11
#: choices are numbered 2 × card, plus 1 if its dice are refused
CHOICES = 12
_UNDECIDED = -1.0


@jit
def worm_number(position: Any, left: int, colour: int, covered: int) -> int:
    """Place of one player's cards in the table."""
    others = (left & ((1 << colour) - 1)) | ((left >> (colour + 1)) << colour)
    before = 0
    for c in range(colour):
        before += position.fruits[c]
    return 32 * before + others * position.fruits[colour] + covered


@jit
def looked_up(position: Any, path: Any, at: int, book: Any) -> float:
    """Chance of winning of player 0 where the mover has to roll."""
    mover = path[at, MOVER]
    m, o = 3 * mover, 3 - 3 * mover
    own = worm_number(position, path[at, m + LEFT], path[at, m + COLOUR], path[at, m + COVERED])
    other = worm_number(position, path[at, o + LEFT], path[at, o + COLOUR], path[at, o + COVERED])
    place = own * 32 * position.total + other
    if position.second_roll == 1:
        place = 2 * place + (1 if path[at, DICE] == 0 else 0)
    return book[place] if mover == 0 else 1.0 - book[place]


@jit
def played_on(position: Any, path: Any, at: int, book: Any) -> float:
    """Play step `at` on, turn by turn, until a card is to be chosen (−1) or a player has to roll or has won (value)."""
    while True:
        mover = path[at, MOVER]
        m = 3 * mover
        colour = path[at, m + COLOUR]
        places = position.fruits[colour] - path[at, m + COVERED]
        n = min((path[at, MIDDLE] >> (4 * colour)) & 15, places)
        if n == 0:
            return looked_up(position, path, at, book)
        path[at, MIDDLE] -= n << (4 * colour)
        path[at, DICE] -= n
        path[at, m + COVERED] += n
        if n == places:
            if path[at, m + LEFT] == 0:
                return 1.0 if mover == 0 else 0.0
            return _UNDECIDED
        path[at, MOVER] = 1 - mover


@jit
def may_choose(position: Any, path: Any, at: int, choice: int) -> bool:
    """Whether the mover may choose so: the card is left, and dice are refused only where some fit and the rules say."""
    card = choice >> 1
    if (path[at, 3 * path[at, MOVER] + LEFT] >> card) & 1 == 0:
        return False
    return choice & 1 == 0 or (position.may == 1 and (path[at, MIDDLE] >> (4 * card)) & 15 > 0)


@jit
def laid_out(position: Any, path: Any, at: int, choice: int, book: Any) -> float:
    """Make step ``at + 1`` from step `at` by a choice, and play it on."""
    for i in range(STEP):
        path[at + 1, i] = path[at, i]
    card = choice >> 1
    m = 3 * path[at, MOVER]
    path[at + 1, m + LEFT] ^= 1 << card
    path[at + 1, m + COLOUR] = card
    path[at + 1, m + COVERED] = 0
    if choice & 1 == 1 or (path[at, MIDDLE] >> (4 * card)) & 15 == 0:
        path[at + 1, MOVER] = 1 - path[at, MOVER]
    return played_on(position, path, at + 1, book)


@jit
def best_choice(position: Any, path: Any, worth: Any, left: int, first: int, end: int, book: Any) -> int:
    """The best of the choices `first` … ``end − 1`` for the player at the table, who has the cards `left`.

    Parameters
    ----------
    position : POSITION
    path, worth : int64[DEPTH + 1, STEP] and float64[DEPTH + 1]
        Room to work in.
    book : float64[worms × worms × layers]
        The table.
    """
    seat = position.seat
    path[0, LEFT] = left
    path[0, COLOUR] = 0
    path[0, COVERED] = 0
    path[0, 3 + LEFT] = position.left[1 - seat]
    path[0, 3 + COLOUR] = position.current[1 - seat]
    path[0, 3 + COVERED] = position.fruits[position.current[1 - seat]] - position.places[1 - seat]
    packed = 0
    for c in range(6):
        packed |= position.middle[c] << (4 * c)
    path[0, MIDDLE] = packed
    path[0, DICE] = position.dice
    path[0, MOVER] = 0
    path[0, NEXT] = first
    path[0, CHOICE] = -1
    at = 0
    while True:
        choice = path[at, NEXT]
        if choice == (end if at == 0 else CHOICES):
            if at == 0:
                return path[0, CHOICE]
            value = worth[at]
            at -= 1
            choice = path[at, NEXT] - 1
        else:
            path[at, NEXT] = choice + 1
            if not may_choose(position, path, at, choice):
                continue
            value = laid_out(position, path, at, choice, book)
            if value == _UNDECIDED:
                at += 1
                path[at, NEXT] = 0
                path[at, CHOICE] = -1
                continue
        gain = value - worth[at] if path[at, MOVER] == 0 else worth[at] - value
        if path[at, CHOICE] < 0 or gain > TIE:
            path[at, CHOICE] = choice
            worth[at] = value


@jit
def perfect_card(position: Any, path: Any, worth: Any, cards: Any, n: int, book: Any) -> int:
    """`next_card` of `optimal`: index of the best of the cards left."""
    card = best_choice(position, path, worth, position.left[position.seat], 0, CHOICES, book) >> 1
    for i in range(n):
        if cards[i] == card:
            return i
    return 0


@jit
def perfect_take(position: Any, path: Any, worth: Any, card: int, book: Any) -> int:
    """`take` of `optimal`: 1 to take the dice for the card just laid out, 0 to refuse them."""
    left = position.left[position.seat] | (1 << card)
    return 1 - (best_choice(position, path, worth, left, 2 * card, 2 * card + 2, book) & 1)


def table_size(total: int, second_roll: bool) -> int:
    """Number of entries of the table, for `total` fruits."""
    return int(np.int64(32 * total) ** 2) * (2 if second_roll else 1)
