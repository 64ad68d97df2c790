"""A laboratory for the games of *Caterpillars*, *Karolinchen* and Parlett's *Caterpillar*.

The public names are looked up when they are first used, so that ``import sim`` costs next to nothing: no compiler, no
frames, no plotting.

>>> import sim
>>> sim.games()
['caterpillars', 'karolinchen', 'parlett']
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

__version__ = "0.1.0"

#: public functions and where they live
_PUBLIC = (
    "simulate",
    "summarise",
    "rounds",
    "adjusted",
    "trace",
    "solve",
    "sweep",
    "load",
    "compare",
    "describe",
    "games",
    "scenarios",
    "sql",
    "tournament",
    "tune",
    "policy",
    "parameter",
    "load_policies",
    "win_paths",
    "jit",
)

__all__ = ["__version__", *_PUBLIC]


class _CallableModule(ModuleType):
    """``sim.games`` and ``sim.sweep`` are packages *and* public functions: calling the package calls the function."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from sim import api

        return getattr(api, self.__name__.rpartition(".")[2])(*args, **kwargs)


class _Package(ModuleType):
    def __setattr__(self, name: str, value: object) -> None:
        # the import system binds a sub-package here as soon as anything imports it
        if name in ("games", "sweep") and isinstance(value, ModuleType):
            value.__class__ = _CallableModule
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name in ("games", "sweep"):
        from importlib import import_module

        return import_module(f"sim.{name}")
    if name in _PUBLIC:
        from sim import api

        return getattr(api, name)
    raise AttributeError(f"module 'sim' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])
