"""Karolinchen: a dice race for two to six players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from sim.engine.slot import slot_arguments
from sim.errors import InputError, PolicyError, unknown
from sim.games.base import Field, Game, Policy, RulesModel, Watched
from sim.games.karolinchen import trace as _trace
from sim.games.karolinchen.kernel import KERNEL_VERSION, SLOTS, KarolinchenPlayable, reads_book, result_fields
from sim.games.karolinchen.luck.playable import LuckyPlayable, network_for
from sim.games.karolinchen.perfect import MAX_FRUITS
from sim.games.karolinchen.policies import POLICIES
from sim.games.karolinchen.rounds import USUAL_TURNS, KarolinchenRecorder, round_fields
from sim.games.karolinchen.rules import MAX_SEATS, MIN_SEATS, KarolinchenRules

#: value functions to take luck out with
VALUES = ("auto", "fitted", "race")


class KarolinchenGame(Game):
    """Karolinchen, as the laboratory sees it."""

    name = "karolinchen"
    title = "Karolinchen"
    kernel_version = KERNEL_VERSION
    rules_type = KarolinchenRules
    policies = POLICIES
    slots = slot_arguments(SLOTS)
    headline = ("turns", "win")
    adjustable = ("win",)
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

    def check_policies(self, rules: RulesModel, policies: Sequence[Policy]) -> None:
        assert isinstance(rules, KarolinchenRules)
        if not any(reads_book(p) for p in policies):
            return
        if len(policies) != 2:
            raise PolicyError(
                f"policy optimal was given in a line-up of {len(policies)}; accepted: two seats, for which it has "
                f"exact values to read"
            )
        if rules.total > MAX_FRUITS:
            raise PolicyError(
                f"policy optimal was given for fruits = {list(rules.fruits)}, a sum of {rules.total}; accepted: a sum "
                f"of up to {MAX_FRUITS}, for which it has exact values to read"
            )

    def fields(self, rules: RulesModel, seats: int) -> tuple[Field, ...]:
        assert isinstance(rules, KarolinchenRules)
        return result_fields(rules, seats)

    def compile(self, rules: RulesModel, policies: Sequence[Policy]) -> KarolinchenPlayable:
        assert isinstance(rules, KarolinchenRules)
        self.check_policies(rules, policies)
        book = _book(_decisive(rules).text()) if any(reads_book(p) for p in policies) else None
        return KarolinchenPlayable(rules, policies, book)

    def luck(
        self, rules: RulesModel, policies: Sequence[Policy], value: str = "auto", outcome: str | None = None
    ) -> LuckyPlayable:
        assert isinstance(rules, KarolinchenRules)
        if value not in VALUES:
            raise InputError(unknown("value", value, VALUES))
        if rules.total > MAX_FRUITS:
            raise InputError(
                f"luck was to be taken out for fruits = {list(rules.fruits)}, a sum of {rules.total}; accepted: a sum "
                f"of up to {MAX_FRUITS}"
            )
        self.check_policies(rules, policies)
        book = _book(_decisive(rules).text()) if any(reads_book(p) for p in policies) else None
        network = None if value == "race" else network_for(rules, len(policies))
        if network is None and value == "fitted":
            usual = list(KarolinchenRules().fruits)
            raise InputError(
                f"value = 'fitted' was given with fruits = {list(rules.fruits)}; accepted: fruits = {usual}, for which "
                f"there is a fitted value, or value = 'race'"
            )
        return LuckyPlayable(rules, policies, book, network)

    def watched(self, rules: RulesModel, policies: Sequence[Policy], playouts: int | None = None) -> Watched:
        from sim.games.karolinchen.winning import ExactPlayable, WatchedPlayable

        assert isinstance(rules, KarolinchenRules)
        book = self.compile(rules, policies).book
        if playouts is None and all(reads_book(p) and not p.draws for p in policies):
            return ExactPlayable(rules, policies, book)
        watched = WatchedPlayable(rules, policies, book)
        watched.playouts = watched.playouts if playouts is None else playouts
        return watched

    def trace(self, rules: RulesModel, policies: Sequence[Policy], seed: int, game: int) -> dict[str, Any]:
        assert isinstance(rules, KarolinchenRules)
        return _trace.trace(self.compile(rules, policies), rules, policies, seed, game)

    def round_fields(self, rules: RulesModel, seats: int, regret: bool = False) -> tuple[Field, ...]:
        assert isinstance(rules, KarolinchenRules)
        return round_fields(rules)

    def rows_per_game(self, rules: RulesModel, seats: int) -> int:
        assert isinstance(rules, KarolinchenRules)
        return min(USUAL_TURNS, rules.max_turns)

    def recorder(self, rules: RulesModel, policies: Sequence[Policy], regret: bool = False) -> KarolinchenRecorder:
        assert isinstance(rules, KarolinchenRules)
        if regret:
            self.check_regret(rules)
        return KarolinchenRecorder(self.compile(rules, policies), rules)

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


def _decisive(rules: KarolinchenRules) -> KarolinchenRules:
    """The rules that values of positions depend on: neither the opening roll nor the cap on turns is among them."""
    idle = {"opening", "max_turns", *rules.without_effect()}
    return rules.model_copy(update={name: KarolinchenRules.model_fields[name].default for name in idle})


@lru_cache(maxsize=8)
def _book(rules_text: str) -> np.ndarray:
    """Exact values of all positions of two (3.6 MB for the published game), kept as scenarios are compiled again."""
    from sim.games.karolinchen.exact.solution import RaceSolution, line_up_of

    rules = KarolinchenRules.model_validate_json(rules_text)
    return RaceSolution(rules, line_up_of(["optimal", "optimal"]), workers=2).kernel_table()


GAME = KarolinchenGame()

__all__ = ["GAME", "KarolinchenRules"]
