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
# # How many games are enough, and what do they cost?
#
# **Question.** How wide is an interval after so many games, what does it save to play both sides on the same dice,
# or to take the luck out, and how long does it all take?

# %% tags=["parameters"]
data = "../data"
sweep = "readings"
policy = "planner"
level = "expert"
half_width = 0.05
games = 1000
seed = 5
workers = 2
costs = "../benchmarks/costs.csv"

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
differences = sim.load(sweep, table="differences", data=at.data)
pairs = analysis.pairing(counts, differences, scenarios, half_width).filter(
    (pl.col("policy") == policy) & (pl.col("level") == level) & pl.col("saved").is_finite()
)

# %% [markdown]
# **Claim to test.** The same dice save at least half of the games, whichever rule is compared.

# %%
Markdown(
    f"For a difference of two rules at {level}, as {policy} plays, known to ± {half_width} points: on the same dice "
    f"{pairs['games'].min():,} to {pairs['games'].max():,} games of each side, with dice of their own "
    f"{pairs['games_apart'].min():,} to {pairs['games_apart'].max():,} ({pairs.height} rules, {pairs['n'].min():,} "
    "games "
    f"behind each). At least half saved everywhere: **{(pairs['saved'] >= 2).all()}**."
)

# %%
rows = pairs.sort("games").with_columns(
    label=pl.format("{} = {}", "factor", pl.col("setting").str.replace_all(r"[\[\], ]", ""))
)
ways = pl.concat([
    rows.select("label", "n", series=pl.lit("own dice"), value=pl.col("half_apart")),
    rows.select("label", "n", series=pl.lit("same dice"), value=pl.col("half")),
]).with_columns(low="value", high="value")  # fmt: skip
most = pairs.sort("saved").row(-1, named=True)
show(
    partial(plots.draw_forest, ways, xlabel="half-width of the interval, points of mean score"),
    "pairing",
    title=f"The same dice save most for {most['factor']} = {most['setting']}: one game in {most['saved']:.0f} is "
    "enough",
    note=f"Half-width of the difference from the default, {level}, {policy}; {pairs['n'].min():,} games each",
    alt=plots.alt_forest(ways, "half-widths with own and with the same dice", "points", 3),
    rows=rows.height + 3,
)

# %% [markdown]
# ## Luck taken out
#
# After each roll its expected change under a value function is taken off the result: the mean stays what it is, the
# spread falls.
#
# **Claim to test.** The adjusted mean agrees with the plain one and needs fewer than half of the games.

# %%
adjusted = sim.adjusted(
    "caterpillars", rules={"level": level}, policies=[policy], games=games, seed=seed, workers=workers
)
plain, lucky = adjusted.seats[0].raw, adjusted.seats[0].mean
sd = plain.half_width / analysis.half_widths({"one": 1.0}, [games])["value"].item()
together = lucky.low <= plain.high and plain.low <= lucky.high
Markdown(
    f"Plain {plain.value:.2f} ± {plain.half_width:.2f}, adjusted {lucky.value:.2f} ± {lucky.half_width:.2f} points "
    f"({games:,} games, {policy} at {level}): one adjusted game is worth {adjusted.seats[0].ratio:.1f} plain ones. The "
    f"intervals meet: **{together}**; less than half the games: **{adjusted.seats[0].ratio > 2}**."
)

# %%
typical = pairs.sort("saved").row(pairs.height // 2, named=True)
spreads = {
    "plain mean": sd,
    "adjusted mean": sd / adjusted.seats[0].ratio ** 0.5,
    "difference, own dice": typical["sd_apart"],
    "difference, same dice": typical["sd"],
}
halves = analysis.half_widths(spreads, [2**k for k in range(7, 24)]).with_columns(low="value", high="value")
needed = {way: analysis.games_for(spread, half_width) for way, spread in spreads.items()}
show(
    partial(
        plots.draw_curve, halves, x="games", series="way", log=True, reference=half_width, xlabel="games",
        ylabel="half-width, points",
    ),
    "halves",
    title=f"± {half_width} points take {needed['plain mean']:,} plain games, {needed['adjusted mean']:,} adjusted ones",
    note=f"Half-width of a mean score at {level}, {policy}, and of a difference that is typical of the rules above",
    alt=plots.alt_curve(
        halves, "half-width by number of games", x="games", xname="games", unit="points", digits=3
    ),
    height=330,
)  # fmt: skip

# %% [markdown]
# ## What it costs
#
# Seconds are measured once, by `python -m benchmarks.costs`, and quoted here.

# %%
price = (
    pl.read_csv(costs, comment_prefix="#")
    .filter((pl.col("game") != "caterpillars") | (pl.col("level") == level))
    .with_columns(
        per_second=(1e3 / pl.col("microseconds")).round().cast(pl.Int64) * 1000,
        seconds=pl.col("microseconds") * needed["plain mean"] / 1e6,
    )
)
table(
    price.select(
        "game",
        "policy",
        "seats",
        pl.col("microseconds").alias("µs a game"),
        pl.col("per_second").alias("games a second"),
        pl.col("seconds").round(2).alias(f"seconds for {needed['plain mean']:,} games"),
    )
)

# %%
own = (
    price.filter(pl.col("game") == "caterpillars")
    .sort("microseconds")
    .with_columns(label="policy", value="microseconds", low="microseconds", high="microseconds", n=pl.lit(1))
)
measured = pl.read_csv(costs, has_header=False, n_rows=1, separator="\t").item().removeprefix("# ")
show(
    partial(plots.draw_forest, own, reference=None, xlabel="microseconds a game, one core", digits=1, show_n=False),
    "cost",
    title=f"A game of {own['policy'][0]} takes {own['value'][0]:.1f} microseconds, one of {own['policy'][-1]} "
    f"{own['value'][-1]:.0f}",
    note=f"Caterpillars at {level}, one player; {measured}",
    alt=plots.alt_forest(own, f"time of a game by policy at {level}", "microseconds", 1),
    rows=own.height + 2,
)
