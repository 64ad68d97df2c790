"""Scenarios to play side by side: those compared with the same others, so that the other side is played once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.games.base import Playable, Scenario
from sim.sweep.plan import Cell

#: scenarios in one group: bounds memory, and the work between two looks at the clock
LARGEST = 16


@dataclass
class Group:
    """Cells that are played together, and the scenarios they are compared with."""

    cells: list[Cell]
    others: dict[str, Scenario]

    def playables(self) -> dict[str, Playable]:
        """Everything that has to be played, by scenario id, once each."""
        scenarios = {cell.id: cell.scenario for cell in self.cells} | self.others
        return {id: s.game.compile(s.rules, s.policies) for id, s in scenarios.items()}


def groups(cells: Sequence[Cell], largest: int = LARGEST) -> list[Group]:
    """Split cells into groups, in the order of the plan.

    A cell without comparisons to others joins the first group that needs it as the other side.
    """
    targets = [frozenset(p.against.id for p in cell.pairs if p.against is not None) for cell in cells]
    leaders: dict[str, frozenset[str]] = {}
    for wanted in targets:
        for id in wanted:
            leaders.setdefault(id, wanted)
    gathered: dict[object, list[Cell]] = {}
    for cell, wanted in zip(cells, targets, strict=True):
        key: object = wanted or leaders.get(cell.id) or cell.id
        gathered.setdefault(key, []).append(cell)
    result = []
    for members in gathered.values():
        for at in range(0, len(members), largest):
            part = members[at : at + largest]
            others = {p.against.id: p.against for cell in part for p in cell.pairs if p.against is not None}
            result.append(Group(part, others))
    return result
