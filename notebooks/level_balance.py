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
# # Does each level step up?
#
# **Question.** From beginner to expert, does every level bring more: points, spread, a reward for choosing well?
#
# The thresholds were written into `params.yaml` before the games were played. A step is judged with the eyes of
# two players, because a level can be a step for one and not for the other.

# %% tags=["parameters"]
data = "../data"
sweep = "levels"
thresholds = {"score": 2.0, "spread": 0.5, "choice": 0.5, "chance": 0.6}
views = {"child": "child", "best": "best"}

# %%
import polars as pl
from _show import show, table
from IPython.display import Markdown

import sim
from sim import analysis, plots
from sim.plots.style import figure

# %%
counts, scenarios = sim.load(sweep, data=data), sim.scenarios(sweep, data=data)
balance = analysis.level_balance(counts, scenarios, thresholds, views)
table(balance.select("view", "lower", "higher", "measure", "value", "low", "high", "n", "verdict"))

# %% [markdown]
# **Claim to test.** Both players see every step alike.

# %%
verdicts = balance.pivot("view", index=["lower", "higher", "measure"], values="verdict")
first, second = views
apart = verdicts.filter(pl.col(first) != pl.col(second))
Markdown(
    f"Verdicts differ in {apart.height} of {verdicts.height} cases"
    + (
        "."
        if apart.is_empty()
        else ": "
        + "; ".join(f"{r['measure']} from {r['lower']} to {r['higher']}" for r in apart.iter_rows(named=True))
        + "."
    )
)

# %%
steps = balance.filter(pl.col("measure") == "score").with_columns(
    label=pl.format("{} to {}", "lower", "higher"), series="view"
)
with plots.house_style():
    fig = figure(760, 260)
    ax = plots.draw_forest(
        steps, fig.subplots(), threshold=thresholds["score"], xlabel="rise of the mean score, points"
    )
    ax.legend(loc="upper right")
show(fig, "steps", plots.alt_forest(steps, "the rise of the mean score from level to level", "points"))
