"""``sim decided``: one line-up of any game, or the games of the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT

import sim
from sim import analysis
from sim.cli import run
from sim.errors import ReportError

CALL = ["decided", "karolinchen", *["--policy", "match"] * 3, "--games", "8", "--playouts", "10", "--seed", "2"]


def test_one_line_up_is_told_as_its_paths_say(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*CALL, "--json", "--workers", "2"]) == 0
    told = json.loads(capsys.readouterr().out)
    paths = sim.win_paths("karolinchen", policies=["match"] * 3, games=8, seed=2, playouts=10)
    assert told["decided"] == analysis.decided_time(paths).to_dicts()
    assert told["comebacks"] == analysis.comebacks(paths).to_dicts()
    assert (told["playouts"], told["games"], told["policies"]) == (10, 8, ["match"] * 3)
    assert told["comebacks"][1]["bound"] == pytest.approx(2 / 9)


def test_a_table_is_printed_and_nothing_where_nothing_is_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Also without a parameters file."""
    assert run([*CALL, "--params", str(tmp_path / "none.yaml")]) == 0
    text = capsys.readouterr().out
    assert "8 games, seed 2, 10 play-outs of every position" in text
    assert "winner once at 0.1 or less" in text
    assert run([*CALL, "--quiet"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["decided", "--seed", "3"], "--seed without GAME is not accepted"),
        (["decided", "--first-game", "5"], "--first-game without GAME is not accepted"),
        (["decided", "--first-game", "0"], "--first-game without GAME is not accepted"),
        (["decided", "--policy", "match"], "--policy without GAME is not accepted"),
        (["decided", "chess"], "chess"),
        ([*CALL, "--playouts", "0"], "playouts = 0 is not accepted; accepted: "),
        (["decided", "parlett", "--policy", "search", "--policy", "greedy"], "policy search; accepted: policies that"),
    ],
)
def test_what_is_not_accepted_is_told_in_one_line(
    arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*arguments, "--params", str(ROOT / "params.yaml")]) == 2
    error = capsys.readouterr().err.strip()
    assert text in error.splitlines()[-1]


@pytest.mark.parametrize("quiet", [False, True])
def test_line_ups_are_told_one_by_one_also_to_a_file(
    quiet: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a terminal as with one, and not with --quiet; no game is played."""

    def play(read: object, data: Path, games: int | None, workers: int, tell: Callable[[str], None]) -> None:
        tell("parlett, 2 players, planner")
        tell("ties")
        raise ReportError("enough; accepted: nothing more")

    monkeypatch.setattr("sim.report.decided.play", play)
    monkeypatch.setattr("sim.sweep.warm.announce", lambda room: None)
    assert run(["decided", "--params", str(ROOT / "params.yaml"), *["--quiet"] * quiet]) == 2
    told = ["sim: parlett, 2 players, planner", "sim: ties"]
    assert capsys.readouterr().err.splitlines()[:-1] == ([] if quiet else told)
