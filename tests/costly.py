"""Policies that think for long, and settings at which a test of everything can afford them."""

from __future__ import annotations

from typing import Any

from sim.engine.jit import COMPILED
from sim.games.base import Policy

#: game → policy → the settings

CHEAP: dict[str, dict[str, dict[str, float]]] = {
    "parlett": {"search": {"continuations": 20, "exact_left": 3} if COMPILED else {"continuations": 2, "exact_left": 0}}
}


def affordable(game: str, policy: str, **values: Any) -> dict[str, Any]:
    """A policy with its defaults, but little effort, and with the parameters given."""
    return {"id": policy, **CHEAP.get(game, {}).get(policy, {}), **values}


def effort(game: str, policy: Policy) -> float:
    """How long a policy thinks, as a multiple of what a test can afford; at most 1 for policies that do not search."""
    cheap = CHEAP.get(game, {}).get(policy.id)
    if not cheap:
        return 1.0
    now = policy.parameters()
    branching = 4.0 ** (float(now["exact_left"]) - cheap["exact_left"])
    return float(now["continuations"]) / cheap["continuations"] * branching
