"""Chances of winning while games go on, from play-outs: the key of a game's play-outs, how they are tallied, frames.

Before a move the rest of the game is played many times with fresh luck, by the policies of the line-up. Play-out ``j``
of a game rolls and draws what game ``j`` would under a key of that game's own (`playout_key`), before every move alike:
so the chances of one game differ by what happened in it, not by other luck in thought, and neither threads nor blocks
can change them.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from sim.engine.jit import jit
from sim.engine.rng import PLAYOUT, block
from sim.engine.simulate import blocks

#: play-outs of one position: enough to tell chances of 5 and 95 % from those of 7 and 93 % (two standard errors)
PLAYOUTS = 400
#: and at most
MOST = 100_000
#: games of one task
SIZE = 16
#: room for a count of every set of winners, by the sum of 2^seat, of up to six players
RESULTS = 64

_32 = np.uint64(32)


class Walk(NamedTuple):
    """Some games with the chances before every move, and a last row for their end.

    Attributes
    ----------
    rows : int64[games]
        Rows of each game.
    turns : int64[games]
        Moves of each game.
    turn : int64[rows]
        Number of the move that comes next, from 1; turns + 1 at the end.
    mover : int64[rows]
        Who moves next; −1: everybody at once, or nobody at the end.
    chance : float64[rows, seats]
        Expected share of the win; at the end what it came to.
    surest : float64[rows]
        Chance of the likeliest result: who wins, or who share the win.
    """

    rows: np.ndarray
    turns: np.ndarray
    turn: np.ndarray
    mover: np.ndarray
    chance: np.ndarray
    surest: np.ndarray


@jit
def playout_key(seed: Any, game: Any) -> Any:
    """The seed of a game's play-outs: words 0 (low half) and 1 of the stream `PLAYOUT` of that game."""
    w0, w1, _, _ = block(seed, game, PLAYOUT, 0, 0, 0)
    return w0 | (w1 << _32)


@jit
def conclude(counts: Any, seats: Any, playouts: Any, chance: Any) -> Any:
    """Mean shares of the win into ``chance[seat]``, the chance of the likeliest result returned; `counts` cleared.

    ``counts[w]`` play-outs were won by the seats of the set w (bit ``seat``), together; the empty set: by nobody.
    """
    most = 0
    for s in range(seats):
        chance[s] = 0.0
    for w in range(1 << seats):
        count = counts[w]
        if count == 0:
            continue
        counts[w] = 0
        most = max(most, count)
        sharing = 0
        for s in range(seats):
            sharing += (w >> s) & 1
        for s in range(seats):
            if (w >> s) & 1:
                chance[s] += count / (sharing * playouts)
    return most / playouts


def join_walks(
    walk: Callable[[int, int], Walk], first: int, games: int, seats: int, workers: int = 1, size: int = SIZE
) -> dict[str, np.ndarray]:
    """Watch games in blocks on threads: columns of a frame with one row per game, moment and seat.

    Parameters
    ----------
    walk : callable
        ``walk(first, games)``; called from several threads.
    first, games, seats, workers : int
    size : int
        Games in a block; the result does not depend on it.

    Returns
    -------
    dict of str to array
        game, turn, turns, mover, seat, value (expected share of the win of that seat), won (its share), surest.
    """
    tasks = list(blocks(first, games, size))
    with ThreadPoolExecutor(workers) as pool:
        walks = list(pool.map(lambda task: walk(*task), tasks))
    joined = Walk(*(np.concatenate(parts) for parts in zip(*walks, strict=True)))
    return frame_of(joined, first, seats)


def frame_of(walk: Walk, first: int, seats: int) -> dict[str, np.ndarray]:
    """The columns of `join_walks` from the games of one walk, `first` being the first of them."""
    last = np.cumsum(walk.rows) - 1
    each: dict[str, np.ndarray] = {
        "game": np.repeat(np.arange(first, first + walk.rows.size, dtype=np.int64), walk.rows),
        "turn": walk.turn.astype(np.int32),
        "turns": np.repeat(walk.turns, walk.rows).astype(np.int32),
        "mover": walk.mover.astype(np.int16),
    }
    columns: dict[str, np.ndarray] = {name: np.repeat(values, seats) for name, values in each.items()}
    columns["seat"] = np.tile(np.arange(seats, dtype=np.int16), walk.turn.size)
    columns["value"] = walk.chance.ravel()
    columns["won"] = np.repeat(walk.chance[last], walk.rows, axis=0).ravel()
    columns["surest"] = np.repeat(walk.surest, seats)
    return columns
