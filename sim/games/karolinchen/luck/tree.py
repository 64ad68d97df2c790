"""What follows from dice in the middle until somebody has to roll, with the choices of all policies on the way.

Policies of the catalogue but `optimal` are asked what they do, and where they draw (`random`, slips) every choice is
followed with its probability. Others (`optimal`, policies of one's own) are thought to play `match`: any will do, as
long as it is the same for every roll.
"""

from __future__ import annotations

from sim.engine.jit import jit
from sim.games.base import SLIP
from sim.games.karolinchen.luck.race import number_of, parts_of
from sim.games.karolinchen.luck.worth import node_worth
from sim.games.karolinchen.policies import MATCH, OPTIMAL, RANDOM, choose_next_card, choose_take

#: columns of a task after the six worms; cards left are −1 unless a card is full, and `FILLED` is that card
SEAT, MIDDLE, CARDS_LEFT, ROLLED_OR_FILLED = range(6, 10)


@jit
def count_of(middle):
    """Number of dice of packed counts."""
    n = 0
    for c in range(6):
        n += (middle >> (4 * c)) & 15
    return n


@jit
def show(position, rows, seat, middle, left, current, places, sight):
    """Lay a position out as the policy of `seat` sees it."""
    fruits = sight.fruits
    position.seat = seat
    position.dice = count_of(middle)
    for c in range(6):
        position.middle[c] = (middle >> (4 * c)) & 15
    for s in range(sight.seats):
        cards, colour, covered = left, current, fruits[current] - places
        if s != seat:
            cards, colour, covered = parts_of(rows[s], fruits, sight.before)
        position.left[s] = cards
        position.current[s] = colour
        position.places[s] = fruits[colour] - covered
        finished = 5
        done = position.total - position.places[s]
        for c in range(6):
            if (cards >> c) & 1:
                finished -= 1
                done -= fruits[c]
        position.covered[s] = done
        position.finished[s] = finished + (1 if position.places[s] == 0 else 0)


@jit
def put(desk, at, weight, rows, seats, seat, middle, left, colour, taken, sight):
    """Write down as task `at` what follows once `seat` has laid out card `colour` and taken so many dice for it."""
    task = desk.tasks[at]
    for s in range(seats):
        task[s] = rows[s]
    desk.weights[at] = weight
    task[MIDDLE] = middle - (taken << (4 * colour))
    if taken == sight.fruits[colour]:
        task[SEAT] = seat
        task[CARDS_LEFT] = left
        task[ROLLED_OR_FILLED] = colour
    else:
        task[seat] = number_of(left, colour, taken, sight.fruits, sight.before)
        task[SEAT] = seat + 1 if seat + 1 < seats else 0
        task[CARDS_LEFT] = -1
        task[ROLLED_OR_FILLED] = 0


@jit
def choices(position, work, at, weight, seat, middle, left, filled, sight, desk):
    """Write down what follows each next card that `seat` may choose, from task `at` on; returns how many are then.

    The worms are ``desk.rows``.
    """
    seats = sight.seats
    rows = desk.rows
    number = work.numbers[seat]
    params = work.params[seat]
    slip = params[SLIP]
    if number >= OPTIMAL:  # and those of one's own
        number = MATCH
        slip = 0.0
    n = 0
    for c in range(6):
        work.cards[n] = c
        n += (left >> c) & 1
    chosen = 0
    if n > 1 and number != RANDOM:
        show(position, rows, seat, middle, left, filled, 0, sight)
        chosen = choose_next_card(number, position, work.cards, n, params, 0.0)
    for i in range(n):
        p = 1.0 if i == chosen else 0.0
        if n > 1:
            p = 1.0 / n if number == RANDOM else slip / n + (1.0 - slip) * p
        if p == 0.0:
            continue
        colour = work.cards[i]
        others = left ^ (1 << colour)
        count = (middle >> (4 * colour)) & 15
        fits = min(count, sight.fruits[colour])
        if fits > 0 and position.may == 1:
            show(position, rows, seat, middle, others, colour, sight.fruits[colour], sight)
            take = slip / 2 + (1.0 - slip) * choose_take(number, position, colour, count, fits, params, 0.0)
            if take < 1.0:
                put(desk, at, weight * p * (1.0 - take), rows, seats, seat, middle, others, colour, 0, sight)
                at += 1
                p *= take
        if p > 0.0:
            put(desk, at, weight * p, rows, seats, seat, middle, others, colour, fits, sight)
            at += 1
    return at


@jit
def worth_of(rows, seat, middle, rolled, position, work, sight, desk, worth, total):
    """What a position is worth to each seat, into ``total[seat]``: the mean over choices up to the next rolls.

    `seat` begins its turn with these dice in the middle, or with `rolled` has just rolled them. `worth` is working
    memory.
    """
    seats = sight.seats
    fruits = sight.fruits
    for s in range(seats):
        total[s] = 0.0
        desk.tasks[0, s] = rows[s]
    desk.tasks[0, SEAT] = seat
    desk.tasks[0, MIDDLE] = middle
    desk.tasks[0, CARDS_LEFT] = -1
    desk.tasks[0, ROLLED_OR_FILLED] = rolled
    desk.weights[0] = 1.0
    now = desk.rows
    top = 1
    while top > 0:
        top -= 1
        task = desk.tasks[top]
        for s in range(seats):
            now[s] = task[s]
        who, dice, left, filled = task[SEAT], task[MIDDLE], task[CARDS_LEFT], task[ROLLED_OR_FILLED]
        weight = desk.weights[top]
        while left < 0:  # players who need not roll, one after the other, until a card is full
            cards, colour, covered = parts_of(now[who], fruits, sight.before)
            count = (dice >> (4 * colour)) & 15
            if count == 0 and filled == 0:
                many = count_of(dice)
                node_worth(now, who, many if many > 0 else 6, sight, desk, worth)
                for s in range(seats):
                    total[s] += weight * worth[s]
                break
            taken = min(count, fruits[colour] - covered)
            dice -= taken << (4 * colour)
            if covered + taken == fruits[colour]:
                left = cards
                filled = colour
            else:
                now[who] = number_of(cards, colour, covered + taken, fruits, sight.before)
                who = who + 1 if who + 1 < seats else 0
                filled = 0
        if left == 0:
            total[who] += weight
        elif left > 0:
            top = choices(position, work, top, weight, who, dice, left, filled, sight, desk)
