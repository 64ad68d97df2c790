"""Heat map of chances, with the chance in every cell and a word under it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from sim.plots.style import INK, MUTED, clip_alt, number

#: fill of a chance of 0 and of 1, and the two colours of text on it; not the page's own colours, which turn with its
#: theme: a cell brings its own ground
_LIGHT, _DEEP = (0.965, 0.965, 0.957), (0.0, 0.333, 0.541)
_DARK_TEXT, _LIGHT_TEXT = "#111113", "#fdfdfd"


def _readable(fill: Sequence[float]) -> str:
    """The colour of text with the better contrast on a fill (relative luminance as in WCAG 2)."""
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in fill]
    luminance = sum(w * x for w, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return _DARK_TEXT if luminance > 0.179 else _LIGHT_TEXT


def draw_dial(
    frame: pl.DataFrame,
    ax: Axes,
    *,
    rows: Sequence[object],
    columns: Sequence[object],
    row_name: Callable[[object], str] = str,
    column_name: Callable[[object], str] = str,
    text: Callable[[float], str] = lambda share: number(100 * share, 0),
) -> Axes:
    """Chances by row and column: the darker, the likelier; the number stands in every cell.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns row, column, value (share), note (a word under the number, may be empty).
    rows, columns : sequence
        In the order of drawing, the first row on top.
    text : callable
        Share → what stands in the cell.
    """
    cells = {(r["row"], r["column"]): (r["value"], r["note"] or "") for r in frame.iter_rows(named=True)}
    for i, r in enumerate(rows):
        for j, c in enumerate(columns):
            if (r, c) not in cells:
                continue
            share, note = cells[r, c]
            fill = tuple(light + share * (deep - light) for light, deep in zip(_LIGHT, _DEEP, strict=True))
            # patches, not an image: the figure stays text, and sharp at any size
            ax.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor=fill, edgecolor="none"))
            colour = _readable(fill)
            up = -0.12 if note else 0.0
            ax.text(j, i + up, text(share), ha="center", va="center", color=colour, fontsize=13, fontweight="bold")
            if note:
                ax.text(j, i + 0.27, note, ha="center", va="center", color=colour, fontsize=10)
    ax.set_xlim(-0.5, len(columns) - 0.5)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xticks(range(len(columns)), [column_name(c) for c in columns])
    ax.set_yticks(range(len(rows)), [row_name(r) for r in rows])
    ax.tick_params(axis="both", colors=INK, length=0)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.xaxis.label.set_color(MUTED)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return ax


def alt_dial(
    frame: pl.DataFrame,
    what: str,
    row: Callable[[object], str] = str,
    column: Callable[[object], str] = str,
) -> str:
    """Alt text: the least and the most likely cell."""
    low, high = (frame.sort("value", descending=d).row(0, named=True) for d in (False, True))
    told = [f"{number(100 * r['value'], 0)} in 100 ({row(r['row'])}, {column(r['column'])})" for r in (low, high)]
    return clip_alt(f"Heat map of {what}, {frame.height} cells: from {told[0]} to {told[1]}.")
