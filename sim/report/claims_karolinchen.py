"""Claims about Karolinchen: length and bedtime, seats, policies, house rules."""

from __future__ import annotations

from typing import Any

import polars as pl

from sim.games.karolinchen.rules import FRUITS
from sim.report import rows, words
from sim.report.claims_base import Source
from sim.report.facts import Facts
from sim.report.names import HOUSE_RULES
from sim.report.params import Params
from sim.report.tables import Tables

Model = dict[str, Any]
#: how measures of length are known; others are quantiles
_METHODS = {"mean": "mean, Student's t", "longest": "longest seen"}


def add(facts: Facts, tables: Tables, params: Params) -> Model:
    """Register every claim about Karolinchen; returns lists of keys for the prose to walk over."""
    source = Source.of("karolinchen", facts, tables, params)
    table = params.karolinchen
    facts.add("karolinchen.policy", table.policy, "text")
    facts.add("karolinchen.seconds", table.seconds_per_turn, "number", method="assumption in params.yaml")
    for name, minutes in zip(("low", "high"), table.published_minutes, strict=True):
        facts.add(f"karolinchen.published.{name}", minutes, "number", method="published; see docs/rules")
    mine = rows.mirror_of(params)
    players = _length(source, tables["length"].filter(mine), params)
    _bedtime(source, tables["bedtime"])
    return {
        "players": players,
        "bedtime": [int(m) if m == int(m) else m for m in table.bedtime],
        "seats": _seats(source, tables["karolinchen_seats"].filter(mine)),
        "policies": _policies(source, tables),
        "house": _house(source, tables, params),
        "tails": _tails(source, tables.get("tails")),
        "odd": _odd(source, tables["odd_one_out"]),
        "idle": rows.idle_rules(tables),
    }


def _length(source: Source, frame: pl.DataFrame, params: Params) -> list[int]:
    seconds = params.karolinchen.seconds_per_turn
    for row in frame.iter_rows(named=True):
        key = f"karolinchen.{row['seats']}.{row['measure']}"
        source.row(key, row, "turns", _METHODS.get(row["measure"], "order statistics"))
        more = {"n": row["n"], "scenario": row["scenario"]}
        for unit, factor in (("rounds", 1 / row["seats"]), ("minutes", seconds / 60)):
            ends = {"low": row["low"] * factor, "high": row["high"] * factor}
            source.add(f"{key}.{unit}", row[unit], unit, method=f"turns times {factor:.4g}", **ends, **more)
        if row["measure"] == "p50":
            source.add(
                f"karolinchen.{row['seats']}.capped", row["capped"], "count", method="games cut at the cap", **more
            )
            source.add(f"karolinchen.{row['seats']}.n", row["n"], "count", **more)
            low, high = (m * 60 / row["value"] for m in params.karolinchen.published_minutes)
            told = f"{words.decimals(low, 0)} to {words.decimals(high, 0)}"
            source.add(
                f"karolinchen.{row['seats']}.fitting", told, "text", method="published minutes / median turns", **more
            )
    return sorted(frame["seats"].unique().to_list())


def _bedtime(source: Source, frame: pl.DataFrame) -> None:
    for row in frame.iter_rows(named=True):
        source.row(f"karolinchen.{row['seats']}.within.{row['minutes']:g}", row, "share", "Wilson")


def _seats(source: Source, frame: pl.DataFrame) -> list[Model]:
    result: list[Model] = []
    for players in sorted(frame["seats"].unique().to_list()):
        own = frame.filter(pl.col("seats") == players).sort("seat").to_dicts()
        for row in own:
            key = f"karolinchen.{players}.seat{row['seat']}"
            source.row(key, row, "share", "Wilson, simultaneous over seats")
            gap = {end: row[end] - row["fair"] for end in ("value", "low", "high")}
            source.row(f"{key}.gap", {**row, **gap}, "gap", "Wilson, simultaneous over seats, minus the fair share")
        source.add(f"karolinchen.{players}.fair", own[0]["fair"], "share", method="1 / players")
        source.add(
            f"karolinchen.{players}.spread", own[0]["spread"], "gap", n=own[0]["n"], scenario=own[0]["scenario"],
            method="standard deviation of the seats' shares, corrected for noise",
        )  # fmt: skip
        outside = [r["seat"] for r in own if r["verdict"] == "outside"]
        result.append({"players": players, "outside": outside, "verdicts": [r["verdict"] for r in own]})
    return result


def _policies(source: Source, tables: Tables) -> Model:
    """Median length by policy with the same number of players, and duels where two policies met in both seats."""
    lengths = tables["length"].filter(pl.col("measure") == "p50")
    mirrors = [
        r for r in lengths.iter_rows(named=True) if r["line_up"].endswith(f" ×{r['seats']}") and "=" not in r["line_up"]
    ]
    result = []
    for row in mirrors:
        policy = row["line_up"].rsplit(" ×", 1)[0]
        key = f"karolinchen.{row['seats']}.policy.{policy}"
        source.row(key, row, "turns", "median, order statistics")
        result.append({"policy": policy, "players": row["seats"], "key": key, "turns": row["value"]})
    duels = []
    for row in tables["karolinchen_duels"].iter_rows(named=True):
        if row["policy"] != row["opponent"] and row["seats"] == 2:
            key = f"karolinchen.duel.{row['policy']}.{row['opponent']}"
            source.row(key, row, "share", "mean share over both seats")
            duels.append({"policy": row["policy"], "opponent": row["opponent"], "key": key, "value": row["value"]})
    return {"lengths": result, "duels": duels}


def _house(source: Source, tables: Tables, params: Params) -> list[Model]:
    """Other rules: change of turns, and of the first seat's share of wins, by number of players."""
    result = []
    both = zip(*(rows.house_rows(tables, params, of).iter_rows(named=True) for of in ("turns", "win")), strict=True)
    for pair in both:
        turns, win = pair
        entry: Model = {name: turns[name] for name in ("factor", "setting", "told", "policy")}
        entry |= {"players": turns["seats"], "reading": turns["factor"] in HOUSE_RULES}
        for row, kind in ((turns, "turns_change"), (win, "gap")):
            setting = str(row["setting"]).replace(" ", "")
            key = f"karolinchen.house.{row['factor']}.{setting}.{row['seats']}.{row['of']}"
            source.row(key, row, kind, "mean of paired differences, Student's t")
            entry |= {row["of"]: key, f"{row['of']}_verdict": row["verdict"], f"{row['of']}_value": row["value"]}
        result.append(entry)
    return result


def _tails(source: Source, frame: pl.DataFrame | None) -> list[Model]:
    """Share of wins by start fruit: the luckiest and the unluckiest tail, by number of players."""
    result: list[Model] = []
    if frame is None:
        return result
    for players in sorted(frame["seats"].unique()):
        entries = frame.filter(pl.col("seats") == players).sort("value").to_dicts()
        entry: Model = {"players": players}
        for name, row in (("worst", entries[0]), ("best", entries[-1])):
            key = f"karolinchen.{players}.tail.{name}"
            source.row(key, row, "share", "Wilson")
            entry |= {name: key, f"{name}_fruit": FRUITS[row["start_fruit"]]}
        result.append(entry)
    return result


def _odd(source: Source, frame: pl.DataFrame) -> list[Model]:
    """One player plays differently from the others: share of wins, and the change against playing alike."""
    result = []
    for row in frame.iter_rows(named=True):
        key = f"karolinchen.{row['seats']}.odd.{row['policy']}.{row['seat']}"
        source.row(key, row, "share", "Wilson")
        source.row(f"{key}.change", row, "gap", "difference of shares, independent games", "change")
        source.add(
            f"{key}.alike", row["alike"], "share", n=row["n"], scenario=row["scenario"], method="same seat, all alike"
        )
        result.append({**{k: row[k] for k in ("policy", "others", "seat", "seats", "change")}, "key": key})
    return result
