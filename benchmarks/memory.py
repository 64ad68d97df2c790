"""Peak memory of a summary sweep, in a process of its own: ``python -m benchmarks.memory GAMES WORKERS``."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def measure(games: int, workers: int) -> tuple[int, float]:
    """Peak resident bytes and seconds of a summary sweep of Caterpillars beginner `random`, run in a new process."""
    command = [sys.executable, "-m", "benchmarks.memory", str(games), str(workers)]
    root = Path(__file__).resolve().parent.parent
    answer = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.split()
    return int(answer[0]), float(answer[1])


def _run(games: int, workers: int) -> None:
    import sim

    with tempfile.TemporaryDirectory() as data:
        start = time.perf_counter()
        result = sim.sweep(
            {
                "name": "memory",
                "game": "caterpillars",
                "seed": 1,
                "games": games,
                "detail": "summary",
                "variants": [{"rules": {"level": "beginner"}}],
                "policies": [["random"]],
            },
            workers=workers,
            data=data,
        )
        assert result.played == games
        seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # kilobytes, but bytes on macOS
    print(peak if sys.platform == "darwin" else peak * 1024, seconds)


if __name__ == "__main__":
    _run(int(sys.argv[1]), int(sys.argv[2]))
