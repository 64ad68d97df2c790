"""The positions that can follow one position of a labelled sheet, layer by layer.

A *node* of a caterpillar is the collection of labels of its empty boxes: values depend on nothing else but the
totals, so boxes with equal labels are one. A *block* is a triple of nodes; inside it the values for all totals lie in
order, the third caterpillar's total fastest. A *layer* is all blocks with the same number of boxes filled since the
start; it depends only on the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

#: most nodes of one caterpillar
NODES = 16


@dataclass(frozen=True)
class Graph:
    """Blocks of what can follow one position.

    Attributes
    ----------
    open : tuple of three tuples of int
        Labels of the empty boxes of each caterpillar at the start.
    node : list of three dict
        Number of the node with these empty boxes (labels ascending).
    length : int64[3, 16]
        Totals that a node can have gained: step × boxes filled + 1.
    labels : int64[3, 16, 4], labels_count : int64[3, 16]
        Distinct labels of a node, ascending.
    after : int64[3, 16, 13]
        Node after filling a box with a label; −1 if there is none.
    offset : int64[16, 16, 16]
        First value of a block in its layer; −1 for triples that do not occur.
    layers : list of int64[blocks, 3]
        Blocks by boxes filled.
    size : list of int
        Values of one table in each layer.
    """

    open: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    node: list[dict[tuple[int, ...], int]]
    length: np.ndarray
    labels: np.ndarray
    labels_count: np.ndarray
    after: np.ndarray
    offset: np.ndarray
    layers: list[np.ndarray]
    size: list[int]


def build(opened: Sequence[Sequence[int]], step: int) -> Graph:
    """Lay out the blocks for empty boxes with these labels; a box brings at most `step` points."""
    start = tuple(tuple(sorted(x)) for x in opened)
    length = np.zeros((3, NODES), np.int64)
    labels = np.zeros((3, NODES, 4), np.int64)
    count = np.zeros((3, NODES), np.int64)
    after = np.full((3, NODES, 13), -1, np.int64)
    node: list[dict[tuple[int, ...], int]] = []
    for c, full in enumerate(start):
        kinds = sorted(
            {sub for k in range(len(full), -1, -1) for sub in combinations(full, k)}, key=lambda s: (-len(s), s)
        )
        number = {sub: i for i, sub in enumerate(kinds)}
        for sub, i in number.items():
            length[c, i] = step * (len(full) - len(sub)) + 1
            distinct = sorted(set(sub))
            count[c, i] = len(distinct)
            labels[c, i, : len(distinct)] = distinct
            for label in distinct:
                rest = list(sub)
                rest.remove(label)
                after[c, i, label] = number[tuple(rest)]
        node.append(number)
    rounds = sum(len(x) for x in start)
    layers: list[list[tuple[int, int, int]]] = [[] for _ in range(rounds + 1)]
    size = [0] * (rounds + 1)
    offset = np.full((NODES, NODES, NODES), -1, np.int64)
    for (s0, i), (s1, j), (s2, k) in product(*(number.items() for number in node)):
        layer = rounds - len(s0) - len(s1) - len(s2)
        offset[i, j, k] = size[layer]
        size[layer] += int(length[0, i] * length[1, j] * length[2, k])
        layers[layer].append((i, j, k))
    return Graph(
        (start[0], start[1], start[2]),
        node,
        length,
        labels,
        count,
        after,
        offset,
        [np.array(x, np.int64) for x in layers],
        size,
    )
