"""Curves with bands: survival of games over time, and a result against one parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from sim.plots.forest import games_text
from sim.plots.style import BAND, BLUE, INK, MUTED, SERIES, clip_alt, number


def draw_survival(
    frame: pl.DataFrame,
    ax: Axes,
    *,
    x: str = "turns",
    series: str = "seats",
    name: Callable[[object], str] = str,
    until: float | None = None,
    shade: tuple[float, float] | None = None,
    shade_label: str = "",
    xlabel: str = "turns",
    cap: float | None = None,
) -> Axes:
    """Share of games still going, one step curve per series, labelled on the line, with lines at 50 % and 5 %.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns `x`, `series`, value, low, high.
    until : float, optional
        Right end of the axis; default: where every curve has fallen to 0.5 %.
    shade : (low, high), optional
        A span of the axis to compare with.
    cap : float, optional
        Where games are cut off; drawn if it lies on the axis.
    """
    if until is None:
        late = frame.filter(pl.col("value") >= 0.005)
        until = float(late[x].max() or frame[x].max()) * 1.04  # type: ignore[arg-type,operator]
    if shade is not None:
        ax.axvspan(*shade, color=BAND, linewidth=0, zorder=0)
        ax.text(sum(shade) / 2, 104, shade_label, ha="center", va="bottom", fontsize=10, color=MUTED)
    for level, told in ((50, "half of the games"), (5, "1 in 20")):
        ax.axhline(level, color=MUTED, linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
        ax.text(until, level + 1, told, ha="right", va="bottom", fontsize=10, color=MUTED)
    keys = list(dict.fromkeys(frame[series]))
    for i, key in enumerate(keys):
        part = frame.filter(pl.col(series) == key).sort(x)
        at, share = part[x].to_numpy(), 100 * part["value"].to_numpy()
        colour, dash, _ = SERIES[i % len(SERIES)]
        here = at <= until
        low, high = (100 * part[end].to_numpy()[here] for end in ("low", "high"))
        ax.fill_between(at[here], low, high, color=colour, alpha=0.25, linewidth=0)
        ax.plot(at[here], share[here], color=colour, linestyle=dash, linewidth=2)
        target = 88 - 62 * i / max(1, len(keys) - 1)  # labels walk down the curves, so that they do not meet
        where = int(np.searchsorted(-share, -target))
        where = min(where, at.size - 1)
        ax.annotate(
            name(key), (at[where], share[where]), xytext=(5, 2), textcoords="offset points", color=colour, fontsize=11,
            fontweight="bold", ha="left", va="bottom",
        )  # fmt: skip
    if cap is not None and cap <= until:
        ax.axvline(cap, color=INK, linewidth=1, linestyle=(0, (4, 2)))
        ax.text(cap, 96, "cap", rotation=90, ha="right", va="top", fontsize=10)
    ax.set_xlim(0, until)
    ax.set_ylim(0, 103)
    ax.set_yticks([0, 25, 50, 75, 100])
    ax.set_xlabel(xlabel)
    ax.set_ylabel("games still going, in 100")
    return ax


def alt_survival(
    frame: pl.DataFrame, what: str, *, x: str = "turns", series: str = "seats", unit: str = "turns"
) -> str:
    """Alt text: median and 1-in-20 length of the first and the last curve."""
    keys: list[Any] = list(dict.fromkeys(frame[series]))
    texts: list[str] = []
    for key in dict.fromkeys((keys[0], keys[-1])):
        part = frame.filter(pl.col(series) == key).sort(x)
        half, late = (_first_below(part, x, p) for p in (0.5, 0.05))
        texts.append(f"{key} {series}: half are over after {half} {unit}, 19 in 20 after {late}")
    return clip_alt(f"Survival curves of {what}. " + "; ".join(texts) + ".")


def _first_below(curve: pl.DataFrame, x: str, share: float) -> str:
    """Where a curve has fallen to `share`, as text."""
    reached = curve.filter(pl.col("value") <= share)[x].to_list()
    return number(float(reached[0])) if reached else "the cap"


def draw_curve(
    frame: pl.DataFrame,
    ax: Axes,
    *,
    x: str,
    value: str = "value",
    low: str = "low",
    high: str = "high",
    series: str | None = None,
    reference: float | None = None,
    band: tuple[float, float] | None = None,
    xlabel: str = "",
    ylabel: str = "",
    scale: float = 1.0,
    log: bool = False,
) -> Axes:
    """A result against one parameter: points, line and interval ribbon; series labelled on the line.

    Parameters
    ----------
    scale : float
        Factor for everything on the y axis, e.g. 100 for shares in hundredths.
    log : bool
        Both axes logarithmic.
    """
    if log:
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.xaxis.set_major_formatter(lambda v, _: games_text(int(v)) if v >= 1000 else number(v, 6))
        ax.yaxis.set_major_formatter(lambda v, _: number(v, 6))
        ax.minorticks_off()
    if band is not None:
        ax.axhspan(band[0] * scale, band[1] * scale, color=BAND, linewidth=0, zorder=0)
    if reference is not None:
        ax.axhline(reference * scale, color=INK, linewidth=1, zorder=1)
    keys = [None] if series is None else list(dict.fromkeys(frame[series]))
    ends: list[tuple[float, float, str, str]] = []
    for i, key in enumerate(keys):
        part = (frame if key is None else frame.filter(pl.col(series or "") == key)).sort(x)
        colour, dash, marker = SERIES[i % len(SERIES)] if key is not None else (BLUE, "-", "o")
        at = part[x].to_numpy()
        ax.fill_between(
            at, part[low].to_numpy() * scale, part[high].to_numpy() * scale, color=colour, alpha=0.22, linewidth=0
        )
        ax.plot(at, part[value].to_numpy() * scale, color=colour, linestyle=dash, marker=marker, markersize=5)
        if key is not None:
            ends.append((float(at[-1]), float(part[value][-1]) * scale, str(key), colour))
    if frame.schema[x].is_integer() and not log:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    label_ends(ax, ends)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.grid(True, axis="y")
    return ax


def label_ends(ax: Axes, ends: Sequence[tuple[float, float, str, str]], line: float = 14.0) -> None:
    """Names beside the last points of curves, moved apart where they would cover each other; a line is 14 pixels."""
    ax.set_ylim(*ax.get_ylim())  # the names are placed on this axis
    scale = 72 / ax.figure.dpi
    ordered = sorted(ends, key=lambda end: end[1])
    heights = [float(ax.transData.transform((x, y))[1]) * scale for x, y, _, _ in ordered]
    places = list(heights)
    for _ in range(50):  # neighbours that are too close give way to each other, half each
        for i in range(1, len(places)):
            close = line - (places[i] - places[i - 1])
            if close > 0:
                places[i - 1] -= close / 2
                places[i] += close / 2
    for (x, y, name, colour), height, place in zip(ordered, heights, places, strict=True):
        ax.annotate(
            name, (x, y), xytext=(7, place - height), textcoords="offset points", color=colour, fontsize=11,
            fontweight="bold", ha="left", va="center", annotation_clip=False,
        )  # fmt: skip


def alt_curve(
    frame: pl.DataFrame,
    what: str,
    *,
    x: str,
    xname: str,
    unit: str,
    value: str = "value",
    scale: float = 1.0,
    digits: int = 1,
) -> str:
    """Alt text: the highest and the lowest point."""
    top, bottom = (frame.sort(value, descending=d).row(0, named=True) for d in (True, False))
    return clip_alt(
        f"Curve of {what}, {frame.height} points with intervals: highest {number(top[value] * scale, digits)} {unit} "
        f"at {xname} {number(top[x])}, lowest {number(bottom[value] * scale, digits)} {unit} at {number(bottom[x])}."
    )
