"""``sim ladder``: choose ladders of policies from pools, or play kept ones again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.common import Json, Workers, number, print_frame, print_json
from sim.errors import InputError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("ladder")(ladder)


def ladder(
    pool: Annotated[
        list[Path] | None, typer.Argument(metavar="[POOL.yaml]…", help="Pools, as in sweeps/ladders.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FOLDER", help="Keep the ladders there, one file per pool.")
    ] = None,
    workers: Workers = "1",
    check: Annotated[bool, typer.Option("--check", help="Play a pair of each kept ladder again instead.")] = False,
    seed: Annotated[str, typer.Option("--seed", metavar="N", help="Which pairs --check takes.")] = "1",
    results: Annotated[Path, typer.Option("--results", metavar="FOLDER", help="Where --check looks.")] = Path(
        "data/ladders"
    ),
    record: Annotated[
        Path | None, typer.Option("--record", metavar="FILE.json", help="Write what --check found.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Choose the longest ladder of surely different policies from each pool and measure it on fresh games."""
    if check:
        _check(number("seed", seed), results, record, as_json)
        return
    if not pool:
        raise InputError("no pool was given; accepted: at least one file, as sweeps/ladders/parlett.yaml, or --check")
    from sim import api
    from sim.league.ladder import make_ladder, read_pool

    told = []
    for path in pool:
        wanted = read_pool(path)
        api.announce(wanted.game)
        found = make_ladder(wanted, workers=number("workers", workers))
        if out is not None:
            found.write(out / f"{path.stem}.parquet")
        told.append(
            {
                "ladder": path.stem,
                "game": found.pool.game.name,
                "by": found.pool.by,
                "gap": found.pool.gap,
                "games": found.pool.measure,
                "holds": found.holds,
                "rungs": found.rows(),
                "ranges": found.range_rows(),
            }
        )
        if not as_json:
            _print(told[-1])
    if as_json:
        print_json(told)


def _print(made: dict[str, Any]) -> None:
    unit = "points" if made["by"] == "score" else "win rate"
    scale, form = (1, "{:.3f}") if made["by"] == "score" else (100, "{:.2f}")
    print(f"{made['ladder']}: {len(made['rungs'])} rungs by {unit}, {made['games']:,} fresh game indices")
    print_frame(
        [
            {
                "rung": str(row["rung"]),
                "above the last": form.format(scale * row["gain"]) if row["rung"] > 1 else "",
                "surely": form.format(scale * row["gain_low"]) if row["rung"] > 1 else "",
                "wins against it": f"{row['rate']:.2%}" if row["rung"] > 1 else "",
                "against the lowest": f"{row['floor']:.2%}" if row["rung"] > 1 else "",
                "policy": row["policy"] + (" (noise)" if row["noise"] else ""),
            }
            for row in made["rungs"]
        ],
        right=("rung", "above the last", "surely", "wins against it", "against the lowest"),
    )
    for row in made["ranges"]:
        ends = f"{row['rate_low']:.2%} to {row['rate_high']:.2%}"
        print(f"{row['first']} against {row['second']}: {row['rate']:.2%} ({ends})")
    if not made["holds"]:
        print("note: on the fresh games not every gap is sure; more games, or fewer rungs")


def _check(seed: int, results: Path, record: Path | None, as_json: bool) -> None:
    from sim.league import climbed

    found = climbed.check(seed, results)
    if record is not None:
        from sim.store.parquet import write_bytes

        write_bytes(record, climbed.text(found, seed).encode())
    if as_json:
        print_json(found)
    else:
        print_frame(
            [
                {
                    "ladder": row["ladder"],
                    "kept": " ".join(map(str, row["kept"])),
                    "again": " ".join(map(str, row["again"])),
                    "same": "yes" if row["passed"] else "NO",
                    "pair": f"{row['upper']} – {row['lower']}",
                }
                for row in found
            ]
        )
    fault = climbed.fault(found)
    if fault is not None:
        raise fault
