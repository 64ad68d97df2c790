"""How long a game takes: turns, rounds, minutes; survival curves; whether it is over by bedtime."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from sim import stats
from sim.analysis.frames import ESTIMATE, attach, groups, table

#: attributes that tell one Karolinchen scenario from another
KEYS = ("variant", "seats", "line_up")


def _lengths(
    counts: pl.DataFrame, scenarios: pl.DataFrame, keys: Sequence[str]
) -> Iterator[tuple[dict[str, Any], pl.DataFrame, int]]:
    """Per scenario: its keys, turns with counts of the games that ended, and how many were capped."""
    columns = [*keys, "max_turns"]
    frame = attach(counts.filter(pl.col("seat") == 0), scenarios, columns)
    capped = pl.col("capped") if "capped" in counts.columns else pl.col("turns") >= pl.col("max_turns")
    for key, part in groups(frame.with_columns(cut=capped), ["scenario", *keys]):
        ended = part.filter(~pl.col("cut")).group_by("turns").agg(pl.col("count").sum()).sort("turns")
        yield key, ended, int(part.filter("cut")["count"].sum())


def _schema(scenarios: pl.DataFrame, keys: Sequence[str]) -> dict[str, Any]:
    return {"scenario": pl.String} | {name: scenarios.schema[name] for name in keys}


def game_length(
    counts: pl.DataFrame,
    scenarios: pl.DataFrame,
    seconds_per_turn: float,
    keys: Sequence[str] = KEYS,
    level: float = 0.95,
) -> pl.DataFrame:
    """Length of a game in turns, rounds (turns / players) and minutes.

    Parameters
    ----------
    seconds_per_turn : float
        What one turn takes at the table; an assumption, not a result.

    Returns
    -------
    polars.DataFrame
        Long: columns scenario, the keys, measure (``mean``, ``p5``, ``p50``, ``p90``, ``p95``, ``p99``, ``longest``
        seen), value, low, high in
        turns, rounds and minutes at the value, n, capped (games cut at the cap). Means and the longest leave capped
        games out.
    """
    rows = []
    for key, ended, capped in _lengths(counts, scenarios, keys):
        sample = (ended["turns"].to_numpy(), ended["count"].to_numpy())
        estimates = {"mean": stats.mean(*sample, level)}
        for p in (5, 50, 90, 95, 99):
            estimates[f"p{p}"] = stats.time_quantile(*sample, p / 100, capped, level)
        longest = float(ended["turns"].max() or math.nan)  # type: ignore[arg-type]
        n = estimates["p50"].n
        estimates["longest"] = stats.Estimate(longest, math.nan, math.nan, n, level, "longest seen")
        for measure, e in estimates.items():
            at = {"rounds": e.value / key["seats"], "minutes": e.value * seconds_per_turn / 60}
            rows.append({**key, "measure": measure, **e.row(), **at, "n": n, "capped": capped})
    more = {"rounds": pl.Float64, "minutes": pl.Float64, "capped": pl.Int64}
    return table(rows, _schema(scenarios, keys) | {"measure": pl.String} | ESTIMATE | more)


def survival_curves(
    counts: pl.DataFrame, scenarios: pl.DataFrame, keys: Sequence[str] = KEYS, level: float = 0.95
) -> pl.DataFrame:
    """Share of games still going after each turn.

    Returns
    -------
    polars.DataFrame
        Columns scenario, the keys, turns, value (share), low, high (Wilson, pointwise), n, capped, max_turns.
    """
    caps = dict(scenarios.select("scenario", "max_turns").iter_rows())
    rows = []
    for key, ended, capped in _lengths(counts, scenarios, keys):
        curve = stats.survival(ended["turns"].to_numpy(), ended["count"].to_numpy(), capped, level)
        for t, s, low, high in zip(curve.time, curve.share, curve.low, curve.high, strict=True):
            cap = {"capped": capped, "max_turns": caps[key["scenario"]]}
            rows.append({**key, "turns": int(t), "value": s, "low": low, "high": high, "n": curve.n, **cap})
    schema = _schema(scenarios, keys) | {"turns": pl.Int64} | ESTIMATE
    return table(rows, schema | {"capped": pl.Int64, "max_turns": pl.Int64})


def bedtime(
    counts: pl.DataFrame,
    scenarios: pl.DataFrame,
    seconds_per_turn: float,
    minutes: Sequence[float],
    keys: Sequence[str] = KEYS,
    level: float = 0.95,
) -> pl.DataFrame:
    """Chance that a game is over within so many minutes.

    Returns
    -------
    polars.DataFrame
        Columns scenario, the keys, minutes, turns (whole turns that fit), value (share of games over by then), low,
        high (Wilson), n.
    """
    rows = []
    for key, ended, capped in _lengths(counts, scenarios, keys):
        for limit in minutes:
            turns = math.floor(limit * 60 / seconds_per_turn + 1e-9)
            over = int(ended.filter(pl.col("turns") <= turns)["count"].sum())
            e = stats.wilson(over, int(ended["count"].sum()) + capped, level)
            rows.append({**key, "minutes": float(limit), "turns": turns, **e.row(), "n": e.n})
    return table(rows, _schema(scenarios, keys) | {"minutes": pl.Float64, "turns": pl.Int64} | ESTIMATE)
