"""Result tables about proposals: what was picked, what its fresh games say, what it costs; bedtimes; compensations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from sim.analysis.candidates import Games
from sim.analysis.compensation import common_compensation, compensation
from sim.analysis.frames import table
from sim.analysis.length import bedtime
from sim.analysis.prices import SCHEMA as PRICES
from sim.analysis.prices import Price, change_prices, price_table, share_prices, step_prices
from sim.analysis.proposals import PICK, PROPOSAL, same_candidate, settle
from sim.errors import ReportError
from sim.report.inputs import Stored
from sim.report.params import Params
from sim.report.propose import AGAIN, PREFIX, Asked, read_fresh, read_picks
from sim.report.questions import games_of, look, step_of

Tables = dict[str, pl.DataFrame]
_ABOUT = {
    **dict.fromkeys(("kind", "game", "view", "lower", "higher", "policy"), pl.String),
    "players": pl.Int64,
    "minutes": pl.Float64,
    "turns": pl.Int64,
}
_FIRST = {**dict.fromkeys(("first", "first_low", "first_high", "first_gain"), pl.Float64), "first_n": pl.Int64}
SCHEMA: dict[str, Any] = {
    **PICK,
    **_ABOUT,
    **_FIRST,
    "verdict": pl.String,
    "seed": pl.String,
    "first_seed": pl.String,
}


def proposal_tables(game: str, inputs: Mapping[str, Stored], params: Params, data: Path | str) -> Tables:
    """Tables ``proposals_<game>`` and ``prices_<game>``; for Karolinchen also ``dial``, for Parlett's
    game ``compensation`` and ``compensation_common``.

    Empty where no fresh games were played (``sim propose``): a report can be made without them.

    Parameters
    ----------
    inputs : mapping of str to Stored
        Stored sweeps by part; those that are there are checked to be the ones in which proposals were picked.

    Raises
    ------
    ReportError
        Where the fresh games belong to other sweeps or other proposals.
    """
    asked = read_picks(data, params, game)
    if not asked:
        return {}
    fresh = read_fresh(game, data)
    games = games_of(fresh)
    rows, prices = [], [table([], PRICES)]
    for ask in asked:
        part = ask.question.part
        if part in inputs and int(inputs[part].head["seed"]) != ask.seed:
            raise ReportError(f"proposals were picked from other games than those of sweep {part}; {AGAIN}")
        row = _judged(ask, games, params)
        row |= {"kind": ask.question.kind, "game": game, "first_seed": str(ask.seed)}
        row["seed"] = str(params.proposals.seed) if ask.found.status == PROPOSAL else ""
        rows.append(row | {k: v for k, v in ask.question.about.items() if k in _ABOUT})
        if ask.found.status == PROPOSAL:
            prices.append(price_table(ask.question.id, _prices(ask, games, params)))
    proposals = table(rows, SCHEMA)
    tables = {
        f"proposals_{game}": proposals,
        f"prices_{game}": pl.concat(prices),
    }
    if game == "karolinchen":
        tables["dial"] = _dial(proposals, fresh, params)
    if game == "parlett" and "parlett" in inputs:
        tables |= _compensation(inputs["parlett"], fresh, params)
    return tables


def _judged(ask: Asked, games: Games, params: Params) -> dict[str, Any]:
    """What was picked, with what the fresh games say of it."""
    if ask.found.status != PROPOSAL:
        return ask.found.record()
    row = same_candidate(look(ask.question, games, params), ask.found.row)
    if row is None:
        raise ReportError(
            f"the fresh games hold no {ask.found.row['factor']} = {ask.found.row['setting']}, which is picked for "
            f"{ask.question.id}; {AGAIN}"
        )
    return settle(ask.found, row, (ask.seed, params.proposals.seed), params.confidence)


def _prices(ask: Asked, games: Games, params: Params) -> Iterator[Price]:
    """What the proposal changes beside its measure, by kind of question."""
    row, about, level, band = ask.found.row, ask.question.about, params.confidence, params.seats.band
    kind = ask.question.kind
    if kind == "step":
        yield from step_prices(games, step_of(about), row, about["next"], about["next_policy"], level)
    elif kind == "setup":
        policies = [about["best"][row["at"]], about["child"]]
        yield from change_prices(games, row, ["score", "zeros"], policies, conf=level, level=row["at"])
    elif kind == "seats":
        line_ups = [f"{policy} ×2" for policy in params.proposals.seats.policies]
        yield from change_prices(games, row, ["cards_played", "score"], line_ups, conf=level)
        yield from share_prices(games, row, line_ups, band, level)
    else:
        policies = params.proposals.tails.policies if kind == "tails" else [params.karolinchen.policy]
        line_ups = [f"{policy} ×{about['players']}" for policy in policies]
        yield from change_prices(games, row, ["turns", "win"], line_ups, conf=level)
        yield from share_prices(games, row, line_ups, band, level)


_DIAL = {
    "seats": pl.Int64,
    "minutes": pl.Float64,
    "turns": pl.Int64,
    **dict.fromkeys(("value", "low", "high"), pl.Float64),
    "n": pl.Int64,
    "scenario": pl.String,
    **dict.fromkeys(("status", "factor", "setting", "verdict"), pl.String),
    "compared": pl.Int64,
    **dict.fromkeys(("changed", "changed_low", "changed_high"), pl.Float64),
    "changed_n": pl.Int64,
}


def _dial(proposals: pl.DataFrame, fresh: Stored, params: Params) -> pl.DataFrame:
    """Chance to finish by players and minutes, as printed and with the best shortening rule, from fresh games."""
    table_ = params.karolinchen
    printed = fresh.scenarios.filter((pl.col("factor") == "") & pl.col("line_up").str.starts_with(f"{table_.policy} ×"))
    found = bedtime(fresh.counts, printed, table_.seconds_per_turn, table_.bedtime, ("seats",), params.confidence)
    rows = []
    for row in found.iter_rows(named=True):
        here = (pl.col("players") == row["seats"]) & (pl.col("minutes") == row["minutes"])
        told = proposals.filter((pl.col("kind") == "bedtime") & here).row(0, named=True)
        own = {k: told[k] for k in ("status", "factor", "setting", "verdict", "compared")}
        if told["status"] == PROPOSAL:
            own |= {"changed": told["value"], "changed_low": told["low"], "changed_high": told["high"]}
            own["changed_n"] = told["n"]
        rows.append(row | own)
    return table(rows, _DIAL).sort("minutes", "seats", maintain_order=True)


def _compensation(stored: Stored, fresh: Stored, params: Params) -> Tables:
    """Points to one seat of Parlett's game, found in the stored games and checked in the fresh ones."""
    given, band, level = params.proposals, params.seats.band, params.confidence
    found, later = (stored.differences, stored.scenarios), (fresh.differences, fresh.scenarios)
    policies = [*given.seats.policies, given.search.policy]
    points = common_compensation(found, given.seats.policies, band, level)
    common = {
        "points": points,
        "policies": ", ".join(given.seats.policies),
        "strengths": len(given.seats.policies),
    }
    schema = {"points": pl.Int64, "policies": pl.String, "strengths": pl.Int64}
    return {
        "compensation": compensation(found, later, policies, band, level),
        "compensation_common": table([common], schema),
    }


def fresh_sweeps(games: Sequence[str], params: Params, data: Path | str) -> dict[str, Stored]:
    """The fresh sweeps of these games by name, for the list of what was played; none where nothing was ever asked."""
    return {f"{PREFIX}-{game}": read_fresh(game, data) for game in games if read_picks(data, params, game)}
