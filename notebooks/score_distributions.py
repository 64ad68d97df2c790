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
# exact shares of the games played.

# %% tags=["parameters"]
data = "../data"
sweep = "levels"
policy = "child"
labels = [1, 6, 3, 4, 2, 5, 1, 2, 1, 6, 5, 3]
exact_policy = "greedy"
games = 200000
seed = 7

# %%
import polars as pl
from _data import source
from _show import partial, show, table
from IPython.display import Markdown

import sim
from sim import analysis, plots, stats

at = source(sweep, data)
Markdown(at.told)

# %%
counts, scenarios = sim.load(sweep, data=at.data), sim.scenarios(sweep, data=at.data)
distribution = analysis.score_distribution(counts, scenarios).filter(pl.col("policy") == policy)
summary = analysis.score_summary(counts, scenarios).filter(pl.col("policy") == policy)

# %% [markdown]
# **Claim to test.** Higher levels score more, and spread more.

# %%
rising = (summary["mean_low"] > summary["mean_high"].shift(1)).drop_nulls().all()
wider = (summary["sd_low"] > summary["sd_high"].shift(1)).drop_nulls().all()
Markdown(
    f"As `{policy}` plays: mean "
    + ", ".join(
        f"{r['mean']:.2f} ({r['mean_low']:.2f} to {r['mean_high']:.2f}) at {r['level']} with a standard deviation of "
        f"{r['sd']:.2f}"
        for r in summary.iter_rows(named=True)
    )
    + f"; at least {summary['n'].min():,} games each. "
    + f"Means rise with every level, beyond their intervals: **{rising}**; spreads too: **{wider}**."
)

# %%
parts = {level: distribution.filter(pl.col("level") == level) for level in summary["level"]}
first, last = summary.row(0, named=True), summary.row(-1, named=True)
show(
    {level: partial(plots.draw_scores, part, until=distribution["score"].max() + 1) for level, part in parts.items()},
    "levels",
    title=f"From {first['level']} to {last['level']} the mean rises from {first['mean']:.1f} to {last['mean']:.1f}",
    note=f"End totals in points, one player, {policy}; each dot 1 game in 20, bars: exact shares; "
    f"{summary['n'].min():,} games or more at each level",
    alt=plots.alt_scores(parts[last["level"]], f"end totals at {last['level']}, as {policy} plays"),
    height=115,
)

# %% [markdown]
# ## Par
#
# Percentiles of one's own score, and the best of several games one may expect, each with its interval.

# %%
par = analysis.par_table(counts, scenarios).filter(pl.col("policy") == policy)
told = par.with_columns(
    told=pl.format("{} ({} to {})", pl.col("value").round(1), pl.col("low").round(1), pl.col("high").round(1))
)
table(told.pivot("level", index="measure", values="told"))

# %% [markdown]
# ## The exact distribution under the simulated bars
#
# On a sheet without blanks at beginner, what a policy makes of it can be computed: every position it gets into with
# its probability, no sampling. The simulation plays the same sheet.
#
# **Claim to test.** The games agree with the exact distribution.

# %%
rules = {"level": "beginner", "sheet": labels}
solved = sim.solve("caterpillars", rules=rules, labels=labels, policies=[exact_policy])
played = sim.summarise("caterpillars", rules=rules, policies=[exact_policy], games=games, seed=seed, by=["score"])
beside = analysis.exact_shares(played, solved.pmf)
agreement = stats.distribution_agreement(played["score"], played["count"], stats.Exact.of(solved.pmf))
mean = stats.mean(played["score"], played["count"])
Markdown(
    f"Exact mean {solved.value:.4f} points, counted {mean.value:.4f} ({mean.low:.4f} to {mean.high:.4f}, "
    f"{mean.n:,} games). A faultless simulation is at least as far from the exact distribution in "
    f"{100 * agreement.p:.0f} in 100 runs. Agrees, at an error rate of one run in a thousand: "
    f"**{agreement.p > 0.001}**."
)

# %%
show(
    partial(plots.draw_exact, beside),
    "exact",
    title=f"The exact distribution lies on the bars; its mean is {solved.value:.2f} points",
    note=f"Beginner, one labelled sheet, {exact_policy}; bars with intervals: {games:,} games, points: exact chances",
    alt=plots.alt_exact(beside, f"{exact_policy} on one sheet at beginner"),
    height=260,
)
