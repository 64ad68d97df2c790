"""The figures of the report: which rows go on which axes. One function per figure, drawn wide and narrow from the
same table.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sim import plots
from sim.plots.scores import middle, quantile, quartiles
from sim.plots.style import BLUE, INK, MUTED, PURPLE, VERMILLION, clip_alt, figure
from sim.report.names import MEASURES, VIEWS
from sim.report.params import Params
from sim.report.rows import chosen, levels_of, reading_rows, setup_rows, sheet_rows
from sim.report.tables import Tables

#: the same colour per level in every figure
LEVEL_COLOURS = {"beginner": BLUE, "intermediate": PURPLE, "advanced": VERMILLION, "expert": INK}


def narrow(width: float) -> bool:
    """Whether a figure is drawn for a telephone."""
    return width < 500


def viewed(tables: Tables, params: Params, level: str, view: str) -> pl.DataFrame:
    """The distribution of scores at a level as one view sees it."""
    policy = chosen(tables, params, level, view)
    return tables["score_distribution"].filter((pl.col("level") == level) & (pl.col("policy") == policy))


def scores(tables: Tables, params: Params, width: float) -> Figure:
    """End totals by level and view: countable dots above exact bars."""
    levels, views = levels_of(tables), list(params.levels.views.items())
    slim = narrow(width)
    rows, columns = (len(levels) * len(views), 1) if slim else (len(levels), len(views))
    fig = figure(width, 96 * rows + 46)
    axes = fig.subplots(rows, columns, sharex=True, squeeze=False)
    parts = {(lvl, view): viewed(tables, params, lvl, view) for lvl in levels for view, policy in views}
    right = 5 * (int(max(quantile(part, 0.9995) for part in parts.values())) // 5 + 1)
    dot = right / (46 if slim else 116 / len(views))
    for i, level in enumerate(levels):
        for j, (view, _) in enumerate(views):
            ax = axes[i * len(views) + j, 0] if slim else axes[i, j]
            ax.set_xlim(0, right)
            plots.draw_scores(
                parts[level, view],
                ax,
                colour=LEVEL_COLOURS[level],
                hollow=view == views[0][0],
                dots=params.figures.dots,
                dot=dot,
                note=slim,
            )
            told = f"{level}, {VIEWS.get(view, view)}" if slim else level
            where = {"transform": ax.transAxes, "ha": "right", "va": "top"}
            ax.text(0.99, 0.97, told, fontsize=12, fontweight="bold", **where)
            if not slim:
                low, high = quartiles(parts[level, view])
                ax.text(0.99, 0.79, f"half: {low:g} to {high:g}", fontsize=10, color=MUTED, **where)
            ax.grid(True, axis="x")
            if not slim and i == 0:
                ax.set_title(f"played by {VIEWS.get(view, view)}")
    _shared_axis(axes, "end total, points")
    fig.draw_without_rendering()
    for ax in axes.ravel():
        plots.round_dots(ax, dot)
    return fig


def _shared_axis(axes: np.ndarray, label: str) -> None:
    """Ticks and label at the lowest panel of each column only."""
    for ax in axes[:-1].ravel():
        ax.spines["bottom"].set_visible(False)
        ax.tick_params(axis="x", length=0)
        ax.set_xlabel("")
    for ax in axes[-1]:
        ax.set_xlabel(label)


def scores_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    levels = levels_of(tables)
    view = next(iter(params.levels.views))
    ends = [viewed(tables, params, lvl, view) for lvl in (levels[0], levels[-1])]
    half = [middle(part) for part in ends]
    return clip_alt(
        f"Dots and bars of end totals by level. With {VIEWS.get(view, view)} the middle game scores {half[0]:g} points "
        f"at {levels[0]} and {half[1]:g} at {levels[-1]}; half of the {levels[-1]} games lie "
        f"between {quartiles(ends[1])[0]:g} and "
        f"{quartiles(ends[1])[1]:g}."
    )


def steps(tables: Tables, params: Params, width: float) -> Figure:
    """Rise of mean, spread and worth of choosing from level to level, against the thresholds."""
    frame = tables["level_balance"]
    measures = ["score", "spread", "choice"]
    slim = narrow(width)
    fig = figure(width, 3 * 190 + 60 if slim else 250)
    axes = fig.subplots(3 if slim else 1, 1 if slim else 3, squeeze=False).ravel()
    for ax, measure in zip(axes, measures, strict=True):
        part = frame.filter(pl.col("measure") == measure).with_columns(
            label=pl.format("{} →\n{}", "lower", "higher"), series=pl.col("view").replace(VIEWS)
        )
        plots.draw_forest(
            part,
            ax,
            threshold=params.levels.thresholds[measure],
            xlabel="points",
            show_n=False,
        )
        ax.set_title(f"Rise in {MEASURES[measure]}")
        if not slim and measure != "score":
            ax.set_yticklabels([])
    legend(fig, axes[0])
    return fig


def legend(fig: Figure, ax: Axes) -> None:
    """Names of the series above everything."""
    handles, labels = ax.get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper left", ncols=len(labels), handletextpad=0.2, columnspacing=1.2)


def steps_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    part = tables["level_balance"].filter(pl.col("measure") == "score")
    part = part.with_columns(label=pl.format("{} to {}", "lower", "higher"), series=pl.col("view").replace(VIEWS))
    return plots.alt_forest(part, "the rise of the mean score from level to level", "points", 1)


def setup(tables: Tables, params: Params, width: float) -> Figure:
    """Paired differences of the set-up variation as bars, by level and view."""
    rows = setup_rows(tables, params)
    keys = rows.select("scenario", "level", "view").iter_rows()
    parts = [(lvl, view, tables["setup_differences"].filter(pl.col("scenario") == s)) for s, lvl, view in keys]
    slim = narrow(width)
    columns = 1 if slim else len(params.levels.views)
    lines = -(-len(parts) // columns)
    fig = figure(width, 92 * lines + 50)
    axes = fig.subplots(lines, columns, sharex=True, squeeze=False)
    for ax, (level, view, part) in zip(axes.ravel(), parts, strict=False):
        plots.draw_differences(part, ax, colour=LEVEL_COLOURS[level], band=params.smallest.score)
        ax.set_xlim(-30, 30)
        ax.set_title(f"{level}, {VIEWS.get(view, view)}", fontsize=11)
    _shared_axis(axes, "difference of the end total, points")
    return fig


def setup_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    return plots.alt_forest(setup_rows(tables, params), "what the set-up variation changes, same dice", "points", 1)


def readings(tables: Tables, params: Params, width: float) -> Figure:
    """Forest plot of rule readings against the default."""
    rows, slim = reading_rows(tables, params), narrow(width)
    fig = figure(width, (40 if slim else 27) * rows["label"].n_unique() + 90)
    ax = fig.subplots()
    band = (-params.smallest.score, params.smallest.score)
    plots.draw_forest(rows, ax, band=band, xlabel="change of the mean score, points", stacked=slim)
    legend(fig, ax)
    return fig


def readings_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    return plots.alt_forest(reading_rows(tables, params), "rule readings against the default, same dice", "points", 1)


def sheets(tables: Tables, params: Params, width: float) -> Figure:
    """Forest plots of other printed labels, one panel per level."""
    rows, levels, slim = sheet_rows(tables, params), levels_of(tables), narrow(width)
    count = rows["label"].n_unique()
    fig = figure(width, (30 * count + 44) * len(levels) + 60 if slim else 36 * count + 110)
    axes = fig.subplots(len(levels) if slim else 1, 1 if slim else len(levels), sharex=True, squeeze=False).ravel()
    band = (-params.smallest.score, params.smallest.score)
    for i, (ax, level) in enumerate(zip(axes, levels, strict=True)):
        part = rows.filter(pl.col("level") == level)
        plots.draw_forest(
            part, ax, band=band, show_n=False, stacked=slim, xlabel="points" if not slim or i == len(levels) - 1 else ""
        )
        ax.set_title(level, pad=4)
        if i and not slim:
            ax.set_yticklabels([])
    legend(fig, axes[0])
    return fig


def sheets_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    rows = sheet_rows(tables, params).with_columns(label=pl.format("{}, {}", "told", "level"))
    return plots.alt_forest(rows, "other printed labels against the default sheet, same dice", "points", 1)
