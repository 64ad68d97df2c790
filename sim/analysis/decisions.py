"""Do choices matter? What there is to decide in a game, and what deciding badly costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from sim import stats
from sim.analysis.frames import ESTIMATE, attach, groups, table
from sim.stats import Estimate

#: measure → the expression over the rows of rounds, its unit, and its estimator over games
Measure = tuple[pl.Expr, str, Callable[..., Estimate]]


def _measures(least: float) -> dict[str, tuple[str, Measure]]:
    """Measures with the column that they need."""
    whole = pl.len().cast(pl.Float64)
    return {
        "options": ("options", (pl.col("options").mean(), "choices per round", stats.mean)),
        "forced": ("options", ((pl.col("options") == 1).mean(), "share of rounds", stats.mean_share)),
        "zeros": ("zero", (pl.col("zero").mean(), "share of rounds", stats.mean_share)),
        "no_entry": ("no_entry", (pl.col("no_entry").mean(), "share of rounds", stats.mean_share)),
        "matters": ("margin", ((pl.col("margin") > least).mean(), "share of rounds", stats.mean_share)),
        "random": ("careless", (pl.col("careless").mean() * whole, "points per game", stats.mean)),
        "regret": ("regret", (pl.col("regret").mean() * whole, "points per game", stats.mean)),
    }


def decisions(
    rounds: pl.DataFrame,
    scenarios: pl.DataFrame | None = None,
    keys: Sequence[str] = (),
    least: float = 0.1,
    level: float = 0.95,
) -> pl.DataFrame:
    """Choices of a whole game: how many, how often none, how many matter, and what a choice at random would lose.

    The unit is the game of a seat, whose rounds depend on each other: each gives one number, and intervals are over
    games.

    Parameters
    ----------
    rounds : polars.DataFrame
        Rows of the table ``rounds``, as `sim.rounds` and `sim.load` return them.
    scenarios : polars.DataFrame, optional
        Of the sweep, for attributes among the `keys`.
    keys : sequence of str
        Columns or attributes to tell apart, as ``level`` and ``seat0``.
    least : float
        A decision matters if the best choice is worth more than so many points above the second best.

    Returns
    -------
    polars.DataFrame
        Long: columns scenario (where there is one), the keys, measure, unit, value, low, high, n (games). Measures, as
        far as the rows have what they need: ``options`` (legal choices), ``forced`` (rounds with one), ``zeros``
        (rounds in which a zero was written), ``no_entry`` (in which nothing else was legal), and with exact values
        ``matters`` (rounds whose decision matters), ``random`` (points a game that choices at random would lose in the
        positions met) and ``regret`` (points a game that the choices made lost, against optimal play).
    """
    given = rounds if scenarios is None else attach(rounds, scenarios, keys)
    own = [*(["scenario"] if "scenario" in given.columns else []), *keys]
    told = {name: m for name, (column, m) in _measures(least).items() if column in given.columns}
    by = list(dict.fromkeys([*own, "seat", "game"]))
    each = given.group_by(by, maintain_order=True).agg(e.alias(name) for name, (e, _, _) in told.items())
    rows: list[dict[str, Any]] = []
    parts = groups(each, own) if own else [({}, each)]
    for key, part in parts:
        for name, (_, unit, estimate) in told.items():
            values = part[name].value_counts().sort(name)
            e = estimate(values[name].to_numpy(), values["count"].to_numpy(), level)
            rows.append({**key, "measure": name, "unit": unit, **e.row(), "n": e.n})
    schema: dict[str, Any] = {name: given.schema[name] for name in own}
    return table(rows, schema | {"measure": pl.String, "unit": pl.String} | ESTIMATE)
