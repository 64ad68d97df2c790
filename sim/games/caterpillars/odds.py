"""How often a roll can serve a label, and with what score: exact, over all rolls of a level.

Policies use these two numbers per label to judge an empty box. They are computed over all 36, 216 or 1,296 equally
likely rolls with
empty bonus boxes, from the outcome tables.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from sim.games.caterpillars.outcomes import BUTTERFLY, DOUBLE, SLOTS, tables
from sim.games.caterpillars.rules import MAX_LABEL, CaterpillarsRules

_MODE_OF_FACE = (0, 0, 0, DOUBLE, 10, BUTTERFLY)


@cache
def _odds(rules_text: str) -> tuple[np.ndarray, np.ndarray]:
    rules = CaterpillarsRules.model_validate_json(rules_text)
    t = tables(rules)[0]
    hits = np.zeros(MAX_LABEL + 1)
    total = np.zeros(MAX_LABEL + 1)
    faces = _MODE_OF_FACE if rules.has_action else (0,)
    rolls = 6**rules.dice
    multisets, weights = np.unique(t.multiset[:rolls], return_counts=True)
    for mode in faces:
        for m, weight in zip(multisets.tolist(), weights.tolist(), strict=True):
            group = int(t.plain[mode, m])
            for label in range(1, MAX_LABEL + 1):
                start, stop = t.offset[SLOTS * group + label], t.offset[SLOTS * group + label + 1]
                if stop > start:
                    hits[label] += weight
                    total[label] += weight * t.scores[stop - 1]
    mean = np.divide(total, hits, out=np.zeros_like(total), where=hits > 0)
    return hits / (rolls * len(faces)), mean


def odds(rules: CaterpillarsRules) -> tuple[np.ndarray, np.ndarray]:
    """Chance that a roll has an entry for a label, and the mean best score when it has one.

    Returns
    -------
    chance, best : float64[13]
        Indexed by label; label 0 is unused. `chance` is a probability, `best` is in points.
    """
    return _odds(rules.model_dump_json())


def show_level(position: Any, rules: CaterpillarsRules) -> None:
    """Write what is public about a level into the record that policies see: the level, and the odds of labels."""
    chance, best = odds(rules)
    position.level = rules.level_index
    position.chance[:] = chance
    position.best[:] = best
    position.typical = best[1:7].mean()
