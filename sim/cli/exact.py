"""``sim exact``: long exact computations, and a check of what they left."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from sim.cli.common import Json, Workers, number, print_frame, print_json
from sim.errors import whole_number


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("exact")(exact)


def exact(
    job: Annotated[list[str] | None, typer.Argument(metavar="[JOB]…", help="Only these; all if none is named.")] = None,
    workers: Workers = "2",
    minutes: Annotated[
        str,
        typer.Option("--minutes", metavar="N", help="Begin nothing new after so many minutes; a later call goes on."),
    ] = "120",
    list_only: Annotated[bool, typer.Option("--list", help="List the jobs and do nothing.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Solve a random sample of the kept results again.")] = False,
    seed: Annotated[str, typer.Option("--seed", metavar="N", help="Which sample is checked.")] = "1",
    results: Annotated[Path, typer.Option("--results", metavar="FOLDER", help="Where results are kept.")] = Path(
        "data/exact"
    ),
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE.json", help="Write what --check found.")] = None,
    as_json: Json = False,
) -> None:
    """Run long exact computations (resumable), or check what they left; status 1 if a kept result differs."""
    from sim.verify import jobs, kept

    threads = whole_number("workers", number("workers", workers), 1)
    if check:
        from sim.store.parquet import write_bytes

        chosen_seed = number("--seed", seed)
        found = kept.check(chosen_seed, results, threads)
        if out is not None:
            write_bytes(out, kept.text(found, chosen_seed).encode())
        if as_json:
            print_json(found)
        else:
            print_frame(
                [
                    {
                        "table": row["table"],
                        "row": row["row"],
                        "column": row["column"],
                        "kept": f"{row['kept']:.6f}",
                        "again": f"{row['again']:.6f}",
                        "agrees": "yes" if row["passed"] else "NO",
                    }
                    for row in found
                ],
                right=("row", "kept", "again"),
            )
        fault = kept.fault(found)
        if fault is not None:
            raise fault
        return
    chosen = jobs.chosen(job or [])
    if list_only:
        print_frame(
            [{"job": j.name, "tasks": len(j.tasks), "writes": ", ".join(j.tables), "what": j.told} for j in chosen],
            right=("tasks",),
        )
        return
    limit = number("--minutes", minutes)
    until = time.monotonic() + 60 * limit
    print(f"unfinished work is kept in {jobs.WORK}, at most {jobs.LIMIT / 2**30:.0f} GiB", file=sys.stderr)
    for j in chosen:
        begun = last = time.monotonic()

        def tell(task: str, share: float, name: str = j.name, begun: float = begun) -> None:
            nonlocal last
            now = time.monotonic()
            if share >= 1.0 or now - last > 10:
                last = now
                print(f"{name}: {task} {100 * share:.0f} % ({now - begun:.0f} s)", file=sys.stderr, flush=True)

        finished = jobs.run(j, workers=threads, results=results, until=until, tell=tell)
        if not finished:
            print(f"{j.name}: {limit} minutes are over; call again to go on", file=sys.stderr)
            return
        print(f"{j.name}: written to {results}: {', '.join(f'{t}.parquet' for t in j.tables)}", file=sys.stderr)
