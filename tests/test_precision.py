"""Precision budgets: levels for repeated looks against published constants, coverage under peeking, and conditions.

Statistical checks use a fixed seed. "At most 5 %" over R repetitions fails above 0.05 + 3.1 √(0.05 × 0.95 / R): were
the true rate exactly 5 %, that would happen with one seed in a thousand per check.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats as sp

from sim import stats
from sim.errors import SweepError
from sim.stats.sequential import RARE, any_miss, look_level, looks, mean_band, share_band
from sim.sweep.counting import Table, play_counts
from sim.sweep.plan import plan
from sim.sweep.precision import FIRST, QUANTITIES, Condition, limits, met, parse, reached, schedule

# ----------------------------------------------------------------------------------------------------------------------
# The schedule and its level


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (100, [100]),
        (4096, [4096]),
        (5000, [5000]),  # a look at 4096 would hardly spare anything
        (8192, [4096, 8192]),
        (10_000, [4096, 10_000]),
        (12_000, [4096, 8192, 12_000]),
        (65_536, [4096, 8192, 16_384, 32_768, 65_536]),
    ],
)
def test_looks_double_and_end_with_the_most(most: int, expected: list[int]) -> None:
    assert looks(4096, most) == schedule(most) == expected


def test_looks_rise_whatever_the_factor() -> None:
    found = looks(1, 1000, 1.05)
    assert found[0] == 1
    assert found[-1] == 1000
    assert all(a < b for a, b in itertools.pairwise(found))
    for wrong in [(0, 5, 2), (1, 0, 2), (1, 5, 1)]:
        with pytest.raises(ValueError, match="at least 1 game"):
            looks(*wrong)


@pytest.mark.parametrize(
    ("alpha", "count", "constant"),
    # Jennison and Turnbull, Group Sequential Methods with Applications to Clinical Trials (2000), table 2.1: C_P(K, α)
    [
        (0.05, 1, 1.960),
        (0.05, 2, 2.178),
        (0.05, 3, 2.289),
        (0.05, 4, 2.361),
        (0.05, 5, 2.413),
        (0.05, 10, 2.555),
        (0.05, 20, 2.672),
        (0.1, 5, 2.122),
        (0.1, 10, 2.270),
        (0.01, 5, 2.986),
        (0.01, 10, 3.117),
    ],
)
def test_equal_steps_give_pococks_constants(alpha: float, count: int, constant: float) -> None:
    level = look_level([1000 * (k + 1) for k in range(count)], alpha)
    assert sp.norm.isf((1 - level) / 2) == pytest.approx(constant, abs=6e-4)


@pytest.mark.parametrize("most", [4096, 8192, 100_000, 10**9, 10**18])
@pytest.mark.parametrize("alpha", [0.4, 0.05, 0.001])
def test_level_lies_between_one_look_and_bonferroni(most: int, alpha: float) -> None:
    schedule = looks(4096, most)
    level = look_level(schedule, alpha)
    assert 1 - alpha <= level <= 1 - alpha / len(schedule) + 1e-15
    assert any_miss(schedule, level) == pytest.approx(alpha, rel=1e-6)
    # independent looks would miss at most this often: correlated ones less (Šidák's inequality)
    assert alpha <= 1 - level ** len(schedule) + 1e-12


def test_two_looks_agree_with_the_bivariate_normal_distribution() -> None:
    schedule = [4096, 11_000]
    c = float(sp.norm.isf((1 - 0.97) / 2))
    both = sp.multivariate_normal(cov=[[1, r := math.sqrt(4096 / 11_000)], [r, 1]])
    inside = both.cdf([c, c]) - 2 * both.cdf([c, -c]) + both.cdf([-c, -c])
    assert any_miss(schedule, 0.97) == pytest.approx(1 - inside, abs=1e-6)


def test_looks_close_together_err_to_the_safe_side() -> None:
    assert 0.95 <= look_level([4096, 4097], 0.05) < look_level([4096, 4300], 0.05) < 0.975
    for wrong in ([], [5, 5], [5, 4], [0, 1]):
        with pytest.raises(ValueError, match="rising"):
            look_level(wrong, 0.05)
    with pytest.raises(ValueError, match="between 0 and 1"):
        look_level([1], 0.0)


# ----------------------------------------------------------------------------------------------------------------------
# Coverage under peeking

LOOKS = looks(FIRST, 65_536)
LEVEL = look_level(LOOKS, 0.05)

#: an integer score with a long tail: geometric, mean 4, skewness 2
SCORES = np.arange(120)
SKEWED = sp.geom.pmf(SCORES + 1, 0.2) / sp.geom.cdf(120, 0.2)
#: wins alone, shared by two, by three, losses
SHARES = np.array([0.0, 1 / 3, 0.5, 1.0])
#: a change that matters in one game of 60, and then much
CHANGES = np.array([-8.0, -1.0, 0.0, 1.0, 2.0, 15.0])
CHANGED = np.array([0.002, 0.004, 1 - 1 / 60, 0.004, 0.003, 1 / 60 - 0.013])

Interval = Callable[[np.ndarray, np.ndarray, float], tuple[np.ndarray, np.ndarray, np.ndarray]]


def median_band(values: np.ndarray, counts: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    found = [stats.quantile(values, c, 0.5, level) for c in counts]
    return tuple(np.array([getattr(e, end) for e in found]) for end in ("value", "low", "high"))  # type: ignore[return-value]


def difference_band(values: np.ndarray, counts: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return mean_band(values, counts, level, -100, 100)


def runs(
    values: np.ndarray, chances: np.ndarray, interval: Interval, level: float, repetitions: int, schedule: list[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Low and high ends and half-widths at every look, looks × repetitions, of runs that are looked at as they grow."""
    rng = np.random.default_rng(20_240_601)
    counts = np.zeros((repetitions, values.size), np.int64)
    ends = []
    for games in np.diff(schedule, prepend=0):
        counts += rng.multinomial(games, chances, size=repetitions)
        _, low, high = interval(values, counts, level)
        ends.append((low, high))
    low, high = (np.array(part) for part in zip(*ends, strict=True))
    return low, high, (high - low) / 2


def most(repetitions: int, rate: float = 0.05) -> float:
    return rate + 3.1 * math.sqrt(rate * (1 - rate) / repetitions)


def mean_of(values: np.ndarray, chances: np.ndarray) -> float:
    return float(values @ chances)


CASES: dict[str, tuple[np.ndarray, np.ndarray, Interval, float]] = {
    "mean of a skewed score": (SCORES, SKEWED, mean_band, mean_of(SCORES, SKEWED)),
    "win rate": (np.array([0.0, 1.0]), np.array([0.73, 0.27]), share_band, 0.27),
    "rare wins": (np.array([0.0, 1.0]), np.array([0.9991, 0.0009]), share_band, 0.0009),
    "shared wins": (SHARES, np.array([0.6, 0.05, 0.1, 0.25]), share_band, 0.05 / 3 + 0.05 + 0.25),
    "paired difference": (CHANGES, CHANGED, difference_band, mean_of(CHANGES, CHANGED)),
    "rare changes": (CHANGES[2:], np.array([0.999, 0.0005, 0.0003, 0.0002]), difference_band, 0.0041),
    # F(30) is 0.4999 and F(31) is 0.5001: the median of a score of many values, of which only these are told apart
    "median": (np.array([20.0, 30.0, 31.0, 32.0]), np.array([0.2, 0.2999, 0.0002, 0.4999]), median_band, 31.0),
}


@pytest.mark.parametrize("case", CASES)
def test_peeking_at_every_look_misses_the_truth_in_at_most_5_percent_of_runs(case: str) -> None:
    values, chances, interval, truth = CASES[case]
    repetitions = 10_000
    low, high, _ = runs(values, chances, interval, LEVEL, repetitions, LOOKS)
    missed = ((low > truth) | (truth > high)).any(axis=0).mean()
    assert missed <= most(repetitions)


def test_levels_are_not_wider_than_they_have_to_be() -> None:
    """Near the normal limit the chance of any miss is the promised one: 5 %, give or take 0.7 % (one in a thousand)."""
    values, chances, interval, truth = CASES["win rate"]
    low, high, _ = runs(values, chances, interval, LEVEL, 10_000, LOOKS)
    assert ((low > truth) | (truth > high)).any(axis=0).mean() == pytest.approx(0.05, abs=0.007)


@pytest.mark.parametrize("case", ["mean of a skewed score", "win rate", "shared wins", "paired difference", "median"])
def test_the_usual_level_at_every_look_would_be_found_out(case: str) -> None:
    values, chances, interval, truth = CASES[case]
    low, high, _ = runs(values, chances, interval, 0.95, 10_000, LOOKS)
    missed = ((low > truth) | (truth > high)).any(axis=0).mean()
    assert missed > most(10_000) + 0.03


@pytest.mark.parametrize("case", ["mean of a skewed score", "win rate", "paired difference", "rare wins"])
def test_the_interval_at_which_a_run_stops_covers_the_truth(case: str) -> None:
    values, chances, interval, truth = CASES[case]
    repetitions = 10_000
    low, high, half = runs(values, chances, interval, LEVEL, repetitions, LOOKS)
    # the hardest target: half of the runs reach it at the third look, those whose spread looks smaller than it is
    enough = half <= np.median(half[2])
    enough[-1] = True  # the most that may be played
    stopped = enough.argmax(axis=0)
    assert 0.3 < (stopped == 2).mean() < 0.7
    at = np.arange(repetitions)
    assert ((low > truth) | (truth > high))[stopped, at].mean() <= most(repetitions)


# ----------------------------------------------------------------------------------------------------------------------
# Nothing is certain because it has not happened yet


def test_a_mean_that_never_varied_has_the_width_of_what_it_may_hide() -> None:
    known = stats.early_mean([7], [FIRST], 0.99, 0, 100)
    hidden = 1 - 0.01 ** (1 / FIRST)  # with a greater chance of other values, the first would have come by now
    assert (known.low, known.high) == (pytest.approx(7 - 7 * hidden), pytest.approx(7 + 93 * hidden))
    assert stats.early_mean([7], [FIRST], 0.99).half_width == math.inf
    assert stats.early_mean([7], [FIRST], 0.99, low=7).low == 7


def test_a_rare_value_is_bounded_until_it_has_been_seen_often_enough() -> None:
    few = stats.early_mean([0, 50], [10**6, RARE - 1], 0.95, 0, 100)
    enough = stats.early_mean([0, 50], [10**6, RARE], 0.95, 0, 100)
    assert few.half_width > 1.5 * enough.half_width
    assert few.low <= few.value <= few.high
    usual = stats.mean([0, 50], [10**6, RARE], 0.95)
    assert 1 < enough.half_width / usual.half_width < 1.2  # a little for skewness
    # which is all but nothing in ordinary samples
    counts = np.round(10**6 * SKEWED).astype(int)
    ratio = stats.early_mean(SCORES, counts).half_width / stats.mean(SCORES, counts).half_width
    assert 1 < ratio < 1.002


def test_shares_without_a_win_or_without_a_loss_keep_a_width() -> None:
    for values, counts in [([0], [FIRST]), ([1], [FIRST]), ([0.5], [FIRST])]:
        assert 1e-4 < stats.early_share(values, counts, 0.99).half_width < 2e-3
    for wins in (1, RARE - 1, RARE, 2000, FIRST - 1):
        e = stats.early_share([0, 1], [FIRST - wins, wins], 0.99)
        exact = sp.binomtest(wins, FIRST).proportion_ci(0.99, "exact" if min(wins, FIRST - wins) < RARE else "wilson")
        assert (e.low, e.high) == (pytest.approx(exact.low), pytest.approx(exact.high))
    shared = stats.early_share([0, 1 / 3, 0.5, 1], [1000, 300, 200, 500])
    plain = stats.mean_share([0, 1 / 3, 0.5, 1], [1000, 300, 200, 500])
    assert shared.value == plain.value == pytest.approx(0.35)
    assert shared.half_width == pytest.approx(plain.half_width, rel=0.02)
    with pytest.raises(ValueError, match="outside"):
        stats.early_share([2], [1])


def test_nothing_played_is_nothing_known() -> None:
    assert not stats.early_mean([], [])
    assert not stats.early_share([], [])


# ----------------------------------------------------------------------------------------------------------------------
# Conditions in words


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("half_width(mean score) <= 0.01 at 95 %", Condition("mean", None, "score", None, 0.01, 0.95)),
        ("half_width(mean score)≤1e-2", Condition("mean", None, "score", None, 0.01, 0.95)),
        ("  half_width( mean  score ) <= .01 at 99.9%", Condition("mean", None, "score", None, 0.01, 0.999)),
        ("half_width(mean score, seat 1) <= 1_000", Condition("mean", None, "score", 1, 1000.0, 0.95)),
        ("half_width(win rate) <= 0.005", Condition("win rate", None, "win", None, 0.005, 0.95)),
        ("half_width(win rate of seat 0) <= 0.005", Condition("win rate", None, "win", 0, 0.005, 0.95)),
        ("half_width(median score seat 2) <= 0.5", Condition("median", 0.5, "score", 2, 0.5, 0.95)),
        ("half_width(quantile 0.9 score) <= 1", Condition("quantile", 0.9, "score", None, 1.0, 0.95)),
        ("half_width(difference score, seat 0) <= 1", Condition("difference", None, "score", 0, 1.0, 0.95)),
    ],
)
def test_conditions_are_read_as_they_are_written(text: str, condition: Condition) -> None:
    assert parse(text) == condition
    assert parse(condition.text()) == condition


BASE: dict[str, Any] = {"name": "t", "game": "toy", "seed": 7, "games": 100_000, "policies": [["plain", "add"]]}
UNTIL = "half_width(mean score) <= 0.01"


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"until": 5}, "until = 5 is not accepted; accepted: a text or a list of texts"),
        ({"until": []}, r"until = \[\] is not accepted"),
        ({"until": [UNTIL, 3]}, "accepted: a text or a list of texts"),
        ({"until": "mean score < 0.01"}, r"accepted: half_width\(QUANTITY COLUMN, seat N\) <= NUMBER at CONFIDENCE %"),
        ({"until": "half_width(mean score) <= 0.01 at 95"}, r"accepted: half_width\("),
        ({"until": "half_width(mode score) <= 0.01"}, "unknown quantity in until 'mode'.*accepted: mean, win rate"),
        ({"until": "half_width() <= 0.01"}, "unknown quantity in until"),
        ({"until": "half_width(mean) <= 0.01"}, "accepted: mean and one column"),
        ({"until": "half_width(mean score win) <= 0.01"}, "accepted: mean and one column"),
        ({"until": "half_width(mean scroe) <= 0.01"}, "unknown column in until 'scroe' .did you mean score"),
        ({"until": "half_width(mean doubled) <= 0.01"}, "unknown column in until 'doubled'.*the columns in by"),
        ({"until": "half_width(win rate) <= 0.01", "by": ["score"]}, "unknown column in until 'win'"),
        ({"until": "half_width(win rate score) <= 0.01"}, "win rate without a column"),
        ({"until": "half_width(quantile score) <= 1"}, "Q between 0 and 1"),
        ({"until": "half_width(quantile 1 score) <= 1"}, "Q between 0 and 1"),
        ({"until": "half_width(mean score) <= 0"}, "accepted: a half-width greater than 0"),
        ({"until": "half_width(mean score) <= -1"}, "accepted: a half-width greater than 0"),
        ({"until": UNTIL + " at 50 %"}, "accepted: a confidence between 50 % and 100 %"),
        ({"until": UNTIL + " at 100 %"}, "accepted: a confidence between 50 % and 100 %"),
        ({"until": UNTIL + " at 0.95 %"}, "accepted: a confidence between 50 % and 100 %"),
        ({"until": "half_width(mean score, seat 2) <= 1"}, "accepted: seats 0 to 1"),
        ({"until": "half_width(difference score) <= 1"}, "accepted: a difference in a sweep with pairs"),
        (
            {"until": "half_width(difference win) <= 1", "pairs": [{"of": "score", "seats": [0, 1]}]},
            "unknown column in until 'win'.*accepted: score",
        ),
        ({"until": UNTIL, "detail": "games"}, "until with detail = games is not accepted; accepted: detail: summary"),
        ({"minutes": 5, "detail": "games"}, "minutes with detail = games is not accepted"),
        ({"minutes": 0}, "minutes = 0 is not accepted; accepted: a number greater than 0"),
        ({"minutes": -1.5}, "minutes = -1.5 is not accepted"),
        ({"minutes": math.inf}, "minutes = inf is not accepted"),
        ({"minutes": True}, "minutes = True is not accepted"),
        ({"minutes": "ten"}, "minutes = 'ten' is not accepted"),
        ({"designs": [{"policies": ["plain"], "until": UNTIL}]}, "unknown key in designs 'until'"),
    ],
)
def test_wrong_budget_is_refused_in_one_line(more: dict[str, Any], message: str) -> None:
    with pytest.raises(SweepError, match=message) as error:
        plan({**BASE, **more})
    assert "\n" not in str(error.value)


@pytest.mark.usefixtures("toy")
def test_games_are_required_beside_a_budget() -> None:
    given = {key: value for key, value in BASE.items() if key != "games"}
    for more in ({"until": UNTIL}, {"minutes": 1}):
        with pytest.raises(SweepError, match="the key 'games' is missing"):
            plan({**given, **more})


@pytest.mark.usefixtures("toy")
def test_a_plan_holds_its_conditions() -> None:
    assert plan(BASE).conditions == ()
    assert plan({**BASE, "until": UNTIL, "minutes": 0.5}).conditions == (parse(UNTIL),)
    several = plan({**BASE, "until": [UNTIL, "half_width(win rate, seat 1) <= 0.1"]}).conditions
    assert [c.quantity for c in several] == ["mean", "win rate"]


# ----------------------------------------------------------------------------------------------------------------------
# Conditions on counts

EVERY = [
    "half_width(mean score) <= 0.05",
    "half_width(win rate, seat 1) <= 0.02",
    "half_width(median score, seat 0) <= 1",
    "half_width(quantile 0.9 score, seat 0) <= 1",
    "half_width(difference score) <= 0.1 at 99 %",
]
assert {parse(text).quantity for text in EVERY} == set(QUANTITIES)


def played(games: int, **more: Any) -> tuple[Any, Table, Any]:
    """A plan, the counts of the first games of its last scenario, and the limits of that."""
    pairs = [{"of": "score", "seats": [0, 1]}, {"of": "score", "against": "base"}]
    given = {**BASE, "variants": [{"one_factor": {"lucky": [True]}}], "pairs": pairs, "until": EVERY, **more}
    planned = plan(given)
    cell = planned.cells[-1]
    tables = play_counts(cell.scenario, seed=7, games=games, by=planned.by, pairs=cell.pairs)
    return planned, tables, limits(cell.scenario, cell.pairs)


@pytest.mark.usefixtures("toy")
def test_the_manifest_tells_every_estimate_with_its_half_width() -> None:
    games = schedule(100_000)
    planned, tables, known = played(games[1])
    entries = reached(planned.conditions, tables, games, 1, known)
    assert json.loads(json.dumps(entries)) == entries
    by_name = {entry["name"]: entry for entry in entries}
    assert list(by_name) == [
        "mean score, seat 0",
        "mean score, seat 1",
        "win rate, seat 1",
        "median score, seat 0",
        "quantile 0.9 score, seat 0",
        "difference score (seat 0 − seat 1)",
        "difference score (this − base), seat 0",
        "difference score (this − base), seat 1",
    ]
    counts = tables["counts"]
    here = counts["seat"] == 1
    level = look_level(games, 0.05)
    score = stats.mean(counts["score"][here], counts["count"][here], level)
    entry = by_name["mean score, seat 1"]
    assert entry["estimate"] == pytest.approx(score.value)
    assert entry["half_width"] == pytest.approx(score.half_width, rel=0.02)
    assert (entry["games"], entry["look"], entry["looks"], entry["met"]) == (8192, 2, len(games), False)
    win = stats.mean_share(counts["win"][here], counts["count"][here], level)
    assert by_name["win rate, seat 1"]["half_width"] == pytest.approx(win.half_width, rel=0.02)
    # a lucky six counts double: 6 points in one game of 6
    assert by_name["difference score (this − base), seat 0"]["estimate"] == pytest.approx(1, abs=0.1)
    assert by_name["difference score (this − base), seat 0"]["level"] == look_level(games, 1 - 0.99)


@pytest.mark.usefixtures("toy")
def test_all_conditions_have_to_be_met_for_all_seats() -> None:
    games = schedule(100_000)
    _, tables, known = played(games[0])
    easy = [parse("half_width(mean score) <= 1"), parse("half_width(win rate) <= 0.5")]
    hard = parse("half_width(mean score, seat 1) <= 0.001")
    assert met(easy, tables, games, 0, known)
    assert not met([*easy, hard], tables, games, 0, known)
    assert not met([], tables, games, 0, known)
    # asked of nobody here: does not hold the others up
    assert met([*easy, parse("half_width(mean score, seat 3) <= 0.001")], tables, games, 0, known)


@pytest.mark.usefixtures("toy")
def test_counts_of_other_than_the_scheduled_games_are_not_looked_at() -> None:
    games = schedule(100_000)
    planned, tables, known = played(games[0] + 1)
    with pytest.raises(ValueError, match="counts of 4097 games at look 0, which is after 4096"):
        met(planned.conditions, tables, games, 0, known)


@pytest.mark.usefixtures("toy")
def test_a_change_without_effect_is_bounded_by_what_could_happen() -> None:
    """A difference of 0 in every game: limited where the limits of the game are known, else never precise enough."""
    more = {"variants": [{}], "policies": [["plain", "plain"]], "until": "half_width(difference score) <= 0.02"}
    pairs = [{"of": "score", "against": {"policies": ["add(more=0)", "plain"]}}]
    planned, tables, known = played(FIRST, pairs=pairs, **more)
    games = schedule(100_000)
    assert set(tables["differences"]["difference"].tolist()) == {0.0}
    (entry, _) = reached(planned.conditions, tables, games, 0, known)
    assert 0.02 < entry["half_width"] < 0.05
    (unknown, _) = reached(planned.conditions, tables, games, 0)
    assert (unknown["half_width"], unknown["met"]) == (None, False)
    assert not met(planned.conditions, tables, games, 0)


@pytest.mark.usefixtures("toy")
def test_limits_are_those_of_both_sides() -> None:
    pairs = [{"of": ["score", "win"], "against": {"rules": {"sides": 20}}}, {"of": "score", "seats": [0, 1]}]
    planned, _, known = played(10, variants=[{}], pairs=pairs, until=UNTIL)
    other = planned.cells[-1].pairs[0].against.id
    assert known["score",] == (1, 22)
    assert known["win",] == (0, 1)
    assert known["score", other] == (1 - 50, 22 - 1)
    assert known["win", other] == (-1, 1)
    assert known["score", ""] == (-21, 21)


@pytest.mark.deep
@pytest.mark.parametrize("chance", [3e-6, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.5, 0.999])
def test_peeking_at_rates_from_rare_to_frequent(chance: float) -> None:
    schedule = looks(FIRST, 4_000_000)
    repetitions = 100_000
    level = look_level(schedule, 0.05)
    two, chances = np.array([0.0, 1.0]), np.array([1 - chance, chance])
    for interval in (share_band, lambda v, c, x: mean_band(v, c, x, 0, 1)):
        low, high, _ = runs(two, chances, interval, level, repetitions, schedule)
        assert ((low > chance) | (chance > high)).any(axis=0).mean() <= most(repetitions)


@pytest.mark.deep
@pytest.mark.parametrize("case", CASES)
def test_peeking_more_often(case: str) -> None:
    values, chances, interval, truth = CASES[case]
    schedule = looks(FIRST, 2_000_000, 1.3)
    repetitions = 10_000 if interval is median_band else 100_000
    low, high, _ = runs(values, chances, interval, look_level(schedule, 0.05), repetitions, schedule)
    assert ((low > truth) | (truth > high)).any(axis=0).mean() <= most(repetitions)
