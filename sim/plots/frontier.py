"""Mean against spread: what the best play for each appetite for risk reaches, and where other ways of playing stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl
from matplotlib.axes import Axes

from sim.plots.style import BAND, BLUE, INK, VERMILLION, clip_alt, number


def draw_frontier(
    frame: pl.DataFrame,
    points: pl.DataFrame,
    ax: Axes,
    *,
    series: str = "policy",
    told: Sequence[float] = (0.0,),
    name: Callable[[float], str] = number,
    unit: str = "points",
    best: str = "best mean",
) -> Axes:
    """A curve through optimal play for a range of weights on risk, and single points beside it.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns ``risk``, ``mean``, ``sd``; drawn in the order of ``risk``.
    points : polars.DataFrame
        Columns `series`, ``mean``, ``sd``.
    told : sequence of float
        Weights whose points get their `name`.
    best : str
        What stands at weight 0.
    """
    frame = frame.sort("risk")
    sd, mean = frame["sd"].to_numpy(), frame["mean"].to_numpy()
    top = float(max(mean.max(), points["mean"].max()))  # type: ignore[arg-type,type-var]
    bottom = float(min(mean.min(), points["mean"].min()))  # type: ignore[arg-type,type-var]
    room = 0.08 * (top - bottom)
    shunned = frame.filter(pl.col("risk") >= 0)  # the steadier half: nothing lies above and to the left of it
    ax.fill_between(shunned["sd"].to_numpy(), shunned["mean"].to_numpy(), bottom - room, color=BAND, linewidth=0)
    ax.plot(sd, mean, color=BLUE, marker="o", markersize=4)
    for risk in told:
        row = frame.row(by_predicate=pl.col("risk") == risk, named=True)
        at, text = (row["sd"], row["mean"]), best if risk == 0 else name(risk)
        ax.plot(*at, color=BLUE, marker="o", markersize=8)
        ax.annotate(
            text, at, xytext=(0, 9) if risk == 0 else (9, -1), textcoords="offset points", color=BLUE, fontsize=11,
            fontweight="bold", ha="center" if risk == 0 else "left", va="bottom" if risk == 0 else "top",
            annotation_clip=False,
        )  # fmt: skip
    ax.plot(points["sd"], points["mean"], color=VERMILLION, marker="s", markersize=7, linestyle="")
    for row in points.iter_rows(named=True):
        outside = row["sd"] > sd.max()
        ax.annotate(
            str(row[series]), (row["sd"], row["mean"]), xytext=(9 if outside else -9, 0),
            textcoords="offset points", color=INK, fontsize=11, ha="left" if outside else "right", va="center",
            annotation_clip=False,
        )  # fmt: skip
    ax.set_ylim(bottom - room, top + 2 * room)
    left = float(min(sd.min(), points["sd"].min()))  # type: ignore[arg-type,type-var]
    right = float(max(sd.max(), points["sd"].max()))  # type: ignore[arg-type,type-var]
    ax.set_xlim(left - 0.06 * (right - left), right + 0.18 * (right - left))
    ax.grid(True, axis="y")
    ax.set_xlabel(f"standard deviation, {unit}")
    ax.set_ylabel(f"mean, {unit}")
    return ax


def alt_frontier(frame: pl.DataFrame, points: pl.DataFrame, what: str, *, series: str = "policy") -> str:
    """Alt text: the best mean, the steadiest play, and the best of the points."""
    best = frame.sort("mean", descending=True).row(0, named=True)
    steady = frame.sort("sd").row(0, named=True)
    single = points.sort("mean", descending=True).row(0, named=True)

    def words(row: dict[str, float]) -> str:
        return f"mean {number(row['mean'])}, sd {number(row['sd'])}"

    return clip_alt(
        f"Mean against standard deviation of {what}. Best mean: {words(best)}; steadiest: {words(steady)}; "
        f"best of {points.height} others, {single[series]}: {words(single)}."
    )
