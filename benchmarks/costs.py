"""Seconds a game takes by policy, one core: ``python -m benchmarks.costs`` writes benchmarks/costs.csv.

Medians of several timings; what they were measured on stands in the first line. Notebooks quote this file and measure
nothing themselves, so that their pages do not change from run to run.
"""

from __future__ import annotations

import statistics
from pathlib import Path

from benchmarks.machine import busy, describe, one_core
from sim import games
from sim.sweep.estimate import seconds_per_game

FILE = Path(__file__).with_name("costs.csv")
REPETITIONS = 7

LEVELS = ("beginner", "intermediate", "advanced", "expert")
LINE_UPS: list[tuple[str, dict[str, str], str, int]] = [
    *(
        ("caterpillars", {"level": level}, policy, 1)
        for level in LEVELS
        for policy in ("random", "greedy", "child", "thumb", "planner", "weighted", "learned")
    ),
    *(("karolinchen", {}, policy, 4) for policy in ("random", "longest", "match", "odds", "racer")),
    *(("parlett", {}, policy, 2) for policy in ("random", "greedy", "hoarder", "safe", "planner")),
]


def measure() -> list[tuple[str, str, str, int, float]]:
    """Rows game, level, policy, seats, microseconds per game."""
    rows = []
    with one_core():
        for name, rules, policy, seats in LINE_UPS:
            scenario = games.get(name).scenario(rules, [policy] * seats)
            seconds_per_game(scenario)  # the first call compiles
            micro = 1e6 * statistics.median(seconds_per_game(scenario, seed) for seed in range(REPETITIONS))
            rows.append((name, rules.get("level", ""), policy, seats, float(f"{micro:.3g}")))
            print(*rows[-1], flush=True)
    return rows


def main() -> None:
    about = describe()
    told = f"{about['processor']}, {about['system']}, Python {about['Python']}, numba {about['numba']}"
    state = "; the machine was busy with other work" if busy() else ""
    lines = [f"# {told}; medians of {REPETITIONS} timings, one core{state}", "game,level,policy,seats,microseconds"]
    lines += [",".join(map(str, row)) for row in measure()]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
