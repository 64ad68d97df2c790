"""Caterpillars beginner, policy `random`, in vectorised NumPy: all games of a batch advance together.

Sheet `pairs`, standard set-up, one seat, default readings. The draws come from NumPy's own generator, so the games
are others than the kernel's; their distribution is the same.

Two facts of this one scenario make it cheap, and are used: values written on uniformly random blanks leave independent
dice on every blank; and with two dice a box, having one label, takes at most one distinct outcome.

There are two ways of finding the chosen box: `by_idiom`, as most people write it (``cumsum`` and ``argmax`` over
boxes), and `by_rows`, written for speed after profiling (running sums row by row, counting in place of searching).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from benchmarks.c_program import PAIRS

#: games per batch; the arrays of a batch (about 200 bytes a game) stay in the second-level cache
BATCH = 2048

Chooser = Callable[[np.ndarray, np.ndarray], np.ndarray]


def by_idiom(options: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Index of a uniformly chosen true row in each column of bool[12, games]; `u` is float32[games] in [0, 1)."""
    place = options.cumsum(axis=0, dtype=np.int8)
    count = place[-1]
    chosen = np.minimum((u * count).astype(np.int8), count - 1)
    return (place > chosen).argmax(axis=0)


def by_rows(options: np.ndarray, u: np.ndarray) -> np.ndarray:
    """The same as `by_idiom`, several times as fast; overwrites `options`."""
    place = options.view(np.int8)
    for above, here in pairwise(place):
        here += above
    count = place[-1]
    chosen = np.minimum((u * count).astype(np.int8), count - 1)
    return (place <= chosen).sum(axis=0, dtype=np.int8)


def play_batch(rng: np.random.Generator, games: int, choose: Chooser) -> np.ndarray:
    """Play some games.

    Parameters
    ----------
    rng : numpy.random.Generator
    games : int
    choose : by_idiom or by_rows

    Returns
    -------
    int16[6, games]
        score, the three totals, sum of boxes, number of zeros
    """
    labels = np.empty((12, games), np.int8)
    for row, label in enumerate(PAIRS):
        labels[row] = label if label else rng.integers(1, 7, games, dtype=np.int8)
    dice = rng.integers(1, 7, (12, 2, games), dtype=np.int8)
    draws = rng.random((12, games), dtype=np.float32)
    empty = np.ones((12, games), bool)
    scores = np.zeros((12, games), np.int8)
    column = np.arange(games)
    for (first, second), u in zip(dice, draws, strict=True):
        options = ((labels == first) | (labels == second)) & empty
        entry = options.any(axis=0)
        options |= empty & ~entry
        box = choose(options, u)
        empty[box, column] = False
        other = np.where(labels[box, column] == first, second, first)
        scores[box, column] = np.where(entry, other, 0)
    totals = scores.reshape(3, 4, games).sum(axis=1, dtype=np.int16)
    box_sum = totals.sum(axis=0, dtype=np.int16)
    score = box_sum - totals.max(axis=0) - totals.min(axis=0)
    zeros = (scores == 0).sum(axis=0, dtype=np.int16)
    return np.vstack([score, totals, box_sum, zeros])


def play(seed: int, games: int, choose: Chooser = by_idiom, batch: int = BATCH) -> np.ndarray:
    """Play `games` games in batches; int16[6, games] as in `play_batch`."""
    rng = np.random.Generator(np.random.SFC64(seed))
    out = np.empty((6, games), np.int16)
    for start in range(0, games, batch):
        n = min(batch, games - start)
        out[:, start : start + n] = play_batch(rng, n, choose)
    return out
