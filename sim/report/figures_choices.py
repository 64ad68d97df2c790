"""The figures about choices: restricted play, shares of skill and luck, choices round by round."""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure

from sim import plots
from sim.plots.style import clip_alt, figure, number
from sim.report.figures_caterpillars import LEVEL_COLOURS, legend, narrow
from sim.report.names import GAME_NAMES, RESTRICTIONS, VIEWS
from sim.report.params import Params
from sim.report.tables import Tables


def restricted_rows(tables: Tables) -> pl.DataFrame:
    """What is never done at the levels that have bonus boxes, one box, face or split at a time, dearest first."""
    frame = tables["restricted"].filter(pl.col("restrict").str.count_matches("_") == 2)
    frame = frame.filter(pl.col("restrict").str.starts_with("no_") & pl.col("level").is_in(["advanced", "expert"]))
    frame = frame.with_columns(
        label=pl.col("restrict").replace_strict(RESTRICTIONS, default=pl.col("restrict")),
        group=pl.col("level"),
        series=pl.col("policy").replace(VIEWS),
    )
    size = pl.col("value").mean().over("group", "label")
    return frame.with_columns(size=size).sort("group", "size", descending=[True, False], maintain_order=True)


def restricted(tables: Tables, params: Params, width: float) -> Figure:
    """Forest plot of what a player loses without one box, face or kind of split."""
    rows, slim = restricted_rows(tables), narrow(width)
    kinds = rows.select("group", "label").unique().height
    fig = figure(width, (40 if slim else 28) * kinds + 150)
    ax = fig.subplots()
    least = params.smallest.score
    plots.draw_forest(rows, ax, band=(-least, least), xlabel="points of the end total", digits=1, stacked=slim)
    legend(fig, ax)
    return fig


def restricted_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    return plots.alt_forest(restricted_rows(tables), "what players lose without one box, face or split", "points", 1)


def skill_rows(tables: Tables) -> pl.DataFrame:
    """Pairs of policies with the three shares of the variance, in the order of games and levels."""
    first = pl.col("better").str.split(", ").list.first(), pl.col("other").str.split(", ").list.first()
    better = pl.when(pl.col("plays") == 2).then(first[0]).otherwise(pl.col("better"))
    other = pl.when(pl.col("plays") == 2).then(first[1]).otherwise(pl.col("other"))
    where = pl.when(pl.col("level") != "").then(pl.col("level")).otherwise(pl.col("game").replace(GAME_NAMES))
    return tables["skill"].with_columns(group=where, label=pl.format("{} over {}", better, other))


def skill(tables: Tables, params: Params, width: float) -> Figure:
    """Bars of the shares of skill, dice and what suits one more than the other."""
    rows, slim = skill_rows(tables), narrow(width)
    fig = figure(width, (36 if slim else 24) * rows.height + 34 * rows["group"].n_unique() + 90)
    ax = fig.subplots()
    plots.draw_shares(
        rows, ax, parts={"policy": "who plays", "interaction": "what suits whom", "dice": "dice or cards"},
        xlabel="share of the variance of a result, in 100", stacked=slim,
    )  # fmt: skip
    legend(fig, ax)
    return fig


def skill_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    rows = skill_rows(tables).sort("policy")
    low, high = rows.row(0, named=True), rows.row(-1, named=True)
    return clip_alt(
        f"Bars of the variance of results, {rows.height} pairs of policies: who plays makes up from "
        f"{number(100 * low['policy'], 1)} in 100 ({low['group']}, {low['label']}) to "
        f"{number(100 * high['policy'], 1)} ({high['group']}, {high['label']})."
    )


def choices(tables: Tables, params: Params, width: float) -> Figure:
    """Choices per round and rounds without a choice, by round, for a child's habit."""
    frame, slim = choice_rows(tables), narrow(width)
    fig = figure(width, 560 if slim else 320)
    left, right = fig.subplots(2 if slim else 1, 1 if slim else 2, squeeze=False).ravel()
    measures = (("options", left, 1.0, "legal choices, mean"), ("forced", right, 100.0, "games in 100"))
    for measure, ax, scale, label in measures:
        part = frame.filter(pl.col("measure") == measure)
        plots.draw_lines(
            part, ax, x="round", series="level", colours=LEVEL_COLOURS, scale=scale, log=measure == "options",
            xlabel="round", ylabel=label,
        )  # fmt: skip
        ax.set_xticks([1, 4, 8, 12])
    left.set_title("how many choices")
    right.set_title("no choice at all")
    handles, labels = left.get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper left", ncols=2 if slim else len(labels), columnspacing=1.2)
    return fig


def choice_rows(tables: Tables) -> pl.DataFrame:
    """Choices by round for the first player of the sample."""
    frame = tables["choices_by_round"]
    return frame.filter(pl.col("seat0") == frame["seat0"][0])


def choices_alt(tables: Tables, params: Params) -> str:
    """Alt text."""
    part = choice_rows(tables).filter(pl.col("measure") == "options")
    levels = part["level"].unique(maintain_order=True).to_list()
    first, last = (part.filter((pl.col("level") == levels[i]) & (pl.col("round") == 1))["value"][0] for i in (0, -1))
    return clip_alt(
        f"Curves of legal choices by round: in the first round {number(float(first), 1)} at {levels[0]} and "
        f"{number(float(last), 1)} at {levels[-1]}; and of the share of games without a choice."
    )
