"""Claims about a designer's own sweep, of any of the games."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from sim import stats
from sim.report import words
from sim.report.claims_base import Source
from sim.report.facts import Facts
from sim.report.names import called
from sim.report.own_tables import QUANTILES, smallest, told_column
from sim.report.params import Params
from sim.report.tables import Tables

Model = dict[str, Any]
#: column → kinds of its values and of its differences
KINDS = {"score": ("points", "fine"), "turns": ("turns", "turns_change"), "win": ("share", "gap")}


def _kinds(column: str) -> tuple[str, str]:
    return KINDS.get(column, ("amount", "amount_change"))


def scenarios(facts: Facts, tables: Tables, params: Params) -> Model:
    """What the sweep was."""
    sweep = tables["sweeps"].row(0, named=True)
    rows = tables["own_scenarios"].to_dicts()
    sweep["title"] = "" if called(sweep) == sweep["sweep"] else called(sweep)
    return {"sweep": sweep, "scenarios": rows, "by_id": {row["scenario"]: row for row in rows}, "path": sweep["path"]}


def cut(facts: Facts, tables: Tables, params: Params) -> Model:
    """Games cut at the cap on turns, the scenario with most of them first."""
    source, known, rows = Source.of("own", facts, tables, params), _by_id(tables), []
    for row in tables["own_cut"].sort("value", descending=True, maintain_order=True).iter_rows(named=True):
        scenario = known[row["scenario"]]
        key = f"own.{scenario['number']}.cut"
        source.row(key, row, "share", "share of games cut at the cap on turns, Wilson")
        told = {"number": scenario["number"], "told": scenario["told"], "cap": row["max_turns"]}
        rows.append({"key": key, "n": row["n"], "games": row["games"], **told})
    facts.add("own.cut.count", len(rows), "number", method="scenarios with games cut at the cap on turns")
    return {"cut": rows}


def _by_id(tables: Tables) -> Mapping[str, Model]:
    return {row["scenario"]: row for row in tables["own_scenarios"].to_dicts()}


def _where(row: Mapping[str, Any], one: bool) -> str:
    return "" if row["seat"] < 0 or one else f", {words.seat(row['seat'])} seat"


def _key(known: Mapping[str, Model], row: Mapping[str, Any], rest: str) -> str:
    seat = "all" if row["seat"] < 0 else row["seat"]
    return f"own.{known[row['scenario']]['number']}.{seat}.{rest}"


def results(facts: Facts, tables: Tables, params: Params) -> Model:
    """What came out: mean, spread, quantiles of what the game is about."""
    source, known = Source.of("own", facts, tables, params), _by_id(tables)
    rows = _amounts(source, known, tables["own_results"])
    model: Model = {"results": rows, "column": told_column(tables["own_results"]["column"][0])}
    ranked = tables["own_results"].sort("value", maintain_order=True)
    ends = [ranked.row(i, named=True) for i in (0, -1)]
    keys = [_key(known, row, f"{row['column']}.mean") for row in ends]
    model["lowest"], model["highest"] = (next(r for r in rows if r["key"] == key) for key in keys)
    if (pair := _farthest(ranked, tables)) is not None:
        low, high = (stats.Estimate(r["value"], r["low"], r["high"], r["n"], params.confidence, "") for r in pair)
        half = low.half_width + high.half_width
        value, kind = high.value - low.value, _kinds(pair[0]["column"])[1]
        method = f"highest minus lowest of {len(rows)} means, of different scenarios; half-widths added up, because "
        method += "games of one seed may go together in any way"
        more = {"n": min(low.n, high.n), "method": method, "scenario": pair[1]["scenario"]}
        source.add("own.range", value, kind, low=value - half, high=value + half, **more)
        apart = [next(r for r in rows if r["key"] == _key(known, e, f"{e['column']}.mean")) for e in pair]
        model["range"] = {"low": apart[0], "high": apart[1]}
    return model


def _farthest(ranked: pl.DataFrame, tables: Tables) -> Sequence[Model] | None:
    """The lowest and the highest mean of two scenarios; None where there are no two, or a stored pair states it."""
    low, high = ranked.row(0, named=True), ranked.row(-1, named=True)
    if low["scenario"] == high["scenario"]:
        others = ranked.filter(pl.col("scenario") != low["scenario"])
        if others.is_empty():
            return None
        least, most = others.row(0, named=True), others.row(-1, named=True)
        if high["value"] - least["value"] >= most["value"] - low["value"]:
            low = least
        else:
            high = most
    ends = {low["scenario"], high["scenario"]}
    if "own_changes" in tables and low["seat"] == high["seat"]:
        for row in tables["own_changes"].iter_rows(named=True):
            told = {row["scenario"], row["against"]} == ends and row["of"] == low["column"]
            if told and row["seat"] == low["seat"]:
                return None
    return low, high


def _amounts(source: Source, known: Mapping[str, Model], frame: pl.DataFrame) -> list[Model]:
    rows = []
    for row in frame.iter_rows(named=True):
        kind = _kinds(row["column"])[0]
        key = _key(known, row, row["column"])
        source.row(f"{key}.mean", row, kind if kind != "turns" else "amount", "mean, Student's t")
        source.row(f"{key}.sd", row, "points" if kind == "points" else "amount", "standard deviation", "sd")
        for p in QUANTILES:
            source.row(f"{key}.p{p}", row, "whole" if kind == "points" else kind, "order statistics", f"p{p}")
        scenario = known[row["scenario"]]
        where = _where(row, scenario["seats"] == 1)
        rows.append(
            {
                "key": f"{key}.mean",
                "of": key,
                "number": scenario["number"],
                "place": f"no. {scenario['number']}{where}",
                "told": scenario["told"] + where,
                "rules": scenario["rules"],
                "seat": row["seat"],
                "column": row["column"],
            }
        )
    return rows


def more(facts: Facts, tables: Tables, params: Params) -> Model:
    """Whatever else was counted."""
    source = Source.of("own", facts, tables, params)
    return {"more": _amounts(source, _by_id(tables), tables["own_more"])}


def seats(facts: Facts, tables: Tables, params: Params) -> Model:
    """Who wins from which seat."""
    source, known = Source.of("own", facts, tables, params), _by_id(tables)
    rows = []
    for row in tables["own_seats"].iter_rows(named=True):
        scenario, key = known[row["scenario"]], _key(known, row, "share")
        source.row(key, row, "share", "share of wins, simultaneous over seats")
        gap = {end: row[end] - row["fair"] for end in ("value", "low", "high")}
        source.row(f"{key}.gap", {**row, **gap}, "gap", "share of wins minus the fair share, simultaneous over seats")
        rows.append(
            {
                "key": key,
                "gap": f"{key}.gap",
                "number": scenario["number"],
                "told": scenario["told"],
                "seat": row["seat"],
                "player": row["player"],
                "fair": row["fair"],
                "mirror": row["mirror"],
                "rules": scenario["rules"],
                "verdict": row["verdict"],
                "value": row["value"] - row["fair"],
            }
        )
    alike = [r for r in rows if r["mirror"]]
    for name, method in (("inside", "inside the band"), ("outside", "outside the band")):
        found = sum(r["verdict"] == name for r in alike)
        facts.add(f"own.seats.{name}", found, "number", method=f"seats of equals {method}")
    facts.add("own.seats.alike", len(alike), "number", method="seats in games of equals")
    return {"seats": rows, "alike": alike, "far": max(alike or rows, key=lambda r: abs(r["value"]))}


def changes(facts: Facts, tables: Tables, params: Params) -> Model:
    """Differences on the same dice."""
    source, known = Source.of("own", facts, tables, params), _by_id(tables)
    game = source.sweep["game"]
    rows = []
    for row in tables["own_changes"].iter_rows(named=True):
        scenario = known[row["scenario"]]
        other = known.get(row["against"])
        side = other["number"] if other else re.sub(r"\W+", "-", row["pair"]).strip("-")
        key = _key(known, row, f"change.{row['of']}.{side}")
        source.row(key, row, _kinds(row["of"])[1], "mean of paired differences, Student's t")
        more = {"n": row["n"], "scenario": row["scenario"]}
        source.add(f"{key}.sd", row["sd"], "amount", method="standard deviation of paired differences", **more)
        for part in ("better", "same", "worse"):
            source.add(f"{key}.{part}", row[part], "share", method="share of pairs", **more)
        if row["against"]:
            base = f"no. {other['number']}" if other else row["pair"]
            pair = f"{scenario['told']}, against {base}"
            pair += _where(row, scenario["seats"] == 1)
        else:
            pair = f"{scenario['told']}: {row['pair']}"
        rows.append(
            {
                "key": key,
                "number": scenario["number"],
                "told": pair,
                "against": f"no. {other['number']}" if other else row["pair"],
                "of": row["of"],
                "column": told_column(row["of"]),
                "seat": row["seat"],
                "verdict": row["verdict"],
                "value": row["value"],
                "least": smallest(params, game, row["of"]),
                "rules": scenario["rules"],
                "alike": scenario["mirror"] and not row["against"],
                "same_rules": not row["against"] or (other is not None and other["rules"] == scenario["rules"]),
            }
        )
    rows.sort(key=lambda r: -abs(r["value"]) / (r["least"] or float("inf")))
    return {"changes": rows, "most": rows[0]}
