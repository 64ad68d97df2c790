"""What becomes of the dice in the middle: every way to go on until somebody has to roll or has won.

A turn that begins with a match leaves dice which the next player may match in turn, and so on, all without a roll. So
the dice of one roll are followed through as many turns as they last. Where they end, a player has to roll what is left
(or all six after an eating), or has lost. Such an end is a state and the number of turns that it took; the player to
move there is known from that number. Nothing else about the dice matters afterwards.

The number of dice is no part of a state: every die that has left the middle covers a fruit until all six come back, so
the fruits covered by both players, modulo six, tell how many dice are in the middle.
"""

from __future__ import annotations

import numpy as np

from sim.engine.jit import jit
from sim.games.karolinchen.exact.worms import BEST, MINIMAX, POLICY, RANDOM
from sim.games.karolinchen.policies import choose_next_card, choose_take

#: choices whose chances of winning are closer than this count as equal: the lower card, and taking before refusing
TIE = 1e-12


@jit
def show_seat(p, t, seat, worm):
    """Lay the cards of one player on the table that policies see."""
    p.current[seat] = t.colour[worm]
    p.places[seat] = t.places[worm]
    p.left[seat] = t.left[worm]
    p.covered[seat] = t.covered[worm]
    p.finished[seat] = t.finished[worm]


@jit
def show(p, t, seat, own, other, middle, dice):
    """The table as the player `seat` sees it, with the cards to choose from in `t.cards`; returns their number."""
    p.seat = seat
    p.dice = dice
    show_seat(p, t, seat, own)
    show_seat(p, t, 1 - seat, other)
    n = 0
    for c in range(6):
        p.middle[c] = (middle >> (4 * c)) & 15
        if (t.left[own] >> c) & 1 == 1:
            t.cards[n] = c
            n += 1
    return n


@jit
def by_policy(p, t, seat, own, other, middle, dice):
    """The choice of a deterministic policy: 2 × card + 1 if fitting dice are refused."""
    n = show(p, t, seat, own, other, middle, dice)
    card = t.cards[0]
    if n > 1:
        card = t.cards[choose_next_card(t.number[seat], p, t.cards, n, t.params[seat], 0.0)]
    count = (middle >> (4 * card)) & 15
    if t.may == 1 and count > 0:
        show_seat(p, t, seat, t.laid[6 * (t.left[own] ^ (1 << card)) + card])
        fitting = min(count, p.fruits[card])
        if choose_take(t.number[seat], p, card, count, fitting, t.params[seat], 0.0) == 0:
            return 2 * card + 1
    return 2 * card


@jit
def refused_by_policy(p, t, seat, own, other, middle, dice):
    """Under ``may``: the cards for which a policy would refuse dice, as the sum of 2^card, whichever it came to lay."""
    refused = 0
    left = t.left[own]
    for card in range(6):
        count = (middle >> (4 * card)) & 15
        if t.may == 1 and count > 0 and (left >> card) & 1 == 1:
            show(p, t, seat, own, other, middle, dice)
            show_seat(p, t, seat, t.laid[6 * (left ^ (1 << card)) + card])
            fitting = min(count, p.fruits[card])
            if choose_take(t.number[seat], p, card, count, fitting, t.params[seat], 0.0) == 0:
                refused |= 1 << card
    return refused


@jit
def slipped(t, left, middle, choice, slip, meant, refused):
    """Chance of a choice by a player who slips: first the card, then whether its dice are taken.

    Either is any choice at all with chance `slip`, else what the player means: the card `meant`, and to refuse dice for
    the cards in `refused`. Where there is but one card, or no die fits, there is nothing to decide.
    """
    card = choice >> 1
    cards = 0
    for c in range(6):
        cards += (left >> c) & 1
    chance = 1.0
    if cards > 1:
        chance = slip / cards
        if card == meant:
            chance += 1.0 - slip
    if t.may == 1 and (middle >> (4 * card)) & 15 > 0:
        if (refused >> card) & 1 == choice & 1:
            chance *= 1.0 - 0.5 * slip
        else:
            chance *= 0.5 * slip
    return chance


@jit
def worth(t, values, start, turns):
    """Sum of weight × chance of winning over the ends from `start` on, for the player to move after `turns` turns."""
    out = 0.0
    for i in range(start, t.leaves):
        value = values[t.code[i] >> 4, 0]
        if (t.code[i] - turns) & 1 == 1:
            value = 1.0 - value
        out += t.weight[i] * value
    return out


@jit
def follow(p, t, values, star, ideal, weight, seat, own, other, middle, dice, turns):
    """Add to the list every end of the dice in the middle, with `seat` to move or, with a full worm, to choose a card.

    Whole numbers are given as int64, never as literals: the function must be compiled in one form only, as numba's disk
    cache does not keep the link between two forms of a function that calls itself (numba issue 6061).

    Parameters
    ----------
    values, star : float64[states, 2]
        Values of the line-up at hand, and of two perfect players (read for seats that play minimax).
    ideal : int
        1 while a minimax player thinks: both are then perfect and `values` is `star`.
    """
    places = t.places[own]
    if places > 0:
        shift = 4 * t.colour[own]
        n = min((middle >> shift) & 15, places)
        if n == 0:
            stride = 0 if ideal == 1 else t.stride
            state = ((seat * stride + own) * t.worms + other) * t.layers
            if dice == 0:
                state += t.layers - 1
            t.code[t.leaves] = 16 * state + turns
            t.weight[t.leaves] = weight
            t.leaves += 1
            return
        middle -= n << shift
        dice -= n
        if n < places:
            follow(p, t, values, star, ideal, weight, 1 - seat, other, own + n, middle, dice, turns + 1)
            return
        own = t.full[6 * t.left[own] + t.colour[own]]
    left = t.left[own]
    if left == 0:  # the last fruit: the other player has lost
        t.code[t.leaves] = 16 * t.lost + turns + 1
        t.weight[t.leaves] = weight
        t.leaves += 1
        return

    kind = BEST if ideal == 1 else t.kind[seat]
    first, last = 0, 11
    slip = t.slip[seat] if kind == POLICY or kind == MINIMAX else 0.0
    refused = 0
    if kind == POLICY:
        first = by_policy(p, t, seat, own, other, middle, dice)
        last = first
        if slip > 0.0:
            refused = refused_by_policy(p, t, seat, own, other, middle, dice)
    elif kind == RANDOM:
        cards = 0
        for c in range(6):
            cards += (left >> c) & 1
        weight /= cards
    elif kind == MINIMAX:
        start = t.leaves
        best = -1.0
        taken = -1.0
        for choice in range(12):
            if is_choice(t, left, middle, choice) == 1:
                after, n = lay(t, left, middle, choice)
                if t.places[after] == 0:
                    follow(p, t, star, star, np.int64(1), 1.0, seat, after, other, middle - n[0], dice - n[1], turns)
                else:
                    follow(
                        p,
                        t,
                        star,
                        star,
                        np.int64(1),
                        1.0,
                        1 - seat,
                        other,
                        after,
                        middle - n[0],
                        dice - n[1],
                        turns + 1,
                    )
                value = worth(t, star, start, turns)
                t.leaves = start
                if value > best + TIE:
                    best = value
                    first = choice
                if choice & 1 == 0:
                    taken = value
                elif value > taken + TIE:
                    refused |= 1 << (choice >> 1)
        last = first

    meant = first >> 1
    if slip > 0.0:
        first, last = 0, 11
    kept = t.leaves
    best = -1.0
    share = weight
    for choice in range(first, last + 1):
        if first != last and is_choice(t, left, middle, choice) == 0:
            continue
        if slip > 0.0:
            share = weight * slipped(t, left, middle, choice, slip, meant, refused)
            if share == 0.0:
                continue
        if kind == RANDOM and choice & 1 == 1:  # random always takes
            continue
        start = t.leaves
        after, n = lay(t, left, middle, choice)
        if t.places[after] == 0:
            follow(p, t, values, star, ideal, share, seat, after, other, middle - n[0], dice - n[1], turns)
        else:
            follow(p, t, values, star, ideal, share, 1 - seat, other, after, middle - n[0], dice - n[1], turns + 1)
        if kind == BEST:
            value = worth(t, values, start, turns)
            if value > best + TIE * weight:
                best = value
                n_new = t.leaves - start
                for i in range(n_new):
                    t.code[kept + i] = t.code[start + i]
                    t.weight[kept + i] = t.weight[start + i]
                t.leaves = kept + n_new
            else:
                t.leaves = start


@jit
def is_choice(t, left, middle, choice):
    """Whether 2 × card + refusal is a choice: the card is left, and dice are refused only if some fit and one may."""
    card = choice >> 1
    if (left >> card) & 1 == 0:
        return 0
    if choice & 1 == 1 and (t.may == 0 or (middle >> (4 * card)) & 15 == 0):
        return 0
    return 1


@jit
def lay(t, left, middle, choice):
    """The worm once the card is laid out and its dice are taken, and (packed, number of) dice taken."""
    card = choice >> 1
    after = left ^ (1 << card)
    worm = t.laid[6 * after + card]
    n = 0
    if choice & 1 == 0:
        n = min((middle >> (4 * card)) & 15, t.places[worm])
        if n == t.places[worm]:
            return t.full[6 * after + card], (n << (4 * card), n)
    return worm + n, (n << (4 * card), n)
