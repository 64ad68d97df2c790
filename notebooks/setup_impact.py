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
# # What does the set-up variation do?
#
# **Question.** With the variation, a player writes one die and a sum on the labels instead of three dice. Does
# that help, and how much does one game change?
#
# Both set-ups are played on the same dice, so every difference is between two games that differ in nothing else.

# %% tags=["parameters"]
data = "../data"
sweep = "setup"
smallest = 0.1

# %%
import polars as pl
from _show import show, table
from IPython.display import Markdown

import sim
from sim import analysis, plots
from sim.plots.style import figure

# %%
differences, scenarios = sim.load(sweep, table="differences", data=data), sim.scenarios(sweep, data=data)
changes = analysis.paired_changes(differences, scenarios, smallest=smallest)
table(changes.select("level", "policy", "value", "low", "high", "n", "sd", "better", "same", "worse", "verdict"))

# %% [markdown]
# **Claim to test.** The variation moves the mean by more than the smallest difference that matters at the table.

# %%
Markdown(
    f"Mean differences run from {changes['value'].min():+.2f} to {changes['value'].max():+.2f} points; the smallest "
    f"that matters is {smallest} points. In a single game the difference has a standard deviation of up to "
    f"{changes['sd'].max():.1f} points."
)

# %%
rows = changes.with_columns(label=pl.col("policy"), group=pl.col("level"))
with plots.house_style():
    fig = figure(760, 60 + 24 * (rows.height + rows["level"].n_unique()))
    plots.draw_forest(
        rows, fig.subplots(), band=(-smallest, smallest), xlabel="variation minus standard, points of mean score"
    )
show(fig, "setup", plots.alt_forest(rows, "variation minus standard set-up", "points"))
