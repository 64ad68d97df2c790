"""The figure about decided games: how far chances are spread while a game goes on, with three real games."""

from __future__ import annotations

from matplotlib.figure import Figure

from sim import plots
from sim.plots.style import figure
from sim.report.figures_caterpillars import narrow
from sim.report.params import Params
from sim.report.tables import Tables

#: what the three games are called, on a wide figure and on a narrow one
NAMES = {
    "early": ("decided early", "early"),
    "typical": ("typical", "typical"),
    "last": ("in the last turn", "last turn"),
}


def ribbon(tables: Tables, params: Params, width: float) -> Figure:
    """Chances of the player who begins: bands over all games, and three games with the roll that decided each."""
    slim = narrow(width)
    fig = figure(width, 340 if slim else 400)
    plots.draw_paths(
        tables["chance_bands"],
        tables["moment_paths"],
        tables["moments"],
        fig.subplots(),
        names={kind: both[slim] for kind, both in NAMES.items()},
        limits=(params.decided.open, 1 - params.decided.open),
        xlabel="turns played, in 100" if slim else "share of the game's turns that are played, in 100",
        ylabel="chance of the first, in 100" if slim else "chance of the player who begins, in 100",
    )
    return fig


def ribbon_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    return plots.alt_paths(tables["chance_bands"], tables["moments"], "the chance of winning of the one who begins")
