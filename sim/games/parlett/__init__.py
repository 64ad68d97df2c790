"""Parlett's Caterpillar (*Court Short*): a card game for two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sim.engine.slot import slot_arguments
from sim.errors import InputError, PolicyError, unknown
from sim.games.base import Field, Game, Policy, RulesModel, Watched
from sim.games.parlett import trace as _trace
from sim.games.parlett.kernel import KERNEL_VERSION, SLOTS, ParlettPlayable, result_fields
from sim.games.parlett.luck.playable import LuckyPlayable
from sim.games.parlett.policies import POLICIES
from sim.games.parlett.rounds import ParlettRecorder, round_fields
from sim.games.parlett.rules import ParlettRules

#: what describes a position with all cards known
SOLVE_ARGUMENTS = ("hands", "stock", "suit", "total", "previous", "running", "mover")

#: value functions to take luck out with
VALUES = ("auto", "fitted")


class ParlettGame(Game):
    """Parlett's Caterpillar, as the laboratory sees it."""

    name = "parlett"
    title = "Parlett's Caterpillar"
    kernel_version = KERNEL_VERSION
    rules_type = ParlettRules
    policies = POLICIES
    slots = slot_arguments(SLOTS)
    headline = ("score", "win")
    adjustable = ("score", "win")
    example = ("planner", "greedy")

    def check_seats(self, rules: RulesModel, seats: int) -> None:
        if seats != 2:
            given = "1 policy was" if seats == 1 else f"{seats} policies were"
            raise PolicyError(f"{given} given for parlett; accepted: 2, because the card game is for two players")

    def fields(self, rules: RulesModel, seats: int) -> tuple[Field, ...]:
        assert isinstance(rules, ParlettRules)
        return result_fields(rules)

    def compile(self, rules: RulesModel, policies: Sequence[Policy]) -> ParlettPlayable:
        assert isinstance(rules, ParlettRules)
        return ParlettPlayable(rules, policies)

    def luck(
        self, rules: RulesModel, policies: Sequence[Policy], value: str = "auto", outcome: str | None = None
    ) -> LuckyPlayable:
        assert isinstance(rules, ParlettRules)
        if value not in VALUES:
            raise InputError(unknown("value", value, VALUES))
        return LuckyPlayable(rules, policies, outcome or self.adjustable[0])

    def watched(self, rules: RulesModel, policies: Sequence[Policy], playouts: int | None = None) -> Watched:
        from sim.games.parlett.winning import SLOW, WatchedPlayable

        assert isinstance(rules, ParlettRules)
        for policy in policies:
            if policy.info.number in SLOW:
                raise InputError(
                    f"chances of winning were asked for with policy {policy.id}; accepted: policies that do not play "
                    f"on in thought themselves"
                )
        watched = WatchedPlayable(rules, policies)
        watched.playouts = watched.playouts if playouts is None else playouts
        return watched

    def trace(self, rules: RulesModel, policies: Sequence[Policy], seed: int, game: int) -> dict[str, Any]:
        assert isinstance(rules, ParlettRules)
        return _trace.trace(rules, policies, seed, game)

    def round_fields(self, rules: RulesModel, seats: int, regret: bool = False) -> tuple[Field, ...]:
        assert isinstance(rules, ParlettRules)
        return round_fields(rules)

    def rows_per_game(self, rules: RulesModel, seats: int) -> int:
        assert isinstance(rules, ParlettRules)
        return rules.deals * rules.plays

    def recorder(self, rules: RulesModel, policies: Sequence[Policy], regret: bool = False) -> ParlettRecorder:
        assert isinstance(rules, ParlettRules)
        if regret:
            self.check_regret(rules)
        return ParlettRecorder(self.compile(rules, policies))

    def solve(
        self,
        rules: Mapping[str, Any] | str | RulesModel | None = None,
        policies: Sequence[str | Mapping[str, Any] | Policy] | None = None,
        **position: Any,
    ) -> Any:
        from sim.games.parlett.exact.solution import solve_position

        for name in position:
            if name not in SOLVE_ARGUMENTS:
                raise InputError(unknown("argument of solve for parlett", name, SOLVE_ARGUMENTS))
        if policies is not None:
            raise InputError("policies were given; accepted: open-hands optimal play (leave policies out)")
        for name in ("hands", "stock"):
            if name not in position:
                raise InputError(f"{name} was not given; accepted: a position, {', '.join(SOLVE_ARGUMENTS)}")
        return solve_position(rules, **position)  # type: ignore[arg-type]

    def answer(self, solved: Any, pmf: bool | None = None) -> dict[str, Any]:
        from sim.games.parlett.exact import answer

        return answer.answer(solved)

    def tell_answer(self, answer: Mapping[str, Any]) -> str:
        from sim.games.parlett.exact.answer import tell

        return tell(answer)

    def tell(self, trace: Mapping[str, Any]) -> str:
        return _trace.tell(trace)


GAME = ParlettGame()

__all__ = ["GAME", "ParlettRules"]
