"""Two to four players who lay out their cards in a fixed order: a worm is then the number of fruits covered.

The order of the cards follows from the first card, so each line-up of start fruits is a small game of its own: 21 worms
a player in the published game. State: the fruits covered by every seat and the seat that has to roll; the number of
dice follows from their sum (see `tree`). Where no seat's colour comes up, the next seat rolls the same dice: a circle
around the table, solved as linear equations; every taking leads to states with more fruits covered.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import combinations_with_replacement
from math import factorial
from typing import Any

import numpy as np

from sim.errors import RulesError
from sim.games.base import Policy
from sim.games.karolinchen.exact.chains import MOST_ENDS, RACE, solve_tuples, tuple_lengths
from sim.games.karolinchen.rules import KarolinchenRules

FIXED_ORDERS = ("longest", "shortest")
#: most states (fruits covered by every seat × seat to roll)
MAX_STATES = 8_000_000
#: chance of a longer game than a distribution holds that may be left out, and memory for the distributions
TAIL = 1e-12
MOST_BYTES = 6 * 2**30


def card_order(policy: str, fruits: Sequence[int], start: int) -> list[int]:
    """Cards in the order in which they are laid out: the start card, then by the policy (ties: the lower colour)."""
    sign = -1 if policy == "longest" else 1
    return [start, *sorted((c for c in range(6) if c != start), key=lambda c: (sign * fruits[c], c))]


def all_rolls() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct rolls by number of dice: start[8], packed counts (four bits a colour), probability."""
    start, packed, chance = [0, 0], [], []
    for k in range(1, 7):
        for dice in combinations_with_replacement(range(6), k):
            ways = factorial(k)
            for c in range(6):
                ways //= factorial(dice.count(c))
            packed.append(sum(1 << 4 * c for c in dice))
            chance.append(ways / 6**k)
        start.append(len(packed))
    return np.array(start), np.array(packed), np.array(chance)


class OrderRace:
    """Two to four players under fixed orders of the cards, exactly; attributes as those of `RaceSolution`.

    Attributes
    ----------
    win : float64[seats]
    turns_mean : float
    starts : tuple of tuple of int
        Start fruits that are averaged, all equally likely.
    states : int
        States solved, over all start fruits.
    residual, error_bound, turns_error_bound : float
    """

    def __init__(
        self,
        rules: KarolinchenRules,
        policies: Sequence[Policy],
        starts: Sequence[tuple[int, ...]],
        workers: int,
    ) -> None:
        seats = len(policies)
        self.rules = rules
        self.policies = tuple(p.text() for p in policies)
        self.starts = tuple(starts)
        self._ids = [p.id for p in policies]
        self._workers = workers
        self._layers = 2 if rules.reroll_after_eating else 1
        self._rolls = all_rolls()
        tuples = rules.total**seats
        if tuples * seats > MAX_STATES:
            raise RulesError(
                f"fruits = {list(rules.fruits)} with {seats} seats gives {tuples * seats:,} states; accepted: up to "
                f"{MAX_STATES:,}"
            )
        digits = np.indices((rules.total,) * seats).reshape(seats, -1).sum(axis=0)
        order = np.argsort(-digits, kind="stable")
        self._levels = np.split(order, np.flatnonzero(np.diff(digits[order])) + 1)
        self.states = tuples * seats * len(self.starts)
        self.residual = 0.0
        found = np.zeros((len(self.starts), seats + 1))
        longest = 0.0
        for row, start in zip(found, self.starts, strict=True):
            values, race, residual = self._solve(start)
            row[:] = race.opened[0, : seats + 1] if rules.opening == "open" else values[0]
            self.residual = max(self.residual, residual)
            longest = max(longest, float(values[:, seats].max()))
        self._longest = longest
        self._by_start = found
        self.win = found[:, :seats].mean(axis=0)
        self.turns_mean = float(found[:, seats].mean())
        rounding = (seats * (rules.total - 1) + 1) * (MOST_ENDS + 50) * 2.0**-53
        self.error_bound = rounding
        self.turns_error_bound = rounding * longest

    def _race(self, start: tuple[int, ...]) -> Any:
        rules = self.rules
        out = np.zeros(1, RACE)
        race = out[0]
        race["seats"], race["total"], race["layers"] = len(start), rules.total, self._layers
        for seat, first in enumerate(start):
            cards = card_order(self._ids[seat], rules.fruits, first)
            race["colour"][seat, : rules.total] = [c for c in cards for _ in range(rules.fruits[c])]
            race["places"][seat, : rules.total] = [n for c in cards for n in range(rules.fruits[c], 0, -1)]
        return out.view(np.recarray)

    def _solve(self, start: tuple[int, ...]) -> tuple[np.ndarray, Any, float]:
        """Values of one line-up of start fruits: float64[states, seats + 1], win by seat and turns."""
        seats = len(start)
        races = [self._race(start) for _ in range(self._workers)]
        values = np.zeros((self.rules.total**seats * seats * self._layers, seats + 1))
        none = np.zeros(0, np.int64)
        with ThreadPoolExecutor(self._workers) as pool:
            for level in self._levels:
                parts = np.array_split(level, self._workers)  # the start is the last level and goes to the first thread
                jobs = [
                    pool.submit(solve_tuples, race, *self._rolls, part, values, none)
                    for race, part in zip(races, parts, strict=True)
                ]
                for job in jobs:
                    job.result()
        return values, races[0][0], max(float(race[0].residual) for race in races)

    @property
    def by_start(self) -> Any:
        """Table (polars) of the start fruits: start_0 …, win_0 …, turns_mean."""
        import polars as pl

        seats = len(self.policies)
        start = np.array(self.starts)
        columns = {f"start_{s}": start[:, s] for s in range(seats)}
        columns |= {f"win_{s}": self._by_start[:, s] for s in range(seats)}
        return pl.DataFrame(columns | {"turns_mean": self._by_start[:, seats]})

    @cached_property
    def turns_pmf_by_start(self) -> np.ndarray:
        """Probability of each number of turns, by start fruits: float64[starts, turns]."""
        size = 64 * (int(3 * self._longest + 130) // 64 + 1)
        while True:
            needed = 8 * self.rules.total ** len(self.policies) * len(self.policies) * self._layers * size
            if needed > MOST_BYTES:
                raise RulesError(
                    f"turns_pmf with fruits = {list(self.rules.fruits)} would take {needed / 2**30:.1f} GiB; accepted: "
                    f"up to {MOST_BYTES / 2**30:.0f} GiB (fewer fruits or seats)"
                )
            found = np.array([self._lengths(start, size) for start in self.starts])
            if np.max(1 - found.sum(axis=1)) < TAIL:
                break
            size *= 2
        last = int(np.flatnonzero(found.max(axis=0) > 0)[-1])
        return found[:, : last + 1]

    def _lengths(self, start: tuple[int, ...], size: int) -> np.ndarray:
        seats = len(start)
        rows = self.rules.total**seats * seats * self._layers + 1
        pmf = np.zeros((rows, size))
        pmf[-1, 0] = 1.0
        length = np.ones(rows, np.int64)
        values = np.zeros((0, seats + 1))
        races = [self._race(start) for _ in range(self._workers)]
        memory = [
            (np.zeros(MOST_ENDS, np.int64), np.zeros(MOST_ENDS, np.int64), np.zeros(MOST_ENDS))
            for _ in range(self._workers)
        ]
        works = [np.zeros((2 * seats, size)) for _ in range(self._workers)]
        with ThreadPoolExecutor(self._workers) as pool:
            for level in self._levels:
                parts = np.array_split(level, self._workers)
                jobs = [
                    pool.submit(tuple_lengths, race, *self._rolls, part, values, length, pmf, *ends, work)
                    for race, part, ends, work in zip(races, parts, memory, works, strict=True)
                ]
                for job in jobs:
                    job.result()
        # the start is the last tuple of all, solved by the first thread
        return works[0][seats if self.rules.opening == "open" else 0].copy()

    @cached_property
    def turns_pmf(self) -> np.ndarray:
        """Probability of each number of turns (index = turns), cut where the tail is below 1e-12: float64[turns]."""
        return np.asarray(self.turns_pmf_by_start.mean(axis=0))

    @property
    def tail(self) -> float:
        """Probability of games longer than `turns_pmf` holds (rounding included)."""
        return float(abs(1 - self.turns_pmf.sum()))
