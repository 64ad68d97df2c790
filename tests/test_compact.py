"""A sweep in few files: the same frames, the same answers, and nothing lost whenever it is cut short."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from folders import content

import sim
from sim.cli import run as command
from sim.errors import SimError, StoreError
from sim.store.load import read_footer
from sim.sweep import compact as module
from sim.sweep.compact import SHARED, compact
from sim.sweep.listing import contents, sweeps
from sim.sweep.run import run
from sim.sweep.status import status

pytestmark = pytest.mark.usefixtures("toy")

BASE: dict[str, Any] = {"name": "t", "game": "toy", "seed": 7, "games": 2_000, "policies": ["plain", ["plain", "add"]]}
COUNTED = {**BASE, "variants": [{"one_factor": {"sides": [4, 8]}}], "pairs": [{"of": "score", "against": "base"}]}
ROWS = {**BASE, "detail": "games", "variants": [{"grid": {"sides": [4, 8]}}]}
UNTIL = {**BASE, "variants": [{"grid": {"sides": [4, 80]}}], "games": 9_000, "until": "half_width(mean score) <= 0.05"}
MINUTES = {**BASE, "variants": [{"grid": {"sides": [4, 8]}}], "minutes": 5}
KINDS = {"counts": COUNTED, "rows": ROWS, "until": UNTIL, "minutes": MINUTES}


def frames(data: Path) -> dict[str, pl.DataFrame]:
    """Everything that can be read of the sweep."""
    result = {"scenarios": sim.scenarios("t", data=data)}
    manifest = json.loads((data / "t" / "manifest.json").read_text())
    for table in {file["table"] for entry in manifest["scenarios"] for file in entry["files"]}:
        load = {"table": table, "data": data}
        column = "difference" if table == "differences" else "score"
        result[table] = sim.load("t", **load)
        result[f"{table} chosen"] = sim.load("t", where={"sides": 4, column: [0, 1, 2]}, **load)
        result[f"{table} told"] = sim.load("t", columns=["label", column, "seat0"], **load)
        result[f"{table} by expression"] = sim.load("t", where=(pl.col("sides") == 4) & (pl.col(column) > 1), **load)
        result[f"{table} lazy"] = sim.load("t", lazy=True, **load).collect()
        some = {"where": {"sides": 4}, "columns": ["sides", column]}
        result[f"{table} lazy chosen"] = sim.load("t", lazy=True, **some, **load).collect()
    return result


def same(one: dict[str, pl.DataFrame], other: dict[str, pl.DataFrame]) -> bool:
    return one.keys() == other.keys() and all(one[k].equals(other[k]) and one[k].schema == other[k].schema for k in one)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A sweep of every kind; files of rows hold 1000 of them, shared ones some thousands."""
    monkeypatch.setattr("sim.sweep.rows.GROUP_ROWS", 1_000)
    monkeypatch.setattr(module, "GROUP_ROWS", 4_000)
    monkeypatch.setattr(module, "LEAST_ROWS", 100)
    return KINDS[request.param]


def test_everything_reads_the_same_and_there_are_fewer_files(tmp_path: Path, kind: dict[str, Any]) -> None:
    run(kind, data=tmp_path)
    before, stands, listed = frames(tmp_path), status("t", data=tmp_path), contents("t", data=tmp_path)
    done = compact("t", data=tmp_path)
    assert done.files < done.files_before
    assert sorted(content(tmp_path / "t")) == [
        "manifest.json",
        *sorted(f"{SHARED}/{p.name}" for p in (tmp_path / "t" / SHARED).iterdir()),
    ]
    assert same(frames(tmp_path), before)
    assert (status("t", data=tmp_path), contents("t", data=tmp_path)) == (stands, listed)
    (row,) = sweeps(tmp_path)
    assert row["bytes"] == sum(p.stat().st_size for p in (tmp_path / "t" / SHARED).iterdir())
    scenario = before["scenarios"].row(0, named=True)
    assert sim.describe(scenario["scenario"], data=tmp_path)["label"] == scenario["label"]


@pytest.mark.parametrize(("least", "files"), [(1, [4_000, 4_000, 1_000]), (2_000, [4_000, 5_000])])
def test_no_shared_file_is_much_smaller_than_it_need_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, least: int, files: list[int]
) -> None:
    monkeypatch.setattr("sim.sweep.rows.GROUP_ROWS", 1_000)
    monkeypatch.setattr(module, "GROUP_ROWS", 4_000)
    monkeypatch.setattr(module, "LEAST_ROWS", least)
    run({**BASE, "detail": "games", "games": 3_000}, data=tmp_path)  # 3,000 rows, and 6,000 of two seats
    before = sim.load("t", data=tmp_path)
    compact("t", data=tmp_path)
    assert [read_footer(p).rows for p in sorted((tmp_path / "t" / SHARED).iterdir())] == files
    assert sim.load("t", data=tmp_path).equals(before)


def test_finished_sweep_has_nothing_to_do_after_it(tmp_path: Path, kind: dict[str, Any]) -> None:
    run(kind, data=tmp_path)
    compact("t", data=tmp_path)
    before = content(tmp_path / "t")
    again = run(kind, data=tmp_path)
    assert again.played == 0
    assert content(tmp_path / "t") == before
    assert compact("t", data=tmp_path).files == compact("t", data=tmp_path).files_before
    assert content(tmp_path / "t") == before


@pytest.mark.parametrize("given", [COUNTED, ROWS], ids=["counts", "rows"])
def test_more_games_are_played_on_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any]
) -> None:
    monkeypatch.setattr("sim.sweep.rows.GROUP_ROWS", 1_000)
    more = {**given, "games": 2_500}
    whole = content(run(more, data=tmp_path / "whole").folder)
    scenarios = len(run(given, data=tmp_path).scenarios())
    compact("t", data=tmp_path)
    played = run(more, data=tmp_path)
    assert played.played == 500 * scenarios
    assert content(tmp_path / "t") == whole
    compact("t", data=tmp_path)
    assert same(frames(tmp_path), frames(tmp_path / "whole"))


class Cut(BaseException):
    """The machine goes off."""


@pytest.mark.parametrize("given", [COUNTED, ROWS], ids=["counts", "rows"])
@pytest.mark.parametrize("what", ["compact", "extend"])
def test_cut_short_at_any_moment_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], what: str
) -> None:
    """Every renaming and removing of a file is the last thing that happens, one after the other."""
    monkeypatch.setattr("sim.sweep.rows.GROUP_ROWS", 1_000)
    more = {**given, "games": 2_500}
    run(given, data=tmp_path)
    wanted = frames(tmp_path)
    whole = content(run(more, data=tmp_path / "whole").folder)
    games = sum(wanted["scenarios"]["games_played"])
    if what == "extend":
        compact("t", data=tmp_path)
    start = content(tmp_path / "t")
    replace, unlink = os.replace, Path.unlink
    moment = 0
    while True:
        left = moment
        data = tmp_path / f"cut{moment}"
        for name, text in start.items():
            (data / "t" / name).parent.mkdir(parents=True, exist_ok=True)
            (data / "t" / name).write_bytes(text)

        def step() -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise Cut

        def replaced(*names: Any) -> None:
            step()
            replace(*names)

        def unlinked(self: Path, missing_ok: bool = False) -> None:
            if self.suffix != ".tmp" and self.exists():
                step()
            unlink(self, missing_ok=missing_ok)

        cut = False
        with monkeypatch.context() as patched:
            patched.setattr("os.replace", replaced)
            patched.setattr(Path, "unlink", unlinked)
            try:
                compact("t", data=data) if what == "compact" else module.unpack(data / "t")
            except Cut:
                cut = True
        if what == "compact":
            assert same(frames(data), wanted), moment
            compact("t", data=data)
            assert same(frames(data), wanted), moment
            assert not list((data / "t").glob("*/scenario=*")), moment
        assert run(given, data=data).played == 0, moment
        assert same(frames(data), wanted), moment
        result = run(more, data=data)
        assert result.played == games // 4, moment  # 2,500 instead of 2,000
        assert content(data / "t") == whole, moment
        if not cut:
            break
        moment += 1
    assert moment > 5


def test_full_disk_while_files_are_given_back_takes_nothing_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(COUNTED, data=tmp_path)
    wanted = frames(tmp_path)
    compact("t", data=tmp_path)
    with monkeypatch.context() as patched:

        def full(*_: Any) -> None:
            raise OSError(28, "No space left on device")

        patched.setattr("os.replace", full)
        with pytest.raises(Exception, match="No space left"):
            run({**COUNTED, "games": 3_000}, data=tmp_path)
    assert same(frames(tmp_path), wanted)


def test_shared_file_keeps_the_provenance_of_each_scenario(tmp_path: Path) -> None:
    folder = run(COUNTED, data=tmp_path).folder
    records = {p.parent.name.removeprefix("scenario="): read_footer(p) for p in (folder / "counts").rglob("*.parquet")}
    compact("t", data=tmp_path)
    path = folder / SHARED / "counts-000.parquet"
    from sim.store.parts import read_parts

    for part in read_parts(path):
        own = records.pop(part.provenance["scenario"])
        assert (part.provenance, part.columns, part.rows) == (own.provenance, own.columns, own.rows)
    assert not records
    frame = sim.load(path)  # the file alone
    assert frame.equals(sim.load("t", data=tmp_path))
    with pytest.raises(SimError, match="holds many scenarios; accepted"):
        sim.api.rerun(path, tmp_path / "x.parquet")  # type: ignore[attr-defined]


def test_sweep_that_lost_a_scenario_reads_what_is_left(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    run(COUNTED, data=tmp_path)
    compact("t", data=tmp_path)
    fewer = {**COUNTED, "policies": ["plain"], "variants": [{"one_factor": {"sides": [4]}}]}
    assert run(fewer, data=tmp_path).played == 0
    run(fewer, data=tmp_path / "own")
    assert same(frames(tmp_path), frames(tmp_path / "own"))
    query = "SELECT scenario, count(*) FROM counts GROUP BY 1 ORDER BY 1"
    connections = [sim.sql("t", data=data) for data in (tmp_path, tmp_path / "own")]
    counted = [connection.execute(query).fetchall() for connection in connections]
    assert counted[0] == counted[1]
    columns = [connection.execute("SELECT * FROM counts").description for connection in connections]
    assert columns[0] == columns[1]


def test_comparison_is_the_same_after_it(tmp_path: Path) -> None:
    for name, given in (("t", COUNTED), ("r", ROWS)):
        run({**given, "name": name}, data=tmp_path)
        labels = sim.scenarios(name, data=tmp_path)["label"].to_list()
        before = sim.compare(labels[-1], labels[1], sweep=name, data=tmp_path)
        compact(name, data=tmp_path)
        assert sim.compare(labels[-1], labels[1], sweep=name, data=tmp_path) == before


def test_damaged_shared_file_is_refused_and_played_again(tmp_path: Path) -> None:
    run(COUNTED, data=tmp_path)
    wanted = frames(tmp_path)
    compact("t", data=tmp_path)
    path = tmp_path / "t" / SHARED / "counts-000.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(StoreError, match="is damaged"):
        sim.load("t", data=tmp_path)
    assert run(COUNTED, data=tmp_path).played > 0
    assert same(frames(tmp_path), wanted)


def test_what_cannot_be_compacted_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["compact", "t", "--data", str(tmp_path)]) == 2
    assert "nothing is known of sweep 't'" in capsys.readouterr().err
    run(COUNTED, data=tmp_path)
    assert command(["compact", "t", "--data", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("t: 6 scenarios in 2 files (before: 10), ")
    (tmp_path / "t" / "manifest.json").unlink()
    assert command(["compact", "t", "--data", str(tmp_path)]) == 2
    assert "is not finished; accepted" in capsys.readouterr().err
