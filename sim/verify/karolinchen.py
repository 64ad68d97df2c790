"""Trials of Karolinchen: the dice and the draw of start fruits themselves, and whole games by line-up and reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sim.games import get
from sim.stats import Exact
from sim.verify.trials import DISTRIBUTION, MEAN, SHARE, Quantity, Trial

GAME = "karolinchen"
COLOURS = 6
DICE = 6

# ----------------------------------------------------------------------------------------------------------------------
# The dice themselves: games cut after one turn, in which seat 0 can take every die of its colour


def dice_of_a_colour(second: bool) -> Exact:
    """Dice of one colour among six; with `second`, all are rolled once more if there was none."""
    from scipy.stats import binom

    p = binom.pmf(np.arange(DICE + 1), DICE, 1 / COLOURS)
    if second:
        p = np.append(p[0] * p[0], p[1:] + p[0] * p[1:])
    return Exact.of(p, 1e-12)


def look(colour: int, opening: str) -> Trial:
    """Fruits that seat 0 covers in one turn on a card with room for all dice."""
    return Trial(
        GAME,
        "fair dice",
        {"start_fruit": [colour, (colour + 1) % COLOURS], "opening": opening, "fruits": [7] * COLOURS, "max_turns": 1},
        ["match", "match"],
        lambda: dice_of_a_colour(opening == "open"),
        [Quantity("dice of the first colour in one turn", "fruits", 0, lambda exact: exact)],
        # dice cannot be told apart: one biased among six shows only in many games
        share=16 if opening == "own_roll" else 1,
    )


# ----------------------------------------------------------------------------------------------------------------------
# Whole games


def race(policies: Sequence[str], drawn: bool = False, **rules: Any) -> Trial:
    """Wins by seat and length of the game; with `drawn`, the start fruits too."""
    seats = len(policies)

    def won(seat: int) -> Callable[[Any], Exact]:
        return lambda s: Exact.of([1 - s.win[seat], s.win[seat]], s.error_bound)

    asked = [
        Quantity(f"wins of seat {seat}", "win", seat, won(seat), [SHARE], lambda value: value == 1)
        for seat in range(seats if seats > 2 else 1)  # of two, one wins where the other does not
    ]
    asked.append(
        Quantity("turns", "turns", 0, lambda s: Exact.of(s.turns_pmf, s.turns_error_bound), [DISTRIBUTION, MEAN])
    )
    if drawn:
        even = Exact.of(np.full(COLOURS, 1 / COLOURS))
        asked += [
            Quantity(f"start fruit of seat {seat}", "start_fruit", seat, lambda _: even, [DISTRIBUTION])
            for seat in range(seats)
        ]
    return Trial(GAME, "whole games", rules, list(policies), lambda: get(GAME).solve(rules, list(policies)), asked)


def trials() -> list[Trial]:
    """Every trial of this game."""
    may: dict[str, Any] = {"new_card_take": "may"}
    again: dict[str, Any] = {"reroll_after_eating": True}
    return [
        *(look(colour, "own_roll") for colour in range(COLOURS)),
        look(2, "open"),
        race(["match", "match"], drawn=True),
        race(["longest", "shortest"], drawn=True, **again),
        race(["random", "match"], start_fruit=[0, 5]),
        race(["odds", "racer"], start_fruit=[3, 3], opening="own_roll"),
        race(["match", "odds"], start_fruit=[5, 0], **again),
        race(["racer", "random"], start_fruit=[4, 1], **may),
        race(["odds", "odds"], start_fruit=[2, 4], opening="own_roll", **may, **again),
        race(["match", "longest"], start_fruit=[1, 2], fruits=[2, 2, 3, 3, 4, 4]),
        race(["optimal", "match(slip=0.3)"], start_fruit=[1, 3], fruits=[1, 2, 1, 2, 1, 3], **may),
        race(["longest", "shortest", "longest"], start_fruit=[0, 1, 2]),
        race(["shortest", "longest", "shortest"], start_fruit=[5, 5, 0], opening="own_roll", **again),
    ]
