"""Policies of Parlett's Caterpillar: which card to play.

A policy is one small compiled function over what a player sees::

    play(position, cards, n, params, u) -> index into cards[:n]

``cards[:n]`` are the cards among which to choose, in ascending card number; a policy is asked only where there are at
least two. `params` is its parameter vector, `u` one uniform number in [0, 1) of this decision's own (0 for a policy
that is registered without ``draws``).

`position` is the record `POSITION` of `sim.games.parlett.position`, where every field is described. It holds what the
player sees and nothing else: not the other hand, not the order of the stock, no random number. Policies read it and
never write to it.

The thoughtful policies look one card ahead: for each legal card they add up what it scores and what it is likely to
lead to, and play the best. All they know of the other hand is that every unseen card is in it with the same chance.
"""

from __future__ import annotations

from sim.engine.jit import jit
from sim.engine.rng import pick
from sim.games.base import NO_RESTRICTION, PolicyInfo, PolicyParameter, PolicyRegistry
from sim.games.parlett.moves import (
    COURTS,
    NUMERALS,
    PIPS,
    RANK_NUMERALS,
    SUIT,
    SUIT_CARDS,
    card_gain,
    count_cards,
    highest,
    lowest,
    of_ranks,
    ranks_of,
)
from sim.games.parlett.odds import chance_stuck, foresee
from sim.games.parlett.rules import RANKS

# ----------------------------------------------------------------------------------------------------------------------
# Reference policies


@jit
def play_random(position, cards, n, params, u):
    """Uniform over the legal cards."""
    return pick(u, n)


@jit
def play_greedy(position, cards, n, params, u):
    """The largest immediate score; ties: numeral before court, lower rank, lower suit.

    On sets of cards instead of a loop: a scoring numeral beats a scoring court, and a higher one makes a higher total;
    courts have the highest ranks, so "numeral before court" is part of "lower rank".
    """
    legal = position.legal
    total = position.total
    suit = position.last_suit
    scoring = legal & of_ranks(position.scoring[total])
    if scoring:
        choice = scoring & of_ranks(1 << highest(ranks_of(scoring)))
    else:
        choice = legal
        if suit >= 0 and position.gain[total] > 0:
            courts = legal & COURTS & SUIT_CARDS[suit]
            if courts:
                choice = courts
        choice &= of_ranks(ranks_of(choice) & -ranks_of(choice))
    return count_cards(legal & ((1 << lowest(choice)) - 1))


# ----------------------------------------------------------------------------------------------------------------------
# Thoughtful policies


@jit
def worth_now(position, card):
    """What a card scores, less a hundredth of its rank: of equals the lower rank."""
    return card_gain(card, position.total, position.last_suit, position.gain) - 0.01 * (card % RANKS)


@jit
def play_hoarder(position, cards, n, params, u):
    """The best score now, a court's less `court_value`; no court at all while the stock is above `threshold`."""
    threshold, court_value = params[0], params[1]
    best = 0
    most = -1e9
    for i in range(n):
        card = cards[i]
        value = worth_now(position, card)
        if PIPS[card] == 0:
            value -= court_value
            if position.stock > threshold:
                value -= 1e6
        if value > most:
            most = value
            best = i
    return best


@jit
def play_shedder(position, cards, n, params, u):
    """Spends courts so as to be the one who gets stuck: that pays for every court in the other's hand.

    value = score now + `urgency` (if a court) − `caution` × the other's expected score
    """
    urgency, caution = params[0], params[1]
    best = 0
    most = -1e9
    for i in range(n):
        card = cards[i]
        value = worth_now(position, card)
        if PIPS[card] == 0:
            value += urgency
        if position.stock > 1:
            answer, _, _ = foresee(position, SUIT[card], position.total + PIPS[card], 0)
            value -= caution * answer
        if value > most:
            most = value
            best = i
    return best


@jit
def play_safe(position, cards, n, params, u):
    """Leaves nothing to score from and stays in suits of which more cards are in hand.

    value = score now − `court_value` (if a court) − `caution` × the other's expected score
    + `follow` × own numerals left in the suit
    """
    caution, court_value, follow = params[0], params[1], params[2]
    best = 0
    most = -1e9
    for i in range(n):
        card = cards[i]
        suit = SUIT[card]
        value = worth_now(position, card)
        if PIPS[card] == 0:
            value -= court_value
        if position.stock > 1:
            answer, _, _ = foresee(position, suit, position.total + PIPS[card], 0)
            value -= caution * answer
        if position.stock > 2:
            value += follow * count_cards(position.hand & ~(1 << card) & NUMERALS[suit])
        if value > most:
            most = value
            best = i
    return best


@jit
def play_planner(position, cards, n, params, u):
    """As `play_safe`, and it weighs its own next score and both ways in which a deal can end court short.

    value = score now − `court_value` (if a court; the exact bonus for the last own card)
    − `caution` × the other's expected score + `squeeze` × chance that the other must give up a court
    + `ahead` × own expected next score + `follow` × own numerals left in the suit
    − `block` × 2 × bonus × own courts × chance that the other is stuck (own courts lost, and paid to the other)
    + `short` × 2 × bonus × the other's expected courts × chance that the suit stays, if nothing in hand can follow it
    """
    court_value, caution, ahead, follow = params[0], params[1], params[2], params[3]
    squeeze, block, short = params[4], params[5], params[6]
    best = 0
    most = -1e9
    stake = 2.0 * position.court_bonus
    held = position.hand_size / (position.stock + position.hand_size)
    theirs = held * count_cards(position.unseen & COURTS)
    if position.stock <= 2:
        court_value = float(position.court_bonus)
    for i in range(n):
        card = cards[i]
        suit = SUIT[card]
        value = worth_now(position, card)
        rest = position.hand & ~(1 << card)
        if PIPS[card] == 0:
            value -= court_value
        if position.stock > 1:  # the other plays again
            mine = (rest >> RANKS * suit) & RANK_NUMERALS
            answer, after, none = foresee(position, suit, position.total + PIPS[card], mine)
            value += squeeze * none - caution * answer
            courts = count_cards(rest & COURTS)
            if courts > 0 and not position.barred:
                value -= block * stake * courts * chance_stuck(position, suit)
            if position.stock > 2:  # and so does this player
                value += ahead * after + follow * count_cards(mine)
                if courts == 0 and mine == 0:
                    value += short * stake * theirs * (1.0 - none)
        if value > most:
            most = value
            best = i
    return best


@jit
def choose(number, position, cards, n, params, u):
    """Index chosen by the policy of this number when it does not slip."""
    if number == 0:
        return play_random(position, cards, n, params, u)
    if number == 1:
        return play_greedy(position, cards, n, params, u)
    if number == 2:
        return play_hoarder(position, cards, n, params, u)
    if number == 3:
        return play_shedder(position, cards, n, params, u)
    if number == 4:
        return play_safe(position, cards, n, params, u)
    return play_planner(position, cards, n, params, u)


#: number of the policy `search`, which needs working memory and is asked by the kernel (see `search`)
SEARCH = 6

_HERE = "this project; docs/rules/parlett.md"
_CAUTION = "weight of the score that the other is likely to make with the next card"
_COURT_VALUE = "points that keeping a court is reckoned to be worth"
_FOLLOW = "points for each numeral left in hand of the suit just played"

#: restricted play (`sim.games.parlett.kernel.allowed_cards`): no court while a numeral can be played; a court whenever
#: there is one
RESTRICTIONS = (NO_RESTRICTION, "no_courts", "force_courts")
NO_COURTS = RESTRICTIONS.index("no_courts")

POLICIES = PolicyRegistry(
    "parlett",
    (
        PolicyInfo(
            "random",
            0,
            "uniform over the legal cards",
            "nobody: the zero of every scale",
            "reference policy, docs/rules/parlett.md",
            draws=True,
            noisy=False,
        ),
        PolicyInfo(
            "greedy",
            1,
            "the largest immediate score; ties: numeral before court, lower rank, lower suit",
            "a child, or anybody in a hurry",
            "reference policy, docs/rules/parlett.md",
        ),
        PolicyInfo(
            "hoarder",
            2,
            "the largest immediate score, but courts are held while the stock is above a threshold",
            "somebody who saves courts for the bonus at the end",
            _HERE,
            (
                PolicyParameter(
                    "threshold", 16, "courts are held while more cards than this are in the stock", 0, 50, "cards", True
                ),
                PolicyParameter("court_value", 50, _COURT_VALUE, 0, 500, "points"),
            ),
        ),
        PolicyInfo(
            "shedder",
            3,
            "spends courts in order to be the one who gets stuck, and leaves little to score from",
            "somebody who has noticed that getting stuck pays for the other's courts",
            _HERE,
            (
                PolicyParameter("urgency", 40, "points that being rid of a court is worth", 0, 500, "points"),
                PolicyParameter("caution", 1, _CAUTION, 0, 3, "points per point"),
            ),
        ),
        PolicyInfo(
            "safe",
            4,
            "avoids totals from which the other can score and keeps to suits it can follow",
            "a careful player who counts which cards have gone",
            _HERE,
            (
                PolicyParameter("caution", 1, _CAUTION, 0, 3, "points per point"),
                PolicyParameter("court_value", 50, _COURT_VALUE, 0, 500, "points"),
                PolicyParameter("follow", 10, _FOLLOW, 0, 100, "points"),
            ),
        ),
        PolicyInfo(
            "planner",
            5,
            "weighs its score, the other's answer, its own next score and the risk of a short deal",
            "a practised player with a good memory",
            _HERE,
            (
                PolicyParameter("court_value", 80, _COURT_VALUE, 0, 500, "points"),
                PolicyParameter("caution", 1, _CAUTION, 0, 3, "points per point"),
                PolicyParameter(
                    "ahead", 0.5, "weight of one's own likely score after the other's card", 0, 3, "weight"
                ),
                PolicyParameter("follow", 11, _FOLLOW, 0, 100, "points"),
                PolicyParameter("squeeze", 80, "points for making the other give up a court", 0, 500, "points"),
                PolicyParameter(
                    "block", 5, "weight of what a stuck opponent takes from one's courts", 0, 20, "points per point"
                ),
                PolicyParameter(
                    "short", 0.5, "weight of what is gained by being stuck oneself", 0, 3, "points per point"
                ),
            ),
        ),
        PolicyInfo(
            "search",
            SEARCH,
            "plays each card out in many worlds that fit what it knows and takes the one that does best",
            "nobody at a table: what patience and a perfect memory are worth",
            "this project; docs/decisions/0008-parlett-search.md",
            (
                PolicyParameter(
                    "continuations", 2000, "deals played to the end before a card is chosen", 1, 20_000, "deals", True
                ),
                PolicyParameter(
                    "spread",
                    50,
                    "final lead that is worth half of all that a lead can be worth; with 0 only winning counts",
                    0,
                    10_000,
                    "points",
                ),
                PolicyParameter(
                    "exact_left",
                    3,
                    "with so many cards left, worlds are played out optimally with open hands",
                    0,
                    6,
                    "cards",
                    True,
                ),
            ),
            draws=True,
        ),
    ),
    restrictions=RESTRICTIONS,
)
