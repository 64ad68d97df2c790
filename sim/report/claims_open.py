"""The dispute card: what the sample settles, what it does not, and how many games would."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from sim import stats
from sim.analysis.proposals import PROPOSAL
from sim.report import rows, words
from sim.report.facts import Facts
from sim.report.names import GAME_NAMES, MEASURES, VIEWS, gained, proposed
from sim.report.own_tables import smallest
from sim.report.params import Params
from sim.report.tables import Tables

Model = dict[str, Any]
WIN = "points of win rate"
TURNS = "points of the share of turns"
#: units of differences, and what they are multiplied with for it
UNITS = {"score": ("points", 1.0), "turns": ("turns", 1.0), "win": (WIN, 100.0)}


@dataclass(frozen=True)
class Question:
    """A verdict that is asked for.

    Attributes
    ----------
    topic : str
        The main question it belongs to: one line of the dispute card.
    told : str
        In words, after "not yet known".
    row : dict
        Of the estimate: value, low, high, n.
    low, high : float
        The band; an end may be infinite.
    unit : str
    scale : float
        Of the row and the band, to the unit.
    """

    topic: str
    told: str
    row: dict[str, Any]
    low: float
    high: float
    unit: str
    scale: float = 1.0


def _levels(tables: Tables, params: Params) -> Iterator[Question]:
    for row in tables["level_balance"].filter(pl.col("measure") != "chance").iter_rows(named=True):
        who = VIEWS.get(row["view"], row["view"])
        told = f"whether {row['lower']} to {row['higher']} brings {who} enough {MEASURES[row['measure']]}"
        yield Question("steps between the levels", told, row, row["threshold"], math.inf, "points")


def _setup(tables: Tables, params: Params) -> Iterator[Question]:
    least = params.smallest.score
    for row in rows.setup_rows(tables, params).iter_rows(named=True):
        told = f"whether the set-up variation matters to {row['series']} at {row['level']}"
        yield Question("the set-up variation", told, row, -least, least, "points")


def _readings(tables: Tables, params: Params) -> Iterator[Question]:
    least = params.smallest.score
    for row in rows.reading_rows(tables, params).iter_rows(named=True):
        told = f'whether "{row["told"]}" matters to {row["series"]} at {row["level"]}'
        yield Question("readings of the rules", told, row, -least, least, "points")


def _karolinchen(tables: Tables, params: Params) -> Iterator[Question]:
    band, least = 100 * params.seats.band, params.smallest.turns
    for row in rows.seat_rows(tables, params).iter_rows(named=True):
        told = f"whether the {row['label']} of {row['seats']} in Karolinchen is inside the target band"
        yield Question("seats of Karolinchen", told, row, -band, band, WIN)
    for row in rows.house_rows(tables, params, "turns").iter_rows(named=True):
        told = f'whether "{row["told"]}" changes the length with {row["seats"]} players'
        yield Question("rules of Karolinchen, length", told, row, -least, least, "turns")


def _decided(tables: Tables, params: Params) -> Iterator[Question]:
    for row in tables["watched"].filter(pl.col("measure") == "share").iter_rows(named=True):
        level = f" at {row['level']}" if row["level"] else ""
        game = f"{GAME_NAMES[row['game']]}{level} with {row['players']} players"
        told = f"whether {game} is open long enough"
        yield Question("games that are open long enough", told, row, params.decided.enough, math.inf, TURNS, 100)


def _parlett(tables: Tables, params: Params) -> Iterator[Question]:
    band = 100 * params.seats.band
    for row in rows.leader_rows(tables, params).iter_rows(named=True):
        told = f"whether the leader is inside the target band when {row['label']}"
        yield Question("who leads in Parlett's game", told, row, 50 - band, 50 + band, WIN)


def _proposals(game: str) -> Callable[[Tables, Params], Iterator[Question]]:
    """Whether fresh games confirm what was proposed."""

    def ask(tables: Tables, params: Params) -> Iterator[Question]:
        for row in tables[f"proposals_{game}"].filter(pl.col("status") == PROPOSAL).iter_rows(named=True):
            unit, scale = ("points", 1.0) if game == "caterpillars" else (WIN, 100.0)
            ends = {"value": "gain", "low": "gain_low", "high": "gain_high"}
            gain = {end: scale * row[name] for end, name in ends.items()}
            told = f"whether {gained(row | {'told': proposed(row['factor'], row['setting'])})} by what matters"
            more = {"n": row["n"], "scenario": row["scenario"]}
            yield Question(
                f"proposals for {GAME_NAMES[game]}", told, gain | more, -math.inf, scale * row["smallest"], unit
            )

    return ask


def _own_seats(tables: Tables, params: Params) -> Iterator[Question]:
    band = params.seats.band
    number = {row["scenario"]: row["number"] for row in tables["own_scenarios"].iter_rows(named=True)}
    for row in tables["own_seats"].filter("mirror").iter_rows(named=True):
        told = f"whether the {words.seat(row['seat'])} seat of no. {number[row['scenario']]} is inside the target band"
        yield Question("seats of equals", told, row, row["fair"] - band, row["fair"] + band, WIN, 100)


def _own_changes(tables: Tables, params: Params) -> Iterator[Question]:
    number = {row["scenario"]: row["number"] for row in tables["own_scenarios"].iter_rows(named=True)}
    for row in tables["own_changes"].filter(pl.col("verdict") != "").iter_rows(named=True):
        least = smallest(params, tables["sweeps"]["game"][0], row["of"])
        if least is not None:
            against = f"no. {number[row['against']]}" if row["against"] in number else row["pair"]
            told = f"whether the difference of {row['of']} between no. {number[row['scenario']]} and {against} matters"
            unit, scale = UNITS.get(row["of"], ("", 1.0))
            yield Question(f"differences of {row['of']}", told, row, -least, least, unit, scale)


#: section of the report → its verdicts, each with the question in words
QUESTIONS: Mapping[str, Callable[[Tables, Params], Iterator[Question]]] = {
    "levels": _levels,
    "setup": _setup,
    "readings": _readings,
    "karolinchen": _karolinchen,
    "decided": _decided,
    "parlett": _parlett,
    "better_levels": _proposals("caterpillars"),
    "better_karolinchen": _proposals("karolinchen"),
    "better_parlett": _proposals("parlett"),
    "own_seats": _own_seats,
    "own_changes": _own_changes,
}


def questions(tables: Tables, params: Params, sections: Sequence[str]) -> Iterator[Question]:
    """Every verdict of these sections with its question in words."""
    for name in sections:
        if name in QUESTIONS:
            yield from QUESTIONS[name](tables, params)


def add(facts: Facts, tables: Tables, params: Params, sections: Sequence[str]) -> list[Model]:
    """Register what is settled and what would settle the rest; returns one entry per main question."""
    topics: dict[str, list[tuple[Question, bool, float]]] = {}
    for q in questions(tables, params, sections):
        e = stats.Estimate(q.row["value"], q.row["low"], q.row["high"], q.row["n"], params.confidence, "")
        unknown = stats.inside(e, q.low, q.high) is stats.Verdict.UNKNOWN
        games = stats.games_to_settle(e, q.low, q.high) if unknown else 0.0
        topics.setdefault(q.topic, []).append((q, unknown, games))
    result: list[Model] = []
    for topic, own in topics.items():
        key = f"card.{len(result)}"
        unsettled = sorted((entry for entry in own if entry[1]), key=lambda entry: entry[2])
        facts.add(f"{key}.count", len(own), "number", method="verdicts")
        facts.add(f"{key}.settled", len(own) - len(unsettled), "number", method="verdicts inside or outside")
        widest = max(q.scale * (q.row["high"] - q.row["low"]) / 2 for q, _, _ in own)
        more = {"n": min(q.row["n"] for q, _, _ in own), "method": "half-width of the widest interval"}
        facts.add(f"{key}.shows", float(f"{widest:.2g}"), "number", **more)
        entry: Model = {"topic": topic, "key": key, "unit": own[0][0].unit, "open": ""}
        if unsettled:
            q, _, games = unsettled[0]
            method = "interval shrinks with the square root of n, value as it is"
            near = float(f"{games:.2g}") if math.isfinite(games) else games
            facts.add(f"{key}.games", near, "count", method=method, scenario=q.row.get("scenario") or "")
            entry["open"] = q.told
        result.append(entry)
    every = [entry for own in topics.values() for entry in own]
    facts.add("open.verdicts", len(every), "number", method="verdicts of this report")
    facts.add("open.count", sum(unknown for _, unknown, _ in every), "number", method="verdicts not yet known")
    return result
