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
# # What does perfect play do, and where do programs lose points?
#
# **Question.** On one labelled sheet at beginner everything can be computed: what is the best that can be reached,
# which rolls leave a real choice, and in which round does a program throw points away?
#
# Nothing here is sampled. Every number is exact up to rounding.

# %% tags=["parameters"]
labels = [1, 6, 3, 4, 2, 5, 1, 2, 1]
boxes = 3
policies = ["random", "child", "greedy", "planner", "weighted"]
careless = 0.1

# %%
import numpy as np
import polars as pl
from _show import partial, progress, show, table
from IPython.display import Markdown

import sim
from sim import plots

# %%
rules = {"level": "beginner", "boxes": boxes, "sheet": labels}
best = sim.solve("caterpillars", rules=rules, labels=labels)
solved = {
    policy: sim.solve("caterpillars", rules=rules, labels=labels, policies=[policy])
    for policy in progress(policies, "policies")
}
losses = pl.concat([found.regret.with_columns(policy=pl.lit(policy)) for policy, found in solved.items()])

# %% [markdown]
# **Claim to test.** What a program loses, decision by decision, adds up to its distance from perfect play.

# %%
gaps = {policy: best.value - found.value for policy, found in solved.items()}
sums = dict(losses.group_by("policy", maintain_order=True).agg(pl.col("points").sum()).iter_rows())
equal = all(abs(gaps[policy] - sums[policy]) < 1e-6 for policy in policies)
Markdown(
    f"Perfect play of this sheet ({len(labels)} boxes) is worth {best.value:.3f} points. Programs lose "
    + ", ".join(f"{gaps[policy]:.3f} ({policy})" for policy in policies)
    + f"; exact, error below {max(best.error_bound, 1e-9):.0e}. The losses add up: **{equal}**."
)

# %%
chances = pl.DataFrame({"policy": ["perfect", *policies]}).with_columns(
    mean=pl.Series([best.value, *(found.value for found in solved.values())]),
    sd=pl.Series([
        float(np.sqrt(np.arange(len(p)) ** 2 @ p - (np.arange(len(p)) @ p) ** 2))
        for p in (best.pmf, *(found.pmf for found in solved.values()))
    ]),
)  # fmt: skip
table(chances.rename({"mean": "expected end total", "sd": "standard deviation"}), digits=3)

# %% [markdown]
# ## The map of losses
#
# How many points each kind of decision costs, round by round: which numbers are label and score (`split`), which of the
# boxes with that label (`box`), which box gets a zero (`zero`).

# %%
shown = [policy for policy in ("child", "greedy", "planner") if policy in policies]
most = losses.filter(pl.col("policy").is_in(shown))["points"].max()
worst = losses.filter(pl.col("policy").is_in(shown)).sort("points").row(-1, named=True)
show(
    {
        f"{policy}: {gaps[policy]:.2f} points in all": partial(
            plots.draw_grid, losses.filter(pl.col("policy") == policy), row="kind", column="round", value="points",
            most=most, xlabel="round",
        )
        for policy in shown
    },
    "losses",
    title=f"The dearest habit is the {worst['kind']} decision of {worst['policy']} in round {worst['round']}: "
    f"{worst['points']:.2f} points",
    note="Expected loss against perfect play by round and kind of decision, in points; exact",
    alt=plots.alt_grid(
        losses.filter(pl.col("policy") == worst["policy"]), f"points that {worst['policy']} loses", row="kind",
        column="round", value="points", unit="points",
    ),
    height=130,
)  # fmt: skip

# %% [markdown]
# ## Which first rolls leave a real choice?
#
# For each first roll: how much a choice at random among all legal outcomes loses against the best one.
#
# **Claim to test.** Every first roll leaves a choice that matters.

# %%
empty = {"filled": [False] * len(labels), "totals": [0, 0, 0]}
rolls = pl.DataFrame([
    {"die": a, "other": b, "options": len(ranked), "value": ranked[0][1] - float(np.mean([v for _, v in ranked]))}
    for a in range(1, 7)
    for b in range(1, 7)
    for ranked in [best.best(**empty, dice=[a, b])]
])  # fmt: skip
dear, cheap = rolls.sort("value").row(-1, named=True), rolls.sort("value").row(0, named=True)
Markdown(
    f"A first choice at random loses {rolls['value'].mean():.2f} points on average over all rolls, most with "
    f"{dear['die']} and {dear['other']} ({dear['value']:.2f} points), least with {cheap['die']} and {cheap['other']} "
    f"({cheap['value']:.2f}); exact. More than {careless} points with every roll: "
    f"**{(rolls['value'] > careless).all()}**."
)

# %%
show(
    partial(plots.draw_grid, rolls, row="other", column="die", xlabel="one die", ylabel="the other"),
    "rolls",
    title=f"A first choice at random loses {cheap['value']:.2f} to {dear['value']:.2f} points",
    note="Expected loss of a uniformly random outcome in the first round against the best one, in points; exact",
    alt=plots.alt_grid(rolls, "loss of a random first choice by roll", row="other", column="die", unit="points"),
    height=250,
)
