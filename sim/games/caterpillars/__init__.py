"""Caterpillars (*Raupen*): a roll-and-write with dice for one or more players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sim.errors import InputError, PolicyError, unknown
from sim.games.base import Field, Game, Playable, Policy, RulesModel
from sim.games.caterpillars import trace as _trace
from sim.games.caterpillars.kernel import KERNEL_VERSION, CaterpillarsPlayable, result_fields
from sim.games.caterpillars.outcomes import outcomes
from sim.games.caterpillars.policies import POLICIES
from sim.games.caterpillars.rules import CaterpillarsRules

MAX_SEATS = 1000


class CaterpillarsGame(Game):
    """Caterpillars, as the laboratory sees it."""

    name = "caterpillars"
    title = "Caterpillars"
    kernel_version = KERNEL_VERSION
    rules_type = CaterpillarsRules
    policies = POLICIES
    headline = ("score", "win")
    example = ("planner", "greedy")

    def check_seats(self, rules: RulesModel, seats: int) -> None:
        if not 1 <= seats <= MAX_SEATS:
            raise PolicyError(f"{seats} policies were given for caterpillars; accepted: one per seat, 1 to {MAX_SEATS}")

    def fields(self, rules: RulesModel, seats: int) -> tuple[Field, ...]:
        assert isinstance(rules, CaterpillarsRules)
        return result_fields(rules, seats)

    def compile(self, rules: RulesModel, policies: Sequence[Policy]) -> Playable:
        assert isinstance(rules, CaterpillarsRules)
        return CaterpillarsPlayable(rules, policies)

    def trace(self, rules: RulesModel, policies: Sequence[Policy], seed: int, game: int) -> dict[str, Any]:
        assert isinstance(rules, CaterpillarsRules)
        return _trace.trace(rules, policies, seed, game)

    def solve(
        self,
        rules: Mapping[str, Any] | str | RulesModel | None = None,
        policies: Sequence[str | Mapping[str, Any] | Policy] | None = None,
        **position: Any,
    ) -> Any:
        from sim.games.caterpillars.exact.solution import solve_policy, solve_sheet
        from sim.games.caterpillars.exact.whole import solve_whole

        sheet = "labels" in position
        known = ["labels", "utility", "workers"] if sheet else ["labels", "memory", "workers"]
        unknown_names = sorted(set(position) - set(known))
        if unknown_names:
            raise InputError(unknown("argument of solve for caterpillars", unknown_names[0], known))
        if policies is None:
            return solve_sheet(rules, **position) if sheet else solve_whole(rules, **position)
        if not sheet:
            raise InputError("policies were given without labels; accepted: one labelled sheet, labels=[…]")
        if not isinstance(policies, str) and len(policies) != 1:
            raise InputError(f"{len(policies)} policies were given; accepted: one (players do not interact)")
        return solve_policy(rules, position["labels"], policies if isinstance(policies, str) else policies[0])

    def answer(self, solved: Any, pmf: bool = True) -> dict[str, Any]:
        from sim.games.caterpillars.exact import answer

        return answer.answer(solved, pmf)

    def tell_answer(self, answer: Mapping[str, Any]) -> str:
        from sim.games.caterpillars.exact.answer import tell

        return tell(answer)

    def tell(self, trace: Mapping[str, Any]) -> str:
        return _trace.tell(trace)


GAME = CaterpillarsGame()

__all__ = ["GAME", "CaterpillarsRules", "outcomes"]
