"""Makes the small data that notebooks run on: ``python notebooks/_small.py [--workers N]``, in data/small/.

Every sweep in sweeps/ that a notebook names, with few games, byte for byte the same each time.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from sim.sweep import small

ROOT = Path(__file__).resolve().parent.parent
SWEEPS = ("levels", "setup", "readings", "karolinchen", "parlett")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Make the small data that notebooks run on.")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--data", type=Path, default=ROOT / "data" / small.FOLDER)
    given = parser.parse_args(argv)
    for name in SWEEPS:
        done = small.make(ROOT / "sweeps" / f"{name}.yaml", given.data, workers=given.workers, progress=True)
        print(f"{name}: {done.scenarios} scenarios, {done.bytes:,} bytes in {done.files} files", flush=True)
    shutil.rmtree(given.data / "runs", ignore_errors=True)  # when and by whom: nothing to keep
    return 0


if __name__ == "__main__":
    sys.exit(main())
