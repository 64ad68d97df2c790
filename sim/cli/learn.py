"""``sim learn``: fit the value functions that policies of Caterpillars read, and that luck is measured with."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from sim.cli.common import number
from sim.errors import InputError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("learn")(learn)


def learn(
    game: Annotated[str, typer.Argument(metavar="GAME", help="caterpillars or parlett.")],
    level: Annotated[str | None, typer.Option("--level", metavar="LEVEL", help="caterpillars: which level.")] = None,
    policy: Annotated[
        str | None, typer.Option("--policy", metavar="POLICY", help="parlett: whose games luck is to be taken out of.")
    ] = None,
    block: Annotated[str, typer.Option("--block", metavar="RULE", help="parlett: allowed or barred.")] = "allowed",
    positions: Annotated[
        str | None,
        typer.Option(
            "--positions", metavar="N",
            help="Positions: for each number of rounds left, in each pass (caterpillars, 40,000); in all (parlett).",
        ),
    ] = None,
    passes: Annotated[
        str, typer.Option("--passes", metavar="N", help="caterpillars: a later pass plays by the earlier one.")
    ] = "2",
    epochs: Annotated[
        str, typer.Option("--epochs", metavar="N", help="caterpillars: passes over the positions in each fit.")
    ] = "60",
    seed: Annotated[str, typer.Option("--seed", metavar="N", help="Positions and first weights.")] = "1",
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE.npz", help="Where the networks go; else the file that is read."),
    ] = None,
) -> None:  # fmt: skip
    """Learn what positions are worth: by fitted backward induction (caterpillars), or from games (parlett); minutes."""
    from sim.store.parquet import write_bytes

    def tell(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    if game == "caterpillars":
        if level is None:
            raise InputError("level is missing; accepted: --level LEVEL, for caterpillars")
        content, path = _caterpillars(level, positions, passes, epochs, seed, tell)
    elif game == "parlett":
        if policy is None:
            raise InputError("policy is missing; accepted: --policy POLICY, for parlett")
        content, path = _parlett(policy, block, positions, seed, tell)
    else:
        raise InputError(f"game = {game!r} has no fitted value; accepted: caterpillars, parlett")
    path = path if out is None else out
    write_bytes(path, content)
    print(f"{path}: {len(content):,} bytes")


def _caterpillars(
    level: str, positions: str | None, passes: str, epochs: str, seed: str, tell: Callable[[str], None]
) -> tuple[bytes, Path]:
    """The networks that policies read, and where they do."""
    from sim.games.caterpillars.learn.train import Settings, train
    from sim.games.caterpillars.weights import file_of

    settings = Settings(
        level, number("--positions", positions or "40000"), number("--passes", passes), number("--epochs", epochs),
        number("--seed", seed),
    )  # fmt: skip
    return train(settings, tell=tell), file_of(level)


def _parlett(
    policy: str, block: str, positions: str | None, seed: str, tell: Callable[[str], None]
) -> tuple[bytes, Path]:
    """The networks that luck is taken out with, and where they are read."""
    from sim.games.parlett.luck.learn import settings_for, train
    from sim.games.parlett.luck.network import file_of

    settings = settings_for(policy, block)._replace(seed=number("--seed", seed))
    if positions is not None:
        settings = settings._replace(positions=number("--positions", positions))
    return train(settings, tell), file_of(policy, block)
