"""The only place with compiler options.

`@jit` compiles a kernel function: no Python objects, no interpreter lock, compiled code kept on disk. Set the
environment
variable ``SIM_JIT=0`` to run every kernel as plain Python (slow; the tests compare the two lanes).

The compiler's own disk cache checks one file only and serves stale code when a callee, a record layout or a constant in
another file has changed. The cache folder is therefore named by the content of all kernel sources.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

PACKAGE = Path(__file__).resolve().parent.parent
COMPILED = os.environ.get("SIM_JIT", "1") != "0"


@cache
def source_hash(game: str | None = None) -> str:
    """Hash of the kernel sources: the engine and one game's folder, or all games' (12 hex digits)."""
    folder = PACKAGE / "games" if game is None else PACKAGE / "games" / game
    files = sorted((PACKAGE / "engine").rglob("*.py")) + sorted(folder.rglob("*.py"))
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(PACKAGE).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def _forget_old(parent: Path, keep: int = 3, days: float = 7.0) -> None:
    """Remove code compiled from older sources: all but the `keep` youngest folders, and none younger than `days`."""
    folders = sorted((f for f in parent.glob("*") if f.is_dir()), key=lambda f: f.stat().st_mtime, reverse=True)
    for folder in folders[keep:]:
        if time.time() - folder.stat().st_mtime > days * 86400:
            shutil.rmtree(folder, ignore_errors=True)


def _cache_folder() -> str:
    # beside the libraries it was compiled with: gone with the environment, and never met by another checkout
    own = str(Path(sys.prefix) / "cache") if sys.prefix != sys.base_prefix else ""
    base = os.environ.get("SIM_CACHE_DIR") or own or os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(base) / "caterpillar-table-lab" / source_hash()
    try:
        if not folder.exists():
            _forget_old(folder.parent)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:  # read-only home: compile once per process instead of failing
        folder = Path(tempfile.mkdtemp(prefix="sim-kernels-"))
    return str(folder)


CACHE_FOLDER = ""
if COMPILED:
    CACHE_FOLDER = _cache_folder()
    numba.config.CACHE_DIR = CACHE_FOLDER


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` for kernels; with ``SIM_JIT=0`` return it unchanged."""
    if not COMPILED:
        return function
    compiled: Callable[..., Any] = numba.njit(nogil=True, cache=True, error_model="numpy")(function)
    return compiled
