"""From stored sweeps to the report in three steps, each of which can be run alone: tables, figures, page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sim.errors import ReportError, listing, unknown
from sim.report.inputs import Stored
from sim.report.params import Params, read_params
from sim.report.parts import OWN, check_parts, sweeps_of

STEPS = ("tables", "figures", "page")


def tables_step(
    params: Params, data: Path, out: Path, parts: Sequence[str], record: Path | None, sweep: Stored | None = None
) -> Path:
    """Stored sweeps and the record of verification → ``tables/*.csv``; stops where simulated and exact results
    disagree.
    """
    from sim.report.inputs import Given, read_inputs
    from sim.report.tables import build_tables, write_tables
    from sim.report.verified import read_record

    if record is not None:  # the quickest check comes first
        read_record(record)
    folder = out / "tables"
    inputs = {OWN: sweep} if sweep is not None else read_inputs(params, data, sweeps_of(parts))
    write_tables(build_tables(Given(inputs, params, tuple(parts), data, record)), folder, params)
    return folder


def figures_step(params: Params, out: Path) -> Path:
    """``tables/*.csv`` → bare figures in ``build/``; a changed plot style needs only this and the page."""
    from sim.report.figures import draw_all, names_of
    from sim.report.tables import read_tables

    folder, tables = out / "build", read_tables(out / "tables", params)
    draw_all(tables, params, folder, names_of(tables))
    return folder


def page_step(params: Params, out: Path) -> list[Path]:
    """Tables and figures → ``balance.html``, ``balance.md``, ``figures/*.svg``, ``facts.json``."""
    from sim.report.figures import read_drawn
    from sim.report.page import render, write
    from sim.report.tables import read_tables

    files = render(read_tables(out / "tables", params), params, read_drawn(out / "build"))
    for old in (out / "figures").glob("*.svg"):
        if f"figures/{old.name}" not in files:
            old.unlink()
    return write(files, out)


def own_sweep(sweep: Path | str, data: Path | str) -> Stored:
    """A finished sweep of one's own.

    Raises
    ------
    ReportError
        In one line: it is not stored, and how to play it; or it holds rows instead of counts.
    """
    from sim.report.inputs import read_sweep
    from sim.sweep import frames, manifest

    folder, path = frames.folder_of(sweep, data), str(sweep)
    if not (folder / manifest.NAME).is_file():
        how = f"run `sim sweep {path}` first" if path.endswith((".yaml", ".yml")) else "the name or the file of one"
        raise ReportError(f"no finished sweep {folder.name} in {data}; accepted: {how}")
    return read_sweep(folder.name, folder.parent, path)


def build_report(
    data: Path | str = "data",
    out: Path | str = "reports",
    params: Path | str = "params.yaml",
    steps: Sequence[str] = STEPS,
    only: Sequence[str] = (),
    record: Path | str | None = None,
    sweep: Path | str | None = None,
) -> Path:
    """The report from stored sweeps, or some parts of it; nothing is simulated.

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
    only : sequence of str
        Parts of the report, names in `sim.report.parts.PARTS`; only their sweeps need to be stored. Default: all.
    record : path, optional
        The record of ``sim verify``; default ``verification.json`` in `out`. The whole report needs it; a report of
        some parts shows it where it is there.
    sweep : path, optional
        A report of this finished sweep, its name or its file, instead of the whole.

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
    from sim.report.verified import RECORD

    if only and sweep is not None:
        raise ReportError("parts and a sweep of one's own were given; accepted: one of them")
    parts = (OWN,) if sweep is not None else check_parts(only)
    read, folder = read_params(params), Path(out)
    known = Path(record) if record is not None else folder / RECORD
    try:
        if "tables" in steps:
            own = None if sweep is None else own_sweep(sweep, data)
            needed = sweep is None and not only
            tables_step(read, Path(data), folder, parts, known if needed or known.exists() else None, own)
        if "figures" in steps:
            figures_step(read, folder)
        if "page" in steps:
            page_step(read, folder)
    except OSError as error:
        raise ReportError(
            f"cannot write {error.filename}: {error.strerror}; accepted: a folder with room and permission"
        ) from None
    return folder / "balance.html"
