"""The figures about Karolinchen and Parlett's Caterpillar."""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure

from sim import plots
from sim.plots.style import figure
from sim.report.figures_caterpillars import legend, narrow
from sim.report.names import HOUSE_RULES
from sim.report.params import Params
from sim.report.rows import card_rule_rows, house_rows, leader_rows, seat_rows, strength_rows
from sim.report.tables import Tables


def survival(tables: Tables, params: Params, width: float) -> Figure:
    """Share of Karolinchen games still going, by number of players."""
    frame = tables["survival"]
    table = params.karolinchen
    turns = [60 * m / table.seconds_per_turn for m in table.published_minutes]
    fig = figure(width, 330 if narrow(width) else 380)
    low, high = table.published_minutes
    plots.draw_survival(
        frame,
        fig.subplots(),
        name=lambda k: f"{k} players" if k == frame["seats"][0] and not narrow(width) else str(k),
        shade=(turns[0], turns[1]),
        shade_label=f"{low:g} to {high:g} minutes" if narrow(width) else f"published: {low:g} to {high:g} minutes",
        xlabel=f"turns (of {table.seconds_per_turn:g} seconds)",
        cap=float(frame["max_turns"][0]),
    )
    return fig


def survival_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    return plots.alt_survival(tables["survival"].rename({"seats": "players"}), "Karolinchen", series="players")


def seats(tables: Tables, params: Params, width: float) -> Figure:
    """Forest plot of seats against the fair share."""
    rows = seat_rows(tables, params)
    slim = narrow(width)
    fig = figure(width, 23 * rows.height + 40 * rows["group"].n_unique() + 60)
    band = 100 * params.seats.band
    label = (
        "share of wins minus fair share, points"
        if slim
        else "share of the wins minus the fair share, points of win rate"
    )
    plots.draw_forest(rows, fig.subplots(), band=(-band, band), xlabel=label, digits=1)
    return fig


def seats_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    return plots.alt_forest(seat_rows(tables, params), "shares of the wins minus the fair share, by seat", "points", 1)


def house(tables: Tables, params: Params, width: float) -> Figure:
    """Forest plot of other rules of Karolinchen: fewest, a middling number, and most players."""
    rows = house_readings(tables, params)
    fig = figure(width, 25 * rows.height + 40 * rows["group"].n_unique() + 60)
    least = params.smallest.turns
    plots.draw_forest(rows, fig.subplots(), band=(-least, least), xlabel="change of the mean length, turns", digits=1)
    return fig


def house_readings(tables: Tables, params: Params) -> pl.DataFrame:
    """Readings of the rules only; three numbers of players stand for all."""
    rows = house_rows(tables, params).filter(pl.col("factor").is_in(list(HOUSE_RULES)))
    played = sorted(rows["seats"].unique())
    return rows.filter(pl.col("seats").is_in([played[0], played[len(played) // 2], played[-1]]))


def house_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    rows = house_readings(tables, params)
    return plots.alt_forest(rows, "other readings of Karolinchen, change of the mean length", "turns", 1)


def hold(tables: Tables, params: Params, width: float) -> Figure:
    """Win rate and mean score against the threshold of holding courts."""
    frame = tables["hold"]
    slim = narrow(width)
    several = frame["opponent"].n_unique() > 1
    fig = figure(width, 520 if slim else 300)
    left, right = fig.subplots(2 if slim else 1, 1 if slim else 2, squeeze=False).ravel()
    series = "opponent" if several else None
    plots.draw_curve(
        frame, left, x="threshold", series=series, reference=0.5, scale=100, band=_band(params),
        ylabel="wins in 100", xlabel="" if slim else "courts are held while the stock has more cards than this",
    )  # fmt: skip
    plots.draw_curve(
        frame, right, x="threshold", series=series, value="score", low="score_low", high="score_high",
        ylabel="mean score, points", xlabel="courts are held while the stock has more cards than this",
    )  # fmt: skip
    left.set_title("how often it wins")
    right.set_title("what it scores")
    for ax in (left, right):
        ax.xaxis.label.set_fontsize(10)
        if several:
            ax.margins(x=0.18)
    return fig


def _band(params: Params) -> tuple[float, float]:
    return 0.5 - params.smallest.win, 0.5 + params.smallest.win


def hold_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    frame = tables["hold"]
    return plots.alt_curve(
        frame, "wins against the number of stock cards down to which courts are held", x="threshold", xname="threshold",
        unit="wins in 100", scale=100,
    )  # fmt: skip


def leader(tables: Tables, params: Params, width: float) -> Figure:
    """Forest plot of the leader's share."""
    rows = leader_rows(tables, params)
    fig = figure(width, 34 * rows.height + 80)
    band = 100 * params.seats.band
    ax = fig.subplots()
    plots.draw_forest(
        rows,
        ax,
        band=(50 - band, 50 + band),
        reference=50,
        xlabel="wins of the player who leads, in 100 (a draw counts half)",
        digits=1,
    )
    if narrow(width):
        ax.set_xlabel("wins of the leader in 100")
    return fig


def leader_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    return plots.alt_forest(leader_rows(tables, params), "the leader's wins when both play alike", "wins in 100", 1)


def strength(tables: Tables, params: Params, width: float) -> Figure:
    """Forest plot of every policy against the headline policy, over both seats."""
    rows = strength_rows(tables, params)
    fig = figure(width, 34 * rows.height + 80)
    plots.draw_forest(
        rows, fig.subplots(), reference=50, xlabel=f"wins against {params.parlett.policy}, in 100", digits=1
    )
    return fig


def strength_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    what = f"wins of each policy against {params.parlett.policy}, both seats"
    return plots.alt_forest(strength_rows(tables, params), what, "wins in 100", 1)


def leaders(fig: Figure, rows: pl.DataFrame, params: Params, xlabel: str, slim: bool) -> Figure:
    """A forest of the leader's share with several series, against the band around one half."""
    band = 100 * params.seats.band
    ax = fig.subplots()
    plots.draw_forest(
        rows,
        ax,
        band=(50 - band, 50 + band),
        reference=50,
        xlabel=xlabel,
        digits=1,
        stacked=slim,
    )
    legend(fig, ax)
    return fig


def card_rules(tables: Tables, params: Params, width: float) -> Figure:
    """Forest plot of the leader's share under other rules."""
    rows, slim = card_rule_rows(tables, params), narrow(width)
    fig = figure(width, (38 if slim else 29) * rows["label"].n_unique() + 90)
    return leaders(fig, rows, params, "wins of the player who leads, in 100", slim)


def card_rules_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    return plots.alt_forest(card_rule_rows(tables, params), "the leader's wins under other rules", "wins in 100", 1)
