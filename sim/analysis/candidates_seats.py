"""Candidates that shorten a race, or make every seat of a game fair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from sim import stats
from sim.analysis.candidates import SCHEMA, Allowed, Games, Row, candidate, line
from sim.analysis.frames import table
from sim.analysis.seats import seat_shares
from sim.errors import InputError
from sim.stats import Estimate


def shortening_candidates(
    games: Games,
    question: str,
    players: int,
    policy: str,
    turns: int,
    enough: float,
    allowed: Allowed,
    smallest: float,
    level: float = 0.95,
) -> pl.DataFrame:
    """Which rule brings a race to its end within so many turns, often enough?

    Parameters
    ----------
    turns : int
        Turns that fit.
    enough : float
        Share of games that are to be over by then.

    Returns
    -------
    polars.DataFrame
        `SCHEMA`; `cost` is the cut of the mean length in turns (paired), so that the mildest rule that is enough is
        taken. Chances are compared as if on separate dice, which is on the wide side.
    """
    line_up = f"{policy} ×{players}"
    base = games.id(line_up=line_up, factor="")
    if base is None:
        raise InputError(f"{line_up} was not played by the printed rules; accepted: a sweep in which it was")

    def over(scenario: str) -> Estimate:
        v, c = games.sample(scenario, "turns")
        return stats.wilson(int(c[v <= turns].sum()), int(c.sum()), level)

    before, rows = over(base), []
    for scenario, factor, setting in games.varied(allowed, line_up=line_up):
        after = over(scenario)
        found = {
            "question": question,
            "measure": "over in time",
            "at": str(players),
            "factor": factor,
            "setting": setting,
            "scenario": scenario,
            "against": base,
            "cost": -games.change(scenario, base, "turns", level).value,
            "smallest": smallest,
        }
        rows.append(candidate(found, after, before, line([(1, after), (-1, before)]), (enough, 1.0)))
    return table(rows, SCHEMA)


def seat_candidates(
    games: Games,
    question: str,
    policies: Sequence[str],
    band: float,
    allowed: Allowed,
    smallest: float,
    *,
    players: int = 2,
    level: float = 0.95,
) -> pl.DataFrame:
    """Which rule makes every seat fair, at every strength of play?

    Parameters
    ----------
    policies : sequence of str
        Strengths: each is played by everybody. A candidate counts with all of them.
    band : float
        Departure from the fair share 1/k that is still fair.
    allowed : mapping
        Rule parameters that may change → their settings, or ``all`` that were played; the earlier in this list (and,
        within one parameter, in the sweep), the milder.

    Returns
    -------
    polars.DataFrame
        `SCHEMA`; the measure is the largest departure of any seat from the fair share at any strength; its interval
        goes from the largest lower to the largest upper end of all departures. It is never below 0, and noise makes it
        larger, not smaller. `cost` is the place in the list of candidates.
    """
    names = [f"{policy} ×{players}" for policy in policies]
    wanted = pl.col("line_up").is_in(names) & pl.col("factor").is_in(["", *allowed])
    shares = seat_shares(games.counts, games.scenarios.filter(wanted), band, ("line_up",), level)
    worst = {}
    for (scenario,), part in shares.group_by("scenario"):
        gaps = [_size(row) for row in part.iter_rows(named=True)]
        top = max(gaps, key=lambda e: e.value)
        worst[str(scenario)] = Estimate(
            top.value, max(e.low for e in gaps), max(e.high for e in gaps), top.n, level, "largest departure"
        )

    def all_of(ids: Sequence[str | None]) -> tuple[Estimate, str] | None:
        if None in ids:
            return None
        own = [(worst[str(i)], str(i)) for i in ids]
        top, at = max(own, key=lambda pair: pair[0].value)
        return Estimate(
            top.value, max(e.low for e, _ in own), max(e.high for e, _ in own), top.n, level, top.method
        ), at

    printed = all_of([games.id(line_up=name, factor="") for name in names])
    if printed is None:
        raise InputError(f"{', '.join(names)} were not all played; accepted: a sweep in which they were")
    rows: list[Row] = []
    seen: list[tuple[str, str]] = [(f, s) for _, f, s in games.varied(allowed, line_up=names[0])]
    for place, (factor, setting) in enumerate(seen):
        found = all_of([games.id(line_up=name, factor=factor, value=setting) for name in names])
        if found is None:
            continue
        told = {
            "question": question,
            "measure": "largest departure",
            "at": str(players),
            "factor": factor,
            "setting": setting,
            "scenario": found[1],
            "against": printed[1],
            "cost": float(place),
            "smallest": smallest,
        }
        rows.append(candidate(told, found[0], printed[0], line([(1, printed[0]), (-1, found[0])]), (-band, band)))
    return table(rows, SCHEMA)


def _size(row: Mapping[str, Any]) -> Estimate:
    """How far a seat's share is from the fair one, either way."""
    low, high = row["low"] - row["fair"], row["high"] - row["fair"]
    least = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return Estimate(abs(row["value"] - row["fair"]), least, max(abs(low), abs(high)), row["n"], 0.95, "departure")
