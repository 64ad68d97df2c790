"""Chances of winning while games go on: quantile bands over many games, and single games drawn over them."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from matplotlib.axes import Axes

from sim.plots.curves import label_ends
from sim.plots.style import BLUE, MUTED, PAPER, SERIES, clip_alt, number


def draw_paths(
    bands: pl.DataFrame,
    paths: pl.DataFrame,
    moments: pl.DataFrame,
    ax: Axes,
    *,
    names: Mapping[str, str],
    limits: tuple[float, float],
    xlabel: str = "",
    ylabel: str = "",
) -> Axes:
    """Chances over the share of the game played: bands, lines at which a game is decided, and single games.

    Parameters
    ----------
    bands : polars.DataFrame
        Columns played (0 … 1), q10, q25, q50, q75, q90 (0 … 1).
    paths : polars.DataFrame
        Single games: kind, turn, turns, value; a chance holds from its roll to the next.
    moments : polars.DataFrame
        The roll that decided each of them: kind, turn, turns, before, after.
    names : mapping of str to str
        kind → what stands beside its line, in the order of drawing.
    limits : (low, high)
        A game is open between these chances.
    """
    played = 100 * bands["played"].to_numpy()
    for low, high, alpha in (("q10", "q90", 0.14), ("q25", "q75", 0.2)):
        ax.fill_between(played, 100 * bands[low].to_numpy(), 100 * bands[high].to_numpy(), color=BLUE, alpha=alpha,
                        linewidth=0)  # fmt: skip
    for level in limits:
        ax.axhline(100 * level, color=MUTED, linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
    ends = []
    for (kind, name), (colour, dash, marker) in zip(names.items(), SERIES[1:], strict=False):
        own, moment = paths.filter(pl.col("kind") == kind), moments.filter(pl.col("kind") == kind)
        if own.is_empty():
            continue
        at = (100 * (own["turn"] - 1) / own["turns"]).to_numpy(writable=True)
        value = 100 * own["value"].to_numpy()
        at[0] = 0  # the first chance holds from the beginning, also where the first turns need no roll
        ax.plot(at, value, color=colour, linestyle=dash, linewidth=2.2, drawstyle="steps-post", clip_on=False)
        roll = moment.row(0, named=True)
        where = 100 * (roll["turn"] - 1) / roll["turns"]
        later = own.filter(pl.col("turn") > roll["turn"])["turn"].min()
        then = 100 * (int(later) - 1) / roll["turns"]  # type: ignore[arg-type]
        ax.plot([where, then], [100 * roll["before"]] * 2, color=colour, linewidth=5, solid_capstyle="butt")
        ax.plot([then], [100 * roll["after"]], color=colour, marker=marker, markersize=9, markerfacecolor=PAPER,
                markeredgewidth=2, clip_on=False, zorder=5)  # fmt: skip
        ends.append((100.0, float(value[-1]), name, colour))
    ax.set_xlim(0, 100)
    ax.set_ylim(0, 100)
    ax.set_yticks([0, 25, 50, 75, 100])
    label_ends(ax, ends, 17.0)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.grid(True, axis="y")
    return ax


def alt_paths(bands: pl.DataFrame, moments: pl.DataFrame, what: str) -> str:
    """Alt text: the middle half at half time, and when each single game was decided."""
    half = bands.filter(pl.col("played") <= 0.5).tail(1).row(0, named=True)
    told = [f"{r['kind']} in turn {r['turn']} of {r['turns']}" for r in moments.iter_rows(named=True)]
    return clip_alt(
        f"Bands of {what}, {half['n']:,} games: in the middle half of them {number(100 * half['q25'], 0)} to "
        f"{number(100 * half['q75'], 0)} in 100 at half time. Lines of three games, decided {'; '.join(told)}."
    )
