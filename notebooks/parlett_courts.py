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
# # Parlett's Caterpillar: court cards, seats and rules
#
# **Question.** A court in hand is worth a bonus at the end, and scores only now and then on the row. From when on
# should one keep them? And is it fair to lead?
#
# The policy below holds its courts while more cards than a threshold are in the stock. The threshold runs from
# "always hold" (no card) to "never hold" (the whole stock), against the same opponent on the same deals.

# %% tags=["parameters"]
data = "../data"
sweep = "parlett"
policy = "hoarder"
parameter = "threshold"
band = 0.02
points = [0, 10, 20, 30, 40, 50, 60, 80, 100]

# %%
import numpy as np
import polars as pl
from _data import source
from _show import partial, show, table
from IPython.display import Markdown

import sim
from sim import analysis, plots, stats
from sim.analysis.frames import plain

at = source(sweep, data)
Markdown(at.told)

# %%
counts, scenarios = sim.load(sweep, data=at.data), sim.scenarios(sweep, data=at.data)
differences = sim.load(sweep, table="differences", data=at.data)
base = plain(scenarios, "parlett")
hold = analysis.hold_curve(counts, base, policy, parameter)

# %% [markdown]
# **Claim to test.** There is a best threshold inside the range: neither never nor always.

# %%
best = hold.sort("value", descending=True).row(0, named=True)
ends = hold.filter(pl.col(parameter).is_in([hold[parameter].min(), hold[parameter].max()]))
Markdown(
    f"The best threshold tried is {best[parameter]:g} cards, with {100 * best['value']:.1f} wins in 100 "
    f"({100 * best['low']:.1f} to {100 * best['high']:.1f}, {best['n']:,} games). "
    f"Better than both ends, beyond the intervals: **{best['low'] > ends['high'].max()}**. "
    f"It is the best of {hold.height} that were tried, so its own figure is a little flattered."
)

# %%
always, never = hold.sort(parameter).row(0, named=True), hold.sort(parameter).row(-1, named=True)
show(
    {
        "how often it wins": partial(
            plots.draw_curve, hold, x=parameter, reference=0.5, scale=100, xlabel="threshold, cards in the stock",
            ylabel="wins in 100",
        ),
        "what it scores": partial(
            plots.draw_curve, hold, x=parameter, value="score", low="score_low", high="score_high",
            xlabel="threshold, cards in the stock", ylabel="mean score, points",
        ),
    },
    "hold",
    title=f"Holding courts to the end wins {100 * always['value']:.1f} in 100 against {always['opponent']}, never "
    "holding "
    f"them {100 * never['value']:.1f}",
    note=f"Courts are held while the stock has more cards than the threshold; both seats, {hold['n'].min():,} "
    "games each",
    alt=plots.alt_curve(
        hold, "wins by holding threshold", x=parameter, xname="threshold", unit="wins in 100", scale=100
    ),
    height=250,
    across=2,
)  # fmt: skip

# %% [markdown]
# ## How often does a deal end with somebody stuck?

# %%
stuck = analysis.court_short(counts, base, ("line_up",)).sort("value")
rows = stuck.filter(~pl.col("line_up").str.contains("=", literal=True)).with_columns(
    *(pl.col(c) * 100 for c in ("value", "low", "high")), label=pl.col("line_up")
)
show(
    partial(plots.draw_forest, rows, reference=None, xlabel="deals that end court short, in 100", digits=1),
    "stuck",
    title=f"{rows['value'][0]:.0f} to {rows['value'][-1]:.0f} in 100 deals end court short, as the players play",
    note=f"Share of deals in which somebody has no legal card; first and second player; {stuck['n'].min():,} games "
    "or more",
    alt=plots.alt_forest(rows, "deals that end court short, by line-up", "in 100", 1),
    rows=rows.height + 2,
)

# %% [markdown]
# ## Is it fair to lead, and what would make it so?
#
# **Claim to test.** Whoever plays, the leader's share of the wins is within the target band.

# %%
seats = analysis.seat_shares(counts, base, band, ("line_up",)).filter(pl.col("mirror") & (pl.col("seat") == 0))
Markdown(
    "When both play alike, the leader wins "
    + ", ".join(
        f"{100 * r['value']:.1f} in 100 ({100 * r['low']:.1f} to {100 * r['high']:.1f}; {r['line_up']}: {r['verdict']})"
        for r in seats.iter_rows(named=True)
    )
    + f"; a draw counts half, {seats['n'].min():,} games each. All inside: **{(seats['verdict'] == 'inside').all()}**."
)

# %%
even = analysis.compensation((differences, base), None, seats["line_up"].str.replace(r" ×2", "").to_list(), band)
table(
    even.select(
        pl.col("policy").str.replace(r"\(.*", "").alias("both play"),
        pl.col("seat")
        .replace_strict({-1: "nobody", 0: "the leader", 1: "the other"}, return_dtype=pl.String)
        .alias("gets"),
        pl.col("points").alias("points, at least"),
        pl.format("{} to {}", "points_low", "points_high").alias("95 %"),
        pl.format("{} ({} to {})", *((pl.col(c) * 100).round(1) for c in ("value", "low", "high"))).alias(
            "leader wins"
        ),
    )
)

# %%
mirror = base.filter((pl.col("design") == "mirror") & (pl.col("seat0") == pl.col("seat1")))
apart = differences.join(mirror.select("scenario", "seat0"), on="scenario", maintain_order="left_right").filter(
    (pl.col("of") == "score") & (pl.col("against") == "")
)
shares = pl.DataFrame(
    [
        {"policy": name.split("(")[0], "points": extra, **e.row(), "n": e.n}
        for (name,), part in apart.group_by("seat0", maintain_order=True)
        for extra in points
        for e in [stats.mean_share((np.sign(part["difference"].to_numpy() + extra) + 1) / 2, part["count"].to_numpy())]
    ]
)
nearest = shares.with_columns(off=(pl.col("value") - 0.5).abs()).sort("off")
fair = nearest.group_by("policy", maintain_order=True).first()
show(
    partial(
        plots.draw_curve, shares, x="points", series="policy", reference=0.5, band=(0.5 - band, 0.5 + band), scale=100,
        xlabel="points given to the leader before the deal", ylabel="wins of the leader, in 100",
    ),
    "compensation",
    title="Nearest to even, of the points tried: "
    + ", ".join(f"{r['points']} points when both play {r['policy']}" for r in fair.iter_rows(named=True)),
    note=f"Share of the wins of the leader, a draw counts half; shaded: the target band; {shares['n'].min():,} "
    "games each",
    alt=plots.alt_curve(
        shares, "wins of the leader by points given", x="points", xname="points", unit="in 100", scale=100
    ),
)  # fmt: skip

# %% [markdown]
# Play is not changed here by the points given: a player who knows of them could play otherwise.
#
# ## Other rules

# %%
varied = scenarios.filter(pl.col("factor") != "").rename({"value": "setting"})
rules = analysis.seat_shares(counts, varied, band, ("factor", "setting", "line_up")).filter(
    pl.col("mirror") & (pl.col("seat") == 0)
)
rows = rules.filter(~pl.col("line_up").str.starts_with("random")).with_columns(
    *(pl.col(c) * 100 for c in ("value", "low", "high")),
    label=pl.format("{} = {}", "factor", "setting"),
    series=pl.format("both play {}", pl.col("line_up").str.replace(r" ×.*", "")),
)
fairest = (
    rows.with_columns(off=(pl.col("value") - 50).abs())
    .group_by("label", maintain_order=True)
    .agg(pl.col("off").max())
    .sort("off")
)
show(
    partial(
        plots.draw_forest,
        rows,
        reference=50,
        band=(50 - 100 * band, 50 + 100 * band),
        xlabel="wins of the leader, in 100",
    ),
    "rules",
    title=f"Of the rules tried, {fairest['label'][0]} keeps the leader nearest to even, within "
    f"{fairest['off'][0]:.1f} points",
    note=f"Share of the wins of the leader, one parameter changed; shaded: the target band; {rows['n'].min():,} "
    "games each; "
    f"the best of {fairest.height} is a little flattered",
    alt=plots.alt_forest(rows, "the leader's wins under other rules", "wins in 100", 1),
    rows=rows["label"].n_unique() + 3,
)
