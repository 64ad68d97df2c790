"""A registered policy followed forward from a position of one labelled sheet: where its games end, and what they lose.

One pass forward, layer by layer (a layer is a number of filled boxes): the probability of every position (filled boxes
× three totals × bonus boxes) is handed on along what the policy does with every roll. The policy is asked through its
own decision function; the outcomes it chooses from come from this package's generator. A policy must depend on the
sheet only through labels, filled boxes, totals and bonus boxes, as every registered one does.

On the way the pass can hold every decision against optimal values; `regret` says what is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb
from typing import NamedTuple

import numpy as np

from sim.errors import RulesError
from sim.games.base import Policy
from sim.games.caterpillars.exact.choices import Choices, label_odds, list_choices, most_options, tables
from sim.games.caterpillars.exact.push import KINDS, Blocks, Worth, count_ends, make_options, push_policy
from sim.games.caterpillars.exact.stages import FORCED, SPLIT, STRICT
from sim.games.caterpillars.mind import make_mind
from sim.games.caterpillars.position import POSITION
from sim.games.caterpillars.rules import FINALS, CaterpillarsRules
from sim.games.caterpillars.search import THINKERS

#: positions that are followed at most, a bound on time; the published game at intermediate has 64 million
POSITIONS = 1 << 27


@dataclass(frozen=True)
class Spot:
    """A position before a roll: what is filled (per box), three totals, three bonus boxes."""

    filled: tuple[int, ...]
    totals: tuple[int, int, int]
    bonus: tuple[int, int, int]


def lay_out(spot: Spot, labels: Sequence[int], rules: CaterpillarsRules) -> tuple[Blocks, list[np.ndarray], list[int]]:
    """Blocks that follow a spot, those of each layer (int64[k, 3]), and states of each layer in one table."""
    n = rules.boxes
    masks = [sum(1 << b for b in range(n) if spot.filled[c * n + b]) for c in range(3)]
    length = np.zeros((3, 1 << n), np.int64)
    reached: list[list[int]] = []
    for c, done in enumerate(masks):
        reached.append([m for m in range(1 << n) if m & done == done])
        for m in reached[c]:
            length[c, m] = rules.max_entry * (m.bit_count() - done.bit_count()) + 1
    rounds = len(labels) - sum(m.bit_count() for m in masks)
    layers: list[list[tuple[int, int, int]]] = [[] for _ in range(rounds + 1)]
    sizes = [0] * (rounds + 1)
    offset = np.full((1 << n,) * 3, -1, np.int64)
    for a, b, c in product(*reached):
        layer = (a.bit_count() + b.bit_count() + c.bit_count()) - (len(labels) - rounds)
        offset[a, b, c] = sizes[layer]
        sizes[layer] += int(length[0, a] * length[1, b] * length[2, c])
        layers[layer].append((a, b, c))
    zero_rule = {"forced": FORCED, "split": SPLIT, "strict": STRICT}[rules.zero_rule]
    blocks = Blocks(length, offset, np.array(spot.totals, np.int64), np.array(labels, np.int64), zero_rule)
    return blocks, [np.array(x, np.int64) for x in layers], sizes


def empty_sheet(rules: CaterpillarsRules) -> Spot:
    """The spot at which a game starts."""
    return Spot((0,) * rules.rounds, (0, 0, 0), (0, 0, 0))


def positions_after(spot: Spot, rules: CaterpillarsRules) -> int:
    """Number of positions that can follow a spot, or a little more."""
    n = rules.boxes
    sizes = []
    for c in range(3):
        left = n - sum(spot.filled[c * n : c * n + n])
        sizes.append(sum(comb(left, k) * (rules.max_entry * k + 1) for k in range(left + 1)))
    return sizes[0] * sizes[1] * sizes[2] * tables(rules)


def _whole_sheet(rules: CaterpillarsRules, boxes: int) -> int:
    """`positions_after` of an empty sheet with other numbers of boxes."""
    smaller = rules.model_copy(update={"boxes": boxes})
    return positions_after(empty_sheet(smaller), smaller)


class Followed(NamedTuple):
    """What following a policy found.

    Attributes
    ----------
    pmf : float64[max_score + 1]
        Probability of each end total.
    lost : float64[rounds left, 4]
        Expected loss of each round from here, by `KINDS`; zeros where no values were given.
    error : float
        Proven bound on the relative rounding error of every probability, and of sums of probability × loss.
    """

    pmf: np.ndarray
    lost: np.ndarray
    error: float


def follow(
    labels: Sequence[int],
    rules: CaterpillarsRules,
    policy: Policy,
    spot: Spot | None = None,
    worths: Callable[[int], Worth] | None = None,
) -> Followed:
    """Follow `policy` from `spot` (an empty sheet, if left out) to the end of the game.

    Parameters
    ----------
    worths : callable(layer), optional
        Optimal values of the positions with so many boxes filled since the spot.

    Raises
    ------
    RulesError
        If there are too many positions.
    """
    spot = spot or empty_sheet(rules)
    count = positions_after(spot, rules)
    if count > POSITIONS:
        fit = [b for b in range(1, rules.boxes) if _whole_sheet(rules, b) <= POSITIONS]
        sheets = f"a whole sheet with boxes = {' or '.join(map(str, fit))}, or " if fit else ""
        raise RulesError(
            f"{count / 1e6:,.0f} million positions follow at level = {rules.level}, boxes = {rules.boxes}; accepted: "
            f"at most {POSITIONS // 10**6} million, {sheets}a later position (filled, totals, bonus)"
        )
    choices = list_choices(rules)
    blocks, layers, sizes = lay_out(spot, labels, rules)
    fillings = choices.bonus.shape[0]
    chance = np.zeros(fillings * sizes[0])
    chance[int(np.flatnonzero((choices.bonus == spot.bonus).all(axis=1))[0]) * sizes[0]] = 1.0
    pmf = np.zeros(rules.max_score + 1)
    lost = np.zeros((len(layers) - 1, len(KINDS)))
    positions = _position(labels, rules)
    nothing = np.zeros(0, np.int64)
    unknown = Worth(np.zeros(0), nothing, np.zeros(0), np.zeros((0, 0, 0), np.int64), np.zeros((0, 0), np.int64))
    o = make_options(most_options(choices, rules.rounds))
    mind = make_mind(rules) if policy.info.number in THINKERS else None
    for layer, triples in enumerate(layers[:-1]):
        handed = np.zeros(fillings * sizes[layer + 1])
        push_policy(
            chance, sizes[layer], handed, sizes[layer + 1], triples, sum(spot.filled) + layer, blocks, choices,
            unknown if worths is None else worths(layer + 1), policy.info.number, policy.vector(),
            positions, o, mind, lost[layer],
        )  # fmt: skip
        chance = handed
    full = blocks.length[:, -1]
    count_ends(chance, sizes[-1], pmf, full, blocks.base, choices.bonus, FINALS.index(rules.final))
    sums = chance.size + choices.weight.size * fillings * max(map(len, layers))
    return Followed(pmf, lost, _rounding(rules, choices, len(layers) - 1, sums))


def _rounding(rules: CaterpillarsRules, choices: Choices, rounds: int, sums: int) -> float:
    """Bound on the relative error of a probability, and of a sum of so many.

    Everything is positive, so a sum of n terms is off by at most n roundings. The terms that meet in one position come
    from as many others as there are boxes, scores and bonus boxes (or none) that the last round can have filled; by
    each roll.
    """
    before = rules.rounds * (rules.max_entry + 1) * (4 if rules.has_bonus else 1)
    return 1.01 * 2.0**-53 * (rounds * (before * choices.weight.size + 4) + sums)


def _position(labels: Sequence[int], rules: CaterpillarsRules) -> np.ndarray:
    """The record that policies are asked with, as far as it stays the same."""
    positions = np.zeros(1, POSITION).view(np.recarray)
    position = positions[0]
    odds, best = label_odds(rules)
    position.rounds = rules.rounds
    position.boxes = rules.boxes
    position.level = rules.level_index
    position.final = FINALS.index(rules.final)
    position.owner[: rules.rounds] = [b // rules.boxes for b in range(rules.rounds)]
    position.seats = 1
    position.chance[:] = odds
    position.best[:] = best
    position.typical = best[1:7].mean()
    for b, label in enumerate(labels):
        position.labels[b] = label
        position.label_boxes[label] |= 1 << b
    return positions
