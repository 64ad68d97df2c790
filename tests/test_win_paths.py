"""Chances of winning from play-outs: the games are those played, chances are right, and threads change nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import polars as pl
import pytest

import sim
from sim.engine.paths import PLAYOUTS, conclude, playout_key
from sim.errors import InputError

#: game, rules, line-up; what ends each game is told by columns of its rows
TABLES: tuple[tuple[str, Any, list[str]], ...] = (
    ("caterpillars", "expert", ["planner(placement=random)", "child", "random"]),
    ("caterpillars", "beginner", ["greedy(placement=random)", "weighted", "thumb", "greedy"]),
    ("parlett", None, ["planner", "greedy"]),
    ("parlett", {"deals": 2, "block": "barred"}, ["greedy", "planner"]),
    ("karolinchen", None, ["match"] * 4),
    ("karolinchen", {"new_card_take": "may", "opening": "own_roll", "max_turns": 60}, ["random", "odds", "match"]),
)


def by_moment(paths: pl.DataFrame) -> pl.DataFrame:
    keys = ("game", "turn")
    return paths.group_by(*keys, maintain_order=True).agg(pl.col("value").sum(), pl.col("surest").first())


@pytest.mark.parametrize(("game", "rules", "policies"), TABLES)
def test_paths_end_as_the_games_do_and_threads_change_nothing(game: str, rules: Any, policies: list[str]) -> None:
    call: dict[str, Any] = {"rules": rules, "policies": policies, "seed": 8, "first_game": 5}
    paths = sim.win_paths(game, **call, games=20, playouts=20)
    rows = sim.simulate(game, **call, games=20)
    ends = paths.group_by("game", "seat", maintain_order=True).last()
    assert ends["value"].to_list() == pytest.approx(rows["win"].to_list())
    assert (ends["turn"] == ends["turns"] + 1).all()
    moments = by_moment(paths)
    wins = rows.group_by("game", maintain_order=True).agg(pl.col("win").sum())["win"]
    assert moments["value"].max() == pytest.approx(1)
    capped = (wins == 0).any()
    assert capped == (rules is not None and "max_turns" in rules)  # and nobody wins those
    if not capped:
        assert moments["value"].to_numpy() == pytest.approx(1)
    expected = rows["turns"] if game == "karolinchen" else rows["score"] * 0 + 12
    if game == "parlett":
        expected = rows.group_by("game", maintain_order=True).agg(pl.col("cards_played").sum())["cards_played"]
    found = ends["turns"] if game != "parlett" else ends.filter(pl.col("seat") == 0)["turns"]
    assert found.to_list() == expected.to_list()
    assert paths["turn"].to_list() == [
        t for turns in ends.filter(pl.col("seat") == 0)["turns"] for t in range(1, turns + 2) for _ in policies
    ]
    assert sim.win_paths(game, **call, games=20, playouts=20, workers=3).equals(paths)
    later = sim.win_paths(game, **{**call, "first_game": 22}, games=3, playouts=20)
    assert later.equals(paths.filter(pl.col("game") >= 22))


@pytest.mark.parametrize(("game", "rules", "policies"), TABLES)
def test_chances_from_play_outs_hold(game: str, rules: Any, policies: list[str]) -> None:
    """Mean change of a seat's chance over a game, and up to its middle, is 0: |z| < 4.5 for two seats, twice, six
    line-ups: error rate 2e-4. The chances of a game share their play-outs, so a game counts once.
    """
    paths = sim.win_paths(game, rules=rules, policies=policies, games=150, seed=3, playouts=50)
    middle = (pl.col("turn") <= pl.col("turns") / 2 + 1).alias("early")
    for seat in (0, 1):
        own = paths.filter(pl.col("seat") == seat)
        start = own.group_by("game", maintain_order=True).first()["value"].to_numpy()
        half = own.filter(middle).group_by("game", maintain_order=True).last()["value"].to_numpy()
        end = own.group_by("game", maintain_order=True).last()["value"].to_numpy()
        for change in (end - half, end - start):
            assert change.std() > 0
            assert abs(change.mean()) < 4.5 * change.std() / np.sqrt(change.size)
        assert np.abs(end - half).mean() < np.abs(end - start).mean()  # the middle knows more than the start


@pytest.mark.parametrize(
    ("game", "rules", "policies"),
    [
        ("karolinchen", {"opening": "own_roll", "start_fruit": [0, 3, 5]}, ["random", "match", "odds"]),
        ("caterpillars", {"level": "expert", "sheet": [1, 6, 3, 4, 2, 5, 3, 4, 1, 6, 2, 5]}, ["child", "planner"]),
    ],
)
def test_play_outs_of_a_whole_game_are_the_games_of_its_key(game: str, rules: Any, policies: list[str]) -> None:
    """Where nothing is drawn before the first move, play-out j is game j under the key (docs/randomness.md)."""
    call: dict[str, Any] = {"rules": rules, "policies": policies}
    paths = sim.win_paths(game, **call, games=2, seed=6, first_game=3, playouts=50)
    for number in (3, 4):
        key = int(playout_key(np.uint64(6), np.uint64(number)))
        rows = sim.simulate(game, **call, games=50, seed=key)
        wins = rows.group_by("seat", maintain_order=True).agg(pl.col("win").mean())["win"]
        first = paths.filter(pl.col("game") == number, pl.col("turn") == 1)
        assert first["value"].to_list() == pytest.approx(wins.to_list())


def test_play_outs_of_perfect_players_agree_with_the_exact_chances() -> None:
    """Seat 0 before each turn with a roll: mean difference of a game and mean square against the binomial variance;
    |z| < 4.1 for the mean, within 15 % for the variance (3,400 moments, several standard errors): error rate 1e-4.
    """
    call: dict[str, Any] = {"policies": ["optimal", "optimal"], "games": 80, "seed": 5}
    exact = sim.win_paths("karolinchen", **call)
    found = sim.win_paths("karolinchen", **call, playouts=200)
    keys = ["game", "turn", "turns", "seat", "won"]
    both = exact.join(found.select(*keys, guess="value"), on=keys, how="left").filter(pl.col("seat") == 0)
    assert both["guess"].null_count() == 0
    before = both.filter(pl.col("turn") <= pl.col("turns"))
    miss = (before["guess"] - before["value"]).to_numpy()
    each = before.with_columns(miss=miss).group_by("game").agg(pl.col("miss").mean())["miss"].to_numpy()
    assert abs(each.mean()) < 4.1 * each.std() / np.sqrt(each.size)
    p = before["value"].to_numpy()
    binomial = p * (1 - p) / 200
    assert (miss**2).mean() == pytest.approx(binomial.mean(), rel=0.15)


def test_without_the_compiler_chances_are_the_same() -> None:
    """The plain-Python lane, in a fresh process, for one line-up of each game."""
    code = "import json, sim; calls = json.loads(input()); "
    code += "print(json.dumps([sim.win_paths(**c)[name].to_list() for c in calls for name in ('value', 'surest')]))"
    calls = [
        {"game": game, "rules": rules, "policies": policies, "games": 1, "seed": 4, "playouts": 2}
        for game, rules, policies in TABLES[::2]
    ]
    env = {**os.environ, "SIM_JIT": "0", "PYTHONPATH": os.pathsep.join(sys.path)}
    given = {"input": json.dumps(calls), "env": env, "capture_output": True, "text": True}
    done = subprocess.run([sys.executable, "-c", code], **given, check=True)
    assert json.loads(done.stdout) == [
        sim.win_paths(**call)[name].to_list() for call in calls for name in ("value", "surest")
    ]


def test_a_table_of_identical_players_on_common_dice_is_decided_as_shared() -> None:
    """Who does the very same thing always shares the win: nothing is ever open."""
    paths = sim.win_paths("caterpillars", policies=["planner", "planner"], games=10, seed=1, playouts=10)
    assert (paths["value"] == 0.5).all()
    assert (paths["surest"] == 1.0).all()


def test_results_are_tallied_by_who_wins_together() -> None:
    counts, chance = np.zeros(64, np.int64), np.zeros(3)
    counts[0b001], counts[0b110], counts[0] = 5, 4, 1
    assert conclude(counts, 3, 10, chance) == 0.5
    assert chance.tolist() == pytest.approx([0.5, 0.2, 0.2])
    assert not counts.any()


def test_play_outs_have_a_key_of_their_own_in_every_game() -> None:
    keys = {int(playout_key(np.uint64(seed), np.uint64(game))) for seed in range(20) for game in range(50)}
    assert len(keys) == 1000
    assert PLAYOUTS == 400  # told in the documentation


@pytest.mark.parametrize(
    ("game", "change", "text"),
    [
        ("caterpillars", {"policies": ["rollout", "greedy"]}, "policy rollout; accepted: policies that do not play on"),
        ("parlett", {"policies": ["search", "greedy"]}, "policy search; accepted: policies that do not play on"),
        ("caterpillars", {"policies": ["greedy"]}, "with 1 players; accepted: 2 to 6"),
        ("caterpillars", {"policies": ["greedy"] * 7}, "with 7 players; accepted: 2 to 6"),
        ("karolinchen", {"playouts": 0}, "playouts = 0 is not accepted"),
        ("karolinchen", {"games": 0}, "games = 0 is not accepted"),
    ],
)
def test_what_cannot_be_told_is_refused_in_one_line(game: str, change: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError) as error:
        sim.win_paths(game, **{"games": 2, "seed": 1, **change})
    assert text in str(error.value)
    assert "\n" not in str(error.value)
