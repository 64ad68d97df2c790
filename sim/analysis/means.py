"""Means by scenario, answers to a parameter, and a sample beside its exact distribution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sim import stats
from sim.analysis.frames import ESTIMATE, arrays, attach, groups, table


def means_by(
    counts: pl.DataFrame,
    scenarios: pl.DataFrame,
    of: str = "score",
    keys: Sequence[str] = ("level", "policy"),
    level: float = 0.95,
) -> pl.DataFrame:
    """Mean and standard deviation of a counted column, one row per scenario, seat 0.

    Parameters
    ----------
    of : str
        A column of `counts`.
    keys : sequence of str
        Attributes of the scenarios to carry along; ``policy`` is that of seat 0.

    Returns
    -------
    polars.DataFrame
        Columns scenario, the keys, value (mean), low, high (Student), n, sd, sd_low, sd_high.
    """
    told = scenarios.rename({"seat0": "policy"})
    frame = attach(counts.filter(pl.col("seat") == 0), told, keys)
    rows = []
    for key, part in groups(frame, ["scenario", *keys]):
        mean, spread = stats.mean(*arrays(part, of), level), stats.spread(*arrays(part, of), level)
        rows.append({**key, **mean.row(), "n": mean.n, **spread.row("sd")})
    schema = {"scenario": pl.String} | {name: frame.schema[name] for name in keys} | ESTIMATE
    return table(rows, schema | dict.fromkeys(("sd", "sd_low", "sd_high"), pl.Float64))


def responses(differences: pl.DataFrame, keys: Sequence[str], level: float = 0.95) -> pl.DataFrame:
    """Mean paired difference for each setting: how a result answers to a parameter, on the same games.

    Parameters
    ----------
    differences : polars.DataFrame
        The keys, difference, count: as `sim.summarise` with ``pairs`` returns them, the setting added.
    keys : sequence of str
        What tells one setting from another.

    Returns
    -------
    polars.DataFrame
        Columns keys, value (mean difference), low, high (Student over pairs), n, sd.
    """
    rows = []
    for key, part in groups(differences, list(keys)):
        p = stats.paired(*arrays(part, "difference"), level)
        rows.append({**key, **p.mean.row(), "n": p.mean.n, "sd": p.sd})
    return table(rows, {name: differences.schema[name] for name in keys} | ESTIMATE | {"sd": pl.Float64})


def exact_shares(counts: pl.DataFrame, chances: np.ndarray, of: str = "score", level: float = 0.95) -> pl.DataFrame:
    """Counted shares of every value beside exact chances.

    Parameters
    ----------
    counts : polars.DataFrame
        Columns `of`, count: exact counts of the games played.
    chances : float array
        Exact probability of the value at each index, as ``sim.solve(…).pmf``.

    Returns
    -------
    polars.DataFrame
        Columns `of` (0 …), count, value (share of games), low, high (Wilson), n, exact.
    """
    seen = dict(counts.group_by(of).agg(pl.col("count").sum()).iter_rows())
    size = max([len(chances), *(int(v) + 1 for v in seen)])
    count = np.array([seen.get(v, 0) for v in range(size)], np.int64)
    n = int(count.sum())
    low, high = stats.wilson_band(count, np.full(size, n), level)
    exact = np.zeros(size)
    exact[: len(chances)] = chances
    shares = {"value": count / n, "low": low, "high": high}
    return pl.DataFrame({of: np.arange(size), "count": count, **shares, "n": np.full(size, n), "exact": exact})
