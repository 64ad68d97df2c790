"""Progress of long work: a bar on a terminal, plain lines elsewhere, nothing where nobody asked."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, TextIO

#: seconds between two plain lines
EVERY = 10.0


def duration(seconds: float) -> str:
    """A time span for people."""
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def rate(games: float, seconds: float) -> str:
    """Games per second for people."""
    value = games / max(seconds, 1e-9)
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.2f} {unit} games/s"
    return f"{value:.0f} games/s"


class Progress:
    """Counts work done and tells how fast it goes and how long it will take.

    Parameters
    ----------
    title : str
    work : float
        All work to be done, in expected seconds of one core: scenarios differ too much in speed to count games.
    show : bool
    stream : text stream, default stderr
    """

    def __init__(self, title: str, work: float, *, show: bool = True, stream: TextIO | None = None) -> None:
        self.title = title
        self.work = max(work, 1e-9)
        self.done = 0.0
        self.games = 0
        #: scenarios done and failed, where that is known
        self.scenarios: tuple[int, int] | None = None
        #: seconds after which the run ends whatever is done, where there is such a limit
        self.limit: float | None = None
        self.show = show
        self.stream = stream or sys.stderr
        self.begun = self._told = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        if self.show and self.stream.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:3.0f} %  {task.fields[rate]}  left"),
                TimeRemainingColumn(),
                console=Console(file=self.stream),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self.title, total=self.work, rate="")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, games: int, work: float) -> None:
        """Note that `games` more games were recorded, worth `work`."""
        self.games += games
        self.done += work
        if not self.show:
            return
        now = time.monotonic()
        if self._bar is not None:
            told = rate(self.games, now - self.begun)
            if self.scenarios is not None:
                told += f"  {self.scenarios[0]:,} done" + (
                    f", {self.scenarios[1]:,} failed" if self.scenarios[1] else ""
                )
            self._bar.update(self._task, completed=self.state(now)["share"], total=1.0, rate=told)
        elif now - self._told >= EVERY:
            self._told = now
            self.say(self.line(now))

    def line(self, now: float) -> str:
        """How it stands, in one line."""
        state = self.state(now)
        counted = ""
        if self.scenarios is not None:
            done, failed = self.scenarios
            counted = f", {done:,} scenarios done" + (f", {failed:,} failed" if failed else "")
        return (
            f"{self.title}: {state['share']:.0%}{counted}, {self.games:,} games, "
            f"{rate(self.games, now - self.begun)}, about {duration(state['left'])} left"
        )

    def state(self, now: float) -> dict[str, Any]:
        """How it stands, as plain data: share done, games, games a second, seconds left, scenarios done and failed."""
        seconds = max(now - self.begun, 1e-9)
        share = min(self.done / max(self.work, 1e-9), 1.0)
        if self.limit is not None:
            share = max(share, min(seconds / self.limit, 1.0))
        done, failed = self.scenarios or (0, 0)
        return {
            "share": round(share, 4),
            "games": self.games,
            "rate": round(self.games / seconds, 1),
            "left": round(seconds * (1 - share) / share if share > 0 else 0.0, 1),
            "done": done,
            "failed": failed,
        }

    def say(self, text: str) -> None:
        """A line of its own, above the bar where there is one."""
        if not self.show:
            return
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)
        else:
            print(text, file=self.stream, flush=True)
