"""Caterpillars (*Raupen*): a roll-and-write with dice for one or more players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sim.engine.slot import slot_arguments
from sim.errors import InputError, PolicyError, RulesError, unknown
from sim.games.base import Field, Game, Policy, PolicyParameter, RulesModel, Watched
from sim.games.caterpillars import trace as _trace
from sim.games.caterpillars.kernel import (
    KERNEL_VERSION,
    SLOTS,
    Book,
    CaterpillarsPlayable,
    Plan,
    reads_book,
    reads_plan,
    result_fields,
)
from sim.games.caterpillars.luck.playable import LuckyPlayable
from sim.games.caterpillars.luck.win_playable import LuckyWins
from sim.games.caterpillars.outcomes import outcomes
from sim.games.caterpillars.placement import placement
from sim.games.caterpillars.policies import OPTIMAL, POLICIES, READS_OTHERS
from sim.games.caterpillars.rounds import CaterpillarsRecorder, round_fields
from sim.games.caterpillars.rules import CaterpillarsRules

MAX_SEATS = 1000
#: value functions to take luck out with
VALUES = ("auto", "exact", "fitted")


class CaterpillarsGame(Game):
    """Caterpillars, as the laboratory sees it."""

    name = "caterpillars"
    title = "Caterpillars"
    kernel_version = KERNEL_VERSION
    rules_type = CaterpillarsRules
    policies = POLICIES
    slots = slot_arguments(SLOTS)
    headline = ("score", "win")
    adjustable = ("score", "win")
    example = ("planner", "greedy")
    order = ("score", "box_sum")

    def check_seats(self, rules: RulesModel, seats: int) -> None:
        if not 1 <= seats <= MAX_SEATS:
            raise PolicyError(f"{seats} policies were given for caterpillars; accepted: one per seat, 1 to {MAX_SEATS}")

    def own_parameters(self, functions: Mapping[str, Any]) -> tuple[PolicyParameter, ...]:
        return (placement("own" if {"place", "single"} & set(functions) else "spread"),)

    def fields(self, rules: RulesModel, seats: int) -> tuple[Field, ...]:
        assert isinstance(rules, CaterpillarsRules)
        return result_fields(rules, seats)

    def interacts(self, policy: Policy) -> bool:
        # a user's own policy is shown the others' sheets like any other seat; nobody knows what it does with them
        return policy.info.number in READS_OTHERS or policy.info.code is not None

    def check_policies(self, rules: RulesModel, policies: Sequence[Policy]) -> None:
        assert isinstance(rules, CaterpillarsRules)
        if any(reads_book(p) for p in policies):
            if rules.has_bonus:
                raise PolicyError(
                    f"policy optimal was given at level {rules.level}; accepted: beginner and intermediate, where it "
                    f"has exact values to read"
                )
            if rules.blanks:
                raise PolicyError(
                    f"policy optimal was given for a sheet with {rules.blanks} blanks, "
                    f"{' '.join(map(str, rules.printed))}; accepted: sheet = {rules.rounds} labels from 1 to 12, for "
                    f"which it has exact values to read"
                )
        for policy in policies:
            if reads_plan(policy, rules) and (refused := _no_plan(rules.text())):
                raise PolicyError(f"policy {policy.text()}: {refused}, or another placement")

    def compile(self, rules: RulesModel, policies: Sequence[Policy]) -> CaterpillarsPlayable:
        assert isinstance(rules, CaterpillarsRules)
        self.check_policies(rules, policies)
        book = _book(rules.text()) if any(reads_book(p) for p in policies) else None
        plan = _plan(rules.text()) if any(reads_plan(p, rules) for p in policies) else None
        return CaterpillarsPlayable(rules, policies, book, plan)

    def luck(
        self, rules: RulesModel, policies: Sequence[Policy], value: str = "auto", outcome: str | None = None
    ) -> LuckyPlayable:
        assert isinstance(rules, CaterpillarsRules)
        if value not in VALUES:
            raise InputError(unknown("value", value, VALUES))
        exact = not rules.has_bonus and not rules.blanks
        if value == "exact" and not exact:
            raise InputError(
                f"value exact was given at level {rules.level} with {rules.blanks} blanks; accepted: beginner and "
                f"intermediate, with a sheet of {rules.rounds} labels; or value fitted"
            )
        self.check_policies(rules, policies)
        book = _book(rules.text()) if any(reads_book(p) for p in policies) else None
        plan = _plan(rules.text()) if any(reads_plan(p, rules) for p in policies) else None
        values = _book(rules.text()) if value == "exact" or (value == "auto" and exact) else None
        lucky = LuckyWins if outcome == "win" else LuckyPlayable
        return lucky(rules, policies, book, plan, values)

    def watched(self, rules: RulesModel, policies: Sequence[Policy], playouts: int | None = None) -> Watched:
        from sim.games.caterpillars.winning import MOST_SEATS, SLOW, WatchedPlayable

        assert isinstance(rules, CaterpillarsRules)
        if not 2 <= len(policies) <= MOST_SEATS:
            raise InputError(
                f"chances of winning were asked for with {len(policies)} players; accepted: 2 to {MOST_SEATS}"
            )
        for policy in policies:
            if policy.info.number in SLOW:
                raise InputError(
                    f"chances of winning were asked for with policy {policy.id}; accepted: policies that do not play "
                    f"on in thought themselves"
                )
        plain = self.compile(rules, policies)
        watched = WatchedPlayable(rules, policies, plain.book, plain.plan)
        watched.playouts = watched.playouts if playouts is None else playouts
        return watched

    def trace(self, rules: RulesModel, policies: Sequence[Policy], seed: int, game: int) -> dict[str, Any]:
        return _trace.trace(self.compile(rules, policies), seed, game)

    def round_fields(self, rules: RulesModel, seats: int, regret: bool = False) -> tuple[Field, ...]:
        assert isinstance(rules, CaterpillarsRules)
        return round_fields(rules, regret)

    def rows_per_game(self, rules: RulesModel, seats: int) -> int:
        assert isinstance(rules, CaterpillarsRules)
        return rules.rounds * seats

    def check_regret(self, rules: RulesModel) -> None:
        assert isinstance(rules, CaterpillarsRules)
        if rules.has_bonus or rules.blanks:
            sheet = f"a sheet with {rules.blanks} blanks" if rules.blanks else "a sheet without blanks"
            raise InputError(
                f"regret was asked for at level {rules.level} for {sheet}; accepted: beginner and intermediate, sheet "
                f"= {rules.rounds} labels from 1 to 12, where one table of exact values serves all games"
            )

    def recorder(self, rules: RulesModel, policies: Sequence[Policy], regret: bool = False) -> CaterpillarsRecorder:
        assert isinstance(rules, CaterpillarsRules)
        if regret:
            self.check_regret(rules)
        return CaterpillarsRecorder(self.compile(rules, policies), _book(rules.text()) if regret else None)

    def solve(
        self,
        rules: Mapping[str, Any] | str | RulesModel | None = None,
        policies: Sequence[str | Mapping[str, Any] | Policy] | None = None,
        **position: Any,
    ) -> Any:
        from sim.games.caterpillars.exact.played import solve_policy
        from sim.games.caterpillars.exact.solution import solve_sheet
        from sim.games.caterpillars.exact.whole import solve_whole

        sheet = "labels" in position
        policy = None
        if policies is not None:
            if not sheet:
                raise InputError("policies were given without labels; accepted: one labelled sheet, labels=[…]")
            if not isinstance(policies, str) and len(policies) != 1:
                raise InputError(f"{len(policies)} policies were given; accepted: one (players do not interact)")
            policy = POLICIES.parse(policies if isinstance(policies, str) else policies[0])
            if policy.info.number == OPTIMAL:
                policy = None
        if policy is not None:
            known = ["bonus", "filled", "labels", "totals", "workers"]
        else:
            known = ["labels", "utility", "workers"] if sheet else ["labels", "memory", "workers"]
        unknown_names = sorted(set(position) - set(known))
        if unknown_names:
            raise InputError(unknown("argument of solve for caterpillars", unknown_names[0], known))
        if policy is not None:
            return solve_policy(rules, policy=policy, **position)
        return solve_sheet(rules, **position) if sheet else solve_whole(rules, **position)

    def answer(self, solved: Any, pmf: bool | None = None) -> dict[str, Any]:
        from sim.games.caterpillars.exact import answer

        return answer.answer(solved, pmf)

    def tell_answer(self, answer: Mapping[str, Any]) -> str:
        from sim.games.caterpillars.exact.answer import tell

        return tell(answer)

    def tell(self, trace: Mapping[str, Any]) -> str:
        return _trace.tell(trace)


@lru_cache(maxsize=1)
def _book(rules_text: str) -> Book:
    """Exact values of a labelled sheet; the last one is kept, because one scenario is compiled again and again."""
    from sim.games.caterpillars.exact.solution import SheetSolution

    rules = CaterpillarsRules.model_validate_json(rules_text)
    return SheetSolution(rules, rules.printed).kernel_table()


@lru_cache(maxsize=256)
def _no_plan(rules_text: str) -> str:
    """Why the whole game of some rules has no exact values, in one line; empty if it has."""
    from sim.games.caterpillars.exact.whole import WholeSolution

    try:
        WholeSolution.positions(CaterpillarsRules.model_validate_json(rules_text))
    except RulesError as error:
        return str(error)
    return ""


@lru_cache(maxsize=256)
def _plan(rules_text: str) -> Plan:
    """Exact values of the set-up; small, and long to work out, so all are kept."""
    from sim.games.caterpillars.exact.whole import WholeSolution

    table = WholeSolution(CaterpillarsRules.model_validate_json(rules_text)).placement
    return table.value, table.add


GAME = CaterpillarsGame()

__all__ = ["GAME", "CaterpillarsRules", "outcomes"]
