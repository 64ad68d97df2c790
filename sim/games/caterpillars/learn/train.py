"""Fitted backward induction: networks for 1, 2, … rounds left, each from the one before.

With no round left a sheet is worth its end total. With r rounds left, positions are sampled; what each is worth
is the mean over the next roll, exact over all rolls, of the best value after it, where values come from the network for
r − 1; the network for r is fitted to that. Nothing is sampled inside a mean or a maximum. In a second
pass half the positions come from games of the networks of the first.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sim.engine.jit import source_hash
from sim.errors import InputError, unknown, whole_number
from sim.games.caterpillars.learn.network import fit, output
from sim.games.caterpillars.learn.positions import Positions, room, sample, target_of
from sim.games.caterpillars.mind import Mind, blank_mind
from sim.games.caterpillars.odds import odds, show_level
from sim.games.caterpillars.position import POSITION
from sim.games.caterpillars.rules import LEVELS, SHEETS, CaterpillarsRules
from sim.games.caterpillars.value import CURVE, FLYING_ROW, NOISE, OUT_ROW, PER_POINT, POINTS, ROWS, SLOT, UNITS
from sim.games.caterpillars.weights import LEFT, packed
from sim.store.parquet import write_bytes

#: how projections are made: see `expected` and `soft_median` of the policies
PATIENCE = 0.82
DOUBT = 0.29
#: step sizes of the first network of a pass, and of those that start from the one before
RATE = 4e-3
RATE_LATER = 3e-3
BATCH = 512
#: share of the positions that is kept aside to measure errors
ASIDE = 0.1
#: where an interrupted training goes on
WORK = Path(".cache/learn")

Tell = Callable[[str], None]


class Settings(NamedTuple):
    """What decides the result.

    Attributes
    ----------
    level : str
    positions : int
        For each number of rounds left, in each pass.
    passes, epochs : int
    seed : int
    """

    level: str
    positions: int = 40_000
    passes: int = 2
    epochs: int = 60
    seed: int = 1


def curves(rules: CaterpillarsRules) -> np.ndarray:
    """Noise, worth of empty boxes, and scales by rounds left: float64[LEFT, CURVE]."""
    chance, best = odds(rules)
    typical = best[1:7].mean()
    out = np.zeros((LEFT, CURVE), np.float32)
    for left in range(1, LEFT):
        reach = PATIENCE * chance * left
        out[left, : chance.size] = best * reach / (1.0 - chance + reach + 1e-12)
        out[left, NOISE] = DOUBT * typical * typical * left
        out[left, PER_POINT] = 1.0 / typical
        out[left, POINTS] = typical
    return out.astype(np.float64)


def _position(rules: CaterpillarsRules) -> np.ndarray:
    """A record for positions that are looked at."""
    positions = np.zeros(1, POSITION).view(np.recarray)
    show_level(positions[0], rules)
    positions[0].seats = 1
    return positions


def _start(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Weights to begin with: small random ones; the linear unit says what bonus boxes will bring."""
    inside = (0.3 * rng.standard_normal((ROWS, UNITS))).astype(np.float32)
    out = (0.1 * rng.standard_normal(UNITS)).astype(np.float32)
    inside[OUT_ROW] = 0.0
    inside[:, 0] = 0.0
    inside[[SLOT * k + FLYING_ROW for k in range(3)], 0] = 1.0
    out[0] = 1.0
    return inside, out


class _Notes:
    """What is done of a training, kept on disk."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.path = folder / f"{settings.level}.npz"
        self.key = json.dumps([*settings, source_hash("caterpillars")])

    def read(self) -> tuple[int, int, np.ndarray, np.ndarray, dict[str, Any]] | None:
        try:
            with np.load(self.path, allow_pickle=False) as file:
                if str(file["key"]) != self.key:
                    return None
                done = int(file["passed"]), int(file["left"]), file["net"], file["before"]
                return *done, json.loads(str(file["errors"]))
        except (OSError, ValueError, KeyError):
            return None

    def write(self, passed: int, left: int, net: np.ndarray, before: np.ndarray, errors: dict[str, Any]) -> None:
        import io

        buffer = io.BytesIO()
        np.savez(buffer, key=self.key, passed=passed, left=left, net=net, before=before, errors=json.dumps(errors))
        write_bytes(self.path, buffer.getvalue())

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)


def _one(
    found: Positions, left: int, mind: Mind, positions: np.ndarray, net: np.ndarray, settings: Settings, number: int
) -> dict[str, float]:
    """Fit the network for `left` rounds left, into `net`; returns its errors on positions kept aside, in points."""
    n = int(found.filled[left])
    inputs = np.zeros((n, ROWS))
    base, target = np.zeros((2, n))
    target_of(found, left, 0, n, positions, mind, inputs, base, target)
    points = mind.curve[left, POINTS]
    x = inputs.astype(np.float32)
    y = ((target - base) / points).astype(np.float32)
    if left == 1:
        start = _start(np.random.default_rng([settings.seed, number]))
    else:
        start = net[left - 1].astype(np.float32), net[left - 1, OUT_ROW].astype(np.float32)
        start[0][OUT_ROW] = 0.0
    learned = n - int(n * ASIDE)
    weights, out = fit(
        x[:learned], y[:learned], *start, epochs=settings.epochs, batch=min(BATCH, learned),
        rate=RATE if left == 1 else RATE_LATER, seed=settings.seed + 1000 * number + left,
    )  # fmt: skip
    weights[OUT_ROW] = out
    net[left] = weights
    inside = weights.copy()
    inside[OUT_ROW] = 0.0
    wrong = points * (output(x[learned:], inside, out) - y[learned:])
    return {
        "positions": n,
        "root_mean_square": float(np.sqrt((wrong**2).mean())),
        "mean": float(wrong.mean()),
        "without_network": float((points * y[learned:]).std()),
    }


def train(settings: Settings, *, work: Path = WORK, tell: Tell | None = None) -> bytes:
    """Learn the networks of a level; the content of their file.

    An interrupted training goes on where it stopped when it is called again.

    Raises
    ------
    InputError
        In one line: what was given, what is accepted.
    """
    if settings.level not in LEVELS:
        raise InputError(unknown("level", settings.level, LEVELS))
    for name, least in (("positions", 100), ("passes", 1), ("epochs", 1), ("seed", 0)):
        whole_number(name, getattr(settings, name), least)
    rules = CaterpillarsRules.model_validate({"level": settings.level})
    notes = _Notes(work, settings)
    positions = _position(rules)
    curve = curves(rules)
    before = np.zeros((LEFT, ROWS, UNITS))
    net = np.zeros((LEFT, ROWS, UNITS))
    errors: dict[str, dict[str, float]] = {}
    passed, done = 0, 0
    known = notes.read()
    if known is not None:
        passed, done, net, before, errors = known
    printed = np.array(SHEETS["pairs"], np.int64)
    for number in range(passed, settings.passes):
        found = room(settings.positions)
        seed = np.uint64(settings.seed + 1_000_003 * number)
        sample(seed, 2 * settings.positions, number > 0, printed, positions, blank_mind(rules, before, curve), found)
        mind = blank_mind(rules, net, curve)
        for left in range(done + 1, LEFT):
            errors[str(left)] = _one(found, left, mind, positions, net, settings, number)
            if tell is not None:
                tell(
                    f"pass {number + 1} of {settings.passes}, {left} of {LEFT - 1} rounds left: "
                    f"error {errors[str(left)]['root_mean_square']:.3f} points"
                )
            notes.write(number, left, net, before, errors)
        before, net, done = net, np.zeros_like(net), 0
    told = {
        "game": "caterpillars",
        "rules": rules.identity(),
        "settings": settings._asdict(),
        "patience": PATIENCE,
        "doubt": DOUBT,
        "units": UNITS,
        "kernel_sources": source_hash("caterpillars"),
        "errors": errors,
    }
    notes.forget()
    return packed(before, curve, told)
