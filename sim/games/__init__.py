"""The games, by name. A fourth game is one new folder and one line here."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from sim.errors import InputError, unknown
from sim.games.base import Game

REGISTRY = ("caterpillars", "karolinchen", "parlett")


def get(name: str) -> Game:
    """The game called `name`; an unknown name raises `InputError` with the known ones."""
    if not isinstance(name, str) or name not in REGISTRY:
        raise InputError(unknown("game", name, REGISTRY))
    return _load(name)


@cache
def _load(name: str) -> Game:
    game: Game = import_module(f"sim.games.{name}").GAME
    return game
