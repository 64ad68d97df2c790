"""How often a report says that something differs where nothing does: its claims in named families, and an A/A run.

Every claim that something differs belongs to a family, and each family is judged by Holm's adjustment
(`sim.stats.judge`). In an A/A run the same games are drawn again with every difference taken out: paired differences
from their own distribution mirrored at zero, wins by lot among the seats. Everything that is done with the real games
is done with them, so each of their alarms is false (`sim.stats.false_alarms`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from scipy import stats as distributions

from sim import stats
from sim.analysis.frames import arrays, groups, plain
from sim.report.inputs import Given, Stored
from sim.report.names import READINGS
from sim.report.own_tables import cut_games

#: A/A runs, and the chance that a family errs anywhere
RUNS = 1_000
ALPHA = 0.05


@dataclass(frozen=True)
class Member:
    """One claim that something differs.

    Attributes
    ----------
    family, name : str
    values : float array
        What a game may bring: a difference, or the winner's seat.
    counts : int array
        How many games brought it.
    seats : int
        Number of seats, if the claim is that they do not win alike; 0: that the mean is not zero.
    """

    family: str
    name: str
    values: np.ndarray
    counts: np.ndarray
    seats: int = 0

    def p_value(self, counts: np.ndarray) -> np.ndarray:
        """Two-sided p-values of samples, one per row of `counts`, of "nothing differs"."""
        counts = np.atleast_2d(counts)
        n = counts.sum(axis=1)
        if self.seats:
            fair = n / self.seats
            square = ((counts - fair[:, None]) ** 2).sum(axis=1) / fair
            return np.asarray(distributions.chi2.sf(square, self.seats - 1))
        mean = counts @ self.values / n
        variance = (counts @ self.values**2 - n * mean**2) / np.maximum(n - 1, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(mean) / np.sqrt(variance / n)
        p = 2 * distributions.t.sf(t, np.maximum(n - 1, 1))
        return np.where(variance > 0, p, np.where(mean == 0, 1.0, 0.0))

    def alike(self) -> tuple[np.ndarray, Member]:
        """The same with the difference taken out: chances of each value, and the claim about such samples."""
        if self.seats:
            return np.full(self.seats, 1 / self.seats), self
        values = np.concatenate([self.values, -self.values])
        chances = np.concatenate([self.counts, self.counts]) / (2 * self.counts.sum())
        return chances, Member(self.family, self.name, values, np.concatenate([self.counts, self.counts]))


def _pairs(stored: Stored, keep: pl.DataFrame, of: str, family: str, seat: int | None = None) -> Iterator[Member]:
    """A claim for every paired difference of these scenarios with others."""
    frame = stored.differences.filter((pl.col("of") == of) & (pl.col("against") != ""))
    frame = frame.filter(pl.col("scenario").is_in(keep["scenario"].to_list()))
    if seat is not None:
        frame = frame.filter(pl.col("seat") == seat)
    for key, part in groups(frame, ["scenario", "against", "seat"]):
        values, counts = arrays(part, "difference")
        yield Member(family, f"{key['scenario']}.{key['seat']}", values, counts)


def _alike(scenarios: pl.DataFrame) -> pl.DataFrame:
    """Scenarios of several players with the same policy in every seat."""
    names = [c for c in scenarios.columns if c.startswith("seat") and c[4:].isdigit()]
    same = [len({row[n] for n in names} - {None}) == 1 for row in scenarios.iter_rows(named=True)]
    return scenarios.filter((pl.col("seats") > 1) & pl.Series(same, dtype=pl.Boolean))


def _seats(stored: Stored, keep: pl.DataFrame, family: str) -> Iterator[Member]:
    """A claim for every game of equals: its seats do not win alike."""
    frame = stored.counts.filter(pl.col("scenario").is_in(keep["scenario"].to_list()))
    for key, part in groups(frame, ["scenario"]):
        players = part["seat"].n_unique()
        first = part.filter(pl.col("seat") == 0).group_by("win").agg(pl.col("count").sum()).sort("win")
        if players == 2 or not part["win"].is_in([0.0, 1.0]).all():
            yield Member(family, key["scenario"], *_minus(*arrays(first, "win"), 1 / players))
            continue
        wins = part.filter(pl.col("win") == 1).group_by("seat").agg(pl.col("count").sum()).sort("seat")
        counts = np.zeros(players, np.int64)
        counts[wins["seat"].to_numpy()] = wins["count"].to_numpy()
        yield Member(family, key["scenario"], np.arange(players, dtype=float), counts, players)


def _minus(values: np.ndarray, counts: np.ndarray, fair: float) -> tuple[np.ndarray, np.ndarray]:
    return values - fair, counts


def _setup(given: Given) -> Iterator[Member]:
    stored = given.inputs["setup"]
    yield from _pairs(stored, stored.scenarios.filter(pl.col("setup") == "variation"), "score", "the set-up variation")


def _readings(given: Given) -> Iterator[Member]:
    stored = given.inputs["readings"]
    of = stored.scenarios["factor"]
    yield from _pairs(stored, stored.scenarios.filter(of.is_in(list(READINGS))), "score", "readings of Caterpillars")
    yield from _pairs(stored, stored.scenarios.filter(of == "sheet"), "score", "printed sheets")


def _karolinchen(given: Given) -> Iterator[Member]:
    stored = given.inputs["karolinchen"]
    varied = stored.scenarios.filter(pl.col("factor") != "")
    yield from _seats(stored, _alike(plain(stored.scenarios, "karolinchen")), "seats of Karolinchen")
    yield from _pairs(stored, varied, "turns", "rules of Karolinchen, length", 0)
    yield from _pairs(stored, varied, "win", "rules of Karolinchen, first player", 0)


def _parlett(given: Given) -> Iterator[Member]:
    stored = given.inputs["parlett"]
    yield from _seats(stored, _alike(plain(stored.scenarios, "parlett")), "seats of Parlett's game")
    varied = stored.scenarios.filter(pl.col("factor") != "")
    yield from _seats(stored, _alike(varied), "seats under other rules of Parlett's game")


def _own(given: Given) -> Iterator[Member]:
    stored = given.inputs["own"]
    if "win" in stored.counts.columns:
        alike = _alike(stored.scenarios)
        if (cut := cut_games(stored, given.params)).height:  # nobody wins those
            alike = alike.filter(~pl.col("scenario").is_in(cut["scenario"].to_list()))
        yield from _seats(stored, alike, "seats of equals")
    for of in stored.differences["of"].unique(maintain_order=True):
        yield from _pairs(stored, stored.scenarios, of, f"differences of {of.replace('_', ' ')}")


#: section of the report → its claims that something differs
ALARMS: Mapping[str, Callable[[Given], Iterator[Member]]] = {
    "setup": _setup,
    "readings": _readings,
    "karolinchen": _karolinchen,
    "parlett": _parlett,
    "own": _own,
}


def alarm_tables(given: Given, sections: list[str], runs: int = RUNS) -> dict[str, pl.DataFrame]:
    """Table ``alarms``: a row for every family, and one for all of them, called "all".

    Columns family, claims, held (how many of them hold after Holm's adjustment), value, low, high (share of A/A runs
    with an alarm), n (A/A runs), mean (alarms per A/A run), alpha. Nothing where nothing is claimed.
    """
    members = [m for name in sections if name in ALARMS for m in ALARMS[name](given) if m.counts.sum() > 1]
    if not members:
        return {}
    real: dict[str, dict[str, float]] = {}
    false: dict[str, dict[str, np.ndarray]] = {}
    for i, member in enumerate(members):
        name = f"{member.name}.{i}"
        real.setdefault(member.family, {})[name] = float(member.p_value(member.counts)[0])
        chances, alike = member.alike()
        draws = np.random.Generator(np.random.Philox(key=[RUNS, i]))
        drawn = draws.multinomial(int(member.counts.sum()), chances, size=runs)
        false.setdefault(member.family, {})[name] = alike.p_value(drawn)
    held = stats.judge(real, alpha=ALPHA)

    def run(index: int) -> dict[str, bool]:
        claims = stats.judge({f: {k: float(p[index]) for k, p in own.items()} for f, own in false.items()}, alpha=ALPHA)
        return {family: any(c.told for c in claims if c.family == family) for family in false}

    found = stats.false_alarms(run, range(runs), given.params.confidence)
    rows: list[dict[str, Any]] = []
    for family, own in real.items():
        told = sum(claim.told for claim in held if claim.family == family)
        each = found.each[family]
        rows.append({"family": family, "claims": len(own), "held": told, **each.row(), "n": runs, "mean": each.value})
    whole = {"family": "all", "claims": len(members), "held": sum(claim.told for claim in held)}
    rows.append({**whole, **found.any.row(), "n": runs, "mean": found.mean})
    return {"alarms": pl.DataFrame(rows).with_columns(alpha=pl.lit(ALPHA))}
