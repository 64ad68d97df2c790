"""What a run would take away from data that stand under the same name, told by the files themselves.

The manifest tells only of sweeps that are finished, and it can be damaged; every file carries what made it.
"""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path
from typing import Any

from sim.errors import StoreError
from sim.store.load import read_footer
from sim.sweep.members import counts_provenance
from sim.sweep.plan import Cell, Plan
from sim.sweep.rowkind import RowKind

#: results of other code are outdated, and replacing them is what the run is for
_CODE = ("kernel_version", "kernel_sources", "libraries", "schema_version")

#: what must not change without being asked for, and how it is called
_TOLD = ("seed", "first_game", "by", "until")


def lost(folder: Path, plan: Plan, missing: Container[str]) -> str:
    """What playing the `missing` scenarios would replace by something else; an empty text where nothing is lost."""
    for cell in (cell for cell in plan.cells if cell.id in missing):
        found = _counts(cell, plan, folder) if plan.spec.detail == "summary" else _rows(cell, plan, folder)
        if found:
            return found
    return ""


def _counts(cell: Cell, plan: Plan, folder: Path) -> str:
    record = _record(folder / "counts" / f"scenario={cell.id}" / "counts.parquet")
    if record is None:
        return ""
    wanted = counts_provenance(cell, plan, record["games"])["counts"]
    if any(record.get(key) != wanted.get(key) for key in _CODE):
        return ""
    for key in _TOLD:
        if record.get(key) != wanted.get(key):
            return f"{key} = {record.get(key) or 'none'} (now {wanted.get(key) or 'none'})"
    if record.get("most", record["games"]) > cell.games and plan.spec.minutes is None:
        return f"{record.get('most', record['games']):,} games of a scenario (now {cell.games:,})"
    return ""


def _rows(cell: Cell, plan: Plan, folder: Path) -> str:
    kind = plan.rows or RowKind()
    for path in sorted((folder / kind.table / f"scenario={cell.id}").glob("*.parquet")):
        record = _record(path)
        if record is None:
            continue
        wanted = kind.provenance(cell.scenario, plan.spec.seed, record["first_game"], record["games"])
        if any(record.get(key) != wanted.get(key) for key in _CODE):
            return ""
        if record.get("seed") != wanted.get("seed"):
            return f"seed = {record.get('seed')} (now {wanted.get('seed')})"
        if record["first_game"] + record["games"] > plan.spec.first_game + cell.games:
            return f"games up to {record['first_game'] + record['games']:,} of a scenario"
    return ""


def _record(path: Path) -> dict[str, Any] | None:
    try:
        return read_footer(path).provenance
    except StoreError:  # missing, or damaged: nothing that could be lost
        return None
