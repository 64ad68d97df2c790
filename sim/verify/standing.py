"""How far policies are from optimal play on the panel: simulated end totals against kept exact values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from scipy import stats

from sim import games as registry
from sim.errors import InputError, unknown, whole_number
from sim.games.base import Policy
from sim.games.caterpillars.rules import LEVELS
from sim.stats import moments
from sim.sweep.counting import play_counts
from sim.verify.jobs import RESULTS

Row = dict[str, Any]
Given = str | Mapping[str, Any] | Policy


def _sheets(level: str, results: Path) -> Iterator[Row]:
    file = results / "panel.parquet"
    if not file.is_file():
        raise InputError(f"{results} holds no panel; accepted: the folder that `make exact` writes")
    if level not in LEVELS:
        raise InputError(unknown("level", level, LEVELS))
    return pl.read_parquet(file).filter(pl.col("level") == level).iter_rows(named=True)


def by_sheet(
    level: str, policy: Given, games: int, seed: int, *, workers: int = 1, results: Path = RESULTS, first: int = 0,
    last: int | None = None,
) -> pl.DataFrame:  # fmt: skip
    """What a policy makes of each sheet of the panel.

    Parameters
    ----------
    level : str
    policy : str, mapping or Policy
    games : int
        Games per sheet; every sheet has dice of its own, so errors of sheets are independent.
    seed : int
    results : Path
        Folder with the kept table ``panel``.
    first, last : int
        Sheets `first` … `last − 1` of the level, all of them if left out.

    Returns
    -------
    polars.DataFrame
        ``policy, level, setup, labels, value`` (optimum, points), ``mean, error`` (mean end total and its standard
        error, points), ``loss`` (share of the optimum that is missing), ``games``.

    Raises
    ------
    InputError
        If no panel is kept, or the level is not known.
    """
    game = registry.get("caterpillars")
    rows: list[Row] = []
    for i, kept in list(enumerate(_sheets(level, results)))[first:last]:
        labels = [int(x) for x in kept["labels"].split()]
        scenario = game.scenario({"level": level, "boxes": kept["boxes"], "sheet": labels}, [policy])
        counted = play_counts(scenario, seed=seed, games=games, by=("score",), workers=workers, first_game=i * games)[
            "counts"
        ]
        found = moments(counted["score"], counted["count"])
        rows.append(
            {
                "policy": scenario.policies[0].text(),
                "level": level,
                "setup": kept["setup"],
                "labels": kept["labels"],
                "value": kept["value"],
                "mean": found.mean,
                "error": found.sd / math.sqrt(games),
                "loss": 1.0 - found.mean / kept["value"],
                "games": games,
            }
        )
    return pl.DataFrame(rows)


def _spread(level: str, sheets: int | None, results: Path) -> list[int]:
    """Which sheets: their placements come in turn and the variation's last, so the first few would be no sample."""
    there = sum(1 for _ in _sheets(level, results))
    count = there if sheets is None else whole_number("sheets", sheets, 1, there)
    return [i * there // count for i in range(count)]


def standing(
    policies: Sequence[Given], games: int, seed: int, *, levels: Sequence[str] = LEVELS, workers: int = 1,
    results: Path = RESULTS, confidence: float = 0.95, sheets: int | None = None,
) -> pl.DataFrame:  # fmt: skip
    """How far policies are from optimal play, one row per level and policy.

    Parameters
    ----------
    policies, games, seed, workers, results
        As for `by_sheet`.
    levels : sequence of str
    confidence : float
        Level of the intervals.
    sheets : int, optional
        So many sheets of each level, spread evenly over the panel; all of them if left out.

    Returns
    -------
    polars.DataFrame
        ``level, policy, loss, low, high`` (mean over the sheets of the share of the optimum that is missing, with its
        normal interval), ``worst`` (the largest loss of a sheet), ``sheets``, ``games`` (per sheet).
    """
    rows = []
    z = float(stats.norm.ppf(0.5 + confidence / 2))
    for level in levels:
        for policy in policies:
            found = pl.concat(
                by_sheet(level, policy, games, seed, workers=workers, results=results, first=i, last=i + 1)
                for i in _spread(level, sheets, results)
            )
            loss = float(found["loss"].mean())  # type: ignore[arg-type]
            half = z * math.sqrt(float(((found["error"] / found["value"]) ** 2).sum())) / found.height
            rows.append(
                {
                    "level": level,
                    "policy": found["policy"][0],
                    "loss": loss,
                    "low": loss - half,
                    "high": loss + half,
                    "worst": float(found["loss"].max()),  # type: ignore[arg-type]
                    "sheets": found.height,
                    "games": games,
                }
            )
    return pl.DataFrame(rows)
