"""Columns in memory: kernel output decoded block by block into the arrays that frames and files are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sim.errors import InputError
from sim.games.base import Field
from sim.store.schema import GAME, SEAT, columns, decode

Arrays = dict[str, np.ndarray]


class Rows:
    """Room for all rows of games `first` … `first + games − 1`, one typed array per column.

    Blocks may come in any order and from several threads: each goes to its own place.
    """

    def __init__(self, fields: Sequence[Field], seats: int, first: int, games: int) -> None:
        self.fields = tuple(fields)
        self.seats = seats
        try:
            self.arrays: Arrays = {c.name: np.empty(games * seats, c.numpy) for c in columns("games", self.fields)}
        except (MemoryError, ValueError):
            raise InputError(
                f"{games:,} games × {seats} seats do not fit into memory as rows"
                "; accepted: fewer games, exact counts, or a file"
            ) from None
        self.begin(first, games)

    def begin(self, first: int, games: int) -> None:
        """Use the same room for another range of at most as many games."""
        self.first, self.games = first, games
        for name, array in self.arrays.items():
            if games * self.seats > array.size:
                raise ValueError(f"{games} games do not fit into column {name}")

    def place(self, start: int, games: int, out: np.ndarray) -> None:
        """Decode one block of kernel output, int32[fields, games × seats], into its place."""
        at = (start - self.first) * self.seats
        here = slice(at, at + games * self.seats)
        # every game index once per seat: a strided view is several times cheaper than repeat
        self.arrays[GAME.name][here].reshape(games, self.seats)[:] = np.arange(start, start + games)[:, None]
        self.arrays[SEAT.name][here].reshape(games, self.seats)[:] = np.arange(self.seats, dtype=SEAT.numpy)
        for field, raw in zip(self.fields, out, strict=True):
            decode(field, raw, self.arrays[field.name][here])

    def filled(self) -> Arrays:
        """The columns, cut to the range in use (views)."""
        return {name: array[: self.games * self.seats] for name, array in self.arrays.items()}


def counts(table: np.ndarray, fields: Sequence[Field]) -> Arrays:
    """Columns of a joint count from `JointCounts.table()`: seat, decoded fields, count; sorted by value."""
    arrays: Arrays = {SEAT.name: table[:, 0].astype(SEAT.numpy)}
    for i, field in enumerate(fields):
        arrays[field.name] = decode(field, table[:, i + 1])
    arrays["count"] = table[:, -1].astype(np.int64)
    return grouped([arrays])


def grouped(parts: Sequence[Mapping[str, np.ndarray]]) -> Arrays:
    """One table from several of the same columns: equal keys once, with the sum of their counts; sorted by key."""
    names = list(parts[0])
    keys = names[:-1]
    joined = {name: np.concatenate([part[name] for part in parts]) for name in names}
    if not joined["count"].size:
        return joined
    order = np.lexsort([joined[name] for name in reversed(keys)])
    ordered = {name: joined[name][order] for name in names}
    new = np.zeros(order.size, np.bool_)
    new[0] = True
    for name in keys:
        new[1:] |= ordered[name][1:] != ordered[name][:-1]
    at = np.flatnonzero(new)
    result = {name: ordered[name][at] for name in keys}
    result["count"] = np.add.reduceat(ordered["count"], at)
    return result


def to_polars(arrays: Mapping[str, np.ndarray]) -> Any:
    """A polars frame over the columns."""
    import polars as pl

    return pl.DataFrame({k: pl.Series(k, v.tolist(), pl.String) if v.dtype == object else v for k, v in arrays.items()})
