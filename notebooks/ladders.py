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
# # Who is stronger, and by how much?
#
# **Question.** Which programs are surely stronger than which, how many such steps are there from the weakest to the
# strongest, and does one number per program tell who beats whom?
#
# The ladders are kept in `data/ladders/`: each rung is surely stronger than the one below it, measured again on fresh
# games that had no say in the choice. The tournament below is played here.

# %% tags=["parameters"]
data = "../data"
game = "karolinchen"
policies = ["random", "longest", "shortest", "match", "odds", "racer"]
games = 20000
seed = 3
workers = 2

# %%
import polars as pl
from _show import partial, show, table
from IPython.display import Markdown

import sim
from sim import plots

# %%
ladders = {name: sim.load(f"{data}/ladders/{name}.parquet") for name in sim.games()}

# %% [markdown]
# **Claim to test.** Every rung of every ladder beats the one below it in more than half of the games, and the interval
# says so.

# %%
climbed = {name: ladder.filter(pl.col("games") > 0) for name, ladder in ladders.items()}
steps = pl.concat([part.with_columns(game=pl.lit(name)) for name, part in climbed.items()], how="diagonal_relaxed")
Markdown(
    "; ".join(
        f"{name}: {ladders[name].height} rungs from `{ladders[name]['policy'][0]}` to "
        f"`{ladders[name]['policy'][-1]}`, which "
        f"wins {100 * part['floor'][-1]:.0f} in 100 against the lowest ({100 * part['floor_low'][-1]:.1f} to "
        f"{100 * part['floor_high'][-1]:.1f}, {part['games'][-1]:,} games)"
        for name, part in climbed.items()
    )
    + f". Every rung above the one below: **{(steps['rate_low'] > 0.5).all()}** "
    f"({steps['games'].min():,} to {steps['games'].max():,} games a pair)."
)

# %%
rows = {
    name: part.reverse().with_columns(
        label=pl.format("{} {}", "rung", pl.col("policy").str.replace_all("placement=", "")),
        value=pl.col("rate") * 100, low=pl.col("rate_low") * 100, high=pl.col("rate_high") * 100, n="games",
    )
    for name, part in climbed.items()
}  # fmt: skip
closest = steps.sort("rate").row(0, named=True)
show(
    {
        name: partial(plots.draw_forest, part, reference=50, xlabel="wins against the rung below, in 100", digits=1)
        for name, part in rows.items()
    },
    "rungs",
    title=f"Every rung wins at least {100 * closest['rate']:.1f} in 100 against the one below it",
    note="Wins against the next lower rung, a draw counts half, with intervals that hold for all rungs of a ladder "
    "together",
    alt=plots.alt_forest(
        pl.concat(
            [part.select("label", "value", group=pl.lit(name)) for name, part in rows.items()], how="vertical_relaxed"
        ),
        "wins of each rung against the one below", "in 100", 1,
    ),
    rows=11,
)  # fmt: skip

# %% [markdown]
# ## A tournament: everybody against everybody
#
# Both seatings on the same dice or cards.

# %%
played = sim.tournament(game, policies=policies, games=games, seed=seed, workers=workers)
strengths = played.strengths
table(
    strengths.select(
        "policy",
        pl.format("{} ({} to {})", *((pl.col(c) * 100).round(1) for c in ("rate", "rate_low", "rate_high"))).alias(
            "wins against the field, in 100"
        ),
        pl.format("{} ({} to {})", *(pl.col(c).round(2) for c in ("strength", "strength_low", "strength_high"))).alias(
            "strength"
        ),
    )
)

# %% [markdown]
# **Claim to test.** Nobody goes round in circles: there are no three of which each beats the next.

# %%
Markdown(
    f"In {games:,} games with each seating: circles of three, at a common error rate of one in twenty: "
    f"{', '.join(' → '.join(three) for three in played.cycles) or 'there are none'}. No circles: "
    f"**{not played.cycles}**. "
    f"{played.verdict()[0].upper()}{played.verdict()[1:]}."
)

# %%
pairs = played.pairs
both = pl.concat(
    [
        pairs.select(policy="first", opponent="second", value="rate"),
        pairs.select(policy="second", opponent="first", value=1 - pl.col("rate")),
    ]
)
half = (pairs["rate_high"] - pairs["rate_low"]).max() / 2
top = strengths.row(0, named=True)
show(
    partial(plots.draw_heat, both, order=strengths["policy"].to_list()),
    "tournament",
    title=f"{top['policy']} wins {100 * top['rate']:.0f} in 100 against the field",
    note=f"{game}, wins of the row against the column, in 100; strongest first; intervals ± {100 * half:.1f} at most, "
    f"{games:,} games with each seating",
    alt=plots.alt_heat(both, f"a tournament of {game}"),
    height=300,
)
