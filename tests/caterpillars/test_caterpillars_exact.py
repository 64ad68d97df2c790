"""Exact values against plain recursion in exact fractions, and against the simulation."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from sim.engine.simulate import play_rows
from sim.errors import InputError, RulesError
from sim.games import get
from sim.games.caterpillars import CaterpillarsRules, outcomes
from sim.games.caterpillars.exact.candidates import rolls, ways
from sim.games.caterpillars.exact.played import solve_policy
from sim.games.caterpillars.exact.solution import solve_sheet

LEVELS = ("beginner", "intermediate", "advanced", "expert")


def end(totals, final):
    low, mid, high = sorted(totals)
    return {"median": mid, "lowest": low, "highest": high, "total": low + mid + high}[final]


def recursion(rules: CaterpillarsRules, labels, utility=Fraction) -> Fraction:
    """Optimal value of the empty sheet by the definition."""
    _, value = plain_play(rules, labels, utility)
    return value((False,) * (3 * rules.boxes), (0, 0, 0))


def plain_play(rules: CaterpillarsRules, labels, utility=Fraction):
    """What may follow a roll, and the optimal value of a position by the definition: expectation over every roll,
    maximum over the kernel's own outcomes.
    """
    weights = rolls(rules)
    total = sum(weights.values())
    n = rules.boxes

    @cache
    def options(filled: tuple[bool, ...], dice: tuple[int, ...]):
        return outcomes(rules, labels, filled, (0, 0, 0), dice)

    def after(filled, totals, dice):
        for _, _, box, score in options(filled, dice):
            yield (
                tuple(f or b == box for b, f in enumerate(filled)),
                tuple(t + (score if box // n == c else 0) for c, t in enumerate(totals)),
            )

    @cache
    def value(filled: tuple[bool, ...], totals: tuple[int, ...]) -> Fraction:
        if all(filled):
            return utility(end(totals, rules.final))
        out = Fraction(0)
        for (dice, _), weight in weights.items():
            out += weight * max(value(*then) for then in after(filled, totals, dice))
        return out / total

    return after, value


def plain_pmf(rules: CaterpillarsRules, labels) -> dict[int, float]:
    """Distribution of the end total when of equally good outcomes the first is taken."""
    after, value = plain_play(rules, labels)
    now = {((False,) * rules.rounds, (0, 0, 0)): 1.0}
    weights = rolls(rules)
    for _ in range(rules.rounds):
        then: dict[tuple, float] = {}
        for position, chance in now.items():
            for (dice, _), weight in weights.items():
                best = max(after(*position, dice), key=lambda x: value(*x))  # the first of the largest
                then[best] = then.get(best, 0.0) + chance * weight / sum(weights.values())
        now = then
    pmf: dict[int, float] = {}
    for (_, totals), chance in now.items():
        pmf[end(totals, rules.final)] = pmf.get(end(totals, rules.final), 0.0) + chance
    return pmf


@pytest.mark.parametrize(
    ("level", "boxes", "labels", "zero_rule", "final", "extra"),
    [
        ("beginner", 1, [1, 3, 6], "forced", "median", {}),
        ("beginner", 1, [1, 3, 6], "split", "highest", {}),
        ("intermediate", 1, [4, 9, 6], "forced", "median", {}),
        ("intermediate", 1, [4, 9, 6], "split", "lowest", {}),
        ("intermediate", 1, [3, 3, 7], "forced", "total", {"idle_dice": True}),
        ("intermediate", 1, [3, 3, 7], "split", "median", {"idle_dice": True}),
        pytest.param("beginner", 2, [1, 1, 3, 4, 6, 2], "forced", "median", {}, id="two boxes"),
        pytest.param("beginner", 2, [1, 1, 3, 4, 6, 2], "split", "median", {}, marks=pytest.mark.deep),
        pytest.param("beginner", 2, [1, 1, 3, 4, 6, 2], "forced", "lowest", {}, marks=pytest.mark.deep),
        pytest.param("beginner", 2, [5, 1, 3, 3, 6, 2], "split", "total", {}, marks=pytest.mark.deep),
    ],
)
def test_values_are_those_of_plain_recursion(level, boxes, labels, zero_rule, final, extra) -> None:
    rules = CaterpillarsRules.parse(
        {"level": level, "boxes": boxes, "sheet": [1] * (3 * boxes), "final": final, "zero_rule": zero_rule, **extra}
    )
    solution = solve_sheet(rules, labels)
    exact = recursion(rules, labels)
    assert abs(solution.value - float(exact)) < 1e-12
    assert abs(solution.pmf.sum() - 1) < 1e-12
    assert abs((solution.pmf * np.arange(solution.pmf.size)).sum() - solution.value) < 1e-12


@pytest.mark.parametrize(
    ("rules", "labels"),
    [
        ({"level": "intermediate", "boxes": 1, "zero_rule": "split", "idle_dice": True}, [3, 3, 7]),
        ({"level": "intermediate", "boxes": 1}, [6, 5, 4]),
        ({"boxes": 2}, [1, 1, 3, 4, 6, 2]),
        pytest.param({"boxes": 2, "zero_rule": "split"}, [5, 1, 3, 3, 6, 2], marks=pytest.mark.deep),
    ],
)
def test_distribution_is_that_of_plain_play(rules, labels) -> None:
    """Up to six candidates a roll, ties among them."""
    parsed = CaterpillarsRules.parse({**rules, "sheet": [1] * len(labels)})
    wanted = plain_pmf(parsed, labels)
    pmf = solve_sheet(parsed, labels).pmf
    assert np.abs(pmf - [wanted.get(total, 0.0) for total in range(pmf.size)]).max() < 1e-12


def test_distribution_is_the_same_bits_for_any_number_of_workers() -> None:
    rules = {"level": "intermediate", "boxes": 3, "sheet": [1] * 9}
    one, two, five = (solve_sheet(rules, [1, 6, 3, 4, 2, 5, 1, 2, 9], workers=w).pmf for w in (1, 2, 5))
    assert one.tobytes() == two.tobytes() == five.tobytes()
    assert abs(one.sum() - 1) < 1e-12


def test_own_candidates_agree_with_the_kernels_outcomes() -> None:
    """3,000 random positions over every parameter."""
    rng = random.Random(5)
    for _ in range(3000):
        level = rng.choice(LEVELS)
        rules = CaterpillarsRules.parse(
            {
                "level": level,
                "zero_rule": "forced",
                "idle_dice": rng.random() < 0.3,
                "bonus_ban": rng.choice(["same_box", "any"]),
                "double_optional": rng.random() < 0.5,
                "double_stores": rng.choice(["doubled", "face", "barred"]),
                "bonus_source": rng.choice(["regular", "any"]),
            }
        )
        labels = [rng.randint(1, 12) for _ in range(12)]
        filled = [rng.random() < 0.6 for _ in range(12)]
        bonus = tuple(rng.choice([0, 0, 1, 4, 6, 12]) if rules.has_bonus else 0 for _ in range(3))
        dice = tuple(rng.randint(1, 6) for _ in range(rules.dice))
        face = rng.choice(["A", "B", "C", "2x", "10", "butterfly"]) if rules.has_action else None
        empty = [b for b in range(12) if not filled[b]]
        expected = set()
        for (box_k, value), way in ways(rules, dice, face, bonus).items():
            entries = {(b, s) for b in empty for label, s in way.entries if label == labels[b]}
            if way.butterfly:
                entries |= {(b, way.butterfly) for b in empty}
            expected |= {(box_k, value, b, s) for b, s in entries or {(b, 0) for b in empty}}
        assert outcomes(rules, labels, filled, bonus, dice, face) == sorted(expected)


def test_best_ranks_all_outcomes_and_its_first_is_the_value() -> None:
    rules = CaterpillarsRules.parse({"level": "beginner"})
    labels = [1, 6, 3, 4, 2, 5, 1, 2, 1, 6, 5, 3]
    solution = solve_sheet(rules, labels)
    empty, none = [False] * 12, [0, 0, 0]
    mean = 0.0
    for (dice, _), weight in rolls(rules).items():
        ranked = solution.best(filled=empty, totals=none, dice=dice)
        assert sorted(o for o, _ in ranked) == outcomes(rules, labels, empty, none, dice)
        assert all(a >= b - 1e-9 for (_, a), (_, b) in pairwise(ranked))
        mean += weight * ranked[0][1] / 36
    assert abs(mean - solution.value) < 1e-9


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: solve_policy("expert", [1] * 12, "greedy"), "a whole sheet with boxes = 1, or a later position"),
        (lambda: solve_sheet("beginner", [1] * 11), "12 whole numbers from 1 to 12"),
        (lambda: solve_sheet("beginner", [0] * 12), "1 to 12"),
    ],
)
def test_wrong_calls_get_one_line(call, words) -> None:
    with pytest.raises((InputError, RulesError), match=words):
        call()


@pytest.mark.parametrize(
    ("filled", "totals", "words"),
    [
        ([1, 0, 1, 0, 0, 0], [0, 0, 7], "totals[2] = 7 is not accepted; accepted: 0 to 0 with the boxes filled"),
        ([0] * 6, [-1, 0, 0], "totals = [-1, 0, 0] is not accepted"),
        ([0] * 6, [99, 0, 0], "totals = [99, 0, 0] is not accepted"),
        ([0] * 5, [0, 0, 0], "filled = [0, 0, 0, 0, 0] is not accepted; accepted: 6 whole numbers from 0 to 1"),
        (np.zeros((6, 2), bool), [0, 0, 0], "accepted: 6 whole numbers from 0 to 1"),
    ],
)
def test_an_impossible_position_has_neither_value_nor_best_outcome(filled, totals, words) -> None:
    solution = solve_sheet({"boxes": 2}, [1, 6, 3, 4, 2, 5])
    for ask in (
        lambda: solution.state_value(filled, totals),
        lambda: solution.best(filled=filled, totals=totals, dice=(1, 2)),
    ):
        with pytest.raises(InputError) as caught:
            ask()
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)


def test_bonus_boxes_that_are_no_numbers_are_refused() -> None:
    solution = solve_sheet({"boxes": 1}, [1, 3, 6])
    with pytest.raises(InputError, match=r"^bonus = None is not accepted; accepted: 3 whole numbers"):
        solution.best(filled=[0] * 3, totals=[0] * 3, dice=(1, 2), bonus=None)


def test_truth_values_of_numpy_are_taken() -> None:
    solution = solve_sheet({"boxes": 2}, [1, 6, 3, 4, 2, 5])
    filled = np.array([True, False, False, False, False, False])
    plain = [1, 0, 0, 0, 0, 0]
    assert solution.state_value(filled, (1, 0, 0)) == solution.state_value(plain, (1, 0, 0))
    ask = {"totals": (1, 0, 0), "dice": (3, 4)}
    assert solution.best(filled=filled, **ask) == solution.best(filled=plain, **ask)


@pytest.mark.parametrize("level", ["beginner", "intermediate"])
@pytest.mark.parametrize("policy", ["random", "greedy(slip=0.4)", "child(slip=0.3)", "planner", "weighted"])
def test_a_policys_exact_distribution_agrees_with_its_simulation(level, policy) -> None:
    """Two boxes a caterpillar; 100,000 games; each of the 20 checks (z of the mean, chi-square) fails by
    chance once in 10^5.
    """
    labels = [1, 5, 3, 3, 2, 6]
    rules = {"level": level, "boxes": 2, "sheet": labels}
    solution = solve_policy(rules, labels, policy)
    assert abs(solution.pmf.sum() - 1) < 1e-12
    scenario = get("caterpillars").scenario(rules, [policy])
    games = 100_000
    score = play_rows(scenario.game.compile(scenario.rules, scenario.policies), 99, 0, games)[0]
    sd = score.std(ddof=1)
    assert abs(score.mean() - solution.value) / (sd / games**0.5) < 4.4
    counts = np.bincount(score, minlength=solution.pmf.size)
    expected = solution.pmf * games
    assert counts[expected < 1e-9].sum() == 0
    common = expected >= 5
    observed = np.append(counts[common], counts[~common].sum())
    wanted = np.append(expected[common], max(expected[~common].sum(), 1e-9))
    keep = wanted > 1e-6
    assert stats.chisquare(observed[keep], wanted[keep] * observed[keep].sum() / wanted[keep].sum()).pvalue > 1e-5


def test_no_policy_beats_optimal_play() -> None:
    labels = [1, 6, 3, 2, 5, 2, 1, 6, 3]
    rules = {"boxes": 3, "sheet": labels}
    best = solve_sheet(rules, labels).value
    for policy in ("random", "greedy", "child", "planner", "weighted"):
        assert solve_policy(rules, labels, policy).value <= best + 1e-9
