"""Caterpillars with rules and policies fixed, played for shares of wins with the luck taken out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sim.games.base import Field, Policy
from sim.games.caterpillars.kernel import Book, CaterpillarsPlayable, Plan
from sim.games.caterpillars.luck.fit import FIRST, SEED, Fitted
from sim.games.caterpillars.luck.playable import LuckyPlayable, quick
from sim.games.caterpillars.luck.views import SUM, WORTH
from sim.games.caterpillars.luck.wins import make_table, play_lucky_wins
from sim.games.caterpillars.placement import OWN as PLACE_OWN
from sim.games.caterpillars.placement import RANDOM as PLACE_RANDOM
from sim.games.caterpillars.policies import LEARNED, OPTIMAL, POLICIES
from sim.games.caterpillars.rules import CaterpillarsRules

#: games of the line-up that say how far values are from end totals
WATCHED = 1000
#: spreads are not smaller than this share of their mean over the seats
_LEAST = 0.05
#: what is fitted is rounded to this, so that it is the same on every machine
_STEP = 2.0**-12
#: line-ups for which that is kept
MOST_KEPT = 64
_KEPT: dict[tuple[str, tuple[str, ...], bool], Seen] = {}


class Seen(NamedTuple):
    """What comes on top of values until the end.

    Attributes
    ----------
    boxes : float
        What a point in any box is worth as a tie-break.
    shift, spread : float64[seats, 12]
        By seat and rounds left: mean and variance of the rest.
    """

    boxes: float
    shift: np.ndarray
    spread: np.ndarray


class LuckyWins(LuckyPlayable):
    """As `LuckyPlayable`, for shares of wins: the share of every seat, and the same less its luck.

    Parameters
    ----------
    seen : Seen, optional
        How far values are from end totals. Left out: what is fitted to games of the line-up.
    """

    def __init__(
        self,
        rules: CaterpillarsRules,
        policies: Sequence[Policy],
        book: Book | None = None,
        plan: Plan | None = None,
        values: Book | None = None,
        seen: Seen | None = None,
    ) -> None:
        super().__init__(rules, policies, book, plan, values)
        self.fields = (
            Field("win", "float64", "share of a win", "1 for a win, 1/k for a win shared by k seats, 0 else", 0, 1),
            Field("adjusted", "float64", "share of a win", "share of a win less the luck of rolls and draws", 0),
        )
        self._twin = twins(policies)
        self._seen = seen or _seen(rules, policies, plan, values, book, self._twin)
        self.fitted = [_for_wins(f, self._seen.boxes) for f in self.fitted]

    def scratch(self) -> Any:
        scratch = super().scratch()
        rolls = scratch.mind.rolls.size
        return scratch, make_table(self._twin, self._seen.shift, self._seen.spread, rolls), np.zeros(self.seats)

    def play(self, seed: int, first: int, games: int, out: np.ndarray, scratch: Any, record: bool = False) -> None:
        self.watch(seed, first, games, out, scratch, np.zeros((0, 0, 0)))

    def watch(self, seed: int, first: int, games: int, out: np.ndarray, scratch: Any, seen: np.ndarray) -> None:
        """As `play`; or, if `seen` is not empty, values by game, round and seat, and what decides into ``out[0]``."""
        memory, table, luck = scratch
        game = memory.game
        play_lucky_wins(
            np.uint64(seed), first, games, self.seats, self._rules, self._tables, game.players, memory.thought,
            self._slips, game.positions, game.work, self._reads_others, self._book, self._plan, self._user, game.mind,
            self.limits, self._how, memory.mind, self._values, memory.views, table, seen, luck, out,
        )  # fmt: skip
        if game.work[0].fault[0]:  # the plain game tells what was wrong
            plain_game = CaterpillarsPlayable(self.rules, self.policies, self._book, self._plan)
            plain_game.raise_fault(game.work[0].fault, seed)


def _for_wins(fitted: Fitted, boxes: float) -> Fitted:
    """The same, with the tie-break: the sum of all boxes, which in the last round decides only among equals."""
    weight = fitted.weight.copy()
    weight[1:, SUM] += boxes
    weight[0] = 0.0
    weight[0, WORTH], weight[0, SUM] = 1.0, 1.0 / 1024
    return fitted._replace(weight=weight)


def twins(policies: Sequence[Policy]) -> np.ndarray:
    """For every seat the first one that always does the same with the same sheet and dice, int64[seats]."""
    alike: dict[str, int] = {}
    twin = np.arange(len(policies))
    for s, policy in enumerate(policies):
        drawn = policy.draws or policy.vector()[0] in (PLACE_RANDOM, PLACE_OWN)
        if not drawn and (quick(policy) or policy.info.number in (OPTIMAL, LEARNED)):
            twin[s] = alike.setdefault(policy.text(), s)
    return twin


def stands_in(policy: Policy) -> Policy:
    """The policy whose games are watched: `learned` for those that think long and for users' own.

    It slips now and then, so that two of them do not do the same.
    """
    if quick(policy) or policy.info.number in (OPTIMAL, LEARNED):
        return policy
    return POLICIES.parse("learned(slip=0.05)")


def _seen(
    rules: CaterpillarsRules,
    policies: Sequence[Policy],
    plan: Plan | None,
    values: Book | None,
    book: Book | None,
    twin: np.ndarray,
) -> Seen:
    watched = [stands_in(p) for p in policies]
    key = rules.text(), tuple(p.text() for p in watched), values is not None
    if key not in _KEPT:
        while len(_KEPT) >= MOST_KEPT:
            del _KEPT[next(iter(_KEPT))]
        seats = len(watched)
        found = Seen(0.0, np.zeros((seats, 12)), np.zeros((seats, 12)))
        different = np.unique(twin)
        for _ in range(2):  # first what the sum of all boxes is worth, then spreads with that
            playable = LuckyWins(rules, watched, book, plan, values, found)
            out, told = np.zeros((2, WATCHED * seats)), np.zeros((WATCHED, rules.rounds, seats))
            playable.watch(SEED, FIRST, WATCHED, out, playable.scratch(), told)
            ends = np.floor(out[0]).reshape(WATCHED, seats)
            sums = 1024 * (out[0].reshape(WATCHED, seats) - ends)
            boxes = worth_of_boxes(sums[:, different])
            found = Seen(boxes, *spreads_of(ends + boxes * sums, told, different))
        _KEPT[key] = found
    return _KEPT[key]


def worth_of_boxes(sums: np.ndarray) -> float:
    """What a point in any box is worth as a tie-break, in points of the end total.

    Among equal end totals, whole numbers, the larger sum wins. So it is worth half a point more or less: 0.4 times the
    difference of sums, float64[games, seats], over its spread, as long as it is small.
    """
    spread = np.sqrt(2.0 * sums.var(axis=0).mean() - 2.0 * _covariance(sums)) if sums.shape[1] > 1 else 0.0
    return float(np.rint(0.4 / spread / _STEP) * _STEP) if spread > 0.4 else 0.0


def _covariance(sums: np.ndarray) -> float:
    """Mean covariance of two different columns."""
    m = sums.shape[1]
    matrix = np.cov(sums.T, bias=True)
    return float((matrix.sum() - np.trace(matrix)) / (m * (m - 1)))


def spreads_of(ends: np.ndarray, seen: np.ndarray, different: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of what comes on top of values, float64[seats, 12] each by rounds left.

    The variances are such that differences between two seats have theirs, as far as one number per seat can do that.

    Parameters
    ----------
    ends : float64[games, seats]
        What decides in the end.
    seen : float64[games, rounds, seats]
        Values after each round.
    different : int64[…]
        Seats that do not always do the same as an earlier one.
    """
    _, rounds, seats = seen.shape
    shift, spread = np.zeros((seats, 12)), np.zeros((seats, 12))
    m = len(different)
    for left in range(1, rounds):
        rest = ends - seen[:, rounds - 1 - left]
        shift[:, left] = rest.mean(axis=0)
        own = rest[:, different] - shift[different, left]
        apart = ((own[:, :, None] - own[:, None, :]) ** 2).mean(axis=0)
        if m == 1:
            found = np.ones(1)
        elif m == 2:
            found = np.full(2, apart[0, 1] / 2)
        else:  # least squares of spread i + spread j against the variance of i − j
            total = apart.sum() / (2 * (m - 1))
            found = (apart.sum(axis=1) - total) / (m - 2)
        spread[different, left] = np.maximum(found, max(_LEAST * found.mean(), 1e-3))
    return np.rint(shift / _STEP) * _STEP, np.rint(spread / _STEP) * _STEP + _STEP * (spread > 0)
