"""Luck taken out of Caterpillars: games played with what every roll gave more, or less, than was to be expected.

With V(sheet) a value, a roll r on a sheet s is worth g(s, r): what V says of the sheet after the round. The luck of
the roll is g(s, r) − Σ p(r′) g(s, r′), a sum over *all* rolls of the level; its mean is 0 whatever V says, so the
outcome less its luck has the mean of the outcome. See `sim.stats.luck` for the estimator, ``docs/luck.md`` for what it
saves.

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
from sim.games.caterpillars.mind import BOXES, NEVER, SCORES
from sim.games.caterpillars.outcomes import NO_FACE, list_outcomes, unpack, write
from sim.games.caterpillars.policies import after
from sim.games.caterpillars.value import prepare, value_after

BEST = 0
OWN = 1


@jit
def begin(position, left, mind, book):
    """Make ready for values after a round, with `left` rounds left then."""
    if book is None:
        prepare(mind.net, mind.curve, position, left, mind.ahead)
        mind.clock[0] += 1


@jit
def worth(outcome, position, left, mind, book):
    """V after a packed outcome: exact where there is a book, else fitted, and kept for the round."""
    bonus_box, bonus_value, box, score = unpack(outcome)
    if book is not None:  # without a book this is not even compiled
        at, step = after(position, box, book)
        return book[0][at + step * score]
    key = box * SCORES + score
    if bonus_box >= 0:
        key += (12 * bonus_box + bonus_value) * (BOXES * SCORES)
    if mind.stamp[key] != mind.clock[0]:
        mind.stamp[key] = mind.clock[0]
        mind.kept[key] = value_after(
            mind.net, mind.curve, position, left, mind.ahead, mind.units, bonus_box, bonus_value, box, score
        )
    return mind.kept[key]


@jit
def best_worth(position, roll, face, left, rules, tables, work, mind, book):
    """The largest V after any outcome of a roll."""
    packed = work.packed
    n = list_outcomes(packed, position, roll, face, rules, tables)
    best = NEVER
    for i in range(n):
        if i + 1 < n and ((packed[i] ^ packed[i + 1]) & 0xFFFFFFFFFFFF) == 0:
            continue  # the same box and bonus with a larger score comes next
        best = max(best, worth(packed[i], position, left, mind, book))
    return best


@jit
def own_worth(position, roll, face, r, left, player, slip, rules, tables, work, mind, book):
    """Mean of V after the outcome that a policy takes, over the numbers that it draws.

    `player` itself never slips; `slip` says how often it does in truth.
    """
    total = 0.0
    if slip > 0.0:
        packed = work.packed
        n = list_outcomes(packed, position, roll, face, rules, tables)
        for i in range(n):
            total += worth(packed[i], position, left, mind, book)
        total *= slip / n
    if slip < 1.0:
        x = roll + 216 * max(face, 0)
        outcome = decide(player, position, x, roll, face, r, rules, tables, work, None, None, None, None)
        total += (1.0 - slip) * worth(outcome, position, left, mind, book)
    return total


@jit
def mean_worth(how, position, r, left, player, slip, mind, book):
    """What a roll is worth, g(s, r), in the mean over all rolls of the level."""
    rules = mind.rules[0]
    tables = mind.tables[0]
    work = mind.works[0]
    faces = 6 if rules.has_action else 1
    total = 0.0
    for face in range(-1, faces if faces > 1 else 0):
        times = 1
        if faces > 1 and face < 0:  # letters of empty bonus boxes do nothing
            times = 0
            for c in range(3):
                times += 1 if position.bonus[c] == 0 else 0
        elif 0 <= face < 3 and position.bonus[face] == 0:
            times = 0
        if times == 0:
            continue
        mean = 0.0
        for k in range(mind.rolls.size):
            roll = mind.rolls[k]
            if how == OWN:
                here = own_worth(position, roll, face, r, left, player, slip, rules, tables, work, mind, book)
            else:
                here = best_worth(position, roll, face, left, rules, tables, work, mind, book)
            mean += mind.chance[k] * here
        total += times * mean
    return total / faces


@jit
def play_lucky(
    seed, first, games, seats, rules_, tables_, players, thought, slips, positions, work_, reads_others, optimal, plan,
    user, mind, limits, how, own, book, place, table, out,
):  # fmt: skip
    """Play games as `kernel.play_games` does, and take their luck out: outcome and adjusted outcome into `out`.

    `thought` are the players as they are asked about other rolls, without their `slips`; `how` says by seat how a round
    is looked at, `own` is the mind that values are worked out with (`mind` that of the policies), `book` None or exact
    values. The luck of the set-up is ``table[seat, …]``, by the places of its rolls, ``place[x]``.
    """
    rules = rules_[0]
    tables = tables_[0]
    work = work_[0]
    base = place.max() + 1
    begun = np.zeros(seats)  # once per call: on a sheet without blanks the first mean is always the same
    for g in range(games):
        game = np.uint64(first + g)
        if g & 3 == 0:
            roll_dice(seed, game, rules, work)
        at = 0
        for j in range(rules.setup_rolls if table.shape[1] > 1 else 0):
            at = base * at + place[work.setup[g & 3, j] % 216]
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
                if r == 0 and g > 0 and rules.blanks == 0:
                    mean = begun[s]
                else:
                    mean = mean_worth(how[s], position, r, left, thought[s], slips[s], own, book)
                    if r == 0:
                        begun[s] = mean
                best = 0.0
                if how[s] == BEST:
                    best = best_worth(position, roll, face, left, rules, tables, own.works[0], own, book)
                outcome = decide(
                    players[s], position, x, roll, face, r, rules, tables, work, optimal, user, mind, limits
                )
                if how[s] == OWN:
                    best = worth(outcome, position, left, own, book)
                out[1, g * seats + s] += best - mean
                bonus_box, bonus_value, box, score = unpack(outcome)
                write(position, bonus_box, bonus_value, box, score)
        for s in range(seats):
            position = positions[s]
            _, end = flying(position.totals, position.bonus, rules.final)
            out[0, g * seats + s] = end
            out[1, g * seats + s] = end - out[1, g * seats + s]
