"""Luck taken out of Karolinchen: nothing is lost, means are exact ones, and a wrong expectation is found out."""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats as distributions

import sim
from sim.errors import SimError
from sim.games import get
from sim.games.karolinchen.luck import play as luck_play
from sim.games.karolinchen.luck.learn import Settings, returns, train
from sim.games.karolinchen.luck.network import file_of, read
from sim.games.karolinchen.luck.playable import LuckyPlayable, network_for, race_of
from sim.games.karolinchen.luck.race import all_vectors, number_of, parts_of
from sim.games.karolinchen.luck.tree import worth_of
from sim.games.karolinchen.luck.worth import node_worth
from sim.games.karolinchen.moves import CHOICES, LEFT, MIDDLE, ROLLED, ROLLS, SEAT
from sim.games.karolinchen.rules import KarolinchenRules

GAME = get("karolinchen")
#: line-ups and rules with exact chances of winning, two by two
PAIRS = [
    (policies, rules)
    for policies in (
        ["match", "match"],
        ["random", "match"],
        ["odds", "longest"],
        ["shortest", "racer"],
        ["longest", "random"],
    )
    for rules in (
        {},
        {"start_fruit": [0, 5]},
        {"opening": "own_roll"},
        {"reroll_after_eating": True},
        {"new_card_take": "may", "fruits": [1, 2, 1, 2, 1, 2]},
    )
] + [
    (["match(slip=0.4)", "random"], {"new_card_take": "may", "fruits": [1, 2, 2, 1, 2, 2]}),
    (["random", "racer(slip=0.3, guard=1)"], {"new_card_take": "may", "reroll_after_eating": True, "fruits": [2] * 6}),
]


def lucky(policies: list[str], rules: dict | None = None, fitted: bool = True) -> LuckyPlayable:
    """Games of a line-up with their luck."""
    read_rules = KarolinchenRules.model_validate(rules or {})
    network = network_for(read_rules, len(policies)) if fitted else None
    return LuckyPlayable(read_rules, [GAME.policies.parse(p) for p in policies], network=network)


@lru_cache(maxsize=64)
def won(policies: tuple[str, ...], rules: str) -> float:
    """Exact chance of winning of seat 0."""
    return float(sim.solve("karolinchen", rules=json.loads(rules), policies=list(policies)).win[0])


def z_of(policies: list[str], rules: dict, games: int, seed: int) -> float:
    """Distance of the adjusted mean of seat 0 from the exact chance of winning, in standard errors."""
    found = sim.adjusted("karolinchen", rules=rules, policies=policies, games=games, seed=seed)
    exact = won(tuple(policies), json.dumps(rules))
    error = (found.mean.high - found.mean.low) / (2 * distributions.t.ppf(0.975, games - 1))
    return (found.mean.value - exact) / error


def test_the_games_are_those_of_simulate_and_do_not_depend_on_workers() -> None:
    arguments = {"policies": ["match", "odds", "random"], "games": 150, "seed": 5}
    found = sim.adjusted("karolinchen", **arguments)
    wins = sim.simulate("karolinchen", **arguments)["win"].to_numpy().reshape(-1, 3)
    assert [s.raw.value for s in found.seats] == pytest.approx(wins.mean(axis=0))
    again = sim.adjusted("karolinchen", workers=2, **arguments)
    assert [s.mean for s in again.seats] == [s.mean for s in found.seats]
    assert sum(s.mean.value for s in found.seats) == pytest.approx(1, abs=1e-4)  # what one gains the others lose


@pytest.mark.parametrize("number", [0, 6, 12, 18, 25, 26])
def test_adjusted_means_are_the_exact_ones(number: int) -> None:
    """|z| < 4.1 in six cases: error rate 3e-4 in all."""
    policies, rules = PAIRS[number]
    assert abs(z_of(policies, rules, 300, 11 + number)) < 4.1


def test_luck_is_taken_out_for_more_players() -> None:
    """Against plain games of the same line-up: |z| < 4.1 for four seats, error rate 2e-4.

    Ratios are about 9 to 20; that one of 400 games falls below 5 is out of the question.
    """
    policies = ["match", "odds", "random", "racer(slip=0.2)"]
    found = sim.adjusted("karolinchen", policies=policies, games=400, seed=5)
    plain = sim.simulate("karolinchen", policies=policies, games=200_000, seed=6)["win"].to_numpy().reshape(-1, 4)
    for s, seat in enumerate(found.seats):
        assert seat.ratio > 5
        share = plain[:, s].mean()
        error = np.hypot((seat.mean.high - seat.mean.low) / 3.92, np.sqrt(share * (1 - share) / len(plain)))
        assert abs(seat.mean.value - share) < 4.1 * error


def test_probabilities_of_rolls() -> None:
    keys, chance, start = all_vectors()
    for dice in range(7):
        own = slice(start[dice], start[dice + 1])
        assert chance[own].sum() == pytest.approx(1)
        assert {sum((k >> (4 * c)) & 15 for c in range(6)) for k in keys[own].tolist()} == {dice}
    race = race_of(KarolinchenRules().model_dump_json(), 3)
    assert np.allclose(race.end[:, 0].sum(axis=1), 1)
    assert np.allclose(race.end[:, 1:].sum(axis=2), 1)


def test_a_wrong_expectation_is_found_out() -> None:
    """With one roll of six dice left out of the sum, all colours once, the mean is off: the very test above fails."""
    playable = lucky(["match", "match"])
    chance = playable.sight.chance
    (left_out,) = np.flatnonzero(playable.sight.keys == 0x111111)
    kept, chance[left_out] = chance[left_out], 0.0
    try:
        out = np.zeros((2, 2 * 1000))
        playable.play(11, 0, 1000, out, playable.scratch())
    finally:
        chance[left_out] = kept
    adjusted = out[1, ::2]
    exact = sim.solve("karolinchen", policies=["match", "match"]).win[0]
    assert abs(adjusted.mean() - exact) > 4.1 * adjusted.std() / np.sqrt(adjusted.size)


def test_what_cannot_be_done_is_refused_in_one_line() -> None:
    with pytest.raises(SimError, match="value"):
        sim.adjusted("karolinchen", policies=["match"] * 2, games=10, seed=1, value="exact")
    with pytest.raises(SimError, match="accepted: a sum of up to 44"):
        sim.adjusted("karolinchen", policies=["match"] * 2, games=10, seed=1, rules={"fruits": [9] * 6})
    fruits = {"fruits": [2] * 6}
    with pytest.raises(SimError, match="or value = 'race'"):
        sim.adjusted("karolinchen", policies=["match"] * 2, games=10, seed=1, rules=fruits, value="fitted")
    with pytest.raises(SimError, match="accepted: a whole number from 2 to 6"):
        train(Settings(7))
    with pytest.raises(SimError, match="games = 5 is not accepted"):
        train(Settings(3, games=5))


class Plain:
    """Mean of what follows a roll, by plain recursion over ordered dice and choices; positions as dicts of lists."""

    def __init__(self, playable: LuckyPlayable, weights: dict[int, Any]) -> None:
        self.sight, self.weights = playable.sight, weights
        (self.positions, self.works), self.desk, *_ = playable.scratch()

    def node(self, rows: list[int], roller: int, dice: int) -> np.ndarray:
        worth = np.zeros(6)
        node_worth(np.array(rows, np.int64), roller, dice, self.sight, self.desk, worth)
        return worth

    def follow(self, rows: list[int], seat: int, dice: list[int], rolled: bool) -> np.ndarray:
        """`seat` has these dice (counts by colour) before it."""
        left, colour, covered = parts_of(rows[seat], self.sight.fruits, self.sight.before)
        if dice[colour] == 0 and not rolled:
            return self.node(rows, seat, sum(dice) or 6)
        return self.take(rows, seat, dice, left, colour, covered)

    def take(self, rows, seat: int, dice: list[int], left: int, colour: int, covered: int) -> np.ndarray:
        n = min(dice[colour], int(self.sight.fruits[colour]) - covered)
        dice = [d - n * (c == colour) for c, d in enumerate(dice)]
        if covered + n < self.sight.fruits[colour]:
            return self.end(rows, seat, dice, left, colour, covered + n)
        if left == 0:
            return np.eye(6)[seat]
        cards = [c for c in range(6) if left >> c & 1]
        return sum(p * self.lay(rows, seat, dice, left ^ (1 << c), c) for p, c in self.weights[seat](cards, dice))

    def lay(self, rows, seat: int, dice: list[int], left: int, colour: int) -> np.ndarray:
        refuse = self.weights[seat].refuse if dice[colour] else 1.0
        out = refuse * self.end(rows, seat, dice, left, colour, 0)
        return out if refuse == 1.0 else out + (1 - refuse) * self.take(rows, seat, dice, left, colour, 0)

    def end(self, rows, seat: int, dice: list[int], left: int, colour: int, covered: int) -> np.ndarray:
        after = list(rows)
        after[seat] = int(number_of(left, colour, covered, self.sight.fruits, self.sight.before))
        return self.follow(after, (seat + 1) % self.sight.seats, dice, False)


class Chooses:
    """Chances of the next card: `longest` with a chance to slip; at 1 `random`."""

    def __init__(self, slip: float, refuse: float) -> None:
        self.slip, self.refuse = slip, refuse

    def __call__(self, cards: list[int], dice: list[int]) -> list[tuple[float, int]]:
        if len(cards) == 1:
            return [(1.0, cards[0])]
        return [(self.slip / len(cards) + (1 - self.slip) * (c == cards[-1]), c) for c in cards]


@pytest.mark.parametrize("fitted", [True, False])
def test_means_are_those_over_every_ordered_roll_and_choice(fitted: bool) -> None:
    """To 1e-9, for positions where cards are full after few dice; drawn cards and slips among what follows."""
    playable = lucky(["random", "longest(slip=0.3)", "longest"], {"new_card_take": "may"}, fitted)
    sight = playable.sight
    plain = Plain(playable, {0: Chooses(1.0, 0.0), 1: Chooses(0.3, 0.15), 2: Chooses(0.0, 0.0)})
    (positions, works), desk, room, *_ = playable.scratch()
    rng = np.random.default_rng(1)
    for case in range(12):
        rows = np.zeros(6, np.int64)
        for s in range(3):
            colour, left = int(rng.integers(6)), int(rng.integers(64))
            full = int(sight.fruits[colour])
            rows[s] = number_of(left & ~(1 << colour), colour, max(full - 1 - case % 2, 0), sight.fruits, sight.before)
        seat, dice = case % 3, 1 + case % 4
        mean = np.zeros(6)
        luck_play.roll_means(rows, seat, dice, False, positions[0], works[0], sight, desk, room, mean)
        told = np.zeros(6)
        for roll in product(range(6), repeat=dice):
            counts = [roll.count(c) for c in range(6)]
            told += plain.follow(rows.tolist(), seat, counts, True) / 6**dice
        assert mean == pytest.approx(told, abs=1e-9)
        assert mean.sum() == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    ("policies", "rules"),
    [
        (["match", "odds", "racer", "longest"], {}),
        (["racer(guard=2)", "shortest", "odds(chain=2, rivals=1)"], {"new_card_take": "may"}),
    ],
)
def test_what_policies_do_is_foreseen(policies: list[str], rules: dict) -> None:
    """Where nobody draws, a position is worth the same after a roll and after the turn that was then played."""
    playable = lucky(policies, rules)
    sight, n, games = playable.sight, len(policies), 60
    out, record = playable._plain.record(3, 0, games)
    (positions, works), desk, *_ = playable.scratch()
    rows, worms, room = np.zeros(6, np.int64), np.zeros((6, 3), np.int64), np.zeros((3, 6))
    at = chosen = 0
    for g in range(games):
        for s in range(n):
            colour = out[5, g * n + s]
            worms[s] = 63 ^ (1 << colour), colour, 0
            rows[s] = number_of(63 ^ (1 << colour), colour, 0, sight.fruits, sight.before)
        for _ in range(out[0, g * n]):
            row = record[at]
            at += 1
            seat, rolled = row[SEAT], row[ROLLS] > 0
            dice = row[ROLLED] if rolled else row[MIDDLE]
            worth_of(rows, seat, dice, int(rolled), positions[0], works[0], sight, desk, room[0], room[1])
            luck_play.follow(row, worms[seat])
            left, colour, covered = worms[seat]
            room[2] = np.eye(6)[seat]
            if covered < sight.fruits[colour]:
                rows[seat] = number_of(left, colour, covered, sight.fruits, sight.before)
                following = (seat + 1) % n
                worth_of(rows, following, row[LEFT], 0, positions[0], works[0], sight, desk, room[0], room[2])
            assert room[1, :n] == pytest.approx(room[2, :n], abs=1e-12)
            chosen += row[CHOICES]
    assert chosen > 300


@pytest.mark.parametrize("players", range(2, 7))
def test_files_say_what_made_them(players: int) -> None:
    path = file_of(players)
    weights, told = read(path)
    assert path.stat().st_size < 84_000
    assert told["settings"]["players"] == players
    assert weights.outer.shape[1] == players


def test_networks_save_more_than_the_race_and_other_fruits_are_raced() -> None:
    """Ratios of 250 games are known to about a fifth; the network's is more than twice that of the race."""
    arguments: dict = {"policies": ["match"] * 3, "games": 250, "seed": 9}
    fitted = sim.adjusted("karolinchen", **arguments)
    race = sim.adjusted("karolinchen", value="race", **arguments)
    assert fitted.ratio > 2 * race.ratio > 2 * 3
    other = sim.adjusted("karolinchen", rules={"fruits": [1, 2, 1, 2, 1, 2]}, **arguments)
    assert other.ratio > 3


def test_learning_gives_equal_bytes() -> None:
    settings = Settings(2, games=100, rounds=2, epochs=1)
    assert train(settings) == train(settings)


def test_returns_drop_what_they_should() -> None:
    """Two rolls of a game of two, by hand."""
    nodes = np.zeros((2, 9), np.int64)
    told = np.zeros((2, 2, 6))
    told[0, 0, :2], told[1, 0, :2] = [0.5, 0.5], [0.7, 0.3]
    told[1, 1, :2] = [0.1, -0.1]  # luck of the first roll: what came is worth 0.6, and 0.7 by the mean of what follows
    adjusted, luck = np.array([[0.6, 0.4]]), np.array([[0.4, -0.4]])
    found = returns(nodes, told, adjusted, luck, 1.0)
    assert found[:, 0] == pytest.approx([0.6, 0.7])  # the outcome less the luck from there on
    assert returns(nodes, told, adjusted, luck, 0.0)[:, 0] == pytest.approx([0.5, 0.7])
    assert returns(nodes, told, adjusted, luck, 0.5)[:, 0] == pytest.approx([0.55, 0.7])


@pytest.mark.deep
def test_deep_many_pairs() -> None:
    """25 line-ups and rules × 8 seeds against exact chances: max |z| < 4.1 (error rate 0.8 %), z uniform at 1 %."""
    z = np.array([z_of(p, r, 500, 100 * s + i) for i, (p, r) in enumerate(PAIRS[:25]) for s in range(8)])
    assert np.abs(z).max() < 4.1
    assert distributions.kstest(z, "norm").pvalue > 0.01
