"""Claims about Caterpillars: scores per level, steps between levels, the set-up variation, rule readings."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import polars as pl

from sim.errors import ReportError
from sim.report import rows, words
from sim.report.claims_base import Source
from sim.report.facts import Facts
from sim.report.names import VIEWS
from sim.report.params import Params
from sim.report.tables import Tables

Model = dict[str, Any]

#: what a step should bring, in words
GAINS = {"score": "score", "spread": "spread", "choice": "gain from choosing well"}


def levels(facts: Facts, tables: Tables, params: Params) -> Model:
    """Register scores by level, the steps between levels, and what skill is worth."""
    played, views = rows.levels_of(tables), list(params.levels.views)
    source = Source.of("levels", facts, tables, params)
    _scores(source, tables, params, played, views)
    steps = _steps(source, tables, params)
    return {
        "levels": played,
        "views": views,
        "skill": _skill(source, tables, params, played),
        "steps": steps,
        "faults": _faults(steps),
    }


def setup(facts: Facts, tables: Tables, params: Params) -> Model:
    """Register what the set-up variation changes."""
    source = Source.of("setup", facts, tables, params)
    return {"setup": _changes(source, rows.setup_rows(tables, params), "setup", "change")}


def readings(facts: Facts, tables: Tables, params: Params) -> Model:
    """Register what other readings of the rules, other sheets and the two wordings change."""
    source = Source.of("readings", facts, tables, params)
    return {
        "levels": rows.levels_of(tables),
        "readings": _readings(source, tables, params),
        "sheets": _sheets(source, tables, params),
        "languages": _changes(source, rows.language_rows(tables, params), "language", "fine"),
    }


def _scores(source: Source, tables: Tables, params: Params, levels: list[str], views: list[str]) -> None:
    for level, view in product(levels, views):
        policy = rows.chosen(tables, params, level, view)
        if policy is None:
            raise ReportError(f"policy {params.levels.views[view]} was not played at {level}; accepted: one that was")
        here = (pl.col("level") == level) & (pl.col("policy") == policy)
        row = tables["score_summary"].row(by_predicate=here, named=True)
        key, more = f"caterpillars.{level}.{view}", {"n": row["n"], "scenario": row["scenario"]}
        source.add(f"{key}.policy", policy, "text")
        source.row(f"{key}.mean", row, "points", "mean, Student's t", "mean")
        source.row(f"{key}.sd", row, "points", "standard deviation, large sample", "sd")
        source.add(f"{key}.n", row["n"], "count", **more)
        source.add(f"{key}.highest", row["highest"], "whole", method="highest seen", **more)
        source.add(f"{key}.candidates", row["candidates"], "number", method="policies compared at this level")
        for par in tables["par"].filter(here).iter_rows(named=True):
            kind = "points" if par["measure"].startswith("best") else "whole"
            source.row(f"{key}.{par['measure']}", par, kind, "U-statistic" if kind == "points" else "order statistics")


def _skill(source: Source, tables: Tables, params: Params, levels: list[str]) -> list[Model]:
    """How often the best program beats a child's habit on the same dice, and how many games tell them apart."""
    result = []
    for level in levels:
        best, child = (rows.chosen(tables, params, level, view) for view in ("best", "child"))
        same = (pl.col("level") == level) & (pl.col("policy") == best) & (pl.col("opponent") == child)
        for row in tables["policy_gains"].filter(same).iter_rows(named=True):
            key = f"caterpillars.{level}.skill"
            source.row(key, row, "share", "share of pairs on the same dice, a tie counts half", "beats")
            source.row(f"{key}.gain", row, "change", "mean of paired differences, Student's t")
            games = math.ceil(row["games"]) if math.isfinite(row["games"]) else row["games"]
            source.add(f"{key}.games", games, "number", n=row["n"], method="normal approximation, same dice")
            result.append({"level": level, "key": key})
    return result


def _steps(source: Source, tables: Tables, params: Params) -> list[Model]:
    """One entry per step: keys of its measures by view, and the verdicts."""
    frame = tables["level_balance"]
    steps: list[Model] = []
    for lower, higher in frame.select("lower", "higher").unique(maintain_order=True).iter_rows():
        step: Model = {"lower": lower, "higher": higher, "verdicts": {}}
        for row in frame.filter((pl.col("lower") == lower) & (pl.col("higher") == higher)).iter_rows(named=True):
            key = f"caterpillars.step.{lower}-{higher}.{row['view']}.{row['measure']}"
            kind = "share" if row["measure"] == "chance" else "change"
            method = "probability of superiority" if kind == "share" else "difference between levels, unpaired"
            source.row(key, row, kind, method)
            step["verdicts"].setdefault(row["view"], {})[row["measure"]] = row["verdict"]
        for name, verdict in (("missing", "outside"), ("open", "not yet known")):
            step[name] = {
                v: [told for m, told in GAINS.items() if x[m] == verdict] for v, x in step["verdicts"].items()
            }
        step |= {"groups": _groups(step), "disagree": _disagreements(step)}
        steps.append(step)
    source.facts.add("caterpillars.steps", len(steps), "number", method="steps from level to level")
    for view in params.levels.views:
        enough = sum(not step["missing"][view] and not step["open"][view] for step in steps)
        method = "steps known to reach every threshold of score, spread and choice"
        source.facts.add(f"caterpillars.steps.enough.{view}", enough, "number", method=method)
    for measure, threshold in params.levels.thresholds.items():
        kind = "share" if measure == "chance" else "number"
        source.facts.add(
            f"caterpillars.threshold.{measure}", threshold, kind, method="fixed in params.yaml before the run"
        )
    return steps


def _groups(step: Model) -> list[Model]:
    """Views that say the same of a step, together: what is missing, what is not yet known."""
    found: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for view in step["verdicts"]:
        found.setdefault((tuple(step["missing"][view]), tuple(step["open"][view])), []).append(VIEWS.get(view, view))
    return [{"who": who, "missing": list(m), "open": list(o)} for (m, o), who in found.items()]


def _disagreements(step: Model) -> list[Model]:
    """What one view surely finds enough and another surely too little."""
    result = []
    for measure, told in GAINS.items():
        said = {VIEWS.get(view, view): verdicts[measure] for view, verdicts in step["verdicts"].items()}
        enough, short = ([who for who, x in said.items() if x == verdict] for verdict in ("inside", "outside"))
        if enough and short:
            result.append({"told": told, "enough": enough, "short": short})
    return result


def _faults(steps: list[Model]) -> list[str]:
    """What is missing at which step for whom, in words."""
    result = []
    for step in steps:
        for view, short in step["missing"].items():
            if short:
                what = words.listing(short, "or")
                result.append(f"{step['lower']} to {step['higher']} brings {VIEWS.get(view, view)} too little {what}")
    return result


def _change(source: Source, key: str, row: dict[str, Any], kind: str = "change") -> None:
    """Mean of a paired difference, its spread, and the shares of games that go up, stay, go down."""
    method = "mean of paired differences, Student's t"
    more = {"n": row["n"], "scenario": row["scenario"]}
    source.add(key, row["value"], kind, low=row["low"], high=row["high"], method=method, **more)
    source.add(f"{key}.sd", row["sd"], "points", method="standard deviation of paired differences", **more)
    for part in ("better", "same", "worse"):
        source.add(f"{key}.{part}", row[part], "share", method="share of pairs", **more)


def _changes(source: Source, frame: pl.DataFrame, name: str, kind: str) -> list[Model]:
    """One entry per level and view of a paired change."""
    result = []
    for row in frame.iter_rows(named=True):
        key = f"caterpillars.{name}.{row['level']}.{row['view']}"
        _change(source, key, row, kind)
        entry = {"level": row["level"], "view": row["view"], "key": key, "verdict": row["verdict"]}
        result.append(entry | {"size": abs(row["value"])})
    return result


def _readings(source: Source, tables: Tables, params: Params) -> Model:
    """Every reading by view, sorted by size; which matter to nobody, and the largest for each view."""
    entries = []
    for row in rows.reading_rows(tables, params).iter_rows(named=True):
        key = f"caterpillars.reading.{row['factor']}.{row['setting']}.{row['level']}.{row['view']}"
        _change(source, key, row, "fine")
        entries.append({**{k: row[k] for k in ("told", "level", "view", "verdict", "value")}, "key": key})
    kinds = list(dict.fromkeys(e["told"] for e in entries))
    quiet = {}
    for view in params.levels.views:
        own = [e for e in entries if e["view"] == view]
        quiet[view] = [t for t in kinds if all(e["verdict"] == "inside" for e in own if e["told"] == t)]
        method = "inside the band at every level"
        source.add(f"caterpillars.readings.quiet.{view}", len(quiet[view]), "number", method=method)
    largest = {v: _largest([e for e in entries if e["view"] == v]) for v in params.levels.views}
    source.add("caterpillars.readings.count", len(kinds), "number", method="readings compared")
    return {"rows": entries, "quiet": quiet, "largest": largest}


def _largest(entries: list[Model]) -> Model | None:
    return max(entries, key=lambda e: abs(e["value"]), default=None)


def _sheets(source: Source, tables: Tables, params: Params) -> Model:
    """Other printed labels: every one by level and view, and the largest effects among those like the default."""
    entries = []
    for row in rows.sheet_rows(tables, params).iter_rows(named=True):
        key = f"caterpillars.sheet.{row['told'].replace(' ', '')}.{row['level']}.{row['view']}"
        _change(source, key, row, "fine")
        entries.append({**{k: row[k] for k in ("told", "level", "view", "verdict", "value")}, "key": key})
    source.add("caterpillars.sheets.count", len({e["told"] for e in entries}), "number", method="other sheets compared")
    lowest = min(entries, key=lambda e: e["value"], default=None)
    highest = max(entries, key=lambda e: e["value"], default=None)
    return {"rows": entries, "lowest": lowest, "highest": highest}
