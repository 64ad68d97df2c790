"""Counter-based random numbers: Philox4x32-10, keyed by seed, game, stream, seat and position.

`docs/randomness.md` is the specification; this module is its compiled half. There is no state: every draw is a function
of where it is used, so results cannot depend on the order of play, on threads or on what other players drew.

All words are 32-bit values carried in unsigned 64-bit numbers, so that no product or sum overflows and the plain-Python
lane computes the same without warnings.
"""

from __future__ import annotations

import numpy as np

from sim.engine.jit import jit

DICE = 0
SETUP = 1
DECK = 2
START = 3
POLICY = 4
PLACEMENT = 5
ROLLOUT = 6
PLAYOUT = 7

_M0 = np.uint64(0xD2511F53)
_M1 = np.uint64(0xCD9E8D57)
_W0 = np.uint64(0x9E3779B9)
_W1 = np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_24 = np.uint64(24)
_8 = np.uint64(8)
_5 = np.uint64(5)
_6 = np.uint64(6)
_RANGE = np.uint64(1 << 32)
_TWO26 = 67108864.0
_UNIT53 = 1.0 / 9007199254740992.0


@jit
def philox(c0, c1, c2, c3, k0, k1):
    """Philox4x32-10: four 32-bit words from a counter and a key (all uint64 holding 32-bit values)."""
    for _ in range(10):
        p0 = _M0 * c0
        p1 = _M1 * c2
        c0 = (p1 >> _32) ^ c1 ^ k0
        c1 = p1 & _LOW
        c2 = (p0 >> _32) ^ c3 ^ k1
        c3 = p0 & _LOW
        k0 = (k0 + _W0) & _LOW
        k1 = (k1 + _W1) & _LOW
    return c0, c1, c2, c3


#: blocks that `philox_wide` computes together
WIDE = 16


@jit
def set_counter(words, b, game, stream, seat, number):
    """Write the counter of block `number` of a stream (attempt 0) into place `b` of `words`, for `philox_wide`."""
    words[b] = np.uint64(number)
    words[WIDE + b] = game & _LOW
    words[2 * WIDE + b] = game >> _32
    words[3 * WIDE + b] = np.uint64(stream) + (np.uint64(seat) << _8)


@jit
def philox_wide(words, seed):
    """Philox4x32-10 on sixteen counters at once, in place.

    `words` is uint64[64]: the counter (c0, c1, c2, c3) of block b lies at b, 16 + b, 32 + b, 48 + b and is overwritten
    by its four words. With the rounds outside and the blocks inside, compilers use vector instructions, which is
    several times faster than block by block.
    """
    k0 = seed & _LOW
    k1 = seed >> _32
    for _ in range(10):
        for b in range(WIDE):
            p0 = _M0 * words[b]
            p1 = _M1 * words[2 * WIDE + b]
            words[b] = (p1 >> _32) ^ words[WIDE + b] ^ k0
            words[WIDE + b] = p1 & _LOW
            words[2 * WIDE + b] = (p0 >> _32) ^ words[3 * WIDE + b] ^ k1
            words[3 * WIDE + b] = p0 & _LOW
        k0 = (k0 + _W0) & _LOW
        k1 = (k1 + _W1) & _LOW


@jit
def block(seed, game, stream, seat, number, attempt):
    """Block `number` of a stream: four words (uint64). `seed` and `game` are uint64, the rest integers."""
    return philox(
        np.uint64(number) + (np.uint64(attempt) << _24),
        game & _LOW,
        game >> _32,
        np.uint64(stream) + (np.uint64(seat) << _8),
        seed & _LOW,
        seed >> _32,
    )


@jit
def word(seed, game, stream, seat, index, attempt):
    """Word `index` of a stream at the given attempt (uint64)."""
    w0, w1, w2, w3 = block(seed, game, stream, seat, index >> 2, attempt)
    lane = index & 3
    if lane == 0:
        return w0
    if lane == 1:
        return w1
    if lane == 2:
        return w2
    return w3


@jit
def bounded_from(first_word, seed, game, stream, seat, index, n):
    """Uniform whole number in [0, n) from word `index`, whose value at attempt 0 the caller has already (int64)."""
    limit = np.uint64(n)
    product = first_word * limit
    if (product & _LOW) < limit:  # only here can the word be refused: the division is rarely paid
        refuse_below = _RANGE % limit
        attempt = 0
        while (product & _LOW) < refuse_below:
            attempt += 1
            product = word(seed, game, stream, seat, index, attempt) * limit
    return np.int64(product >> _32)


@jit
def bounded(seed, game, stream, seat, index, n):
    """Uniform whole number in [0, n) from word `index` of a stream, exactly uniform by rejection (int64)."""
    return bounded_from(word(seed, game, stream, seat, index, 0), seed, game, stream, seat, index, n)


@jit
def fill_bounded(out, count, seed, game, stream, seat, n):
    """Fill `out[i]` with `bounded(i, n)` for i < count. `out` must have room for `count` rounded up to a
    multiple of 4.
    """
    for b in range((count + 3) >> 2):
        w0, w1, w2, w3 = block(seed, game, stream, seat, b, 0)
        i = 4 * b
        out[i] = bounded_from(w0, seed, game, stream, seat, i, n)
        out[i + 1] = bounded_from(w1, seed, game, stream, seat, i + 1, n)
        out[i + 2] = bounded_from(w2, seed, game, stream, seat, i + 2, n)
        out[i + 3] = bounded_from(w3, seed, game, stream, seat, i + 3, n)


@jit
def to_unit(a, b):
    """A double in [0, 1) with 53 random bits from two words."""
    return (np.float64(a >> _5) * _TWO26 + np.float64(b >> _6)) * _UNIT53


@jit
def uniform(seed, game, stream, seat, index):
    """The policy number `index` of a stream: a double in [0, 1)."""
    w0, w1, w2, w3 = block(seed, game, stream, seat, index >> 1, 0)
    if index & 1:
        return to_unit(w2, w3)
    return to_unit(w0, w1)


@jit
def fill_uniform(out, count, seed, game, stream, seat):
    """Fill `out[i]` with `uniform(i)` for i < count. `out` must have room for `count` rounded up to even."""
    for b in range((count + 1) >> 1):
        w0, w1, w2, w3 = block(seed, game, stream, seat, b, 0)
        out[2 * b] = to_unit(w0, w1)
        out[2 * b + 1] = to_unit(w2, w3)


@jit
def pick(u, n):
    """Index of one of `n` equally likely options for a uniform number `u`."""
    i = int(u * n)
    if i >= n:
        i = n - 1
    return i
