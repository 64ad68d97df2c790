"""How long a game lasts: the exact probability of every number of turns, cut only where the tail is negligible.

A state's distribution of turns is the mix of those of the states where the dice of its rolls end, each moved on by the
turns in between. The circle of two players who both fail is followed turn by turn: f(t) = own part + q × other's
f(t − 1), so that all terms are positive and nothing cancels.

Distributions are kept only as long as they are needed: the dice of one roll cover at most six fruits.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from sim.engine.jit import jit
from sim.games.karolinchen.exact.values import ENDS, OWN_ENDS, is_pair, rolls

#: a distribution ends where its terms have fallen below this; what is cut shows up in the total
NEGLIGIBLE = 1e-20


@jit
def mix(t, side, slot, length, pmf, out):
    """Sum up the distributions at the distinct ends of one side into `out`; returns its length."""
    top = 0
    for n in range(t.keys[side]):
        at = t.used[side, n]
        code = t.key[side, at]
        weight = t.mass[side, at]
        turns = code & 15
        s = slot[code >> 4]
        size = min(length[s], out.size - turns)
        source = pmf[s, :size]
        target = out[turns : turns + size]
        for x in range(size):
            target[x] += weight * source[x]
        top = max(top, turns + size)
        t.key[side, at] = -1
    t.keys[side] = 0
    return top


@jit
def pair_lengths(p, t, values, star, slot, length, pmf, work, a, b, opened):
    """Distributions of turns of the two states of a pair, by seat to roll, in ``work[0]`` and ``work[1]``.

    With `opened`, ``work[2]`` and ``work[3]`` are those with six dice just rolled into the middle (or a second roll to
    come). Returns their common length.
    """
    rolls(p, t, values, star, a, b, ENDS)
    top = 0
    for side in range(2):
        work[side, :] = 0.0
        top = max(top, mix(t, side, slot, length, pmf, work[side]))
    q = t.again
    x = 1
    while x < work.shape[1] and (x < top or max(work[0, x - 1], work[1, x - 1]) > NEGLIGIBLE):
        first = work[0, x] + q * work[1, x - 1]
        work[1, x] += q * work[0, x - 1]
        work[0, x] = first
        x += 1
    top = x
    while top > 1 and max(work[0, top - 1], work[1, top - 1]) <= NEGLIGIBLE:
        top -= 1
    if opened:
        rolls(p, t, values, star, a, b, OWN_ENDS)
        for side in range(2):
            work[2 + side, :] = 0.0
            mix(t, side, slot, length, pmf, work[2 + side])
            for x in range(top):
                work[2 + side, x] += t.fails * work[side, x]
    return top


@jit
def level_lengths(plays, plans, values, star, slot, length, pmf, work, total, level, part, parts):
    """Distributions of all pairs with `level` fruits covered; `part` of `parts` threads."""
    p, t = plays[0], plans[0]
    opened = t.layers == 2 and level % 6 == 0
    for f in range(max(0, level - total + 1), min(total - 1, level) + 1):
        for i in range(t.bucket[f], t.bucket[f + 1]):
            if i % parts != part:
                continue
            for j in range(t.bucket[level - f], t.bucket[level - f + 1]):
                a, b = t.order[i], t.order[j]
                if not is_pair(t, a, b):
                    continue
                top = pair_lengths(p, t, values, star, slot, length, pmf, work, a, b, opened)
                for side in range(2):
                    own, other = (a, b) if side == 0 else (b, a)
                    state = ((side * t.stride + own) * t.worms + other) * t.layers
                    length[slot[state]] = top
                    pmf[slot[state], :top] = work[side, :top]
                    if opened:
                        length[slot[state + 1]] = top
                        pmf[slot[state + 1], :top] = work[2 + side, :top]


def slots(t: Any, total: int) -> tuple[np.ndarray, int]:
    """Where the distribution of each state is kept: places are used again once seven levels have passed.

    Returns
    -------
    slot : int32[states + 1]
        By state; the last one is that of a lost game.
    capacity : int
        Number of places.
    """
    worms, layers = int(t.worms), int(t.layers)
    covered = np.asarray(t.covered[:worms], np.int64)
    level = np.full((1 + (t.stride > 0), worms, worms, layers), -1, np.int64)
    for seat in range(2):
        own, other = (np.flatnonzero(t.reached[s, :worms]) for s in (seat, 1 - seat))
        level[seat if t.stride else 0, own[:, None], other, :] = (covered[own][:, None] + covered[other])[..., None]
    if layers == 2:
        level[..., 1][level[..., 1] % 6 != 0] = -1
    flat = level.ravel()
    states = np.flatnonzero(flat >= 0)
    states = states[np.argsort(-flat[states], kind="stable")]
    per_level = np.bincount(flat[states], minlength=2 * total + 6)
    capacity = int(np.convolve(per_level, np.ones(7, np.int64)).max())
    slot = np.zeros(flat.size + 1, np.int32)
    slot[states] = np.arange(states.size) % capacity
    slot[-1] = capacity
    return slot, capacity + 1


def distributions(
    threads: list[tuple[Any, Any]],
    values: np.ndarray,
    star: np.ndarray,
    total: int,
    roots: Sequence[tuple[int, ...]],
    opened: bool,
    size: int,
    most_bytes: int,
) -> np.ndarray:
    """Probability of each number of turns from each root pair of worms, seat 0 to move.

    Parameters
    ----------
    opened : bool
        Whether six dice have just been rolled into the middle; else seat 0 rolls them, once.
    size : int
        Turns from `size` on are cut off.
    most_bytes : int
        Memory for the distributions; `MemoryError` beyond.

    Returns
    -------
    float64[roots, size]
    """
    t = threads[0][1][0]
    slot, capacity = slots(t, total)
    if 8 * capacity * size > most_bytes:
        raise MemoryError(f"{8 * capacity * size / 2**30:.1f} GiB")
    if not len(star):
        star = values
    pmf = np.zeros((capacity, size))
    length = np.ones(capacity, np.int64)
    pmf[capacity - 1, 0] = 1.0
    works = [np.zeros((4, size)) for _ in threads]
    with ThreadPoolExecutor(len(threads)) as pool:
        for level in range(2 * total - 2, -1, -1):
            jobs = [
                pool.submit(
                    level_lengths, *pair, values, star, slot, length, pmf, works[n], total, level, n, len(threads)
                )
                for n, pair in enumerate(threads)
            ]
            for job in jobs:
                job.result()
    out = np.zeros((len(roots), size))
    plays, plans = threads[0]
    for row, (a, b) in zip(out, roots, strict=True):
        pair_lengths(plays[0], plans[0], values, star, slot, length, pmf, works[0], a, b, opened)
        row[:] = works[0][2 if opened else 0]
    return out
