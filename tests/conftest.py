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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is named in ``longest.txt`` is marked as deep; a name without brackets stands for all its cases."""
    text = (Path(__file__).parent / "longest.txt").read_text(encoding="utf-8")
    named = [line for line in text.splitlines() if line and not line.startswith("#")]
    for item in items:
        name = item.nodeid.rsplit("/", 1)[-1]
        if name in named or name.split("[")[0] in named:
            item.add_marker(pytest.mark.deep)


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
