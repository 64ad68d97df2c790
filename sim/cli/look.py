"""``sim status``, ``sim ls``, ``sim sql``: look at sweeps, also while one is running."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.common import Json, print_frame, print_json
from sim.cli.sweep import Data
from sim.errors import InputError

SweepName = Annotated[str | None, typer.Argument(metavar="[SWEEP]", help="Name, YAML file or folder; default: all.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("status")(status)
    app.command("ls")(ls)
    app.command("sql")(sql)


def status(
    sweep: SweepName = None,
    data: Data = Path("data"),
    failures: Annotated[bool, typer.Option("--failures", help="Print what failed, with tracebacks.")] = False,
    scenario: Annotated[
        str | None, typer.Option("--scenario", metavar="ID", help="Print what happened to one scenario.")
    ] = None,
    as_json: Json = False,
) -> None:
    """How sweeps stand: complete, running, stopped or failed; what is done, open and left."""
    from sim.sweep.status import names
    from sim.sweep.status import status as stands

    if sweep is None:
        if failures or scenario is not None:
            raise InputError("--failures and --scenario need a sweep; accepted: sim status SWEEP --failures")
        _folder(data)
        everything = [stands(name, data=data) for name in names(data)]
        if as_json:
            print_json([{key: value for key, value in told.items() if key != "failures"} for told in everything])
            return
        print_frame([_row(told) for told in everything], right=("done", "failed", "open", "games"))
        if not everything:
            print(f"no sweep in {data}")
        return
    if scenario is not None:
        from sim.sweep.status import events_of

        events = events_of(sweep, scenario, data=data)
        if as_json:
            print_json(events)
            return
        for event in events:
            print(_line(event))
        return
    told = stands(sweep, data=data)
    if as_json:
        print_json(told["failures"] if failures else told)
        return
    if failures:
        for failure in told["failures"]:
            print(f"{failure['scenario']} {failure['label']}: {failure['message']}\n{failure['traceback'].rstrip()}\n")
        if not told["failures"]:
            print(f"{told['sweep']}: nothing failed in the last run")
        return
    for line in _lines(told):
        print(line)


def _folder(data: Path) -> None:
    if not data.is_dir():
        raise InputError(f"no data folder {data}; accepted: a folder that sim sweep has written to, by --data FOLDER")


def _row(told: dict[str, Any]) -> dict[str, str]:
    run = told.get("run", {})
    return {
        "sweep": told["sweep"],
        "state": told["state"],
        **{key: f"{told[key]:,}" for key in ("done", "failed", "open", "games")},
        "last run": _progress(run) if told["state"] == "running" else _seconds(run.get("ended", run.get("begun", ""))),
    }


def _progress(run: dict[str, Any]) -> str:
    from sim.sweep.progress import duration, rate

    if not all(isinstance(run.get(key), int | float) for key in ("share", "games", "rate", "left")):
        return "no line of progress yet"
    return (
        f"{run['share']:.0%}, {run['games']:,} games, {rate(run['rate'], 1)}, about {duration(run['left'])} left "
        f"(at {_seconds(run['told'])})"
    )


def _seconds(time: str) -> str:
    """A time of the log without its fraction of a second."""
    return str(time)[:19].replace("T", " ") + (" UTC" if time else "")


def _lines(told: dict[str, Any]) -> list[str]:
    counted = ", ".join(f"{told[key]:,} {key}" for key in ("done", "failed", "open"))
    if told["state"] == "not begun":
        return [f"{told['sweep']}: not begun; nothing was played in {told['folder']}"]
    lines = [
        f"{told['sweep']}: {told['state']}",
        f"  scenarios: {told['scenarios']:,} ({counted})",
        f"  games: {told['games']:,} in the scenarios done",
    ]
    budget = [*told.get("until", ()), *([f"{told['minutes']:g} minutes"] if "minutes" in told else [])]
    if budget:
        ended = ", ".join(f"{count:,} by {what}" for what, count in told.get("ended_by", {}).items())
        lines.append(f"  budget: {', '.join(budget)}" + (f"; ended: {ended}" if ended else ""))
    run = told.get("run", {})
    if "begun" in run:
        by = f"{run.get('host', '')}, process {run['pid']}" if "pid" in run else "an unknown process"
        lines.append(f"  last run: begun {_seconds(run['begun'])} by {by}")
        if told["state"] == "running":
            lines.append(f"  progress: {_progress(run)}")
        elif "ended" in run:
            lines.append(f"  ended: {_seconds(run['ended'])}, {run.get('outcome', '')}")
        else:
            lines.append("  ended: nobody knows when; killed before it could say so")
    if told["failures"]:
        lines.append(f"  failed: sim status {told['sweep']} --failures tells why")
    return lines


def _line(event: dict[str, Any]) -> str:
    """One event as a line; a traceback as lines of its own."""
    rest = {k: v for k, v in event.items() if k not in ("time", "event", "scenario", "traceback")}
    words = "  ".join(f"{k}: {v if isinstance(v, str) else json.dumps(v)}" for k, v in rest.items())
    trace = event.get("traceback")
    return f"{event.get('time', '')}  {event.get('event', '')}  {words}".rstrip() + (f"\n{trace}" if trace else "")


def ls(sweep: SweepName = None, data: Data = Path("data"), as_json: Json = False) -> None:
    """The sweeps in the data folder, or the scenarios of one."""
    from sim.cli.sweep import _size
    from sim.sweep.listing import contents, sweeps

    if sweep is None:
        _folder(data)
        found = sweeps(data)
        if as_json:
            print_json(found)
            return
        rows = [
            {
                **{key: "" if row[key] is None else f"{row[key]}" for key in ("sweep", "game")},
                **{key: "" if row[key] is None else f"{row[key]:,}" for key in ("scenarios", "games")},
                "size": "" if row["bytes"] is None else _size(row["bytes"]),
                **{key: "" if row[key] is None else f"{row[key]}" for key in ("detail", "seed")},
                "complete": "yes" if row["complete"] else "no",
                "title": row["title"],
            }
            for row in found
        ]
        print_frame(rows, right=("scenarios", "games", "size", "seed"))
        if not rows:
            print(f"no sweep in {data}")
        return
    listed = contents(sweep, data=data)
    if as_json:
        print_json(listed)
        return
    ended = any("ended_by" in row for row in listed)
    print_frame(
        [
            {
                "scenario": row["scenario"],
                "games": f"{row['games']:,}",
                "rows": f"{sum(row['rows'].values()):,}",
                **({"ended by": row.get("ended_by", "")} if ended else {}),
                "label": row["label"],
            }
            for row in listed
        ],
        right=("games", "rows"),
    )
    if not listed:
        print("no scenario is finished yet")


def sql(
    sweep: Annotated[str, typer.Argument(metavar="SWEEP", help="Name, YAML file or folder of a finished sweep.")],
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="A query over games or counts, differences, and scenarios.")
    ],
    data: Data = Path("data"),
    as_json: Json = False,
) -> None:
    """Ask a finished sweep in SQL, by DuckDB (extra sql)."""
    from sim.sweep.sql import ask

    names, rows = ask(sweep, query, data=data)
    found = [dict(zip(names, row, strict=True)) for row in rows]
    if as_json:
        print_json(found)
        return
    numbers = [name for i, name in enumerate(names) if all(isinstance(row[i], int | float) for row in rows)]
    print_frame([{k: "" if v is None else str(v) for k, v in row.items()} for row in found], right=numbers)
    print(f"{len(found):,} row{'' if len(found) == 1 else 's'}")
