"""Caterpillars with rules and policies fixed, played with its luck taken out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim.games.base import NO_RESTRICTION, SLIP, Field, Policy
from sim.games.caterpillars.kernel import Book, CaterpillarsPlayable, Plan
from sim.games.caterpillars.luck.rounds import BEST, OWN, play_lucky
from sim.games.caterpillars.luck.setup import setup_luck, ways
from sim.games.caterpillars.mind import make_mind
from sim.games.caterpillars.policies import CHILD, GREEDY, PLANNER, RANDOM, THUMB, WEIGHTED
from sim.games.caterpillars.rules import CaterpillarsRules

#: policies that decide in no time: they are asked what they would do with every roll
QUICK = (RANDOM, GREEDY, CHILD, PLANNER, WEIGHTED, THUMB)


class LuckyPlayable(CaterpillarsPlayable):
    """As `CaterpillarsPlayable`, with two rows of doubles for output: the end total, and the same less its luck.

    Parameters
    ----------
    values : Book, optional
        Exact values of the sheet; left out: the fitted ones of the level.
    """

    dtype = np.float64

    def __init__(
        self,
        rules: CaterpillarsRules,
        policies: Sequence[Policy],
        book: Book | None = None,
        plan: Plan | None = None,
        values: Book | None = None,
    ) -> None:
        super().__init__(rules, policies, book, plan)
        self.fields = (
            self.fields[0],
            Field("adjusted", "float64", "points", "end total less the luck of set-up and rolls", 0),
        )
        self._values = values
        own = [p.info.number in QUICK and p.restriction == NO_RESTRICTION for p in policies]
        self._how = np.where(own, OWN, BEST).astype(np.int64)
        self._slips = np.array([1.0 if p.info.number == RANDOM else p.vector()[SLIP] for p in policies])
        self._places = ways(rules.setup_rolls)[0]
        self._luck = np.stack([setup_luck(rules, p, plan) for p in policies])

    def scratch(self) -> Any:
        return _Scratch(self)

    def scratch_of_game(self) -> Any:
        """Working memory of the game alone."""
        return super().scratch()

    def play(self, seed: int, first: int, games: int, out: np.ndarray, scratch: Any, record: bool = False) -> None:
        game = scratch.game
        play_lucky(
            np.uint64(seed), first, games, self.seats, self._rules, self._tables, game.players, scratch.thought,
            self._slips, game.positions, game.work, self._reads_others, self._book, self._plan, self._user, game.mind,
            self.limits, self._how, scratch.mind, self._values, self._places, self._luck, out,
        )  # fmt: skip
        if game.work[0].fault[0]:  # the plain game tells what was wrong
            plain = CaterpillarsPlayable(self.rules, self.policies, self._book, self._plan)
            plain.raise_fault(game.work[0].fault, seed)


class _Scratch:
    """Working memory of one thread: that of the game, and that of the values."""

    def __init__(self, playable: LuckyPlayable) -> None:
        self.game = playable.scratch_of_game()
        self.thought = self.game.players.copy()
        self.thought.params[:, SLIP] = 0.0
        self.mind = make_mind(playable.rules)
