"""Whether kernels still have to be compiled, and saying so before it takes a while."""

from __future__ import annotations

import sys
from pathlib import Path

from sim.engine import jit
from sim.games.base import Game


def compile_seconds(game: Game) -> int:
    """About how long the first call of a game takes after install; a game without compiled code says 0."""
    return int(getattr(game, "compile_seconds", 20))


def is_warm(game: Game) -> bool:
    """Whether compiled kernels of a game are on disk already (always true with the compiler off)."""
    if not jit.COMPILED or game.name in _told or not compile_seconds(game):
        return True
    return any(Path(jit.CACHE_FOLDER).glob(f"{game.name}_*/*.nbc"))


_told: set[str] = set()


def announce(game: Game) -> None:
    """Say on stderr, once per process, that kernels have to be compiled first."""
    if not is_warm(game):
        seconds = compile_seconds(game)
        print(
            f"sim: compiling kernels for {game.name} (once after install, about {seconds} s)",
            file=sys.stderr,
            flush=True,
        )
    _told.add(game.name)
