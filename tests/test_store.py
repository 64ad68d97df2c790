"""The Parquet store: registered columns, provenance in the footer, files complete or not there at all."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

import sim
from sim import api
from sim import games as registry
from sim.errors import InputError, StoreError
from sim.games.base import Field
from sim.store import parquet, records, schema
from sim.store.columns import grouped
from sim.store.load import load_file, read_footer
from sim.store.provenance import policies_of


@pytest.fixture
def scenario(toy: Any) -> Any:
    return api.scenario_of("toy", {"sides": 8, "lucky": True}, ["plain", "add(more=2)"])


def write(path: Path, scenario: Any, games: int = 500, **more: Any) -> Path:
    api.play_file(path, scenario, seed=11, games=games, **more)
    return path


def test_file_holds_the_rows_of_simulate_in_the_registered_dtypes(tmp_path: Path, scenario: Any) -> None:
    path = write(tmp_path / "rows.parquet", scenario)
    frame = sim.simulate("toy", rules=scenario.rules, policies=list(scenario.policies), games=500, seed=11)
    stored = load_file(path)
    assert stored.drop("scenario").equals(frame)
    assert stored.schema == {"scenario": pl.String, **frame.schema}
    assert frame.schema == {
        "game": pl.Int64,
        "seat": pl.Int16,
        "score": pl.Int16,
        "win": pl.Float64,
        "doubled": pl.Boolean,
    }
    # any other reader sees the same types: they are in the file, not in our loader
    assert pl.read_parquet(path).equals(frame)


def test_equal_calls_give_equal_bytes_for_any_number_of_workers(
    tmp_path: Path, scenario: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim.sweep.rows.GROUP_ROWS", 20_000)  # several row groups, the last one short
    one = write(tmp_path / "one.parquet", scenario, 35_000, workers=1)
    two = write(tmp_path / "two.parquet", scenario, 35_000, workers=3)
    assert pq.read_metadata(one).num_row_groups == 4
    assert one.read_bytes() == two.read_bytes()


def test_footer_tells_everything_that_decides_the_content_and_nothing_else(tmp_path: Path, scenario: Any) -> None:
    footer = read_footer(write(tmp_path / "rows.parquet", scenario))
    record = footer.provenance
    assert record["game"] == "toy"
    assert record["rules"] == {"sides": 8, "lucky": True}
    assert [p["id"] for p in record["policies"]] == ["plain", "add"]
    assert (record["seed"], record["first_game"], record["games"]) == (11, 0, 500)
    assert record["scenario"] == scenario.id
    assert set(record["libraries"]) == {"numba", "numpy", "pyarrow"}
    assert not {"time", "host", "duration", "commit"} & set(record)
    assert {c.name: c.meaning for c in footer.columns}["win"] == "1, 0, or 1/k when shared"
    # parameters without effect do not get in: equal scenarios give equal bytes
    other = api.scenario_of("toy", {"sides": 8, "lucky": True, "nap": 0.0001}, list(scenario.policies))
    assert write(tmp_path / "other.parquet", other).read_bytes() == footer.path.read_bytes()


def test_provenance_is_enough_to_run_the_call_again(tmp_path: Path, scenario: Any, toy: Any) -> None:
    path = write(tmp_path / "rows.parquet", scenario, first_game=100)
    assert api.rerun(path, tmp_path / "again.parquet").read_bytes() == path.read_bytes()
    result = sim.sweep(
        {"name": "t", "game": "toy", "seed": 3, "games": 2000, "policies": ["plain"], "by": ["score", "doubled"]},
        data=tmp_path,
    )
    (counts,) = result.folder.rglob("counts.parquet")
    assert api.rerun(counts, tmp_path / "counts.parquet", workers=2).read_bytes() == counts.read_bytes()
    line_up = policies_of(read_footer(path).provenance)
    assert [toy.policies.parse(p).text() for p in line_up] == ["plain", "add(more=2)"]


STEPS = ("pyarrow.parquet.ParquetWriter.write_table", "pyarrow.parquet.ParquetWriter.close", "os.fsync", "os.replace")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the writer is closed once more
@pytest.mark.parametrize("step", STEPS)
def test_full_disk_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, scenario: Any, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "rows.parquet"
    path.write_bytes(b"the old file")

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(step, full)
    with pytest.raises(StoreError, match=r"^cannot write .*rows\.parquet: No space left on device; accepted: .*$"):
        write(path, scenario)
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["rows.parquet"]
    assert path.read_bytes() == b"the old file"


def test_footer_that_comes_back_different_is_not_accepted(
    tmp_path: Path, scenario: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyarrow.parquet.ParquetWriter.add_key_value_metadata", lambda *_: None)
    with pytest.raises(Exception, match="footer"):
        write(tmp_path / "rows.parquet", scenario)
    assert os.listdir(tmp_path) == []


def test_error_while_playing_leaves_no_file(tmp_path: Path, scenario: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toy.ToyPlayable.play", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write(tmp_path / "rows.parquet", scenario)
    assert os.listdir(tmp_path) == []


def test_folder_that_cannot_be_written_is_one_line(tmp_path: Path, scenario: Any) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreError, match=r"^cannot write .*; accepted: .*$"):
        write(tmp_path / "file" / "rows.parquet", scenario)


def damaged(tmp_path: Path, scenario: Any, how: str) -> Path:
    path = tmp_path / "rows.parquet"
    if how == "missing":
        return path
    if how == "foreign":
        pl.DataFrame({"score": [1]}).write_parquet(path)
        return path
    write(path, scenario)
    content = path.read_bytes()
    if how == "cut short":
        path.write_bytes(content[: len(content) // 2])
    if how == "not Parquet":
        path.write_text("game,seat\n0,0\n")
    if how == "rewritten":
        pl.read_parquet(path).write_parquet(path)
    return path


@pytest.mark.parametrize("how", ["missing", "foreign", "cut short", "not Parquet", "rewritten"])
def test_file_that_is_not_ours_or_damaged_is_one_line(tmp_path: Path, scenario: Any, how: str) -> None:
    with pytest.raises(StoreError, match=r"^[^\n]*rows\.parquet[^\n]*; accepted: [^\n]*$"):
        load_file(damaged(tmp_path, scenario, how))


def test_loader_chooses_rows_and_columns(tmp_path: Path, scenario: Any) -> None:
    path = write(tmp_path / "rows.parquet", scenario)
    everything = load_file(path)
    some = load_file(path, where={"seat": 1, "score": [4, 5]}, columns=["game", "win"])
    assert some.equals(everything.filter((pl.col("seat") == 1) & pl.col("score").is_in([4, 5])).select("game", "win"))
    assert load_file(path, where=pl.col("win") == 0.5).equals(everything.filter(pl.col("win") == 0.5))
    pandas = load_file(path, frame="pandas")
    assert list(pandas.columns) == everything.columns
    assert pandas["score"].dtype == np.int16
    assert pandas["doubled"].dtype == np.bool_
    for wrong in ({"columns": ["scroe"]}, {"where": {"scroe": 1}}, {"where": 3}, {"frame": "excel"}):
        with pytest.raises(InputError, match="accepted"):
            load_file(path, **wrong)  # type: ignore[arg-type]


def test_shared_win_is_stored_as_its_share(toy: Any) -> None:
    frame = sim.simulate("toy", policies=["plain"] * 3, games=3000, seed=5)
    assert set(frame["win"].unique()) == {0.0, 1.0, 0.5, 1 / 3}
    sums = frame.group_by("game").agg(pl.col("win").sum())["win"]
    assert sums.min() == pytest.approx(1) == sums.max()


def test_field_that_does_not_fit_its_dtype_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        schema.of_field(Field("score", "int8", "points", "", 0, 200))
    with pytest.raises(ValueError, match="not one of"):
        schema.of_field(Field("score", "uint4", "points", "", 0, 2))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2), st.integers(1, 9)), max_size=40), st.integers(0, 40))
def test_counts_may_be_summed_in_any_split(rows: list[tuple[int, int, int]], cut: int) -> None:
    def part(some: list[tuple[int, int, int]]) -> dict[str, np.ndarray]:
        table = np.array(some, np.int64).reshape(-1, 3)
        return {"seat": table[:, 0], "score": table[:, 1], "count": table[:, 2]}

    expected: dict[tuple[int, int], int] = {}
    for seat, score, count in rows:
        expected[seat, score] = expected.get((seat, score), 0) + count
    whole = grouped([part(rows[:cut]), part(rows[cut:])])
    found = dict(
        zip(zip(whole["seat"].tolist(), whole["score"].tolist(), strict=True), whole["count"].tolist(), strict=True)
    )
    assert found == expected
    assert list(found) == sorted(found)


def test_run_record_is_outside_the_data(tmp_path: Path) -> None:
    path = records.append(tmp_path, "sweep t", seconds=1.5, played=10)
    records.append(tmp_path, "sweep t", seconds=2.5, played=20)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert path == tmp_path / "runs" / "runs.jsonl"
    assert [line["played"] for line in lines] == [10, 20]
    assert {"ended", "host", "seconds", "commit", "libraries"} <= set(lines[0])


def test_every_result_field_of_every_game_is_registered() -> None:
    for name in registry.REGISTRY:
        game = registry.get(name)
        stored = schema.columns("games", game.fields(game.rules_type(), len(game.example)))
        assert [c.name for c in stored[:2]] == ["game", "seat"]
        assert "win" in [c.name for c in stored]
        assert len({c.name for c in stored}) == len(stored)
        assert all(c.meaning for c in stored)


def test_data_readme_is_current() -> None:
    games = [registry.get(name) for name in registry.REGISTRY]
    assert (ROOT / "data" / "README.md").read_text(encoding="utf-8") == schema.markdown(games), (
        "run: sim schema --markdown > data/README.md"
    )


def test_statistics_of_the_game_index_are_kept(tmp_path: Path, scenario: Any) -> None:
    """So that other readers can skip row groups; on the other columns they would cost time and help nobody."""
    group = pq.read_metadata(write(tmp_path / "rows.parquet", scenario)).row_group(0)
    assert (group.column(0).statistics.min, group.column(0).statistics.max) == (0, 499)
    assert parquet.options(schema.columns("games"))["write_statistics"] == ["game"]


def test_kept_tables_that_belong_to_no_scenario_are_read_without_one() -> None:
    for path in (ROOT / "data" / "ladders" / "parlett.parquet", ROOT / "data" / "exact" / "layouts.parquet"):
        frame = sim.load(path)
        assert frame.equals(pl.read_parquet(path))
        assert "scenario" not in frame.columns
        with pytest.raises(InputError, match="scenario"):
            sim.load(path, columns=["scenario"])
