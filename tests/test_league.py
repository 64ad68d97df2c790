"""Tournaments: paired win rates, strengths, fit and cycles, against closed forms and known strengths."""

from __future__ import annotations

import json
import math
import re
import shlex
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from conftest import ROOT
from scipy import stats as reference

import sim
from sim.cli import run
from sim.errors import SimError
from sim.games import get
from sim.league.tournament import tournament
from sim.league.units import plan, play
from sim.stats import Joint, bradley_terry, half_test, holm, paired_share, three_cycles, wilson, wilson_band
from sim.store.load import read_footer

pytestmark = pytest.mark.usefixtures("toy")


# ----------------------------------------------------------------------------------------------------------------------
# Statistics that know no game


def joint(values: np.ndarray, scale: float = 1.0) -> Joint:
    return Joint(len(values), values.sum(axis=0), values.T @ values, np.full(values.shape[1], scale))


def test_sums_give_the_moments_of_the_sample() -> None:
    values = np.random.default_rng(1).integers(0, 50, (40, 3))
    found = joint(values, 0.5)
    assert found.mean == pytest.approx(values.mean(axis=0) / 2)
    assert found.covariance == pytest.approx(np.cov(values.T) / 4 / 40)
    differences = (values[:, 0] - values[:, 2]) / 2
    expected = reference.ttest_1samp(differences, 0).confidence_interval(0.95)
    e = found.contrast([1, 0, -1])
    assert (e.low, e.high) == pytest.approx((expected.low, expected.high))


def test_sums_are_exact_where_doubles_are_not() -> None:
    """A million units of a large number that varies by one: the variance survives."""
    n, big = 1_000_000, 2_000_000
    found = Joint(n, np.array([n * big + n // 2]), np.array([[n // 2 * big**2 + n // 2 * (big + 1) ** 2]]), np.ones(1))
    assert found.covariance[0, 0] == pytest.approx(0.25 / (n - 1), rel=1e-12)


def test_the_share_of_plain_games_has_wilsons_interval() -> None:
    won, n = 37, 120
    p = won / n
    e = paired_share(p, p * (1 - p) / n, n)
    expected = wilson(won, n)
    assert (e.low, e.high) == pytest.approx((expected.low, expected.high))
    assert paired_share(1.0, 0.0, 50).low == pytest.approx(wilson_band(50, 50)[0])
    halved = paired_share(p, p * (1 - p) / (4 * n), n)  # pairing that quarters the variance halves the interval
    assert halved.half_width == pytest.approx(e.half_width / 2, rel=0.02)


def test_the_test_of_one_half() -> None:
    x = np.array([0.5, 1, 1, 0.5, 0, 1, 0.75, 1])
    assert half_test(x.mean(), x.var(ddof=1) / 8, 8) == pytest.approx(reference.ttest_1samp(x, 0.5).pvalue)
    assert half_test(1.0, 0.0, 5) == 2**-4  # all five won: the sign test
    assert half_test(0.5, 0.0, 5) == 1.0


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]).tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]).tolist() == [1.0, 1.0]


def test_a_cycle_is_found_and_only_where_it_is_sure() -> None:
    pairs = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
    rates = [0.6, 0.4, 0.6, 0.9, 0.9, 0.9]  # 0 beats 1 beats 2 beats 0; all beat 3
    assert three_cycles(pairs, rates, [0.001] * 6) == [(0, 1, 2)]
    assert three_cycles(pairs, [1 - r for r in rates], [0.001] * 6) == [(0, 2, 1)]
    assert three_cycles(pairs, rates, [0.001, 0.02, 0.001, 1, 1, 1]) == []  # 0.02 × 4 pairs left is above 5 %


def test_two_players_have_a_closed_form() -> None:
    """The strength is the logit of the rate, its variance that of the rate over (p (1 − p))²; nothing left to test."""
    p, variance = 0.7, 0.0004
    fit = bradley_terry(2, [(0, 1)], [p], [[variance]], 1000, anchor=1)
    assert fit.value.tolist() == pytest.approx([math.log(p / (1 - p)), 0.0])
    assert math.sqrt(fit.covariance[0, 0]) == pytest.approx(math.sqrt(variance) / (p * (1 - p)))
    assert fit.against_anchor(0).value == pytest.approx(p)
    assert (fit.freedom, fit.misfit[0]) == (0, pytest.approx(0, abs=1e-12))
    assert math.isnan(fit.p_value)


def test_the_fit_is_the_top_of_the_likelihood() -> None:
    """Hunter's MM iteration, written out, ends at the same strengths."""
    rng = np.random.default_rng(5)
    pairs = list(combinations(range(5), 2))
    r = rng.uniform(0.1, 0.9, len(pairs))
    won = np.zeros((5, 5))
    for (i, j), x in zip(pairs, r, strict=True):
        won[i, j], won[j, i] = x, 1 - x
    gamma = np.ones(5)
    for _ in range(20_000):
        gamma = won.sum(axis=1) / [sum(1 / (gamma[i] + gamma[j]) for j in range(5) if j != i) for i in range(5)]
        gamma /= gamma[2]
    fit = bradley_terry(5, pairs, r, np.eye(10) * 1e-4, 100, anchor=2)
    assert fit.value == pytest.approx(np.log(gamma), abs=1e-9)


def test_somebody_who_never_lost_gets_a_finite_strength_and_it_is_said() -> None:
    fit = bradley_terry(3, [(0, 1), (0, 2), (1, 2)], [1.0, 1.0, 0.5], np.zeros((3, 3)), 20, anchor=2)
    assert fit.padded
    assert 2 < fit.value[0] < 10
    assert fit.covariance[0, 0] > 0.1
    assert not bradley_terry(3, [(0, 1), (0, 2), (1, 2)], [0.9, 1.0, 0.5], np.eye(3) * 1e-4, 20).padded


def dependent_units(rng: np.random.Generator, theta: np.ndarray, n: int) -> Joint:
    """Points of every pair in `n` units of two games that share a number across all pairs, as common deals do."""
    pairs = list(combinations(range(theta.size), 2))
    p = np.array([1 / (1 + math.exp(theta[j] - theta[i])) for i, j in pairs])
    shared, own = rng.random((n, 1)), rng.random((n, len(pairs)))
    return joint((shared < p).astype(np.int64) + (own < p), 0.5)


def test_intervals_cover_and_the_test_of_fit_keeps_its_level() -> None:
    """Known strengths, units that depend on each other across pairs.

    400 samples: 95 % intervals miss about 20 times each, and the test rejects about 20 times. Outside the central
    1 − 10⁻⁵ of the binomial (an error of 5 × 10⁻⁵ for the five bounds) something is wrong.
    """
    rng = np.random.default_rng(20)
    theta = np.array([0.0, 0.4, 0.9, 1.5])
    pairs = list(combinations(range(4), 2))
    missed, rejected = np.zeros(4, int), 0
    for _ in range(400):
        units = dependent_units(rng, theta, 300)
        fit = bradley_terry(4, pairs, units.mean, units.covariance, units.n)
        estimates = [fit.strength(i) for i in range(4)]
        missed += [not e.low <= t <= e.high for e, t in zip(estimates, theta, strict=True)]
        rejected += fit.p_value < 0.05
    low, high = reference.binom(400, 0.05).ppf([5e-6, 1 - 5e-6])
    assert all(low <= m <= high for m in missed[1:]), missed
    assert low <= rejected <= high, rejected
    assert missed[0] == 0  # the anchor is not estimated


def test_independent_standard_errors_would_not_cover() -> None:
    """The check above can fail: forgetting that pairs share deals gives errors that are wrong by a third."""
    rng = np.random.default_rng(21)
    theta = np.array([0.0, 0.4, 0.9, 1.5])
    pairs = list(combinations(range(4), 2))
    units = dependent_units(rng, theta, 20_000)
    honest = bradley_terry(4, pairs, units.mean, units.covariance, units.n)
    careless = bradley_terry(4, pairs, units.mean, np.diag(np.diag(units.covariance)), units.n)
    ratios = np.sqrt(np.diag(careless.covariance)[1:] / np.diag(honest.covariance)[1:])
    assert np.abs(np.log(ratios)).max() > 0.25


def test_a_model_that_is_wrong_is_rejected() -> None:
    """A circle of three cannot be told by one number each."""
    pairs = [(0, 1), (0, 2), (1, 2)]
    fit = bradley_terry(3, pairs, [0.6, 0.4, 0.6], np.eye(3) * 0.24 / 1000, 1000)
    assert fit.p_value < 1e-6
    assert fit.value == pytest.approx([0, 0, 0], abs=1e-9)
    assert abs(fit.misfit[fit.worst]) == pytest.approx(0.1)


# ----------------------------------------------------------------------------------------------------------------------
# Playing


def test_everybody_meets_everybody_in_both_seatings() -> None:
    room = get("parlett")
    policies = [room.policies.parse(p) for p in ("random", "greedy", "safe")]
    wanted = plan(room, policies)
    ids = [tuple(p.id for p in lineup) for lineup in wanted.lineups]
    assert sorted(ids) == sorted(
        (a, b) for a in ("random", "greedy", "safe") for b in ("random", "greedy", "safe") if a != b
    )
    assert all(len(m) == 2 for m in wanted.meetings)


def test_players_who_do_not_interact_sit_at_one_table() -> None:
    room = get("caterpillars")
    policies = [room.policies.parse(p) for p in ("random", "greedy", "child")]
    wanted = plan(room, policies)
    assert [tuple(p.id for p in lineup) for lineup in wanted.lineups] == [("random", "greedy", "child")]
    assert all(len(m) == 1 for m in wanted.meetings)


def test_one_who_watches_the_others_is_met_in_person(monkeypatch: pytest.MonkeyPatch) -> None:
    room = get("caterpillars")
    policies = [room.policies.parse(p) for p in ("random", "greedy", "child")]
    monkeypatch.setattr(type(room), "interacts", lambda self, policy: policy.id == "child")
    wanted = plan(room, policies)
    ids = [tuple(p.id for p in lineup) for lineup in wanted.lineups]
    assert ids[0] == ("random", "greedy")
    assert sorted(ids[1:]) == [("child", "greedy"), ("child", "random"), ("greedy", "child"), ("random", "child")]


def points_from_rows(game: str, a: str, b: str, games: int, seed: int) -> np.ndarray:
    """Points of `a` per game index, from the rows of `simulate`: a win is 1, a draw or nobody's game 1/2."""
    own = []
    for policies, seat in (([a, b], 0), ([b, a], 1)):
        win = sim.simulate(game, policies=policies, games=games, seed=seed)["win"].to_numpy().reshape(-1, 2)
        own.append((1 + win[:, seat] - win[:, 1 - seat]) / 2)
    return (own[0] + own[1]) / 2


@pytest.mark.parametrize(("game", "a", "b"), [("parlett", "greedy", "random"), ("karolinchen", "match", "longest")])
def test_counts_are_those_of_the_games_themselves(game: str, a: str, b: str) -> None:
    games = 700
    found = tournament(game, policies=[a, b], games=games, seed=11, workers=2)
    units = points_from_rows(game, a, b, games, 11)
    row = found.pair_rows()[0]
    assert row["rate"] == pytest.approx(units.mean(), abs=1e-12)
    assert row["wins"] + row["draws"] + row["losses"] == 2 * games
    assert row["wins"] + row["draws"] / 2 == pytest.approx(2 * units.sum())
    assert found.played.compared(0, 1)[1] == pytest.approx(units.var(ddof=1) / games)
    assert found.played.compared(1, 0)[0] == pytest.approx(1 - units.mean())


def test_one_table_of_caterpillars_gives_what_pairs_at_a_table_give() -> None:
    """The win of the pair, ties by all boxes included, is that of a game for two with the same dice."""
    found = tournament("caterpillars", policies=["greedy", "planner", "weighted"], games=500, seed=3)
    rows = sim.simulate("caterpillars", policies=["planner", "weighted"], games=500, seed=3)
    win = rows["win"].to_numpy().reshape(-1, 2)
    row = next(r for r in found.pair_rows() if r["first"] == "planner")
    assert row["wins"] == (win[:, 0] == 1).sum()
    assert row["draws"] == (win[:, 0] == 0.5).sum()
    score = found.score(1, minus=2)
    values = rows["score"].to_numpy().reshape(-1, 2)
    d = values[:, 0] - values[:, 1]
    expected = reference.ttest_1samp(d, 0).confidence_interval(0.95)
    assert (score.low, score.high) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize(
    ("game", "policy"),
    [("parlett", "greedy"), ("parlett", "random"), ("karolinchen", "match"), ("karolinchen", "odds(slip=0.3)")],
)
def test_a_policy_against_itself_comes_out_even(game: str, policy: str) -> None:
    """Both seatings of one deal are then the same game, random numbers included (they belong to the seat)."""
    found = tournament(game, policies=[policy] * 2, games=300, seed=5)
    row = found.pair_rows()[0]
    assert row["wins"] == row["losses"] > 0
    assert row["rate"] == 0.5
    assert row["p_holm"] == 1.0
    assert found.labels[1].endswith("#2")
    assert found.fit.value.tolist() == pytest.approx([0, 0], abs=1e-12)


def test_two_at_one_table_who_draw_their_own_numbers_are_even_within_the_interval() -> None:
    """A sample, since the seats differ; the interval at 1 − 10⁻⁶ must hold one half."""
    found = tournament("caterpillars", policies=["random", "random"], games=5000, seed=9)
    e = found.rate(0, 1, level=1 - 1e-6)
    assert e.low < 0.5 < e.high
    assert 0 < found.played.points.covariance[0, 0]


def test_workers_and_blocks_do_not_matter() -> None:
    def told(workers: int) -> dict[str, Any]:
        return tournament(
            "toy", policies=["plain", "add", "add(more=2)"], games=20_000, seed=2, workers=workers
        ).record()

    assert told(1) == told(3)
    halves = [tournament("toy", policies=["plain", "add"], games=10_000, seed=2, first_game=f) for f in (0, 10_000)]
    whole = tournament("toy", policies=["plain", "add"], games=20_000, seed=2)
    assert sum(h.played.results for h in halves).tolist() == whole.played.results.tolist()


def test_chosen_pairs_alone_are_played() -> None:
    room = get("parlett")
    policies = [room.policies.parse(p) for p in ("random", "greedy", "safe")]
    some = play(room, room.rules_type(), plan(room, policies, [(0, 2)]), seed=1, games=200)
    every = play(room, room.rules_type(), plan(room, policies), seed=1, games=200)
    assert some.compared(0, 2) == every.compared(0, 2)
    assert len(some.plan.lineups) == 2


def test_the_table_is_in_order_and_tells_scores_where_there_are_any() -> None:
    found = sim.tournament(
        "caterpillars",
        policies=["random", "greedy"],
        rules={"boxes": 2, "sheet": [1, 2, 3, 4, 5, 6]},
        games=400,
        seed=1,
    )
    frame = found.strengths
    assert frame["policy"].to_list() == ["greedy", "random"]
    assert frame["strength"][1] == 0.0
    assert {"score", "score_low", "score_high"} <= set(frame.columns)
    karolinchen = tournament("karolinchen", policies=["match", "random"], games=100, seed=1)
    assert "score" not in karolinchen.strengths.columns
    assert karolinchen.score(0) is None


def test_the_verdict_is_honest_about_many_games() -> None:
    found = tournament("parlett", policies=["random", "greedy", "safe", "planner"], games=4000, seed=1)
    fit = found.fit_row()
    assert fit["p_value"] < 0.01
    assert "does not tell all" in fit["told"]
    assert f"{100 * abs(fit['largest_misfit']):.2f} points" in fit["told"]
    assert abs(fit["largest_misfit"]) == max(abs(r["misfit"]) for r in found.pair_rows())


# ----------------------------------------------------------------------------------------------------------------------
# Files and the command line


def test_the_pairs_are_kept_with_what_made_them(tmp_path: Path) -> None:
    found = tournament("toy", policies=["plain", "add"], games=50, seed=4)
    first, second = found.write(tmp_path / "a.parquet"), found.write(tmp_path / "b.parquet")
    assert first.read_bytes() == second.read_bytes()
    assert pl.read_parquet(first).to_dicts() == [pytest.approx(row) for row in found.pair_rows()]
    made = read_footer(first).provenance
    again = sim.tournament(
        made["game"],
        policies=[{"id": p["id"], **p["parameters"]} for p in made["policies"]],
        rules=made["rules"],
        games=made["games"],
        seed=made["seed"],
    )
    assert again.record() == found.record()


WRONG = [
    ("toy --policy plain", "policies = plain are not accepted; accepted: at least two policies"),
    ("toy", "policies = none are not accepted; accepted: at least two policies"),
    ("toy --policy plain --policy nobody", "unknown policy of toy 'nobody'; accepted: plain, add"),
    ("toy --policy plain --policy add --games 1", "games = 1 is not accepted; accepted: a whole number from 2"),
    ("toy --policy plain --policy add --anchor add(more=3)", "unknown anchor 'add(more=3)'"),
    ("toy --policy plain --policy add --out x.csv", "--out x.csv is not accepted; accepted: a name ending in .parquet"),
    ("toy --policy plain --policy add --workers 0", "workers = 0 is not accepted"),
]


@pytest.mark.parametrize(("line", "message"), WRONG)
def test_wrong_use_is_told_in_one_line(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = run(["tournament", *shlex.split(line)])
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err


def test_the_policies_argument_is_checked() -> None:
    with pytest.raises(SimError, match="at least two policies"):
        sim.tournament("toy", policies="plain", games=5, seed=1)


def test_json_and_words_tell_the_same(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    call = ["tournament", "toy", "--policy", "plain", "--policy", "add", "--games", "1000", "--seed", "3"]
    assert run([*call, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert run([*call, "--out", str(tmp_path / "x.parquet")]) == 0
    told = capsys.readouterr().out
    assert f"{record['table'][0]['rate']:.2%}" in told
    assert "Fit: one number per policy fits two policies always: nothing to test." in told
    assert (tmp_path / "x.parquet").exists()
    assert told.endswith("x.parquet: 1 pair\n")


@pytest.mark.parametrize("page", ["docs/how-to/tournament.md"])
def test_the_examples_of_the_documentation_run(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    commands = [line for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S) for line in block.splitlines()]
    assert commands
    for command in commands:
        assert run(shlex.split(command)[1:]) == 0, capsys.readouterr().err
    for code in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S):
        exec(compile(code, page, "exec"), {})
