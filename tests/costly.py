"""Policies that think for long, and settings at which a test of everything can afford them."""

from __future__ import annotations

from typing import Any

from sim.engine.jit import COMPILED
from sim.games.base import Policy

#: game → policy → the parameter that decides how long it thinks
EFFORT: dict[str, dict[str, str]] = {"parlett": {"search": "continuations"}}
LITTLE = 20 if COMPILED else 4


def affordable(game: str, policy: str, **values: Any) -> dict[str, Any]:
    """A policy with its defaults, but little effort, and with the parameters given."""
    effort = EFFORT.get(game, {}).get(policy)
    return {"id": policy, **({effort: LITTLE} if effort else {}), **values}


def effort(game: str, policy: Policy) -> float:
    """How long a policy thinks, as a multiple of what a test can afford; 1 for policies that do not search."""
    name = EFFORT.get(game, {}).get(policy.id)
    return float(policy.parameters()[name]) / LITTLE if name else 1.0
