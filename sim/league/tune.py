"""Fitting the numbers of a policy: CMA-ES on common random numbers, with a log from which a run goes on exactly.

N. Hansen, *The CMA evolution strategy: a tutorial*, arXiv:1604.00772; the library is `cma`.

Every generation is played on a *fresh* block of games, the same for all its candidates. CMA-ES uses only their order
within the generation, which common dice make sharp, and a block that stayed the same would be learnt by heart. For the
same reason the answer is the centre of the last distribution, not the candidate with the luckiest evaluation. What was
gained is measured at last on games of another seed.

All that happens depends on the arguments alone (its random numbers come from a generator of its own), so a run that is
called again asks for the same candidates in the same order, finds the evaluations that the log has, and goes on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sim import games as registry
from sim.errors import InputError, StoreError, whole_number
from sim.games.base import Policy, RulesModel
from sim.league.objectives import Objective, Regret, objective_for
from sim.league.ranges import Range, check_ranges, moved
from sim.stats import Estimate
from sim.store.parquet import write_bytes

Rules = Mapping[str, Any] | str | RulesModel | None
Given = str | Mapping[str, Any] | Policy

#: width of the first generation, as a share of each range
WIDTH = 0.25


@dataclass(frozen=True)
class Tuned:
    """What a tuning found.

    Attributes
    ----------
    policy : Policy
        The answer: the candidate if it is surely better than the default, else the default.
    default, candidate : Policy
        Where the search began, and where it ended.
    gain : Estimate
        How much better the candidate is, in `unit`, on games of the seed after the tuning's, paired.
    unit : str
    regret : (float, float) or None
        Exact mean regret of the default and of the candidate, where that was made small; it decides then.
    moved : mapping of name to (float, float)
        Values of the policy given that lie outside their ranges, and where the search began instead.
    evaluations : list of dict
        The log: ``generation candidate first_game parameters loss``.
    reused : int
        How many of them were found in the log.
    """

    policy: Policy
    default: Policy
    candidate: Policy
    gain: Estimate
    unit: str
    regret: tuple[float, float] | None
    moved: dict[str, tuple[float, float]]
    evaluations: list[dict[str, Any]]
    reused: int

    @property
    def stays(self) -> bool:
        """Whether the default stays, because the candidate is not surely better."""
        return self.policy.text() == self.default.text()

    def record(self) -> dict[str, Any]:
        """Everything but the log, as plain data."""
        e = self.gain
        return {
            "policy": self.policy.text(),
            "parameters": self.policy.parameters(),
            "default": self.default.text(),
            "candidate": self.candidate.text(),
            "stays": self.stays,
            "moved": {name: {"given": given, "used": used} for name, (given, used) in self.moved.items()},
            "gain": {"unit": self.unit, **e.row(), "level": e.level, "n": e.n, "method": e.method},
            "regret": None if self.regret is None else {"default": self.regret[0], "candidate": self.regret[1]},
            "evaluations": len(self.evaluations),
            "reused": self.reused,
        }


class Log:
    """Evaluations as JSON lines, the first line saying what is tuned; whole generations are kept."""

    def __init__(self, path: Path | None, head: dict[str, Any], population: int) -> None:
        self.path = path
        self.head = json.dumps({"tuning": head}, sort_keys=True, ensure_ascii=False)
        self.found: list[dict[str, Any]] = []
        if path is None:
            return
        if path.exists():
            self._read(path, population)
        self._rewrite()

    def _read(self, path: Path, population: int) -> None:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            raise StoreError(f"cannot read {path}; accepted: a log of this tuning, or a new name") from None
        if lines and lines[0] != self.head:
            raise InputError(
                f"--log {path} is of another tuning{_difference(lines[0], self.head)}; accepted: its own command, or a "
                f"new name"
            )
        for line in lines[1:]:
            try:
                self.found.append(json.loads(line))
            except ValueError:  # cut off while it was written
                break
        del self.found[len(self.found) // population * population :]

    def _rewrite(self) -> None:
        assert self.path is not None
        lines = [self.head, *(self._line(e) for e in self.found)]
        write_bytes(self.path, ("\n".join(lines) + "\n").encode())

    @staticmethod
    def _line(evaluation: Mapping[str, Any]) -> str:
        return json.dumps(evaluation, sort_keys=True, ensure_ascii=False)

    def add(self, evaluations: Sequence[Mapping[str, Any]]) -> None:
        """Write down a generation."""
        if self.path is None:
            return
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write("".join(self._line(e) + "\n" for e in evaluations))
        except OSError as error:
            raise StoreError(f"cannot write {self.path}: {error.strerror}; accepted: a file in a folder") from None


def _difference(found: str, wanted: str) -> str:
    """Which entry of the first line differs, where that can be told."""
    try:
        old, new = json.loads(found)["tuning"], json.loads(wanted)["tuning"]
        keys = [k for k in new if old.get(k) != new[k]]
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""
    return f" ({keys[0]} = {json.dumps(old.get(keys[0]))}, asked for {json.dumps(new[keys[0]])})" if keys else ""


def _strategy(ranges: Sequence[Range], start: Policy, seed: int, population: int | None) -> Any:
    try:
        import cma
    except ImportError:
        raise InputError("tuning needs the library cma; accepted: an installation with the extra tune") from None
    rng = np.random.default_rng(seed)
    options: dict[str, Any] = {
        "bounds": [0, 1],
        "verbose": -9,
        "seed": np.nan,  # its own random numbers come from `randn`; the global generator is left alone
        "randn": lambda *shape: rng.standard_normal(shape),
    }
    if population is not None:
        options["popsize"] = population
    values = start.parameters()
    places = [r.place(float(values[r.parameter.name])) for r in ranges]
    # the library is not made for a single dimension: a second one, which nothing looks at, keeps it company
    return cma.CMAEvolutionStrategy(places + [0.5] * (len(places) == 1), WIDTH, options)


def tune(
    game: str,
    *,
    policy: Given,
    parameters: Mapping[str, Sequence[float]],
    rules: Rules = None,
    games: int,
    seed: int,
    generations: int = 20,
    population: int | None = None,
    against: Sequence[Given] = (),
    labels: Sequence[Sequence[int]] = (),
    check: int | None = None,
    log: str | Path | None = None,
    workers: int = 1,
    on_generation: Callable[[int, float], None] | None = None,
) -> Tuned:
    """Fit numbers of a policy.

    What is made small is exact regret on the sheets in `labels` (Caterpillars), else the mean loss against the
    policies in `against`, else minus the mean score of a policy that plays alone.

    Parameters
    ----------
    game, rules, workers
        As for `sim.simulate`.
    policy : policy
        Where to begin; parameters that are not fitted stay as they are.
    parameters : mapping of name to (low, high)
        A value of the policy outside its range is moved to the nearer end, which the answer tells (`Tuned.moved`).
    games : int
        Games per candidate: those of generation g have indices g × games …, fresh for each generation.
    seed : int
        Of the games and of the search.
    generations, population : int
        How long, and how many candidates each (default 4 + 3 ln(parameters), rounded down).
    check : int, optional
        Games of the seed after `seed` on which the gain is measured (for each sheet in `labels`); default 10 × games.
    log : path, optional
        JSON lines; if it is there, the run goes on from it, with the same result as without interruption.
    on_generation : callable(generation, best loss), optional

    Raises
    ------
    SimError
        In one line: what was given, what is accepted.
    """
    room = registry.get(game)
    parsed = room.rules_type.parse(rules)
    start = room.policies.parse(policy)
    ranges = check_ranges(start, parameters)
    outside = moved(start, ranges)
    start = room.policies.parse({"id": start.id, **start.parameters(), **{k: used for k, (_, used) in outside.items()}})
    seed = whole_number("seed", seed, 0, 2**64 - 1)
    games = whole_number("games", games, 2, 2**40)
    generations = whole_number("generations", generations, 1, 10**6)
    if population is not None:
        population = whole_number("population", population, 4, 10_000)
    workers = whole_number("workers", workers, 1, 1024)
    fresh = 10 * games if check is None else whole_number("check", check, 2, 2**40)
    opponents = [room.policies.parse(p) for p in ([against] if isinstance(against, str | Mapping) else against)]
    goal = objective_for(room, parsed, start, opponents, labels)
    strategy = _strategy(ranges, start, seed, population)
    head = {
        "game": room.name,
        "kernel_version": room.kernel_version,
        "rules": parsed.identity(),
        "policy": start.identity(),
        "parameters": {r.parameter.name: [r.low, r.high] for r in ranges},
        "objective": goal.identity(),
        "games": games,
        "seed": seed,
        "population": int(strategy.popsize),
    }
    kept = Log(None if log is None else Path(log), head, int(strategy.popsize))
    evaluations = _search(goal, start, ranges, strategy, kept, generations, games, seed, workers, on_generation)
    best = strategy.result.xfavorite
    found = _with(goal, start, {r.parameter.name: r.value(x) for r, x in zip(ranges, best, strict=False)})
    gain = goal.gain(found, start, (seed + 1) % 2**64, fresh, workers)
    answer = found if goal.better(found, start, gain) else start
    regret = (goal.regret(start), goal.regret(found)) if isinstance(goal, Regret) else None
    reused = min(len(kept.found), len(evaluations))
    return Tuned(answer, start, found, gain, goal.unit, regret, outside, evaluations, reused)


def _with(goal: Objective, start: Policy, values: Mapping[str, float]) -> Policy:
    return goal.game.policies.parse({"id": start.id, **start.parameters(), **values})


def _search(
    goal: Objective,
    start: Policy,
    ranges: Sequence[Range],
    strategy: Any,
    kept: Log,
    generations: int,
    games: int,
    seed: int,
    workers: int,
    on_generation: Callable[[int, float], None] | None,
) -> list[dict[str, Any]]:
    """All generations; what the log has is taken from there."""
    evaluations: list[dict[str, Any]] = []
    for generation in range(generations):
        asked = strategy.ask()
        values = [{r.parameter.name: r.value(x) for r, x in zip(ranges, point, strict=False)} for point in asked]
        notes: list[dict[str, Any]] = [
            {"generation": generation, "candidate": c, "first_game": generation * games, "parameters": v}
            for c, v in enumerate(values)
        ]
        known = kept.found[len(evaluations) : len(evaluations) + len(asked)]
        if known:
            for note, line in zip(notes, known, strict=True):
                if {k: v for k, v in line.items() if k != "loss"} != note:
                    raise InputError(
                        f"--log {kept.path}: generation {generation}, candidate {note['candidate']} is not what this "
                        f"tuning asks for; accepted: its own log, or a new name"
                    )
            notes = [dict(line) for line in known]
        else:
            policies = [_with(goal, start, v) for v in values]
            losses = goal.losses(policies, seed, generation * games, games, workers)
            for note, loss in zip(notes, losses, strict=True):
                note["loss"] = loss
            kept.add(notes)
        strategy.tell(asked, [note["loss"] for note in notes])
        evaluations += notes
        if on_generation is not None:
            on_generation(generation, min(note["loss"] for note in notes))
    return evaluations
