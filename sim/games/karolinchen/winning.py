"""Who will win: the exact chance of winning before every roll of games between two perfect players of Karolinchen.

Between rolls nothing happens by chance, and two who play `optimal` lose nothing by their choices. So the chance before
a roll holds until that roll, and every change is the work of one roll. The chances are looked up in the table of exact
values (see `perfect`).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from sim.engine.jit import jit
from sim.games.karolinchen.kernel import KarolinchenPlayable
from sim.games.karolinchen.luck.play import COLOUR, COVERED, LEFT_CARDS, follow
from sim.games.karolinchen.luck.race import number_of
from sim.games.karolinchen.moves import MIDDLE, ROLLS, SEAT
from sim.games.karolinchen.rules import KarolinchenRules


@jit
def fill_chances(games, out, record, second_roll, fruits, before, book, chance, rolled):
    """Chance of seat 0 before each turn's first roll into ``chance[turn]``, where ``rolled[turn]``."""
    worms = np.zeros((2, 3), np.int64)
    total = 32 * (before[5] + fruits[5])
    at = 0
    for g in range(games):
        for s in range(2):
            colour = out[5, 2 * g + s]
            worms[s, LEFT_CARDS] = 63 ^ (1 << colour)
            worms[s, COLOUR] = colour
            worms[s, COVERED] = 0
        for turn in range(out[0, 2 * g]):
            row = record[at]
            mover = row[SEAT]
            if row[ROLLS] > 0:
                own, other = worms[mover], worms[1 - mover]
                place = number_of(own[LEFT_CARDS], own[COLOUR], own[COVERED], fruits, before) * total
                place += number_of(other[LEFT_CARDS], other[COLOUR], other[COVERED], fruits, before)
                if second_roll:  # a second layer: six dice after an eating, which may be rolled twice
                    place = 2 * place + (1 if row[MIDDLE] == 0 and turn > 0 else 0)
                chance[at] = book[place] if mover == 0 else 1.0 - book[place]
                rolled[at] = True
            follow(row, worms[mover])
            at += 1


def win_paths(
    playable: KarolinchenPlayable, rules: KarolinchenRules, seed: int, first: int, games: int
) -> pl.DataFrame:
    """Exact chances of winning of recorded games, see `sim.games.karolinchen.KarolinchenGame.win_paths`."""
    assert playable.book is not None
    out, record = playable.record(seed, first, games)
    fruits = np.array(rules.fruits, np.int64)
    before = np.concatenate([[0], np.cumsum(fruits)[:-1]]).astype(np.int64)
    second = rules.reroll_after_eating and "reroll_after_eating" not in rules.without_effect()
    chance, rolled = np.zeros(len(record)), np.zeros(len(record), np.bool_)
    fill_chances(games, out, record, bool(second), fruits, before, playable.book, chance, rolled)
    turns = out[0, ::2].astype(np.int64)
    index = np.repeat(np.arange(games), turns)
    turn = np.arange(len(record)) - np.repeat(np.cumsum(turns) - turns, turns) + 1
    rows = pl.DataFrame({"game": index, "turn": turn, "seat": record[:, SEAT], "value": chance}).filter(rolled)
    won = out[7, ::2] == 1
    ends = pl.DataFrame(
        {"game": np.arange(games), "turn": turns + 1, "seat": np.full(games, -1), "value": won.astype(np.float64)}
    )
    told = pl.DataFrame({"game": np.arange(games), "turns": turns, "won": won})
    both = pl.concat([rows, ends]).join(told, on="game", maintain_order="left").sort("game", "turn")
    return both.with_columns(pl.col("game") + first).select("game", "turn", "turns", "seat", "value", "won")
