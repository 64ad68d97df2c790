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
# # When to hold the court cards
#
# **Question.** In Parlett's Caterpillar a court in hand is worth 100 at the end, and scores only now and then on
# the row. From when on should one keep them?
#
# The policy below holds its courts while more cards than a threshold are in the stock. The threshold runs from
# "never hold" to "always hold", against the same opponent on the same deals.

# %% tags=["parameters"]
data = "../data"
sweep = "parlett"
policy = "hoarder"
parameter = "threshold"

# %%
import polars as pl
from _show import show, table
from IPython.display import Markdown

import sim
from sim import analysis, plots
from sim.plots.style import figure

# %%
counts, scenarios = sim.load(sweep, data=data), sim.scenarios(sweep, data=data)
hold = analysis.hold_curve(counts, scenarios, policy, parameter)
table(hold.select(parameter, "opponent", "value", "low", "high", "score", "n"), digits=3)

# %% [markdown]
# **Claim to test.** There is a best threshold inside the range: neither never nor always.

# %%
best = hold.sort("value", descending=True).row(0, named=True)
ends = hold[parameter].min(), hold[parameter].max()
Markdown(
    f"The best threshold tried is {best[parameter]:g} cards, with {100 * best['value']:.1f} wins in 100 "
    f"({100 * best['low']:.1f} to {100 * best['high']:.1f}, {best['n']:,} games). "
    f"Inside the range: **{best[parameter] not in ends}**. "
    f"It is the best of {hold.height} that were tried, so its own figure is a little flattered."
)

# %%
with plots.house_style():
    fig = figure(760, 320)
    plots.draw_curve(
        hold,
        fig.subplots(),
        x=parameter,
        series="opponent",
        reference=0.5,
        scale=100,
        xlabel="courts are held while the stock has more cards than this",
        ylabel="wins in 100 games",
    )
show(
    fig,
    "hold",
    plots.alt_curve(hold, "wins by holding threshold", x=parameter, xname="threshold", unit="wins in 100", scale=100),
)

# %% [markdown]
# ## How often does a deal end with somebody stuck?

# %%
stuck = analysis.court_short(counts, scenarios).filter(
    (pl.col("variant") == "default") & pl.col("line_up").str.ends_with(" ×2")
)
table(stuck.select("line_up", "value", "low", "high", "n"), digits=3)
