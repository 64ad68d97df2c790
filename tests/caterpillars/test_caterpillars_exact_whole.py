"""The whole game with set-up: all labellings of a sheet as one family, optimal placement, against plain recursion."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations, product

import numpy as np
import pyarrow.parquet as pq
import pytest
from test_caterpillars_exact import recursion

import sim
from sim.errors import InputError, RulesError
from sim.games.caterpillars import CaterpillarsRules
from sim.games.caterpillars.exact.atlas import write_atlas
from sim.games.caterpillars.exact.candidates import rolls
from sim.games.caterpillars.exact.sheet import build, layer_sizes
from sim.games.caterpillars.exact.solution import solve_sheet
from sim.games.caterpillars.exact.whole import solve_whole
from sim.store import schema

ONE = {"boxes": 1, "sheet": [0, 0, 0]}
TWO = {"boxes": 2, "sheet": [1, 0, 2, 0, 6, 0]}
EQUAL = {"boxes": 2, "sheet": [1, 0, 1, 0, 2, 0], "zero_rule": "split"}


def whole(rules):
    return solve_whole(rules, workers=2)


def ways_to_write(rules: CaterpillarsRules, labels, roll):
    """All sheets that may come of one roll of the set-up, by the rules."""
    offers = [roll] if rules.setup == "standard" else [(roll[i], sum(roll) - roll[i]) for i in range(3)]
    for values in offers:
        for boxes in permutations([b for b, label in enumerate(labels) if label == 0], len(values)):
            after = list(labels)
            for box, value in zip(boxes, values, strict=True):
                after[box] = value
            yield tuple(after)


def plain_value(rules: CaterpillarsRules, worth):
    """Value of the whole game by the definition; `worth` gives that of a labelled sheet."""

    def value(labels):
        if 0 not in labels:
            return worth(labels)
        found = [max(map(value, ways_to_write(rules, labels, roll))) for roll in product(range(1, 7), repeat=3)]
        return sum(found) / Fraction(216)

    return value(rules.printed)


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(ONE, marks=pytest.mark.deep),
        {**ONE, "final": "highest", "zero_rule": "split"},
        pytest.param(
            {"level": "intermediate", "setup": "variation", "boxes": 1, "sheet": [0, 5, 0]}, marks=pytest.mark.deep
        ),
    ],
)
def test_value_is_that_of_plain_recursion_over_set_up_and_play(rules) -> None:
    parsed = CaterpillarsRules.parse(rules)

    @cache
    def worth(labels):
        return recursion(parsed, labels)

    def sorted_worth(labels):  # boxes = 1: the caterpillars can be exchanged
        return worth(tuple(sorted(labels)))

    assert abs(whole(rules).value - float(plain_value(parsed, sorted_worth))) < 1e-12


@pytest.mark.parametrize("rules", [TWO, EQUAL])
def test_every_labelling_has_the_value_of_its_sheet(rules) -> None:
    solution = whole(rules)
    frame = solution.labellings
    assert frame.height == (216 if rules is TWO else 126)  # 6 × 6 × 6; caterpillars 0 and 1 can be exchanged: 21 × 6
    assert abs(frame["chance"].sum() - 1) < 1e-12
    assert abs((frame["chance"] * frame["value"]).sum() - solution.value) < 1e-12
    for labels, value in frame.select("labels", "value").iter_rows():
        assert abs(solve_sheet(rules, labels).value - value) < 1e-12


def test_set_up_of_one_roll_takes_the_best_sheet() -> None:
    solution = whole(TWO)
    worth = dict(zip(map(tuple, solution.labellings["labels"]), solution.labellings["value"], strict=True))
    assert abs(solution.value - plain_value(solution.rules, worth.__getitem__)) < 1e-12


def test_set_up_of_two_rolls_looks_ahead() -> None:
    """Six blanks, two to a caterpillar, which share their printed number: only the multisets on them count."""
    rules = {"boxes": 2, "sheet": [0] * 6}
    solution = whole(rules)
    fill = dict(zip(map(tuple, solution.labellings["labels"]), solution.labellings["value"], strict=True))
    triples = {roll: sum(tuple(sorted(r)) == roll for r in product(range(1, 7), repeat=3)) for roll in (
        (a, b, c) for a in range(1, 7) for b in range(a, 7) for c in range(b, 7))}  # fmt: skip

    def after(state, roll):
        for to in product(range(3), repeat=3):
            new = [list(own) for own in state]
            for c, value in zip(to, roll, strict=True):
                new[c].append(value)
            if max(map(len, new)) <= 2:
                yield tuple(sorted(tuple(sorted(own)) for own in new))  # equal caterpillars: their order is nothing

    @cache
    def value(state):
        if all(len(own) == 2 for own in state):
            return fill[tuple(label for own in state for label in own)]
        return sum(n * max(map(value, set(after(state, roll)))) for roll, n in triples.items()) / 216

    assert abs(solution.value - value(((), (), ()))) < 1e-12
    assert solution.labellings.height == 21 * 22 * 23 // 6


def test_place_ranks_and_its_first_is_the_value() -> None:
    solution = whole(TWO)
    mean = 0.0
    for roll in product(range(1, 7), repeat=3):
        ranked = solution.place(TWO["sheet"], roll)
        assert {tuple(sorted(value for value, _ in placement)) for placement, _ in ranked} == {tuple(sorted(roll))}
        assert len(ranked) == len(set(permutations(roll)))  # one blank a caterpillar
        values = [value for _, value in ranked]
        assert all(a >= b - 1e-9 for a, b in pairwise(values))
        mean += values[0] / 216
    assert abs(mean - solution.value) < 1e-12


def test_ties_between_placements_go_to_the_first_in_sorted_order() -> None:
    ranked = whole(ONE).place([0, 0, 0], [6, 1, 3])  # three caterpillars that can be exchanged
    assert [placement for placement, _ in ranked] == sorted(placement for placement, _ in ranked)
    assert ranked[0][0] == ((1, 0), (3, 1), (6, 2))


def test_spread_and_zeros_are_those_of_optimal_play() -> None:
    rules = {**ONE, "sheet": [0, 0, 0]}
    parsed = CaterpillarsRules.parse(rules)
    for row in whole(rules).atlas.sample(3, seed=1).iter_rows(named=True):
        solution = solve_sheet(rules, row["labels"])
        points = np.arange(solution.pmf.size)
        variance = solution.pmf @ points**2 - (solution.pmf @ points) ** 2
        assert abs(row["sd"] - variance**0.5) < 1e-9

        def zeros(filled, totals, solution=solution):
            if all(filled):
                return 0.0
            out = 0.0
            for (dice, _), weight in rolls(parsed).items():
                (_, _, box, score), _ = solution.best(filled=filled, totals=totals, dice=dice)[0]
                after = [f or b == box for b, f in enumerate(filled)]
                sums = [t + (score if b == box else 0) for b, t in enumerate(totals)]
                out += weight / 36 * ((score == 0) + zeros(after, sums))
            return out

        assert abs(3 * row["zero_share"] - zeros([False] * 3, [0] * 3)) < 1e-12


def test_atlas_of_two_boxes_goes_with_the_sheets_own_distributions() -> None:
    frame = whole(EQUAL).atlas
    for row in frame.sample(20, seed=2).iter_rows(named=True):
        pmf = solve_sheet(EQUAL, row["labels"]).pmf
        points = np.arange(pmf.size)
        assert abs(row["sd"] - (pmf @ points**2 - (pmf @ points) ** 2) ** 0.5) < 1e-9


def test_distribution_of_the_whole_game_is_the_mixture_of_its_sheets() -> None:
    solution = whole(TWO)
    mixed = np.zeros(solution.pmf.size)
    for labels, chance in solution.labellings.select("labels", "chance").iter_rows():
        if chance > 0:
            mixed += chance * solve_sheet(TWO, labels).pmf
    assert np.abs(solution.pmf - mixed).max() < 1e-12
    assert abs(solution.pmf @ np.arange(mixed.size) - solution.value) < 1e-12


@pytest.mark.parametrize("ordered", [True, False])
def test_layers_are_as_large_as_foretold(ordered) -> None:
    fulls = [[[1, a, b] for a in range(1, 7) for b in range(a, 7)], [[2, 5, a] for a in range(1, 7)], [[1, 1, 6]]]
    assert build(fulls, 6, ordered).sizes == layer_sizes(fulls, 6, ordered)


def test_where_memory_is_short_only_the_value_is_solved() -> None:
    solution = solve_whole(EQUAL, memory=0.002)
    assert solution.pmf is None
    assert abs(solution.value - whole(EQUAL).value) < 1e-12
    with pytest.raises(RulesError, match="the atlas on this sheet"):
        _ = solution.atlas


def test_without_blanks_the_whole_game_is_the_sheet() -> None:
    labels = [1, 5, 3, 3, 2, 6]
    rules = {"boxes": 2, "sheet": labels}
    assert abs(sim.solve("caterpillars", rules=rules).value - solve_sheet(rules, labels).value) < 1e-12


@pytest.mark.deep
def test_the_published_game_at_beginner() -> None:
    solution = whole("beginner")
    frame = solution.labellings
    assert frame.height == 4851
    for labels, value in frame.sample(5, seed=3).select("labels", "value").iter_rows():
        assert abs(solve_sheet("beginner", labels).value - value) < 1e-11
    assert abs((frame["chance"] * frame["value"]).sum() - solution.value) < 1e-11


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: solve_whole("expert"), "accepted: beginner, intermediate, or labels"),
        (lambda: solve_whole({"level": "intermediate", "setup": "variation"}), "fewer blanks or boxes"),
        (lambda: solve_whole("beginner", memory=0.5), "takes 1.25 GB; accepted: up to memory = 0.5 GB"),
        (lambda: solve_whole("beginner", memory=True), "gigabytes, more than 0"),
        (lambda: sim.solve("caterpillars", policies=["greedy"]), "accepted: one labelled sheet"),
        (lambda: sim.solve("caterpillars", utility=[1]), "'utility'; accepted: labels, memory, workers"),
        (lambda: whole(TWO).place([1, 3, 2, 0, 6, 0], [1, 1, 1]), "accepted before a roll: 0"),
        (lambda: whole(TWO).place([2, 0, 2, 0, 6, 0], [1, 1, 1]), r"labels\[0\] = 2 is not accepted; accepted: 1"),
        (lambda: whole(TWO).place([1, 9, 2, 0, 6, 0], [1, 1, 1]), "what set-up dice can give"),
        (lambda: whole(TWO).place([1, 0, 2, 0, 6, 0], [1, 1]), "3 whole numbers from 1 to 6"),
    ],
)
def test_wrong_calls_get_one_line(call, words) -> None:
    with pytest.raises((InputError, RulesError), match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_atlas_as_a_file_says_what_it_is(tmp_path) -> None:
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for workers, path in enumerate(paths, 1):
        solution = write_atlas(path, EQUAL, workers=workers)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    table = pq.read_table(paths[0])
    assert table["labels"].to_pylist() == [" ".join(map(str, labels)) for labels in solution.atlas["labels"]]
    for name in ("value", "sd", "zero_share", "chance"):
        assert table[name].to_pylist() == solution.atlas[name].to_list()
    footer = json.loads(pq.read_metadata(paths[0]).metadata[b"sim.provenance"])
    assert CaterpillarsRules.parse(footer["rules"]) == solution.rules
    assert footer["whole_value"] == solution.value
    assert [column.name for column in schema.ANSWERS["atlas"][1]] == table.column_names
