"""How many people, turns or games it takes: against plain sums over the binomial distribution."""

from __future__ import annotations

import math

import pytest

from sim import stats


def chance_to_see(n: int, even: float, share: float, level: float = 0.95) -> float:
    """Chance that an exact test with both tails rejects `even`, by adding up."""

    def pmf(p: float) -> list[float]:
        return [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]

    null, truth, tail = pmf(even), pmf(share), (1 - level) / 2
    rejected = [k for k in range(n + 1) if sum(null[: k + 1]) <= tail or sum(null[k:]) <= tail]
    return sum(truth[k] for k in rejected)


@pytest.mark.parametrize(
    ("even", "share", "sure"), [(0.5, 0.7, 0.9), (0.5, 0.3, 0.9), (0.25, 0.4, 0.8), (0.5, 0.9, 0.9)]
)
def test_the_share_is_told_apart_from_that_number_on_and_not_just_before(even, share, sure):
    n = stats.observations_for_share(even, share, sure)
    assert all(chance_to_see(m, even, share) >= sure for m in range(n, n + 30))
    assert chance_to_see(n - 1, even, share) < sure


def test_smaller_differences_take_more_games():
    counts = [stats.observations_for_share(0.25, share) for share in (0.5, 0.35, 0.31, 0.26, 0.2501)]
    assert counts == sorted(counts)
    assert counts[-1] > 1_000_000


def test_the_mean_of_turns_is_as_exact_as_asked():
    n = stats.observations_for_mean(0.6, 0.2)
    assert 1.959964 * 0.6 / math.sqrt(n) <= 0.2 < 1.959964 * 0.6 / math.sqrt(n - 1)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: stats.observations_for_share(0.5, 0.5), "accepted: two different numbers between 0 and 1"),
        (lambda: stats.observations_for_share(0.5, 1.0), "accepted: two different numbers between 0 and 1"),
        (lambda: stats.observations_for_share(0.5, 0.7, 1.5), "sure = 1.5"),
        (lambda: stats.observations_for_mean(0, 0.1), "accepted: numbers above 0"),
        (lambda: stats.observations_for_mean(math.inf, 0.1), "spread = inf, .* not infinite"),
        (lambda: stats.observations_for_mean(0.6, math.inf), "within = inf; .* not infinite"),
        (lambda: stats.observations_for_mean(0.6, 0.2, 1), "level = 1; accepted: a number above 0 and below 1"),
        (lambda: stats.observations_for_mean(0.6, 0.2, 0), "level = 0; accepted: a number above 0 and below 1"),
    ],
)
def test_impossible_questions_are_refused_in_one_line(call, said):
    with pytest.raises(ValueError, match=said):
        call()
