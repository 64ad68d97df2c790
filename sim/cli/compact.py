"""``sim compact SWEEP``: few files instead of many."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from sim.cli.common import Json, print_json
from sim.cli.sweep import Data


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compact")(compact)


def compact(
    sweep: Annotated[str, typer.Argument(metavar="SWEEP", help="Name, YAML file or folder of a finished sweep.")],
    data: Data = Path("data"),
    as_json: Json = False,
) -> None:
    """Put the many small files of a finished sweep into few; all that reads it goes on as before."""
    from sim.cli.sweep import _size
    from sim.sweep.compact import compact as pack

    done = pack(sweep, data=data)
    if as_json:
        print_json(asdict(done))
        return
    print(
        f"{done.sweep}: {done.scenarios:,} scenarios in {done.files:,} files (before: {done.files_before:,}), "
        f"{_size(done.bytes)} (before: {_size(done.bytes_before)})"
    )
