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
    seconds: Annotated[
        float, typer.Option("--seconds", help="Time for the games of each policy; one that takes longer is refused.")
    ] = 60.0,
    as_json: Json = False,
) -> None:
    """Play one's own policies on typical rules, compiled and as plain Python, and check that they keep the contract."""
    from sim.cli.watch import leave
    from sim.errors import InputError
    from sim.verify.own import check_file

    if not 0 < seconds < 1e6:
        raise InputError(f"--seconds {seconds:g} is not accepted; accepted: more than 0, less than 1000000")
    with waiting(f"checking {file}"):
        # an endless loop in compiled code can be ended only together with the process
        found = check_file(file, seconds, lambda text: leave(f"error: {text}", 2))
    if as_json:
        print_json({"file": str(file), "policies": [asdict(c) for c in found]})
        return
    for c in found:
        print(f"{c.game} {c.policy}: good ({c.settings} settings on {c.variants} sets of rules, {c.games:,} games)")
