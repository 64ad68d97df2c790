"""Many policies on the same games: who is better, pair by pair, counted exactly while they play.

The unit is a game index: its dice or cards are the same for every line-up that is played on it. Where players interact,
a pair of policies plays both seatings of a unit, so that a good deal or the lead helps both alike. Policies that do not
interact sit down at one table, all of them, and are compared two by two.

Of every unit a few whole numbers are kept, as sums and sums of products (`sim.stats.Joint`): for each pair the points
of the first (2 for a game won, 1 for a draw or a game without a winner), for each policy its score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from sim.engine.simulate import BLOCK, blocks, map_blocks
from sim.games.base import Game, Playable, Policy, RulesModel
from sim.stats import Joint

#: whole numbers of kernel output per thread: many line-ups are played in shorter blocks
ROOM = 4_000_000


@dataclass(frozen=True)
class Place:
    """A seat of a line-up."""

    lineup: int
    seat: int


@dataclass
class Plan:
    """What is played on every game index.

    Attributes
    ----------
    lineups : list of tuple of Policy
    pairs : list of (i, j)
        Policies that are compared, by index.
    meetings : list of list of (Place, Place)
        For each pair the games in which the two meet.
    places : list of list of Place
        For each policy every seat it has.
    """

    lineups: list[tuple[Policy, ...]] = field(default_factory=list)
    pairs: list[tuple[int, int]] = field(default_factory=list)
    meetings: list[list[tuple[Place, Place]]] = field(default_factory=list)
    places: list[list[Place]] = field(default_factory=list)

    def seat(self, policies: Sequence[Policy], players: Sequence[int]) -> list[Place]:
        """Add a line-up; the places of its players."""
        number = len(self.lineups)
        self.lineups.append(tuple(policies[i] for i in players))
        new = [Place(number, seat) for seat in range(len(players))]
        for i, place in zip(players, new, strict=True):
            self.places[i].append(place)
        return new


def plan(game: Game, policies: Sequence[Policy], pairs: Sequence[tuple[int, int]] | None = None) -> Plan:
    """Line-ups for the given pairs, by default all of them."""
    wanted = list(combinations(range(len(policies)), 2)) if pairs is None else list(pairs)
    result = Plan(pairs=wanted, places=[[] for _ in policies])
    alone = [i for i, policy in enumerate(policies) if not game.interacts(policy)]
    met = {i for pair in wanted for i in pair if set(pair) <= set(alone)}
    table = [i for i in alone if i in met]
    at = dict(zip(table, result.seat(policies, table), strict=True)) if table else {}
    for i, j in wanted:
        if i in at and j in at:
            result.meetings.append([(at[i], at[j])])
            continue
        first, second = result.seat(policies, [i, j])
        turned, other = result.seat(policies, [j, i])
        result.meetings.append([(first, second), (other, turned)])
    return result


def alone(policies: Sequence[Policy]) -> Plan:
    """Everybody plays alone, in seat 0: policies that draw numbers draw the same ones."""
    return Plan(lineups=[(p,) for p in policies], places=[[Place(i, 0)] for i in range(len(policies))])


@dataclass(frozen=True)
class Played:
    """What came of a plan.

    Attributes
    ----------
    plan : Plan
    units : int
        Game indices.
    results : int64[pairs, 3]
        Games lost, drawn and won by the first of each pair.
    points : Joint
        Win rate of the first of each pair, draws as half.
    scores : Joint or None
        Score of each policy, averaged over its games; None where the game has no column `score`.
    """

    plan: Plan
    units: int
    results: np.ndarray
    points: Joint
    scores: Joint | None

    def compared(self, i: int, j: int) -> tuple[float, float]:
        """Win rate of policy i against policy j, and the variance of that estimate."""
        turned = (i, j) not in self.plan.pairs
        p = self.plan.pairs.index((j, i) if turned else (i, j))
        rate = float(self.points.mean[p])
        return (1 - rate if turned else rate), float(self.points.covariance[p, p])


class _Tally:
    """Sums of one thread."""

    def __init__(self, wanted: Plan, playables: Sequence[Playable], order: Sequence[str]) -> None:
        names = [f.name for f in playables[0].fields]
        self.plan = wanted
        self.order = [names.index(name) for name in order]
        self.score = names.index("score") if "score" in names else None
        p, k = len(wanted.pairs), len(wanted.places)
        self.results = np.zeros((p, 3), np.int64)
        self.sums = [np.zeros(p, np.int64), np.zeros(k, np.int64)]
        self.cross = [np.zeros((p, p), np.int64), np.zeros((k, k), np.int64)]

    def add(self, outs: Sequence[np.ndarray], games: int) -> None:
        tables = [out.reshape(out.shape[0], games, -1) for out in outs]

        def better(a: Place, b: Place) -> np.ndarray:
            out = tables[a.lineup]
            sign = np.zeros(games, np.int8)
            for row in self.order:
                tied = np.sign(out[row, :, a.seat] - out[row, :, b.seat]).astype(np.int8)
                sign = np.where(sign == 0, tied, sign)
            return sign

        points = np.empty((games, len(self.plan.pairs)))
        for p, meetings in enumerate(self.plan.meetings):
            signs = [better(a, b) for a, b in meetings]
            for sign in signs:
                self.results[p] += np.bincount(sign + 1, minlength=3)
            points[:, p] = sum(sign + 1 for sign in signs)
        self._sum(0, points)
        if self.score is not None:
            row = self.score
            own = np.zeros((games, len(self.plan.places)))
            for i, places in enumerate(self.plan.places):
                for place in places:
                    own[:, i] += tables[place.lineup][row, :, place.seat]
            self._sum(1, own)

    def _sum(self, kind: int, values: np.ndarray) -> None:
        # products of whole numbers in doubles, which BLAS multiplies: exact far beyond what a block can reach
        self.sums[kind] += values.sum(axis=0).astype(np.int64)
        self.cross[kind] += (values.T @ values).astype(np.int64)


def play(
    game: Game,
    rules: RulesModel,
    wanted: Plan,
    *,
    seed: int,
    games: int,
    first_game: int = 0,
    workers: int = 1,
    on_block: Callable[[int], None] | None = None,
) -> Played:
    """Play a plan on game indices `first_game` … `first_game + games − 1`; memory does not depend on their number."""
    playables = [game.compile(rules, lineup) for lineup in wanted.lineups]
    wide = sum(len(p.fields) * p.seats for p in playables)

    def consume(_first: int, count: int, outs: list[np.ndarray], state: _Tally) -> None:
        state.add(outs, count)

    size = max(256, min(BLOCK, ROOM // max(wide, 1)))
    states: list[_Tally] = map_blocks(
        playables,
        seed,
        blocks(first_game, games, size),
        consume,
        workers=workers,
        size=size,
        local=lambda: _Tally(wanted, playables, game.order),
        on_block=on_block,
    )
    results = np.sum([s.results for s in states], axis=0)
    met = np.array([len(m) for m in wanted.meetings], np.float64)
    points = Joint(
        games, np.sum([s.sums[0] for s in states], axis=0), np.sum([s.cross[0] for s in states], axis=0), 1 / (2 * met)
    )
    scores = None
    if states[0].score is not None:
        seen = np.array([max(1, len(p)) for p in wanted.places], np.float64)
        scores = Joint(
            games, np.sum([s.sums[1] for s in states], axis=0), np.sum([s.cross[1] for s in states], axis=0), 1 / seen
        )
    return Played(wanted, games, results, points, scores)
