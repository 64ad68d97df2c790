"""Estimators against known values, other formulations and their promised coverage."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as sp

from sim import stats

samples = st.dictionaries(st.integers(-20, 40), st.integers(1, 6), min_size=2, max_size=8)


def expand(table: dict[int, int]) -> np.ndarray:
    return np.repeat(np.array(list(table), float), list(table.values()))


def test_sample_merges_sorts_and_drops_empty_values():
    values, counts = stats.sample([3, 1, 3, 2], [2, 5, 1, 0])
    assert values.tolist() == [1, 3]
    assert counts.tolist() == [5, 3]
    with pytest.raises(ValueError, match="negative"):
        stats.sample([1], [-1])


@given(samples)
@settings(deadline=None, max_examples=50)
def test_moments_of_counts_are_those_of_the_raw_sample(table):
    raw = expand(table)
    m = stats.moments(list(table), list(table.values()))
    assert m.n == raw.size
    assert m.mean == pytest.approx(raw.mean())
    assert m.sd == pytest.approx(raw.std(ddof=1))
    assert m.fourth == pytest.approx(((raw - raw.mean()) ** 4).mean())


def test_mean_interval_is_students():
    raw = np.array([1.0, 2, 2, 3, 7])
    e = stats.mean([1, 2, 3, 7], [1, 2, 1, 1])
    low, high = sp.t.interval(0.95, 4, raw.mean(), sp.sem(raw))
    assert (e.value, e.low, e.high, e.n) == (pytest.approx(3.0), pytest.approx(low), pytest.approx(high), 5)


@given(samples, st.sampled_from([0.05, 0.25, 0.5, 0.75, 0.95]))
@settings(deadline=None, max_examples=60)
def test_quantile_and_its_interval_agree_with_the_binomial_definition(table, p):
    raw = np.sort(expand(table))
    n = raw.size
    e = stats.quantile(list(table), list(table.values()), p)
    assert e.value == np.quantile(raw, p, method="inverted_cdf")
    # by hand: the widest rank pair whose two tails are each at most 2.5 %
    low = [r for r in range(1, n + 1) if sp.binom.cdf(r - 1, n, p) <= 0.025]
    high = [s for s in range(1, n + 1) if sp.binom.sf(s - 1, n, p) <= 0.025]
    assert e.low == (raw[low[-1] - 1] if low else -math.inf)
    assert e.high == (raw[high[0] - 1] if high else math.inf)


def test_quantile_interval_of_scipy_encloses_the_same_ranks():
    raw = np.arange(1, 201)
    ours = stats.quantile(raw, np.ones(200, int), 0.25)
    theirs = sp.quantile_test(raw, p=0.25).confidence_interval(0.95)
    assert abs(ours.low - theirs.low) <= 1
    assert abs(ours.high - theirs.high) <= 1


@pytest.mark.parametrize(("successes", "n"), [(1, 10), (5, 10), (263, 4000), (9, 10), (999, 1000)])
def test_wilson_is_scipys(successes, n):
    ci = sp.binomtest(successes, n).proportion_ci(0.95, method="wilson")
    e = stats.wilson(successes, n)
    assert (e.low, e.high) == (pytest.approx(ci.low), pytest.approx(ci.high))


def test_none_seen_is_not_never():
    e = stats.wilson(0, 1000)
    assert (e.value, e.low) == (0, 0)
    assert e.high == pytest.approx(3 / 1000, rel=0.01)


@pytest.mark.parametrize("n", [1, 10, 1000])
def test_all_of_them_is_the_complement_of_none(n):
    none, every = stats.wilson(0, n), stats.wilson(n, n)
    assert (every.value, every.low, every.high) == (1, pytest.approx(1 - none.high), 1)
    assert stats.wilson(1000, 1000).low == pytest.approx(1 - 3 / 1000, rel=1e-5)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: stats.wilson(11, 10), "11 of 10 games; accepted: from 0 to all of them"),
        (lambda: stats.wilson(-1, 10), "-1 of 10 games"),
        (lambda: stats.mean([0, 1], [1.5, 3]), "a count of 1.5; accepted: whole numbers of games"),
        (lambda: stats.seat_balance([[1, 0], [0, 1]], [1.5, 3]), "a count of 1.5; accepted: whole numbers of games"),
        (lambda: stats.fair_share([1.5, 3], 10), "a count of 1.5; accepted: whole numbers of games"),
        (lambda: stats.mean([0, 1], [1, float("nan")]), "a count of nan"),
        (lambda: stats.mean_share([0, 1], [1.5, 3]), "a count of 1.5"),
        (lambda: stats.win_draw_loss([0, 1], [1.5, 3]), "a count of 1.5"),
        (lambda: stats.paired([0, 1], [1.5, 3]), "a count of 1.5"),
        (lambda: stats.survival([-1, 2], [1, 3]), "a time of -1; accepted: times from 0 on"),
        (lambda: stats.time_quantile([-1, 2], [1, 3], 0.5), "a time of -1"),
        (lambda: stats.longer_than([-1, 2], [1, 3], 1), "a time of -1"),
    ],
)
def test_counts_that_are_none_are_refused_in_one_line(call, said):
    with pytest.raises(ValueError, match=said) as error:
        call()
    assert "\n" not in str(error.value)
    assert stats.mean([0, 1], [1.0, 3.0]).value == 0.75  # whole numbers may come as floats


def test_paired_difference():
    p = stats.paired([-1, 0, 2], [2, 5, 3])
    raw = np.repeat([-1.0, 0, 2], [2, 5, 3])
    assert p.mean.value == pytest.approx(raw.mean())
    assert p.sd == pytest.approx(raw.std(ddof=1))
    assert (p.better.value, p.same.value, p.worse.value) == (0.3, 0.5, 0.2)
    assert p.mean.half_width == pytest.approx(sp.t.ppf(0.975, 9) * sp.sem(raw))


def test_shared_wins_are_draws_not_losses():
    shares = stats.win_draw_loss([0, 0.5, 1], [30, 20, 50])
    assert {k: e.value for k, e in shares.items()} == {"win": 0.5, "draw": 0.2, "loss": 0.3}
    assert stats.mean_share([0, 0.5, 1], [30, 20, 50]).value == pytest.approx(0.6)
    assert stats.mean_share([0, 1], [30, 70]).method == "Wilson"


def test_fair_share_chi_square_and_simultaneous_intervals():
    f = stats.fair_share([30, 50, 20], 100)
    reference = sp.chisquare([30, 50, 20])
    assert f.fair == pytest.approx(1 / 3)
    assert (f.chi_square, f.p_value) == (pytest.approx(reference.statistic), pytest.approx(reference.pvalue))
    # wider than an interval for this seat alone, not wider than Bonferroni's for three
    alone, wide = (sp.binomtest(30, 100).proportion_ci(1 - 0.05 / m, method="wilson") for m in (1, 3))
    assert wide.low < f.shares[0].low < alone.low
    assert alone.high < f.shares[0].high < wide.high
    # what one of two seats wins the other loses: both intervals hold together, at 95 % each
    two, own = stats.fair_share([40, 60], 100), sp.binomtest(40, 100).proportion_ci(0.95, method="wilson")
    assert (two.shares[0].low, two.shares[0].high) == (pytest.approx(own.low), pytest.approx(own.high))
    capped = stats.fair_share([30, 50, 10], 100)
    assert capped.fair == pytest.approx(0.3)


def test_spread_between_seats_is_not_inflated_by_noise():
    # With equal seats the plain spread of five shares over 200 games is about 2.8 points; corrected squares average
    # to zero. Mean of 2,000 corrected squares, uncut: standard error about 1.3e-5, so 6e-5 is beyond 4 standard errors
    # (error rate < 1e-4).
    rng = np.random.default_rng(5)
    wins = rng.multinomial(200, [0.2] * 5, size=2000)
    plain = np.var(wins / 200, axis=1)
    assert plain.mean() > 6e-4
    p = wins / 200
    cut = np.array([stats.fair_share(w, 200).spread ** 2 for w in wins[:500]])
    noise = (p * (1 - p)).sum(axis=1) / 200 / 5
    assert abs((plain - noise).mean()) < 6e-5
    assert cut.mean() < 0.5 * plain.mean()
    # true shares 40/15/15/15/15: spread exactly 0.1
    many = stats.fair_share(rng.multinomial(10**7, [0.4] + [0.15] * 4), 10**7)
    assert many.spread == pytest.approx(0.1, abs=1e-3)


@given(samples, st.integers(1, 4))
@settings(deadline=None, max_examples=40)
def test_expected_best_is_the_mean_maximum_over_all_subsets(table, games):
    raw = expand(table)[:9]
    values, counts = np.unique(raw, return_counts=True)
    if raw.size < games:
        return
    best = np.mean([max(s) for s in itertools.combinations(raw, games)])
    assert stats.expected_best(values, counts, games).value == pytest.approx(best)


def test_expected_best_of_a_die_and_its_interval():
    # best of 5 fair dice: sum over x of 1 − (x/6)^5
    exact = sum(1 - (x / 6) ** 5 for x in range(6))
    e = stats.expected_best(range(1, 7), [10**6] * 6, 5)
    assert e.value == pytest.approx(exact, abs=1e-5)
    one = stats.expected_best(range(1, 7), [100] * 6, 1)
    assert (one.value, one.half_width) == (
        pytest.approx(3.5),
        pytest.approx(stats.mean(range(1, 7), [100] * 6).half_width, rel=0.01),
    )


def test_probability_of_superiority():
    # two dice: P(first higher) + ½ P(equal)
    assert stats.superiority(range(1, 7), [5] * 6, range(1, 7), [7] * 6).value == pytest.approx(0.5)
    assert stats.superiority([2], [4], [1], [9]).value == 1
    x, y = np.array([1.0, 4, 4, 6, 9]), np.array([2.0, 3, 4, 5, 5, 7])
    reference = sp.mannwhitneyu(x, y).statistic / 30
    assert stats.superiority(x, np.ones(5, int), y, np.ones(6, int)).value == pytest.approx(reference)


def test_three_verdicts():
    def known(low: float, high: float) -> stats.Estimate:
        return stats.Estimate((low + high) / 2, low, high, 100, 0.95, "")

    assert stats.inside(known(-0.01, 0.015), -0.02, 0.02) is stats.Verdict.INSIDE
    assert stats.inside(known(0.03, 0.05), -0.02, 0.02) is stats.Verdict.OUTSIDE
    assert stats.inside(known(-0.01, 0.05), -0.02, 0.02) is stats.Verdict.UNKNOWN
    # the value is outside, but the truth may still be inside
    assert stats.inside(known(-0.01, 0.09), -0.02, 0.02) is stats.Verdict.UNKNOWN
    assert stats.at_least(known(1.1, 1.2), 1.0) is stats.Verdict.INSIDE
    assert stats.at_least(known(0.8, 0.9), 1.0) is stats.Verdict.OUTSIDE
    assert stats.inside(stats.mean([], []), -1, 1) is stats.Verdict.UNKNOWN


def test_games_to_settle():
    e = stats.Estimate(0.03, 0.01, 0.05, 1000, 0.95, "")  # 0.01 beyond the end of the band, interval ± 0.02
    assert stats.games_to_settle(e, -0.02, 0.02) == pytest.approx(4000)
    assert stats.games_to_settle(e, 0.03, math.inf) == math.inf
    assert stats.games_to_settle(e, -0.02, 0.5) == 1000  # known already


def test_survival_curve_of_ten_games_and_two_capped():
    curve = stats.survival([3, 5, 8], [4, 3, 1], capped=2)
    assert curve.time.tolist() == [0, 3, 5, 8]
    assert curve.share.tolist() == [1.0, 0.6, 0.3, 0.2]
    assert (curve.low <= curve.share).all()
    assert (curve.high >= curve.share).all()
    assert stats.time_quantile([3, 5, 8], [4, 3, 1], 0.5, capped=2).value == 5
    assert stats.time_quantile([3, 5, 8], [4, 3, 1], 0.95, capped=2).value == math.inf
    assert stats.longer_than([3, 5, 8], [4, 3, 1], 5, capped=2).value == 0.3


def test_games_to_tell():
    # after n games the sum is ahead by n·d with spread s·√n: 90 % sure when n·d = 1.2816·s·√n
    n = stats.games_to_tell(0.5, 4.0)
    assert sp.norm.cdf(n * 0.5 / (4 * math.sqrt(n))) == pytest.approx(0.9)
    assert stats.games_to_tell(0.0, 1.0) == math.inf


# Coverage. Each test draws 1,000 samples and counts intervals that hold the truth. With true coverage of at least 0.95
# the count falls below 928 with probability 0.001; with true coverage of at most 0.955 it exceeds 978 with probability
# 0.0001 (seeds are fixed: a test that passes once goes on passing until the code changes).

REPEATS = 1000
LEAST, MOST = 928, 978


def covered(draw, interval, truth: float) -> int:
    rng = np.random.default_rng(20)
    hits = 0
    for _ in range(REPEATS):
        values, counts = np.unique(draw(rng), return_counts=True)
        e = interval(values, counts)
        hits += e.low <= truth <= e.high
    return hits


def skewed(rng: np.random.Generator) -> np.ndarray:
    return rng.geometric(0.2, 400).astype(float)


def test_coverage_of_the_mean():
    assert LEAST <= covered(skewed, stats.mean, 5.0) <= MOST


def test_coverage_of_the_spread():
    # a large-sample interval from a skewed sample of 400 stays a little below nominal; 0.89 is the floor we accept
    assert covered(skewed, stats.spread, math.sqrt(20.0)) >= 890


def test_coverage_of_a_quantile_is_at_least_nominal():
    truth = float(sp.geom(0.2).ppf(0.9))
    assert covered(skewed, lambda v, c: stats.quantile(v, c, 0.9), truth) >= LEAST


def test_coverage_of_a_paired_difference():
    def draw(rng: np.random.Generator) -> np.ndarray:
        return rng.choice([-3.0, 0.0, 1.0], 400, p=[0.1, 0.6, 0.3])

    assert LEAST <= covered(draw, lambda v, c: stats.paired(v, c).mean, 0.0) <= MOST


def test_coverage_of_expected_best():
    cdf = sp.geom(0.2).cdf(np.arange(0, 400))
    truth = float((1 - cdf**5).sum())
    assert 900 <= covered(skewed, lambda v, c: stats.expected_best(v, c, 5), truth) <= MOST


def test_coverage_of_wilson_for_a_rare_event():
    hits = covered(
        lambda rng: (rng.random(300) < 0.02).astype(float), lambda v, c: stats.wilson(int(c[v == 1].sum()), 300), 0.02
    )
    assert (
        hits >= LEAST - 10
    )  # Wilson's coverage swings between 0.93 and 0.98 around here (Brown, Cai and DasGupta 2001)


def test_coverage_of_superiority():
    rng = np.random.default_rng(9)
    hits = 0
    for _ in range(REPEATS):
        a = np.unique(rng.binomial(6, 0.5, 150), return_counts=True)
        b = np.unique(rng.binomial(6, 0.5, 200), return_counts=True)
        e = stats.superiority(*a, *b)
        hits += e.low <= 0.5 <= e.high
    assert LEAST <= hits <= MOST


def test_simultaneous_seat_intervals_hold_together():
    rng = np.random.default_rng(3)
    truth = [0.4, 0.3, 0.2, 0.1]
    hits = 0
    for wins in rng.multinomial(500, truth, size=REPEATS):
        shares = stats.fair_share(wins, 500).shares
        hits += all(e.low <= t <= e.high for e, t in zip(shares, truth, strict=True))
    assert hits >= LEAST
