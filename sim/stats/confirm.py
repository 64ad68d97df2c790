"""Alarm, fresh seeds, verdict; and how often a procedure alarms where there is nothing to find."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sim.stats.compare import Verdict, inside
from sim.stats.estimate import Estimate
from sim.stats.proportions import wilson


@dataclass(frozen=True)
class Look:
    """One run of something that is watched: ``first`` or ``fresh``."""

    name: str
    part: str
    seed: int
    estimate: Estimate
    verdict: Verdict

    def row(self) -> dict[str, Any]:
        """As plain data, for a log."""
        return {"name": self.name, "part": self.part, "seed": self.seed, "verdict": str(self.verdict)} | asdict(
            self.estimate
        )


@dataclass(frozen=True)
class Confirmation:
    """What came of a watched quantity.

    Attributes
    ----------
    first : Look
        The run that may have alarmed.
    fresh : tuple of Look
        Runs on fresh seeds; none where there was no alarm.
    estimate : Estimate
        Of the fresh runs together, or of the first where there was no alarm.
    verdict : Verdict
        From the fresh runs alone: the first run was looked at because it was far off, so it says too much.
    candidates : int
        How many quantities were watched, of which this is one.
    """

    first: Look
    fresh: tuple[Look, ...]
    estimate: Estimate
    verdict: Verdict
    candidates: int

    @property
    def alarm(self) -> bool:
        """Whether the first run alarmed."""
        return self.first.verdict is Verdict.OUTSIDE

    def log(self) -> list[dict[str, Any]]:
        """All runs as rows, the alarm among them."""
        return [look.row() for look in (self.first, *self.fresh)]


def confirm(
    run: Callable[[int], Estimate],
    low: float,
    high: float,
    *,
    seed: int,
    fresh: Sequence[int],
    name: str = "",
    candidates: int = 1,
    log: Callable[[Mapping[str, Any]], None] | None = None,
) -> Confirmation:
    """Run once; where the result lies outside the band, run again on fresh seeds, and judge by those alone.

    One in many runs alarms by chance, and the largest of many is too large (winner's curse). The runs on fresh seeds
    were not chosen by their result, so their interval covers as it should; a wrong final "outside" needs a wrong first
    and a wrong second one.

    Parameters
    ----------
    run : callable
        seed → estimate; called with `seed` first.
    low, high : float
        The band in which nothing is the matter.
    seed : int
        Of the first run.
    fresh : sequence of int
        Seeds of the later runs, other than `seed` and all different, written down before. Their estimates are pooled,
        each weighted by its games.
    name : str
        Of the watched quantity, for the log.
    candidates : int
        Number of quantities watched, kept for the reader.
    log : callable, optional
        Called with `Look.row` of every run as soon as it is known, the alarm included.

    Returns
    -------
    Confirmation
    """
    seeds = [int(s) for s in fresh]
    if not seeds or len({seed, *seeds}) != len(seeds) + 1:
        raise ValueError(f"fresh seeds {seeds} after seed {seed}; accepted: one or more, all different and new")

    def look(part: str, at: int) -> Look:
        estimate = run(at)
        found = Look(name, part, at, estimate, inside(estimate, low, high))
        if log is not None:
            log(found.row())
        return found

    first = look("first", seed)
    if first.verdict is not Verdict.OUTSIDE:
        return Confirmation(first, (), first.estimate, first.verdict, candidates)
    later = tuple(look("fresh", at) for at in seeds)
    pooled = _pool([found.estimate for found in later])
    return Confirmation(first, later, pooled, inside(pooled, low, high), candidates)


def _pool(estimates: Sequence[Estimate]) -> Estimate:
    """Mean of independent estimates of one quantity, weighted by games."""
    if len(estimates) == 1:
        return estimates[0]
    n = sum(e.n for e in estimates)
    if n == 0:
        return estimates[0]
    value = sum(e.n * e.value for e in estimates if e) / n
    # each side of the interval for itself: not all intervals are symmetric
    below = math.sqrt(sum((e.n * (e.value - e.low)) ** 2 for e in estimates)) / n
    above = math.sqrt(sum((e.n * (e.high - e.value)) ** 2 for e in estimates)) / n
    method = f"{estimates[0].method}, {len(estimates)} seeds together"
    return Estimate(value, value - below, value + above, n, estimates[0].level, method)


@dataclass(frozen=True)
class FalseAlarms:
    """How often a procedure alarmed where both sides were alike.

    Attributes
    ----------
    any : Estimate
        Share of runs with an alarm anywhere: the false-alarm rate of the whole.
    each : dict of str to Estimate
        Share of runs in which this claim alarmed.
    mean : float
        Alarms per run.
    runs : int
    """

    any: Estimate
    each: Mapping[str, Estimate]
    mean: float
    runs: int


def false_alarms(run: Callable[[int], Mapping[str, bool]], seeds: Iterable[int], level: float = 0.95) -> FalseAlarms:
    """A/A test of a whole procedure: run it where nothing differs, and count its alarms.

    Parameters
    ----------
    run : callable
        seed → claim → whether it alarmed. It does all that is done with real data, with the same policy under both
        names or with seats relabelled by lot, so that every alarm is false.
    seeds : iterable of int

    Returns
    -------
    FalseAlarms
        With Wilson's intervals; the rule of three where there was no alarm.
    """
    told = [dict(run(int(seed))) for seed in seeds]
    if not told:
        raise ValueError("no seeds; accepted: at least one")
    names = list(told[0])
    if any(list(t) != names for t in told):
        raise ValueError("runs with different claims; accepted: the same claims in every run")
    n = len(told)
    each = {name: wilson(sum(bool(t[name]) for t in told), n, level) for name in names}
    anywhere = wilson(sum(any(t.values()) for t in told), n, level)
    return FalseAlarms(anywhere, each, sum(sum(map(bool, t.values())) for t in told) / n, n)
