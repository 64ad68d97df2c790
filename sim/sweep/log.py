"""What happened to each scenario, as JSON lines outside the data: ``runs/<sweep>.log.jsonl`` in the data folder.

One line per event with the time, the event and the scenario; ``sim status`` reads it. A log that cannot be written
stops nothing: it is there to look at, not to go on from.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


def path_of(data: Path | str, name: str) -> Path:
    """The log of a sweep."""
    return Path(data) / "runs" / f"{name}.log.jsonl"


class Log:
    """Appends events to the log of a sweep.

    Parameters
    ----------
    data : path
        The data folder.
    name : str
        Name of the sweep.
    """

    def __init__(self, data: Path | str, name: str) -> None:
        self.path = path_of(data, name)

    def write(self, event: str, **more: Any) -> None:
        """Add one line; `more` is plain data, such as the scenario."""
        line = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": event, **more}
        with contextlib.suppress(OSError), open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def begin(self, **more: Any) -> None:
        """The first line of a run, on a line of its own even where a crash cut the last one short."""
        with contextlib.suppress(OSError), open(self.path, "rb+") as file:
            if file.seek(0, os.SEEK_END):
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":
                    file.write(b"\n")
        self.write("begin", host=platform.node(), pid=os.getpid(), **more)


def read(data: Path | str, name: str) -> Iterator[dict[str, Any]]:
    """The events of a sweep, oldest first; a line cut short by a crash is left out."""
    try:
        with open(path_of(data, name), encoding="utf-8", errors="replace") as file:
            for line in file:
                with contextlib.suppress(ValueError):
                    found = json.loads(line)
                    if isinstance(found, dict):
                        yield found
    except OSError:
        return
