"""Many comparisons with the truth at one look: how far each is off, in standard deviations, against one limit."""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib.axes import Axes

from sim.plots.style import BAND, BLUE, GRID, INK, MUTED, PAPER, VERMILLION, clip_alt, number

#: height of a row of dots and of a heading, in units of the vertical axis
_ROW, _HEADING = 1.0, 0.75
#: distance of the centres of two dots, in pixels
_DOT = 5.6


def rows_height(frame: pl.DataFrame) -> float:
    """Height of the rows in units of the vertical axis: for whoever chooses the figure's size."""
    return _ROW * frame.select("group", "label").n_unique() + _HEADING * frame["group"].n_unique()


def stacked(deviations: np.ndarray, width: float) -> np.ndarray:
    """Level of each dot (0, 1, −1, 2, …) so that dots closer than `width` do not cover each other; smallest first."""
    level = np.zeros(deviations.size, np.int64)
    last: list[float] = []
    for i in np.argsort(deviations, kind="stable"):
        free = next((k for k, x in enumerate(last) if deviations[i] - x >= width), len(last))
        last[free : free + 1] = [float(deviations[i])]
        level[i] = (free + 1) // 2 * (1 if free % 2 else -1)
    return level


def draw_deviations(
    frame: pl.DataFrame,
    ax: Axes,
    *,
    limit: float,
    pixels: float,
    row: float,
    xlabel: str = "",
    limit_label: str = "limit",
) -> Axes:
    """One dot for each comparison, in rows by label under headings by group; the first row on top.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns group, label, deviation (standard deviations, at least 0), passed (bool).
    limit : float
        Where a deviation is too large, in standard deviations: a dashed line, everything beyond it shaded.
    pixels, row : float
        Width of the axes and height of one row in pixels, so that dots lie beside each other.
    """
    most = float(frame["deviation"].max()) if frame.height else 0.0  # type: ignore[arg-type]
    right = max(limit, min(most, 3 * limit)) * 1.12
    dot = _DOT * right / pixels
    y = 0.0
    ticks, labels = [], []
    for group in dict.fromkeys(frame["group"]):
        ax.text(
            0, y, group, transform=ax.get_yaxis_transform(), ha="left", va="center", fontsize=11, fontweight="bold",
            bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1.5}, zorder=3,
        )  # fmt: skip
        y += _HEADING
        here = frame.filter(pl.col("group") == group)
        for label in dict.fromkeys(here["label"]):
            part = here.filter(pl.col("label") == label)
            x = np.minimum(part["deviation"].to_numpy(), right)
            heights = y + _DOT / row * stacked(x, dot)
            for passed, colour, marker in ((True, BLUE, "o"), (False, VERMILLION, "X")):
                chosen = part["passed"].to_numpy() == passed
                ax.plot(
                    x[chosen], heights[chosen], linestyle="none", marker=marker, markersize=5.2 if passed else 8,
                    color=colour, markeredgecolor=PAPER, markeredgewidth=0.6, zorder=4 if passed else 6,
                )  # fmt: skip
            ax.axhline(y, color=GRID, linewidth=0.7, zorder=0)
            ticks.append(y)
            labels.append(f"{label} ({part.height})")
            y += _ROW
    ax.axvspan(limit, right, color=BAND, linewidth=0, zorder=0.05)
    ax.axvline(limit, color=INK, linewidth=1, linestyle=(0, (4, 2)), zorder=1)
    ax.text(limit, -0.75, f"{limit_label} ", ha="right", va="center", fontsize=10, color=MUTED)
    ax.set_yticks(ticks, labels)
    ax.tick_params(axis="y", colors=INK)
    ax.set_ylim(y - 0.35, -1.1)
    ax.set_xlim(0, right)
    ax.set_xlabel(xlabel)
    return ax


def alt_deviations(frame: pl.DataFrame, limit: float, what: str) -> str:
    """Alt text: how many, the largest, the limit."""
    top = frame.sort("deviation", descending=True).row(0, named=True)
    outside = frame.filter(~pl.col("passed")).height
    told = "all inside" if not outside else f"{outside} outside"
    return clip_alt(
        f"Dots for {frame.height} {what}, {told} the limit of {number(limit, 1)} standard deviations; the largest, "
        f"{number(top['deviation'], 1)}, is {top['group']}, {top['label']}."
    )
