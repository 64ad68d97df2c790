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
# # A tour in five calls
#
# What the laboratory gives you: games as rows, games as exact counts, one game move by move, and the same dice
# under two rules.

# %% tags=["parameters"]
games = 100000
seed = 7
workers = 2

# %%
import polars as pl
from _show import partial, show, table
from IPython.display import Markdown

import sim
from sim import plots, stats
from sim.games import get

# %% [markdown]
# ## Rows: one per seat and game
#
# **Question.** How do two programs do at expert level, on the same dice?

# %%
frame = sim.simulate(
    "caterpillars", rules={"level": "expert"}, policies=["planner", "child"], games=games, seed=seed, workers=workers
)
table(frame.select("game", "seat", "score", "zeros", "flying", "win").head(4))  # some of its columns

# %%
table(
    frame.group_by("seat", maintain_order=True).agg(
        mean=pl.col("score").mean(), spread=pl.col("score").std(), wins=pl.col("win").mean(), games=pl.len()
    )
)

# %% [markdown]
# ## Counts: exact, and as small as the number of different results
#
# **Claim to test.** Counting gives the same mean as the rows, to the last digit.

# %%
counts = sim.summarise(
    "caterpillars",
    rules={"level": "expert"},
    policies=["planner", "child"],
    games=games,
    seed=seed,
    workers=workers,
    by=["score"],
)
from_counts = counts.filter(pl.col("seat") == 0).select((pl.col("score") * pl.col("count")).sum()).item()
from_rows = frame.filter(pl.col("seat") == 0)["score"].cast(pl.Int64).sum()
Markdown(
    f"Points of seat 0 in all games: {from_rows:,} from {frame.height:,} rows, {from_counts:,} from {counts.height} "
    f"counts. Equal: **{from_rows == from_counts}**."
)

# %%
shares = counts.filter(pl.col("seat") == 0).select("score", "count", value=pl.col("count") / games, n=pl.lit(games))
mean = stats.mean(shares["score"], shares["count"])
show(
    partial(plots.draw_scores, shares, until=shares["score"].max() + 1),
    "scores",
    title=f"The planner's mean is {mean.value:.2f} points ({mean.low:.2f} to {mean.high:.2f})",
    note=f"End totals of seat 0 at expert in points; each dot 1 game in 20, bars: exact shares; {games:,} games",
    alt=plots.alt_scores(shares, "end totals of the planner at expert level"),
    height=130,
)

# %% [markdown]
# ## One game, move by move
#
# The very game that one row reports, in words that can be checked by hand.

# %%
shortest = (
    sim.simulate("karolinchen", policies=["match", "longest"], games=1000, seed=seed)
    .sort("turns", "game")
    .row(0, named=True)
)
trace = sim.trace("karolinchen", policies=["match", "longest"], seed=seed, game_index=shortest["game"])
print(f"The shortest of 1,000 games is number {shortest['game']}: {len(trace['turns'])} turns. It begins:\n")
print("\n".join(get("karolinchen").tell(trace).splitlines()[:14]))

# %% [markdown]
# ## The same dice under two rules
#
# With one seed the dice of a game are the same in every variant. A difference between variants is then taken game
# by game, and far fewer games are enough.

# %%
_, differences = sim.summarise(
    "caterpillars",
    rules={"level": "expert"},
    policies=["planner"],
    games=games,
    seed=seed,
    workers=workers,
    pairs=[{"of": "score", "against": {"rules": {"level": "expert", "zero_rule": "split"}}}],
)
paired = differences.select(d=pl.col("difference").repeat_by("count").explode())["d"]
Markdown(
    f"Forced zeros instead of split zeros change the mean score by {paired.mean():+.3f} points "
    f"(± {1.96 * paired.std() / len(paired) ** 0.5:.3f}, {len(paired):,} pairs of games)."
)
