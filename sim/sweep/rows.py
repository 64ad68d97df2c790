"""Detail ``games``: rows into Parquet while the next games are already being played."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from sim.engine.simulate import blocks, map_blocks
from sim.games.base import Playable, Scenario
from sim.store.columns import Arrays, Rows
from sim.store.parquet import GROUP_ROWS, TableWriter
from sim.store.provenance import Provenance, provenance
from sim.store.schema import columns


def group_games(seats: int) -> int:
    """Games per row group, and per file of a sweep."""
    return max(1, GROUP_ROWS // seats)


def fill(
    rows: Rows,
    playable: Playable,
    seed: int,
    workers: int,
    on_block: Callable[[int], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> bool:
    """Play the games that `rows` has room for; False if `stop()` came true before the last block."""

    def place(start: int, games: int, outs: list[np.ndarray], _: Any) -> None:
        rows.place(start, games, outs[0])

    finished = True

    def tasks() -> Iterator[tuple[int, int]]:
        nonlocal finished
        for block in blocks(rows.first, rows.games):
            if stop():
                finished = False
                return
            yield block

    map_blocks([playable], seed, tasks(), place, workers=workers, on_block=on_block)
    return finished


def provenance_of(scenario: Scenario, seed: int, first: int, games: int) -> Provenance:
    """Provenance of a file of rows."""
    return provenance("games", scenario, seed=seed, first_game=first, games=games)


class Pipeline:
    """Plays row groups with all workers and writes the last one meanwhile.

    With one worker the write happens in turn, so that one worker means one core. Memory is two row groups, however
    many games there are.
    """

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        workers: int,
        on_block: Callable[[int], None] | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self.scenario = scenario
        self.playable = scenario.game.compile(scenario.rules, scenario.policies)
        self.columns = columns("games", self.playable.fields)
        self.seed = seed
        self.workers = workers
        self.on_block = on_block
        self.stop = stop

    def run(self, ranges: Iterable[tuple[int, int]], write: Callable[[int, int, Arrays], None]) -> None:
        """Play each (first, games) in turn and hand its columns to `write(first, games, arrays)`, in order.

        Once `stop()` is true nothing more is begun, and a range that is not finished is dropped.
        """
        room: list[Rows] = []
        pending: Future[None] | None = None
        with ThreadPoolExecutor(1) as writer:
            for number, (first, games) in enumerate(ranges):
                if number < 2:
                    rows = Rows(self.playable.fields, self.playable.seats, first, games)
                    room.append(rows)
                else:
                    rows = room[number % 2]  # written before the last one was, so free again
                    if rows.arrays["game"].size < games * self.playable.seats:
                        rows = room[number % 2] = Rows(self.playable.fields, self.playable.seats, first, games)
                    rows.begin(first, games)
                finished = fill(rows, self.playable, self.seed, self.workers, self.on_block, self.stop)
                if pending is not None:
                    pending.result()
                    pending = None
                if not finished:
                    break
                if self.workers == 1:
                    write(first, games, rows.filled())
                else:
                    pending = writer.submit(write, first, games, rows.filled())
            if pending is not None:
                pending.result()


def write_file(
    path: Path | str,
    scenario: Scenario,
    *,
    seed: int,
    first: int,
    games: int,
    workers: int = 1,
    on_block: Callable[[int], None] | None = None,
) -> Provenance:
    """All rows of some games as one Parquet file; memory does not depend on `games`.

    Returns
    -------
    dict
        The provenance that stands in the footer.
    """
    pipeline = Pipeline(scenario, seed, workers, on_block)
    record = provenance_of(scenario, seed, first, games)
    with TableWriter(path, pipeline.columns, record) as writer:
        pipeline.run(
            blocks(first, games, group_games(pipeline.playable.seats)),
            lambda _first, _games, arrays: writer.write(arrays),
        )
    return record
