"""Optimal expected end totals at the levels with bonus boxes, in 16-bit fixed point.

State: filled boxes × three totals × three bonus boxes. Decision: one of the distinct outcomes of a roll. Objective: the
mean end total. The expectation over rolls is exact in integers, the maximum is over all distinct outcomes; only the
result of a state is rounded, to the nearest multiple of 1 / scale. A maximum and a mean never stretch a difference, so
the error of a state is at most half a step for each round left: ``rounds / (2 × scale)``.

Values are computed layer by layer (boxes filled), all tables (fillings of the bonus boxes) of a layer together: a state
needs only the next layer, so two layers are all that has to be in memory. Within a layer all blocks and tables are
independent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.engine.jit import jit
from sim.engine.lanes import LANES, mean_of_best

#: values behind the last one that may be read (never used), so that rows can be read in whole vectors
SLACK = LANES
#: bounds of the working arrays of one block and table
MOST_CANDIDATES = 1 << 18
MOST_ROWS = 1024
HASHES = 2048

FORCED, SPLIT, STRICT = range(3)


@jit
def worth(t0, t1, t2, bonus, final):
    """End total of a full sheet; ties go to the better bonus."""
    if final == 3:
        return t0 + t1 + t2 + bonus[0] + bonus[1] + bonus[2]
    low = min(t0, t1, t2)
    high = max(t0, t1, t2)
    if final == 0:
        target = t0 + t1 + t2 - low - high
    elif final == 1:
        target = low
    else:
        target = high
    best = 0
    if t0 == target:
        best = max(best, bonus[0])
    if t1 == target:
        best = max(best, bonus[1])
    if t2 == target:
        best = max(best, bonus[2])
    return target + best


@jit
def pack(to, add, c, label, score):
    """A candidate as one number."""
    return (((to * 32 + add) * 4 + c) * 16 + label) * 64 + score


@jit
def list_block(
    m, table, zero_rule, labels, labels_count,
    row_start, weight, choice_start, to, add, entries, fly, sums, score_start, scores,
    cand, at_row, at_weight, seen, seen_hash,
):  # fmt: skip
    """Candidates of a block in one table, row by row; rolls with the same candidates are one row.

    Returns the number of rows. ``at_row[r] … at_row[r + 1]`` are the candidates of row r, ``at_weight[r]`` its weight.
    """
    opened = 0
    for c in range(3):
        for j in range(labels_count[c, m[c]]):
            opened |= 1 << labels[c, m[c], j]
    for h in range(HASHES):
        seen[h] = -1
    rows = 0
    k: Any = 0
    at_row[0] = 0
    for r in range(row_start[table], row_start[table + 1]):
        first = choice_start[r]
        last = choice_start[r + 1]
        any_entry = False
        if zero_rule == STRICT:
            for i in range(first, last):
                if (sums[entries[i]] & opened) != 0 or fly[i] > 0:
                    any_entry = True
        mixed = np.uint64(0)
        for i in range(first, last):
            s = entries[i]
            if zero_rule == SPLIT:
                zero = (sums[s] & ~opened) != 0 or ((sums[s] & opened) == 0 and fly[i] == 0)
            elif zero_rule == STRICT:
                zero = not any_entry
            else:
                zero = (sums[s] & opened) == 0 and fly[i] == 0
            for c in range(3):
                for j in range(labels_count[c, m[c]]):
                    label = labels[c, m[c], j]
                    base = pack(to[i], add[i], c, label, 0)
                    k0 = k
                    if zero:
                        cand[k] = base
                        k += 1
                    if fly[i] > 0:
                        cand[k] = base + fly[i]
                        k += 1
                    for x in range(score_start[13 * s + label], score_start[13 * s + label + 1]):
                        if scores[x] != fly[i]:
                            cand[k] = base + scores[x]
                            k += 1
                    for q in range(k0, k):
                        mixed = (mixed ^ np.uint64(cand[q])) * np.uint64(0x9E3779B97F4A7C15)
                        mixed ^= mixed >> np.uint64(29)
        start = at_row[rows]
        slot: Any = np.int64(mixed >> np.uint64(53))
        joined = False
        while seen[slot] >= 0:
            q = seen[slot]
            if seen_hash[q] == mixed and at_row[q + 1] - at_row[q] == k - start:
                equal = True
                for x in range(k - start):
                    if cand[at_row[q] + x] != cand[start + x]:
                        equal = False
                        break
                if equal:
                    at_weight[q] += weight[r]
                    joined = True
                    break
            slot = (slot + 1) % HASHES
        if joined:
            k = start
            continue
        seen[slot] = rows
        seen_hash[rows] = mixed
        at_weight[rows] = weight[r]
        rows += 1
        at_row[rows] = k
    return rows


@jit
def locate(m, cand, n, size, length, after, offset, at, at0, at1, plus, scale):
    """Where the candidates lead: first value, strides of the first and second total, and what to add."""
    for k in range(n):
        x = cand[k]
        score = x & 63
        label = (x >> 6) & 15
        c = (x >> 10) & 3
        n0 = after[0, m[0], label] if c == 0 else m[0]
        n1 = after[1, m[1], label] if c == 1 else m[1]
        n2 = after[2, m[2], label] if c == 2 else m[2]
        stride1 = length[2, n2]
        stride0 = length[1, n1] * stride1
        step = stride0 if c == 0 else stride1 if c == 1 else 1
        at[k] = (x >> 17) * size + offset[n0, n1, n2] + score * step
        at0[k] = stride0
        at1[k] = stride1
        plus[k] = ((x >> 12) & 31) * scale


@jit
def fill_block(now, base, l0, l1, l2, next_values, rows, at_row, at_weight, at, at0, at1, here, plus, share):
    """Values of one block in one table."""
    n = at_row[rows]
    for t0 in range(l0):
        for t1 in range(l1):
            for k in range(np.uint64(n)):
                here[k] = at[k] + t0 * at0[k] + t1 * at1[k]
            mean_of_best(next_values, here, plus, at_row, at_weight, rows, share, now, base + (t0 * l1 + t1) * l2, l2)


@jit
def solve_part(
    now, size_now, next_values, size_next, triples, start, stop, tables, share, scale, zero_rule,
    length, labels, labels_count, after, offset,
    row_start, weight, choice_start, to, add, entries, fly, sums, score_start, scores,
):  # fmt: skip
    """Values of pairs (block, table) number `start` … `stop − 1` of a layer, block by block."""
    cand = np.empty(MOST_CANDIDATES, np.int64)
    at = np.empty(MOST_CANDIDATES, np.int64)
    at0 = np.empty(MOST_CANDIDATES, np.int64)
    at1 = np.empty(MOST_CANDIDATES, np.int64)
    here = np.empty(MOST_CANDIDATES, np.int64)
    plus = np.empty(MOST_CANDIDATES, np.uint16)
    at_row = np.empty(MOST_ROWS + 1, np.int64)
    at_weight = np.empty(MOST_ROWS, np.uint32)
    seen = np.empty(HASHES, np.int64)
    seen_hash = np.empty(MOST_ROWS, np.uint64)
    for pair in range(start, stop):
        m = triples[pair // tables]
        table = pair % tables
        rows = list_block(
            m, table, zero_rule, labels, labels_count,
            row_start, weight, choice_start, to, add, entries, fly, sums, score_start, scores,
            cand, at_row, at_weight, seen, seen_hash,
        )  # fmt: skip
        locate(m, cand, at_row[rows], size_next, length, after, offset, at, at0, at1, plus, scale)
        fill_block(
            now, table * size_now + offset[m[0], m[1], m[2]], length[0, m[0]], length[1, m[1]], length[2, m[2]],
            next_values, rows, at_row, at_weight, at, at0, at1, here, plus, share,
        )  # fmt: skip


@jit
def fill_last(now, size_now, tables, bonus, base, lengths, final, scale):
    """Values of full sheets: `base` are the totals at the start."""
    for table in range(tables):
        i = table * size_now
        for t0 in range(lengths[0]):
            for t1 in range(lengths[1]):
                for t2 in range(lengths[2]):
                    now[i] = worth(base[0] + t0, base[1] + t1, base[2] + t2, bonus[table], final) * scale
                    i += 1
