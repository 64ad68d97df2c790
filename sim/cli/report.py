"""``sim report``: the balance report from stored sweeps, all of it or one step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.common import Json, print_json

REPORTS = Path("reports")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report")(report)


def report(
    steps: Annotated[
        list[str] | None,
        typer.Argument(metavar="[STEP]...", help="tables, figures, page; default: all three, in this order."),
    ] = None,
    data: Annotated[Path, typer.Option("--data", metavar="FOLDER", help="The data folder.")] = Path("data"),
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="PART",
            help="levels, setup, readings, karolinchen or parlett; may be given several times. Only their sweeps need "
            "to be stored.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FOLDER", help="Where the report goes; default reports, or reports/only-PART with --only."
        ),
    ] = None,
    params: Annotated[
        Path, typer.Option("--params", metavar="FILE", help="Targets, assumptions and figure sizes.")
    ] = Path("params.yaml"),
    pdf: Annotated[
        bool, typer.Option("--pdf", help="Also print the page to balance.pdf; needs Chromium or Chrome on the PATH.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write the balance report from stored sweeps: result tables, figures, then the page. Nothing is simulated."""
    from sim.report.build import STEPS, build_report
    from sim.report.parts import check_parts
    from sim.report.pdf import find_browser, print_pdf
    from sim.report.verified import RECORD

    chosen = list(steps or STEPS)
    parts = check_parts(only) if only else ()
    folder = out or (REPORTS / f"only-{'-'.join(parts)}" if parts else REPORTS)
    record = REPORTS / RECORD if parts and out is None else None
    if pdf:
        find_browser()  # before the work, not after it
    page = build_report(data, folder, params, chosen, parts, record)
    made = {"tables": folder / "tables", "figures": folder / "build", "page": page}
    told = {step: str(made[step]) for step in STEPS if step in chosen}
    if pdf:
        told["pdf"] = str(print_pdf(page, page.with_suffix(".pdf")))
    if as_json:
        print_json(told)
        return
    for step, path in told.items():
        print(f"{step}: {path}")
