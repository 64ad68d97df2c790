"""What a sweep will cost, from a short timing run of every scenario."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sim.engine.simulate import Worker
from sim.games.base import Policy, Scenario
from sim.store.columns import Rows
from sim.store.parquet import arrow_table, options
from sim.store.schema import columns
from sim.sweep import rounds
from sim.sweep.plan import Plan

#: a timing run lasts until it has taken this many seconds or this many games
_SECONDS = 0.002
_GAMES = 1024

#: variants of a line-up that are timed
_VARIANTS = 16


def seconds_per_game(scenario: Scenario, seed: int = 0) -> float:
    """Seconds of one core per game, from a few games (the first call may compile)."""
    playable = scenario.game.compile(scenario.rules, scenario.policies)
    worker = Worker([playable], _GAMES)
    worker.play(seed, 0, 1)
    games, done, spent, best = 64, 0, 0.0, float("inf")
    while done < _GAMES and spent < _SECONDS:
        begun = time.thread_time()  # of this thread alone: what else the machine does would be in the wall clock
        worker.play(seed, done, games)
        seconds = time.thread_time() - begun
        best = min(best, seconds / games)
        spent += seconds
        done += games
    return max(best, 1e-9)


def row_bytes(scenario: Scenario, seed: int = 0, games: int = 1 << 14) -> float:
    """Bytes per row of a file of rows, from writing some into memory (large files pack a little better)."""
    playable = scenario.game.compile(scenario.rules, scenario.policies)
    rows = Rows(playable.fields, playable.seats, 0, games)
    rows.place(0, games, Worker([playable], games).play(seed, 0, games)[0])
    sink = pa.BufferOutputStream()
    stored = columns("games", playable.fields)
    pq.write_table(arrow_table(rows.filled(), stored), sink, **options(stored))
    return float(sink.getvalue().size / (games * playable.seats))


def rounds_cost(scenario: Scenario, seed: int = 0, games: int = 64) -> tuple[float, float]:
    """Seconds of one core and bytes per game told round by round, from a few games (the first call may compile)."""
    source, stored = rounds.recorder(scenario), rounds.round_columns(scenario)
    rounds.play(scenario, source, seed=seed, first=0, games=1)
    begun = time.thread_time()
    arrays = rounds.typed(source.record(seed, 0, games), stored)
    seconds = time.thread_time() - begun
    sink = pa.BufferOutputStream()
    pq.write_table(arrow_table(arrays, stored), sink, **options(stored))
    return max(seconds / games, 1e-9), float(sink.getvalue().size / games)


@dataclass(frozen=True)
class Cost:
    """Expected cost of a plan: seconds of one core per game by scenario id and in all, and the bytes of all files."""

    per_game: dict[str, float]
    seconds: float
    size: float


def cost(plan: Plan, ids: Iterable[str] | None = None, *, with_bytes: bool = True) -> Cost:
    """Cost of the cells of a plan (or of those in `ids`), and of the scenarios they are compared with."""
    wanted = None if ids is None else set(ids)
    cells = [c for c in plan.cells if wanted is None or c.id in wanted]
    scenarios = {c.id: c.scenario for c in cells}
    told = plan.spec.detail == "rounds"
    told_cost = {id: rounds_cost(s, plan.spec.seed) for id, s in scenarios.items()} if told else {}
    per_game = {id: c[0] for id, c in told_cost.items()} if told else _per_game(scenarios, plan.spec.seed)
    seconds = sum(c.games * per_game[c.id] for c in cells)
    size = 0.0
    if with_bytes:
        for cell in cells:
            if told:
                size += told_cost[cell.id][1] * cell.games
            elif plan.spec.detail == "games":
                size += row_bytes(cell.scenario, plan.spec.seed) * cell.games * len(cell.scenario.policies)
            else:
                size += _count_bytes(cell.scenario, plan)
    return Cost(per_game, seconds, size)


def _per_game(scenarios: Mapping[str, Scenario], seed: int) -> dict[str, float]:
    """Seconds per game by scenario; of many variants with one line-up, the first few are timed and stand for all."""
    timed: dict[tuple[Policy, ...], list[float]] = {}
    result = {}
    for id, scenario in scenarios.items():
        known = timed.setdefault(scenario.policies, [])
        if len(known) < _VARIANTS:
            try:
                known.append(seconds_per_game(scenario, seed))
                result[id] = known[-1]
            except Exception:  # told when it is played: one scenario does not take the others with it
                result[id] = 1e-9
        else:
            result[id] = sum(known) / len(known)
    return result


def _count_bytes(scenario: Scenario, plan: Plan) -> float:
    """Bytes of a file of counts: its footer, and some bytes per different result seen in a small sample."""
    playable = scenario.game.compile(scenario.rules, scenario.policies)
    out = Worker([playable], _GAMES).play(plan.spec.seed, 0, _GAMES)[0]
    names = [f.name for f in playable.fields]
    different = np.unique(out[[names.index(n) for n in plan.by]], axis=1).shape[1]
    return 4000.0 + 8.0 * playable.seats * different
