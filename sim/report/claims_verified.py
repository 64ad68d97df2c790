"""Claims about the comparison of simulated with exact results."""

from __future__ import annotations

from typing import Any

from sim.report import words
from sim.report.facts import Facts
from sim.report.params import Params
from sim.report.tables import Tables


def add(facts: Facts, tables: Tables, params: Params) -> dict[str, Any]:
    """Register how much was compared and how it came out; returns what the prose walks over."""
    run = tables["verification_run"].row(0, named=True)
    more = {"sweep": "verification", "seed": int(run["seed"])}
    facts.add("verify.checks", run["checks"], "number", method="comparisons with exact answers", **more)
    facts.add("verify.scenarios", run["scenarios"], "number", method="scenarios with exact answers", **more)
    facts.add("verify.games", run["games"], "count", method="all games of the verification", **more)
    facts.add("verify.each", run["games_per_scenario"], "count", method="params.yaml", **more)
    facts.add("verify.rate", 100 * run["error_rate"], "number", method="params.yaml", **more)
    facts.add("verify.limit", words.decimals(run["deviation"], 1), "text", method="Bonferroni", **more)
    largest = float(tables["verification"]["deviation"].max())  # type: ignore[arg-type]
    facts.add("verify.largest", words.decimals(largest, 1), "text", method="largest of all comparisons", **more)
    adjusted = run["smallest_adjusted_p"]
    text = words.decimals(adjusted, 2) if adjusted >= 0.005 else f"{adjusted:.1g}"
    facts.add("verify.p", text, "text", method="smallest p-value × comparisons, at most 1", **more)
    facts.add("verify.seed", run["seed"], "text", **more)
    games = tables["verification"].group_by("game", maintain_order=True).len().rows()
    for game, count in games:
        facts.add(f"verify.{game}", count, "number", method="comparisons with exact answers", **more)
    return {"verified": {"games": [game for game, _ in games]}}
