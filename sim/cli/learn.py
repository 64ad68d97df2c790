"""``sim learn``: fit the value function that policies `learned`, `lookahead` and `rollout` read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from sim.cli.common import number
from sim.errors import InputError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("learn")(learn)


def learn(
    game: Annotated[str, typer.Argument(metavar="GAME", help="Only caterpillars has a fitted value.")],
    level: Annotated[str, typer.Option("--level", metavar="LEVEL", help="Which level.")],
    positions: Annotated[
        str, typer.Option("--positions", metavar="N", help="Positions for each number of rounds left, in each pass.")
    ] = "40000",
    passes: Annotated[str, typer.Option("--passes", metavar="N", help="A later pass plays by the earlier one.")] = "2",
    epochs: Annotated[str, typer.Option("--epochs", metavar="N", help="Passes over the positions in each fit.")] = "60",
    seed: Annotated[str, typer.Option("--seed", metavar="N", help="Positions and first weights.")] = "1",
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE.npz", help="Where the networks go; else the file that policies read."),
    ] = None,
) -> None:
    """Learn what positions are worth, by fitted backward induction; minutes, and it goes on after an interruption."""
    if game != "caterpillars":
        raise InputError(f"game = {game!r} has no fitted value; accepted: caterpillars")
    from sim.games.caterpillars.learn.train import Settings, train
    from sim.games.caterpillars.weights import file_of
    from sim.store.parquet import write_bytes

    settings = Settings(
        level, number("--positions", positions), number("--passes", passes), number("--epochs", epochs),
        number("--seed", seed),
    )  # fmt: skip
    content = train(settings, tell=lambda line: print(line, file=sys.stderr, flush=True))
    path = file_of(level) if out is None else out
    write_bytes(path, content)
    print(f"{path}: {len(content):,} bytes")
