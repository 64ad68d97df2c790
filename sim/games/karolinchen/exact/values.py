"""Chances of winning and expected turns for every pair of worms, from the end of the game back to its start.

State: a player's worm, the other's, and that player has to roll (`tree` says why the number of dice is no part of it).
Decision: the next card and, under ``new_card_take = may``, whether to take dice for it. Objective: the chance of
winning. The expectation over a roll is exact: all distinct rolls with their multinomial weights.

Every taking covers a fruit, so pairs with more fruits covered are known when a pair is solved, and only the two states
of the pair itself refer to each other: if neither player's colour is rolled, the other player rolls the same dice. That
circle is a geometric series, solved as two linear equations.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from sim.engine.jit import jit
from sim.games.karolinchen.exact.tree import follow
from sim.games.karolinchen.exact.worms import KEYS

SUMS, ENDS, OWN_ENDS = range(3)


@jit
def add_key(t, side, code, weight):
    """Add to the weight of one distinct end."""
    at = (code * 0x9E3779B1 >> 7) & (KEYS - 1)
    while t.key[side, at] != code:
        if t.key[side, at] < 0:
            t.key[side, at] = code
            t.mass[side, at] = 0.0
            t.used[side, t.keys[side]] = at
            t.keys[side] += 1
            break
        at = (at + 1) & (KEYS - 1)
    t.mass[side, at] += weight


@jit
def collect(t, values, side, both, listed):
    """Book the ends of some rolls of seat `side`; with `both`, also as rolls of the other seat, who had no match.

    `listed` as in `rolls`.
    """
    t.terms += t.leaves
    for i in range(t.leaves):
        code, weight = t.code[i], t.weight[i]
        if listed != SUMS:
            add_key(t, side, code, weight)
            if both and listed == ENDS:
                add_key(t, 1 - side, code + 1, weight)
            continue
        turns = code & 15
        win = values[code >> 4, 0]
        if turns & 1 == 1:
            win = 1.0 - win
        length = turns + values[code >> 4, 1]
        t.own[side, 0] += weight * win
        t.own[side, 1] += weight * length
        if both:
            t.late[1 - side, 0] += weight * (1.0 - win)
            t.late[1 - side, 1] += weight * (length + 1.0)


@jit
def rolls(p, t, values, star, a, b, listed):
    """Go through all rolls in which a colour of one of the two open cards comes up; returns the number of dice.

    `listed` says what is wanted: the sums of values (`SUMS`), the distinct ends with their weights (`ENDS`), or only
    those of rolls that match for the player who rolls (`OWN_ENDS`).
    """
    k = 6 - (t.covered[a] + t.covered[b]) % 6
    same = 1 if t.colour[a] == t.colour[b] else 0
    zero = np.int64(0)
    others = 5 if same == 1 else 4
    for side in range(2):
        own, other = (a, b) if side == 0 else (b, a)
        pair = 6 * t.colour[own] + t.colour[other]
        own_shift, other_shift = 4 * t.colour[own], 4 * t.colour[other]
        for i in range(1, k + 1):
            for j in range((k - i if same == 0 else 0) + 1):
                size = k - i - j
                middle = (i << own_shift) + (j << other_shift)
                chance = t.chance[k, i, j]
                t.leaves = 0
                if i < t.places[own] and (j == 0 or j < t.places[other]):
                    # no card gets full, so the other dice do not matter: the rolls are taken as one
                    weight = chance * np.float64(others) ** size
                    follow(p, t, values, star, zero, weight, side, own, other, middle, k, zero)
                else:
                    for r in range(t.rest_start[same, size], t.rest_start[same, size + 1]):
                        weight = chance * t.rest_ways[same, r]
                        follow(p, t, values, star, zero, weight, side, own, other, middle + t.rest[pair, r], k, zero)
                        if t.leaves > 1024:
                            collect(t, values, side, j == 0 and same == 0, listed)
                            t.leaves = 0
                collect(t, values, side, j == 0 and same == 0, listed)
    t.again = (np.float64(others) / 6.0) ** k  # neither colour comes up
    t.fails = (5.0 / 6.0) ** k  # the mover's colour does not come up
    return k


@jit
def solve_pair(p, t, values, star, a, b):
    """Solve the two states of a pair: seat 0 with worm `a`, seat 1 with worm `b`, either to roll."""
    for side in range(2):
        for x in range(2):
            t.own[side, x] = 0.0
            t.late[side, x] = 0.0
    t.terms = 0
    k = rolls(p, t, values, star, a, b, SUMS)
    t.most_terms = max(t.most_terms, t.terms)
    q = t.again
    c0, c1 = t.own[0, 0] + t.late[0, 0] + q, t.own[1, 0] + t.late[1, 0] + q  # win: x = c0 − q y, y = c1 − q x
    x, y = (c0 - q * c1) / (1.0 - q * q), (c1 - q * c0) / (1.0 - q * q)
    d0, d1 = t.own[0, 1] + t.late[0, 1] + q, t.own[1, 1] + t.late[1, 1] + q  # turns: u = d0 + q v, v = d1 + q u
    u, v = (d0 + q * d1) / (1.0 - q * q), (d1 + q * d0) / (1.0 - q * q)
    t.value[0, 0], t.value[1, 0], t.value[0, 1], t.value[1, 1] = x, y, u, v
    gap = max(max(abs(x - c0 + q * y), abs(y - c1 + q * x)), max(abs(u - d0 - q * v), abs(v - d1 - q * u)))
    t.residual = max(t.residual, gap)
    for side in range(2):  # six dice in the middle or a second roll: only if no die matches does this player roll
        for z in range(2):
            t.opened[side, z] = t.own[side, z] + t.fails * t.value[side, z]
    own = (a * t.worms + b) * t.layers
    other = ((t.stride + b) * t.worms + a) * t.layers
    for z in range(2):
        values[own, z] = t.value[0, z]
        values[other, z] = t.value[1, z]
        if t.layers == 2 and k == 6:
            values[own + 1, z] = t.opened[0, z]
            values[other + 1, z] = t.opened[1, z]
    return k


@jit
def is_pair(t, a, b):
    """Whether a pair is to be solved: it can come up and has not the same two states as one that is solved anyway."""
    if t.reached[0, a] == 0 or t.reached[1, b] == 0:
        return False
    return not (t.stride == 0 and b < a and t.reached[0, b] == 1 and t.reached[1, a] == 1)


@jit
def solve_level(plays, plans, values, star, total, level, part, parts):
    """Solve all pairs with `level` fruits covered by both; `part` of `parts` threads."""
    p, t = plays[0], plans[0]
    n = 0
    for f in range(max(0, level - total + 1), min(total - 1, level) + 1):
        for i in range(t.bucket[f], t.bucket[f + 1]):
            if i % parts != part:
                continue
            for j in range(t.bucket[level - f], t.bucket[level - f + 1]):
                a, b = t.order[i], t.order[j]
                if is_pair(t, a, b):
                    solve_pair(p, t, values, star, a, b)
                    n += 1
    return n


def solve(threads: list[tuple[Any, Any]], star: np.ndarray, total: int) -> tuple[np.ndarray, int]:
    """Solve every pair that can come up.

    Parameters
    ----------
    threads : list of (position record, plan record), one per thread
    star : float64[states + 1, 2]
        Values of two perfect players; read only if a seat plays minimax.
    total : int
        Fruits of one player.

    Returns
    -------
    values : float64[states + 1, 2]
        By state: the mover's chance of winning, expected turns to the end. The last row: the mover has lost.
    pairs : int
        Pairs of worms solved.
    """
    t = threads[0][1][0]
    values = np.zeros((int(t.lost) + 1, 2))
    if not len(star):
        star = values
    pairs = 0
    with ThreadPoolExecutor(len(threads)) as pool:
        for level in range(2 * total - 2, -1, -1):
            jobs = [
                pool.submit(solve_level, plays, plans, values, star, total, level, part, len(threads))
                for part, (plays, plans) in enumerate(threads)
            ]
            pairs += sum(job.result() for job in jobs)
    return values, pairs
