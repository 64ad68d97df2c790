"""A short fingerprint of kernel output, the same in the compiled lane, in plain Python and in the C benchmark.

FNV-1a over whole values: start at 14695981039346656037; for each column of ``out`` (one seat of one game) and each
field in
order, ``h = (h xor value) × 1099511628211 mod 2^64``, the value taken as an unsigned 32-bit number.
"""

from __future__ import annotations

import numpy as np

from sim.engine.jit import COMPILED, jit

_START = 14695981039346656037
_PRIME = 1099511628211


@jit
def _fnv(out, start, prime):
    h = start
    for row in range(out.shape[1]):
        for f in range(out.shape[0]):
            h = (h ^ np.uint64(np.uint32(out[f, row]))) * prime
    return h


def digest(out: np.ndarray) -> str:
    """Fingerprint of int32[fields, rows] kernel output: 16 hex digits."""
    if COMPILED:
        return f"{int(_fnv(out, np.uint64(_START), np.uint64(_PRIME))):016x}"
    h = _START
    for row in out.T.tolist():
        for value in row:
            h = ((h ^ (value & 0xFFFFFFFF)) * _PRIME) & 0xFFFFFFFFFFFFFFFF
    return f"{h:016x}"
