"""How much of an outcome goes with what the cards said: weights by least squares, from games that nobody else plays.

Where networks were made for the very rules and policies, their word is taken nearly as it is: few games suffice, and
nothing else is told. Else it is one number among others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sim.games.base import OWN, Policy
from sim.games.parlett.kernel import RECORD, SCORE, WIN, ParlettPlayable, Scratch
from sim.games.parlett.luck.events import bins, tell_games
from sim.games.parlett.luck.network import nets_of, room_for
from sim.games.parlett.luck.tell import NET, TOLD, Thought
from sim.games.parlett.luck.worth import Judge, Players
from sim.games.parlett.policies import POLICIES, SEARCH
from sim.games.parlett.rules import CARDS, MOST_HAND, ParlettRules

#: games that weights are fitted to, the share of them where networks were made for the very game, their seed, and the
#: first of them: no simulation comes to it that begins at 0
SAMPLE, PART, SEED, FIRST = 6_000, 0.5, 1, 2**62
#: with so many cards left untold the mean is over the next card as well: more where the policy itself is fast
DEEP, DEEPER = 14, {"greedy": 18}
#: policy `random`
RANDOM = 0
#: games told at a time
_BLOCK = 250
#: ridge, in games: that many with every number at its mean, and the outcome too; for what networks say, where they
#: were made for the very game, that many in which it is true
_RIDGE, _TRUST = 3.0, 300.0
#: weights are rounded to this, in points (for wins: in thousandths), so that they are the same on every machine
_STEP = 2.0**-12


class Weights(NamedTuple):
    """What is subtracted from an outcome: ``sums.ravel() @ weights[:, seat]``; `centre`, `width` as in `tell_deal`."""

    centre: np.ndarray
    width: np.ndarray
    weights: np.ndarray


class Teller:
    """Plays games and tells what their cards said.

    Parameters
    ----------
    rules, policies
        Of the games.
    """

    def __init__(self, rules: ParlettRules, policies: Sequence[Policy]) -> None:
        self.rules = rules
        self.playable = ParlettPlayable(rules, policies)
        self.minds = [POLICIES.parse(thinks_as(p)) for p in policies]
        self.bins = rules.deals * bins(rules.plays)
        self.tells_choices = tuple(tells_choices(p) for p in policies)
        nets = [nets_of(judged_by(p), rules.block) for p in policies]
        #: whether the networks were made for this game
        self.exact = rules.identity() == ParlettRules(block=rules.block, deals=rules.deals).identity() and policies[
            0
        ].text() == policies[1].text() == judged_by(policies[0])
        self._nets = (nets[0][0], nets[1][0]), (nets[0][1], nets[1][1])
        self._deeper = DEEPER.get(policies[0].text(), DEEP) if self.exact else DEEP
        self._one = judged_by(policies[0]) == judged_by(policies[1])

    def scratch(self) -> Scratch:
        """Working memory of one thread."""
        return self.playable.scratch()

    def thought(self, scratch: Scratch) -> Thought:
        """What looks ahead; the position is that of the game, which is played before."""
        numbers = np.array([p.info.number for p in self.minds])
        params = np.stack([p.vector() for p in self.minds])
        policies = self.playable.policies
        players = Players(
            np.stack([numbers, numbers[::-1]]),
            np.stack([params, params[::-1]]),
            np.array([1.0 if p.info.number == RANDOM else p.slip if fast(p) else 0.0 for p in policies]),
            np.array(self.tells_choices),
            scratch.works[0].limits.copy(),
        )
        hands, row = self._nets
        judge = Judge(hands, row, self._one, room_for(*hands, *row), self.rules.multiple, self._deeper)
        return Thought(
            scratch.positions, np.zeros(MOST_HAND + 3, np.int64), np.zeros(TOLD), numbers, params, np.ones(CARDS),
            players, judge, not self.exact,
        )  # fmt: skip

    def tell(
        self, seed: int, first: int, games: int, centre: np.ndarray, width: np.ndarray, scratch: Scratch
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Results (as the kernel gives them), ``sums[game, bin, TOLD]`` and ``leads[game, bin]`` of some games."""
        rules = self.rules
        scratch.records = np.zeros(games * rules.deals, RECORD).view(np.recarray)
        out = np.zeros((len(self.playable.fields), 2 * games), np.int32)
        self.playable.play(seed, first, games, out, scratch, record=True)
        sums = np.zeros((games, self.bins, TOLD))
        leads = np.full((games, self.bins), np.nan)
        tell_games(
            games, rules.deals, scratch.records, rules.hand_size, self.thought(scratch), centre, width, sums, leads
        )
        return out, sums, leads


def outcomes_of(out: np.ndarray, outcome: str) -> np.ndarray:
    """Outcomes of the kernel's results: float64[games × 2]."""
    if outcome == "score":
        return out[SCORE].astype(np.float64)
    return np.where(out[WIN] == 2, 0.5, out[WIN])


def fast(policy: Policy) -> bool:
    """Whether a policy decides in no time, so that it can be asked what it would do."""
    return policy.info.number != SEARCH and policy.info.number < OWN


def tells_choices(policy: Policy) -> bool:
    """Whether a policy's choices are chance events with known chances."""
    return fast(policy) and policy.draws


def judged_by(policy: Policy) -> str:
    """The policy whose networks say what a position is worth."""
    names = ("random", "greedy", "greedy", "greedy", "planner", "planner")
    return names[policy.info.number] if fast(policy) else "planner"


def stands_in(policy: Policy) -> str:
    """The policy that weights are fitted to: the policy itself if it decides in no time, else `planner`."""
    return policy.text() if fast(policy) else "planner"


def thinks_as(policy: Policy) -> str:
    """The policy that is asked what comes next: as `stands_in`, and `greedy` for what is drawn."""
    return "greedy" if policy.info.number == RANDOM else stands_in(policy)


def weights_of(rules: ParlettRules, policies: Sequence[Policy], outcome: str) -> Weights:
    """Weights for a line-up and an outcome, ``score`` or ``win``; kept, as scenarios are compiled again and again."""
    return _fitted(rules.model_dump_json(), tuple(map(stands_in, policies)), outcome)


@lru_cache(maxsize=32)
def _fitted(rules_text: str, policies: tuple[str, ...], outcome: str) -> Weights:
    rules = ParlettRules.model_validate_json(rules_text)
    teller = Teller(rules, [POLICIES.parse(p) for p in policies])
    scratch = teller.scratch()
    n = teller.bins
    centre, width = np.zeros(n), np.zeros(n)
    games = max(_BLOCK, int(SAMPLE * PART) if teller.exact else SAMPLE)
    starts = range(FIRST, FIRST + games, _BLOCK)
    if outcome == "win":
        centre, width = spread(teller, scratch, starts)
    k = n * TOLD
    before = expected_weights(outcome).repeat(n, axis=0).reshape(k, 2) if teller.exact else np.zeros((k, 2))
    square, mixed, mean = np.zeros((k, k)), np.zeros((k, 2)), np.zeros(2)
    of_sums = np.zeros(k)
    for start in starts:
        out, sums, _ = teller.tell(SEED, start, _BLOCK, centre, width, scratch)
        x = sums.reshape(_BLOCK, k)
        y = outcomes_of(out, outcome).reshape(_BLOCK, 2) - x @ before
        square += x.T @ x
        mixed += x.T @ y
        mean += y.sum(axis=0)
        of_sums += x.sum(axis=0)
    mixed -= np.outer(of_sums, mean / len(starts) / _BLOCK)
    told = np.diag(square) > 1e-6
    ridge = square[told][:, told]
    ridge[np.diag_indices_from(ridge)] *= 1.0 + (_TRUST if teller.exact else _RIDGE) / games
    weights = before
    weights[told] += np.linalg.solve(ridge + 1e-9 * np.eye(len(ridge)), mixed[told])
    step = _STEP if outcome == "score" else _STEP / 1000
    weights = np.rint(weights / step) * step
    if outcome == "win":
        weights[:, 1] = -weights[:, 0]
    return Weights(centre, width, weights)


def expected_weights(outcome: str) -> np.ndarray:
    """Weights of what is told of a card, by seat, if the networks were right: float64[1, TOLD, 2]."""
    weights = np.zeros((1, TOLD, 2))
    weights[0, NET] = (0.5, -0.5) if outcome == "score" else (1.0, -1.0)
    weights[0, NET + 1] = 0.5 if outcome == "score" else 0.0
    return weights


def spread(teller: Teller, scratch: Scratch, starts: range) -> tuple[np.ndarray, np.ndarray]:
    """What comes on top of seat 0's lead in every bin until the end: its mean, and its standard deviation."""
    n = teller.bins
    count, total, squares = np.zeros(n), np.zeros(n), np.zeros(n)
    for start in starts[: max(1, len(starts) // 10)]:
        out, _, leads = teller.tell(SEED, start, _BLOCK, np.zeros(n), np.zeros(n), scratch)
        final = out[SCORE, ::2] - out[SCORE, 1::2].astype(np.float64)
        more = final[:, None] - leads
        count += np.isfinite(more).sum(axis=0)
        total += np.nansum(more, axis=0)
        squares += np.nansum(more * more, axis=0)
    count = np.maximum(count, 1)
    mean = np.rint(total / count)
    return mean, np.maximum(np.rint(np.sqrt(np.maximum(squares / count - mean * mean, 0.0))), 1.0)
