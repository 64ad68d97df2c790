"""The results kept in ``data/exact/`` are solved again, a random sample of them at every run of the pipeline."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from sim.errors import FaultError, InputError
from sim.games.caterpillars.exact.advanced import BonusSolution
from sim.games.caterpillars.exact.bracket import bound
from sim.games.caterpillars.exact.solution import SheetSolution
from sim.games.caterpillars.exact.whole import solve_whole
from sim.games.caterpillars.rules import CaterpillarsRules
from sim.store.schema import ANSWERS
from sim.verify.jobs import RESULTS
from sim.verify.layouts import intermediate

Row = dict[str, Any]
Again = tuple[float, float]


def _numbers(text: str) -> list[int]:
    return [int(x) for x in text.split()]


def _sheet(labels: list[int], level: str) -> CaterpillarsRules:
    rules = CaterpillarsRules.parse({"level": level, "boxes": len(labels) // 3, "sheet": labels})
    assert isinstance(rules, CaterpillarsRules)
    return rules


def _atlas(row: Row, workers: int) -> list[tuple[str, Again]]:
    labels = _numbers(row["labels"])
    solution = SheetSolution(_sheet(labels, "beginner"), labels, workers)
    mean = solution.value
    spread = math.sqrt(sum(p * (s - mean) ** 2 for s, p in enumerate(solution.pmf)))
    # the spread is a root of a difference: its error is that of the squares over twice the spread
    return [("value", (mean, 1e-9)), ("sd", (spread, 1e-7))]


def _layouts(row: Row, workers: int) -> list[tuple[str, Again]]:
    whole = solve_whole({"level": "beginner", "sheet": _numbers(row["layout"])}, workers)
    return [("value", (whole.value, 1e-9))]


def _layout_sheets(row: Row, workers: int) -> list[tuple[str, Again]]:
    labels = _numbers(row["labels"])
    if row["level"] == "beginner":
        return [("value", (SheetSolution(_sheet(labels, "beginner"), labels, workers).value, 1e-9))]
    exact = SheetSolution(_sheet(labels, "intermediate"), labels, workers).value  # in doubles: another way to solve it
    return [("value", (exact, intermediate(tuple(labels))[1]))]


def _advanced(row: Row, workers: int) -> list[tuple[str, Again]]:
    labels = _numbers(row["labels"])
    solution = BonusSolution(_sheet(labels, "advanced"), labels, workers)
    filled = [x == 1 for x in _numbers(row["filled"])]
    value = solution.state_value(filled, _numbers(row["totals"]), _numbers(row["bonus"]))
    return [("value", (value, 2 * solution.error_bound))]


def _bracket(row: Row, workers: int) -> list[tuple[str, Again]]:
    labels = _numbers(row["labels"])
    rules = _sheet(labels, "expert")
    if row["side"] == "exact":
        return [("value", (BonusSolution(rules, labels, workers).value, 1e-9))]
    found = bound(rules, labels, row["side"], _numbers(row["grid"]), workers=workers)
    return [("value", (found.value, 1e-9))]


def _panel(row: Row, workers: int) -> list[tuple[str, Again]]:
    labels = _numbers(row["labels"])
    rules = _sheet(labels, row["level"])
    solution = (BonusSolution if rules.has_bonus else SheetSolution)(rules, labels, workers)
    return [("value", (solution.value, 1e-9))]


#: table → how a row is solved again, how many rows a run takes, which rows are quick enough
AGAIN: dict[str, tuple[Callable[[Row, int], list[tuple[str, Again]]], int, Callable[[Row], bool]]] = {
    "atlas": (_atlas, 5, lambda row: True),
    "layouts": (_layouts, 1, lambda row: True),
    "layout_sheets": (_layout_sheets, 4, lambda row: True),
    "advanced": (_advanced, 2, lambda row: "1" in row["filled"]),
    "bracket": (_bracket, 3, lambda row: row["boxes"] == 1),
    "panel": (_panel, 6, lambda row: row["level"] != "expert"),
}


def check(seed: int, results: Path = RESULTS, workers: int = 2) -> list[Row]:
    """Solve a random sample of the kept results again.

    Returns
    -------
    list of dict
        ``table, row, column, kept, again, allowed, passed`` of each comparison.

    Raises
    ------
    InputError
        If no results are kept.
    """
    found = [name for name in AGAIN if (results / f"{name}.parquet").is_file()]
    if not found:
        raise InputError(f"{results} holds no exact results; accepted: the folder that `make exact` writes")
    out: list[Row] = []
    for name in found:
        solve, most, quick = AGAIN[name]
        frame = pl.read_parquet(results / f"{name}.parquet")
        missing = {c.name for c in ANSWERS[name][1]} - set(frame.columns)
        if missing:
            raise InputError(f"{results / name}.parquet has no column {min(missing)}; accepted: files of `make exact`")
        rows = [(i, row) for i, row in enumerate(frame.iter_rows(named=True)) if quick(row)]
        for i, row in sorted(random.Random(f"{seed} {name}").sample(rows, min(most, len(rows))), key=lambda x: x[0]):
            for column, (again, allowed) in solve(row, workers):
                out.append(
                    {
                        "table": name,
                        "row": i,
                        "column": column,
                        "kept": row[column],
                        "again": again,
                        "allowed": allowed,
                        "passed": abs(row[column] - again) <= allowed,
                    }
                )
    return out


def fault(found: list[Row]) -> FaultError | None:
    """One line on what does not agree, if anything."""
    bad = [row for row in found if not row["passed"]]
    if not bad:
        return None
    first = bad[0]
    more = f"; and {len(bad) - 1} more" if len(bad) > 1 else ""
    where = f"{first['table']}, row {first['row']}, {first['column']}"
    return FaultError(
        f"kept exact result differs: {where}: kept {first['kept']:.9g}, solved again {first['again']:.9g}, "
        f"allowed {first['allowed']:.2g}{more} of {len(found)} comparisons"
    )


def text(found: list[Row], seed: int) -> str:
    """The comparisons as JSON text, the same for equal calls."""
    rows = [{k: (float(f"{v:.9g}") if isinstance(v, float) else v) for k, v in row.items()} for row in found]
    record = {"passed": all(row["passed"] for row in found), "seed": seed, "comparisons": len(rows), "results": rows}
    return json.dumps(record, indent=1) + "\n"
