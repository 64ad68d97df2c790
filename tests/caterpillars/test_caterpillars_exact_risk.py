"""Other objectives than the mean, exactly: chances of m points or more, and mean against risk."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from test_caterpillars_exact import recursion

import sim
from sim.errors import InputError
from sim.games.caterpillars import CaterpillarsRules
from sim.games.caterpillars.exact import thresholds
from sim.games.caterpillars.exact.frontier import frontier, policy_points
from sim.games.caterpillars.exact.solution import SheetSolution, solve_sheet
from sim.games.caterpillars.exact.values import PRODUCTS

LABELS = [1, 6, 3, 4, 2, 5, 1, 2, 1, 6, 5, 3]


def small(boxes=1, **rules):
    return CaterpillarsRules.parse({"boxes": boxes, "sheet": [1] * (3 * boxes), **rules})


@pytest.mark.parametrize(
    ("rules", "labels", "wanted"),
    [
        (small(), [1, 3, 6], range(7)),
        (small(zero_rule="split", final="highest"), [1, 3, 3], range(7)),
        (small(level="intermediate", final="total"), [4, 9, 6], (1, 5, 12, 20)),
        (small(2), [1, 1, 3, 4, 6, 2], (6,)),
    ],
)
def test_best_chances_are_those_of_plain_recursion(rules, labels, wanted) -> None:
    chances = solve_sheet(rules, labels).thresholds()
    for m in wanted:
        assert abs(chances[m] - float(recursion(rules, labels, lambda end, m=m: Fraction(end >= m)))) < 1e-12


@pytest.mark.parametrize("utility", [lambda end: Fraction(end) - Fraction(end * end, 9), lambda end: Fraction(-end)])
@pytest.mark.parametrize("zero_rule", ["forced", "split"])
def test_utilities_that_fall_are_those_of_plain_recursion(utility, zero_rule) -> None:
    """Where more points may be worth less, the lower scores of a box count too."""
    rules, labels = small(level="intermediate", zero_rule=zero_rule), [4, 9, 6]
    worth = [float(utility(end)) for end in range(rules.max_score + 1)]
    solution = SheetSolution(rules, labels, utility=worth)
    assert abs(solution.value - float(recursion(rules, labels, utility))) < 1e-12
    assert abs(solution.pmf @ worth - solution.value) < 1e-12


def test_playing_for_each_threshold_alone_is_at_least_as_good_as_playing_for_the_mean() -> None:
    solution = solve_sheet("beginner", LABELS)
    chances = solution.thresholds()
    assert chances[0] == 1
    assert (np.diff(chances) <= 1e-15).all()
    for m in range(chances.size):
        assert chances[m] >= solution.pmf[m:].sum() - 1e-12
    assert chances[1:].sum() > solution.value + 0.1


def test_thresholds_do_not_depend_on_how_many_are_solved_together(monkeypatch) -> None:
    together = solve_sheet(small(2), LABELS[:6]).thresholds()
    monkeypatch.setattr(thresholds, "ROOM", 1)
    assert (solve_sheet(small(2), LABELS[:6], workers=1).thresholds() == together).all()


def test_the_frontier_trades_mean_for_spread() -> None:
    rules, labels = small(3), [1, 6, 3, 2, 5, 2, 1, 6, 3]
    risks = (-0.5, -0.05, 0.0, 0.02, 0.03)
    frame = frontier(rules, labels, risks, at_least=(8,))
    assert frame["risk"].to_list() == list(risks)
    steady = frame.row(2, named=True)
    assert abs(steady["mean"] - solve_sheet(rules, labels).value) < 1e-12
    assert frame["mean"].max() == steady["mean"]
    second = (frame["sd"] ** 2 + frame["mean"] ** 2).to_list()
    assert second == sorted(second, reverse=True)  # the more risk is shunned, the smaller the mean square
    for row, square in zip(frame.iter_rows(named=True), second, strict=True):
        assert abs(row["objective"] - (row["mean"] - row["risk"] * square)) < 1e-10
        # no other play of the frame is better for this objective
        others = frame["mean"] - row["risk"] * (frame["sd"] ** 2 + frame["mean"] ** 2)
        assert others.max() <= row["objective"] + 1e-9
        assert row["p10"] <= row["p50"] <= row["p90"]


@pytest.mark.parametrize("risks", ["ab", "12", 0.5, None, ["x"], [float("nan")]])
def test_weights_that_are_no_finite_numbers_are_refused(risks) -> None:
    with pytest.raises(InputError, match=r"^risks? = [^\n]* accepted: finite numbers, in a list$"):
        frontier({"boxes": 1}, [1, 2, 3], risks=risks)


@pytest.mark.parametrize("one", ["greedy", {"id": "greedy"}])
def test_a_single_policy_is_a_list_of_one(one) -> None:
    rules, labels = {"level": "beginner", "boxes": 1}, [1, 3, 6]
    assert policy_points(rules, labels, one).equals(policy_points(rules, labels, ["greedy"]))


def test_a_utility_that_is_not_finite_is_told_by_its_place() -> None:
    with pytest.raises(InputError, match=r"utility\[2\] = nan is not finite; accepted: 7 finite numbers"):
        sim.solve("caterpillars", rules={"boxes": 1}, labels=[1, 2, 3], utility=[0, 1, float("nan"), 3, 4, 5, 6])


def test_policies_stand_beside_the_frontier() -> None:
    rules, labels = small(2), LABELS[:6]
    frame = policy_points(rules, labels, ["greedy", "planner"])
    assert frame["policy"].to_list() == ["greedy", "planner"]
    assert (frame["mean"] <= solve_sheet(rules, labels).value + 1e-9).all()


def test_the_error_bound_goes_with_the_utility() -> None:
    rules = small()
    assert SheetSolution(rules, [1, 3, 6], utility=[-100.0] * 7).error_bound == 3 * PRODUCTS * 2.0**-53 * 100


@pytest.mark.parametrize("utility", [[1, 2], "abc", [float("nan")] * 7])
def test_a_wrong_utility_gets_one_line(utility) -> None:
    with pytest.raises(InputError, match="7 finite numbers, for end totals 0 to 6"):
        SheetSolution(small(), [1, 3, 6], utility=utility)
