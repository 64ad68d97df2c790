"""What happens on the table: rolling the dice, laying out the first cards, writing down what was done.

The dice in the middle are counts by colour, packed four bits each into one whole number. A roll is a number below 6^6
whose base-6 digits are the dice; it becomes packed counts by two look-ups, one for each three dice. `position` is the
record that policies see, `work` the record of the kernel.
"""

from __future__ import annotations

import numpy as np

from sim.engine.jit import jit
from sim.engine.rng import DICE, START, WIDE, bounded, philox_wide, set_counter

#: width of a recorded turn, and where its parts begin: seat, packed middle before, number of rolls, packed rolls (2),
#: number of takings, takings as 16 × colour + dice (6), number of cards chosen, their colours (5), packed middle after,
#: eating
RECORD = 20
SEAT, MIDDLE, ROLLS, ROLLED, TAKES, TAKEN, CHOICES, CHOSEN, LEFT, EATING = 0, 1, 2, 3, 5, 6, 12, 13, 18, 19

_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_ROLLS = np.uint64(46656)


def _decode_table() -> np.ndarray:
    """int32[7 × 432]: packed counts of the dice among the first m (0 … 6) of a roll, by half.

    Index ``432 m + x`` is for the lower three base-6 digits x of the roll, ``432 m + 216 + x`` for the upper three.
    """
    table = np.zeros(7 * 432, np.int32)
    for m in range(7):
        for x in range(216):
            digits = [x // 6**i % 6 for i in range(3)]
            table[432 * m + x] = sum(1 << (4 * d) for d in digits[:m])
            table[432 * m + 216 + x] = sum(1 << (4 * d) for d in digits[: max(m - 3, 0)])
    return table


DECODE = _decode_table()


@jit
def fill_words(work, start, seed, game):
    """Words for the dice of turns `start` … `start + 31` (`start` even) in `words`, uint64[64], times 46656.

    Roll k of turn t has the word at ``16 (2 (t mod 2) + k) + (t − start) div 2``.
    """
    for i in range(WIDE):
        set_counter(work.words, i, game, DICE, 0, (start >> 1) + i)
    philox_wide(work.words, seed)
    for i in range(4 * WIDE):
        work.words[i] = (work.words[i] & _LOW) * _ROLLS


@jit
def rolled(work, turn, k, dice, seed, game):
    """Packed counts by colour of roll `k` of turn `turn` with `dice` dice."""
    product = work.words[WIDE * (2 * (turn & 1) + k) + ((turn & 31) >> 1)]
    x = np.int64(product >> _32)
    if (product & _LOW) < _ROLLS:  # only here can the word be refused: one roll in 92,000
        x = bounded(seed, game, DICE, 0, 2 * turn + k, 46656)
    x &= 0xFFFF  # tells the compiler that x is not negative
    high = x // 216
    at = 432 * (dice & 7)
    return np.int64(work.decode[at + x - 216 * high]) + np.int64(work.decode[at + 216 + high])


@jit
def start_cards(position, work, seed, game):
    """Lay out the first card of every seat: as given in ``work.start``, or drawn without replacement if that is −1."""
    x = 0
    pool = 0x543210  # the colours not yet drawn, four bits each, in order
    if work.start[0] < 0:
        x = bounded(seed, game, START, 0, 0, 720)
    for s in range(position.seats):
        colour = work.start[s]
        if work.start[0] < 0:
            j = 4 * (x % (6 - s))
            x = x // (6 - s)
            colour = (pool >> j) & 15
            below = (1 << j) - 1
            pool = (pool & below) | ((pool >> 4) & ~below)
        position.first[s] = colour
        position.current[s] = colour
        position.places[s] = position.fruits[colour]
        position.left[s] = 63 ^ (1 << colour)
        position.covered[s] = 0
        position.finished[s] = 0


@jit
def record_take(record, turn, colour, n):
    """Add a taking of `n` dice, if any, to the recorded turn."""
    if n > 0:
        record[turn - 1, TAKEN + record[turn - 1, TAKES]] = 16 * colour + n
        record[turn - 1, TAKES] += 1
