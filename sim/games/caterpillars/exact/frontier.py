"""Mean against risk on one labelled sheet: what steadier or wilder play costs, exactly.

For a weight λ the objective is ``E[S] − λ E[S²]``, S the end total: λ > 0 shuns large totals and with them spread,
λ < 0 seeks them. The square is a function of the end total, so backward induction with that utility is exact; the play
found is then followed forward, which gives its whole distribution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.errors import InputError
from sim.games.base import Policy, RulesModel
from sim.games.caterpillars.exact.played import solve_policy
from sim.games.caterpillars.exact.solution import SheetSolution
from sim.games.caterpillars.policies import POLICIES
from sim.games.caterpillars.rules import CaterpillarsRules

if TYPE_CHECKING:
    import polars as pl

#: weights that span the frontier of the published game at beginner; 0 is the best mean. ``E[S] − λ E[S²]`` asks for
#: totals near 1 / 2λ, so beyond λ = 0.04 or so it is only worse play that is asked for.
RISKS = (
    -1.0, -0.1, -0.03, -0.01, 0.0, 0.01, 0.015, 0.02, 0.023, 0.025, 0.026, 0.027, 0.028, 0.029, 0.03, 0.031, 0.032,
    0.0335, 0.035, 0.037, 0.04,
)  # fmt: skip


def moments(pmf: np.ndarray) -> tuple[float, float]:
    """Mean and standard deviation of a distribution over end totals 0, 1, …"""
    points = np.arange(pmf.size)
    mean = float(pmf @ points)
    return mean, float(np.sqrt(pmf @ (points - mean) ** 2))


def percentile(pmf: np.ndarray, share: float) -> int:
    """Smallest end total that is reached or stayed below with a chance of at least `share`."""
    return int(np.searchsorted(np.cumsum(pmf), share - 1e-12))


def _row(pmf: np.ndarray, at_least: Sequence[int]) -> dict[str, float]:
    mean, sd = moments(pmf)
    out: dict[str, float] = {"mean": mean, "sd": sd}
    out |= {f"p{share}": percentile(pmf, share / 100) for share in (10, 50, 90)}
    return out | {f"at_least_{m}": float(pmf[m:].sum()) for m in at_least}


def _weights(risks: object) -> list[float]:
    """`risks` as finite numbers, or `InputError`."""
    accepted = "accepted: finite numbers, in a list"
    if isinstance(risks, str):  # "12" is not the weights 1 and 2
        raise InputError(f"risks = {risks!r} is not accepted; {accepted}")
    try:
        out = [float(risk) for risk in risks]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise InputError(f"risks = {risks!r} is not accepted; {accepted}") from None
    for risk in out:
        if not np.isfinite(risk):
            raise InputError(f"risk = {risk} is not accepted; {accepted}")
    return out


def frontier(
    rules: Mapping[str, Any] | str | RulesModel | None,
    labels: Sequence[int],
    risks: Sequence[float] = RISKS,
    at_least: Sequence[int] = (10, 15, 20),
    workers: int = 2,
) -> pl.DataFrame:
    """Optimal play for ``E[S] − λ E[S²]``, one row per λ of `risks`.

    Returns
    -------
    polars.DataFrame
        ``risk`` (λ, per point), ``mean`` and ``sd`` (points), ``objective`` (points), ``p10 p50 p90`` (points),
        ``at_least_<m>`` (chance of m points or more, for each m of `at_least`).

    Raises
    ------
    SimError
        In one line: what was given, what is accepted.
    """
    import polars as pl

    parsed = CaterpillarsRules.parse(rules)
    assert isinstance(parsed, CaterpillarsRules)
    points = np.arange(parsed.max_score + 1)
    rows = []
    for risk in _weights(risks):
        solution = SheetSolution(parsed, labels, workers, utility=points - risk * points**2)
        rows.append({"risk": risk, **_row(solution.pmf, at_least), "objective": solution.value})
    return pl.DataFrame(rows)


def policy_points(
    rules: Mapping[str, Any] | str | RulesModel | None,
    labels: Sequence[int],
    policies: Sequence[str | Mapping[str, Any] | Policy] | str | Mapping[str, Any] | Policy,
    at_least: Sequence[int] = (10, 15, 20),
) -> pl.DataFrame:
    """The same numbers for policies on the same sheet: ``policy`` and the columns of `frontier` but the first and last.

    A single policy is taken as a list of one.

    Returns
    -------
    polars.DataFrame
    """
    import polars as pl

    if isinstance(policies, str | Mapping | Policy):
        policies = [policies]
    rows = []
    for policy in policies:
        solution = solve_policy(rules, labels, policy)
        rows.append({"policy": POLICIES.parse(policy).text(), **_row(solution.pmf, at_least)})
    return pl.DataFrame(rows)
