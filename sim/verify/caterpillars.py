"""Trials of Caterpillars: the dice themselves, labelled sheets, levels with bonus boxes, set-up, and who wins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np

from sim.games import get
from sim.games.caterpillars.rules import CaterpillarsRules
from sim.stats import Exact
from sim.verify.small import end_total, play, set_ups, wins
from sim.verify.trials import DISTRIBUTION, Quantity, Trial

GAME = "caterpillars"
#: labelled sheets: what a game on the sheet `pairs` may look like, many equal labels, and labels that only sums make
MIXED = (1, 6, 3, 4, 2, 5, 1, 2, 1, 6, 5, 3)
EQUAL = (6, 6, 6, 1, 5, 5, 2, 2, 4, 4, 4, 3)
SUMS = (7, 3, 12, 5, 8, 6, 2, 9, 10, 4, 11, 1)

#: error of a sum of fewer than a million products of doubles, relative to the largest
_ROUNDING = 1e-9


def parsed(rules: Mapping[str, Any]) -> CaterpillarsRules:
    """The rules as the game reads them."""
    found = CaterpillarsRules.parse(dict(rules))
    assert isinstance(found, CaterpillarsRules)
    return found


# ----------------------------------------------------------------------------------------------------------------------
# The dice themselves: twelve boxes with one label, so that every round is one look at the dice


def fits(dice: Sequence[int], label: int) -> bool:
    """Whether some of the dice, but not all, add up to the label."""
    return any(sum(part) == label for size in range(1, len(dice)) for part in combinations(dice, size))


def blank_rounds(label: int, dice: int, rounds: int) -> Exact:
    """Rounds in which no die or sum fits, of `rounds`: binomial, from the list of all rolls."""
    rolls = list(product(range(1, 7), repeat=dice))
    p = sum(not fits(roll, label) for roll in rolls) / len(rolls)
    from scipy.stats import binom

    return Exact.of(binom.pmf(np.arange(rounds + 1), rounds, p), _ROUNDING)


def look(level: str, label: int, policy: str) -> Trial:
    """Rounds without an entry on a sheet with one label: binomial, whatever the policy does."""
    dice = 2 if level == "beginner" else 3
    return Trial(
        GAME,
        "fair dice",
        {"level": level, "sheet": [label] * 12},
        [policy],
        lambda: blank_rounds(label, dice, 12),
        [Quantity("rounds without an entry", "zeros", 0, lambda exact: exact)],
        share=dice - 1,
    )


# ----------------------------------------------------------------------------------------------------------------------
# Labelled sheets, solved by the exact package


def cut(labels: Sequence[int], boxes: int) -> list[int]:
    """The first boxes of each caterpillar of a sheet with four."""
    return [labels[4 * c + b] for c in range(3) for b in range(boxes)]


def sheet(level: str, labels: Sequence[int], boxes: int, policy: str, **rules: Any) -> Trial:
    """End total of a policy on one labelled sheet."""
    own = cut(labels, boxes)
    given = {"level": level, "boxes": boxes, "sheet": own, **rules}
    return Trial(
        GAME,
        "sheets",
        given,
        [policy],
        lambda: get(GAME).solve(given, None if policy == "optimal" else [policy], labels=own),
        [Quantity("end total", "score", 0, lambda s: Exact.of(s.pmf, s.error_bound))],
    )


# ----------------------------------------------------------------------------------------------------------------------
# One box per caterpillar: every level, several players


def tabulate(ends: Mapping[tuple[Any, ...], float], part: int) -> Exact:
    """The distribution of one part of the results of a game."""
    found: dict[float, float] = defaultdict(float)
    for end, p in ends.items():
        found[float(end[part])] += p
    return Exact.at(found, _ROUNDING)


def tiny(level: str, labels: Sequence[int], policy: str, **rules: Any) -> Trial:
    """End total and zeros of a reference policy on three boxes."""
    given = {"level": level, "boxes": 1, "sheet": list(labels), **rules}
    rule = parsed(given)
    return Trial(
        GAME,
        "bonus and action die",
        given,
        [policy],
        lambda: play(rule, labels, [policy], lambda sheets: (end_total(rule, sheets[0]), sheets[0].zeros)),
        [
            Quantity("end total", "score", 0, lambda ends: tabulate(ends, 0)),
            Quantity("zeros", "zeros", 0, lambda ends: tabulate(ends, 1), [DISTRIBUTION]),
        ],
    )


def race(level: str, labels: Sequence[int], policies: Sequence[str], **rules: Any) -> Trial:
    """Who wins on three boxes, ties and shared wins included."""
    given = {"level": level, "boxes": 1, "sheet": list(labels), **rules}
    rule = parsed(given)

    def won(seat: int) -> Callable[[Any], Exact]:
        return lambda ends: tabulate(ends, seat)

    return Trial(
        GAME,
        "winners",
        given,
        list(policies),
        lambda: play(rule, labels, policies, lambda sheets: wins(rule, sheets)),
        # of two players, what one wins the other does not
        [Quantity(f"wins of seat {s}", "win", s, won(s)) for s in range(len(policies) if len(policies) > 2 else 1)],
    )


# ----------------------------------------------------------------------------------------------------------------------
# Set-up


def set_up(level: str, labels: Sequence[int], policy: str, **rules: Any) -> Trial:
    """End total with labels from set-up rolls: the mean over all of them."""
    given = {"level": level, "boxes": len(labels) // 3, "sheet": list(labels), **rules}
    rule = parsed(given)

    def solve() -> Exact:
        mean: Any = 0.0
        for after, weight in set_ups(rule, policy):
            mean = mean + weight * get(GAME).solve(given, [policy], labels=after).pmf
        return Exact.of(mean, _ROUNDING)

    return Trial(GAME, "set-up", given, [policy], solve, [Quantity("end total", "score", 0, lambda exact: exact)])


# ----------------------------------------------------------------------------------------------------------------------


def trials() -> list[Trial]:
    """Every trial of this game."""
    return [
        *(look("beginner", label, "greedy") for label in range(1, 7)),
        *(look("intermediate", label, "random" if label > 6 else "greedy") for label in (*range(1, 8), 12)),
        *_sheets(),
        *_bonus_levels(),
        *_set_ups(),
        *_races(),
    ]


def _sheets() -> list[Trial]:
    return [
        *(sheet("beginner", labels, 4, "greedy") for labels in (MIXED, EQUAL)),
        sheet("beginner", MIXED, 4, "planner"),
        sheet("beginner", EQUAL, 3, "random"),
        sheet("beginner", MIXED, 3, "weighted"),
        sheet("beginner", MIXED, 3, "child"),
        sheet("beginner", MIXED, 3, "random", zero_rule="split"),
        sheet("beginner", EQUAL, 2, "random", zero_rule="strict"),
        sheet("beginner", MIXED, 1, "random"),
        sheet("beginner", MIXED, 2, "greedy", final="lowest"),
        sheet("beginner", EQUAL, 2, "child(slip=0.5)", final="highest"),
        sheet("beginner", MIXED, 3, "greedy", final="total"),
        sheet("beginner", MIXED, 4, "optimal"),
        sheet("beginner", EQUAL, 3, "optimal", zero_rule="split", final="highest"),
        sheet("intermediate", SUMS, 3, "optimal"),
        sheet("intermediate", MIXED, 2, "optimal", idle_dice=True, final="lowest"),
        sheet("intermediate", SUMS, 3, "greedy"),
        sheet("intermediate", MIXED, 3, "greedy"),
        sheet("intermediate", EQUAL, 3, "random"),
        sheet("intermediate", SUMS, 2, "planner"),
        sheet("intermediate", MIXED, 2, "weighted", zero_rule="split"),
        sheet("intermediate", SUMS, 2, "random", zero_rule="split"),
        sheet("intermediate", SUMS, 2, "random", idle_dice=True),
        sheet("intermediate", MIXED, 2, "greedy", idle_dice=True, final="lowest"),
        sheet("intermediate", SUMS, 2, "random", idle_dice=True, zero_rule="split", final="total"),
        sheet("intermediate", EQUAL, 1, "child(slip=0.3)", final="highest"),
    ]


def _bonus_levels() -> list[Trial]:
    # exact answers for the bonus levels by other means join here
    return [
        tiny("advanced", (2, 3, 5), "greedy"),
        tiny("advanced", (4, 4, 9), "random"),
        tiny("advanced", (1, 6, 7), "random", zero_rule="strict", final="lowest"),
        tiny("advanced", (3, 5, 8), "greedy", zero_rule="split", final="total"),
        tiny("advanced", (2, 6, 6), "greedy", idle_dice=True, final="highest"),
        tiny("expert", (2, 3, 5), "greedy"),
        tiny("expert", (6, 8, 12), "greedy", bonus_ban="any", double_stores="face"),
        tiny("expert", (1, 4, 7), "greedy", double_optional=True, double_stores="barred", final="lowest"),
        tiny("expert", (5, 10, 2), "greedy", bonus_source="any", zero_rule="split"),
        tiny("expert", (3, 6, 11), "greedy", zero_rule="strict", final="total"),
    ]


def _set_ups() -> list[Trial]:
    return [
        set_up("beginner", (0, 0, 0), "greedy"),
        set_up("beginner", (1, 0, 2, 0, 6, 0), "random"),
        set_up("intermediate", (0, 0, 0), "greedy"),
        set_up("intermediate", (0, 2, 0), "greedy", setup="variation"),
        set_up("intermediate", (0, 7, 0), "random", setup="variation"),
    ]


def _races() -> list[Trial]:
    return [
        race("beginner", (2, 3, 5), ["greedy", "random"]),
        race("beginner", (6, 6, 1), ["random", "greedy"], final="total"),
        race("beginner", (1, 4, 4), ["greedy", "random", "random"]),
        race("intermediate", (5, 6, 9), ["random", "greedy"]),
    ]
