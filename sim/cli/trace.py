"""``sim trace GAME``: one game, told in words or as plain data."""

from __future__ import annotations

from typing import Annotated

import typer

from sim.cli.common import GameName, Json, PolicyTexts, Preset, RuleTexts, Seed, line_up, number, print_json, rules_from


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("trace")(trace)


def trace(
    game: GameName,
    rules: RuleTexts = None,
    preset: Preset = None,
    policy: PolicyTexts = None,
    seed: Seed = "1",
    index: Annotated[str, typer.Option("--game", metavar="N", help="Game index.")] = "0",
    as_json: Json = False,
) -> None:
    """Tell one game move by move: the very game that a run with this seed plays under this index."""
    from sim import api
    from sim import games as registry

    room = registry.get(game)
    told = api.trace(
        game,
        rules=rules_from(preset, rules),
        policies=line_up(room, policy),
        seed=number("seed", seed),
        game_index=number("game", index),
    )
    if as_json:
        print_json(told)
    else:
        print(room.tell(told))
