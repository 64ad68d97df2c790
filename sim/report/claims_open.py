"""Verdicts that the sample does not settle, and how many games would."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import polars as pl

from sim import stats
from sim.report import rows
from sim.report.facts import Facts
from sim.report.names import MEASURES, VIEWS
from sim.report.params import Params
from sim.report.tables import Tables

Model = dict[str, Any]
#: what is being asked, the row of the estimate, and the band
Question = tuple[str, dict[str, Any], float, float]


def questions(tables: Tables, params: Params) -> Iterator[Question]:
    """Every verdict of the report with its question in words."""
    least, band = params.smallest, 100 * params.seats.band
    for row in tables["level_balance"].filter(pl.col("measure") != "chance").iter_rows(named=True):
        who = VIEWS.get(row["view"], row["view"])
        told = f"whether {row['lower']} to {row['higher']} brings {who} enough {MEASURES[row['measure']]}"
        yield told, row, row["threshold"], math.inf
    for row in rows.reading_rows(tables, params).iter_rows(named=True):
        told = f'whether "{row["told"]}" matters to {row["series"]} at {row["level"]}'
        yield told, row, -least.score, least.score
    for row in rows.seat_rows(tables, params).iter_rows(named=True):
        told = f"whether the {row['label']} of {row['seats']} in Karolinchen is inside the target band"
        yield told, row, -band, band
    for row in rows.house_rows(tables, params, "turns").iter_rows(named=True):
        told = f'whether "{row["told"]}" changes the length with {row["seats"]} players'
        yield told, row, -least.turns, least.turns
    for row in rows.leader_rows(tables, params).iter_rows(named=True):
        yield f"whether the leader is inside the target band when {row['label']}", row, 50 - band, 50 + band


def add(facts: Facts, tables: Tables, params: Params) -> list[Model]:
    """Register how many verdicts are open and what would settle them, the cheapest first."""
    result: list[Model] = []
    count = 0
    for told, row, low, high in questions(tables, params):
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
