"""The Caterpillars kernel: plays a range of games for any number of seats, without allocating.

There is no interaction between players but the comparison at the end, so every seat plays its own sheet on the same
dice. Rounds are the outer
loop, so that a policy may look at the others' sheets as of the last round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim.engine import rng
from sim.engine.jit import jit
from sim.games.base import Field, Playable, Policy
from sim.games.caterpillars.odds import odds
from sim.games.caterpillars.outcomes import NO_FACE, close_box, list_outcomes, open_sheet, rules_record, tables
from sim.games.caterpillars.placement import place, single
from sim.games.caterpillars.policies import POLICIES, READS_OTHERS, choose
from sim.games.caterpillars.position import OTHERS, POSITION, SEAT, WORK
from sim.games.caterpillars.rules import FINALS, CaterpillarsRules

#: raised when results change for equal arguments
KERNEL_VERSION = 1

_MEDIAN = 0
_LOWEST = 1
_TOTAL = 3


def result_fields(rules: CaterpillarsRules, seats: int) -> tuple[Field, ...]:
    """Result fields with their bounds under the rules."""
    total = rules.boxes * rules.max_entry
    letters = "abc"
    return (
        Field(
            "score",
            "int16",
            "points",
            "end total: what the flying caterpillar is worth with its bonus box",
            0,
            rules.max_score,
        ),
        *(
            Field(f"total_{x}", "int16", "points", f"sum of the boxes of caterpillar {x.upper()}", 0, total)
            for x in letters
        ),
        *(
            Field(f"bonus_{x}", "int8", "points", f"value in bonus box {x.upper()}, 0 if empty", 0, rules.max_bonus)
            for x in letters
        ),
        Field(
            "flying", "int8", "index", "caterpillar that counts: 0 Alex, 1 Bobby, 2 Charlie; −1 when all count", -1, 2
        ),
        Field("box_sum", "int16", "points", "sum of all boxes without bonus: the tie-break", 0, 3 * total),
        Field("zeros", "int8", "rounds", "rounds in which a zero was written", 0, rules.rounds),
        Field(
            "win",
            "float64",
            "share of a win",
            "1 for a win, 1/k for a win shared by k seats, 0 else",
            0,
            seats,
            "share",
        ),
    )


@jit
def flying(totals, bonus, final):
    """Caterpillar that counts and the end total: ties go to the better bonus, then to the lowest index."""
    if final == _TOTAL:
        end = 0
        for c in range(3):
            end += totals[c] + int(bonus[c])
        return -1, end
    low = min(totals[0], totals[1], totals[2])
    high = max(totals[0], totals[1], totals[2])
    if final == _MEDIAN:
        target = totals[0] + totals[1] + totals[2] - low - high
    elif final == _LOWEST:
        target = low
    else:
        target = high
    best = -1
    for c in range(3):
        if totals[c] == target and (best < 0 or bonus[c] > bonus[best]):
            best = c
    return best, target + int(bonus[best])


@jit
def write_label(position, blanks, n, index, value):
    """Write a label on blank `index` and take it off the list; returns how many blanks are left."""
    position.labels[blanks[index]] = value
    for i in range(index, n - 1):
        blanks[i] = blanks[i + 1]
    return n - 1


@jit
def set_up(position, rules, work, how, draws):
    """Write this seat's labels: the printed ones, then roll by roll."""
    blanks = work.blanks
    n = 0
    for b in range(rules.rounds):
        position.labels[b] = rules.printed[b]
        if rules.printed[b] == 0:
            blanks[n] = b
            n += 1
    for j in range(rules.setup_rolls):
        x = work.setup[j]
        d0 = x % 6 + 1
        d1 = x // 6 % 6 + 1
        d2 = x // 36 % 6 + 1
        position.dice[0] = d0
        position.dice[1] = d1
        position.dice[2] = d2
        if rules.variation:
            one = single(position, how, draws[3 * j])
            alone = position.dice[one]
            pair = d0 + d1 + d2 - alone
            position.pending[0] = alone
            position.pending[1] = pair
            position.pending[2] = 0
            n = write_label(position, blanks, n, place(position, alone, blanks, n, how, draws[3 * j + 1]), alone)
            position.pending[0] = 0
            n = write_label(position, blanks, n, place(position, pair, blanks, n, how, draws[3 * j + 2]), pair)
            position.pending[1] = 0
        else:
            position.pending[0] = d0
            position.pending[1] = d1
            position.pending[2] = d2
            for i in range(3):
                value = position.dice[i]
                n = write_label(position, blanks, n, place(position, value, blanks, n, how, draws[3 * j + i]), value)
                position.pending[i] = 0


@jit
def show_others(positions, seat, seats):
    """Copy the next seats' sheets into what `seat` sees."""
    me = positions[seat]
    shown = min(seats - 1, OTHERS)
    me.others = shown
    for k in range(shown):
        other = positions[(seat + 1 + k) % seats]
        for c in range(3):
            me.other_totals[k, c] = other.totals[c]
            me.other_empty[k, c] = other.empty[c]
            me.other_bonus[k, c] = other.bonus[c]


@jit
def new_sheet(seat, position, seed, game, rules, work):
    """Clear a sheet and play this seat's set-up."""
    s = position.seat
    how = int(seat.params[0])
    if how == 0 and rules.setup_rolls > 0:
        rng.fill_uniform(seat.placement_draws, 3 * rules.setup_rolls, seed, game, rng.PLACEMENT, s)
    if seat.draws:
        rng.fill_uniform(seat.policy_draws, rules.rounds, seed, game, rng.POLICY, s)
    set_up(position, rules, work, how, seat.placement_draws)
    open_sheet(position, rules.rounds)
    for b in range(rules.rounds):
        position.scores[b] = -1
    for c in range(3):
        position.totals[c] = 0
        position.bonus[c] = 0
        position.empty[c] = position.boxes


@jit
def write(position, bonus_box, bonus_value, box, score):
    """Write one outcome on the sheet."""
    if bonus_box >= 0:
        position.bonus[bonus_box] = bonus_value
    c = box // position.boxes
    position.scores[box] = score
    position.totals[c] += score
    position.empty[c] -= 1
    close_box(position, box)


@jit
def report(positions, seats, final, out, first_row):
    """Final scores, and who wins: the highest end total, then the larger sum of all boxes, then shared."""
    best_end = -1
    best_sum = -1
    sharing = 0
    for s in range(seats):
        position = positions[s]
        row = first_row + s
        fly, end = flying(position.totals, position.bonus, final)
        total = position.totals[0] + position.totals[1] + position.totals[2]
        zeros = 0
        for b in range(position.rounds):
            if position.scores[b] == 0:
                zeros += 1
        out[0, row] = end
        for c in range(3):
            out[1 + c, row] = position.totals[c]
            out[4 + c, row] = position.bonus[c]
        out[7, row] = fly
        out[8, row] = total
        out[9, row] = zeros
        if end > best_end or (end == best_end and total > best_sum):
            best_end = end
            best_sum = total
            sharing = 1
        elif end == best_end and total == best_sum:
            sharing += 1
    for s in range(seats):
        row = first_row + s
        won = out[0, row] == best_end and out[8, row] == best_sum
        out[10, row] = sharing if won else 0


@jit
def play_games(
    seed, first, games, seats, rules_, tables_, players, positions, work_, reads_others, out, record, recorded
):
    """Play games `first` … `first + games − 1` into `out`; with `record`, keep the moves of the last one in `recorded`.

    `rules_`, `tables_` and `work_` are arrays of one record, `players` and `positions` have one per seat; `recorded` is
    int64[rounds × seats, 4] (outcomes, round by round). Labels stay in `positions`, dice in `work_`.
    """
    rules = rules_[0]
    tables = tables_[0]
    work = work_[0]
    for g in range(games):
        game = np.uint64(first + g)
        rng.fill_bounded(work.dice, rules.rounds, seed, game, rng.DICE, 0, 1296)
        if rules.setup_rolls > 0:
            rng.fill_bounded(work.setup, rules.setup_rolls, seed, game, rng.SETUP, 0, 1296)
        for s in range(seats):
            new_sheet(players[s], positions[s], seed, game, rules, work)
        for r in range(rules.rounds):
            x = work.dice[r]
            roll = x % 216
            face = x // 216 if rules.has_action else NO_FACE
            if reads_others:
                for s in range(seats):
                    show_others(positions, s, seats)
            for s in range(seats):
                position = positions[s]
                player = players[s]
                position.round_index = r
                position.dice[0] = x % 6 + 1
                position.dice[1] = x // 6 % 6 + 1
                position.dice[2] = x // 36 % 6 + 1 if rules.level > 0 else 0
                position.face = face
                options = work.options
                n = list_outcomes(work.packed, position, roll, face, rules, tables)
                i = choose(player.policy, position, options, n, player.params, player.policy_draws[r])
                write(position, int(options[i, 0]), options[i, 1], int(options[i, 2]), int(options[i, 3]))
                if record:
                    for k in range(4):
                        recorded[r * seats + s, k] = options[i, k]
        report(positions, seats, rules.final, out, g * seats)


class _Scratch:
    """Working memory of one thread."""

    def __init__(self, rules: CaterpillarsRules, policies: Sequence[Policy]) -> None:
        seats = len(policies)
        chance, best = odds(rules)
        self.positions = np.zeros(seats, POSITION).view(np.recarray)
        self.players = np.zeros(seats, SEAT).view(np.recarray)
        for s, policy in enumerate(policies):
            position, player = self.positions[s], self.players[s]
            position.rounds = rules.rounds
            position.boxes = rules.boxes
            position.level = rules.level_index
            position.final = FINALS.index(rules.final)
            position.seat = s
            position.seats = seats
            position.chance[:] = chance
            position.best[:] = best
            position.typical = best[1:7].mean()
            player.policy = policy.info.number
            player.draws = policy.info.draws
            player.params[: POLICIES.width] = policy.vector(POLICIES.width)
        self.work = np.zeros(1, WORK).view(np.recarray)
        self.recorded = np.zeros((rules.rounds * seats, 4), np.int64)


class CaterpillarsPlayable(Playable):
    """Caterpillars with rules and policies fixed."""

    def __init__(self, rules: CaterpillarsRules, policies: Sequence[Policy]) -> None:
        self.rules = rules
        self.policies = tuple(policies)
        self.seats = len(policies)
        self.fields = result_fields(rules, self.seats)
        self._tables = tables(rules)
        self._rules = rules_record(rules)
        self._reads_others = any(p.info.number in READS_OTHERS for p in policies) and self.seats > 1

    def scratch(self) -> _Scratch:
        return _Scratch(self.rules, self.policies)

    def play(self, seed: int, first: int, games: int, out: np.ndarray, scratch: Any, record: bool = False) -> None:
        play_games(
            np.uint64(seed),
            first,
            games,
            self.seats,
            self._rules,
            self._tables,
            scratch.players,
            scratch.positions,
            scratch.work,
            self._reads_others,
            out,
            record,
            scratch.recorded,
        )
