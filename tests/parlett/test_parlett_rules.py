"""The rules as a set of parameters: what is accepted, what is refused, and in which words."""

from __future__ import annotations

import pytest

from sim.errors import PolicyError, RulesError
from sim.games import get
from sim.games.parlett import ParlettRules
from sim.games.parlett.kernel import most_running, result_fields

GAME = get("parlett")


def test_defaults_are_the_published_game() -> None:
    rules = ParlettRules.parse(None)
    assert rules.model_dump() == {"block": "allowed", "deals": 1, "hand_size": 13, "multiple": 5, "court_bonus": 100}
    assert rules.plays == 26
    assert ParlettRules.parse("standard") == rules


def test_every_parameter_is_described() -> None:
    for name, info in ParlettRules.model_fields.items():
        assert info.description
        assert ParlettRules.accepts(name)
        assert ParlettRules.source(name)


@pytest.mark.parametrize("preset", ParlettRules.PRESETS)
def test_presets_can_be_varied(preset: str) -> None:
    rules = ParlettRules.parse(preset)
    assert rules.changed() == dict(ParlettRules.PRESETS[preset].rules)
    assert ParlettRules.parse({"preset": preset, "multiple": 7}).multiple == 7


def test_text_of_a_command_line_is_read() -> None:
    assert ParlettRules.parse({"hand_size": "7", "deals": "2"}) == ParlettRules.parse({"hand_size": 7, "deals": 2})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"hand_size": 0}, "parlett: hand_size = 0 is not accepted; accepted: a whole number from 1 to 25"),
        ({"hand_size": 26}, "parlett: hand_size = 26 is not accepted; accepted: a whole number from 1 to 25"),
        ({"hand_size": 6.5}, "parlett: hand_size = 6.5 is not accepted; accepted: a whole number from 1 to 25"),
        ({"hand_size": True}, "parlett: hand_size = True is not accepted; accepted: a whole number from 1 to 25"),
        ({"deals": 3}, "parlett: deals = 3 is not accepted; accepted: 1 or 2"),
        ({"multiple": 0}, "parlett: multiple = 0 is not accepted; accepted: a whole number from 1 to 220"),
        ({"court_bonus": -1}, "parlett: court_bonus = -1 is not accepted; accepted: a whole number from 0 to 1000"),
        ({"block": "banned"}, "parlett: block = 'banned' is not accepted; accepted: allowed, barred"),
        ({"hand": 7}, "unknown rule parameter of parlett 'hand' (did you mean hand_size?); accepted: block, deals, "),
        ("french", "unknown preset of parlett 'french'; accepted: standard, "),
    ],
)
def test_what_is_refused_is_refused_in_one_line(given: object, words: str) -> None:
    with pytest.raises(RulesError) as error:
        ParlettRules.parse(given)  # type: ignore[arg-type]
    assert str(error.value).startswith(words)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("seats", [1, 3])
def test_two_players_and_no_other_number(seats: int) -> None:
    with pytest.raises(PolicyError, match=rf"^{seats} polic.* for parlett; accepted: 2, because .* two players$"):
        GAME.scenario(None, ["greedy"] * seats)


def test_barring_has_no_effect_with_one_card_in_hand() -> None:
    """There is never a choice then; with two cards there is."""
    assert ParlettRules.parse({"hand_size": 1, "block": "barred"}).text() == ParlettRules.parse({"hand_size": 1}).text()
    assert ParlettRules.parse({"hand_size": 2, "block": "barred"}).text() != ParlettRules.parse({"hand_size": 2}).text()


def test_bounds_of_small_games_by_hand() -> None:
    """25 cards each: two cards are played, the second makes at most 10 + 10, which is seat 1's only score."""
    assert most_running(ParlettRules.parse({"hand_size": 25})) == 20
    assert most_running(ParlettRules.parse({"hand_size": 25, "multiple": 7})) == 14
    # 24 cards each: four cards; seat 1 makes at most 20 and 10 + 10 + 10 + 10
    assert most_running(ParlettRules.parse({"hand_size": 24})) == 60
    score, running, courts, played = result_fields(ParlettRules.parse({"hand_size": 24, "deals": 2}))[:4]
    assert (score.high, running.high, courts.high) == (120 + 2 * 12 * 100, 120, 24)
    assert (played.low, played.high) == (1, 4)


def test_every_score_fits_its_column() -> None:
    for size in range(1, 26):
        rules = ParlettRules.parse({"hand_size": size, "deals": 2, "court_bonus": 1000, "multiple": 1})
        for field in result_fields(rules):
            limit = {"int16": 32767, "int8": 127, "bool": 1, "float64": 2}[field.dtype]
            assert field.high is not None
            assert 0 <= field.low <= field.high <= limit
