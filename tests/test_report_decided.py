"""When a game is decided, as the report tells it: kept games, tables, claims, figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from folders import content
from test_analysis_decided import game

import sim
from sim import analysis
from sim.errors import ReportError
from sim.games import get
from sim.plots.style import svg
from sim.report.claims_decided import add
from sim.report.decided import decided_tables, play
from sim.report.facts import Facts
from sim.report.figures_decided import ribbon, ribbon_alt
from sim.report.grids_decided import comebacks
from sim.report.inputs import Given
from sim.report.params import Params, read_params
from sim.report.parts import shown
from sim.store.load import read_footer

PARAMS = read_params(Path(__file__).parent.parent / "params.yaml")
GAMES = 600
Tables = dict[str, pl.DataFrame]


def with_decided(**changes: object) -> Params:
    return PARAMS.model_copy(update={"decided": PARAMS.decided.model_copy(update=changes)})


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    play(PARAMS, folder, GAMES)
    return folder


@pytest.fixture(scope="module")
def tables(data: Path) -> Tables:
    return decided_tables(Given({}, PARAMS, ("karolinchen",), data))


def test_a_second_run_gives_the_same_bytes_and_files_say_what_made_them(data: Path, tmp_path: Path) -> None:
    play(PARAMS, tmp_path, GAMES)
    assert content(tmp_path) == content(data)
    play(with_decided(seed=1), tmp_path, GAMES)
    assert content(tmp_path) != content(data)
    record = read_footer(data / "decided" / "paths.parquet").provenance
    assert (record["seed"], record["games"], record["table"]) == (PARAMS.decided.seed, GAMES, "paths")
    assert [policy["id"] for policy in record["policies"]] == ["optimal", "optimal"]


def test_kept_games_are_the_exact_paths(data: Path) -> None:
    paths = sim.win_paths("karolinchen", games=GAMES, seed=PARAMS.decided.seed)
    kept = pl.read_parquet(data / "decided" / "paths.parquet")
    assert kept.cast(dict(paths.schema)).equals(paths)  # type: ignore[arg-type]


def test_claims_are_what_the_kept_games_say_by_plain_arithmetic(data: Path, tables: Tables) -> None:
    facts = Facts()
    model = add(facts, tables, PARAMS)["decided"]
    each: dict[int, list[tuple[int, int, float, float]]] = {}
    kept = pl.read_parquet(data / "decided" / "paths.parquet")
    for number, turn, turns, _, seat, value, won, _ in kept.iter_rows():
        if seat:
            continue
        each.setdefault(number, []).append((turn, turns, value, won))
    left, share, lowest = [], [], []
    for moments in each.values():
        last = max((turn for turn, _, value, _ in moments if 0.05 < value < 0.95), default=0)
        turns, won = moments[0][1], moments[0][3]
        left.append(turns - last)
        share.append(last / turns)
        lowest.append(min(value if won else 1 - value for _, _, value, _ in moments))
    expected = {
        "left": np.mean(left),
        "left.minutes": np.mean(left) * PARAMS.karolinchen.seconds_per_turn / 60,
        "share": np.mean(share),
        "last": np.mean(np.array(left) == 0),
        **{f"comeback.{100 * p:g}": np.mean(np.array(lowest) <= p) for p in PARAMS.decided.comebacks},
    }
    for name, value in expected.items():
        fact = facts.get(f"karolinchen.decided.{name}")
        assert fact.value == pytest.approx(value), name
        assert fact.low is not None
        assert fact.high is not None
        assert fact.low <= value <= fact.high
        assert (fact.n, fact.seed, fact.level) == (GAMES, PARAMS.decided.seed, PARAMS.confidence)
    assert [e["kind"] for e in model["games"]] == ["early", "typical", "last"]
    grid = comebacks(facts, {"karolinchen": {"decided": model}}, PARAMS)
    assert len(grid.rows) == len(PARAMS.decided.comebacks)


def test_the_told_turn_is_the_one_that_decided(tables: Tables) -> None:
    """After it the chances stay beyond the limits, and it is told as the game went."""
    room = get("karolinchen")
    scenario = room.scenario(None, ["optimal", "optimal"])
    for row in tables["moments"].iter_rows(named=True):
        own = tables["moment_paths"].filter(pl.col("kind") == row["kind"])
        after = own.filter(pl.col("turn") > row["turn"])["value"]
        assert row["after"] == after[0]
        assert not after.is_between(0.05, 0.95, closed="none").any()
        assert 0.05 < row["before"] < 0.95
        turn = room.trace(scenario.rules, scenario.policies, PARAMS.decided.seed, row["game"])["turns"][row["turn"] - 1]
        assert turn["seat"] == row["mover"]
        assert turn["rolled"]  # only a roll changes chances
        for colour, dice in turn["taken"]:
            assert f"Takes {dice} {('blue', 'orange', 'purple', 'yellow', 'green', 'red')[colour]}" in row["told"]
    last = tables["moments"].filter(pl.col("kind") == "last").row(0, named=True)
    assert last["turn"] == last["turns"]


def test_three_games_are_picked_by_rank() -> None:
    """Games that are open for 1 to 9 of 10 turns, and two that the last roll decides."""
    early = [game(k, [0.5] * k + [0.99] * (10 - k) + [1.0], 10) for k in range(1, 10)]
    late = [game(10, [0.5] * 10 + [1.0], 10), game(11, [0.5] * 9 + [0.3, 1.0], 10)]
    found = analysis.example_games(pl.concat([*early, *late]))
    assert found.select("kind", "game", "turn").rows() == [("early", 1, 1), ("typical", 6, 6), ("last", 11, 10)]
    assert found.row(2, named=True)["before"] == 0.3
    sure = analysis.example_games(game(1, [0.99, 0.99, 1.0], 2))
    assert sure.is_empty()


def test_bands_by_hand() -> None:
    """A chance holds until the next roll; before the first roll it is the first one."""
    one = game(1, [0.2, 0.6, 1.0], 4).with_columns(turn=pl.Series([2, 2, 4, 4, 5, 5]))
    two = game(2, [0.4, 0.0], 4).with_columns(turn=pl.Series([1, 1, 5, 5]))
    found = analysis.chance_bands(pl.concat([one, two]), [0.5], steps=4)
    assert found["played"].to_list() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert found["q50"].to_list() == pytest.approx([0.3, 0.3, 0.3, 0.5, 0.5])
    assert found["n"].to_list() == [2] * 5


@pytest.mark.parametrize("width", [PARAMS.figures.wide, PARAMS.figures.narrow])
def test_the_figure_names_its_three_games(tables: Tables, width: float) -> None:
    text = svg(ribbon(tables, PARAMS, width), "decided")
    for name in ("early", "typical", "last roll"):
        assert name in text
    alt = ribbon_alt(tables, PARAMS)
    assert f"{GAMES} games" in alt
    assert not alt.endswith("…")


def test_games_of_another_seed_or_threshold_are_refused(data: Path) -> None:
    for change in ({"seed": 9}, {"open": 0.1}):
        ((name, value),) = change.items()
        with pytest.raises(ReportError, match=rf"{name} = .*, not {value}; accepted: run `sim decided` again"):
            decided_tables(Given({}, with_decided(**change), ("karolinchen",), data))


def test_a_data_folder_without_them_tells_none(tmp_path: Path) -> None:
    assert decided_tables(Given({}, PARAMS, ("karolinchen",), tmp_path)) == {}
    assert "decided" not in [section.name for section in shown(["karolinchen"], {})]
