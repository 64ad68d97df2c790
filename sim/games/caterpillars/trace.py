"""One game of Caterpillars as plain data, and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sim.games.caterpillars.kernel import CaterpillarsPlayable
from sim.games.caterpillars.rules import FACES, LETTERS, NAMES


def trace(playable: CaterpillarsPlayable, seed: int, game: int) -> dict[str, Any]:
    """The game that row `game` of a simulation reports, move by move (shape: see ``docs/rules/caterpillars.md``)."""
    rules, policies = playable.rules, playable.policies
    scratch = playable.scratch()
    seats = playable.seats
    out = np.zeros((len(playable.fields), seats), np.int32)
    playable.play(seed, game, 1, out, scratch, record=True)
    row = {f.name: out[i] for i, f in enumerate(playable.fields)}

    def dice(x: int, n: int) -> list[int]:
        return [x % 6 + 1, x // 6 % 6 + 1, x // 36 % 6 + 1][:n]

    rolls = [int(x) for x in scratch.work[0].dice[0, : rules.rounds]]
    return {
        "rules": rules.model_dump(mode="json"),
        "setup_rolls": [dice(int(x), 3) for x in scratch.work[0].setup[0, : rules.setup_rolls]],
        "rolls": [{"dice": dice(x, rules.dice), "face": FACES[x // 216] if rules.has_action else None} for x in rolls],
        "seats": [
            {
                "policy": policy.text(),
                "labels": [int(v) for v in scratch.positions[s].labels[: rules.rounds]],
                "outcomes": [[int(v) for v in scratch.recorded[r * seats + s, :4]] for r in range(rules.rounds)],
                "totals": [int(row[f"total_{x}"][s]) for x in "abc"],
                "bonus": [int(row[f"bonus_{x}"][s]) for x in "abc"],
                "flying": int(row["flying"][s]),
                "score": int(row["score"][s]),
                "box_sum": int(row["box_sum"][s]),
                "win": 1.0 / int(row["win"][s]) if row["win"][s] else 0.0,
            }
            for s, policy in enumerate(policies)
        ],
    }


def _sheet(labels: Sequence[int], scores: Sequence[int | None], boxes: int) -> str:
    parts = []
    for c, name in enumerate(NAMES):
        cells = [
            f"{labels[b] or '·'}:{'–' if scores[b] is None else scores[b]}" for b in range(c * boxes, (c + 1) * boxes)
        ]
        parts.append(f"{name} [{' '.join(cells)}]")
    return "  ".join(parts)


def tell(trace: Mapping[str, Any]) -> str:
    """A trace in words, with the sheet after every round, so that a person can check each step by hand."""
    rules = trace["rules"]
    boxes = int(rules["boxes"])
    lines = [
        f"Caterpillars, {rules['level']}, set-up {rules['setup']}. A sheet is shown as label:score, – is an empty box."
    ]
    for j, dice in enumerate(trace["setup_rolls"]):
        lines.append(f"Set-up roll {j + 1}: {' '.join(map(str, dice))}")
    for s, seat in enumerate(trace["seats"]):
        labels = seat["labels"]
        scores: list[int | None] = [None] * len(labels)
        bonus = [0, 0, 0]
        lines += ["", f"Seat {s}, {seat['policy']}", f"  labels written: {_sheet(labels, scores, boxes)}"]
        for r, (roll, outcome) in enumerate(zip(trace["rolls"], seat["outcomes"], strict=True)):
            bonus_box, stored, box, score = outcome
            face = f" and {roll['face']}" if roll["face"] else ""
            does = ""
            if bonus_box >= 0:
                bonus[bonus_box] = stored
                does = f"{stored} into bonus box {LETTERS[bonus_box]}, then "
            where = f"{NAMES[box // boxes]}'s box {box % boxes + 1} (label {labels[box]})"
            does += f"{score} into {where}" if score else f"no entry: a zero into {where}"
            scores[box] = score
            lines.append(f"  round {r + 1:2d}: {' '.join(map(str, roll['dice']))}{face} → {does}")
            held = (
                f"  bonus {' '.join(f'{x}:{v}' for x, v in zip(LETTERS, bonus, strict=True) if v)}"
                if any(bonus)
                else ""
            )
            lines.append(f"            {_sheet(labels, scores, boxes)}{held}")
        totals = ", ".join(f"{name} {total}" for name, total in zip(NAMES, seat["totals"], strict=True))
        if seat["flying"] < 0:
            lines.append(f"  totals: {totals}; all count, with all bonus boxes: end total {seat['score']}")
        else:
            name, extra = NAMES[seat["flying"]], seat["bonus"][seat["flying"]]
            lines.append(
                f"  totals: {totals}; {name} flies with {seat['totals'][seat['flying']]} + bonus {extra} = "
                f"{seat['score']}"
            )
    if len(trace["seats"]) > 1:
        lines.append("")
        for s, seat in enumerate(trace["seats"]):
            share = (
                "wins" if seat["win"] == 1 else "loses" if seat["win"] == 0 else f"shares the win ({seat['win']:.3g})"
            )
            lines.append(f"Seat {s}: end total {seat['score']}, all boxes {seat['box_sum']}: {share}")
    return "\n".join(lines)
