"""What made a file: enough to run the call again, and nothing that changes from run to run.

No time, no host, no duration, no commit: equal calls give equal bytes. Those go into a run record
(`sim.store.records`).
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Any

from sim.engine.jit import source_hash
from sim.games.base import Scenario
from sim.store.schema import SCHEMA_VERSION

#: first key of every provenance record; tells our files from others
FORMAT = "caterpillar-table-lab"

Provenance = dict[str, Any]


@cache
def libraries() -> dict[str, str]:
    """Versions of the libraries that decide results or bytes."""
    from importlib.metadata import version

    return {name: version(name) for name in ("numba", "numpy", "pyarrow")}


def code_stamp(game: str) -> str:
    """What has to be equal on every machine that works on one sweep."""
    told = ", ".join(f"{name} {version}" for name, version in libraries().items())
    return f"kernel sources {source_hash(game)}, {told}"


def provenance(table: str, scenario: Scenario, *, seed: int, first_game: int, games: int, **more: Any) -> Provenance:
    """Provenance of one file of `table`.

    Parameters
    ----------
    table : str
        Name of the table in the schema register.
    scenario : Scenario
    seed, first_game, games : int
        The games in the file are `first_game` … `first_game + games − 1`.
    **more
        Further plain data that decides the content (``by`` of counts, ``pairs`` of differences).
    """
    return {
        "format": FORMAT,
        "schema_version": SCHEMA_VERSION,
        "table": table,
        "game": scenario.game.name,
        "scenario": scenario.id,
        "rules": scenario.rules.identity(),
        "policies": [policy.identity() for policy in scenario.policies],
        "seed": seed,
        "first_game": first_game,
        "games": games,
        **more,
        "kernel_version": scenario.game.kernel_version,
        "kernel_sources": source_hash(scenario.game.name),
        "libraries": libraries(),
    }


def text(record: Provenance) -> str:
    """Canonical text of a provenance record."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def fingerprint(record: Provenance) -> str:
    """Short hash of a provenance record (12 hex digits)."""
    return hashlib.sha256(text(record).encode()).hexdigest()[:12]


def policies_of(record: Provenance) -> list[dict[str, Any]]:
    """The line-up of a provenance record in the form that `simulate` accepts."""
    return [{"id": p["id"], **p["parameters"]} for p in record["policies"]]
