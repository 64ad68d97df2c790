"""What to do with a roll of the set-up: every way to write it, ranked by the end total that it leads to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sim.games.caterpillars.exact.advice import box_name, judge, tell_ranked
from sim.games.caterpillars.exact.answer import shown_rules, shown_sheet


def advise_setup(solved: Any, labels: Sequence[int], roll: Sequence[int]) -> dict[str, Any]:
    """Rank every way to write a roll of the set-up.

    Parameters
    ----------
    solved
        A solution of the whole game that ranks placements: ``place(labels, roll)``.
    labels : sequence of int, length 3 × boxes
        Labels so far, 0 = blank.
    roll : sequence of int, length 3

    Returns
    -------
    dict
        Plain data: ``rules``, ``labels``, ``dice``, ``error_bound`` and ``placements``, best first, each with ``rank``,
        ``placement`` as [[value, box], …], ``expected`` end total and ``regret`` (see `advice.advise`). Blanks of one
        caterpillar are interchangeable, so each way is told once.
    """
    ranked = solved.place(labels, roll)
    return {
        "game": "caterpillars",
        "rules": {k: v for k, v in solved.rules.identity().items() if k != "sheet"},
        "labels": [int(label) for label in labels],
        "dice": [int(d) for d in roll],
        "error_bound": float(solved.error_bound),
        "placements": [
            {"placement": [[int(value), int(box)] for value, box in placement], **judged}
            for placement, judged in judge(ranked, float(solved.error_bound))
        ],
    }


def in_words(placement: Sequence[Sequence[int]], boxes: int) -> str:
    """A placement as an instruction: ``label Alex's box 3 with 5, …``."""
    return "label " + ", ".join(f"{box_name(box, boxes)} with {value}" for value, box in placement)


def tell(advice: Mapping[str, Any], top: int) -> str:
    """Advice in words: the labels so far, the roll, and the first `top` ways to write it."""
    labels, placements = advice["labels"], advice["placements"]
    n = len(labels) // 3
    lines = [
        f"Caterpillars, {shown_rules(advice['rules'])}, set-up: rolled {' '.join(map(str, advice['dice']))}",
        shown_sheet(labels),
        *tell_ranked(placements, [in_words(entry["placement"], n) for entry in placements], "way", top),
        f"expected end totals are for optimal set-up and play from there on, proven to within "
        f"{advice['error_bound']:.1e}",
    ]
    return "\n".join(lines)
