"""How far exact results depend on the printed layout of the sheet: from the kept tables of the long computations."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from sim import stats
from sim.errors import InputError

#: what is averaged over sampled set-ups: name → (setup, level) of the larger and of the smaller value
DIFFERENCES = {
    "step": (("standard", "intermediate"), ("standard", "beginner")),
    "variation": (("variation", "intermediate"), ("standard", "intermediate")),
}


def by_layout(layouts: pl.DataFrame, sheets: pl.DataFrame, level: float = 0.95) -> pl.DataFrame:
    """One row per layout.

    Parameters
    ----------
    layouts, sheets : polars.DataFrame
        The kept tables ``layouts`` and ``layout_sheets``.
    level : float
        Confidence level.

    Returns
    -------
    polars.DataFrame
        Columns layout, kind, optimum (points: the whole game at beginner, exact); step, step_low, step_high (points:
        optimum at intermediate less that at beginner, on the same labelled sheets) and variation, variation_low,
        variation_high (points: optimum after the set-up variation less that after the standard set-up, at intermediate,
        same dice), means over the sampled set-ups with Student's interval; n (set-ups).
    """
    rows = []
    for one in layouts.iter_rows(named=True):
        own = sheets.filter(pl.col("layout") == one["layout"])
        values = {
            (str(setup), str(lvl)): part.sort("game")["value"].to_numpy()
            for (setup, lvl), part in own.group_by("setup", "level")
        }
        row: dict[str, object] = {"layout": one["layout"], "kind": one["kind"], "optimum": one["value"]}
        n = 0
        for name, (more, less) in DIFFERENCES.items():
            if more not in values or less not in values:
                raise InputError(f"layout {one['layout']} has no sampled set-ups; accepted: the table of the same run")
            gained = values[more] - values[less]
            n = gained.size
            row |= stats.mean(gained, np.ones(n, np.int64), level).row(name)
        rows.append(row | {"n": n})
    return pl.DataFrame(rows)


def spread(table: pl.DataFrame, level: float = 0.95) -> pl.DataFrame:
    """How much the layouts differ, one row per quantity of `by_layout`.

    Returns
    -------
    polars.DataFrame
        Columns quantity, mean, least, most (points, over layouts), sd (points: between layouts; for sampled
        quantities what the mean squared standard error does not explain), layouts.
    """
    rows = []
    for name in ("optimum", *DIFFERENCES):
        values = table[name].to_numpy()
        between = float(values.var(ddof=1)) if values.size > 1 else math.nan
        if name in DIFFERENCES:
            from scipy.stats import t

            half = (table[f"{name}_high"] - table[f"{name}_low"]).to_numpy() / 2
            error = half / t.ppf((1 + level) / 2, table["n"].to_numpy() - 1)
            between -= float((error**2).mean())
        rows.append(
            {
                "quantity": name,
                "mean": float(values.mean()),
                "least": float(values.min()),
                "most": float(values.max()),
                "sd": math.sqrt(max(between, 0.0)),
                "layouts": values.size,
            }
        )
    return pl.DataFrame(rows)
