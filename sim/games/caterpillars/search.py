"""Policies that judge positions by the fitted value, or play on in thought: `learned`, `lookahead`, `rollout`.

They need more than a position: a `Mind`, which holds the networks, the rules, and memory to think in. No game is
handed to it: what they think about is what they see, and their dice are their own.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sim.engine import rng
from sim.engine.jit import jit
from sim.games.base import PARAMETERS, SLIP
from sim.games.caterpillars.outcomes import list_outcomes, rules_record, tables, unpack, write
from sim.games.caterpillars.policies import GREEDY, LEARNED, LOOKAHEAD, PLANNER, POLICIES, ROLLOUT, WEIGHTED, choose
from sim.games.caterpillars.position import CAPACITY, POSITION, WORK
from sim.games.caterpillars.rules import CaterpillarsRules
from sim.games.caterpillars.value import PREPARED, TIE, UNITS, end_total, prepare, value_after
from sim.games.caterpillars.weights import weights

#: policies that think; `think_deeply` chooses for them
THINKERS = (LEARNED, LOOKAHEAD, ROLLOUT)
#: values of one round that are kept: bonus choices (none, or box and value) × boxes × scores
_SCORES = 32
_BOXES = 12
_KEPT = (1 + 3 * 12) * _BOXES * _SCORES
_NEVER = -1e30


class Mind(NamedTuple):
    """What a policy thinks with, for one thread.

    Attributes
    ----------
    net, curve
        The fitted value, see `value`.
    rules, tables
        One record each.
    rolls, chance
        The distinct rolls of the regular dice, and their probabilities.
    prepared, ahead : float64[PREPARED, UNITS]
        Sums for this round and for the next one.
    units : float64[UNITS]
    worth : float64[CAPACITY]
        By option.
    kept, stamp : float64[…], int64[…]
        Values of the next round's outcomes, valid where the stamp is that of the position.
    clock : int64[1]
        The last stamp.
    positions, works
        One record each, for a position that is thought about.
    dice : int64[12]
        Rolls of the rounds to come, in thought.
    defaults : float64[policies, PARAMETERS]
        Parameters of policies that are played on with.
    """

    net: np.ndarray
    curve: np.ndarray
    rules: np.ndarray
    tables: np.ndarray
    rolls: np.ndarray
    chance: np.ndarray
    prepared: np.ndarray
    ahead: np.ndarray
    units: np.ndarray
    worth: np.ndarray
    kept: np.ndarray
    stamp: np.ndarray
    clock: np.ndarray
    positions: np.ndarray
    works: np.ndarray
    dice: np.ndarray
    defaults: np.ndarray


@lru_cache(maxsize=1)
def _defaults() -> np.ndarray:
    built_in = [info for info in POLICIES.entries.values() if info.code is None]
    out = np.zeros((max(info.number for info in built_in) + 1, PARAMETERS))
    for info in built_in:
        out[info.number] = POLICIES.parse(info.id).vector()
    return out


def make_mind(rules: CaterpillarsRules) -> Mind:
    """A mind for one thread, under some rules; the networks are those of the level."""
    return blank_mind(rules, *weights(rules.level))


def blank_mind(rules: CaterpillarsRules, net: np.ndarray, curve: np.ndarray) -> Mind:
    """A mind with networks at hand."""
    listed = tables(rules)
    count = 6**rules.dice
    _, first, times = np.unique(listed[0].multiset[:count], return_index=True, return_counts=True)
    return Mind(
        net=net,
        curve=curve,
        rules=rules_record(rules),
        tables=listed,
        rolls=first.astype(np.int64),
        chance=times / count,
        prepared=np.zeros((PREPARED, UNITS)),
        ahead=np.zeros((PREPARED, UNITS)),
        units=np.zeros(UNITS),
        worth=np.zeros(CAPACITY),
        kept=np.zeros(_KEPT),
        stamp=np.zeros(_KEPT, np.int64),
        clock=np.zeros(1, np.int64),
        positions=np.zeros(1, POSITION).view(np.recarray),
        works=np.zeros(1, WORK).view(np.recarray),
        dice=np.zeros(12, np.int64),
        defaults=_defaults(),
    )


@jit
def judge(position, options, n, mind):
    """Fill ``mind.worth`` with the value after each option; of equal box and bonus only the largest score is judged."""
    left = position.rounds - position.round_index - 1
    prepare(mind.net, mind.curve, position, left, mind.prepared)
    for i in range(n):
        if (
            i + 1 < n
            and options[i, 2] == options[i + 1, 2]
            and options[i, 1] == options[i + 1, 1]
            and options[i, 0] == options[i + 1, 0]
        ):
            mind.worth[i] = _NEVER
            continue
        mind.worth[i] = value_after(
            mind.net, mind.curve, position, left, mind.prepared, mind.units,
            int(options[i, 0]), int(options[i, 1]), int(options[i, 2]), int(options[i, 3]),
        )  # fmt: skip


@jit
def best_of(worth, n):
    """Index of the largest number; the first among equals."""
    choice = 0
    most = worth[0]
    for i in range(1, n):
        if worth[i] > most + TIE:
            most = worth[i]
            choice = i
    return choice


@jit
def choose_learned(position, options, n, mind):
    """The option with the largest fitted value."""
    judge(position, options, n, mind)
    return best_of(mind.worth, n)


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
        best = _NEVER
        for i in range(n):
            outcome = packed[i]
            if i + 1 < n and ((outcome ^ packed[i + 1]) & 0xFFFFFFFFFFFF) == 0:
                continue  # the same box and bonus with a larger score comes next
            bonus_box, bonus_value, box, score = unpack(outcome)
            at = box * _SCORES + score
            if bonus_box >= 0:
                at += (12 * bonus_box + bonus_value) * (_BOXES * _SCORES)
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
    if worth[choice] <= _NEVER:
        return -1
    worth[choice] = _NEVER
    return choice


@jit
def choose_lookahead(position, options, n, params, mind):
    """The option with the largest mean of the best value after the next roll, among the `width` that look best."""
    left = position.rounds - position.round_index - 1
    judge(position, options, n, mind)
    if left == 0:
        return best_of(mind.worth, n)
    choice = 0
    most = _NEVER
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
    return choose_rollout(position, options, n, params, u, mind)


@jit
def deep_chances(policy, position, options, n, params, out, mind):
    """As `chances` of the policies, for a thinking policy that uses no random numbers."""
    slip = params[SLIP]
    for i in range(n):
        out[i] = slip / n
    if slip < 1.0:
        out[think_deeply(policy, position, options, n, params, 0.0, mind)] += 1.0 - slip
