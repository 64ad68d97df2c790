"""`sim.solve("caterpillars", …, policies=[…])`: what a policy makes of a labelled sheet, and what it loses, exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.errors import InputError, whole_number
from sim.games.base import NO_RESTRICTION, Policy, RulesModel
from sim.games.caterpillars.exact.policy import Spot, follow
from sim.games.caterpillars.exact.regret import Regret
from sim.games.caterpillars.exact.solution import check_position, numbers
from sim.games.caterpillars.policies import OPTIMAL, POLICIES, ROLLOUT
from sim.games.caterpillars.rules import MAX_LABEL, CaterpillarsRules

if TYPE_CHECKING:
    import polars as pl

#: what can be followed, for errors
_FOLLOWED = ", ".join(
    info.id for info in POLICIES.entries.values() if info.number not in (OPTIMAL, ROLLOUT) and info.code is None
)


class PolicySolution:
    """What a policy makes of one labelled sheet, exactly, from its first round or from a position.

    Attributes
    ----------
    rules, labels, policy
    pmf : float64[max_score + 1]
        Probability of each end total.
    value : float
        Expected end total, in points.
    error_bound : float
        Proven bound on ``|value − truth|``.
    """

    def __init__(
        self, rules: CaterpillarsRules, labels: Sequence[int], policy: Policy, spot: Spot, workers: int = 2
    ) -> None:
        self.rules = rules
        self.labels = numbers("labels", labels, rules.rounds, 1, MAX_LABEL)
        self.policy = policy
        self._spot = spot
        self._workers = whole_number("workers", workers, 1)
        found = follow(self.labels, rules, policy, spot)
        self.pmf = found.pmf
        self.value = float(self.pmf @ np.arange(self.pmf.size))
        self.error_bound = (found.error + self.pmf.size * 2.0**-53) * rules.max_score

    @cached_property
    def _regret(self) -> Regret:
        return Regret(self.rules, self.labels, self.policy, self._spot, self._workers)

    @cached_property
    def regret(self) -> pl.DataFrame:
        """Expected loss against optimal play by round and kind of decision; `regret` (the module) defines it.

        Solved when first asked for: optimal play, and a second pass along the policy.

        Returns
        -------
        polars.DataFrame
            ``round`` (1, 2, …), ``kind`` (bonus, split, box, zero; bonus at the levels that have it), ``points``.
        """
        return self._regret.frame()

    @property
    def regret_total(self) -> float:
        """Sum of `regret`: expected end total of optimal play less `value`, in points."""
        return float(self._regret.lost.sum())

    @property
    def regret_error_bound(self) -> float:
        """Proven bound on the error of each entry of `regret`, and of `regret_total`."""
        return self._regret.error_bound

    @property
    def optimal_value(self) -> float:
        """Expected end total under optimal play."""
        return self._regret.optimal

    def regret_answer(self) -> dict[str, Any]:
        """Regret as plain data: ``optimal`` (value), ``total``, ``error_bound``, ``table`` (the rows of `regret`)."""
        return {
            "optimal": float(self.optimal_value),
            "total": self.regret_total,
            "error_bound": self.regret_error_bound,
            "table": self.regret.to_dicts(),
        }


def solve_policy(
    rules: Mapping[str, Any] | str | RulesModel | None,
    labels: Sequence[int],
    policy: str | Mapping[str, Any] | Policy,
    *,
    filled: Sequence[bool] | None = None,
    totals: Sequence[int] = (0, 0, 0),
    bonus: Sequence[int] = (0, 0, 0),
    workers: int = 2,
) -> PolicySolution:
    """Evaluate a registered policy on one labelled sheet; see `PolicySolution`.

    Parameters
    ----------
    filled, totals, bonus : optional
        A position before a roll: which boxes are filled, the sum of each caterpillar's scores, what the bonus boxes
        hold. Left out: an empty sheet.
    workers : int
        Threads for optimal play.

    Raises
    ------
    SimError
        In one line: what was given, what is accepted.
    """
    parsed = CaterpillarsRules.parse(rules)
    assert isinstance(parsed, CaterpillarsRules)
    chosen = POLICIES.parse(policy)
    if chosen.info.number == OPTIMAL:
        raise InputError("policy optimal is solved without policies: it loses nothing; accepted: every other policy")
    if chosen.info.number == ROLLOUT:
        raise InputError(f"policy {chosen.id} rolls dice in thought; accepted: policies that do not, {_FOLLOWED}")
    if chosen.restriction != NO_RESTRICTION:
        raise InputError(f"policy {chosen.text()} is restricted; accepted: policies without restrict")
    if chosen.info.code is not None:
        raise InputError(f"policy {chosen.id} is one's own; accepted: built-in policies, {_FOLLOWED}")
    spot = Spot(*check_position(parsed, [False] * parsed.rounds if filled is None else filled, totals, bonus))
    return PolicySolution(parsed, labels, chosen, spot, workers)
