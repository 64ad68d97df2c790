"""Effects, equivalence, families of claims, confirmation, and seats, against closed forms and by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats as sp

from sim import stats
from sim.stats import Estimate, Verdict


def test_one_difference_in_points_in_sd_and_as_a_chance():
    one, other = np.array([5.0, 7, 7, 9]), np.array([4.0, 7, 8, 5])
    c = np.ones(4, int)
    e = stats.effect_sizes(one - other, c, (one, c), (other, c))
    assert e.points.value == pytest.approx(1.0)
    pooled = math.sqrt((one.var(ddof=1) + other.var(ddof=1)) / 2)
    assert e.sd.value == pytest.approx(1.0 / pooled)
    assert e.paired_sd.value == pytest.approx(1.0 / (one - other).std(ddof=1))
    assert e.superiority.value == pytest.approx((2 + 0.5) / 4)  # above in two, alike in one
    assert e.apart.value == pytest.approx(sp.mannwhitneyu(one, other).statistic / 16)
    with pytest.raises(ValueError, match="same games"):
        stats.effect_sizes([1], [3], (one, c), (other, c))


def test_equivalence_is_two_one_sided_tests():
    d = np.array([-1.0, 0, 0, 0, 1, 1, -1, 0, 0, 1])
    c = np.ones(10, int)
    e = stats.equivalence(d, c, -1, 1, alpha=0.05)
    above = sp.ttest_1samp(d, -1, alternative="greater").pvalue
    below = sp.ttest_1samp(d, 1, alternative="less").pvalue
    assert e.p_inside == pytest.approx(max(above, below))
    assert e.verdict is Verdict.INSIDE
    assert e.estimate.level == pytest.approx(0.9)
    assert stats.equivalence(d, c, -0.2, 0.2).verdict is Verdict.UNKNOWN
    assert stats.equivalence(d + 3, c, -1, 1).verdict is Verdict.OUTSIDE
    assert stats.equivalence([0], [1], -1, 1).verdict is Verdict.UNKNOWN
    assert stats.equivalence([0], [100], -1, 1).verdict is Verdict.INSIDE  # no difference in any game
    with pytest.raises(ValueError, match="low < high"):
        stats.equivalence(d, c, 1, 1)


@pytest.mark.parametrize("shift", [-0.4, 0.0, 0.19, 0.21, 0.5])
def test_the_verdict_is_that_of_the_interval(shift):
    rng = np.random.default_rng(2)
    for n in (20, 500):
        d, c = np.unique(rng.integers(-2, 3, n) + shift, return_counts=True)
        e = stats.equivalence(d, c, -0.2, 0.2)
        assert e.verdict is stats.inside(stats.mean(d, c), -0.2, 0.2)


def test_a_wrong_inside_is_as_rare_as_promised():
    # The truth on the edge of the band: "inside" in at most 2.5 of 100 samples. Of 2,000, 50 are expected; more than 76
    # have probability 0.0002.
    rng = np.random.default_rng(4)
    values, chances = np.array([-1.0, 0, 1]), [0.3, 0.3, 0.4]
    told = [stats.equivalence(values, rng.multinomial(800, chances), -0.1, 0.1).verdict for _ in range(2000)]
    assert 20 < sum(t is Verdict.OUTSIDE for t in told) < 76
    assert sum(t is Verdict.INSIDE for t in told) < 76
    # a band that is wide for this many games: "inside" is said as often as it may be
    told = [stats.equivalence(values, rng.multinomial(800, chances), -2, 0.1).verdict for _ in range(2000)]
    assert 26 < sum(t is Verdict.INSIDE for t in told) < 76


# ----------------------------------------------------------------------------------------------------------------------
# Families of claims


def test_benjamini_and_hochberg_by_hand():
    p = [0.01, 0.04, 0.03, 0.5]
    # sorted: .01 × 4/1, .03 × 4/2, .04 × 4/3, .5; the smallest of these from the right
    assert stats.benjamini_hochberg(p) == pytest.approx([0.04, 0.16 / 3, 0.16 / 3, 0.5])
    assert stats.benjamini_hochberg([]).size == 0


def test_each_family_is_judged_for_itself():
    families = {"seats": {"first": 0.02, "last": 0.04}, "readings": {"a": 0.004, "b": 0.03, "c": 0.6}}
    told = {(c.family, c.name): c for c in stats.judge(families)}
    assert {key for key, c in told.items() if c.told} == {("seats", "first"), ("seats", "last"), ("readings", "a")}
    assert told["readings", "b"].adjusted == pytest.approx(0.06)
    softer = {(c.family, c.name): c for c in stats.judge(families, {"readings": "bh"})}
    assert softer["readings", "b"].adjusted == pytest.approx(0.045)
    assert softer["seats", "first"].method == "holm"
    with pytest.raises(ValueError, match="accepted: holm, bh"):
        stats.judge(families, "bonferoni")
    with pytest.raises(ValueError, match="from 0 to 1"):
        stats.judge({"x": {"y": math.nan}})


def test_error_rates_of_families():
    # 2,000 families of ten claims, nothing true. Holm: any claim in at most 5 of 100 families (100 expected, more than
    # 140 with probability 6e-5). Two claims true in eight false ones, BH: false share at most 5 × 8/10 = 4 of 100 on
    # average; the mean of 2,000 shares has a standard error below 0.4 points, so 5.6 is 4 of them off (3e-5).
    rng = np.random.default_rng(6)
    p = rng.random((2000, 10))
    holm = sum(any(c.told for c in stats.judge({"x": dict(enumerate(row.tolist()))})) for row in p)  # type: ignore[misc]
    assert 60 < holm < 140
    p[:, :2] /= 10_000
    shares = []
    for row in p:
        told = [c.name for c in stats.judge({"x": {str(i): x for i, x in enumerate(row.tolist())}}, "bh") if c.told]
        shares.append(sum(int(name) >= 2 for name in told) / max(len(told), 1))
    assert 0.024 < np.mean(shares) < 0.056


# ----------------------------------------------------------------------------------------------------------------------
# Alarm, fresh seeds, verdict


def known(value: float, half: float = 0.05, n: int = 100) -> Estimate:
    return Estimate(value, value - half, value + half, n, 0.95, "x")


def test_no_alarm_costs_no_second_run():
    asked: list[int] = []

    def run(seed: int) -> Estimate:
        asked.append(seed)
        return known(0.01)

    c = stats.confirm(run, -0.1, 0.1, seed=1, fresh=[2, 3])
    assert (asked, c.alarm, c.verdict, len(c.log())) == ([1], False, Verdict.INSIDE, 1)


def test_after_an_alarm_only_the_fresh_seeds_count_and_all_is_logged():
    results = {1: known(0.5), 2: known(0.02), 3: known(0.06, n=300)}
    rows: list[dict] = []
    c = stats.confirm(
        results.__getitem__, -0.2, 0.2, seed=1, fresh=[2, 3], name="seat 0", candidates=6, log=rows.append
    )
    assert c.alarm
    assert c.verdict is Verdict.INSIDE
    assert c.estimate.value == pytest.approx((0.02 + 3 * 0.06) / 4)  # without the first
    assert c.estimate.half_width == pytest.approx(0.05 * math.hypot(1, 3) / 4)
    assert [(r["part"], r["seed"], r["verdict"], r["value"]) for r in rows] == [
        ("first", 1, "outside", 0.5),
        ("fresh", 2, "inside", 0.02),
        ("fresh", 3, "inside", 0.06),
    ]
    assert rows == c.log()
    still = stats.confirm(lambda seed: known(0.5), -0.2, 0.2, seed=1, fresh=[9])
    assert (still.verdict, still.estimate.n) == (Verdict.OUTSIDE, 100)


@pytest.mark.parametrize("fresh", [[], [1], [2, 2]])
def test_a_seed_that_was_seen_is_not_fresh(fresh):
    with pytest.raises(ValueError, match="all different and new"):
        stats.confirm(lambda seed: known(0), -1, 1, seed=1, fresh=fresh)


def test_confirmation_makes_false_alarms_rare():
    # Nothing is the matter (a fair coin against a band of no width): the first look alarms in about 5 of 100 runs,
    # a confirmed alarm in 5 of 100 of those. Of 2,000: 100 and 5 expected; outside 60 to 145, or above 17, with
    # probability below 1e-4.
    def run(seed: int) -> Estimate:
        return stats.wilson(int(np.random.default_rng(seed).binomial(1001, 0.5)), 1001)

    found = [stats.confirm(run, 0.5, 0.5 + 1e-9, seed=2 * i, fresh=[2 * i + 1]) for i in range(2000)]
    assert 60 < sum(c.alarm for c in found) < 145
    assert sum(c.verdict is Verdict.OUTSIDE for c in found) < 17


def test_false_alarm_rate_of_a_whole_report():
    # three independent claims at 5 %: anywhere in 1 − 0.95³ = 14.3 % of runs. Intervals of level 0.9999.
    def run(seed: int) -> dict[str, bool]:
        return dict(zip("abc", (np.random.default_rng(seed).random(3) < 0.05).tolist(), strict=True))

    f = stats.false_alarms(run, range(2000), level=0.9999)
    assert f.any.low < 1 - 0.95**3 < f.any.high
    assert all(e.low < 0.05 < e.high for e in f.each.values())
    assert f.mean == pytest.approx(sum(e.value for e in f.each.values()))
    silent = stats.false_alarms(lambda seed: {"a": False}, range(100))
    assert silent.any.high == pytest.approx(0.03, abs=0.001)
    with pytest.raises(ValueError, match="same claims"):
        stats.false_alarms(lambda seed: {str(seed): False}, range(2))


# ----------------------------------------------------------------------------------------------------------------------
# Seats


def test_confidence_of_each_seat():
    # two seats share one fate; far from it, when most games have no winner, they are as good as independent
    assert stats.seat_level([0.5, 0.5]) == pytest.approx(0.95)
    assert stats.seat_level([0.7, 0.3]) == pytest.approx(0.95)
    assert stats.seat_level([0.001, 0.001]) == pytest.approx(math.sqrt(0.95), abs=1e-5)
    for k in (3, 4, 6):
        assert 0.95 < stats.seat_level([1 / k] * k) < 1 - 0.05 / k
    # the bound itself, with the integral done by another routine
    z = sp.norm.ppf((1 + stats.seat_level([1 / 3] * 3)) / 2)
    square = sp.multivariate_normal([0, 0], [[1, -0.5], [-0.5, 1]])
    corner = square.cdf([-z, -z]) + sp.norm.cdf(-z) - square.cdf([-z, z])
    assert 6 * sp.norm.sf(z) - 2 * 2 * corner == pytest.approx(0.05, abs=1e-5)


def test_patterns_with_one_winner_are_counts_of_wins():
    one = stats.seat_balance(np.eye(3, dtype=bool), [30, 50, 20])
    other = stats.fair_share([30, 50, 20], 100)
    for e, f in zip(one.shares, other.shares, strict=True):
        assert (e.low, e.high) == (pytest.approx(f.low), pytest.approx(f.high))
    assert one.variance == pytest.approx(other.variance)
    assert one.plain == pytest.approx(np.std([0.3, 0.5, 0.2]))
    # Wald's W and Neyman's N = Σ (x − e)²/x, e the harmonic mean, are one: W = (n − 1) N / (n − N)
    x = np.array([30, 50, 20])
    e = 3 / (1 / x).sum()
    neyman = ((x - e) ** 2 / x).sum()
    assert one.chi_square == pytest.approx(99 * neyman / (100 - neyman))
    assert one.p_value == pytest.approx(sp.chi2.sf(one.chi_square, 2))


def test_shared_wins_are_parts_and_their_noise_is_their_own():
    patterns = np.array([[1, 0], [0, 1], [1, 1]], bool)
    f = stats.seat_balance(patterns, [30, 10, 60])
    assert [e.value for e in f.shares] == pytest.approx([0.6, 0.4])
    # two seats: the same as a test of the difference +1, −1, 0 per game
    d = stats.mean([1, -1, 0], [30, 10, 60])
    z = d.value / (d.half_width / sp.t.ppf(0.975, 99))
    assert f.chi_square == pytest.approx(z**2)
    # ties noise counts once: all shared, nothing known to differ
    assert stats.seat_balance(patterns, [0, 0, 50]).p_value == 1
    assert stats.seat_balance(patterns, [0, 50, 0]).p_value == 0


def test_ties_by_lot_show_a_program_that_breaks_them_by_seat():
    # identical policies that always tie: nothing is wrong as long as ties are told as ties
    patterns = np.array([[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]], bool)
    honest = stats.aa_seats(patterns, [900, 33, 33, 34], seed=5)
    assert honest.sound
    assert not honest.alarm
    # the same games, ties given to the first seat
    assert stats.aa_seats(patterns, [0, 933, 33, 34], seed=5).alarm
    with pytest.raises(ValueError, match="at least one game"):
        stats.aa_seats(np.zeros((1, 2), bool), [5], seed=1)
    with pytest.raises(ValueError, match="column per seat"):
        stats.aa_seats([[True]], [5], seed=1)


def test_false_alarms_of_the_test_of_seats():
    # interval of level 0.999 around the share of 2,000 relabelled repetitions: error rate 1e-3 for each of the three
    for k, n in itertools.product((2, 3, 5), (500,)):
        aa = stats.aa_seats(np.eye(k, dtype=bool), [n] * k, seed=k)
        assert aa.sound
        assert aa.alarms.n == 2000
    # χ² says nothing about three games: its false-alarm rate is not what was promised, and it says so
    assert not stats.aa_seats(np.eye(2, dtype=bool), [2, 1], seed=1).sound
