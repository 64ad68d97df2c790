"""Handicaps that the rules of Karolinchen know: who has which tail, and who rolls first. Exact, for two players."""

from __future__ import annotations

from typing import Any

import polars as pl


def fair_tails(policy: str, workers: int = 2) -> pl.DataFrame:
    """Every line-up of two tails and both readings of the opening, the fairest first; no sampling.

    Parameters
    ----------
    policy : str
        Played in both seats.

    Returns
    -------
    polars.DataFrame
        Columns start_0, start_1 (colours of the tails; null where they are drawn at random), opening, win_0 (the first
        player's chance), gap (departure from one half), turns_mean, error_bound; sorted by gap.
    """
    from sim.games.karolinchen.exact.solution import solve_race  # the compiler comes in with it

    parts = []
    for opening in ("open", "own_roll"):
        solved: Any = solve_race({"opening": opening}, [policy] * 2, workers)
        drawn = pl.DataFrame(
            {"start_0": [None], "start_1": [None], "win_0": [float(solved.win[0])], "turns_mean": [solved.turns_mean]},
            schema_overrides={"start_0": pl.Int64, "start_1": pl.Int64},
        )
        told = solved.by_start.select("start_0", "start_1", "win_0", "turns_mean")
        both = pl.concat([drawn, told.cast({"start_0": pl.Int64, "start_1": pl.Int64})])
        parts.append(both.with_columns(opening=pl.lit(opening), error_bound=pl.lit(float(solved.error_bound))))
    frame = pl.concat(parts).with_columns(gap=(pl.col("win_0") - 0.5).abs())
    order = ["start_0", "start_1", "opening", "win_0", "gap", "turns_mean", "error_bound"]
    return frame.sort("gap", maintain_order=True).select(order)
