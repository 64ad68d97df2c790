"""Result tables from frames small enough to check by hand."""

from __future__ import annotations

import math

import polars as pl
import pytest

from sim import analysis, stats
from sim.analysis.frames import attach, plain
from sim.errors import InputError
from sim.games import get

#: exact counts of end totals: two levels, two policies, seat 0 alone
SCORES = {
    "a": ("beginner", "random", {3: 1, 5: 2, 7: 1}),
    "b": ("beginner", "child", {5: 2, 7: 2}),
    "c": ("intermediate", "random", {9: 2, 11: 2}),
    "d": ("intermediate", "child", {11: 1, 15: 3}),
}
DEFAULT = {
    key: value for key, value in get("caterpillars").rules_type().model_dump(mode="json").items() if key != "level"
}


def counts_frame() -> pl.DataFrame:
    rows = [
        {"scenario": name, "seat": 0, "score": score, "count": count}
        for name, (_, _, table) in SCORES.items()
        for score, count in table.items()
    ]
    return pl.DataFrame(rows)


def scenarios_frame(**changes: object) -> pl.DataFrame:
    rows = [
        {"scenario": name, "seats": 1, "factor": "", "value": "", "level": level, "seat0": policy, **DEFAULT, **changes}
        for name, (level, policy, _) in SCORES.items()
    ]
    return pl.DataFrame(rows)


def test_scenarios_with_other_rules_are_left_out():
    assert plain(scenarios_frame(), "caterpillars", free=("level",)).height == 4
    assert plain(scenarios_frame(zero_rule="split"), "caterpillars", free=("level",)).is_empty()
    assert plain(scenarios_frame(idle_dice=True), "caterpillars", free=("level",)).is_empty()
    assert plain(scenarios_frame(zero_rule="split"), "caterpillars", free=("level", "zero_rule")).height == 4


def test_an_attribute_that_scenarios_do_not_have_is_named():
    with pytest.raises(InputError, match="levle"):
        attach(counts_frame(), scenarios_frame(), ["levle"])


def test_distribution_shares_and_summary():
    distribution = analysis.score_distribution(counts_frame(), scenarios_frame())
    assert distribution.filter(pl.col("scenario") == "a")["value"].to_list() == [0.25, 0.5, 0.25]
    assert distribution["n"].unique().to_list() == [4]
    summary = analysis.score_summary(counts_frame(), scenarios_frame())
    assert dict(summary.select("scenario", "mean").iter_rows()) == {"a": 5.0, "b": 6.0, "c": 10.0, "d": 14.0}
    assert summary.filter("best")["policy"].to_list() == ["child", "child"]
    assert analysis.best_policies(summary) == {"beginner": "child", "intermediate": "child"}
    assert (summary["mean_low"] < summary["mean"]).all()
    assert summary["candidates"].unique().to_list() == [2]


def test_seat_0_of_a_group_is_taken_where_nobody_played_alone_and_counts_once():
    scenarios = scenarios_frame().with_columns(seats=pl.lit(2))
    others = counts_frame().with_columns(seat=pl.lit(1), score=pl.lit(99))
    both = pl.concat([frame.with_columns(pl.col("seat", "score").cast(pl.Int64)) for frame in (counts_frame(), others)])
    summary = analysis.score_summary(both, scenarios)
    assert summary.filter(pl.col("scenario") == "b")["mean"].item() == 6.0


def test_scores_of_other_variants_do_not_mix_in():
    scenarios = scenarios_frame().with_columns(
        zero_rule=pl.when(pl.col("scenario") == "b").then(pl.lit("split")).otherwise("zero_rule")
    )
    summary = analysis.score_summary(counts_frame(), scenarios)
    assert summary["scenario"].to_list() == ["a", "c", "d"]
    assert summary.filter("best")["policy"].to_list() == ["random", "child"]


def test_par_table():
    par = analysis.par_table(counts_frame(), scenarios_frame()).filter(pl.col("scenario") == "d")
    values = dict(par.select("measure", "value").iter_rows())
    assert (values["p5"], values["p50"], values["p95"]) == (11, 15, 15)
    assert math.isnan(values["best5"])  # four games hold no five


def test_level_balance_measures_and_verdicts():
    thresholds = {"score": 2.0, "spread": 0.5, "choice": 0.5, "chance": 0.6}
    balance = analysis.level_balance(
        counts_frame(), scenarios_frame(), thresholds, {"child": "child", "top": "best", "dice": "random"}
    )
    child = {r["measure"]: r for r in balance.filter(pl.col("view") == "child").iter_rows(named=True)}
    assert child["score"]["value"] == pytest.approx(14 - 6)
    assert child["choice"]["value"] == pytest.approx((14 - 10) - (6 - 5))
    assert child["spread"]["value"] == pytest.approx(2.0 - math.sqrt(4 / 3))
    assert child["chance"]["value"] == 1.0
    assert child["chance"]["verdict"] == "inside"
    assert child["choice"]["verdict"] == "not yet known"  # four games know little
    assert balance.filter(pl.col("view") == "top")["value"].to_list() == [child[m]["value"] for m in child]
    with pytest.raises(InputError, match="planner was not played"):
        analysis.level_balance(counts_frame(), scenarios_frame(), thresholds, {"x": "planner"})


def differences_frame() -> pl.DataFrame:
    common = {"scenario": "b", "seat": 0, "of": "score"}
    rows = [
        {**common, "pair": "this − base", "against": "a", "difference": -1.0, "count": 2},
        {**common, "pair": "this − base", "against": "a", "difference": 0.0, "count": 5},
        {**common, "pair": "this − base", "against": "a", "difference": 2.0, "count": 3},
        {**common, "pair": "seat 0 − seat 1", "against": "", "difference": 50.0, "count": 9},
        {**common, "of": "zeros", "pair": "this − base", "against": "a", "difference": 7.0, "count": 9},
    ]
    return pl.DataFrame(rows)


def test_paired_changes_compare_scenarios_only_and_one_column():
    change = analysis.paired_changes(differences_frame(), scenarios_frame())
    assert change.height == 1
    row = change.row(0, named=True)
    assert (row["value"], row["n"], row["better"], row["same"], row["worse"]) == (pytest.approx(0.4), 10, 0.3, 0.5, 0.2)
    assert row["verdict"] == "not yet known"
    wide = analysis.paired_changes(differences_frame(), scenarios_frame(), smallest=5.0)
    assert wide["verdict"].item() == "inside"
    counted = analysis.difference_counts(differences_frame(), scenarios_frame())
    assert counted["n"].unique().to_list() == [10]


def test_policy_gains_on_the_same_dice():
    gains = analysis.policy_gains(differences_frame(), scenarios_frame())
    row = gains.row(0, named=True)
    assert (row["policy"], row["opponent"], row["level"]) == ("child", "random", "beginner")
    assert row["beats"] == pytest.approx(0.3 + 0.25)
    assert row["games"] == pytest.approx(stats.games_to_tell(0.4, row["sd"]))


def race(**tables: dict[tuple[int, int], int]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Counts of a two-player race: {scenario: {(turns, winner): games}}, winner −1 for a capped game."""
    rows = [
        {
            "scenario": name,
            "seat": seat,
            "turns": turns,
            "win": float(winner == seat),
            "start_fruit": seat,
            "count": games,
        }
        for name, table in tables.items()
        for (turns, winner), games in table.items()
        for seat in (0, 1)
    ]
    alike = {
        "variant": "default",
        "seats": 2,
        "line_up": "match ×2",
        "seat0": "match",
        "seat1": "match",
        "max_turns": 50,
    }
    scenarios = pl.DataFrame([{"scenario": name, **alike} for name in tables])
    return pl.DataFrame(rows), scenarios


def test_length_counts_every_game_once_and_capped_games_as_longer():
    counts, scenarios = race(x={(10, 0): 6, (20, 1): 3, (50, -1): 1})
    length = analysis.game_length(counts, scenarios, seconds_per_turn=30)
    by = {r["measure"]: r for r in length.iter_rows(named=True)}
    assert by["p50"]["value"] == 10
    assert (by["p50"]["rounds"], by["p50"]["minutes"]) == (5, 5)
    assert by["p99"]["value"] == math.inf
    assert (by["p50"]["n"], by["p50"]["capped"], by["longest"]["value"]) == (10, 1, 20)
    assert by["mean"]["value"] == pytest.approx((60 + 60) / 9)
    curve = analysis.survival_curves(counts, scenarios)
    assert dict(curve.select("turns", "value").iter_rows()) == {0: 1.0, 10: 0.4, 20: 0.1}
    bed = analysis.bedtime(counts, scenarios, seconds_per_turn=30, minutes=[4, 5, 10])
    assert bed["value"].to_list() == [0.0, 0.6, 0.9]
    assert bed["turns"].to_list() == [8, 10, 20]


def test_seat_shares_against_the_fair_share():
    counts, scenarios = race(x={(10, 0): 600, (20, 1): 400})
    shares = analysis.seat_shares(counts, scenarios, band=0.02)
    assert shares["value"].to_list() == [0.6, 0.4]
    assert shares["verdict"].to_list() == ["outside", "outside"]
    assert shares["mirror"].all()
    assert shares["chi_square"][0] == pytest.approx(40.0)
    near = analysis.seat_shares(*race(x={(10, 0): 505, (20, 1): 495}), band=0.02)
    assert near["verdict"].to_list() == ["not yet known"] * 2
    tails = analysis.shares_by(counts, scenarios, "start_fruit")
    assert dict(tails.select("start_fruit", "value").iter_rows()) == {0: 0.6, 1: 0.4}


def cards() -> tuple[pl.DataFrame, pl.DataFrame]:
    """A card game: `hoarder` with two thresholds against `greedy` in both seats; draws count half."""
    line_ups = {
        "p": ("hoarder(threshold=2)", "greedy", [(1.0, 30), (0.5, 20), (0.0, 50)]),
        "q": ("greedy", "hoarder(threshold=2)", [(1.0, 60), (0.0, 40)]),
        "r": ("hoarder(threshold=9)", "greedy", [(1.0, 70), (0.0, 30)]),
        "s": ("greedy", "greedy", [(1.0, 45), (0.5, 10), (0.0, 45)]),
    }
    rows, scenarios = [], []
    for name, (one, two, wins) in line_ups.items():
        scenarios.append(
            {"scenario": name, "variant": "default", "seats": 2, "line_up": f"{one}, {two}", "seat0": one, "seat1": two}
            | {
                f"seat{i}.threshold": float(p.split("=")[1][:-1]) if "=" in p else None
                for i, p in enumerate((one, two))
            }
        )
        for win, games in wins:
            for seat, value in ((0, win), (1, 1 - win)):
                row = {"scenario": name, "seat": seat, "score": 10 * (1 + seat), "win": value}
                rows.append({**row, "court_short": win == 0.5, "count": games})
    return pl.DataFrame(rows), pl.DataFrame(scenarios)


def test_duels_average_both_seats():
    table = analysis.duels(*cards())
    row = table.filter(pl.col("policy") == "hoarder(threshold=2)").row(0, named=True)
    assert row["value"] == pytest.approx((0.4 + 0.4) / 2)
    assert (row["seats"], row["n"], row["draw"]) == (2, 200, pytest.approx(0.1))
    mirror = table.filter((pl.col("policy") == "greedy") & (pl.col("opponent") == "greedy"))
    assert mirror["value"].item() == 0.5


def test_hold_curve_orders_thresholds_and_leaves_the_opponent_out():
    curve = analysis.hold_curve(*cards())
    assert curve.select("threshold", "seats").rows() == [(2.0, 2), (9.0, 1)]
    assert curve["value"].to_list() == [pytest.approx(0.4), pytest.approx(0.7)]
    assert curve["score"].to_list() == [15.0, 10.0]
    with pytest.raises(InputError, match="no scenario has policy safe with caution"):
        analysis.hold_curve(*cards(), policy="safe", parameter="caution")


def test_court_short_counts_games_not_seats():
    table = analysis.court_short(*cards())
    assert dict(table.select("scenario", "value").iter_rows()) == {"p": 0.2, "q": 0.0, "r": 0.0, "s": 0.1}
    assert table["n"].unique().to_list() == [100]


def test_one_player_who_plays_differently():
    def game(name: str, line_up: list[str], wins: list[int]) -> tuple[list[dict], dict]:
        rows = []
        for seat, won in enumerate(wins):
            rows += [{"scenario": name, "seat": seat, "win": 1.0, "count": won}]
            rows += [{"scenario": name, "seat": seat, "win": 0.0, "count": 90 - won}]
        return rows, {"scenario": name, "seats": 3} | {f"seat{i}": p for i, p in enumerate(line_up)}

    alike, one = game("u", ["match"] * 3, [40, 30, 20])
    odd, two = game("v", ["match", "random", "match"], [45, 15, 30])
    table = analysis.odd_one_out(pl.DataFrame(alike + odd), pl.DataFrame([one, two]))
    row = table.row(0, named=True)
    assert (row["policy"], row["others"], row["seat"], table.height) == ("random", "match", 1, 1)
    assert row["value"] == pytest.approx(15 / 90)
    assert row["change"] == pytest.approx(-15 / 90)
    assert row["change_low"] < row["change"] < row["change_high"]


def test_tables_without_rows_keep_their_columns():
    empty = analysis.paired_changes(differences_frame().head(0), scenarios_frame())
    assert {"value", "low", "high", "n", "verdict"} <= set(empty.columns)
    assert empty.is_empty()
