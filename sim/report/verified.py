"""The record of ``sim verify`` as result tables. No report is built on a simulation that disagrees with the truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
from scipy import stats

from sim.errors import ReportError

#: name of the record in the reports folder
RECORD = "verification.json"
#: deviations beyond this are as good as this
_FAR = 30.0


def read_record(path: Path) -> dict[str, Any]:
    """The record of a complete verification that passed.

    Raises
    ------
    ReportError
        In one line: none there, not the whole list, or a comparison outside its limit.
    """
    make = "accepted: run `sim verify --out reports/verification.json` first"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ReportError(f"cannot read {path}: {error.strerror}; {make}") from None
    except ValueError:
        raise ReportError(f"{path} is not a record of comparisons; {make}") from None
    if not isinstance(record, dict) or "results" not in record:
        raise ReportError(f"{path} is not a record of comparisons; {make}")
    if not record["passed"]:
        first = min((r for r in record["results"] if not r["passed"]), key=lambda r: r["p"])
        raise ReportError(
            f"{path}: simulated and exact results disagree ({first['game']}, {first['scenario']}: {first['quantity']}, "
            f"p {first['p']:.2g}); accepted: a verification that passed"
        )
    if not record["complete"]:
        raise ReportError(f"{path} holds {record['checks']} of {record['listed']} comparisons; {make}")
    return record


def deviation(p: float) -> float:
    """How many standard deviations off a normal number with this two-sided p-value is."""
    return float(min(stats.norm.isf(p / 2), _FAR)) if p > 0 else _FAR


def verification_tables(path: Path) -> dict[str, pl.DataFrame]:
    """``verification``, a row for each comparison, and ``verification_run``, one row."""
    record = read_record(path)
    names = ("game", "topic", "scenario", "id", "quantity", "seat", "method", "n", "freedom", "where", "passed")
    numbers = ("exact", "simulated", "statistic", "p", "limit", "error_bound")
    rows = [
        {**{k: r[k] for k in names}, **{k: float(r[k]) for k in numbers}, "deviation": deviation(float(r["p"]))}
        for r in record["results"]
    ]
    run = {k: record[k] for k in ("checks", "games_per_scenario", "games")}
    run |= {k: float(record[k]) for k in ("error_rate", "limit", "smallest_p", "smallest_adjusted_p")}
    run |= {"seed": str(record["seed"]), "scenarios": len({(r["game"], r["scenario"]) for r in rows})}
    run["deviation"] = deviation(run["limit"])
    return {"verification": pl.DataFrame(rows), "verification_run": pl.DataFrame([run])}
