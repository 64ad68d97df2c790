"""Best chances of reaching a number of points on one labelled sheet, for every number at once.

For each m the objective is the chance that the end total is at least m: a player who plays for m alone. All m are
solved side by side, as lanes of one backward induction. ``Σ_{m ≥ 1} chances[m]`` is an upper bound on the expected end
total of any play, for nobody can play for all thresholds together.
"""

from __future__ import annotations

import numpy as np

from sim.games.caterpillars.exact.sheet import Sheet
from sim.games.caterpillars.exact.values import layer_values
from sim.games.caterpillars.rules import CaterpillarsRules

#: room for the values of two neighbouring layers, in bytes; more thresholds than fit are solved in several goes
ROOM = 1 << 30


def best_chances(sheet: Sheet, rules: CaterpillarsRules, workers: int = 2) -> np.ndarray:
    """Best chance of an end total of at least m, for m = 0 … max_score: float64[max_score + 1]."""
    most = rules.max_score
    chances = np.ones(most + 1)
    two = max(a + b for a, b in zip(sheet.sizes[:-1], sheet.sizes[1:], strict=True))
    lanes = max(1, min(most, ROOM // (8 * two)))
    for low in range(1, most + 1, lanes):
        wanted = np.arange(low, min(low + lanes, most + 1))
        utility = (np.arange(most + 1) >= wanted[:, None]).astype(np.float64)
        for layer, values in layer_values(sheet, rules, utility, workers):
            if layer == 0:
                chances[wanted] = values
    return chances
