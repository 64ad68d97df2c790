"""The command line: what it prints, its exit status, and every error in one line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import ROOT

import sim
from sim.cli import run

pytestmark = pytest.mark.usefixtures("toy")


class Result:
    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*arguments: Any) -> Result:
        capsys.readouterr()
        status = run([str(a) for a in arguments])
        return Result(status, *capsys.readouterr())

    return call


def lines(text: str) -> list[str]:
    return text.splitlines()


def test_help_lists_the_commands_and_loads_nothing_heavy(cli: Any) -> None:
    result = cli("--help")
    assert result.status == 0
    for name in ("games", "rules", "policies", "run", "sweep", "trace", "verify", "schema"):
        assert f"\n  {name} " in result.out
    assert cli().out == result.out
    assert cli("--version").out == f"sim {sim.__version__}\n"
    code = (
        "import sys\nfrom sim.cli import run\nrun(['--help'])\nprint([m for m in "
        "('numba','numpy','polars','pydantic','rich','yaml') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert lines(done.stdout)[-1] == "[]"


@pytest.mark.parametrize(
    "command",
    [
        "games",
        "rules",
        "policies",
        "run",
        "sweep",
        "status",
        "ls",
        "sql",
        "compare",
        "compact",
        "trace",
        "verify",
        "schema",
    ],
)
def test_every_command_has_help(cli: Any, command: str) -> None:
    result = cli(command, "--help")
    assert result.status == 0
    assert f"Usage: sim {command}" in result.out


WRONG = [
    (
        "frobnicate",
        "unknown command 'frobnicate'; accepted: games, rules, policies, run, sweep, status, ls, sql, compare, "
        "explain, compact, trace, ",
    ),
    ("run", "GAME is missing"),
    ("run snap", "unknown game 'snap'; accepted: caterpillars, karolinchen, parlett, toy"),
    ("run toy --polcy plain", "unknown option '--polcy' of sim run; accepted: --rules, --preset, --policy,"),
    ("run toy extra", "unexpected extra argument"),
    ("run toy --rules", "option '--rules' requires an argument; accepted"),
    ("run toy --rules sides", "--rules sides is not accepted; accepted: KEY=VALUE"),
    ("run toy --rules sides=[1", "--rules sides=[1 is not accepted"),
    ("run toy --rules sides=4 --rules sides=5", "--rules sides was given twice"),
    (
        "run toy --rules side=4",
        "unknown rule parameter of toy 'side' (did you mean sides?); accepted: sides, lucky, nap",
    ),
    ("run toy --rules sides=1", "sides = 1 is not accepted; accepted: a whole number from 2 to 100"),
    ("run toy --preset huge", "unknown preset of toy 'huge'; accepted: big"),
    ("run toy --policy nobody", "unknown policy of toy 'nobody'; accepted: plain, add"),
    ("run toy --policy add(less=1)", "unknown parameter of policy add 'less'; accepted: more"),
    ("run toy --policy add(more", "accepted: id or id(parameter=value"),
    ("run toy --games many", "games = many is not accepted; accepted: a whole number"),
    ("run toy --games 0", "games = 0 is not accepted; accepted: a whole number from 1"),
    ("run toy --seed -1", "seed = -1 is not accepted; accepted: a whole number from 0"),
    ("run toy --workers 0", "workers = 0 is not accepted"),
    ("run toy --by scroe", "unknown column in by 'scroe' (did you mean score?)"),
    ("run toy --out x.csv", "--out x.csv is not accepted; accepted: a name ending in .parquet"),
    ("run toy --out x.parquet --by win", "--by with --out is not accepted"),
    ("run toy --out /dev/null/x.parquet", "cannot write /dev/null/x.parquet"),
    ("rules toy --diff big", "option '--diff' requires 2 arguments"),
    ("rules toy --diff big nope", "unknown side of --diff for toy 'nope'; accepted: default, big, key=value"),
    ("sweep", "FILE is missing"),
    ("sweep nothing.yaml", "cannot read sweep file nothing.yaml: No such file or directory; accepted"),
    ("sweep nothing.yaml --backend ray", "unknown backend 'ray'; accepted: threads, sequential, loky, dask"),
    ("trace toy --game -1", "game_index = -1 is not accepted"),
]


@pytest.mark.parametrize(("command", "message"), WRONG)
def test_wrong_use_is_one_line_and_status_2(cli: Any, command: str, message: str) -> None:
    result = cli(*command.split())
    assert result.status == 2
    assert result.out == ""
    assert len(lines(result.err)) == 1
    assert result.err.startswith("sim: error: ")
    assert message in result.err
    assert "accepted" in result.err


def test_fault_is_one_line_and_status_1_and_the_traceback_can_be_had(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toy.ToyPlayable.play", lambda *_: 1 / 0)
    result = cli("run", "toy")
    assert result.status == 1
    assert lines(result.err) == ["sim: fault: ZeroDivisionError: division by zero (set SIM_DEBUG=1 for the traceback)"]
    monkeypatch.setenv("SIM_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        cli("run", "toy")


def test_ctrl_c_is_status_130(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("toy.ToyPlayable.play", interrupt)
    result = cli("run", "toy")
    assert (result.status, len(lines(result.err))) == (130, 1)
    assert result.err.startswith("sim: stopped: ")


def test_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} tests/toy.py schema --json | head -1"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, cwd=ROOT, env=environment
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "{\n", "")


def test_run_prints_estimates_with_intervals(cli: Any) -> None:
    result = cli(
        "run",
        "toy",
        "--policy",
        "plain",
        "--policy",
        "add(more=2)",
        "--games",
        "1e4",
        "--seed",
        "7",
        "--rules",
        "sides=8",
    )
    assert result.status == 0
    head, names = lines(result.out)[:2]
    assert head.startswith("Toy, sides=8, 10,000 games, seed 7, scenario ")
    assert names.split()[:6] == ["seat", "policy", "column", "mean", "low", "high"]
    told = json.loads(
        cli(
            "run",
            "toy",
            "--policy",
            "plain",
            "--policy",
            "add(more=2)",
            "--games",
            "10_000",
            "--seed",
            7,
            "--rules",
            "sides=8",
            "--json",
        ).out
    )
    frame = sim.simulate("toy", rules={"sides": 8}, policies=["plain", "add(more=2)"], games=10_000, seed=7)
    for row in told["summary"]:
        values = frame.filter(pl.col("seat") == row["seat"])[row["column"]]
        assert row["n"] == 10_000
        assert row["mean"] == pytest.approx(values.mean())
        assert row["half_width"] == pytest.approx(1.960201 * values.cast(pl.Float64).std() / 100, rel=1e-5)
        if row["column"] == "score":
            assert row["quantiles"]["50"] == values.quantile(0.5, "lower")
            assert (row["minimum"], row["maximum"]) == (values.min(), values.max())
        else:
            assert row["low"] < row["mean"] < row["high"]
            assert row["method"] == "mean share, Student's t"


def test_one_game_has_no_interval(cli: Any) -> None:
    told = json.loads(cli("run", "toy", "--policy", "plain", "--games", 1, "--json").out)
    score = told["summary"][0]
    assert (score["n"], score["half_width"], score["sd"]) == (1, None, None)
    assert score["minimum"] == score["mean"] == score["maximum"] == score["quantiles"]["95"]


def test_run_with_out_writes_the_rows(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "rows.parquet"
    result = cli("run", "toy", "--games", "3000", "--seed", "7", "--workers", "2", "--out", path)
    assert result.status == 0
    assert result.out.startswith(f"{path}: 6,000 rows, ")
    expected = sim.simulate("toy", policies=["plain", "add"], games=3000, seed=7)
    assert sim.load(path).drop("scenario").equals(expected)
    told = json.loads(cli("run", "toy", "--games", "3000", "--seed", "7", "--out", path, "--json").out)
    assert (told["rows"], told["provenance"]["seed"]) == (6000, 7)


def test_games_rules_and_policies_tell_what_there_is(cli: Any) -> None:
    assert [g["game"] for g in json.loads(cli("games", "--json").out)] == [
        "caterpillars",
        "karolinchen",
        "parlett",
        "toy",
    ]
    rows = [line.split()[0] for line in lines(cli("games").out) if not line.startswith(" ")]  # long cells are wrapped
    assert rows == ["game", "caterpillars", "karolinchen", "parlett", "toy"]
    told = json.loads(cli("rules", "toy", "--preset", "big", "--rules", "lucky=true", "--json").out)
    values = {p["parameter"]: (p["value"], p["default"], p["without_effect"]) for p in told["parameters"]}
    assert values == {"sides": (20, 6, False), "lucky": (True, False, False), "nap": (0.0, 0.0, True)}
    assert "sides = 20  (default 6)\n    sides of the die\n" in cli("rules", "toy", "--preset", "big").out
    policies = json.loads(cli("policies", "toy", "--json").out)["policies"]
    assert [p["id"] for p in policies] == ["plain", "add"]
    assert policies[1]["parameters"][0]["name"] == "more"
    assert "more = 1.0" in cli("policies", "toy").out


def test_rules_diff_tells_what_differs(cli: Any) -> None:
    told = json.loads(cli("rules", "caterpillars", "--diff", "english", "german", "--json").out)
    assert [(d["parameter"], d["english"], d["german"]) for d in told] == [("zero_rule", "split", "forced")]
    assert "zero_rule" in cli("rules", "caterpillars", "--diff", "english", "german").out
    assert cli("rules", "caterpillars", "--diff", "default", "german").out == "default and german are the same rules\n"
    assert (
        json.loads(cli("rules", "toy", "--diff", "big", "sides=20,lucky=true", "--json").out)[0]["parameter"] == "lucky"
    )


def test_trace_in_words_and_as_data(cli: Any) -> None:
    told = json.loads(cli("trace", "toy", "--game", "17", "--seed", "3", "--json").out)
    assert told == sim.trace("toy", policies=["plain", "add"], seed=3, game_index=17)
    words = cli("trace", "toy", "--game", "17", "--seed", "3").out
    assert words == f"seat 0 scores {told['scores'][0]}\nseat 1 scores {told['scores'][1]}\n"


def test_schema_prints_the_data_dictionary(cli: Any) -> None:
    told = json.loads(cli("schema", "--json").out)
    names = {(c["game"], c["name"]) for c in told["columns"]}
    assert {("", "scenario"), ("", "difference"), ("caterpillars", "zeros"), ("toy", "doubled")} <= names
    assert "zeros" in cli("schema").out
    assert cli("schema", "--markdown").out.startswith("# Data dictionary")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "t.yaml"
    given = {
        "name": "t",
        "title": "A test",
        "game": "toy",
        "seed": 7,
        "games": 20_000,
        "variants": [{"grid": {"sides": [4, 8], "lucky": [False, True]}}],
        "policies": ["plain"],
    }
    path.write_text(json.dumps(given))
    return path


def test_sweep_runs_and_then_has_nothing_to_do(cli: Any, file: Path, tmp_path: Path) -> None:
    first = cli("sweep", file, "--data", tmp_path / "data", "--workers", 2)
    assert first.status == 0
    assert first.out.startswith(f"3 scenarios in {tmp_path / 'data' / 't'}: 60,000 games played, 0 found finished, ")
    assert "is the same scenario as" in first.err
    second = cli("sweep", file, "--data", tmp_path / "data", "--quiet")
    assert (second.out, second.err) == (f"3 scenarios in {tmp_path / 'data' / 't'}: complete, nothing to do\n", "")
    told = json.loads(cli("sweep", file, "--data", tmp_path / "data", "--json").out)
    assert (told["scenarios"], told["played"], told["reused"]) == (3, 0, 60_000)


def test_dry_run_tells_the_cost_and_plays_nothing(cli: Any, file: Path, tmp_path: Path) -> None:
    result = cli("sweep", file, "--data", tmp_path / "data", "--dry-run")
    assert result.status == 0
    assert "t: 3 scenarios, 60,000 games, about " in lines(result.out)[-1]
    assert "nothing was played" in lines(result.out)[-1]
    assert not (tmp_path / "data").exists()
    told = json.loads(cli("sweep", file, "--dry-run", "--json").out)
    assert [s["games"] for s in told["scenarios"]] == [20_000] * 3
    assert told["seconds"] > 0
    assert told["bytes"] > 0


def test_long_work_tells_its_progress_in_plain_lines_off_a_terminal(
    cli: Any, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim.sweep.progress.EVERY", 0.0)
    result = cli("sweep", file, "--data", tmp_path / "data")
    told = [line for line in lines(result.err) if " left" in line]
    assert len(told) >= 3  # three scenarios, each in one job or more
    assert all("games/s" in line and "%" in line for line in told)
    assert "\x1b" not in result.err
