"""Long exact computations, cut into pieces that can be done one after the other, today or tomorrow.

A *job* is a list of tasks; a task gives rows of one or more small tables. Finished tasks are noted in a folder of their
own, so that a job goes on where it stopped. When the last one is done, the tables are written to ``data/exact/`` as
Parquet files that are kept with the sources: values, never the big tables they come from.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sim.errors import InputError
from sim.games.caterpillars.exact.bonus import Progress
from sim.games.caterpillars.rules import CaterpillarsRules
from sim.store.answers import write_answers
from sim.store.schema import ANSWERS

#: where results are kept, and what is unfinished
RESULTS = Path("data/exact")
WORK = Path(".cache/exact")
#: bytes that unfinished work may take on disk
LIMIT = 40 * 2**30

Rows = Mapping[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Room:
    """What a task may use.

    Attributes
    ----------
    workers : int
    folder : Path
        Its own, for what it wants to find again after an interruption.
    limit : int
        Bytes this folder may take.
    tell : callable, optional
        Told the share of the task that is done.
    """

    workers: int
    folder: Path
    limit: int = LIMIT
    tell: Callable[[float], None] | None = None

    def progress(self) -> Progress | None:
        tell = self.tell
        return None if tell is None else lambda done, total: tell(done / total)


@dataclass(frozen=True)
class Job:
    """One long computation.

    Attributes
    ----------
    name : str
    told : str
        What it finds out.
    tables : sequence of str
        Names of `ANSWERS` it writes.
    rules : CaterpillarsRules
        Rules told in the footers.
    tasks : dict
        Name of a task → function of a `Room` that gives its rows.
    facts : mapping
        What decides the content beside the rules; a finished task is used again only where it is the same.
    """

    name: str
    told: str
    tables: tuple[str, ...]
    rules: CaterpillarsRules
    tasks: Mapping[str, Callable[[Room], Rows]]
    facts: Mapping[str, Any] = field(default_factory=dict)


def jobs() -> dict[str, Job]:
    """All long computations by name, in the order in which they are run."""
    from sim.verify import long

    found = (long.atlas(), long.layouts(), long.advanced(), long.bracket(), long.panel())
    return {job.name: job for job in found}


def _noted(path: Path, facts: Mapping[str, Any]) -> dict[str, Rows]:
    """Finished tasks of an earlier call; a last line that was cut off counts as not done."""
    found: dict[str, Rows] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return found
    for line in lines:
        try:
            note = json.loads(line)
        except ValueError:
            break
        if note["facts"] == json.loads(json.dumps(facts)):
            found[note["task"]] = note["rows"]
    return found


def _note(path: Path, task: str, facts: Mapping[str, Any], rows: Rows) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"task": task, "facts": facts, "rows": rows}) + "\n")
        file.flush()
        os.fsync(file.fileno())


def run(
    job: Job,
    *,
    workers: int = 2,
    results: Path = RESULTS,
    work: Path = WORK,
    until: float | None = None,
    tell: Callable[[str, float], None] | None = None,
) -> bool:
    """Do what is left of a job; write its tables when all is done.

    Parameters
    ----------
    until : float, optional
        `time.monotonic` after which no further task is begun.
    tell : callable(task, share done), optional

    Returns
    -------
    bool
        Whether the job is finished.
    """
    folder = work / job.name
    folder.mkdir(parents=True, exist_ok=True)
    notes = folder / "done.jsonl"
    done = _noted(notes, job.facts)
    for name, task in job.tasks.items():
        if name in done:
            continue
        if until is not None and time.monotonic() > until:
            return False
        say = partial(tell, name) if tell is not None else None
        rows = task(Room(workers, folder / name, tell=say))
        _note(notes, name, job.facts, rows)
        done[name] = rows
        if tell is not None:
            tell(name, 1.0)
    for table in job.tables:
        rows_of_table = [row for name in job.tasks for row in done[name].get(table, [])]
        write_answers(results / f"{table}.parquet", table, job.rules, _arrays(table, rows_of_table), **job.facts)
    shutil.rmtree(folder, ignore_errors=True)
    return True


def _arrays(table: str, rows: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    """Columns of a table from its rows."""
    _, columns = ANSWERS[table]
    return {
        c.name: np.array([row[c.name] for row in rows], np.object_ if c.dtype == "string" else c.dtype) for c in columns
    }


def chosen(names: list[str]) -> list[Job]:
    """Jobs by name, all of them where none is named."""
    known = jobs()
    for name in names:
        if name not in known:
            raise InputError(f"job {name} is not known; accepted: {', '.join(known)}")
    return [known[name] for name in known if not names or name in names]
