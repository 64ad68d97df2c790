"""The panel: 24 labelled sheets per level with their exact values, on which the strength of policies is measured.

Sheets come from set-ups as players have them: the default sheet with its printed numbers, the set-up dice of games
0, 1, …, 23 of one seed, labels placed in five ways in turn. Games 0 to 15 have the standard set-up, 16 to 23 the
variation, with labels up to 12. Beginner has no variation; its last eight sheets are labelled as if it had.

At beginner and intermediate the sheets are whole. At advanced and expert two boxes of each caterpillar are kept, drawn
at random, so that every sheet can be solved within seconds or minutes.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sim import games as registry
from sim.games.caterpillars.exact.advanced import BonusSolution
from sim.games.caterpillars.exact.solution import SheetSolution
from sim.games.caterpillars.rules import LEVELS, CaterpillarsRules

SEED = 24
#: sheets of a level, and how many of them have the standard set-up
SHEETS = 24
STANDARD = 16
#: how labels are placed, in turn
PLACEMENTS = ("spread", "random", "lowest", "double", "odds")
#: boxes per caterpillar
BOXES = {"beginner": 4, "intermediate": 4, "advanced": 2, "expert": 2}


@dataclass(frozen=True)
class Sheet:
    """One sheet of the panel.

    Attributes
    ----------
    level : str
    game : int
        Game index of the set-up dice.
    setup, placement : str
        How it was labelled.
    labels : tuple of int
    """

    level: str
    game: int
    setup: str
    placement: str
    labels: tuple[int, ...]

    @property
    def rules(self) -> CaterpillarsRules:
        """Rules under which the sheet is played: no blanks are left."""
        return parsed({"level": self.level, "boxes": BOXES[self.level], "sheet": list(self.labels)})


def parsed(rules: dict[str, Any]) -> CaterpillarsRules:
    """Rules over the defaults."""
    out = CaterpillarsRules.parse(rules)
    assert isinstance(out, CaterpillarsRules)
    return out


def kept_boxes(labels: tuple[int, ...], boxes: int, game: int) -> tuple[int, ...]:
    """Labels of `boxes` boxes of each caterpillar, drawn at random, in their order."""
    rng = random.Random(f"panel boxes {game}")
    return tuple(labels[4 * c + b] for c in range(3) for b in sorted(rng.sample(range(4), boxes)))


def sheets(level: str) -> list[Sheet]:
    """The panel of one level."""
    room = registry.get("caterpillars")
    found = []
    for game in range(SHEETS):
        setup = "standard" if game < STANDARD else "variation"
        placement = PLACEMENTS[game % len(PLACEMENTS)]
        # set-up dice and placement are the same at every level that has three dice
        scenario = room.scenario({"level": "intermediate", "setup": setup}, [f"random(placement={placement})"])
        labels = tuple(room.trace(scenario.rules, scenario.policies, SEED, game)["seats"][0]["labels"])
        found.append(Sheet(level, game, setup, placement, kept_boxes(labels, BOXES[level], game)))
    return found


def solved(sheet: Sheet, workers: int = 2) -> tuple[float, float]:
    """Expected end total under optimal play, and the bound on its error."""
    rules = sheet.rules
    solution = (BonusSolution if rules.has_bonus else SheetSolution)(rules, sheet.labels, workers)
    return solution.value, solution.error_bound


def row(sheet: Sheet, workers: int = 2) -> dict[str, Any]:
    """A row of table ``panel``."""
    value, bound = solved(sheet, workers)
    return {
        "level": sheet.level,
        "game": sheet.game,
        "setup": sheet.setup,
        "placement": sheet.placement,
        "boxes": BOXES[sheet.level],
        "labels": " ".join(map(str, sheet.labels)),
        "value": value,
        "error_bound": bound,
    }


def every() -> Iterable[Sheet]:
    """All sheets, level by level."""
    return (sheet for level in LEVELS for sheet in sheets(level))
