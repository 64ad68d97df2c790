"""The score a player will get: dots that can be counted, above the exact shares as bars; and paired differences as
bars.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from sim.plots.style import BAND, BLUE, INK, MUTED, PAPER, clip_alt, number


def _order(frame: pl.DataFrame, column: str) -> tuple[np.ndarray, np.ndarray]:
    ordered = frame.sort(column)
    return ordered[column].cast(pl.Float64).to_numpy(), ordered["count"].to_numpy()


def quantile_dots(frame: pl.DataFrame, dots: int, column: str = "score") -> np.ndarray:
    """Values at the middles of `dots` equal parts of the distribution."""
    values, counts = _order(frame, column)
    edges = np.cumsum(counts)
    ranks = (np.arange(dots) + 0.5) / dots * edges[-1]
    return values[np.searchsorted(edges, ranks)]


def draw_scores(
    frame: pl.DataFrame,
    ax: Axes,
    *,
    colour: str = BLUE,
    hollow: bool = False,
    dots: int = 20,
    dot: float = 2.0,
    tallest: int = 8,
    until: float | None = None,
    note: bool = True,
) -> Axes:
    """One distribution: `dots` dots above the line, each standing for the same share of games; exact bars below it.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns score, count.
    ax : Axes
        Without `until`, its x limits must be set already: they decide the size of the dots.
    colour : str
    hollow : bool
        Rings instead of discs.
    dots : int
    dot : float
        Diameter of a dot in points of score; dots are stacked in columns of this width.
    tallest : int
        Room for so many dots above the line.
    until : float, optional
        Right end of the axis, which begins at 0.
    note : bool
        Say beside the bars between which scores half of the games end.
    """
    if until is not None:
        ax.set_xlim(0, until)
    values, counts = _order(frame, "score")
    share = counts / counts.sum()
    centre = values[np.searchsorted(np.cumsum(counts), counts.sum() / 2)]
    columns = np.round((quantile_dots(frame, dots) - centre) / dot)
    height = {c: 0 for c in columns}
    places = []
    for c in columns:
        places.append((centre + c * dot, height[c] + 0.5))
        height[c] += 1
    x, y = np.array(places).T
    ax.plot(
        x, y, linestyle="none", marker="o", markersize=6, color=colour, markerfacecolor=PAPER if hollow else colour,
        markeredgewidth=1.3, zorder=3, label="_dots",
    )  # fmt: skip
    depth = 0.42 * tallest
    bars(ax, values, -share / share.max() * depth, 0.82, colour, alpha=0.5)
    ax.axhline(0, color=MUTED, linewidth=0.8, zorder=4)
    ax.set_ylim(-depth - 0.4, tallest + 0.2)
    ax.set_yticks([])
    if note:
        low, high = quartiles(frame)
        left, right = ax.get_xlim()
        before = centre > (left + right) / 2  # the note stands where there is room
        edge = quantile(frame, 0.004 if before else 0.996)
        ax.annotate(
            f"half of the games:\n{number(low)} to {number(high)}",
            (edge, -depth * 0.5),
            xytext=(-4 if before else 4, 0),
            textcoords="offset points",
            ha="right" if before else "left",
            va="center",
            fontsize=10,
            color=MUTED,
        )
    return ax


def round_dots(ax: Axes, dot: float) -> None:
    """Size the dots of `draw_scores` so that they touch; needs the final layout (``fig.draw_without_rendering()``)."""
    box = ax.get_window_extent()
    left, right = ax.get_xlim()
    bottom, _ = ax.get_ylim()
    size = dot * box.width / (right - left)
    ax.set_ylim(bottom, bottom + box.height / size)
    for line in ax.get_lines():
        if line.get_label() == "_dots":
            line.set_markersize(max(2.0, size - 1.6))  # the edge is drawn around it


def bars(ax: Axes, at: np.ndarray, height: np.ndarray, width: float, colour: str, alpha: float) -> None:
    """Bars from zero as one path: small files, quick drawing."""
    corners = np.empty((at.size, 5, 2))
    corners[:, :, 0] = at[:, None] + np.array([-0.5, 0.5, 0.5, -0.5, -0.5]) * width
    corners[:, :, 1] = height[:, None] * np.array([0, 0, 1, 1, 0])
    codes = np.tile([Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY], at.size)
    path = Path(corners.reshape(-1, 2), codes)
    ax.add_patch(PathPatch(path, facecolor=colour, alpha=alpha, linewidth=0, zorder=2))


def alt_scores(frame: pl.DataFrame, what: str) -> str:
    """Alt text: middle half and the 1-in-20 ends."""
    p5, p25, p50, p75, p95 = (quantile(frame, p) for p in (0.05, 0.25, 0.5, 0.75, 0.95))
    return clip_alt(
        f"Dots and bars of {what}: half of the games end with {number(p25)} to {number(p75)} points, "
        f"the middle one with {number(p50)}; 1 in 20 ends at {number(p5)} or below, 1 in 20 at {number(p95)} or above."
    )


def quantile(frame: pl.DataFrame, p: float, column: str = "score") -> float:
    """Smallest value that a share `p` of the games does not exceed."""
    values, counts = _order(frame, column)
    return float(values[np.searchsorted(np.cumsum(counts), p * counts.sum())])


def draw_differences(
    frame: pl.DataFrame, ax: Axes, *, colour: str = BLUE, band: float = 0.1, unit: str = "points"
) -> Axes:
    """Paired differences as bars, one per whole number, with the zero line and the band of no practical difference.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns difference, count.
    """
    values, counts = _order(frame, "difference")
    share = 100 * counts / counts.sum()
    mean = float((values * counts).sum() / counts.sum())
    here = share >= 0.02
    ax.axvspan(-band, band, color=BAND, linewidth=0, zorder=0)
    for part, face in ((here & (values != 0), colour), (here & (values == 0), MUTED)):
        bars(ax, values[part], share[part], 0.82, face, alpha=0.75)
    ax.axvline(0, color=INK, linewidth=0.9, zorder=3)
    ax.plot([mean], [0], marker="^", color=INK, markersize=7, clip_on=False, zorder=5)
    ax.set_yticks([])
    ax.set_ylim(0, share.max() * 1.12)
    ax.set_xlabel(f"difference in {unit}")
    return ax


def alt_differences(frame: pl.DataFrame, what: str, unit: str = "points") -> str:
    """Alt text: mean difference and how often nothing changes."""
    values, counts = _order(frame, "difference")
    n = counts.sum()
    return clip_alt(
        f"Bars of paired differences, {what}: mean {number(float((values * counts).sum() / n))} {unit}; "
        f"{number(100 * counts[values == 0].sum() / n, 0)} in 100 games unchanged, "
        f"{number(100 * counts[values > 0].sum() / n, 0)} higher, "
        f"{number(100 * counts[values < 0].sum() / n, 0)} lower."
    )


def middle(frame: pl.DataFrame) -> float:
    """Median score."""
    return quantile(frame, 0.5)


def quartiles(frame: pl.DataFrame) -> tuple[float, float]:
    """Ends of the middle half of the games."""
    return quantile(frame, 0.25), quantile(frame, 0.75)


def draw_exact(
    frame: pl.DataFrame, ax: Axes, *, column: str = "score", colour: str = BLUE, xlabel: str = "end total, points"
) -> Axes:
    """Counted shares as bars with their intervals, and the exact chances as points over them.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns `column`, value, low, high (shares of games), exact (probability).
    """
    shown = frame.filter((pl.col("value") > 0) | (pl.col("exact") > 1e-4)).sort(column)
    at = shown[column].cast(pl.Float64).to_numpy()
    share, low, high, exact = (100 * shown[name].to_numpy() for name in ("value", "low", "high", "exact"))
    bars(ax, at, share, 0.82, colour, alpha=0.45)
    ax.vlines(at, low, high, color=colour, linewidth=2, zorder=3)
    ax.plot(at, exact, linestyle="none", marker="D", markersize=4.5, color=INK, zorder=4)
    top = int(np.argmax(exact))
    ax.annotate(
        "exact", (at[top], exact[top]), xytext=(0, 5), textcoords="offset points", ha="center", va="bottom",
        fontsize=11, fontweight="bold", color=INK,
    )  # fmt: skip
    ax.set_xlim(at[0] - 0.8, at[-1] + 0.8)
    ax.set_ylim(0, 1.18 * max(high.max(), exact.max()))
    ax.set_xlabel(xlabel)
    ax.set_ylabel("games in 100")
    ax.grid(True, axis="y")
    return ax


def alt_exact(frame: pl.DataFrame, what: str, column: str = "score") -> str:
    """Alt text: where counted and exact shares are furthest apart."""
    apart = frame.with_columns(gap=(pl.col("value") - pl.col("exact")).abs()).sort("gap", descending=True)
    row = apart.row(0, named=True)
    return clip_alt(
        f"Bars of counted shares with exact chances as points, {what}: furthest apart at {number(row[column])}, "
        f"counted {number(100 * row['value'])} in 100, exactly {number(100 * row['exact'])}."
    )
