"""Runs a plan: plays what is missing, keeps what is there, and leaves complete files only."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.errors import FaultError, SweepError, whole_number
from sim.store import records
from sim.store.load import Footer
from sim.sweep import compact, guard, manifest
from sim.sweep.backends import Backend, check_backend, choose
from sim.sweep.estimate import cost
from sim.sweep.lock import locked
from sim.sweep.log import Log
from sim.sweep.members import CHECKPOINTS, Member
from sim.sweep.plan import Plan, plan
from sim.sweep.progress import Progress, duration
from sim.sweep.schedule import Outcome, Watch, closing, play
from sim.sweep.stopping import Interrupted, Stop
from sim.sweep.streams import NOBODY, RowStream


@dataclass(frozen=True)
class SweepResult:
    """What a sweep left behind.

    Attributes
    ----------
    name : str
    folder : Path
        Where its files are.
    played, reused : int
        Games played now, and games found finished.
    seconds : float
    notes : tuple of str
        What was merged or left out.
    """

    name: str
    folder: Path
    played: int
    reused: int
    seconds: float
    notes: tuple[str, ...]

    def frame(self, table: str | None = None, **options: Any) -> Any:
        """Its data as one frame; see `sim.load`."""
        from sim.sweep.frames import load

        return load(self.folder, table=table, **options)

    def scenarios(self) -> Any:
        """One row per scenario; see `sim.scenarios`."""
        from sim.sweep.frames import scenarios

        return scenarios(self.folder)


def run(
    source: str | Path | Mapping[str, Any] | Plan,
    *,
    workers: int = 1,
    data: str | Path = "data",
    backend: str = "threads",
    scheduler: str | None = None,
    max_failures: int | None = None,
    progress: bool = False,
    command: str | None = None,
    replace: bool = False,
) -> SweepResult:
    """Play what is missing of a sweep and write it to `data`/<name of the sweep>.

    Parameters
    ----------
    source : path, mapping or Plan
    workers : int
        Threads or processes.
    data : path
        The data folder.
    backend : {"threads", "sequential", "loky", "dask"}
        Who plays; the files are the same bytes.
    scheduler : str, optional
        Address of a running dask scheduler.
    max_failures : int, optional
        Give up after more failing scenarios than this; by default the others are played however many fail.
    progress : bool
        Tell on stderr how it goes.
    command : str, optional
        How to go on after a stop, for the message.
    replace : bool
        Give up finished data of another seed, range or detail, or of more games, that stand under the same name.

    Returns
    -------
    SweepResult

    Raises
    ------
    SweepError, StoreError
        In one line each.
    FaultError
        Scenarios failed; the others are complete, and tracebacks are in the log.
    Interrupted
        After Ctrl-C, when everything finished so far is on disk.
    """
    check_backend(backend, scheduler)
    workers = 1 if backend == "sequential" else whole_number("workers", workers, 1, 1024)
    if max_failures is not None:
        whole_number("max_failures", max_failures, 0, 10**9)
    planned = source if isinstance(source, Plan) else plan(source)
    folder = Path(data) / planned.name
    begun = time.monotonic()
    with locked(Path(data), planned.name):
        if not replace:
            _keep(folder, manifest.clash(folder, planned))
        for leftover in folder.rglob("*.tmp"):  # of killed runs: nobody else writes here now
            leftover.unlink(missing_ok=True)
        with Stop() as stop:
            missing, reached = _survey(planned, folder)
            if missing and compact.is_compact(folder):
                missing, reached = {}, compact.settled(planned, folder)
                if not reached:  # there is more to play
                    compact.unpack(folder)
                    missing, reached = _survey(planned, folder)
            if missing and not replace:
                _keep(folder, guard.lost(folder, planned, missing))
            outcome = Outcome(0, [], False, False)
            if missing:
                with choose(backend, workers, scheduler) as doers:
                    # what is done can be read while the rest is played, and after a kill
                    done = {id: files for id, files in reached.items() if id not in missing}
                    manifest.write_partial(folder, planned, manifest.build(planned, done, folder))
                    outcome = _play(planned, missing, folder, doers, stop, progress, max_failures)
                _, reached = _survey(planned, folder)
        seconds = time.monotonic() - begun
        complete = all(cell.id in reached for cell in planned.cells)
        if planned.spec.minutes is not None:  # files of an earlier, shorter run may stand there
            complete = complete and not (outcome.stopped or outcome.failures)
        found = manifest.build(planned, reached, folder)
        if complete:
            with contextlib.suppress(OSError):
                (folder / CHECKPOINTS).rmdir()
            manifest.write(folder, found)
            compact.tidy(folder, found)
            (folder / manifest.PARTIAL).unlink(missing_ok=True)
        elif outcome.failures or outcome.stopped or outcome.played:
            manifest.write_partial(folder, planned, found)
        reused = max(0, sum(entry["games"] for entry in found["scenarios"]) - outcome.played)
        if outcome.played or not complete:
            told = "complete" if complete else outcome.ending()
            records.append(
                data,
                command or f"sweep {planned.name}",
                seconds=seconds,
                workers=workers,
                backend=backend,
                played=outcome.played,
                reused=reused,
                failed=len(outcome.failures),
                outcome=told,
            )
            Log(data, planned.name).write("end", outcome=told, played=outcome.played, seconds=round(seconds, 3))
    if not complete or outcome.failures:
        raise _unfinished(planned, outcome, complete, command or "the same call", duration(seconds), max_failures)
    return SweepResult(planned.name, folder, outcome.played, reused, seconds, tuple(planned.notes))


def _unfinished(
    planned: Plan, outcome: Outcome, complete: bool, again: str, took: str, max_failures: int | None
) -> BaseException:
    """Why a sweep is not complete, what is kept, and how to go on."""
    if outcome.stopped and not complete:
        return Interrupted(
            f"stopped after {took}: {outcome.played:,} games were played and kept; {again} goes on from here"
        )
    if outcome.failures:
        cell, failure = outcome.failures[0]
        rest = f"gave up after more than {max_failures}" if outcome.gave_up else "the others are complete"
        return FaultError(
            f"{len(outcome.failures)} of {len(planned.cells)} scenarios failed, {rest}; first: {cell.scenario.label}: "
            f"{failure.message} (tracebacks: sim status {planned.name} --failures)"
        )
    return FaultError(
        f"{planned.spec.minutes:g} minutes were not enough for one look at every scenario"
        f"; {outcome.played:,} games are kept, and {again} goes on from here"
    )


def _keep(folder: Path, lost: str) -> None:
    """Refuse what would take results away unasked."""
    if lost:
        raise SweepError(f"{folder} holds a sweep with {lost}; accepted: another name or data folder, or --replace")


def _play(
    planned: Plan,
    missing: Mapping[str, int],
    folder: Path,
    backend: Backend,
    stop: Stop,
    show: bool,
    max_failures: int | None,
) -> Outcome:
    """Play all that is missing."""
    todo = [cell for cell in planned.cells if cell.id in missing]
    (folder / manifest.NAME).unlink(missing_ok=True)  # from here on the folder is not complete
    weight = cost(planned, missing, with_bytes=False).per_game
    log = Log(folder.parent, planned.name)
    log.begin(scenarios=len(planned.cells), open=len(todo), games=planned.games(), **manifest.budget(planned))
    total = sum(missing[cell.id] * weight[cell.id] for cell in todo)
    with Progress(planned.name, total, show=show) as bar:
        bar.limit = None if planned.spec.minutes is None else 60 * planned.spec.minutes
        watch = Watch(planned, weight, bar, log)
        outcome = play(planned, todo, folder, backend, weight, watch, stop=stop, max_failures=max_failures)
        if not outcome.stopped:
            bar.say(closing(planned, len(todo), bar))
    return outcome


Files = dict[str, list[tuple[str, Footer]]]


def _survey(planned: Plan, folder: Path) -> tuple[dict[str, int], Files]:
    """What is there: games still to be played, of scenarios that are not finished, and the files of those that are."""
    missing: dict[str, int] = {}
    files: Files = {}
    settled = manifest.same(folder, planned)  # its end was decided by the clock
    for cell in planned.cells:
        if planned.rows is not None:
            pieces = RowStream(cell, planned, folder, NOBODY)
            if pieces.missing:
                missing[cell.id] = pieces.open_games()
            else:
                files[cell.id] = [(planned.rows.table, footer) for footer in pieces.footers]
            continue
        member = Member(cell, planned, folder)
        held = member.held()
        if held is not None and (settled or member.suffices(held)):
            files[cell.id] = list(held.items())
            continue
        missing[cell.id] = cell.games
        if held is not None and planned.spec.minutes is not None:
            files[cell.id] = list(held.items())
    return missing, files
