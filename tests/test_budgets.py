"""Budgets of a sweep: games, precision, minutes. What comes out depends neither on who played nor on interruptions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from folders import content

import sim
from sim.errors import FaultError, SweepError
from sim.sweep import schedule, streams
from sim.sweep.precision import FIRST
from sim.sweep.run import run
from sim.sweep.stopping import Interrupted

pytestmark = pytest.mark.usefixtures("toy")

BASE: dict[str, Any] = {
    "name": "t",
    "game": "toy",
    "seed": 7,
    "games": 400_000,
    "until": "half_width(mean score) <= 0.04",
    "variants": [{"grid": {"sides": [4, 20]}}],
    "policies": ["plain", ["plain", "add"]],
}


def spec(**more: Any) -> dict[str, Any]:
    return {**BASE, **more}


def manifest(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return found


def after(calls: int) -> Callable[[Any], bool]:
    """A stop that comes after some questions, and stays."""
    asked: list[int] = []

    def answer(self: Any) -> bool:
        asked.append(1)
        return len(asked) > calls

    return answer


def test_each_scenario_plays_until_it_is_precise_enough(tmp_path: Path) -> None:
    result = run(spec(), data=tmp_path)
    entries = manifest(result.folder)["scenarios"]
    games = {e["label"]: e["games"] for e in entries}
    assert games["sides=4 · plain"] < games["sides=20 · plain"] < 400_000
    assert set(games.values()) <= {FIRST * 2**k for k in range(8)}
    for entry in entries:
        assert [p["met"] for p in entry["precision"]] == [True] * entry["seats"]
        assert all(p["half_width"] <= 0.04 and p["games"] == entry["games"] for p in entry["precision"])
    table = sim.load("t", data=tmp_path).group_by("scenario", "seat").agg(pl.col("count").sum())
    assert sorted(table["count"].unique()) == sorted(set(games.values()))
    assert result.played == sum(games.values())
    assert run(spec(), data=tmp_path).played == 0


@pytest.mark.parametrize("workers", [1, 3])
def test_when_it_stops_depends_neither_on_workers_nor_on_interruptions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    given = spec(pairs=[{"of": "score", "against": {"rules": {"sides": 10}}}])
    whole = content(run(given, data=tmp_path / "whole").folder)
    monkeypatch.setattr(streams.CountStream, "_stretch", lambda _, left: min(left, 5_000))
    stops = 0
    for _ in range(100):
        monkeypatch.setattr("sim.sweep.stopping.Stop.__call__", after(12))
        try:
            run(given, workers=workers, data=tmp_path / "parts")
            break
        except Interrupted:
            stops += 1
    assert stops > 2
    assert content(tmp_path / "parts" / "t") == whole


def test_not_precise_enough_in_the_end_is_said_in_the_manifest(tmp_path: Path) -> None:
    result = run(spec(games=10_000, until="half_width(mean score) <= 0.0001"), data=tmp_path)
    for entry in manifest(result.folder)["scenarios"]:
        assert entry["games"] == 10_000
        assert not any(p["met"] for p in entry["precision"])


def test_more_games_go_on_from_what_is_there(tmp_path: Path) -> None:
    tight = "half_width(mean score) <= 0.001"
    first = run(spec(games=20_000, until=tight), data=tmp_path)
    more = run(spec(games=50_000, until=tight), data=tmp_path)
    assert (first.played, more.played, more.reused) == (80_000, 120_000, 80_000)
    fresh = run(spec(games=50_000, until=tight), data=tmp_path / "fresh")
    assert content(more.folder) == content(fresh.folder)


def test_files_that_stopped_by_another_rule_are_not_taken_over(tmp_path: Path) -> None:
    run(spec(), data=tmp_path)
    before = content(tmp_path / "t")
    with pytest.raises(SweepError, match=r"holds a sweep with until = .*; accepted: another name .* or --replace"):
        run(spec(until="half_width(mean score) <= 0.01"), data=tmp_path)
    assert content(tmp_path / "t") == before
    other = run(spec(until="half_width(mean score) <= 0.01"), data=tmp_path, replace=True)
    assert other.reused == 0
    fixed = run({k: v for k, v in spec(games=FIRST).items() if k != "until"}, data=tmp_path, replace=True)
    assert fixed.reused == 0


def test_minutes_end_a_sweep_with_the_first_games_of_every_scenario(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {k: v for k, v in spec(games=10**9, minutes=0.01).items() if k != "until"}
    result = run(given, workers=2, data=tmp_path)
    assert 0.5 < result.seconds < 10
    assert run(given, data=tmp_path).played == 0
    entries = manifest(result.folder)["scenarios"]
    assert all(0 < e["games"] < 10**9 for e in entries)
    some = min(entries, key=lambda e: e["games"])
    line_up = [policy["text"] for policy in some["policies"]]
    plain = sim.summarise("toy", rules=some["changed"], policies=line_up, games=some["games"], seed=7)
    mine = sim.load("t", data=tmp_path, where={"label": some["label"]}, columns=plain.columns)
    assert mine.equals(plain)
    longer = run({**given, "minutes": 0.02}, data=tmp_path)
    assert longer.reused == result.played
    assert longer.played > 0


def test_time_too_short_for_one_look_is_one_line_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {k: v for k, v in spec(games=10**6, minutes=1).items() if k != "until"}
    clock = iter(range(0, 10**9, 50))
    monkeypatch.setattr(schedule.time, "monotonic", lambda: float(next(clock)))
    with pytest.raises(FaultError, match=r"1 minutes were not enough .* goes on from here"):
        run(given, data=tmp_path)
    monkeypatch.undo()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"until": "half_width(mean scroe) <= 0.1"}, "unknown column in until 'scroe'"),
        ({"until": None, "minutes": 5, "detail": "games"}, "minutes with detail = games is not accepted"),
        ({"minutes": -1}, "minutes"),
    ],
)
def test_contradictory_budget_is_one_line(tmp_path: Path, more: dict[str, Any], message: str) -> None:
    with pytest.raises(SweepError, match=message) as caught:
        run(spec(**more), data=tmp_path)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "t").exists()
