"""``sim panel``: how far policies are from optimal play on the kept panel of labelled sheets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.common import Json, Seed, Workers, number, print_frame, print_json

#: policies that are quick enough to be compared without being asked for
QUICK = ("greedy", "thumb", "planner", "weighted", "learned")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("panel")(panel)


def panel(
    level: Annotated[
        list[str] | None,
        typer.Option("--level", metavar="LEVEL", help="Only this; may be given several times; default all."),
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            metavar="POLICY",
            help=f"A policy of Caterpillars; may be given several times; default {', '.join(QUICK)}.",
        ),
    ] = None,
    sheets: Annotated[
        str | None, typer.Option("--sheets", metavar="N", help="So many of each level's sheets, evenly spread.")
    ] = None,
    games: Annotated[str, typer.Option("--games", metavar="N", help="Games per sheet.")] = "1000",
    seed: Seed = "1",
    workers: Workers = "1",
    results: Annotated[Path, typer.Option("--results", metavar="FOLDER", help="Where the panel is kept.")] = Path(
        "data/exact"
    ),
    as_json: Json = False,
) -> None:
    """Tell what policies of Caterpillars lack to optimal play on kept sheets with exact values."""
    from sim import games as registry
    from sim.errors import play_range
    from sim.games.caterpillars.rules import LEVELS
    from sim.sweep.warm import announce
    from sim.verify.standing import standing

    room = registry.get("caterpillars")
    chosen = [room.policies.parse(text) for text in policy or QUICK]
    dice, _, each, threads = play_range(
        number("seed", seed), 0, number("games", games), number("workers", workers), least=2
    )
    some = None if sheets is None else number("sheets", sheets)
    announce(room)
    found = standing(
        chosen, each, dice, levels=level or LEVELS, workers=threads, results=results, sheets=some
    ).to_dicts()
    if as_json:
        print_json({"seed": dice, "games": each, "rows": found})
        return
    print_frame([_told(row) for row in found], right=("lacks", "±", "worst sheet"))
    print(
        f"share of the optimum that is missing, mean of {found[0]['sheets']} sheets a level, {each:,} games a sheet, "
        f"seed {dice}; 95 % intervals"
    )


def _told(row: dict[str, Any]) -> dict[str, str]:
    return {
        "level": row["level"],
        "lacks": f"{row['loss']:.2%}",
        "±": f"{(row['high'] - row['low']) / 2:.2%}",
        "worst sheet": f"{row['worst']:.2%}",
        "policy": row["policy"],
    }
