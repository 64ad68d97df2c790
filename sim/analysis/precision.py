"""What precision costs: half-widths by number of games, and what pairing on the same dice saves."""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl
from scipy.stats import norm

from sim import stats
from sim.analysis.changes import paired_changes
from sim.analysis.frames import table
from sim.analysis.means import means_by


def half_widths(sds: dict[str, float], games: Sequence[int], level: float = 0.95) -> pl.DataFrame:
    """Half-width of the interval of a mean after so many games.

    Parameters
    ----------
    sds : dict
        Name of a way of measuring → standard deviation of one of its games.
    games : sequence of int
        At least 2 each.

    Returns
    -------
    polars.DataFrame
        Columns way, games, value (half-width in the unit of the sd, Student's t).
    """
    from scipy.stats import t

    rows = [
        {"way": way, "games": n, "value": float(t.ppf((1 + level) / 2, n - 1)) * sd / math.sqrt(n)}
        for way, sd in sds.items()
        for n in games
    ]
    return table(rows, {"way": pl.String, "games": pl.Int64, "value": pl.Float64})


def games_for(sd: float, half_width: float, level: float = 0.95) -> int:
    """Games after which the interval of a mean has this half-width (normal quantile), at least 2."""
    return max(2, math.ceil((float(norm.ppf((1 + level) / 2)) * sd / half_width) ** 2))


def pairing(
    counts: pl.DataFrame,
    differences: pl.DataFrame,
    scenarios: pl.DataFrame,
    half_width: float,
    of: str = "score",
    keys: Sequence[str] = ("level", "policy", "factor", "setting"),
    level: float = 0.95,
) -> pl.DataFrame:
    """What the same dice save: games for a half-width of a difference, paired and with dice of their own.

    Parameters
    ----------
    counts, differences, scenarios : polars.DataFrame
        Of a sweep that compares scenarios.
    half_width : float
        The precision wanted, in the unit of `of`.
    keys : sequence of str
        Attributes of the scenarios to carry along, as for `paired_changes`.

    Returns
    -------
    polars.DataFrame
        Columns scenario, against, the keys, value (mean difference), low, high (paired), n, sd (of one pair's
        difference), sd_apart (of the difference of two games with dice of their own), half (of the paired
        interval), half_apart (of two separate samples of n games each, Welch), games, games_apart (of each side, for
        `half_width`), saved (ratio of the variances; infinite where no game differs).
    """
    changes = paired_changes(differences, scenarios, of, keys, level=level).filter(pl.col("seat") == 0)
    sds = dict(means_by(counts, scenarios, of, ()).select("scenario", "sd").iter_rows())
    rows = []
    for row in changes.iter_rows(named=True):
        one, other = sds[row["scenario"]], sds[row["against"]]
        paired, apart = games_for(row["sd"], half_width, level), games_for(math.hypot(one, other), half_width, level)
        rows.append(
            {
                **row,
                "sd_apart": math.hypot(one, other),
                "half": (row["high"] - row["low"]) / 2,
                "half_apart": stats.without_pairing(one, other, row["n"], level),
                "games": paired,
                "games_apart": apart,
                "saved": (one**2 + other**2) / row["sd"] ** 2 if row["sd"] else math.inf,
            }
        )
    numbers = dict.fromkeys(("value", "low", "high", "sd", "sd_apart", "half", "half_apart", "saved"), pl.Float64)
    schema = {"scenario": pl.String, "against": pl.String} | {name: changes.schema[name] for name in keys}
    return table(rows, schema | numbers | dict.fromkeys(("n", "games", "games_apart"), pl.Int64))
