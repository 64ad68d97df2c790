"""What is timed: seven scenarios, and the ways of playing each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

import sim
from benchmarks.c_program import CProgram
from benchmarks.timing import units_for
from sim.engine.digest import digest
from sim.engine.simulate import BLOCK, blocks
from sim.games import get
from sim.games.base import Playable, Scenario
from tests.naive import caterpillars, karolinchen, parlett

SEED = 20_07

_NAIVE = {"caterpillars": caterpillars, "karolinchen": karolinchen, "parlett": parlett}


@dataclass(frozen=True)
class Workload:
    """One scenario with one or more seats."""

    id: str
    game: str
    policies: tuple[str, ...]
    rules: Mapping[str, Any] = field(default_factory=dict)
    #: decisions of a game, where their number is fixed: labels written and rounds
    decisions: int = 0

    @cached_property
    def scenario(self) -> Scenario:
        return get(self.game).scenario(self.rules, self.policies)

    @cached_property
    def playable(self) -> Playable:
        return self.scenario.game.compile(self.scenario.rules, self.scenario.policies)

    @cached_property
    def c_program(self) -> CProgram:
        return CProgram(self.game, self.rules, self.policies)

    @cached_property
    def _buffers(self) -> tuple[np.ndarray, Any]:
        playable = self.playable
        return np.zeros((len(playable.fields), BLOCK * playable.seats), np.int32), playable.scratch()

    def digests(self, games: int) -> tuple[str, str]:
        """Fingerprints of the first games as the kernel and as the C program play them."""
        playable = self.playable
        out = np.zeros((len(playable.fields), games * playable.seats), np.int32)
        playable.play(SEED, 0, games, out, playable.scratch())
        return digest(out), digest(self.c_program.rows(SEED, 0, games))

    def kernel(self, games: int) -> int:
        """The bare kernel, block by block into one buffer; whole blocks only."""
        out, scratch = self._buffers
        for first, count in blocks(0, games):
            self.playable.play(SEED, first, BLOCK, out, scratch)
            assert count == BLOCK
        return games

    def c(self, games: int) -> int:
        """The C program, in the same way."""
        out, _ = self._buffers
        for first, _count in blocks(0, games):
            self.c_program.play(SEED, first, BLOCK, out)
        return games

    def simulate(self, games: int) -> int:
        """The whole interface: checks, playing, a data frame."""
        frame = sim.simulate(self.game, rules=self.rules, policies=self.policies, games=games, seed=SEED, workers=1)
        assert frame.height == games * len(self.policies)
        return games

    def naive(self, games: int) -> int:
        """The slow reference of the tests."""
        module = _NAIVE[self.game]
        for game in range(games):
            module.play_game(dict(self.rules), list(self.policies), SEED, game)
        return games

    def whole_blocks(self, seconds: float) -> int:
        """A number of games, in whole blocks, that the kernel plays in about so many seconds."""
        self.kernel(BLOCK)
        return units_for(self.kernel, BLOCK, seconds) // BLOCK * BLOCK

    def sweep(self, games: int, detail: str, data: str) -> Callable[[], int]:
        """A sweep of this one scenario into a new folder under `data` at every call."""
        calls = iter(range(1_000_000))
        mapping = {
            "game": self.game,
            "seed": SEED,
            "games": games,
            "detail": detail,
            "variants": [{"rules": dict(self.rules)}],
            "policies": [list(self.policies)],
        }

        def run() -> int:
            result = sim.sweep({"name": f"{self.id}-{detail}-{next(calls)}", **mapping}, workers=1, data=data)
            assert result.played == games
            return games

        return run


def _caterpillars(level: str, policy: str) -> Workload:
    return Workload(f"caterpillars-{level}-{policy}", "caterpillars", (policy,), {"level": level}, 6 + 12)


BEGINNER_RANDOM = _caterpillars("beginner", "random")
EXPERT_RANDOM = _caterpillars("expert", "random")

WORKLOADS = (
    BEGINNER_RANDOM,
    _caterpillars("beginner", "greedy"),
    _caterpillars("intermediate", "greedy"),
    EXPERT_RANDOM,
    _caterpillars("expert", "greedy"),
    Workload("karolinchen-4-match", "karolinchen", ("match",) * 4),
    Workload("parlett-greedy", "parlett", ("greedy",) * 2),
)
