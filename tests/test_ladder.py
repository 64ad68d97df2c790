"""Ladders: the longest chain, measured on fresh games, kept with what makes it again."""

from __future__ import annotations

import re
import shlex
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import yaml
from conftest import ROOT

from sim.cli import run
from sim.errors import SimError
from sim.league import climbed
from sim.league.chain import longest_chain
from sim.league.ladder import Ladder, make_ladder, read_pool
from sim.league.tournament import tournament
from sim.store import schema

pytestmark = pytest.mark.usefixtures("toy")

POOL: dict[str, Any] = {
    "game": "toy",
    "games": 4000,
    "measure": 6000,
    "seed": 5,
    "rungs": 4,
    "pool": ["plain", *(f"add(more={m})" for m in range(0, 7))],
}


@pytest.fixture(scope="module")
def pool_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pools") / "toys.yaml"
    path.write_text(yaml.safe_dump(POOL))
    return path


# ----------------------------------------------------------------------------------------------------------------------
# The chain


def best_by_trying_all(
    order: list[int], margin: np.ndarray, noisy: list[bool], most: int, noise: int
) -> tuple[Any, ...]:
    """What the definition asks for, over every subset: members, both ends, noise, smallest margin."""
    best: tuple[Any, ...] = (0,)
    for size in range(1, most + 1):
        for chain in combinations(order, size):  # keeps the order
            margins = [margin[b, a] for a, b in pairwise(chain)]
            used = sum(noisy[i] for i in chain)
            if used <= noise and all(m > 0 for m in margins):
                ends = (chain[0] == order[0]) + (chain[-1] == order[-1])
                best = max(best, (size, ends, -used, min(margins, default=np.inf)))
    return best


def test_the_chain_is_the_best_of_all() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        n = int(rng.integers(1, 8))
        order = rng.permutation(n).tolist()
        margin = rng.normal(0.3, 1, (n, n))
        noisy = (rng.random(n) < 0.4).tolist()
        most, noise = int(rng.integers(1, 7)), int(rng.integers(0, 3))
        chain = longest_chain(order, margin, noisy, most, noise)
        margins = [margin[b, a] for a, b in pairwise(chain)]
        assert all(m > 0 for m in margins)
        assert [order.index(i) for i in chain] == sorted(order.index(i) for i in chain)
        found = (0,)
        if chain:
            ends = (chain[0] == order[0]) + (chain[-1] == order[-1])
            found = (len(chain), ends, -sum(noisy[i] for i in chain), min(margins, default=np.inf))
        assert found == best_by_trying_all(order, margin, noisy, most, noise)


# ----------------------------------------------------------------------------------------------------------------------
# A ladder


def texts(ladder: Ladder) -> list[str]:
    return [p.text() for p in ladder.rungs]


def test_a_ladder_has_both_ends_and_even_steps() -> None:
    """Of seven strengths and four rungs, the steps are two each; a policy as strong as another is not above it."""
    ladder = make_ladder(POOL)
    assert texts(ladder)[-1] == "add(more=6)"
    assert texts(ladder)[0] in ("plain", "add(more=0)")
    assert texts(ladder)[1:3] == ["add(more=2)", "add(more=4)"]
    assert ladder.holds
    everyone = make_ladder({**POOL, "rungs": 10})
    assert len(everyone.rungs) == 7


def test_a_ladder_is_measured_on_games_that_had_no_say_in_its_choice() -> None:
    ladder = make_ladder(POOL)
    fresh = tournament("toy", policies=texts(ladder), games=6000, seed=6)
    level = 1 - 0.05 / 3  # for four rungs, three steps
    for i in range(1, 4):
        assert ladder.rates[i - 1] == fresh.rate(i, i - 1, level)
        assert ladder.gains[i - 1].low == pytest.approx(fresh.rate(i, i - 1, level).low - 0.5)
        assert ladder.floors[i - 1] == fresh.rate(i, 0)


def test_a_ladder_by_score_has_its_gaps_in_points() -> None:
    ladder = make_ladder({**POOL, "by": "score", "gap": 1.5, "rungs": 10})
    assert [e.value for e in ladder.gains] == pytest.approx([2.0, 2.0, 2.0])  # the same dice: exactly what is added


def test_noise_is_used_no_more_than_allowed() -> None:
    pool = ["random", "planner(slip=0.7)", "planner(slip=0.5)", "planner(slip=0.3)", "planner"]
    call: dict[str, Any] = {"game": "parlett", "games": 1500, "seed": 2, "pool": pool}
    assert len(make_ladder(call).rungs) == 5
    two = make_ladder({**call, "noise": 1})
    assert len(two.rungs) == 3
    assert sum(p.slip > 0 for p in two.rungs) == 1
    assert [(a.id, b.id) for a, b, _ in two.ranges] == [("planner", "random")]


def test_slow_policies_are_put_on_top_where_they_hold() -> None:
    call = {**POOL, "rungs": 5, "top_games": 900}
    ladder = make_ladder({**call, "top": ["add(more=6, slip=0.5)", "add(more=8)", "add(more=10)"]})
    # the toy does not slip: the first one is as strong as the rung below and left out, and its room is used
    assert texts(ladder) == [texts(ladder)[0], "add(more=3)", "add(more=6)", "add(more=8)", "add(more=10)"]
    assert ladder.games == [6000, 6000, 900, 900]
    fresh = tournament("toy", policies=["add(more=6)", "add(more=8)"], games=900, seed=6)
    assert ladder.rates[2].row() == pytest.approx(fresh.rate(1, 0, 1 - 0.05 / 4).row())
    assert sum(ladder.first[2]) == 2 * 90
    assert [r["games"] for r in ladder.rows()] == [0, 6000, 6000, 900, 900]


def test_wrong_pools_are_refused(tmp_path: Path) -> None:
    for change, message in (
        ({"pool": ["plain"]}, "at least two policies"),
        ({"pool": ["plain", "plain"]}, "names a policy twice"),
        ({"top": ["plain"]}, "names a policy twice"),
        ({"top": ["add(slip=0.1)"], "rungs": 2}, "has 1 policies in top; accepted: at most 0 of 2 rungs"),
        ({"by": "luck"}, r"unknown measure \(by\) of pool ladder 'luck'; accepted: win, score"),
        ({"gap": -1}, "gap = -1 of pool ladder is not accepted"),
        ({"gap": 0.9}, r"gap = 0.9 of pool ladder is not accepted; accepted: a number from 0, less than 0.5 \(share"),
        ({"rung": 3}, r"unknown key of pool ladder 'rung' \(did you mean rungs\?\)"),
        ({"game": "karolinchen", "pool": ["match", "racer"], "by": "score"}, "karolinchen has no scores"),
        ({"pool": ["plain", "add(more=0)"]}, "no two policies are surely 0.01 apart; accepted: more games, or others"),
    ):
        with pytest.raises(SimError, match=message):
            make_ladder({**POOL, **change})
    with pytest.raises(
        SimError, match=r"not a pool; accepted: YAML with game, pool and, if wanted, rules, by, \S+,"
    ) as e:
        make_ladder({"game": "toy"})
    told = str(e.value).split("with ")[1].replace(" and, if wanted", "").split(", ")
    assert len(set(told)) == len(told)  # no key twice
    with pytest.raises(SimError, match="cannot read"):
        read_pool(tmp_path / "none.yaml")


def test_the_pool_of_the_how_to_can_be_read() -> None:
    page = (ROOT / "docs" / "how-to" / "tournament.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```yaml\n(.*?)^```", page, re.M | re.S)
    pool = read_pool(yaml.safe_load(example))
    assert (pool.by, pool.gap, len(pool.policies)) == ("win", 0.01, 5)


# ----------------------------------------------------------------------------------------------------------------------
# Kept ladders


def test_kept_and_played_again(pool_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ladder", str(pool_file), "--out", str(tmp_path)]) == 0
    assert "4 rungs by win rate, 6,000 fresh game indices" in capsys.readouterr().out
    kept = tmp_path / "toys.parquet"
    made, rungs = climbed.read(kept)
    assert [c.name for c in schema.STANDINGS["ladder"][1]] == list(rungs[0])
    assert [r["policy"] for r in rungs] == texts(make_ladder(POOL))
    assert made["chosen"]["pool"] == [p.text() for p in read_pool(pool_file).policies]
    before = kept.read_bytes()
    make_ladder(pool_file, workers=2).write(kept)
    assert kept.read_bytes() == before
    assert run(["ladder", "--check", "--results", str(tmp_path), "--record", str(tmp_path / "found.json")]) == 0
    assert "yes" in capsys.readouterr().out
    assert '"passed": true' in (tmp_path / "found.json").read_text()


def test_a_ladder_that_is_no_longer_true_is_a_fault(
    pool_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = make_ladder(pool_file)
    rows = [{**row, "first_wins": row["first_wins"] + 1} for row in ladder.rows()]
    monkeypatch.setattr(Ladder, "rows", lambda self: rows)
    ladder.write(tmp_path / "toys.parquet")
    assert run(["ladder", "--check", "--results", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert "NO" in out
    assert "sim: fault: kept ladder toys is not what is played now" in err
    assert err.count("\n") == 1


def test_the_ladders_of_the_project_are_what_is_played() -> None:
    """A pair of neighbours of each plays its first games again; every pool has its ladder."""
    found = climbed.check(3, ROOT / "data" / "ladders")
    assert climbed.fault(found) is None
    pools = {p.stem for p in (ROOT / "sweeps" / "ladders").glob("*.yaml")}
    assert {row["ladder"] for row in found} == pools


@pytest.mark.parametrize("name", sorted(p.stem for p in (ROOT / "sweeps" / "ladders").glob("*.yaml")))
def test_the_ladders_of_the_project_keep_their_promise(name: str) -> None:
    """Gaps are sure on fresh games, at most three rungs are noise, and the file belongs to the pool as it is."""
    made, rungs = climbed.read(ROOT / "data" / "ladders" / f"{name}.parquet")
    pool = read_pool(ROOT / "sweeps" / "ladders" / f"{name}.yaml")
    assert made["chosen"]["pool"] == [p.text() for p in pool.policies]
    assert made["rules"] == pool.rules.identity()
    assert all(r["gain_low"] > pool.gap for r in rungs[1:])
    assert sum(r["noise"] for r in rungs) <= 3
    frame = pl.DataFrame(rungs)
    assert frame["rung"].to_list() == list(range(1, len(rungs) + 1))
    if pool.game.name != "karolinchen":
        assert len(rungs) == 10


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "no pool was given; accepted: at least one file"),
        ("none.yaml", "cannot read none.yaml; accepted: a pool of policies"),
        ("--check --results nowhere", "nowhere holds no ladders; accepted"),
    ],
)
def test_wrong_use_is_told_in_one_line(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ladder", *shlex.split(line)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err
