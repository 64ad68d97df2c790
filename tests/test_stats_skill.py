"""Skill and luck against closed forms and counting by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats as sp

from sim import stats


def by_hand(values: list[float], chances: list[float], games: int) -> float:
    """Every sequence of games, one by one."""
    total = 0.0
    for played in itertools.product(range(len(values)), repeat=games):
        s = sum(values[i] for i in played)
        total += math.prod(chances[i] for i in played) * ((s > 0) + 0.5 * (s == 0))
    return total


@pytest.mark.parametrize("games", [1, 2, 3, 5])
def test_chance_to_be_ahead_is_that_of_every_sequence_of_games(games):
    e = stats.ahead([-1, 0, 2], [3, 4, 3], games)
    assert e.value == pytest.approx(by_hand([-1, 0, 2], [0.3, 0.4, 0.3], games), abs=1e-12)
    # shared wins are thirds and halves
    thirds = stats.ahead([-1 / 3, 0.5], [6, 4], games)
    assert thirds.value == pytest.approx(by_hand([-2, 3], [0.6, 0.4], games), abs=1e-12)


def test_ahead_in_a_match_is_the_binomial_tail():
    assert stats.ahead([-1, 1], [400, 600], 101).value == pytest.approx(sp.binom.sf(50, 101, 0.6), abs=1e-10)
    assert stats.ahead([-1, 1], [400, 600], 20).value == pytest.approx(
        sp.binom.sf(10, 20, 0.6) + sp.binom.pmf(10, 20, 0.6) / 2, abs=1e-10
    )
    # far beyond what is convolved, the normal distribution is as good
    assert stats.ahead([-1, 1], [49_900, 50_100], 2_000_001).value == pytest.approx(
        sp.binom.sf(1_000_000, 2_000_001, 0.501), abs=1e-6
    )


def test_one_game_has_the_interval_of_a_share():
    assert stats.ahead([-1, 1], [40, 60], 1).low == pytest.approx(stats.wilson(60, 100).low, rel=2e-3)
    certain = stats.ahead([3], [50], 4)
    assert (certain.value, certain.high) == (1, 1)
    assert certain.low < 1  # fifty games are not all games


def test_own_dice_meet_every_game_of_the_other():
    a, b = [5, 6, 9], [4, 7, 8]
    for games in (1, 2, 3):
        sums = [
            (sum(x) > sum(y)) + 0.5 * (sum(x) == sum(y))
            for x in itertools.product(a, repeat=games)
            for y in itertools.product(b, repeat=games)
        ]
        assert stats.ahead_apart(a, [1] * 3, b, [1] * 3, games).value == pytest.approx(np.mean(sums), abs=1e-12)
    assert stats.ahead_apart(a, [1] * 3, b, [1] * 3, 1).value == pytest.approx(
        stats.superiority(a, [1] * 3, b, [1] * 3).value
    )
    # steps of ten points on one side, of six on the other
    tens = stats.ahead_apart([10, 20], [1, 1], [12, 18], [1, 1], 2)
    assert tens.value == pytest.approx(np.mean([0, 0, 0, 0] + [0, 0.5, 0.5, 1] * 2 + [1, 1, 1, 1]))


def test_games_needed_is_the_first_number_that_is_enough():
    e = stats.games_needed([-1, 1], [4500, 5500])
    k = int(e.value)
    assert stats.ahead([-1, 1], [4500, 5500], k).value >= 0.9 > stats.ahead([-1, 1], [4500, 5500], k - 1).value
    assert e.low < k < e.high
    assert k == pytest.approx(stats.games_to_tell(0.1, math.sqrt(0.99)), rel=0.05)


def test_who_is_not_better_needs_for_ever():
    assert stats.games_needed([-1, 1], [500, 500]).value == math.inf
    # ahead in 19 of 20 games and behind in the long run: a first game proves nothing
    assert stats.games_needed([1, -100], [95, 5]).value == math.inf
    # better in the sample, but perhaps not at all
    close = stats.games_needed([-1, 1], [495, 505])
    assert math.isfinite(close.value)
    assert close.high == math.inf
    with pytest.raises(ValueError, match="accepted: above"):
        stats.games_needed([-1, 1], [1, 2], sure=0.5)


def test_results_that_are_no_scores_are_refused():
    with pytest.raises(ValueError, match="multiples"):
        stats.ahead([0.123456789], [1], 2)
    with pytest.raises(ValueError, match="at least 1"):
        stats.ahead([1], [1], 0)


# ----------------------------------------------------------------------------------------------------------------------
# Shares of variance


def test_variances_are_those_of_the_analysis_of_variance():
    # four games, two policies; mean squares by the textbook
    x = np.array([[3.0, 5.0], [1.0, 2.0], [6.0, 6.0], [2.0, 7.0]])
    n, k = x.shape
    rows, columns, grand = x.mean(axis=1), x.mean(axis=0), x.mean()
    ms_rows = k * ((rows - grand) ** 2).sum() / (n - 1)
    rest = ((x - rows[:, None] - columns + grand) ** 2).sum() / (n - 1) / (k - 1)
    policy = ((columns - grand) ** 2).mean() - rest * (k - 1) / k / n
    dice, interaction = ms_rows / k, rest * (k - 1) / k
    found = stats.two_way(x, [1] * 4)
    assert found.total == pytest.approx(policy + dice + interaction)
    parts = found.policy.value, found.dice.value, found.interaction.value
    assert np.array(parts) * found.total == pytest.approx([policy, dice, interaction])
    assert sum(parts) == pytest.approx(1)


def test_three_counts_say_what_joint_counts_say():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 9, (60, 2)).astype(float)
    x[:, 0] += x[:, 1]
    c = rng.integers(1, 20, 60)
    joint = stats.two_way(x, c)
    apart = stats.variance_shares((x[:, 0], c), (x[:, 1], c), (x[:, 0] - x[:, 1], c))
    assert apart.total == pytest.approx(joint.total)
    for part in ("policy", "dice", "interaction"):
        one, other = getattr(joint, part), getattr(apart, part)
        assert other.value == pytest.approx(one.value)
        # what is not known about how errors go together makes the interval wider, never narrower
        assert other.low <= one.low + 1e-12
        assert other.high >= one.high - 1e-12


def test_pure_cases_are_all_skill_or_all_dice():
    dice = np.arange(6.0)
    assert stats.two_way(np.stack([dice, dice], axis=1), [10] * 6).dice.value == pytest.approx(1)
    assert stats.two_way([[1.0, 4.0]], [50]).policy.value == pytest.approx(1)
    nothing = stats.two_way([[2.0, 2.0]], [50])
    assert math.isnan(nothing.policy.value)
    with pytest.raises(ValueError, match="same games"):
        stats.variance_shares(([1, 2], [1, 1]), ([1, 2], [2, 1]), ([0], [2]))


def test_shares_of_variance_are_not_inflated_by_few_games():
    # Two policies that do not differ at all: the plain variance of their two means is noise, 0.25 in 10 games.
    # Corrected variances average to 0: mean of 4,000, 4 standard errors wide (error rate 6e-5).
    rng = np.random.default_rng(8)
    found, plain = [], []
    for _ in range(4000):
        x = rng.normal(0, math.sqrt(5.0), (10, 2))
        shares = stats.two_way(x, np.ones(10, int))
        found.append(shares.policy.value * shares.total)
        plain.append(np.var(x.mean(axis=0)))
    assert np.mean(plain) == pytest.approx(0.25, rel=0.1)
    assert abs(np.mean(found)) < 4 * np.std(found) / math.sqrt(4000)
