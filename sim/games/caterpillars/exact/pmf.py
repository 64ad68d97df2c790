"""Exact distribution of the end total under optimal play at beginner and intermediate: one pass forward over the
states.

Among outcomes within `TIE` of the best the first in sorted order is taken, as `sim.solve` promises.
"""

from __future__ import annotations

import numpy as np

from sim.engine.jit import jit
from sim.games.caterpillars.exact.sheet import Sheet
from sim.games.caterpillars.exact.values import Rolls, end_value, list_rows, locate
from sim.games.caterpillars.rules import FINALS, CaterpillarsRules

TIE = 1e-9


@jit
def push_blocks(
    values,
    chance,
    pmf,
    triples,
    offset,
    length,
    filled,
    first,
    labels,
    boxes,
    final,
    weight,
    sums,
    roll_offset,
    scores,
    split,
):
    """Hand the probability of every state of some blocks on to where optimal play leads; full sheets go to `pmf`."""
    cand = np.zeros((4096, 3), np.int64)
    at = np.zeros((4096, 3), np.int64)
    row_weight = np.zeros(512)
    row_start = np.zeros(513, np.int64)
    best = np.zeros(64)
    rest = np.zeros(64)
    for i in range(triples.shape[0]):
        m = triples[i]
        l0 = length[m[0]]
        l1 = length[m[1]]
        l2 = length[m[2]]
        base = offset[m[0], m[1], m[2]]
        rows = list_rows(
            m, first, labels, boxes, weight, sums, roll_offset, scores, split, True, row_weight, row_start, cand
        )
        if row_start[rows] == 0:
            for t0 in range(l0):
                for t1 in range(l1):
                    for t2 in range(l2):
                        pmf[end_value(t0, t1, t2, final)] += chance[base + (t0 * l1 + t1) * l2 + t2]
            continue
        for k in range(row_start[rows]):
            locate(m, cand, k, offset, length, filled, at)
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
                    if k1 == k0 + 1:
                        a = np.uint64(at[k0, 0] + t0 * at[k0, 1] + t1 * at[k0, 2])
                        for t in range(ulow, uhigh):
                            chance[a + t] += w * chance[row + t]
                        continue
                    for t in range(ulow, uhigh):
                        best[t] = -1.0
                        rest[t] = w * chance[row + t]
                    for k in range(k0, k1):
                        a = np.uint64(at[k, 0] + t0 * at[k, 1] + t1 * at[k, 2])
                        for t in range(ulow, uhigh):
                            x = values[a + t]
                            best[t] = x if x > best[t] else best[t]
                    for k in range(k0, k1):
                        a = np.uint64(at[k, 0] + t0 * at[k, 1] + t1 * at[k, 2])
                        for t in range(ulow, uhigh):
                            taken = rest[t] if values[a + t] >= best[t] - TIE else 0.0
                            chance[a + t] += taken
                            rest[t] -= taken


def optimal_pmf(sheet: Sheet, rules: CaterpillarsRules, values: np.ndarray) -> np.ndarray:
    """Probability of each end total under optimal play: float64[rules.max_score + 1]."""
    r = Rolls(rules)
    chance = np.zeros(sheet.size)
    chance[sheet.offset[0, 0, 0]] = 1.0
    pmf = np.zeros(rules.max_score + 1)
    labels = np.array(sheet.labels, np.int64)
    for triples in sheet.layers:
        push_blocks(
            values, chance, pmf, triples, sheet.offset, sheet.length, sheet.filled, sheet.first, labels, sheet.boxes,
            FINALS.index(rules.final), r.weight, r.sums, r.offset, r.scores, r.split,
        )  # fmt: skip
    return pmf
