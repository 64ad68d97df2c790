"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# the first call of a kernel compiles for seconds: no time limit per example
settings.register_profile("default", deadline=None, derandomize=True)
settings.load_profile("default")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    """The toy game, in the registry for the length of a test."""
    import sys

    import toy as module

    import sim.games

    monkeypatch.setattr(sim.games, "REGISTRY", (*sim.games.REGISTRY, "toy"))
    monkeypatch.setitem(sys.modules, "sim.games.toy", module)
    yield module.GAME
    sim.games._load.cache_clear()
