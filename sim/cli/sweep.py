"""``sim sweep FILE``: run a sweep, or tell what it would cost."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.common import Json, Workers, number, print_frame, print_json

Data = Annotated[Path, typer.Option("--data", metavar="FOLDER", help="The data folder.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("sweep")(sweep)


def sweep(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A sweep file, as in sweeps/.")],
    workers: Workers = "1",
    data: Data = Path("data"),
    backend: Annotated[
        str, typer.Option("--backend", metavar="NAME", help="threads, sequential, loky (processes) or dask.")
    ] = "threads",
    scheduler: Annotated[
        str | None, typer.Option("--scheduler", metavar="ADDRESS", help="A running dask scheduler, tcp://host:8786.")
    ] = None,
    max_failures: Annotated[
        int | None, typer.Option("--max-failures", metavar="N", help="Give up after more failing scenarios.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print scenarios, games, time and bytes; play nothing.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Give up finished data of another seed or of more games.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    as_json: Json = False,
) -> None:
    """Run a sweep: play what is missing, keep what is there. Run again, it goes on where it stopped."""
    from sim import api
    from sim.sweep.backends import check_backend
    from sim.sweep.plan import plan
    from sim.sweep.progress import duration, rate
    from sim.sweep.run import run

    check_backend(backend, scheduler)
    threads = number("workers", workers)
    planned = plan(file)
    api.announce(planned.game)
    if dry_run:
        _forecast(planned, max(threads, 1), as_json)
        return
    command = f"sim sweep {file}" + (f" --data {data}" if data != Path("data") else "")
    result = run(
        planned,
        workers=threads,
        data=data,
        backend=backend,
        scheduler=scheduler,
        max_failures=max_failures,
        progress=not quiet,
        command=command,
        replace=replace,
    )
    if as_json:
        print_json(
            {
                "sweep": result.name,
                "folder": str(result.folder),
                "scenarios": len(planned.cells),
                "played": result.played,
                "reused": result.reused,
                "seconds": round(result.seconds, 3),
                "notes": list(result.notes),
            }
        )
        return
    if not quiet:
        _notes(planned.notes)
    what = f"{len(planned.cells)} scenarios in {result.folder}"
    if result.played:
        print(
            f"{what}: {result.played:,} games played, {result.reused:,} found finished, "
            f"{duration(result.seconds)}, {rate(result.played, result.seconds)}"
        )
    else:
        print(f"{what}: complete, nothing to do")


def _notes(notes: list[str], most: int = 5) -> None:
    for note in notes[:most]:
        print(f"note: {note}", file=sys.stderr)
    if len(notes) > most:
        print(f"note: … and {len(notes) - most} more, in the manifest", file=sys.stderr)


def _forecast(planned: Any, workers: int, as_json: bool) -> None:
    from sim.sweep.estimate import cost
    from sim.sweep.progress import duration

    expected = cost(planned)
    seconds = expected.seconds / workers
    rows = [
        {
            "scenario": cell.id,
            "label": cell.scenario.label,
            "seats": len(cell.scenario.policies),
            "games": cell.games,
            "pairs": len(cell.pairs),
            "seconds": round(cell.games * expected.per_game[cell.id], 3),
        }
        for cell in planned.cells
    ]
    if as_json:
        print_json(
            {
                "sweep": planned.name,
                "game": planned.spec.game,
                "detail": planned.spec.detail,
                "scenarios": rows,
                "games": planned.games(),
                "seconds": round(seconds, 3),
                "workers": workers,
                "bytes": int(expected.size),
                "notes": planned.notes,
            }
        )
        return
    print_frame(
        [
            {"scenario": r["scenario"], "games": f"{r['games']:,}", "time": duration(r["seconds"]), "label": r["label"]}
            for r in rows
        ],
        right=("games", "time"),
    )
    _notes(planned.notes)
    print(
        f"{planned.name}: {len(rows)} scenarios, {planned.games():,} games, about {duration(seconds)} with "
        f"{workers} worker{'s' if workers > 1 else ''}, about {_size(expected.size)} in all; nothing was played"
    )


def _size(size: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
