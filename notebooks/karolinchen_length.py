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
# # How long does Karolinchen take?
#
# **Question.** Is it over before bedtime, with two players and with six? The box says how many minutes.
#
# The simulator counts turns, not minutes. Minutes are turns times an assumption about the table, a parameter
# below; change it and run the notebook again.

# %% tags=["parameters"]
data = "../data"
sweep = "karolinchen"
policy = "match"
refuses = "racer(guard=1.5)"
seconds_per_turn = 15
published_minutes = [15, 20]
bedtime = [10, 15, 20, 30, 45]
band = 0.02
enough = 0.9
smallest_turns = 1.0

# %%
import polars as pl
from _data import source
from _show import partial, show, table
from IPython.display import Markdown

import sim
from sim import analysis, plots
from sim.analysis.frames import plain

at = source(sweep, data)
Markdown(at.told)

# %%
counts, scenarios = sim.load(sweep, data=at.data), sim.scenarios(sweep, data=at.data)
differences = sim.load(sweep, table="differences", data=at.data)
base = plain(scenarios, "karolinchen")
headline = base.filter(pl.col("line_up").str.starts_with(f"{policy} ×")).sort("seats")
length = analysis.game_length(counts, headline, seconds_per_turn)
told = length.with_columns(
    told=pl.when(pl.col("low").is_nan())
    .then(pl.format("{} (seen)", pl.col("value").cast(pl.Int64)))
    .otherwise(pl.format("{} ({} to {})", pl.col("value").round(1), pl.col("low").round(1), pl.col("high").round(1)))
)
table(
    told.filter(pl.col("measure") != "p5")
    .with_columns(players=pl.format("{} players", "seats"))
    .pivot("players", index="measure", values="told")
)

# %% [markdown]
# Turns, with intervals; the longest game is the longest one seen, which grows with the number of games.
#
# **Claim to test.** With every number of players, half of the games end inside the published time.

# %%
minutes = length.filter(pl.col("measure") == "p50").sort("seats")
early, late = published_minutes
fits = minutes["minutes"].is_between(early, late).all()
Markdown(
    f"At {seconds_per_turn} seconds a turn the middle game takes "
    + ", ".join(f"{r['minutes']:.0f} minutes with {r['seats']}" for r in minutes.iter_rows(named=True))
    + f" players ({minutes['n'].min():,} games or more each); published: {early} to {late}. Inside everywhere: "
    f"**{fits}**. With two players the published time asks for {60 * early / minutes['value'][0]:.0f} to "
    f"{60 * late / minutes['value'][0]:.0f} seconds a turn, with {minutes['seats'][-1]} for "
    f"{60 * early / minutes['value'][-1]:.0f} to {60 * late / minutes['value'][-1]:.0f}."
)

# %%
curves = analysis.survival_curves(counts, headline)
turns = tuple(60 * m / seconds_per_turn for m in published_minutes)
tail = length.filter(pl.col("measure") == "p95").sort("seats")
show(
    partial(plots.draw_survival, curves, shade=turns, shade_label="as published"),
    "survival",
    title=f"1 game in 20 lasts longer than {tail['minutes'][0]:.0f} minutes with {tail['seats'][0]} players, "
    "longer than "
    f"{tail['minutes'][-1]:.0f} with {tail['seats'][-1]}",
    note=f"Games still going after so many turns, in 100, by number of players; {policy} in every seat, "
    f"{curves['n'].min():,} games or more each",
    alt=plots.alt_survival(
        curves.rename({"seats": "players"}), f"Karolinchen, {policy} in all seats", series="players"
    ),
    height=330,
)

# %% [markdown]
# ## The bedtime dial
#
# Pick the minutes you have and the number of players: so many games in a hundred are over by then.

# %%
over = analysis.bedtime(counts, headline, seconds_per_turn, bedtime).sort("seats", "minutes")
dial = over.with_columns(
    players=pl.format("{} players", "seats"),
    minutes=pl.format("{} min", pl.col("minutes").cast(pl.Int64)),
    value=pl.col("value") * 100,
)
wide = (over["high"] - over["low"]).max() / 2
latest = over.filter(pl.col("minutes") == late)
show(
    partial(plots.draw_grid, dial, row="players", column="minutes", digits=1),
    "bedtime",
    title=f"In {late} minutes {100 * latest['value'][0]:.0f} in 100 games of {latest['seats'][0]} players are over, "
    f"{100 * latest['value'][-1]:.0f} of {latest['seats'][-1]}",
    note=f"Games that are over, in 100, at {seconds_per_turn} seconds a turn; {policy} in every seat; "
    f"intervals ± {100 * wide:.1f} at most, {over['n'].min():,} games or more each",
    alt=plots.alt_grid(dial, "games that are over by bedtime", row="players", column="minutes", unit="in 100"),
    height=200,
)

# %% [markdown]
# The mildest rule that gets most games over in time, and what it does to fairness. It is picked from the games that
# measure it, so its own figure is a little flattered.

# %%
answers = [
    analysis.bedtime_dial(
        players,
        late,
        games=analysis.Games(counts, differences, scenarios),
        policy=policy,
        seconds_per_turn=seconds_per_turn,
        enough=enough,
        exact=False,
    )
    for players in headline["seats"]
]
table(
    pl.DataFrame(
        [
            {
                "players": a.players,
                f"over in {late} minutes, in 100": f"{100 * a.printed.value:.1f} ({100 * a.printed.low:.1f} to "
                f"{100 * a.printed.high:.1f})",
                f"rule for {100 * enough:.0f} in 100": " ".join(f"{k} = {v}" for k, v in (a.rule or {}).items())
                or a.status,
                "with it": f"{100 * a.changed.value:.1f} ({100 * a.changed.low:.1f} to {100 * a.changed.high:.1f})"
                if a.changed
                else "–",
                "first seat, points": f"{100 * a.fairness.value:+.1f}" if a.fairness else "–",
            }
            for a in answers
        ]
    )
)

# %% [markdown]
# ## Does it matter how the next card is chosen?

# %%
all_alike = base.filter(pl.col("line_up").str.contains(r"^\w+ ×") & pl.col("seats").is_in([2, 4, 6]))
means = analysis.game_length(counts, all_alike, seconds_per_turn).filter(pl.col("measure") == "mean")
rows = means.with_columns(
    label=pl.col("line_up").str.replace(r" ×.*", ""), group=pl.format("{} players", "seats")
).sort("seats", "value")
ends = rows.filter(pl.col("seats") == 2)
show(
    partial(plots.draw_forest, rows, reference=None, xlabel="mean length, turns", digits=1),
    "cards",
    title=f"With two players the choice of cards moves the mean from {ends['value'][0]:.0f} ({ends['label'][0]}) to "
    f"{ends['value'][-1]:.0f} turns ({ends['label'][-1]})",
    note=f"Mean number of turns, everybody chooses cards the same way; {rows['n'].min():,} games or more each",
    alt=plots.alt_forest(rows, "the mean length by policy and number of players", "turns", 1),
    rows=rows.height + 7,
)

# %% [markdown]
# ## Other readings of the rules
#
# On the same dice: the first player rolls first (`opening`), a second roll after an eating, and dice for a new card may
# be left (`may`), which only a policy that ever refuses can feel.

# %%
changed = analysis.paired_changes(
    differences, scenarios, "turns", ("seats", "line_up", "factor", "setting"), smallest_turns
)
readings = changed.filter(
    (pl.col("seat") == 0)
    & pl.col("seats").is_in([2, 4, 6])
    & pl.col("line_up").str.starts_with(
        pl.when(pl.col("factor") == "new_card_take").then(pl.lit(refuses)).otherwise(pl.lit(f"{policy} ×"))
    )
    & (pl.col("factor") != "fruits")
)
rows = readings.sort("factor", "seats").with_columns(
    group=pl.format("{} = {}, {}", "factor", "setting", pl.col("line_up").str.replace(r" ×.*", "")),
    label=pl.format("{} players", "seats"),
)
largest = rows.sort(pl.col("value").abs()).row(-1, named=True)
show(
    partial(
        plots.draw_forest,
        rows,
        band=(-smallest_turns, smallest_turns),
        xlabel="change of the mean length, turns",
        digits=1,
    ),
    "readings",
    title=f"The reading that matters most, {largest['factor']} = {largest['setting']}, changes "
    f"{largest['value']:+.1f} turns "
    f"({largest['seats']} players)",
    note=f"Changed rule minus printed rule on the same dice; shaded: no practical difference; {rows['n'].min():,} "
    "games or more",
    alt=plots.alt_forest(rows, "other readings, change of the mean length", "turns", 1),
    rows=rows.height + 7,
)

# %% [markdown]
# ## Does it matter where one sits, and which fruit one starts with?
#
# **Claim to test.** With more than two players every seat wins within the target band of its fair share.

# %%
seats = analysis.seat_shares(counts, headline, band)
rows = seats.with_columns(
    *((pl.col(c) - pl.col("fair")) * 100 for c in ("value", "low", "high")),
    label=pl.format("seat {}", pl.col("seat") + 1),
    group=pl.format("{} players", "seats"),
)
first = seats.filter(pl.col("seat") == 0).sort("seats")
Markdown(
    "The first player wins "
    + ", ".join(f"{100 * r['value']:.1f} in 100 with {r['seats']}" for r in first.iter_rows(named=True))
    + " players. Verdicts against the band: "
    + ", ".join(f"{verdict} {count}" for verdict, count in seats["verdict"].value_counts().sort("verdict").iter_rows())
    + f" of {seats.height} seats. All inside: **{(seats.filter(pl.col('seats') > 2)['verdict'] == 'inside').all()}**."
)

# %%
show(
    partial(
        plots.draw_forest,
        rows,
        band=(-100 * band, 100 * band),
        xlabel="points of win rate off the fair share",
        digits=1,
    ),
    "seats",
    title=f"The first seat wins {100 * (first['value'] - first['fair']).min():.0f} to "
    f"{100 * (first['value'] - first['fair']).max():.0f} points more than its fair share",
    note=f"Share of wins minus fair share with simultaneous intervals; shaded: ± {100 * band:g} points; {policy} "
    "in every "
    f"seat, {seats['n'].min():,} games or more each",
    alt=plots.alt_forest(rows, "shares of the wins by seat minus the fair share", "points", 1),
    rows=rows.height + 10,
)

# %%
fruit = ["blue", "orange", "purple", "yellow", "green", "red"]
tails = analysis.shares_by(counts, headline, "start_fruit").filter(pl.col("seats").is_in([2, 4, 6]))
rows = tails.with_columns(
    *((pl.col(c) - pl.col("fair")) * 100 for c in ("value", "low", "high")),
    label=pl.col("start_fruit").replace_strict(dict(enumerate(fruit)), return_dtype=pl.String),
    group=pl.format("{} players", "seats"),
)
best = rows.sort("value").row(-1, named=True)
show(
    partial(
        plots.draw_forest,
        rows,
        band=(-100 * band, 100 * band),
        xlabel="points of win rate off the fair share",
        digits=1,
    ),
    "tails",
    title=f"Start fruits move the share of wins by at most {rows['value'].abs().max():.1f} points ({best['label']}, "
    f"{best['seats']} players: {best['value']:+.1f})",
    note=f"Share of wins by start fruit minus fair share; shaded: ± {100 * band:g} points; {tails['n'].min():,} "
    "players "
    "with the fruit or more",
    alt=plots.alt_forest(rows, "shares of the wins by start fruit minus the fair share", "points", 1),
    rows=rows.height + 7,
)
