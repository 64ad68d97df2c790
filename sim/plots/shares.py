"""Bars that share out a whole: one bar per row, cut into named parts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from matplotlib.axes import Axes

from sim.plots.style import BAND, BLUE, INK, PAPER, PURPLE, number

#: fill and hatch of the parts, in order; edges are dark, so that light fills are seen on white
LOOKS = ((BLUE, ""), (PURPLE, "///"), (BAND, ""))


def draw_shares(
    frame: pl.DataFrame, ax: Axes, *, parts: Mapping[str, str], xlabel: str = "", stacked: bool = False
) -> Axes:
    """One bar per row, from 0 to 100, cut into parts; the size of the first part is written into or beside it.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns label, one share from 0 to 1 per part, optional ``group`` (a heading above its first row).
    parts : mapping of str to str
        Column → name, in the order in which they are drawn.
    stacked : bool
        Labels above their bars instead of at the left: for narrow figures.
    """
    y, last = 0.0, None
    places, labels = [], []
    for row in frame.iter_rows(named=True):
        if row.get("group") and row["group"] != last:
            y += 0.5 if last is not None else 0.0
            ax.text(0, y, row["group"], transform=ax.get_yaxis_transform(), fontweight="bold", va="center", fontsize=11)
            last = row["group"]
            y += 1.0 if not stacked else 1.2
        places.append(y)
        labels.append(row["label"])
        y += 1.0 if not stacked else 1.45
    at, left = np.array(places), np.zeros(len(places))
    for (column, name), (colour, hatch) in zip(parts.items(), LOOKS, strict=False):
        share = 100 * frame[column].to_numpy()
        ax.barh(at, share, 0.62, left, color=colour, edgecolor=INK, linewidth=0.6, hatch=hatch, label=name)
        left = left + share
    first = 100 * frame[next(iter(parts))].to_numpy()
    for place, value in zip(at, first, strict=True):
        inside = value > 12
        ax.text(
            value / 2 if inside else value + 0.8, place, number(float(value), 0 if value >= 9.95 else 1),
            ha="center" if inside else "left", va="center", fontsize=10, color=PAPER if inside else INK,
            bbox=None if inside else {"facecolor": PAPER, "edgecolor": "none", "pad": 0.8},
        )  # fmt: skip
    if stacked:
        ax.set_yticks([])
        for place, label in zip(at, labels, strict=True):
            ax.text(0, place - 0.4, label, ha="left", va="bottom", fontsize=10.5)
    else:
        ax.set_yticks(at, labels)
        ax.tick_params(axis="y", colors=INK)
    ax.set_ylim(y - 0.3, -0.7)
    ax.set_xlim(0, 100)
    ax.set_xlabel(xlabel)
    return ax
