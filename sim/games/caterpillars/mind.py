"""What policies think with: a `Mind`, which holds the networks, the rules, and memory to think in, and the judgement of
options that all of them begin with.

No game is handed to it: what they think about is what they see, and their dice are their own.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sim.engine.jit import jit
from sim.games.base import PARAMETERS
from sim.games.caterpillars.outcomes import rules_record, tables
from sim.games.caterpillars.policies import POLICIES
from sim.games.caterpillars.position import CAPACITY, OTHERS, POSITION, WORK
from sim.games.caterpillars.rules import CaterpillarsRules
from sim.games.caterpillars.value import PREPARED, TIE, UNITS, prepare, value_after
from sim.games.caterpillars.weights import LEFT, MARGIN, margins, weights

#: values of one round that are kept: bonus choices (none, or box and value) × boxes × scores
SCORES = 32
BOXES = 12
_KEPT = (1 + 3 * 12) * BOXES * SCORES
#: worth of an option that is not judged
NEVER = -1e30
#: numbers that are kept of another player, see `rival`
SEEN = 20


class Mind(NamedTuple):
    """What a policy thinks with, for one thread.

    Attributes
    ----------
    net, curve
        The fitted value, see `value`.
    rules, tables
        One record each.
    rolls, chance
        The distinct rolls of the regular dice, and their probabilities.
    prepared, ahead : float64[PREPARED, UNITS]
        Sums for this round and for the next one.
    units : float64[UNITS]
    worth : float64[CAPACITY]
        By option.
    kept, stamp : float64[…], int64[…]
        Values of the next round's outcomes, valid where the stamp is that of the position.
    clock : int64[1]
        The last stamp.
    positions, works
        One record each, for a position that is thought about.
    dice : int64[12]
        Rolls of the rounds to come, in thought.
    margin : float64[LEFT, MARGIN]
        How uncertain differences between two players are, see `rival`.
    seen : float64[OTHERS, SEEN]
        What is expected of the others after this round.
    defaults : float64[policies, PARAMETERS]
        Parameters of policies that are played on with.
    """

    net: np.ndarray
    curve: np.ndarray
    rules: np.ndarray
    tables: np.ndarray
    rolls: np.ndarray
    chance: np.ndarray
    prepared: np.ndarray
    ahead: np.ndarray
    units: np.ndarray
    worth: np.ndarray
    kept: np.ndarray
    stamp: np.ndarray
    clock: np.ndarray
    positions: np.ndarray
    works: np.ndarray
    dice: np.ndarray
    margin: np.ndarray
    seen: np.ndarray
    defaults: np.ndarray


@lru_cache(maxsize=1)
def _defaults() -> np.ndarray:
    built_in = [info for info in POLICIES.entries.values() if info.code is None]
    out = np.zeros((max(info.number for info in built_in) + 1, PARAMETERS))
    for info in built_in:
        out[info.number] = POLICIES.parse(info.id).vector()
    return out


def make_mind(rules: CaterpillarsRules) -> Mind:
    """A mind for one thread, under some rules; the networks are those of the level."""
    return blank_mind(rules, *weights(rules.level), margins(rules.level))


def blank_mind(rules: CaterpillarsRules, net: np.ndarray, curve: np.ndarray, margin: np.ndarray | None = None) -> Mind:
    """A mind with networks at hand."""
    listed = tables(rules)
    count = 6**rules.dice
    _, first, times = np.unique(listed[0].multiset[:count], return_index=True, return_counts=True)
    return Mind(
        net=net,
        curve=curve,
        rules=rules_record(rules),
        tables=listed,
        rolls=first.astype(np.int64),
        chance=times / count,
        prepared=np.zeros((PREPARED, UNITS)),
        ahead=np.zeros((PREPARED, UNITS)),
        units=np.zeros(UNITS),
        worth=np.zeros(CAPACITY),
        kept=np.zeros(_KEPT),
        stamp=np.zeros(_KEPT, np.int64),
        clock=np.zeros(1, np.int64),
        positions=np.zeros(1, POSITION).view(np.recarray),
        works=np.zeros(1, WORK).view(np.recarray),
        dice=np.zeros(12, np.int64),
        margin=np.zeros((LEFT, MARGIN)) if margin is None else margin,
        seen=np.zeros((OTHERS, SEEN)),
        defaults=_defaults(),
    )


@jit
def judge(position, options, n, mind):
    """Fill ``mind.worth`` with the value after each option; of equal box and bonus only the largest score is judged."""
    left = position.rounds - position.round_index - 1
    prepare(mind.net, mind.curve, position, left, mind.prepared)
    for i in range(n):
        if (
            i + 1 < n
            and options[i, 2] == options[i + 1, 2]
            and options[i, 1] == options[i + 1, 1]
            and options[i, 0] == options[i + 1, 0]
        ):
            mind.worth[i] = NEVER
            continue
        mind.worth[i] = value_after(
            mind.net, mind.curve, position, left, mind.prepared, mind.units,
            int(options[i, 0]), int(options[i, 1]), int(options[i, 2]), int(options[i, 3]),
        )  # fmt: skip


@jit
def best_of(worth, n):
    """Index of the largest number; the first among equals."""
    choice = 0
    most = worth[0]
    for i in range(1, n):
        if worth[i] > most + TIE:
            most = worth[i]
            choice = i
    return choice


@jit
def choose_learned(position, options, n, mind):
    """The option with the largest fitted value."""
    judge(position, options, n, mind)
    return best_of(mind.worth, n)
