"""Every number of a finished report that can be counted again, once more: ``python tests/recount_all.py REPORTS DATA``.

Prints how many, and what is wrong; the exit status is 1 if anything is.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import recount
import recount_proposals
import recount_several


def main(reports: Path, data: Path) -> int:
    """Count again what `reports` says from the files in `data`."""
    register = json.loads((reports / "facts.json").read_text(encoding="utf-8"))
    store = recount.Store(data, float(register["karolinchen.seconds"]["value"]))
    wrong: dict[str, tuple[float, float | None]] = {}
    counted: set[str] = set()
    for rules in (recount_several, recount_proposals):
        again = dict(rules.recount(register, store))
        wrong |= recount_several.differing(register, again)
        counted |= set(again)
    rest = {key: fact for key, fact in register.items() if key not in counted}
    known = {key for key, number in recount.recount(rest, store) if number is not None}
    wrong |= recount.wrong({key: rest[key] for key in known}, store)
    counted |= known
    quoted = sum("claim" in register[key] for key in counted)
    print(f"{len(counted)} of {len(register)} numbers counted again ({quoted} quoted in prose), {len(wrong)} wrong")
    for key, (told, again) in sorted(wrong.items()):
        print(f"{key}: the report says {told}, the counts say {again}")
    return int(bool(wrong))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python tests/recount_all.py REPORTS DATA")
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
