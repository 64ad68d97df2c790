"""What counts as a game of Caterpillars, and what is refused."""

from __future__ import annotations

import pytest

from sim.errors import PolicyError, RulesError
from sim.games import get
from sim.games.caterpillars import CaterpillarsRules

GAME = get("caterpillars")


def identity(**rules) -> str:
    return CaterpillarsRules.parse(rules).text()


def test_defaults_are_the_german_preset() -> None:
    assert CaterpillarsRules.parse(None) == CaterpillarsRules.parse("german")
    assert CaterpillarsRules.parse("english").zero_rule == "split"


def test_the_sheet_pairs() -> None:
    assert CaterpillarsRules.parse({}).printed == (1, 6, 0, 0, 2, 5, 0, 0, 1, 6, 0, 0)
    assert CaterpillarsRules.parse({"boxes": 2}).printed == (1, 6, 2, 5, 1, 6)
    assert CaterpillarsRules.parse({"boxes": 3}).printed == (1, 6, 0, 2, 5, 0, 1, 6, 0)
    assert CaterpillarsRules.parse({"sheet": "1 6 0 0 2 5 0 0 1 6 0 0"}).text() == CaterpillarsRules.parse({}).text()


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"level": "expart"}, ["level = 'expart'", "beginner, intermediate, advanced, expert"]),
        ({"lvel": "expert"}, ["lvel", "did you mean level"]),
        ({"setup": "variation"}, ["not played at beginner"]),
        ({"setup": "variation", "level": "expert", "boxes": 3}, ["3 blanks", "multiple of 2"]),
        ({"sheet": [1, 2, 0]}, ["3 numbers", "12"]),
        ({"sheet": [13] * 12}, ["0 to 12"]),
        ({"sheet": "nonsense"}, ["nonsense", "pairs"]),
        ({"sheet": [1, 0, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5]}, ["1 blanks", "multiple of 3"]),
        ({"boxes": 5}, ["boxes = 5", "1 to 4"]),
        ({"boxes": True}, ["boxes = True"]),
        ({"final": "mean"}, ["median, lowest, highest, total"]),
        ({"preset": "french"}, ["french", "german, english"]),
        (7, ["7", "preset"]),
    ],
)
def test_impossible_games_are_refused_in_one_line(rules, words) -> None:
    with pytest.raises(RulesError) as caught:
        CaterpillarsRules.parse(rules)
    text = str(caught.value)
    assert "\n" not in text
    for word in words:
        assert word in text


def test_parameters_without_effect_are_left_out_of_the_identity() -> None:
    assert identity(double_stores="face") == identity()
    assert identity(idle_dice=True) == identity()
    assert identity(level="intermediate", idle_dice=True) != identity(level="intermediate")
    assert identity(level="advanced", bonus_ban="any") == identity(level="advanced")
    for changed in (
        {"bonus_ban": "any"},
        {"double_optional": True},
        {"double_stores": "face"},
        {"bonus_source": "any"},
    ):
        assert identity(level="expert", **changed) != identity(level="expert")
    assert identity(zero_rule="strict") == identity(zero_rule="forced")  # one bonus choice only
    assert identity(level="advanced", zero_rule="strict") != identity(level="advanced")
    full = {"level": "expert", "boxes": 2}
    assert identity(setup="variation", **full) == identity(**full)  # nothing is blank


@pytest.mark.parametrize(
    ("rules", "bound"),
    [
        ({}, 24),
        ({"level": "intermediate"}, 48),
        ({"level": "advanced"}, 54),
        ({"level": "expert"}, 108),
        ({"level": "expert", "double_stores": "face"}, 94),
        ({"level": "expert", "double_stores": "barred"}, 94),
    ],
)
def test_bounds_of_the_end_total(rules, bound) -> None:
    assert CaterpillarsRules.parse(rules).max_score == bound


def test_seats() -> None:
    assert len(GAME.scenario({}, ["random"] * 40).policies) == 40
    with pytest.raises(PolicyError, match="no policies"):
        GAME.scenario({}, [])
    with pytest.raises(PolicyError, match="1 to 1000"):
        GAME.scenario({}, ["random"] * 1001)
