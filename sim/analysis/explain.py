"""Somebody's published figure in, the readings and players that explain it out."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from scipy.special import ndtri

from sim import stats
from sim.analysis.frames import ESTIMATE, arrays, attach, groups, table
from sim.errors import InputError, unknown

#: what can be published of a column
MEASURES = ("mean", "median", "sd")

Sample = tuple[np.ndarray, np.ndarray]


def explain(
    counts: pl.DataFrame,
    scenarios: pl.DataFrame,
    published: float,
    of: str = "score",
    *,
    measure: str = "mean",
    rounding: float = 0.0,
    games: int | None = None,
    seat: int = 0,
    level: float = 0.95,
) -> pl.DataFrame:
    """Which scenarios of a sweep agree with a published figure, the nearest first.

    A figure agrees where it lies within reach of what was simulated: its rounding, plus the half-widths of both sides,
    added as independent errors. The half-width of a published mean of `games` games is taken from the scenario's own
    spread; without `games` it counts as exact. Many scenarios are compared with one figure, so some that agree do so
    by chance: the answer is a list of candidates, not a proof.

    Parameters
    ----------
    counts, scenarios : polars.DataFrame
        As `sim.load` and `sim.scenarios` return them.
    published : float
        The figure.
    of : str
        The column it is about: ``score``, ``turns``, ``win``, ….
    measure : {"mean", "median", "sd"}
        What was published of it.
    rounding : float
        Half a unit of the last digit that was published.
    games : int, optional
        How many games the figure rests on (`measure` ``mean`` only).
    seat : int
        Whose games.
    level : float
        Confidence of the intervals.

    Returns
    -------
    polars.DataFrame
        Columns scenario, label, value, low, high, n, off (published minus value), reach (how far off would still
        agree), agrees (bool); first those that agree, then the others, both sorted by \\|off\\|, as they stand in the
        sweep where equal.

    Raises
    ------
    InputError
        In one line: an unknown column or measure, a share of wins that is none, no games of the seat.
    """
    if measure not in MEASURES:
        raise InputError(unknown("measure", measure, MEASURES))
    known = [name for name in counts.columns if name not in ("scenario", "seat", "count")]
    if of not in known:
        raise InputError(unknown("column", of, known))
    if games is not None and (measure != "mean" or games < 1):
        raise InputError(
            f"games = {games} with measure = {measure} is not accepted; accepted: a number of games from 1 on, for a "
            f"published mean"
        )
    if not math.isfinite(published) or not 0 <= rounding < math.inf:
        raise InputError(
            f"published = {published}, rounding = {rounding} is not accepted; accepted: a number, and a rounding from 0"
        )
    if of == "win" and not 0 <= published <= 1:
        hint = f" ({published / 100:g})" if 1 < published <= 100 else ""
        raise InputError(f"figure = {published:g} of win is not accepted; accepted: a share from 0 to 1{hint}")
    rows = []
    frame = attach(counts.filter(pl.col("seat") == seat), scenarios, ["label"])
    for key, part in groups(frame, ["scenario", "label"]):
        sample = arrays(part, of)
        estimate = _estimate(sample, measure, level)
        theirs = _half_width(sample, games, level)
        own = max(estimate.high - estimate.value, estimate.value - estimate.low)
        reach = rounding + math.hypot(own, theirs)
        off = published - estimate.value
        rows.append({**key, **estimate.row(), "n": estimate.n, "off": off, "reach": reach, "agrees": abs(off) <= reach})
    schema = {"scenario": pl.String, "label": pl.String} | ESTIMATE
    found = table(rows, schema | {"off": pl.Float64, "reach": pl.Float64, "agrees": pl.Boolean})
    if found.is_empty():
        raise InputError(f"seat = {seat} has no games in this sweep; accepted: a seat and scenarios that were played")
    # not by off / reach: the interval of a median is often a single value, and none beside it would then come near
    return found.sort(~pl.col("agrees"), pl.col("off").abs(), maintain_order=True)


def _estimate(sample: Sample, measure: str, level: float) -> stats.Estimate:
    if measure == "median":
        return stats.quantile(*sample, 0.5, level)
    return stats.mean(*sample, level) if measure == "mean" else stats.spread(*sample, level)


def _half_width(sample: Sample, games: int | None, level: float) -> float:
    if games is None:
        return 0.0
    return float(ndtri((1 + level) / 2)) * stats.moments(*sample).sd / math.sqrt(games)
