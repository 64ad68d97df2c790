"""Who will win: the chances before every round of games of Caterpillars, from play-outs by the same policies.

Before a round all sheets are known and nothing of the rolls to come. The rest is played on with fresh rolls, which all
seats share as in the game, and fresh numbers for policies that draw.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.engine import rng
from sim.engine.jit import jit
from sim.engine.paths import PLAYOUTS, RESULTS, Walk, conclude, playout_key
from sim.games.base import Watched
from sim.games.caterpillars.kernel import CaterpillarsPlayable, decide, flying, new_sheet, roll_dice, show_others
from sim.games.caterpillars.outcomes import NO_FACE, unpack, write
from sim.games.caterpillars.policies import LOOKAHEAD, ROLLOUT
from sim.games.caterpillars.position import POSITION

#: policies that play on in thought themselves: with play-outs of play-outs nobody would see the end
SLOW = (LOOKAHEAD, ROLLOUT)
#: most seats whose chances are told
MOST_SEATS = 6


@jit
def winners(positions, seats, final):
    """Who has won, as the sum of 2^seat: the highest end total, then the larger sum of all boxes, then shared."""
    best_end = -1
    best_sum = -1
    won = 0
    for s in range(seats):
        t = positions[s].totals
        _, end = flying(t, positions[s].bonus, final)
        total = t[0] + t[1] + t[2]
        if end > best_end or (end == best_end and total > best_sum):
            best_end = end
            best_sum = total
            won = 1 << s
        elif end == best_end and total == best_sum:
            won |= 1 << s
    return won


@jit
def play_round(
    r, x, seats, rules, tables, players, positions, work, reads_others, book, user, mind, limits
):  # fmt: skip
    """Every seat uses the dice `x` of round `r`, as in `play_games` of the kernel."""
    roll = x % 216
    face = x // 216 if rules.has_action else NO_FACE
    if reads_others:
        for s in range(seats):
            show_others(positions, s, seats)
    for s in range(seats):
        position = positions[s]
        outcome = decide(players[s], position, x, roll, face, r, rules, tables, work, book, user, mind, limits)
        bonus_box, bonus_value, box, score = unpack(outcome)
        write(position, bonus_box, bonus_value, box, score)


@jit
def watch_games(
    seed, first, games, seats, playouts, rules_, tables_, players, thinkers, positions, before, works, reads_others,
    book, plan, user, mind, limits, dice, counts, chance, surest,
):  # fmt: skip
    """Chances before every round, and at the end, of `games` games: ``chance[13 rows a game, seat]``, ``surest``.

    `players` and `thinkers` are the seats in the game and in play-outs, `before` has room for the sheets before every
    round, `dice` for the rolls of a play-out; ``counts[round]`` is clear. For the others see `play_games`.
    """
    rules = rules_[0]
    tables = tables_[0]
    work = works[0]
    rounds = rules.rounds
    for g in range(games):
        game = np.uint64(first + g)
        if user is not None:
            if work.fault[0] == 0:
                work.fault[3] = first + g
            else:  # what comes after a fault is not told
                break
        if g & 3 == 0:
            roll_dice(seed, game, rules, work)
        for s in range(seats):
            new_sheet(players[s], positions[s], seed, game, g & 3, rules, work, plan, user)
        for r in range(rounds):
            for s in range(seats):
                before[r * seats + s] = positions[s]
            play_round(
                r, work.dice[g & 3, r], seats, rules, tables, players, positions, work, reads_others, book, user, mind,
                limits,
            )  # fmt: skip
        row = g * (rounds + 1)
        end = winners(positions, seats, rules.final)
        counts[0, end] = 1
        surest[row + rounds] = conclude(counts[0], seats, 1, chance[row + rounds])
        key = playout_key(seed, game)
        for j in range(playouts):
            rng.fill_bounded(dice, rounds, key, np.uint64(j), rng.DICE, 0, 1296)
            for s in range(seats):
                if thinkers[s].draws:
                    rng.fill_uniform(thinkers[s].policy_draws, rounds, key, np.uint64(j), rng.POLICY, s)
            for r in range(rounds):
                for s in range(seats):
                    positions[s] = before[r * seats + s]
                for later in range(r, rounds):
                    play_round(
                        later, dice[later], seats, rules, tables, thinkers, positions, work, reads_others, book, user,
                        mind, limits,
                    )  # fmt: skip
                counts[r, winners(positions, seats, rules.final)] += 1
        for r in range(rounds):
            surest[row + r] = conclude(counts[r], seats, playouts, chance[row + r])


class WatchedPlayable(CaterpillarsPlayable, Watched):
    """As `CaterpillarsPlayable`, with the chances of every seat before every round."""

    playouts = PLAYOUTS

    def walk(self, seed: int, first: int, games: int) -> Walk:
        rounds, seats = self.rules.rounds, self.seats
        scratch: Any = self.scratch()
        before = np.zeros(rounds * seats, POSITION).view(np.recarray)
        chance, surest = np.zeros((games * (rounds + 1), seats)), np.zeros(games * (rounds + 1))
        watch_games(
            np.uint64(seed), first, games, seats, self.playouts, self._rules, self._tables, scratch.players,
            scratch.players.copy(), scratch.positions, before, scratch.work, self._reads_others, self._book, self._plan,
            self._user, scratch.mind, self.limits, np.zeros(12, np.int64), np.zeros((rounds, RESULTS), np.int64),
            chance, surest,
        )  # fmt: skip
        self.raise_fault(scratch.work[0].fault, seed)
        return Walk(
            rows=np.full(games, rounds + 1),
            turns=np.full(games, rounds),
            turn=np.tile(np.arange(1, rounds + 2), games),
            mover=np.full(games * (rounds + 1), -1),
            chance=chance,
            surest=surest,
        )
