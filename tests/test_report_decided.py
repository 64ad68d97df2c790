"""When a game is decided, as the report tells it: kept games, tables, claims, figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import yaml
from folders import content
from test_analysis_decided import game

import sim
from sim import analysis
from sim.errors import ReportError
from sim.games import get
from sim.plots.style import svg
from sim.report.claims_decided import add
from sim.report.claims_decided import ties as tie_claims
from sim.report.claims_open import questions
from sim.report.decided import decided_tables, play, tie_tables
from sim.report.facts import Facts
from sim.report.figures_decided import ribbon, ribbon_alt
from sim.report.findings import group_of
from sim.report.findings_others import decided
from sim.report.grids_decided import comebacks, watched
from sim.report.grids_decided import ties as tie_grid
from sim.report.inputs import Given
from sim.report.params import Params, Ties, Watched, read_params
from sim.report.parts import shown
from sim.store.load import read_footer

PARAMS = read_params(Path(__file__).parent.parent / "params.yaml")
GAMES = 600
#: few play-outs of few games, of two games at two sizes of tables
FEW = {
    "watched": [
        Watched(game="parlett", policy="greedy"),
        Watched(game="karolinchen", policy="optimal"),
        Watched(game="karolinchen", policy="match", players=[3]),
    ],
    "watch_games": 1000,
    "playouts": 20,
    "ties": Ties(games=4000, players=[2, 3]),
}
Tables = dict[str, pl.DataFrame]


def with_decided(**changes: object) -> Params:
    return PARAMS.model_copy(update={"decided": PARAMS.decided.model_copy(update={**FEW, **changes})})


SMALL = with_decided()


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    play(SMALL, folder, GAMES)
    return folder


@pytest.fixture(scope="module")
def tables(data: Path) -> Tables:
    return decided_tables(Given({}, SMALL, ("karolinchen",), data))


def test_a_second_run_gives_the_same_bytes_and_files_say_what_made_them(data: Path, tmp_path: Path) -> None:
    play(SMALL, tmp_path, GAMES, workers=3)
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
    model = add(facts, tables, SMALL)["decided"]
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
    for name in ("early", "typical", "last turn"):
        assert name in text
    alt = ribbon_alt(tables, PARAMS)
    assert f"{GAMES} games" in alt
    assert not alt.endswith("…")


def test_every_line_up_is_told_as_its_kept_games_say(data: Path, tables: Tables) -> None:
    """Share, turns left, last, ways back and their bound by plain arithmetic over the stored paths."""
    facts = Facts()
    model = add(facts, tables, SMALL)["decided"]
    assert [(e["name"], e["players"]) for e in model["watched"]] == [
        ("exact", 2), ("parlett-2-greedy", 2), ("karolinchen-3-match", 3)
    ]  # fmt: skip
    for e in model["watched"]:
        name = "paths" if e["name"] == "exact" else e["name"]
        games: dict[int, list[dict[str, Any]]] = {}
        for row in pl.read_parquet(data / "decided" / f"{name}.parquet").to_dicts():
            games.setdefault(row["game"], []).append(row)
        assert len(games) == (GAMES if e["name"] == "exact" else 60)
        open_for, back = [], []
        for rows in games.values():
            last = max((r["turn"] for r in rows if r["surest"] < 0.95), default=0)
            open_for.append(last / rows[0]["turns"])
            lowest = {s: min(r["value"] for r in rows if r["seat"] == s) for s in range(e["players"])}
            back.append(sum(r["won"] for r in rows if r["turn"] > r["turns"] and lowest[r["seat"]] <= 0.1))
        assert facts.get(f"{e['key']}.share").value == pytest.approx(np.mean(open_for))
        assert facts.get(f"{e['key']}.comeback").value == pytest.approx(np.mean(back))
        assert facts.get(f"{e['key']}.bound").value == pytest.approx((e["players"] - 1) / 9)
        assert facts.get(f"{e['key']}.share").n == len(games)
    noise = analysis.playout_noise(
        pl.read_parquet(data / "decided" / "paths.parquet"),
        pl.read_parquet(data / "decided" / "karolinchen-2-optimal.parquet"),
    )
    for row in noise.iter_rows(named=True):
        fact = facts.get(f"decided.noise.{row['measure']}")
        assert (fact.value, fact.n) == (row["value"], 60)
    chapter = {"karolinchen": {"decided": model}}
    assert len(watched(facts, chapter, SMALL).rows) == 3
    (question,) = {c.question for c in decided(facts, chapter, SMALL)}
    assert group_of(question) == "expected"
    assert [q.row["n"] for q in questions(tables, SMALL, ["decided"])] == [GAMES, 60, 60]


def test_ties_are_those_of_plain_games(data: Path) -> None:
    given = Given({}, SMALL, ("levels",), data)
    tables, facts = tie_tables(given), Facts()
    own = tie_claims(facts, tables, SMALL)
    call: dict[str, Any] = {"policies": [SMALL.decided.ties.policy] * 3, "games": 240, "seed": SMALL.decided.seed}
    rows = sim.simulate("caterpillars", rules="advanced", **call)
    best = rows.filter(pl.col("score") == pl.col("score").max().over("game")).group_by("game").len()["len"]
    assert facts.get("ties.advanced.3.tied").value == pytest.approx((best > 1).mean())
    shared = rows.filter((pl.col("win") > 0) & (pl.col("win") < 1))["game"].n_unique() / 240
    assert facts.get("ties.advanced.3.shared").value == pytest.approx(shared)
    grid = tie_grid(facts, {"caterpillars": own}, SMALL)
    assert [row[0] for row in grid.rows] == ["2 players", "3 players"]
    assert len(grid.header) == 5
    assert tie_tables(Given({}, SMALL, ("levels",), data / "nowhere")) == {}


def test_a_line_up_that_was_not_kept_is_asked_for(data: Path) -> None:
    other = with_decided(watched=[Watched(game="parlett", policy="random")])
    with pytest.raises(ReportError, match=r"no parlett-2-random\.parquet in .*; accepted: run `sim decided` again"):
        decided_tables(Given({}, other, ("karolinchen",), data))
    with pytest.raises(ReportError, match="playouts = 20, not 30"):
        decided_tables(Given({}, with_decided(playouts=30), ("karolinchen",), data))


def test_games_of_another_line_up_under_the_same_name_are_refused(data: Path) -> None:
    """Names of files leave out a policy's parameters; what is inside is compared."""
    slips = [Watched(game="parlett", policy="greedy(slip=0.5)")]
    found = r"parlett-2-greedy\.parquet have policies = 2 × greedy, not 2 × greedy\(slip=0\.5\); accepted: run `sim"
    with pytest.raises(ReportError, match=found):
        decided_tables(Given({}, with_decided(watched=slips), ("karolinchen",), data))
    tied = {
        "policies": Ties(games=4000, policy="random", players=[2, 3]),
        "scenarios": Ties(games=4000, players=[2, 4]),
    }
    for key, ties in tied.items():
        with pytest.raises(ReportError, match=rf"ties\.parquet have {key} = .*; accepted: run `sim decided` again"):
            tie_tables(Given({}, with_decided(ties=ties), ("levels",), data))


PLANNER = {"game": "parlett", "policy": "planner"}


@pytest.mark.parametrize(
    ("part", "key", "value", "said"),
    [
        ("decided", "comebacks", [], r"decided\.comebacks has \[\]; accepted: one or more different chances in whole"),
        ("decided", "comebacks", [0.1, 0.1], r"decided\.comebacks has \[0\.1, 0\.1\]; accepted: .* different"),
        ("decided", "comebacks", [0.1, 0.101], r"decided\.comebacks has .*; accepted: .* in whole percents"),
        (
            "decided",
            "comeback",
            0.15,
            r"decided has comeback = 0\.15; accepted: one of comebacks, 0\.05, 0\.1, 0\.2, 0\.3",
        ),
        (
            "decided",
            "watched",
            [PLANNER | {"players": [3]}],
            r"decided\.watched\.0 has players = \[3\]: .*; accepted: 2",
        ),
        (
            "decided",
            "watched",
            [PLANNER | {"players": [2, 2]}],
            r"decided\.watched\.0\.players has \[2, 2\]; accepted: ",
        ),
        (
            "decided",
            "watched",
            [PLANNER, {"game": "parlett", "policy": "planner(slip=0.2)"}],
            r"decided\.watched has planner and planner\(slip=0\.2\) of parlett for 2 players; accepted: each policy ",
        ),
        ("decided", "ties", {"players": []}, r"decided\.ties\.players has \[\]; accepted: "),
        ("people", "prefer", 0.5001, r"people\.prefer = 0\.5001 is not accepted; accepted: .* 0\.55"),
        ("people", "prefer", 0.995, r"people\.prefer = 0\.995 is not accepted; accepted: .* 0\.99"),
        ("people", "within", 1.1, r"people\.within = 1\.1 is not accepted; accepted: .* 1"),
        ("people", "spread", 11, r"people\.spread = 11 is not accepted; accepted: .* 10"),
        ("people", "sure", 0.9999, r"people\.sure = 0\.9999 is not accepted; accepted: .* 0\.999"),
    ],
)
def test_parameters_that_make_no_sense_are_refused_by_name(
    part: str, key: str, value: object, said: str, tmp_path: Path
) -> None:
    shipped = yaml.safe_load((Path(__file__).parent.parent / "params.yaml").read_text(encoding="utf-8"))
    (path := tmp_path / "params.yaml").write_text(yaml.safe_dump(shipped | {part: shipped[part] | {key: value}}))
    with pytest.raises(ReportError, match=rf"params\.yaml: {said}") as error:
        read_params(path)
    assert "\n" not in str(error.value)


def test_games_of_another_seed_or_threshold_are_refused(data: Path) -> None:
    for change in ({"seed": 9}, {"open": 0.1}):
        ((name, value),) = change.items()
        with pytest.raises(ReportError, match=rf"{name} = .*, not {value}; accepted: run `sim decided` again"):
            decided_tables(Given({}, with_decided(**change), ("karolinchen",), data))


def test_a_data_folder_without_them_tells_none(tmp_path: Path) -> None:
    assert decided_tables(Given({}, PARAMS, ("karolinchen",), tmp_path)) == {}
    assert "decided" not in [section.name for section in shown(["karolinchen"], {})]
