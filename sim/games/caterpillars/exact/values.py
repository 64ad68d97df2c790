"""Optimal values of labelled sheets at beginner and intermediate, by backward induction.

State: open labels × three totals (`Sheet`). Decision: one of the distinct outcomes of a roll. Objective: the mean of a
*utility* of the end total, the end total itself unless said otherwise. The expectation over rolls is exact (distinct
rolls with their weights), the maximum is over all distinct outcomes. Values are doubles; each of the at most 12 steps
adds a sum of at most 57 products, so the error is below ``12 × 60 × 2^−53 × largest |value|``.

One block (triple of nodes) is solved at a time: its candidate moves are listed once, then every roll is a maximum over
contiguous rows of values that lie in blocks of the next layer. Several utilities can be solved side by side, as
*lanes*: the values of one state then stand next to each other, and rows are longer by that factor.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sim.engine.jit import jit
from sim.engine.lanes import LANES, mean_of_best
from sim.games.caterpillars.exact.candidates import rolls, ways
from sim.games.caterpillars.exact.sheet import Sheet
from sim.games.caterpillars.rules import FINALS, CaterpillarsRules

#: rounding error per round: a sum of at most 57 products of doubles below the largest value
PRODUCTS = 60


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
def list_rows(m, opens, label, weight, sums, offset, scores, split, all_scores, row_weight, row_start, cand):
    """List the moves of every roll in a block: `cand[k] = (caterpillar, entry, score)` for rows of candidates.

    Rolls without an entry share one row. Candidates are in sorted order of outcomes. Without `all_scores` only the best
    score of each box is kept (enough if values never fall when a total rises). Returns the number of rows.
    """
    rows = 0
    k = 0
    idle_weight = 0.0
    opened = 0
    for c in range(3):
        for j in range(opens[c, m[c]]):
            opened |= 1 << label[c, m[c], j]
    for r in range(weight.size):
        matched = (sums[r] & opened) != 0
        zeros = (sums[r] & ~opened) != 0 if split else False
        if not matched:
            idle_weight += weight[r]
            continue
        row_start[rows] = k
        row_weight[rows] = weight[r]
        for c in range(3):
            for j in range(opens[c, m[c]]):
                at = 13 * r + label[c, m[c], j]
                start = offset[at]
                stop = offset[at + 1]
                if zeros and (all_scores or start == stop):
                    cand[k, 0] = c
                    cand[k, 1] = j
                    cand[k, 2] = 0
                    k += 1
                if not all_scores and stop > start:
                    start = stop - 1
                for i in range(start, stop):
                    cand[k, 0] = c
                    cand[k, 1] = j
                    cand[k, 2] = scores[i]
                    k += 1
        rows += 1
    if idle_weight > 0.0:
        row_start[rows] = k
        row_weight[rows] = idle_weight
        for c in range(3):
            for j in range(opens[c, m[c]]):
                cand[k, 0] = c
                cand[k, 1] = j
                cand[k, 2] = 0
                k += 1
        rows += 1
    row_start[rows] = k
    return rows


@jit
def locate(m, cand, k, offset, length, after, lanes, at):
    """Where candidate `k` leads: `at[k] = (first value of the block, stride of t0, stride of t1)` with the
    score added in.
    """
    c = cand[k, 0]
    n0 = after[0, m[0], cand[k, 1]] if c == 0 else m[0]
    n1 = after[1, m[1], cand[k, 1]] if c == 1 else m[1]
    n2 = after[2, m[2], cand[k, 1]] if c == 2 else m[2]
    stride1 = length[2, n2]
    stride0 = length[1, n1] * stride1
    at[k, 0] = lanes * (offset[n0, n1, n2] + cand[k, 2] * (stride0 if c == 0 else stride1 if c == 1 else 1))
    at[k, 1] = lanes * stride0
    at[k, 2] = lanes * stride1


@jit
def fill_ends(values, triples, start, stop, offset, length, final, utility):
    """Values of some blocks of full sheets: `utility[lane, end total]`."""
    lanes = utility.shape[0]
    for i in range(start, stop):
        m = triples[i]
        at = lanes * offset[m[0], m[1], m[2]]
        for t0 in range(length[0, m[0]]):
            for t1 in range(length[1, m[1]]):
                for t2 in range(length[2, m[2]]):
                    end = end_value(t0, t1, t2, final)
                    for lane in range(lanes):
                        values[at] = utility[lane, end]
                        at += 1


@jit
def solve_blocks(
    values, later, triples, start, stop, offset, length, opens, label, after, lanes, weight, sums, roll_offset, scores,
    split, all_scores
):  # fmt: skip
    """Fill the values of some blocks of one layer from those of the next, `later` (with room for `LANES` more)."""
    cand = np.zeros((8192, 3), np.int64)
    at = np.zeros((8192, 3), np.int64)
    here = np.zeros(8192, np.int64)
    plus = np.zeros(8192)
    row_weight = np.zeros(512)
    row_start = np.zeros(513, np.int64)
    for i in range(start, stop):
        m = triples[i]
        l1 = length[1, m[1]]
        base = lanes * offset[m[0], m[1], m[2]]
        rows = list_rows(
            m, opens, label, weight, sums, roll_offset, scores, split, all_scores, row_weight, row_start, cand
        )
        n = row_start[rows]
        for k in range(n):
            locate(m, cand, k, offset, length, after, lanes, at)
        width = lanes * length[2, m[2]]
        for t0 in range(length[0, m[0]]):
            for t1 in range(l1):
                for k in range(n):
                    here[k] = at[k, 0] + t0 * at[k, 1] + t1 * at[k, 2]
                mean_of_best(
                    later, here, plus, row_start, row_weight, rows, 1.0, values, base + (t0 * l1 + t1) * width, width
                )


def chunks(sheet: Sheet, layer: int, parts: int) -> list[tuple[int, int]]:
    """Split a layer's blocks into runs of about equal numbers of states."""
    triples = sheet.layers[layer]
    size = np.cumsum(np.prod(np.take_along_axis(sheet.length, triples.T, axis=1), axis=0))
    cuts = np.unique(
        np.concatenate([[0], np.searchsorted(size, size[-1] * np.arange(1, parts) / parts), [len(triples)]])
    )
    return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))


def end_totals(rules: CaterpillarsRules) -> np.ndarray:
    """The utility that counts points: float64[max_score + 1]."""
    return np.arange(rules.max_score + 1, dtype=np.float64)


def rises(utility: np.ndarray) -> bool:
    """Whether no utility falls where the end total rises; then the best score of a box is never worse than others."""
    return bool((np.diff(utility, axis=-1) >= 0).all())


def layer_values(
    sheet: Sheet, rules: CaterpillarsRules, utility: np.ndarray, workers: int = 2, room: np.ndarray | None = None
) -> Iterator[tuple[int, np.ndarray]]:
    """Solve layer after layer, from full sheets to empty ones: pairs (layer, its values).

    Parameters
    ----------
    utility : float64[lanes, max_score + 1]
        What an end total is worth, for each lane.
    room : float64[sheet.size × lanes + LANES], optional
        Where all layers are kept, in order. Without it only two layers have room: one that was handed out is
        overwritten after the next.

    Yields
    ------
    layer : int
    values : float64[states of the layer × lanes]
    """
    lanes = utility.shape[0]
    r = Rolls(rules)
    final = FINALS.index(rules.final)
    all_scores = not rises(utility)
    starts = sheet.starts
    rings = [np.empty(lanes * max(sheet.sizes[i::2]) + LANES) for i in (0, 1)] if room is None else []
    later = np.empty(0)
    with ThreadPoolExecutor(workers) as pool:
        for layer in reversed(range(len(sheet.layers))):
            triples = sheet.layers[layer]
            start, stop = (lanes * starts[layer], lanes * starts[layer + 1]) if room is not None else (
                0, lanes * sheet.sizes[layer]
            )  # fmt: skip
            values = (rings[layer % 2] if room is None else room)[start:stop]

            def run(
                part: tuple[int, int],
                triples: np.ndarray = triples,
                values: np.ndarray = values,
                later: np.ndarray = later,
            ) -> None:
                if later.size == 0:
                    fill_ends(values, triples, *part, sheet.offset, sheet.length, final, utility)
                    return
                solve_blocks(
                    values, later, triples, *part, sheet.offset, sheet.length, sheet.opens, sheet.label, sheet.after,
                    lanes, r.weight, r.sums, r.offset, r.scores, r.split, all_scores,
                )  # fmt: skip

            if len(triples):
                list(pool.map(run, chunks(sheet, layer, 1 if workers == 1 else 4 * workers)))
            yield layer, values
            later = values


def solve(
    sheet: Sheet, rules: CaterpillarsRules, workers: int = 2, utility: np.ndarray | None = None
) -> list[np.ndarray]:
    """Optimal values of every state, by layer: float64[states of the layer] each."""
    room = np.empty(sheet.size + LANES)
    chosen = end_totals(rules) if utility is None else utility
    found = dict(layer_values(sheet, rules, chosen[None], workers, room))
    return [found[layer] for layer in range(len(sheet.layers))]
