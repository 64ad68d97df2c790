"""The Python face: what every call returns, that it depends on what it should and nothing else, and how it refuses."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import polars as pl
import pytest
from conftest import ROOT

import sim
from sim.errors import InputError, PolicyError, RulesError, SimError

COLUMNS = {
    "caterpillars": [
        *(
            "score",
            "total_a",
            "total_b",
            "total_c",
            "bonus_a",
            "bonus_b",
            "bonus_c",
            "flying",
            "box_sum",
            "zeros",
            "win",
        ),
    ],
    "karolinchen": ["turns", "rolls", "eatings", "fruits", "cards", "start_fruit", "capped", "win"],
    "parlett": ["score", "running", "courts", "cards_played", "court_short", "stuck", "win"],
}
CALLS: dict[str, dict[str, Any]] = {
    "caterpillars": {"rules": {"level": "expert"}, "policies": ["random", "greedy"]},
    "karolinchen": {"policies": ["match", "random", "longest"]},
    "parlett": {"policies": ["greedy", "random"]},
}
GAMES = list(CALLS)


def python(code: str) -> str:
    """Output of a fresh interpreter."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    return done.stdout.strip()


def test_import_is_cheap_and_public_names_are_there() -> None:
    heavy = ("numba", "numpy", "polars", "pandas", "pyarrow", "pydantic", "matplotlib", "seaborn", "typer", "yaml")
    assert python(f"import sim, sys; print([m for m in {heavy} if m in sys.modules])") == "[]"
    assert python("import sim; print(sorted(set(sim.__all__) - set(dir(sim))))") == "[]"
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        _ = sim.simulat  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "first", ["import sim.games.parlett", "import sim.sweep.plan", "from sim import games", "import sim.api"]
)
def test_games_and_sweep_can_be_called_whatever_was_imported_before(first: str) -> None:
    code = (
        f"{first}\nimport sim\nprint(sim.games(), callable(sim.sweep), "
        "sim.games.get('parlett').name, sim.sweep.__doc__[:6])"
    )
    assert python(code) == "['caterpillars', 'karolinchen', 'parlett'] True parlett Sweeps"


@pytest.mark.parametrize("game", GAMES)
def test_one_row_per_seat_per_game_in_order(game: str) -> None:
    frame = sim.simulate(game, games=50, seed=7, **CALLS[game])
    seats = len(CALLS[game]["policies"])
    assert set(frame.columns) >= {"game", "seat", *COLUMNS[game]}
    assert frame.columns[:2] == ["game", "seat"]
    assert frame["game"].to_list() == [g for g in range(50) for _ in range(seats)]
    assert frame["seat"].to_list() == list(range(seats)) * 50
    assert frame.schema["win"] == pl.Float64
    others = [d for n, d in frame.schema.items() if n not in ("game", "win")]
    assert all(d in (pl.Int8, pl.Int16, pl.Int32, pl.Boolean) for d in others)
    assert frame.to_pandas()["win"].to_numpy().sum() == pytest.approx(frame["win"].sum())


@pytest.mark.parametrize("game", GAMES)
def test_rows_do_not_depend_on_workers_blocks_or_the_range_asked_for(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = sim.simulate(game, games=500, seed=2**64 - 1, **CALLS[game])
    parts = [
        sim.simulate(game, games=n, seed=2**64 - 1, first_game=f, **CALLS[game])
        for f, n in ((0, 1), (1, 299), (300, 200))
    ]
    assert pl.concat(parts).equals(whole)
    monkeypatch.setattr("sim.engine.simulate.blocks.__defaults__", (37,))
    assert sim.simulate(game, games=500, seed=2**64 - 1, workers=3, **CALLS[game]).equals(whole)
    far = sim.simulate(game, games=3, seed=1, first_game=2**63 - 4, **CALLS[game])
    assert far["game"].max() == 2**63 - 2


@pytest.mark.parametrize("game", GAMES)
def test_summary_is_the_count_of_the_rows(game: str) -> None:
    call = {"games": 3000, "seed": 5, **CALLS[game]}
    rows = sim.simulate(game, **call)
    by = COLUMNS[game][:2] + ["win"]
    expected = rows.group_by("seat", *by).len("count").cast({"count": pl.Int64}).sort("seat", *by)
    for workers in (1, 3):
        assert sim.summarise(game, by=by, workers=workers, **call).equals(expected)
    headline = sim.summarise(game, **call)
    assert headline.group_by("seat").agg(pl.col("count").sum())["count"].to_list() == [3000] * len(call["policies"])


def test_paired_differences_between_seats_and_scenarios() -> None:
    call: dict[str, Any] = {"rules": {"level": "advanced"}, "policies": ["random", "greedy"], "games": 4000, "seed": 3}
    pairs = [
        {"of": ["score", "win"], "seats": [0, 1]},
        {"of": "score", "against": {"rules": {"level": "advanced", "setup": "variation"}}},
        {"of": "score", "against": {"policies": ["greedy"]}, "seats": [0], "label": "random − greedy"},
        {"of": "score", "against": {"policies": ["greedy", "random"]}, "seats": [1], "label": "greedy − random"},
    ]
    counts, differences = sim.summarise("caterpillars", pairs=pairs, workers=2, **call)
    rows = sim.simulate("caterpillars", **call)
    assert counts["count"].sum() == 8000
    one, two = (rows.filter(pl.col("seat") == seat) for seat in (0, 1))
    other = sim.simulate("caterpillars", **{**call, "rules": {"level": "advanced", "setup": "variation"}})
    solo = sim.simulate("caterpillars", **{**call, "policies": ["greedy"]})

    def check(pair: str, of: str, seat: int, values: np.ndarray) -> None:
        here = differences.filter((pl.col("pair") == pair) & (pl.col("of") == of) & (pl.col("seat") == seat))
        found, count = np.unique(values, return_counts=True)
        assert here["difference"].to_list() == found.tolist()
        assert here["count"].to_list() == count.tolist()

    for of in ("score", "win"):
        check("seat 0 − seat 1", of, 0, one[of].to_numpy().astype(float) - two[of].to_numpy())
    for seat in (0, 1):
        mine, theirs = (f.filter(pl.col("seat") == seat)["score"].to_numpy().astype(float) for f in (rows, other))
        check("this − level=advanced, setup=variation · random, greedy", "score", seat, mine - theirs)
    check("random − greedy", "score", 0, one["score"].to_numpy().astype(float) - solo["score"].to_numpy())
    swapped = sim.simulate("caterpillars", **{**call, "policies": ["greedy", "random"]}).filter(pl.col("seat") == 1)
    check("greedy − random", "score", 1, two["score"].to_numpy().astype(float) - swapped["score"].to_numpy())
    assert sim.summarise("caterpillars", **call).equals(counts)


@pytest.mark.parametrize("game", GAMES)
def test_trace_is_the_game_that_the_row_reports(game: str) -> None:
    row = sim.simulate(game, games=1, first_game=123, seed=9, **CALLS[game])
    told = sim.trace(game, seed=9, game_index=123, **CALLS[game])
    if game == "caterpillars":
        assert [s["score"] for s in told["seats"]] == row["score"].to_list()
        assert [s["win"] for s in told["seats"]] == row["win"].to_list()
    if game == "karolinchen":
        assert told["winner"] == row["win"].to_list().index(1.0)
        assert len(told["turns"]) == row["turns"][0]
    if game == "parlett":
        assert told["scores"] == row["score"].to_list()


def test_rules_and_policies_are_taken_in_every_form() -> None:
    def play(rules: Any, policies: Any) -> pl.DataFrame:
        return sim.simulate("caterpillars", rules=rules, policies=policies, games=20, seed=1)

    from sim.games.caterpillars import GAME, CaterpillarsRules

    expected = play({"zero_rule": "split"}, ["child(slip=0.5)"])
    assert play("english", ["child(slip=0.5)"]).equals(expected)
    assert play({"preset": "english"}, [{"id": "child", "slip": 0.5}]).equals(expected)
    assert play(CaterpillarsRules(zero_rule="split"), [GAME.policies.parse("child(slip=0.5)")]).equals(expected)
    assert not play(None, ["child(slip=0.5)"]).equals(expected)


WRONG = [
    ({"game": "snap"}, InputError, "unknown game 'snap'; accepted: caterpillars, karolinchen, parlett"),
    ({"rules": {"levle": "expert"}}, RulesError, r"'levle' \(did you mean level\?\)"),
    ({"rules": {"level": "master"}}, RulesError, "level = 'master'"),
    ({"rules": "dutch"}, RulesError, "unknown preset of caterpillars 'dutch'"),
    ({"rules": 3}, RulesError, "rules for caterpillars = 3"),
    ({"policies": []}, PolicyError, "no policies"),
    ({"policies": ["gredy"]}, PolicyError, r"'gredy' \(did you mean greedy\?\)"),
    ({"policies": ["child(slip=2)"]}, PolicyError, "slip = '2'"),
    ({"policies": 5}, PolicyError, "policies = 5"),
    ({"policies": [5]}, PolicyError, "policy 5"),
    ({"games": 0}, InputError, "games = 0 is not accepted; accepted: a whole number from 1"),
    ({"games": 1.5}, InputError, "games = 1.5"),
    ({"games": True}, InputError, "games = True"),
    ({"games": 10**17}, InputError, "do not fit into memory"),
    ({"seed": -1}, InputError, "seed = -1 is not accepted; accepted: a whole number from 0 to 18446744073709551615"),
    ({"seed": 2**64}, InputError, "seed = 18446744073709551616"),
    ({"workers": 0}, InputError, "workers = 0"),
    ({"first_game": -1}, InputError, "first_game = -1"),
    (
        {"first_game": 2**63 - 5, "games": 10},
        InputError,
        "games = 10 is not accepted; accepted: a whole number from 1 to 4",
    ),
]


@pytest.mark.parametrize(("wrong", "kind", "message"), WRONG)
def test_wrong_call_is_one_line(wrong: dict[str, Any], kind: type[SimError], message: str) -> None:
    call: dict[str, Any] = {"game": "caterpillars", "policies": ["random"], "games": 10, "seed": 1, **wrong}
    with pytest.raises(kind, match=message) as caught:
        sim.simulate(call.pop("game"), **call)
    assert "\n" not in str(caught.value)
    assert "accepted" in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"by": ["scroe"]}, "unknown column in by 'scroe'"),
        ({"by": []}, "by is empty"),
        ({"by": ["win", "win"]}, "twice"),
        ({"pairs": [3]}, "pairs entry 3"),
        ({"pairs": [{"of": "score"}]}, "seats = None"),
        ({"pairs": [{"of": "score", "seats": [0, 2]}]}, "seat in pairs = 2"),
        ({"pairs": [{"of": "scroe", "seats": [0, 1]}]}, "unknown column in pairs"),
        ({"pairs": [{"against": {"policy": "random"}}]}, "against = "),
        ({"pairs": [{"against": {"policies": ["random"]}}]}, "compare 2 seats with 1"),
        ({"pairs": [{"agianst": {}, "seats": [0, 1]}]}, "unknown key in pairs 'agianst'"),
    ],
)
def test_wrong_summary_is_one_line(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        sim.summarise("caterpillars", policies=["random", "greedy"], games=10, seed=1, **wrong)
    assert "\n" not in str(caught.value)
    assert "accepted" in str(caught.value)


def test_wrong_trace_is_one_line() -> None:
    with pytest.raises(InputError, match="game_index = -1 is not accepted; accepted: a whole number from 0"):
        sim.trace("caterpillars", policies=["random"], seed=1, game_index=-1)


def test_first_call_says_that_kernels_are_compiled(
    toy: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    from sim.engine import jit
    from sim.sweep import warm

    monkeypatch.setattr(type(toy), "compile_seconds", 30)
    monkeypatch.setattr(jit, "COMPILED", True)
    monkeypatch.setattr(jit, "CACHE_FOLDER", str(tmp_path))
    monkeypatch.setattr(warm, "_told", set())
    sim.simulate("toy", policies=["plain"], games=1, seed=1)
    sim.simulate("toy", policies=["plain"], games=1, seed=1)
    assert capsys.readouterr().err == "sim: compiling kernels for toy (once after install, about 30 s)\n"
    monkeypatch.setattr(warm, "_told", set())
    (tmp_path / "toy_1").mkdir()
    (tmp_path / "toy_1" / "kernel.play-1.py311.1.nbc").touch()
    sim.simulate("toy", policies=["plain"], games=1, seed=1)
    assert capsys.readouterr().err == ""
