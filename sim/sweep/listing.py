"""What lies in a data folder: its sweeps, and the scenarios of one, from the manifests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sim.errors import StoreError
from sim.sweep import manifest
from sim.sweep.status import place


def sweeps(data: str | Path = "data") -> list[dict[str, Any]]:
    """One row per sweep in a data folder: sweep, title, game, scenarios, games, bytes, detail, seed, complete.

    Of a sweep that is not finished, ``scenarios`` and ``games`` are what is done of it. A manifest that cannot be read
    is listed with ``title`` saying so.
    """
    rows = []
    folders = {path.parent for name in (manifest.NAME, manifest.PARTIAL) for path in Path(data).glob(f"*/{name}")}
    for folder in sorted(folders):
        try:
            found = manifest.read(folder, partial=True)
        except StoreError as error:
            empty = dict.fromkeys(("game", "scenarios", "games", "bytes", "detail", "seed"))
            rows.append({"sweep": folder.name, **empty, "complete": False, "title": str(error)})
            continue
        entries = found["scenarios"]
        rows.append(
            {
                "sweep": folder.name,
                "game": found["game"],
                "scenarios": len(entries),
                "games": sum(entry["games"] for entry in entries),
                "bytes": sum(_size(folder / path) for path in {f["path"] for e in entries for f in e["files"]}),
                "detail": found["detail"],
                "seed": found["seed"],
                "complete": "planned" not in found,
                "title": found["title"],
            }
        )
    return rows


def _size(path: Path) -> int:
    """Bytes of a file that a manifest names; none where it is gone."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def contents(sweep: str | Path, *, data: str | Path = "data") -> list[dict[str, Any]]:
    """One row per scenario of a sweep, or of what is done of it: id, label, games, rows by table, what ended it."""
    home, name = place(sweep, data)
    return [
        {
            "scenario": entry["scenario"],
            "label": entry["label"],
            "games": entry["games"],
            "rows": _rows(entry),
            **({"ended_by": entry["ended_by"]} if "ended_by" in entry else {}),
        }
        for entry in manifest.read(home / name, partial=True)["scenarios"]
    ]


def _rows(entry: dict[str, Any]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for file in entry["files"]:
        counted[file["table"]] = counted.get(file["table"], 0) + file["rows"]
    return counted
