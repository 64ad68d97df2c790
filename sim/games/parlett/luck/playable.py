"""Parlett's Caterpillar with rules and policies fixed, played with its luck taken out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim.games.base import Field, Policy
from sim.games.parlett.kernel import ParlettPlayable, Scratch
from sim.games.parlett.luck.fit import Teller, outcomes_of, weights_of
from sim.games.parlett.rules import ParlettRules


class LuckyPlayable(ParlettPlayable):
    """As `ParlettPlayable`, with two rows of doubles for output: an outcome, and the same less its luck.

    Parameters
    ----------
    rules, policies
        Of the games.
    outcome : str
        ``score`` or ``win``.
    """

    dtype = np.float64

    def __init__(self, rules: ParlettRules, policies: Sequence[Policy], outcome: str = "score") -> None:
        super().__init__(rules, policies)
        self._teller = Teller(rules, policies)
        self._outcome = outcome
        self._weights = weights_of(rules, policies, outcome)
        unit, told = ("points", "final score") if outcome == "score" else ("share of a win", "share of a win")
        self.fields = (
            Field(outcome, "float64", unit, told, 0, None, "real"),
            Field("adjusted", "float64", unit, f"{told} less the luck of deal and draws", -(2**31), None, "real"),
        )

    def scratch(self) -> Scratch:
        return self._teller.scratch()

    def play(self, seed: int, first: int, games: int, out: np.ndarray, scratch: Any, record: bool = False) -> None:
        """Play games `first` … `first + games − 1` into `out`, float64[2, games × 2]."""
        centre, width, weights = self._weights
        results, sums, _ = self._teller.tell(seed, first, games, centre, width, scratch)
        out[0] = outcomes_of(results, self._outcome)
        # game by game, so that nothing depends on how games are put together
        luck = np.stack([told.ravel() @ weights for told in sums])
        out[1] = out[0] - luck.ravel()
