"""Rules of Karolinchen: what is accepted in which form, what is refused with which line, what is the same."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sim.errors import PolicyError, RulesError
from sim.games import get
from sim.games.karolinchen.rules import COLOURS, KarolinchenRules

GAME = get("karolinchen")
parse = KarolinchenRules.parse


def test_the_defaults_are_those_of_the_rules_page() -> None:
    assert parse(None).model_dump(mode="json") == {
        "start_fruit": "distinct",
        "opening": "open",
        "reroll_after_eating": False,
        "new_card_take": "must",
        "fruits": [1, 2, 3, 4, 5, 6],
        "max_turns": 10_000,
    }
    assert parse(None).total == 21
    assert COLOURS == ("blue", "orange", "purple", "yellow", "green", "red")


@pytest.mark.parametrize(
    "given",
    [[0, 5], (0, 5), "0,5", "[0, 5]", "0 5", ["blue", "red"], "blue,red", "[blue, red]", np.array([0, 5]), "Blue, 5"],
)
def test_start_fruits_in_every_form_are_the_same_rules(given: object) -> None:
    rules = parse({"start_fruit": given})
    assert rules.start_fruit == (0, 5)
    assert rules.text() == parse({"start_fruit": [0, 5]}).text()
    assert json.loads(rules.text())["start_fruit"] == [0, 5]


@pytest.mark.parametrize("given", [[1, 1, 2, 2, 3, 3], "1,1,2,2,3,3", "[1, 1, 2, 2, 3, 3]", "1 1 2 2 3 3"])
def test_fruits_in_every_form(given: object) -> None:
    assert parse({"fruits": given}).fruits == (1, 1, 2, 2, 3, 3)
    assert parse({"fruits": given}).total == 12


def test_texts_from_a_command_line_are_read() -> None:
    rules = parse({"start_fruit": "distinct", "reroll_after_eating": "true", "max_turns": "500", "opening": "own_roll"})
    assert rules.changed() == {"opening": "own_roll", "reroll_after_eating": True, "max_turns": 500}


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("start_fruit", "same"),
        ("start_fruit", [0]),
        ("start_fruit", 0),
        ("start_fruit", [0, 6]),
        ("start_fruit", [0, -1]),
        ("start_fruit", [0, True]),
        ("start_fruit", ["blue", "pink"]),
        ("start_fruit", [0, 1, 2, 3, 4, 5, 0]),
        ("start_fruit", "[0, [1]]"),
        ("start_fruit", None),
        ("opening", "closed"),
        ("reroll_after_eating", "perhaps"),
        ("reroll_after_eating", 2),
        ("new_card_take", "can"),
        ("fruits", [1, 2, 3, 4, 5]),
        ("fruits", [0, 2, 3, 4, 5, 6]),
        ("fruits", [1, 2, 3, 4, 5, 31]),
        ("fruits", [1, 2, 3, 4, 5, 6.5]),
        ("fruits", 21),
        ("max_turns", 0),
        ("max_turns", 1_000_001),
        ("max_turns", True),
        ("max_turns", "many"),
    ],
)
def test_a_wrong_value_gets_one_line_with_the_value_and_what_is_accepted(parameter: str, value: object) -> None:
    with pytest.raises(RulesError) as caught:
        parse({parameter: value})
    text = str(caught.value)
    assert (
        text == f"karolinchen: {parameter} = {value!r} is not accepted; accepted: {KarolinchenRules.accepts(parameter)}"
    )
    assert "\n" not in text


def test_an_unknown_parameter_is_named_with_the_nearest_known_one() -> None:
    with pytest.raises(RulesError, match="did you mean fruits"):
        parse({"fruit": [1] * 6})


def test_presets_change_one_reading_each() -> None:
    changed = {name: parse(name).changed() for name in KarolinchenRules.PRESETS}
    assert changed == {
        "standard": {},
        "may": {"new_card_take": "may"},
        "own_roll": {"opening": "own_roll"},
        "second_roll": {"reroll_after_eating": True},
    }
    assert parse({"preset": "may", "max_turns": 5}).changed() == {"new_card_take": "may", "max_turns": 5}


def test_every_judgement_says_why() -> None:
    for name in ("start_fruit", "opening", "reroll_after_eating", "new_card_take", "fruits"):
        extra = KarolinchenRules.model_fields[name].json_schema_extra
        assert isinstance(extra, dict)
        assert extra["reading"]


def test_a_second_roll_after_an_eating_has_no_effect_in_a_game_of_one_turn() -> None:
    one = {"max_turns": 1}
    assert parse({**one, "reroll_after_eating": True}).text() == parse(one).text()
    assert "reroll_after_eating" not in parse(one).identity()
    two = {"max_turns": 2}
    assert parse({**two, "reroll_after_eating": True}).text() != parse(two).text()


@pytest.mark.parametrize("seats", [0, 1, 7, 8])
def test_two_to_six_players(seats: int) -> None:
    with pytest.raises(PolicyError) as caught:
        GAME.scenario(None, ["match"] * seats)
    assert "accepted" in str(caught.value)
    assert "\n" not in str(caught.value)
    if seats == 7:
        assert str(caught.value).startswith("7 policies were given for karolinchen; accepted: one per seat, 2 to 6, ")


@pytest.mark.parametrize("seats", range(2, 7))
def test_start_fruits_are_one_per_seat(seats: int) -> None:
    GAME.scenario(None, ["match"] * seats)
    GAME.scenario({"start_fruit": [3] * seats}, ["match"] * seats)
    for other in {2, 3, 6} - {seats}:
        with pytest.raises(PolicyError) as caught:
            GAME.scenario({"start_fruit": [3] * seats}, ["match"] * other)
        assert str(caught.value) == (
            f"{other} policies were given for karolinchen with start_fruit = {[3] * seats}; accepted: one policy per "
            f"start fruit, {seats}"
        )


def test_result_fields_and_their_bounds() -> None:
    fields = {f.name: (f.low, f.high, f.kind) for f in GAME.fields(parse(None), 4)}
    assert fields == {
        "turns": (1, 10_000, "int"),
        "rolls": (1, 20_001, "int"),
        "eatings": (0, 14, "int"),  # 4 × 21 fruits, six dice each
        "fruits": (0, 21, "int"),
        "cards": (0, 6, "int"),
        "start_fruit": (0, 5, "int"),
        "capped": (0, 1, "bool"),
        "win": (0, 1, "share"),
    }
    assert GAME.fields(parse({"max_turns": 3}), 4)[2].high == 3
