"""A ladder as a heat map: who beats whom, the numbers in the cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from sim.plots.style import BLUE, INK, MUTED, PAPER, VERMILLION, clip_alt, number


def _matrix(frame: pl.DataFrame, row: str, column: str, order: Sequence[str]) -> np.ndarray:
    cells = {(r[row], r[column]): r["value"] for r in frame.iter_rows(named=True)}
    return np.array([[cells.get((a, b), np.nan) for b in order] for a in order], float)


def draw_heat(
    frame: pl.DataFrame,
    ax: Axes,
    *,
    row: str = "policy",
    column: str = "opponent",
    order: Sequence[str],
    centre: float = 0.5,
) -> Axes:
    """Win shares of the row against the column in hundredths; blue above the centre, vermillion below.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns `row`, `column`, value (share).
    order : sequence of str
        Names along both sides, usually strongest first.
    """
    cells = _matrix(frame, row, column, order)
    reach = max(0.05, float(np.nanmax(np.abs(cells - centre))))
    colours = LinearSegmentedColormap.from_list("ladder", [VERMILLION, "#f6f6f4", BLUE])
    ax.imshow(
        cells,
        cmap=colours,
        vmin=centre - reach,
        vmax=centre + reach,
        aspect="auto",
        interpolation="nearest",
        alpha=0.85,
    )
    for i in range(len(order)):
        for j in range(len(order)):
            if not np.isnan(cells[i, j]):
                strong = abs(cells[i, j] - centre) > 0.62 * reach
                ax.text(
                    j,
                    i,
                    number(100 * cells[i, j], 0),
                    ha="center",
                    va="center",
                    color=PAPER if strong else "#111113",
                    fontsize=12,
                )
    ax.set_xticks(range(len(order)), list(order))
    ax.set_yticks(range(len(order)), list(order))
    ax.tick_params(axis="both", colors=INK, length=0)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_xlabel("against", color=MUTED)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def alt_heat(frame: pl.DataFrame, what: str, row: str = "policy", column: str = "opponent") -> str:
    """Alt text: the most one-sided pairing."""
    top = frame.sort("value", descending=True).row(0, named=True)
    return clip_alt(
        f"Heat map of {what}, {frame.height} pairings: the most one-sided is {top[row]} against {top[column]}, won "
        f"{number(100 * top['value'], 0)} times in 100."
    )


def draw_grid(
    frame: pl.DataFrame,
    ax: Axes,
    *,
    row: str,
    column: str,
    value: str = "value",
    digits: int = 2,
    xlabel: str = "",
    ylabel: str = "",
    most: float | None = None,
) -> Axes:
    """Amounts from 0 by two keys, the numbers in the cells; the more, the darker. Keys stand in the order of the rows.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns `row`, `column`, `value` (0 or more).
    most : float, optional
        The amount that is darkest, where panels are to be compared; default: the largest there is.
    """
    rows, columns = (list(dict.fromkeys(frame[name])) for name in (row, column))
    found = {(r[row], r[column]): r[value] for r in frame.iter_rows(named=True)}
    cells = np.array([[found.get((a, b), np.nan) for b in columns] for a in rows], float)
    top = most or float(np.nanmax(cells)) or 1.0
    colours = LinearSegmentedColormap.from_list("amount", ["#f6f6f4", BLUE])
    ax.imshow(cells, cmap=colours, vmin=0, vmax=top, aspect="auto", interpolation="nearest", alpha=0.9)
    for i, j in np.argwhere(~np.isnan(cells)):
        dark = cells[i, j] > 0.62 * top
        text = number(cells[i, j], digits)
        ax.text(j, i, text, ha="center", va="center", color=PAPER if dark else "#111113", fontsize=10.5)
    ax.set_xticks(range(len(columns)), [str(c) for c in columns])
    ax.set_yticks(range(len(rows)), [str(r) for r in rows])
    ax.tick_params(axis="both", colors=INK, length=0)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def alt_grid(frame: pl.DataFrame, what: str, *, row: str, column: str, value: str = "value", unit: str = "") -> str:
    """Alt text: the largest cell."""
    top = frame.sort(value, descending=True, nulls_last=True).row(0, named=True)
    return clip_alt(
        f"Heat map of {what}, {frame.height} cells: the largest, {number(top[value])} {unit}, is at "
        f"{row} {top[row]}, {column} {top[column]}."
    )
