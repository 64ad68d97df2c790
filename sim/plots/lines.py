"""Several lines with bands on one pair of axes, told apart by a legend: for lines that run too close to be labelled."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from matplotlib.axes import Axes

from sim.plots.style import PAPER, SERIES


def draw_lines(
    frame: pl.DataFrame,
    ax: Axes,
    *,
    x: str,
    series: str,
    colours: Mapping[str, str],
    scale: float = 1.0,
    log: bool = False,
    xlabel: str = "",
    ylabel: str = "",
) -> Axes:
    """One line per series, with the band of its interval; dash and marker change with the series too.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns `x`, `series`, value, low, high.
    colours : mapping of str to str
        Series → colour; those it does not name are left out.
    scale : float
        What values are multiplied with.
    log : bool
        Whether the axis of values is logarithmic.
    """
    for i, (name, colour) in enumerate(colours.items()):
        part = frame.filter(pl.col(series) == name).sort(x)
        if part.is_empty():
            continue
        _, dash, marker = SERIES[i % len(SERIES)]
        at = part[x].to_numpy()
        low, value, high = (scale * part[column].to_numpy() for column in ("low", "value", "high"))
        ax.fill_between(at, low, high, color=colour, alpha=0.2, linewidth=0)
        ax.plot(at, value, color=colour, linestyle=dash, marker=marker, markersize=4.5, markerfacecolor=PAPER,
                label=name)  # fmt: skip
    if log:
        ax.set_yscale("log")
        ticks = [t for t in (1, 2, 5, 10, 20, 50, 100, 200) if t <= ax.get_ylim()[1]]
        ax.set_yticks(ticks, [str(t) for t in ticks])
        ax.minorticks_off()
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.grid(True, axis="y")
    return ax
