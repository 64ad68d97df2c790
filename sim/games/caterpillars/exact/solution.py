"""`sim.solve("caterpillars", …)`: exact optimal play for one labelled sheet at beginner and intermediate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.engine.lanes import LANES
from sim.errors import InputError, RulesError, whole_number
from sim.games.base import RulesModel
from sim.games.caterpillars.exact.candidates import list_outcomes
from sim.games.caterpillars.exact.moves import storable
from sim.games.caterpillars.exact.pmf import TIE, optimal_pmf
from sim.games.caterpillars.exact.sheet import Sheet, build
from sim.games.caterpillars.exact.thresholds import best_chances
from sim.games.caterpillars.exact.values import PRODUCTS, end_totals, solve
from sim.games.caterpillars.rules import MAX_LABEL, CaterpillarsRules

if TYPE_CHECKING:
    from sim.games.caterpillars.exact.advanced import BonusSolution


def numbers(name: str, values: object, size: int, low: int, high: int) -> tuple[int, ...]:
    """`values` as a tuple of `size` whole numbers in [low, high], or `InputError`."""
    accepted = f"accepted: {size} whole numbers from {low} to {high}"
    try:
        # a truth value of NumPy's is no index
        out = tuple(int(v) if isinstance(v, np.bool_) else int(v.__index__()) for v in values)  # type: ignore[attr-defined]
    except (TypeError, AttributeError):
        given = " ".join(repr(values).split())  # arrays are shown in several lines
        raise InputError(f"{name} = {given} is not accepted; {accepted}") from None
    if len(out) != size or any(not low <= v <= high for v in out):
        raise InputError(f"{name} = {list(out)} is not accepted; {accepted}")
    return out


def check_position(
    rules: CaterpillarsRules, filled: Sequence[bool], totals: Sequence[int], bonus: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, int, int], tuple[int, int, int]]:
    """A position before a roll as whole numbers (filled boxes, totals, bonus boxes), or `InputError`."""
    n = rules.boxes
    done = numbers("filled", filled, rules.rounds, 0, 1)
    sums = numbers("totals", totals, 3, 0, n * rules.max_entry)
    stored = numbers("bonus", bonus, 3, 0, rules.max_bonus)
    accepted = [0, *storable(rules)]
    if any(x not in accepted for x in stored):
        raise InputError(f"bonus = {list(stored)} is not accepted; accepted: {', '.join(map(str, accepted))}")
    if sum(x > 0 for x in stored) > sum(done):
        raise InputError(
            f"bonus = {list(stored)} with {sum(done)} boxes filled; accepted: at most one bonus write a round"
        )
    for c in range(3):
        most = rules.max_entry * sum(done[c * n : (c + 1) * n])
        if sums[c] > most:
            limit = f"accepted: 0 to {most} with the boxes filled so far"
            raise InputError(f"totals[{c}] = {sums[c]} is not accepted; {limit}")
    return done, (sums[0], sums[1], sums[2]), (stored[0], stored[1], stored[2])


def _utility(values: object, rules: CaterpillarsRules) -> np.ndarray:
    """`values` as float64[max_score + 1], or `InputError`."""
    accepted = f"accepted: {rules.max_score + 1} finite numbers, for end totals 0 to {rules.max_score}"
    try:
        out = np.array(values, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"utility = {values!r} is not accepted; {accepted}") from None
    if out.shape != (rules.max_score + 1,):
        raise InputError(f"utility of shape {list(out.shape)} is not accepted; {accepted}")
    odd = np.flatnonzero(~np.isfinite(out))
    if odd.size:
        raise InputError(f"utility[{odd[0]}] = {out[odd[0]]} is not finite; {accepted}")
    return out


class SheetSolution:
    """Optimal solo play for one labelled sheet.

    Attributes
    ----------
    rules : CaterpillarsRules
    labels : tuple of int
    value : float
        Expected end total under optimal play, in points.
    error_bound : float
        Proven bound on ``|value − truth|``.

    Parameters
    ----------
    utility : sequence of float, length max_score + 1, optional
        What each end total is worth. Then play is optimal for the mean of that, and `value` and the values of `best`
        are in its unit. Default: points.
    """

    def __init__(
        self,
        rules: CaterpillarsRules,
        labels: Sequence[int],
        workers: int = 2,
        utility: Sequence[float] | np.ndarray | None = None,
    ) -> None:
        if rules.has_bonus:
            raise RulesError(f"level = {rules.level} is not solved exactly; accepted: beginner, intermediate")
        self.rules = rules
        self.labels = numbers("labels", labels, rules.rounds, 1, MAX_LABEL)
        n = rules.boxes
        self._workers = whole_number("workers", workers, 1)
        self._sheet: Sheet = build([[self.labels[c * n : (c + 1) * n]] for c in range(3)], rules.max_entry)
        worth = end_totals(rules) if utility is None else _utility(utility, rules)
        self._values = solve(self._sheet, rules, self._workers, worth)
        self.value = float(self._values[0][0])
        self.error_bound = rules.rounds * PRODUCTS * 2.0**-53 * float(np.abs(worth).max())

    @cached_property
    def pmf(self) -> np.ndarray:
        """Probability of each end total under optimal play: float64[max_score + 1]."""
        return optimal_pmf(self._sheet, self.rules, self._values, self._workers)

    def thresholds(self) -> np.ndarray:
        """Best chance of an end total of at least m, for m = 0 … max_score: float64[max_score + 1]; see
        `thresholds.best_chances`.
        """
        return best_chances(self._sheet, self.rules, self._workers)

    def _node(self, c: int, filled: Sequence[int]) -> int:
        """Node of a caterpillar by which of its boxes are filled."""
        n = self.rules.boxes
        opened = list(self.labels[c * n : (c + 1) * n])
        gone = [label for label, done in zip(opened, filled, strict=True) if done]
        for label in gone:  # interchangeable boxes: the lower ones count as filled first
            opened.remove(label)
        return self._sheet.index[c][tuple(opened), len(gone)]

    def state_value(self, filled: Sequence[bool], totals: Sequence[int]) -> float:
        """Expected end total from a position, before the roll."""
        done, sums, _ = check_position(self.rules, filled, totals, (0, 0, 0))
        return self._value(done, sums)

    def _value(self, filled: Sequence[int], totals: Sequence[int]) -> float:
        n = self.rules.boxes
        nodes = [self._node(c, filled[c * n : (c + 1) * n]) for c in range(3)]
        layer, at = self._sheet.state(nodes, totals)
        return float(self._values[layer][at])

    def kernel_table(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The value of every position as plain arrays, for a player that looks them up.

        Before a roll, with nodes a, b, c of the three caterpillars and totals t0, t1, t2, a position is worth
        ``values[place[a, b, c] + (t0 × length[1, b] + t1) × length[2, c] + t2]``.

        Returns
        -------
        values : float64[states]
            In the unit of `value`; the memory is shared with this solution.
        place : int64[M, M, M]
            First value of a triple of nodes.
        length : int64[3, M]
            Totals that a node can have, 0 … length − 1.
        node : int64[3, 2^n]
            Node of a caterpillar by its empty boxes: bit b is set where box b of its n boxes is empty.
        """
        sheet, n = self._sheet, self.rules.boxes
        room = self._values[0].base  # the layers stand one after the other in one array
        values = (
            room[: sheet.size] if room is not None and room.size == sheet.size + LANES else np.concatenate(self._values)
        )
        layer = sheet.pop[0][:, None, None] + sheet.pop[1][:, None] + sheet.pop[2]
        starts = np.array(sheet.starts[:-1], np.int64)
        place = np.where(sheet.offset < 0, -1, sheet.offset + starts[np.minimum(layer, 3 * n)])
        node = np.array(
            [[self._node(c, [not mask >> b & 1 for b in range(n)]) for mask in range(1 << n)] for c in range(3)]
        )
        return values, place, sheet.length, node

    def best(
        self,
        *,
        filled: Sequence[bool],
        totals: Sequence[int],
        dice: Sequence[int],
        bonus: Sequence[int] = (0, 0, 0),
        face: str | None = None,
    ) -> list[tuple[tuple[int, int, int, int], float]]:
        """Outcomes of a roll with the expected end total that follows, best first (ties within 1e-9 in sorted order).

        Parameters
        ----------
        filled : sequence of bool, length 3 × boxes
        totals : sequence of int, length 3
            Sum of the scores of each caterpillar.
        dice : sequence of int
        bonus, face
            Not used at these levels: (0, 0, 0) and None.
        """
        rules = self.rules
        n = rules.boxes
        done, sums, _ = check_position(rules, filled, totals, bonus)
        rolled = numbers("dice", dice, rules.dice, 1, 6)
        if face is not None:
            raise InputError(f"face = {face!r} at level {rules.level} is not accepted; accepted: None")
        ranked = []
        for outcome in list_outcomes(rules, self.labels, done, (0, 0, 0), rolled, face):
            _, _, b, score = outcome
            after = list(done)
            after[b] = 1
            total = list(sums)
            total[b // n] += score
            ranked.append((outcome, self._value(after, total)))
        ranked.sort(key=lambda pair: -pair[1])
        return stable(ranked)


def stable(ranked: list[tuple[tuple[int, int, int, int], float]]) -> list[tuple[tuple[int, int, int, int], float]]:
    """Put outcomes whose values agree within `TIE` of the first of their run in sorted order."""
    out: list[tuple[tuple[int, int, int, int], float]] = []
    start = 0
    for i in range(1, len(ranked) + 1):
        if i == len(ranked) or ranked[start][1] - ranked[i][1] > TIE:
            out += sorted(ranked[start:i])
            start = i
    return out


def solve_sheet(
    rules: Mapping[str, Any] | str | RulesModel | None,
    labels: Sequence[int],
    workers: int = 2,
    utility: Sequence[float] | None = None,
) -> SheetSolution | BonusSolution:
    """Solve one labelled sheet; see `SheetSolution`, and `BonusSolution` for advanced and expert."""
    from sim.games.caterpillars.exact.advanced import BonusSolution

    parsed = CaterpillarsRules.parse(rules)
    assert isinstance(parsed, CaterpillarsRules)
    if parsed.has_bonus:
        if utility is not None:
            raise RulesError(f"utility at level = {parsed.level} is not solved; accepted: beginner, intermediate")
        return BonusSolution(parsed, labels, workers)
    return SheetSolution(parsed, labels, workers, utility)
