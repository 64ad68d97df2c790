"""Plays a range of games in blocks on threads: rows or exact joint counts.

A row depends on (scenario, seed, game index) alone, so the size of blocks, the number of threads and the order in
which blocks
finish cannot matter: rows go to their place, counts are sums of whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from typing import Any, TypeVar

import numpy as np

from sim.games.base import Playable

#: games per block: small enough for the caches and smooth progress, large enough to hide the cost of a call
BLOCK = 8192

T = TypeVar("T")


def blocks(first: int, games: int, size: int = BLOCK) -> Iterator[tuple[int, int]]:
    """Split games `first` … `first + games − 1` into (first, count) pairs of at most `size` games."""
    for start in range(first, first + games, size):
        yield start, min(size, first + games - start)


class Worker:
    """One thread's memory: scratch and an output buffer for each scenario that is played together."""

    def __init__(self, playables: Sequence[Playable], size: int) -> None:
        self.playables = playables
        self.scratch = [p.scratch() for p in playables]
        self.out: list[np.ndarray] = [np.zeros((len(p.fields), size * p.seats), p.dtype) for p in playables]

    def play(self, seed: int, first: int, games: int) -> list[np.ndarray]:
        """Play one block of every scenario; the arrays are views that the next call overwrites."""
        result = []
        for playable, scratch, out in zip(self.playables, self.scratch, self.out, strict=True):
            rows = games * playable.seats
            view = out if rows == out.shape[1] else np.zeros((out.shape[0], rows), out.dtype)
            playable.play(seed, first, games, view, scratch)
            result.append(view)
        return result


def map_blocks(
    playables: Sequence[Playable],
    seed: int,
    tasks: Sequence[tuple[int, int]] | Iterator[tuple[int, int]],
    consume: Callable[[int, int, list[np.ndarray], Any], T],
    *,
    workers: int = 1,
    size: int = BLOCK,
    local: Callable[[], Any] = lambda: None,
    on_block: Callable[[int], None] | None = None,
) -> list[Any]:
    """Play every block and hand it to `consume(first, games, outs, local_state)` in the thread that played it.

    Returns the local states (one per thread, made by `local`). At most a few blocks per thread are queued, so memory
    does not
    grow with the number of games. `on_block(games)` is called in the caller's thread, in no particular order. An
    error in a thread is raised
    here after the other threads have stopped.
    """
    if workers == 1:
        worker, state = Worker(playables, size), local()
        for first, games in tasks:
            consume(first, games, worker.play(seed, first, games), state)
            if on_block is not None:
                on_block(games)
        return [state]

    idle: SimpleQueue[tuple[Worker, Any]] = SimpleQueue()
    states = []
    for _ in range(workers):
        states.append(local())
        idle.put((Worker(playables, size), states[-1]))

    def run(first: int, games: int) -> int:
        worker, state = idle.get()
        try:
            consume(first, games, worker.play(seed, first, games), state)
        finally:
            idle.put((worker, state))
        return games

    pending: set[Future[int]] = set()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for first, games in tasks:
                pending.add(pool.submit(run, first, games))
                if len(pending) >= 2 * workers:
                    done, pending = wait(pending, return_when=FIRST_COMPLETED)
                    for future in done:
                        finished = future.result()
                        if on_block is not None:
                            on_block(finished)
            for future in pending:
                finished = future.result()
                if on_block is not None:
                    on_block(finished)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return states


def play_rows(
    playable: Playable,
    seed: int,
    first: int,
    games: int,
    *,
    workers: int = 1,
    size: int = BLOCK,
    on_block: Callable[[int], None] | None = None,
) -> np.ndarray:
    """All rows of games `first` … `first + games − 1`: int32[fields, games × seats]."""
    out = np.zeros((len(playable.fields), games * playable.seats), np.int32)
    seats = playable.seats

    def place(start: int, count: int, outs: list[np.ndarray], _: Any) -> None:
        at = (start - first) * seats
        out[:, at : at + count * seats] = outs[0]

    map_blocks([playable], seed, blocks(first, games, size), place, workers=workers, size=size, on_block=on_block)
    return out
