"""Skill and luck as tables, from sweeps small enough to check against the games themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from conftest import ROOT

import sim
from sim import analysis, stats
from sim.sweep.plan import plan

GAMES = 3000


def made(tmp_path: Path, **more: Any) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    spec = {"name": "small", "title": "small", "seed": 11, "games": GAMES, **more}
    sim.sweep(spec, data=tmp_path)
    tables = [sim.load("small", data=tmp_path, table=name) for name in ("counts", "differences")]
    return tables[0], tables[1], sim.scenarios("small", data=tmp_path)


@pytest.fixture(scope="module")
def solo(tmp_path_factory: pytest.TempPathFactory) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    return made(
        tmp_path_factory.mktemp("solo"),
        game="caterpillars",
        by=["score"],
        variants=[{"grid": {"level": ["beginner", "advanced"]}}],
        policies=["random", "greedy"],
        pairs=[{"of": "score", "against": {"policies": "greedy"}}],
    )


def test_a_row_is_what_the_games_say(solo: tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]) -> None:
    table = analysis.skill_and_luck(*solo)
    # the worse policy was named first in the sweep; the better one is told first here
    assert table.select("level", "better", "other", "plays").rows() == [
        ("beginner", "greedy", "random", 1),
        ("advanced", "greedy", "random", 1),
    ]
    row = table.row(1, named=True)
    a, b = (
        sim.simulate("caterpillars", rules={"level": "advanced"}, policies=[name], games=GAMES, seed=11)["score"]
        .cast(pl.Int64)
        .to_numpy()
        for name in ("greedy", "random")
    )
    assert row["value"] == pytest.approx((a - b).mean())
    assert row["beats"] == pytest.approx(((a > b) + (a == b) / 2).mean())
    exact = stats.two_way(np.stack([a, b], axis=1), np.ones(GAMES, int))
    for part in ("policy", "dice", "interaction"):
        assert row[part] == pytest.approx(getattr(exact, part).value)
        assert row[f"{part}_low"] < row[part] < row[f"{part}_high"]
    assert row["policy"] + row["dice"] + row["interaction"] == pytest.approx(1)
    assert row["needed"] == stats.games_needed(*np.unique(a - b, return_counts=True)).value
    # with dice of their own the same skill takes longer to show
    assert row["needed"] < row["needed_apart"]


def test_chance_grows_with_the_games_and_with_common_dice(
    solo: tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame],
) -> None:
    table = analysis.chance_ahead(*solo, games=(1, 4, 16))
    assert table.height == 2 * 3 * 2
    for level in ("beginner", "advanced"):
        for dice in ("same", "own"):
            chance = table.filter((pl.col("level") == level) & (pl.col("dice") == dice))["value"].to_list()
            assert chance == sorted(chance)
    one = table.filter((pl.col("games") == 1) & (pl.col("dice") == "same"))
    assert one["value"].to_list() == pytest.approx(analysis.skill_and_luck(*solo)["beats"].to_list())
    same, own = (table.filter(pl.col("dice") == dice)["value"] for dice in ("same", "own"))
    assert (same > own).all()


def test_a_change_of_rules_is_no_pair_of_policies(tmp_path: Path) -> None:
    tables = made(
        tmp_path,
        game="caterpillars",
        by=["score"],
        variants=[{"one_factor": {"final": ["total"]}}],
        policies=["greedy"],
        pairs=[{"of": "score", "against": "base"}],
    )
    assert tables[1].height
    assert analysis.skill_and_luck(*tables, keys=()).is_empty()


def test_swapped_seats_are_one_comparison_of_two_games(tmp_path: Path) -> None:
    swapped = ["greedy, random", "random, greedy"]
    tables = made(
        tmp_path,
        game="parlett",
        by=["win"],
        policies=[text.split(", ") for text in swapped],
        pairs=[{"of": "win", "seats": [0], "against": {"policies": ["random", "greedy"]}}],
    )
    row = analysis.skill_and_luck(*tables, of="win", keys=()).row(0, named=True)
    assert (row["better"], row["other"], row["plays"], row["seat"]) == (*swapped, 2, 0)
    first, second = (
        sim.simulate("parlett", policies=text.split(", "), games=GAMES, seed=11).filter(pl.col("seat") == 0)["win"]
        for text in swapped
    )
    assert row["value"] == pytest.approx((first - second).mean())  # wins over two games, less one


def test_kinds_of_endings_and_the_test_of_seats() -> None:
    games = pl.DataFrame(
        {"game": [0, 0, 1, 1, 2, 2, 3, 3], "seat": [0, 1] * 4, "win": [1.0, 0.0, 0.5, 0.5, 0.0, 0.0, 1.0, 0.0]}
    )
    patterns, counts = analysis.winners(games)
    assert dict(zip(map(tuple, patterns.tolist()), counts.tolist(), strict=True)) == {
        (False, False): 1,
        (True, True): 1,
        (True, False): 2,
    }
    # two players who choose at random on the same dice: seats are alike (error rate 1e-3), and shared wins are seen
    rows = sim.simulate("caterpillars", policies=["random", "random"], games=20_000, seed=3)
    found = analysis.seats_alike(rows, seed=1, alpha=0.001)
    assert found.sound
    assert not found.alarm
    # the first seat of Parlett's game is another seat: the test sees it
    assert analysis.seats_alike(sim.simulate("parlett", policies=["greedy"] * 2, games=5_000, seed=3), seed=1).alarm


@pytest.mark.parametrize("path", sorted((ROOT / "sweeps").glob("skill-*.yaml")), ids=lambda p: p.stem)
def test_shipped_sweeps_hold_what_the_table_needs(path: Path) -> None:
    planned = plan(path)
    assert planned.name == path.stem
    known = {cell.id for cell in planned.cells}
    compared = [(cell, pair) for cell in planned.cells for pair in cell.pairs]
    assert compared
    for cell, pair in compared:
        assert pair.against is not None
        assert pair.against.id in known, f"{cell.label}: the other side's own counts are missing"
        assert pair.of in planned.by
