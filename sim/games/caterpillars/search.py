"""Policies that judge positions by the fitted value, or play on in thought: `learned`, `lookahead`, `rollout`, `rival`.

They need more than a position: a `Mind`, see there.
"""

from __future__ import annotations

import numpy as np

from sim.engine import rng
from sim.engine.jit import jit
from sim.games.base import SLIP
from sim.games.caterpillars.mind import BOXES, NEVER, SCORES, best_of, choose_learned, judge
from sim.games.caterpillars.outcomes import list_outcomes, unpack, write
from sim.games.caterpillars.policies import GREEDY, LEARNED, LOOKAHEAD, PLANNER, RIVAL, ROLLOUT, WEIGHTED, choose
from sim.games.caterpillars.rival import choose_rival
from sim.games.caterpillars.value import TIE, end_total, prepare, value_after

#: policies that think; `think_deeply` chooses for them
THINKERS = (LEARNED, LOOKAHEAD, ROLLOUT, RIVAL)


@jit
def mean_of_face(position, left, face, mind):
    """Mean over the regular dice of the best value after the next roll, for one face (−1: none, or one that does
    nothing).
    """
    packed = mind.works[0].packed
    now = mind.clock[0]
    total = 0.0
    for r in range(mind.rolls.size):
        n = list_outcomes(packed, position, mind.rolls[r], face, mind.rules[0], mind.tables[0])
        best = NEVER
        for i in range(n):
            outcome = packed[i]
            if i + 1 < n and ((outcome ^ packed[i + 1]) & 0xFFFFFFFFFFFF) == 0:
                continue  # the same box and bonus with a larger score comes next
            bonus_box, bonus_value, box, score = unpack(outcome)
            at = box * SCORES + score
            if bonus_box >= 0:
                at += (12 * bonus_box + bonus_value) * (BOXES * SCORES)
            if mind.stamp[at] != now:  # many rolls lead to the same outcomes
                mind.stamp[at] = now
                mind.kept[at] = value_after(
                    mind.net, mind.curve, position, left, mind.ahead, mind.units, bonus_box, bonus_value, box, score
                )
            best = max(best, mind.kept[at])
        total += mind.chance[r] * best
    return total


@jit
def mean_of_next(position, left, mind):
    """Mean over the next roll, exactly, of the best value after it; `left` rounds are left before that roll."""
    rules = mind.rules[0]
    prepare(mind.net, mind.curve, position, left - 1, mind.ahead)
    mind.clock[0] += 1
    if not rules.has_action:
        return mean_of_face(position, left - 1, -1, mind)
    total = 0.0
    idle = 0
    for face in range(6):
        if face < 3 and position.bonus[face] == 0:
            idle += 1  # letters of empty boxes do nothing
        else:
            total += mean_of_face(position, left - 1, face, mind)
    if idle > 0:
        total += idle * mean_of_face(position, left - 1, -1, mind)
    return total / 6


@jit
def next_candidate(worth, n):
    """The best option not yet taken, which is then marked as taken; −1 if there is none."""
    choice = best_of(worth, n)
    if worth[choice] <= NEVER:
        return -1
    worth[choice] = NEVER
    return choice


@jit
def choose_lookahead(position, options, n, params, mind):
    """The option with the largest mean of the best value after the next roll, among the `width` that look best."""
    left = position.rounds - position.round_index - 1
    judge(position, options, n, mind)
    if left == 0:
        return best_of(mind.worth, n)
    choice = 0
    most = NEVER
    for _ in range(int(params[1])):
        i = next_candidate(mind.worth, n)
        if i < 0:
            break
        mind.positions[0] = position
        thought = mind.positions[0]
        write(thought, int(options[i, 0]), int(options[i, 1]), int(options[i, 2]), int(options[i, 3]))
        mean = mean_of_next(thought, left, mind)
        if mean > most + TIE or (mean > most - TIE and i < choice):
            most = max(most, mean)
            choice = i
    return choice


@jit
def play_on(position, base, dice, mind):
    """End total when a sheet is played on by a policy with known rolls."""
    rules = mind.rules[0]
    work = mind.works[0]
    for r in range(position.round_index + 1, position.rounds):
        x = dice[r]
        face = x // 216 if rules.has_action else -1
        position.round_index = r
        position.face = face
        n = list_outcomes(work.packed, position, x % 216, face, rules, mind.tables[0])
        if n == 1:
            i = 0
        elif base == LEARNED:
            i = choose_learned(position, work.options, n, mind)
        else:
            i = choose(base, position, work.options, n, mind.defaults[base], 0.0)
        bonus_box, bonus_value, box, score = unpack(work.packed[i])
        write(position, bonus_box, bonus_value, box, score)
    t = position.totals
    b = position.bonus
    return end_total(t[0], t[1], t[2], int(b[0]), int(b[1]), int(b[2]), position.final)


@jit
def choose_rollout(position, options, n, params, u, mind):
    """The option with the largest mean end total over `games` continuations, among the `width` that look best.

    All candidates are continued with the same dice. They are not those of the game: their key is the policy's own
    number `u`.
    """
    judge(position, options, n, mind)
    if position.open == 1:
        return best_of(mind.worth, n)
    width = min(int(params[1]), n, 16)
    games = int(params[2])
    base = int(params[3])  # a choice is carried as its place in the list
    base = GREEDY if base == 0 else PLANNER if base == 1 else WEIGHTED if base == 2 else LEARNED
    chosen = mind.works[0].counts  # the candidates
    found = 0
    for _ in range(width):
        i = next_candidate(mind.worth, n)
        if i < 0:
            break
        chosen[found] = i
        found += 1
    totals = mind.ahead[0]
    for k in range(found):
        totals[k] = 0.0
    key = np.uint64(u * 9007199254740992.0)
    for g in range(games):
        rng.fill_bounded(mind.dice, 12, key, np.uint64(g), rng.ROLLOUT, 0, 1296)
        for k in range(found):
            i = chosen[k]
            mind.positions[0] = position
            thought = mind.positions[0]
            write(thought, int(options[i, 0]), int(options[i, 1]), int(options[i, 2]), int(options[i, 3]))
            totals[k] += play_on(thought, base, mind.dice, mind)
    best = 0
    for k in range(1, found):
        if totals[k] > totals[best] or (totals[k] == totals[best] and chosen[k] < chosen[best]):
            best = k
    return chosen[best]


@jit
def think_deeply(policy, position, options, n, params, u, mind):
    """Index of the outcome that a thinking policy takes when it does not slip."""
    if n == 1:
        return 0
    if policy == LEARNED:
        return choose_learned(position, options, n, mind)
    if policy == LOOKAHEAD:
        return choose_lookahead(position, options, n, params, mind)
    if policy == RIVAL:
        return choose_rival(position, options, n, params, mind)
    return choose_rollout(position, options, n, params, u, mind)


@jit
def deep_chances(policy, position, options, n, params, out, mind):
    """As `chances` of the policies, for a thinking policy that uses no random numbers."""
    slip = params[SLIP]
    for i in range(n):
        out[i] = slip / n
    if slip < 1.0:
        out[think_deeply(policy, position, options, n, params, 0.0, mind)] += 1.0 - slip
