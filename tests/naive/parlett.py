"""Parlett's Caterpillar (Court Short), played from the rules text with plain lists of cards.

A card is the pair ``(suit, rank)``, suits 0 to 3, ranks 1 (ace) to 13 (king); 11, 12 and 13 are courts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .philox import bounded, pick, uniform

DEFAULTS: dict[str, Any] = {
    "block": "allowed",
    "deals": 1,
    "hand_size": 13,
    "multiple": 5,
    "court_bonus": 100,
}

Card = tuple[int, int]


def full_rules(rules: dict[str, Any] | None = None) -> dict[str, Any]:
    """Every parameter, those not given at their default."""
    values = {**DEFAULTS, **(rules or {})}
    assert set(values) == set(DEFAULTS), f"unknown parameters {set(values) - set(DEFAULTS)}"
    return values


# ----------------------------------------------------------------------------------------------------------------------
# Cards


def is_court(card: Card) -> bool:
    """Jack, queen or king."""
    return card[1] >= 11


def pips(card: Card) -> int:
    """Ace 1, numerals 2 to 10 their pips, courts nothing."""
    return 0 if is_court(card) else card[1]


def courts_in(hand: Sequence[Card]) -> int:
    """Number of courts in a hand."""
    return sum(is_court(card) for card in hand)


def legal_cards(hand: Sequence[Card], previous: Card | None) -> list[Card]:
    """First card: any. Later: a numeral of the suit of the previous card, or any court."""
    if previous is None:
        return sorted(hand)
    return sorted(card for card in hand if is_court(card) or card[0] == previous[0])


def gain(card: Card, previous: Card | None, total_before: int, multiple: int) -> int:
    """What a card scores for its player at once."""
    total = total_before + pips(card)
    if total == 0 or total % multiple != 0:
        return 0
    if not is_court(card):
        return total
    # A court repeats the row total and scores it only in the suit of the previous card.
    return total if previous is not None and card[0] == previous[0] else 0


def playable_cards(
    rules: dict[str, Any], hand: Sequence[Card], other_hand: Sequence[Card], previous: Card | None, last: bool
) -> list[Card]:
    """Legal cards; with ``block = barred`` without those that leave the opponent stuck, while there are others."""
    legal = legal_cards(hand, previous)
    if rules["block"] == "allowed" or last:
        return legal
    harmless = [card for card in legal if legal_cards(other_hand, card)]
    return harmless if harmless else legal


def restricted_cards(restrict: str, cards: list[Card]) -> list[Card]:
    """The cards that are left to a player who never plays a court, or always does; all, where none would be left."""
    if restrict == "no_courts":
        return [card for card in cards if not is_court(card)] or cards
    if restrict == "force_courts":
        return [card for card in cards if is_court(card)] or cards
    return cards


# ----------------------------------------------------------------------------------------------------------------------
# Policies


class Policy(NamedTuple):
    """What a seat does: the index of the card to play among `cards`."""

    name: str
    play: Callable[..., int]
    params: tuple[float, ...] = ()
    restrict: str = "none"


def play_random(position: dict[str, Any], cards: list[Card], n: int, params: Any, u: float) -> int:
    """Uniform over legal cards."""
    return pick(u, n)


def play_greedy(position: dict[str, Any], cards: list[Card], n: int, params: Any, u: float) -> int:
    """The largest immediate score; ties: numeral before court, lower rank, lower suit index."""

    def order(i: int) -> tuple[int, bool, int, int]:
        card = cards[i]
        previous = position["row"][-1] if position["row"] else None
        return (-gain(card, previous, position["total"], position["multiple"]), is_court(card), card[1], card[0])

    return min(range(n), key=order)


POLICIES = {"random": Policy("random", play_random), "greedy": Policy("greedy", play_greedy)}


def as_policy(given: str | Policy | Callable[..., int]) -> Policy:
    """A reference policy by id, a policy, or a bare choice of a card."""
    if isinstance(given, str):
        return POLICIES[given]
    return given if isinstance(given, Policy) else Policy(given.__name__, given)


# ----------------------------------------------------------------------------------------------------------------------
# A game


def shuffled_deck(seed: int, game: int, deal: int) -> list[Card]:
    """The deck of a deal: seat 0's hand, seat 1's hand, the stock from the top."""
    deck = list(range(52))
    for i in range(51):
        j = i + bounded(seed, game, "deck", 0, 64 * deal + i, 52 - i)
        deck[i], deck[j] = deck[j], deck[i]
    return [(number // 13, number % 13 + 1) for number in deck]


def play_deal(
    rules: dict[str, Any], players: Sequence[Policy], deck: list[Card], draw: Callable[[int, int], float], leader: int
) -> dict[str, Any]:
    """One deal from a given deck; ``draw(seat, t)`` is the policy number of play `t`."""
    size = rules["hand_size"]
    hands = [list(deck[:size]), list(deck[size : 2 * size])]
    stock = list(deck[2 * size :])
    row: list[Card] = []
    total = 0
    running = [0, 0]
    plays: list[dict[str, Any]] = []
    stuck = None
    mover = leader

    while stock:
        hand, other = hands[mover], hands[1 - mover]
        previous = row[-1] if row else None
        cards = playable_cards(rules, hand, other, previous, last=len(stock) == 1)
        if not cards:
            stuck = mover  # court short: the deal ends
            break
        cards = restricted_cards(players[mover].restrict, cards)

        # Play one card face up, announce the row total.
        position = {
            "seat": mover,
            "hand": sorted(hand),
            "row": list(row),
            "total": total,
            "running": list(running),
            "stock": len(stock),
            "multiple": rules["multiple"],
            "court_bonus": rules["court_bonus"],
        }
        u = draw(mover, len(plays))
        card = cards[players[mover].play(position, list(cards), len(cards), players[mover].params, u)]
        scored = gain(card, previous, total, rules["multiple"])
        hand.remove(card)
        total += pips(card)
        row.append(card)
        running[mover] += scored
        plays.append({"seat": mover, "card": list(card), "total": total, "gain": scored})

        # Draw the top card of the stock.
        hand.append(stock.pop(0))
        mover = 1 - mover

    courts = [courts_in(hands[0]), courts_in(hands[1])]
    scores = list(running)
    if stuck is None:
        for seat in range(2):
            scores[seat] += rules["court_bonus"] * courts[seat]
    else:
        scores[stuck] += rules["court_bonus"] * courts[1 - stuck]
    return {
        "deck": [list(card) for card in deck],
        "plays": plays,
        "ended": "stock" if stuck is None else "court_short",
        "stuck": stuck,
        "running": running,
        "courts": courts,
        "scores": scores,
    }


def play_game(rules: dict[str, Any] | None, policies: Sequence[Any], seed: int, game: int) -> dict[str, Any]:
    """One game as plain data; with two deals, ``deals`` holds their records."""
    rules = full_rules(rules)
    players = [as_policy(given) for given in policies]
    assert len(players) == 2

    deals = []
    for d in range(rules["deals"]):

        def draw(seat: int, t: int, deal: int = d) -> float:
            return uniform(seed, game, "policy", seat, 64 * deal + t)

        # The first deal is led by seat 0, the second by seat 1; the first cards are seat 0's in both.
        deals.append(play_deal(rules, players, shuffled_deck(seed, game, d), draw, leader=d))

    return {"rules": rules, **deals[0]} if len(deals) == 1 else {"rules": rules, "deals": deals}


def report(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """The result columns of one game, by seat; everything adds up over deals, flags are true if true in either."""
    deals = trace["deals"] if "deals" in trace else [trace]
    scores = [sum(deal["scores"][seat] for deal in deals) for seat in range(2)]
    results = []
    for seat in range(2):
        own, other = scores[seat], scores[1 - seat]
        results.append(
            {
                "win": 1.0 if own > other else 0.5 if own == other else 0.0,
                "score": own,
                "running": sum(deal["running"][seat] for deal in deals),
                "courts": sum(deal["courts"][seat] for deal in deals),
                "cards_played": sum(play["seat"] == seat for deal in deals for play in deal["plays"]),
                "court_short": any(deal["ended"] == "court_short" for deal in deals),
                "stuck": any(deal["stuck"] == seat for deal in deals),
            }
        )
    return results


def rows(
    rules: dict[str, Any] | None, policies: Sequence[Any], seed: int, games: int, first_game: int = 0
) -> list[dict[str, Any]]:
    """The result columns, one dictionary per game and seat, ordered by game and seat."""
    table = []
    for game in range(first_game, first_game + games):
        results = report(play_game(rules, policies, seed, game))
        table += [{"game": game, "seat": seat, **own} for seat, own in enumerate(results)]
    return table
