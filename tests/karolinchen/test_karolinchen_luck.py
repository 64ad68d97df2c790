"""Luck taken out of Karolinchen: nothing is lost, means are exact ones, and a wrong expectation is found out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as distributions

import sim
from sim.errors import SimError
from sim.games import get
from sim.games.karolinchen.luck.playable import LuckyPlayable, race_of
from sim.games.karolinchen.luck.race import all_vectors
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
]


def z_of(policies: list[str], rules: dict, games: int, seed: int) -> float:
    """Distance of the adjusted mean of seat 0 from the exact chance of winning, in standard errors."""
    found = sim.adjusted("karolinchen", rules=rules, policies=policies, games=games, seed=seed)
    exact = sim.solve("karolinchen", rules=rules, policies=policies).win[0]
    error = (found.mean.high - found.mean.low) / (2 * distributions.t.ppf(0.975, games - 1))
    return (found.mean.value - exact) / error


def test_the_games_are_those_of_simulate_and_do_not_depend_on_workers() -> None:
    arguments = {"policies": ["match", "odds", "random"], "games": 300, "seed": 5}
    found = sim.adjusted("karolinchen", **arguments)
    wins = sim.simulate("karolinchen", **arguments)["win"].to_numpy().reshape(-1, 3)
    assert [s.raw.value for s in found.seats] == pytest.approx(wins.mean(axis=0))
    again = sim.adjusted("karolinchen", workers=2, **arguments)
    assert [s.mean for s in again.seats] == [s.mean for s in found.seats]
    assert sum(s.mean.value for s in found.seats) == pytest.approx(1, abs=0.02)  # what one gains the others lose, about


@pytest.mark.parametrize("number", range(0, len(PAIRS), 4))
def test_adjusted_means_are_the_exact_ones(number: int) -> None:
    """|z| < 4.1 in seven cases: error rate 3e-4 in all."""
    policies, rules = PAIRS[number]
    assert abs(z_of(policies, rules, 1500, 11 + number)) < 4.1


def test_luck_is_taken_out_for_more_players() -> None:
    """Against plain games of the same line-up: |z| < 4.1 for four seats, error rate 2e-4. Ratios are far above 2."""
    policies = ["match", "odds", "match", "longest"]
    found = sim.adjusted("karolinchen", policies=policies, games=1500, seed=5)
    plain = sim.simulate("karolinchen", policies=policies, games=200_000, seed=6)["win"].to_numpy().reshape(-1, 4)
    for s, seat in enumerate(found.seats):
        assert seat.ratio > 2
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
    rules = KarolinchenRules()
    playable = LuckyPlayable(rules, [GAME.policies.parse("match")] * 2)
    race = race_of(rules.model_copy(update={"start_fruit": "distinct"}).model_dump_json(), 2)
    (left_out,) = np.flatnonzero(race.keys == 0x111111)
    kept, race.chance[left_out] = race.chance[left_out], 0.0
    try:
        out = np.zeros((2, 2 * 1000))
        playable.play(11, 0, 1000, out, playable.scratch())
    finally:
        race.chance[left_out] = kept
    adjusted = out[1, ::2]
    exact = sim.solve("karolinchen", policies=["match", "match"]).win[0]
    assert abs(adjusted.mean() - exact) > 4.1 * adjusted.std() / np.sqrt(adjusted.size)


def test_what_cannot_be_done_is_refused_in_one_line() -> None:
    with pytest.raises(SimError, match="value"):
        sim.adjusted("karolinchen", policies=["match"] * 2, games=10, seed=1, value="exact")
    with pytest.raises(SimError, match="accepted: a sum of up to 44"):
        sim.adjusted("karolinchen", policies=["match"] * 2, games=10, seed=1, rules={"fruits": [9] * 6})


@pytest.mark.deep
def test_deep_many_pairs() -> None:
    """25 line-ups and rules × 8 seeds against exact chances: max |z| < 4.1 (error rate 0.8 %), z uniform at 1 %."""
    z = np.array([z_of(p, r, 1000, 100 * s + i) for i, (p, r) in enumerate(PAIRS) for s in range(8)])
    assert np.abs(z).max() < 4.1
    assert distributions.kstest(z, "norm").pvalue > 0.01
