"""How often policy `rival` wins, and how much more often than `learned` in its seat: ``python -m benchmarks.rival``.

Every line-up is played in all seatings on the same game indices; the unit of all intervals is the index. The numbers
are quoted in ``docs/decisions/0011-playing-to-win.md``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import sim
from sim.games.caterpillars.rules import LEVELS

GAMES = 20_000
SEED = 6_010
RANDOM = "(placement=random)"
#: others at the table, and the placement of all
TABLES = [
    (["learned"], ""),
    (["learned"] * 2, ""),
    (["learned"] * 3, ""),
    ([f"learned{RANDOM}"], RANDOM),
    ([f"learned{RANDOM}"] * 2, RANDOM),
    ([f"learned{RANDOM}"] * 3, RANDOM),
    (["weighted"], ""),
    (["planner", "weighted", "learned(slip=0.1)"], ""),
]


def shares(level: str, policy: str, others: Sequence[str], games: int = GAMES, seed: int = SEED) -> np.ndarray:
    """Share of the win of one policy by game index, mean over its seats: float64[games]."""
    seats = len(others) + 1
    total = np.zeros(games)
    for seat in range(seats):
        lineup = [*others[:seat], policy, *others[seat:]]
        rows = sim.simulate("caterpillars", rules={"level": level}, policies=lineup, games=games, seed=seed, workers=2)
        total += rows["win"].to_numpy().reshape(games, seats)[:, seat]
    return total / seats


def told(values: np.ndarray) -> str:
    """Mean and half-width of its 95 % interval, in per cent."""
    return f"{100 * values.mean():.2f} ± {196 * values.std(ddof=1) / np.sqrt(values.size):.2f}"


def main() -> None:
    """Print the table."""
    print("| level | others | `rival` wins, % | `learned` there, % | gain, points |\n|---|---|---|---|---|", flush=True)
    for level in LEVELS:
        for others, placement in TABLES:
            rival = shares(level, f"rival{placement}", others)
            base = shares(level, f"learned{placement}", others)
            print(
                f"| {level} | {', '.join(others)} | {told(rival)} | {told(base)} | {told(rival - base)} |", flush=True
            )


if __name__ == "__main__":
    main()
