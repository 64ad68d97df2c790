"""Luck taken out of shares of wins: chances against drawn numbers, means against many plain games."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sim
from sim.engine.jit import COMPILED
from sim.engine.simulate import blocks, map_blocks
from sim.games import get
from sim.games.caterpillars.luck.win_playable import LuckyWins, spreads_of, twins
from sim.games.caterpillars.luck.wins import make_table, win_chances
from sim.games.caterpillars.policies import POLICIES

GAME = get("caterpillars")
#: |z| beyond this has probability 4e-5
FAR = 4.1
compiled = pytest.mark.skipif(not COMPILED, reason="weights are fitted to thousands of games")


def chances(mean: list[float], sd: list[float], twin: list[int] | None = None) -> np.ndarray:
    seats = len(mean)
    of = np.arange(seats) if twin is None else np.array(twin)
    table = make_table(of, np.zeros((seats, 12)), np.zeros((seats, 12)), 1)
    win = np.zeros(seats)
    win_chances(np.array(mean), np.array(sd), table.twin, table.copies, table.node, table.weight, win)
    return win


@pytest.mark.parametrize(
    ("mean", "sd"),
    [([20.0, 22.0], [3.0, 2.0]), ([20.0, 22.0, 21.0], [3.0, 3.0, 2.0]), ([5.0, 5.0, 4.0, 7.0], [2.0, 2.5, 3.0, 2.0])],
)
def test_chances_are_those_of_normal_numbers(mean, sd):
    """Against a million draws, to 0.005: five times the error of a draw's share, and that of twelve places."""
    drawn = np.random.default_rng(3).normal(mean, sd, (1_000_000, len(mean)))
    shares = np.bincount(drawn.argmax(axis=1), minlength=len(mean)) / len(drawn)
    assert chances(mean, sd) == pytest.approx(shares, abs=5e-3)


def test_without_spread_the_highest_wins_and_equals_share():
    assert chances([3, 5, 5], [0, 0, 0]).tolist() == [0, 0.5, 0.5]
    assert chances([5, 5, 5], [0, 0, 0]) == pytest.approx([1 / 3] * 3)
    assert chances([5, 5 + 1 / 1024], [0, 0]).tolist() == [0, 1]
    assert chances([5], [0]).tolist() == [1]


def test_seats_that_always_do_the_same_count_as_one():
    assert chances([9, 9, 9], [1, 1, 1], [0, 0, 0]) == pytest.approx([1 / 3] * 3)
    two = chances([9, 8], [1, 2])
    assert chances([9, 8, 9], [1, 2, 1], [0, 1, 0]) == pytest.approx([two[0] / 2, two[1], two[0] / 2])
    policies = ["planner", "greedy", "planner", "random", "random", "greedy(slip=0.1)", "greedy(slip=0.1)", "learned"]
    assert twins([POLICIES.parse(p) for p in policies]).tolist() == [0, 1, 0, 3, 4, 5, 6, 7]


def test_spreads_are_those_of_differences():
    rng = np.random.default_rng(4)
    common, own = rng.normal(0, 5, (20_000, 1)), rng.normal(0, 1, (20_000, 3)) * [1.0, 2.0, 3.0]
    seen = np.zeros((20_000, 2, 3))
    shift, spread = spreads_of(common + own + [4.0, 0, 0], seen, np.arange(3))
    assert spread[:, 1] == pytest.approx([1.0, 4.0, 9.0], rel=0.1)
    assert shift[0, 1] - shift[1, 1] == pytest.approx(4.0, abs=0.1)
    assert spreads_of(common + own, seen, np.array([0, 2]))[1][:, 1] == pytest.approx([5.0, 0.0, 5.0], rel=0.1)


CASES = [
    ({"level": "beginner", "boxes": 1}, ["planner", "greedy"]),
    ({"level": "beginner", "boxes": 2}, ["random", "greedy(slip=0.3)", "learned"]),
    pytest.param(
        {"level": "intermediate", "boxes": 1, "sheet": [1, 6, 3]},
        ["random", "random", "optimal", "lookahead"],
        marks=pytest.mark.deep,
    ),
    pytest.param({"level": "advanced", "boxes": 1}, ["random", "planner", "planner"], marks=pytest.mark.deep),
    pytest.param(
        {"level": "expert", "boxes": 1, "sheet": [2, 5, 4]}, ["weighted", "random", "child"], marks=pytest.mark.deep
    ),
]


def reference(rules: dict[str, Any], policies: list[str], games: int) -> tuple[np.ndarray, np.ndarray]:
    """Shares of wins by seat in plain games of another seed, and their errors."""
    frame = sim.simulate("caterpillars", rules=rules, policies=policies, games=games, seed=99)
    won = frame["win"].to_numpy().reshape(-1, len(policies))
    assert won.sum(axis=1) == pytest.approx(1.0)
    return won.mean(axis=0), won.std(axis=0) / math.sqrt(games)


@compiled
@pytest.mark.parametrize(("rules", "policies"), CASES)
def test_adjusted_shares_are_those_of_many_games(rules, policies):
    """Against 100,000 plain games (20,000 where one thinks); error rate 4e-5 a seat, 6e-4 for all 15."""
    found = sim.adjusted("caterpillars", rules=rules, policies=policies, games=2000, seed=17, outcome="win")
    share, error = reference(rules, policies, 20_000 if "lookahead" in policies else 100_000)
    for s, lucky in enumerate(found.seats):
        own = lucky.mean.half_width / 1.96
        assert abs(lucky.mean.value - share[s]) < FAR * math.hypot(own, error[s])
    assert sum(lucky.mean.value for lucky in found.seats) == pytest.approx(1.0, abs=1e-4)
    apart = found.difference(0, 1)
    assert apart.mean.value == pytest.approx(found.seats[0].mean.value - found.seats[1].mean.value)
    assert apart.raw.value == pytest.approx(found.seats[0].raw.value - found.seats[1].raw.value)


class Loaded(LuckyWins):
    """Expects dice that fall on the first roll of the list too often."""

    def scratch(self):
        memory, table, luck = super().scratch()
        chance = memory.mind.chance * 0.8
        chance[0] += 0.2
        memory.mind = memory.mind._replace(chance=chance)
        return memory, table, luck


class Absent(LuckyWins):
    """Does not see draws as it should: expects no slips where there are."""

    def __init__(self, *given):
        super().__init__(*given)
        self._slips = np.minimum(self._slips, 0.1)


@compiled
@pytest.mark.parametrize(
    ("wrong", "policies"), [(Loaded, ["greedy", "planner"]), (Absent, ["greedy(slip=0.3)", "greedy"])]
)
def test_a_wrong_expectation_is_seen(wrong, policies):
    """One roll expected 20 in 100 too often, or slips too seldom: the check against many games has to fail."""
    rules = {"level": "beginner", "boxes": 1}
    scenario = GAME.scenario(rules, policies)
    share, error = reference(rules, policies, 100_000)
    z = []
    for kind in (LuckyWins, wrong):
        parts: list[np.ndarray] = []
        playable = kind(scenario.rules, scenario.policies)
        map_blocks(
            [playable], 17, blocks(0, 4000, 250), lambda _f, _g, o, _s, p=parts: p.append(o[0][1, ::2].copy()), size=250
        )
        x = np.concatenate(parts)
        z.append((x.mean() - share[0]) / math.hypot(x.std() / math.sqrt(x.size), error[0]))
    assert abs(z[0]) < FAR < abs(z[1])


@compiled
def test_nothing_depends_on_workers_and_games_are_those_of_simulate():
    call = {"rules": {"level": "beginner"}, "policies": ["greedy", "random", "planner"], "seed": 4}
    one = sim.adjusted("caterpillars", games=520, outcome="win", **call)
    two = sim.adjusted("caterpillars", games=520, outcome="win", workers=2, **call)
    assert one.seats == two.seats
    frame = sim.simulate("caterpillars", games=520, **call)
    assert one.seats[1].raw.value == pytest.approx(frame.filter(frame["seat"] == 1)["win"].mean(), abs=1e-4)
    assert min(lucky.ratio for lucky in one.seats) > 2


@compiled
def test_equal_players_without_draws_leave_no_luck():
    found = sim.adjusted("caterpillars", policies=["planner"] * 3, games=20, seed=1, outcome="win")
    assert [lucky.mean.value for lucky in found.seats] == pytest.approx([1 / 3] * 3, abs=1e-4)
    assert all(math.isinf(lucky.ratio) for lucky in found.seats)
