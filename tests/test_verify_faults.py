"""Faults planted in a copy of the kernels: `sim verify` names every one of them, at its default size.

The package is copied, one line of the copy is changed, and the command runs on the copy in a process of its own with a
cache of compiled code of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import ROOT


@dataclass(frozen=True)
class Fault:
    """A line of a kernel source, what it is changed into, and the scenarios that must see it."""

    file: str
    line: str
    planted: str
    scenario: str


#: one in a hundred sixes of one die becomes a one: the chances of the two faces are off by one hundredth of 1/6
CATERPILLAR_DIE = Fault(
    "caterpillars/kernel.py",
    "            work.dice[g, r] = rng.bounded_from(w, seed, game, rng.DICE, 0, r, 1296)\n",
    "            x = rng.bounded_from(w, seed, game, rng.DICE, 0, r, 1296)\n"
    "            if x % 6 == 5 and w % np.uint64(100) == np.uint64(0):\n"
    "                x -= 5\n"
    "            work.dice[g, r] = x\n",
    "caterpillars, fair dice, level beginner",
)
KAROLINCHEN_DIE = Fault(
    "karolinchen/moves.py",
    "    x &= 0xFFFF  # tells the compiler that x is not negative\n",
    "    if x % 6 == 5 and product // _ROLLS % np.uint64(100) == np.uint64(0):\n        x -= 5\n    x &= 0xFFFF\n",
    "karolinchen, fair dice",
)
LABEL = Fault(
    "caterpillars/kernel.py",
    "        position.labels[b] = rules.printed[b]\n",
    "        position.labels[b] = rules.printed[b] + (1 if b == 2 and 0 < rules.printed[b] < 12 else 0)\n",
    "caterpillars, sheets, level beginner, boxes 2",
)
ZERO_RULE = Fault(  # forced is played as split
    "caterpillars/outcomes.py",
    "    r.zero_rule = ZERO_RULES.index(rules.zero_rule)\n",
    "    r.zero_rule = max(ZERO_RULES.index(rules.zero_rule), 1)\n",
    "caterpillars, sheets, level intermediate, boxes 2",
)
WORSE_BONUS_FLIES = Fault(
    "caterpillars/kernel.py",
    "        if totals[c] == target and (best < 0 or bonus[c] > bonus[best]):\n",
    "        if totals[c] == target and (best < 0 or bonus[c] < bonus[best]):\n",
    "caterpillars, bonus and action die, level advanced",
)
LAST_BOX_FIRST = Fault(  # greedy writes into the last of equal boxes
    "caterpillars/select.py",
    "        return pack(-1, 0, trailing_zeros(position.label_boxes[label] & position.open_boxes), total - label)\n",
    "        fits = position.label_boxes[label] & position.open_boxes\n"
    "        return pack(-1, 0, nth_one(fits, count_ones(fits) - 1), total - label)\n",
    "caterpillars, sheets, level beginner, boxes 3",
)
SMALLER_SUM_WINS = Fault(
    "caterpillars/kernel.py",
    "        if end > best_end or (end == best_end and total > best_sum):\n",
    "        if end > best_end or (end == best_end and total < best_sum):\n",
    "caterpillars, winners",
)
SECOND_ROLL = Fault(  # the player after an eating always gets a second roll
    "karolinchen/kernel.py",
    "            if second_roll and fresh and count == 0 and turn > 1:\n",
    "            if fresh and count == 0 and turn > 1:\n",
    "karolinchen, whole games, start_fruit 0 5",
)
SHUFFLE = Fault(  # the pack's last card is never moved
    "parlett/moves.py",
    "_LEFT = np.array([max(CARDS - 4 * (i % WIDE) - i // WIDE, 1) for i in range(4 * WIDE)], np.uint64)\n",
    "_LEFT = np.array([max(CARDS - 1 - 4 * (i % WIDE) - i // WIDE, 1) for i in range(4 * WIDE)], np.uint64)\n",
    "parlett, one play",
)


def plant(fault: Fault, folder: Path) -> None:
    """A copy of the package in `folder`, with the fault."""
    shutil.copytree(ROOT / "sim", folder / "sim", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "params.yaml", folder)
    source = folder / "sim" / "games" / fault.file
    text = source.read_text(encoding="utf-8")
    assert text.count(fault.line) == 1, f"{fault.file} has changed: plant this fault anew"
    source.write_text(text.replace(fault.line, fault.planted), encoding="utf-8")


def run(folder: Path, scenario: str) -> subprocess.CompletedProcess[str]:
    """`sim verify` on the package in `folder`, at the default size."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "SIM_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-c", "from sim.cli import main; main()", "verify", "--scenario", scenario]
    return subprocess.run(
        [*command, "--workers", "2"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def caught(fault: Fault, folder: Path) -> str:
    """The one line in which `sim verify` names the fault."""
    plant(fault, folder)
    done = run(folder, fault.scenario)
    assert done.returncode == 1, done.stdout + done.stderr
    line = done.stderr.splitlines()[-1]
    assert line.startswith("sim: fault: verification failed: "), done.stderr
    print(line)
    return line


@pytest.mark.deep
def test_a_wrong_tie_break_is_caught(tmp_path: Path) -> None:
    assert "wins of seat" in caught(SMALLER_SUM_WINS, tmp_path)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        pytest.param(CATERPILLAR_DIE, "rounds without an entry", id="a die biased by one hundredth"),
        pytest.param(KAROLINCHEN_DIE, "dice of the first colour", id="one of six dice biased by one hundredth"),
        pytest.param(LABEL, "end total", id="a label off by one"),
        pytest.param(ZERO_RULE, "end total", id="the zero rule"),
        pytest.param(WORSE_BONUS_FLIES, "end total", id="tie-break: the better bonus flies"),
        pytest.param(LAST_BOX_FIRST, "end total", id="tie-break: the first of equal boxes"),
        pytest.param(SECOND_ROLL, "turns", id="an eating turn"),
        pytest.param(SHUFFLE, "the leader", id="the shuffle"),
    ],
)
def test_a_planted_fault_is_caught(fault: Fault, words: str, tmp_path: Path) -> None:
    assert words in caught(fault, tmp_path)


@pytest.mark.deep
def test_a_copy_without_a_fault_passes(tmp_path: Path) -> None:
    """The other side of the same test: what is caught above is the fault, not the copying."""
    harmless = Fault(LABEL.file, LABEL.line, LABEL.line, LABEL.scenario)
    plant(harmless, tmp_path)
    done = run(tmp_path, LABEL.scenario)
    assert done.returncode == 0, done.stderr
