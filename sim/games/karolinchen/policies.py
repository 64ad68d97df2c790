"""Policies of Karolinchen: which card to lay out next and, where the rules let one refuse, whether to take dice for it.

A policy is two small compiled functions over what a player sees::

    next_card(position, cards, n, params, u) -> index into cards[:n]
    take(position, card, count_available, n_fitting, params, u) -> 1 to take all fitting dice, 0 to refuse

`next_card` is asked whenever a card is full and at least two are left, also when the middle is empty; ``cards[:n]`` are
the colours of the cards left, in ascending order. `take` is asked under ``new_card_take = may`` only, for a card just
laid out, and only if at least one die fits: `count_available` dice in the middle show the colour of `card`, `n_fitting`
of them fit. `params` is the parameter vector of the policy, `u` one uniform number in [0, 1) of this decision's own (0
for a policy that is registered as drawing none).

`position` is the record `POSITION`, described field by field in `POSITION_MEANING`. It holds what lies on the table
and nothing else: no die that is still to be rolled, no random number. Policies read it and never write to it.

A policy of the catalogue has a number, branches in `choose_next_card` and `choose_take`, and an entry in `POLICIES`.
"""

from __future__ import annotations

from sim.engine.jit import jit
from sim.engine.rng import pick
from sim.games.base import PolicyInfo, PolicyParameter, PolicyRegistry
from sim.games.karolinchen.odds import lay_out, next_seat, next_takes, others_on, own_roll
from sim.games.karolinchen.position import POSITION, POSITION_MEANING

__all__ = ["POLICIES", "POSITION", "POSITION_MEANING", "choose_next_card", "choose_take"]

RANDOM, LONGEST, SHORTEST, MATCH, ODDS, RACER, OPTIMAL = range(7)

# ----------------------------------------------------------------------------------------------------------------------
# Reference policies


@jit
def random_next_card(position, cards, n, params, u):
    """Any card left, all equally likely."""
    return pick(u, n)


@jit
def longest_next_card(position, cards, n, params, u):
    """The card with the most fruits; ties: the lower colour."""
    best = 0
    for i in range(1, n):
        if position.fruits[cards[i]] > position.fruits[cards[best]]:
            best = i
    return best


@jit
def shortest_next_card(position, cards, n, params, u):
    """The card with the fewest fruits; ties: the lower colour."""
    best = 0
    for i in range(1, n):
        if position.fruits[cards[i]] < position.fruits[cards[best]]:
            best = i
    return best


@jit
def match_next_card(position, cards, n, params, u):
    """The card that itself takes the most dice now; ties: the longer card, then the lower colour."""
    best = 0
    best_key = -1
    for i in range(n):
        size = position.fruits[cards[i]]
        key = 64 * min(position.middle[cards[i]], size) + size  # at most 30 fruits on a card: the size breaks ties
        if key > best_key:
            best, best_key = i, key
    return best


@jit
def always_take(position, card, count_available, n_fitting, params, u):
    """Take whatever fits."""
    return 1


# ----------------------------------------------------------------------------------------------------------------------
# Policies that think


@jit
def odds_next_card(position, cards, n, params, u):
    """The card worth most in dice: taken for it now, for the cards after it, and to be expected of the next own roll.

    Parameters: chain, later, length, rivals.
    """
    best = 0
    best_worth = -1e9
    for i in range(n):
        colour = cards[i]
        size = position.fruits[colour]
        taken, places, _ = lay_out(position, colour)
        now = min(position.middle[colour], size)
        worth = now + params[0] * (taken - now) + params[1] * own_roll(position.dice - taken, places)
        worth += params[2] * size - params[3] * others_on(position, colour)
        if worth > best_worth:
            best, best_worth = i, worth
    return best


@jit
def racer_next_card(position, cards, n, params, u):
    """The card that gains most on the next player: own dice this turn, less what that player may expect of the rest.

    Parameters: deny, length, rivals, guard (of `racer_take`).
    """
    best = 0
    best_worth = -1e9
    for i in range(n):
        colour = cards[i]
        taken, _, wanted = lay_out(position, colour)
        worth = taken - params[0] * next_takes(position, position.dice - taken, wanted)
        worth += params[1] * position.fruits[colour] - params[2] * others_on(position, colour)
        if worth > best_worth:
            best, best_worth = i, worth
    return best


@jit
def racer_take(position, card, count_available, n_fitting, params, u):
    """Refuse dice fewer than what taking them hands to the next player, weighted; never those that win."""
    taken, _, wanted = lay_out(position, card)
    if position.covered[position.seat] + taken >= position.total:
        return 1
    refused = next_takes(position, position.dice, position.middle[position.current[next_seat(position)]])
    handed = next_takes(position, position.dice - taken, wanted) - refused
    return 0 if taken < params[3] * handed else 1


# ----------------------------------------------------------------------------------------------------------------------
# Dispatch by number


@jit
def choose_next_card(number, position, cards, n, params, u):
    """`next_card` of policy `number` when it does not slip. `OPTIMAL` needs a table of values: see `perfect`."""
    if number == MATCH:
        return match_next_card(position, cards, n, params, u)
    if number == RANDOM:
        return random_next_card(position, cards, n, params, u)
    if number == LONGEST:
        return longest_next_card(position, cards, n, params, u)
    if number == SHORTEST:
        return shortest_next_card(position, cards, n, params, u)
    if number == ODDS:
        return odds_next_card(position, cards, n, params, u)
    return racer_next_card(position, cards, n, params, u)


@jit
def choose_take(number, position, card, count_available, n_fitting, params, u):
    """`take` of policy `number` when it does not slip."""
    if number == RACER:
        return racer_take(position, card, count_available, n_fitting, params, u)
    return always_take(position, card, count_available, n_fitting, params, u)


# ----------------------------------------------------------------------------------------------------------------------
# Catalogue

_REFERENCE = "reference policy of the rules page"
_OWN = "this project"
_LENGTH = PolicyParameter(
    "length",
    -0.1,
    "what a fruit on the card is worth by itself: above 0 long cards first, below 0 short ones; near 0 it breaks ties",
    -2.0,
    2.0,
    "dice per fruit",
)
_RIVALS = PolicyParameter(
    "rivals",
    0.2,
    "what a card loses for each other player whose current card has its colour, as they want the same dice",
    0.0,
    3.0,
    "dice per player",
)

POLICIES = PolicyRegistry(
    "karolinchen",
    [
        PolicyInfo(
            "random",
            RANDOM,
            "Any card left, all equally likely; always takes.",
            "a small child, or someone who has not seen that it matters",
            _REFERENCE,
            draws=True,
            noisy=False,
        ),
        PolicyInfo(
            "longest",
            LONGEST,
            "The card with the most fruits, whatever lies in the middle; always takes.",
            "someone who wants the hard part behind them",
            _REFERENCE,
        ),
        PolicyInfo(
            "shortest",
            SHORTEST,
            "The card with the fewest fruits, whatever lies in the middle; always takes.",
            "someone who likes finishing cards",
            _REFERENCE,
        ),
        PolicyInfo(
            "match",
            MATCH,
            "The card that itself takes most dice from the middle now, then the longer one; always takes.",
            "most players after a game or two",
            _REFERENCE,
        ),
        PolicyInfo(
            "odds",
            ODDS,
            "Counts dice through the whole chain of cards: fills small cards on the way, then the one that takes most; "
            "with nothing to take, a short card in a colour nobody else is after. Always takes.",
            "a player who looks ahead within their own turn",
            _OWN,
            (
                PolicyParameter(
                    "chain", 1.0, "weight of dice taken for the cards after this one", 0.0, 3.0, "dice per die"
                ),
                PolicyParameter(
                    "later",
                    0.2,
                    "weight of the dice to be expected from one roll of what is then left, for the free places",
                    0.0,
                    3.0,
                    "dice per die",
                ),
                _LENGTH,
                _RIVALS,
            ),
        ),
        PolicyInfo(
            "racer",
            RACER,
            "As odds, but watches the next player: weighs own dice against what the dice left in the middle give that "
            "player. Under may it can refuse dice; by default it never does, because no refusal tried has paid.",
            "a player who counts what they leave behind",
            _OWN,
            (
                PolicyParameter(
                    "deny", 0.9, "weight of the dice that the next player may expect to take", 0.0, 3.0, "dice per die"
                ),
                PolicyParameter("length", -0.02, _LENGTH.meaning, _LENGTH.low, _LENGTH.high, _LENGTH.unit),
                _RIVALS,
                PolicyParameter(
                    "guard",
                    0.0,
                    "under may: refuses dice fewer than this weight times what taking them hands to the next player; 0 "
                    "never refuses",
                    0.0,
                    5.0,
                    "dice per die",
                ),
            ),
        ),
        PolicyInfo(
            "optimal",
            OPTIMAL,
            "Two players: the card, and under may the taking or refusing, with the best chance of winning against a "
            "player who plays as well as can be. Plays so against anybody.",
            "nobody at the table: it reads exact values of every position",
            "exact solution of the game, see exact answers",
        ),
    ],
)
