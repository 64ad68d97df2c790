"""What `sim.solve("karolinchen", …)` found, as plain data and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sim.engine.distribution import distribution
from sim.games.karolinchen.rules import COLOURS, KarolinchenRules

#: line-ups of start fruits told one by one; more are told by their extremes
_MOST_STARTS = 12


def answer(solved: Any, pmf: bool | None = None) -> dict[str, Any]:
    """A `RaceSolution` or `OrderRace` as plain data.

    Parameters
    ----------
    solved : RaceSolution or OrderRace
    pmf : bool, optional
        Whether to work out the distribution of the length of a game as well; left out: for two players, and for more
        from given start fruits.

    Returns
    -------
    dict
        ``game``, ``rules``, ``policies`` by seat, ``win`` by seat with ``error_bound``, ``turns`` (``mean``,
        ``error_bound``, and ``distribution``: figures, ``tail`` and ``pmf``, index = turns; None where not
        worked out), ``residual``, and ``by_start``, one record per line-up of start fruits.
    """
    found = None
    if pmf or (pmf is None and (len(solved.policies) == 2 or len(solved.starts) == 1)):
        found = {
            **asdict(distribution(solved.turns_pmf)),
            "tail": solved.tail,
            "pmf": [float(p) for p in solved.turns_pmf],
        }
    return {
        "game": "karolinchen",
        "rules": solved.rules.identity(),
        "policies": list(solved.policies),
        "win": [float(w) for w in solved.win],
        "error_bound": float(solved.error_bound),
        "turns": {
            "mean": float(solved.turns_mean),
            "error_bound": float(solved.turns_error_bound),
            "distribution": found,
        },
        "residual": float(solved.residual),
        "by_start": solved.by_start.to_dicts(),
    }


def _changed(rules: Mapping[str, Any]) -> str:
    told = KarolinchenRules.parse(rules).changed()
    return ", ".join(f"{key} = {value}" for key, value in told.items()) or "default rules"


def tell(answer: Mapping[str, Any]) -> str:
    """An answer in words: chances of winning and length of games, with their proven errors."""
    turns = answer["turns"]
    lines = [f"Karolinchen, {_changed(answer['rules'])}"]
    for seat, (policy, win) in enumerate(zip(answer["policies"], answer["win"], strict=True)):
        lines.append(f"seat {seat}, {policy}: wins {win:.6%}")
    lines.append(f"chances proven to within {answer['error_bound']:.1e}")
    lines.append(f"a game takes {turns['mean']:.6f} turns on average, proven to within {turns['error_bound']:.1e}")
    found = turns["distribution"]
    if found is not None:
        lines.append(
            f"turns: sd {found['sd']:.3f}; 10 % of games end by turn {found['p10']}, half by turn {found['median']}, "
            f"90 % by turn {found['p90']}; the shortest takes {found['low']}"
        )
    starts = answer["by_start"]
    if len(starts) > 1:
        lines += ["", *_tell_starts(starts, len(answer["win"]))]
    return "\n".join(lines)


def _tell_starts(starts: list[dict[str, Any]], seats: int) -> list[str]:
    lines = [f"mean over {len(starts)} equally likely line-ups of start fruits"]
    shown = starts
    if len(starts) > _MOST_STARTS:
        lines[0] += "; where seat 0 fares worst and best:"
        ranked = sorted(starts, key=lambda row: row["win_0"])
        shown = [ranked[0], ranked[-1]]
    for row in shown:
        fruits = ", ".join(COLOURS[row[f"start_{s}"]] for s in range(seats))
        wins = ", ".join(f"{row[f'win_{s}']:.4%}" for s in range(seats))
        lines.append(f"  {fruits}: seats win {wins}; {row['turns_mean']:.3f} turns")
    return lines
