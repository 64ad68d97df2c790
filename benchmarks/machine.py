"""What the numbers were measured on: processor, system, versions. No host name, no date."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.c_program import FLAGS, compiler, compiler_version


def processor() -> str:
    """Model name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def busy() -> bool:
    """Whether other work keeps the cores busy: then absolute speeds and the gain of a second worker mean little."""
    return hasattr(os, "getloadavg") and os.getloadavg()[0] > 0.5 * cores()


def describe() -> dict[str, str]:
    """Everything worth knowing about the machine, by name."""
    return {
        "processor": processor(),
        "cores": str(cores()),
        "load at the start": f"{os.getloadavg()[0]:.2f}" if hasattr(os, "getloadavg") else "unknown",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        **{name: _version(name) for name in ("numba", "numpy", "polars", "pyarrow", "open-spiel")},
        "C compiler": f"{compiler_version()} {' '.join(FLAGS)}" if compiler() else "none found",
    }


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this thread, and threads it starts, on one core where the system allows it."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)
