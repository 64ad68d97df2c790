"""``sim thumb``: the strongest rule for Caterpillars that a child can hold in the head, level by level."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.common import Json, Seed, Workers, number, parquet_name, print_frame, print_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("thumb")(thumb)


def thumb(
    level: Annotated[list[str] | None, typer.Option("--level", metavar="LEVEL", help="Only this; default all.")] = None,
    games: Annotated[
        str, typer.Option("--games", metavar="N", help="Fresh games of the winner and those it is compared with.")
    ] = "1000000",
    first: Annotated[str, typer.Option("--first", metavar="N", help="Games of each rule in the first round.")] = "500",
    exact: Annotated[
        Path, typer.Option("--exact", metavar="FOLDER", help="Where the exact answers are, for what is lost.")
    ] = Path("data/exact"),
    seed: Seed = "1",
    workers: Workers = "2",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE.parquet", help="Also write one row per policy.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Search the strongest short rule among more than 10,000 per level, and measure it again on fresh games."""
    from sim import games as registry
    from sim.games.caterpillars.rules import LEVELS
    from sim.league import thumb as league
    from sim.sweep.progress import Progress
    from sim.sweep.warm import announce

    parquet_name(out)
    call: dict[str, Any] = {
        "seed": number("seed", seed),
        "games": number("games", games),
        "first": number("first", first),
        "workers": number("workers", workers),
    }
    announce(registry.get("caterpillars"))
    rows = []
    for name in level or LEVELS:
        with Progress(f"rules at {name}", 1.0) as bar:

            def on_rule(_: int, of: int, bar: Progress = bar) -> None:
                bar.advance(0, 1.0 / (5 * of))  # five rounds or so, of about as many games each

            found = league.search(name, on_rule=on_rule, **call)
        rows += league.rows(found, exact, call["seed"], call["workers"])
    if out is not None:
        league.write(out, rows, call["seed"], call["games"], call["first"])
    if as_json:
        print_json({**call, "rows": rows})
        return
    print_frame([_told(row) for row in rows], right=("mean", "±", "behind", "lost in 100", "rules"))
    print(f"{call['games']:,} fresh games each, seed {call['seed']}; 95 % intervals")


def _told(row: dict[str, Any]) -> dict[str, str]:
    what = {0: "compared", 1: "winner", 2: "runner-up"}[row["place"]]
    return {
        "level": row["level"],
        "place": what,
        "rules": f"{row['rules']:,}" if row["place"] else "",
        "mean": f"{row['mean']:.3f}",
        "±": f"{(row['high'] - row['low']) / 2:.3f}",
        "behind": f"{row['behind']:.3f}",
        "lost in 100": f"{row['loss']:.2f}",
        "policy": row["policy"],
    }
