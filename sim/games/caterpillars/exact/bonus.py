"""Exact optimal play at the levels with bonus boxes: advanced, and expert on small sheets or late positions.

A position is solved with everything that can follow it; see `stages` for the method. A whole advanced sheet takes a few
minutes and about 10 GB, and its early layers are kept: a position that lies deeper is solved again from itself, which
is quick because much less can follow it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from sim.errors import RulesError
from sim.games.caterpillars.exact import graph, moves, stages
from sim.games.caterpillars.rules import FINALS, CaterpillarsRules
from sim.tables.checkpoint import GIB, Checkpoint

#: bytes that the two layers in memory may take
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
    layers : list of uint16[tables × size]
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
        listed: moves.Moves | None = None,
    ) -> None:
        self.rules = rules
        self.start = start
        self.graph = graph.build(start.open, rules.max_entry)
        size = self.graph.size
        tables = count_tables(rules, start.bonus)
        self.states = tables * sum(size)
        self.need = layers_bytes(size, tables)
        if self.need > MEMORY:
            raise RulesError(
                f"this position needs {self.need / GIB:.0f} GiB of memory ({self.states / 1e9:.0f} billion states at "
                f"level = {rules.level}); accepted: at most {MEMORY // GIB} GiB, fewer boxes or a later position"
            )
        self.moves = listed or moves.build(start.bonus, rules)
        self.scale, self.error_bound = precision(rules, start)
        self._solve(workers, keep, progress, checkpoint, limit)

    def _solve(
        self, workers: int, keep: int, progress: Progress | None, folder: str | os.PathLike[str] | None, limit: int
    ) -> None:
        g, m = self.graph, self.moves
        size, rounds, tables = g.size, len(g.size) - 1, len(m.tables)
        work = {"rules": self.rules.identity(), "start": [self.start.open, self.start.totals, self.start.bonus]}
        point = Checkpoint(folder, work, self.need, limit) if folder is not None else None
        found = point.load() if point is not None else None
        done = 0
        self.layers: list[np.ndarray] = []
        if found is not None:
            layer, later, _ = found
            done = tables * sum(size[layer:])
        else:
            layer = rounds
            later = np.zeros(tables * size[rounds] + stages.SLACK, np.uint16)
            full = np.array([g.length[c, g.node[c][()]] for c in range(3)])
            stages.fill_last(
                later, size[rounds], tables, np.array(m.tables, np.int64), np.array(self.start.totals, np.int64), full,
                FINALS.index(self.rules.final), self.scale,
            )  # fmt: skip
            done = tables * size[rounds]
        if layer <= keep:
            self.layers.insert(0, later)
        with ThreadPoolExecutor(workers) as pool:
            for k in range(layer - 1, -1, -1):
                now = np.empty(tables * size[k] + stages.SLACK, np.uint16)
                now[-stages.SLACK :] = 0
                for solved in pool.map(self._part(now, later, k), self._cuts(k, 1 if workers == 1 else 16 * workers)):
                    done += solved
                    if progress is not None:
                        progress(done // tables, sum(size))
                later = now
                if k <= keep:
                    self.layers.insert(0, now)
                if point is not None and k > keep:
                    point.save(k, now)
        if point is not None:
            point.clear()

    def _cuts(self, k: int, parts: int) -> list[tuple[int, int]]:
        pairs = len(self.graph.layers[k]) * len(self.moves.tables)
        cuts = np.unique(np.linspace(0, pairs, min(parts, pairs) + 1).astype(int))
        return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))

    def _part(self, now: np.ndarray, later: np.ndarray, k: int) -> Callable[[tuple[int, int]], int]:
        g, m = self.graph, self.moves
        zero_rule = {"forced": stages.FORCED, "split": stages.SPLIT, "strict": stages.STRICT}[self.rules.zero_rule]
        share = g.size[k] * len(m.tables) / (len(g.layers[k]) * len(m.tables))

        def run(cut: tuple[int, int]) -> int:
            stages.solve_part(
                now, g.size[k], later, g.size[k + 1], g.layers[k], cut[0], cut[1], len(m.tables), 1 / m.rolls,
                self.scale, zero_rule, g.length, g.labels, g.labels_count, g.after, g.offset,
                m.row_start, m.weight, m.choice_start, m.to, m.add, m.entries, m.fly, m.sums, m.score_start, m.scores,
            )  # fmt: skip
            return int(share * (cut[1] - cut[0]))

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
        at = self._number[table] * g.size[layer] + g.offset[i, j, k] + (t0 * g.length[1, j] + t1) * g.length[2, k] + t2
        return float(self.layers[layer][at]) / self.scale + points


def precision(rules: CaterpillarsRules, start: Start) -> tuple[int, float]:
    """Steps per point that fit 16 bits for everything that can follow, and the proven bound on a value's error."""
    gains = [t + rules.max_entry * len(o) for t, o in zip(start.totals, start.open, strict=True)]
    most = sum(gains) + 3 * rules.max_bonus if rules.final == "total" else max(gains) + rules.max_bonus
    scale = min((2**16 - 1) // max(most, 1), 2**13)
    # half a step for each round; the little more is for the last digit of the doubles that round
    return scale, sum(map(len, start.open)) * (0.5 + 1e-6) / scale


def count_tables(rules: CaterpillarsRules, bonus: tuple[int, int, int]) -> int:
    """Number of fillings of the bonus boxes that can follow `bonus`, those that differ by a shift counted once."""
    return len(moves.reachable(bonus, rules))


def layers_bytes(size: Sequence[int], tables: int) -> int:
    """Bytes of the two largest layers that follow each other."""
    return 2 * tables * max((a + b for a, b in pairwise(size)), default=size[0])
