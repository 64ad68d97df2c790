"""``sim decided``: when games of Karolinchen for two are decided, and the games that the report shows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.common import Json, number, print_frame, print_json
from sim.cli.sweep import Data


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("decided")(decided)


def decided(
    data: Data = Path("data"),
    params: Annotated[
        Path, typer.Option("--params", metavar="FILE", help="Seed, number of games, when a game is open.")
    ] = Path("params.yaml"),
    games: Annotated[str | None, typer.Option("--games", metavar="N", help="Default: as in the file.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Play Karolinchen for two perfectly, with the chance of winning before every roll: when is it decided?"""
    from sim import analysis
    from sim import games as registry
    from sim.cli.common import waiting
    from sim.report.decided import FOLDER, play
    from sim.report.params import read_params
    from sim.sweep.warm import announce

    read, most = read_params(params), None if games is None else number("games", games)
    announce(registry.get("karolinchen"))
    with waiting("solving the game of two"):
        paths = play(read, data, most)["paths"]
    if quiet:
        return
    times = analysis.decided_time(paths, read.decided.open, read.confidence)
    back = analysis.comebacks(paths, read.decided.comebacks, read.confidence)
    if as_json:
        print_json({"decided": times.to_dicts(), "comebacks": back.to_dicts()})
        return
    names = {"share": "share of the turns while open", "left": "turns left", "last": "games open until the last roll"}
    rows = [(names[r["measure"]], r, "") for r in times.iter_rows(named=True)]
    rows += [(f"winner once at {r['chance']:g} or less", r, f"{r['bound']:.4f}") for r in back.iter_rows(named=True)]
    print_frame(
        [
            {
                "": told,
                "mean": f"{r['value']:.4f}",
                "low": f"{r['low']:.4f}",
                "high": f"{r['high']:.4f}",
                "bound": bound,
            }
            for told, r, bound in rows
        ],
        right=("mean", "low", "high", "bound"),
    )
    print(f"\n{times['n'][0]:,} games of two who play perfectly, seed {read.decided.seed}; they are in {data / FOLDER}")
