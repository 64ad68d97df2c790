"""Caterpillars with rules and policies fixed, played with its luck taken out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim.games.base import NO_RESTRICTION, SLIP, Field, Policy
from sim.games.caterpillars.kernel import Book, CaterpillarsPlayable, Plan
from sim.games.caterpillars.luck.fit import FIRST, PLAIN, SEED, TOLD, Fitted, fit_weights, plain
from sim.games.caterpillars.luck.rounds import BEST, OWN, play_lucky, watch_boxes
from sim.games.caterpillars.luck.setup import setup_luck, ways
from sim.games.caterpillars.luck.views import VIEWS, WORTH, make_views
from sim.games.caterpillars.mind import make_mind
from sim.games.caterpillars.policies import CHILD, GREEDY, PLANNER, RANDOM, THUMB, WEIGHTED
from sim.games.caterpillars.rules import CaterpillarsRules

#: policies that decide in no time: they are asked what they would do with every roll
QUICK = (RANDOM, GREEDY, CHILD, PLANNER, WEIGHTED, THUMB)
#: what is fitted is kept for so many policies, as scenarios are compiled again and again
MOST_KEPT = 256
_KEPT: dict[tuple[str, str, bool], Fitted] = {}


class LuckyPlayable(CaterpillarsPlayable):
    """As `CaterpillarsPlayable`, with two rows of doubles for output: the end total, and the same less its luck.

    Parameters
    ----------
    values : Book, optional
        Exact values of the sheet; left out: the fitted ones of the level.
    fitted : Fitted, optional
        What values are put together from, for every seat; left out: what is fitted to each policy.
    """

    dtype = np.float64

    def __init__(
        self,
        rules: CaterpillarsRules,
        policies: Sequence[Policy],
        book: Book | None = None,
        plan: Plan | None = None,
        values: Book | None = None,
        fitted: Fitted | None = None,
    ) -> None:
        super().__init__(rules, policies, book, plan)
        self.fields = (
            self.fields[0],
            Field("adjusted", "float64", "points", "end total less the luck of set-up and rolls", 0),
        )
        self._values = values
        self._how = np.array([OWN if quick(p) else BEST for p in policies], np.int64)
        self._slips = np.array([1.0 if p.info.number == RANDOM else p.vector()[SLIP] for p in policies])
        self._places = ways(rules.setup_rolls)[0]
        self.fitted = [fitted or _fitted(rules, p, plan, values) for p in policies]
        luck = [setup_luck(rules, p, plan) for p in policies]
        self._luck = np.stack([f.setup * table for f, table in zip(self.fitted, luck, strict=True)])

    def scratch(self) -> Any:
        return _Scratch(self)

    def scratch_of_game(self) -> Any:
        """Working memory of the game alone."""
        return super().scratch()

    def play(self, seed: int, first: int, games: int, out: np.ndarray, scratch: Any, record: bool = False) -> None:
        self.tell(seed, first, games, out, scratch, np.zeros((0, 0, 0)))

    def tell(self, seed: int, first: int, games: int, out: np.ndarray, scratch: Any, told: np.ndarray) -> None:
        """As `play`; the luck of every view into `told`, float64[games × seats, rounds, VIEWS], unless it is empty."""
        game = scratch.game
        play_lucky(
            np.uint64(seed), first, games, self.seats, self._rules, self._tables, game.players, scratch.thought,
            self._slips, game.positions, game.work, self._reads_others, self._book, self._plan, self._user, game.mind,
            self.limits, self._how, scratch.mind, self._values, self._places, self._luck, scratch.views, told, out,
        )  # fmt: skip
        if game.work[0].fault[0]:  # the plain game tells what was wrong
            plain_game = CaterpillarsPlayable(self.rules, self.policies, self._book, self._plan)
            plain_game.raise_fault(game.work[0].fault, seed)


class _Scratch:
    """Working memory of one thread: that of the game, and that of the values."""

    def __init__(self, playable: LuckyPlayable) -> None:
        self.game = playable.scratch_of_game()
        self.thought = self.game.players.copy()
        self.thought.params[:, SLIP] = 0.0
        self.mind = make_mind(playable.rules)
        fitted = playable.fitted
        self.views = make_views(*(np.stack([f[i] for f in fitted]) for i in range(3)))


def quick(policy: Policy) -> bool:
    """Whether a policy is asked what it would do with every roll."""
    return policy.info.number in QUICK and policy.restriction == NO_RESTRICTION


def _fitted(rules: CaterpillarsRules, policy: Policy, plan: Plan | None, values: Book | None) -> Fitted:
    """What the value of a policy is put together from: V alone for those that are not asked about every roll."""
    if not quick(policy):
        return plain()
    key = rules.text(), policy.text(), values is not None
    if key not in _KEPT:
        while len(_KEPT) >= MOST_KEPT:
            del _KEPT[next(iter(_KEPT))]
        _KEPT[key] = _fit(rules, policy, plan, values)
    return _KEPT[key]


def _fit(rules: CaterpillarsRules, policy: Policy, plan: Plan | None, values: Book | None) -> Fitted:
    alone = LuckyPlayable(rules, [policy], None, plan, values, plain())
    game = alone.scratch_of_game()
    boxes = np.zeros((3, 13, 13))
    watch_boxes(
        np.uint64(SEED), FIRST, PLAIN, alone._rules, alone._tables, game.players, game.positions, game.work, plan, boxes
    )

    def tell(points: np.ndarray, spread: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        told, out = np.zeros((TOLD, rules.rounds, VIEWS)), np.zeros((2, TOLD))
        seeing = LuckyPlayable(rules, [policy], None, plan, values, plain()._replace(points=points, spread=spread))
        seeing.tell(SEED, FIRST, TOLD, out, seeing.scratch(), told)
        return out[0], told, out[0] - out[1] - told[:, :, WORTH].sum(axis=1)

    return fit_weights(tell, rules.rounds, boxes)
