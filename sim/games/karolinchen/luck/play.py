"""Luck of recorded games of Karolinchen: what every roll gave each seat, less what was to be expected of it."""

from __future__ import annotations

import numpy as np

from sim.engine.jit import jit
from sim.games.karolinchen.luck.race import FINISHED, advance, number_of
from sim.games.karolinchen.moves import CHOICES, CHOSEN, MIDDLE, ROLLED, ROLLS, SEAT, TAKEN, TAKES

#: columns of the worms of a game: cards left, open card, covered
LEFT_CARDS, COLOUR, COVERED = range(3)


@jit
def count_of(middle):
    """Number of dice of packed counts."""
    n = 0
    for c in range(6):
        n += (middle >> (4 * c)) & 15
    return n


@jit
def race_worth(seats, mover, rows, firsts, end, beyond, worth):
    """About the chance of each seat to win: ``worth[seat]``; `mover` goes next, with ``rows[seat]``, ``firsts[seat]``.

    ``firsts[seat]`` is the place of the first turn in the tables (0 … 6), or −1: the seat's turn is already played, and
    it is at the worm ``rows[seat]`` after it.
    """
    for s in range(seats):
        worth[s] = 0.0
    last = end.shape[2] - 1
    for t in range(1, last + 1):
        ahead = 1.0  # nobody of those who moved before in this round has come to the end, nor anybody before it
        total = 1.0
        for a in range(seats):
            s = (mover + a) % seats
            shift = 1 if firsts[s] < 0 else 0
            total *= beyond[rows[s], max(firsts[s], 0), t - 1 - shift] if t > shift else 1.0
        if total < 1e-9:
            break
        for a in range(seats):
            s = (mover + a) % seats
            shift = 1 if firsts[s] < 0 else 0
            first = max(firsts[s], 0)
            before = beyond[rows[s], first, t - 1 - shift] if t > shift else 1.0
            if before <= 0.0:
                continue
            here = end[rows[s], first, t - shift] if t > shift else 0.0
            worth[s] += ahead * total / before * here
            ahead *= (beyond[rows[s], first, t - shift] if t > shift else 1.0) / before


@jit
def after_turn(seats, mover, worm, middle, worms, fruits, before, rows, firsts, end, beyond, shift, worth):
    """About the chance of each seat to win once `mover` has come to `worm` and left these dice, into `worth`.

    The next player looks at them, or rolls. How many there are matters to those after, too, which a race of independent
    players does not know: ``shift[place in the order, dice, match] × worth × (1 − worth)`` is added.
    """
    if worm == FINISHED:
        for s in range(seats):
            worth[s] = 1.0 if s == mover else 0.0
        return
    for s in range(seats):
        rows[s] = number_of(worms[s, LEFT_CARDS], worms[s, COLOUR], worms[s, COVERED], fruits, before)
        firsts[s] = 0
    rows[mover] = worm
    following = mover + 1 if mover + 1 < seats else 0
    look(following, middle, worms, fruits, before, rows, firsts)
    if rows[following] == FINISHED:
        for s in range(seats):
            worth[s] = 1.0 if s == following else 0.0
        return
    race_worth(seats, following, rows, firsts, end, beyond, worth)
    dice = count_of(middle)
    match = 1 if firsts[following] < 0 else 0
    for a in range(seats):
        s = (following + a) % seats
        worth[s] += shift[a, dice, match] * worth[s] * (1.0 - worth[s])


@jit
def look(seat, middle, worms, fruits, before, rows, firsts):
    """What the player to move does first: takes what matches, or rolls."""
    colour = worms[seat, COLOUR]
    match = (middle >> (4 * colour)) & 15
    if match > 0:
        rows[seat], _ = advance(
            worms[seat, LEFT_CARDS], colour, worms[seat, COVERED], match << (4 * colour), fruits, before
        )
        firsts[seat] = -1
    else:
        dice = count_of(middle)
        firsts[seat] = dice if dice > 0 else 6


@jit
def roll_means(
    seats, mover, dice, second, worms, keys, chance, start, fruits, before, rows, firsts, end, beyond, shift, stamp,
    kept, clock, worth, mean,
):  # fmt: skip
    """Mean over all rolls of `dice` dice of what they are worth to each seat, into ``mean[seat]``.

    What is worth the same is worked out once: `kept` by the worm after the roll, the number of dice left, and how many
    of them the next player wants, where ``stamp`` says so. With `second` a roll without a match is worth ``mean`` as it
    was.
    """
    following = mover + 1 if mover + 1 < seats else 0
    wants = 4 * worms[following, COLOUR]
    left, colour, covered = worms[mover, LEFT_CARDS], worms[mover, COLOUR], worms[mover, COVERED]
    missed = 0.0
    total = np.zeros(6)
    for i in range(start[dice], start[dice + 1]):
        if second and (keys[i] >> (4 * colour)) & 15 == 0:
            missed += chance[i]
            continue
        worm, rest = advance(left, colour, covered, keys[i], fruits, before)
        key = 49 * (worm + 1) + 7 * count_of(rest) + ((rest >> wants) & 15)
        if stamp[key] != clock:
            stamp[key] = clock
            after_turn(seats, mover, worm, rest, worms, fruits, before, rows, firsts, end, beyond, shift, worth)
            for s in range(seats):
                kept[key, s] = worth[s]
        for s in range(seats):
            total[s] += chance[i] * kept[key, s]
    for s in range(seats):
        mean[s] = total[s] + missed * mean[s]


@jit
def add_luck(
    games, seats, out, record, open_roll, second_roll, draws, drawn_mean, keys, chance, start, fruits, before, end,
    beyond, shift, stamp, kept, clock, luck, missed,
):  # fmt: skip
    """Luck of recorded games by seat: ``luck[game × seats + seat]``; returns the clock of `stamp`.

    `out` are the results and `record` the moves, game after game. With `draws`, the luck of the first cards too, whose
    mean is `drawn_mean`. `missed`, None or float64[2, 6, 7, 2], gathers what `shift` should be: sums of (win − worth) x
    and of x², x = worth × (1 − worth), with `shift` as it is.
    """
    worms = np.zeros((6, 3), np.int64)
    rows = np.zeros(6, np.int64)
    firsts = np.zeros(6, np.int64)
    worth = np.zeros(6)
    mean = np.zeros(6)
    second = np.zeros(6)
    at = 0
    for g in range(games):
        for s in range(seats):
            colour = out[5, g * seats + s]
            worms[s, LEFT_CARDS] = 63 ^ (1 << colour)
            worms[s, COLOUR] = colour
            worms[s, COVERED] = 0
            luck[g * seats + s] = 0.0
        for s in range(seats):
            rows[s] = number_of(worms[s, LEFT_CARDS], worms[s, COLOUR], worms[s, COVERED], fruits, before)
            firsts[s] = 0
        firsts[0] = 6
        if draws:
            race_worth(seats, 0, rows, firsts, end, beyond, worth)
            for s in range(seats):
                luck[g * seats + s] += worth[s] - drawn_mean[s]
        if open_roll:  # worth what it shows of the first player's colour
            mean[:] = 0.0
            colour = worms[0, COLOUR]
            for i in range(start[6], start[7]):
                look_worth(seats, keys[i], worms, fruits, before, rows, firsts, end, beyond, worth)
                for s in range(seats):
                    mean[s] += chance[i] * worth[s]
            look_worth(seats, record[at, MIDDLE], worms, fruits, before, rows, firsts, end, beyond, worth)
            for s in range(seats):
                luck[g * seats + s] += worth[s] - mean[s]
        for turn in range(out[0, g * seats]):
            row = record[at]
            at += 1
            mover = row[SEAT]
            dice = count_of(row[MIDDLE])
            fresh = dice == 0
            dice = 6 if fresh else dice
            if row[ROLLS] > 0:
                again = second_roll and fresh and turn > 0
                if again:  # a miss is worth the mean of the second roll
                    clock += 1
                    roll_means(
                        seats, mover, dice, False, worms, keys, chance, start, fruits, before, rows, firsts, end,
                        beyond, shift, stamp, kept, clock, worth, second,
                    )  # fmt: skip
                    mean[:] = second
                clock += 1
                roll_means(
                    seats, mover, dice, again, worms, keys, chance, start, fruits, before, rows, firsts, end, beyond,
                    shift, stamp, kept, clock, worth, mean,
                )  # fmt: skip
                rolled = row[ROLLED]
                left, colour, covered = worms[mover, LEFT_CARDS], worms[mover, COLOUR], worms[mover, COVERED]
                if again and row[ROLLS] > 1:
                    for s in range(seats):
                        luck[g * seats + s] += second[s] - mean[s]
                        mean[s] = second[s]
                    rolled = row[ROLLED + 1]
                worm, rest = advance(left, colour, covered, rolled, fruits, before)
                after_turn(seats, mover, worm, rest, worms, fruits, before, rows, firsts, end, beyond, shift, worth)
                for s in range(seats):
                    luck[g * seats + s] += worth[s] - mean[s]
                if missed is not None and worm != FINISHED:  # without it this is not even compiled
                    following = mover + 1 if mover + 1 < seats else 0
                    match = 1 if firsts[following] < 0 else 0
                    for a in range(seats):
                        s = (following + a) % seats
                        x = worth[s] * (1.0 - worth[s])
                        missed[0, a, count_of(rest), match] += (out[7, g * seats + s] - worth[s]) * x
                        missed[1, a, count_of(rest), match] += x * x
            follow(row, worms[mover])
    return clock


@jit
def look_worth(seats, middle, worms, fruits, before, rows, firsts, end, beyond, worth):
    """What an opening roll is worth, before the first turn."""
    for s in range(seats):
        rows[s] = number_of(worms[s, LEFT_CARDS], worms[s, COLOUR], worms[s, COVERED], fruits, before)
        firsts[s] = 0
    look(0, middle, worms, fruits, before, rows, firsts)
    if rows[0] == FINISHED:
        for s in range(seats):
            worth[s] = 1.0 if s == 0 else 0.0
        return
    race_worth(seats, 0, rows, firsts, end, beyond, worth)


@jit
def follow(row, worm):
    """Make a recorded turn on one player's worm."""
    taken = 0
    chosen = 0
    # takings come in the order of cards: the open card first, then those chosen; a card may take nothing
    while True:
        if taken < row[TAKES] and row[TAKEN + taken] // 16 == worm[COLOUR]:
            worm[COVERED] += row[TAKEN + taken] % 16
            taken += 1
        if chosen == row[CHOICES]:
            break
        colour = row[CHOSEN + chosen]
        chosen += 1
        worm[LEFT_CARDS] ^= 1 << colour
        worm[COLOUR] = colour
        worm[COVERED] = 0
