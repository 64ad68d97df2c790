"""Scenarios to play side by side: those linked by comparisons, so that every side is played once."""

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
    """Split cells into groups of at most `largest`, in the order of the plan; linked cells stay together."""
    parent: dict[str, str] = {}

    def root(id: str) -> str:
        while parent.setdefault(id, id) != id:
            id = parent[id]
        return id

    for cell in cells:
        for pair in cell.pairs:
            if pair.against is not None:
                parent[root(pair.against.id)] = root(cell.id)
    gathered: dict[str, list[Cell]] = {}
    for cell in cells:
        gathered.setdefault(root(cell.id), []).append(cell)
    result = []
    for members in gathered.values():
        for at in range(0, len(members), largest):
            part = members[at : at + largest]
            others = {p.against.id: p.against for cell in part for p in cell.pairs if p.against is not None}
            result.append(Group(part, others))
    return result
