"""Results stay what they are: golden digests, and the interpreter plays the same games as the compiler."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from sim.engine.digest import digest
from sim.engine.simulate import play_rows
from sim.games import get
from sim.games.parlett.kernel import KERNEL_VERSION

GAME = get("parlett")
HERE = Path(__file__).resolve().parent
GOLDEN_FILE = HERE / "golden.json"
GOLDEN: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["random", "random"]),
    ({}, ["greedy", "greedy"]),
    ({}, ["hoarder", "shedder"]),
    ({}, ["safe", "planner"]),
    ({"block": "barred"}, ["random", "greedy"]),
    ({"block": "barred"}, ["planner", "safe"]),
    ({"deals": 2}, ["greedy", "random"]),
    ({"deals": 2, "block": "barred", "hand_size": 6}, ["planner", "shedder"]),
    ({"hand_size": 1}, ["random", "greedy"]),
    ({"hand_size": 25, "block": "barred"}, ["greedy", "random"]),
    ({"hand_size": 20, "multiple": 3, "court_bonus": 30}, ["planner", "hoarder"]),
    ({}, ["search(continuations=12)", "planner"]),
    ({"deals": 2, "block": "barred"}, ["safe", "search(continuations=8, exact_left=2, spread=0, slip=0.1)"]),
    ({"hand_size": 22}, ["search(continuations=20, exact_left=3)", "search(continuations=9)"]),
    ({"multiple": 7, "deals": 2}, ["safe(caution=2, follow=0)", "planner(short=2, block=0)"]),
]


def golden(games: int) -> dict[str, str]:
    """Digest of each golden scenario, from game 2^32 − games/2 on, so that both halves of the index take part."""
    result = {}
    for rules, policies in GOLDEN:
        scenario = GAME.scenario(rules, policies)
        out = play_rows(GAME.compile(scenario.rules, scenario.policies), 2**40 + 7, 2**32 - games // 2, games)
        result[f"{json.dumps(rules)} {policies}"] = digest(out)
    return result


def test_golden_digests() -> None:
    known = json.loads(GOLDEN_FILE.read_text())
    assert known["kernel_version"] == KERNEL_VERSION, "renew the digests: run this file as a program"
    now = golden(known["games"])
    assert now == known["digests"], "results changed: raise KERNEL_VERSION (or a policy's version), renew the digests"


def test_the_interpreter_plays_the_same_games() -> None:
    """Every golden scenario once more with the compiler off, in a process of its own; warnings are errors."""
    code = "import json, test_parlett_lanes as t; print(json.dumps(t.golden(20)))"
    path = os.pathsep.join([str(HERE), str(HERE.parent.parent)])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "SIM_JIT": "0", "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == golden(20)


if __name__ == "__main__":
    text = json.dumps({"kernel_version": KERNEL_VERSION, "games": 200, "digests": golden(200)}, indent=1)
    GOLDEN_FILE.write_text(text + "\n")
