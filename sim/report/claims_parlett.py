"""Claims about Parlett's Caterpillar: holding courts, seats, court short, who beats whom."""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from sim.report.claims_base import Source
from sim.report.facts import Facts
from sim.report.params import Params
from sim.report.rows import card_rule_rows
from sim.report.tables import Tables

Model = dict[str, Any]


def add(facts: Facts, tables: Tables, params: Params) -> Model:
    """Register every claim about Parlett's game; returns lists of keys for the prose to walk over."""
    source = Source.of("parlett", facts, tables, params)
    facts.add("parlett.policy", params.parlett.policy, "text")
    facts.add("parlett.hold.policy", params.parlett.hold.policy, "text")
    for name, table in (("hold", "hold"), ("mirror", "parlett_seats"), ("rules", "parlett_rules"), ("duels", "duels")):
        own = tables[table] if name != "mirror" else tables[table].filter("mirror")
        source.add(f"parlett.{name}.n", int(own["n"].min()), "count", method="fewest games of an estimate")  # type: ignore[arg-type]
    return {
        "hold": _hold(source, tables["hold"], params),
        "seats": _seats(source, tables["parlett_seats"]),
        "short": _short(source, tables.get("court_short")),
        "duels": _duels(source, tables["duels"]),
        "rules": _rules(source, tables, params),
        "alike": _alike(source, tables["parlett_rules"]),
    }


def _hold(source: Source, frame: pl.DataFrame, params: Params) -> list[Model]:
    """Per opponent: the best and the worst threshold."""
    result = []
    for opponent in frame["opponent"].unique(maintain_order=True):
        rows = frame.filter(pl.col("opponent") == opponent).sort("value", descending=True).to_dicts()
        entry: Model = {"opponent": opponent, "points": len(rows)}
        for name, row in (("best", rows[0]), ("worst", rows[-1])):
            key = f"parlett.hold.{opponent}.{name}"
            source.row(key, row, "share", "mean share over both seats")
            source.add(f"{key}.threshold", row["threshold"], "number", n=row["n"], method="threshold of the policy")
            source.row(f"{key}.score", row, "whole", "mean over both seats", "score")
            entry[name] = key
        source.add(
            f"parlett.hold.{opponent}.from",
            _enough(rows, params.smallest.win),
            "number",
            n=rows[0]["n"],
            method="lowest threshold from which on all are surely within the smallest difference of the best",
        )
        gain = {"value": rows[0]["value"] - rows[-1]["value"], "n": min(r["n"] for r in rows), "scenario": ""}
        half = math.hypot(*(rows[i]["high"] - rows[i]["low"] for i in (0, -1))) / 2
        ends = {"low": gain["value"] - half, "high": gain["value"] + half}
        source.row(
            f"parlett.hold.{opponent}.gain",
            gain | ends,
            "gap",
            f"best minus worst of {len(rows)} thresholds, independent games",
        )
        entry["flat"] = rows[0]["low"] <= rows[-1]["high"]
        result.append(entry)
    return result


def _enough(ranked: list[Model], smallest: float) -> float:
    """Threshold from which on every one is as good as the best, up to `smallest`; `ranked` has the best first."""
    enough = ranked[0]["threshold"]
    for row in sorted(ranked, key=lambda r: -r["threshold"]):
        if ranked[0]["high"] - row["low"] > smallest:
            break
        enough = min(enough, row["threshold"])
    return float(enough)


def _seats(source: Source, frame: pl.DataFrame) -> list[Model]:
    result = []
    for row in frame.filter(pl.col("mirror") & (pl.col("seat") == 0)).iter_rows(named=True):
        policy = row["line_up"].rsplit(" ×", 1)[0]
        key = f"parlett.seat.{policy}"
        source.row(key, row, "share", "mean share, a draw counts half, simultaneous over seats")
        gap = {end: row[end] - 0.5 for end in ("value", "low", "high")}
        source.row(f"{key}.gap", {**row, **gap}, "gap", "share minus one half")
        for part in ("win", "draw", "loss"):
            source.add(
                f"{key}.{part}", row[part], "share", n=row["n"], scenario=row["scenario"], method="share of games"
            )
        result.append({"policy": policy, "key": key, "verdict": row["verdict"], "value": row["value"]})
    return result


def _short(source: Source, frame: pl.DataFrame | None) -> list[Model]:
    result = []
    for row in [] if frame is None else frame.iter_rows(named=True):
        if " ×" in row["line_up"]:
            policy = row["line_up"].rsplit(" ×", 1)[0]
            key = f"parlett.short.{policy}"
            source.row(key, row, "share", "Wilson")
            result.append({"policy": policy, "key": key, "value": row["value"]})
    return result


def _duels(source: Source, frame: pl.DataFrame) -> list[Model]:
    result = []
    base = frame.filter((pl.col("policy") != pl.col("opponent")) & ~pl.col("policy").str.contains("=", literal=True))
    for row in base.filter(pl.col("seats") == 2).sort("value", descending=True).iter_rows(named=True):
        key = f"parlett.duel.{row['policy']}.{row['opponent']}"
        source.row(key, row, "share", "mean share over both seats")
        result.append({"policy": row["policy"], "opponent": row["opponent"], "key": key, "value": row["value"]})
    return result


def _alike(source: Source, frame: pl.DataFrame) -> list[Model]:
    """A/A test: with two deals, each led by one player, nothing distinguishes the seats, so the truth is one half.

    Holds for programs that do not look at the running score, as all that are shipped.
    """
    tests = frame.filter((pl.col("factor") == "deals") & pl.col("mirror") & (pl.col("seat") == 0)).to_dicts()
    result = []
    for row in tests:
        key = f"parlett.alike.{row['line_up'].rsplit(' ×', 1)[0]}"
        source.row(key, row, "share", "mean share, a draw counts half, simultaneous over seats")
        result.append({"policy": row["line_up"].rsplit(" ×", 1)[0], "key": key})
    missed = sum(not row["low"] <= 0.5 <= row["high"] for row in tests)
    source.add("parlett.alike.count", len(tests), "number", method="A/A tests")
    source.add("parlett.alike.missed", missed, "number", method="A/A tests whose interval leaves out one half")
    return result


def _rules(source: Source, tables: Tables, params: Params) -> list[Model]:
    """The leader's share under other rules, by policy; which rule brings everybody inside the band."""
    result: list[Model] = []
    frame = card_rule_rows(tables, params).filter(pl.col("told") != "as printed")
    for told in frame["told"].unique(maintain_order=True):
        own = frame.filter(pl.col("told") == told).to_dicts()
        entry: Model = {"told": told, "keys": [], "fair": all(r["verdict"] == "inside" for r in own)}
        for row in own:
            key = f"parlett.rule.{row['factor']}.{row['setting']}.{row['policy']}"
            ends = {end: row[end] / 100 for end in ("value", "low", "high")}
            source.row(key, {**row, **ends}, "share", "mean share, a draw counts half, simultaneous over seats")
            entry["keys"].append({"policy": row["policy"], "key": key, "verdict": row["verdict"]})
        result.append(entry)
    return result
