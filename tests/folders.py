"""What tests of sweeps look at: the bytes of a folder, and that something happens at last."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


def content(folder: Path) -> dict[str, bytes]:
    """Every file of a sweep: name → bytes."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until the condition holds; fail after some seconds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.005)
