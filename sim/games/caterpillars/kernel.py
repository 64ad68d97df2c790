"""The Caterpillars kernel: plays a range of games for any number of seats, without allocating.

There is no interaction between players but the comparison at the end, so every seat plays its own sheet on the same dice. Rounds are the outer
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
from sim.games.caterpillars.outcomes import NO_FACE, list_outcomes, tables
from sim.games.caterpillars.placement import place, single
from sim.games.caterpillars.policies import POLICIES, choose
from sim.games.caterpillars.position import OTHERS, POSITION
from sim.games.caterpillars.rules import FINALS, ZERO_RULES, CaterpillarsRules

#: raised when results change for equal arguments
KERNEL_VERSION = 1

_MEDIAN = 0
_LOWEST = 1
_HIGHEST = 2
_TOTAL = 3

FIELDS = ("score", "total_a", "total_b", "total_c", "bonus_a", "bonus_b", "bonus_c", "flying", "box_sum", "zeros", "win")


def result_fields(rules: CaterpillarsRules, seats: int) -> tuple[Field, ...]:
    """Result fields with their bounds under the rules."""
    total = rules.boxes * rules.max_entry
    letters = "abc"
    return (
        Field("score", "int16", "points", "end total: what the flying caterpillar is worth with its bonus box", 0, rules.max_score),
        *(Field(f"total_{x}", "int16", "points", f"sum of the boxes of caterpillar {x.upper()}", 0, total) for x in letters),
        *(Field(f"bonus_{x}", "int8", "points", f"value in bonus box {x.upper()}, 0 if empty", 0, rules.max_bonus) for x in letters),
        Field("flying", "int8", "index", "caterpillar that counts: 0 Alex, 1 Bobby, 2 Charlie; −1 when all count", -1, 2),
        Field("box_sum", "int16", "points", "sum of all boxes without bonus: the tie-break", 0, 3 * total),
        Field("zeros", "int8", "rounds", "rounds in which a zero was written", 0, rules.rounds),
        Field("win", "float64", "share of a win", "1 for a win, 1/k for a win shared by k seats, 0 else", 0, seats, "share"),
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
def set_up(position, printed, size, variation, rolls, n_rolls, how, draws, blanks):
    """Write this seat's labels: the printed ones, then roll by roll."""
    n = 0
    for b in range(size):
        position.labels[b] = printed[b]
        if printed[b] == 0:
            blanks[n] = b
            n += 1
    for j in range(n_rolls):
        x = rolls[j]
        d0 = x % 6 + 1
        d1 = x // 6 % 6 + 1
        d2 = x // 36 % 6 + 1
        position.dice[0] = d0
        position.dice[1] = d1
        position.dice[2] = d2
        if variation:
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
def play_games(
    seed,
    first,
    games,
    seats,
    rounds,
    level,
    final,
    zero_rule,
    ban_any,
    variation,
    setup_rolls,
    printed,
    policies,
    params,
    draws_needed,
    reads_others,
    multiset,
    base,
    span,
    value,
    sums,
    offset,
    scores,
    positions,
    boxes,
    counts,
    options,
    rolls,
    blanks,
    placement_draws,
    policy_draws,
    out,
    record,
    recorded,
):
    """Play games `first` … `first + games − 1` into `out`; with `record`, keep the moves of the last one in `recorded`.

    `recorded` is int64[rounds × seats, 4] (outcomes, round by round). Labels stay in `positions`, dice in `rolls`.
    """
    size = rounds
    has_bonus = level >= 2
    has_action = level == 3
    for g in range(games):
        game = np.uint64(first + g)
        rng.fill_bounded(rolls[0], rounds, seed, game, rng.DICE, 0, 1296)
        if setup_rolls > 0:
            rng.fill_bounded(rolls[1], setup_rolls, seed, game, rng.SETUP, 0, 1296)
        for s in range(seats):
            position = positions[s]
            how = int(params[s, 0])
            if how == 0 and setup_rolls > 0:
                rng.fill_uniform(placement_draws, 3 * setup_rolls, seed, game, rng.PLACEMENT, s)
            set_up(position, printed, size, variation, rolls[1], setup_rolls, how, placement_draws, blanks)
            if draws_needed[s]:
                rng.fill_uniform(policy_draws[s], rounds, seed, game, rng.POLICY, s)
            for b in range(size):
                position.scores[b] = -1
                boxes[s, b] = b
            counts[s] = size
            for c in range(3):
                position.totals[c] = 0
                position.bonus[c] = 0
                position.empty[c] = position.boxes
        for r in range(rounds):
            x = rolls[0, r]
            roll = x % 216
            face = x // 216 if has_action else NO_FACE
            if reads_others:
                for s in range(seats):
                    show_others(positions, s, seats)
            for s in range(seats):
                position = positions[s]
                position.round = r
                position.dice[0] = x % 6 + 1
                position.dice[1] = x // 6 % 6 + 1
                position.dice[2] = x // 36 % 6 + 1 if level > 0 else 0
                position.face = face
                n = list_outcomes(
                    options, position.labels, boxes[s], counts[s], position.bonus, roll, face, zero_rule, ban_any, has_bonus,
                    multiset, base, span, value, sums, offset, scores,
                )  # fmt: skip
                i = choose(policies[s], position, options, n, params[s], policy_draws[s, r])
                box = int(options[i, 2])
                score = int(options[i, 3])
                c = box // position.boxes
                if options[i, 0] >= 0:
                    position.bonus[options[i, 0]] = options[i, 1]
                position.scores[box] = score
                position.totals[c] += score
                position.empty[c] -= 1
                at = 0
                while boxes[s, at] != box:
                    at += 1
                for b in range(at, counts[s] - 1):
                    boxes[s, b] = boxes[s, b + 1]
                counts[s] -= 1
                if record:
                    for k in range(4):
                        recorded[r * seats + s, k] = options[i, k]
        best_end = -1
        best_sum = -1
        sharing = 0
        for s in range(seats):
            position = positions[s]
            row = g * seats + s
            fly, end = flying(position.totals, position.bonus, final)
            total = position.totals[0] + position.totals[1] + position.totals[2]
            zeros = 0
            for b in range(size):
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
            row = g * seats + s
            won = out[0, row] == best_end and out[8, row] == best_sum
            out[10, row] = sharing if won else 0


class _Scratch:
    """Working memory of one thread."""

    def __init__(self, rules: CaterpillarsRules, seats: int, capacity: int) -> None:
        self.positions = np.zeros(seats, POSITION).view(np.recarray)
        chance, best = odds(rules)
        for s in range(seats):
            position = self.positions[s]
            position.rounds = rules.rounds
            position.boxes = rules.boxes
            position.level = rules.level_index
            position.final = FINALS.index(rules.final)
            position.seat = s
            position.seats = seats
            position.chance[:] = chance
            position.best[:] = best
        self.boxes = np.zeros((seats, 12), np.int16)
        self.counts = np.zeros(seats, np.int64)
        self.options = np.zeros((capacity, 4), np.int16)
        self.rolls = np.zeros((2, 20), np.int64)
        self.blanks = np.zeros(12, np.int16)
        self.placement_draws = np.zeros(24)
        self.policy_draws = np.zeros((seats, 12))
        self.recorded = np.zeros((rules.rounds * seats, 4), np.int64)


class CaterpillarsPlayable(Playable):
    """Caterpillars with rules and policies fixed."""

    def __init__(self, rules: CaterpillarsRules, policies: Sequence[Policy]) -> None:
        self.rules = rules
        self.seats = len(policies)
        self.fields = result_fields(rules, self.seats)
        self._tables = tables(rules)
        self._printed = np.zeros(12, np.int16)
        self._printed[: len(rules.printed)] = rules.printed
        self._policies = np.array([p.info.number for p in policies], np.int64)
        self._params = np.array([p.vector(POLICIES.width) for p in policies])
        self._draws = np.array([p.info.draws for p in policies], np.bool_)

    def scratch(self) -> _Scratch:
        return _Scratch(self.rules, self.seats, self._tables.capacity)

    def play(self, seed: int, first: int, games: int, out: np.ndarray, scratch: Any, record: bool = False) -> None:
        r, t, w = self.rules, self._tables, scratch
        play_games(
            np.uint64(seed),
            first,
            games,
            self.seats,
            r.rounds,
            r.level_index,
            FINALS.index(r.final),
            ZERO_RULES.index(r.zero_rule),
            r.bonus_ban == "any",
            r.setup == "variation",
            r.setup_rolls,
            self._printed,
            self._policies,
            self._params,
            self._draws,
            False,
            t.multiset,
            t.base,
            t.bonus,
            t.value,
            t.sums,
            t.offset,
            t.scores,
            w.positions,
            w.boxes,
            w.counts,
            w.options,
            w.rolls,
            w.blanks,
            w.placement_draws,
            w.policy_draws,
            out,
            record,
            w.recorded,
        )
