"""The whole game of one player, set-up decisions included: `sim.solve("caterpillars", …)` without labels.

All labellings that the set-up can produce are solved as one family of sheets (`Sheet` with many roots): two layers of
values live at a time, and what is left is the value of every labelling. The rolls of the set-up are then averaged with
optimal placement between them (`setup`).

Caterpillars with the same printed numbers can be exchanged without changing a value, so labellings that differ only in
that are told once, with the caterpillars in sorted order; chances of both are summed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.errors import InputError, RulesError, whole_number
from sim.games.base import RulesModel
from sim.games.caterpillars.exact.follow import value_square_zeros
from sim.games.caterpillars.exact.pmf import TIE, optimal_pmf
from sim.games.caterpillars.exact.setup import fillings, offers, placement_chances, placement_values
from sim.games.caterpillars.exact.sheet import Sheet, build, layer_sizes
from sim.games.caterpillars.exact.solution import numbers, stable
from sim.games.caterpillars.exact.values import PRODUCTS, end_totals, layer_values, solve
from sim.games.caterpillars.rules import MAX_LABEL, CaterpillarsRules

if TYPE_CHECKING:
    import polars as pl

#: room for tables of values, in gigabytes, unless told otherwise
MEMORY = 8.0

#: one way to write a roll of the set-up: pairs (value, box), sorted
Placement = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class PlacementTable:
    """What optimal placement reads, as plain arrays.

    A caterpillar's *filling* is the multiset of values written on its blanks; fillings are numbered, 0 is empty.

    Attributes
    ----------
    value : float64[N0, N1, N2]
        Expected end total under optimal play from here on, by the fillings of the three caterpillars, after every whole
        roll of the set-up; NaN between rolls.
    add : int64[3, N, 13]
        Filling after one more value is written: `add[c, filling, value]`; −1 where that is impossible.
    """

    value: np.ndarray
    add: np.ndarray


class WholeSolution:
    """Optimal solo play of the whole game.

    Attributes
    ----------
    rules : CaterpillarsRules
    value : float
        Expected end total, in points, before the first roll of the set-up.
    error_bound : float
        Proven bound on ``|value − truth|``, and on that of every labelling.
    states : int
        Positions of the family of sheets.
    placement : PlacementTable
    """

    def __init__(self, rules: CaterpillarsRules, workers: int = 2, memory: float = MEMORY) -> None:
        self.rules = rules
        self._workers = whole_number("workers", workers, 1)
        self._memory = memory
        sheet = self._lay_out()
        self.states = sheet.size
        first = np.empty(0)
        for _, values in layer_values(sheet, rules, end_totals(rules)[None], self._workers):
            first = values
        value = placement_values(rules, self._parts, self._by_labelling(sheet, first))
        self.placement = PlacementTable(value, self._parts.add)
        self.value = float(value[0, 0, 0])
        self.error_bound = (rules.rounds + rules.setup_rolls) * PRODUCTS * 2.0**-53 * rules.max_score

    @classmethod
    def positions(cls, rules: CaterpillarsRules, memory: float = MEMORY) -> int:
        """How many positions the family of sheets has; `RulesError` where it is not solved. Solves nothing."""
        self = cls.__new__(cls)
        self.rules = rules
        self._memory = memory
        return self._lay_out().size

    def _lay_out(self) -> Sheet:
        rules = self.rules
        if rules.has_bonus:
            raise RulesError(
                f"level = {rules.level} is not solved with its set-up; accepted: beginner, intermediate, or labels"
            )
        self._parts = fillings(rules)
        self._full = [self._parts.full(c) for c in range(3)]
        return self._family("the whole game", ordered=False, room=two_layers)

    def _arrangement(self, c: int, filling: int) -> tuple[int, ...]:
        """Labels of a caterpillar: the printed ones, and the filling's values on the blanks, ascending."""
        n = self.rules.boxes
        values = iter(self._parts.items[c][filling])
        return tuple(label or next(values) for label in self.rules.printed[c * n : (c + 1) * n])

    def _family(self, what: str, ordered: bool, room: Callable[[list[int]], int]) -> Sheet:
        """All sheets as one graph; `RulesError` if memory cannot hold `room` doubles for layers of such sizes."""
        fulls = [[self._arrangement(c, filling) for filling in self._full[c]] for c in range(3)]
        sizes = layer_sizes(fulls, self.rules.max_entry, ordered)
        need = 8 * room(sizes) / 1e9
        if need > self._memory:
            raise RulesError(
                f"{what} on this sheet at {self.rules.level} has {sum(sizes):.3g} positions and takes {need:.3g} GB; "
                f"accepted: up to memory = {self._memory:g} GB, fewer blanks or boxes, or labels"
            )
        return build(fulls, self.rules.max_entry, ordered)

    def _by_labelling(self, sheet: Sheet, first: np.ndarray) -> np.ndarray:
        """Numbers of the first layer as [F0, F1, F2], by the full fillings of each caterpillar."""
        return first[sheet.offset[np.ix_(*sheet.roots)]]

    @cached_property
    def chances(self) -> np.ndarray:
        """Probability of every triple of fillings under optimal set-up, same shape as ``placement.value``."""
        return placement_chances(self.rules, self._parts, self.placement.value)

    def _labelling_chances(self) -> np.ndarray:
        return self.chances[np.ix_(*self._full)]

    @cached_property
    def _distinct(self) -> tuple[np.ndarray, np.ndarray]:
        """Labellings up to exchange of equal caterpillars, int64[k, 3] of positions among the full fillings; and the
        number of each labelling's representative, int64[F0, F1, F2].
        """
        n = self.rules.boxes
        own = [self.rules.printed[c * n : (c + 1) * n] for c in range(3)]
        shape = tuple(map(len, self._full))
        grid = np.indices(shape).reshape(3, -1)
        least = np.arange(grid.shape[1])
        for order in permutations(range(3)):
            if all(own[c] == own[order[c]] for c in range(3)):
                least = np.minimum(least, np.ravel_multi_index(tuple(grid[list(order)]), shape))
        chosen, number = np.unique(least, return_inverse=True)
        return grid.T[chosen], number.reshape(shape)

    def _rows(self, numbers_of: np.ndarray) -> np.ndarray:
        places, _ = self._distinct
        return numbers_of[tuple(places.T)]

    @cached_property
    def labellings(self) -> pl.DataFrame:
        """All distinct labellings: ``labels`` (list of 3 × boxes numbers: printed, and blanks ascending within each
        caterpillar), ``value`` (points), ``chance`` (that optimal set-up ends there). Highest value first.
        """
        return self._frame({})

    @cached_property
    def atlas(self) -> pl.DataFrame:
        """`labellings` with ``sd`` (of the end total, points) and ``zero_share`` (expected share of rounds in which a
        zero is written), both under optimal play.
        """
        sheet = self._family("the atlas", ordered=True, room=lambda sizes: 3 * two_layers(sizes))
        value, square, zeros = value_square_zeros(sheet, self.rules, self._workers)
        spread = np.sqrt(np.maximum(square - value**2, 0.0))
        return self._frame(
            {
                "sd": self._by_labelling(sheet, spread),
                "zero_share": self._by_labelling(sheet, zeros) / self.rules.rounds,
            }
        )

    def _frame(self, more: Mapping[str, np.ndarray]) -> pl.DataFrame:
        import polars as pl

        places, number = self._distinct
        labels = [
            [label for c in range(3) for label in self._arrangement(c, self._full[c][place[c]])]
            for place in places.tolist()
        ]
        value = self.placement.value[np.ix_(*self._full)]
        frame = pl.DataFrame(
            {
                "labels": labels,
                "value": self._rows(value),
                **{name: self._rows(column) for name, column in more.items()},
                "chance": np.bincount(number.ravel(), self._labelling_chances().ravel()),
            },
            schema_overrides={"labels": pl.List(pl.Int64)},
        )
        order = np.lexsort((np.arange(len(labels)), -frame["value"].to_numpy().round(9)))
        return frame[order.tolist()]

    @cached_property
    def pmf(self) -> np.ndarray | None:
        """Probability of each end total when set-up and play are optimal: float64[max_score + 1].

        Keeps the values of all positions at once; None where they do not fit into ``memory``.
        """
        try:
            # all values, and the probabilities of two layers
            sheet = self._family("its distribution", ordered=True, room=lambda sizes: sum(sizes) + 2 * max(sizes))
        except RulesError:
            return None
        values = solve(sheet, self.rules, self._workers)
        begin = np.zeros(sheet.sizes[0])
        np.add.at(begin, sheet.offset[np.ix_(*sheet.roots)], self._labelling_chances())
        return optimal_pmf(sheet, self.rules, values, self._workers, begin, parts=1)

    def place(self, labels: Sequence[int], roll: Sequence[int]) -> list[tuple[Placement, float]]:
        """Ways to write a roll of the set-up with the expected end total that follows, best first (ties within 1e-9 in
        sorted order).

        Parameters
        ----------
        labels : sequence of int, length 3 × boxes
            Labels so far, 0 = blank; whole rolls.
        roll : sequence of int, length 3

        Returns
        -------
        list of (placement, float)
            A placement is a sorted tuple of (value, box). Blanks of one caterpillar are interchangeable: the lowest are
            written, in ascending order of values.
        """
        dice = tuple(sorted(numbers("roll", roll, 3, 1, 6)))
        now = self._fillings_of(labels)
        given = offers(self.rules)
        r = given.rolls.index((dice[0], dice[1], dice[2]))
        found: dict[Placement, float] = {}
        for values in given.values[r, : given.count[r]].tolist():
            for to in np.ndindex(*(3,) * len(values)):
                after = list(now)
                for c, value in zip(to, values, strict=True):
                    after[c] = int(self._parts.add[c, after[c], value]) if after[c] >= 0 else -1
                if min(after) >= 0:
                    found[self._boxes(labels, to, values)] = float(self.placement.value[tuple(after)])
        # `stable` speaks of outcomes; any sortable key will do
        ranked: Any = sorted(found.items(), key=lambda pair: -pair[1])
        return stable(ranked)  # type: ignore[return-value]

    def _fillings_of(self, labels: Sequence[int]) -> list[int]:
        rules = self.rules
        n = rules.boxes
        own = numbers("labels", labels, rules.rounds, 0, MAX_LABEL)
        now = []
        for box, (label, printed) in enumerate(zip(own, rules.printed, strict=True)):
            if printed and label != printed:
                raise InputError(f"labels[{box}] = {label} is not accepted; accepted: {printed}, as printed")
        for c in range(3):
            filling = 0
            for b in range(c * n, (c + 1) * n):
                if own[b] and not rules.printed[b]:
                    filling = int(self._parts.add[c, filling, own[b]])
                    if filling < 0:
                        raise InputError(f"labels[{b}] = {own[b]} is not accepted; accepted: what set-up dice can give")
            now.append(filling)
        written = sum(int(self._parts.size[c, now[c]]) for c in range(3))
        whole = range(0, rules.blanks, rules.labels_per_roll)
        if written not in whole:
            accepted = ", ".join(map(str, whole)) or "none: this sheet has no blanks"
            raise InputError(f"labels hold {written} written values; accepted before a roll: {accepted}")
        return now

    def _boxes(self, labels: Sequence[int], to: Sequence[int], values: Sequence[int]) -> Placement:
        n = self.rules.boxes
        blank = [iter([b for b in range(c * n, (c + 1) * n) if not labels[b]]) for c in range(3)]
        return tuple(sorted((value, next(blank[c])) for c, value in zip(to, values, strict=True)))


def two_layers(sizes: list[int]) -> int:
    """Room for the values of two neighbouring layers, whichever they are."""
    return max(sizes[0::2]) + max(sizes[1::2])


def solve_whole(
    rules: Mapping[str, Any] | str | RulesModel | None, workers: int = 2, memory: float = MEMORY
) -> WholeSolution:
    """Solve the whole game of one player; see `WholeSolution`."""
    parsed = CaterpillarsRules.parse(rules)
    assert isinstance(parsed, CaterpillarsRules)
    if isinstance(memory, bool) or not isinstance(memory, int | float) or not memory > 0:
        raise InputError(f"memory = {memory!r} is not accepted; accepted: gigabytes, more than 0")
    return WholeSolution(parsed, workers, memory)


__all__ = ["MEMORY", "TIE", "PlacementTable", "WholeSolution", "solve_whole"]
