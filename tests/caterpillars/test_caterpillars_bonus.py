"""Levels with bonus boxes: exact values against plain recursion in whole numbers, over every reading of the rules."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from sim.errors import InputError, RulesError
from sim.games.caterpillars import CaterpillarsRules, outcomes
from sim.games.caterpillars.exact import moves
from sim.games.caterpillars.exact.advanced import BonusSolution
from sim.games.caterpillars.exact.answer import answer
from sim.games.caterpillars.exact.bonus import Solved, Start
from sim.games.caterpillars.exact.bracket import bracket
from sim.games.caterpillars.exact.candidates import list_outcomes, rolls
from sim.games.caterpillars.exact.solution import SheetSolution
from sim.games.caterpillars.rules import FACES

READINGS = [
    {"level": "advanced"},
    {"level": "advanced", "zero_rule": "split", "final": "lowest"},
    {"level": "advanced", "zero_rule": "strict", "final": "highest"},
    {"level": "advanced", "idle_dice": True, "final": "total"},
    {"level": "expert"},
    {"level": "expert", "zero_rule": "split"},
    {"level": "expert", "zero_rule": "strict", "double_optional": True},
    {"level": "expert", "bonus_ban": "any", "double_stores": "face"},
    {"level": "expert", "double_stores": "barred", "bonus_source": "any"},
    {"level": "expert", "idle_dice": True, "zero_rule": "split"},
    {"level": "expert", "idle_dice": True, "bonus_source": "any", "final": "total"},
]


def end_total(totals, bonus, final) -> int:
    """The rule: strike one highest and one lowest, the best legal choice on ties."""
    if final == "total":
        return sum(totals) + sum(bonus)
    target = {"median": sorted(totals)[1], "lowest": min(totals), "highest": max(totals)}[final]
    return target + max(b for t, b in zip(totals, bonus, strict=True) if t == target)


def recursion(rules: CaterpillarsRules, labels, filled, totals, bonus) -> Fraction:
    """Optimal value by the definition: expectation over every roll, maximum over the kernel's own outcomes."""
    weights = rolls(rules)
    all_rolls = sum(weights.values())

    @cache
    def scaled(filled: tuple[bool, ...], totals: tuple[int, ...], bonus: tuple[int, ...]) -> int:
        """Value × (number of rolls)^(rounds left)."""
        if all(filled):
            return end_total(totals, bonus, rules.final)
        total = 0
        for (dice, face), weight in weights.items():
            best = -1
            for box, value, b, score in outcomes(rules, labels, filled, bonus, dice, face):
                after = tuple(f or i == b for i, f in enumerate(filled))
                sums = tuple(t + (score if b // rules.boxes == c else 0) for c, t in enumerate(totals))
                store = tuple(value if box == c else x for c, x in enumerate(bonus))
                best = max(best, scaled(after, sums, store))
            total += weight * best
        return total

    left = sum(not f for f in filled)
    return Fraction(scaled(tuple(filled), tuple(totals), tuple(bonus)), all_rolls**left)


def late_position(rules: CaterpillarsRules, left: int, rng: random.Random):
    """A position with `left` empty boxes, with totals and bonus boxes that can occur."""
    n = rules.boxes
    labels = [rng.randint(1, 12) if rng.random() < 0.3 else rng.randint(1, 6) for _ in range(3 * n)]
    empty = set(rng.sample(range(3 * n), left))
    filled = [b not in empty for b in range(3 * n)]
    totals = [sum(rng.choice((0, 4, 5, 7, 9)) for b in range(c * n, c * n + n) if filled[b]) for c in range(3)]
    values = moves.storable(rules)
    bonus = [rng.choice([0, rng.choice(values)]) for _ in range(3)]
    return labels, filled, totals, bonus


@pytest.mark.parametrize("lefts", [(0, 1, 1, 1, 1), pytest.param((2, 2), marks=pytest.mark.deep)], ids=["one", "two"])
@pytest.mark.parametrize(
    "reading",
    [r if i % 2 == 0 else pytest.param(r, marks=pytest.mark.deep) for i, r in enumerate(READINGS)],
    ids=lambda r: " ".join(map(str, r.values())),
)
def test_late_positions_are_worth_what_plain_recursion_says(reading, lefts) -> None:
    rng = random.Random(f"{reading} {lefts}")
    rules = CaterpillarsRules.parse({**reading, "sheet": [1] * 12})
    for left in lefts:
        labels, filled, totals, bonus = late_position(rules, left, rng)
        if left == 2 and rules.has_action:
            bonus = [b or rng.choice((1, 6)) for b in bonus[:2]] + [0]  # one box to write still
        solution = BonusSolution(rules, labels)
        exact = recursion(rules, tuple(labels), filled, totals, bonus)
        found = solution.state_value(filled, totals, bonus)
        assert abs(found - float(exact)) <= solution.error_bound, (labels, filled, totals, bonus)
        assert abs(found - float(exact)) <= 0.002  # two roundings at a scale of at least 600 steps a point


@pytest.mark.deep
@pytest.mark.parametrize("zero_rule", ["forced", "split", "strict"])
def test_a_whole_small_sheet_is_worth_what_plain_recursion_says(zero_rule) -> None:
    rules = CaterpillarsRules.parse({"level": "advanced", "boxes": 1, "sheet": [1] * 3, "zero_rule": zero_rule})
    labels = (3, 7, 6)
    solution = BonusSolution(rules, labels)
    exact = recursion(rules, labels, (False,) * 3, (0, 0, 0), (4, 0, 5))
    place = Start(((3,), (7,), (6,)), (0, 0, 0), (4, 0, 5))
    assert abs(Solved(rules, place).value(place) - float(exact)) <= solution.error_bound
    assert solution.error_bound <= 0.01


@pytest.mark.parametrize("reading", READINGS, ids=lambda r: " ".join(map(str, r.values())))
def test_own_outcomes_are_the_kernels(reading) -> None:
    rng = random.Random(str(reading) + "outcomes")
    rules = CaterpillarsRules.parse({**reading, "sheet": [1] * 12})
    for _ in range(300):
        labels, filled, _, bonus = late_position(rules, rng.randint(1, 12), rng)
        dice = [rng.randint(1, 6) for _ in range(3)]
        face = rng.choice(FACES) if rules.has_action else None
        assert list_outcomes(rules, labels, filled, bonus, sorted(dice), face) == outcomes(
            rules, labels, filled, bonus, dice, face
        )


def test_two_boxes_and_two_bonus_boxes_left_are_worth_what_plain_recursion_says() -> None:
    rules = CaterpillarsRules.parse({"level": "advanced", "sheet": [1] * 12})
    labels = (1, 6, 3, 4, 2, 5, 1, 2, 1, 6, 5, 3)
    filled = [b not in (2, 9) for b in range(12)]
    solution = BonusSolution(rules, labels)
    exact = recursion(rules, labels, filled, (20, 24, 22), (0, 4, 0))
    assert abs(solution.state_value(filled, (20, 24, 22), (0, 4, 0)) - float(exact)) <= solution.error_bound


def test_the_first_outcome_is_worth_its_position() -> None:
    """The mean of the best outcomes over all rolls is the value of the position."""
    rules = CaterpillarsRules.parse({"level": "advanced", "sheet": [1] * 12})
    labels = [1, 6, 3, 4, 2, 5, 1, 2, 1, 6, 5, 3]
    filled, totals, bonus = [1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 1], [14, 20, 17], [0, 5, 0]
    solution = BonusSolution(rules, labels)
    mean = (
        sum(
            weight * solution.best(filled=filled, totals=totals, bonus=bonus, dice=dice)[0][1]
            for (dice, _), weight in rolls(rules).items()
        )
        / 216
    )
    assert abs(mean - solution.state_value(filled, totals, bonus)) <= 2 * solution.error_bound


def test_all_bonus_boxes_filled_shift_the_value() -> None:
    """Why 91 tables serve 216 at advanced: with every bonus larger by c the sheet is worth c more."""
    rules = CaterpillarsRules.parse({"level": "advanced", "boxes": 2, "sheet": [1] * 6})
    place = Start(((1, 6), (2, 5), (1, 6)), (0, 0, 0), (3, 1, 4))
    more = Start(place.open, place.totals, (5, 3, 6))
    low, high = Solved(rules, place), Solved(rules, more)
    assert abs(low.value(place) + 2 - high.value(more)) <= low.error_bound + high.error_bound
    assert len(moves.build((0, 0, 0), rules).tables) == 91 + 108 + 18 + 1


def test_values_are_the_same_for_any_number_of_workers() -> None:
    rules = CaterpillarsRules.parse({"level": "advanced", "boxes": 2, "sheet": [1] * 6})
    place = Start(((1, 6), (2, 5), (1, 3)), (0, 0, 0), (0, 0, 2))
    one, three = (Solved(rules, place, workers=w, keep=6) for w in (1, 3))
    for a, b in zip(one.layers, three.layers, strict=True):
        assert np.array_equal(a, b)


def test_an_interrupted_solve_goes_on_where_it_stopped(tmp_path) -> None:
    rules = CaterpillarsRules.parse({"level": "advanced", "boxes": 2, "sheet": [1] * 6})
    place = Start(((1, 6), (2, 5), (1, 3)), (0, 0, 0), (0, 0, 2))
    whole = Solved(rules, place, keep=0)

    class Stop(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done > 0.8 * total:
            raise Stop

    with pytest.raises(Stop):
        Solved(rules, place, keep=0, progress=stop, checkpoint=tmp_path / "work")
    layer, note = sorted(f.name for f in (tmp_path / "work").iterdir())
    assert (layer[:6], note) == ("layer-", "state.json")
    told: list[float] = []
    again = Solved(rules, place, keep=0, progress=lambda d, t: told.append(d / t), checkpoint=tmp_path / "work")
    assert told[0] > 0.4  # it did not start over
    assert again.value(place) == whole.value(place)
    assert not (tmp_path / "work").exists()


def test_other_works_layers_are_not_used(tmp_path) -> None:
    rules = CaterpillarsRules.parse({"level": "advanced", "boxes": 1, "sheet": [1] * 3})
    place = Start(((3,), (5,), (6,)), (0, 0, 0), (0, 0, 0))
    other = Start(((3,), (5,), (2,)), (0, 0, 0), (0, 0, 0))

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Solved(rules, other, keep=0, progress=stop, checkpoint=tmp_path)
    assert Solved(rules, place, keep=0, checkpoint=tmp_path).value(place) == Solved(rules, place).value(place)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: s.best(filled=[0] * 12, totals=[0] * 3, dice=[1, 2, 3], face="D"), "face = 'D'"),
        (lambda s: s.best(filled=[0] * 12, totals=[0] * 3, dice=[1, 2], face="A"), "dice = [1, 2]"),
        (lambda s: s.state_value([0] * 12, [0] * 3, [1, 0, 0]), "at most one bonus write a round"),
        (lambda s: s.state_value([1] + [0] * 11, [3, 0, 0], [7, 0, 0]), "bonus = [7, 0, 0]"),
        (lambda s: s.state_value([1] + [0] * 11, [0, 3, 0]), "totals[1] = 3"),
    ],
)
def test_wrong_calls_get_one_line(call, words) -> None:
    solution = BonusSolution(CaterpillarsRules.parse({"level": "expert", "sheet": [1] * 12}), [1] * 12)
    with pytest.raises(InputError) as caught:
        call(solution)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_too_much_memory_is_refused_before_it_is_taken() -> None:
    labels = [1, 6, 3, 4, 2, 5, 1, 3, 1, 6, 5, 3]
    solution = BonusSolution(CaterpillarsRules.parse({"level": "expert", "sheet": [1] * 12}), labels)
    with pytest.raises(RulesError, match="GiB of memory"):
        _ = solution.value


@pytest.mark.parametrize(
    "reading",
    [
        {},
        pytest.param({"zero_rule": "split", "bonus_ban": "any"}, marks=pytest.mark.deep),
        pytest.param({"double_stores": "face"}, marks=pytest.mark.deep),
    ],
)
def test_the_bracket_holds_the_exact_value(reading) -> None:
    """On a sheet of three boxes, where the exact value is known, and closes when all values are in the grids."""
    rules = CaterpillarsRules.parse({"level": "expert", "boxes": 1, "sheet": [1] * 3, **reading})
    labels = (3, 6, 5)
    exact = BonusSolution(rules, labels)
    most = max(moves.storable(rules))
    found = bracket(rules, labels, lower=(5, 6), upper=(4, most))
    assert found.lower < exact.value < found.upper
    assert found.gap > 0.02  # coarse grids do not give the value away
    every = moves.storable(rules)
    closed = bracket(rules, labels, lower=every, upper=every)
    assert closed.upper - closed.lower <= 2 * exact.error_bound + 1e-12


def test_the_grids_left_out_fit_the_rules() -> None:
    """At advanced all values that can be stored, so the bracket closes; at expert those of the usual ones that can."""
    advanced = bracket({"level": "advanced", "boxes": 1}, [3, 6, 5])
    assert advanced.lower_grid == advanced.upper_grid == (1, 2, 3, 4, 5, 6)
    exact = BonusSolution(CaterpillarsRules.parse({"level": "advanced", "boxes": 1, "sheet": [1] * 3}), (3, 6, 5))
    assert advanced.lower <= exact.value <= advanced.upper
    assert advanced.upper - advanced.lower <= 2 * exact.error_bound + 1e-12
    expert = bracket({"level": "expert", "boxes": 1, "double_stores": "face"}, [3, 6, 5])
    assert expert.lower_grid == expert.upper_grid == (4, 5, 6)


def test_a_checkpoint_that_is_no_folder_is_refused(tmp_path) -> None:
    file = tmp_path / "file"
    file.write_text("kept")
    for wrong in (file, file / "inside", 5):
        solution = BonusSolution(
            CaterpillarsRules.parse({"level": "advanced", "boxes": 1, "sheet": [1] * 3}), (3, 6, 5)
        )
        with pytest.raises(InputError, match=r"^checkpoint = .* accepted: [^\n]*$"):
            solution.solve(checkpoint=wrong)
    assert file.read_text() == "kept"


@pytest.mark.parametrize("level", ["advanced", "expert"])
def test_thresholds_and_distributions_of_optimal_play_are_refused_before_solving(level, monkeypatch) -> None:
    solution = BonusSolution(CaterpillarsRules.parse({"level": level, "boxes": 1, "sheet": [1] * 3}), (3, 6, 5))
    monkeypatch.setattr(solution, "solve", lambda: pytest.fail("solved"))
    with pytest.raises(RulesError, match=f"thresholds at level = {level} are not solved; accepted: beginner"):
        solution.thresholds()
    with pytest.raises(RulesError, match=f"level = {level} is not solved; accepted: beginner, intermediate"):
        answer(solution, pmf=True)


def test_a_bracket_of_unfit_grids_is_refused() -> None:
    with pytest.raises(RulesError, match="12 among them"):
        bracket({"level": "expert", "boxes": 1}, [3, 6, 5], upper=(4, 6))
    with pytest.raises(RulesError, match="zero_rule = strict"):
        bracket({"level": "expert", "boxes": 1, "zero_rule": "strict"}, [3, 6, 5])


@pytest.mark.parametrize("zero_rule", ["forced", "split"])
def test_fixed_point_and_doubles_agree_without_bonus_boxes(zero_rule) -> None:
    rules = CaterpillarsRules.parse({"level": "intermediate", "boxes": 2, "sheet": [1] * 6, "zero_rule": zero_rule})
    labels = (4, 9, 6, 3, 6, 6)
    place = Start((labels[:2], labels[2:4], labels[4:]), (0, 0, 0), (0, 0, 0))
    solved = Solved(rules, place, workers=1)
    assert abs(solved.value(place) - SheetSolution(rules, labels).value) <= solved.error_bound
