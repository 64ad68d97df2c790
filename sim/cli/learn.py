"""``sim learn``: fit the values that some policies of Caterpillars read, or by which luck is measured."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from sim.cli.common import number
from sim.errors import InputError, unknown

#: options that belong to one game, with what they are where they are left out
CATERPILLARS = {"positions": 40_000, "passes": 2, "epochs": 60, "seed": 1}
KAROLINCHEN = {"games": 3_000, "rounds": 3, "epochs": 6, "seed": 1}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("learn")(learn)


def learn(
    game: Annotated[str, typer.Argument(metavar="GAME", help="caterpillars or karolinchen.")],
    level: Annotated[str | None, typer.Option("--level", metavar="LEVEL", help="Caterpillars: which level.")] = None,
    players: Annotated[
        str | None, typer.Option("--players", metavar="N", help="Karolinchen: for how many players, 2 to 6.")
    ] = None,
    positions: Annotated[
        str | None,
        typer.Option(
            "--positions", metavar="N", help="Caterpillars: positions for each number of rounds left [default: 40000]."
        ),
    ] = None,
    passes: Annotated[
        str | None,
        typer.Option("--passes", metavar="N", help="Caterpillars: a later pass plays by the earlier one [default: 2]."),
    ] = None,
    games: Annotated[
        str | None,
        typer.Option("--games", metavar="N", help="Karolinchen: games of the last round [default: 3000]."),
    ] = None,
    rounds: Annotated[
        str | None,
        typer.Option("--rounds", metavar="N", help="Karolinchen: each takes luck out with the last [default: 3]."),
    ] = None,
    epochs: Annotated[
        str | None,
        typer.Option("--epochs", metavar="N", help="Passes over the positions in each fit [default: 60; 6]."),
    ] = None,
    seed: Annotated[str, typer.Option("--seed", metavar="N", help="Positions and first weights.")] = "1",
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE.npz", help="Where the networks go; else the file that is read."),
    ] = None,
) -> None:
    """Learn what positions are worth; minutes. For Caterpillars it goes on after an interruption."""
    from sim.store.parquet import write_bytes

    given = {
        "level": level, "players": players, "positions": positions, "passes": passes, "games": games,
        "rounds": rounds, "epochs": epochs, "seed": seed,
    }  # fmt: skip
    if game not in ("caterpillars", "karolinchen"):
        raise InputError(f"game = {game!r} has no fitted value to learn; accepted: caterpillars, karolinchen")
    usual = CATERPILLARS if game == "caterpillars" else KAROLINCHEN
    which = "level" if game == "caterpillars" else "players"
    for name, value in given.items():
        if value is not None and name not in usual and name != which:
            raise InputError(unknown(f"option of learn for {game}", f"--{name}", [f"--{x}" for x in (which, *usual)]))
    if given[which] is None:
        raise InputError(f"learn {game} was called without --{which}; accepted: learn {game} --{which} …")
    numbers = {name: number(f"--{name}", given[name] or str(usual[name])) for name in usual}
    if game == "caterpillars":
        from sim.games.caterpillars.learn.train import Settings, train
        from sim.games.caterpillars.weights import file_of

        assert level is not None
        content = train(Settings(level, **numbers), tell=_tell)
        path = file_of(level) if out is None else out
    else:
        from sim.games.karolinchen.luck import learn as luck
        from sim.games.karolinchen.luck.network import file_of as network_file

        assert players is not None
        seats = number("--players", players)
        content = luck.train(luck.Settings(seats, **numbers), tell=_tell)
        path = network_file(seats) if out is None else out
    write_bytes(path, content)
    print(f"{path}: {len(content):,} bytes")


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
