"""Who writes in the folder of a sweep: one run at a time, and anybody may ask whether there is one."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from sim.errors import StoreError, SweepError


def path_of_lock(data: Path, name: str) -> Path:
    """The file that a run holds while it writes in the folder of a sweep."""
    return data / "runs" / f"{name}.lock"


def is_running(data: Path, name: str) -> bool:
    """Whether a run holds the lock of a sweep at this moment."""
    try:
        import fcntl

        with open(path_of_lock(data, name)) as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                return True
    except (ImportError, OSError):
        pass
    return False


@contextlib.contextmanager
def locked(data: Path, name: str) -> Iterator[None]:
    """Hold the folder of a sweep; a second run in it is refused. The lock lies outside: the folder holds data alone."""
    try:
        import fcntl
    except ImportError:  # no such lock on this system: two runs would only do the work twice, every file is whole
        yield
        return
    try:
        (data / "runs").mkdir(parents=True, exist_ok=True)
        handle = open(path_of_lock(data, name), "w")
    except OSError as error:
        raise StoreError(
            f"cannot write in {data}: {error.strerror}; accepted: a folder with room and permission"
        ) from None
    with handle:
        for again in (True, True, False):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if not again:
                    raise SweepError(
                        f"sweep data {data / name} is being written by another run; accepted: one run at a time"
                    ) from None
                time.sleep(0.05)  # `sim status` holds it for a moment to see whether anybody does
        yield
