"""Runs a plan: plays what is missing, keeps what is there, and leaves complete files only."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.engine.simulate import blocks
from sim.errors import FaultError, SimError, StoreError, SweepError, unknown, whole_number
from sim.store import records
from sim.store.columns import Arrays
from sim.store.load import Footer, read_footer
from sim.store.parquet import write_table
from sim.sweep import manifest, summary
from sim.sweep.estimate import cost
from sim.sweep.groups import groups
from sim.sweep.plan import Cell, Plan, plan
from sim.sweep.progress import Progress, duration, rate
from sim.sweep.rows import Pipeline, group_games, provenance_of
from sim.sweep.stopping import Interrupted, Stop

BACKENDS = ("threads", "sequential")


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


def check_backend(backend: str) -> None:
    """Refuse back ends that do not exist."""
    if backend not in BACKENDS:
        raise SweepError(unknown("backend", backend, BACKENDS))


@contextlib.contextmanager
def locked(data: Path, name: str) -> Iterator[None]:
    """Hold the folder of a sweep; a second run in it is refused. The lock lies outside: the folder holds data alone."""
    try:
        import fcntl
    except ImportError:  # no such lock on this system: two runs would only do the work twice, every file is whole
        yield
        return
    try:
        (data / "runs").mkdir(parents=True, exist_ok=True)
        handle = open(data / "runs" / f"{name}.lock", "w")
    except OSError as error:
        raise StoreError(
            f"cannot write in {data}: {error.strerror}; accepted: a folder with room and permission"
        ) from None
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SweepError(
                f"sweep data {data / name} is being written by another run; accepted: one run at a time"
            ) from None
        yield


class _Pieces:
    """The files of one scenario in detail ``games``."""

    def __init__(self, cell: Cell, plan: Plan, folder: Path) -> None:
        self.cell = cell
        self.plan = plan
        size = group_games(len(cell.scenario.policies))
        self.all = list(blocks(plan.spec.first_game, cell.games, size))
        self.folder = folder / "games" / f"scenario={cell.id}"
        self.missing = [piece for piece in self.all if not self.finished(*piece)]

    def path(self, first: int) -> Path:
        return self.folder / f"rows-{first:012d}.parquet"

    def finished(self, first: int, games: int) -> bool:
        try:
            found = read_footer(self.path(first))
        except StoreError:
            return False
        return found.provenance == provenance_of(self.cell.scenario, self.plan.spec.seed, first, games)

    def play(self, workers: int, stop: Callable[[], bool], on_games: Callable[[int], None]) -> bool:
        spec = self.plan.spec
        pipeline = Pipeline(self.cell.scenario, spec.seed, workers, on_games, stop)

        def write(first: int, games: int, arrays: Arrays) -> None:
            write_table(
                self.path(first), pipeline.columns, provenance_of(self.cell.scenario, spec.seed, first, games), arrays
            )

        pipeline.run(self.missing, write)
        return not stop()


def run(
    source: str | Path | Mapping[str, Any] | Plan,
    *,
    workers: int = 1,
    data: str | Path = "data",
    backend: str = "threads",
    progress: bool = False,
    command: str | None = None,
    replace: bool = False,
) -> SweepResult:
    """Play what is missing of a sweep and write it to `data`/<name of the sweep>.

    Parameters
    ----------
    source : path, mapping or Plan
    workers : int
        Threads.
    data : path
        The data folder.
    backend : {"threads", "sequential"}
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
    Interrupted
        After Ctrl-C, when everything finished so far is on disk.
    """
    check_backend(backend)
    workers = 1 if backend == "sequential" else whole_number("workers", workers, 1, 1024)
    planned = source if isinstance(source, Plan) else plan(source)
    folder = Path(data) / planned.name
    begun = time.monotonic()
    with locked(Path(data), planned.name):
        lost = "" if replace else manifest.clash(folder, planned)
        if lost:
            raise SweepError(
                f"{folder} holds a finished sweep with {lost}; accepted: another name or data folder, or --replace"
            )
        for leftover in folder.rglob("*.tmp"):  # of killed runs: nobody else writes here now
            leftover.unlink(missing_ok=True)
        with Stop() as stop:
            played, reused, faults = _play(planned, folder, workers, stop, progress)
        seconds = time.monotonic() - begun
        complete = not faults and not stop()
        if complete:
            with contextlib.suppress(OSError):
                (folder / summary.CHECKPOINTS).rmdir()
            manifest.write(folder, manifest.build(planned, _files(planned, folder), folder))
        if played or not complete:
            outcome = "complete" if complete else "stopped" if stop() else "fault"
            records.append(
                data,
                command or f"sweep {planned.name}",
                seconds=seconds,
                workers=workers,
                played=played,
                reused=reused,
                outcome=outcome,
            )
    if stop():
        again = command or "the same call"
        raise Interrupted(
            f"stopped after {duration(seconds)}: {played:,} games were played and kept; {again} goes on from here"
        )
    if faults:
        raise FaultError(
            f"{len(faults)} of {len(planned.cells)} scenarios failed, the others are complete; first: {faults[0]}"
        )
    return SweepResult(planned.name, folder, played, reused, seconds, tuple(planned.notes))


def _play(planned: Plan, folder: Path, workers: int, stop: Stop, show: bool) -> tuple[int, int, list[str]]:
    """Play all that is missing; returns games played, games reused, and what failed."""
    detail = planned.spec.detail
    if detail == "games":
        pieces = {cell.id: _Pieces(cell, planned, folder) for cell in planned.cells}
        open_games = {id: sum(n for _, n in p.missing) for id, p in pieces.items()}
    else:
        members = {cell.id: summary.Member(cell, planned, folder) for cell in planned.cells}
        open_games = {id: 0 if m.complete() else m.games for id, m in members.items()}
    todo = [cell for cell in planned.cells if open_games[cell.id]]
    if not todo:
        return 0, planned.games(), []
    (folder / manifest.NAME).unlink(missing_ok=True)  # from here on the folder is not complete
    expected = cost(planned, [cell.id for cell in todo], with_bytes=False)
    weight = expected.per_game
    faults: list[str] = []
    total = sum(open_games[c.id] * weight[c.id] for c in todo)
    with Progress(planned.name, total, show=show) as bar:
        for group in groups(todo):
            per_game = sum(weight[c.id] for c in group.cells) / len(group.cells)

            def on_games(games: int, per_game: float = per_game) -> None:
                bar.advance(games, games * per_game)

            def on_kept(games: int, per_game: float = per_game) -> None:
                bar.work -= games * per_game

            try:
                if detail == "games":
                    finished = all(pieces[c.id].play(workers, stop, on_games) for c in group.cells)
                else:
                    part = [members[c.id] for c in group.cells]
                    finished = summary.play(group, part, workers=workers, stop=stop, on_games=on_games, on_kept=on_kept)
            except SimError:
                raise  # a full disk or a missing permission would stop the others too
            except Exception as error:
                faults.append(f"{group.cells[0].scenario.label}: {type(error).__name__}: {error}")
                bar.say(f"{planned.name}: failed: {faults[-1]}")
                continue
            if not finished:
                break
        if not stop():
            bar.say(
                f"{planned.name}: {len(todo)} scenarios, {bar.games:,} "
                f"games, {rate(bar.games, time.monotonic() - bar.begun)}"
            )
    return bar.games, planned.games() - bar.games, faults


def _files(planned: Plan, folder: Path) -> dict[str, list[tuple[str, Footer]]]:
    result: dict[str, list[tuple[str, Footer]]] = {}
    for cell in planned.cells:
        if planned.spec.detail == "games":
            pieces = _Pieces(cell, planned, folder)
            result[cell.id] = [("games", read_footer(pieces.path(first))) for first, _ in pieces.all]
        else:
            result[cell.id] = [
                (table, read_footer(path)) for table, path in summary.Member(cell, planned, folder).paths.items()
            ]
    return result
