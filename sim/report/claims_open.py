"""Verdicts that the sample does not settle, and how many games would."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from sim import stats
from sim.report import rows, words
from sim.report.facts import Facts
from sim.report.names import MEASURES, VIEWS
from sim.report.own_tables import smallest
from sim.report.params import Params
from sim.report.tables import Tables

Model = dict[str, Any]
#: what is being asked, the row of the estimate, and the band
Question = tuple[str, dict[str, Any], float, float]


def _levels(tables: Tables, params: Params) -> Iterator[Question]:
    for row in tables["level_balance"].filter(pl.col("measure") != "chance").iter_rows(named=True):
        who = VIEWS.get(row["view"], row["view"])
        told = f"whether {row['lower']} to {row['higher']} brings {who} enough {MEASURES[row['measure']]}"
        yield told, row, row["threshold"], math.inf


def _setup(tables: Tables, params: Params) -> Iterator[Question]:
    least = params.smallest.score
    for row in rows.setup_rows(tables, params).iter_rows(named=True):
        yield f"whether the set-up variation matters to {row['series']} at {row['level']}", row, -least, least


def _readings(tables: Tables, params: Params) -> Iterator[Question]:
    least = params.smallest.score
    for row in rows.reading_rows(tables, params).iter_rows(named=True):
        yield f'whether "{row["told"]}" matters to {row["series"]} at {row["level"]}', row, -least, least


def _karolinchen(tables: Tables, params: Params) -> Iterator[Question]:
    band, least = 100 * params.seats.band, params.smallest.turns
    for row in rows.seat_rows(tables, params).iter_rows(named=True):
        told = f"whether the {row['label']} of {row['seats']} in Karolinchen is inside the target band"
        yield told, row, -band, band
    for row in rows.house_rows(tables, params, "turns").iter_rows(named=True):
        yield f'whether "{row["told"]}" changes the length with {row["seats"]} players', row, -least, least


def _parlett(tables: Tables, params: Params) -> Iterator[Question]:
    band = 100 * params.seats.band
    for row in rows.leader_rows(tables, params).iter_rows(named=True):
        yield f"whether the leader is inside the target band when {row['label']}", row, 50 - band, 50 + band


def _own_seats(tables: Tables, params: Params) -> Iterator[Question]:
    band = params.seats.band
    number = {row["scenario"]: row["number"] for row in tables["own_scenarios"].iter_rows(named=True)}
    for row in tables["own_seats"].filter("mirror").iter_rows(named=True):
        told = f"whether the {words.seat(row['seat'])} seat of no. {number[row['scenario']]} is inside the target band"
        yield told, row, row["fair"] - band, row["fair"] + band


def _own_changes(tables: Tables, params: Params) -> Iterator[Question]:
    number = {row["scenario"]: row["number"] for row in tables["own_scenarios"].iter_rows(named=True)}
    for row in tables["own_changes"].filter(pl.col("verdict") != "").iter_rows(named=True):
        least = smallest(params, tables["sweeps"]["game"][0], row["of"])
        if least is not None:
            against = f"no. {number[row['against']]}" if row["against"] in number else row["pair"]
            told = f"whether the difference of {row['of']} between no. {number[row['scenario']]} and {against} matters"
            yield told, row, -least, least


#: section of the report → its verdicts, each with the question in words
QUESTIONS: Mapping[str, Callable[[Tables, Params], Iterator[Question]]] = {
    "levels": _levels,
    "setup": _setup,
    "readings": _readings,
    "karolinchen": _karolinchen,
    "parlett": _parlett,
    "own_seats": _own_seats,
    "own_changes": _own_changes,
}


def questions(tables: Tables, params: Params, sections: Sequence[str]) -> Iterator[Question]:
    """Every verdict of these sections with its question in words."""
    for name in sections:
        if name in QUESTIONS:
            yield from QUESTIONS[name](tables, params)


def add(facts: Facts, tables: Tables, params: Params, sections: Sequence[str]) -> list[Model]:
    """Register how many verdicts are open and what would settle them, the cheapest first."""
    result: list[Model] = []
    count = 0
    for told, row, low, high in questions(tables, params, sections):
        count += 1
        e = stats.Estimate(row["value"], row["low"], row["high"], row["n"], params.confidence, "")
        if stats.inside(e, low, high) is stats.Verdict.UNKNOWN:
            result.append(
                {"told": told, "games": stats.games_to_settle(e, low, high), "scenario": row.get("scenario") or ""}
            )
    result.sort(key=lambda entry: entry["games"])
    method = "interval shrinks with the square root of n, value as it is"
    for i, entry in enumerate(result):
        entry["key"] = f"open.{i}"
        games = entry.pop("games")
        games = float(f"{games:.2g}") if math.isfinite(games) else games
        facts.add(entry["key"], games, "count", method=method, scenario=entry.pop("scenario"))
    facts.add("open.verdicts", count, "number", method="verdicts of this report")
    facts.add("open.count", len(result), "number", method="verdicts not yet known")
    return result
