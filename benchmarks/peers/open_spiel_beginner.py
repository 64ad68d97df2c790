"""Caterpillars beginner as an OpenSpiel game written in Python, and OpenSpiel's own C++ game `pig`.

One player, sheet `pairs`, standard set-up, default readings; every roll is an explicit chance node. Needs the package
``open-spiel`` (Lanctot et al., *OpenSpiel: A framework for reinforcement learning in games*, 2019, arXiv:1908.09453).
"""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pyspiel

from benchmarks.c_program import PAIRS

BOXES = 12
SET_UP_ROLLS = 2
#: action numbers: an outcome is ``7 × box + score``; writing the next rolled value on a blank is ``PLACE + box``
PLACE = 7 * BOXES
_TWO_DICE = [(x, 1 / 36) for x in range(36)]
_THREE_DICE = [(x, 1 / 216) for x in range(216)]

_TYPE = pyspiel.GameType(
    short_name="python_caterpillars_beginner",
    long_name="Python Caterpillars (beginner)",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.GENERAL_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=1,
    min_num_players=1,
    provides_information_state_string=False,
    provides_information_state_tensor=False,
    provides_observation_string=False,
    provides_observation_tensor=False,
    parameter_specification={},
)
_INFO = pyspiel.GameInfo(
    num_distinct_actions=PLACE + BOXES,
    max_chance_outcomes=216,
    num_players=1,
    min_utility=0.0,
    max_utility=24.0,
    utility_sum=None,
    max_game_length=3 * SET_UP_ROLLS + BOXES,
)


class CaterpillarsState(pyspiel.State):
    """One game in progress."""

    def __init__(self, game: pyspiel.Game) -> None:
        super().__init__(game)
        self.labels = list(PAIRS)
        self.scores: list[int | None] = [None] * BOXES
        self.to_place: list[int] = []
        self.dice: tuple[int, int] | None = None
        self.set_up_rolls_left = SET_UP_ROLLS
        self.rounds_left = BOXES

    def current_player(self) -> int:
        if self.to_place or self.dice is not None:
            return 0
        if self.set_up_rolls_left or self.rounds_left:
            return pyspiel.PlayerId.CHANCE
        return pyspiel.PlayerId.TERMINAL

    def is_terminal(self) -> bool:
        return not self.rounds_left and self.dice is None

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return _THREE_DICE if self.set_up_rolls_left else _TWO_DICE

    def _legal_actions(self, player: int) -> list[int]:
        if self.to_place:
            return [PLACE + box for box, label in enumerate(self.labels) if not label]
        assert self.dice is not None
        a, b = self.dice
        entries = []
        for box, label in enumerate(self.labels):
            if self.scores[box] is None:
                if label == a:
                    entries.append(7 * box + b)
                elif label == b:
                    entries.append(7 * box + a)
        return entries or [7 * box for box, score in enumerate(self.scores) if score is None]

    def _apply_action(self, action: int) -> None:
        if self.to_place:
            self.labels[action - PLACE] = self.to_place.pop(0)
        elif self.dice is not None:
            self.scores[action // 7] = action % 7
            self.dice = None
        elif self.set_up_rolls_left:
            self.set_up_rolls_left -= 1
            self.to_place = [action % 6 + 1, action // 6 % 6 + 1, action // 36 + 1]
        else:
            self.rounds_left -= 1
            self.dice = (action % 6 + 1, action // 6 + 1)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"roll {action}"
        if action >= PLACE:
            return f"label on box {action - PLACE}"
        return f"{action % 7} into box {action // 7}"

    def returns(self) -> list[float]:
        """The end total: without bonuses, the middle one of the three."""
        if not self.is_terminal():
            return [0.0]
        totals = [sum(s or 0 for s in self.scores[4 * c : 4 * c + 4]) for c in range(3)]
        return [float(sorted(totals)[1])]

    def __str__(self) -> str:
        return f"labels {self.labels} scores {self.scores}"


class CaterpillarsGame(pyspiel.Game):
    """The game, as OpenSpiel sees it."""

    def __init__(self, params: dict | None = None) -> None:
        super().__init__(_TYPE, _INFO, params or {})

    def new_initial_state(self) -> CaterpillarsState:
        return CaterpillarsState(self)


pyspiel.register_game(_TYPE, CaterpillarsGame)


def _playout(state: pyspiel.State, rng: random.Random) -> int:
    """Play to the end at random (all chance outcomes here are equally likely); returns the number of decisions."""
    decisions = 0
    choose = rng.choice
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(choose(state.chance_outcomes())[0])
        else:
            decisions += 1
            state.apply_action(choose(state.legal_actions()))
    return decisions


def play(seed: int, games: int) -> list[float]:
    """End totals of `games` games under the policy `random`, played from Python."""
    rng = random.Random(seed)
    game = pyspiel.load_game(_TYPE.short_name)
    scores = []
    for _ in range(games):
        state = game.new_initial_state()
        _playout(state, rng)
        scores.append(state.returns()[0])
    return scores


def play_as_in_the_example(seed: int, games: int) -> list[float]:
    """The same with chance sampled as in OpenSpiel's ``python/examples/example.py``: ``numpy``'s weighted choice."""
    rng = random.Random(seed)
    numpy_rng = np.random.RandomState(seed & 0xFFFFFFFF)
    game = pyspiel.load_game(_TYPE.short_name)
    scores = []
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(numpy_rng.choice(actions, p=weights))
            else:
                state.apply_action(rng.choice(state.legal_actions(state.current_player())))
        scores.append(state.returns()[0])
    return scores


def play_by_bots(seed: int, games: int, name: str = _TYPE.short_name) -> float:
    """Mean return of the first player under OpenSpiel's own loop and random players, both in C++."""
    game = pyspiel.load_game(name)
    bots = [pyspiel.make_uniform_random_bot(player, seed + player) for player in range(game.num_players())]
    total = 0.0
    for i in range(games):
        total += pyspiel.evaluate_bots(game.new_initial_state(), bots, seed + i)[0]
    return total / games


def pig_decisions(seed: int, games: int) -> int:
    """Play OpenSpiel's C++ game `pig` at random, driven from Python; returns the number of decisions."""
    rng = random.Random(seed)
    game = pyspiel.load_game("pig")
    return sum(_playout(game.new_initial_state(), rng) for _ in range(games))


@cache
def _pig_decisions_per_game() -> float:
    return pig_decisions(1, 500) / 500


def pig_decisions_by_bots(seed: int, games: int) -> float:
    """The same with OpenSpiel's own loop and random players, all in C++.

    That loop counts no decisions: their number is `games` times the mean of 500 games driven from Python (standard
    error 0.8 %).
    """
    play_by_bots(seed, games, "pig")
    return games * _pig_decisions_per_game()
