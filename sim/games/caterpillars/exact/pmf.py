"""Exact distribution of the end total under optimal play at beginner and intermediate: one pass forward over the
states.

Among outcomes within `TIE` of the best the first in sorted order is taken, as `sim.solve` promises.

Layer by layer, every state hands its probability on to states of the next layer. A layer is cut into `PARTS` runs of
blocks; each run adds into room of its own, and the rooms are summed in order. So the result is the same bits for any
number of workers.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from sim.engine.jit import jit
from sim.games.caterpillars.exact.sheet import Sheet
from sim.games.caterpillars.exact.values import Rolls, chunks, end_value, list_rows, locate
from sim.games.caterpillars.rules import FINALS, CaterpillarsRules

TIE = 1e-9

#: runs of blocks that are followed side by side; part of the result's last bits, so not the number of workers. Every
#: further run costs room and a summing
PARTS = 2


@jit
def count_ends(chance, pmf, triples, offset, length, final):
    """Add the probabilities of full sheets to their end totals."""
    for i in range(triples.shape[0]):
        m = triples[i]
        at = offset[m[0], m[1], m[2]]
        for t0 in range(length[0, m[0]]):
            for t1 in range(length[1, m[1]]):
                for t2 in range(length[2, m[2]]):
                    pmf[end_value(t0, t1, t2, final)] += chance[at]
                    at += 1


@jit
def push_blocks(
    later, chance, handed, triples, start, stop, offset, length, opens, label, after, weight, sums, roll_offset, scores,
    split
):  # fmt: skip
    """Hand the probability of every state of some blocks on to where optimal play leads.

    `later` holds the values of the next layer, `handed` takes its probabilities.
    """
    cand = np.zeros((8192, 3), np.int64)
    at = np.zeros((8192, 3), np.int64)
    row_weight = np.zeros(512)
    row_start = np.zeros(513, np.int64)
    s0 = np.zeros(64)
    s1 = np.zeros(64)
    s2 = np.zeros(64)
    s3 = np.zeros(64)
    for i in range(start, stop):
        m = triples[i]
        l0 = length[0, m[0]]
        l1 = length[1, m[1]]
        l2 = length[2, m[2]]
        base = offset[m[0], m[1], m[2]]
        rows = list_rows(m, opens, label, weight, sums, roll_offset, scores, split, True, row_weight, row_start, cand)
        for k in range(row_start[rows]):
            locate(m, cand, k, offset, length, after, 1, at)
        for t0 in range(l0):
            for t1 in range(l1):
                row = np.uint64(base + (t0 * l1 + t1) * l2)
                low = 0  # only the stretch of t2 that can be reached at all
                high = l2
                while low < high and chance[row + np.uint64(low)] == 0.0:
                    low += 1
                while high > low and chance[row + np.uint64(high - 1)] == 0.0:
                    high -= 1
                if low == high:
                    continue
                ulow = np.uint64(low)
                uhigh = np.uint64(high)
                for r in range(rows):
                    w = row_weight[r]
                    k0 = row_start[r]
                    k1 = row_start[r + 1]
                    # rolls with few candidates are most of the work: one pass over their values; written out, for as
                    # functions they took half as long again
                    a = np.uint64(at[k0, 0] + t0 * at[k0, 1] + t1 * at[k0, 2])
                    if k1 == k0 + 1:
                        for t in range(ulow, uhigh):
                            handed[a + t] += w * chance[row + t]
                        continue
                    b = np.uint64(at[k0 + 1, 0] + t0 * at[k0 + 1, 1] + t1 * at[k0 + 1, 2])
                    if k1 == k0 + 2:
                        for t in range(ulow, uhigh):
                            p = w * chance[row + t]
                            q = p if later[a + t] >= later[b + t] - TIE else 0.0
                            s0[t] = q
                            s1[t] = p - q
                        for t in range(ulow, uhigh):
                            handed[a + t] += s0[t]
                        for t in range(ulow, uhigh):
                            handed[b + t] += s1[t]
                        continue
                    c = np.uint64(at[k0 + 2, 0] + t0 * at[k0 + 2, 1] + t1 * at[k0 + 2, 2])
                    if k1 == k0 + 3:
                        for t in range(ulow, uhigh):
                            x = later[a + t]
                            y = later[b + t]
                            z = later[c + t]
                            limit = x if x > y else y
                            limit = (limit if limit > z else z) - TIE
                            p = w * chance[row + t]
                            q = p if x >= limit else 0.0
                            s0[t] = q
                            p -= q
                            q = p if y >= limit else 0.0
                            s1[t] = q
                            s2[t] = p - q
                        for t in range(ulow, uhigh):
                            handed[a + t] += s0[t]
                        for t in range(ulow, uhigh):
                            handed[b + t] += s1[t]
                        for t in range(ulow, uhigh):
                            handed[c + t] += s2[t]
                        continue
                    d = np.uint64(at[k0 + 3, 0] + t0 * at[k0 + 3, 1] + t1 * at[k0 + 3, 2])
                    if k1 == k0 + 4:
                        for t in range(ulow, uhigh):
                            x = later[a + t]
                            y = later[b + t]
                            z = later[c + t]
                            v = later[d + t]
                            limit = x if x > y else y
                            other = z if z > v else v
                            limit = (limit if limit > other else other) - TIE
                            p = w * chance[row + t]
                            q = p if x >= limit else 0.0
                            s0[t] = q
                            p -= q
                            q = p if y >= limit else 0.0
                            s1[t] = q
                            p -= q
                            q = p if z >= limit else 0.0
                            s2[t] = q
                            s3[t] = p - q
                        for t in range(ulow, uhigh):
                            handed[a + t] += s0[t]
                        for t in range(ulow, uhigh):
                            handed[b + t] += s1[t]
                        for t in range(ulow, uhigh):
                            handed[c + t] += s2[t]
                        for t in range(ulow, uhigh):
                            handed[d + t] += s3[t]
                        continue
                    for t in range(ulow, uhigh):  # s0: the best less what counts as a tie; s1: what is left to hand on
                        x = later[a + t]
                        y = later[b + t]
                        s0[t] = x if x > y else y
                        s1[t] = w * chance[row + t]
                    k = k0 + 2
                    while k + 1 < k1:
                        a = np.uint64(at[k, 0] + t0 * at[k, 1] + t1 * at[k, 2])
                        b = np.uint64(at[k + 1, 0] + t0 * at[k + 1, 1] + t1 * at[k + 1, 2])
                        for t in range(ulow, uhigh):
                            x = later[a + t]
                            y = later[b + t]
                            x = x if x > y else y
                            s0[t] = x if x > s0[t] else s0[t]
                        k += 2
                    if k < k1:
                        a = np.uint64(at[k, 0] + t0 * at[k, 1] + t1 * at[k, 2])
                        for t in range(ulow, uhigh):
                            x = later[a + t]
                            s0[t] = x if x > s0[t] else s0[t]
                    for t in range(ulow, uhigh):
                        s0[t] -= TIE
                    left = high - low
                    for k in range(k0, k1):
                        a = np.uint64(at[k, 0] + t0 * at[k, 1] + t1 * at[k, 2])
                        hits = 0  # most candidates are taken nowhere: looking is cheaper than adding zeros
                        for t in range(ulow, uhigh):
                            hits += later[a + t] >= s0[t]
                        if hits == 0:
                            continue
                        for t in range(ulow, uhigh):
                            good = later[a + t] >= s0[t]
                            handed[a + t] += s1[t] if good else 0.0
                            s1[t] = 0.0 if good else s1[t]
                            s0[t] = np.inf if good else s0[t]
                        left -= hits
                        if left == 0:
                            break


def optimal_pmf(
    sheet: Sheet,
    rules: CaterpillarsRules,
    values: Sequence[np.ndarray],
    workers: int = 2,
    begin: np.ndarray | None = None,
    parts: int = PARTS,
) -> np.ndarray:
    """Probability of each end total under optimal play: float64[rules.max_score + 1].

    Parameters
    ----------
    values : sequence of float64 arrays
        Optimal values of every layer; those of the first are not read.
    begin : float64[states of the first layer], optional
        Probability of each empty sheet; needed where there are several.
    parts : int
        Runs of blocks that are followed side by side, each with room of its own.
    """
    r = Rolls(rules)
    most = max(sheet.sizes)
    chance = np.ones(1) if begin is None else begin
    rings = [np.empty(max(sheet.sizes[i::2])) for i in (0, 1)]
    room = np.empty((parts - 1, most))
    pmf = np.zeros(rules.max_score + 1)
    with ThreadPoolExecutor(workers) as pool:
        for layer, triples in enumerate(sheet.layers[:-1]):
            size = sheet.sizes[layer + 1]
            runs = chunks(sheet, layer, parts if len(triples) >= 4 * parts else 1)
            handed = [rings[(layer + 1) % 2][:size], *room[: len(runs) - 1, :size]]

            def run(
                i: int,
                triples: np.ndarray = triples,
                runs: list[tuple[int, int]] = runs,
                chance: np.ndarray = chance,
                handed: list[np.ndarray] = handed,
                layer: int = layer,
            ) -> None:
                handed[i].fill(0.0)
                push_blocks(
                    values[layer + 1], chance, handed[i], triples, *runs[i], sheet.offset, sheet.length, sheet.opens,
                    sheet.label, sheet.after, r.weight, r.sums, r.offset, r.scores, r.split,
                )  # fmt: skip

            def add(cut: tuple[int, int], handed: list[np.ndarray] = handed) -> None:
                for other in handed[1:]:
                    handed[0][slice(*cut)] += other[slice(*cut)]

            list(pool.map(run, range(len(runs))))
            edges = np.linspace(0, size, 9).astype(int).tolist()
            list(pool.map(add, pairwise(edges)))
            chance = handed[0]
    count_ends(chance, pmf, sheet.layers[-1], sheet.offset, sheet.length, FINALS.index(rules.final))
    return pmf
