"""The smallest handicap that makes a seat fair: points given to one seat, found on one seed and checked on another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from sim import stats
from sim.analysis.frames import ESTIMATE, arrays, table
from sim.stats.handicap import common_points, handicap, share_with

_NUMBERS = ("without", "without_low", "without_high", "win", "draw", "loss", "fresh", "fresh_low", "fresh_high")
_POINTS = ("points", "points_low", "points_high", "advised", "fairest", "fits_from", "fits_to", "fresh_n")
SCHEMA: dict[str, Any] = {
    "policy": pl.String,
    "seat": pl.Int64,
    **dict.fromkeys(_POINTS, pl.Int64),
    **ESTIMATE,
    **dict.fromkeys(_NUMBERS, pl.Float64),
    "verdict": pl.String,
    "scenario": pl.String,
}


def seat_differences(
    differences: pl.DataFrame, scenarios: pl.DataFrame, policy: str
) -> tuple[str, np.ndarray, np.ndarray] | None:
    """Exact counts of the first seat's score minus the second's, where both play one policy by the printed rules.

    Returns
    -------
    (scenario, differences, counts) or None where it was not played.
    """
    own = scenarios.filter((pl.col("line_up") == f"{policy} ×2") & (pl.col("factor") == ""))
    if own.is_empty():
        return None
    scenario = str(own["scenario"][0])
    part = differences.filter((pl.col("scenario") == scenario) & (pl.col("of") == "score") & (pl.col("against") == ""))
    return None if part.is_empty() else (scenario, *arrays(part, "difference"))


def compensation(
    found: tuple[pl.DataFrame, pl.DataFrame],
    fresh: tuple[pl.DataFrame, pl.DataFrame] | None,
    policies: Sequence[str],
    band: float,
    level: float = 0.95,
) -> pl.DataFrame:
    """The fewest points to one seat that make a two-player game fair, by strength of play.

    Parameters
    ----------
    found : (differences, scenarios)
        Of the games in which the number of points is found; with counts of the difference of scores between the seats.
    fresh : (differences, scenarios), optional
        Of other games, in which that number is checked.
    policies : sequence of str
        Strengths: each is played in both seats.
    band : float
        Departure from one half that is still fair.

    Returns
    -------
    polars.DataFrame
        Columns policy; seat (who gets points; −1: nobody has to), points (the fewest), points_low, points_high
        (interval), advised (the fewest with which the whole interval is inside the band; where there are none,
        `points`), fairest (points with which the share is closest to one half), fits_from, fits_to (points, to the same
        seat, with which the whole interval is inside the band), value, low, high, n (the first seat's share of the
        wins with `advised`), without, without_low, without_high (and without), win, draw, loss (of the first seat with
        `advised`, in the fresh games where there are any), fresh, fresh_low, fresh_high, fresh_n (the share with
        `advised` in fresh games), verdict (of the
        fresh share against the band; without fresh games, of the share itself), scenario.
    """
    rows = []
    for policy in policies:
        seen = seat_differences(*found, policy)
        if seen is None:
            continue
        scenario, d, c = seen
        h = handicap(d, c, band, level=level)
        later = None if fresh is None else seat_differences(*fresh, policy)
        checked = None if later is None else share_with(later[1], later[2], h.given, level)
        shares = h.parts if later is None else stats.win_draw_loss(*_results(later, h.given), level)
        parts = {name: e.value for name, e in shares.items()}
        judged = checked or h.share
        rows.append(
            {
                "policy": policy,
                "seat": h.side,
                "points": h.points,
                "points_low": h.low,
                "points_high": h.high,
                "advised": h.advised,
                "fairest": h.fairest,
                "fits_from": h.fits[0] if h.fits else None,
                "fits_to": h.fits[1] if h.fits else None,
                **h.share.row(),
                "n": h.share.n,
                **h.without.row("without"),
                **parts,
                **(checked.row("fresh") if checked else {}),
                "fresh_n": checked.n if checked else None,
                "verdict": str(stats.inside(judged, 0.5 - band, 0.5 + band)),
                "scenario": scenario,
            }
        )
    return table(rows, SCHEMA)


def _results(seen: tuple[str, np.ndarray, np.ndarray], points: int) -> tuple[np.ndarray, np.ndarray]:
    """The first seat's wins (1), ties (a half) and losses (0) with so many points, and their counts."""
    return (np.sign(seen[1] + points) + 1) / 2, seen[2].astype(np.int64)


def common_compensation(
    found: tuple[pl.DataFrame, pl.DataFrame], policies: Sequence[str], band: float, level: float = 0.95
) -> int | None:
    """The fewest points to the first seat (negative: to the second) that are fair at every strength; None if none."""
    seen = [seat_differences(*found, policy) for policy in policies]
    samples: list[Any] = [(s[1], s[2]) for s in seen if s is not None]
    result = common_points(samples, band, level=level) if samples else None
    return None if result is None else result[0]
