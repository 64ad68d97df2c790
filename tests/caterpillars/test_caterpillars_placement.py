"""Placement `optimal`: the kernel writes labels where the exact values of all labellings want them."""

from __future__ import annotations

from functools import cache
from itertools import permutations

import numpy as np
import pytest

import sim
from sim.engine.simulate import play_rows
from sim.errors import PolicyError
from sim.games import get
from sim.games.caterpillars.exact import pmf
from sim.games.caterpillars.exact.solution import solve_sheet
from sim.games.caterpillars.exact.whole import solve_whole
from sim.games.caterpillars.kernel import CaterpillarsPlayable
from sim.games.caterpillars.placement import CHOICES, TIE

GAME = get("caterpillars")
#: sheets with blanks: one roll, two rolls, blanks unevenly spread, the variation
SHEETS = [
    {"boxes": 2, "sheet": [1, 0, 2, 0, 6, 0]},
    {"boxes": 2, "sheet": [0, 0, 0, 4, 6, 3], "zero_rule": "split"},
    {"boxes": 2, "sheet": [0] * 6, "final": "lowest"},
    {"boxes": 2, "level": "intermediate", "sheet": [1, 0, 0, 0, 0, 2], "setup": "variation"},
    {"boxes": 1, "level": "intermediate", "sheet": [0, 0, 5], "setup": "variation", "final": "highest"},
]


def set_ups(rules, policy, games, seed=5):
    """Rolls and labels of each game's set-up."""
    scenario = GAME.scenario(rules, [policy])
    playable = GAME.compile(scenario.rules, scenario.policies)
    from sim.games.caterpillars.trace import trace

    for index in range(games):
        told = trace(playable, seed, index)
        yield told["setup_rolls"], told["seats"][0]["labels"]


def test_equals_are_those_of_the_exact_solution() -> None:
    assert TIE == pmf.TIE


@pytest.mark.parametrize("rules", SHEETS[:2], ids=str)
def test_one_roll_against_brute_force(rules) -> None:
    """Every way to write three dice on three blanks, each resulting sheet solved by itself: none is better."""
    parsed = GAME.rules_type.parse(rules)
    blanks = [b for b, label in enumerate(parsed.printed) if label == 0]

    @cache
    def value(labels):
        return solve_sheet(parsed, labels, 1).value

    better = 0
    for (roll,), labels in set_ups(rules, "greedy(placement=optimal)", 25):
        ways = set()
        for dice in permutations(roll):
            sheet = list(parsed.printed)
            for box, die in zip(blanks, dice, strict=True):
                sheet[box] = die
            ways.add(tuple(sheet))
        best = max(map(value, ways))
        assert tuple(labels) in ways
        assert value(tuple(labels)) > best - TIE
        better += best > min(map(value, ways)) + 0.01
    assert better > 15  # it mattered where they went


@pytest.mark.parametrize("rules", SHEETS, ids=str)
def test_roll_by_roll_it_is_the_first_of_the_exact_ranking(rules) -> None:
    solved = solve_whole(rules)
    for rolls, labels in set_ups(rules, "weighted(placement=optimal)", 100):
        sheet = list(solved.rules.printed)
        for roll in rolls:
            for value, box in solved.place(sheet, roll)[0][0]:
                sheet[box] = value
        assert labels == sheet


@pytest.mark.parametrize("rules", SHEETS[1:4], ids=str)
def test_the_labels_written_are_worth_the_value_of_the_whole_game(rules) -> None:
    """The mean of the exact values of 3,000 simulated labellings.

    Limit 4.9 standard errors: one false alarm in a million for each sheet.
    """
    solved = solve_whole(rules)
    n = solved.rules.boxes
    blank = [c for c in range(3) for b in range(n) if solved.rules.printed[n * c + b] == 0]
    places = [b for b, label in enumerate(solved.rules.printed) if label == 0]
    worth = []
    for _, labels in set_ups(rules, "greedy(placement=optimal)", 3000):
        filling = [0, 0, 0]
        for c, box in zip(blank, places, strict=True):
            filling[c] = solved.placement.add[c, filling[c], labels[box]]
        worth.append(solved.placement.value[tuple(filling)])
    assert abs(np.mean(worth) - solved.value) < 4.9 * np.std(worth) / len(worth) ** 0.5 + 1e-9


@pytest.mark.parametrize("other", [choice for choice in CHOICES if choice != "optimal"])
def test_no_other_placement_writes_better_labels(other) -> None:
    """One roll, the same dice: in no game are the labels of another placement worth more, in many games less."""
    rules = SHEETS[0]
    value = {tuple(row["labels"]): row["value"] for row in solve_whole(rules).labellings.iter_rows(named=True)}
    best, own = (
        np.array([value[tuple(labels)] for _, labels in set_ups(rules, f"greedy(placement={choice})", 300)])
        for choice in ("optimal", other)
    )
    assert (own <= best + TIE).all()
    assert (own < best - TIE).mean() > 0.3


def test_other_seats_set_up_as_they_do_alone() -> None:
    rules = {"boxes": 2, "sheet": [1, 0, 2, 0, 6, 0]}
    line_up = ["greedy(placement=optimal)", "random", "planner"]
    scenario = GAME.scenario(rules, line_up)
    mixed = play_rows(GAME.compile(scenario.rules, scenario.policies), 3, 0, 2000)[0].reshape(-1, 3)
    for seat in (1, 2):
        alone = GAME.scenario(rules, ["greedy" if s != seat else line_up[seat] for s in range(3)])
        rows = play_rows(GAME.compile(alone.rules, alone.policies), 3, 0, 2000)[0].reshape(-1, 3)
        assert (mixed[:, seat] == rows[:, seat]).all()


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"level": "advanced"}, "level = advanced is not solved with its set-up; accepted: beginner, intermediate"),
        ({"level": "intermediate", "setup": "variation"}, " GB; accepted: up to memory = "),
    ],
)
def test_a_set_up_without_exact_values_is_refused_in_one_line(rules, words) -> None:
    for call in (
        lambda: sim.simulate("caterpillars", rules=rules, policies=["greedy(placement=optimal)"], games=1, seed=1),
        lambda: GAME.compile(GAME.rules_type.parse(rules), [GAME.policies.parse("child(placement=optimal)")]),
    ):
        with pytest.raises(PolicyError) as caught:
            call()
        assert str(caught.value).startswith("policy ")
        assert "(placement=optimal): " in str(caught.value)
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)


def test_without_blanks_there_is_nothing_to_place() -> None:
    """Any level: the placement is not asked, and no exact values are needed."""
    rules = {"level": "expert", "boxes": 2}
    rows = [
        play_rows(CaterpillarsPlayable(GAME.rules_type.parse(rules), [GAME.policies.parse(p)]), 1, 0, 100)
        for p in ("greedy", "greedy(placement=optimal)")
    ]
    assert (rows[0] == rows[1]).all()


def test_the_kernel_is_not_run_without_its_plan() -> None:
    with pytest.raises(ValueError, match="needs a plan"):
        CaterpillarsPlayable(GAME.rules_type(), [GAME.policies.parse("greedy(placement=optimal)")])
