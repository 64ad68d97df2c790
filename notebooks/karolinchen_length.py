# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # How long does Karolinchen take?
#
# **Question.** Is it over before bedtime? The box says 15 to 20 minutes.
#
# The simulator counts turns, not minutes. Minutes are turns times an assumption about the table, a parameter
# below; change it and run the notebook again.

# %% tags=["parameters"]
data = "../data"
sweep = "karolinchen"
policy = "match"
seconds_per_turn = 15
published_minutes = [15, 20]
bedtime = [15, 20, 30]
band = 0.02

# %%
import polars as pl
from _show import show, table
from IPython.display import Markdown

import sim
from sim import analysis, plots
from sim.analysis.frames import plain
from sim.plots.style import figure

# %%
counts, scenarios = sim.load(sweep, data=data), sim.scenarios(sweep, data=data)
headline = plain(scenarios, "karolinchen").filter(pl.col("line_up").str.starts_with(f"{policy} ×"))
length = analysis.game_length(counts, headline, seconds_per_turn)
table(length.select("seats", "measure", "value", "low", "high", "n", "minutes"), digits=1)

# %%
curves = analysis.survival_curves(counts, headline)
turns = tuple(60 * m / seconds_per_turn for m in published_minutes)
with plots.house_style():
    fig = figure(760, 360)
    plots.draw_survival(curves, fig.subplots(), shade=turns, shade_label="as published")
show(fig, "survival", plots.alt_survival(curves, f"Karolinchen with {policy} in every seat"))

# %% [markdown]
# ## Before bedtime
#
# **Claim to test.** With every number of players, nine games in ten are over within the longest of the times
# below.

# %%
over = analysis.bedtime(counts, headline, seconds_per_turn, bedtime)
latest = over.filter(pl.col("minutes") == max(bedtime))
Markdown(
    f"Within {max(bedtime)} minutes, at {seconds_per_turn} seconds a turn: "
    + ", ".join(
        f"{100 * r['value']:.0f} in 100 games of {r['seats']} players"
        for r in latest.sort("seats").iter_rows(named=True)
    )
    + f". Nine in ten everywhere: **{latest['low'].min() >= 0.9}**."
)

# %% [markdown]
# ## Does it matter where one sits?

# %%
seats = analysis.seat_shares(counts, headline, band)
rows = seats.with_columns(
    value=pl.col("value") - pl.col("fair"),
    low=pl.col("low") - pl.col("fair"),
    high=pl.col("high") - pl.col("fair"),
    label=pl.format("seat {}", "seat"),
    group=pl.format("{} players", "seats"),
)
with plots.house_style():
    fig = figure(760, 60 + 24 * rows.height)
    plots.draw_forest(
        rows, fig.subplots(), band=(-band, band), xlabel="share of the wins minus the fair share", digits=3
    )
show(fig, "seats", plots.alt_forest(rows, "shares of the wins by seat minus the fair share", "of the wins", 3))
