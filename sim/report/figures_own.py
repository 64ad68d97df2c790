"""The figures about a designer's own sweep."""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure

from sim import plots
from sim.plots.style import figure
from sim.report import words
from sim.report.figures_caterpillars import narrow
from sim.report.own_tables import smallest, told_column
from sim.report.params import Params
from sim.report.tables import Tables

#: rows that a figure shows, so that it fits on a printed page; the others are in its table
MOST = 24


def _label(tables: Tables, seat: bool, room: int) -> list[pl.Expr]:
    names = {
        row["scenario"]: (f"{row['number']}", row["told"], row["seats"])
        for row in tables["own_scenarios"].iter_rows(named=True)
    }

    def told(row: dict[str, object]) -> str:
        number, text, seats = names[str(row["scenario"])]
        place = (
            f", {words.seat(int(str(row['seat'])))} seat" if seat and seats > 1 and int(str(row["seat"])) >= 0 else ""
        )
        most = room - len(place)
        return f"{number}. {text if len(text) <= most else text[: most - 1] + '…'}{place}"

    return [pl.struct("scenario", "seat").map_elements(told, return_dtype=pl.String).alias("label")]


def _room(width: float) -> int:
    return 46 if narrow(width) else 50


def _height(rows: int, slim: bool) -> float:
    return (46 if slim else 32) * rows + 80


def results(tables: Tables, params: Params, width: float) -> Figure:
    """What came out, scenario by scenario."""
    rows = tables["own_results"].head(MOST).with_columns(_label(tables, True, _room(width)))
    fig = figure(width, _height(rows.height, narrow(width)))
    plots.draw_ranges(rows, fig.subplots(), xlabel=told_column(rows["column"][0]), stacked=narrow(width))
    return fig


def results_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    rows = tables["own_results"].head(MOST).with_columns(_label(tables, True, 50))
    return plots.alt_ranges(rows, told_column(rows["column"][0]), "turns" if rows["column"][0] == "turns" else "points")


def seat_rows(tables: Tables, room: int = 50) -> pl.DataFrame:
    """Share of the wins minus the fair share in points; games of equals before others."""
    frame = tables["own_seats"].with_columns(_label(tables, True, room))
    ends = [(100 * (pl.col(c) - pl.col("fair"))).alias(c) for c in ("value", "low", "high")]
    return frame.with_columns(ends).sort(~pl.col("mirror"), maintain_order=True).head(MOST)


def seats(tables: Tables, params: Params, width: float) -> Figure:
    """Forest plot of the seats against the fair share."""
    rows, band = seat_rows(tables, _room(width)), 100 * params.seats.band
    fig = figure(width, _height(rows.height, narrow(width)))
    plots.draw_forest(
        rows, fig.subplots(), band=(-band, band), xlabel="share of the wins minus the fair share, points", digits=1,
        stacked=narrow(width),
    )  # fmt: skip
    return fig


def seats_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    return plots.alt_forest(seat_rows(tables), "shares of the wins minus the fair share", "points", 1)


def change_rows(tables: Tables, room: int = 50) -> pl.DataFrame:
    """The largest paired differences of the column that comes first in the sweep."""
    frame = tables["own_changes"]
    first = frame.filter(pl.col("of") == frame["of"][0]).with_columns(_label(tables, True, room - 14))
    number = {row["scenario"]: row["number"] for row in tables["own_scenarios"].iter_rows(named=True)}
    against = pl.col("against").replace_strict(number, default=None, return_dtype=pl.Int64)
    pair = pl.when(against.is_null()).then(pl.col("pair")).otherwise(pl.format("against {}", against))
    size = pl.col("value").abs()
    return first.with_columns(label=pl.format("{}, {}", "label", pair)).sort(size, descending=True).head(MOST)


def changes(tables: Tables, params: Params, width: float) -> Figure:
    """Forest plot of paired differences."""
    rows = change_rows(tables, _room(width))
    fig = figure(width, _height(rows.height, narrow(width)))
    column = rows["of"][0]
    least = smallest(params, tables["sweeps"]["game"][0], column)
    band = None if least is None else (-least, least)
    plots.draw_forest(
        rows, fig.subplots(), band=band, xlabel=f"difference of the {told_column(column)}", stacked=narrow(width)
    )
    return fig


def changes_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    rows = change_rows(tables)
    return plots.alt_forest(rows, f"differences of the {told_column(rows['of'][0])}, same dice", "", 2)
