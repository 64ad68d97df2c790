"""Worlds: hidden cards as they may lie, sampled exactly as often as the rules and the cards seen make them likely.

A *world* is an other hand and an order of the stock made of the unseen cards. Which worlds are possible follows from
public facts alone; how the other player tends to play is not considered.

- Every unseen card may be in the other hand or anywhere in the stock, whatever was played before: exchanging two unseen
  cards turns a deal that fits everything seen so far into another one. So all worlds are equally likely. That the other
  was not stuck at its earlier turns is no news either: the cards that it played show it.
- ``block = barred`` tells a player something with every list of choices. A suit that is missing from it is one that the
  other cannot follow: no court, no numeral of the suit. A suit that is in it can be followed, unless all suits are in
  it because none can. Worlds that do not lead to the very list at hand are left out, the others are equally likely.
  Earlier lists are not remembered: the position does not hold them.

Under ``barred`` with a full list, possible worlds are of three sorts: the other holds a court (C(m, h) − C(m − k, h)
hands, with m unseen cards, k courts among them and h cards in a hand); no court and nothing to follow any listed suit;
no court and a numeral of each listed suit (by inclusion and exclusion). A sort is drawn by these counts, then a hand of
that sort.

Numbers come from a generator of the decision's own, keyed by the policy's uniform number (``docs/randomness.md``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.engine.jit import jit
from sim.engine.rng import philox, to_unit
from sim.games.parlett.moves import COURTS, NUMERALS, SUIT_CARDS, count_cards, legal_cards, lowest
from sim.games.parlett.rules import CARDS, SUITS

#: what a world is made from, and the world itself: the other hand first, then the stock from the top
WORLD = np.dtype(
    [
        ("key", np.uint64),
        ("unseen", np.int64, (CARDS,)),
        ("count", np.int64),
        ("hand_size", np.int64),
        ("listed", np.int64),
        ("missing", np.int64),
        ("counts", np.float64, (3,)),
        ("cards", np.int64, (CARDS + 4,)),
    ]
)

#: sorts of worlds under `barred` with a full list
COURT, NOTHING, EVERY_SUIT = range(3)
#: hands tried until one can follow all suits that it must; in play one in three or more can
TRIES = 4096

_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_TWO53 = 9007199254740992.0
_RANGE = np.uint64(1 << 32)


@jit
def combinations(n: Any, k: Any) -> Any:
    """How many sets of k things there are among n (0 if k > n)."""
    if k > n:
        return 0
    found = 1
    for i in range(k):
        found = found * (n - i) // (i + 1)
    return found


@jit
def suits_of(cards: Any) -> Any:
    """The set of suits (bit ``suit``) that occur in a set of cards."""
    suits = 0
    for s in range(SUITS):
        if cards & SUIT_CARDS[s]:
            suits |= 1 << s
    return suits


@jit
def of_suits(suits: Any) -> Any:
    """All numerals of a set of suits."""
    cards = 0
    for s in range(SUITS):
        if suits >> s & 1:
            cards |= NUMERALS[s]
    return cards


@jit
def covers(hand: Any, suits: Any) -> Any:
    """Whether a hand has a numeral of each of these suits."""
    for s in range(SUITS):
        if suits >> s & 1 and hand & NUMERALS[s] == 0:
            return False
    return True


@jit
def prepare_worlds(position: Any, world: Any, u: Any) -> None:
    """Note what is known at a decision: unseen cards, and what the list of choices tells under `barred`."""
    world.key = np.uint64(u * _TWO53)
    unseen = position.unseen
    m = count_cards(unseen)
    h = position.hand_size
    world.count = m
    world.hand_size = h
    rest = unseen
    for i in range(m):
        world.unseen[i] = lowest(rest)
        rest &= rest - 1
    world.listed = 0
    world.missing = 0
    if position.barred == 0 or position.stock < 2:
        return
    world.listed = suits_of(position.legal)
    world.missing = suits_of(legal_cards(position.hand, position.last_suit)) & ~world.listed
    if world.missing:
        return
    k = count_cards(unseen & COURTS)
    covering = 0
    for left_out in range(1 << SUITS):
        if left_out & ~world.listed == 0:
            without = combinations(m - k - count_cards(unseen & of_suits(left_out)), h)
            odd = count_cards(left_out) & 1
            covering += -without if odd else without
    world.counts[COURT] = combinations(m, h) - combinations(m - k, h)
    world.counts[NOTHING] = combinations(m - k - count_cards(unseen & of_suits(world.listed)), h)
    world.counts[EVERY_SUIT] = covering


@jit
def draw(world: Any, number: Any, attempt: Any, among: Any) -> None:
    """Shuffle `world.cards`: the other hand out of the first `among` cards, the stock out of all that are left."""
    cards = world.cards
    m = world.count
    h = world.hand_size
    k0 = world.key & _LOW
    k1 = world.key >> _32
    c1 = np.uint64(number)
    c2 = np.uint64(attempt)
    zero = np.uint64(0)
    for b in range((m + 3) >> 2):
        words = philox(np.uint64(b), c1, c2, zero, k0, k1)
        for lane in range(4):
            i = 4 * b + lane
            n = (among if i < h else m) - i
            if n < 2:
                continue
            limit = np.uint64(n)
            product = words[lane] * limit
            if (product & _LOW) < limit:
                refused = 0
                while (product & _LOW) < _RANGE % limit:
                    refused += 1
                    product = philox(np.uint64(b), c1, c2, np.uint64(refused), k0, k1)[lane] * limit
            j = i + np.int64(product >> _32)
            cards[i], cards[j] = cards[j], cards[i]


@jit
def lay_out(world: Any, allowed: Any) -> Any:
    """Write the unseen cards to `world.cards`, those of a set first; returns how many these are."""
    first = 0
    last = world.count
    for i in range(world.count):
        card = world.unseen[i]
        if allowed >> card & 1:
            world.cards[first] = card
            first += 1
        else:
            last -= 1
            world.cards[last] = card
    return first


@jit
def other_hand(world: Any) -> Any:
    """The other hand of a world, as a set."""
    hand = 0
    for i in range(world.hand_size):
        hand |= 1 << world.cards[i]
    return hand


@jit
def deal_world(world: Any, number: Any) -> Any:
    """World `number` of a decision into `world.cards`; returns the other hand as a set.

    A function of the key, the facts and the number: worlds do not depend on each other.
    """
    if world.listed == 0:
        for i in range(world.count):
            world.cards[i] = world.unseen[i]
        draw(world, number, 0, world.count)
        return other_hand(world)
    allowed = ~0
    must = world.listed
    court = False
    if world.missing:
        allowed = ~(COURTS | of_suits(world.missing))
    else:
        w0, w1, _, _ = philox(
            np.uint64(CARDS), np.uint64(number), np.uint64(0), np.uint64(0), world.key & _LOW, world.key >> _32
        )
        at = to_unit(w0, w1) * (world.counts[0] + world.counts[1] + world.counts[2])
        if at < world.counts[COURT]:
            court = True
            must = 0
        elif at < world.counts[COURT] + world.counts[NOTHING]:
            allowed = ~(COURTS | of_suits(world.listed))
            must = 0
        else:
            allowed = ~COURTS
    hand = 0
    for attempt in range(TRIES):
        among = lay_out(world, allowed)
        # a list that no deal could have led to tells nothing
        draw(world, number, attempt, among if among >= world.hand_size else world.count)
        hand = other_hand(world)
        if covers(hand, must) and (hand & COURTS or not court):
            break
    return hand
