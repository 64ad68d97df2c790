"""Result tables of a designer's own sweep, of any of the games: what each scenario was, what came out, who won, what
differs on the same dice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from sim import analysis, stats
from sim import games as registry
from sim.analysis.frames import arrays, groups
from sim.errors import ReportError
from sim.report.inputs import Given, Stored
from sim.report.names import reading
from sim.report.params import Params

#: what a game is about, if its sweep counts it
HEADLINES = {"caterpillars": "score", "karolinchen": "turns", "parlett": "score"}
#: columns that are no amounts
_LABELS = ("scenario", "seat", "count", "start_fruit")
#: rules that are the defaults
PRINTED = "rules as printed"
QUANTILES = (5, 25, 50, 75, 95)


#: what a column is called in a sentence; others are called by their name
COLUMNS = {"score": "end total", "turns": "length in turns", "win": "share of the wins"}


def told_column(name: str) -> str:
    """A column in words."""
    return COLUMNS.get(name, name.replace("_", " "))


def own_tables(given: Given) -> dict[str, pl.DataFrame]:
    """Tables ``own_scenarios``, ``own_results`` (what the game is about), ``own_more`` (what else was counted),
    ``own_cut``, ``own_seats`` and ``own_changes``; those without rows are left out.
    """
    stored, params = given.inputs["own"], given.params
    if (stored.scenarios["games_played"] < 2).any():
        raise ReportError(
            f"sweep {stored.head['sweep']} has a scenario of a single game, which says nothing about spread; "
            "accepted: at least 2 games each"
        )
    counted, headline = results(stored, params), HEADLINES[stored.head["game"]]
    tables = {
        "own_scenarios": told(stored),
        "own_results": counted.filter(pl.col("column") == headline) if counted.height else counted,
        "own_more": counted.filter(pl.col("column") != headline) if counted.height else counted,
        "own_cut": cut_games(stored, params),
        "own_seats": seats(stored, params),
        "own_changes": changes(stored, params),
    }
    return {name: frame for name, frame in tables.items() if frame.height}


def smallest(params: Params, game: str, column: str) -> float | None:
    """The smallest difference of a column that matters, if one is fixed in the parameters file."""
    least = params.smallest
    known = {"win": least.win, "turns": least.turns, "score": least.cards if game == "parlett" else least.score}
    return known.get(column)


def _rules(row: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """The rules of a scenario in words: what differs from the defaults."""
    parts = []
    for name, value in defaults.items():
        wanted = json.dumps(value) if isinstance(value, list | dict) else value
        given = row.get(name if name != "value" else "rule.value")
        if given is not None and given != wanted:
            text = str(given).lower() if isinstance(given, bool) else str(given)
            parts.append(reading(name, text))
    return ", ".join(parts) or PRINTED


def _policies(row: Mapping[str, Any]) -> str:
    """Who sits where, in words."""
    names = [row[f"seat{i}"] for i in range(row["seats"])]
    if len(names) == 1:
        return f"{names[0]} alone"
    if len(set(names)) == 1:
        return f"{len(names)} players, all {names[0]}"
    return f"{len(names)} players: {', '.join(names)}"


def told(stored: Stored) -> pl.DataFrame:
    """One row per scenario in the order of the plan: number, rules, policies, games, and a short name."""
    defaults = registry.get(stored.head["game"]).rules_type().model_dump(mode="json")
    rows = []
    for i, row in enumerate(stored.scenarios.iter_rows(named=True)):
        rules, who = _rules(row, defaults), _policies(row)
        rows.append(
            {
                "number": i + 1,
                "scenario": row["scenario"],
                "rules": rules,
                "policies": who,
                "seats": row["seats"],
                "mirror": row["seats"] > 1 and len({row[f"seat{k}"] for k in range(row["seats"])}) == 1,
                "games": row["games_played"],
                "told": f"{who}; {rules}" if rules != PRINTED else who,
            }
        )
    return pl.DataFrame(rows)


def _columns(counts: pl.DataFrame) -> list[str]:
    return [c for c, kind in counts.schema.items() if c not in _LABELS and (kind.is_numeric() or kind == pl.Boolean)]


def _of_game(counts: pl.DataFrame, column: str, keys: Sequence[str] = ("scenario",)) -> bool:
    """Whether a column has the same counts in every seat of every scenario: then it tells of the game."""
    own = counts.group_by(*keys, "seat", column).agg(pl.col("count").sum())
    each = own.group_by(*keys, column).agg(pl.col("count").n_unique().alias("kinds"), pl.len().alias("seats"))
    players = counts.group_by(*keys).agg(pl.col("seat").n_unique().alias("players"))
    joined = each.join(players, on=list(keys))
    return bool(((joined["kinds"] == 1) & (joined["seats"] == joined["players"])).all())


def results(stored: Stored, params: Params) -> pl.DataFrame:
    """Mean, spread and quantiles of every counted amount by scenario and seat; seat −1: of the game as a whole."""
    # the mean of a truth value is the share of games in which it is true
    counts, level = stored.counts.with_columns(pl.col(pl.Boolean).cast(pl.Int64)), params.confidence
    order = {s: i for i, s in enumerate(stored.scenarios["scenario"])}
    rows = []
    judged = seats(stored, params)
    told_elsewhere = judged["scenario"].unique().to_list() if judged.height else []
    for column in _columns(counts):
        own = counts.filter(~pl.col("scenario").is_in(told_elsewhere)) if column == "win" else counts
        if own.is_empty():
            continue
        whole = _of_game(own, column)
        frame = own.filter(pl.col("seat") == 0) if whole else own
        summed = frame.group_by("scenario", "seat", column).agg(pl.col("count").sum()).sort("scenario", "seat", column)
        for key, part in groups(summed, ["scenario", "seat"]):
            sample = arrays(part, column)
            mean, spread = stats.mean(*sample, level), stats.spread(*sample, level)
            row = {"scenario": key["scenario"], "seat": -1 if whole else key["seat"], "column": column, "n": mean.n}
            row |= mean.row() | spread.row("sd")
            for p in QUANTILES:
                row |= stats.quantile(*sample, p / 100, level).row(f"p{p}")
            rows.append(row)
    if not rows:
        return pl.DataFrame()
    frame = pl.DataFrame(rows, schema_overrides={"seat": pl.Int64})
    place = pl.col("scenario").replace_strict(order, return_dtype=pl.Int64)
    headline = HEADLINES[stored.head["game"]]
    first = pl.col("column") != headline
    return frame.with_columns(place=place).sort(first, "column", "place", "seat").drop("place")


def cut_games(stored: Stored, params: Params) -> pl.DataFrame:
    """Share of the games that were cut at the cap on turns, of scenarios with any: scenario, cap, n, games, value, low,
    high (Wilson). Nobody wins such a game; where neither that nor the cut itself was counted, its length tells.
    """
    if "max_turns" not in stored.scenarios.columns:
        return pl.DataFrame()
    first, caps = stored.counts.filter(pl.col("seat") == 0), stored.scenarios.select("scenario", "max_turns")
    games = first.group_by("scenario").agg(pl.col("count").sum().alias("n"))
    if "capped" in first.columns:
        cut = first.group_by("scenario").agg((pl.col("capped").cast(pl.Int64) * pl.col("count")).sum().alias("games"))
    elif "win" in first.columns:
        won = stored.counts.group_by("scenario").agg((pl.col("win") * pl.col("count")).sum().alias("won"))
        cut = games.join(won, on="scenario").select(
            "scenario", games=(pl.col("n") - pl.col("won")).round().cast(pl.Int64)
        )
    elif "turns" in first.columns:
        long = pl.col("turns") >= pl.col("max_turns")
        cut = first.join(caps, on="scenario").group_by("scenario").agg((long * pl.col("count")).sum().alias("games"))
    else:
        return pl.DataFrame()
    rows = []
    for row in caps.join(games, on="scenario", maintain_order="left").join(cut, on="scenario").iter_rows(named=True):
        if row["games"] > 0:
            share = stats.wilson(row["games"], row["n"], params.confidence)
            rows.append({**row, **share.row()})
    return pl.DataFrame(rows)


def seats(stored: Stored, params: Params) -> pl.DataFrame:
    """Share of the wins by seat where several play, against the fair share, and who sits there. Without scenarios in
    which games were cut: nobody wins those, so that no seat can have its fair share.
    """
    whole = stored.scenarios.filter(pl.col("seats") > 1)
    if (cut := cut_games(stored, params)).height:
        whole = whole.filter(~pl.col("scenario").is_in(cut["scenario"].to_list()))
    if "win" not in stored.counts.columns or whole.is_empty():
        return pl.DataFrame()
    names = {row["scenario"]: row for row in whole.iter_rows(named=True)}
    shares = analysis.seat_shares(stored.counts, whole, params.seats.band, ("seats", "line_up"), params.confidence)
    who = [names[row["scenario"]][f"seat{row['seat']}"] for row in shares.iter_rows(named=True)]
    return shares.with_columns(player=pl.Series(who, dtype=pl.String))


def changes(stored: Stored, params: Params) -> pl.DataFrame:
    """Paired differences of the sweep: against another scenario on the same dice, or between two seats of a game."""
    game, rows = stored.head["game"], []
    order = {s: i for i, s in enumerate(stored.scenarios["scenario"])}
    ordered = stored.differences.filter(pl.col("scenario").is_in(list(order)))
    for of in ordered["of"].unique():
        mine, versus = ordered["of"] == of, ordered["against"] != ""
        if _of_game(ordered.filter(mine & versus), "difference", ("scenario", "against", "pair")):
            again = mine & versus & (ordered["seat"] > 0)
            ordered = ordered.filter(~again).with_columns(
                seat=pl.when((pl.col("of") == of) & (pl.col("against") != "")).then(-1).otherwise("seat")
            )
    for key, part in groups(ordered, ["scenario", "against", "pair", "of", "seat"]):
        p = stats.paired(*arrays(part, "difference"), params.confidence)
        least = smallest(params, game, key["of"])
        verdict = str(stats.inside(p.mean, -least, least)) if least is not None else ""
        shares = {"better": p.better.value, "same": p.same.value, "worse": p.worse.value}
        rows.append({**key, **p.mean.row(), "n": p.mean.n, "sd": p.sd, **shares, "verdict": verdict})
    return pl.DataFrame(rows, schema_overrides={"seat": pl.Int64}) if rows else pl.DataFrame()
