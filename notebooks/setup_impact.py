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
# **Question.** With the variation, a player writes one die and the sum of the other two on the labels instead of three
# dice. Does that help, and how much does one game change?
#
# Both set-ups are played on the same dice, so every difference is between two games that differ in nothing else.

# %% tags=["parameters"]
data = "../data"
sweep = "setup"
smallest = 0.1
sheets = 120
seed = 7

# %%
import polars as pl
from _data import source
from _show import partial, progress, show, table
from IPython.display import Markdown

import sim
from sim import analysis, plots

at = source(sweep, data)
Markdown(at.told)

# %% [markdown]
# ## How often can a label be hit?
#
# Counted over all rolls of a level: exact, no sampling. Labels above six come from the variation alone.
#
# **Claim to test.** A label above six is hit less often than any label up to six.

# %%
chances = analysis.label_chances()
low, high = chances.filter(pl.col("label") <= 6), chances.filter(pl.col("label") > 6)
ends = (
    low.group_by("level", maintain_order=True)
    .agg(least=pl.col("chance").min())
    .join(high.group_by("level").agg(most=pl.col("chance").max()), on="level", maintain_order="left")
)
Markdown(
    "Chance in 100 rolls, exact: "
    + "; ".join(
        f"{r['level']}: the rarest label up to six {100 * r['least']:.0f}, the best above six {100 * r['most']:.0f}"
        for r in ends.iter_rows(named=True)
    )
    + ". Less often at every level: **"
    + str((ends["most"] < ends["least"]).all())
    + "**."
)

# %%
alike = (
    chances.group_by("level", maintain_order=True).agg("chance").group_by("chance", maintain_order=True).agg("level")
)
names = {level: ", ".join(same) for same in alike["level"] for level in same}
curves = chances.filter(pl.col("level").is_in([same[0] for same in alike["level"]])).with_columns(
    level=pl.col("level").replace(names), value="chance", low="chance", high="chance"
)
show(
    partial(
        plots.draw_curve, curves, x="label", series="level", scale=100, xlabel="label", ylabel="rolls in 100 that hit"
    ),
    "chances",
    title=f"At expert a 6 is hit by {100 * chances.row(-7, named=True)['chance']:.0f} rolls in 100, "
    f"a 12 by {100 * chances.row(-1, named=True)['chance']:.0f}",
    note="Share of all equally likely rolls with an entry for the label, bonus boxes empty; exact",
    alt=plots.alt_curve(
        curves.filter(pl.col("level") == names["expert"]), "chance per roll to hit a label at expert, exact", x="label",
        xname="label", unit="in 100", scale=100,
    ),
)  # fmt: skip

# %% [markdown]
# ## Which labels are written?
#
# In the standard set-up everybody writes the dice as they fall. In the variation the choice of the single die is the
# player's; games are traced to see it.

# %%
_, scenarios = sim.load(sweep, data=at.data), sim.scenarios(sweep, data=at.data)
policies = scenarios["seat0"].unique(maintain_order=True).to_list()
traces = [
    sim.trace(
        "caterpillars", rules={"level": level, "setup": "variation"}, policies=policies, seed=seed, game_index=game
    )
    for level, game in progress([("expert", game) for game in range(sheets)], "set-ups")
]
written = analysis.written_chances(traces).sort("value", descending=True)
by_dice = low.filter(pl.col("level") == "expert")["chance"].mean()
Markdown(
    f"At expert a written label is hit by {100 * by_dice:.1f} rolls in 100 after the standard set-up (exact, whoever "
    "plays). After the variation: "
    + ", ".join(
        f"{100 * r['value']:.1f} ({100 * r['low']:.1f} to {100 * r['high']:.1f}) as {r['policy']} labels"
        for r in written.iter_rows(named=True)
    )
    + f"; {sheets} set-ups each."
)

# %%
shown = analysis.labels_written(traces).filter(pl.col("policy").is_in([written["policy"][0], written["policy"][-1]]))
show(
    partial(
        plots.draw_curve, shown, x="label", series="policy", xlabel="label", ylabel="blanks of a sheet that get it"
    ),
    "written",
    title=f"{written['policy'][0]} writes labels that {100 * written['value'][0]:.0f} rolls in 100 hit, "
    f"{written['policy'][-1]} such as {100 * written['value'][-1]:.0f} hit",
    note=f"Labels written on the six blanks in the variation at expert, mean with interval; {sheets} set-ups",
    alt=plots.alt_curve(shown, "labels written in the variation", x="label", xname="label", unit="a sheet", digits=2),
)

# %% [markdown]
# ## What it changes
#
# **Claim to test.** The variation moves the mean by more than the smallest difference that matters at the table.

# %%
differences = sim.load(sweep, table="differences", data=at.data)
changes = analysis.paired_changes(differences, scenarios, smallest=smallest)
zeros = analysis.paired_changes(differences, scenarios, of="zeros", smallest=smallest)
matters = (changes["verdict"] == "outside").sum()
Markdown(
    f"Mean differences run from {changes['value'].min():+.2f} to {changes['value'].max():+.2f} points; the smallest "
    f"that matters is {smallest} points. Surely more than that: **{matters} of {changes.height}** cases "
    f"({changes['n'].min():,} pairs of games each). In a single game the difference has a standard deviation of up to "
    f"{changes['sd'].max():.1f} points."
)

# %%
forests = {
    "end total, points": changes.with_columns(label=pl.col("policy"), group=pl.col("level")),
    "zeros in a game": zeros.with_columns(label=pl.col("policy"), group=pl.col("level")),
}
worst = changes.sort("value").row(0, named=True)
show(
    {
        what: partial(
            plots.draw_forest, rows, band=(-smallest, smallest), xlabel="variation minus standard", show_n=False
        )
        for what, rows in forests.items()
    },
    "setup",
    title=f"The variation changes the mean by {changes['value'].min():+.1f} to {changes['value'].max():+.1f} points, "
    f"least kindly for {worst['policy']} at {worst['level']}",
    note=f"Variation minus standard on the same dice, means with intervals; shaded: no practical difference; "
    f"{changes['n'].min():,} pairs of games each",
    alt=plots.alt_forest(forests["end total, points"], "variation minus standard set-up, mean score", "points"),
    rows=20,
    across=2,
)

# %% [markdown]
# ## Spread of the results

# %%
counts = sim.load(sweep, data=at.data)
spread = analysis.means_by(counts, scenarios, keys=("level", "setup", "policy"))
told = spread.with_columns(
    told=pl.format("{} ± {}", pl.col("sd").round(2), ((pl.col("sd_high") - pl.col("sd_low")) / 2).round(2))
)
table(told.pivot("setup", index=["level", "policy"], values="told").rename({"standard": "sd, standard"}))
