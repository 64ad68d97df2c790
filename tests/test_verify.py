"""`sim verify`: the comparisons themselves, the exact values made for them, and what happens at a difference."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from scipy import stats

from sim.cli import run as cli
from sim.errors import InputError, ReportError
from sim.games import get
from sim.report.verified import deviation, read_record, verification_tables
from sim.stats import Exact, distribution_agreement, mean_agreement, share_agreement
from sim.stats.agreement import cells_of
from sim.verify import Verification, all_trials, cards, chosen, settings, verify, write
from sim.verify import caterpillars as own_caterpillars
from sim.verify import run as runner
from sim.verify.small import end_total, play, wins

# ----------------------------------------------------------------------------------------------------------------------
# Comparing


def test_cells_are_merged_until_enough_games_are_expected() -> None:
    assert cells_of(np.array([30.0, 10.0, 10.0, 10.0, 30.0, 5.0]), 25).tolist() == [0, 1, 1, 1, 2, 2]
    assert cells_of(np.array([5.0, 5.0]), 25).tolist() == [0, 0]
    assert cells_of(np.array([100.0]), 25).tolist() == [0]


def test_a_true_distribution_agrees_and_a_shifted_one_does_not() -> None:
    exact = Exact.of(stats.binom.pmf(np.arange(13), 12, 0.3))
    n = 1_000_000
    close = np.round(n * exact.chances).astype(int)
    assert distribution_agreement(exact.values, close, exact).p > 0.99
    off = np.round(n * stats.binom.pmf(np.arange(13), 12, 0.303)).astype(int)
    found = distribution_agreement(exact.values, off, exact)
    assert found.p < 1e-30
    assert (found.method, found.n) == ("chi-square", off.sum())
    assert mean_agreement(exact.values, off, exact).statistic > 20
    assert abs(mean_agreement(exact.values, close, exact).statistic) < 0.01


def test_the_statistic_is_pearsons_where_nothing_is_merged() -> None:
    exact = Exact.at({-1.0: 0.2, 0.5: 0.5, 3.0: 0.3})
    found = distribution_agreement([-1, 0.5, 3], [230, 480, 290], exact)
    by_hand = stats.chisquare([230, 480, 290], [200, 500, 300])
    assert found.statistic == pytest.approx(by_hand.statistic)
    assert found.p == pytest.approx(by_hand.pvalue)
    assert (found.where, found.exact, found.observed) == ("-1", pytest.approx(0.2), 0.23)


def test_an_impossible_value_is_never_merged_away() -> None:
    exact = Exact.at({0.0: 0.5, 1.0: 0.0, 2.0: 0.5})
    for value in (1.0, 7.0):  # has probability 0; is not there at all
        found = distribution_agreement([0, value, 2], [500_000, 1, 499_999], exact)
        assert found.method == "impossible value"
        assert found.where == f"{value:g}"
        assert found.p <= 1e-6
    # a distribution cut where 0.001 is left does not make a long game impossible
    cut = Exact.of([0.5, 0.499])
    assert distribution_agreement([0, 1, 2], [500, 499, 1], cut).p > 0.5


def test_shares_are_tested_with_the_binomial_distribution_itself() -> None:
    found = share_agreement(60, 100, 0.5)
    assert found.p == pytest.approx(stats.binomtest(60, 100, 0.5).pvalue)
    assert share_agreement(0, 1000, 1e-9).p > 0.9
    assert share_agreement(3, 1000, 1e-9).p < 1e-12
    # what is not known of the exact value counts for the program
    assert share_agreement(5150, 10_000, 0.5).p < 0.003
    assert share_agreement(5150, 10_000, 0.5, error=0.02).p > 0.5


def test_a_difference_within_the_error_of_the_exact_value_is_none() -> None:
    counts = np.array([400_000, 600_000])
    assert mean_agreement([0, 1], counts, Exact.of([0.41, 0.59])).p < 1e-10
    assert mean_agreement([0, 1], counts, Exact.of([0.41, 0.59], error=0.011)).p == 1.0


@pytest.mark.deep
@pytest.mark.parametrize("games", [2_000, 100_000])
def test_the_chi_square_keeps_its_level(games: int) -> None:
    """200,000 samples from exact distributions: p-values below 0.001 come in 0.001 of them (within 4 standard errors
    and a tenth: false alarm about once in 16,000), with few games and with many.
    """
    labels = own_caterpillars.cut(own_caterpillars.MIXED, 2)
    p = get("caterpillars").solve({"boxes": 2, "sheet": labels}, ["greedy"], labels=labels).pmf
    p = p / p.sum()
    samples, low = 200_000, 0
    cell = cells_of(games * p)
    q = np.bincount(cell, p)
    rng = np.random.default_rng(7)
    for _ in range(10):
        drawn = rng.multinomial(games, q / q.sum(), size=samples // 10)
        statistic = ((drawn - games * q) ** 2 / (games * q)).sum(axis=1)
        low += int((stats.chi2.sf(statistic, q.size - 1) < 0.001).sum())
    expected = samples * 0.001
    assert low < 1.1 * expected + 4 * np.sqrt(expected)
    assert low > 0.8 * expected - 4 * np.sqrt(expected)


# ----------------------------------------------------------------------------------------------------------------------
# The exact values that are made for this


@pytest.mark.parametrize("policy", ["greedy", "random"])
@pytest.mark.parametrize(
    "rules",
    [
        {"level": "beginner"},
        {"level": "beginner", "zero_rule": "split", "final": "highest"},
        {"level": "intermediate", "zero_rule": "strict", "final": "lowest"},
        {"level": "intermediate", "idle_dice": True, "zero_rule": "split", "final": "total"},
    ],
)
def test_the_walk_over_positions_agrees_with_the_exact_solver(policy: str, rules: dict[str, Any]) -> None:
    """Two exact programs for one question, where both can answer it."""
    labels = [2, 5, 6]
    given = {**rules, "boxes": 1, "sheet": labels}
    rule = own_caterpillars.parsed(given)
    walked = play(rule, labels, [policy], lambda sheets: end_total(rule, sheets[0]))
    solved = get("caterpillars").solve(given, [policy], labels=labels).pmf
    assert max(abs(walked.get(k, 0.0) - p) for k, p in enumerate(solved)) < 1e-12
    assert sum(walked.values()) == pytest.approx(1, abs=1e-12)


def test_the_walk_counts_wins_so_that_they_add_up() -> None:
    rule = own_caterpillars.parsed({"boxes": 1, "sheet": [1, 4, 4]})
    ends = play(rule, [1, 4, 4], ["greedy", "random", "random"], lambda sheets: wins(rule, sheets))
    assert all(sum(end) == 1 for end in ends)
    assert {Fraction(1, 3), Fraction(1, 2)} <= {share for end in ends for share in end}
    means = [sum(p * float(end[s]) for end, p in ends.items()) for s in range(3)]
    assert means[1] == pytest.approx(means[2])  # two seats that play alike


def test_rounds_without_an_entry_are_binomial() -> None:
    exact = own_caterpillars.blank_rounds(1, 2, 12)
    assert exact.mean == pytest.approx(12 * 25 / 36)
    # a 2 among three dice, or two ones
    share = sum(1 for a in range(1, 7) for b in range(1, 7) for c in range(1, 7) if 2 in (a, b, c))
    ones = sum(
        1
        for a in range(1, 7)
        for b in range(1, 7)
        for c in range(1, 7)
        if 2 not in (a, b, c) and (a, b, c).count(1) >= 2
    )
    assert own_caterpillars.blank_rounds(2, 3, 12).mean == pytest.approx(12 * (1 - (share + ones) / 216))


def test_counting_of_cards_agrees_with_plain_reasoning() -> None:
    # the first card scores if it is a five or a ten: eight of 52
    assert cards.lead("random", 5) == pytest.approx({0: 44 / 52, 5: 4 / 52, 10: 4 / 52})
    greedy = cards.lead("greedy", 5)
    assert greedy[10] == pytest.approx(1 - comb(48, 25) / comb(52, 25))
    assert sum(greedy.values()) == pytest.approx(1)
    assert greedy[0] == pytest.approx(comb(44, 25) / comb(52, 25))
    for policies in (["random", "random"], ["random", "greedy"], ["greedy", "greedy"]):
        assert sum(cards.follow(policies, 5).values()) == pytest.approx(1)
    assert sum(cards.courts(52, 25)) == pytest.approx(1)
    lengths = cards.row_lengths()
    # the second card fits in 21 of 51 cases
    assert lengths[1] == pytest.approx(30 / 51)
    assert sum(lengths) == pytest.approx(1, abs=1e-9)


def test_counting_of_cards_agrees_with_listing_on_a_small_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    """Second and third card of a row of single cards, by listing all beginnings of the pack."""
    two = three = 0
    for a, b, c in permutations(cards.PACK[::1], 3):
        if cards.legal(b, a):
            two += not cards.legal(c, b)
            three += cards.legal(c, b)
    total = 52 * 51 * 50
    lengths = cards.row_lengths(6)
    assert lengths[2] == pytest.approx(two / total)
    assert sum(lengths[:3]) == pytest.approx(1 - three / total)


def test_greedy_prefers_a_score_then_a_numeral_then_a_low_rank() -> None:
    hand = [(0, 11), (1, 4), (0, 4), (2, 5), (3, 10)]
    assert cards.preference(hand, 0, None, 5) == [(3, 10), (2, 5), (0, 4), (1, 4), (0, 11)]
    # on a row of 15 a court in suit repeats it
    assert cards.preference([(1, 2), (1, 12), (2, 12)], 15, (1, 9), 5)[0] == (1, 12)


# ----------------------------------------------------------------------------------------------------------------------
# The list


def test_the_list_covers_every_game_and_names_each_scenario_once() -> None:
    trials = all_trials()
    assert {t.game for t in trials} == {"caterpillars", "karolinchen", "parlett"}
    told = Counter((t.game, t.told) for t in trials)
    assert [name for name, count in told.items() if count > 1] == []
    assert sum(t.checks for t in trials) > 150
    levels = {t.scenario.rules.model_dump()["level"] for t in trials if t.game == "caterpillars"}
    assert levels == {"beginner", "intermediate", "advanced", "expert"}
    rules = [t.scenario.rules.model_dump() for t in trials if t.game == "caterpillars"]
    assert {r["zero_rule"] for r in rules} == {"forced", "split", "strict"}
    assert {r["final"] for r in rules} == {"median", "lowest", "highest", "total"}
    assert {r["boxes"] for r in rules} == {1, 2, 3, 4}


def test_a_die_biased_by_one_hundredth_is_seen_at_the_default_size() -> None:
    """The power that docs/verification.md states: one face of one die has 1.01 or 0.99 times its chance, by the
    standard deviations of a single check at the default number of games.
    """
    games, delta = runner.GAMES, 0.01 / 6
    listed = sum(t.checks for t in all_trials())
    limit = stats.norm.isf(runner.ERROR_RATE / listed / 2)
    # beginner, twelve rounds, one of two dice: the face is missed by the other die in five of six rolls
    p = 25 / 36
    beginner = delta * 5 / 6 * np.sqrt(12 * games / (p * (1 - p)))
    # Karolinchen, one of six dice, sixteen times the games
    race = delta * np.sqrt(16 * games / (6 * 5 / 36))
    assert beginner == pytest.approx(10.4, abs=0.1)
    assert race == pytest.approx(7.3, abs=0.1)
    assert stats.norm.cdf(min(beginner, race) - limit) > 0.999


# ----------------------------------------------------------------------------------------------------------------------
# Running


@pytest.fixture(scope="module")
def small() -> Verification:
    return verify(games=2_000, scenario="parlett", workers=1)


def test_the_record_is_the_same_bytes_for_any_number_of_workers(small: Verification) -> None:
    assert verify(games=2_000, scenario="parlett", workers=2).text() == small.text()
    assert verify(games=2_000, scenario="parlett", seed=3).text() != small.text()


def test_the_record_tells_everything(small: Verification) -> None:
    record = json.loads(small.text())
    assert record["passed"]
    assert not record["complete"]
    assert record["listed"] == sum(t.checks for t in all_trials())
    assert record["limit"] == pytest.approx(0.01 / record["listed"])
    keys = {"scenario", "quantity", "exact", "simulated", "n", "statistic", "p", "limit", "error_bound", "passed"}
    for row in record["results"]:
        assert keys <= set(row)
        assert row["n"] == 2_000
    # not a word that depends on when and where
    assert not {"time", "host", "seconds", "workers"} & set(record)


def wrong(trial: Any) -> Any:
    """The same trial with a first exact distribution that is a little off."""
    q = trial.quantities[0]

    def exact(solved: Any) -> Exact:
        true = q.exact(solved)
        moved = 0.98 * true.chances
        moved[-1] += 0.02 * true.chances.sum()
        return Exact(true.values, moved)

    return replace(trial, quantities=[replace(q, exact=exact), *trial.quantities[1:]])


@pytest.fixture
def one_is_off(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    true = all_trials()
    at = next(i for i, t in enumerate(true) if t.topic == "one play a seat")
    monkeypatch.setattr(runner, "all_trials", lambda: [*true[:at], wrong(true[at]), *true[at + 1 :]])
    return lambda: None


@pytest.mark.usefixtures("one_is_off")
def test_a_difference_is_one_line_status_1_and_stands_in_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "deep" / "verification.json"
    status = cli(["verify", "--games", "50_000", "--scenario", "one play", "--out", str(out)])
    told = capsys.readouterr()
    assert status == 1
    assert len(told.err.splitlines()) == 1
    assert told.err.startswith("sim: fault: verification failed: parlett, hand_size 25, multiple 5; random v random: ")
    assert "running score of the leader: exact " in told.err
    assert "limit 4." in told.err
    assert "OUTSIDE" in told.out
    record = json.loads(out.read_text(encoding="utf-8"))
    assert not record["passed"]
    assert [r["passed"] for r in record["results"]].count(False) == 2  # the distribution and its mean
    with pytest.raises(ReportError, match=r"disagree \(parlett, hand_size 25.*accepted: a verification that passed"):
        read_record(out)


def test_the_command_prints_a_table_and_one_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    status = cli(["verify", "--games", "2000", "--seed", "5", "--scenario", "STUCK at once", "--workers", "2"])
    told = capsys.readouterr().out.splitlines()
    assert status == 0
    assert told[0].split()[:4] == ["game", "quantity", "exact", "simulated"]
    assert len([line for line in told if line.startswith("parlett")]) == 6
    assert told[-1].startswith("6 comparisons of ")
    assert "12,000 games, seed 5: all within the error rate of 1 % for all together" in told[-1]


def test_quiet_leaves_the_verdict_and_what_is_outside(
    capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    assert cli(["verify", "--games", "2000", "--scenario", "stuck at once", "--quiet"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1
    request.getfixturevalue("one_is_off")
    assert cli(["verify", "--games", "50_000", "--scenario", "one play", "--quiet"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert ["OUTSIDE" in line for line in told[1:-1]] == [True, True]
    assert "2 outside the error rate" in told[-1]


def test_json_is_the_record(capsys: pytest.CaptureFixture[str], small: Verification) -> None:
    assert cli(["verify", "--games", "2000", "--scenario", "parlett", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == small.record()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--scenario snap", "no scenario contains 'snap'; accepted: words of one, as caterpillars, karolinchen,"),
        ("--games 0", "games = 0 is not accepted; accepted: a whole number from 1"),
        ("--seed -1", "seed = -1 is not accepted"),
        ("--workers 0", "workers = 0 is not accepted"),
        ("--params nothing.yaml", "cannot read nothing.yaml; accepted: a parameters file"),
        ("--scenario stuck --games 100 --out /dev/null/x.json", "cannot write /dev/null/x.json"),
    ],
)
def test_wrong_use_is_one_line(arguments: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli(["verify", *arguments.split()]) == 2
    told = capsys.readouterr().err
    assert len(told.splitlines()) == 1
    assert words in told
    assert "accepted" in told


def test_settings_come_from_the_parameters_file_and_are_checked() -> None:
    import yaml

    given = settings(yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8")))
    assert given == {"games": runner.GAMES, "seed": runner.SEED, "error_rate": runner.ERROR_RATE}
    assert settings({"verify": {"games": 5}})["games"] == 5
    with pytest.raises(InputError, match="accepted: a mapping with games, seed, error_rate"):
        settings({"verify": {"gmaes": 5}})
    with pytest.raises(InputError, match="error_rate = 2 is not accepted; accepted: a number between 0 and 1"):
        verify(error_rate=2, scenario="stuck")
    with pytest.raises(InputError, match="accepted: words of one"):
        chosen("no such thing")


# ----------------------------------------------------------------------------------------------------------------------
# What the report makes of it


def test_the_report_wants_the_whole_list(small: Verification, tmp_path: Path) -> None:
    path = tmp_path / "verification.json"
    with pytest.raises(ReportError, match=r"cannot read .*; accepted: run `sim verify --out"):
        read_record(path)
    write(small, path)
    with pytest.raises(ReportError, match=r"holds \d+ of \d+ comparisons; accepted"):
        read_record(path)
    write(replace(small, listed=len(small.checks)), path)
    tables = verification_tables(path)
    assert tables["verification"].height == tables["verification_run"]["checks"][0] == len(small.checks)
    path.write_text("{}")
    with pytest.raises(ReportError, match="is not a record of comparisons"):
        read_record(path)


def test_deviations_are_those_of_a_normal_number() -> None:
    assert deviation(2 * stats.norm.sf(3.0)) == pytest.approx(3.0)
    assert deviation(1.0) == 0.0
    assert deviation(0.0) == deviation(1e-310) == 30.0
