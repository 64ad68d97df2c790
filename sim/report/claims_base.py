"""What the claims of every game share: where a number comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from sim.report.facts import Fact, Facts
from sim.report.params import Params
from sim.report.tables import Tables


@dataclass(frozen=True)
class Source:
    """Facts of one sweep: fills in seed, sweep and level."""

    facts: Facts
    sweep: Mapping[str, Any]
    level: float

    @classmethod
    def of(cls, part: str, facts: Facts, tables: Tables, params: Params) -> Source:
        """The source of one part of the report."""
        return cls(facts, tables["sweeps"].row(by_predicate=pl.col("part") == part, named=True), params.confidence)

    def add(self, key: str, value: Any, kind: str, **more: Any) -> Fact:
        """Register a fact of this sweep."""
        given: dict[str, Any] = {"seed": int(self.sweep["seed"]), "sweep": self.sweep["sweep"]}
        if more.get("low") is not None:
            given["level"] = self.level
        return self.facts.add(key, value, kind, **given | more)

    def row(self, key: str, row: Mapping[str, Any], kind: str, method: str, prefix: str = "") -> Fact:
        """Register an estimate from a row of a result table."""
        value, low, high = (prefix, f"{prefix}_low", f"{prefix}_high") if prefix else ("value", "low", "high")
        ends = {"low": row[low], "high": row[high]} if low in row else {}
        return self.add(
            key, row[value], kind, n=row.get("n"), scenario=row.get("scenario") or "", method=method, **ends
        )
