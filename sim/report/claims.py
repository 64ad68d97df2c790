"""All claims of the report: the register of facts, and the lists that the prose walks over."""

from __future__ import annotations

from typing import Any

from sim.report import (
    claims_caterpillars,
    claims_karolinchen,
    claims_open,
    claims_parlett,
    claims_thumb,
    claims_verified,
)
from sim.report.facts import Facts
from sim.report.params import Params
from sim.report.tables import Tables

MAXIMUM_PLAYERS = 6


def build_facts(tables: Tables, params: Params) -> tuple[Facts, dict[str, Any]]:
    """Facts, and the model: plain lists of keys, names and verdicts."""
    facts = Facts()
    sweeps = tables["sweeps"].to_dicts()
    for row in sweeps:
        key, more = f"sweep.{row['part']}", {"sweep": row["sweep"], "seed": int(row["seed"])}
        facts.add(f"{key}.seed", row["seed"], "text", **more)
        facts.add(f"{key}.kernel", row["kernel_version"], "number", **more)
        facts.add(f"{key}.games", row["games"], "count", **more)
        facts.add(f"{key}.least", row["least"], "count", method="fewest games of a scenario", **more)
        facts.add(f"{key}.scenarios", row["scenarios"], "number", **more)
    facts.add("games", sum(row["games"] for row in sweeps), "count", method="all games of all sweeps")
    facts.add("scenarios", sum(row["scenarios"] for row in sweeps), "number", method="all scenarios of all sweeps")
    facts.add("confidence", 100 * params.confidence, "number", method="params.yaml")
    facts.add("hundred", 100, "number")
    for players in range(2, MAXIMUM_PLAYERS + 1):
        facts.add(f"players.{players}", players, "number")
    model = {
        "caterpillars": claims_caterpillars.add(facts, tables, params),
        "karolinchen": claims_karolinchen.add(facts, tables, params),
        "parlett": claims_parlett.add(facts, tables, params),
        "thumb": claims_thumb.add(facts, tables),
        "verified": claims_verified.add(facts, tables),
        "open": claims_open.add(facts, tables, params),
        "sweeps": sweeps,
    }
    intervals = sum(1 for fact in facts.all() if fact.low is not None)
    facts.add("claims.intervals", intervals, "number", method="facts with an interval")
    facts.add(
        "claims.missing", round((1 - params.confidence) * intervals), "number", method="expected at the stated level"
    )
    return facts, model
