"""Parlett's Caterpillar: how long to hold court cards, and how often a deal ends court short."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sim import stats
from sim.analysis.duels import average, sides
from sim.analysis.frames import ESTIMATE, attach, groups, table
from sim.errors import InputError


def hold_curve(
    counts: pl.DataFrame,
    scenarios: pl.DataFrame,
    policy: str = "hoarder",
    parameter: str = "threshold",
    level: float = 0.95,
) -> pl.DataFrame:
    """Win rate and mean score as a function of one numeric policy parameter, over both seats where both were played.

    Returns
    -------
    polars.DataFrame
        Columns opponent, threshold, value (share of wins, a draw counts half), low, high, score, score_low,
        score_high (mean), other
        (mean score of the opponent), n, seats.
    """
    settings: dict[str, float] = {}
    for row in scenarios.iter_rows(named=True):
        for seat in (0, 1):
            text, value = row.get(f"seat{seat}"), row.get(f"seat{seat}.{parameter}")
            if text is not None and value is not None and str(text).split("(")[0] == policy:
                settings[str(text)] = float(value)
    if not settings:
        raise InputError(
            f"no scenario has policy {policy} with {parameter}; accepted: a sweep over {policy}.{parameter}"
        )
    rows = []
    for key, parts in sides(counts, scenarios):
        if key["policy"] not in settings or key["opponent"] in settings:
            continue
        seats = [pl.DataFrame(p) for _, p in parts]
        win = average([stats.mean_share(p["win"], p["count"], level) for p in seats], "mean share")
        score = average([stats.mean(p["score"], p["count"], level) for p in seats], "mean")
        rows.append(
            {
                "opponent": key["opponent"],
                "threshold": settings[key["policy"]],
                **win.row(),
                **score.row("score"),
                "n": win.n,
                "seats": len(parts),
            }
        )
    schema = {"opponent": pl.String, "threshold": pl.Float64} | ESTIMATE
    more = dict.fromkeys(("score", "score_low", "score_high"), pl.Float64) | {"seats": pl.Int64}
    return table(rows, schema | more).sort("opponent", "threshold", maintain_order=True)


def court_short(
    counts: pl.DataFrame,
    scenarios: pl.DataFrame,
    keys: Sequence[str] = ("variant", "line_up"),
    level: float = 0.95,
) -> pl.DataFrame:
    """Share of games with a deal that ended because a player was stuck.

    Returns
    -------
    polars.DataFrame
        Columns scenario, keys, value, low, high (Wilson), n.
    """
    frame = attach(counts.filter(pl.col("seat") == 0), scenarios, keys)
    rows = []
    for key, part in groups(frame, ["scenario", *keys]):
        e = stats.wilson(int(part.filter("court_short")["count"].sum()), int(part["count"].sum()), level)
        rows.append({**key, **e.row(), "n": e.n})
    return table(rows, {"scenario": pl.String} | {name: scenarios.schema[name] for name in keys} | ESTIMATE)
