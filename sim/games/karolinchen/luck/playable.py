"""Karolinchen with rules and policies fixed, played with its luck taken out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from typing import Any

import numpy as np

from sim.games.base import Field, Policy
from sim.games.karolinchen.kernel import KarolinchenPlayable
from sim.games.karolinchen.luck.play import add_luck, race_worth
from sim.games.karolinchen.luck.race import Race, number_of
from sim.games.karolinchen.moves import MIDDLE, ROLLS
from sim.games.karolinchen.policies import POLICIES
from sim.games.karolinchen.rules import KarolinchenRules

#: games of `match` in every seat that say how many dice a turn begins with, and their seed
SAMPLE, SEED = 4000, 1
#: places for what a roll leaves beside the worm, see `roll_means`
KEYS = 49


@lru_cache(maxsize=16)
def race_of(rules_text: str, seats: int) -> Race:
    """The race of some rules and a number of seats; kept, as scenarios are compiled again and again."""
    rules = KarolinchenRules.model_validate_json(rules_text)
    match = [POLICIES.parse("match")] * seats
    results, record = KarolinchenPlayable(rules, match).record(SEED, 0, SAMPLE)
    dice = np.zeros(len(record), np.int64)
    for c in range(6):
        dice += (record[:, MIDDLE] >> (4 * c)) & 15
    turns = np.bincount(dice, minlength=7)
    unrolled = np.bincount(dice, weights=record[:, ROLLS] == 0, minlength=7)
    second = rules.reroll_after_eating and "reroll_after_eating" not in rules.without_effect()
    race = Race(rules.fruits, turns / turns.sum(), unrolled / np.maximum(turns, 1), second)
    fit(race, seats, results, record, rules.opening == "open", second)
    return race


def fit(race: Race, seats: int, results: np.ndarray, record: np.ndarray, opened: bool, second: bool) -> None:
    """Make `race.shift` what these games ask for."""
    missed = np.zeros((2, 6, 7, 2))
    games = results.shape[1] // seats
    size = KEYS * (race.end.shape[0] + 1)
    add_luck(
        games, seats, results, record, opened, second, False, np.zeros(6), race.keys, race.chance, race.start,
        race.fruits, race.before, race.end, race.beyond, race.shift, np.zeros(size, np.int64), np.zeros((size, 6)), 0,
        np.zeros(games * seats), missed,
    )  # fmt: skip
    race.shift[:] = missed[0] / np.maximum(missed[1], 1.0)


class LuckyPlayable(KarolinchenPlayable):
    """As `KarolinchenPlayable`, with two rows of doubles for output: the win, and the same less its luck."""

    dtype = np.float64

    def __init__(self, rules: KarolinchenRules, policies: Sequence[Policy], book: np.ndarray | None = None) -> None:
        super().__init__(rules, policies, book)
        self._plain = KarolinchenPlayable(rules, policies, book)
        self.fields = (
            Field("win", "float64", "share of a win", "1 for the winner, 0 else", 0, 1, "real"),
            Field(
                "adjusted", "float64", "share of a win", "win less the luck of first cards and rolls", 0, None, "real"
            ),
        )
        text = rules.model_copy(update={"start_fruit": "distinct"}).model_dump_json()
        self._race = race_of(text, self.seats)
        self._open = rules.opening == "open"
        self._second = bool(rules.reroll_after_eating and "reroll_after_eating" not in rules.without_effect())
        self._draws = rules.start_fruit == "distinct"
        self._drawn = self._mean_of_starts() if self._draws else np.zeros(6)

    def _mean_of_starts(self) -> np.ndarray:
        """Mean over all draws of the first cards of what they are worth to each seat."""
        race, total, worth = self._race, np.zeros(6), np.zeros(6)
        firsts = np.zeros(6, np.int64)
        firsts[0] = 6
        draws = list(permutations(range(6), self.seats))
        for colours in draws:
            rows = np.zeros(6, np.int64)
            rows[: self.seats] = [number_of(63 ^ (1 << c), c, 0, race.fruits, race.before) for c in colours]
            race_worth(self.seats, 0, rows, firsts, race.end, race.beyond, worth)
            total += worth
        return total / len(draws)

    def scratch(self) -> Any:
        """Working memory of one thread: that of the game, and what rolls were worth."""
        size = KEYS * (self._race.end.shape[0] + 1)
        return self._plain.scratch(), np.zeros(size, np.int64), np.zeros((size, 6)), [0]

    def play(self, seed: int, first: int, games: int, out: np.ndarray, scratch: Any) -> None:
        """Play games `first` … `first + games − 1` into `out`, float64[2, games × seats]."""
        _, stamp, kept, clock = scratch
        results, record = self._plain.record(seed, first, games)
        race, luck = self._race, np.zeros(games * self.seats)
        clock[0] = add_luck(
            games, self.seats, results, record, self._open, self._second, self._draws, self._drawn, race.keys,
            race.chance, race.start, race.fruits, race.before, race.end, race.beyond, race.shift, stamp, kept,
            clock[0], luck, None,
        )  # fmt: skip
        out[0] = results[7]
        out[1] = out[0] - luck
