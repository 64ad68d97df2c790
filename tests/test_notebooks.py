"""Notebooks: thin, and run on tiny data from the first cell to the last."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

import sim
from sim.engine.jit import COMPILED

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "notebooks"
NAMES = sorted(p.stem for p in FOLDER.glob("*.py") if not p.name.startswith("_"))

every_notebook = pytest.mark.parametrize("name", NAMES)


def runner() -> Any:
    spec = importlib.util.spec_from_file_location("notebook_runner", FOLDER / "_run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cells(name: str) -> list[tuple[str, str]]:
    """(head line, source) of every cell of a percent notebook."""
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    parts = re.split(r"^(# %%.*)$", text, flags=re.M)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def test_the_promised_notebooks_are_there() -> None:
    promised = {"tour", "score_distributions", "level_balance", "setup_impact", "karolinchen_length", "parlett_courts"}
    assert promised <= set(NAMES)


@every_notebook
def test_a_notebook_is_thin(name: str) -> None:
    """It calls the package: nothing is defined in it, nothing is written by it."""
    tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        assert not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda), node.lineno
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func).split(".")[-1]
            assert called not in {"open", "savefig", "mkdir"}, called
            assert not called.startswith(("write_", "sink_", "to_csv", "to_parquet")), called


@every_notebook
def test_a_notebook_asks_claims_and_shows(name: str) -> None:
    found = cells(name)
    assert found[0][0] == "# %% [markdown]"
    assert found[0][1].startswith("\n# # ")
    text = "".join(source for head, source in found if "[markdown]" in head)
    assert "**Question.**" in text
    assert "**Claim to test.**" in text
    assert any("show(" in source for head, source in found if "[markdown]" not in head)


@every_notebook
def test_parameters_are_one_cell_of_plain_values(name: str) -> None:
    tagged = [source for head, source in cells(name) if 'tags=["parameters"]' in head]
    assert len(tagged) == 1
    values = runner().parameters(tagged[0])
    assert json.loads(json.dumps(values)) == values
    assert {"data", "games"} & set(values)


def test_no_number_is_typed_into_a_result() -> None:
    """Prose beside results is computed: text cells hold no decimal numbers and no percentages."""
    for name in NAMES:
        for head, source in cells(name):
            if "[markdown]" in head:
                assert not re.search(r"\d+\.\d+|\d+ ?%", source), f"{name}: {source}"


def test_a_wrong_parameters_cell_is_refused() -> None:
    with pytest.raises(ValueError, match="parameters cell"):
        runner().parameters("games = 10\nprint(games)")


# ----------------------------------------------------------------------------------------------------------------------


def tiny(path: Path, games: int) -> dict[str, Any]:
    """A shipped sweep with few games."""
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    content["games"] = games
    for design in (content, *content.get("designs", [])):
        for part in (design, *design.get("variants", []), *design.get("policies", [])):
            if isinstance(part, dict) and part is not content:
                part.pop("games", None)
    return content


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Every notebook as a page, run on tiny sweeps."""
    if not COMPILED:
        pytest.skip("with the compiler off, notebooks take too long")
    folder = tmp_path_factory.mktemp("notebooks")
    data = folder / "data"
    for name in ("levels", "setup", "karolinchen", "parlett"):
        sim.sweep(tiny(ROOT / "sweeps" / f"{name}.yaml", 300), workers=2, data=data)

    def run(name: str) -> str:
        command = [sys.executable, str(FOLDER / "_run.py"), name, "--out", str(folder)]
        changes = ["--set", "games=2000", "--set", f"data={json.dumps(str(data))}"]
        env = {**os.environ, "MPLBACKEND": "agg"}
        done = subprocess.run([*command, *changes], cwd=folder, env=env, capture_output=True, text=True)
        assert done.returncode == 0, f"{name}\n{done.stderr[-3000:]}"
        return (folder / f"{name}.html").read_text(encoding="utf-8")

    with ThreadPoolExecutor(2) as pool:  # each is a process of its own
        again = pool.submit(run, "tour")
        again.result()
        first = (folder / "tour.html").read_text(encoding="utf-8")
        return {**dict(zip(NAMES, pool.map(run, NAMES), strict=True)), "tour, first run": first}


@every_notebook
def test_a_notebook_runs_and_its_page_stands_alone(pages: dict[str, str], name: str) -> None:
    page = pages[name]
    assert "<figure" in page
    assert re.search(r'aria-label="[^"]*\d', page), "a figure without a text that says what it shows"
    assert "<script" not in page
    addresses = re.findall(r"(?:src|href)=[\"'](?!#|data:)([^\"']+)|url\((?!#)([^)]+)\)|@import", page)
    assert not addresses, addresses


def test_the_same_run_gives_the_same_bytes(pages: dict[str, str]) -> None:
    assert pages["tour"] == pages["tour, first run"]
