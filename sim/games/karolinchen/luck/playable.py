"""Karolinchen with rules and policies fixed, played with its luck taken out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from typing import Any

import numpy as np

from sim.games.base import Field, Policy
from sim.games.karolinchen.kernel import KarolinchenPlayable
from sim.games.karolinchen.luck.network import Network, file_of, kind_of, no_network, read
from sim.games.karolinchen.luck.play import add_luck
from sim.games.karolinchen.luck.race import Race, number_of
from sim.games.karolinchen.luck.worth import OPENING, Sight, desk, node_worth
from sim.games.karolinchen.moves import MIDDLE, RECORD, ROLLS
from sim.games.karolinchen.policies import OPTIMAL, POLICIES
from sim.games.karolinchen.rules import KarolinchenRules

#: games of `match` in every seat that say how many dice a turn begins with, their seed, and the first of them: no
#: simulation comes to it that begins at 0
SAMPLE, SEED, FIRST = 4000, 1, 2**62


@lru_cache(maxsize=16)
def race_of(rules_text: str, seats: int) -> Race:
    """The race of some rules and a number of seats; kept, as scenarios are compiled again and again."""
    rules = KarolinchenRules.model_validate_json(rules_text)
    match = [POLICIES.parse("match")] * seats
    _, record = KarolinchenPlayable(rules, match).record(SEED, FIRST, SAMPLE)
    dice = np.zeros(len(record), np.int64)
    for c in range(6):
        dice += (record[:, MIDDLE] >> (4 * c)) & 15
    turns = np.bincount(dice, minlength=7)
    unrolled = np.bincount(dice, weights=record[:, ROLLS] == 0, minlength=7)
    second = rules.reroll_after_eating and "reroll_after_eating" not in rules.without_effect()
    return Race(rules.fruits, turns / turns.sum(), unrolled / np.maximum(turns, 1), second)


def network_for(rules: KarolinchenRules, seats: int) -> Network | None:
    """The fitted network for a number of seats; None under rules with other numbers of fruits."""
    if rules.fruits != KarolinchenRules().fruits:
        return None
    return _network(seats)


@lru_cache(maxsize=8)
def _network(seats: int) -> Network:
    """Its inputs are those of the default rules whatever the rules are that it is used under."""
    return read(file_of(seats))[0].network(race_of(KarolinchenRules().model_dump_json(), seats), seats)


class LuckyPlayable(KarolinchenPlayable):
    """As `KarolinchenPlayable`, with two rows of doubles for output: the win, and the same less its luck.

    `network` corrects the race; None leaves it as it is.
    """

    dtype = np.float64

    def __init__(
        self, rules: KarolinchenRules, policies: Sequence[Policy], book: np.ndarray | None = None,
        network: Network | None = None,
    ) -> None:  # fmt: skip
        super().__init__(rules, policies, book)
        self._plain = KarolinchenPlayable(rules, policies, book)
        self.fields = (
            Field("win", "float64", "share of a win", "1 for the winner, 0 else", 0, 1, "real"),
            Field("adjusted", "float64", "share of a win", "win less its luck", 0, None, "real"),
        )
        text = rules.model_copy(update={"start_fruit": "distinct"}).model_dump_json()
        race = race_of(text, self.seats)
        self._open = rules.opening == "open"
        self._second = bool(rules.reroll_after_eating and "reroll_after_eating" not in rules.without_effect())
        self._draws = rules.start_fruit == "distinct"
        network = network or no_network()
        self.sight = Sight(
            self.seats, race.keys, race.chance, race.start, race.fruits, race.before, race.end, race.beyond,
            network.fitted, np.array([kind_of(p) for p in policies], np.int64), network.seen,
            network.rolls, network.race, network.inner, network.inner_bias, network.outer, network.outer_bias,
        )  # fmt: skip
        self._known = np.array([p.draws and p.info.number < OPTIMAL for p in policies], np.bool_)
        self._drawn = self._mean_of_starts() if self._draws else np.zeros(6)

    def _mean_of_starts(self) -> np.ndarray:
        """Mean over all draws of the first cards of what they are worth to each seat."""
        race, total, worth = self.sight, np.zeros(6), np.zeros(6)
        at = desk(self.sight)
        draws = list(permutations(range(6), self.seats))
        for colours in draws:
            rows = np.zeros(6, np.int64)
            rows[: self.seats] = [number_of(63 ^ (1 << c), c, 0, race.fruits, race.before) for c in colours]
            node_worth(rows, 0, OPENING if self._open else 6, self.sight, at, worth)
            total += worth
        return total / len(draws)

    def scratch(self) -> Any:
        """Working memory of one thread: that of the game, and what positions are worth."""
        rows, worms = np.zeros(6, np.int64), np.zeros((6, 3), np.int64)
        return self._plain.scratch(), desk(self.sight), np.zeros((6, 6)), rows, worms

    def play(self, seed: int, first: int, games: int, out: np.ndarray, scratch: Any) -> None:
        """Play games `first` … `first + games − 1` into `out`, float64[2, games × seats]."""
        self.tell(seed, first, games, out, scratch)

    def tell(self, seed: int, first: int, games: int, out: np.ndarray, scratch: Any, write: bool = False) -> Any:
        """As `play`; with `write` also what `add_luck` writes down of every roll: (nodes, told)."""
        (positions, works), at, room, rows, worms = scratch
        results, record = self._plain.record(seed, first, games)
        assert record.shape[1] == RECORD
        luck = np.zeros(games * self.seats)
        nodes = np.zeros((len(record) + games, 9), np.int64) if write else None
        told = np.zeros((len(record) + games, 2, 6)) if write else None
        n = add_luck(
            games, results, record, self._open, self._second, self._draws, self._drawn, self._known, positions, works,
            self.sight, at, room, rows, worms, luck, nodes, told,
        )  # fmt: skip
        out[0] = results[7]
        out[1] = out[0] - luck
        return (nodes[:n], told[:n]) if nodes is not None and told is not None else None
