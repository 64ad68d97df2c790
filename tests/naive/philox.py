"""Random numbers as functions of where they are used (``docs/randomness.md``).

Philox4x32-10 after Salmon, Moraes, Dror and Shaw, *Parallel random numbers: as easy as 1, 2, 3*, SC 2011; whole
numbers by Lemire's method, *Fast random integer generation in an interval*, ACM TOMACS 2019.
"""

from __future__ import annotations

from functools import lru_cache

STREAMS = {"dice": 0, "set-up": 1, "deck": 2, "start": 3, "policy": 4, "placement": 5}

TWO_32 = 2**32


def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """Four 32-bit words from a 128-bit counter and a 64-bit key, by ten rounds."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0 = 0xD2511F53 * c0
        p1 = 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (
            (p1 // TWO_32) ^ c1 ^ k0,
            p1 % TWO_32,
            (p0 // TWO_32) ^ c3 ^ k1,
            p0 % TWO_32,
        )
        k0 = (k0 + 0x9E3779B9) % TWO_32
        k1 = (k1 + 0xBB67AE85) % TWO_32
    return c0, c1, c2, c3


@lru_cache(maxsize=1024)
def block_of_words(seed: int, game: int, stream: str, seat: int, block: int, attempt: int) -> tuple[int, int, int, int]:
    """The four words of one block of a stream (remembered, only to save time)."""
    key = (seed % TWO_32, seed // TWO_32)
    counter = (block + 2**24 * attempt, game % TWO_32, game // TWO_32, STREAMS[stream] + 256 * seat)
    return philox(counter, key)


def word(seed: int, game: int, stream: str, seat: int, index: int, attempt: int = 0) -> int:
    """Word `index` of a stream: word ``index mod 4`` of block ``index div 4``."""
    return block_of_words(seed, game, stream, seat, index // 4, attempt)[index % 4]


def bounded(seed: int, game: int, stream: str, seat: int, index: int, n: int) -> int:
    """A whole number from 0 to n − 1, exactly uniform: refused words are drawn again with the next attempt."""
    attempt = 0
    while True:
        m = word(seed, game, stream, seat, index, attempt) * n
        if m % TWO_32 >= TWO_32 % n:
            return m // TWO_32
        attempt += 1


def uniform(seed: int, game: int, stream: str, seat: int, index: int) -> float:
    """Number `index` of a stream as a double in [0, 1), made of words ``2 index`` and ``2 index + 1``."""
    a = word(seed, game, stream, seat, 2 * index)
    b = word(seed, game, stream, seat, 2 * index + 1)
    return ((a >> 5) * 2**26 + (b >> 6)) / 2**53


def pick(u: float, n: int) -> int:
    """The index of one of n equally likely options, by one uniform number."""
    return min(int(u * n), n - 1)
