"""The long exact computations (see `jobs`): sheet atlas, layouts, advanced sheets, the expert bracket, the panel."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

from sim.games.caterpillars.exact.advanced import BonusSolution
from sim.games.caterpillars.exact.atlas import atlas_arrays
from sim.games.caterpillars.exact.bracket import LOWER, UPPER, bound
from sim.games.caterpillars.exact.moves import storable
from sim.games.caterpillars.exact.whole import solve_whole
from sim.games.caterpillars.rules import CaterpillarsRules
from sim.verify import layouts as sheets
from sim.verify import panel as panels
from sim.verify.jobs import Job, Room, Rows

SEED = 20
#: sampled set-ups for each layout
SHEETS = 8
#: advanced sheets, and positions of each that are told beside the empty sheet
ADVANCED = 2
POSITIONS = 12
#: the labelled sheet of the full bracket: a set-up of the default sheet whose many equal labels make it the cheapest
#: (60 million positions a table; sheets without equal labels have 482 million)
FULL = (1, 6, 6, 6, 2, 5, 5, 5, 1, 6, 1, 1)
GRIDS = {"lower": LOWER, "upper": UPPER}
#: small sheets, whose exact value is known beside the bracket
SMALL = ((3, 6, 5), (1, 6, 2, 5, 1, 6))


def _rules(**given: Any) -> CaterpillarsRules:
    rules = CaterpillarsRules.parse(given)
    assert isinstance(rules, CaterpillarsRules)
    return rules


def atlas() -> Job:
    """Every labelling of the default sheet at beginner."""

    def task(room: Room) -> Rows:
        arrays = atlas_arrays(solve_whole({"level": "beginner"}, room.workers))
        columns = {name: array.tolist() for name, array in arrays.items()}
        return {"atlas": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]}

    return Job("atlas", "what every labelling is worth", ("atlas",), _rules(level="beginner"), {"beginner": task})


def layouts() -> Job:
    """How far results depend on the printed layout."""

    def task(layout: sheets.Layout, kind: str, room: Room) -> Rows:
        return sheets.solve_layout(layout, kind, SHEETS, SEED, room.workers)

    tasks = {
        f"{kind} {i}": partial(task, layout, kind)
        for kind, found in (("even", sheets.even()), ("uneven", sheets.uneven()))
        for i, layout in enumerate(found)
    }
    facts = {"seed": SEED, "sheets": SHEETS, "placer": sheets.PLACER}
    tables = ("layouts", "layout_sheets")
    return Job("layouts", "how far results depend on the layout", tables, _rules(level="beginner"), tasks, facts)


def _positions(rules: CaterpillarsRules, labels: tuple[int, ...], rng: random.Random) -> list[dict[str, list[int]]]:
    """Positions with four boxes filled, as play can bring them."""
    found = []
    for _ in range(POSITIONS):
        filled = [0] * 12
        for box in rng.sample(range(12), 4):
            filled[box] = 1
        totals = [sum(rng.choice((0, 5, 6, 7, 8, 9)) for b in range(4 * c, 4 * c + 4) if filled[b]) for c in range(3)]
        bonus = [rng.choice((0, rng.choice(storable(rules)))) for _ in range(3)]
        found.append({"filled": filled, "totals": totals, "bonus": bonus})
    return found


def _text(numbers: Any) -> str:
    return " ".join(map(str, numbers))


def advanced() -> Job:
    """Whole sheets at advanced."""
    rules = _rules(level="advanced")

    def task(game: int, room: Room) -> Rows:
        labels = sheets.labels_of(rules.printed, "standard", SEED, game)
        solution = BonusSolution(rules, labels, room.workers)
        solution.solve(room.progress(), room.folder, room.limit)
        empty = {"filled": [0] * 12, "totals": [0] * 3, "bonus": [0] * 3}
        rows = []
        for place in [empty, *_positions(rules, labels, random.Random(f"positions {game}"))]:
            told = {name: _text(numbers) for name, numbers in place.items()}
            value = solution.value_kept([x == 1 for x in place["filled"]], place["totals"], place["bonus"])
            rows.append({"labels": _text(labels), **told, "value": value, "error_bound": solution.error_bound})
        return {"advanced": rows}

    tasks = {f"sheet {game}": partial(task, game) for game in range(ADVANCED)}
    facts = {"seed": SEED, "placer": sheets.PLACER}
    return Job("advanced", "what whole sheets are worth at advanced", ("advanced",), rules, tasks, facts)


def bracket() -> Job:
    """Bounds for expert sheets, beside the exact value where the sheet is small."""

    def task(labels: tuple[int, ...], side: str, room: Room) -> Rows:
        rules = _rules(level="expert", boxes=len(labels) // 3, sheet=list(labels))
        row: dict[str, Any] = {"labels": _text(labels), "boxes": rules.boxes, "side": side}
        if side == "exact":
            solution = BonusSolution(rules, labels, room.workers)
            solved = solution.solve(room.progress(), room.folder, room.limit)
            return {"bracket": [row | {"value": solution.value, "grid": "", "positions": float(solved.states)}]}
        found = bound(
            rules, labels, side, GRIDS[side],
            workers=room.workers, progress=room.progress(), checkpoint=room.folder, limit=room.limit,
        )  # fmt: skip
        return {
            "bracket": [row | {"value": found.value, "grid": _text(found.grid), "positions": float(found.positions)}]
        }

    tasks = {
        f"{_text(labels)} {side}": partial(task, labels, side)
        for labels in (*SMALL, FULL)
        for side in ("lower", "exact", "upper")
        if side != "exact" or labels in SMALL
    }
    facts = {side: list(grid) for side, grid in GRIDS.items()}
    return Job("bracket", "between which bounds expert is", ("bracket",), _rules(level="expert"), tasks, facts)


def panel() -> Job:
    """The sheets on which policies are measured."""

    def task(sheet: panels.Sheet, room: Room) -> Rows:
        return {"panel": [panels.row(sheet, room.workers)]}

    tasks = {f"{sheet.level} {sheet.game}": partial(task, sheet) for sheet in panels.every()}
    facts = {"seed": panels.SEED, "placements": list(panels.PLACEMENTS), "standard": panels.STANDARD}
    return Job("panel", "what policies are measured against", ("panel",), _rules(level="beginner"), tasks, facts)
