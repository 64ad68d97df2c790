"""Timing side by side: contenders take turns, so that a busy machine slows all of them alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Spread:
    """A median with the least and the greatest value over repetitions."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> Spread:
        return cls(median(values), min(values), max(values))

    def plain(self) -> dict[str, float]:
        """For JSON."""
        return {"median": self.median, "min": self.low, "max": self.high}


@dataclass(frozen=True)
class Timed:
    """Seconds per unit of work of each contender, one value per repetition."""

    seconds: Mapping[str, list[float]]

    def rate(self, name: str) -> Spread:
        """Units per second."""
        return Spread.of([1 / s for s in self.seconds[name]])

    def speed_ratio(self, name: str, base: str) -> Spread:
        """How many times as fast as `base`; each ratio is taken within one repetition."""
        pairs = zip(self.seconds[name], self.seconds[base], strict=True)
        return Spread.of([theirs / ours for ours, theirs in pairs])


def interleave(contenders: Mapping[str, Callable[[], float]], repetitions: int) -> Timed:
    """Time contenders in turns.

    Parameters
    ----------
    contenders : mapping of str to callable
        Each does its work and returns how many units (games) it did. Each is called once before the clock runs.
    repetitions : int
        The order changes by one place from repetition to repetition.
    """
    names = list(contenders)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for name in names:
        contenders[name]()
    for repetition in range(repetitions):
        shift = repetition % len(names)
        for name in names[shift:] + names[:shift]:
            start = time.perf_counter()
            units = contenders[name]()
            seconds[name].append((time.perf_counter() - start) / units)
    return Timed(seconds)


def units_for(work: Callable[[int], object], first: int, seconds: float) -> int:
    """How many units `work` does in about so many seconds, found by trying; at least `first`."""
    units = first
    while True:
        start = time.perf_counter()
        work(units)
        taken = time.perf_counter() - start
        if taken >= seconds / 2:
            return max(first, int(units * seconds / taken))
        units *= 2
