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
# # How does a result answer to a habit?
#
# **Question.** Programs have parameters: how often a child slips, how large a die must be to be stored, how much a
# player minds the others. How much does each matter, and is the default a good choice?
#
# Each setting plays the same games as the default, so every point is a mean of paired differences. The band is its
# interval.

# %% tags=["parameters"]
games = 20000
seed = 11
workers = 2
studies = {
    "child, slip": ["caterpillars", {"level": "expert"}, "child", [], "slip", [0, 0.1, 0.2, 0.4, 0.7, 1.0]],
    "child, store": ["caterpillars", {"level": "expert"}, "child", [], "store", [1, 3, 5, 6, 8, 10, 12]],
    "planner, given_up": [
        "caterpillars",
        {"level": "expert"},
        "planner",
        [],
        "given_up",
        [0, 0.1, 0.22, 0.4, 0.7, 1.0],
    ],
    "planner, hold": ["caterpillars", {"level": "expert"}, "planner", [], "hold", [0, 2, 3.5, 5, 8, 12]],
    "odds, rivals": ["karolinchen", {}, "odds", ["match", "match"], "rivals", [0, 0.1, 0.2, 0.5, 1.0, 2.0]],
    "safe, caution": ["parlett", {}, "safe", ["greedy"], "caution", [0, 0.3, 0.6, 1.0, 1.5, 2.5]],
}
smallest = {"caterpillars": 0.1, "karolinchen": 1.0, "parlett": 1.0}

# %%
import polars as pl
from _show import partial, progress, show
from IPython.display import Markdown

import sim
from sim import analysis, plots

# %%
settings = [(study, value) for study, about in studies.items() for value in about[-1]]
differences = pl.concat(
    sim.summarise(
        game,
        rules=rules,
        policies=[{"id": policy, parameter: value}, *others],
        games=games,
        seed=seed,
        workers=workers,
        pairs=[
            {
                "of": "score" if game == "caterpillars" else "win",
                "seats": [0],
                "against": {"policies": [policy, *others]},
            }
        ],
    )[1].select(
        "count",
        study=pl.lit(study),
        game=pl.lit(game),
        setting=pl.lit(float(value)),
        difference=pl.col("difference") * (1 if game == "caterpillars" else 100),
    )
    for study, value in progress(settings, "settings")
    for game, rules, policy, others, parameter, _ in [studies[study]]
)
answers = analysis.responses(differences, ["study", "game", "setting"])

# %% [markdown]
# **Claim to test.** No setting tried is better than the default by more than the smallest difference that matters.

# %%
matters = answers["game"].replace_strict(smallest, return_dtype=pl.Float64)
better = answers.filter(answers["low"] > matters)
best = answers.sort("value").group_by("study", maintain_order=True).last()
Markdown(
    f"Of {answers.height} settings ({games:,} games each), {better.height} are surely better than the default by "
    "more than "
    f"the smallest difference that matters. No better one: **{better.is_empty()}**. The best tried: "
    + "; ".join(
        f"{r['study']} = {r['setting']:g}: {r['value']:+.2f} ({r['low']:+.2f} to {r['high']:+.2f}) "
        + ("points" if r["game"] == "caterpillars" else "points of win rate")
        for r in best.sort("study").iter_rows(named=True)
    )
    + "."
)

# %%
span = answers.group_by("study", maintain_order=True).agg(
    reach=pl.col("value").max() - pl.col("value").min(), game=pl.col("game").first()
)
widest = span.filter(pl.col("game") == "caterpillars").sort("reach").row(-1, named=True)
show(
    {
        study: partial(
            plots.draw_curve, answers.filter(pl.col("study") == study), x="setting", reference=0,
            band=(-smallest[about[0]], smallest[about[0]]), xlabel=about[4],
            ylabel="points" if about[0] == "caterpillars" else "points of win rate",
        )
        for study, about in studies.items()
    },
    "responses",
    title=f"{widest['study']} matters most at expert: {widest['reach']:.1f} points between the best and the worst "
    "setting",
    note="Setting minus default on the same dice and cards, mean with interval; shaded: no practical difference; "
    f"Caterpillars at expert, one player; Karolinchen with three, Parlett with two, first seat; {games:,} games each",
    alt=plots.alt_curve(
        answers.filter(pl.col("study") == widest["study"]), f"the change of the mean score by {widest['study']}",
        x="setting", xname="setting", unit="points",
    ),
    height=220,
    across=3,
)  # fmt: skip
