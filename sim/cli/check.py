"""``sim check FILE``: do one's own policies keep the contract that every built-in policy keeps?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from sim.cli.common import Json, print_json, waiting


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check")(check)


def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Python file of policies under @sim.policy.")],
    as_json: Json = False,
) -> None:
    """Play one's own policies on typical rules, compiled and as plain Python, and check that they keep the contract."""
    from sim.verify.own import check_file

    with waiting(f"checking {file}"):
        found = check_file(file)
    if as_json:
        print_json({"file": str(file), "policies": [asdict(c) for c in found]})
        return
    for c in found:
        print(f"{c.game} {c.policy}: good ({c.settings} settings on {c.variants} sets of rules, {c.games:,} games)")
