"""What the questions about choices look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.report.facts import Facts
from sim.report.findings_base import Candidate
from sim.report.params import Params

Model = Mapping[str, Any]
#: no loss is as large as this: whatever a thing is worth, it is no trap
_NEVER = -1e6


def restricted(facts: Facts, model: Model, params: Params) -> Iterator[Candidate]:
    """Boxes, faces and splits that a player is better off without."""
    least = params.smallest.score
    for e in model["caterpillars"]["restricted"]["rows"]:
        if e["restrict"].startswith("no_"):
            told = f'{e["who"]} with "{e["told"]}" at {e["level"]}'
            topic = f"what is gained by leaving something alone, at best by {told}"
            above = f"A trap: {told} does better"
            yield Candidate("traps", e["key"], topic, above, "", _NEVER, least, least, "restricted")


def courts(facts: Facts, model: Model, params: Params) -> Iterator[Candidate]:
    """Courts never or always played."""
    win = params.smallest.win
    for e in model["parlett"]["courts"]["rows"]:
        told = f'"{e["told"]}" when both play {e["policy"]} and this player {e["seat"]}'
        above, below = (f"{told} {w}" for w in ("pays", "costs wins"))
        yield Candidate("courts", e["key"], told, above, below, -win, win, win)
