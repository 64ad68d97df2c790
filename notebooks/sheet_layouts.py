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
# # Does it matter which numbers are printed where?
#
# **Question.** The texts do not say which boxes carry the printed numbers. How far do results depend on it, and is the
# default layout an odd one?
#
# Two answers: other printed sheets on the same dice, as programs play them, and the exact value of every plausible
# layout under perfect play.

# %% tags=["parameters"]
data = "../data"
sweep = "readings"
policies = ["child", "planner", "weighted"]
smallest = 0.1
default_layout = "1 6 0 0 1 6 0 0 2 5 0 0"

# %%
import polars as pl
from _data import source
from _show import partial, show, table
from IPython.display import Markdown

import sim
from sim import analysis, plots
from sim.analysis.layouts import by_layout, spread

at = source(sweep, data)
Markdown(at.told)

# %%
differences, scenarios = sim.load(sweep, table="differences", data=at.data), sim.scenarios(sweep, data=at.data)
changes = analysis.paired_changes(differences, scenarios, smallest=smallest)
sheets = changes.filter((pl.col("factor") == "sheet") & pl.col("policy").is_in(policies)).with_columns(
    label=pl.col("setting").str.replace_all(r"[\[\],]", "").str.replace_all("0", "·"), series="policy"
)

# %% [markdown]
# **Claim to test.** At every level, some other sheet changes the mean by more than the smallest difference that
# matters.

# %%
moved = (
    sheets.filter(pl.col("verdict") == "outside")
    .group_by("level", maintain_order=True)
    .agg(sheets=pl.col("label").n_unique(), most=pl.col("value").max(), least=pl.col("value").min())
)
Markdown(
    f"Other sheets than the default, {sheets['label'].n_unique()} of them, {sheets['n'].min():,} games each on the "
    "same "
    "dice: "
    + "; ".join(
        f"at {r['level']} {r['sheets']} of them change the mean for some policy, by {r['least']:+.2f} to "
        f"{r['most']:+.2f} points"
        for r in moved.iter_rows(named=True)
    )
    + f". At every level: **{moved.height == sheets['level'].n_unique()}**."
)

# %%
levels = sheets["level"].unique(maintain_order=True).to_list()
top, bottom = sheets.sort("value").row(-1, named=True), sheets.sort("value").row(0, named=True)
show(
    {
        level: partial(
            plots.draw_forest, sheets.filter(pl.col("level") == level), band=(-smallest, smallest), show_n=False,
            xlabel="change of the mean score, points",
        )
        for level in levels
    },
    "sheets",
    title=f"Other printed numbers change the mean by {bottom['value']:+.1f} to {top['value']:+.1f} points",
    note=f"Sheet minus default sheet on the same dice ({default_layout.replace('0', '·')}), · is a blank; shaded: no "
    f"practical difference; {sheets['n'].min():,} games each",
    alt=plots.alt_forest(
        sheets.with_columns(label=pl.format("{}, {}", "label", "level")), "other printed sheets, change of the mean",
        "points",
    ),
    rows=8,
    across=2,
)  # fmt: skip

# %% [markdown]
# ## Every layout, exactly
#
# Perfect play from the first roll of the set-up on, at beginner: one number per layout, no sampling. For intermediate,
# sampled set-ups, each solved exactly.

# %%
kept = f"{data}/exact" if at.data == data else f"{at.data}/../exact"
layouts, solved = pl.read_parquet(f"{kept}/layouts.parquet"), pl.read_parquet(f"{kept}/layout_sheets.parquet")
exact = by_layout(layouts, solved)
summary = spread(exact)
table(summary)

# %%
own = exact.filter(pl.col("layout") == default_layout).row(0, named=True)
rank = (exact["optimum"] > own["optimum"]).sum() + 1
step = summary.row(1, named=True)
Markdown(
    f"Under perfect play at beginner the {exact.height} layouts are worth {exact['optimum'].min():.3f} to "
    f"{exact['optimum'].max():.3f} points, exactly; the default sheet, at {own['optimum']:.3f}, is number {rank}. From "
    f"beginner to intermediate perfect play gains {step['least']:.1f} to {step['most']:.1f} points, whatever the "
    "layout "
    f"({own['n']} set-ups each)."
)

# %%
ordered = exact.sort("optimum", descending=True)
ends = pl.concat([ordered.head(6), exact.filter(pl.col("layout") == default_layout), ordered.tail(6)]).unique(
    maintain_order=True
)
rows = ends.with_columns(
    label=pl.col("layout").str.replace_all("0", "·"), value="variation", low="variation_low", high="variation_high"
)
best = ends.with_columns(
    label=pl.col("layout").str.replace_all("0", "·"), value="optimum", low="optimum", high="optimum"
)
show(
    {
        "beginner, exact optimum, points": partial(
            plots.draw_forest, best, reference=own["optimum"], xlabel="expected end total, points", show_n=False
        ),
        "intermediate, what the variation changes": partial(
            plots.draw_forest, rows, reference=0, xlabel="variation minus standard, points", show_n=False
        ),
    },
    "layouts",
    title=f"Between the best and the worst layout lie {exact['optimum'].max() - exact['optimum'].min():.2f} points of "
    "perfect play at beginner",
    note=f"The six best, the default (its value: the line) and the six worst of {exact.height} layouts; left "
    "exact, right "
    f"means over {own['n']} set-ups with intervals",
    alt=plots.alt_forest(best, "exact optimum by printed layout at beginner", "points"),
    rows=ends.height + 2,
)
