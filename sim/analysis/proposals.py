"""From many candidates to one proposal, and from fresh games to a verdict about it.

The best of many is too good: its luck was picked with it (winner's curse). So the rule that picks is written down
before, how many were compared is kept, and the proposal is judged by games on dice that had no part in picking it
(`sim.stats.confirm`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from sim import stats
from sim.analysis.candidates import SCHEMA
from sim.stats import Estimate, Verdict

#: what comes of looking for something better
ENOUGH, NOTHING, PROPOSAL = "good as printed", "nothing better", "proposal"

#: columns of a pick or a verdict: a candidate, with how it came to be chosen
PICK: dict[str, Any] = {**SCHEMA, "status": pl.String, "compared": pl.Int64, "better": pl.Int64, "enough": pl.Int64}


@dataclass(frozen=True)
class Pick:
    """What the rule chose.

    Attributes
    ----------
    status : str
        ``proposal``; ``good as printed``, where the printed rules surely reach the target; ``nothing better``.
    row : dict
        The candidate's row (of `sim.analysis.candidates`); where there is none, what is known of the printed rules.
    compared, better, enough : int
        Candidates looked at; surely better by the smallest difference that matters; of these, surely on target.
    """

    status: str
    row: dict[str, Any]
    compared: int
    better: int
    enough: int

    def record(self) -> dict[str, Any]:
        """As one row with the columns `PICK`."""
        return {
            **self.row,
            "status": self.status,
            "compared": self.compared,
            "better": self.better,
            "enough": self.enough,
        }


def pick(candidates: pl.DataFrame, question: str = "") -> Pick:
    """The candidate that the rule chooses.

    The rule: a candidate counts if it is better than the printed rules by more than the smallest difference that
    matters, with its whole interval. Of those that surely reach the target the mildest is taken; where none does, the
    one that gains most. Where the printed rules surely reach the target already, nothing is proposed.

    Parameters
    ----------
    candidates : polars.DataFrame
        Rows of one question, as the functions of `sim.analysis.candidates` return them.
    question : str
        Name to keep where there is not a single candidate.
    """
    if candidates.is_empty():
        return Pick(NOTHING, dict.fromkeys(SCHEMA) | {"question": question}, 0, 0, 0)
    rows = candidates.to_dicts()
    better = [row for row in rows if row["gain_low"] > row["smallest"]]
    enough = [row for row in better if row["reaches"] == Verdict.INSIDE]
    sizes = (len(rows), len(better), len(enough))
    if rows[0]["base_reaches"] == Verdict.INSIDE:
        return Pick(ENOUGH, _printed(rows[0]), *sizes)
    if enough:
        return Pick(PROPOSAL, min(enough, key=lambda row: row["cost"]), *sizes)
    if better:
        return Pick(PROPOSAL, max(better, key=lambda row: row["gain"]), *sizes)
    return Pick(NOTHING, _printed(rows[0]), *sizes)


def _printed(row: dict[str, Any]) -> dict[str, Any]:
    """What a row says about the printed rules alone."""
    kept = ("question", "measure", "smallest", "target_low", "target_high", "base", "base_low", "base_high", "n")
    return dict.fromkeys(SCHEMA) | {name: row[name] for name in (*kept, "base_reaches")}


def gain_of(row: dict[str, Any], level: float = 0.95) -> Estimate:
    """The gain of a candidate as an estimate."""
    return Estimate(row["gain"], row["gain_low"], row["gain_high"], row["n"], level, "gain of the candidate")


def settle(
    first: Pick, fresh: dict[str, Any], seeds: tuple[int, int], level: float = 0.95, log: Any = None
) -> dict[str, Any]:
    """Judge a proposal by its fresh games alone.

    Parameters
    ----------
    first : Pick
        A proposal.
    fresh : dict
        The same candidate's row from the fresh games.
    seeds : (int, int)
        Of the games that picked it, and of the fresh ones.
    log : callable, optional
        As in `sim.stats.confirm`.

    Returns
    -------
    dict
        The fresh row with ``first``, ``first_low``, ``first_high`` (the measure when it was picked), ``first_gain``,
        ``first_n`` and ``verdict``: ``confirmed`` where the fresh gain is surely above the smallest that matters.
    """
    runs = {seeds[0]: gain_of(first.row, level), seeds[1]: gain_of(fresh, level)}
    found = stats.confirm(
        lambda seed: runs[seed],
        float("-inf"),
        fresh["smallest"],
        seed=seeds[0],
        fresh=[seeds[1]],
        name=fresh["question"],
        candidates=first.compared,
        log=log,
    )
    old = {"first": first.row["value"], "first_low": first.row["low"], "first_high": first.row["high"]}
    return {
        **first.record(),
        **fresh,
        **old,
        "first_gain": first.row["gain"],
        "first_n": first.row["n"],
        "verdict": "confirmed" if found.verdict is Verdict.OUTSIDE else "not confirmed",
    }


def same_candidate(candidates: pl.DataFrame, chosen: dict[str, Any], keys: Sequence[str] = ("at", "factor", "setting")):  # type: ignore[no-untyped-def]
    """The row of the same candidate in another table of candidates; None where it is not there."""
    keep = pl.lit(True)
    for key in keys:
        keep = keep & (pl.col(key) == pl.lit(chosen[key]))
    rows = candidates.filter(keep).to_dicts()
    return rows[0] if rows else None
