"""Karolinchen: a dice race for two to six players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sim.engine.slot import slot_arguments
from sim.errors import InputError, PolicyError, unknown
from sim.games.base import Field, Game, Playable, Policy, RulesModel
from sim.games.karolinchen import trace as _trace
from sim.games.karolinchen.kernel import KERNEL_VERSION, SLOTS, KarolinchenPlayable, result_fields
from sim.games.karolinchen.policies import POLICIES
from sim.games.karolinchen.rules import MAX_SEATS, MIN_SEATS, KarolinchenRules


class KarolinchenGame(Game):
    """Karolinchen, as the laboratory sees it."""

    name = "karolinchen"
    title = "Karolinchen"
    kernel_version = KERNEL_VERSION
    rules_type = KarolinchenRules
    policies = POLICIES
    slots = slot_arguments(SLOTS)
    headline = ("turns", "win")
    example = ("racer", "odds", "match", "random")

    def check_seats(self, rules: RulesModel, seats: int) -> None:
        assert isinstance(rules, KarolinchenRules)
        given = "1 policy was" if seats == 1 else f"{seats} policies were"
        if not MIN_SEATS <= seats <= MAX_SEATS:
            raise PolicyError(
                f"{given} given for karolinchen; accepted: one per seat, {MIN_SEATS} to {MAX_SEATS}, as the game is "
                f"published for {MIN_SEATS} to {MAX_SEATS} players and has {MAX_SEATS} start fruits"
            )
        if rules.start_fruit != "distinct" and len(rules.start_fruit) != seats:
            raise PolicyError(
                f"{given} given for karolinchen with start_fruit = {list(rules.start_fruit)}; accepted: one policy per "
                f"start fruit, {len(rules.start_fruit)}"
            )

    def fields(self, rules: RulesModel, seats: int) -> tuple[Field, ...]:
        assert isinstance(rules, KarolinchenRules)
        return result_fields(rules, seats)

    def compile(self, rules: RulesModel, policies: Sequence[Policy]) -> Playable:
        assert isinstance(rules, KarolinchenRules)
        return KarolinchenPlayable(rules, policies)

    def trace(self, rules: RulesModel, policies: Sequence[Policy], seed: int, game: int) -> dict[str, Any]:
        assert isinstance(rules, KarolinchenRules)
        return _trace.trace(rules, policies, seed, game)

    def solve(
        self,
        rules: Mapping[str, Any] | str | RulesModel | None = None,
        policies: Sequence[str | Mapping[str, Any] | Policy] | None = None,
        **position: Any,
    ) -> Any:
        from sim.games.karolinchen.exact.solution import solve_race

        unknown_names = sorted(set(position) - {"workers"})
        if unknown_names:
            raise InputError(unknown("argument of solve for karolinchen", unknown_names[0], ["workers"]))
        assert rules is None or isinstance(rules, str | Mapping | KarolinchenRules)
        return solve_race(rules, policies, **position)

    def answer(self, solved: Any, pmf: bool | None = None) -> dict[str, Any]:
        from sim.games.karolinchen.exact import answer

        return answer.answer(solved, pmf)

    def tell_answer(self, answer: Mapping[str, Any]) -> str:
        from sim.games.karolinchen.exact.answer import tell

        return tell(answer)

    def tell(self, trace: Mapping[str, Any]) -> str:
        return _trace.tell(trace)


GAME = KarolinchenGame()

__all__ = ["GAME", "KarolinchenRules"]
