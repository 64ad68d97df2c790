"""Luck of recorded games of Karolinchen: what every roll gave each seat, less what was to be expected of it."""

from __future__ import annotations

from sim.engine.jit import jit
from sim.games.karolinchen.luck.race import number_of
from sim.games.karolinchen.luck.tree import count_of, worth_of
from sim.games.karolinchen.luck.worth import OPENING, node_worth
from sim.games.karolinchen.moves import CHOICES, CHOSEN, LEFT, MIDDLE, ROLLED, ROLLS, SEAT, TAKEN, TAKES

#: columns of the worms of a game: cards left, open card, covered
LEFT_CARDS, COLOUR, COVERED = range(3)


@jit
def roll_means(rows, seat, dice, second, position, work, sight, desk, room, mean):
    """Mean over all rolls of `dice` dice by `seat` of what they are worth to each seat, into ``mean[seat]``.

    With `second` a roll without a match is worth ``mean`` as it was. `room`, float64[3, 6], is working memory.
    """
    seats = sight.seats
    shift = 4 * own_colour(rows[seat], sight)
    missed = 0.0
    total = room[0]
    value = room[1]
    for s in range(seats):
        total[s] = 0.0
    for i in range(sight.start[dice], sight.start[dice + 1]):
        if second and (sight.keys[i] >> shift) & 15 == 0:
            missed += sight.chance[i]
            continue
        worth_of(rows, seat, sight.keys[i], 1, position, work, sight, desk, room[2], value)
        for s in range(seats):
            total[s] += sight.chance[i] * value[s]
    for s in range(seats):
        mean[s] = total[s] + missed * mean[s]


@jit
def own_colour(worm, sight):
    """Open card of a worm."""
    colour = 5
    while worm < 32 * sight.before[colour]:
        colour -= 1
    return colour


@jit
def add(luck, at, seats, value, mean):
    """Add what came less what was to be expected to the luck of every seat."""
    for s in range(seats):
        luck[at + s] += value[s] - mean[s]


@jit
def add_luck(
    games, out, record, open_roll, second_roll, drawn, drawn_mean, known_draws, positions, works, sight, desk, room,
    rows, worms, luck, nodes, told,
):  # fmt: skip
    """Luck of recorded games by seat: ``luck[game × seats + seat]``; returns the number of rolls.

    Parameters
    ----------
    games, out, record
        Results and moves of the games, one after the other.
    open_roll, second_roll : bool
        Rules: the opening roll lies open; after an eating there is a second roll.
    drawn, drawn_mean
        Whether the first cards are drawn, and the mean of what they are worth by seat.
    known_draws : bool[6]
        Seats whose choices are drawn with known probability.
    positions, works
        Records of the line-up, as in the kernel.
    sight, desk
        See `worth`.
    room, rows, worms
        Working memory: float64[6, 6], int64[6], int64[6, 3].
    nodes, told
        None, or int64[rolls, 9] and float64[rolls, 2, 6]: written down for every roll are game, roller, dice and worms,
        and the mean before it and the luck until then.
    """
    position = positions[0]
    work = works[0]
    seats = sight.seats
    value = room[3]
    mean = room[4]
    second = room[5]
    at = 0
    rolls = 0
    for g in range(games):
        base = g * seats
        for s in range(seats):
            colour = out[5, base + s]
            worms[s, LEFT_CARDS] = 63 ^ (1 << colour)
            worms[s, COLOUR] = colour
            worms[s, COVERED] = 0
            rows[s] = number_of(worms[s, LEFT_CARDS], colour, 0, sight.fruits, sight.before)
            luck[base + s] = 0.0
        if drawn:
            node_worth(rows, 0, OPENING if open_roll else 6, sight, desk, value)
            add(luck, base, seats, value, drawn_mean)
        if open_roll:
            for s in range(seats):
                mean[s] = 0.0
            for i in range(sight.start[6], sight.start[7]):
                worth_of(rows, 0, sight.keys[i], 0, position, work, sight, desk, room[2], value)
                for s in range(seats):
                    mean[s] += sight.chance[i] * value[s]
            if nodes is not None:
                note(nodes[rolls], told[rolls], g, 0, OPENING, rows, seats, mean, luck, base)
                rolls += 1
            worth_of(rows, 0, record[at, MIDDLE], 0, position, work, sight, desk, room[2], value)
            add(luck, base, seats, value, mean)
        for turn in range(out[0, base]):
            row = record[at]
            at += 1
            mover = row[SEAT]
            dice = count_of(row[MIDDLE])
            fresh = dice == 0
            dice = 6 if fresh else dice
            draws = known_draws[mover] and row[CHOICES] > 0
            if row[ROLLS] > 0:
                again = second_roll and fresh and turn > 0
                if again:  # a miss is worth the mean of the second roll
                    roll_means(rows, mover, dice, False, position, work, sight, desk, room, second)
                    for s in range(seats):
                        mean[s] = second[s]
                roll_means(rows, mover, dice, again, position, work, sight, desk, room, mean)
                if nodes is not None:
                    note(nodes[rolls], told[rolls], g, mover, dice, rows, seats, mean, luck, base)
                rolls += 1
                rolled = row[ROLLED]
                if again and row[ROLLS] > 1:
                    add(luck, base, seats, second, mean)
                    for s in range(seats):
                        mean[s] = second[s]
                    rolled = row[ROLLED + 1]
                worth_of(rows, mover, rolled, 1, position, work, sight, desk, room[2], value)
                add(luck, base, seats, value, mean)
            elif draws:
                worth_of(rows, mover, row[MIDDLE], 0, position, work, sight, desk, room[2], value)
            follow(row, worms[mover])
            if worms[mover, COVERED] < sight.fruits[worms[mover, COLOUR]]:
                rows[mover] = number_of(
                    worms[mover, LEFT_CARDS], worms[mover, COLOUR], worms[mover, COVERED], sight.fruits, sight.before
                )
                if draws:  # the luck of the cards that were drawn
                    for s in range(seats):
                        mean[s] = value[s]
                    following = mover + 1 if mover + 1 < seats else 0
                    worth_of(rows, following, row[LEFT], 0, position, work, sight, desk, room[2], value)
                    add(luck, base, seats, value, mean)
            elif draws:
                for s in range(seats):
                    mean[s] = value[s]
                    value[s] = 1.0 if s == mover else 0.0
                add(luck, base, seats, value, mean)
    return rolls


@jit
def note(node, told, game, roller, dice, rows, seats, mean, luck, base):
    """Write a roll down: before it was made."""
    node[0] = game
    node[1] = roller
    node[2] = dice
    for s in range(seats):
        node[3 + s] = rows[s]
        told[0, s] = mean[s]
        told[1, s] = luck[base + s]


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
