"""`sim.solve("caterpillars", …)` at advanced and expert: exact optimal play for one labelled sheet."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NoReturn

from sim.errors import InputError, RulesError, whole_number
from sim.games.caterpillars.exact.bonus import KEEP, MEMORY, Progress, Solved, Start, precision
from sim.games.caterpillars.exact.candidates import Outcome, list_outcomes
from sim.games.caterpillars.exact.solution import check_position, numbers, stable
from sim.games.caterpillars.rules import FACES, MAX_LABEL, CaterpillarsRules


class BonusSolution:
    """Optimal solo play for one labelled sheet at a level with bonus boxes.

    Nothing is solved before it is asked for: `value` solves the whole sheet (minutes at advanced, with 4 boxes a
    caterpillar), `best` and `state_value` solve what can follow the position, quick once a few boxes are filled.

    Attributes
    ----------
    rules : CaterpillarsRules
    labels : tuple of int
    value : float
        Expected end total under optimal play, in points.
    error_bound : float
        Proven bound on ``|value − truth|`` for every value given.
    pmf : None
        Distributions are not solved at these levels.
    """

    pmf = None

    def __init__(self, rules: CaterpillarsRules, labels: Sequence[int], workers: int = 2) -> None:
        self.rules = rules
        self.labels = numbers("labels", labels, rules.rounds, 1, MAX_LABEL)
        self.workers = whole_number("workers", workers, 1)
        self._solved: Solved | None = None
        self._late: Solved | None = None

    def solve(
        self,
        progress: Progress | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        limit: int = 2 * MEMORY,
    ) -> Solved:
        """Solve the whole sheet.

        Parameters
        ----------
        progress : callable(done, total), optional
            Called now and then with numbers of states.
        checkpoint : path, optional
            Folder that holds the last finished layer: a call after an interruption goes on there.
        limit : int
            Bytes this folder may take.

        Raises
        ------
        RulesError
            If it takes more memory than accepted.
        InputError
            If the folder cannot be used.
        """
        if self._solved is None:
            start = self._place((0,) * self.rules.rounds, (0, 0, 0), (0, 0, 0))
            self._solved = Solved(
                self.rules, start, workers=self.workers, progress=progress, checkpoint=checkpoint, limit=limit
            )
        return self._solved

    @property
    def value(self) -> float:
        solved = self.solve()
        return solved.value(solved.start)

    @property
    def error_bound(self) -> float:
        start = self._place((0,) * self.rules.rounds, (0, 0, 0), (0, 0, 0))
        return precision(self.rules, start)[1]

    def thresholds(self) -> NoReturn:
        """Not solved at these levels: `RulesError`."""
        raise RulesError(f"thresholds at level = {self.rules.level} are not solved; accepted: beginner, intermediate")

    def _place(self, filled: Sequence[int], totals: Sequence[int], bonus: Sequence[int]) -> Start:
        n = self.rules.boxes
        opened = [tuple(sorted(self.labels[b] for b in range(c * n, c * n + n) if not filled[b])) for c in range(3)]
        return Start(
            (opened[0], opened[1], opened[2]), (totals[0], totals[1], totals[2]), (bonus[0], bonus[1], bonus[2])
        )

    def _from(self, place: Start) -> Solved:
        """A solution that holds the values right after `place`."""
        whole = self._solved
        if whole is not None and len(self.labels) - sum(map(len, place.open)) < KEEP:
            return whole
        if self._late is None or self._late.start != place:
            self._late = Solved(self.rules, place, workers=self.workers, keep=1)
        return self._late

    def value_kept(self, filled: Sequence[bool], totals: Sequence[int], bonus: Sequence[int] = (0, 0, 0)) -> float:
        """Expected end total from a position with at most `KEEP` boxes filled, from the solution of the whole sheet."""
        return self.solve().value(self._place(*check_position(self.rules, filled, totals, bonus)))

    def state_value(self, filled: Sequence[bool], totals: Sequence[int], bonus: Sequence[int] = (0, 0, 0)) -> float:
        """Expected end total from a position, before the roll."""
        done, sums, stored = check_position(self.rules, filled, totals, bonus)
        place = self._place(done, sums, stored)
        return self._from(place).value(place)

    def best(
        self,
        *,
        filled: Sequence[bool],
        totals: Sequence[int],
        dice: Sequence[int],
        bonus: Sequence[int] = (0, 0, 0),
        face: str | None = None,
    ) -> list[tuple[Outcome, float]]:
        """Outcomes of a roll with the expected end total that follows, best first (ties within 1e-9 in sorted order).

        Parameters
        ----------
        filled : sequence of bool, length 3 × boxes
        totals : sequence of int, length 3
            Sum of the scores of each caterpillar.
        dice : sequence of int, length 3
        bonus : sequence of int, length 3
            What the bonus boxes hold, 0 = empty.
        face : str, optional
            Face of the action die, at expert.
        """
        rules = self.rules
        done, sums, stored = check_position(self.rules, filled, totals, bonus)
        rolled = numbers("dice", dice, rules.dice, 1, 6)
        if (face in FACES) != rules.has_action or (face is not None and face not in FACES):
            accepted = f"one of {', '.join(FACES)}" if rules.has_action else "None"
            raise InputError(f"face = {face!r} at level {rules.level} is not accepted; accepted: {accepted}")
        place = self._place(done, sums, stored)
        solved = self._from(place)
        outcomes = list_outcomes(rules, self.labels, done, stored, rolled, face)
        ranked = []
        for outcome in outcomes:
            box, value, b, score = outcome
            after, total, store = list(done), list(sums), list(stored)
            after[b] = 1
            total[b // rules.boxes] += score
            if box >= 0:
                store[box] = value
            ranked.append((outcome, solved.value(self._place(after, total, store))))
        ranked.sort(key=lambda pair: -pair[1])
        return stable(ranked)
