"""Small data of the sweeps: shipped, current, and the same bytes when they are made again."""

from __future__ import annotations

import copy
import importlib.util
import json
import random
import shutil
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

import sim
from sim.engine.jit import source_hash
from sim.errors import SimError, StoreError
from sim.games import get
from sim.store.load import read_footer
from sim.store.parts import part_of
from sim.store.provenance import libraries
from sim.sweep import manifest, small
from sim.sweep.plan import plan

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ROOT / "data" / small.FOLDER
SWEEPS = ("karolinchen", "levels", "parlett", "readings", "setup")

every_sweep = pytest.mark.parametrize("name", SWEEPS)


def test_the_small_data_are_all_there_and_small() -> None:
    assert tuple(sorted(p.name for p in SHIPPED.iterdir() if p.is_dir() and p.name != "runs")) == SWEEPS
    assert sum(p.stat().st_size for p in SHIPPED.rglob("*") if p.is_file()) < 3_000_000


@every_sweep
def test_the_small_data_are_those_of_the_present_sweeps_rules_and_policies(name: str) -> None:
    """Scenario ids hold the versions of kernel and policies: `make small` where this fails."""
    planned = small.small_plan(ROOT / "sweeps" / f"{name}.yaml")
    assert small.differs(SHIPPED / name, planned) == ""
    assert small.outdated(manifest.read(SHIPPED / name)) == []


@every_sweep
def test_scenarios_of_the_small_data_come_out_the_same_again(name: str) -> None:
    """Two at random in each run: counts that a present kernel would not give are found, whatever the versions say."""
    found = manifest.read(SHIPPED / name)
    slow = {"learned", "search"}  # a scenario of theirs takes many seconds
    cheap = [e for e in found["scenarios"] if not slow & {p["id"] for p in e["policies"]}]
    for entry in random.SystemRandom().sample(cheap, 2):
        again = sim.summarise(
            found["game"],
            rules=entry["rules"],
            policies=[p["text"] for p in entry["policies"]],
            games=entry["games"],
            seed=found["seed"],
            by=found["by"],
        )
        kept = sim.load(name, data=SHIPPED, where={"scenario": entry["scenario"]}, columns=again.columns)
        keys = ["seat", *found["by"]]
        assert kept.sort(keys).equals(again.sort(keys)), entry["label"]


@every_sweep
def test_the_small_data_are_the_first_games_of_the_full_sweep(name: str) -> None:
    full = plan(ROOT / "sweeps" / f"{name}.yaml")
    found = manifest.read(SHIPPED / name)
    assert (found["seed"], found["first_game"]) == (full.spec.seed, full.spec.first_game)
    games = {cell.id: min(cell.games, small.GAMES) for cell in full.cells}
    assert {entry["scenario"]: entry["games"] for entry in found["scenarios"]} == games
    for entry in found["scenarios"][::50]:
        assert part_of(SHIPPED / name, entry["files"][0]).provenance["games"] == games[entry["scenario"]]


@pytest.mark.deep
@every_sweep
def test_the_small_data_are_made_again_byte_for_byte(name: str, tmp_path: Path) -> None:
    """Byte for byte where engine sources and libraries are those of the footers; the same frames in any case."""
    small.make(ROOT / "sweeps" / f"{name}.yaml", tmp_path, workers=2)
    for table in ("counts", "differences"):
        frames = [sim.load(name, table=table, data=data) for data in (SHIPPED, tmp_path)] if _has(name, table) else []
        assert not frames or frames[0].equals(frames[1])
    files = sorted(p.relative_to(SHIPPED) for p in (SHIPPED / name).rglob("*") if p.is_file())
    assert files == sorted(p.relative_to(tmp_path) for p in (tmp_path / name).rglob("*") if p.is_file())
    record = part_of(SHIPPED / name, manifest.read(SHIPPED / name)["scenarios"][0]["files"][0]).provenance
    if record["libraries"] == libraries() and record["kernel_sources"] == source_hash(record["game"]):
        for file in files:
            assert (SHIPPED / file).read_bytes() == (tmp_path / file).read_bytes(), file


def _has(name: str, table: str) -> bool:
    return any(f["table"] == table for e in manifest.read(SHIPPED / name)["scenarios"] for f in e["files"])


# ----------------------------------------------------------------------------------------------------------------------
# How they are made and told apart


def smoke(**changes: Any) -> dict[str, Any]:
    content = yaml.safe_load((ROOT / "sweeps" / "smoke.yaml").read_text(encoding="utf-8"))
    return {**content, "games": 500, **changes}


def written(tmp_path: Path, **changes: Any) -> Path:
    path = tmp_path / "smoke.yaml"
    path.write_text(yaml.safe_dump(smoke(**changes)), encoding="utf-8")
    return path


def test_no_scenario_has_more_games_and_none_gets_more() -> None:
    content = {"games": 1_000, "designs": [{"games": 30, "policies": [{"seats": ["greedy"], "games": 700}]}]}
    before = copy.deepcopy(content)
    assert small.reduced(content, 100) == {
        "games": 100,
        "designs": [{"games": 30, "policies": [{"seats": ["greedy"], "games": 100}]}],
    }
    assert content == before
    with pytest.raises(SimError, match="games"):
        small.reduced(content, 0)


def test_made_twice_the_bytes_are_the_same(tmp_path: Path) -> None:
    file = written(tmp_path)
    for data, workers in (("one", 1), ("two", 2), ("two", 1)):  # a second run over finished data changes nothing
        small.make(file, tmp_path / data, games=200, workers=workers)
    names = sorted(p.relative_to(tmp_path / "one") for p in (tmp_path / "one" / "smoke").rglob("*") if p.is_file())
    assert len(names) == 3
    assert all((tmp_path / "one" / n).read_bytes() == (tmp_path / "two" / n).read_bytes() for n in names)


def test_data_of_another_sweep_file_or_version_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    assert "is not there" in small.differs(data / "smoke", small.small_plan(written(tmp_path), 200))
    small.make(written(tmp_path), data, games=200)
    assert small.differs(data / "smoke", small.small_plan(written(tmp_path), 200)) == ""
    changes: tuple[dict[str, Any], ...] = ({"seed": 8}, {"by": ["score"]}, {"policies": ["random"]}, {"pairs": []})
    for change in changes:
        assert small.differs(data / "smoke", small.small_plan(written(tmp_path, **change), 200)), change
    assert small.differs(data / "smoke", small.small_plan(written(tmp_path), 100))
    found = manifest.read(data / "smoke")
    assert small.outdated(found) == []
    monkeypatch.setattr(type(get("caterpillars")), "kernel_version", 10_000)
    assert len(small.outdated(found)) == len(found["scenarios"])


def test_data_that_differ_are_made_again(tmp_path: Path) -> None:
    data = tmp_path / "data"
    small.make(written(tmp_path), data, games=200)
    small.make(written(tmp_path, seed=8), data, games=100)
    found = manifest.read(data / "smoke")
    assert (found["seed"], small.games_of(found)) == (8, (100, 100))
    assert read_footer(next((data / "smoke" / "shared").glob("counts*"))).rows > 0


# ----------------------------------------------------------------------------------------------------------------------
# Which data a notebook takes


def chooser() -> Any:
    spec = importlib.util.spec_from_file_location("notebook_data", ROOT / "notebooks" / "_data.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["notebook_data"] = module
    spec.loader.exec_module(module)
    return module


def test_full_data_are_taken_where_they_are_and_small_data_else(tmp_path: Path) -> None:
    source = chooser().source
    small.make(written(tmp_path), tmp_path / "data" / "small", games=200)
    at = source("smoke", str(tmp_path / "data"))
    assert at.data == str(tmp_path / "data" / "small")
    assert "small sweep" in at.told
    assert "200 games" in at.told
    assert sim.load("smoke", data=at.data).height
    (tmp_path / "data" / "smoke").mkdir()
    assert "not finished" in source("smoke", str(tmp_path / "data")).told
    sim.sweep(smoke(), data=tmp_path / "data")
    at = source("smoke", str(tmp_path / "data"))
    assert at.data == str(tmp_path / "data")
    assert "full sweep" in at.told
    assert "500 games" in at.told


def test_old_data_are_an_error_and_no_fallback(tmp_path: Path) -> None:
    source = chooser().source
    data = tmp_path / "data"
    small.make(written(tmp_path), data / "small", games=200)
    sim.sweep(smoke(), data=data)
    path = data / "smoke" / manifest.NAME
    found = json.loads(path.read_text(encoding="utf-8"))
    found["scenarios"][0]["scenario"] = "0" * 12
    path.write_text(json.dumps(found), encoding="utf-8")
    with pytest.raises(StoreError, match=r"another version.*accepted: current data \(run `sim sweep"):
        source("smoke", str(data))
    shutil.rmtree(data / "smoke")
    path = data / "small" / "smoke" / manifest.NAME
    path.write_text(json.dumps(found), encoding="utf-8")
    with pytest.raises(StoreError, match=r"run `make small`"):
        source("smoke", str(data))
    with pytest.raises(StoreError, match="is not there"):
        source("nothing", str(data))


def test_counts_are_whole_games() -> None:
    """Every scenario of the small data has as many games as its manifest says, in every seat."""
    for name in SWEEPS:
        games = {entry["scenario"]: entry["games"] for entry in manifest.read(SHIPPED / name)["scenarios"]}
        counts = sim.load(name, data=SHIPPED).group_by("scenario", "seat").agg(pl.col("count").sum())
        assert set(counts["scenario"]) == set(games)
        assert all(row["count"] == games[row["scenario"]] for row in counts.iter_rows(named=True))
