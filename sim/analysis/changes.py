"""What a change of rules or of policy does to the same games: paired differences between two scenarios."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from sim import stats
from sim.analysis.frames import ESTIMATE, arrays, attach, groups, table

_NUMBERS = ("value", "low", "high", "sd", "better", "same", "worse", "smallest", "largest")


def paired_changes(
    differences: pl.DataFrame,
    scenarios: pl.DataFrame,
    of: str = "score",
    keys: Sequence[str] = ("level", "policy", "factor", "setting"),
    smallest: float = 0.1,
    level: float = 0.95,
) -> pl.DataFrame:
    """Mean, spread and sign of paired differences between two scenarios, one row per scenario, other side and seat.

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
        Columns scenario, against, pair, seat, the keys, value (mean difference), low, high, n, sd, better, same, worse
        (shares of games), smallest, largest (differences seen), verdict.
    """
    told = scenarios.rename({"value": "setting", "seat0": "policy"})
    frame = attach(differences.filter((pl.col("of") == of) & (pl.col("against") != "")), told, keys)
    rows = []
    for key, part in groups(frame, ["scenario", "against", "pair", "seat", *keys]):
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
    schema = {"scenario": pl.String, "against": pl.String, "pair": pl.String, "seat": pl.Int64} | {
        name: frame.schema[name] for name in keys
    }
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
        Columns scenario, against, pair, seat, the keys, difference, count, n (all games of the pair).
    """
    told = scenarios.rename({"value": "setting", "seat0": "policy"})
    frame = attach(differences.filter((pl.col("of") == of) & (pl.col("against") != "")), told, keys)
    over = ["scenario", "against", "pair", "seat"]
    return frame.select(*over, *keys, "difference", "count").with_columns(n=pl.col("count").sum().over(over))


def policy_gains(
    differences: pl.DataFrame, scenarios: pl.DataFrame, of: str = "score", sure: float = 0.9, level: float = 0.95
) -> pl.DataFrame:
    """What one policy gains over another on the same dice, and how many games tell which is better.

    Parameters
    ----------
    differences, scenarios : polars.DataFrame
        Of a sweep that compares scenarios with the same rules and another policy.
    sure : float
        Probability with which the better policy is to be ahead in total after `games` games.

    Returns
    -------
    polars.DataFrame
        Columns scenario, against, level, policy, opponent, value (mean gain), low, high, n, sd, better, same, worse
        (shares of games),
        beats (better + same / 2) with beats_low, beats_high, games.
    """
    told = scenarios.rename({"seat0": "policy"})
    names = told.select(against="scenario", opponent="policy", other="level")
    frame = attach(differences.filter((pl.col("of") == of) & (pl.col("against") != "")), told, ("level", "policy"))
    frame = frame.join(names, on="against", how="inner", maintain_order="left")
    frame = frame.filter((pl.col("policy") != pl.col("opponent")) & (pl.col("level") == pl.col("other")))
    rows = []
    for key, part in groups(frame, ["scenario", "against", "level", "policy", "opponent"]):
        sample = arrays(part, "difference")
        p = stats.paired(*sample, level)
        beats = stats.mean_share((np.sign(sample[0]) + 1) / 2, sample[1], level)
        rows.append(
            {
                **key,
                **p.mean.row(),
                "n": p.mean.n,
                "sd": p.sd,
                "better": p.better.value,
                "same": p.same.value,
                "worse": p.worse.value,
                **beats.row("beats"),
                "games": stats.games_to_tell(p.mean.value, p.sd, sure),
            }
        )
    numbers = ("sd", "better", "same", "worse", "beats", "beats_low", "beats_high", "games")
    schema = dict.fromkeys(("scenario", "against", "level", "policy", "opponent"), pl.String) | ESTIMATE
    return table(rows, schema | dict.fromkeys(numbers, pl.Float64))
