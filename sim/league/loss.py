"""How much a Caterpillars policy loses against optimal play, on labelled sheets whose exact value is kept.

At beginner both values are exact. Above, the optimum is exact (at expert bounded from above), and the policy is
simulated, because solving it takes minutes a sheet: the interval is that of the simulation.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from sim.errors import StoreError
from sim.games.caterpillars.exact.played import solve_policy
from sim.games.caterpillars.rules import CaterpillarsRules
from sim.league.means import measure
from sim.store.load import read_footer

#: sheets of the panel that policies are solved on; each takes some seconds a policy
PANEL = 8


@dataclass(frozen=True)
class Loss:
    """What is lost against optimal play, in points per 100 of the optimum.

    Attributes
    ----------
    value, low, high : float
        The mean over the sheets, and its interval; equal where both values are exact.
    sheets : int
    against : str
        What it is measured against: ``exact value`` or ``upper bound``.
    """

    value: float
    low: float
    high: float
    sheets: int
    against: str


@dataclass(frozen=True)
class Sheet:
    """A full labelled sheet and the value (or a bound) of optimal play on it."""

    labels: tuple[int, ...]
    value: float
    against: str


def sheets(level: str, folder: Path | str) -> list[Sheet]:
    """Full sheets with a known value of optimal play, labelled in the standard set-up, from ``data/exact``.

    Raises
    ------
    StoreError
    """
    name = {"advanced": "advanced", "expert": "bracket"}.get(level, "panel")
    path = Path(folder) / f"{name}.parquet"
    if not path.exists():
        raise StoreError(f"{path} is missing; accepted: the folder of exact answers, data/exact")
    read_footer(path)  # damaged and foreign files are told in one line
    frame = pl.read_parquet(path)
    if name == "panel":
        frame = frame.filter((pl.col("level") == level) & (pl.col("setup") == "standard")).head(PANEL)
    elif name == "advanced":
        frame = frame.filter(~pl.col("filled").str.contains("1"))
    else:
        frame = frame.filter((pl.col("boxes") == 4) & (pl.col("side") == "upper"))
    against = "upper bound" if name == "bracket" else "exact value"
    return [Sheet(tuple(map(int, row["labels"].split())), row["value"], against) for row in frame.iter_rows(named=True)]


def losses(
    level: str, policies: Sequence[str], folder: Path | str, *, seed: int = 1, games: int = 100_000, workers: int = 1
) -> list[Loss]:
    """What each policy loses on the sheets of a level.

    Parameters
    ----------
    level : str
    policies : sequence of str
        Solved exactly at beginner, simulated above.
    folder : path
        Where the exact answers are: ``data/exact``.
    seed, games : int
        Games per sheet where the policy has to be simulated.
    workers : int
        Threads; the result does not depend on it.
    """
    known = sheets(level, folder)
    simulated = level != "beginner"
    best = sum(sheet.value for sheet in known)
    if simulated:
        lost = [[0.0, 0.0] for _ in policies]  # points, and variance of the half-width
        for sheet in known:
            rules = CaterpillarsRules.parse({"level": level, "sheet": list(sheet.labels)})
            assert isinstance(rules, CaterpillarsRules)
            for at, found in zip(lost, measure(rules, policies, seed, 0, games, workers), strict=True):
                at[0] += sheet.value - found.mean.value
                at[1] += found.mean.half_width**2
        values = [(points / best, variance**0.5 / best) for points, variance in lost]
    else:

        def exact(task: tuple[str, Sheet]) -> float:
            policy, sheet = task
            rules = {"level": level, "sheet": list(sheet.labels)}
            return sheet.value - solve_policy(rules, sheet.labels, policy, workers=1).value

        with ThreadPoolExecutor(workers) as pool:
            values = [(sum(pool.map(exact, [(p, s) for s in known])) / best, 0.0) for p in policies]
    against = known[0].against
    return [Loss(100 * v, 100 * (v - w), 100 * (v + w), len(known), against) for v, w in values]
