"""Blocks, threads and counts cannot change a result."""

from __future__ import annotations

import numpy as np
import pytest

from sim.engine.bits import _nth_loop, count_ones, nth_one, trailing_zeros
from sim.engine.counts import JointCounts
from sim.engine.digest import digest
from sim.engine.jit import jit
from sim.engine.simulate import blocks, map_blocks, play_rows
from sim.games import get


@pytest.fixture(scope="module")
def playable():
    scenario = get("caterpillars").scenario({"level": "expert"}, ["random", "planner"])
    return scenario.game.compile(scenario.rules, scenario.policies)


def test_blocks_cover_the_range_once() -> None:
    assert list(blocks(5, 10, 4)) == [(5, 4), (9, 4), (13, 2)]
    assert list(blocks(0, 0)) == []


@pytest.mark.parametrize(("workers", "size"), [(1, 64), (2, 64), (3, 37), (2, 1000)])
def test_rows_do_not_depend_on_workers_or_block_size(playable, workers: int, size: int) -> None:
    whole = play_rows(playable, 7, 100, 500)
    assert np.array_equal(play_rows(playable, 7, 100, 500, workers=workers, size=size), whole)


def test_rows_do_not_depend_on_first_game_or_number_of_games(playable) -> None:
    whole = play_rows(playable, 7, 0, 300)
    assert np.array_equal(play_rows(playable, 7, 120, 50), whole[:, 240:340])


def test_counts_are_the_rows_counted(playable) -> None:
    out = play_rows(playable, 7, 0, 2000)
    for by in (("score",), ("score", "win"), ("total_a", "total_b", "total_c", "score")):  # dense, dense, sparse
        counts = JointCounts(playable.fields, by, 2)
        for start in range(0, 4000, 1000):
            other = JointCounts(playable.fields, by, 2)
            other.add(out[:, start : start + 1000])
            counts.merge(other)
        table = counts.table()
        names = [f.name for f in playable.fields]
        rows = np.vstack([np.arange(4000) % 2, *(out[names.index(n)] for n in by)]).T
        unique, number = np.unique(rows, axis=0, return_counts=True)
        assert np.array_equal(table, np.column_stack([unique, number]))


def test_an_error_in_a_thread_reaches_the_caller(playable) -> None:
    def consume(first, games, outs, state):
        if first >= 200:
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        map_blocks([playable], 7, blocks(0, 1000, 100), consume, workers=2, size=100)


def test_digest_is_fnv_over_the_columns() -> None:
    out = np.array([[1, -1], [2, 300]], np.int32)
    h = 14695981039346656037
    for value in (1, 2, 0xFFFFFFFF, 300):
        h = ((h ^ value) * 1099511628211) % 2**64
    assert digest(out) == f"{h:016x}"


def test_bits() -> None:
    @jit
    def both(x):
        return trailing_zeros(x), count_ones(x)

    loop = jit(_nth_loop)
    for x in (1, 2, 12, 4095, 1 << 40):
        assert both(x) == ((x & -x).bit_length() - 1, x.bit_count())
        ones = [b for b in range(64) if x >> b & 1]
        assert [nth_one(x, n) for n in range(len(ones))] == ones
        assert [loop(x, n) for n in range(len(ones))] == ones  # what processors without the instruction do
