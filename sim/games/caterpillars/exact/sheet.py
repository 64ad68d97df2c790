"""The state space of labelled sheets without bonus boxes: what each caterpillar has still open × three totals.

What a position is worth depends on the labels still open and on the totals, not on which boxes they were. So a
caterpillar is a *node*: its open labels in the order of their boxes, and the number of boxes filled. A *block* is one
triple of nodes; inside it the values for all totals lie in order, the third caterpillar's total fastest. Boxes with the
same label on the same caterpillar are interchangeable: the lower one is filled first.

One labelled sheet is one root node per caterpillar. Sheets that differ in some labels share the nodes they run into, so
a *family* of sheets is solved as one graph with several roots.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

#: what tells a node from others: the open entries in order, and the number of filled boxes
Key = tuple[tuple[int, ...], int]
#: open labels of a node, each with the node after
Follow = Callable[[Key], list[tuple[int, Key]]]


@dataclass(frozen=True)
class Sheet:
    """Nodes and blocks of one labelled sheet or a family of them.

    M is the largest number of nodes of a caterpillar, n the number of boxes of each.

    Attributes
    ----------
    boxes : int
        Boxes per caterpillar, n.
    step : int
        Largest score of one box, T.
    index : list of dict, by caterpillar
        Node of a key (open labels in the order of their boxes, filled boxes).
    roots : list of list of int, by caterpillar
        Nodes with nothing filled, in the order in which their labels were given.
    pop : int64[3, M]
        Filled boxes.
    length : int64[3, M]
        Totals that are possible: T × filled boxes + 1.
    opens : int64[3, M]
        How many entries of `label` and `after` are in use: distinct open labels.
    label, after : int64[3, M, n]
        Open labels in the order of their boxes, and the node after filling the first box with that label.
    offset : int64[M, M, M]
        First state of each block within its layer.
    layers : list of int64[k, 3]
        Blocks by number of filled boxes, 0 … 3n.
    sizes : list of int
        States of each layer.
    """

    boxes: int
    step: int
    index: list[dict[Key, int]]
    roots: list[list[int]]
    pop: np.ndarray
    length: np.ndarray
    opens: np.ndarray
    label: np.ndarray
    after: np.ndarray
    offset: np.ndarray
    layers: list[np.ndarray]
    sizes: list[int]

    @property
    def size(self) -> int:
        """Number of states."""
        return sum(self.sizes)

    @property
    def starts(self) -> list[int]:
        """First state of each layer where all layers stand one after the other, and the end of the last."""
        return [0, *np.cumsum(self.sizes).tolist()]

    def state(self, nodes: Sequence[int], totals: Sequence[int]) -> tuple[int, int]:
        """Layer of a state, and its place within it."""
        a, b, c = nodes
        layer = int(self.pop[0, a] + self.pop[1, b] + self.pop[2, c])
        inside = (totals[0] * self.length[1, b] + totals[1]) * self.length[2, c] + totals[2]
        return layer, int(self.offset[a, b, c] + inside)


def _next_labels(key: Key) -> list[tuple[int, Key]]:
    """Distinct open labels of a node with the node after the first box of that label is filled."""
    opened, filled = key
    first = [i for i, label in enumerate(opened) if label not in opened[:i]]
    return [(opened[i], (opened[:i] + opened[i + 1 :], filled + 1)) for i in first]


def build(fulls: Sequence[Sequence[Sequence[int]]], step: int, ordered: bool = True) -> Sheet:
    """Lay out the states of a family: for each caterpillar, the labels that its boxes may have.

    Parameters
    ----------
    fulls : for each of 3 caterpillars a sequence of label lists, each of the same length n
    step : int
        Largest score of one box.
    ordered : bool
        True: nodes keep the order of boxes, by which ties between outcomes are broken. False: open labels are sorted,
        which makes fewer nodes with the same values.
    """
    roots, follow = _graph(fulls, ordered)
    return _lay_out(roots, len(fulls[0][0]), step, follow)


def layer_sizes(fulls: Sequence[Sequence[Sequence[int]]], step: int, ordered: bool = True) -> list[int]:
    """States of each layer of a family, without laying it out."""
    roots, follow = _graph(fulls, ordered)
    sizes = [1]
    for own in roots:
        totals = [0] * (len(fulls[0][0]) + 1)  # of one caterpillar, by filled boxes
        for _, filled in _reached(own, follow):
            totals[filled] += step * filled + 1
        mixed = [0] * (len(sizes) + len(totals) - 1)
        for i, a in enumerate(sizes):
            for j, b in enumerate(totals):
                mixed[i + j] += a * b
        sizes = mixed
    return sizes


def _graph(fulls: Sequence[Sequence[Sequence[int]]], ordered: bool) -> tuple[list[list[Key]], Follow]:
    def key(opened: tuple[int, ...], filled: int) -> Key:
        return (opened if ordered else tuple(sorted(opened))), filled

    def follow(node: Key) -> list[tuple[int, Key]]:
        return [(label, key(*after)) for label, after in _next_labels(node)]

    return [[key(tuple(full), 0) for full in own] for own in fulls], follow


def _reached(roots: Sequence[Key], follow: Follow) -> list[Key]:
    """All nodes that the roots of one caterpillar run into, the roots first."""
    found = dict.fromkeys(roots)
    fresh = list(found)
    while fresh:
        fresh = list(dict.fromkeys(after for key in fresh for _, after in follow(key) if after not in found))
        found.update(dict.fromkeys(fresh))
    return list(found)


def _lay_out(roots: list[list[Key]], boxes: int, step: int, follow: Follow) -> Sheet:
    """Number all nodes that the roots run into, and give every triple its place."""
    index: list[dict[Key, int]] = []
    for own in roots:
        index.append({key: i for i, key in enumerate(_reached(own, follow))})
    most = max(map(len, index))
    pop, opens = np.zeros((2, 3, most), np.int64)
    label, after = np.zeros((2, 3, most, boxes), np.int64)
    for c, nodes in enumerate(index):
        for key, node in nodes.items():
            moves = follow(key)
            pop[c, node] = key[1]
            opens[c, node] = len(moves)
            for j, (entry, then) in enumerate(moves):
                label[c, node, j] = entry
                after[c, node, j] = nodes[then]
    length = step * pop + 1
    offset = np.full((most, most, most), -1, np.int64)
    counts = [len(nodes) for nodes in index]
    filled = (pop[0, : counts[0], None, None] + pop[1, : counts[1], None] + pop[2, : counts[2]]).ravel()
    states = (length[0, : counts[0], None, None] * length[1, : counts[1], None] * length[2, : counts[2]]).ravel()
    layers, sizes = [], []
    for layer in range(3 * boxes + 1):
        at = np.flatnonzero(filled == layer)
        where = np.unravel_index(at, tuple(counts))
        ends = np.cumsum(states[at])
        offset[where] = ends - states[at]
        layers.append(np.stack(where, axis=1).astype(np.int64))
        sizes.append(int(ends[-1]) if ends.size else 0)
    nodes_of_roots = [[index[c][key] for key in own] for c, own in enumerate(roots)]
    return Sheet(boxes, step, index, nodes_of_roots, pop, length, opens, label, after, offset, layers, sizes)
