"""A sweep that is shot at: SIGKILL at random moments, dying workers, a full disk. In the end every byte is right.

``make soak`` runs it: 200 scenarios once undisturbed, then again while the process is killed 30 times and started
again, worker processes are killed under it, and for a while no file can be written. Then both folders are compared
byte for byte, and the counts of every scenario are added up: no game may be missing or counted twice.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

#: the command line, with a disk that is full while the file FULL exists
CHILD = """
import os, sys
import pyarrow.parquet as parquet
replace, writer = os.replace, parquet.ParquetWriter

def full():
    if os.path.exists(os.environ["FULL"]):
        raise OSError(28, "No space left on device")

def checked(*arguments):
    full()
    replace(*arguments)

class Writer(writer):
    def write_table(self, *arguments, **more):
        full()
        super().write_table(*arguments, **more)

os.replace, parquet.ParquetWriter = checked, Writer
if __name__ == "__main__":
    from sim.sweep import streams
    streams.INTERVAL = 0.5
    from sim.cli import main
    main()
"""


def sweep(scenarios: int, games: int, detail: str) -> dict[str, Any]:
    """A sweep over a rule and policies of Karolinchen."""
    given: dict[str, Any] = {
        "name": "soak",
        "game": "karolinchen",
        "seed": 2026,
        "games": games,
        "detail": detail,
        "variants": [{"grid": {"max_turns": list(range(60, 60 + scenarios // 4))}}],
        "policies": [["random", "match"], ["match", "match"], ["match", "longest"], ["random", "random"]],
    }
    if detail == "summary":
        given["pairs"] = [{"of": "win", "seats": [0, 1]}]
    return given


def content(folder: Path) -> dict[str, bytes]:
    """Every file of a sweep."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


class Shooter:
    """Starts the sweep and disturbs it."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder = folder
        self.chance = chance
        self.told = {"kills": 0, "worker_deaths": 0, "full_disk_runs": 0, "starts": 0}
        self.child = folder / "child.py"
        self.child.write_text(CHILD)
        self.full = folder / "full"

    def start(self, backend: str, data: str) -> subprocess.Popen[str]:
        """Begin or go on."""
        self.told["starts"] += 1
        command = [sys.executable, str(self.child), "sweep", str(self.folder / "soak.yaml"), "--data", data]
        command += ["--workers", "2", "--backend", backend, "--quiet"]
        environment = {**os.environ, "FULL": str(self.full), "PYTHONPATH": str(ROOT)}
        return subprocess.Popen(
            command, cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip

    def shoot(self, process: subprocess.Popen[str]) -> None:
        """SIGKILL to the process and all it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def workers(self, process: subprocess.Popen[str]) -> list[int]:
        """Worker processes of a run."""
        found = subprocess.run(["ps", "-o", "pid=,args=", "-g", str(process.pid)], capture_output=True, text=True)
        lines = [line.strip().partition(" ") for line in found.stdout.splitlines()]
        return [int(pid) for pid, _, args in lines if "popen_loky" in args and int(pid) != process.pid]

    def fired(self, data: str, kills: int) -> None:
        """One disturbed run after the other until `kills` of them were killed."""
        while self.told["kills"] < kills:
            backend = "loky" if self.told["kills"] % 3 == 2 else "threads"
            process = self.start(backend, data)
            patience = self.chance.uniform(0.5, 4.0) + (4.0 if backend == "loky" else 0.0)
            end = time.monotonic() + patience
            while time.monotonic() < end and process.poll() is None:
                time.sleep(0.1)
                if backend == "loky" and self.chance.random() < 0.05:
                    for pid in self.workers(process)[:1]:
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(pid, signal.SIGKILL)
                            self.told["worker_deaths"] += 1
            if process.poll() is not None:
                said = process.communicate()[1]
                if process.returncode == 0:
                    raise SystemExit(f"finished after {self.told['kills']} kills already: use more games")
                raise SystemExit(f"unexpected end: {said}")
            self.shoot(process)
            self.told["kills"] += 1
            if self.told["kills"] in (kills // 3, 2 * kills // 3):
                self.disk(data)

    def disk(self, data: str) -> None:
        """A period in which nothing can be written: the run has to stop in one line."""
        self.full.touch()
        process = self.start("threads", data)
        said = process.communicate(timeout=300)[1].strip().splitlines()
        if process.returncode != 1 or "No space left on device" not in said[-1] or len(said) != 1:
            raise SystemExit(f"full disk: status {process.returncode}: {said}")
        self.full.unlink()
        self.told["full_disk_runs"] += 1


def soak(scenarios: int, games: int, kills: int, seed: int, detail: str) -> dict[str, Any]:
    """Both runs; returns what was done and whether all is equal."""
    folder = Path(tempfile.mkdtemp(prefix="soak"))
    try:
        (folder / "soak.yaml").write_text(json.dumps(sweep(scenarios, games, detail)))
        shooter = Shooter(folder, random.Random(seed))
        begun = time.monotonic()
        quiet = shooter.start("threads", "quiet")
        if quiet.wait() != 0:
            raise SystemExit(quiet.communicate()[1])
        undisturbed = time.monotonic() - begun
        shooter.fired("shot", kills)
        last = shooter.start("threads", "shot")
        if last.wait() != 0:
            raise SystemExit(last.communicate()[1])
        a, b = content(folder / "quiet" / "soak"), content(folder / "shot" / "soak")
        manifest = json.loads(b["manifest.json"])
        return {
            "detail": detail,
            "scenarios": len(manifest["scenarios"]),
            "games": sum(entry["games"] for entry in manifest["scenarios"]),
            "files": len(a),
            "undisturbed_seconds": round(undisturbed, 1),
            "seconds": round(time.monotonic() - begun, 1),
            **shooter.told,
            "lost_or_doubled": lost_or_doubled(folder / "shot", games, detail),
            "equal_bytes": a == b,
        }
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def lost_or_doubled(data: Path, games: int, detail: str) -> int:
    """Scenarios in which a game is missing or there twice."""
    import polars as pl

    import sim

    frame = sim.load("soak", data=data)
    if detail == "games":
        found = frame.group_by("scenario", "seat").agg(pl.len().alias("n"), pl.col("game").n_unique().alias("unique"))
        return found.filter((pl.col("n") != games) | (pl.col("unique") != games)).height
    found = frame.group_by("scenario", "seat").agg(pl.col("count").sum().alias("n"))
    return found.filter(pl.col("n") != games).height


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenarios", type=int, default=200)
    parser.add_argument("--games", type=int, default=600_000)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--detail", choices=("summary", "games"), default="summary")
    given = parser.parse_args()
    told = soak(given.scenarios, given.games, given.kills, given.seed, given.detail)
    print(json.dumps(told, indent=1))
    if not told["equal_bytes"] or told["lost_or_doubled"]:
        raise SystemExit("the disturbed sweep is not the undisturbed one")


if __name__ == "__main__":
    main()
