"""An estimate is a number with its interval, its sample size and its method; never a bare number."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Estimate:
    """A value and how well it is known.

    Attributes
    ----------
    value, low, high : float
        The estimate and the ends of its interval.
    n : int
        Games (or pairs of games) behind it.
    level : float
        Confidence level of the interval, e.g. 0.95.
    method : str
        How the interval was computed, in a few words.
    """

    value: float
    low: float
    high: float
    n: int
    level: float
    method: str

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2

    def scaled(self, factor: float, shift: float = 0.0) -> Estimate:
        """The same estimate in another unit: every number times `factor` plus `shift`."""
        ends = sorted((self.low * factor + shift, self.high * factor + shift))
        return replace(self, value=self.value * factor + shift, low=ends[0], high=ends[1])

    def row(self, prefix: str = "") -> dict[str, float]:
        """Value and interval as columns: ``value low high``, or ``<prefix> <prefix>_low <prefix>_high``."""
        name = prefix or "value"
        ends = (f"{prefix}_low", f"{prefix}_high") if prefix else ("low", "high")
        return {name: self.value, ends[0]: self.low, ends[1]: self.high}

    def __bool__(self) -> bool:
        """Whether anything is known at all."""
        return self.n > 0 and not math.isnan(self.value)
