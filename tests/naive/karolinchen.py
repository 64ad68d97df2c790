"""Karolinchen, played from the rules text with plain lists of dice.

Colours are 0 blue, 1 orange, 2 purple, 3 yellow, 4 green, 5 red; the middle is a list of colours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .philox import bounded, pick, uniform

DEFAULTS: dict[str, Any] = {
    "fruits": [1, 2, 3, 4, 5, 6],
    "start_fruit": "distinct",
    "opening": "open",
    "reroll_after_eating": False,
    "new_card_take": "must",
    "max_turns": 10_000,
}


def full_rules(rules: dict[str, Any] | None = None) -> dict[str, Any]:
    """Every parameter, those not given at their default."""
    values = {**DEFAULTS, **(rules or {})}
    assert set(values) == set(DEFAULTS), f"unknown parameters {set(values) - set(DEFAULTS)}"
    assert len(values["fruits"]) == 6
    assert min(values["fruits"]) >= 1
    return values


# ----------------------------------------------------------------------------------------------------------------------
# Policies


def always_take(position: dict[str, Any], n: int, params: Any, u: float) -> bool:
    """Take the fitting dice for a new card."""
    return True


class Policy(NamedTuple):
    """What a seat does: the index of the next card among `cards`; whether to take `n` fitting dice for it."""

    name: str
    next_card: Callable[..., int]
    take: Callable[..., bool] = always_take
    params: tuple[float, ...] = ()


def random_card(position: dict[str, Any], cards: list[int], n: int, params: Any, u: float) -> int:
    """Uniform over the cards left."""
    return pick(u, n)


def longest_card(position: dict[str, Any], cards: list[int], n: int, params: Any, u: float) -> int:
    """The most fruits; ties: lower colour."""
    return min(range(n), key=lambda i: (-position["fruits"][cards[i]], cards[i]))


def shortest_card(position: dict[str, Any], cards: list[int], n: int, params: Any, u: float) -> int:
    """The fewest fruits; ties: lower colour."""
    return min(range(n), key=lambda i: (position["fruits"][cards[i]], cards[i]))


def matching_card(position: dict[str, Any], cards: list[int], n: int, params: Any, u: float) -> int:
    """The card that itself takes most dice from the middle now; ties: the longer card, then the lower colour."""

    def order(i: int) -> tuple[int, int, int]:
        places = position["fruits"][cards[i]]
        takes = min(position["middle"].count(cards[i]), places)
        return (-takes, -places, cards[i])

    return min(range(n), key=order)


POLICIES = {
    "random": Policy("random", random_card),
    "longest": Policy("longest", longest_card),
    "shortest": Policy("shortest", shortest_card),
    "match": Policy("match", matching_card),
}


def as_policy(given: str | Policy | Callable[..., int]) -> Policy:
    """A reference policy by id, a policy, or a bare choice of the next card (which then always takes)."""
    if isinstance(given, str):
        return POLICIES[given]
    return given if isinstance(given, Policy) else Policy(given.__name__, given)


# ----------------------------------------------------------------------------------------------------------------------
# Chance


def roll(seed: int, game: int, turn: int, k: int, dice: int) -> list[int]:
    """Roll `k` of a turn with so many dice, sorted."""
    x = bounded(seed, game, "dice", 0, 2 * turn + k, 6**6)
    return sorted(x // 6**die % 6 for die in range(dice))


def start_fruits(rules: dict[str, Any], seats: int, seed: int, game: int) -> list[int]:
    """The fruit laid out first, by seat."""
    if rules["start_fruit"] != "distinct":
        assert len(rules["start_fruit"]) == seats
        return list(rules["start_fruit"])
    x = bounded(seed, game, "start", 0, 0, 720)
    fruits = [0, 1, 2, 3, 4, 5]
    drawn = []
    for seat in range(seats):
        drawn.append(fruits.pop(x % (6 - seat)))
        x //= 6 - seat
    return drawn


# ----------------------------------------------------------------------------------------------------------------------
# A game


def play_game(rules: dict[str, Any] | None, policies: Sequence[Any], seed: int, game: int) -> dict[str, Any]:
    """One game as plain data."""
    rules = full_rules(rules)
    fruits = list(rules["fruits"])
    players = [as_policy(given) for given in policies]
    seats = len(players)
    assert 2 <= seats <= 6

    starts = start_fruits(rules, seats, seed, game)
    current = list(starts)  # the card being filled, by seat
    covered = [0] * seats  # places covered on it
    cards_left = [[card for card in range(6) if card != starts[seat]] for seat in range(seats)]  # not yet laid out
    finished: list[list[int]] = [[] for _ in range(seats)]

    # Opening: all six dice were rolled into the middle before seat 0's turn, or seat 0 rolls them.
    middle: list[int] = []
    opening = None
    if rules["opening"] == "open":
        opening = roll(seed, game, 0, 0, 6)
        middle = list(opening)

    turns: list[dict[str, Any]] = []
    winner = None

    while winner is None and len(turns) < rules["max_turns"]:
        turn = len(turns) + 1
        seat = (turn - 1) % seats
        player = players[seat]
        before = sorted(middle)
        rolled: list[list[int]] = []
        taken: list[list[int]] = []
        chosen: list[int] = []

        # The roll.
        if not middle:
            # The mover rolls all six, once: after an eating, or because the opening is theirs.
            middle = roll(seed, game, turn, 0, 6)
            rolled.append(list(middle))
            after_eating = not (turn == 1)
            second_chance = rules["reroll_after_eating"] and after_eating
            if second_chance and current[seat] not in middle:
                middle = roll(seed, game, turn, 1, 6)
                rolled.append(list(middle))
        elif current[seat] not in middle:
            # The middle does not show the colour of the current card: roll all dice in the middle once.
            middle = roll(seed, game, turn, 0, len(middle))
            rolled.append(list(middle))

        # Taking, card after card.
        new_card = False
        while True:
            card = current[seat]
            fitting = min(middle.count(card), fruits[card] - covered[seat])
            if new_card and rules["new_card_take"] == "may" and fitting > 0:
                position = view(rules, seat, starts, current, covered, cards_left, finished, middle)
                u = uniform(seed, game, "policy", seat, 2 * len(finished[seat]) + 1)
                if not player.take(position, fitting, player.params, u):
                    break  # a refusal ends the turn
            for _ in range(fitting):
                middle.remove(card)
            covered[seat] += fitting
            if fitting > 0:
                taken.append([card, fitting])
            if covered[seat] < fruits[card]:
                break

            # Card full: at once choose the next among those left, even when the middle is empty.
            finished[seat].append(card)
            covered[seat] = 0
            if not cards_left[seat]:
                winner = seat  # the last fruit is covered
                break
            options = sorted(cards_left[seat])
            position = view(rules, seat, starts, current, covered, cards_left, finished, middle)
            u = uniform(seed, game, "policy", seat, 2 * len(finished[seat]))
            next_card = options[player.next_card(position, list(options), len(options), player.params, u)]
            cards_left[seat].remove(next_card)
            current[seat] = next_card
            chosen.append(next_card)
            new_card = True

        # Eating: the middle is empty and nobody has won.
        eating = not middle and winner is None
        turns.append(
            {
                "seat": seat,
                "middle": before,
                "rolled": rolled,
                "taken": taken,
                "chosen": chosen,
                "left": sorted(middle),
                "eating": eating,
            }
        )

    return {"rules": rules, "starts": starts, "opening": opening, "turns": turns, "winner": winner}


def view(
    rules: dict[str, Any],
    seat: int,
    starts: list[int],
    current: list[int],
    covered: list[int],
    cards_left: list[list[int]],
    finished: list[list[int]],
    middle: list[int],
) -> dict[str, Any]:
    """What a player sees: everything but the dice to come."""
    return {
        "seat": seat,
        "fruits": list(rules["fruits"]),
        "middle": list(middle),
        "starts": list(starts),
        "current": list(current),
        "covered": list(covered),
        "cards_left": [list(cards) for cards in cards_left],
        "finished": [list(cards) for cards in finished],
    }


def report(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """The result columns of one game, by seat, counted off the trace."""
    fruits, turns = trace["rules"]["fruits"], trace["turns"]
    results = []
    for seat, start in enumerate(trace["starts"]):
        covered = [0] * 6  # by card
        for turn in turns:
            if turn["seat"] == seat:
                for card, taken in turn["taken"]:
                    covered[card] += taken
        results.append(
            {
                "win": 1.0 if seat == trace["winner"] else 0.0,
                "turns": len(turns),
                # rolls of the shared dice; the opening roll counts
                "rolls": (trace["opening"] is not None) + sum(len(turn["rolled"]) for turn in turns),
                "eatings": sum(turn["eating"] for turn in turns),
                "fruits": sum(covered),
                "cards": sum(covered[card] == fruits[card] for card in range(6)),
                "start_fruit": start,
                "capped": trace["winner"] is None,
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
