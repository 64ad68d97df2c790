"""Luck taken out of Caterpillars: games played with what every roll gave more, or less, than was to be expected.

With V(sheet) a value, a roll r on a sheet s is worth g(s, r): what V says of the sheet after the round. The luck of
the roll is g(s, r) − Σ p(r′) g(s, r′), a sum over *all* rolls of the level; its mean is 0 whatever V says, so the
outcome less its luck has the mean of the outcome. See `sim.stats.luck` for the estimator, ``docs/luck.md`` for what it
saves, `views` for what values are put together from.

Two ways of looking at a round:

- `OWN`: V after the very outcome that the policy takes, which is asked what it would do with every roll; where it
  draws numbers (`random`, slips), the mean is over them as well, so their luck is taken out too;
- `BEST`: V after the outcome that V likes best, for policies that think long, and for restricted play: they are not
  asked again.

The set-up has luck as well: a table over its rolls (not over what players do with them) says what a sheet is worth,
less its mean.
"""

from __future__ import annotations

import numpy as np

from sim.engine.jit import jit
from sim.games.caterpillars.kernel import decide, flying, new_sheet, roll_dice, show_others
from sim.games.caterpillars.luck.views import VALUE, VIEWS, begin, best_outcome, look, project
from sim.games.caterpillars.outcomes import NO_FACE, list_outcomes, unpack, write

BEST = 0
OWN = 1


@jit
def add_seen(times, key, views, out):
    """Add so many times what is seen of an outcome to `out`; returns the same of the square of its value."""
    seen = views.kept[key]
    for v in range(VIEWS + 1):
        out[v] += times * seen[v]
    return times * seen[VALUE] * seen[VALUE]


@jit
def see_roll(how, position, s, roll, face, r, left, player, slip, rules, tables, work, mind, book, views, out):
    """What is seen after a roll, float64[VIEWS + 1], into `out`; returns the variance of the value over own draws.

    For `OWN` the mean over the numbers that the policy draws: `player` itself never slips, `slip` says how often it
    does in truth.
    """
    for v in range(VIEWS + 1):
        out[v] = 0.0
    if how == BEST:
        best = best_outcome(position, roll, face, left, rules, tables, work, mind, book)
        add_seen(1.0, look(best, position, s, left, mind, book, views), views, out)
        return 0.0
    square = 0.0
    if slip > 0.0:
        packed = work.packed
        n = list_outcomes(packed, position, roll, face, rules, tables)
        for i in range(n):
            square += add_seen(slip / n, look(packed[i], position, s, left, mind, book, views), views, out)
    if slip < 1.0:
        x = roll + 216 * max(face, 0)
        outcome = decide(player, position, x, roll, face, r, rules, tables, work, None, None, None, None)
        square += add_seen(1.0 - slip, look(outcome, position, s, left, mind, book, views), views, out)
    return max(square - out[VALUE] * out[VALUE], 0.0)


@jit
def times_of(face, position, faces):
    """How many of the faces are as good as this one; −1 stands for letters of empty bonus boxes, which do nothing."""
    if faces == 1:
        return 1 if face < 0 else 0
    if face >= 0:
        return 1 if face >= 3 or position.bonus[face] != 0 else 0
    times = 0
    for c in range(3):
        times += 1 if position.bonus[c] == 0 else 0
    return times


@jit
def see_all_rolls(how, position, s, r, left, player, slip, mind, book, views, here, mean, values, spreads):
    """What is seen after a roll in the mean over all rolls of the level, into `mean`.

    Values by face + 1 and roll, and their variances over own draws, into `values` and `spreads` unless these are empty.
    """
    rules = mind.rules[0]
    tables = mind.tables[0]
    work = mind.works[0]
    faces = 6 if rules.has_action else 1
    for v in range(VIEWS + 1):
        mean[v] = 0.0
    for face in range(-1, faces if faces > 1 else 0):
        times = times_of(face, position, faces)
        if times == 0:
            continue
        for k in range(mind.rolls.size):
            roll = mind.rolls[k]
            spread = see_roll(
                how, position, s, roll, face, r, left, player, slip, rules, tables, work, mind, book, views, here
            )
            for v in range(VIEWS + 1):
                mean[v] += times / faces * mind.chance[k] * here[v]
            if values.size > 0:
                values[face + 1, k] = here[VALUE]
                spreads[face + 1, k] = spread


@jit
def watch_boxes(seed, first, games, rules_, tables_, players, positions, work_, plan, told):
    """Count boxes that are empty by rounds left and label: how many, their points in the end, and squares of these."""
    rules = rules_[0]
    tables = tables_[0]
    work = work_[0]
    position = positions[0]
    since = np.zeros(12, np.int64)
    for g in range(games):
        game = np.uint64(first + g)
        if g & 3 == 0:
            roll_dice(seed, game, rules, work)
        new_sheet(players[0], position, seed, game, g & 3, rules, work, plan, None)
        for r in range(rules.rounds):
            x = work.dice[g & 3, r]
            face = x // 216 if rules.has_action else NO_FACE
            outcome = decide(players[0], position, x, x % 216, face, r, rules, tables, work, None, None, None, None)
            bonus_box, bonus_value, box, score = unpack(outcome)
            write(position, bonus_box, bonus_value, box, score)
            since[box] = rules.rounds - r
        for b in range(rules.rounds):
            label = int(position.labels[b])
            points = float(position.scores[b])
            for left in range(since[b], rules.rounds + 1):
                told[0, left, label] += 1.0
                told[1, left, label] += points
                told[2, left, label] += points * points


@jit
def setup_place(rules, work, g, place, base):
    """Where the set-up rolls of a game stand in the table of their luck."""
    at = 0
    for j in range(rules.setup_rolls):
        at = base * at + place[work.setup[g, j] % 216]
    return at


@jit
def play_lucky(
    seed, first, games, seats, rules_, tables_, players, thought, slips, positions, work_, reads_others, optimal, plan,
    user, mind, limits, how, own, book, place, table, views, told, out,
):  # fmt: skip
    """Play games as `kernel.play_games` does, and take their luck out: outcome and adjusted outcome into `out`.

    `thought` are the players as they are asked about other rolls, without their `slips`; `how` says by seat how a round
    is looked at, `own` is the mind that values are worked out with (`mind` that of the policies), `book` None or exact
    values. The luck of the set-up is ``table[seat, …]``, by the places of its rolls, ``place[x]``. The luck of every
    view, float64[games × seats, rounds, VIEWS], into `told` unless that is empty.
    """
    rules = rules_[0]
    tables = tables_[0]
    work = work_[0]
    base = place.max() + 1
    begun = np.zeros((seats, VIEWS + 1))  # once per call: without blanks the first mean is always the same
    mean = np.zeros(VIEWS + 1)
    here = np.zeros(VIEWS + 1)
    nothing = np.zeros((0, 0))
    for g in range(games):
        game = np.uint64(first + g)
        if g & 3 == 0:
            roll_dice(seed, game, rules, work)
        at = setup_place(rules, work, g & 3, place, base) if table.shape[1] > 1 else 0
        for s in range(seats):
            new_sheet(players[s], positions[s], seed, game, g & 3, rules, work, plan, user)
            out[1, g * seats + s] = table[s, at]
        for r in range(rules.rounds):
            x = work.dice[g & 3, r]
            roll = x % 216
            face = x // 216 if rules.has_action else NO_FACE
            left = rules.rounds - r - 1
            if reads_others:
                for s in range(seats):
                    show_others(positions, s, seats)
            for s in range(seats):
                position = positions[s]
                begin(position, left, own, book)
                project(position, s, left, views)
                if r == 0 and g > 0 and rules.blanks == 0:
                    mean[:] = begun[s]
                else:
                    see_all_rolls(
                        how[s], position, s, r, left, thought[s], slips[s], own, book, views, here, mean, nothing,
                        nothing,
                    )  # fmt: skip
                    if r == 0:
                        begun[s] = mean
                key = np.int64(-1)
                if how[s] == BEST:
                    best = best_outcome(position, roll, face, left, rules, tables, own.works[0], own, book)
                    key = look(best, position, s, left, own, book, views)
                outcome = decide(
                    players[s], position, x, roll, face, r, rules, tables, work, optimal, user, mind, limits
                )
                if how[s] == OWN:
                    key = look(outcome, position, s, left, own, book, views)
                seen = views.kept[key]
                out[1, g * seats + s] += seen[VALUE] - mean[VALUE]
                if told.size > 0:
                    for v in range(VIEWS):
                        told[g * seats + s, r, v] = seen[v] - mean[v]
                bonus_box, bonus_value, box, score = unpack(outcome)
                write(position, bonus_box, bonus_value, box, score)
        for s in range(seats):
            position = positions[s]
            _, end = flying(position.totals, position.bonus, rules.final)
            out[0, g * seats + s] = end
            out[1, g * seats + s] = end - out[1, g * seats + s]
