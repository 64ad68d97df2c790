"""Caterpillars scores: distribution, summary and the solo par table, per level and policy."""

from __future__ import annotations

import polars as pl

from sim import stats
from sim.analysis.frames import ESTIMATE, arrays, attach, groups, level_rank, plain, table

PERCENTILES = (5, 25, 50, 75, 95)
BEST_OF = (5, 10, 25)


def solo(counts: pl.DataFrame, scenarios: pl.DataFrame) -> pl.DataFrame:
    """Scores of seat 0 under the default rules, one sample per level and policy.

    Players do not interact, so seat 0 alone and seat 0 in a group play the same games; where a sweep holds both, the
    scenario with the fewest seats is taken.

    Returns
    -------
    polars.DataFrame
        Columns level, policy, scenario, score, count.
    """
    chosen = plain(scenarios, "caterpillars", free=("level",))
    chosen = chosen.sort("seats", maintain_order=True).unique(["level", "seat0"], keep="first", maintain_order=True)
    frame = attach(counts.filter(pl.col("seat") == 0), chosen, ["level", "seat0"])
    summed = frame.group_by("level", "seat0", "scenario", "score", maintain_order=True).agg(pl.col("count").sum())
    ordered = summed.with_columns(rank=pl.col("level").map_elements(level_rank, return_dtype=pl.Int64))
    return ordered.sort("rank", maintain_order=True).drop("rank").rename({"seat0": "policy"})


def score_distribution(counts: pl.DataFrame, scenarios: pl.DataFrame, level: float = 0.95) -> pl.DataFrame:
    """Exact share of games with each end total.

    Returns
    -------
    polars.DataFrame
        Columns level, policy, scenario, score, count, value (share of games) with its Wilson interval, n.
    """
    rows = []
    for key, part in groups(solo(counts, scenarios), ["level", "policy", "scenario"]):
        part = part.sort("score")
        n = int(part["count"].sum())
        low, high = stats.wilson_band(part["count"].to_numpy(), n, level)
        for i, (score, count) in enumerate(part.select("score", "count").iter_rows()):
            rows.append(
                {**key, "score": score, "count": count, "value": count / n, "low": low[i], "high": high[i], "n": n}
            )
    schema = {"level": pl.String, "policy": pl.String, "scenario": pl.String, "score": pl.Int64, "count": pl.Int64}
    return table(rows, schema | ESTIMATE)


def score_summary(counts: pl.DataFrame, scenarios: pl.DataFrame, level: float = 0.95) -> pl.DataFrame:
    """Mean and spread of the end total, the best policy of each level marked.

    Returns
    -------
    polars.DataFrame
        Columns level, policy, scenario, mean, mean_low, mean_high, sd, sd_low, sd_high, lowest, highest (seen), n,
        best (bool: the
        highest mean of the level), candidates (policies compared at the level).
    """
    rows = []
    for key, part in groups(solo(counts, scenarios), ["level", "policy", "scenario"]):
        sample = arrays(part, "score")
        mean, spread = stats.mean(*sample, level), stats.spread(*sample, level)
        rows.append(
            {
                **key,
                **mean.row("mean"),
                **spread.row("sd"),
                "lowest": part["score"].min(),
                "highest": part["score"].max(),
                "n": mean.n,
            }
        )
    numbers = ("mean", "mean_low", "mean_high", "sd", "sd_low", "sd_high")
    schema = {"level": pl.String, "policy": pl.String, "scenario": pl.String} | dict.fromkeys(numbers, pl.Float64)
    frame = table(rows, schema | {"lowest": pl.Int64, "highest": pl.Int64, "n": pl.Int64})
    return frame.with_columns(
        best=pl.col("mean") == pl.col("mean").max().over("level"), candidates=pl.len().over("level").cast(pl.Int64)
    )


def best_policies(summary: pl.DataFrame) -> dict[str, str]:
    """The policy with the highest mean of each level, from `score_summary`."""
    best = summary.filter("best")
    return dict(zip(best["level"], best["policy"], strict=True))


def par_table(counts: pl.DataFrame, scenarios: pl.DataFrame, level: float = 0.95) -> pl.DataFrame:
    """What is a poor, a usual, a good and a best score of one's own.

    Returns
    -------
    polars.DataFrame
        Columns level, policy, scenario, measure (``p5`` … ``p95``: percentiles; ``best5``, ``best10``, ``best25``:
        expected best of so
        many games), value, low, high, n.
    """
    rows = []
    for key, part in groups(solo(counts, scenarios), ["level", "policy", "scenario"]):
        sample = arrays(part, "score")
        for p in PERCENTILES:
            e = stats.quantile(*sample, p / 100, level)
            rows.append({**key, "measure": f"p{p}", **e.row(), "n": e.n})
        for games in BEST_OF:
            e = stats.expected_best(*sample, games, level)
            rows.append({**key, "measure": f"best{games}", **e.row(), "n": e.n})
    schema = {"level": pl.String, "policy": pl.String, "scenario": pl.String, "measure": pl.String}
    return table(rows, schema | ESTIMATE)
