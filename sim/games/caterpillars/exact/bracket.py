"""Expert on a full sheet: the value of optimal play between two proven bounds.

With 1,000 fillings of the bonus boxes a full sheet is out of reach of one machine. Two games with fewer fillings
are not (see `moves.Grid`): one in which the player may do less than the rules allow, one in which the player may do
more. Both are solved exactly, nothing is sampled; the rounding of each is added to the bound on its own side.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sim.errors import RulesError, whole_number
from sim.games.base import RulesModel
from sim.games.caterpillars.exact.bonus import MEMORY, Progress, Solved, Start
from sim.games.caterpillars.exact.moves import Grid, storable
from sim.games.caterpillars.exact.solution import numbers
from sim.games.caterpillars.rules import MAX_LABEL, CaterpillarsRules

#: at expert, as far as the rules let them be stored: values that may be stored in the smaller game, and what stored
#: numbers count as in the larger one
LOWER = (4, 5, 6, 10, 12)
UPPER = (4, 5, 6, 10, 12)


@dataclass(frozen=True)
class Bound:
    """One proven bound on the expected end total under optimal play.

    Attributes
    ----------
    value : float
        In points, the rounding of the computation included.
    grid : tuple of int
        Values of the bonus boxes.
    positions : int
        How many were solved.
    """

    value: float
    grid: tuple[int, ...]
    positions: int


@dataclass(frozen=True)
class Bracket:
    """Proven bounds on the expected end total under optimal play.

    Attributes
    ----------
    rules, labels
    lower, upper : float
        In points, the rounding of the computation included.
    lower_grid, upper_grid : tuple of int
        Values of the bonus boxes in the two games.
    """

    rules: CaterpillarsRules
    labels: tuple[int, ...]
    lower: float
    upper: float
    lower_grid: tuple[int, ...]
    upper_grid: tuple[int, ...]

    @property
    def gap(self) -> float:
        """Width of the bracket as a share of its lower end."""
        return self.upper / self.lower - 1


def bound(
    rules: CaterpillarsRules,
    labels: Sequence[int],
    side: str,
    grid: Sequence[int],
    *,
    workers: int = 2,
    progress: Progress | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    limit: int = 2 * MEMORY,
) -> Bound:
    """One side of `bracket`, ``lower`` or ``upper``."""
    if rules.zero_rule == "strict" or not rules.has_bonus:
        given = f"zero_rule = {rules.zero_rule} at level = {rules.level}"
        raise RulesError(f"{given} is not bracketed; accepted: forced or split, at advanced or expert")
    workers = whole_number("workers", workers, 1)
    every = storable(rules)
    values = tuple(sorted(set(grid)))
    if not set(values) <= set(every) or not values or (side == "upper" and max(values) < max(every)):
        needed = f", {max(every)} among them" if side == "upper" else ""
        accepted = f"accepted: some of {', '.join(map(str, every))}{needed}"
        raise RulesError(f"{side} = {list(values)} is not accepted; {accepted}")
    known = numbers("labels", labels, rules.rounds, 1, MAX_LABEL)
    n = rules.boxes
    place = Start((known[:n], known[n : 2 * n], known[2 * n :]), (0, 0, 0), (0, 0, 0))
    solved = Solved(
        rules,
        place,
        workers=workers,
        keep=0,
        grid=Grid(values, upper=side == "upper"),
        progress=progress,
        checkpoint=checkpoint,
        limit=limit,
    )
    error = solved.error_bound if side == "upper" else -solved.error_bound
    return Bound(solved.value(place) + error, values, solved.states)


def _default(rules: CaterpillarsRules, usual: Sequence[int]) -> list[int]:
    return [value for value in storable(rules) if value in usual or not rules.has_action]


def bracket(
    rules: Mapping[str, Any] | str | RulesModel | None,
    labels: Sequence[int],
    *,
    lower: Sequence[int] | None = None,
    upper: Sequence[int] | None = None,
    workers: int = 2,
    progress: Progress | None = None,
) -> Bracket:
    """Bracket the value of a labelled sheet at a level with bonus boxes.

    Parameters
    ----------
    rules, labels
        As for `sim.solve`.
    lower, upper : sequence of int, optional
        Values of the bonus boxes in the smaller and in the larger game. The more, the closer the bounds and the more
        memory and time: (values + 1)³ tables each. The largest value that can be stored must be in `upper`.
        Left out: at advanced every value that can be stored; at expert those of `LOWER` and `UPPER` that can.
    progress : callable(done, total), optional
        As for `BonusSolution.solve`, for one game after the other.

    Raises
    ------
    RulesError
        Under ``zero_rule = strict``, where a bonus write that is left out would make a zero legal; at levels without
        bonus boxes; where it takes too much memory.
    """
    parsed = CaterpillarsRules.parse(rules)
    assert isinstance(parsed, CaterpillarsRules)
    below, above = (_default(parsed, usual) if own is None else own for own, usual in ((lower, LOWER), (upper, UPPER)))
    low = bound(parsed, labels, "lower", below, workers=workers, progress=progress)
    high = bound(parsed, labels, "upper", above, workers=workers, progress=progress)
    return Bracket(parsed, tuple(int(x) for x in labels), low.value, high.value, low.grid, high.grid)
