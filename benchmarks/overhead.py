"""What the runner of sweeps costs: a sweep in detail ``summary`` against the same games by the bare kernel.

``python -m benchmarks.overhead`` plays both in turns, in one process on one core, and prints processor seconds and
their ratio; the smallest of several turns counts, because whatever else the machine does only adds to it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from sim.engine.simulate import BLOCK, Worker, blocks
from sim.games import get
from sim.sweep.run import run

CASES: dict[str, dict[str, Any]] = {
    "caterpillars beginner, greedy": {"game": "caterpillars", "rules": {}, "policies": ["greedy"]},
    "caterpillars expert, planner": {"game": "caterpillars", "rules": {"level": "expert"}, "policies": ["planner"]},
    "karolinchen, match twice": {"game": "karolinchen", "rules": {}, "policies": ["match", "match"]},
    "parlett, planner and greedy": {"game": "parlett", "rules": {}, "policies": ["planner", "greedy"]},
}


def bare(case: dict[str, Any], games: int) -> float:
    """Processor seconds of the kernel alone."""
    scenario = get(case["game"]).scenario(case["rules"], case["policies"])
    worker = Worker([scenario.game.compile(scenario.rules, scenario.policies)], BLOCK)
    worker.play(7, 0, BLOCK)
    begun = time.process_time()
    for first, count in blocks(0, games):
        worker.play(7, first, count)
    return time.process_time() - begun


def swept(case: dict[str, Any], games: int) -> float:
    """Processor seconds of a sweep: plan, play, count, write, manifest."""
    data = Path(tempfile.mkdtemp())
    given = {
        "name": "t",
        "game": case["game"],
        "seed": 7,
        "games": games,
        "variants": [{"rules": case["rules"]}],
        "policies": [case["policies"]],
    }
    try:
        begun = time.process_time()
        run(given, backend="sequential", data=data)
        return time.process_time() - begun
    finally:
        shutil.rmtree(data)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0, help="of the bare kernel, per turn")
    parser.add_argument("--turns", type=int, default=3)
    given = parser.parse_args()
    told = {}
    for name, case in CASES.items():
        swept(case, BLOCK)  # loads and compiles
        games = int(20 * BLOCK * given.seconds / max(bare(case, 20 * BLOCK), 1e-6)) // BLOCK * BLOCK
        pairs = [(bare(case, games), swept(case, games)) for _ in range(given.turns)]
        kernel, runner = (min(column) for column in zip(*pairs, strict=True))
        told[name] = {
            "games": games,
            "kernel_seconds": round(kernel, 3),
            "sweep_seconds": round(runner, 3),
            "overhead": round(runner / kernel - 1, 4),
        }
        print(json.dumps({name: told[name]}), flush=True)


if __name__ == "__main__":
    main()
