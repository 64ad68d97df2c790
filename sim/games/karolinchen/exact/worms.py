"""How far a worm has got, as a number, and everything about it as tables.

A worm is the set of cards not yet laid out, the card that lies open and the fruits covered on it: 672 worms in the
published game. Numbers run along the covering (one more fruit on the same card is the next number). After them come the
full worms, which exist only while their player chooses the next card: cards left and the card just filled.

All tables sit in one record per thread, `PLAN`, because compiled code reads records faster than many arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement
from math import factorial

import numpy as np

from sim.games.base import PARAMETERS

COLOURS = 6
DICE = 6
#: most worms (32 for each fruit) for which tables are laid out; pairs of worms are the states of a game
MAX_WORMS = 1408
_IDS = MAX_WORMS + 64 * COLOURS
#: possible ends of the dice of one roll when every choice is open. A card is chosen after another one was filled, by at
#: least one die, so with at most 5, 4, … 0 dice left: one of five cards, or of those, no more than the dice, whose dice
#: are refused. Twice over because the best so far is kept beside the one being looked at, and room for rolls before.
LEAVES = 2 * (10 * 9 * 8 * 7 * 6 * 5) + 1024
#: distinct ends that the rolls of one pair can have, by far (below 14,100 with every choice open in the game of six
#: fruits, which has most); a power of two
KEYS = 1 << 16

#: how a seat decides: by its policy, any card with equal chances, the best for winning against this opponent, or the
#: best against an opponent who plays the best in turn (its values come from a table of their own)
POLICY, RANDOM, BEST, MINIMAX = range(4)

PLAN = np.dtype(
    [
        # by worm
        ("colour", np.int64, (_IDS,)),
        ("places", np.int64, (_IDS,)),
        ("left", np.int64, (_IDS,)),
        ("covered", np.int64, (_IDS,)),
        ("finished", np.int64, (_IDS,)),
        # by 6 × cards left + colour: the worm with nothing covered yet, and the full worm
        ("laid", np.int64, (64 * COLOURS,)),
        ("full", np.int64, (64 * COLOURS,)),
        # worms by fruits covered: those with f are order[bucket[f]:bucket[f + 1]]
        ("order", np.int64, (_IDS,)),
        ("bucket", np.int64, (64,)),
        ("reached", np.int8, (2, _IDS)),
        ("worms", np.int64),
        # line-up
        ("kind", np.int64, (2,)),
        ("number", np.int64, (2,)),
        ("params", np.float64, (2, PARAMETERS)),
        ("slip", np.float64, (2,)),
        ("may", np.int64),
        # numbering of states: worms to the next seat (0: one table serves both), layers (2: one for after an eating)
        ("stride", np.int64),
        ("layers", np.int64),
        ("lost", np.int64),
        # rolls: chance of i of one colour and j of another among k dice but for the other dice; those as packed counts
        ("chance", np.float64, (7, 7, 7)),
        ("rest", np.int64, (36, 252)),
        ("rest_start", np.int64, (2, 8)),
        ("rest_ways", np.float64, (2, 252)),
        # ends of the roll at hand: 16 × state + turns, and weight
        ("code", np.int64, (LEAVES,)),
        ("weight", np.float64, (LEAVES,)),
        ("leaves", np.int64),
        ("cards", np.int64, (7,)),
        # results of one pair, by seat to move: win and turns if the roll matches at once, or only for the next player
        ("own", np.float64, (2, 2)),
        ("late", np.float64, (2, 2)),
        ("fails", np.float64),
        ("again", np.float64),
        ("value", np.float64, (2, 2)),
        ("opened", np.float64, (2, 2)),
        ("residual", np.float64),
        ("terms", np.int64),
        ("most_terms", np.int64),
        # distinct ends of all rolls of one pair, by seat to move
        ("key", np.int64, (2, KEYS)),
        ("mass", np.float64, (2, KEYS)),
        ("used", np.int64, (2, KEYS)),
        ("keys", np.int64, (2,)),
    ],
    align=True,
)


def worm_count(fruits: Sequence[int]) -> int:
    """Number of worms: every card may lie open, with any set of the five others still to come."""
    return 32 * sum(fruits)


def plan(fruits: Sequence[int]) -> np.ndarray:
    """One record `PLAN` with the tables of worms and rolls filled in."""
    out = np.zeros(1, PLAN)
    t = out[0]
    n = 0
    for colour in range(COLOURS):
        for left in range(64):
            if left >> colour & 1:
                continue
            done = [c for c in range(COLOURS) if c != colour and not left >> c & 1]
            t["laid"][COLOURS * left + colour] = n
            for covered in range(fruits[colour]):
                t["colour"][n] = colour
                t["places"][n] = fruits[colour] - covered
                t["left"][n] = left
                t["covered"][n] = sum(fruits[c] for c in done) + covered
                t["finished"][n] = len(done)
                n += 1
    t["worms"] = n
    covered_by = t["covered"][:n]
    t["order"][:n] = np.argsort(covered_by, kind="stable")
    t["bucket"][: sum(fruits) + 1] = np.searchsorted(np.sort(covered_by), np.arange(sum(fruits) + 1))
    for colour in range(COLOURS):
        for left in range(64):
            if left >> colour & 1:
                continue
            done = [c for c in range(COLOURS) if not left >> c & 1]
            t["full"][COLOURS * left + colour] = n
            t["colour"][n] = colour
            t["left"][n] = left
            t["covered"][n] = sum(fruits[c] for c in done)
            t["finished"][n] = len(done)
            n += 1
    _rolls(t)
    return out


def _rolls(t: np.void) -> None:
    """Fill in the dice: chances, and the dice of other colours as packed counts (four bits a colour)."""
    for k in range(DICE + 1):
        for i in range(k + 1):
            for j in range(k - i + 1):
                ways = factorial(k) // (factorial(i) * factorial(j) * factorial(k - i - j))
                t["chance"][k, i, j] = ways / 6**k
    for own in range(COLOURS):
        for other in range(COLOURS):
            same = int(own == other)
            colours = [c for c in range(COLOURS) if c not in (own, other)]
            n = 0
            for size in range(DICE):
                t["rest_start"][same, size] = n
                for dice in combinations_with_replacement(colours, size):
                    t["rest"][COLOURS * own + other, n] = sum(1 << 4 * c for c in dice)
                    ways = factorial(size)
                    for c in colours:
                        ways //= factorial(dice.count(c))
                    t["rest_ways"][same, n] = ways
                    n += 1
                t["rest_start"][same, size + 1] = n


def reached(t: np.void, starts: Iterable[int]) -> np.ndarray:
    """int8 by worm: 1 where it can come up for a player whose first card is one of `starts`."""
    out = np.zeros(_IDS, np.int8)
    for start in starts:
        for worm in range(int(t["worms"])):
            colour, left = int(t["colour"][worm]), int(t["left"][worm])
            first = colour == start and left == 63 ^ (1 << start)
            out[worm] |= first or (colour != start and not left >> start & 1)
    return out
