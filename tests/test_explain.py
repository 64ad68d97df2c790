"""A published figure in, the rules and players that explain it out."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import sim
from sim.analysis import explain
from sim.cli import build
from sim.errors import InputError

SWEEP = {
    "name": "known",
    "game": "caterpillars",
    "seed": 4,
    "games": 4_000,
    "by": ["score", "zeros", "win"],
    "variants": [{"grid": {"level": ["beginner", "intermediate"]}, "one_factor": {"zero_rule": ["split"]}}],
    "policies": ["greedy", "child"],
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    sim.sweep(SWEEP, data=folder)
    return folder


@pytest.fixture(scope="module")
def frames(data: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    return sim.load("known", data=data), sim.scenarios("known", data=data)


def mean_of(counts: pl.DataFrame, scenario: str) -> float:
    own = counts.filter(pl.col("scenario") == scenario)
    return float((own["score"] * own["count"]).sum() / own["count"].sum())


def test_every_scenario_explains_its_own_figure(frames: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    counts, scenarios = frames
    for scenario in scenarios["scenario"]:
        found = explain(counts, scenarios, mean_of(counts, scenario))
        assert found["off"][0] == pytest.approx(0, abs=1e-12)  # two readings may come to the very same games
        assert found.filter(pl.col("scenario") == scenario)["agrees"].all()


def test_a_figure_that_no_reading_gives_is_not_explained(frames: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    found = explain(*frames, 40.0, rounding=0.5)
    assert not found["agrees"].any()
    assert found.height == 8
    assert (found["off"] > 0).all()
    assert found["off"].to_list() == sorted(found["off"])


def test_a_median_without_width_is_as_near_as_it_is() -> None:
    """Of two medians that miss, the nearer one comes first, though its interval has no width; those that agree lead."""
    games = {"sharp": {8: 1000}, "wide": {3: 300, 5: 300, 9: 300}, "fits": {6: 4, 10: 6, 14: 4}}
    counts = pl.DataFrame(
        [
            {"scenario": name, "seat": 0, "score": score, "count": n}
            for name, scores in games.items()
            for score, n in scores.items()
        ]
    )
    scenarios = pl.DataFrame({"scenario": list(games), "label": list(games)})
    found = explain(counts, scenarios, 8.4, measure="median")
    assert found["scenario"].to_list() == ["fits", "sharp", "wide"]
    assert found["agrees"].to_list() == [True, False, False]
    assert found["reach"][1] == 0


def test_fewer_digits_and_fewer_games_agree_with_more(frames: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    agreeing = [
        int(explain(*frames, 12.0, rounding=rounding, games=games)["agrees"].sum())
        for rounding, games in ((0.005, None), (0.5, None), (0.5, 10))
    ]
    assert agreeing == sorted(agreeing)
    assert agreeing[0] < agreeing[-1]


def test_medians_spreads_and_other_columns_can_be_published(frames: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    counts, scenarios = frames
    first = scenarios["scenario"][0]
    scores = counts.filter(pl.col("scenario") == first)
    every = scores.select(pl.col("score").repeat_by("count").explode())["score"]
    assert explain(counts, scenarios, float(every.median() or 0), measure="median")["agrees"][0]
    found = explain(counts, scenarios, float(every.std() or 0), measure="sd").filter(pl.col("scenario") == first)
    assert found["off"][0] == pytest.approx(0, abs=1e-9)
    assert explain(counts, scenarios, 2.0, "zeros").height == 8


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"of": "points"}, "unknown column 'points'"),
        ({"measure": "mode"}, "unknown measure 'mode'"),
        ({"games": 0}, "games = 0 with measure = mean"),
        ({"games": 10, "measure": "sd"}, "games = 10 with measure = sd"),
        ({"published": float("nan")}, "published = nan"),
        ({"rounding": -1.0}, "rounding = -1.0"),
        ({"seat": 3}, "seat = 3 has no games"),
        (
            {"published": 31.0, "of": "win"},
            r"figure = 31 of win .* a share from 0 to 1 \(0.31\)",
        ),
        ({"published": -0.5, "of": "win"}, "figure = -0.5 of win"),
    ],
)
def test_wrong_questions_are_refused_in_one_line(
    frames: tuple[pl.DataFrame, pl.DataFrame], given: dict[str, object], said: str
) -> None:
    with pytest.raises(InputError, match=said) as error:
        explain(*frames, **{"published": 12.0, **given})  # type: ignore[arg-type]
    assert "\n" not in str(error.value)
    assert "accepted" in str(error.value)


def test_the_command_reads_the_rounding_from_the_digits(data: Path, frames: tuple[pl.DataFrame, pl.DataFrame]) -> None:
    counts, scenarios = frames
    wanted = scenarios.filter((pl.col("level") == "intermediate") & (pl.col("seat0") == "child"))["scenario"][0]
    figure = f"{mean_of(counts, wanted):.1f}"
    run = CliRunner().invoke(build(), ["explain", "known", figure, "--where", "seat0=child", "--data", str(data)])
    assert run.exit_code == 0, run.output
    first = run.output.splitlines()[2]
    assert first.startswith("●")
    assert wanted in first
    assert "beginner · greedy" not in run.output
