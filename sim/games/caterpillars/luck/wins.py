"""Luck taken out of shares of wins: chances of winning from the values of all sheets, roll by roll.

Everybody plays with the same roll. So what a roll is worth to a seat depends on what everybody makes of it: V is the
chance that this seat has the highest end total, if end totals are normal around the values of the sheets after the
round, each with its own spread (what they have in common, through dice to come, is left out of it). In the last round
nothing is uncertain: the highest end total wins, then the larger sum of all boxes, then the win is shared. The mean is
over all rolls of the level.

Policies that always do the same with the same sheet and dice share what they win: they count as one.

Where a policy draws numbers, its draw is a chance event of its own, after the roll, seat by seat: V with the value of
the outcome that was drawn, less the mean over all that could have been, the draws of later seats being uncertain still.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim.engine.jit import jit
from sim.games.caterpillars.kernel import decide, new_sheet, report, roll_dice, show_others
from sim.games.caterpillars.luck.rounds import OWN, see_all_rolls, see_roll, times_of
from sim.games.caterpillars.luck.views import VALUE, VIEWS, begin, look, project
from sim.games.caterpillars.outcomes import NO_FACE, list_outcomes, unpack, write
from sim.games.caterpillars.position import CAPACITY

#: places where chances of three and more are summed up
NODES = 12
_RESULTS = 11
_WIN = 10


class Table(NamedTuple):
    """Memory for chances of winning, and what they are worked out with.

    Attributes
    ----------
    twin, copies : int64[seats]
        The first seat that always does the same, and for that one how many there are (0 for the others).
    shift, spread : float64[seats, 12]
        By seat and rounds left: what comes on top of the value until the end in the mean, and its variance.
    node, weight : float64[NODES]
        Gauss–Hermite's, for a normal number.
    values, spreads : float64[seats, 7, rolls]
        By face + 1 and roll: value, and variance over own draws.
    now, unsure : float64[seats]
        Values after this roll, and their variances over own draws.
    after : float64[seats]
        Values after what was done.
    drawn, chance : float64[seats, CAPACITY]
        Values of what a draw can give, and their probabilities.
    draws : int64[seats]
        How many.
    mean, sd, win, total : float64[seats]
        Working memory.
    results : int64[…, seats]
    """

    twin: np.ndarray
    copies: np.ndarray
    shift: np.ndarray
    spread: np.ndarray
    node: np.ndarray
    weight: np.ndarray
    values: np.ndarray
    spreads: np.ndarray
    now: np.ndarray
    unsure: np.ndarray
    after: np.ndarray
    drawn: np.ndarray
    chance: np.ndarray
    draws: np.ndarray
    mean: np.ndarray
    sd: np.ndarray
    win: np.ndarray
    total: np.ndarray
    results: np.ndarray


def make_table(twin: np.ndarray, shift: np.ndarray, spread: np.ndarray, rolls: int) -> Table:
    """A table with memory for one thread."""
    seats = len(twin)
    node, weight = np.polynomial.hermite_e.hermegauss(NODES)
    values, spreads = np.zeros((seats, 7, rolls)), np.zeros((seats, 7, rolls))
    now, unsure, after, mean, sd, win, total = np.zeros((7, seats))
    drawn, chance = np.zeros((seats, CAPACITY)), np.zeros((seats, CAPACITY))
    return Table(
        twin=twin,
        copies=np.bincount(twin, minlength=seats),
        shift=shift,
        spread=spread,
        node=node,
        weight=weight / weight.sum(),
        values=values,
        spreads=spreads,
        now=now,
        unsure=unsure,
        after=after,
        drawn=drawn,
        chance=chance,
        draws=np.zeros(seats, np.int64),
        mean=mean,
        sd=sd,
        win=win,
        total=total,
        results=np.zeros((_RESULTS, seats), np.int64),
    )


@jit
def above(difference, sd):
    """Chance that a normal number with this mean is positive; half where it is nothing for sure."""
    if sd <= 0.0:
        return 1.0 if difference > 1e-9 else 0.0 if difference < -1e-9 else 0.5
    return 0.5 * math.erfc(-difference / sd * math.sqrt(0.5))


@jit
def win_chances(mean, sd, twin, copies, node, weight, win):
    """Shares of a win by seat, into `win`, from mean and standard deviation of the end totals."""
    seats = twin.size
    different = 0
    for s in range(seats):
        different += 1 if copies[s] > 0 else 0
    total = 0.0
    for i in range(seats):
        win[i] = 0.0
        if copies[i] == 0:
            continue
        for k in range(node.size):
            if different == 2 or sd[i] <= 0.0:  # one place is enough
                if k > 0:
                    break
                here = mean[i]
                share = 1.0
            else:
                here = mean[i] + sd[i] * node[k]
                share = weight[k]
            for j in range(seats):
                if j != i and copies[j] > 0:
                    spread = math.sqrt(sd[i] * sd[i] + sd[j] * sd[j]) if different == 2 else sd[j]
                    share *= above(here - mean[j], spread)
            win[i] += share
        total += win[i]
    for i in range(seats):
        if copies[i] > 0:
            win[i] = win[i] / total / copies[i] if total > 0.0 else 1.0 / (different * copies[i])
    for i in range(seats):
        if copies[i] == 0:
            win[i] = win[twin[i]]


@jit
def chances_now(values, unsure, left, table):
    """Shares of a win by seat, into ``table.win``, from values of sheets with `left` rounds left."""
    for s in range(values.size):
        table.mean[s] = values[s] + table.shift[s, left]
        table.sd[s] = math.sqrt(table.spread[s, left] + unsure[s])
    win_chances(table.mean, table.sd, table.twin, table.copies, table.node, table.weight, table.win)


@jit
def mean_chances(positions, left, mind, table, value, unsure):
    """Shares of a win in the mean over all rolls, into ``table.total``; `value` and `unsure` are working memory."""
    seats = value.size
    faces = 6 if mind.rules[0].has_action else 1
    for s in range(seats):
        table.total[s] = 0.0
    for face in range(faces):
        for k in range(mind.rolls.size):
            for s in range(seats):
                row = 0
                if faces > 1 and times_of(face, positions[s], faces) > 0:
                    row = face + 1
                value[s] = table.values[s, row, k]
                unsure[s] = table.spreads[s, row, k]
            chances_now(value, unsure, left, table)
            for s in range(seats):
                table.total[s] += mind.chance[k] / faces * table.win[s]


@jit
def list_draws(position, s, roll, face, r, left, player, slip, rules, tables, work, mind, book, views, table):
    """What a policy that draws numbers can come to after a roll: values and probabilities, into the table."""
    packed = work.packed
    n = list_outcomes(packed, position, roll, face, rules, tables)
    for i in range(n):
        table.drawn[s, i] = views.kept[look(packed[i], position, s, left, mind, book, views), VALUE]
        table.chance[s, i] = slip / n
    if slip < 1.0:
        x = roll + 216 * max(face, 0)
        outcome = decide(player, position, x, roll, face, r, rules, tables, work, None, None, None, None)
        table.drawn[s, n] = views.kept[look(outcome, position, s, left, mind, book, views), VALUE]
        table.chance[s, n] = 1.0 - slip
        n += 1
    table.draws[s] = n


@jit
def add_luck_of_draws(left, table, luck):
    """Add the luck of what was drawn, seat by seat, to `luck`, float64[seats]."""
    for s in range(luck.size):
        if table.draws[s] == 0:
            continue
        table.unsure[s] = 0.0
        for i in range(table.draws[s]):
            table.now[s] = table.drawn[s, i]
            chances_now(table.now, table.unsure, left, table)
            for t in range(luck.size):
                luck[t] -= table.chance[s, i] * table.win[t]
        table.now[s] = table.after[s]
        chances_now(table.now, table.unsure, left, table)
        for t in range(luck.size):
            luck[t] += table.win[t]


@jit
def play_lucky_wins(
    seed, first, games, seats, rules_, tables_, players, thought, slips, positions, work_, reads_others, optimal, plan,
    user, mind, limits, how, own, book, views, table, seen, luck_of_game, out,
):  # fmt: skip
    """As `rounds.play_lucky`, for the share of a win.

    If `seen`, float64[games, rounds, seats], is not empty, values after what was done are told there, and no luck is
    taken out.
    """
    rules = rules_[0]
    tables = tables_[0]
    work = work_[0]
    mean = np.zeros(VIEWS + 1)
    here = np.zeros(VIEWS + 1)
    value = np.zeros(seats)
    unsure = np.zeros(seats)
    begun = np.zeros(seats)
    for g in range(games):
        game = np.uint64(first + g)
        if g & 3 == 0:
            roll_dice(seed, game, rules, work)
        for s in range(seats):
            new_sheet(players[s], positions[s], seed, game, g & 3, rules, work, plan, user)
            luck_of_game[s] = 0.0
        for r in range(rules.rounds):
            x = work.dice[g & 3, r]
            roll = x % 216
            face = x // 216 if rules.has_action else NO_FACE
            left = rules.rounds - r - 1
            known = r == 0 and g > 0 and rules.blanks == 0
            if reads_others:
                for s in range(seats):
                    show_others(positions, s, seats)
            if seen.size == 0:
                for s in range(seats if not known else 0):
                    begin(positions[s], left, own, book)
                    project(positions[s], s, left, views)
                    see_all_rolls(
                        how[s], positions[s], s, r, left, thought[s], slips[s], own, book, views, here, mean,
                        table.values[s], table.spreads[s],
                    )  # fmt: skip
                if known:
                    table.total[:] = begun
                else:
                    mean_chances(positions, left, own, table, value, unsure)
                if r == 0:
                    begun[:] = table.total
                for s in range(seats):
                    luck_of_game[s] -= table.total[s]
            for s in range(seats):
                position = positions[s]
                begin(position, left, own, book)
                project(position, s, left, views)
                effect = face if face >= 3 or face < 0 or position.bonus[face] != 0 else NO_FACE
                table.unsure[s] = see_roll(
                    how[s], position, s, roll, effect, r, left, thought[s], slips[s], own.rules[0], own.tables[0],
                    own.works[0], own, book, views, here,
                )  # fmt: skip
                table.now[s] = here[VALUE]
                table.draws[s] = 0
                if how[s] == OWN and slips[s] > 0.0:
                    list_draws(
                        position, s, roll, effect, r, left, thought[s], slips[s], own.rules[0], own.tables[0],
                        own.works[0], own, book, views, table,
                    )  # fmt: skip
                outcome = decide(
                    players[s], position, x, roll, face, r, rules, tables, work, optimal, user, mind, limits
                )
                table.after[s] = here[VALUE]
                if how[s] == OWN:
                    table.after[s] = views.kept[look(outcome, position, s, left, own, book, views), VALUE]
                bonus_box, bonus_value, box, score = unpack(outcome)
                write(position, bonus_box, bonus_value, box, score)
            if seen.size > 0:
                for s in range(seats):
                    seen[g, r, s] = table.after[s]
            else:
                chances_now(table.now, table.unsure, left, table)
                for s in range(seats):
                    luck_of_game[s] += table.win[s]
                add_luck_of_draws(left, table, luck_of_game)
        report(positions, seats, rules.final, table.results, 0)
        for s in range(seats):
            sharing = table.results[_WIN, s]
            out[0, g * seats + s] = 1.0 / sharing if sharing > 0 else 0.0
            out[1, g * seats + s] = out[0, g * seats + s] - luck_of_game[s]
            if seen.size > 0:  # what decides
                out[0, g * seats + s] = table.results[0, s] + table.results[8, s] / 1024.0
