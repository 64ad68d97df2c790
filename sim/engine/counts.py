"""Exact joint counts of result fields: memory depends on how many different results there are, not on the
number of games.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.engine.jit import jit
from sim.games.base import Field

#: joint ranges up to this size are counted in one dense array per thread (8 bytes each)
DENSE = 1 << 20


@jit
def _count_dense(out, rows, lows, radices, seats, counts):
    """Add rows of `out[rows]` to `counts[seat, key]`; returns −1, or the first field found outside its bounds."""
    for i in range(out.shape[1]):
        key = 0
        for f in range(rows.size):
            digit = out[rows[f], i] - lows[f]
            if digit < 0 or digit >= radices[f]:
                return f
            key = key * radices[f] + digit
        counts[i % seats, key] += 1
    return -1


class JointCounts:
    """Counts of the joint values of some fields, by seat.

    Parameters
    ----------
    fields : sequence of Field
        All fields of the kernel's output, in order.
    by : sequence of str
        Names of the fields to count jointly.
    seats : int
    """

    def __init__(self, fields: Sequence[Field], by: Sequence[str], seats: int) -> None:
        names = [f.name for f in fields]
        self.by = tuple(by)
        self.seats = seats
        self._rows = np.array([names.index(name) for name in by], np.int64)
        self._fields = [fields[i] for i in self._rows]
        bounds = [(f.low, f.high) for f in self._fields]
        size = 1
        for low, high in bounds:
            size = size * (high - low + 1) if high is not None and size <= DENSE else DENSE + 1
        self._sparse: dict[tuple[int, ...], int] | None = None
        if size * seats <= DENSE:
            self._lows = np.array([low for low, _ in bounds], np.int64)
            self._radices = np.array([(high or 0) - low + 1 for low, high in bounds], np.int64)
            self._counts = np.zeros((seats, size), np.int64)
        else:
            self._sparse = {}

    def add(self, out: np.ndarray) -> None:
        """Count one block of kernel output, int32[fields, games × seats]."""
        if self._sparse is None:
            bad = _count_dense(out, self._rows, self._lows, self._radices, self.seats, self._counts)
            if bad >= 0:
                field = self._fields[bad]
                raise AssertionError(f"{field.name} is outside {field.low} … {field.high}")
            return
        seat = np.arange(out.shape[1], dtype=np.int32) % self.seats
        unique, counts = np.unique(np.vstack([seat, out[self._rows]]), axis=1, return_counts=True)
        for key, count in zip(map(tuple, unique.T.tolist()), counts.tolist(), strict=True):
            self._sparse[key] = self._sparse.get(key, 0) + count

    def merge(self, other: JointCounts) -> None:
        """Add another thread's counts."""
        if self._sparse is None:
            self._counts += other._counts
        else:
            for key, count in (other._sparse or {}).items():
                self._sparse[key] = self._sparse.get(key, 0) + count

    def table(self) -> np.ndarray:
        """int64[n, 2 + len(by)]: seat, the raw field values, count; sorted, zero counts left out."""
        if self._sparse is not None:
            rows = [(*key, count) for key, count in sorted(self._sparse.items())]
            return np.array(rows, np.int64).reshape(-1, len(self.by) + 2)
        seat, key = np.nonzero(self._counts)
        count = self._counts[seat, key]
        columns = []
        for low, radix in zip(self._lows[::-1], self._radices[::-1], strict=True):
            columns.append(key % radix + low)
            key = key // radix
        return np.column_stack([seat, *columns[::-1], count]).astype(np.int64)
