"""Stopping cleanly: the first Ctrl-C asks, the second insists."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class Interrupted(KeyboardInterrupt):
    """A run that was asked to stop, stopped cleanly and can go on later; its text says how."""


class Stop:
    """A context in which SIGINT and SIGTERM set a flag instead of breaking off; call it to read the flag.

    A second signal raises `KeyboardInterrupt` at once. Outside the main thread it only is a flag.
    """

    def __init__(self) -> None:
        self.asked = False
        self._before: dict[int, Any] = {}

    def __call__(self) -> bool:
        return self.asked

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def __enter__(self) -> Stop:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._ask)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
