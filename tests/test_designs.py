"""Designs in sweep files: what varies, in which combinations, and one clear line where a file cannot be meant."""

from __future__ import annotations

import re
import subprocess
import sys
import time
import tracemalloc
from collections import Counter
from typing import Any

import numpy as np
import pytest
import yaml
from conftest import ROOT

from sim.errors import SweepError
from sim.sweep import sampling
from sim.sweep.plan import Plan, plan

pytestmark = pytest.mark.usefixtures("toy")

BASE: dict[str, Any] = {"name": "t", "game": "toy", "seed": 7, "games": 100, "policies": ["plain"]}


def planned(**more: Any) -> Plan:
    return plan({**BASE, **more})


def variants(**entry: Any) -> list[str]:
    return [cell.variant for cell in planned(variants=[entry]).cells]


def line_ups(*policies: Any) -> list[str]:
    return [cell.line_up for cell in planned(policies=list(policies)).cells]


# ----------------------------------------------------------------------------------------------------------------------
# Rules and parameters alike


def test_zip_changes_parameters_together() -> None:
    assert variants(zip={"sides": [6, 8], "lucky": [True, False]}) == ["sides=6, lucky=true", "sides=8, lucky=false"]
    assert line_ups({"id": "add", "zip": {"more": [2, 3], "slip": [0.5, 0.25]}}) == [
        "add(more=2, slip=0.5)",
        "add(more=3, slip=0.25)",
    ]


def test_list_is_taken_as_written_and_may_give_names() -> None:
    entries = [{"name": "wide", "sides": 20}, {"sides": 8, "lucky": True}]
    assert variants(list=entries) == ["wide", "sides=8, lucky=true"]
    assert line_ups([{"id": "add", "list": [{"name": "bold", "more": 9}, {"more": 2}]}, "plain"]) == [
        "add: bold, plain",
        "add(more=2), plain",
    ]


def test_ways_side_by_side_are_multiplied() -> None:
    found = variants(list=[{"sides": 7}, {"sides": 9}], grid={"lucky": [False, True]}, zip={"nap": [0.0]})
    assert found == [f"sides={s}, nap=0, lucky={lucky}" for s in (7, 9) for lucky in ("false", "true")]


def test_exclude_leaves_out_what_matches_all_of_an_entry() -> None:
    grid = {"sides": [6, 8], "lucky": [False, True]}
    assert variants(grid=grid, exclude=[{"sides": 8, "lucky": True}]) == [
        "sides=6, lucky=false",
        "sides=6, lucky=true",
        "sides=8, lucky=false",
    ]
    assert variants(grid=grid, exclude=[{"sides": 8}]) == ["sides=6, lucky=false", "sides=6, lucky=true"]
    given = {"id": "add", "grid": {"more": [1, 2], "slip": [0, 0.5]}, "exclude": [{"more": 2, "slip": "0.50"}]}
    assert line_ups(given) == ["add", "add(slip=0.5)", "add(more=2)"]


def test_exclude_counts_defaults_and_reaches_the_changes_of_one_factor() -> None:
    assert variants(grid={"sides": [6, 8]}, one_factor={"lucky": [True]}, exclude=[{"sides": 8, "lucky": False}]) == [
        "sides=6",
        "sides=6, lucky=true",
        "sides=8, lucky=true",
    ]


def test_exclude_of_a_design_speaks_of_rules_and_seats_together() -> None:
    given = planned(
        variants=[{"grid": {"sides": [6, 8]}}],
        policies=[["plain", "plain"], [{"id": "add", "grid": {"more": [1, 2]}}, "plain"]],
        exclude=[{"rules.sides": 8, "seat0": "plain"}, {"rules.lucky": False, "seat0.more": 2}],
    )
    assert [(c.variant, c.line_up) for c in given.cells] == [
        ("sides=6", "plain ×2"),
        ("sides=6", "add, plain"),
        ("sides=8", "add, plain"),
    ]


def test_one_factor_all_is_every_parameter_that_lists_its_values() -> None:
    given = plan({**BASE, "game": "karolinchen", "policies": [["odds", "match"]], "variants": [{"one_factor": "all"}]})
    assert [(c.factor, c.value) for c in given.cells] == [
        ("", ""),
        ("opening", "own_roll"),
        ("reroll_after_eating", "true"),
        ("new_card_take", "may"),
    ]
    assert [note.split(" ")[1] for note in given.notes] == ["start_fruit", "fruits", "max_turns"]
    around = [{"rules": {"level": "expert", "zero_rule": "split"}, "one_factor": "readings"}]
    readings = plan({**BASE, "game": "caterpillars", "policies": ["greedy"], "variants": around})
    assert [(c.factor, c.value) for c in readings.cells] == [("", ""), ("zero_rule", "forced"), ("zero_rule", "strict")]


# ----------------------------------------------------------------------------------------------------------------------
# Samples


@pytest.mark.parametrize("method", sampling.METHODS)
def test_draws_are_in_their_ranges_and_reach_both_ends(method: str) -> None:
    given = planned(
        policies=[{"id": "add", "slip": 0.5, "grid": {"more": [1, 2]}}],
        sample={"n": 512, "method": method, "rules.sides": [5, 9], "rules.lucky": {"choices": [False, True]}},
    )
    sides = Counter(c.scenario.rules.model_dump()["sides"] for c in given.cells)
    assert sides == {5: 2, 6: 4, 7: 4, 8: 4, 9: 4}  # lucky has no effect below six sides
    policies = [c.scenario.policies[0].parameters() for c in given.cells]
    assert Counter(p["more"] for p in policies) == {1.0: 9, 2.0: 9}
    slips = planned(policies=[{"id": "add", "sample": {"n": 64, "method": method, "slip": [0.25, 0.75]}}]).cells
    values = [float(c.scenario.policies[0].slip) for c in slips]
    assert len(values) == 64
    assert 0.25 <= min(values) < 0.3
    assert 0.7 < max(values) <= 0.75


@pytest.mark.parametrize("method", ["lhs", "sobol"])
def test_space_filling_samples_have_one_value_in_each_slice(method: str) -> None:
    cube = sampling.points(method, 7, ["a", "b", "c"], 64)
    for axis in cube.T:
        assert sorted(np.floor(axis * 64).astype(int)) == list(range(64))
    if method == "sobol":  # and every box of 8 by 8 has one, which a Latin hypercube does not promise
        assert len({tuple(box) for box in np.floor(cube[:, :2] * 8).astype(int).tolist()}) == 64


def test_draws_are_pinned() -> None:
    """The same file gives the same scenarios on every machine and with every version of the libraries."""
    found = {m: sampling.points(m, 7, ["a", "b"], 3).round(6).tolist() for m in sampling.METHODS}
    assert found == {
        "random": [[0.661752, 0.681927], [0.970646, 0.034919], [0.084804, 0.630548]],
        "lhs": [[0.821762, 0.651264], [0.284033, 0.822347], [0.503908, 0.161331]],
        # the sequence 0, 1/2, 3/4 and 0, 1/2, 1/4, with the bits of both turned
        "sobol": [[0.240006, 0.437515], [0.740006, 0.937515], [0.990006, 0.187515]],
    }


def test_the_same_parameter_is_drawn_alike_and_another_seed_draws_others() -> None:
    block = {"n": 4, "method": "lhs", "more": [0, 10]}
    one = line_ups({"id": "add", "sample": block})
    assert one == line_ups({"id": "add", "sample": {**block, "seed": 7}})
    assert one != line_ups({"id": "add", "sample": {**block, "seed": 8}})
    assert one != [c.line_up for c in planned(policies=[{"id": "add", "sample": block}], sample_seed=8).cells]
    again = planned(policies=[{"id": "add", "sample": block}], sample_seed=7, seed=9).cells
    assert one == [c.line_up for c in again]
    alone = sampling.points("random", 7, ["a"], 9)
    assert np.array_equal(alone[:, 0], sampling.points("random", 7, ["b", "a"], 9)[:, 1])


def test_a_sample_over_rules_and_policies_together() -> None:
    given = planned(
        policies=[["add", "plain"]],
        variants=[{"name": "fair"}, {"name": "lucky", "rules": {"lucky": True}}],
        sample={"n": 8, "method": "sobol", "rules.sides": [6, 100], "seat0.more": [0, 10], "seat1.slip": [0, 1]},
        pairs=[{"against": "fair"}, {"seats": [0, 1]}],
    )
    assert len(given.cells) == 16
    assert not given.notes
    fair, lucky = given.cells[:8], given.cells[8:]
    for one, other in zip(fair, lucky, strict=True):
        assert [p.against for p in one.pairs] == [None]  # not with itself
        assert [p.against.id for p in other.pairs if p.against] == [one.id]  # the same draw under the other rules
        assert one.line_up == other.line_up
    assert len({c.scenario.rules.model_dump()["sides"] for c in fair}) == 8
    assert len({c.scenario.policies[1].slip for c in fair}) == 8


def test_a_change_of_one_factor_is_compared_with_its_base_on_the_same_draw() -> None:
    given = planned(
        variants=[{"one_factor": {"lucky": [True]}}],
        sample={"n": 4, "method": "sobol", "rules.sides": [6, 100]},
        pairs=[{"against": "base"}],
    )
    ids = {c.variant: c.id for c in given.cells}
    for cell in given.cells:
        against = [p.against.id for p in cell.pairs if p.against]
        base = cell.variant.replace("lucky=true, ", "")
        assert against == ([ids[base]] if cell.factor else [])
    assert Counter(c.factor for c in given.cells) == {"": 4, "lucky": 4}


def test_sobol_with_another_number_than_a_power_of_two_is_noted_and_equal_draws_are_kept_once() -> None:
    given = planned(variants=[{"sample": {"n": 6, "method": "sobol", "sides": [6, 7]}}])
    assert [c.variant for c in given.cells] in (["sides=6", "sides=7"], ["sides=7", "sides=6"])
    assert given.notes == [
        "sample: n = 6 is no power of two, so the Sobol points are not fully balanced",
        "sample: 6 draws of sides are 2 different ones",
    ]
    assert not planned(variants=[{"sample": {"n": 2, "method": "sobol", "sides": [2, 100]}}]).notes


def test_a_plan_without_sobol_does_not_load_scipy() -> None:
    code = (
        "import sys; from sim.sweep.plan import plan; plan({'name': 't', 'game': 'parlett', 'seed': 1, 'games': 9, "
        "'policies': [['greedy', {'id': 'safe', 'sample': {'n': 3, 'method': 'lhs', 'caution': [0, 3]}}]]}); "
        "print('scipy.stats' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "False"


# ----------------------------------------------------------------------------------------------------------------------
# Line-ups


def test_choices_per_seat_are_multiplied() -> None:
    assert line_ups([["plain", "add"], ["add(more=3)", {"id": "add", "grid": {"more": [4, 5]}}]]) == [
        f"{one}, add(more={more})" for one in ("plain", "add") for more in (3, 4, 5)
    ]


def test_all_pairs_of_a_pool() -> None:
    pool = ["plain", {"id": "add", "grid": {"more": [1, 2]}}]
    assert line_ups({"all_pairs": pool}) == ["plain, add", "plain, add(more=2)", "add, add(more=2)"]
    assert line_ups({"all_pairs": pool, "self_pairs": True})[:2] == ["plain ×2", "plain, add"]
    assert len(line_ups({"all_pairs": pool, "self_pairs": True})) == 6
    ordered = line_ups({"all_pairs": pool, "ordered": True})
    assert len(ordered) == 6
    assert {"plain, add", "add, plain"} <= set(ordered)
    assert len(line_ups({"all_pairs": pool, "ordered": True, "self_pairs": True})) == 9


# ----------------------------------------------------------------------------------------------------------------------
# Scale


def test_a_thousand_scenarios_are_planned_in_seconds() -> None:
    """About a second of CPU where this was written; 5 are the promise, 10 leave room for a slow machine."""
    start = time.process_time()
    given = planned(
        policies=[["add", "plain"]],
        variants=[{"grid": {"lucky": [False, True]}}],
        sample={"n": 512, "method": "sobol", "rules.sides": [6, 100], "seat0.slip": [0, 1]},
        pairs=[{"against": {"rules": {"lucky": False}}}],
        impossible="skip",
    )
    assert len(given.cells) > 1000
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    "huge",
    [
        {"variants": [{"grid": {"sides": list(range(2, 100)), "nap": list(range(2000))}}]},
        {"variants": [{"sample": {"n": 100_001, "sides": [2, 9]}}]},
        {"variants": [{"grid": {"sides": list(range(2, 100))}}], "sample": {"n": 2_000, "rules.nap": [0, 1]}},
        {"policies": [[[f"add(slip=0.{i:03})" for i in range(400)]] * 3]},
        {"policies": [{"all_pairs": [f"add(slip=0.{i:03})" for i in range(400)]}]},
    ],
    ids=["grid", "sample", "joint sample", "choices", "pairs"],
)
def test_more_than_can_be_planned_is_refused_at_once_and_in_little_memory(huge: dict[str, Any]) -> None:
    start = time.process_time()
    tracemalloc.start()
    try:
        with pytest.raises(SweepError, match=r"accepted: (a whole number from 1 to 100000|at most )"):
            planned(**huge)
        assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
    finally:
        tracemalloc.stop()
    assert time.process_time() - start < 10


# ----------------------------------------------------------------------------------------------------------------------
# Wrong files

ADD = {"id": "add"}
WRONG: list[tuple[dict[str, Any], str]] = [
    # keys and ids
    ({"variants": [{"zip": {"side": [1]}}]}, "unknown rule parameter of toy in zip 'side' (did you mean sides?)"),
    ({"variants": [{"list": [{"side": 1}]}]}, "unknown rule parameter of toy in list 'side'"),
    ({"variants": [{"exclude": [{"side": 1}]}]}, "unknown rule parameter of toy in exclude 'side'"),
    ({"variants": [{"one_factor": {"side": [1]}}]}, "unknown rule parameter of toy in one_factor 'side'"),
    ({"variants": [{"sample": {"n": 2, "side": [1, 2]}}]}, "unknown rule parameter of toy in sample 'side'"),
    ({"variants": [{"sampel": {}}]}, "unknown key in variants 'sampel' (did you mean sample?); accepted: name, preset"),
    ({"variants": [{"one_factor": "some"}]}, "one_factor = 'some' is not accepted; accepted: parameter: [values], all"),
    ({"policies": [ADD | {"zip": {"mor": [1]}}]}, "unknown parameter of policy add in zip 'mor'"),
    ({"policies": [ADD | {"exclude": [{"mor": 1}]}]}, "unknown parameter of policy add in exclude 'mor'"),
    ({"policies": [ADD | {"sample": {"n": 2, "mor": [1, 2]}}]}, "unknown parameter of policy add in sample 'mor'"),
    ({"policies": [{"id": "ad", "zip": {"more": [1]}}]}, "unknown policy of toy 'ad'"),
    ({"policies": [{"all_pairs": ["plain", "nobody"]}]}, "unknown policy of toy 'nobody'"),
    ({"policies": [{"all_pair": ["plain", "add"]}]}, "unknown key in policies 'all_pair' (did you mean all_pairs?)"),
    ({"policies": [[["plain", "nobody"]]]}, "unknown policy of toy 'nobody'"),
    (
        {"sample": {"n": 2, "rule.sides": [2, 3]}},
        "key in sample of a design 'rule.sides' is not accepted; accepted: ru",
    ),
    ({"sample": {"n": 2, "rules.side": [2, 3]}}, "unknown rule parameter of toy in sample 'side'"),
    ({"sample": {"n": 2, "seat0.more": [2, 3]}}, "unknown parameter of policy plain in sample 'more'"),
    ({"sample": {"n": 2, "seat1.slip": [0, 1]}}, "unknown seat in sample for plain 'seat1.slip'"),
    ({"sample": {"n": 2, "seat0": [2, 3]}}, "key in sample of a design 'seat0'"),
    ({"exclude": [{"sides": 3}]}, "key in exclude of a design 'sides' is not accepted; accepted: rules.PARAMETER"),
    ({"exclude": [{"rules.side": 3}]}, "unknown rule parameter of toy in exclude 'side'"),
    # sizes and empty lists
    (
        {"variants": [{"zip": {"sides": [6, 7], "lucky": [True]}}]},
        "zip: sides has 2, lucky has 1 values; accepted: list",
    ),
    ({"variants": [{"zip": {"sides": []}}]}, "zip: sides = [] is not accepted; accepted: a list of at least one value"),
    ({"variants": [{"list": []}]}, "list = [] is not accepted; accepted: a list of at least one mapping"),
    ({"variants": [{"list": [{}]}]}, "list: {} is not accepted; accepted: a mapping of at least one parameter"),
    ({"variants": [{"list": [{"name": 3, "sides": 6}]}]}, "list: name = 3 is not accepted; accepted: a text"),
    ({"variants": [{"exclude": []}]}, "exclude = [] is not accepted"),
    ({"variants": [{"exclude": [{}]}]}, "exclude: {} is not accepted"),
    ({"variants": [{"one_factor": {"sides": []}}]}, "one_factor: sides = [] is not accepted"),
    ({"policies": [ADD | {"zip": {"more": []}}]}, "zip: more = [] is not accepted"),
    ({"policies": [ADD | {"list": []}]}, "list = [] is not accepted"),
    ({"policies": [ADD | {"grid": 3}]}, "grid = 3 is not accepted; accepted: parameter: [values]"),
    ({"policies": [ADD | {"sample": 3}]}, "sample = 3 is not accepted; accepted: n, method and parameter: [low, high]"),
    ({"policies": [["plain", []]]}, "a seat = [] is not accepted; accepted: a policy, or a list of at least one"),
    ({"policies": [[]]}, "policies entry [] is not accepted"),
    ({"policies": [{"repeat": [], "policy": "plain"}]}, "repeat = [] is not accepted"),
    ({"policies": [{"repeat": -1, "policy": "plain"}]}, "repeat = -1 is not accepted"),
    ({"policies": [{"all_pairs": []}]}, "all_pairs of 0 policies; accepted: at least two, or self_pairs: true"),
    ({"policies": [{"all_pairs": ["plain"]}]}, "all_pairs of 1 policies; accepted: at least two, or self_pairs: true"),
    ({"policies": [{"all_pairs": ["add", "add(more=1)"]}]}, "all_pairs names add twice; accepted: each policy once"),
    ({"policies": [{"all_pairs": ["add", {"policy": "plain", "repeat": 2}]}]}, "all_pairs with repeat"),
    (
        {"policies": [{"all_pairs": ["add", "plain"], "ordered": "maybe"}]},
        "ordered = 'maybe' is not accepted; accepted: t",
    ),
    ({"policies": [{"seats": ["plain"], "ordered": True}]}, "ordered or self_pairs without all_pairs"),
    ({"policies": [{"seats": ["plain"], "all_pairs": ["add", "plain"]}]}, "accepted: one of id"),
    # what is left out
    ({"variants": [{"grid": {"sides": [6, 8]}, "exclude": [{"sides": 7}]}]}, "exclude: sides=7 matches no combination"),
    ({"policies": [ADD | {"grid": {"more": [1]}, "exclude": [{"more": 3}]}]}, "exclude: more=3 matches no combination"),
    ({"policies": [ADD | {"grid": {"more": [1]}, "exclude": [{"more": 1}]}]}, "exclude leaves nothing of policy add"),
    ({"variants": [{"grid": {"sides": [6]}, "exclude": [{"sides": 6}]}]}, "nothing to play"),
    ({"exclude": [{"rules.sides": 6, "seat0": "add"}]}, "exclude: rules.sides=6, seat0=add matches no combination"),
    ({"exclude": [{"seat1": "plain"}]}, "exclude: seat1=plain matches no combination"),
    # one parameter in two ways
    (
        {"variants": [{"grid": {"sides": [6]}, "zip": {"sides": [8]}}]},
        "sides stands in zip and in grid; accepted: one of",
    ),
    (
        {"variants": [{"list": [{"sides": 6}], "sample": {"n": 2, "sides": [2, 8]}}]},
        "sides stands in list and in sample",
    ),
    (
        {"variants": [{"rules": {"sides": 6}}], "sample": {"n": 2, "rules.sides": [2, 8]}},
        "rules.sides is sampled and giv",
    ),
    ({"policies": ["add(more=3)"], "sample": {"n": 2, "seat0.more": [2, 8]}}, "seat0.more is sampled and given"),
    # ranges
    (
        {"variants": [{"sample": {"n": 2, "sides": [9, 6]}}]},
        "sides = [9, 6] is not accepted; accepted: [low, high] with l",
    ),
    (
        {"variants": [{"sample": {"n": 2, "sides": [6, 6]}}]},
        "sides = [6, 6] is not accepted; accepted: [low, high] with l",
    ),
    (
        {"variants": [{"sample": {"n": 2, "sides": [1, 6]}}]},
        "sample: sides = [1, 6] is not accepted; accepted: [low, high] within a whole number from 2 to 100",
    ),
    (
        {"variants": [{"sample": {"n": 2, "sides": [2, 101]}}]},
        "sides = [2, 101] is not accepted; accepted: [low, high] w",
    ),
    (
        {"variants": [{"sample": {"n": 2, "sides": [2.5, 9]}}]},
        "sides = [2.5, 9] is not accepted; accepted: [low, high] of",
    ),
    (
        {"variants": [{"sample": {"n": 2, "sides": [2, 5, 9]}}]},
        "sides = [2, 5, 9] is not accepted; accepted: [low, high]",
    ),
    ({"variants": [{"sample": {"n": 2, "sides": 5}}]}, "sides = 5 is not accepted; accepted: [low, high], or {choices"),
    ({"variants": [{"sample": {"n": 2, "nap": [0, ".inf"]}}]}, "nap = [0, '.inf'] is not accepted"),
    ({"variants": [{"sample": {"n": 2, "nap": [0, float("inf")]}}]}, "nap = [0, inf] is not accepted"),
    (
        {"variants": [{"sample": {"n": 2, "sides": {"choices": []}}}]},
        "sides = {'choices': []} is not accepted; accepted: {c",
    ),
    (
        {"policies": [ADD | {"sample": {"n": 2, "more": [0, 11]}}]},
        "more = [0, 11] is not accepted; accepted: [low, high] ",
    ),
    (
        {"policies": [ADD | {"sample": {"n": 2, "slip": [-1, 1]}}]},
        "slip = [-1, 1] is not accepted; accepted: [low, high] ",
    ),
    ({"policies": ["add"], "sample": {"n": 2, "seat0.more": [0, 11]}}, "sample: seat0.more = [0, 11] is not accepted"),
    (
        {"variants": [{"sample": {"n": 2, "lucky": [0, 1]}}]},
        "lucky = [0, 1] is not accepted; accepted: {choices: [...]}, b",
    ),
    (
        {"variants": [{"sample": {"n": 2, "preset": [0, 1]}}]},
        "sample: preset is not accepted; accepted: preset in grid",
    ),
    ({"sample": {"n": 2, "rules.preset": [0, 1]}}, "sample: rules.preset is not accepted"),
    # the size and the method of a sample
    (
        {"variants": [{"sample": {"n": 0, "sides": [2, 6]}}]},
        "sample: n = 0 is not accepted; accepted: a whole number from 1",
    ),
    ({"variants": [{"sample": {"n": -4, "sides": [2, 6]}}]}, "sample: n = -4 is not accepted"),
    ({"variants": [{"sample": {"n": "few", "sides": [2, 6]}}]}, "sample: n = 'few' is not accepted"),
    ({"variants": [{"sample": {"sides": [2, 6]}}]}, "sample: the key 'n' is missing; accepted keys: n, method, seed"),
    ({"variants": [{"sample": {"n": 2}}]}, "sample names no parameter; accepted: at least one"),
    ({"sample": {}}, "sample: the key 'n' is missing"),
    ({"variants": [{"sample": {"n": 2, "method": "halton", "sides": [2, 6]}}]}, "unknown method in sample 'halton'"),
    ({"variants": [{"sample": {"n": 2, "seed": -1, "sides": [2, 6]}}]}, "sample: seed = -1 is not accepted"),
    ({"sample_seed": -1}, "sample_seed = -1 is not accepted; accepted: a whole number from 0 to"),
    ({"policies": [], "sample": {"n": 2}, "designs": [{"policies": ["plain"]}]}, "accepted: put them in a design"),
    # names of folders
    ({"name": "x" * 101}, "name has 101 letters; accepted: at most 100: it names a folder"),
    ({"name": "x" * 300}, "name has 300 letters; accepted: at most 100: it names a folder"),
    ({"name": "a b"}, "name = 'a b' is not accepted"),
    ({"name": "a/b"}, "name = 'a/b' is not accepted"),
    ({"name": "a\n"}, r"name = 'a\n' is not accepted"),
    ({"name": "a."}, "name = 'a.' is not accepted"),
    ({"name": ".a"}, "name = '.a' is not accepted"),
    ({"name": ""}, "name = '' is not accepted"),
    ({"name": "Con"}, "name = 'Con' is not accepted"),
    # kinds of values, in the house's words
    ({"name": 3}, "name = 3 is not accepted; accepted: a text"),
    ({"title": 3}, "title = 3 is not accepted; accepted: a text"),
    ({"games": True}, "games = True is not accepted; accepted: a whole number"),
    ({"games": 1.5}, "games = 1.5 is not accepted; accepted: a whole number from 1 to 9223372036854775807"),
    ({"games": "many"}, "games = 'many' is not accepted; accepted: a whole number from 1 to 9223372036854775807"),
    ({"games": [1]}, "games = [1] is not accepted; accepted: a whole number from 1 to 9223372036854775807"),
    ({"seed": 2**64}, "seed = 18446744073709551616 is not accepted; accepted: a whole number from 0 to"),
    ({"by": "score"}, "by = 'score' is not accepted; accepted: a list"),
    ({"by": [3]}, "by.0 = 3 is not accepted; accepted: a text"),
    ({"variants": 3}, "variants = 3 is not accepted; accepted: a list"),
    ({"variants": [3]}, "variants.0 = 3 is not accepted; accepted: a mapping"),
    ({"variants": [{"rules": 3}]}, "variants.0.rules = 3 is not accepted; accepted: a mapping"),
    ({"variants": [{"grid": {"sides": 3}}]}, "variants.0.grid.sides = 3 is not accepted; accepted: a list"),
    ({"variants": [{"grid": {3: [3]}}]}, "key 3 in grid is not accepted; accepted: a name"),
    ({"variants": [{"zip": 3}]}, "variants.0.zip = 3 is not accepted; accepted: a mapping"),
    ({"variants": [{"list": 3}]}, "variants.0.list = 3 is not accepted; accepted: a list"),
    ({"variants": [{"games": 0}]}, "variants.0.games = 0 is not accepted; accepted: a whole number of at least 1"),
    ({"sample": 3}, "sample = 3 is not accepted; accepted: a mapping"),
    ({"exclude": 3}, "exclude = 3 is not accepted; accepted: a list"),
    ({"pairs": [{"of": 3}]}, "pairs.0.of = 3 is not accepted; accepted: a text or a list of texts"),
    ({"pairs": [{"of": [3]}]}, "pairs.0.of = [3] is not accepted; accepted: a text or a list of texts"),
    ({"pairs": [{"seats": ["x"]}]}, "pairs.0.seats.0 = 'x' is not accepted; accepted: a whole number"),
    ({"policies": [{"seats": 3}]}, "seats = 3 is not accepted; accepted: a list"),
    (
        {"policies": [{"policy": "plain", "games": 0}]},
        "games = 0 is not accepted; accepted: a whole number of at least 1",
    ),
    ({"impossible": "no"}, "impossible = 'no' is not accepted; accepted: 'refuse' or 'skip'"),
    ({"designs": [{"policies": 3}]}, "designs.0.policies = 3 is not accepted; accepted: a list"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG)
def test_a_wrong_design_is_one_line_in_the_house_s_words(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(SweepError) as caught:
        planned(**wrong)
    told = str(caught.value)
    assert message in told
    assert "\n" not in told
    assert re.search(r"accepted(?: keys)?: ", told)
    assert not re.search(r"[Ii]nput should|valid (integer|string|list|dict)|unable to parse|pydantic", told)


def test_a_word_of_a_policy_is_no_range() -> None:
    given = {"id": "greedy", "sample": {"n": 4, "method": "sobol", "placement": [0, 1]}}
    with pytest.raises(SweepError, match=r"placement = \[0, 1\] is not accepted; accepted: \{choices.*random, lowest"):
        plan({**BASE, "game": "caterpillars", "policies": [given]})
    given["sample"] = {"n": 64, "placement": {"choices": ["random", "odds"]}}
    found = plan({**BASE, "game": "caterpillars", "policies": [given]})
    assert {c.line_up for c in found.cells} == {"greedy(placement=random)", "greedy(placement=odds)"}


def test_bounds_hold_where_a_game_checks_them_by_itself() -> None:
    for key, given, told in (("boxes", [0, 4], "from 1 to 4"), ("boxes", [1, 5], "from 1 to 4")):
        with pytest.raises(SweepError, match=rf"{key} = .* is not accepted; accepted: \[low, high\] within .*{told}"):
            plan(
                {**BASE, "game": "caterpillars", "policies": ["greedy"], "variants": [{"sample": {"n": 4, key: given}}]}
            )


# ----------------------------------------------------------------------------------------------------------------------
# Examples

PAGE = (ROOT / "docs" / "how-to" / "run-a-sweep.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.M | re.S)
PARTS = [example for example in EXAMPLES if "\ngame: " not in example]
#: scenarios of each part, in order; equal draws and line-ups that stand twice are played once
SIZES = [6 * 4, 3 * 2, 3, 3 + 2, 1 + 15, 7 * 5, 2 * 16, 1 + 4 + 3 + 6 + 3 - 2, 1]


def test_every_way_is_shown() -> None:
    assert len(PARTS) == len(SIZES)
    for word in ("grid", "zip", "list", "exclude", "one_factor", "sample", "all_pairs", "rules.boxes", "sobol", "lhs"):
        assert any(word in part for part in PARTS), word


@pytest.mark.parametrize("number", range(len(SIZES)))
def test_examples_of_the_how_to_are_planned(number: int) -> None:
    whole = {**yaml.safe_load(EXAMPLES[0]), "pairs": []}
    whole.update(variants=[{}]) if "variants" not in PARTS[number] else None
    whole.update(policies=["greedy"]) if "policies" not in PARTS[number] else None
    found = plan({**whole, **yaml.safe_load(PARTS[number]), "impossible": "skip"})
    assert len(found.cells) == SIZES[number]


def test_the_shipped_example_is_planned() -> None:
    found = plan(ROOT / "sweeps" / "examples" / "surface.yaml")
    assert found.name == "surface"
    assert Counter(c.design for c in found.cells) == {"pairs": 4 * 3, "surface": 16}
    assert not found.notes
