"""The layer rule: what each part of the package may import, checked over every import statement.

From the ground up: errors, games/base < engine, stats, store, tables < games/<game> < sweep, league, verify <
analysis < plots, report < api < cli. Imports inside functions count as much as those at the top of a file.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "sim"
GAMES = sorted({p.parent.name for p in (PACKAGE / "games").glob("*/*.py")})

GROUND = {"errors", "base"}
TOOLS = {"engine", "stats", "store", "tables"}
ROOMS = set(GAMES)
RUNNERS = {"sweep", "league", "verify"}

#: part of the package → parts it may import (itself always). "registry" is `sim.games`, which finds the rooms by name.
#: Within one storey only the arrows that are written here: store stamps files with the engine's source hash, league and
#: verify play sweeps.
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "base": {"errors"},
    "engine": GROUND,
    "stats": {"errors"},
    "tables": GROUND | {"engine"},
    "store": GROUND | {"engine"},
    **{game: GROUND | TOOLS for game in GAMES},
    "registry": GROUND,
    "own": GROUND | {"registry"},
    "sweep": GROUND | TOOLS | ROOMS | {"registry", "own"},
    "league": GROUND | TOOLS | ROOMS | {"registry", "own", "sweep"},
    "verify": GROUND | TOOLS | ROOMS | {"registry", "own", "sweep"},
    "analysis": GROUND | TOOLS | ROOMS | RUNNERS | {"registry"},
    "plots": {"errors", "stats"},
    "report": GROUND | TOOLS | ROOMS | RUNNERS | {"registry", "analysis", "plots"},
    "api": GROUND | TOOLS | ROOMS | RUNNERS | {"registry", "own", "analysis", "plots", "report"},
    "cli": GROUND | TOOLS | ROOMS | RUNNERS | {"registry", "own", "analysis", "plots", "report", "api"},
    # the front door: the public names, looked up when first used
    "root": {"api", "registry", "sweep"},
}

#: inside a room: a file may import from files further left; `exact` has a rule of its own
ROOM_ORDER = (
    ("rules",),
    ("position", "moves"),
    ("outcomes",),
    ("odds", "placement", "restrict", "select", "sums", "thumb", "value"),
    ("policies", "select", "weights"),
    ("mind", "worlds", "endgame", "sieve", "lookup"),
    ("continuation", "rival"),
    ("perfect", "search"),
    ("kernel",),
    ("learn", "luck"),
    ("winning",),
    ("rounds",),
    ("trace",),
    ("__init__",),
)
#: an independent truth: it shares the rules and the players, never the code it is compared with
EXACT_MAY_IMPORT = {
    "mind",
    "rules",
    "policies",
    "position",
    "search",
}  # the position is the record that policies are asked with

#: parts with a closed list of libraries (beside the standard library)
LIBRARIES = {
    "errors": set(),
    "base": {"numpy", "pydantic"},
    "stats": {"numpy", "scipy"},
    "engine": {"numpy", "numba", "llvmlite"},  # llvmlite is the code generator numba stands on
}


def part(module: str) -> str:
    """The part of the package that a module belongs to."""
    names = module.split(".")
    if names == ["sim"]:
        return "root"
    if names[1] != "games":
        return names[1]
    if len(names) == 2:
        return "registry"
    return names[2]


def module_name(file: Path) -> str:
    names = list(file.relative_to(PACKAGE.parent).with_suffix("").parts)
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


def is_module(name: str) -> bool:
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def imported(tree: ast.AST) -> list[tuple[int, str]]:
    """Every module imported anywhere in a file: (line, module); in ``from package import name`` the module meant."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative imports hide the arrow; write the full name"
            module = str(node.module)
            for alias in node.names:
                inner = f"{module}.{alias.name}"
                is_inner = module == "sim" or (module.startswith("sim.") and is_module(inner))
            found.append((node.lineno, inner if is_inner else module))
    return found


def broken(module: str, source: str) -> list[str]:
    """The arrows of one file that the rule forbids, in words."""
    own = part(module)
    wrong = []
    if own not in MAY_IMPORT:
        return [f"{module}: '{own}' has no place in the layer rule; give it one in tests/test_layers.py"]
    for line, target in imported(ast.parse(source)):
        library = target.split(".")[0]
        if library != "sim":
            if own in LIBRARIES and library not in LIBRARIES[own] | set(sys.stdlib_module_names):
                accepted = ", ".join(sorted(LIBRARIES[own])) or "no library"
                wrong.append(f"{module}:{line} imports {library}; {own} may use {accepted}")
        elif target == "sim" and own != "root":
            wrong.append(f"{module}:{line} imports the front door; import the module where the name lives")
        elif target == "sim.__version__":  # all that the front door holds itself
            continue
        elif part(target) != own and part(target) not in MAY_IMPORT[own]:
            wrong.append(f"{module}:{line} imports {target}: an arrow from {own} to {part(target)}")
        elif own in ROOMS and part(target) == own:
            wrong += room_broken(module, line, target)
    return wrong


def room_file(module: str) -> str:
    names = module.split(".")
    return names[3] if len(names) > 3 else "__init__"


def room_broken(module: str, line: int, target: str) -> list[str]:
    here, there = room_file(module), room_file(target)
    if here == there or here == "__init__":
        return []
    if here == "exact":
        return (
            [] if there in EXACT_MAY_IMPORT else [f"{module}:{line} imports {target}: exact is independent of {there}"]
        )
    place = {name: i for i, names in enumerate(ROOM_ORDER) for name in names}
    for name in (here, there):
        if name not in place:
            return [
                f"{module}:{line}: '{name}' has no place in the order of a room; give it one in tests/test_layers.py"
            ]
    return (
        [] if place[there] < place[here] else [f"{module}:{line} imports {target}: an arrow from {here} up to {there}"]
    )


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.relative_to(PACKAGE).as_posix())
def test_every_import_points_down(file: Path) -> None:
    wrong = broken(module_name(file), file.read_text(encoding="utf-8"))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("sim.engine.simulate", "from sim.games.caterpillars import outcomes"),
        ("sim.engine.simulate", "from sim import games"),
        ("sim.store.load", "def f():\n    from sim.sweep.plan import plan"),
        ("sim.stats.intervals", "import polars"),
        ("sim.stats.intervals", "from sim.games.base import Field"),
        ("sim.plots.score", "from sim.games import get"),
        ("sim.analysis.levels", "from sim.plots import draw_scores"),
        ("sim.report.page", "import sim.api"),
        ("sim.report.page", "import sim"),
        ("sim.api", "from sim.cli import main"),
        ("sim.games.caterpillars.rules", "from sim.games.caterpillars.outcomes import tables"),
        ("sim.games.caterpillars.policies", "from sim.games.caterpillars import kernel"),
        ("sim.games.caterpillars.exact", "from sim.games.caterpillars.outcomes import tables"),
        ("sim.games.caterpillars.rules", "from sim.games.parlett.rules import ParlettRules"),
        ("sim.novelty", "import json"),
    ],
)
def test_the_check_sees_a_wrong_arrow(module: str, source: str) -> None:
    assert broken(module, source)


def test_the_matrix_itself_has_no_circle() -> None:
    """Storeys can be numbered so that every arrow goes down (the front door, which looks names up late, aside)."""
    left = {k: set(v) for k, v in MAY_IMPORT.items() if k != "root"}
    while left:
        lowest = {k for k, v in left.items() if not v & left.keys()}
        assert lowest, f"circle among {sorted(left)}"
        left = {k: v for k, v in left.items() if k not in lowest}


def test_plots_neither_read_nor_write() -> None:
    verbs = {"open", "to_csv", "to_parquet", "write_text", "write_bytes", "read_text", "load"}
    for file in sorted((PACKAGE / "plots").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                # one function turns a figure into text, in memory
                in_memory = name == "savefig" and ast.unparse(node.args[0]) == "buffer" and file.name == "style.py"
                forbidden = name in verbs | {"savefig"} or name.startswith(("read_", "scan_", "write_", "sink_"))
                assert in_memory or not forbidden, f"{file.name}:{node.lineno} calls {name}"


def test_importing_sim_is_cheap() -> None:
    """Neither the compiler nor frames nor plotting come in with `import sim` (measured in a fresh process)."""
    heavy = ["numba", "numpy", "polars", "pandas", "matplotlib", "seaborn", "scipy", "pyarrow", "joblib", "typer"]
    code = f"import sim, sys; sim.__version__; dir(sim); print(','.join(m for m in {heavy} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PACKAGE.parent)
    assert done.stdout.strip() == ""
