"""The manifest of a sweep: what each scenario is, which files hold it. Written last: its presence means *complete*."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sim.errors import StoreError
from sim.store.load import Footer, read_columns
from sim.store.parquet import write_bytes
from sim.store.parts import part_of
from sim.store.provenance import fingerprint
from sim.sweep.plan import Cell, Plan
from sim.sweep.precision import limits, reached

NAME = "manifest.json"

#: the same for a sweep that is not finished: what there is so far
PARTIAL = "partial.json"


def budget(plan: Plan) -> dict[str, Any]:
    """What may end its scenarios before they have all their games: ``until``, ``minutes``, or nothing."""
    found: dict[str, Any] = {}
    if plan.conditions:
        found["until"] = [c.text() for c in plan.conditions]
    if plan.spec.minutes is not None:
        found["minutes"] = plan.spec.minutes
    return found


def head(plan: Plan) -> dict[str, Any]:
    """What the sweep is, without its files."""
    spec = plan.spec
    return {
        "sweep": spec.name,
        "title": spec.title,
        "game": spec.game,
        "seed": spec.seed,
        "first_game": spec.first_game,
        "detail": spec.detail,
        "by": list(plan.by),
        **({"regret": True} if spec.regret else {}),
        **budget(plan),
        "notes": plan.notes,
        "aliases": plan.aliases,
    }


def clash(folder: Path, plan: Plan) -> str:
    """What a run of `plan` would take away from a finished sweep in its folder; an empty text where nothing is lost."""
    try:
        found = read(folder)
    except StoreError:
        return ""
    now = head(plan)
    for key in ("game", "seed", "first_game", "detail", "regret"):
        if found.get(key, False) != now.get(key, False):
            return f"{key} = {found.get(key, False)} (now {now.get(key, False)})"
    if plan.conditions or plan.spec.minutes is not None:
        return ""  # how far each went is told by its files
    planned = {cell.id: cell.games for cell in plan.cells}
    for scenario in found["scenarios"]:
        if planned.get(scenario["scenario"], scenario["games"]) < scenario["games"]:
            return f"{scenario['games']:,} games of a scenario (now {planned[scenario['scenario']]:,})"
    return ""


def same(folder: Path, plan: Plan) -> bool:
    """Whether a sweep whose end depends on the clock stands there finished, with all its files."""
    if plan.spec.minutes is None:
        return False
    try:
        found = read(folder)
        listed = {e["scenario"]: e for e in found["scenarios"]}
        return all(found.get(k) == v for k, v in head(plan).items()) and all(
            fingerprint(part_of(folder, file).provenance) == file["provenance"]
            for cell in plan.cells
            for file in listed[cell.id]["files"]
        )
    except (StoreError, KeyError):
        return False


def build(plan: Plan, files: Mapping[str, list[tuple[str, Footer]]], folder: Path) -> dict[str, Any]:
    """The whole manifest; `files` lists (table, footer) by scenario id. Scenarios without files are left out."""
    scenarios = []
    for cell in plan.cells:
        if cell.id not in files:
            continue
        listed = [
            {
                "table": table,
                "path": footer.path.relative_to(folder).as_posix(),
                "rows": footer.rows,
                "provenance": fingerprint(footer.provenance),
                **({"start": footer.start} if footer.start is not None else {}),
            }
            for table, footer in files[cell.id]
        ]
        entry = cell.describe()
        if plan.spec.detail == "summary":
            footers = dict(files[cell.id])
            entry["games"] = footers["counts"].provenance["games"]
            if plan.conditions:
                entry["precision"] = _precision(cell, plan, footers)
            if plan.conditions or plan.spec.minutes is not None:
                entry["ended_by"] = _ended_by(entry, cell.games)
        scenarios.append({**entry, "files": listed})
    return {**head(plan), "scenarios": scenarios}


def _precision(cell: Cell, plan: Plan, footers: Mapping[str, Footer]) -> list[dict[str, Any]]:
    """What a scenario knew when it stopped."""
    tables = {table: read_columns(footer) for table, footer in footers.items()}
    looks = plan.looks(cell.games)
    at = looks.index(footers["counts"].provenance["games"])
    return reached(plan.conditions, tables, looks, at, limits(cell.scenario, cell.pairs))


def _ended_by(entry: Mapping[str, Any], most: int) -> str:
    """What ended a scenario that need not play all its games: ``precision``, ``games`` or ``minutes``."""
    found = entry.get("precision", ())
    if found and all(told["met"] for told in found):
        return "precision"
    return "games" if entry["games"] >= most else "minutes"


def encode(manifest: dict[str, Any]) -> bytes:
    """The text of a manifest as it stands in the file."""
    return (json.dumps(manifest, indent=1, ensure_ascii=False, sort_keys=False) + "\n").encode()


def write(folder: Path, manifest: dict[str, Any], name: str = NAME) -> None:
    """Write the manifest unless the same text is there already (an unchanged file keeps its time)."""
    path = folder / name
    content = encode(manifest)
    if not path.is_file() or path.read_bytes() != content:
        write_bytes(path, content)


def write_partial(folder: Path, plan: Plan, manifest: Mapping[str, Any]) -> None:
    """Write what is finished of a sweep that is not; ``planned`` tells how many scenarios there will be."""
    scenarios = manifest["scenarios"]
    rest = {key: value for key, value in manifest.items() if key != "scenarios"}
    write(folder, {**rest, "planned": len(plan.cells), "scenarios": scenarios}, PARTIAL)


def _is_manifest(found: Any) -> bool:
    """Whether it has the form of a manifest, so that readers need not ask."""
    if not isinstance(found, dict) or not {"sweep", "game", "seed", "detail", "scenarios"} <= found.keys():
        return False
    entries = found["scenarios"]
    keys = {"scenario", "label", "games", "seats", "rules", "policies", "files"}
    return isinstance(entries, list) and all(isinstance(entry, dict) and keys <= entry.keys() for entry in entries)


def read(folder: Path, *, partial: bool = False) -> dict[str, Any]:
    """The manifest of a finished sweep; StoreError where there is none.

    Parameters
    ----------
    folder : Path
    partial : bool
        Be content with what is finished of a sweep that is not.
    """
    path = folder / NAME
    if partial and not path.exists():
        path = folder / PARTIAL
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        what = "has no list of what is done" if partial else "is not finished"
        what = what if folder.is_dir() else "is not there"
        more = "" if partial or not (folder / PARTIAL).exists() else "; partial=True reads what is done"
        raise StoreError(
            f"sweep data {folder} {what}"
            f"; accepted: the folder of a finished sweep (sim sweep FILE goes on where it stopped{more})"
        ) from None
    except (OSError, ValueError) as error:
        raise StoreError(f"{path} cannot be read ({error}); accepted: a manifest written by sim sweep") from None
    if not _is_manifest(found):
        raise StoreError(f"{path} is not a manifest; accepted: a manifest written by sim sweep")
    return found
