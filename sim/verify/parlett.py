"""Trials of Parlett's game: there is no exact answer for a whole deal with hidden hands, but much can be counted.

Deals with twenty-five cards each have one play a seat; hands of one card leave no choice; and how often seat 1 cannot
follow the first card is a matter of binomial coefficients at any hand size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim.stats import Exact
from sim.verify import cards
from sim.verify.trials import DISTRIBUTION, MEAN, SHARE, Quantity, Trial

GAME = "parlett"
_ERROR = 1e-9


def _known(told: str, column: str, seat: int, result: Callable[[], dict[float, float]]) -> Quantity:
    return Quantity(told, column, seat, lambda _: Exact.at(result(), _ERROR), [DISTRIBUTION, MEAN])


def long_hands(policies: list[str], *more: Quantity, multiple: int = 5) -> Trial:
    """Scores with one play a seat."""
    return Trial(
        GAME,
        "one play a seat",
        {"hand_size": cards.LONG, "multiple": multiple},
        policies,
        lambda: None,
        [
            _known("running score of the leader", "running", 0, lambda: cards.lead(policies[0], multiple)),
            _known("running score of the follower", "running", 1, lambda: cards.follow(policies, multiple)),
            *more,
        ],
    )


def two_deals() -> Trial:
    """Both seats lead once: the sum of two independent deals."""

    def both() -> dict[float, float]:
        return cards.sums(cards.lead("random", 5), cards.follow(["random", "random"], 5))

    return Trial(
        GAME,
        "one play a seat",
        {"hand_size": cards.LONG, "deals": 2},
        ["random", "random"],
        lambda: None,
        [_known(f"running score of seat {seat}", "running", seat, both) for seat in range(2)],
    )


def stuck(hand_size: int, policy: str, **rules: Any) -> Trial:
    """How often seat 1 cannot follow the first card."""
    barred = rules.get("block") == "barred"

    def chance() -> Exact:
        p = cards.stuck_at_once(hand_size, policy, 5, barred)
        return Exact.of([1 - p, p], 1e-12)

    return Trial(
        GAME,
        "stuck at once",
        {"hand_size": hand_size, **rules},
        [policy, policy],
        chance,
        [
            Quantity(
                "seat 1 cannot follow the first card",
                "cards_played",
                1,
                lambda exact: exact,
                [SHARE],
                lambda value: value == 0,
            )
        ],
    )


def single_cards() -> Trial:
    """Hands of one card: no choice, so any policy plays the pack as it lies."""

    def played(seat: int) -> Callable[[list[float]], Exact]:
        return lambda lengths: Exact.at(cards.by_seat(lengths, seat), _ERROR)

    return Trial(
        GAME,
        "rows without a choice",
        {"hand_size": 1},
        ["planner", "random"],
        cards.row_lengths,
        [Quantity(f"cards played by seat {seat}", "cards_played", seat, played(seat)) for seat in range(2)],
    )


def trials() -> list[Trial]:
    """Every trial of this game."""
    held = Quantity(
        "courts held by the leader", "courts", 0, lambda _: Exact.of(cards.courts(52, cards.LONG)), [DISTRIBUTION, MEAN]
    )
    score = _known("score of the leader", "score", 0, lambda: cards.lead_score(5, 100))
    return [
        long_hands(["random", "random"], held, score),
        long_hands(["random", "greedy"]),
        long_hands(["greedy", "greedy"]),
        long_hands(["random", "greedy"], multiple=3),
        long_hands(["greedy", "greedy"], multiple=7),
        two_deals(),
        single_cards(),
        stuck(13, "random"),
        stuck(5, "random"),
        stuck(2, "greedy"),
        stuck(3, "greedy"),
        stuck(2, "random", block="barred"),
        stuck(3, "random", block="barred"),
    ]
