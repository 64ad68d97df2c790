"""Speed beside other programs, in one run: ``python -m benchmarks.run [--quick] [--long] [--json FILE]``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import machine, tables
from benchmarks.c_program import compiler

PAGE = Path(__file__).resolve().parent / "results.md"


def _say(line: str) -> None:
    print(f"… {line}", file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks; returns the exit status (1: nothing was timed)."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description="speed beside other programs")
    parser.add_argument("--quick", action="store_true", help="under a minute: short, few repetitions, no result page")
    parser.add_argument("--long", action="store_true", help="also the peak memory of a sweep of 100 million games")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all numbers to FILE")
    parser.add_argument(
        "--page", metavar="FILE", type=Path, help=f"result page (default {PAGE.name} beside this program)"
    )
    parser.add_argument(
        "--only", metavar="TEXT", default="", help="only workloads whose id contains TEXT; no result page"
    )
    options = parser.parse_args(arguments)
    if compiler() is None:
        print("benchmarks: no C compiler found; accepted: cc on the path, or the variable CC", file=sys.stderr)
        return 1

    from benchmarks.parts import FULL, QUICK, DigestsDifferError, everything

    effort = QUICK if options.quick else FULL
    described, busy = machine.describe(), machine.busy()
    try:
        data = everything(effort, options.long, _say, options.only)
    except DigestsDifferError as error:
        print(f"benchmarks: nothing was timed: {error}", file=sys.stderr)
        return 1
    how = f"{'Quick' if options.quick else 'Full'} run, {effort.repetitions} repetitions."
    if busy:
        how += " **The machine was busy with other work**: absolute speeds and the gain of a second worker mean little."
    page = tables.text(data, described, how)
    print(page)
    target = options.page or (None if options.quick or options.only else PAGE)
    if target is not None:
        target.write_text(page, encoding="utf-8")
    if options.json is not None:
        options.json.write_text(
            json.dumps({"machine": described, "how": how, **data}, indent=1) + "\n", encoding="utf-8"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
