"""The figure about the comparison with exact answers."""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure

from sim import plots
from sim.plots.deviations import rows_height
from sim.plots.style import figure
from sim.report.figures_caterpillars import narrow
from sim.report.names import GAME_NAMES
from sim.report.params import Params
from sim.report.tables import Tables


def _rows(tables: Tables) -> pl.DataFrame:
    return tables["verification"].select(
        pl.col("game").replace(GAME_NAMES).alias("group"), pl.col("topic").alias("label"), "deviation", "passed"
    )


def verification(tables: Tables, params: Params, width: float) -> Figure:
    """How far every comparison is off, against the limit for all of them."""
    rows, slim = _rows(tables), narrow(width)
    row = 46 if slim else 32
    fig = figure(width, row * rows_height(rows) + 92)
    plots.draw_deviations(
        rows,
        fig.subplots(),
        limit=float(tables["verification_run"]["deviation"][0]),
        pixels=width - (170 if slim else 190),
        row=row,
        xlabel="standard deviations off" if slim else "difference from the exact value, in standard deviations",
        limit_label="limit" if slim else "limit for all together",
    )
    return fig


def verification_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    limit = float(tables["verification_run"]["deviation"][0])
    return plots.alt_deviations(_rows(tables), limit, "comparisons of simulated with exact results")
