"""From stored sweeps to the report in three steps, each of which can be run alone: tables, figures, page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sim.errors import ReportError, listing, unknown
from sim.report.params import Params, read_params

STEPS = ("tables", "figures", "page")


def tables_step(params: Params, data: Path, out: Path) -> Path:
    """Stored sweeps and ``verification.json`` → ``tables/*.csv``; stops where simulated and exact results disagree."""
    from sim.report.claims_thumb import thumb_tables
    from sim.report.inputs import read_inputs
    from sim.report.tables import build_tables, write_tables
    from sim.report.verified import RECORD, verification_tables

    folder = out / "tables"
    verified = verification_tables(out / RECORD)
    write_tables({**build_tables(read_inputs(params, data), params), **verified, **thumb_tables(data)}, folder)
    return folder


def figures_step(params: Params, out: Path) -> Path:
    """``tables/*.csv`` → bare figures in ``build/``; a changed plot style needs only this and the page."""
    from sim.report.figures import draw_all
    from sim.report.tables import read_tables

    folder = out / "build"
    draw_all(read_tables(out / "tables"), params, folder)
    return folder


def page_step(params: Params, out: Path) -> list[Path]:
    """Tables and figures → ``balance.html``, ``balance.md``, ``figures/*.svg``, ``facts.json``."""
    from sim.report.figures import read_drawn
    from sim.report.page import render, write
    from sim.report.tables import read_tables

    files = render(read_tables(out / "tables"), params, read_drawn(out / "build"))
    for old in (out / "figures").glob("*.svg"):
        if f"figures/{old.name}" not in files:
            old.unlink()
    return write(files, out)


def build_report(
    data: Path | str = "data",
    out: Path | str = "reports",
    params: Path | str = "params.yaml",
    steps: Sequence[str] = STEPS,
) -> Path:
    """The report from stored sweeps; nothing is simulated.

    Parameters
    ----------
    data : path
        The data folder with finished sweeps.
    out : path
        Where the report goes.
    params : path
        The parameters file.
    steps : sequence of str
        Any of ``tables``, ``figures``, ``page``; they are run in this order.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    ReportError
        In one line: a missing sweep, an unknown placeholder, a wrong parameter.
    """
    for step in steps:
        if step not in STEPS:
            raise ReportError(unknown("step of the report", step, STEPS))
    if not steps:
        raise ReportError(f"no step was given; accepted: {listing(STEPS)}")
    read, folder = read_params(params), Path(out)
    try:
        if "tables" in steps:
            tables_step(read, Path(data), folder)
        if "figures" in steps:
            figures_step(read, folder)
        if "page" in steps:
            page_step(read, folder)
    except OSError as error:
        raise ReportError(
            f"cannot write {error.filename}: {error.strerror}; accepted: a folder with room and permission"
        ) from None
    return folder / "balance.html"
