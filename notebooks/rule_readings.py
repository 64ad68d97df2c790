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
# # Which doubtful readings matter?
#
# **Question.** The rulebooks leave things open and differ. Which of the open readings changes what a family scores, and
# which is a quarrel about nothing?
#
# One reading at a time is changed around the default, on the same dice, so every difference is between two games that
# differ in nothing else.

# %% tags=["parameters"]
data = "../data"
sweep = "readings"
policies = ["child", "planner"]
house = ["final", "setup"]
smallest = 0.1

# %%
import polars as pl
from _data import source
from _show import partial, show, table
from IPython.display import Markdown
from scipy.stats import norm

import sim
from sim import analysis, plots, stats

at = source(sweep, data)
Markdown(at.told)

# %%
differences, scenarios = sim.load(sweep, table="differences", data=at.data), sim.scenarios(sweep, data=at.data)
changes = analysis.paired_changes(differences, scenarios, smallest=smallest).filter(
    pl.col("policy").is_in(policies) & ~pl.col("factor").is_in(["", "sheet"])
)
rows = (
    changes.with_columns(label=pl.format("{} = {}, {}", "factor", "setting", "level"), series="policy")
    .with_columns(size=pl.col("value").abs().max().over("label"))
    .sort("size", descending=True, maintain_order=True)
)
readings, rules = rows.filter(~pl.col("factor").is_in(house)), rows.filter(pl.col("factor").is_in(house))

# %% [markdown]
# **Claim to test.** Most readings make no practical difference to anybody.

# %%
verdicts = readings.group_by("label", maintain_order=True).agg(
    inside=(pl.col("verdict") == "inside").all(), outside=(pl.col("verdict") == "outside").any()
)
nothing, something = verdicts["inside"].sum(), verdicts["outside"].sum()
Markdown(
    f"Of {verdicts.height} readings by level, {nothing} are surely within {smallest} points for every policy, "
    f"{something} are "
    f"surely more for one of them, {verdicts.height - nothing - something} are not yet known "
    f"({readings['n'].min():,} games each). Most make no difference: **{nothing > verdicts.height / 2}**."
)

# %%
felt = readings.filter(pl.col("size") > smallest / 2)
largest = readings.sort(pl.col("value").abs()).row(-1, named=True)
show(
    partial(plots.draw_forest, felt, band=(-smallest, smallest), xlabel="change of the mean score, points"),
    "readings",
    title=f"{largest['label']} matters most: {largest['value']:+.2f} points for {largest['policy']}",
    note="Reading minus default on the same dice, means with intervals; shaded: no practical difference; readings "
    "of less "
    f"than half the band are left out ({verdicts.height - felt['label'].n_unique()} of {verdicts.height})",
    alt=plots.alt_forest(felt, "rule readings against the default, same dice", "points"),
    rows=felt["label"].n_unique() + 2,
)

# %% [markdown]
# ## House rules

# %%
widest = rules.sort(pl.col("value").abs()).row(-1, named=True)
show(
    partial(plots.draw_forest, rules, band=(-smallest, smallest), xlabel="change of the mean score, points", digits=1),
    "house",
    title=f"House rules move the mean further, {widest['label']} by {widest['value']:+.0f} points",
    note=f"House rule minus default on the same dice, means with intervals; {rules['n'].min():,} games each",
    alt=plots.alt_forest(rules, "house rules against the default, same dice", "points", 1),
    rows=rules["label"].n_unique() + 2,
)

# %% [markdown]
# ## Many comparisons at once
#
# With so many readings some interval misses by chance. Holm's method keeps the chance of any false "it changes
# something" at one in twenty over the whole family.

# %%
told = readings.filter(pl.col("sd") > 0).with_columns(z=pl.col("value") / pl.col("sd") * pl.col("n").sqrt())
sure = stats.holm(2 * norm.sf(told["z"].abs().to_numpy()))
table(
    told.with_columns(p_holm=pl.Series(sure, dtype=pl.Float64))
    .filter(pl.col("p_holm") <= 0.05)
    .select(
        pl.col("label").alias(f"reading ({told['n'].min():,} games or more)"),
        "policy",
        pl.format("{} ({} to {})", *(pl.col(c).round(2) for c in ("value", "low", "high"))).alias("points"),
        pl.when(pl.col("p_holm") < 0.001)
        .then(pl.lit("< 0.001"))
        .otherwise(pl.col("p_holm").round(3).cast(pl.String))
        .alias("p, Holm"),
    ),
    digits=3,
)
