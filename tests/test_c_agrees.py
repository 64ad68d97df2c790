"""The kernels play the very games that the C programs play.

The C programs were written from the rules and from ``docs/randomness.md`` alone. Every case compares the digest of all
result fields of a few hundred games, with the reference policies, which both sides know by name.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from benchmarks.c_program import FIELDS, CProgram, compiler
from sim.engine.digest import digest
from sim.games import get

pytestmark = pytest.mark.skipif(compiler() is None, reason="no C compiler found (cc, or the environment variable CC)")

GAMES = 200

READINGS: dict[str, tuple[Any, ...]] = {
    "setup": ("standard", "variation"),
    "zero_rule": ("forced", "split", "strict"),
    "bonus_ban": ("same_box", "any"),
    "double_optional": (False, True),
    "double_stores": ("doubled", "face", "barred"),
    "bonus_source": ("regular", "any"),
    "idle_dice": (False, True),
    "final": ("median", "lowest", "highest", "total"),
    "boxes": (4, 3, 2, 1),
}


def kernel_rows(game: str, rules: dict[str, Any], policies: list[str], seed: int, first: int, games: int) -> np.ndarray:
    scenario = get(game).scenario(rules, policies)
    playable = get(game).compile(scenario.rules, scenario.policies)
    assert [f.name for f in playable.fields] == FIELDS[game]
    out = np.zeros((len(playable.fields), games * playable.seats), np.int32)
    playable.play(seed, first, games, out, playable.scratch())
    return out


def assert_same_games(
    game: str, rules: dict[str, Any], policies: list[str], seed: int, first: int, games: int = GAMES
) -> None:
    ours = kernel_rows(game, rules, policies, seed, first, games)
    theirs = CProgram(game, rules, policies).rows(seed, first, games)
    if digest(ours) != digest(theirs):
        column = int(np.flatnonzero((ours != theirs).any(axis=0))[0])
        where = f"game {first + column // len(policies)} seat {column % len(policies)}"
        pytest.fail(
            f"{game} {rules} {policies} seed {seed}: {where}: "
            f"kernel {dict(zip(FIELDS[game], ours[:, column].tolist(), strict=True))}, "
            f"C {dict(zip(FIELDS[game], theirs[:, column].tolist(), strict=True))}"
        )


def some_seed(rng: random.Random) -> tuple[int, int]:
    """A seed and a first game from the whole range, so that every half of the key and the counter is used."""
    return rng.getrandbits(64), rng.getrandbits(63) >> 12


def sheet_for(rng: random.Random, boxes: int, setup: str) -> list[int]:
    """Labels of one's own, with a number of blanks that fills whole rolls."""
    blanks = rng.choice(range(0, 3 * boxes + 1, 3 if setup == "standard" else 2))
    labels = [0] * blanks + [rng.randint(1, 12) for _ in range(3 * boxes - blanks)]
    rng.shuffle(labels)
    return labels


@pytest.mark.parametrize("level", ["beginner", "intermediate", "advanced", "expert"])
@pytest.mark.parametrize("policy", ["random", "greedy"])
def test_caterpillars_one_reading_at_a_time(level: str, policy: str) -> None:
    rng = random.Random(f"{level} {policy}")
    for name, values in READINGS.items():
        for value in values:
            if level == "beginner" and value == "variation":
                continue
            rules = {"level": level, name: value}
            if name == "boxes":
                rules["sheet"] = sheet_for(rng, value, "standard")
            assert_same_games("caterpillars", rules, [policy], *some_seed(rng))


def test_caterpillars_readings_mixed() -> None:
    rng = random.Random(1)
    for _ in range(60):
        rules = {name: rng.choice(values) for name, values in READINGS.items()}
        rules["level"] = rng.choice(["beginner", "intermediate", "advanced", "expert", "expert", "expert"])
        if rules["level"] == "beginner":
            rules["setup"] = "standard"
        if rules["boxes"] < 4 or rng.random() < 0.5:
            rules["sheet"] = sheet_for(rng, rules["boxes"], rules["setup"])
        policies = [rng.choice(["random", "greedy"]) for _ in range(rng.choice([1, 2, 4]))]
        assert_same_games("caterpillars", rules, policies, *some_seed(rng))


@pytest.mark.parametrize("preset", ["english", "german"])
def test_caterpillars_presets(preset: str) -> None:
    ours = kernel_rows("caterpillars", {"preset": preset, "level": "expert"}, ["random"], 7, 0, GAMES)
    rules = {"level": "expert", "zero_rule": "split" if preset == "english" else "forced"}
    assert digest(ours) == digest(CProgram("caterpillars", rules, ["random"]).rows(7, 0, GAMES))


def test_karolinchen() -> None:
    rng = random.Random(2)
    for seats in (2, 3, 4, 5, 6):
        for policy in ("random", "longest", "shortest", "match"):
            assert_same_games("karolinchen", {}, [policy] * seats, *some_seed(rng))
    for _ in range(200):
        seats = rng.randint(2, 6)
        rules: dict[str, Any] = {
            "opening": rng.choice(["open", "own_roll"]),
            "new_card_take": rng.choice(["must", "may"]),
            "reroll_after_eating": rng.random() < 0.5,
            "max_turns": rng.choice([10_000, 50, 7, 1]),
            "fruits": rng.choice([[1, 2, 3, 4, 5, 6], [6, 1, 1, 2, 2, 3], [1] * 6, [3, 3, 3, 3, 8, 1]]),
        }
        if rng.random() < 0.5:
            rules["start_fruit"] = [rng.randrange(6) for _ in range(seats)]
        policies = [rng.choice(["random", "longest", "shortest", "match"]) for _ in range(seats)]
        assert_same_games("karolinchen", rules, policies, *some_seed(rng))


def test_parlett() -> None:
    rng = random.Random(3)
    for block in ("allowed", "barred"):
        for policies in (["random"] * 2, ["greedy"] * 2, ["random", "greedy"]):
            assert_same_games("parlett", {"block": block}, policies, *some_seed(rng))
    for _ in range(200):
        rules = {
            "block": rng.choice(["allowed", "barred"]),
            "deals": rng.choice([1, 2]),
            "hand_size": rng.choice([13, 1, 2, 25, rng.randint(1, 25)]),
            "multiple": rng.choice([5, 1, 3, 10]),
            "court_bonus": rng.choice([100, 0, 37]),
        }
        assert_same_games("parlett", rules, [rng.choice(["random", "greedy"]) for _ in range(2)], *some_seed(rng))


@pytest.mark.parametrize(
    ("game", "policies"), [("caterpillars", ["random"]), ("karolinchen", ["random"] * 3), ("parlett", ["random"] * 2)]
)
def test_other_games_have_other_digests(game: str, policies: list[str]) -> None:
    """The comparison can fail: another seed, another stretch of games and another policy all show."""
    same = digest(kernel_rows(game, {}, policies, 7, 0, 50))
    program = CProgram(game, {}, policies)
    assert digest(program.rows(7, 0, 50)) == same
    assert digest(program.rows(8, 0, 50)) != same
    assert digest(program.rows(7, 1, 50)) != same
    other = {"caterpillars": "greedy", "karolinchen": "match", "parlett": "greedy"}[game]
    assert digest(CProgram(game, {}, [other] * len(policies)).rows(7, 0, 50)) != same
