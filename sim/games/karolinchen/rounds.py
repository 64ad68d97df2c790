"""Karolinchen turn by turn: how many ways of playing a turn the dice left open, and which one was taken.

A mover has something to decide once a card is full: which card comes next and, under ``new_card_take = may``, whether
to take the dice for it; then perhaps the same again. A *way* is the list of these decisions, (card, take) one after
the other; ways are sorted as lists, a refusal before a taking. A turn without a full card has one way.
"""

from __future__ import annotations

import numpy as np

from sim.engine.jit import jit
from sim.engine.simulate import blocks
from sim.games.base import Field, Recorder
from sim.games.karolinchen.kernel import KarolinchenPlayable
from sim.games.karolinchen.moves import CHOICES, CHOSEN, EATING, MIDDLE, ROLLED, ROLLS, SEAT, TAKEN, TAKES
from sim.games.karolinchen.rules import KarolinchenRules

#: turns recorded at once at the most, 160 bytes each: rules may be such that every game comes to its cap
_MOST = 1 << 20
#: games recorded at once at the most
_GAMES = 1024

#: turns of a usual game of two to six
USUAL_TURNS = 64


def round_fields(rules: KarolinchenRules) -> tuple[Field, ...]:
    """Columns of a turn, with their bounds under the rules."""
    return (
        Field("rolls", "int8", "rolls", "rolls of the mover in this turn", 0, 2),
        Field("dice", "int8", "dice", "dice taken: fruits covered in this turn", 0, 6),
        Field("cards", "int8", "cards", "cards finished in this turn", 0, 6),
        Field("eating", "bool", "truth value", "the middle was emptied and the game goes on", 0, 1, "bool"),
    )


@jit
def count_ways(ways, middle, left, fruits, may):
    """Fill ``ways[filled]``, int64[64]: how many ways there are to go on, by the set of cards of this turn now full.

    `middle` holds the dice at the first choice and `left` the cards not yet laid out then. A colour's dice lie there
    until its own card comes, so what is left to do depends on the set alone.
    """
    for i in range(64):
        filled = 63 - i
        if filled & ~left:
            continue
        if filled == left:
            ways[filled] = 1  # the last card: the game is won
            continue
        ways[filled] = 0
        for c in range(6):
            if ((left & ~filled) >> c) & 1:
                ways[filled] += ways_with(ways, filled, c, middle, fruits, may)


@jit
def ways_with(ways, filled, card, middle, fruits, may):
    """How many of them begin with `card`."""
    count = (middle >> (4 * card)) & 15
    refusals = 1 if may and count > 0 else 0
    return refusals + (ways[filled | (1 << card)] if count >= fruits[card] else 1)


@jit
def way_index(ways, move, takes, middle, left, fruits, may):
    """Place of the recorded decisions in the sorted list of ways; `takes` takings came before the first of them."""
    index = 0
    filled = 0
    for i in range(move[CHOICES]):
        card = move[CHOSEN + i]
        for c in range(card):
            if ((left & ~filled) >> c) & 1:
                index += ways_with(ways, filled, c, middle, fruits, may)
        count = (middle >> (4 * card)) & 15
        if takes < move[TAKES] and move[TAKEN + takes] // 16 == card:
            takes += 1
            index += 1 if may and count > 0 else 0  # the refusal stands before it
        filled |= 1 << card
    return index


@jit
def replay(games, seats, turns, starts, moves, fruits, may, state, ways, rows):
    """Fill `rows`, int64[turns of all games, 8]: game from 0, round, options, chosen, rolls, dice, cards, eating.

    `turns` and `starts` are results by game and seat; `state`, int64[3, seats], and `ways`, int64[64], are
    working memory.
    """
    current = state[0]
    places = state[1]
    left = state[2]
    at = 0
    for g in range(games):
        for s in range(seats):
            current[s] = starts[g * seats + s]
            places[s] = fruits[current[s]]
            left[s] = 63 ^ (1 << current[s])
        for t in range(turns[g * seats]):
            move = moves[at]
            s = move[SEAT]
            middle = move[MIDDLE] if move[ROLLS] == 0 else move[ROLLED + move[ROLLS] - 1]
            takes = 0
            dice = 0
            cards = 0
            if move[TAKES] > 0 and move[TAKEN] // 16 == current[s]:
                dice = move[TAKEN] % 16
                takes = 1
            places[s] -= dice
            options = 1
            chosen = 0
            if places[s] == 0:
                cards = 1
                count_ways(ways, middle, left[s], fruits, may)
                options = ways[0]
                chosen = way_index(ways, move, takes, middle, left[s], fruits, may)
                for i in range(move[CHOICES]):
                    card = move[CHOSEN + i]
                    current[s] = card
                    places[s] = fruits[card]
                    left[s] &= ~(1 << card)
                    if takes < move[TAKES] and move[TAKEN + takes] // 16 == card:
                        n = move[TAKEN + takes] % 16
                        takes += 1
                        dice += n
                        places[s] -= n
                        cards += 1 if places[s] == 0 else 0
            row = rows[at]
            row[0] = g
            row[1] = t + 1
            row[2] = options
            row[3] = chosen
            row[4] = move[ROLLS]
            row[5] = dice
            row[6] = cards
            row[7] = move[EATING]
            at += 1


class KarolinchenRecorder(Recorder):
    """Tells games of Karolinchen turn by turn."""

    def __init__(self, playable: KarolinchenPlayable, rules: KarolinchenRules) -> None:
        self.playable = playable
        self.fruits = np.array(rules.fruits, np.int64)
        self.may = rules.new_card_take == "may"
        self.fields = round_fields(rules)
        self._games = max(1, min(_GAMES, _MOST // rules.max_turns))
        self._names = [field.name for field in playable.fields]

    def record(self, seed: int, first: int, games: int) -> dict[str, np.ndarray]:
        parts = [self._part(seed, start, count) for start, count in blocks(first, games, self._games)]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _part(self, seed: int, first: int, games: int) -> dict[str, np.ndarray]:
        seats = self.playable.seats
        out, moves = self.playable.record(seed, first, games)
        turns, starts = (out[self._names.index(name)] for name in ("turns", "start_fruit"))
        rows = np.zeros((len(moves), 8), np.int64)
        state, ways = np.zeros((3, seats), np.int64), np.zeros(64, np.int64)
        replay(games, seats, turns, starts, moves, self.fruits, self.may, state, ways, rows)
        return {
            "game": first + rows[:, 0],
            "seat": moves[:, SEAT],
            "round": rows[:, 1],
            "options": rows[:, 2],
            "chosen": rows[:, 3],
            "rolls": rows[:, 4],
            "dice": rows[:, 5],
            "cards": rows[:, 6],
            "eating": rows[:, 7] == 1,
        }
