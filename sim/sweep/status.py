"""How a sweep stands: from its manifest, its log and its lock. Nothing is played and nothing is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sim.errors import InputError, StoreError, listing
from sim.sweep import log, manifest
from sim.sweep.frames import folder_of
from sim.sweep.lock import is_running


def names(data: str | Path = "data") -> list[str]:
    """Names of the sweeps known in a data folder: those with a manifest, and those of which there is only a log."""
    found = {path.parent.name for name in (manifest.NAME, manifest.PARTIAL) for path in Path(data).glob(f"*/{name}")}
    found |= {path.name.removesuffix(".log.jsonl") for path in Path(data).glob("runs/*.log.jsonl")}
    return sorted(found)


def place(sweep: str | Path, data: str | Path) -> tuple[Path, str]:
    """Data folder and name of a sweep by its name, YAML file or folder; InputError where nothing is known of it."""
    folder = folder_of(sweep, data)
    home, name = folder.parent, folder.name
    written = str(sweep).endswith((".yaml", ".yml"))  # a sweep that was never run, but can be
    if not written and not folder.is_dir() and not log.path_of(home, name).is_file():
        raise InputError(
            f"nothing is known of sweep '{sweep}' in {home}"
            f"; accepted: the name, YAML file or folder of one, such as {listing(names(home)) or 'one that was run'}"
        )
    return home, name


def status(sweep: str | Path, *, data: str | Path = "data") -> dict[str, Any]:
    """How a sweep stands, as plain data.

    Parameters
    ----------
    sweep : str or path
        Name, YAML file or folder.
    data : path
        The data folder.

    Returns
    -------
    dict
        ``sweep``, ``state`` (complete, running, failed, stopped, not begun), ``scenarios``, ``done``, ``failed``,
        ``open``, ``games`` (of the scenarios done), ``until`` and ``minutes`` where there is such a budget,
        ``ended_by`` (scenarios by what ended them), ``run`` (the last run: begun, host, pid, games, rate,
        share, left, outcome) and ``failures`` (of the last run: scenario, label, message, traceback).

    Raises
    ------
    InputError
        Nothing is known of such a sweep.
    """
    home, name = place(sweep, data)
    held = is_running(home, name)
    head = _head(home / name)
    run = last_run(log.read(home, name))
    complete = head is not None and "planned" not in head
    games = {entry["scenario"]: entry["games"] for entry in (head or {}).get("scenarios", ())}
    failures: dict[str, dict[str, Any]] = {}
    if not complete:
        games |= run.pop("finished")
        failures = {id: told for id, told in run.pop("failures").items() if id not in games}
    else:
        run.pop("finished")
        run.pop("failures")
    total = len(games) if complete else (head or {}).get("planned", run.get("scenarios", len(games)))
    if complete:
        state = "complete"
    elif held:
        state = "running"
    elif not run and head is None:
        state = "not begun"
    else:
        state = "failed" if failures else "stopped"
    result: dict[str, Any] = {
        "sweep": name,
        "folder": str(home / name),
        "state": state,
        "scenarios": total,
        "done": len(games),
        "failed": len(failures),
        "open": max(0, total - len(games) - len(failures)),
        "games": sum(games.values()),
    }
    for key in ("until", "minutes"):
        given = (head or {}).get(key, run.get(key))
        if given is not None:
            result[key] = given
    ended = Counter(entry["ended_by"] for entry in (head or {}).get("scenarios", ()) if "ended_by" in entry)
    if ended:
        result["ended_by"] = dict(sorted(ended.items()))
    told = {key: value for key, value in run.items() if key not in ("until", "minutes", "open")}
    return {**result, **({"run": told} if told else {}), "failures": list(failures.values())}


def _head(folder: Path) -> dict[str, Any] | None:
    """The manifest of what there is, finished or not; None where there is none that can be read."""
    for partial in (False, True):
        try:
            return manifest.read(folder, partial=partial)
        except StoreError:
            continue
    return None


def last_run(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What the log tells of the last run: its first line, its last progress, how it ended, who finished and who failed.

    A line that lacks something is a line of another version or a broken one: it is passed over.
    """
    run: dict[str, Any] = {}
    finished: dict[str, int] = {}
    failures: dict[str, dict[str, Any]] = {}
    for event in events:
        match event:
            case {"event": "begin", "time": str(time), **more}:
                # `games` of this line are those of the plan; of a run, they are what was played
                run = {**more, "begun": time}
                for key in ("event", "games"):
                    run.pop(key, None)
                finished, failures = {}, {}
            case {"event": "progress", "time": str(time), **more}:
                run |= {key: more[key] for key in ("games", "rate", "share", "left") if key in more}
                run["told"] = time
            case {"event": "finished", "scenario": str(id), "games": int(games)}:
                finished[id] = games
            case {"event": "failed", "scenario": str(id), **more}:
                told = {key: str(more.get(key, "")) for key in ("label", "message", "traceback")}
                failures[id] = {"scenario": id, **told}
            case {"event": "end", "time": str(time), **more}:
                run |= {key: more[key] for key in ("outcome", "seconds") if key in more}
                run["ended"] = time
    return {**run, "finished": finished, "failures": failures}


def events_of(sweep: str | Path, scenario: str, *, data: str | Path = "data") -> list[dict[str, Any]]:
    """The events of one scenario from the log of a sweep, oldest first.

    Parameters
    ----------
    sweep : str or path
    scenario : str
        A scenario id or the beginning of one (at least four characters).
    """
    home, name = place(sweep, data)
    found: dict[str, list[dict[str, Any]]] = {}
    for event in log.read(home, name):
        if isinstance(event.get("scenario"), str):
            found.setdefault(event["scenario"], []).append(event)
    hits = [id for id in found if len(scenario) >= 4 and id.startswith(scenario)]
    if len(hits) != 1:
        what = f"fits {listing(hits, 6)}" if hits else f"is not in the log of {name}"
        raise InputError(
            f"scenario '{scenario}' {what}; accepted: one id of {listing(found, 12) or 'a sweep that was run'}"
        )
    return found[hits[0]]
