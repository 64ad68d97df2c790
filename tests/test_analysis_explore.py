"""Tables that notebooks are made of: labels and their chances, means and responses, exact shares, precision."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

import sim
from sim import analysis

RNG = np.random.default_rng(20261130)


def counted(values: np.ndarray, column: str, **more: Any) -> pl.DataFrame:
    seen, counts = np.unique(values, return_counts=True)
    frame = pl.DataFrame({column: seen, "count": counts.astype(np.int64)})
    return frame.with_columns(pl.lit(v).alias(k) for k, v in more.items())


def test_chances_of_labels_are_those_counted_by_hand_over_all_rolls() -> None:
    """Beginner: one of two dice shows it. Intermediate: one die or two dice of three."""
    chances = analysis.label_chances()
    found = {(r["level"], r["label"]): r["chance"] for r in chances.iter_rows(named=True)}
    for label in range(1, 13):
        two = sum(label in roll for roll in product(range(1, 7), repeat=2)) / 36
        assert found["beginner", label] == pytest.approx(two)
        three = sum(
            label in roll or label in (roll[0] + roll[1], roll[0] + roll[2], roll[1] + roll[2])
            for roll in product(range(1, 7), repeat=3)
        )
        assert found["intermediate", label] == pytest.approx(three / 216)
    assert chances.height == 48
    first = chances.filter((pl.col("level") == "beginner") & (pl.col("label") == 1))
    # with a 1 in the roll, the score is the other die: the mean over (1, x), (x, 1) of x
    assert first["best"].item() == pytest.approx((2 * sum(range(2, 7)) + 1) / 11)


def traces(setup: str, games: int) -> list[dict[str, Any]]:
    rules = {"level": "expert", "setup": setup}
    return [
        sim.trace("caterpillars", rules=rules, policies=["greedy", "planner"], seed=5, game_index=k)
        for k in range(games)
    ]


def test_written_labels_are_those_of_the_traces() -> None:
    games = traces("variation", 20)
    written = analysis.labels_written(games)
    total = written.group_by("policy").agg(pl.col("value").sum())
    assert total["value"].to_list() == pytest.approx([6.0, 6.0])  # six blanks
    blanks = [i for i, label in enumerate([1, 6, 0, 0, 2, 5, 0, 0, 1, 6, 0, 0]) if not label]
    greedy = [game["seats"][0]["labels"][i] for game in games for i in blanks]
    rows = written.filter(pl.col("policy") == "greedy").sort("label")
    assert (rows["value"] * 20).to_list() == pytest.approx([greedy.count(label) for label in range(1, 13)])
    assert (rows["n"] == 20).all()
    assert (rows["low"] <= rows["value"]).all()


def test_the_chance_of_written_labels_is_the_mean_over_blanks() -> None:
    games = traces("variation", 10)
    chance = dict(analysis.label_chances(["expert"]).select("label", "chance").iter_rows())
    blanks = [i for i, label in enumerate([1, 6, 0, 0, 2, 5, 0, 0, 1, 6, 0, 0]) if not label]
    for row in analysis.written_chances(games).iter_rows(named=True):
        seat = 0 if row["policy"] == "greedy" else 1
        by_hand = np.mean([[chance[game["seats"][seat]["labels"][i]] for i in blanks] for game in games], axis=1)
        assert row["value"] == pytest.approx(by_hand.mean())
        assert row["high"] - row["low"] == pytest.approx(2 * 2.2622 * by_hand.std(ddof=1) / math.sqrt(10), rel=1e-4)


def sweep_frames(one: np.ndarray, other: np.ndarray) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    counts = pl.concat([counted(one, "score", scenario="a", seat=0), counted(other, "score", scenario="b", seat=0)])
    difference = counted(
        (one - other).astype(float), "difference", scenario="a", against="b", pair="p", of="score", seat=0
    )
    scenarios = pl.DataFrame(
        {"scenario": ["a", "b"], "level": ["expert"] * 2, "seat0": ["x", "y"], "factor": [""] * 2, "value": [""] * 2}
    )
    return counts, difference, scenarios


def test_means_and_pairing_are_those_of_the_games_themselves() -> None:
    luck = RNG.integers(0, 30, 500)
    one, other = luck + RNG.integers(0, 4, 500), luck + RNG.integers(0, 3, 500)
    counts, differences, scenarios = sweep_frames(one, other)
    means = analysis.means_by(counts, scenarios)
    assert means["value"].to_list() == pytest.approx([one.mean(), other.mean()])
    assert means["sd"].to_list() == pytest.approx([one.std(ddof=1), other.std(ddof=1)])
    assert means.columns[:3] == ["scenario", "level", "policy"]
    (row,) = analysis.pairing(counts, differences, scenarios, half_width=0.1).iter_rows(named=True)
    gap = (one - other).std(ddof=1)
    assert row["value"] == pytest.approx((one - other).mean())
    assert row["saved"] == pytest.approx((one.var(ddof=1) + other.var(ddof=1)) / gap**2)
    assert row["games"] == math.ceil((1.959964 * gap / 0.1) ** 2)
    assert row["games_apart"] > 20 * row["games"]
    assert row["half_apart"] > 4 * row["half"]


def test_games_for_a_half_width_give_that_half_width() -> None:
    n = analysis.games_for(7.0, 0.05)
    halves = analysis.half_widths({"plain": 7.0, "better": 3.5}, [n, 4 * n])
    plain = halves.filter(pl.col("way") == "plain")["value"].to_list()
    assert plain[0] == pytest.approx(0.05, rel=1e-3)
    assert plain[1] == pytest.approx(0.025, rel=1e-3)
    assert halves.filter(pl.col("way") == "better")["value"].to_list() == pytest.approx([plain[0] / 2, plain[1] / 2])


def test_responses_keep_settings_apart_and_in_order() -> None:
    parts = [counted(RNG.integers(-3, 4, 200).astype(float) + s, "difference", setting=s) for s in (2.0, 0.5, 1.0)]
    found = analysis.responses(pl.concat(parts), ["setting"])
    assert found["setting"].to_list() == [2.0, 0.5, 1.0]
    assert (found["n"] == 200).all()
    by_hand = [float((p["difference"] * p["count"]).sum() / 200) for p in parts]
    assert found["value"].to_list() == pytest.approx(by_hand)


def test_exact_shares_hold_every_value_of_both_sides() -> None:
    played = pl.DataFrame({"score": [1, 4], "count": [30, 10]})
    beside = analysis.exact_shares(played, np.array([0.1, 0.6, 0.3]))
    assert beside["score"].to_list() == [0, 1, 2, 3, 4]
    assert beside["value"].to_list() == pytest.approx([0, 0.75, 0, 0, 0.25])
    assert beside["exact"].to_list() == pytest.approx([0.1, 0.6, 0.3, 0, 0])
    assert (beside["low"] <= beside["value"]).all()
    assert (beside["value"] <= beside["high"]).all()
