"""Detail ``rounds``: the first games of a scenario told round by round, one row per decision point of a seat.

It is a sample to look into, not a mass of data: a game has a dozen rows per seat or more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from sim.engine.simulate import blocks
from sim.errors import InputError
from sim.games.base import Recorder, Scenario
from sim.store.columns import Arrays
from sim.store.parquet import GROUP_ROWS, TableWriter
from sim.store.provenance import Provenance, provenance
from sim.store.schema import FORCED, OPTIONS, Column, columns

#: games of one scenario that are told at the most
MOST_GAMES = 1_000_000

#: rows recorded at once: a recording takes some hundred bytes a row
_BLOCK_ROWS = 1 << 16


def check(scenario: Scenario, games: int, regret: bool = False) -> None:
    """Refuse more games than a sample, games that do not tell rounds, and a regret that nothing is known about.

    Raises
    ------
    InputError
    """
    if not 1 <= games <= MOST_GAMES:
        raise InputError(
            f"games = {games:,} with detail = rounds is not accepted; accepted: 1 to {MOST_GAMES:,}, as every game "
            f"has many rows"
        )
    if not scenario.game.round_fields(scenario.rules, len(scenario.policies)):
        raise InputError(f"{scenario.game.name} does not tell its rounds; accepted: detail games or summary")
    if regret:
        scenario.game.check_regret(scenario.rules)


def recorder(scenario: Scenario, regret: bool = False) -> Recorder:
    """What tells the games of a scenario; with `regret` it may solve first."""
    return scenario.game.recorder(scenario.rules, scenario.policies, regret)


def round_columns(scenario: Scenario, regret: bool = False) -> tuple[Column, ...]:
    """All columns of the table."""
    return columns("rounds", scenario.game.round_fields(scenario.rules, len(scenario.policies), regret))


def typed(found: Mapping[str, np.ndarray], wanted: tuple[Column, ...]) -> Arrays:
    """Rows as a recorder gives them, in the register's dtypes; what one choice alone was open to is ``forced``."""
    found = {**found, FORCED.name: found[OPTIONS.name] == 1}
    return {column.name: found[column.name].astype(column.numpy) for column in wanted}


def play(
    scenario: Scenario,
    source: Recorder,
    *,
    seed: int,
    first: int,
    games: int,
    workers: int = 1,
    regret: bool = False,
    on_block: Callable[[int], None] | None = None,
) -> Arrays:
    """Rows of games `first` … `first + games − 1`, ordered by game, then as they were played."""
    wanted = round_columns(scenario, regret)
    tasks = list(blocks(first, games, max(1, _BLOCK_ROWS // _rows_per_game(scenario))))

    def part(task: tuple[int, int]) -> Arrays:
        return typed(source.record(seed, *task), wanted)

    parts = []
    with ThreadPoolExecutor(workers) as pool:
        for task, found in zip(tasks, map(part, tasks) if workers == 1 else pool.map(part, tasks), strict=True):
            parts.append(found)
            if on_block is not None:
                on_block(task[1])
    return {column.name: np.concatenate([found[column.name] for found in parts]) for column in wanted}


def group_games(scenario: Scenario) -> int:
    """Games per row group, and per file of a sweep."""
    return max(1, GROUP_ROWS // _rows_per_game(scenario))


def _rows_per_game(scenario: Scenario) -> int:
    return scenario.game.rows_per_game(scenario.rules, len(scenario.policies))


def provenance_of(scenario: Scenario, seed: int, first: int, games: int, regret: bool = False) -> Provenance:
    """Provenance of a file of rounds."""
    more: dict[str, Any] = {"regret": True} if regret else {}
    return provenance("rounds", scenario, seed=seed, first_game=first, games=games, **more)


def write_file(
    path: Path | str,
    scenario: Scenario,
    *,
    seed: int,
    first: int,
    games: int,
    workers: int = 1,
    regret: bool = False,
    on_block: Callable[[int], None] | None = None,
) -> Provenance:
    """All rounds of some games as one Parquet file, group by group. Returns the provenance in its footer."""
    source = recorder(scenario, regret)
    record = provenance_of(scenario, seed, first, games, regret)
    with TableWriter(path, round_columns(scenario, regret), record) as writer:
        for start, count in blocks(first, games, group_games(scenario)):
            here: dict[str, Any] = {"seed": seed, "first": start, "games": count, "workers": workers}
            writer.write(play(scenario, source, **here, regret=regret, on_block=on_block))
    return record
