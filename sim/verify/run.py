"""Plays the trials, compares, and judges all comparisons together against one error rate.

With `m` comparisons in the list each is judged at ``error_rate / m`` (Bonferroni), so the chance that a faultless
program fails anywhere is at most the error rate, whatever the comparisons have to do with each other. `m` counts the
whole list, also where only a part of it is run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sim import games as registry
from sim.engine.counts import JointCounts
from sim.engine.jit import source_hash
from sim.engine.simulate import blocks, map_blocks
from sim.errors import InputError, StoreError, listing, whole_number
from sim.stats import Agreement, Exact, distribution_agreement, mean_agreement, share_agreement
from sim.store.schema import decode
from sim.verify.trials import DISTRIBUTION, MEAN, Quantity, Trial, all_trials

#: games of each scenario, and the seed, where nobody says otherwise
GAMES, SEED, ERROR_RATE = 1_000_000, 20261130, 0.01
#: digits of the numbers in the record: fewer than rounding in sums of other order could reach
DIGITS = 10
#: the shape of the record
VERSION = 1


@dataclass(frozen=True)
class Check:
    """One comparison and its verdict."""

    trial: Trial
    quantity: Quantity
    way: str
    agreement: Agreement
    error_bound: float
    limit: float

    @property
    def passed(self) -> bool:
        return self.agreement.p >= self.limit

    @property
    def told(self) -> str:
        """What was compared, in words."""
        return f"{self.way} of {self.quantity.told}" if self.way != "share" else f"share of {self.quantity.told}"

    def by_how_much(self) -> str:
        """The difference, in words."""
        a = self.agreement
        place = f" at {a.where}" if a.where else ""
        size = f"χ² {a.statistic:.4g} on {a.freedom}" if a.freedom else f"{a.statistic:+.3g} standard deviations"
        chance = f"p {a.p:.2g}" if a.p > 0 else "p below 1e-300"
        return f"exact {a.exact:.6g}, simulated {a.observed:.6g}{place} ({size}, {chance}, limit {self.limit:.2g})"

    def record(self) -> dict[str, Any]:
        """Plain data."""
        a, scenario = self.agreement, self.trial.scenario
        return {
            "game": self.trial.game,
            "topic": self.trial.topic,
            "scenario": self.trial.told,
            "id": scenario.id,
            "quantity": self.told,
            "column": self.quantity.column,
            "seat": self.quantity.seat,
            "method": a.method,
            "exact": _short(a.exact),
            "simulated": _short(a.observed),
            "where": a.where,
            "n": a.n,
            "statistic": _short(a.statistic),
            "freedom": a.freedom,
            "p": _short(a.p),
            "limit": _short(self.limit),
            "error_bound": _short(self.error_bound),
            "passed": self.passed,
        }


@dataclass(frozen=True)
class Verification:
    """All comparisons of one run.

    Attributes
    ----------
    checks : list of Check
    games, seed : int
    error_rate : float
        Chance that a faultless program fails somewhere.
    listed : int
        Comparisons in the whole list; more than ``len(checks)`` where only a part was run.
    """

    checks: list[Check]
    games: int
    seed: int
    error_rate: float
    listed: int

    @property
    def failed(self) -> list[Check]:
        """Checks outside the limit, the most surprising first."""
        return sorted((c for c in self.checks if not c.passed), key=lambda c: c.agreement.p)

    @property
    def passed(self) -> bool:
        return not self.failed

    def record(self) -> dict[str, Any]:
        """Plain data without time or host: equal calls give equal records."""
        smallest = min((c.agreement.p for c in self.checks), default=1.0)
        used = sorted({c.trial.game for c in self.checks}, key=registry.REGISTRY.index)
        return {
            "version": VERSION,
            "passed": self.passed,
            "complete": len(self.checks) == self.listed,
            "checks": len(self.checks),
            "listed": self.listed,
            "games_per_scenario": self.games,
            "games": sum(_games(t, self.games) for t in {id(c.trial): c.trial for c in self.checks}.values()),
            "seed": self.seed,
            "error_rate": self.error_rate,
            "limit": _short(self.error_rate / self.listed),
            "smallest_p": _short(smallest),
            "smallest_adjusted_p": _short(min(1.0, smallest * self.listed)),
            "kernels": {
                game: {"version": registry.get(game).kernel_version, "sources": source_hash(game)} for game in used
            },
            "results": [c.record() for c in self.checks],
        }

    def text(self) -> str:
        """The record as JSON text."""
        return json.dumps(self.record(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def fault(self) -> str:
        """One line that names what failed, and by how much."""
        first = self.failed[0]
        others = len(self.failed) - 1
        more = f"; and {others} more" if others else ""
        return (
            f"verification failed: {first.trial.game}, {first.trial.told}: {first.told}: {first.by_how_much()}{more} "
            f"of {len(self.checks)} checks"
        )


def _short(value: float) -> float | str:
    """Enough digits to read, few enough to be the same everywhere; JSON has no infinity."""
    if not math.isfinite(value):
        return str(value)
    return float(f"{value:.{DIGITS}g}")


def _games(trial: Trial, games: int) -> int:
    return max(1, round(trial.share * games))


def count(trial: Trial, games: int, seed: int) -> dict[str, np.ndarray]:
    """Counts of each column that the trial asks for: int64[n, 3] with seat, raw value, count."""
    scenario = trial.scenario
    playable = scenario.game.compile(scenario.rules, scenario.policies)
    names = list(dict.fromkeys(q.column for q in trial.quantities))

    def consume(_first: int, _games: int, outs: list[np.ndarray], state: list[JointCounts]) -> None:
        for counts in state:
            counts.add(outs[0])

    (state,) = map_blocks(
        [playable],
        seed,
        blocks(0, games),
        consume,
        local=lambda: [JointCounts(playable.fields, [name], playable.seats) for name in names],
    )
    return {name: counts.table() for name, counts in zip(names, state, strict=True)}


def compare(way: str, values: np.ndarray, counts: np.ndarray, exact: Exact) -> Agreement:
    """One comparison of counted values with their exact distribution."""
    if way == DISTRIBUTION:
        return distribution_agreement(values, counts, exact)
    if way == MEAN:
        return mean_agreement(values, counts, exact)
    return share_agreement(int(counts[values == 1].sum()), int(counts.sum()), float(exact.chances[1]), exact.error)


def run_trial(trial: Trial, games: int, seed: int, limit: float) -> list[Check]:
    """Solve, play and compare one trial."""
    solved = trial.solve()
    tables = count(trial, _games(trial, games), seed)
    fields = {f.name: f for f in trial.scenario.game.fields(trial.scenario.rules, len(trial.scenario.policies))}
    checks = []
    for q in trial.quantities:
        table = tables[q.column]
        own = table[table[:, 0] == q.seat]
        values = decode(fields[q.column], own[:, 1]).astype(np.float64)
        if q.event is not None:
            values = np.array([float(q.event(v)) for v in values])
        exact = q.exact(solved)
        checks += [Check(trial, q, way, compare(way, values, own[:, 2], exact), exact.error, limit) for way in q.ways]
    return checks


def chosen(text: str, trials: Sequence[Trial] | None = None) -> list[Trial]:
    """Trials (of the whole list, if none are given) whose game, topic or words contain `text`."""
    trials = all_trials() if trials is None else trials
    found = [t for t in trials if text.lower() in f"{t.game}, {t.topic}, {t.told}".lower()]
    if not found:
        words = dict.fromkeys([*(t.game for t in trials), *(t.topic for t in trials)])
        raise InputError(f"no scenario contains '{text}'; accepted: words of one, as {listing(words)}")
    return found


def verify(
    *,
    games: int = GAMES,
    seed: int = SEED,
    error_rate: float = ERROR_RATE,
    scenario: str = "",
    workers: int = 1,
    on_trial: Callable[[Trial, list[Check]], None] | None = None,
) -> Verification:
    """Compare simulated results with exact ones.

    Parameters
    ----------
    games : int
        Games of each scenario.
    seed : int
    error_rate : float
        Chance that a faultless program fails anywhere in the whole list.
    scenario : str
        Only scenarios whose game, topic or words contain it.
    workers : int
        Scenarios in work at the same time; results do not depend on it.
    on_trial : callable, optional
        Told of every scenario as it is finished, in order of the list.
    """
    games = whole_number("games", games, 1, 2**40)
    seed = whole_number("seed", seed, 0, 2**64 - 1)
    workers = whole_number("workers", workers, 1, 1024)
    if not 0 < error_rate < 1:
        raise InputError(f"error_rate = {error_rate!r} is not accepted; accepted: a number between 0 and 1")
    trials = all_trials()
    listed = sum(t.checks for t in trials)
    limit = error_rate / listed
    checks: list[Check] = []
    for trial, found in _run_all(chosen(scenario, trials), games, seed, limit, workers):
        checks += found
        if on_trial is not None:
            on_trial(trial, found)
    return Verification(checks, games, seed, error_rate, listed)


def _run_all(
    trials: Sequence[Trial], games: int, seed: int, limit: float, workers: int
) -> Iterator[tuple[Trial, list[Check]]]:
    """Trials with their checks, in order; several at a time."""
    with ThreadPoolExecutor(workers) as pool:
        waiting = [pool.submit(run_trial, trial, games, seed, limit) for trial in trials]
        try:
            for trial, future in zip(trials, waiting, strict=True):
                yield trial, future.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def write(verification: Verification, path: Path | str) -> Path:
    """The record as a file, complete or not at all."""
    target = Path(path)
    partial = target.with_name(target.name + ".tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(verification.text(), encoding="utf-8")
        partial.replace(target)
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror}; accepted: a file in a folder with room and permission"
        ) from None
    return target


def settings(content: Mapping[str, Any], source: str = "params.yaml") -> dict[str, Any]:
    """Games, seed and error rate from the key ``verify`` of the parameters file."""
    given = content.get("verify", {})
    known = {"games": GAMES, "seed": SEED, "error_rate": ERROR_RATE}
    if not isinstance(given, Mapping) or not set(given) <= set(known):
        raise InputError(f"{source}: verify = {given!r} is not accepted; accepted: a mapping with {', '.join(known)}")
    return {**known, **given}
