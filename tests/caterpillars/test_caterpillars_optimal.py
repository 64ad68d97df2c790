"""The policy `optimal`: the kernel plays what the exact solution says, move by move and in distribution."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy import stats

import sim
from sim.engine.simulate import play_rows
from sim.errors import PolicyError
from sim.games import get
from sim.games.caterpillars.exact import pmf
from sim.games.caterpillars.exact.solution import solve_sheet
from sim.games.caterpillars.kernel import CaterpillarsPlayable
from sim.games.caterpillars.policies import TIE

GAME = get("caterpillars")
SHEET = [1, 6, 3, 4, 2, 5, 1, 2, 1, 6, 5, 3]
#: fully labelled sheets: equal labels on one caterpillar, labels nobody rolls, every zero rule and final
SHEETS = [
    {"sheet": SHEET},
    {"boxes": 2, "sheet": [3, 3, 3, 3, 5, 1], "zero_rule": "split"},
    {"boxes": 3, "sheet": [2, 4, 2, 6, 6, 6, 1, 5, 1], "final": "highest"},
    {"boxes": 2, "level": "intermediate", "sheet": [7, 3, 9, 12, 5, 5], "final": "lowest", "idle_dice": True},
    {"boxes": 3, "level": "intermediate", "sheet": [7, 3, 7, 8, 2, 5, 5, 5, 12], "zero_rule": "split"},
    {"boxes": 1, "level": "intermediate", "sheet": [4, 11, 6], "final": "total"},
]


def rows(rules, policies, seed=7, games=200_000):
    scenario = GAME.scenario(rules, policies)
    return play_rows(GAME.compile(scenario.rules, scenario.policies), seed, 0, games)


@pytest.mark.parametrize("rules", SHEETS, ids=str)
def test_every_move_is_the_best_one(rules) -> None:
    """Along 20 games, every outcome taken is the first of the exact ranking: ties in sorted order too."""
    scenario = GAME.scenario(rules, ["optimal"])
    solved = solve_sheet(scenario.rules, scenario.rules.printed)
    n = scenario.rules.boxes
    tied = 0
    for index in range(20):
        told = sim.trace("caterpillars", rules=rules, policies=["optimal"], seed=5, game_index=index)
        filled, totals = [False] * 3 * n, [0, 0, 0]
        for roll, outcome in zip(told["rolls"], told["seats"][0]["outcomes"], strict=True):
            ranked = solved.best(filled=filled, totals=totals, dice=roll["dice"])
            assert tuple(outcome) == ranked[0][0]
            tied += len(ranked) > 1 and ranked[0][1] - ranked[1][1] < TIE
            filled[outcome[2]] = True
            totals[outcome[2] // n] += outcome[3]
    assert tied > 20 or rules.get("final") == "total"  # it is not only the clear cases that agree


@pytest.mark.parametrize("rules", SHEETS, ids=str)
def test_games_in_step_are_those_played_one_by_one(rules) -> None:
    """A lone player's games are played four at a time, with company or with slips one at a time."""

    def play(policies, first, games):
        scenario = GAME.scenario(rules, policies)
        return play_rows(GAME.compile(scenario.rules, scenario.policies), 3, first, games)

    for first, games in ((0, 403), (17, 1), (2**40, 6)):
        alone = play(["optimal"], first, games)
        company = play(["optimal", "random"], first, games)[:, ::2]
        assert np.array_equal(alone[:10], company[:10])  # all but the win
        assert (alone[10] == 1).all()
    assert (play(["optimal(slip=1)"], 0, 403)[0] != play(["optimal"], 0, 403)[0]).any()


def test_equals_are_those_of_the_exact_solution() -> None:
    assert TIE == pmf.TIE


@pytest.mark.parametrize("rules", SHEETS, ids=str)
def test_the_simulated_mean_is_the_exact_value(rules) -> None:
    """Exact standard deviation, limit 4.9 standard errors: a false alarm once in a million for each sheet."""
    solved = solve_sheet(GAME.rules_type.parse(rules), rules["sheet"])
    totals = np.arange(solved.pmf.size)
    sd = float(((totals - solved.value) ** 2 @ solved.pmf) ** 0.5)
    score = rows(rules, ["optimal"])[0]
    assert abs(score.mean() - solved.value) < 4.9 * sd / len(score) ** 0.5


@pytest.mark.deep
@pytest.mark.parametrize("rules", [*SHEETS, {"level": "intermediate", "sheet": SHEET}], ids=str)
def test_the_simulated_distribution_is_the_exact_one(rules) -> None:
    """Pearson's chi-square on 2 million games, cells with an expectation below 20 merged into a neighbour.

    p above 1e-5 on each of seven sheets: a false alarm less than once in ten thousand runs.
    """
    games = 2_000_000
    solved = solve_sheet(GAME.rules_type.parse(rules), rules["sheet"])
    seen = np.bincount(rows(rules, ["optimal"], seed=11, games=games)[0], minlength=solved.pmf.size)
    cells: list[list[float]] = [[0.0, 0.0]]
    for observed, expected in zip(seen, solved.pmf * games, strict=True):
        if cells[-1][1] >= 20:
            cells.append([0.0, 0.0])
        cells[-1][0] += observed
        cells[-1][1] += expected
    if cells[-1][1] < 20 and len(cells) > 1:
        last = cells.pop()
        cells[-1] = [cells[-1][0] + last[0], cells[-1][1] + last[1]]
    observed, expected = np.array(cells).T
    assert len(cells) > 3
    assert stats.chisquare(observed, expected * observed.sum() / expected.sum()).pvalue > 1e-5


@pytest.mark.parametrize("rules", SHEETS[1:], ids=str)
def test_the_table_holds_the_value_of_every_position(rules) -> None:
    """Looked up by empty boxes and totals, also where a higher one of two equal boxes was filled first."""
    parsed = GAME.rules_type.parse(rules)
    solved = solve_sheet(parsed, parsed.printed)
    values, place, length, node = solved.kernel_table()
    n = parsed.boxes
    draw = random.Random(3)
    for _ in range(300):
        filled = [draw.random() < 0.5 for _ in range(3 * n)]
        totals = [draw.randint(0, parsed.max_entry * sum(filled[c * n : (c + 1) * n])) for c in range(3)]
        a, b, c = (node[k, sum(1 << i for i in range(n) if not filled[k * n + i])] for k in range(3))
        at = place[a, b, c] + (totals[0] * length[1, b] + totals[1]) * length[2, c] + totals[2]
        assert values[at] == solved.state_value(filled, totals)


def test_seats_with_and_without_a_table_play_side_by_side() -> None:
    """Nobody plays differently because another seat reads a table; `optimal` is the better player on average."""
    rules = {"sheet": SHEET}
    mixed = rows(rules, ["optimal", "greedy", "planner"], games=20_000).reshape(-1, 20_000, 3)
    for seat, policy in enumerate(["optimal", "greedy", "planner"]):
        alone = rows(rules, [policy] * 3, games=20_000).reshape(-1, 20_000, 3)
        assert (mixed[:-1, :, seat] == alone[:-1, :, seat]).all()  # all but who won
    # standard error of the paired differences below 0.03 points: margins of 0.3 are ten of them
    score = mixed[0].mean(axis=0)
    assert score[0] > score[2] + 0.3
    assert score[2] > score[1] + 0.3


WRONG = [
    ({}, "policy optimal was given for a sheet with 6 blanks, 1 6 0 0 2 5 0 0 1 6 0 0; accepted: sheet = 12 labels"),
    ({"boxes": 3}, "for a sheet with 3 blanks, 1 6 0 2 5 0 1 6 0; accepted: sheet = 9 labels from 1 to 12"),
    ({"level": "advanced", "sheet": SHEET}, "at level advanced; accepted: beginner and intermediate"),
    ({"level": "expert", "boxes": 1, "sheet": [1, 2, 3]}, "at level expert; accepted: beginner and intermediate"),
]


@pytest.mark.parametrize(("rules", "words"), WRONG)
def test_a_sheet_without_a_table_is_refused_in_one_line(rules, words) -> None:
    for call in (
        lambda: sim.simulate("caterpillars", rules=rules, policies=["greedy", "optimal"], games=1, seed=1),
        lambda: sim.trace("caterpillars", rules=rules, policies=["optimal"], seed=1, game_index=0),
        lambda: GAME.compile(GAME.rules_type.parse(rules), [GAME.policies.parse("optimal")]),
    ):
        with pytest.raises(PolicyError) as caught:
            call()
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)


def test_the_kernel_is_not_run_without_its_table() -> None:
    with pytest.raises(ValueError, match="needs a book"):
        CaterpillarsPlayable(GAME.rules_type.parse({"boxes": 2}), [GAME.policies.parse("optimal")])


def test_a_sweep_skips_what_cannot_be_played_where_it_is_told_to() -> None:
    from sim.sweep.plan import plan

    file = {
        "name": "ceiling",
        "title": "How far from optimal",
        "game": "caterpillars",
        "seed": 1,
        "games": 100,
        "impossible": "skip",
        "variants": [{"grid": {"boxes": [2, 3], "level": ["beginner", "expert"]}}],
        "policies": ["optimal", "greedy"],
    }
    planned = [(cell.scenario.rules.changed(), cell.scenario.policies[0].id) for cell in plan(file).cells]
    assert [rules for rules, policy in planned if policy == "optimal"] == [{"boxes": 2}]
    assert sum(policy == "greedy" for _, policy in planned) == 4


def test_solve_takes_optimal_for_optimal_play() -> None:
    rules, labels = {"boxes": 2}, [1, 6, 2, 5, 1, 6]
    asked = sim.solve("caterpillars", rules=rules, labels=labels, policies=["optimal"])
    assert asked.value == sim.solve("caterpillars", rules=rules, labels=labels).value
    assert asked.best(filled=[False] * 6, totals=[0, 0, 0], dice=[1, 2])
