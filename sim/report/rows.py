"""Result tables cut to what a reader is shown: which policy stands for which view, labels in words, the order of
rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sim.plots.style import number
from sim.report import words
from sim.report.names import CARD_RULES, HOUSE_RULES, LEVELS, READINGS, VIEWS, reading
from sim.report.params import Params
from sim.report.tables import Tables


def _told() -> pl.Expr:
    pair = pl.struct("factor", "setting")
    return pair.map_elements(lambda r: reading(r["factor"], r["setting"]), return_dtype=pl.String)


def levels_of(tables: Tables) -> list[str]:
    """The levels that were played, in order."""
    played = set(tables["standing"]["level"])
    return [level for level in LEVELS if level in played]


def chosen(tables: Tables, params: Params, level: str, view: str, played: Sequence[str] | None = None) -> str | None:
    """The policy that stands for a view at a level; `best` is the best of those `played` (default: all)."""
    policy = params.levels.views[view]
    ranked = tables["standing"].filter(pl.col("level") == level).sort("mean", descending=True)["policy"].to_list()
    known = [p for p in ranked if played is None or p in played]
    if policy == "best":
        return known[0] if known else None
    return policy if policy in known else None


def seen(tables: Tables, params: Params, frame: pl.DataFrame) -> pl.DataFrame:
    """Rows of a table about levels and policies as each view sees them; columns view and series are added.

    Where the best policy of a level was not played in this table, the best one that was stands for it.
    """
    parts = [frame.head(0).with_columns(view=pl.lit(""), series=pl.lit(""))]
    for level in levels_of(tables):
        here = frame.filter(pl.col("level") == level)
        for view in params.levels.views:
            policy = chosen(tables, params, level, view, here["policy"].to_list())
            rows = here.filter(pl.col("policy") == (policy or ""))
            parts.append(rows.with_columns(view=pl.lit(view), series=pl.lit(VIEWS.get(view, view))))
    return pl.concat(parts)


def setup_rows(tables: Tables, params: Params) -> pl.DataFrame:
    """The set-up variation by level and view."""
    return seen(tables, params, tables["setup"]).with_columns(label=pl.col("level"))


def reading_rows(tables: Tables, params: Params, factors: Sequence[str] = tuple(READINGS)) -> pl.DataFrame:
    """Readings sorted by the largest effect of any view; columns told and label are added."""
    frame = tables["readings"].filter(pl.col("factor").is_in(list(factors)))
    rows = (
        seen(tables, params, frame).with_columns(told=_told()).with_columns(label=pl.format("{}, {}", "told", "level"))
    )
    size = pl.col("value").abs().max().over("label")
    return rows.with_columns(size=size).sort("size", descending=True, maintain_order=True)


def sheet_rows(tables: Tables, params: Params) -> pl.DataFrame:
    """Other printed labels, sorted by the mean effect over levels and views."""
    rows = reading_rows(tables, params, ("sheet",)).with_columns(label=pl.col("told"))
    mean = pl.col("value").mean().over("label")
    return rows.with_columns(mean=mean).sort("mean", "label", descending=[True, False], maintain_order=True)


def language_rows(tables: Tables, params: Params) -> pl.DataFrame:
    """The English wording (zero as soon as one split finds no box) against the German note, by level and view."""
    wording = (pl.col("factor") == "zero_rule") & (pl.col("setting") == "split")
    return seen(tables, params, tables["readings"].filter(wording))


def seat_rows(tables: Tables, params: Params) -> pl.DataFrame:
    """Departure of each seat's share from the fair share, in points, grouped by number of players."""
    frame = tables["karolinchen_seats"].filter(mirror_of(params)).sort("seats", "seat")
    ends = [(100 * (pl.col(c) - pl.col("fair"))).alias(c) for c in ("value", "low", "high")]
    told = pl.col("seat").map_elements(lambda s: f"{words.seat(s)} player", return_dtype=pl.String)
    fair = pl.col("fair").map_elements(lambda f: number(100 * f, 1), return_dtype=pl.String)
    group = pl.format("{} players (fair: {} in 100)", "seats", fair)
    return frame.with_columns(group=group, label=told).with_columns(ends)


def mirror_of(params: Params) -> pl.Expr:
    """Line-ups with the headline policy of Karolinchen in every seat."""
    return pl.col("line_up").str.starts_with(f"{params.karolinchen.policy} ×")


def idle_rules(tables: Tables) -> list[str]:
    """Other rules of Karolinchen that no policy played makes any use of, in words."""
    frame = tables["house_rules"].filter(pl.col("factor") != "")
    used = frame.group_by("factor", "setting", maintain_order=True).agg((pl.col("same") < 1).any().alias("used"))
    return [reading(r["factor"], r["setting"]) for r in used.filter(~pl.col("used")).iter_rows(named=True)]


def house_rows(tables: Tables, params: Params, of: str = "turns") -> pl.DataFrame:
    """What other rules of Karolinchen change, seen from the first seat, by number of players; readings before house
    rules.

    The headline policy stands for everybody; where a change leaves it untouched, the policy that uses it most; rules
    that
    nobody makes use of are left out.
    """
    frame = tables["house_rules"].filter((pl.col("seat") == 0) & (pl.col("factor") != ""))
    frame = frame.with_columns(told=_told(), policy=pl.col("line_up").str.replace(r" ×\d+$", ""))
    frame = frame.filter(~pl.col("told").is_in(idle_rules(tables)))
    parts = [frame.head(0)]
    pairs = frame.select("factor", "setting").unique(maintain_order=True).rows()
    for factor, setting in sorted(pairs, key=lambda p: p[0] not in HOUSE_RULES):
        here = frame.filter((pl.col("factor") == factor) & (pl.col("setting") == setting))
        mine = here.filter(pl.col("policy") == params.karolinchen.policy)
        if not (mine["same"] < 1).any():
            effect = here.group_by("policy").agg(pl.col("same").mean()).sort("same", "policy")
            mine = here.filter(pl.col("policy") == effect["policy"][0])
            mine = mine.with_columns(told=pl.format("{} ({})", "told", "policy"))
        parts.append(mine.filter(pl.col("of") == of).sort("seats"))
    return pl.concat(parts).with_columns(group=pl.col("told"), label=pl.format("{} players", "seats"))


def leader_rows(tables: Tables, params: Params) -> pl.DataFrame:
    """The leader's share of wins in Parlett's game when both play alike, by policy, in 100."""
    frame = tables["parlett_seats"].filter(pl.col("mirror") & (pl.col("seat") == 0))
    policy = pl.col("line_up").str.replace(r" ×\d+$", "")
    rows = frame.with_columns(policy=policy, label=pl.format("both play {}", policy)).with_columns(_hundredths())
    return rows.sort("value")


def card_rule_rows(tables: Tables, params: Params) -> pl.DataFrame:
    """The leader's share of wins under other rules of Parlett's game, by policy, in 100; `random` is left out."""
    frame = tables["parlett_rules"].filter(
        pl.col("mirror") & (pl.col("seat") == 0) & pl.col("factor").is_in(list(CARD_RULES))
    )
    policy = pl.col("line_up").str.replace(r" ×\d+$", "")
    rows = frame.with_columns(told=_told(), policy=policy).filter(pl.col("policy") != "random")
    base = leader_rows(tables, params).filter(pl.col("policy").is_in(rows["policy"].unique().to_list()))
    both = pl.concat(
        [
            base.with_columns(told=pl.lit("as printed")).with_columns(
                (pl.col(c) / 100) for c in ("value", "low", "high")
            ),
            rows,
        ],
        how="diagonal",
    )
    both = both.with_columns(label=pl.col("told"), series=pl.format("both play {}", "policy")).with_columns(
        _hundredths()
    )
    order = {name: i for i, name in enumerate(["as printed", *rows["told"].unique(maintain_order=True)])}
    return both.with_columns(order=pl.col("told").replace_strict(order)).sort("order", "policy", maintain_order=True)


def _hundredths() -> list[pl.Expr]:
    return [(100 * pl.col(c)).alias(c) for c in ("value", "low", "high")]


def strength_rows(tables: Tables, params: Params) -> pl.DataFrame:
    """Every policy, with its default parameters, against the headline policy in both seats; strongest first, in 100."""
    frame = tables["duels"].filter((pl.col("seats") == 2) & (pl.col("opponent") == params.parlett.policy))
    frame = frame.filter((pl.col("policy") != pl.col("opponent")) & ~pl.col("policy").str.contains("=", literal=True))
    return frame.with_columns(label=pl.col("policy")).with_columns(_hundredths()).sort("value", descending=True)
