"""Mean end totals of Caterpillars policies on the same games, and how far each is behind the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim import games as registry
from sim.games.caterpillars.rules import CaterpillarsRules
from sim.league.units import alone, play
from sim.stats import Estimate, Joint


@dataclass(frozen=True)
class Measured:
    """A policy on some games.

    Attributes
    ----------
    policy : str
    mean : Estimate
        Mean end total, in points.
    behind : Estimate
        The first policy's end total minus this one's, on the same dice, in points.
    """

    policy: str
    mean: Estimate
    behind: Estimate


def mean_scores(
    rules: CaterpillarsRules, policies: Sequence[str], seed: int, first: int, games: int, workers: int = 1
) -> Joint:
    """End totals of policies that play alone, on the same games; memory does not grow with the number of games."""
    room = registry.get("caterpillars")
    everybody = alone([room.policies.parse(policy) for policy in policies])
    scores = play(room, rules, everybody, seed=seed, games=games, first_game=first, workers=workers).scores
    assert scores is not None
    return scores


def measure(
    rules: CaterpillarsRules, policies: Sequence[str], seed: int, first: int, games: int, workers: int = 1
) -> list[Measured]:
    """Each policy's mean end total, and how far it is behind the first one on the same dice."""
    scores = mean_scores(rules, policies, seed, first, games, workers)
    registered = registry.get("caterpillars").policies
    each = np.eye(len(policies))
    return [
        Measured(registered.parse(policy).text(), scores.contrast(own), scores.contrast(each[0] - own))
        for policy, own in zip(policies, each, strict=True)
    ]
