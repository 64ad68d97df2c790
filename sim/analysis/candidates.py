"""Candidates for another rule, question by question: what each would bring, against a target that was fixed before.

Every function looks at one question and returns one row per candidate with the same columns (`SCHEMA`), so that one
rule (`sim.analysis.proposals.pick`) can choose among them. The same function reads the games in which a candidate was
found and the fresh ones in which it is judged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from sim import stats
from sim.analysis.frames import arrays
from sim.errors import InputError
from sim.stats import Estimate
from sim.sweep.space import text

_TRIPLES = [(name, f"{name}_low", f"{name}_high") for name in ("base", "gain")]
#: columns of every table of candidates: `value` is the measure with the candidate, `base` as printed, `gain` how much
#: the candidate is better (more is better, whatever the measure), `cost` how much it changes (less is milder),
#: `reaches` and `base_reaches` the verdict against the target
SCHEMA: Mapping[str, Any] = {
    **dict.fromkeys(("question", "measure", "at", "factor", "setting", "scenario", "against"), pl.String),
    **dict.fromkeys(("value", "low", "high"), pl.Float64),
    "n": pl.Int64,
    **{name: pl.Float64 for triple in _TRIPLES for name in triple},
    "cost": pl.Float64,
    "smallest": pl.Float64,
    "target_low": pl.Float64,
    "target_high": pl.Float64,
    "reaches": pl.String,
    "base_reaches": pl.String,
}
Row = dict[str, Any]
#: rule parameters that may change → their settings, or ``all`` that were played
Allowed = Mapping[str, Sequence[Any] | str]


@dataclass(frozen=True)
class Games:
    """Counts, paired differences and scenarios of one sweep."""

    counts: pl.DataFrame
    differences: pl.DataFrame
    scenarios: pl.DataFrame

    @cached_property
    def _counts(self) -> dict[tuple[Any, ...], pl.DataFrame]:
        return self.counts.partition_by("scenario", "seat", as_dict=True)

    @cached_property
    def _differences(self) -> dict[tuple[Any, ...], pl.DataFrame]:
        return self.differences.partition_by("scenario", "against", "of", "seat", as_dict=True)

    def sample(self, scenario: str, column: str, seat: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Values of a column and their counts."""
        part = self._counts[scenario, seat]
        return arrays(part.group_by(column).agg(pl.col("count").sum()).sort(column), column)

    def change(self, scenario: str, against: str, of: str, level: float, seat: int = 0) -> Estimate:
        """Mean of the paired differences of two scenarios."""
        part = self._differences.get((scenario, against, of, seat))
        if part is None:
            raise InputError(
                f"differences of {of} between {scenario} and {against} were not counted; accepted: a sweep whose pairs "
                f"have {{of: {of}, against: base}}"
            )
        return stats.paired(*arrays(part, "difference"), level).mean

    def id(self, **wanted: Any) -> str | None:
        """The scenario with these attributes; None where it was not played."""
        keep = pl.lit(True)
        for name, value in wanted.items():
            if name not in self.scenarios.columns:
                return None
            keep = keep & (pl.col(name) == pl.lit(value, self.scenarios[name].dtype))
        found = self.scenarios.filter(keep)["scenario"]
        return None if found.is_empty() else str(found[0])

    def varied(self, allowed: Allowed, **wanted: Any) -> Iterator[tuple[str, str, str]]:
        """(scenario, factor, setting) of one-factor variants, factors in the order of `allowed`."""
        keep = pl.lit(True)
        for name, value in wanted.items():
            keep = keep & (pl.col(name) == value)
        rows = self.scenarios.filter(keep)
        for factor, settings in allowed.items():
            told = None if settings == "all" else {text(value) for value in settings}
            for row in rows.filter(pl.col("factor") == factor).iter_rows(named=True):
                if told is None or row["value"] in told:
                    yield row["scenario"], factor, row["value"]


def line(parts: Sequence[tuple[float, Estimate]], method: str = "sum of estimates, half-widths in squares") -> Estimate:
    """Weighted sum of estimates as if independent; on the wide side for games on the same dice."""
    value = sum(w * e.value for w, e in parts)
    half = math.sqrt(sum((w * e.half_width) ** 2 for w, e in parts))
    return Estimate(value, value - half, value + half, min(e.n for _, e in parts), parts[0][1].level, method)


def candidate(found: Row, value: Estimate, base: Estimate, gain: Estimate, target: tuple[float, float]) -> Row:
    told = {**found, **value.row(), **base.row("base"), **gain.row("gain"), "n": value.n}
    return {
        **told,
        "target_low": target[0],
        "target_high": target[1],
        "reaches": str(stats.inside(value, *target)),
        "base_reaches": str(stats.inside(base, *target)),
    }
