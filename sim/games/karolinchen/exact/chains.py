"""The small games of `orders`: where the dice of every roll end, values and lengths of games.

State: the fruits covered by every seat, as digits to the base of their total, and the seat that has to roll.
"""

from __future__ import annotations

import numpy as np

from sim.engine.jit import jit
from sim.games.karolinchen.rules import MAX_FRUITS

MAX_ORDER_SEATS = 4
_TOTAL = 6 * MAX_FRUITS
#: distinct rolls of six dice: no state has more ends
MOST_ENDS = 462

#: one small game: cards by seat and fruits covered, and working memory
RACE = np.dtype(
    [
        ("seats", np.int64),
        ("total", np.int64),
        ("layers", np.int64),
        ("colour", np.int64, (MAX_ORDER_SEATS, _TOTAL)),
        ("places", np.int64, (MAX_ORDER_SEATS, _TOTAL)),
        ("at", np.int64, (MAX_ORDER_SEATS,)),
        # of the state at hand: win by seat, then turns, if the roll matches at once, or only for the next player;
        # chances that it does not match, and that it does not match for the next player either
        ("own", np.float64, (MAX_ORDER_SEATS + 1,)),
        ("late", np.float64, (MAX_ORDER_SEATS + 1,)),
        ("fails", np.float64),
        ("again", np.float64),
        # the same by seat to roll
        ("part", np.float64, (MAX_ORDER_SEATS, MAX_ORDER_SEATS + 1)),
        ("mine", np.float64, (MAX_ORDER_SEATS, MAX_ORDER_SEATS + 1)),
        ("miss", np.float64, (MAX_ORDER_SEATS,)),
        ("q", np.float64, (MAX_ORDER_SEATS,)),
        ("opened", np.float64, (MAX_ORDER_SEATS, MAX_ORDER_SEATS + 1)),
        ("residual", np.float64),
    ]
)


@jit
def chain(race, middle, dice, seat, turns):
    """Follow the dice in the middle from the turn of `seat` on, changing ``race.at``; returns what it comes to.

    Returns
    -------
    code : int
        State where somebody has to roll, or −1 − the seat that has won.
    turns : int
    """
    while True:
        at = race.at[seat]
        count = (middle >> (4 * race.colour[seat, at])) & 15
        if count == 0:
            break
        while count > 0:
            n = min(count, race.places[seat, at])
            middle -= n << (4 * race.colour[seat, at])
            dice -= n
            full = n == race.places[seat, at]
            at += n
            if at == race.total:
                return -1 - seat, turns + 1
            if not full:
                break
            count = (middle >> (4 * race.colour[seat, at])) & 15
        race.at[seat] = at
        turns += 1
        seat = seat + 1 if seat + 1 < race.seats else 0
    state = 0
    for s in range(race.seats):
        state = state * race.total + race.at[s]
    state = (state * race.seats + seat) * race.layers
    if dice == 0:
        state += race.layers - 1
    return state, turns


@jit
def place(race, tuple_index):
    """Set ``race.at`` to the fruits covered by every seat; returns their sum."""
    level = 0
    x = tuple_index
    for s in range(race.seats - 1, -1, -1):
        race.at[s] = x % race.total
        level += race.at[s]
        x //= race.total
    return level


@jit
def roll_all(race, roll_start, packed, chance, tuple_index, seat, values, lists, codes, steps, weights):
    """Go through all rolls of one state: sums of values in ``race.own`` and ``race.late``, chances of no match.

    With `lists` the ends are written down instead; returns their number and how many of them (the first ones) are
    matches of the player who rolls.
    """
    seats = race.seats
    follower = seat + 1 if seat + 1 < seats else 0
    k = 6 - place(race, tuple_index) % 6
    own_shift = 4 * race.colour[seat, race.at[seat]]
    next_shift = 4 * race.colour[follower, race.at[follower]]
    race.fails, race.again = 0.0, 0.0
    for x in range(seats + 1):
        race.own[x], race.late[x] = 0.0, 0.0
    n = 0
    n_own = 0
    for late in range(2):
        for r in range(roll_start[k], roll_start[k + 1]):
            matches = (packed[r] >> own_shift) & 15 > 0
            if matches == (late == 1):
                continue
            if late == 1:
                race.fails += chance[r]
                if (packed[r] >> next_shift) & 15 == 0:
                    race.again += chance[r]
                    continue
            place(race, tuple_index)
            code, turns = chain(race, packed[r], k, follower if late == 1 else seat, late)
            if lists:
                codes[n], steps[n], weights[n] = code, turns, chance[r]
                n += 1
                continue
            part = race.late if late == 1 else race.own
            if code < 0:
                part[-1 - code] += chance[r]
                part[seats] += chance[r] * turns
            else:
                for s in range(seats):
                    part[s] += chance[r] * values[code, s]
                part[seats] += chance[r] * (turns + values[code, seats])
        if late == 0:
            n_own = n
    return n, n_own


@jit
def solve_tuples(races, roll_start, packed, chance, tuples, values, none):
    """Solve the states of some tuples of fruits covered, all of them with the same sum."""
    race = races[0]
    seats = race.seats
    for x in range(tuples.size):
        i = tuples[x]
        for seat in range(seats):
            roll_all(race, roll_start, packed, chance, i, seat, values, False, none, none, chance)
            race.q[seat] = race.again
            race.miss[seat] = race.fails
            for z in range(seats + 1):
                race.part[seat, z] = race.own[z] + race.late[z]
                race.mine[seat, z] = race.own[z]
            race.part[seat, seats] += race.again  # the turn in which nothing is taken
        around = 1.0
        for seat in range(seats):
            around *= race.q[seat]
        dice = 6 - place(race, i) % 6
        for z in range(seats + 1):
            first = 0.0
            through = 1.0
            for seat in range(seats):
                first += through * race.part[seat, z]
                through *= race.q[seat]
            ahead = first / (1.0 - around)
            values[i * seats * race.layers, z] = ahead
            for seat in range(seats - 1, 0, -1):
                ahead = race.part[seat, z] + race.q[seat] * ahead
                values[(i * seats + seat) * race.layers, z] = ahead
            for seat in range(seats):
                follower = seat + 1 if seat + 1 < seats else 0
                value = values[(i * seats + seat) * race.layers, z]
                right = race.part[seat, z] + race.q[seat] * values[(i * seats + follower) * race.layers, z]
                race.residual = max(race.residual, abs(value - right))
                opened = race.mine[seat, z] + race.miss[seat] * value
                if i == 0:
                    race.opened[seat, z] = opened
                if race.layers == 2 and dice == 6:
                    values[(i * seats + seat) * race.layers + 1, z] = opened


@jit
def add_ends(out, start, stop, codes, steps, weights, length, pmf, lost):
    """Add the distributions at some ends, each moved on by its turns; returns the length of the sum."""
    top = 0
    for n in range(start, stop):
        row = codes[n] if codes[n] >= 0 else lost
        size = min(length[row], out.size - steps[n])
        source = pmf[row, :size]
        target = out[steps[n] : steps[n] + size]
        weight = weights[n]
        for x in range(size):
            target[x] += weight * source[x]
        top = max(top, steps[n] + size)
    return top


@jit
def tuple_lengths(races, roll_start, packed, chance, tuples, values, length, pmf, codes, steps, weights, work):
    """Distributions of turns for some tuples of fruits covered; that of the start is left in ``work[seats]``."""
    race = races[0]
    seats = race.seats
    size = work.shape[1]
    lost = length.size - 1
    for y in range(tuples.size):
        i = tuples[y]
        top = 0
        for seat in range(seats):
            n, n_own = roll_all(race, roll_start, packed, chance, i, seat, values, True, codes, steps, weights)
            race.q[seat], race.miss[seat] = race.again, race.fails
            work[seat, :] = 0.0
            work[seats + seat, :] = 0.0
            top = max(top, add_ends(work[seat], 0, n, codes, steps, weights, length, pmf, lost))
            if i == 0 or (race.layers == 2 and place(race, i) % 6 == 0):
                add_ends(work[seats + seat], 0, n_own, codes, steps, weights, length, pmf, lost)
        x = 1
        largest = 1.0
        while x < size and (x < top or largest > 1e-20):
            largest = 0.0
            for seat in range(seats):
                follower = seat + 1 if seat + 1 < seats else 0
                work[seat, x] += race.q[seat] * work[follower, x - 1]
                largest = max(largest, work[seat, x])
            x += 1
        top = x
        opened = i == 0 or (race.layers == 2 and place(race, i) % 6 == 0)
        for seat in range(seats):
            row = (i * seats + seat) * race.layers
            length[row] = top
            pmf[row, :top] = work[seat, :top]
            if opened:
                for x in range(top):
                    work[seats + seat, x] += race.miss[seat] * work[seat, x]
                if race.layers == 2:
                    length[row + 1] = top
                    pmf[row + 1, :top] = work[seats + seat, :top]
