"""What is compared: a trial is one scenario that can be played and whose results are known exactly.

A game's list of trials is a function ``trials()`` in a module of its own here; `all_trials` joins them. A new exact
answer joins the verification as one more `Trial` in such a list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sim import games as registry
from sim.games.base import Scenario
from sim.stats import Exact

DISTRIBUTION, MEAN, SHARE = "distribution", "mean", "share"


@dataclass(frozen=True)
class Quantity:
    """One column of one seat, compared in one or more ways.

    Attributes
    ----------
    told : str
        What it is, in words.
    column : str
        A result column of the game.
    seat : int
    exact : callable
        The exact distribution, from what the trial's `solve` returned.
    ways : sequence of str
        Any of ``distribution``, ``mean`` and ``share``.
    event : callable, optional
        Turns a value into whether something happened; the exact distribution is then that of False (0) and True (1).
    """

    told: str
    column: str
    seat: int
    exact: Callable[[Any], Exact]
    ways: Sequence[str] = (DISTRIBUTION, MEAN)
    event: Callable[[float], bool] | None = None


@dataclass(frozen=True)
class Trial:
    """One scenario and what is known of it.

    Attributes
    ----------
    game : str
    topic : str
        What it looks at, in two or three words: trials of one topic stand together in tables and figures.
    rules : mapping
        Parameters over the defaults.
    policies : sequence of str
    solve : callable
        Makes the exact answer; called once, without arguments.
    quantities : sequence of Quantity
    share : float
        Games as a multiple of those asked for.
    """

    game: str
    topic: str
    rules: Mapping[str, Any]
    policies: Sequence[str]
    solve: Callable[[], Any]
    quantities: Sequence[Quantity]
    share: float = 1.0

    @cached_property
    def scenario(self) -> Scenario:
        return registry.get(self.game).scenario(dict(self.rules), list(self.policies))

    @property
    def told(self) -> str:
        """The scenario in words: what differs from the defaults, then who plays."""
        rules = ", ".join(f"{key} {_plain(value)}" for key, value in self.rules.items()) or "default rules"
        return f"{rules}; {' v '.join(self.policies)}"

    @property
    def checks(self) -> int:
        """How many comparisons this trial makes."""
        return sum(len(q.ways) for q in self.quantities)


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def all_trials() -> list[Trial]:
    """Every trial of every game, in a fixed order."""
    from sim.verify import caterpillars, karolinchen, parlett

    return [*caterpillars.trials(), *karolinchen.trials(), *parlett.trials()]
