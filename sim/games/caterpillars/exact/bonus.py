"""Exact optimal play at the levels with bonus boxes: advanced, and expert on small sheets or late positions.

A position is solved with everything that can follow it; see `stages` for the method. A whole advanced sheet takes a few
minutes and about 6 GB, and its early layers are kept: a position that lies deeper is solved again from itself, which
is quick because much less can follow it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim.errors import RulesError
from sim.games.caterpillars.exact import graph, moves, stages
from sim.games.caterpillars.rules import FINALS, CaterpillarsRules
from sim.tables.checkpoint import GIB, Checkpoint

#: bytes that the layer in memory may take
MEMORY = 20 * GIB
#: layers from the start on whose values are kept
KEEP = 4

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Start:
    """A position before a roll: labels of the empty boxes of each caterpillar, its totals, the bonus boxes."""

    open: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    totals: tuple[int, int, int]
    bonus: tuple[int, int, int]


class Solved:
    """Values of everything that can follow a position, as far as they were kept.

    Attributes
    ----------
    graph, moves
        Blocks and tables.
    scale : int
        Steps per point.
    layers : list of uint16[tables, size]
        The first layers.
    error_bound : float
        Proven bound on ``|value − truth|`` of every value.
    states : int
        Number of states solved.
    """

    def __init__(
        self,
        rules: CaterpillarsRules,
        start: Start,
        *,
        workers: int = 2,
        keep: int = KEEP,
        progress: Progress | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        limit: int = 2 * MEMORY,
        grid: moves.Grid | None = None,
    ) -> None:
        self.rules = rules
        self.start = start
        self.graph = graph.build(start.open, rules.max_entry)
        size = self.graph.size
        tables = count_tables(rules, start.bonus, grid)
        self.states = tables * sum(size)
        self.need = memory(size, tables)
        if self.need > MEMORY:
            raise RulesError(
                f"this position needs {self.need / GIB:.0f} GiB of memory ({self.states / 1e9:.0f} billion states at "
                f"level = {rules.level}); accepted: at most {MEMORY // GIB} GiB, fewer boxes or a later position"
            )
        self.moves = moves.build(start.bonus, rules, grid)
        self.scale, self.error_bound = precision(rules, start)
        self._solve(workers, keep, progress, checkpoint, limit, grid)

    def _solve(
        self,
        workers: int,
        keep: int,
        progress: Progress | None,
        folder: str | os.PathLike[str] | None,
        limit: int,
        grid: moves.Grid | None,
    ) -> None:
        g = self.graph
        rounds, tables, most = len(g.size) - 1, len(self.moves.tables), max(g.size)
        work = {
            "rules": self.rules.identity(),
            "start": [self.start.open, self.start.totals, self.start.bonus],
            "grid": [grid.values, grid.upper] if grid else None,
        }
        point = Checkpoint(folder, work, 2 * self.need, limit) if folder is not None else None
        found = point.load() if point is not None else None
        values = np.empty((tables + 1) * most + stages.SLACK, np.uint16)
        values[-stages.SLACK :] = 0
        slot = np.arange(tables)
        if found is None:
            layer = rounds
            full = np.array([g.length[c, g.node[c][()]] for c in range(3)])
            stages.fill_last(
                values, slot, most, np.array(self.moves.tables, np.int64), np.array(self.start.totals, np.int64), full,
                FINALS.index(self.rules.final), self.scale,
            )  # fmt: skip
        else:
            layer, kept, _ = found
            values[: tables * most].reshape(tables, most)[:, : g.size[layer]] = kept
        self.layers: list[np.ndarray] = []
        free = tables
        done = tables * sum(g.size[layer:])
        with ThreadPoolExecutor(workers) as pool:
            for k in range(layer, -1, -1):
                if k < layer:
                    cuts = self._cuts(k, workers)
                    for table in range(tables):
                        list(pool.map(self._part(values, free, slot, table, k), cuts))
                        slot[table], free = free, slot[table]
                        done += g.size[k]
                        if progress is not None:
                            progress(done, self.states)
                now = values[: (tables + 1) * most].reshape(tables + 1, most)
                if k <= keep:
                    self.layers.insert(0, now[slot, : g.size[k]])
                elif point is not None and k < layer:
                    point.save(k, now[:, : g.size[k]], slot)
        if point is not None:
            point.clear()

    def _cuts(self, k: int, workers: int) -> list[tuple[int, int]]:
        """Blocks of a layer in runs of about equal numbers of states, more runs than workers where it pays."""
        g = self.graph
        a, b, c = g.layers[k].T
        states = np.cumsum(g.length[0, a] * g.length[1, b] * g.length[2, c])
        parts = 1 if workers == 1 or states[-1] < 2000 else 4 * workers
        cuts = np.unique([0, *np.searchsorted(states, states[-1] * np.arange(1, parts) / parts), len(states)])
        return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))

    def _part(
        self, values: np.ndarray, into: int, slot: np.ndarray, table: int, k: int
    ) -> Callable[[tuple[int, int]], None]:
        g, m = self.graph, self.moves
        zero_rule = {"forced": stages.FORCED, "split": stages.SPLIT, "strict": stages.STRICT}[self.rules.zero_rule]

        def run(cut: tuple[int, int]) -> None:
            stages.solve_part(
                values, into, slot, max(g.size), g.layers[k], cut[0], cut[1], table, 1 / m.rolls, self.scale, zero_rule,
                g.length, g.labels, g.labels_count, g.after, g.offset,
                m.row_start, m.weight, m.choice_start, m.to, m.add, m.entries, m.fly, m.sums, m.score_start, m.scores,
            )  # fmt: skip

        return run

    @cached_property
    def _number(self) -> dict[tuple[int, int, int], int]:
        return {t: i for i, t in enumerate(self.moves.tables)}

    def value(self, place: Start) -> float:
        """Value of a position in one of the layers kept."""
        layer = sum(map(len, self.start.open)) - sum(map(len, place.open))
        g = self.graph
        i, j, k = (g.node[c][tuple(sorted(place.open[c]))] for c in range(3))
        t0, t1, t2 = (a - b for a, b in zip(place.totals, self.start.totals, strict=True))
        table, points = moves.settle(place.bonus, self.rules)
        at = g.offset[i, j, k] + (t0 * g.length[1, j] + t1) * g.length[2, k] + t2
        return float(self.layers[layer][self._number[table], at]) / self.scale + points


def precision(rules: CaterpillarsRules, start: Start) -> tuple[int, float]:
    """Steps per point that fit 16 bits for everything that can follow, and the proven bound on a value's error."""
    gains = [t + rules.max_entry * len(o) for t, o in zip(start.totals, start.open, strict=True)]
    most = sum(gains) + 3 * rules.max_bonus if rules.final == "total" else max(gains) + rules.max_bonus
    scale = min((2**16 - 1) // max(most, 1), 2**13)
    # half a step for each round; the little more is for the last digit of the doubles that round
    return scale, sum(map(len, start.open)) * (0.5 + 1e-6) / scale


def count_tables(rules: CaterpillarsRules, bonus: tuple[int, int, int], grid: moves.Grid | None = None) -> int:
    """Number of fillings of the bonus boxes that can follow `bonus`, those that differ by a shift counted once."""
    return len(moves.reachable(bonus, rules, grid))


def memory(size: Sequence[int], tables: int) -> int:
    """Bytes that a solution holds: one layer and one table more."""
    return 2 * (tables + 1) * max(size)
