"""What there is to decide: sizes of choices, what they are worth, and sums in the head. Exact where nothing is said."""

from __future__ import annotations

from itertools import product

import polars as pl
import pytest

import sim
from sim import analysis
from sim.games.caterpillars import outcomes
from sim.games.caterpillars.sums import sums_in_head

SHEET = {"level": "intermediate", "boxes": 2, "sheet": [1, 6, 3, 2, 5, 4]}


def test_margin_and_careless_are_those_of_the_exact_answer() -> None:
    """Best minus second best, and the mean loss of all outcomes, from `sim.solve`'s list in the same positions."""
    games = 20
    frame = sim.rounds("caterpillars", rules=SHEET, policies=["weighted"], games=games, seed=5, regret=True)
    solved = sim.solve("caterpillars", rules=SHEET, labels=SHEET["sheet"])
    for k in range(games):
        trace = sim.trace("caterpillars", rules=SHEET, policies=["weighted"], seed=5, game_index=k)
        filled, totals = [False] * 6, [0, 0, 0]
        rows = frame.filter(pl.col("game") == k).to_dicts()
        for row, roll, move in zip(rows, trace["rolls"], trace["seats"][0]["outcomes"], strict=True):
            ranked = solved.best(filled=filled, totals=totals, dice=roll["dice"])
            values = [value for _, value in ranked]
            margin = values[0] - values[1] if len(values) > 1 else 0.0
            assert row["options"] == len(values)
            assert row["margin"] == pytest.approx(margin, abs=1e-9)
            assert row["careless"] == pytest.approx(values[0] - sum(values) / len(values), abs=1e-9)
            assert row["no_entry"] == all(outcome[3] == 0 for outcome, _ in ranked)
            filled[move[2]] = True
            totals[move[2] // 2] += move[3]


def test_rounds_without_an_entry_are_those_with_zeros_alone() -> None:
    rules = {"level": "expert", "zero_rule": "split"}
    frame = sim.rounds("caterpillars", rules=rules, policies=["greedy"], games=30, seed=2)
    seen = set()
    for k in range(30):
        seat = (trace := sim.trace("caterpillars", rules=rules, policies=["greedy"], seed=2, game_index=k))["seats"][0]
        filled, bonus = [False] * 12, [0, 0, 0]
        rows = frame.filter(pl.col("game") == k).to_dicts()
        for row, roll, move in zip(rows, trace["rolls"], seat["outcomes"], strict=True):
            legal = outcomes(rules, seat["labels"], filled, bonus, roll["dice"], roll["face"])
            assert row["no_entry"] == (max(score for *_, score in legal) == 0)
            seen.add((row["no_entry"], row["zero"]))
            filled[move[2]] = True
            if move[0] >= 0:
                bonus[move[0]] = move[1]
    assert (True, True) in seen
    assert (True, False) not in seen


def test_decisions_of_a_game_add_up() -> None:
    frame = sim.rounds("caterpillars", rules=SHEET, policies=["random", "weighted"], games=300, seed=9, regret=True)
    found = {(r["seat"], r["measure"]): r for r in analysis.decisions(frame, keys=["seat"]).iter_rows(named=True)}
    for seat in (0, 1):
        own = frame.filter(pl.col("seat") == seat)
        assert found[seat, "options"]["value"] == pytest.approx(own["options"].mean())
        assert found[seat, "forced"]["value"] == pytest.approx((own["options"] == 1).mean())
        assert found[seat, "matters"]["value"] == pytest.approx((own["margin"] > 0.1).mean())
        assert found[seat, "regret"]["value"] == pytest.approx(own["regret"].sum() / 300)
        assert found[seat, "random"]["value"] == pytest.approx(own["careless"].sum() / 300)
        assert found[seat, "regret"]["n"] == 300
    # a player who picks at random loses what a choice at random loses: means of the same thing, |z| < 4.1, 4e-5
    lost = found[0, "regret"], found[0, "random"]
    error = sum(((e["high"] - e["low"]) / 3.92) ** 2 for e in lost) ** 0.5
    assert abs(lost[0]["value"] - lost[1]["value"]) < 4.1 * error
    assert found[1, "regret"]["high"] < found[1, "random"]["low"]
    assert "matters" not in analysis.decisions(frame.drop("margin"))["measure"].to_list()


def test_sums_in_the_head() -> None:
    assert sums_in_head("beginner").mean == 0
    pairs = [len({tuple(sorted(p)) for p in ((a, b), (a, c), (b, c))}) for a, b, c in product(range(1, 7), repeat=3)]
    found = sums_in_head("intermediate")
    assert found.mean == pytest.approx(sum(pairs) / 216)
    assert (found.most, found.largest) == (3, 12)
    empty, full = sums_in_head("expert"), sums_in_head("expert", (5, 5, 5))
    assert found.mean < empty.mean < full.mean
    assert full.largest == 22  # ten and two sixes
