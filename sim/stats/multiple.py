"""Many statements at once: Holm's adjustment, and cycles among pairwise comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike


def holm(p_values: ArrayLike) -> np.ndarray:
    """p-values adjusted so that rejecting those up to α errs anywhere with probability at most α (Holm 1979).

    S. Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian Journal of Statistics 6 (1979).
    Nothing is assumed about how the tests depend on each other.
    """
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    steps = (p.size - np.arange(p.size)) * p[order]
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted


def three_cycles(
    pairs: Sequence[tuple[int, int]], rates: ArrayLike, p_values: ArrayLike, alpha: float = 0.05
) -> list[tuple[int, int, int]]:
    """Triples in which each beats the next and the last the first, at a common error rate of `alpha`.

    Holm's adjustment over all pairs makes the *directions* of all pairs accepted hold together, so every cycle among
    them does. The tests are two-sided; a pair that is not told apart is in no cycle.

    Parameters
    ----------
    pairs : sequence of (i, j)
    rates : float array
        Win rate of i against j.
    p_values : float array
        Of "the rate is one half", not yet adjusted.

    Returns
    -------
    list of (i, j, k)
        i beats j, j beats k, k beats i; i is the smallest.
    """
    rate = np.asarray(rates, np.float64)
    sure = holm(p_values) <= alpha
    beats: set[tuple[int, int]] = set()
    for (i, j), r, known in zip(pairs, rate.tolist(), sure.tolist(), strict=True):
        if known and r != 0.5:
            beats.add((i, j) if r > 0.5 else (j, i))
    players = sorted({x for pair in pairs for x in pair})
    found = []
    for i, j, k in combinations(players, 3):
        for cycle in ((i, j, k), (i, k, j)):
            if {(cycle[0], cycle[1]), (cycle[1], cycle[2]), (cycle[2], cycle[0])} <= beats:
                found.append(cycle)
    return found
