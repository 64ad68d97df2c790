"""What a change of rules does to the same games: paired differences."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sim import stats
from sim.analysis.frames import arrays, attach, groups, table

_NUMBERS = ("value", "low", "high", "sd", "better", "same", "worse", "smallest", "largest")


def paired_changes(
    differences: pl.DataFrame,
    scenarios: pl.DataFrame,
    of: str = "score",
    keys: Sequence[str] = ("level", "policy", "factor", "setting"),
    smallest: float = 0.1,
    level: float = 0.95,
) -> pl.DataFrame:
    """Mean, spread and sign of paired differences, one row per scenario, pair and seat.

    Parameters
    ----------
    differences : polars.DataFrame
        Table ``differences`` of a sweep.
    of : str
        The column whose difference is taken.
    keys : sequence of str
        Attributes of the scenarios to carry along; ``policy`` is that of seat 0, ``setting`` the value of a one-
        factor variant.
    smallest : float
        The smallest difference that matters, for the verdict: ``inside`` means no practical difference.

    Returns
    -------
    polars.DataFrame
        Columns scenario, pair, seat, the keys, value (mean difference), low, high, n, sd, better, same, worse
        (shares of games), smallest, largest (differences seen), verdict.
    """
    told = scenarios.rename({"value": "setting", "seat0": "policy"})
    frame = attach(differences.filter(pl.col("of") == of), told, keys)
    rows = []
    for key, part in groups(frame, ["scenario", "pair", "seat", *keys]):
        p = stats.paired(*arrays(part, "difference"), level)
        rows.append(
            {
                **key,
                **p.mean.row(),
                "n": p.mean.n,
                "sd": p.sd,
                "better": p.better.value,
                "same": p.same.value,
                "worse": p.worse.value,
                "smallest": part["difference"].min(),
                "largest": part["difference"].max(),
                "verdict": str(stats.inside(p.mean, -smallest, smallest)),
            }
        )
    schema = {"scenario": pl.String, "pair": pl.String, "seat": pl.Int64} | {name: frame.schema[name] for name in keys}
    return table(rows, schema | dict.fromkeys(_NUMBERS, pl.Float64) | {"n": pl.Int64, "verdict": pl.String})


def difference_counts(
    differences: pl.DataFrame,
    scenarios: pl.DataFrame,
    of: str = "score",
    keys: Sequence[str] = ("level", "policy", "factor", "setting"),
) -> pl.DataFrame:
    """Exact counts of paired differences with what the scenario was.

    Returns
    -------
    polars.DataFrame
        Columns scenario, pair, seat, the keys, difference, count, n (all games of the pair).
    """
    told = scenarios.rename({"value": "setting", "seat0": "policy"})
    frame = attach(differences.filter(pl.col("of") == of), told, keys)
    over = ["scenario", "pair", "seat"]
    return frame.select(*over, *keys, "difference", "count").with_columns(n=pl.col("count").sum().over(over))
