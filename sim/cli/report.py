"""``sim report``: the balance report from stored sweeps, all of it or one step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.common import Json, Workers, note_stale, number, print_json
from sim.errors import InputError

REPORTS = Path("reports")
#: folders there that are not reports of sweeps
OWN_NAMES = ("tables", "figures", "build", "notebooks")


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
            help="levels, setup, readings, karolinchen, parlett or choices; may be given several times. Only "
            "their sweeps need to be stored.",
        ),
    ] = None,
    sweep: Annotated[
        str | None,
        typer.Option(
            "--sweep",
            metavar="SWEEP",
            help="A report of this sweep of your own: its YAML file, which is played first where that was not done, or "
            "the name of a stored one.",
        ),
    ] = None,
    workers: Workers = "2",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FOLDER",
            help="Where it goes; default reports, reports/only-PART or reports/SWEEP.",
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
    """Write the balance report from stored sweeps: result tables, figures, then the page."""
    from sim.report.build import STEPS, build_report
    from sim.report.params import read_params
    from sim.report.parts import check_parts, sweeps_of
    from sim.report.pdf import find_browser, print_pdf
    from sim.report.verified import RECORD

    chosen = list(steps or STEPS)
    parts = check_parts(only) if only else ()
    folder = out or (REPORTS / f"only-{'-'.join(parts)}" if parts else REPORTS)
    record = REPORTS / RECORD if parts and out is None else None
    if pdf:
        find_browser()  # before the work, not after it
    if sweep is not None:
        if parts:
            raise InputError("--only and --sweep were given; accepted: one of them")
        folder, record = out or own_folder(sweep), REPORTS / RECORD
        if "tables" in chosen:
            _play(sweep, data, number("workers", workers))
    if "tables" in chosen:  # the later steps read the tables alone
        stored = read_params(params).sweeps.model_dump()
        needed = [stored[name] for name in sweeps_of(parts or check_parts(()))]
        own = [] if sweep is None or sweep.endswith((".yaml", ".yml")) else [sweep]  # a file was just played
        note_stale(needed if sweep is None else own, data)
    page = build_report(data, folder, params, chosen, parts, record, sweep)
    made = {"tables": folder / "tables", "figures": folder / "build", "page": page}
    told = {step: str(made[step]) for step in STEPS if step in chosen}
    if pdf:
        told["pdf"] = str(print_pdf(page, page.with_suffix(".pdf")))
    if as_json:
        print_json(told)
        return
    for step, path in told.items():
        print(f"{step}: {path}")


def own_folder(sweep: str) -> Path:
    """Where the report of a sweep of one's own goes; its name may not be that of something else there."""
    from sim.sweep.frames import folder_of

    name = folder_of(sweep).name
    if name in OWN_NAMES:
        raise InputError(f"reports/{name} is made by the pipeline; accepted: --out FOLDER for the report of {sweep}")
    return REPORTS / name


def _play(sweep: str, data: Path, workers: int) -> None:
    """Play what is missing of a sweep given as a file; one that is stored by its name is taken as it is."""
    if not sweep.endswith((".yaml", ".yml")):
        return
    from sim import api
    from sim.sweep.plan import plan
    from sim.sweep.run import run

    planned = plan(sweep)
    if planned.spec.detail != "summary":
        raise InputError(f"{sweep} has detail = {planned.spec.detail}; accepted: detail = summary (exact counts)")
    api.announce(planned.game)
    again = f"sim report --sweep {sweep}" + (f" --data {data}" if data != Path("data") else "")
    run(planned, workers=workers, data=data, progress=True, command=again)
