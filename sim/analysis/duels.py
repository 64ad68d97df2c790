"""Two policies against each other, over both seats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from sim import stats
from sim.analysis.frames import ESTIMATE, arrays, attach, groups, table
from sim.stats import Estimate


def average(estimates: Sequence[Estimate], method: str) -> Estimate:
    """Mean of estimates from different seats, as if independent.

    With swapped seats and the same cards luck cancels rather than adds, so the interval is on the wide side.
    """
    k = len(estimates)
    value = sum(e.value for e in estimates) / k
    half = sum(e.half_width**2 for e in estimates) ** 0.5 / k
    return Estimate(value, value - half, value + half, sum(e.n for e in estimates), estimates[0].level, method)


def sides(
    counts: pl.DataFrame, scenarios: pl.DataFrame, keys: Sequence[str] = ()
) -> Iterator[tuple[dict[str, Any], list[tuple[int, pl.DataFrame]]]]:
    """Every ordered pair of policies of a two-player game: keys with ``policy`` and ``opponent``, and (seat, counts)
    of the first.
    """
    two = scenarios.filter(pl.col("seats") == 2)
    frame = attach(counts, two, [*keys, "seat0", "seat1"])
    own = pl.when(pl.col("seat") == 0).then("seat0").otherwise("seat1")
    other = pl.when(pl.col("seat") == 0).then("seat1").otherwise("seat0")
    frame = frame.with_columns(policy=own, opponent=other)
    for key, part in groups(frame, [*keys, "policy", "opponent"]):
        yield key, [(s["seat"], p) for s, p in groups(part.sort("seat", maintain_order=True), ["seat"])]


def duels(
    counts: pl.DataFrame, scenarios: pl.DataFrame, keys: Sequence[str] = ("variant",), level: float = 0.95
) -> pl.DataFrame:
    """How often each policy beats each other one; the two seats weigh the same.

    Returns
    -------
    polars.DataFrame
        Columns keys, policy, opponent, value (share of wins, a draw counts half), low, high, n, win, draw, loss
        (shares of games), seats
        (in how many seats the policy was played: 2 is fair to both; a mirror match averages to one half by itself).
    """
    rows = []
    for key, parts in sides(counts, scenarios, keys):
        samples = [arrays(p, "win") for _, p in parts]
        e = average([stats.mean_share(*s, level) for s in samples], "mean share over both seats")
        outcome = [stats.win_draw_loss(*s, level) for s in samples]
        shares = {name: sum(o[name].value for o in outcome) / len(outcome) for name in ("win", "draw", "loss")}
        rows.append({**key, **e.row(), "n": e.n, **shares, "seats": len(parts)})
    schema = {name: scenarios.schema[name] for name in keys} | {"policy": pl.String, "opponent": pl.String} | ESTIMATE
    return table(rows, schema | dict.fromkeys(("win", "draw", "loss"), pl.Float64) | {"seats": pl.Int64})
