"""The report's own false alarms: claims in families, judged together, and the same with every difference taken out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats as scipy_stats

import sim
from sim.report.alarms import ALPHA, Member, alarm_tables
from sim.report.inputs import Given, read_sweep
from sim.report.params import read_params

ROOT = Path(__file__).resolve().parent.parent


def test_p_values_are_those_of_the_library() -> None:
    values, counts = np.array([-1.0, 0.0, 2.0]), np.array([30, 50, 20])
    sample = np.repeat(values, counts)
    assert Member("f", "m", values, counts).p_value(counts)[0] == pytest.approx(
        scipy_stats.ttest_1samp(sample, 0).pvalue
    )
    wins = np.array([40, 25, 35])
    member = Member("f", "m", np.arange(3.0), wins, 3)
    assert member.p_value(wins)[0] == pytest.approx(scipy_stats.chisquare(wins).pvalue)


def test_where_nothing_ever_changes_there_is_no_alarm_and_a_constant_change_is_one() -> None:
    counts = np.array([100])
    assert Member("f", "m", np.array([0.0]), counts).p_value(counts)[0] == 1
    assert Member("f", "m", np.array([1.0]), counts).p_value(counts)[0] == 0


def test_taking_the_difference_out_leaves_mean_zero_and_the_same_size_of_differences() -> None:
    values, counts = np.array([-1.0, 3.0]), np.array([100, 300])
    chances, alike = Member("f", "m", values, counts).alike()
    assert chances @ alike.values == pytest.approx(0)
    assert chances @ alike.values**2 == pytest.approx((counts @ values**2) / counts.sum())
    assert chances.sum() == pytest.approx(1)


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Given:
    folder = tmp_path_factory.mktemp("alarms")
    content = {
        "name": "own",
        "game": "karolinchen",
        "seed": 5,
        "games": 4_000,
        "by": ["turns", "win"],
        "variants": [{"one_factor": {"reroll_after_eating": [True], "fruits": [[1, 1, 2, 2, 3, 3]]}}],
        "policies": [{"repeat": [2, 3], "policy": "match"}],
        "pairs": [{"of": ["turns", "win"], "against": "base"}],
    }
    sim.sweep(content, data=folder)
    return Given({"own": read_sweep("own", folder)}, read_params(ROOT / "params.yaml"), ("own",), folder)


def test_families_are_judged_as_a_whole_and_false_alarms_are_counted(given: Given) -> None:
    """With 1,000 A/A runs the count of alarms of a family at a true rate of at most 5 % is above 79 in fewer than 1 of
    10,000 suites (binomial), for three families 1 of 3,000; each test has its own fixed seeds, so it does not flicker.
    """
    table = alarm_tables(given, ["own"])["alarms"]
    rows = {row["family"]: row for row in table.iter_rows(named=True)}
    assert set(rows) == {"seats of equals", "differences of turns", "differences of win", "all"}
    assert rows["seats of equals"]["claims"] == 6
    assert rows["all"]["claims"] == sum(row["claims"] for name, row in rows.items() if name != "all")
    assert rows["differences of turns"]["held"] >= 5  # fewer fruits are quicker beyond any doubt, in each seat
    for name, row in rows.items():
        most = 0.079 if name != "all" else 1 - (1 - ALPHA) ** 3 + 0.05
        assert row["value"] <= most, name
        assert row["low"] <= row["value"] <= row["high"]
        assert row["n"] == 1_000
    assert rows["all"]["value"] > 0.05  # three families alarm more often than one
    assert table.equals(alarm_tables(given, ["own"])["alarms"])


def test_without_claims_there_is_no_table(given: Given) -> None:
    assert alarm_tables(given, ["levels"]) == {}
