"""A game too small to be wrong about: every seat rolls one die; the highest roll wins.

It lets the tests of store, sweeps and command line run without a compiler. Like the real games, a row depends on
(rules, policy, seed, game, seat) alone.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import Field as Parameter

from sim.errors import PolicyError, RulesError
from sim.games.base import (
    Field,
    Game,
    Playable,
    Policy,
    PolicyInfo,
    PolicyParameter,
    PolicyRegistry,
    Preset,
    RulesModel,
)

_UNIT = 2.0**-64


def _mixed(*parts: Any) -> np.ndarray:
    """A hash of whole numbers, uint64 (the finaliser of SplitMix64 applied part by part)."""
    with np.errstate(over="ignore"):
        h = np.uint64(0)
        for part in parts:
            h = (h ^ np.asarray(part, np.uint64)) + np.uint64(0x9E3779B97F4A7C15)
            h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            h = h ^ (h >> np.uint64(31))
    return h


class ToyRules(RulesModel):
    GAME = "toy"
    PRESETS = {"big": Preset("big", {"sides": 20}, "a twenty-sided die", "this file")}

    sides: int = Parameter(
        6, ge=2, le=100, description="sides of the die", json_schema_extra={"accepts": "a whole number from 2 to 100"}
    )
    lucky: bool = Parameter(False, description="a six counts double", json_schema_extra={"accepts": "true or false"})
    nap: float = Parameter(
        0.0, ge=0, description="seconds a block takes", json_schema_extra={"accepts": "a number from 0"}
    )

    def model_post_init(self, _: Any) -> None:
        if self.lucky and self.sides == 13:
            raise RulesError("toy: lucky with sides = 13 is impossible; accepted: other sides")

    def without_effect(self) -> frozenset[str]:
        return frozenset({"nap"} | ({"lucky"} if self.sides < 6 else set()))


class ToyPlayable(Playable):
    def __init__(self, game: ToyGame, rules: ToyRules, policies: Sequence[Policy]) -> None:
        self.rules, self.seats = rules, len(policies)
        self.fields = game.fields(rules, self.seats)
        self.adds = np.array([int(float(p.values[0])) if p.id == "add" else 0 for p in policies])

    def scratch(self) -> None:
        return None

    def play(self, seed: int, first: int, games: int, out: np.ndarray, scratch: Any) -> None:
        if self.rules.nap:
            time.sleep(self.rules.nap)
        index = np.arange(first, first + games, dtype=np.uint64)[:, None]
        # common random numbers: the same uniform number whatever the rules
        u = _mixed(np.uint64(seed), index, np.arange(self.seats, dtype=np.uint64)[None, :]) * _UNIT
        roll = np.floor(u * self.rules.sides).astype(np.int64) + 1
        doubled = (roll == 6) & self.rules.lucky
        score = roll + self.adds + np.where(doubled, roll, 0)
        best = score == score.max(axis=1, keepdims=True)
        out[0] = score.ravel()
        out[1] = np.where(best, best.sum(axis=1, keepdims=True), 0).ravel()
        out[2] = doubled.ravel()


class ToyGame(Game):
    name = "toy"
    title = "Toy"
    kernel_version = 1
    rules_type = ToyRules
    policies = PolicyRegistry(
        "toy",
        [
            PolicyInfo("plain", 0, "rolls", "anyone", "this file"),
            PolicyInfo(
                "add",
                1,
                "rolls and adds",
                "a cheat",
                "this file",
                (PolicyParameter("more", 1.0, "points added", 0, 10, integer=True),),
            ),
        ],
    )
    example = ("plain", "add")
    compile_seconds = 0

    def check_seats(self, rules: RulesModel, seats: int) -> None:
        if seats > 4:
            raise PolicyError(f"toy: {seats} policies were given; accepted: 1 to 4")

    def fields(self, rules: RulesModel, seats: int) -> tuple[Field, ...]:
        assert isinstance(rules, ToyRules)
        return (
            Field("score", "Int16", "points", "the roll and what is added", 1, 2 * rules.sides + 10),
            Field("win", "Float64", "games", "1, 0, or 1/k when shared", 0, seats, "share"),
            Field("doubled", "Boolean", "", "the roll counted double", 0, 1, "bool"),
        )

    def compile(self, rules: RulesModel, policies: Sequence[Policy]) -> Playable:
        assert isinstance(rules, ToyRules)
        return ToyPlayable(self, rules, policies)

    def trace(self, rules: RulesModel, policies: Sequence[Policy], seed: int, game: int) -> dict[str, Any]:
        playable = self.compile(rules, policies)
        out = np.zeros((3, len(policies)), np.int32)
        playable.play(seed, game, 1, out, None)
        return {"rules": rules.identity(), "scores": out[0].tolist()}

    def tell(self, trace: Mapping[str, Any]) -> str:
        return "\n".join(f"seat {i} scores {s}" for i, s in enumerate(trace["scores"]))


GAME = ToyGame()


def install() -> None:
    """Add the toy to the registry of this process."""
    import sys

    import sim.games

    sim.games.REGISTRY = (*sim.games.REGISTRY, "toy") if "toy" not in sim.games.REGISTRY else sim.games.REGISTRY
    sys.modules["sim.games.toy"] = sys.modules[__name__]


if __name__ == "__main__":  # the command line with the toy in the registry, for tests that need a process of their own
    import os

    install()
    from sim.cli import main
    from sim.sweep import streams

    streams.INTERVAL = float(os.environ.get("TOY_INTERVAL", streams.INTERVAL))

    main()
