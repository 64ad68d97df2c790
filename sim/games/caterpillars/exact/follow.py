"""More about optimal play than its mean: mean square of the end total and expected zeros, along the same choices.

Among outcomes within `TIE` of the best the first in sorted order is followed, as in `optimal_pmf`, so both tell about
the same play.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sim.engine.jit import jit
from sim.games.caterpillars.exact.pmf import TIE
from sim.games.caterpillars.exact.sheet import Sheet
from sim.games.caterpillars.exact.values import Rolls, chunks, end_totals, fill_ends, layer_values, list_rows, locate
from sim.games.caterpillars.rules import FINALS, CaterpillarsRules


@jit
def follow_blocks(
    later, square_later, zeros_later, square, zeros, triples, start, stop, offset, length, opens, label, after, weight,
    sums, roll_offset, scores, split
):  # fmt: skip
    """Fill mean square and expected zeros of some blocks from those of the next layer; `later` are its values."""
    cand = np.zeros((8192, 3), np.int64)
    at = np.zeros((8192, 3), np.int64)
    row_weight = np.zeros(512)
    row_start = np.zeros(513, np.int64)
    best = np.zeros(64)
    chosen_square = np.zeros(64)
    chosen_zeros = np.zeros(64)
    total_square = np.zeros(64)
    total_zeros = np.zeros(64)
    for i in range(start, stop):
        m = triples[i]
        l0 = length[0, m[0]]
        l1 = length[1, m[1]]
        base = offset[m[0], m[1], m[2]]
        rows = list_rows(m, opens, label, weight, sums, roll_offset, scores, split, True, row_weight, row_start, cand)
        for k in range(row_start[rows]):
            locate(m, cand, k, offset, length, after, 1, at)
        width = np.uint64(length[2, m[2]])
        for t0 in range(l0):
            for t1 in range(l1):
                for t in range(width):
                    total_square[t] = 0.0
                    total_zeros[t] = 0.0
                for r in range(rows):
                    w = row_weight[r]
                    k0 = row_start[r]
                    k1 = row_start[r + 1]
                    for t in range(width):
                        best[t] = -np.inf
                    if k1 > k0 + 1:
                        for k in range(k0, k1):
                            a = np.uint64(at[k, 0] + t0 * at[k, 1] + t1 * at[k, 2])
                            for t in range(width):
                                x = later[a + t]
                                best[t] = x if x > best[t] else best[t]
                    k = k1 - 1
                    while k >= k0:  # backwards, so that the first in order has the last word
                        a = np.uint64(at[k, 0] + t0 * at[k, 1] + t1 * at[k, 2])
                        zero = 1.0 if cand[k, 2] == 0 else 0.0
                        for t in range(width):
                            good = later[a + t] >= best[t] - TIE
                            chosen_square[t] = square_later[a + t] if good else chosen_square[t]
                            chosen_zeros[t] = zeros_later[a + t] + zero if good else chosen_zeros[t]
                        k -= 1
                    for t in range(width):
                        total_square[t] += w * chosen_square[t]
                        total_zeros[t] += w * chosen_zeros[t]
                row = np.uint64(base) + np.uint64(t0 * l1 + t1) * width
                for t in range(width):
                    square[row + t] = total_square[t]
                    zeros[row + t] = total_zeros[t]


def value_square_zeros(
    sheet: Sheet, rules: CaterpillarsRules, workers: int = 2
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Expected end total, its mean square and expected zeros of every empty sheet (layer 0) under optimal play.

    Room: six times the largest layer in doubles.
    """
    r = Rolls(rules)
    final = FINALS.index(rules.final)
    points = end_totals(rules)
    rings = [np.empty((2, max(sheet.sizes[i::2]))) for i in (0, 1)]
    later = square_later = zeros_later = np.empty(0)
    values = square = zeros = later
    with ThreadPoolExecutor(workers) as pool:
        for layer, values in layer_values(sheet, rules, points[None], workers):
            triples = sheet.layers[layer]
            square, zeros = rings[layer % 2][:, : sheet.sizes[layer]]
            if layer == len(sheet.layers) - 1:
                fill_ends(square, triples, 0, len(triples), sheet.offset, sheet.length, final, points[None] ** 2)
                zeros.fill(0.0)
            else:
                shared = (later, square_later, zeros_later, square, zeros, triples)

                def run(part: tuple[int, int], shared: tuple[np.ndarray, ...] = shared) -> None:
                    follow_blocks(
                        *shared, *part, sheet.offset, sheet.length, sheet.opens, sheet.label, sheet.after, r.weight,
                        r.sums, r.offset, r.scores, r.split,
                    )  # fmt: skip

                list(pool.map(run, chunks(sheet, layer, 4 * workers)))
            later, square_later, zeros_later = values, square, zeros
    return values.copy(), square.copy(), zeros.copy()
