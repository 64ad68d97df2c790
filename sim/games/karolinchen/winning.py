"""Who will win: the chances before every turn of games of Karolinchen.

Between two perfect players they are known exactly: between rolls nothing happens by chance, and two who play `optimal`
lose nothing by their choices. So the chance before a roll holds until that roll, and every change is the work of one
roll. The chances are looked up in the table of exact values (see `perfect`).

For any other line-up the game is played on from before every turn, with fresh rolls, by the same policies.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.engine.jit import jit
from sim.engine.paths import PLAYOUTS, RESULTS, Walk, conclude, playout_key
from sim.games.base import Policy, Watched
from sim.games.karolinchen.kernel import KarolinchenPlayable, play_on
from sim.games.karolinchen.luck.play import COLOUR, COVERED, LEFT_CARDS, follow
from sim.games.karolinchen.luck.race import number_of
from sim.games.karolinchen.moves import MIDDLE, ROLLS, SEAT, fill_words, rolled, start_cards
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


class ExactPlayable(KarolinchenPlayable, Watched):
    """As `KarolinchenPlayable` for two who play `optimal`, with their exact chances before every turn with a roll."""

    def __init__(self, rules: KarolinchenRules, policies: Sequence[Policy], book: np.ndarray | None) -> None:
        super().__init__(rules, policies, book)
        self.rules = rules

    def walk(self, seed: int, first: int, games: int) -> Walk:
        return exact_walk(self, self.rules, seed, first, games)


def exact_walk(playable: KarolinchenPlayable, rules: KarolinchenRules, seed: int, first: int, games: int) -> Walk:
    """Exact chances in games of two who play `optimal`: a row before each turn with a roll, and one for the end."""
    assert playable.book is not None
    out, record = playable.record(seed, first, games)
    fruits = np.array(rules.fruits, np.int64)
    before = np.concatenate([[0], np.cumsum(fruits)[:-1]]).astype(np.int64)
    second = rules.reroll_after_eating and "reroll_after_eating" not in rules.without_effect()
    chance, kept = np.zeros(len(record)), np.zeros(len(record), np.bool_)
    fill_chances(games, out, record, bool(second), fruits, before, playable.book, chance, kept)
    turns = out[0, ::2].astype(np.int64)
    ends = np.cumsum(turns)
    turn = np.arange(len(record)) - np.repeat(ends - turns, turns) + 1
    # one more place after the last turn of each game, for its end
    kept, turn = np.insert(kept, ends, True), np.insert(turn, ends, turns + 1)
    mover, first_seat = np.insert(record[:, SEAT], ends, -1)[kept], np.insert(chance, ends, out[7, ::2] == 1)[kept]
    rows = np.add.reduceat(kept.astype(np.int64), np.concatenate([[0], (ends + np.arange(1, games + 1))[:-1]]))
    both = np.stack([first_seat, 1.0 - first_seat], axis=1)
    both[np.cumsum(rows) - 1] = out[7].reshape(-1, 2) == 1  # nobody wins a capped game
    return Walk(rows, turns, turn[kept], mover, both, both.max(axis=1))


@jit
def watch_games(
    seed, first, games, playouts, own_roll, max_turns, positions, before, works, thinking, user, book, counts, turn,
    mover, chance, surest,
):  # fmt: skip
    """Chances before every turn, and at the end, of `games` games, whose rows follow each other.

    `works` and `thinking` are for the game and for play-outs, `before` has room for the position before a turn;
    `counts` is clear. For the others see `play_games`.
    """
    position = positions[0]
    work = works[0]
    thought = thinking[0]
    seats = position.seats
    row = 0
    for g in range(games):
        game = np.uint64(first + g)
        work.fault[3] = first + g
        thought.fault[3] = first + g
        start_cards(position, work, seed, game)
        key = playout_key(seed, game)
        fill_words(work, 0, seed, game)
        middle = 0
        if not own_roll:
            middle = rolled(work, 0, 0, 6, seed, game)
        played = 0
        seat = -1
        dice = 6
        winner = -1
        while played < max_turns and winner < 0:
            before[0] = position
            for j in range(playouts):
                positions[0] = before[0]
                fill_words(thought, (played + 1) & ~31, key, np.uint64(j))
                end = play_on(
                    played, seat, middle, dice, 0, 0, max_turns, position, thought, key, np.uint64(j), user, book, None,
                    0,
                )  # fmt: skip
                counts[1 << end[6] if end[6] >= 0 else 0] += 1
            positions[0] = before[0]
            surest[row] = conclude(counts, seats, playouts, chance[row])
            turn[row] = played + 1
            mover[row] = (seat + 1) % seats
            row += 1
            if work.fault[0] or thought.fault[0]:  # what comes after a fault is not told
                return
            played, seat, middle, dice, _, _, winner = play_on(
                played, seat, middle, dice, 0, 0, played + 1, position, work, seed, game, user, book, None, 0
            )
        counts[1 << winner if winner >= 0 else 0] = 1
        surest[row] = conclude(counts, seats, 1, chance[row])
        turn[row] = played + 1
        mover[row] = -1
        row += 1


class WatchedPlayable(KarolinchenPlayable, Watched):
    """As `KarolinchenPlayable`, with the chances of every seat before every turn."""

    playouts = PLAYOUTS

    def walk(self, seed: int, first: int, games: int) -> Walk:
        out = np.zeros((len(self.fields), games * self.seats), np.int32)
        positions, works = self.scratch()
        self.play(seed, first, games, out, (positions, works))  # how long a game is, only playing it can tell
        turns = out[0, :: self.seats].astype(np.int64)
        size = int(turns.sum()) + games
        turn, mover = np.zeros(size, np.int64), np.zeros(size, np.int64)
        chance, surest = np.zeros((size, self.seats)), np.zeros(size)
        thinking = works.copy()
        watch_games(
            np.uint64(seed), first, games, self.playouts, self._own_roll, self._max_turns, positions, positions.copy(),
            works, thinking, self._user, self._book, np.zeros(RESULTS, np.int64), turn, mover, chance, surest,
        )  # fmt: skip
        self.raise_fault(works, seed)
        self.raise_fault(thinking, seed)
        return Walk(turns + 1, turns, turn, mover, chance, surest)
