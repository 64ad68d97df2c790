"""Labels of Caterpillars: how often a roll can serve each, exactly, and which ones the set-up leaves on a sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from sim import stats
from sim.analysis.frames import ESTIMATE, LEVELS, table
from sim.games.caterpillars.odds import odds
from sim.games.caterpillars.rules import CaterpillarsRules


def label_chances(levels: Sequence[str] = LEVELS, rules: Mapping[str, Any] | None = None) -> pl.DataFrame:
    """Chance that a roll can serve an empty box with a label, over all equally likely rolls of a level; exact.

    Parameters
    ----------
    levels : sequence of str
    rules : mapping, optional
        Parameters over the defaults.

    Returns
    -------
    polars.DataFrame
        Columns level, label (1 … 12), chance (probability that a roll has an entry for the label, bonus boxes empty),
        best (points: mean of the best score a roll has for it, where it has one).
    """
    rows = []
    for level in levels:
        chance, best = odds(CaterpillarsRules.model_validate({**(rules or {}), "level": level}))
        rows += [
            {"level": level, "label": label, "chance": float(chance[label]), "best": float(best[label])}
            for label in range(1, chance.size)
        ]
    return table(rows, {"level": pl.String, "label": pl.Int64, "chance": pl.Float64, "best": pl.Float64})


def _written(trace: Mapping[str, Any], seat: Mapping[str, Any]) -> tuple[list[int], CaterpillarsRules]:
    """Labels that a seat wrote on blanks, and the rules."""
    rules = CaterpillarsRules.model_validate(trace["rules"])
    return [label for label, print_ in zip(seat["labels"], rules.printed, strict=True) if not print_], rules


def labels_written(traces: Sequence[Mapping[str, Any]], level: float = 0.95) -> pl.DataFrame:
    """How many of the labels that a player writes in the set-up are of each kind.

    Parameters
    ----------
    traces : sequence of mappings
        Games as `sim.trace` tells them.

    Returns
    -------
    polars.DataFrame
        Columns setup, policy, label (1 … 12), value (labels of this kind on a sheet, mean), low, high (Student's
        interval over sheets), n (sheets).
    """
    sheets: dict[tuple[str, str], list[np.ndarray]] = {}
    for trace in traces:
        for seat in trace["seats"]:
            labels, rules = _written(trace, seat)
            sheets.setdefault((rules.setup, seat["policy"]), []).append(np.bincount(labels, minlength=13))
    rows = []
    for (setup, policy), counts in sheets.items():
        for label, seen in enumerate(np.array(counts).T):
            if label:
                e = stats.mean(seen, np.ones(seen.size, np.int64), level)
                rows.append({"setup": setup, "policy": policy, "label": label, **e.row(), "n": e.n})
    return table(rows, {"setup": pl.String, "policy": pl.String, "label": pl.Int64} | ESTIMATE)


def written_chances(traces: Sequence[Mapping[str, Any]], level: float = 0.95) -> pl.DataFrame:
    """Chance that a roll can serve a label which the player wrote: mean over the blanks of a sheet.

    Every label's chance is exact; what is sampled is which labels are written.

    Parameters
    ----------
    traces : sequence of mappings
        Games as `sim.trace` tells them.

    Returns
    -------
    polars.DataFrame
        Columns setup, policy, value (probability), low, high (Student's interval over sheets), n (sheets).
    """
    sheets: dict[tuple[str, str], list[float]] = {}
    for trace in traces:
        for seat in trace["seats"]:
            labels, rules = _written(trace, seat)
            if labels:
                sheets.setdefault((rules.setup, seat["policy"]), []).append(float(odds(rules)[0][labels].mean()))
    rows = []
    for (setup, policy), means in sheets.items():
        e = stats.mean(np.array(means), np.ones(len(means), np.int64), level)
        rows.append({"setup": setup, "policy": policy, **e.row(), "n": e.n})
    return table(rows, {"setup": pl.String, "policy": pl.String} | ESTIMATE)
