"""Candidates for the levels of Caterpillars: rules that make a step larger, set-ups that make choosing worth more."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from sim import stats
from sim.analysis.candidates import SCHEMA, Allowed, Games, candidate, line
from sim.analysis.frames import table
from sim.errors import InputError
from sim.stats import Estimate


@dataclass(frozen=True)
class Step:
    """A step between two levels, seen by one policy at each, and how it is measured."""

    lower: str
    higher: str
    lower_policy: str
    higher_policy: str
    measure: str
    floor: str = "random"

    def size(self, games: Games, lower: str, higher: str, floors: tuple[str, str] | None, level: float) -> Estimate:
        """The step between two scenarios; `floors` are those of somebody who does not choose, for ``choice``."""
        a, b = games.sample(lower, "score"), games.sample(higher, "score")
        if self.measure == "spread":
            return line([(1, stats.spread(*b, level)), (-1, stats.spread(*a, level))])
        parts = [(1.0, stats.mean(*b, level)), (-1.0, stats.mean(*a, level))]
        if self.measure == "choice":
            assert floors is not None
            low, high = (stats.mean(*games.sample(f, "score"), level) for f in floors)
            parts += [(-1.0, high), (1.0, low)]
        return line(parts)


def step_candidates(
    games: Games,
    question: str,
    step: Step,
    threshold: float,
    allowed: Allowed,
    smallest: float,
    level: float = 0.95,
) -> pl.DataFrame:
    """Which single rule of the higher level would make a step larger?

    Parameters
    ----------
    games : Games
        One-factor variants at the higher level and the printed rules at both, with the policies of the step (and, for
        ``choice``, with the floor policy).
    step : Step
        Measures ``score``, ``spread`` or ``choice``.
    threshold : float
        The smallest step worth having.
    allowed : mapping
        Rule parameters that may change → their settings, or ``all`` that were played.
    smallest : float
        The smallest gain that matters.

    Returns
    -------
    polars.DataFrame
        `SCHEMA`; `cost` is the size of the step, so that the smallest one that is enough is the mildest.
    """
    plain = {"factor": ""}
    lower = games.id(level=step.lower, seat0=step.lower_policy, **plain)
    base = games.id(level=step.higher, seat0=step.higher_policy, **plain)
    floors = tuple(games.id(level=at, seat0=step.floor, **plain) for at in (step.lower, step.higher))
    if lower is None or base is None or (step.measure == "choice" and None in floors):
        raise InputError(
            f"the printed rules were not played at {step.lower} and {step.higher} by {step.lower_policy}, "
            f"{step.higher_policy} and {step.floor}; accepted: a sweep in which they were"
        )
    rows = []
    before = step.size(games, lower, base, floors, level)  # type: ignore[arg-type]
    for scenario, factor, setting in games.varied(allowed, level=step.higher, seat0=step.higher_policy):
        told = {"factor": factor, "value": setting}
        floor = games.id(level=step.higher, seat0=step.floor, **told)
        if step.measure == "choice" and floor is None:
            continue
        after = step.size(games, lower, scenario, (floors[0], floor), level)  # type: ignore[arg-type]
        if step.measure == "spread":
            pair = [stats.spread(*games.sample(s, "score"), level) for s in (scenario, base)]
            gain = line([(1, pair[0]), (-1, pair[1])])
        else:
            gain = games.change(scenario, base, "score", level)
            if step.measure == "choice":
                gain = line([(1, gain), (-1, games.change(str(floor), str(floors[1]), "score", level))])
        found = {
            "question": question,
            "measure": step.measure,
            "at": step.higher,
            "factor": factor,
            "setting": setting,
            "scenario": scenario,
            "against": base,
            "cost": after.value,
            "smallest": smallest,
        }
        rows.append(candidate(found, after, before, gain, (threshold, math.inf)))
    return table(rows, SCHEMA)


def setup_candidates(
    games: Games,
    question: str,
    policies: Mapping[str, str],
    threshold: float,
    smallest: float,
    floor: str = "random",
    level: float = 0.95,
) -> pl.DataFrame:
    """At which level does the set-up variation make choosing worth more?

    Parameters
    ----------
    games : Games
        Every level with both set-ups, paired.
    policies : mapping
        level → the policy that chooses well there.
    threshold : float
        Rise of the worth of choosing (points gained over the floor policy) worth having.

    Returns
    -------
    polars.DataFrame
        `SCHEMA`, one row per level (`at`); `cost` is what the floor policy loses, in points.
    """
    rows = []
    for at, policy in policies.items():
        ids = [
            games.id(level=at, setup="variation", factor="setup", seat0=p)  # one factor of several
            or games.id(level=at, setup="variation", factor="", seat0=p)  # or a sweep of its own
            if s == "variation"
            else games.id(level=at, setup=s, factor="", seat0=p)
            for p in (policy, floor)
            for s in ("variation", "standard")
        ]
        if None in ids:
            continue
        well, any_ = (games.change(str(a), str(b), "score", level) for a, b in (ids[:2], ids[2:]))
        gain = line([(1, well), (-1, any_)])
        found = {
            "question": question,
            "measure": "choice",
            "at": at,
            "factor": "setup",
            "setting": "variation",
            "scenario": ids[0],
            "against": ids[1],
            "cost": -any_.value,
            "smallest": smallest,
        }
        none = Estimate(0.0, 0.0, 0.0, gain.n, level, "as printed")
        rows.append(candidate(found, gain, none, gain, (threshold, math.inf)))
    return table(rows, SCHEMA)
