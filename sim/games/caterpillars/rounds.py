"""Caterpillars round by round: what each seat could do, what it did, and on request what that lost.

The games are those of the kernel with its recording buffer. Their outcomes are replayed on a second sheet to list what
else was legal.
"""

from __future__ import annotations

import numpy as np

from sim.engine.jit import jit
from sim.games.base import Field, Recorder
from sim.games.caterpillars.kernel import (
    BONUS_BOX,
    BONUS_VALUE,
    BOX,
    BOX_SCORE,
    DICE,
    LABEL,
    RECORDED,
    Book,
    CaterpillarsPlayable,
)
from sim.games.caterpillars.outcomes import NO_FACE, list_outcomes, open_sheet, pack, write
from sim.games.caterpillars.policies import after
from sim.games.caterpillars.restrict import dead_faces, seen_face
from sim.games.caterpillars.rules import CaterpillarsRules


def round_fields(rules: CaterpillarsRules, regret: bool = False) -> tuple[Field, ...]:
    """Columns of a round, with their bounds under the rules."""
    fields = (
        Field("box", "int8", "index", "box that was filled, counted from 0", 0, rules.rounds - 1),
        Field("score", "int16", "points", "score written into it", 0, rules.max_entry),
        Field("zero", "bool", "truth value", "a zero was written", 0, 1, "bool"),
        Field("bonus_box", "int8", "index", "bonus box that was filled: 0 A, 1 B, 2 C; −1 none", -1, 2),
        Field("bonus_value", "int8", "points", "value written into it, 0 if none", 0, rules.max_bonus),
    )
    lost = Field(
        "regret",
        "float64",
        "points",
        "best expected end total under optimal play after any legal outcome, less that after the chosen one",
        0,
        None,
        "real",
    )
    return (*fields, lost) if regret else fields


@jit
def regret_of(position, work, n, chosen, exact):
    """Exact value of the best of the `n` outcomes in ``work.options``, less that of the chosen one."""
    values = exact[0]
    most = -1e30
    own = 0.0
    for i in range(n):
        at, step = after(position, int(work.options[i, 2]), exact)
        value = values[at + step * int(work.options[i, 3])]
        most = max(most, value)
        if i == chosen:
            own = value
    return most - own


@jit
def replay(games, seats, recorded, sheets, rules_, tables_, works, exact, dead, options, chosen, lost):
    """Fill `options`, `chosen` and, with the values `exact`, `lost`: one place per recorded row.

    `dead` are the faces that do nothing for a seat.
    """
    sheet = sheets[0]
    rules = rules_[0]
    tables = tables_[0]
    work = works[0]
    for g in range(games):
        for s in range(seats):
            for r in range(rules.rounds):
                sheet.labels[r] = recorded[(g * rules.rounds + r) * seats + s, LABEL]
            open_sheet(sheet, rules.rounds)
            for c in range(3):
                sheet.totals[c] = 0
                sheet.bonus[c] = 0
                sheet.empty[c] = sheet.boxes
            for r in range(rules.rounds):
                row = (g * rules.rounds + r) * seats + s
                x = recorded[row, DICE]
                face = x // 216 if rules.has_action else NO_FACE
                n = list_outcomes(work.packed, sheet, x % 216, seen_face(face, dead[s]), rules, tables)
                bonus_box = recorded[row, BONUS_BOX]
                bonus_value = recorded[row, BONUS_VALUE]
                box = recorded[row, BOX]
                score = recorded[row, BOX_SCORE]
                outcome = pack(bonus_box, bonus_value, box, score)
                at = 0
                while at < n and work.packed[at] != outcome:
                    at += 1
                options[row] = n
                chosen[row] = at
                if exact is not None:  # without exact values this is not even compiled
                    lost[row] = regret_of(sheet, work, n, at, exact)
                write(sheet, bonus_box, bonus_value, box, score)


class CaterpillarsRecorder(Recorder):
    """Tells games of Caterpillars round by round; `exact` are the values of a labelled sheet, for the regret."""

    def __init__(self, playable: CaterpillarsPlayable, exact: Book | None = None) -> None:
        self.playable = playable
        self.exact = exact
        self.fields = round_fields(playable.rules, exact is not None)

    def record(self, seed: int, first: int, games: int) -> dict[str, np.ndarray]:
        playable, seats, rounds = self.playable, self.playable.seats, self.playable.rules.rounds
        size = games * rounds * seats
        scratch = playable.scratch()
        scratch.recorded = recorded = np.zeros((size, RECORDED), np.int64)
        out = np.zeros((len(playable.fields), games * seats), np.int32)
        playable.play(seed, first, games, out, scratch, record=True)
        options, chosen, lost = np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size)
        rules, tables = playable.kernel_rules
        sheets = scratch.positions[:1].copy()
        dead = dead_faces(playable.rules, playable.policies)
        replay(games, seats, recorded, sheets, rules, tables, scratch.work, self.exact, dead, options, chosen, lost)
        return {
            "game": np.repeat(np.arange(first, first + games), rounds * seats),
            "seat": np.tile(np.arange(seats), games * rounds),
            "round": np.tile(np.repeat(np.arange(1, rounds + 1), seats), games),
            "options": options,
            "chosen": chosen,
            "box": recorded[:, BOX],
            "score": recorded[:, BOX_SCORE],
            "zero": recorded[:, BOX_SCORE] == 0,
            "bonus_box": recorded[:, BONUS_BOX],
            "bonus_value": recorded[:, BONUS_VALUE],
            "regret": lost,
        }
