"""The house around the code: no addresses or machine paths, links that lead somewhere, words that are true."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import sim

ROOT = Path(__file__).resolve().parent.parent
NOT_OURS = {".git", ".venv", "data", "reports", "build", "dist", "node_modules"}
TEXT = {".py", ".md", ".toml", ".yaml", ".yml", ".txt", ".cff", ".c", ".h", ".json", ".j2", ".css", ".html", ".svg", ""}


@cache
def files() -> list[Path]:
    """Every file of the project: what git tracks, or, in an unpacked archive, what is not made by running it."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        return [ROOT / line for line in listed.splitlines() if (ROOT / line).is_file()]
    found = (p for p in ROOT.rglob("*") if not NOT_OURS & set(p.relative_to(ROOT).parts) and p.is_file())
    return sorted(p for p in found if not any(part.startswith(".") for part in p.relative_to(ROOT).parent.parts))


def texts() -> list[tuple[str, str]]:
    return [
        (p.relative_to(ROOT).as_posix(), p.read_text(encoding="utf-8")) for p in files() if p.suffix.lower() in TEXT
    ]


@cache
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


# ----------------------------------------------------------------------------------------------------------------------
# What no file may hold

#: absolute paths of one machine, and addresses of package registries (in brackets, so that this line does not match)
MACHINE = re.compile(r"(?<![\w.~-])/(?:root|tmp|home|Users|opt|srv|mnt)/[A-Za-z0-9]")
REGISTRY = re.compile(r"[p]ypi\.(?:org|python)|[p]ythonhosted|[n]pmjs\.|[c]onda\.anaconda|[c]rates\.io|[p]roxy\.golang")


@pytest.mark.parametrize("pattern", [MACHINE, REGISTRY], ids=["machine paths", "registry addresses"])
def test_no_file_holds(pattern: re.Pattern[str]) -> None:
    found = [
        f"{name}:{number}: {line.strip()[:100]}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, "\n".join(found)


def test_the_patterns_find_what_they_look_for() -> None:
    slash = "/"
    assert MACHINE.search(f"see {slash}root{slash}notes.txt")
    assert REGISTRY.search("https://files.python" + "hosted.org")
    assert not MACHINE.search("data/tmp/x")


def test_files_are_small() -> None:
    large = [f"{p.relative_to(ROOT)}: {p.stat().st_size:,} bytes" for p in files() if p.stat().st_size > 1_000_000]
    assert not large, "\n".join(large)


# ----------------------------------------------------------------------------------------------------------------------
# Dependencies


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def required(group: list[str]) -> set[str]:
    return {canonical(re.split(r"[\[<>=!~; ]", line, maxsplit=1)[0]) for line in group}


def runtime() -> set[str]:
    return required(project()["project"]["dependencies"])


def optional() -> set[str]:
    extras = project()["project"].get("optional-dependencies", {})
    return set().union(*map(required, extras.values())) if extras else set()


def test_constraints_hold_versions_and_no_addresses() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+( ; [A-Za-z0-9_.'<>=! ()]+)?", line), line
    pinned = {canonical(line.split("==")[0]) for line in lines}
    groups = set().union(*map(required, project()["dependency-groups"].values()))
    assert runtime() | optional() | groups <= pinned, "run `make constraints`"


#: name on the shelf → name in an import statement, where they differ
IMPORT_NAMES = {"pyyaml": "yaml", "open-spiel": "pyspiel"}
#: programs that are started, and libraries that another one loads (polars' `to_pandas`), never imported by name
STARTED = {"jupyterlab", "dvc", "ipykernel", "pandas"}

#: part of the face of a library that is declared
COMES_WITH = {
    "IPython": "ipykernel",
    "click": "typer",
    "distributed": "dask",
    "jupyter_client": "nbclient",
    "llvmlite": "numba",
    "markupsafe": "jinja2",
    "traitlets": "nbconvert",
}


def imports_of(folder: str) -> set[str]:
    found: set[str] = set()
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(str(node.module).split(".")[0])
    ours = {path.stem for path in (ROOT / folder).glob("*.py")}
    return found - set(sys.stdlib_module_names) - {"sim"} - ours


def test_every_dependency_is_used_and_every_import_is_declared() -> None:
    imported = imports_of("sim") | imports_of("notebooks")
    declared = {IMPORT_NAMES.get(name, name.replace("-", "_")) for name in (runtime() | optional()) - STARTED}
    declared_only = declared - imported
    assert not declared_only, f"declared and never imported: {sorted(declared_only)}"
    known = declared | {name for name, owner in COMES_WITH.items() if owner in runtime() | optional()}
    undeclared = imported - known
    assert not undeclared, f"imported and not declared: {sorted(undeclared)}"


def test_every_dependency_has_its_reason() -> None:
    page = (ROOT / "docs" / "decisions" / "0001-dependencies.md").read_text(encoding="utf-8").lower()
    groups = set().union(*map(required, project()["dependency-groups"].values()))
    for name in runtime() | optional() | groups - {"types-pyyaml", "pandas-stubs"}:
        assert re.search(rf"\b{name}\b", page), f"{name} has no reason in docs/decisions/0001-dependencies.md"


# ----------------------------------------------------------------------------------------------------------------------
# Words that must be true


def test_one_version_everywhere() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[?(\d+\.\d+\.\d+)", changelog, re.M)
    assert newest is not None
    assert {project()["project"]["version"], citation["version"], newest[1]} == {sim.__version__}


def test_the_changelog_says_what_happened_to_results() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for section in re.split(r"^## ", changelog, flags=re.M)[1:]:
        assert "### Results" in section, section.splitlines()[0]


def pages() -> list[Path]:
    return [p for p in files() if p.suffix == ".md"]


def test_links_lead_somewhere() -> None:
    for page in pages():
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if target.startswith(("http://", "https://", "#", "mailto:")):
                continue
            path = page.parent / target.split("#")[0]
            assert path.exists(), f"{page.relative_to(ROOT)} links to {target}"


def targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))


def test_make_targets_that_are_spoken_of_exist() -> None:
    assert {"setup", "report", "test", "lint", "bench", "lab", "clean", "help"} <= targets()
    for page in pages():
        for target in re.findall(r"(?:`|^)make ([a-z]+)", page.read_text(encoding="utf-8"), re.M):
            assert target in targets(), f"{page.relative_to(ROOT)} speaks of make {target}"


def test_help_lists_every_target() -> None:
    done = subprocess.run(["make", "--silent", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(re.findall(r"^  make ([a-z]+)", done.stdout, re.M)) == targets()


# ----------------------------------------------------------------------------------------------------------------------
# The examples in the README run


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)


def in_a_fresh_process(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True)


def test_python_examples_run(tmp_path: Path) -> None:
    code = "\n".join(blocks("python"))
    assert "sim.simulate(" in code
    done = in_a_fresh_process(["-c", code], tmp_path)
    assert done.returncode == 0, done.stderr


def test_command_line_examples_run(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "sweeps", tmp_path / "sweeps")
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    commands = [line for line in lines if line.startswith(".venv/bin/sim ")]
    assert commands
    for command in commands:
        done = in_a_fresh_process(["-c", "from sim.cli import main; main()", *shlex.split(command)[1:]], tmp_path)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        assert done.stdout.strip(), command


def test_the_sweep_of_the_how_to_can_be_planned() -> None:
    from sim.sweep.plan import plan

    page = (ROOT / "docs" / "how-to" / "run-a-sweep.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```yaml\n(.*?)^```", page, re.M | re.S)
    assert examples
    whole = [example for example in examples if "\ngame: " in example]
    assert whole
    plans = [plan(yaml.safe_load(example)) for example in whole]  # the others are parts, which test_designs plans
    assert len(plans[0].cells) > 10
    assert not any(planned.notes for planned in plans)


# ----------------------------------------------------------------------------------------------------------------------
# The pipeline names everything that decides its results


@cache
def closure(start: str) -> frozenset[str]:
    """Modules of the package that a module imports, directly or not."""
    from tests.test_layers import imported, is_module

    seen: set[str] = set()
    left = [start]
    while left:
        module = left.pop()
        if module in seen or module == "sim" or not is_module(module):
            continue
        seen.add(module)
        path = ROOT.joinpath(*module.split("."))
        path = path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py"
        left += [name for _, name in imported(ast.parse(path.read_text(encoding="utf-8")))]
        left.append(module.rpartition(".")[0])  # importing a module runs its packages first
    return frozenset(seen)


def modules(folder: str) -> list[str]:
    paths = (ROOT / "sim" / folder).rglob("*.py")
    return [".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for p in paths]


@cache
def stages() -> dict[str, dict[str, Any]]:
    """The stages of dvc.yaml, with ``foreach`` written out."""
    found: dict[str, dict[str, Any]] = {}
    for name, stage in yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"].items():
        if "foreach" not in stage:
            found[name] = stage
            continue
        for key, item in stage["foreach"].items():
            text = json.dumps(stage["do"]).replace("${key}", key).replace("${item}", item)
            found[f"{name}@{key}"] = json.loads(text)
    return found


def uncovered(stage: dict[str, Any], wanted: set[str]) -> set[str]:
    """Modules that a stage runs and does not name, neither by file nor by folder."""
    names = [dep.removesuffix(".py").replace("/", ".") for dep in stage["deps"]]
    files = {name.removesuffix(".__init__") for name in names}
    folders = tuple(f"{name}." for name in names)
    return {module for module in wanted if module not in files and not module.startswith(folders)} - {"sim.games"}


SWEEPS = sorted(path.stem for path in (ROOT / "sweeps").glob("*.yaml") if path.stem != "smoke")


def test_every_sweep_has_its_stage_and_keeps_its_output() -> None:
    assert [name for name in stages() if name.startswith("sweep@")]
    assert {f"sweep@{name}" for name in SWEEPS} == {name for name in stages() if name.startswith("sweep@")}
    for name in SWEEPS:
        (out,) = stages()[f"sweep@{name}"]["outs"]
        # without `persist` the pipeline deletes what a sweep would go on from
        assert out == {f"data/{name}": {"cache": False, "persist": True}}


@pytest.mark.parametrize("name", SWEEPS)
def test_a_sweep_stage_names_all_code_that_decides_its_results(name: str) -> None:
    game = yaml.safe_load((ROOT / "sweeps" / f"{name}.yaml").read_text(encoding="utf-8"))["game"]
    stage = stages()[f"sweep@{name}"]
    runs = closure("sim.sweep.run") | closure("sim.sweep.plan") | closure(f"sim.games.{game}")
    assert not uncovered(stage, set(runs))
    assert f"sweeps/{name}.yaml" in stage["deps"]


@pytest.mark.parametrize(
    ("name", "starts"),
    [
        ("tables", ["sim.report.tables", "sim.report.inputs", "sim.report.verified"]),
        ("figures", ["sim.report.figures"]),
        ("page", ["sim.report.page"]),
    ],
)
def test_a_report_stage_names_all_code_that_decides_its_results(name: str, starts: list[str]) -> None:
    runs = set().union(*map(closure, starts))
    assert not uncovered(stages()[name], runs)


def test_the_verification_stage_names_all_code_that_decides_its_results() -> None:
    games = (f"sim.games.{name}" for name in sim.games())
    runs = set().union(closure("sim.verify"), *map(closure, games))
    assert not uncovered(stages()["verify"], runs)
    assert stages()["verify"]["params"] == ["verify"]
    # the report is made only after a verification that passed
    assert "reports/verification.json" in stages()["tables"]["deps"]


def test_tables_are_made_again_when_a_parameter_they_keep_changes() -> None:
    """The tables refuse other parameters; the pipeline has to make them again before that."""
    from sim.report.params import Params
    from sim.report.tables import _LATER

    assert set(stages()["tables"]["params"]) == set(Params.model_fields) - _LATER


def test_the_stage_of_ladders_names_all_code_that_decides_its_results() -> None:
    games = (f"sim.games.{name}" for name in sim.games())
    runs = set().union(closure("sim.league.climbed"), *map(closure, games))
    assert not uncovered(stages()["ladders"], runs)


def test_the_stage_of_decided_games_names_all_code_that_decides_its_results() -> None:
    stage = stages()["decided"]
    games = (f"sim.games.{name}" for name in sim.games())
    assert not uncovered(stage, set(closure("sim.report.decided")).union(*map(closure, games)))
    assert stage["params"] == ["decided"]
    assert stage["outs"] == [{"data/decided": {"cache": False}}]
    assert "data/decided" in stages()["tables"]["deps"]


def test_the_notebook_stage_names_all_code_that_decides_its_results() -> None:
    runs = set(closure("sim.api")) | {
        m for part in ("analysis", "plots") for name in modules(part) for m in closure(name)
    }
    assert not uncovered(stages()["notebooks"], runs)


def test_drawing_does_not_depend_on_simulating() -> None:
    """A changed plot style must not simulate again: no sweep depends on drawing or on the parameters file."""
    for name in SWEEPS:
        stage = stages()[f"sweep@{name}"]
        assert "params" not in stage
        assert not any(dep.startswith(("sim/plots", "sim/report", "sim/analysis", "params")) for dep in stage["deps"])


def test_the_check_of_stages_sees_a_missing_folder() -> None:
    stage = {"deps": [d for d in stages()["sweep@levels"]["deps"] if d != "sim/engine"]}
    assert "sim.engine.rng" in uncovered(stage, set(closure("sim.games.caterpillars")))


def test_dependencies_of_stages_exist() -> None:
    made = {out if isinstance(out, str) else next(iter(out)) for s in stages().values() for out in s.get("outs", [])}
    for name, stage in stages().items():
        for dep in stage["deps"]:
            assert dep in made or (ROOT / dep).exists(), f"{name} depends on {dep}"
    known = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    for stage in stages().values():
        assert {p for p in stage.get("params", []) if isinstance(p, str)} <= set(known)
