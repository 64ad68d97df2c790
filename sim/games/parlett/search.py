"""The policy `search`: plays each card out in many worlds and takes the one that does best.

A flat Monte Carlo search over determinised worlds (Ginsberg, *GIB: imperfect information in a computationally
challenging game*, JAIR 2001, did so for bridge; Frank and Basin, *Search in games with incomplete information*,
Artificial Intelligence 1998, say what it cannot see). A world is a way in which the hidden cards may lie, sampled as in
`worlds`; in it the card is played and the deal goes on as in `continuation`. All cards are tried in the same worlds.
The number of continuations is fixed; after each stage the worse half of the cards is dropped (sequential halving:
Karnin, Koren and Somekh, *Almost optimal exploration in multi-armed bandits*, ICML 2013).

The search gets what every policy gets and nothing more: position, choices, parameters, one uniform number, from which
all its randomness comes. Its working memory is one record.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.engine.jit import jit
from sim.games.parlett.continuation import fill_miss, play_on
from sim.games.parlett.endgame import STACK, distinct
from sim.games.parlett.rules import LAST_NUMERAL, MOST_HAND, MOST_PLAYS
from sim.games.parlett.worlds import WORLD, deal_world, prepare_worlds

#: working memory of the search
MEMORY = np.dtype(
    [
        ("world", WORLD),
        ("stack", STACK),
        ("miss", np.float64, (MOST_PLAYS + 1, LAST_NUMERAL + 1)),
        ("alive", np.int64, (MOST_HAND + 1,)),
        ("sums", np.float64, (MOST_HAND + 1,)),
    ]
)


def search_memory(hand_size: int) -> np.ndarray:
    """Working memory of one thread: one record of `MEMORY`."""
    memory = np.zeros(1, MEMORY).view(np.recarray)
    fill_miss(memory[0].miss, hand_size)
    return memory


@jit
def liking(difference: Any, spread: Any) -> Any:
    """How much a final score difference is liked: −1 … 1, half of it within `spread` points; with 0 only winning."""
    if difference == 0:
        return 0.0
    return difference / (spread + abs(difference))


@jit
def sort_down(sums: Any, alive: Any, k: Any) -> None:
    """Sort the first k cards by their sums, the largest first; equals stay in order."""
    for i in range(1, k):
        total = sums[i]
        card = alive[i]
        j = i
        while j > 0 and sums[j - 1] < total:
            sums[j] = sums[j - 1]
            alive[j] = alive[j - 1]
            j -= 1
        sums[j] = total
        alive[j] = card


@jit
def play_search(position: Any, cards: Any, n: Any, params: Any, u: Any, memory: Any) -> Any:
    """The card that does best in worlds that fit what is known; see the module."""
    continuations = int(params[0])
    spread = params[1]
    exact_left = int(params[2])
    alive = memory.alive
    sums = memory.sums
    kept = distinct(position.legal)
    k = 0
    for i in range(n):
        if kept >> cards[i] & 1:
            alive[k] = i
            sums[k] = 0.0
            k += 1
    if k == 1:
        return alive[0]
    stages = 1
    while 1 << stages < k:
        stages += 1
    world = memory.world
    hidden = world.cards
    prepare_worlds(position, world, u)
    m = world.count
    ahead = position.carried[0] - position.carried[1]
    number = 0
    for _ in range(stages):
        for _ in range(max(continuations // (stages * k), 1)):
            other = deal_world(world, number)
            number += 1
            for i in range(k):
                card = cards[alive[i]]
                result = play_on(position, memory.miss, memory.stack, hidden, m, other, card, exact_left)
                if position.deal + 1 < position.deals:  # another deal will decide: every point counts alike
                    sums[i] += result
                else:
                    sums[i] += liking(ahead + result, spread)
        sort_down(sums, alive, k)
        k = (k + 1) >> 1
    return alive[0]
