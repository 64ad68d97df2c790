"""Forest plots: estimates with intervals, one row each, against a reference and a shaded band; n stands at the
right.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib.axes import Axes

from sim.plots.style import BAND, BLUE, GRID, INK, MUTED, PAPER, VERMILLION, clip_alt, number

#: marker, filled?, colour by position of the series
LOOKS = (("o", False, VERMILLION), ("s", True, BLUE), ("^", True, INK), ("D", False, INK))


def games_text(n: int) -> str:
    """A number of games in few signs."""
    for size, name in ((10**9, " bn"), (10**6, " M"), (10**3, " k")):
        if n >= size:
            return f"{n / size:.3g}{name}"
    return str(n)


def draw_forest(
    frame: pl.DataFrame,
    ax: Axes,
    *,
    band: tuple[float, float] | None = None,
    reference: float | None = 0.0,
    threshold: float | None = None,
    xlabel: str = "",
    show_n: bool = True,
    digits: int = 2,
    values: bool = True,
    stacked: bool = False,
) -> Axes:
    """Rows of estimates, the first row on top.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns label, value, low, high, n; optional ``series`` (rows of one label share a line; markers differ),
        ``group`` (a
        heading above its first row).
    band : (low, high), optional
        Shaded target band.
    reference : float, optional
        A line, usually no difference or the fair share.
    threshold : float, optional
        A dashed line with everything beyond it shaded: the smallest step worth having.
    show_n : bool
        Write the number of games at the right (once per label; the smallest if they differ).
    values : bool
        Write the value beside its marker where there is one series only.
    stacked : bool
        Labels, and values after them, above their lines instead of at the left: for narrow figures.
    """
    series = list(dict.fromkeys(frame["series"])) if "series" in frame.columns else [None]
    places: dict[tuple[str, str], float] = {}
    y = 0.0
    ticks, labels = [], []
    last_group = None
    for row in frame.iter_rows(named=True):
        key = (row.get("group") or "", row["label"])
        if key in places:
            continue
        if row.get("group") and row["group"] != last_group:
            y += 0.9 if last_group is not None else 0.0
            ax.text(
                0,
                y,
                row["group"],
                transform=ax.get_yaxis_transform(),
                ha="left",
                va="center",
                fontsize=11,
                fontweight="bold",
                bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1.5},
                zorder=2,
            )
            last_group = row["group"]
            y += 0.9 if stacked else 1.1  # the first row has its value above it
        places[key] = y
        ticks.append(y)
        labels.append(row["label"])
        y += 1.0
    for at in ticks:
        ax.axhline(at, color=GRID, linewidth=0.7, zorder=0)
    if band is not None:
        ax.axvspan(*band, color=BAND, linewidth=0, zorder=0.1)
    if reference is not None:
        ax.axvline(reference, color=INK, linewidth=1, zorder=1)
    step = (0.2 if stacked else 0.28) if len(series) > 1 else 0.0
    for i, name in enumerate(series):
        part = frame if name is None else frame.filter(pl.col("series") == name)
        marker, filled, colour = LOOKS[i % len(LOOKS)] if name is not None else LOOKS[1]
        shift = (i - (len(series) - 1) / 2) * step
        heights = np.array([places[(r.get("group") or "", r["label"])] for r in part.iter_rows(named=True)]) + shift
        ax.hlines(heights, part["low"].to_numpy(), part["high"].to_numpy(), color=colour, linewidth=2, zorder=3)
        ax.plot(
            part["value"].to_numpy(), heights, linestyle="none", marker=marker, markersize=6.5, color=colour,
            markerfacecolor=colour if filled else PAPER, markeredgewidth=1.6, zorder=4, label=name,
        )  # fmt: skip
        if values and len(series) == 1 and not stacked:
            for x, place in zip(part["value"], heights, strict=True):
                ax.annotate(
                    number(x, digits),
                    (x, place),
                    xytext=(0, 5),
                    textcoords="offset points",
                    ha="center",
                    va="bottom",
                    fontsize=10,
                )
    if stacked:
        ax.set_yticks([])
        single = frame["value"].to_list() if values and len(series) == 1 and frame.height == len(ticks) else None
        for i, (at, label) in enumerate(zip(ticks, labels, strict=True)):
            told = f"{label}: {number(single[i], digits)}" if single else label
            ax.text(
                0, at - 0.27, told, transform=ax.get_yaxis_transform(), ha="left", va="bottom", fontsize=10.5, zorder=5,
                bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.5, "alpha": 0.7},
            )  # fmt: skip
    else:
        ax.set_yticks(ticks, labels)
    ax.set_ylim(y - 0.4, -1.0 if stacked else -0.7)
    ax.tick_params(axis="y", colors=INK)
    ax.set_xlabel(xlabel)
    if threshold is not None:
        left, right = ax.get_xlim()
        right = max(right, threshold * 1.08)
        ax.axvspan(threshold, right + 10 * (right - left), color=BAND, linewidth=0, zorder=0.05)
        ax.axvline(threshold, color=INK, linewidth=1, linestyle=(0, (4, 2)), zorder=1)
        ax.set_xlim(left, right)
    if show_n:
        least = frame.group_by("label", maintain_order=True).agg(pl.col("n").min())
        for (_, label), at in places.items():
            n = int(least.filter(pl.col("label") == label)["n"][0])
            ax.text(
                1.01,
                at,
                games_text(n),
                transform=ax.get_yaxis_transform(),
                ha="left",
                va="center",
                fontsize=10,
                color=MUTED,
            )
        ax.text(
            1.01,
            ax.get_ylim()[1] - 0.05,
            "games",
            transform=ax.get_yaxis_transform(),
            ha="left",
            va="bottom",
            fontsize=10,
            color=MUTED,
        )
    return ax


def alt_forest(frame: pl.DataFrame, what: str, unit: str, digits: int = 2) -> str:
    """Alt text: the extreme rows and their values."""
    known = frame.filter(pl.col("value").is_not_nan())
    top, bottom = (known.sort("value", descending=d).row(0, named=True) for d in (True, False))
    name = ["{label}" if not r.get("group") else "{group}, {label}" for r in (top, bottom)]
    texts = [
        n.format(**r) + (f" ({r['series']})" if r.get("series") else "")
        for n, r in zip(name, (top, bottom), strict=True)
    ]
    return clip_alt(
        f"Forest plot of {clip_alt(what, 80)}, {known.height} estimates: from {number(bottom['value'], digits)} {unit} "
        f"({clip_alt(texts[1], 50)}) to {number(top['value'], digits)} {unit} ({clip_alt(texts[0], 50)})."
    )
