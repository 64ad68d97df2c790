"""A stored sweep that its file would no longer play so is told, on stderr and nowhere else."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

import sim
from sim.cli import run as command
from sim.sweep.stale import stale

SPEC: dict[str, Any] = {
    "name": "karolinchen",
    "game": "karolinchen",
    "seed": 3,
    "games": 300,
    "by": ["turns", "win"],
    "variants": [{"one_factor": {"fruits": [[1, 2, 3, 3, 3, 3]], "opening": ["own_roll"]}}],
    "policies": [{"repeat": 4, "policy": "match"}],
    "pairs": [{"of": ["turns", "win"], "against": "base"}],
}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played") / "data"
    sim.sweep(SPEC, data=folder)
    return folder


@pytest.fixture
def home(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(played, tmp_path / "data")
    (tmp_path / "sweeps").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def planned(home: Path, **change: Any) -> None:
    (home / "sweeps" / "karolinchen.yaml").write_text(yaml.safe_dump({**SPEC, **change}), encoding="utf-8")


MORE = [{"one_factor": {"fruits": [[1, 2, 3, 3, 3, 3], [1, 2, 2, 2, 2, 2]], "opening": ["own_roll"]}}]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"title": "another"}, None),
        ({"variants": MORE}, "3 of 4 scenarios"),
        ({"variants": [{}]}, "1 of 1 scenarios, and 2 others"),
        ({"games": 400}, "0 of 3 scenarios"),
        ({"seed": 4}, "0 of 3 scenarios"),
        ({"games": "many"}, None),  # a file that cannot be planned is for whoever plays it
    ],
)
def test_what_no_longer_fits_is_counted(home: Path, change: dict[str, Any], told: str | None) -> None:
    planned(home, **change)
    name = "karolinchen"
    again = f"data/{name} was played from another sweeps/{name}.yaml ({told}); run sim sweep sweeps/{name}.yaml"
    assert stale(name, Path("data")) == ("" if told is None else again)


def test_without_a_file_or_without_data_there_is_nothing_to_tell(home: Path) -> None:
    assert stale("karolinchen", Path("data")) == ""
    planned(home, variants=MORE)
    assert stale("karolinchen", home / "data").endswith(f"--data {home / 'data'}")
    shutil.rmtree(home / "data")
    assert stale("karolinchen", Path("data")) == ""


def test_commands_note_it_on_stderr_and_answer_the_same(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    params = str(Path(__file__).resolve().parent.parent / "params.yaml")
    calls = (
        ["bedtime", "--players", "4", "--json"],
        ["report", "tables", "--sweep", "karolinchen", "--params", params, "--out", "out"],
    )
    for call in calls:
        answers = []
        for change in ({}, {"variants": MORE}):
            planned(home, **change)
            assert command(call) == 0
            said = capsys.readouterr()
            files = {p.name: p.read_bytes() for p in Path("out").rglob("*.csv")}
            answers.append((said.out, files))
            notes = [line for line in said.err.splitlines() if line.startswith("note: data/karolinchen was played")]
            assert len(notes) == bool(change)
        assert answers[0] == answers[1]
