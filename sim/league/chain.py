"""The longest ladder in a set of compared policies: neighbours surely apart, little noise, both ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def longest_chain(order: Sequence[int], margin: np.ndarray, noisy: Sequence[bool], most: int, noise: int) -> list[int]:
    """Members of `order` (weakest first) such that every one has a margin above 0 over the one before it.

    Of all such chains with at most `most` members, at most `noise` of them noisy, the one with most members is taken;
    among equals the one that holds the weakest and the strongest of all, then the one with less noise, then the one
    whose smallest margin is largest. By dynamic programming over (last member, length, noise, begins with the weakest).

    Parameters
    ----------
    order : sequence of int
    margin : float64[n, n]
        ``margin[i, j]``: how surely i is above j, in excess of what is asked for.
    noisy : sequence of bool

    Returns
    -------
    list of int
        Weakest first; a single member where no two are far enough apart.
    """
    Key = tuple[int, int, int, bool]
    best: dict[Key, tuple[float, Key | None]] = {}
    for place, i in enumerate(order):
        own = int(noisy[i])
        if own <= noise:
            best[(i, 1, own, place == 0)] = (np.inf, None)
        for j in order[:place]:
            if margin[i, j] <= 0:
                continue
            for key in [k for k in best if k[0] == j]:
                _, length, used, whole = key
                if length == most or used + own > noise:
                    continue
                reached = (i, length + 1, used + own, whole)
                smallest = min(best[key][0], float(margin[i, j]))
                if reached not in best or smallest > best[reached][0]:
                    best[reached] = (smallest, key)
    if not best:
        return []
    at: Key | None = max(best, key=lambda k: (k[1], k[3] + (k[0] == order[-1]), -k[2], best[k][0]))
    chain = []
    while at is not None:
        chain.append(at[0])
        at = best[at][1]
    return chain[::-1]
