"""How much there is to decide, round by round: legal choices, rounds that decide themselves, zeros."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from sim import stats
from sim.analysis.frames import ESTIMATE, groups, table
from sim.stats import Estimate

#: measure → column of the rounds, and its estimator over games
MEASURES: dict[str, tuple[str, Callable[..., Estimate]]] = {
    "options": ("options", stats.mean),
    "forced": ("forced", stats.mean_share),
    "zeros": ("zero", stats.mean_share),
    "regret": ("regret", stats.mean),
}


def decision_richness(rounds: pl.DataFrame, keys: Sequence[str] = (), level: float = 0.95) -> pl.DataFrame:
    """Mean number of legal choices, share of forced rounds, of zeros, and mean regret, by number of the round.

    Seats of one game roll the same dice, so the unit is the game: each gives one number per round, the mean over its
    rows, and intervals are over games.

    Parameters
    ----------
    rounds : polars.DataFrame
        Rows of the table ``rounds``, as `sim.rounds` and `sim.load` return them.
    keys : sequence of str
        Further columns to tell apart, as ``seat`` or an attribute of the scenario.

    Returns
    -------
    polars.DataFrame
        Long: columns scenario (where there is one), the keys, round, measure (``options``, ``forced``, ``zeros``,
        ``regret``, as far as the game has them), value, low, high, n (games that came to that round).
    """
    own = [*(["scenario"] if "scenario" in rounds.columns else []), *keys, "round"]
    told = {name: column for name, (column, _) in MEASURES.items() if column in rounds.columns}
    each = rounds.group_by([*own, "game"]).agg(pl.col(column).mean().alias(name) for name, column in told.items())
    rows = []
    for key, part in groups(each.sort([*own, "game"]), own):
        for name in told:
            values = part[name].value_counts().sort(name)
            e = MEASURES[name][1](values[name].to_numpy(), values["count"].to_numpy(), level)
            rows.append({**key, "measure": name, **e.row(), "n": e.n})
    return table(rows, {name: rounds.schema[name] for name in own} | {"measure": pl.String} | ESTIMATE)
