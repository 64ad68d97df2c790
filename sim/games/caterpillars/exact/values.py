"""Optimal expected end totals of a labelled sheet at beginner and intermediate, by backward induction.

State: filled boxes × three totals. Decision: one of the distinct outcomes of a roll. Objective: the mean end total.
The expectation over rolls is exact
(distinct rolls with their weights), the maximum is over all distinct outcomes. Values are doubles; each of the at
most 12 steps adds a
sum of at most 57 products, so the error is below ``12 × 60 × 2^−53 × largest value``, under 10^−11.

One block (triple of filled masks) is solved at a time: its candidate moves are listed once, then every roll is a
maximum over contiguous rows of
values that lie in blocks solved before.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sim.engine.jit import jit
from sim.games.caterpillars.exact.candidates import rolls, ways
from sim.games.caterpillars.exact.sheet import Sheet
from sim.games.caterpillars.rules import FINALS, CaterpillarsRules


class Rolls:
    """Distinct rolls as arrays: weight (probability), label sums as bits (13: above 12), and the scores for
    each label.
    """

    def __init__(self, rules: CaterpillarsRules) -> None:
        counted = rolls(rules)
        total = sum(counted.values())
        weight, sums, offset, scores = [], [], [0], []
        for (dice, face), count in counted.items():
            entries = ways(rules, dice, face, (0, 0, 0))[-1, 0].entries
            weight.append(count / total)
            sums.append(sum(1 << s for s in {min(label, 13) for label, _ in entries}))
            for label in range(13):
                scores.extend(sorted(score for served, score in entries if served == label))
                offset.append(len(scores))
        self.weight = np.array(weight)
        self.sums = np.array(sums, np.int64)
        self.offset = np.array(offset, np.int64)
        self.scores = np.array(scores, np.int64)
        self.split = rules.zero_rule == "split"


@jit
def end_value(t0, t1, t2, final):
    """End total of a full sheet without bonus boxes."""
    low = min(t0, t1, t2)
    high = max(t0, t1, t2)
    total = t0 + t1 + t2
    if final == 0:
        return total - low - high
    if final == 1:
        return low
    if final == 2:
        return high
    return total


@jit
def list_rows(m, first, labels, boxes, weight, sums, offset, scores, split, all_scores, row_weight, row_start, cand):
    """List the moves of every roll in a block: `cand[k] = (caterpillar, label, score)` for rows of candidates.

    Rolls without an entry share one row. Candidates are in sorted order of outcomes. Without `all_scores` only the best
    score of each box is kept (values never fall when a total rises). Returns the number of rows.
    """
    rows = 0
    k = 0
    idle_weight = 0.0
    opened = 0
    for c in range(3):
        for b in range(boxes):
            if first[c, m[c], b]:
                opened |= 1 << labels[c * boxes + b]
    for r in range(weight.size):
        matched = (sums[r] & opened) != 0
        zeros = (sums[r] & ~opened) != 0 if split else False
        if not matched:
            idle_weight += weight[r]
            continue
        row_start[rows] = k
        row_weight[rows] = weight[r]
        for c in range(3):
            for b in range(boxes):
                if first[c, m[c], b] == 0:
                    continue
                label = labels[c * boxes + b]
                start = offset[13 * r + label]
                stop = offset[13 * r + label + 1]
                if zeros and (all_scores or start == stop):
                    cand[k, 0] = c
                    cand[k, 1] = label
                    cand[k, 2] = 0
                    k += 1
                if not all_scores and stop > start:
                    start = stop - 1
                for i in range(start, stop):
                    cand[k, 0] = c
                    cand[k, 1] = label
                    cand[k, 2] = scores[i]
                    k += 1
        rows += 1
    if idle_weight > 0.0:
        row_start[rows] = k
        row_weight[rows] = idle_weight
        for c in range(3):
            for b in range(boxes):
                if first[c, m[c], b]:
                    cand[k, 0] = c
                    cand[k, 1] = labels[c * boxes + b]
                    cand[k, 2] = 0
                    k += 1
        rows += 1
    row_start[rows] = k
    return rows


@jit
def locate(m, cand, k, offset, length, filled, at):
    """Where candidate `k` leads: `at[k] = (first value of the block, stride of t0, stride of t1)` with the
    score added in.
    """
    c = cand[k, 0]
    n0 = filled[0, m[0], cand[k, 1]] if c == 0 else m[0]
    n1 = filled[1, m[1], cand[k, 1]] if c == 1 else m[1]
    n2 = filled[2, m[2], cand[k, 1]] if c == 2 else m[2]
    stride1 = length[n2]
    stride0 = length[n1] * stride1
    at[k, 0] = offset[n0, n1, n2] + cand[k, 2] * (stride0 if c == 0 else stride1 if c == 1 else 1)
    at[k, 1] = stride0
    at[k, 2] = stride1


@jit
def solve_blocks(
    values,
    triples,
    start,
    stop,
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
    """Fill the values of some blocks of one layer; later layers are filled already."""
    cand = np.zeros((4096, 3), np.int64)
    at = np.zeros((4096, 3), np.int64)
    row_weight = np.zeros(512)
    row_start = np.zeros(513, np.int64)
    best = np.zeros(64)
    total = np.zeros(64)
    for i in range(start, stop):
        m = triples[i]
        l0 = length[m[0]]
        l1 = length[m[1]]
        l2 = length[m[2]]
        base = offset[m[0], m[1], m[2]]
        rows = list_rows(
            m, first, labels, boxes, weight, sums, roll_offset, scores, split, False, row_weight, row_start, cand
        )
        if row_start[rows] == 0:  # a full sheet
            for t0 in range(l0):
                for t1 in range(l1):
                    for t2 in range(l2):
                        values[base + (t0 * l1 + t1) * l2 + t2] = end_value(t0, t1, t2, final)
            continue
        for k in range(row_start[rows]):
            locate(m, cand, k, offset, length, filled, at)
        # unsigned indices: signed ones are checked for being negative, which keeps loops from becoming vector code
        l2 = np.uint64(l2)
        for t0 in range(l0):
            for t1 in range(l1):
                for t in range(l2):
                    total[t] = 0.0
                for r in range(rows):
                    k = row_start[r]
                    last = row_start[r + 1]
                    w = row_weight[r]
                    a = np.uint64(at[k, 0] + t0 * at[k, 1] + t1 * at[k, 2])
                    if last == k + 1:
                        for t in range(l2):
                            total[t] += w * values[a + t]
                        continue
                    k += 1
                    b = np.uint64(at[k, 0] + t0 * at[k, 1] + t1 * at[k, 2])
                    if last == k + 1:
                        for t in range(l2):
                            x = values[a + t]
                            y = values[b + t]
                            total[t] += w * (x if x > y else y)
                        continue
                    for t in range(l2):
                        x = values[a + t]
                        y = values[b + t]
                        best[t] = x if x > y else y
                    k += 1
                    while k + 1 < last:
                        a = np.uint64(at[k, 0] + t0 * at[k, 1] + t1 * at[k, 2])
                        for t in range(l2):
                            x = values[a + t]
                            best[t] = x if x > best[t] else best[t]
                        k += 1
                    a = np.uint64(at[k, 0] + t0 * at[k, 1] + t1 * at[k, 2])
                    for t in range(l2):
                        x = values[a + t]
                        total[t] += w * (x if x > best[t] else best[t])
                row = np.uint64(base) + np.uint64(t0 * l1 + t1) * l2
                for t in range(l2):
                    values[row + t] = total[t]


def chunks(sheet: Sheet, triples: np.ndarray, parts: int) -> list[tuple[int, int]]:
    """Split a layer's blocks into runs of about equal numbers of states."""
    size = np.cumsum(np.prod(sheet.length[triples], axis=1))
    cuts = np.unique(
        np.concatenate([[0], np.searchsorted(size, size[-1] * np.arange(1, parts) / parts), [len(triples)]])
    )
    return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))


def solve(sheet: Sheet, rules: CaterpillarsRules, workers: int = 2) -> np.ndarray:
    """Optimal expected end totals of every state: float64[sheet.size]."""
    values = np.empty(sheet.size)
    r = Rolls(rules)
    labels = np.array(sheet.labels, np.int64)
    final = FINALS.index(rules.final)
    with ThreadPoolExecutor(workers) as pool:
        for triples in reversed(sheet.layers):
            parts = chunks(sheet, triples, 1 if workers == 1 else 4 * workers)

            def run(part: tuple[int, int], triples: np.ndarray = triples) -> None:
                solve_blocks(
                    values, triples, *part, sheet.offset, sheet.length, sheet.filled, sheet.first, labels,
                    sheet.boxes, final,
                    r.weight, r.sums, r.offset, r.scores, r.split,
                )  # fmt: skip

            list(pool.map(run, parts))
    return values
