"""What a policy is tuned for: exact regret, its mean score, or its win rate against others.

All candidates of a generation are played on the same game indices, so their order depends on the policies and not on
who got the better dice.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sim.errors import InputError, PolicyError, RulesError
from sim.games.base import Game, Policy, RulesModel
from sim.league.tournament import check_lineups
from sim.league.units import Plan, Played, alone, plan, play
from sim.stats import Estimate


class Objective(abc.ABC):
    """Something to be made small, for one game under one set of rules."""

    #: what a gain is counted in
    unit: str

    def __init__(self, game: Game, rules: RulesModel) -> None:
        self.game = game
        self.rules = rules

    @abc.abstractmethod
    def identity(self) -> dict[str, Any]:
        """What is made small, as plain data."""

    @abc.abstractmethod
    def losses(self, policies: Sequence[Policy], seed: int, first: int, games: int, workers: int) -> list[float]:
        """One number per policy, the smaller the better, on the same games for all."""

    @abc.abstractmethod
    def gain(self, tuned: Policy, default: Policy, seed: int, games: int, workers: int) -> Estimate:
        """How much better the tuned policy is than the default one, paired on the same games."""

    def better(self, tuned: Policy, default: Policy, gain: Estimate) -> bool:
        """Whether the tuned policy is surely better: by default, whether the whole interval of the gain says so."""
        return gain.low > 0

    def _play(self, wanted: Plan, seed: int, first: int, games: int, workers: int) -> Played:
        return play(self.game, self.rules, wanted, seed=seed, games=games, first_game=first, workers=workers)


class Score(Objective):
    """Mean score of a policy that plays alone."""

    unit = "points"

    def identity(self) -> dict[str, Any]:
        return {"kind": "score"}

    def losses(self, policies: Sequence[Policy], seed: int, first: int, games: int, workers: int) -> list[float]:
        scores = self._play(alone(policies), seed, first, games, workers).scores
        assert scores is not None
        return [-float(m) for m in scores.mean]

    def gain(self, tuned: Policy, default: Policy, seed: int, games: int, workers: int) -> Estimate:
        scores = self._play(alone([tuned, default]), seed, 0, games, workers).scores
        assert scores is not None
        return scores.contrast([1, -1])


class Regret(Objective):
    """Mean exact regret over labelled sheets: the optimal value less the policy's; the gain is one of mean score.

    This difference is the sum of all losses that `sim.games.caterpillars.exact.regret` tells by round and kind.
    """

    unit = "points"

    def __init__(self, game: Game, rules: RulesModel, sheets: Sequence[Sequence[int]]) -> None:
        super().__init__(game, rules)
        self.sheets = [[int(x) for x in labels] for labels in sheets]
        self.optimal = [float(game.solve(rules, labels=labels).value) for labels in self.sheets]
        self._known: dict[str, float] = {}

    def identity(self) -> dict[str, Any]:
        return {"kind": "regret", "sheets": self.sheets}

    def regret(self, policy: Policy) -> float:
        """Mean regret over the sheets, in points."""
        key = policy.text()
        if key not in self._known:
            own = [float(self.game.solve(self.rules, [policy], labels=labels).value) for labels in self.sheets]
            self._known[key] = float(np.mean(np.array(self.optimal) - own))
        return self._known[key]

    def losses(self, policies: Sequence[Policy], seed: int, first: int, games: int, workers: int) -> list[float]:
        return [self.regret(policy) for policy in policies]

    def gain(self, tuned: Policy, default: Policy, seed: int, games: int, workers: int) -> Estimate:
        """The mean over the sheets, each played with its labels on `games` indices of its own."""
        found = []
        for i, labels in enumerate(self.sheets):
            rules = self.game.rules_type.parse({**self.rules.changed(), "sheet": labels})
            wanted = alone([tuned, default])
            scores = play(
                self.game, rules, wanted, seed=seed, games=games, first_game=i * games, workers=workers
            ).scores
            assert scores is not None
            found.append(scores.contrast([1, -1]))
        value = float(np.mean([e.value for e in found]))
        # the dice of the sheets are independent; of their half-widths the squares add up
        half = float(np.sqrt(np.sum([e.half_width**2 for e in found]))) / len(found)
        return replace(found[0], value=value, low=value - half, high=value + half, n=sum(e.n for e in found))

    def better(self, tuned: Policy, default: Policy, gain: Estimate) -> bool:
        return self.regret(tuned) < self.regret(default)  # exact: no game has a say


class Wins(Objective):
    """Mean win rate against named opponents, both seatings, draws as half."""

    unit = "win rate"

    def __init__(self, game: Game, rules: RulesModel, against: Sequence[Policy]) -> None:
        super().__init__(game, rules)
        self.against = tuple(against)

    def identity(self) -> dict[str, Any]:
        return {"kind": "wins", "against": [p.identity() for p in self.against]}

    def _points(self, policies: Sequence[Policy], seed: int, first: int, games: int, workers: int) -> Played:
        """Every policy against every opponent; pairs in this order."""
        k = len(policies)
        pairs = [(i, k + j) for i in range(k) for j in range(len(self.against))]
        return self._play(plan(self.game, [*policies, *self.against], pairs), seed, first, games, workers)

    def losses(self, policies: Sequence[Policy], seed: int, first: int, games: int, workers: int) -> list[float]:
        points = self._points(policies, seed, first, games, workers).points.mean
        return [-float(m) for m in points.reshape(len(policies), -1).mean(axis=1)]

    def gain(self, tuned: Policy, default: Policy, seed: int, games: int, workers: int) -> Estimate:
        m = len(self.against)
        weights = np.repeat([1.0, -1.0], m) / m
        return self._points([tuned, default], seed, 0, games, workers).points.contrast(weights)


def objective_for(
    game: Game,
    rules: RulesModel,
    policy: Policy,
    against: Sequence[Policy] = (),
    sheets: Sequence[Sequence[int]] = (),
) -> Objective:
    """Exact regret where sheets are given, wins where opponents are, else the mean score of one who plays alone.

    Raises
    ------
    SimError
        Where the game or the policy does not have what is asked for.
    """
    if sheets and against:
        raise InputError("labels and opponents were both given; accepted: one of them decides what is tuned for")
    if sheets:
        if game.name != "caterpillars":
            raise InputError(f"labels were given for {game.name}; accepted: caterpillars, where exact regret is known")
        if policy.info.code is not None:
            raise PolicyError(
                f"labels were given for {policy.id}, one's own policy, whose exact regret is not known; accepted: "
                f"built-in policies, or no labels (its mean score is tuned, with --rules sheet=[…] on one sheet)"
            )
        return Regret(game, rules, sheets)
    if against:
        check_lineups(game, rules, plan(game, [policy, *against], [(0, 1 + j) for j in range(len(against))]))
        return Wins(game, rules, against)
    try:
        game.check_seats(rules, 1)
    except (PolicyError, RulesError):
        alone = False
    else:
        # one's own policy may look at others, but can do without: a game for one seat shows it none
        alone = policy.info.code is not None or not game.interacts(policy)
    if not alone:
        raise PolicyError(
            f"no opponents were given for {policy.id} of {game.name}, which does not play alone; accepted: at least "
            f"one policy to win against (--against)"
        )
    game.check_policies(rules, [policy])
    return Score(game, rules)
