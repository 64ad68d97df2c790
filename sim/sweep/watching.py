"""Paths of the chance of winning: what every seat could hope for at every moment of many games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from sim import games as registry
from sim.engine.paths import MOST, Walk, join_walks
from sim.errors import play_range, whole_number
from sim.games.base import Game, Scenario


def win_paths(
    game: str,
    *,
    rules: Any = None,
    policies: Sequence[str | Mapping[str, Any]] | None = None,
    games: int,
    seed: int,
    first_game: int = 0,
    playouts: int | None = None,
    workers: int = 1,
) -> pl.DataFrame:
    """Chances of winning while games go on.

    Before every round (Caterpillars, everybody at once), turn (Karolinchen) or card (Parlett's game) the rest of the
    game is played many times by the same policies with fresh luck: fresh rolls, or the stock shuffled anew under hands
    that an onlooker sees. Between two perfect players of Karolinchen chances are exact, before every turn with a roll.

    Parameters
    ----------
    game, rules, policies
        As `sim.simulate` takes them; the games are those that it plays. Policies left out: two perfect players in
        Karolinchen, else the game's example.
    games, seed, first_game : int
    playouts : int, optional
        Play-outs of every position, 1 to 100,000; left out: exact chances where they are known, else 400. A chance of 5
        or 95 % then has a standard error of 1.1 points.
    workers : int
        Threads; the result does not depend on it.

    Returns
    -------
    polars.DataFrame
        One row per game, moment and seat: game; turn, the number of the move that comes next, from 1, and turns + 1 at
        the end; turns (of the game); mover (who moves next; −1 everybody, or nobody at the end); seat; value (expected
        share of the win of that seat, 0 … 1, a win shared by k counting 1/k; at the end what it came to); won (its
        share); surest (chance of the likeliest result: who wins, or who share the win).

    Raises
    ------
    SimError
        In one line: what was given, what is accepted.
    """
    room = registry.get(game)
    scenario = room.scenario(rules, list(usual(room) if policies is None else policies))
    return paths_of(scenario, games, seed, first_game, playouts, workers)


def usual(room: Game) -> tuple[str, ...]:
    """Who plays where nothing is said: two perfect players where they are known, else the game's example."""
    return ("optimal", "optimal") if room.name == "karolinchen" else room.example


def paths_of(
    scenario: Scenario, games: int, seed: int, first_game: int = 0, playouts: int | None = None, workers: int = 1
) -> pl.DataFrame:
    """As `win_paths`, of a scenario at hand."""
    seed, first_game, games, workers = play_range(seed, first_game, games, workers)
    if playouts is not None:
        playouts = whole_number("playouts", playouts, 1, MOST)
    watched = scenario.game.watched(scenario.rules, scenario.policies, playouts)

    def walk(first: int, count: int) -> Walk:
        return watched.walk(seed, first, count)  # type: ignore[no-any-return]

    return pl.DataFrame(join_walks(walk, first_game, games, watched.seats, workers))
