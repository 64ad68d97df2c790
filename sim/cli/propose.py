"""``sim propose``: play fresh games for what the stored sweeps suggest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.common import Json, Workers, number, print_frame, print_json
from sim.cli.sweep import Data


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("propose")(propose)


def propose(
    workers: Workers = "1",
    data: Data = Path("data"),
    params: Annotated[
        Path, typer.Option("--params", metavar="FILE", help="Targets, candidates and the fresh seed.")
    ] = Path("params.yaml"),
    games: Annotated[
        str | None, typer.Option("--games", metavar="N", help="Of each scenario, at most; default: as in the file.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
    as_json: Json = False,
) -> None:
    """Pick the best counter-proposal for each question of the report, and play it again on fresh dice."""
    from sim import games as registry
    from sim.report.names import reading
    from sim.report.params import read_params
    from sim.report.propose import GAMES, PREFIX
    from sim.report.propose import propose as play
    from sim.sweep.warm import announce

    for game in GAMES:
        announce(registry.get(game))
    most = None if games is None else number("games", games)
    asked = play(read_params(params), data, workers=number("workers", workers), games=most, progress=not quiet)
    rows: list[dict[str, Any]] = []
    for ask in asked:
        found = ask.found
        change = reading(found.row["factor"], found.row["setting"]) if found.row.get("factor") else ""
        rows.append(
            {
                "question": ask.question.id,
                "compared": found.compared,
                "better": found.better,
                "enough": found.enough,
                "found": found.status,
                "change": f"{found.row['at']}: {change}" if ask.question.kind == "setup" and change else change,
            }
        )
    if as_json:
        print_json(rows)
        return
    print_frame(rows, right=("compared", "better", "enough"))
    print(f"\nfresh games of every proposal are in {data}/{PREFIX}-GAME; `sim report` judges by them")
