"""All result tables of the report from stored sweeps, and their text form: one CSV each, dtypes in an index beside
them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from sim import analysis
from sim.analysis.frames import plain
from sim.errors import ReportError, listing
from sim.report import tables_choices
from sim.report.alarms import alarm_tables
from sim.report.decided import decided_tables, tie_tables
from sim.report.inputs import Given, Stored
from sim.report.own_tables import own_tables
from sim.report.params import Params
from sim.report.parts import sections_of
from sim.report.tables_proposals import fresh_sweeps, proposal_tables
from sim.report.thumb import thumb_tables
from sim.report.verified import verification_tables

INDEX = "index.json"
TAKEN = "parameters.json"
Tables = dict[str, pl.DataFrame]


def build_tables(given: Given) -> Tables:
    """Every table that figures, facts and page are made of, by name, for the parts asked for."""
    tables: Tables = {}
    for section in sections_of(given.parts):
        if section.name in TABLES:
            tables |= TABLES[section.name](given)
    tables |= alarm_tables(given, [section.name for section in sections_of(given.parts)])
    tables["parts"] = pl.DataFrame({"part": list(given.parts)}, schema={"part": pl.String})
    fresh = [game for section, game in BETTER.items() if section in {s.name for s in sections_of(given.parts)}]
    tables["sweeps"] = sweeps({**given.inputs, **fresh_sweeps(fresh, given.params, given.data)})
    if standing := _standing(given):
        tables["standing"] = standing[0]
    return tables


def parts_of(tables: Tables) -> tuple[str, ...]:
    """The parts that these tables were made for."""
    return tuple(tables["parts"]["part"])


def _standing(given: Given) -> list[pl.DataFrame]:
    """Which policy did how well at which level: says who is the best program. From the sweep of levels if it is there;
    else from another one, whose best of those played there stands for it.
    """
    for part in ("levels", "readings", "setup"):
        if part in given.inputs:
            stored = given.inputs[part]
            summary = analysis.score_summary(stored.counts, stored.scenarios, given.params.confidence)
            return [summary.select("level", "policy", "mean", "n")]
    return []


def _levels(given: Given) -> Tables:
    levels, params = given.inputs["levels"], given.params
    conf = params.confidence
    return {
        "score_distribution": analysis.score_distribution(levels.counts, levels.scenarios, conf),
        "score_summary": analysis.score_summary(levels.counts, levels.scenarios, conf),
        "par": analysis.par_table(levels.counts, levels.scenarios, conf),
        "level_balance": analysis.level_balance(
            levels.counts, levels.scenarios, params.levels.thresholds, params.levels.views, conf
        ),
        "policy_gains": analysis.policy_gains(levels.differences, levels.scenarios, level=conf),
    }


def _setup(given: Given) -> Tables:
    setup, params = given.inputs["setup"], given.params
    varied = setup.scenarios.filter(pl.col("setup") == "variation")
    keys = ("level", "policy", "setup")
    return {
        "setup": analysis.paired_changes(
            setup.differences, varied, "score", keys, params.smallest.score, params.confidence
        ),
        "setup_differences": analysis.difference_counts(setup.differences, varied, "score", keys),
    }


def _readings(given: Given) -> Tables:
    readings, params = given.inputs["readings"], given.params
    return {
        "readings": analysis.paired_changes(
            readings.differences, readings.scenarios, smallest=params.smallest.score, level=params.confidence
        )
    }


def _karolinchen(given: Given) -> Tables:
    k, params = given.inputs["karolinchen"], given.params
    conf, table = params.confidence, params.karolinchen
    base = plain(k.scenarios, "karolinchen")
    headline = base.filter(pl.col("line_up").str.starts_with(f"{table.policy} ×"))
    if headline.is_empty():
        raise ReportError(
            f"sweep {k.head['sweep']} has no game with {table.policy} in every seat; "
            "accepted: karolinchen.policy as played there"
        )
    keys = ("seats", "line_up")
    changes = [
        analysis.paired_changes(
            k.differences, k.scenarios, of, ("seats", "line_up", "factor", "setting"), least, conf
        ).with_columns(of=pl.lit(of))
        for of, least in (("turns", params.smallest.turns), ("win", params.smallest.win))
    ]
    tables = {
        "length": analysis.game_length(k.counts, base, table.seconds_per_turn, keys, conf),
        "survival": analysis.survival_curves(k.counts, headline, keys, conf),
        "bedtime": analysis.bedtime(k.counts, headline, table.seconds_per_turn, table.bedtime, keys, conf),
        "karolinchen_seats": analysis.seat_shares(k.counts, base, params.seats.band, keys, conf),
        "karolinchen_duels": analysis.duels(k.counts, base, (), conf),
        "odd_one_out": analysis.odd_one_out(k.counts, base, conf),
        "house_rules": pl.concat(changes),
    }
    if "start_fruit" in k.counts.columns:
        tables["tails"] = analysis.shares_by(k.counts, headline, "start_fruit", keys, conf)
    return tables


def _parlett(given: Given) -> Tables:
    p, params = given.inputs["parlett"], given.params
    conf, hold, band = params.confidence, params.parlett.hold, params.seats.band
    base = plain(p.scenarios, "parlett")
    varied = p.scenarios.filter(pl.col("factor") != "").rename({"value": "setting"})
    duels = analysis.duels(p.counts, base, (), conf)
    if params.parlett.policy not in (met := duels["opponent"].unique(maintain_order=True).to_list()):
        raise ReportError(
            f"sweep {p.head['sweep']} has no duels against {params.parlett.policy}; "
            f"accepted: parlett.policy as played there: {listing(met)}"
        )
    tables = {
        "hold": analysis.hold_curve(p.counts, base, hold.policy, hold.parameter, conf),
        "duels": duels,
        "parlett_seats": analysis.seat_shares(p.counts, base, band, ("line_up",), conf),
        "parlett_rules": analysis.seat_shares(p.counts, varied, band, ("factor", "setting", "line_up"), conf),
    }
    if "court_short" in p.counts.columns:
        tables["court_short"] = analysis.court_short(p.counts, base, ("line_up",), conf)
    return tables


def _thumb(given: Given) -> Tables:
    return thumb_tables(given.data)


#: sections about what would balance better → the game of their fresh sweep
BETTER = {"better_levels": "caterpillars", "better_karolinchen": "karolinchen", "better_parlett": "parlett"}


def _better(game: str) -> Callable[[Given], Tables]:
    return lambda given: proposal_tables(game, given.inputs, given.params, given.data)


def _verified(given: Given) -> Tables:
    return verification_tables(given.record) if given.record is not None else {}


#: section of the report → the tables it is made of
TABLES: Mapping[str, Callable[[Given], Tables]] = {
    "levels": _levels,
    "thumb": _thumb,
    "setup": _setup,
    "readings": _readings,
    "karolinchen": _karolinchen,
    "decided": decided_tables,
    "ties": tie_tables,
    "parlett": _parlett,
    **{section: _better(game) for section, game in BETTER.items()},
    "own": own_tables,
    "verified": _verified,
    "restricted": tables_choices.restricted,
    "courts": tables_choices.courts,
    "skill": tables_choices.skill,
    "decisions": tables_choices.decisions,
}


def sweeps(inputs: Mapping[str, Stored]) -> pl.DataFrame:
    """One row per sweep: what was played, from which seed, by which kernel."""
    rows = []
    for part, stored in inputs.items():
        record = stored.provenance
        rows.append(
            {
                "part": part,
                "path": stored.path,
                "sweep": stored.head["sweep"],
                "title": stored.head["title"],
                "game": stored.head["game"],
                "seed": str(stored.head["seed"]),
                "first_game": stored.head["first_game"],
                "scenarios": stored.scenarios.height,
                "games": int(stored.scenarios["games_played"].sum()),
                "least": int(stored.scenarios["games_played"].min()),  # type: ignore[arg-type]
                "kernel_version": record["kernel_version"],
                "kernel_sources": record["kernel_sources"],
                "libraries": ", ".join(f"{k} {v}" for k, v in sorted(record["libraries"].items())),
            }
        )
    return pl.DataFrame(rows)


#: what tables do not depend on
_LATER = {"figures", "findings", "people"}


def _taken(params: Params) -> dict[str, Any]:
    """The parameters that decide what stands in the tables."""
    return params.model_dump(mode="json", exclude=_LATER)


def write_tables(tables: Tables, folder: Path, params: Params) -> None:
    """One CSV file per table, an index of their columns, and the parameters; tables that are gone are removed."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.csv"):
        if old.stem not in tables:
            old.unlink()
    index: dict[str, Any] = {}
    for name, frame in tables.items():
        frame.write_csv(folder / f"{name}.csv", quote_style="non_numeric", null_value="")
        index[name] = {"rows": frame.height, "columns": {c: str(t) for c, t in frame.schema.items()}}
    for name, content in ((INDEX, index), (TAKEN, _taken(params))):
        (folder / name).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_tables(folder: Path, params: Params) -> Tables:
    """The tables that `write_tables` wrote, with their dtypes.

    Raises
    ------
    ReportError
        In one line: no tables, or tables made with other parameters, whose verdicts would contradict the text.
    """
    try:
        taken, wanted = json.loads((folder / TAKEN).read_text(encoding="utf-8")), _taken(params)
        for key in wanted:
            if taken.get(key) != wanted[key]:
                raise ReportError(
                    f"the tables in {folder} were made with another '{key}' in the parameters file; accepted: the same "
                    f"parameters, or run `sim report tables` again"
                )
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        return {name: _read(folder / f"{name}.csv", note["columns"]) for name, note in index.items()}
    except FileNotFoundError as error:
        raise ReportError(
            f"no result tables in {folder} ({error.filename}); accepted: run `sim report tables` first"
        ) from None


def _read(path: Path, columns: Mapping[str, str]) -> pl.DataFrame:
    schema = {name: getattr(pl, dtype) for name, dtype in columns.items()}
    return pl.read_csv(path, schema=schema)
