"""What a policy loses against optimal play, by round and by kind of decision, exactly.

At a position and a roll, every outcome is worth the optimal expected end total of the position it leads to. The *loss*
of an outcome is the best of these values less its own. It is cut into kinds, one decision after the other:

===== =====================================================================================
bonus best of all outcomes − best with the same bonus choice (which box, which value, or none)
split best with the same bonus choice − best of those with the same label sum and score; a butterfly's total is such a
      split for boxes of any label, and so is a zero: a zero where an entry was legal is a loss of this kind
box   best with the same bonus choice, label sum and score − the outcome chosen: which of the boxes
zero  the same among zeros: which box gets it
===== =====================================================================================

The *regret* is the expectation over rolls, over the policy's own positions and over its own chances. The mean of the
best values over all rolls is the value of the position, so the losses of all rounds add up to the optimal value less
the policy's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sim.games.base import Policy
from sim.games.caterpillars.exact import moves
from sim.games.caterpillars.exact.bonus import Solved, Start
from sim.games.caterpillars.exact.choices import list_choices
from sim.games.caterpillars.exact.policy import Followed, Spot, follow
from sim.games.caterpillars.exact.push import KINDS, Worth
from sim.games.caterpillars.exact.solution import SheetSolution
from sim.games.caterpillars.rules import CaterpillarsRules

if TYPE_CHECKING:
    import polars as pl


class Regret:
    """Regret of a policy from one position of a labelled sheet.

    Attributes
    ----------
    lost : float64[rounds left, 4]
        Points, by round and by `push.KINDS`.
    optimal : float
        Expected end total under optimal play.
    error_bound : float
        Proven bound on the error of every entry of `lost`, and of their sum.
    """

    def __init__(
        self, rules: CaterpillarsRules, labels: Sequence[int], policy: Policy, spot: Spot, workers: int = 2
    ) -> None:
        self.rules = rules
        self.spot = spot
        solve = _bonus_worth if rules.has_bonus else _sheet_worth
        worths, self.optimal, value_error = solve(rules, labels, spot, workers)
        found: Followed = follow(labels, rules, policy, spot, worths)
        self.lost = found.lost
        # a loss is a difference of two values. In the sum over rounds all values cancel but the first, and what each
        # round was rounded by, which is no more than the bound on the first value
        self.error_bound = 2 * value_error + 2 * found.error * rules.max_score

    def frame(self) -> pl.DataFrame:
        """One row per round and kind: ``round`` (1, 2, …), ``kind``, ``points``."""
        import polars as pl

        first = sum(self.spot.filled) + 1
        kinds = [i for i, kind in enumerate(KINDS) if kind != "bonus" or self.rules.has_bonus]
        return pl.DataFrame(
            [
                {"round": first + i, "kind": KINDS[kind], "points": float(row[kind])}
                for i, row in enumerate(self.lost)
                for kind in kinds
            ],
            schema={"round": pl.Int64, "kind": pl.String, "points": pl.Float64},
        )


Worths = tuple[Callable[[int], Worth], float, float]


def _worth(*arrays: np.ndarray) -> Worth:
    """One layout in memory, so that the kernel is compiled once."""
    values, at, plus, first, wide = map(np.ascontiguousarray, arrays)
    return Worth(values, at, plus, first, wide)


def _sheet_worth(rules: CaterpillarsRules, labels: Sequence[int], spot: Spot, workers: int) -> Worths:
    """Values layer by layer, that of the spot, and their error, at beginner and intermediate."""
    solution = SheetSolution(rules, labels, workers)
    sheet, node = solution._sheet, solution.kernel_table()[3][:, ::-1]  # by filled boxes instead of empty ones
    n0, n1, n2 = np.ix_(*node)
    wide = np.take_along_axis(sheet.length, node, axis=1)
    t0, t1, t2 = spot.totals
    first = sheet.offset[n0, n1, n2] + (t0 * wide[1][:, None] + t1) * wide[2] + t2
    nothing = np.zeros(1, np.int64)
    done = sum(spot.filled)

    def worths(layer: int) -> Worth:
        return _worth(solution._values[done + layer], nothing, np.zeros(1), first, wide)

    return worths, solution.state_value([bool(f) for f in spot.filled], spot.totals), solution.error_bound


def _bonus_worth(rules: CaterpillarsRules, labels: Sequence[int], spot: Spot, workers: int) -> Worths:
    """The same at the levels with bonus boxes, where values are kept in fixed point."""
    n = rules.boxes
    own = [tuple(labels[c * n : c * n + n]) for c in range(3)]
    opened = [tuple(sorted(x for x, f in zip(own[c], spot.filled[c * n :], strict=False) if not f)) for c in range(3)]
    start = Start((opened[0], opened[1], opened[2]), spot.totals, spot.bonus)
    solved = Solved(rules, start, workers=workers, keep=len(labels))
    graph = solved.graph
    node = np.zeros((3, 1 << n), np.int64)
    for c in range(3):
        for mask in range(1 << n):
            rest = tuple(sorted(label for b, label in enumerate(own[c]) if not mask >> b & 1))
            node[c, mask] = graph.node[c].get(rest, 0)  # sheets that cannot follow are never looked up
    n0, n1, n2 = np.ix_(*node)
    first = graph.offset[n0, n1, n2]
    wide = np.take_along_axis(graph.length, node, axis=1)
    number = {table: i for i, table in enumerate(solved.moves.tables)}
    settled = [moves.settle((x, y, z), rules) for x, y, z in list_choices(rules).bonus.tolist()]
    row = np.array([number.get(table, 0) for table, _ in settled], np.int64)
    plus = np.array([float(points) for _, points in settled])

    def worths(layer: int) -> Worth:
        values = solved.layers[layer].ravel() / solved.scale
        return _worth(values, row * graph.size[layer], plus, first, wide)

    return worths, solved.value(start), solved.error_bound
