"""What a position of Karolinchen is worth, about: every player races to the end alone, and who is there first wins.

A *worm* is one player's cards: the open card, the fruits covered on it, and the set of cards not yet laid out. How many
turns it takes from each worm to the end is a distribution, worked out exactly for a player who plays `match` and finds
so many dice in the middle as are found there in some recorded games. Then

    P(seat i wins) = Σ over t  P(T_i = t) · Π over j before i  P(T_j > t) · Π over j after i  P(T_j ≥ t)

as if players did not get in each other's way. They do, as what one takes another does not find; so this is no exact
value, but any function will do to take luck out with. Worms are numbered as in `sim.games.karolinchen.perfect`.
"""

from __future__ import annotations

import numpy as np

from sim.engine.jit import jit

#: a worm that has covered its last fruit
FINISHED = -1
#: most fruits of one player for which there are tables: (32 × 44)² entries
MAX_FRUITS = 44


def vectors(dice: int) -> tuple[np.ndarray, np.ndarray]:
    """Packed counts by colour of every roll of `dice` dice, and its probability: int64[n], float64[n]."""
    found: dict[int, float] = {0: 1.0}
    for _ in range(dice):
        more: dict[int, float] = {}
        for packed, p in found.items():
            for colour in range(6):
                key = packed + (1 << (4 * colour))
                more[key] = more.get(key, 0.0) + p / 6
        found = more
    keys = sorted(found)
    return np.array(keys, np.int64), np.array([found[k] for k in keys])


def all_vectors() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`vectors` of 0 to 6 dice one after the other, and where those of each number begin: int64[8]."""
    parts = [vectors(dice) for dice in range(7)]
    start = np.cumsum([0, *(len(keys) for keys, _ in parts)])
    return np.concatenate([k for k, _ in parts]), np.concatenate([p for _, p in parts]), start


@jit
def number_of(left, colour, covered, fruits, before):
    """Number of a worm; `before` is by colour the fruits on the cards of lower colours."""
    others = (left & ((1 << colour) - 1)) | ((left >> (colour + 1)) << colour)
    return 32 * before[colour] + others * fruits[colour] + covered


@jit
def parts_of(worm, fruits, before):
    """(cards left, open card, covered) of a worm's number."""
    colour = 5
    while worm < 32 * before[colour]:
        colour -= 1
    rest = worm - 32 * before[colour]
    others = rest // fruits[colour]
    covered = rest - others * fruits[colour]
    low = others & ((1 << colour) - 1)
    return low | ((others >> colour) << (colour + 1)), colour, covered


@jit
def advance(left, colour, covered, middle, fruits, before):
    """The worm after a turn with these dice, played by `match`: (worm or `FINISHED`, packed dice left)."""
    n = min((middle >> (4 * colour)) & 15, fruits[colour] - covered)
    middle -= n << (4 * colour)
    covered += n
    while covered == fruits[colour]:
        if left == 0:
            return FINISHED, middle
        best = -1
        card = 0
        for c in range(6):
            if (left >> c) & 1:
                key = 64 * min((middle >> (4 * c)) & 15, fruits[c]) + fruits[c]
                if key > best:
                    best = key
                    card = c
        left ^= 1 << card
        colour = card
        covered = min((middle >> (4 * card)) & 15, fruits[card])
        middle -= covered << (4 * card)
        if covered == 0:
            break
    return number_of(left, colour, covered, fruits, before), middle


@jit
def one_roll(worm, dice, keys, chance, start, fruits, before, step):
    """Add to ``step[worm after]`` the chances of where a roll of `dice` dice leads, the end last; returns the chance
    that the roll has no match.
    """
    left, colour, covered = parts_of(worm, fruits, before)
    missed = 0.0
    for i in range(start[dice], start[dice + 1]):
        if (keys[i] >> (4 * colour)) & 15 == 0:
            missed += chance[i]
        after, _ = advance(left, colour, covered, keys[i], fruits, before)
        step[after] += chance[i]  # FINISHED, −1, is the last place
    return missed


@jit
def fill_steps(steps, seen, matched, second_roll, keys, chance, start, fruits, before):
    """Chances of where a turn leads, ``steps[worm, worm after]``, the end last.

    ``seen[d]`` is how often a turn begins with `d` dice in the middle (0: six dice, rolled once), ``matched[d]`` how
    often one of them then has the right colour, so that they are not rolled.
    """
    worms = steps.shape[0]
    here = np.zeros(worms + 1)
    for worm in range(worms):
        for dice in range(7):
            if seen[dice] == 0.0:
                continue
            here[:] = 0.0
            missed = one_roll(worm, dice if dice > 0 else 6, keys, chance, start, fruits, before, here)
            # rolls with a match, and rolls as they come; six dice after an eating may be rolled once more
            good = matched[dice] / (1.0 - missed)
            plain = 1.0 - matched[dice]
            if dice == 0 and second_roll:
                good, plain = 1.0, missed
            for after in range(worms + 1):
                steps[worm, after] += seen[dice] * here[after] * (good + plain)
            steps[worm, worm] -= seen[dice] * good * missed  # those without a match lead nowhere


@jit
def fill_first(first, later, keys, chance, start, fruits, before):
    """Chances of the end in each turn, ``first[worm, dice, t]``, where the first turn is one roll of `dice` dice."""
    worms, _, last = first.shape
    for worm in range(worms):
        left, colour, covered = parts_of(worm, fruits, before)
        for dice in range(1, 7):
            for i in range(start[dice], start[dice + 1]):
                after, _ = advance(left, colour, covered, keys[i], fruits, before)
                if after == FINISHED:
                    first[worm, dice, 1] += chance[i]
                else:
                    for t in range(2, last):
                        first[worm, dice, t] += chance[i] * later[after, t - 1]


class Race:
    """Distributions of the number of turns to the end, from every worm.

    Attributes
    ----------
    end : float64[worms, 7, turns + 1]
        Chance of the end in turn t = 1, 2, …: with ``[worm, 0]`` from a usual turn on, with ``[worm, d]`` where the
        first one is a roll of d dice. What is left after the last turn is put into it.
    beyond : float64[worms, 7, turns + 1]
        Chance that the end comes after turn t = 0, 1, ….
    """

    def __init__(self, fruits: tuple[int, ...], seen: np.ndarray, matched: np.ndarray, second_roll: bool) -> None:
        self.fruits = np.array(fruits, np.int64)
        self.before = np.concatenate([[0], np.cumsum(self.fruits)[:-1]]).astype(np.int64)
        worms, turns = 32 * int(self.fruits.sum()), 8 + 3 * int(self.fruits.sum())
        self.keys, self.chance, self.start = all_vectors()
        steps = np.zeros((worms, worms + 1))
        kept = (self.keys, self.chance, self.start, self.fruits, self.before)
        fill_steps(steps, seen, matched, second_roll, *kept)
        self.end = np.zeros((worms, 7, turns + 1))
        self.end[:, 0, 1] = steps[:, -1]
        for t in range(2, turns + 1):
            self.end[:, 0, t] = steps[:, :-1] @ self.end[:, 0, t - 1]
        fill_first(self.end, np.ascontiguousarray(self.end[:, 0]), *kept)
        self.end[:, :, turns] += 1.0 - self.end.sum(axis=2)
        self.beyond = np.maximum(0.0, 1.0 - np.cumsum(self.end, axis=2))
