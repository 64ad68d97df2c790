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
# # What will I score?
#
# **Question.** What is a poor, a usual and a good score at each level of Caterpillars, and how wide is it?
#
# A mean alone does not answer this. Below, each dot stands for one game in twenty, and the bars under them are
# exact shares.

# %% tags=["parameters"]
data = "../data"
sweep = "levels"
policy = "child"

# %%
import polars as pl
from _show import show, table
from IPython.display import Markdown

import sim
from sim import analysis, plots
from sim.plots.style import figure

# %%
counts, scenarios = sim.load(sweep, data=data), sim.scenarios(sweep, data=data)
distribution = analysis.score_distribution(counts, scenarios)
summary = analysis.score_summary(counts, scenarios)
levels = list(dict.fromkeys(summary["level"]))

# %% [markdown]
# **Claim to test.** Higher levels score more, and spread more.

# %%
own = summary.filter(pl.col("policy") == policy)
Markdown(
    f"As a {policy} plays: mean "
    + ", ".join(f"{r['mean']:.2f} ({r['level']}, spread {r['sd']:.2f})" for r in own.iter_rows(named=True))
    + f"; at least {own['n'].min():,} games each. "
    + f"Means rise with every level: **{own['mean'].is_sorted()}**; spreads too: **{own['sd'].is_sorted()}**."
)

# %%
with plots.house_style():
    fig = figure(760, 110 * len(levels) + 40)
    for ax, level in zip(fig.subplots(len(levels), sharex=True, squeeze=False)[:, 0], levels, strict=True):
        part = distribution.filter((pl.col("policy") == policy) & (pl.col("level") == level))
        plots.draw_scores(part, ax).set_title(level)
        ax.set_xlim(0, distribution.filter(pl.col("policy") == policy)["score"].max() + 1)
show(fig, "levels", plots.alt_scores(part, f"end totals at {level}, as a {policy} plays"))

# %% [markdown]
# ## Par
#
# Percentiles of one's own score, and the best of several games one may expect, each with its interval.

# %%
par = analysis.par_table(counts, scenarios).filter(pl.col("policy") == policy)
told = par.with_columns(
    told=pl.format("{} ({} to {})", pl.col("value").round(1), pl.col("low").round(1), pl.col("high").round(1))
)
table(told.pivot("measure", index=["level", "n"], values="told"))
