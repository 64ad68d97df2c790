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
from _data import source
from _show import partial, show, table
from IPython.display import Markdown

import sim
from sim import analysis, plots

at = source(sweep, data)
Markdown(at.told)

# %%
counts, scenarios = sim.load(sweep, data=at.data), sim.scenarios(sweep, data=at.data)
balance = analysis.level_balance(counts, scenarios, thresholds, views).with_columns(
    step=pl.format("{} to {}", "lower", "higher")
)
table(
    balance.select(
        "view",
        "step",
        "measure",
        "value",
        pl.format("{} to {}", pl.col("low").round(2), pl.col("high").round(2)).alias("95 %"),
        "verdict",
    )
)

# %% [markdown]
# **Claim to test.** Both players see every step alike.

# %%
verdicts = balance.pivot("view", index=["step", "measure"], values="verdict")
first, second = views
apart = verdicts.filter(pl.col(first) != pl.col(second))
Markdown(
    f"Verdicts differ in {apart.height} of {verdicts.height} cases ({balance['n'].min():,} games or more behind each)"
    + ("" if apart.is_empty() else ": ")
    + "; ".join(f"{r['measure']}, {r['step']}" for r in apart.iter_rows(named=True))
    + "."
)

# %%
units = {"score": "points of the mean", "spread": "points of standard deviation", "choice": "points gained by choosing"}
rise = balance.filter(pl.col("measure") == "score")
steps = {
    measure: balance.filter(pl.col("measure") == measure).with_columns(label="step", series="view") for measure in units
}
met = balance.filter((pl.col("verdict") == "inside") & pl.col("measure").is_in(list(units))).height
show(
    {
        f"rise of {measure}": partial(
            plots.draw_forest, part, threshold=thresholds[measure], xlabel=units[measure], show_n=False
        )
        for measure, part in steps.items()
    },
    "steps",
    title=f"The mean score rises by {rise['value'].min():.1f} to {rise['value'].max():.1f} points a level; "
    f"{met} of {sum(p.height for p in steps.values())} thresholds are reached",
    note=f"Rise from level to level with intervals, dashed: the smallest step worth having; {' and '.join(views)}, "
    f"{balance['n'].min():,} games or more each",
    alt=plots.alt_forest(steps["score"], "the rise of the mean score from level to level", "points"),
    rows=4,
)
