"""The figures about proposals: the bedtime dial, and points that make a seat fair."""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure

from sim import plots
from sim.analysis.proposals import PROPOSAL
from sim.plots.style import clip_alt, figure, number
from sim.report import words
from sim.report.figures_caterpillars import narrow
from sim.report.figures_others import leaders
from sim.report.names import short
from sim.report.params import Params
from sim.report.tables import Tables


def dial_rows(tables: Tables, changed: bool) -> pl.DataFrame:
    """Chances as printed, or with what is proposed (as printed where nothing is), with the rule in short."""
    rows = []
    for row in tables["dial"].iter_rows(named=True):
        other = changed and row["status"] == PROPOSAL
        note = short(row["factor"], row["setting"]) if other else "as printed" if changed else ""
        share = row["changed"] if other else row["value"]
        rows.append({"row": row["seats"], "column": row["minutes"], "value": share, "note": note})
    return pl.DataFrame(rows)


def dial(tables: Tables, params: Params, width: float) -> Figure:
    """Chance to finish in time by players and minutes: as printed, and with the mildest rule that is enough."""
    slim = narrow(width)
    fig = figure(width, 640 if slim else 350)
    axes = fig.subplots(2 if slim else 1, 1 if slim else 2, squeeze=False).ravel()
    printed = dial_rows(tables, False)
    players, minutes = sorted(printed["row"].unique()), sorted(printed["column"].unique())
    for ax, changed, title in zip(axes, (False, True), ("as printed", "with the proposed rule"), strict=True):
        plots.draw_dial(
            dial_rows(tables, changed),
            ax,
            rows=players,
            columns=minutes,
            row_name=lambda k: f"{k} players",
            column_name=lambda m: f"{m:g} min",
            text=words.games_in_hundred,
        )
        ax.set_title(title, pad=10)
    return fig


def dial_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    printed, changed = dial_rows(tables, False), dial_rows(tables, True)
    low, better = (frame.sort("value").row(0, named=True) for frame in (printed, changed))
    return clip_alt(
        f"Two heat maps of the chance to finish a game of Karolinchen in time, by players and minutes: as printed the "
        f"least is {number(100 * low['value'], 1)} in 100 ({low['row']} players, {low['column']:g} minutes), with the "
        f"proposed rules {number(100 * better['value'], 0)} in 100."
    )


def compensation_rows(tables: Tables) -> pl.DataFrame:
    """The leader's share without and with points, in 100; with points from fresh games where there are any."""
    rows = []
    for row in tables["compensation"].iter_rows(named=True):
        who = {0: "leader", 1: "dealer"}.get(row["seat"], "")
        points = f"{row['advised']} points to the {who}" if who else "no points needed"
        label = f"{row['policy'].split('(')[0]}: {points}"
        fresh = row["fresh"] is not None
        ends = ("fresh", "fresh_low", "fresh_high", "fresh_n") if fresh else ("value", "low", "high", "n")
        sides = [("without points", ("without", "without_low", "without_high", "n"))]
        sides += [("with points", ends)] if who else []
        for series, names in sides:
            value, low, high, n = (row[name] for name in names)
            rows.append(
                {"label": label, "series": series, "value": 100 * value, "low": 100 * low, "high": 100 * high, "n": n}
            )
    return pl.DataFrame(rows)


def compensation(tables: Tables, params: Params, width: float) -> Figure:
    """Forest plot of the leader's share without and with points."""
    rows, slim = compensation_rows(tables), narrow(width)
    fig = figure(width, (50 if slim else 38) * rows["label"].n_unique() + 96)
    xlabel = "wins of the leader in 100" if slim else "wins of the player who leads, in 100 (a draw counts half)"
    return leaders(fig, rows, params, xlabel, slim)


def compensation_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    return plots.alt_forest(compensation_rows(tables), "the leader's wins without and with points", "wins in 100", 1)
