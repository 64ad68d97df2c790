"""The kernel of Karolinchen: dice where the specification puts them, turns worked out by hand, every move legal, golden
results, both lanes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sim.engine import rng
from sim.engine.digest import digest
from sim.engine.jit import COMPILED
from sim.engine.simulate import play_rows
from sim.games import get
from sim.games.karolinchen.kernel import KERNEL_VERSION
from sim.games.karolinchen.moves import DECODE

GAME = get("karolinchen")
compiled_only = pytest.mark.skipif(not COMPILED, reason="too many games for the interpreter")


def trace(rules: Any, policies: list[str], game: int, seed: int = 1) -> dict[str, Any]:
    scenario = GAME.scenario(rules, policies)
    return GAME.trace(scenario.rules, scenario.policies, seed, game)


def rows(rules: Any, policies: list[str], games: int, seed: int = 1, first: int = 0) -> dict[str, np.ndarray]:
    """Raw results by field: int32[games, seats]."""
    scenario = GAME.scenario(rules, policies)
    playable = GAME.compile(scenario.rules, scenario.policies)
    out = play_rows(playable, seed, first, games)
    return {f.name: out[i].reshape(games, playable.seats) for i, f in enumerate(playable.fields)}


# ----------------------------------------------------------------------------------------------------------------------
# Dice


def test_a_roll_is_its_base_six_digits() -> None:
    for x in [*range(0, 46_656, 17), 46_655]:
        digits = [x // 6**die % 6 for die in range(6)]
        for dice in range(7):
            packed = int(DECODE[432 * dice + x % 216]) + int(DECODE[432 * dice + 216 + x // 216])
            assert packed == sum(1 << 4 * colour for colour in digits[:dice])


def roll(seed: int, game: int, turn: int, k: int, dice: int) -> list[int]:
    """The dice as `docs/randomness.md` gives them, by the general generator."""
    x = int(rng.bounded(np.uint64(seed), np.uint64(game), rng.DICE, 0, 2 * turn + k, 46_656))
    return sorted(x // 6**die % 6 for die in range(dice))


@pytest.mark.parametrize(("seed", "game"), [(1, 0), (2**64 - 1, 2**62 + 3), (2**40 + 9, 2**33 + 1)])
@pytest.mark.parametrize("reroll", [False, True])
def test_every_roll_is_the_one_of_its_turn(seed: int, game: int, reroll: bool) -> None:
    """Also beyond turn 32, where the kernel prepares the next words, and whatever the number of dice."""
    played = trace({"reroll_after_eating": reroll}, ["random"] * 4, game, seed)
    assert len(played["turns"]) > 32
    assert played["opening"] == roll(seed, game, 0, 0, 6)
    for turn, move in enumerate(played["turns"], start=1):
        for k, dice in enumerate(move["rolled"]):
            assert dice == roll(seed, game, turn, k, len(dice))


def test_a_refused_word_is_drawn_again() -> None:
    """Seed 1, game 250457: the first word of the dice is one of the few (2560 in 2^32) that would bias the roll."""
    word = int(rng.word(np.uint64(1), np.uint64(250_457), rng.DICE, 0, 0, 0))
    assert (word * 46_656) % 2**32 < 2**32 % 46_656
    assert trace(None, ["match", "match"], 250_457)["opening"] == roll(1, 250_457, 0, 0, 6)
    assert roll(1, 250_457, 0, 0, 6) != sorted((word * 46_656 >> 32) // 6**die % 6 for die in range(6))


@compiled_only
def test_start_fruits_are_drawn_without_replacement_and_evenly() -> None:
    """72,000 draws of all 720 orders: chi-square below its 1 − 1e-6 quantile (error rate one in a million seeds)."""
    starts = rows({"max_turns": 1}, ["match"] * 6, 72_000)["start_fruit"]
    assert (np.sort(starts, axis=1) == np.arange(6)).all()
    orders = np.unique(starts @ 6 ** np.arange(6), return_counts=True)[1]
    assert len(orders) == 720
    assert ((orders - 100.0) ** 2 / 100).sum() < stats.chi2.ppf(1 - 1e-6, 719)


def test_fewer_seats_draw_the_same_first_start_fruits() -> None:
    six = rows({"max_turns": 1}, ["match"] * 6, 50)["start_fruit"]
    for seats in range(2, 6):
        assert (rows({"max_turns": 1}, ["match"] * seats, 50)["start_fruit"] == six[:, :seats]).all()


# ----------------------------------------------------------------------------------------------------------------------
# Turns worked out by hand. With seed 1 the opening rolls are
#   game 0: blue, orange, purple, yellow, green, red        game 3: purple, purple, purple, purple, red, red


def first_turn(rules: dict[str, Any], policy: str, game: int) -> dict[str, Any]:
    played = trace({"start_fruit": [0, 0], **rules}, [policy, "match"], game)
    assert played["opening"] in (None, [[0, 1, 2, 3, 4, 5], None, None, [2, 2, 2, 2, 5, 5]][game])
    return played["turns"][0]


def test_the_colour_in_the_middle_is_taken_without_a_roll() -> None:
    """Yellow, four places, one yellow die: taken; five dice stay."""
    turn = first_turn({"start_fruit": [3, 0]}, "match", 0)
    assert turn["rolled"] == []
    assert (turn["taken"], turn["chosen"], turn["left"]) == ([[3, 1]], [], [0, 1, 2, 4, 5])


def test_without_the_colour_all_dice_in_the_middle_are_rolled_once() -> None:
    """Green among purple and red dice: all six are rolled, and that is all."""
    turn = first_turn({"start_fruit": [4, 0]}, "match", 3)
    assert turn["middle"] == [2, 2, 2, 2, 5, 5]
    assert turn["rolled"] == [roll(1, 3, 1, 0, 6)]


@pytest.mark.parametrize(
    ("policy", "chosen", "taken", "left"),
    [
        ("match", [5], [[2, 3], [5, 2]], [2]),
        ("longest", [5], [[2, 3], [5, 2]], [2]),
        ("shortest", [0], [[2, 3]], [2, 5, 5]),
    ],
)
def test_surplus_stays_and_a_full_card_is_followed_at_once(
    policy: str, chosen: list[int], taken: list[list[int]], left: list[int]
) -> None:
    """Purple has three places for four dice. The next card takes what matches it, without a roll."""
    turn = first_turn({"start_fruit": [2, 0]}, policy, 3)
    assert turn["rolled"] == []
    assert (turn["chosen"], turn["taken"], turn["left"]) == (chosen, taken, left)


def test_ties_of_match_go_to_the_longer_card_and_then_to_the_lower_colour() -> None:
    """Every card would take one die: red is longest. With equal cards: the lowest colour left."""
    assert first_turn({}, "match", 0)["chosen"] == [5]
    assert first_turn({"fruits": [1, 3, 3, 3, 3, 3]}, "match", 0)["chosen"] == [1]


def test_a_card_filled_by_the_last_die_is_followed_though_the_middle_is_empty() -> None:
    """Purple takes four, red two, both are full: a third card is laid out, and the worm has eaten."""
    turn = first_turn({"start_fruit": [2, 0], "fruits": [1, 2, 4, 4, 5, 2]}, "match", 3)
    assert (turn["taken"], turn["chosen"]) == ([[2, 4], [5, 2]], [5, 4])
    assert (turn["left"], turn["eating"]) == ([], True)


@pytest.mark.parametrize("reroll", [False, True])
def test_after_an_eating_six_dice_are_rolled_once_or_twice(reroll: bool) -> None:
    """Blue, purple, yellow, green and red are filled by one die each and orange takes the sixth: eating."""
    first_roll, second_roll = roll(1, 0, 2, 0, 6), roll(1, 0, 2, 1, 6)
    assert 0 < len(set(first_roll)) < 6  # some starts match it, some do not
    for start in range(6):
        rules = {"start_fruit": [0, start], "fruits": [1, 2, 1, 1, 1, 1], "reroll_after_eating": reroll}
        first, second = trace(rules, ["shortest", "match"], 0)["turns"][:2]
        assert first["chosen"] == [2, 3, 4, 5, 1]
        assert (first["left"], first["eating"]) == ([], True)
        assert second["middle"] == []
        if start in first_roll or not reroll:
            assert second["rolled"] == [first_roll]
        else:
            assert second["rolled"] == [first_roll, second_roll]
        if start not in first_roll and not reroll:
            assert (second["taken"], second["left"]) == ([], first_roll)


def test_the_last_fruit_wins_at_once_and_is_no_eating() -> None:
    """One fruit on each card and one die of each colour: seat 0 covers all six in its first turn."""
    played = trace({"start_fruit": [0, 0], "fruits": [1] * 6}, ["match", "match"], 0)
    (turn,) = played["turns"]
    assert turn["taken"] == [[0, 1], [1, 1], [2, 1], [3, 1], [4, 1], [5, 1]]
    assert (turn["chosen"], turn["left"], turn["eating"]) == ([1, 2, 3, 4, 5], [], False)
    assert played["winner"] == 0
    row = rows({"start_fruit": [0, 0], "fruits": [1] * 6}, ["match", "match"], 1)
    assert {name: values[0].tolist() for name, values in row.items()} == {
        "turns": [1, 1],
        "rolls": [1, 1],
        "eatings": [0, 0],
        "fruits": [6, 0],
        "cards": [6, 0],
        "start_fruit": [0, 0],
        "capped": [0, 0],
        "win": [1, 0],
    }


@pytest.mark.parametrize("reroll", [False, True])
@pytest.mark.parametrize("start", range(6))
def test_an_own_opening_roll_has_no_second_chance(reroll: bool, start: int) -> None:
    """Whatever seat 0 needs and whatever `reroll_after_eating` says: turn 1, roll 0, six dice, once."""
    rules = {"start_fruit": [start, 0], "opening": "own_roll", "reroll_after_eating": reroll}
    played = trace(rules, ["match", "match"], 3)
    assert played["opening"] is None
    assert played["turns"][0]["middle"] == []
    assert played["turns"][0]["rolled"] == [roll(1, 3, 1, 0, 6)]


@pytest.mark.parametrize(
    ("take", "guard", "taken", "left"),
    [
        ("must", 5, [[2, 4], [5, 2]], []),
        ("may", 0, [[2, 4], [5, 2]], []),
        ("may", 5, [[2, 4]], [5, 5]),
    ],
)
def test_dice_for_a_new_card_may_be_refused_which_ends_the_turn(
    take: str, guard: int, taken: list[list[int]], left: list[int]
) -> None:
    """Four purple dice fill purple; the two red ones fit red, but taking them would give the next player six dice."""
    rules = {"start_fruit": [2, 4], "fruits": [1, 2, 4, 4, 5, 6], "new_card_take": take}
    turn = trace(rules, [f"racer(guard={guard})", "match"], 3)["turns"][0]
    assert (turn["chosen"], turn["taken"], turn["left"]) == ([5], taken, left)
    assert turn["eating"] == (left == [])


# ----------------------------------------------------------------------------------------------------------------------
# Whole games: every move checked against the rules

VARIANTS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["match", "random"]),
    ({}, ["racer", "odds", "match", "random"]),
    ({}, ["longest", "shortest", "random", "match", "odds", "racer"]),
    ({"new_card_take": "may"}, ["racer(guard=5)", "racer(guard=1.3,deny=0)", "random"]),
    ({"opening": "own_roll", "reroll_after_eating": True}, ["odds(length=2)", "random", "match"]),
    ({"reroll_after_eating": True, "new_card_take": "may"}, ["racer(guard=5)", "odds(chain=0)", "random", "racer"]),
    ({"fruits": [3, 1, 30, 2, 7, 1], "start_fruit": [2, 2, 0, 5, 5]}, ["random", "match", "racer", "odds", "longest"]),
    ({"fruits": [1] * 6, "start_fruit": [3, 3], "opening": "own_roll"}, ["random", "shortest"]),
    ({"max_turns": 12}, ["match", "racer", "random"]),
    ({"max_turns": 1, "opening": "own_roll"}, ["match", "racer"]),
]
#: line-ups that need exact values, which the interpreter would take too long to work out
PERFECT: list[tuple[dict[str, Any], list[str]]] = [
    ({"start_fruit": [0, 5]}, ["optimal", "racer"]),
    (
        {"fruits": [2, 1, 3, 1, 1, 2], "start_fruit": [1, 2], "reroll_after_eating": True, "new_card_take": "may"},
        ["optimal(slip=0.2)", "optimal"],
    ),
]


def referee(played: dict[str, Any]) -> list[dict[str, int]]:
    """Check every move of a traced game; returns the results of every seat, counted off the moves."""
    rules, starts, turns = played["rules"], played["starts"], played["turns"]
    seats, fruits = len(starts), rules["fruits"]
    current, places = list(starts), [fruits[c] for c in starts]
    unused = [set(range(6)) - {c} for c in starts]
    covered, finished = [0] * seats, [0] * seats
    middle = played["opening"] or []
    assert (played["opening"] is None) == (rules["opening"] == "own_roll")
    on_cards = 6 - len(middle) if middle else 0  # dice that lie on cards since they were last all together
    rolls, eatings, winner = len(middle) // 6, 0, None
    for number, turn in enumerate(turns, start=1):
        assert winner is None, "a turn after the end"
        seat = (number - 1) % seats
        assert turn["seat"] == seat
        assert turn["middle"] == middle
        needed = current[seat]
        if needed in middle:
            assert turn["rolled"] == []
        else:
            twice = rules["reroll_after_eating"] and not middle and number > 1
            assert len(turn["rolled"]) == (2 if twice and needed not in turn["rolled"][0] else 1)
            assert {len(dice) for dice in turn["rolled"]} == {len(middle) or 6}
            middle = turn["rolled"][-1]
        assert middle == sorted(middle)
        rolls += len(turn["rolled"])
        shown = {c: middle.count(c) for c in range(6)}
        taken = [tuple(pair) for pair in turn["taken"]]
        cards = [needed, *turn["chosen"]]
        for i, card in enumerate(cards):
            if i > 0:
                assert places[seat] == 0, "a card was chosen before the last one was full"
                assert card in unused[seat]
                unused[seat].remove(card)
                current[seat], places[seat] = card, fruits[card]
            fits = min(shown[card], places[seat])
            if taken and taken[0][0] == card:
                assert taken.pop(0)[1] == fits, "all that fit are taken, and no more"
                assert fits >= 1
                shown[card] -= fits
                covered[seat] += fits
                places[seat] -= fits
                on_cards += fits
            elif fits > 0:
                assert rules["new_card_take"] == "may", "dice must be taken"
                assert i > 0, "dice for the current card are always taken"
                assert i == len(cards) - 1, "a refusal ends the turn"
            finished[seat] += places[seat] == 0
        assert taken == []
        assert places[seat] > 0 or not unused[seat], "a full card is followed at once"
        middle = [c for c in range(6) for _ in range(shown[c])]
        assert turn["left"] == middle
        assert len(middle) + on_cards == 6, "no die is lost"
        if covered[seat] == sum(fruits):
            winner = seat
        assert turn["eating"] == (middle == [] and winner is None)
        if turn["eating"]:
            eatings += 1
            on_cards = 0
    assert played["winner"] == winner
    assert winner is not None or len(turns) == rules["max_turns"]
    game = {"turns": len(turns), "rolls": rolls, "eatings": eatings, "capped": int(winner is None)}
    return [
        game | {"fruits": covered[s], "cards": finished[s], "start_fruit": starts[s], "win": int(s == winner)}
        for s in range(seats)
    ]


@pytest.mark.parametrize(
    ("rules", "policies"), [*VARIANTS, *(pytest.param(*perfect, marks=compiled_only) for perfect in PERFECT)]
)
def test_every_move_is_legal_and_the_row_is_the_sum_of_the_moves(rules: dict[str, Any], policies: list[str]) -> None:
    games = 60 if COMPILED else 3
    found = rows(rules, policies, games)
    for game in range(games):
        for seat, result in enumerate(referee(trace(rules, policies, game))):
            assert result == {name: int(values[game, seat]) for name, values in found.items()}


def test_the_referee_can_tell() -> None:
    """Wrong moves that it must not let pass."""

    def spoilt(change: Any) -> dict[str, Any]:
        played = trace(None, ["match", "random"], 4)
        change(played["turns"])
        return played

    referee(spoilt(lambda turns: None))
    full = next(i for i, t in enumerate(trace(None, ["match", "random"], 4)["turns"]) if len(t["taken"]) == 2)
    takes = next(i for i, t in enumerate(trace(None, ["match", "random"], 4)["turns"]) if t["taken"])
    wrong = [
        lambda turns: turns[full]["taken"].pop(),
        lambda turns: turns[full]["chosen"].clear(),
        lambda turns: turns[takes]["taken"][0].__setitem__(1, 4),
        lambda turns: turns[takes]["left"].append(5),
        lambda turns: turns[takes].update(eating=not turns[takes]["eating"]),
        lambda turns: turns.pop(),
        lambda turns: turns[3]["rolled"].append([0]),
    ]
    for change in wrong:
        with pytest.raises(AssertionError):
            referee(spoilt(change))


def test_a_capped_game_is_the_beginning_of_the_whole_one() -> None:
    whole = trace(None, ["match", "random", "odds"], 7)
    for cap in (1, 2, 31, 32, 33, len(whole["turns"]) - 1):
        capped = trace({"max_turns": cap}, ["match", "random", "odds"], 7)
        assert capped["turns"] == whole["turns"][:cap]
        assert capped["winner"] is None
        row = rows({"max_turns": cap}, ["match", "random", "odds"], 1, first=7)
        assert (row["turns"] == cap).all()
        assert (row["capped"] == 1).all()
        assert (row["win"] == 0).all()
    length = len(whole["turns"])
    assert trace({"max_turns": length}, ["match", "random", "odds"], 7)["winner"] == whole["winner"]


def test_a_story_names_every_turn_and_the_winner() -> None:
    scenario = GAME.scenario({"new_card_take": "may"}, ["racer(guard=5)", "match", "random"])
    for game in range(5):
        played = GAME.trace(scenario.rules, scenario.policies, 1, game)
        story = GAME.tell(json.loads(json.dumps(played)))
        lines = story.splitlines()
        assert sum(line.startswith("Turn ") for line in lines) == len(played["turns"])
        turns = len(played["turns"])
        assert lines[-1] == f"Seat {played['winner']} has covered all 21 fruits and wins in turn {turns}."
        assert lines[-2].endswith("Covered: 21 of 21.")
        refused = sum(
            bool(turn["chosen"])
            and turn["chosen"][-1] in turn["left"]
            and turn["chosen"][-1] not in dict(turn["taken"])
            for turn in played["turns"]
        )
        assert story.count("Refuses") == refused


def test_the_story_of_the_first_turn() -> None:
    rules = {"start_fruit": [2, 4], "fruits": [1, 2, 4, 4, 5, 6], "new_card_take": "may"}
    scenario = GAME.scenario(rules, ["racer(guard=5)", "match"])
    story = GAME.tell(GAME.trace(scenario.rules, scenario.policies, 1, 3))
    assert "Before the first turn all six dice are rolled: 4 purple, 2 red." in story
    assert (
        "Turn 1, seat 0: the middle shows purple, no roll. Takes 4 purple (4 of 4, full). Lays out red. "
        "Refuses the red. Left: 2 red. Covered: 4 of 22." in story
    )


# ----------------------------------------------------------------------------------------------------------------------
# Guarded results

GOLDEN_FILE = os.path.join(os.path.dirname(__file__), "golden.json")
REMEDY = "results changed: raise KERNEL_VERSION and run this file as a program to renew the digests"


def golden(games: int, variants: Sequence[tuple[dict[str, Any], list[str]]] = VARIANTS) -> dict[str, str]:
    """Digests of raw results, by variant and line-up."""
    digests = {}
    for rules, policies in variants:
        scenario = GAME.scenario(rules, policies)
        out = play_rows(GAME.compile(scenario.rules, scenario.policies), 2**63 + 5, 2**40, games)
        digests[f"{json.dumps(rules)} {policies}"] = digest(out)
    return digests


@compiled_only
def test_golden_digests() -> None:
    with open(GOLDEN_FILE, encoding="utf-8") as file:
        known = json.load(file)
    assert known["kernel_version"] == KERNEL_VERSION == GAME.kernel_version, REMEDY
    assert golden(known["games"], [*VARIANTS, *PERFECT]) == known["digests"], REMEDY


@compiled_only
def test_the_interpreter_plays_the_same_games() -> None:
    """Every variant above with the compiler off: the same digests, and the same moves."""
    code = (
        "import json, test_karolinchen_kernel as t; "
        "print(json.dumps([t.golden(20), t.trace(*t.VARIANTS[3], 2), t.trace(*t.VARIANTS[4], 2)]))"
    )
    env = {**os.environ, "SIM_JIT": "0", "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path])}
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [golden(20), trace(*VARIANTS[3], 2), trace(*VARIANTS[4], 2)]


if __name__ == "__main__":
    with open(GOLDEN_FILE, "w", encoding="utf-8") as file:
        digests = golden(500, [*VARIANTS, *PERFECT])
        json.dump({"kernel_version": KERNEL_VERSION, "games": 500, "digests": digests}, file, indent=1)
