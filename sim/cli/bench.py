"""``sim bench``: speed beside other programs, side by side in one run."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from sim.errors import InputError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bench")(bench)


def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Under a minute: short, few repetitions, no page.")] = False,
    long: Annotated[bool, typer.Option("--long", help="Also the peak memory of 100 million games.")] = False,
    only: Annotated[str, typer.Option("--only", metavar="TEXT", help="Only workloads whose id contains TEXT.")] = "",
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write all numbers there.")] = None,
) -> None:
    """Kernel and interface beside a C program, NumPy, OpenSpiel and the slow reference."""
    root = Path(__file__).resolve().parent.parent.parent
    if not (root / "benchmarks" / "run.py").exists():
        raise InputError("the benchmarks are not installed; accepted: sim bench in a checkout of the project")
    sys.path.insert(0, str(root))
    arguments = [*(["--quick"] if quick else []), *(["--long"] if long else [])]
    arguments += ["--only", only] if only else []
    arguments += ["--json", str(json_file)] if json_file is not None else []
    raise typer.Exit(import_module("benchmarks.run").main(arguments))
