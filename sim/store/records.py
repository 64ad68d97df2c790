"""Run records: when, where, how long and from which commit. Kept outside the data, so that data stay the same bytes."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sim import __version__
from sim.errors import StoreError
from sim.store.provenance import libraries


def commit(folder: Path) -> str | None:
    """The git commit the code stands at, with ``+`` after it where files are changed; None outside a checkout."""
    try:
        head = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, text=True, timeout=5, check=True
        ).stdout.strip()
        changed = subprocess.run(
            ["git", "status", "--porcelain", "--untracked-files=no"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=5,
            check=True,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
    return head + ("+" if changed else "")


def append(data: Path | str, what: str, *, seconds: float, **more: Any) -> Path:
    """Add one line to ``runs/runs.jsonl`` in the data folder and return the file's path.

    Parameters
    ----------
    data : path
        The data folder.
    what : str
        What ran, in words a person can repeat.
    seconds : float
        How long it took.
    **more
        Further plain data: workers, games played and reused, outcome.
    """
    path = Path(data) / "runs" / "runs.jsonl"
    record = {
        "what": what,
        "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        **more,
        "host": platform.node(),
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "version": __version__,
        "libraries": libraries(),
        "commit": commit(Path(__file__).resolve().parent),
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a", encoding="utf-8") as file:  # one short write in append mode: lines of two runs do not mix
            file.write(json.dumps(record, sort_keys=True, ensure_ascii=False) + "\n")
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror}; accepted: a folder with room and permission"
        ) from error
    return path
