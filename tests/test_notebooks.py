"""Notebooks: thin, and run on tiny data from the first cell to the last."""

from __future__ import annotations

import ast
import html
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

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
    """One or more for each subject: a tour; scores; levels; set-up; sheets; readings; parameters; Karolinchen; Parlett;
    ladders and tournaments; optimal play and regret; precision and cost.
    """
    promised = {
        "tour",
        "score_distributions",
        "level_balance",
        "setup_impact",
        "sheet_layouts",
        "rule_readings",
        "karolinchen_length",
        "parlett_courts",
        "response_curves",
        "ladders",
        "optimal_play",
        "precision_cost",
    }
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
def test_every_claim_is_answered_in_words(name: str) -> None:
    """Of the cells after a claim, before the next text, one ends in words that are worked out."""
    open_claim = False
    for head, source in [*cells(name), ("[markdown]", "")]:
        if "[markdown]" in head:
            assert not open_claim, f"{name}: nothing answers the claim before {source[:60]!r}"
            open_claim = "**Claim to test.**" in source
        else:
            last = ast.parse(source).body[-1]
            told = isinstance(last, ast.Expr) and ast.unparse(last).startswith("Markdown(")
            if told and any(isinstance(node, ast.JoinedStr) for node in ast.walk(last)):
                open_claim = False


@every_notebook
def test_parameters_are_one_cell_of_plain_values(name: str) -> None:
    tagged = [source for head, source in cells(name) if 'tags=["parameters"]' in head]
    assert len(tagged) == 1
    values = runner().parameters(tagged[0])
    assert json.loads(json.dumps(values)) == values
    assert {"data", "games", "labels"} & set(values)


def test_no_number_is_typed_into_a_result() -> None:
    """Prose beside results is computed: text cells hold no decimal numbers and no percentages."""
    for name in NAMES:
        for head, source in cells(name):
            if "[markdown]" in head:
                assert not re.search(r"\d+\.\d+|\d+ ?%", source), f"{name}: {source}"


def test_a_wrong_parameters_cell_is_refused() -> None:
    with pytest.raises(ValueError, match="parameters cell"):
        runner().parameters("games = 10\nprint(games)")


def test_every_sweep_that_a_notebook_names_has_small_data_and_is_waited_for() -> None:
    """A notebook that names a sweep runs without `make report`, and again when the pipeline has played it."""
    named = {
        runner().parameters(next(source for head, source in cells(name) if "parameters" in head)).get("sweep")
        for name in NAMES
    } - {None}
    assert named == {p.name for p in (ROOT / "data" / "small").iterdir() if p.is_dir() and p.name != "runs"}
    deps = set(yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]["notebooks"]["deps"])
    assert {f"data/{name}" for name in named} | {"data/exact", "data/ladders", "benchmarks/costs.csv"} <= deps


def test_notebooks_are_listed_with_one_line_each() -> None:
    listed = (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
    for name in NAMES:
        assert len(re.findall(rf"^\| \[{name}\]\(\.\./notebooks/{name}\.py\) \|", listed, re.M)) == 1, name


# ----------------------------------------------------------------------------------------------------------------------
# JupyterLab: a double click opens the file as a notebook, and saving it changes nothing


def test_python_files_open_as_notebooks_and_nothing_is_fetched() -> None:
    path = FOLDER / "_jupyter" / "labconfig" / "default_setting_overrides.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    assert settings["@jupyterlab/docmanager-extension:plugin"]["defaultViewers"] == {"python": "Jupytext Notebook"}
    assert settings["@jupyterlab/apputils-extension:notification"] == {"fetchNews": "false", "checkForUpdates": False}
    line = re.search(r"^lab:.*\n(.*)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert line
    assert "JUPYTER_CONFIG_PATH=$(CURDIR)/notebooks/_jupyter" in line[1]


@every_notebook
def test_saving_a_notebook_unchanged_leaves_the_file_as_it_is(name: str, tmp_path: Path) -> None:
    from jupyter_server.services.contents.largefilemanager import LargeFileManager
    from jupytext.sync_contentsmanager import build_sync_jupytext_contents_manager_class

    for file in (f"{name}.py", "jupytext.toml"):
        shutil.copy(FOLDER / file, tmp_path)
    manager = build_sync_jupytext_contents_manager_class(LargeFileManager)(root_dir=str(tmp_path))
    model = manager.get(f"{name}.py", type="notebook")
    model["content"]["metadata"]["language_info"] = {"name": "python", "version": "3.11.7"}  # as a kernel adds it
    manager.save(model, f"{name}.py")
    assert (tmp_path / f"{name}.py").read_bytes() == (FOLDER / f"{name}.py").read_bytes()


# ----------------------------------------------------------------------------------------------------------------------
# They run


#: seconds that a notebook may take, with other work on the machine; alone it takes a quarter of it
SECONDS = 60.0


def fresh_data(folder: Path) -> Path:
    """What a fresh copy holds, and nothing that was made here since."""
    data = folder / "data"
    data.mkdir()
    for kept in ("small", "exact", "ladders", "league"):
        (data / kept).symlink_to(ROOT / "data" / kept)
    return data


#: fewer games and set-ups than the notebooks have by themselves, for tests that run with every change
QUICK = {"games": 1000, "sheets": 20}


def run_here(name: str, data: Path, **changes: Any) -> list[str]:
    """All cells in this process, from the first to the last; what they show, as HTML or Markdown text."""
    shown = []
    names: dict[str, Any] = {"__name__": "notebook"}
    for cell in runner().read(name, {"data": str(data), **changes}).cells:
        if cell.cell_type == "code":
            tree = ast.parse(cell.source)
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, name, "exec"), names)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), name, "eval"), names)  # type: ignore[attr-defined]
                if value is not None:
                    shown.append(str(value.data))
    return shown


@pytest.fixture(scope="module")
def played(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[dict[str, tuple[list[str], float]]]:
    """What every notebook shows on the data that are shipped, and the seconds it took."""
    if not COMPILED:
        pytest.skip("with the compiler off, notebooks take too long")
    data = fresh_data(tmp_path_factory.mktemp("notebooks"))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        patch.chdir(FOLDER)
        found = {}
        for name in sorted(
            {
                item.callspec.params["name"]
                for item in request.session.items
                if hasattr(item, "callspec") and item.function is test_a_notebook_runs_on_what_is_shipped
            }
        ):
            begun = time.monotonic()
            found[name] = run_here(name, data, **QUICK), time.monotonic() - begun
        yield found


def check_figures(text: str) -> None:
    """Figures with a text for who cannot see them, a finding, what is measured, and a form for narrow screens."""
    figures = re.findall(r"<figure([^>]*)>(.*?)</figure>", text, re.S)
    assert figures
    for about, inside in figures:
        label = re.search(r'aria-label="([^"]*)"', about)
        assert label, "a figure without a text that says what it shows"
        assert re.search(r"\d", label[1]), label[1]
        assert len(html.unescape(label[1])) < 250
        caption = re.search(r"<figcaption>\s*<strong>([^<]*)</strong>\s*<br/?>([^<]+)</figcaption>", inside)
        assert caption, "no finding"
        assert re.search(r"\d", caption[1]), caption[1]
        assert inside.count("<svg") == 2, "wide and narrow"


#: the others run in the pipeline, and here with the deep tests
OFTEN = {"tour", "karolinchen_length", "optimal_play"}


@pytest.mark.parametrize("name", [n if n in OFTEN else pytest.param(n, marks=pytest.mark.deep) for n in NAMES])
def test_a_notebook_runs_on_what_is_shipped(played: dict[str, tuple[list[str], float]], name: str) -> None:
    shown, seconds = played[name]
    assert seconds < SECONDS
    print(f"{name}: {seconds:.1f} s")
    text = "\n".join(shown)
    check_figures(text)
    words = re.sub(r"<svg.*?</svg>", "", text, flags=re.S)
    assert not re.search(r"\b(nan|None|inf)\b", words), re.findall(r".{30}\b(?:nan|None|inf)\b", words)
    if re.search(r"^sweep = ", (FOLDER / f"{name}.py").read_text(encoding="utf-8"), re.M):
        assert re.search(r"\*\*Data\.\*\* The small sweep `\w+` that is shipped: .*games each", text)


def make_page(name: str, folder: Path, data: Path, **changes: Any) -> str:
    """A page as the pipeline makes it: its own kernel, its own process."""
    command = [sys.executable, str(FOLDER / "_run.py"), name, "--out", str(folder)]
    values = {"data": str(data), **changes}
    options = [part for key, value in values.items() for part in ("--set", f"{key}={json.dumps(value)}")]
    env = {**os.environ, "MPLBACKEND": "agg"}
    done = subprocess.run([*command, *options], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, f"{name}\n{done.stderr[-3000:]}"
    return (folder / f"{name}.html").read_text(encoding="utf-8")


def check_page(page: str) -> None:
    check_figures(page)
    assert "<script" not in page
    addresses = re.findall(r"(?:src|href)=[\"'](?!#|data:)([^\"']+)|url\((?!#)([^)]+)\)|@import", page)
    assert not addresses, addresses


def test_a_page_stands_alone_and_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    if not COMPILED:
        pytest.skip("with the compiler off, notebooks take too long")
    data = fresh_data(tmp_path)
    page = make_page("tour", tmp_path, data, **QUICK)
    check_page(page)
    assert make_page("tour", tmp_path, data, **QUICK) == page


@pytest.mark.deep
@every_notebook
def test_every_page_stands_alone_and_comes_out_the_same(name: str, tmp_path: Path) -> None:
    """With all games; a page takes as long as its notebook may, the start of its kernel included."""
    data = fresh_data(tmp_path)
    page = make_page(name, tmp_path, data)
    check_page(page)
    begun = time.monotonic()
    assert make_page(name, tmp_path, data) == page
    assert time.monotonic() - begun < SECONDS  # the second time: nothing is compiled any more
