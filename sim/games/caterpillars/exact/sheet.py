"""The state space of one labelled sheet without bonus boxes: filled boxes × three totals, as blocks in one long array.

A *block* is one triple of filled masks; inside it the values for all totals lie in order, the third caterpillar's
total fastest. Boxes with the
same label on the same caterpillar are interchangeable, so only masks in which the lower of them is filled first are
used (*canonical* masks).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np


@dataclass(frozen=True)
class Sheet:
    """Blocks of one labelled sheet.

    Attributes
    ----------
    labels : tuple of int
    boxes : int
        Boxes per caterpillar, n.
    step : int
        Largest score of one box, T.
    size : int
        Number of states.
    offset : int64[M, M, M]
        First state of each block (M = 2^n masks per caterpillar); −1 where a mask is not canonical.
    length : int64[M]
        Totals of a caterpillar with this mask: T × filled boxes + 1.
    filled : int64[3, M, 13]
        Mask after filling the first empty box with a label, per caterpillar; −1 if there is none.
    first : int64[3, M, n]
        1 where the box is the first empty one with its label.
    layers : list of int64[k, 3]
        Triples of canonical masks by number of filled boxes, 0 … 3n.
    """

    labels: tuple[int, ...]
    boxes: int
    step: int
    size: int
    offset: np.ndarray
    length: np.ndarray
    filled: np.ndarray
    first: np.ndarray
    layers: list[np.ndarray]


def build(labels: Sequence[int], boxes: int, step: int, merge: bool = True) -> Sheet:
    """Lay out the states of a sheet; with ``merge=False`` every mask has its block, equal labels or not."""
    masks = 1 << boxes
    pops = [mask.bit_count() for mask in range(masks)]
    filled = np.full((3, masks, 13), -1, np.int64)
    first = np.zeros((3, masks, boxes), np.int64)
    canonical: list[list[int]] = []
    for c in range(3):
        own = labels[c * boxes : (c + 1) * boxes]
        good = []
        for mask in range(masks):
            jumps = any(
                mask >> b & 1 and not mask >> a & 1 and own[a] == own[b] for b in range(boxes) for a in range(b)
            )
            if not (merge and jumps):
                good.append(mask)
            for b in range(boxes):
                if not mask >> b & 1 and filled[c, mask, own[b]] < 0:
                    filled[c, mask, own[b]] = mask | 1 << b
                    first[c, mask, b] = 1
        canonical.append(good)
    length = np.array([step * pop + 1 for pop in pops], np.int64)
    offset = np.full((masks, masks, masks), -1, np.int64)
    layers: list[list[tuple[int, int, int]]] = [[] for _ in range(3 * boxes + 1)]
    size = 0
    for m0, m1, m2 in product(*canonical):
        offset[m0, m1, m2] = size
        size += int(length[m0] * length[m1] * length[m2])
        layers[pops[m0] + pops[m1] + pops[m2]].append((m0, m1, m2))
    return Sheet(
        tuple(labels),
        boxes,
        step,
        size,
        offset,
        length,
        filled,
        first,
        [np.array(x, np.int64).reshape(-1, 3) for x in layers],
    )
