"""Claims about the report's own false alarms."""

from __future__ import annotations

from typing import Any

from sim.report.facts import Facts
from sim.report.params import Params
from sim.report.tables import Tables


def add(facts: Facts, tables: Tables, params: Params) -> dict[str, Any]:
    """Register how many claims of a difference there are, how many hold, and how often an A/A run alarms."""
    families: list[dict[str, Any]] = []
    for row in tables["alarms"].iter_rows(named=True):
        whole = row["family"] == "all"
        key = "alarms" if whole else f"alarms.{len(families)}"
        facts.add(f"{key}.claims", row["claims"], "number", method="claims that something differs")
        facts.add(f"{key}.held", row["held"], "number", method="claims that hold after Holm's adjustment")
        ends = {"low": row["low"], "high": row["high"], "level": params.confidence}
        facts.add(f"{key}.rate", row["value"], "share", n=row["n"], method="A/A runs with an alarm, Wilson", **ends)
        if not whole:
            families.append({"told": row["family"], "key": key})
    alpha = float(tables["alarms"]["alpha"][0])
    facts.add("alarms.families", len(families), "number", method="named families of claims")
    facts.add("alarms.runs", int(tables["alarms"]["n"][0]), "number", method="A/A runs")
    facts.add("alarms.alpha", 100 * alpha, "number", method="Holm's level of every family")
    most = 100 * (1 - (1 - alpha) ** len(families))
    facts.add("alarms.most", float(f"{most:.2g}"), "number", method="1 − (1 − level)^families, if they are independent")
    return {"alarms": families}
