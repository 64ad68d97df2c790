"""Several distributions in one panel: for each the middle half, the part without 1 in 20 at either end, the middle."""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib.axes import Axes

from sim.plots.style import BLUE, GRID, INK, PAPER, clip_alt, number


def draw_ranges(frame: pl.DataFrame, ax: Axes, *, xlabel: str = "", stacked: bool = False) -> Axes:
    """One line per distribution, the first row on top: thin from 1 in 20 to 19 in 20, thick the middle half, a tick at
    the middle.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns label, p5, p25, p50, p75, p95.
    stacked : bool
        Labels above their lines instead of at the left: for narrow figures.
    """
    at = np.arange(frame.height, dtype=float)
    for y in at:
        ax.axhline(y, color=GRID, linewidth=0.7, zorder=0)
    p5, p25, p50, p75, p95 = (frame[name].to_numpy() for name in ("p5", "p25", "p50", "p75", "p95"))
    ax.hlines(at, p5, p95, color=BLUE, linewidth=2, zorder=2)
    ax.hlines(at, p25, p75, color=BLUE, linewidth=9, zorder=3)
    ax.plot(p50, at, linestyle="none", marker="|", markersize=13, markeredgewidth=3.2, color=PAPER, zorder=4)
    ax.plot(p50, at, linestyle="none", marker="|", markersize=13, markeredgewidth=1.6, color=INK, zorder=5)
    for x, y in zip(p50, at, strict=True):
        ax.annotate(
            number(float(x), 1),
            (x, y),
            xytext=(0, 7),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=10,
        )
    if stacked:
        ax.set_yticks([])
        for y, label in zip(at, frame["label"], strict=True):
            ax.text(
                0, y - 0.36, label, transform=ax.get_yaxis_transform(), ha="left", va="bottom", fontsize=10.5,
                bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.5}, zorder=1,
            )  # fmt: skip
    else:
        ax.set_yticks(at, frame["label"].to_list())
    ax.set_ylim(frame.height - 0.4, -1.0 if stacked else -0.7)
    ax.tick_params(axis="y", colors=INK)
    ax.set_xlabel(xlabel)
    return ax


def alt_ranges(frame: pl.DataFrame, what: str, unit: str) -> str:
    """Alt text: the lowest and the highest middle."""
    low, high = (frame.sort("p50", descending=d, maintain_order=True).row(0, named=True) for d in (False, True))
    return clip_alt(
        f"Lines of {frame.height} distributions, {clip_alt(what, 60)}: the middle goes from {number(low['p50'], 1)} "
        f"{unit} ({clip_alt(low['label'], 50)}) to {number(high['p50'], 1)} {unit} ({clip_alt(high['label'], 50)})."
    )
