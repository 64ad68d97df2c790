"""The two tables of rows that a sweep can keep, as its jobs and streams see them: columns, sizes, provenance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sim.games.base import Scenario
from sim.store.provenance import Provenance
from sim.store.schema import Column, columns
from sim.sweep import rounds, rows

#: their names
ROW_TABLES = ("games", "rounds")


@dataclass(frozen=True)
class RowKind:
    """A table of rows, as plain data.

    Attributes
    ----------
    table : {"games", "rounds"}
    regret : bool
        Rounds with what each choice lost.
    """

    table: Literal["games", "rounds"] = "games"
    regret: bool = False

    def columns(self, scenario: Scenario) -> tuple[Column, ...]:
        """All columns."""
        if self.table == "rounds":
            return rounds.round_columns(scenario, self.regret)
        return columns("games", scenario.game.fields(scenario.rules, len(scenario.policies)))

    def group_games(self, scenario: Scenario) -> int:
        """Games in one file; it decides which file holds what, so it depends on the scenario alone."""
        return rounds.group_games(scenario) if self.table == "rounds" else rows.group_games(len(scenario.policies))

    def provenance(self, scenario: Scenario, seed: int, first: int, games: int) -> Provenance:
        """What made a file of it."""
        if self.table == "rounds":
            return rounds.provenance_of(scenario, seed, first, games, self.regret)
        return rows.provenance_of(scenario, seed, first, games)
