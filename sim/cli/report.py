"""``sim report``: the balance report from stored sweeps, all of it or one step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.common import Json, print_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report")(report)


def report(
    steps: Annotated[
        list[str] | None,
        typer.Argument(metavar="[STEP]...", help="tables, figures, page; default: all three, in this order."),
    ] = None,
    data: Annotated[Path, typer.Option("--data", metavar="FOLDER", help="The data folder.")] = Path("data"),
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the report goes.")] = Path("reports"),
    params: Annotated[
        Path, typer.Option("--params", metavar="FILE", help="Targets, assumptions and figure sizes.")
    ] = Path("params.yaml"),
    as_json: Json = False,
) -> None:
    """Write the balance report from stored sweeps: result tables, figures, then the page. Nothing is simulated."""
    from sim.report.build import STEPS, build_report

    chosen = list(steps or STEPS)
    page = build_report(data, out, params, chosen)
    made = {"tables": out / "tables", "figures": out / "build", "page": page}
    if as_json:
        print_json({step: str(made[step]) for step in STEPS if step in chosen})
        return
    for step in STEPS:
        if step in chosen:
            print(f"{step}: {made[step]}")
