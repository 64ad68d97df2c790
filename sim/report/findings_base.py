"""An estimate that a question of the report looks at, with its target and its words."""

from __future__ import annotations

from dataclasses import dataclass

from sim.stats import Verdict


@dataclass(frozen=True)
class Candidate:
    """One estimate.

    Attributes
    ----------
    question : str
        A short name; of all candidates with the same one the most important is shown.
    key : str
        Of the fact.
    topic : str
        What is estimated, for an estimate that is inside its target or may be.
    above, below : str
        The finding in words where it is surely beyond the target.
    low, high : float
        The target, or the band of no practical difference; an end may be infinite.
    unit : float
        The smallest difference that matters, in the unit of the fact.
    figure : str
        That shows it.
    """

    question: str
    key: str
    topic: str
    above: str
    below: str
    low: float
    high: float
    unit: float
    figure: str = ""

    def told(self, verdict: Verdict, value: float) -> str:
        """The finding in words."""
        if verdict is Verdict.OUTSIDE:
            return self.above if value > self.high else self.below
        return f"{self.topic}: {'inside its target' if verdict is Verdict.INSIDE else 'not yet known'}"
