"""The network that corrects the race: what it is told of players, and the tables it is read from."""

from __future__ import annotations

import io
import json
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sim.games.base import Policy
from sim.games.karolinchen.luck.race import Race, parts_of
from sim.games.karolinchen.odds import ONE_ROLL
from sim.games.karolinchen.policies import RANDOM

FOLDER = Path(__file__).resolve().parent / "learned"
#: rounds ahead for which the chance to be done is told
ROUNDS = 9
#: numbers told of a seat, and of who is to roll
SEAT, ROLL = 18 + ROUNDS, 13
#: kinds of player: those who look at the dice when they choose a card, and those who do not
KINDS = 2


def kind_of(policy: Policy) -> int:
    """Kind of player, see `KINDS`."""
    return 1 if policy.info.number == RANDOM else 0


class Network(NamedTuple):
    """Tables of a network, as in `sim.games.karolinchen.luck.worth.Sight`."""

    fitted: bool
    seen: np.ndarray
    rolls: np.ndarray
    race: np.ndarray
    inner: np.ndarray
    inner_bias: np.ndarray
    outer: np.ndarray
    outer_bias: np.ndarray


def no_network() -> Network:
    """In place of a network: nothing is corrected."""
    dimensions = (4, 3, 2, 2, 1, 2, 1)
    return Network(False, *(np.zeros((1,) * d, np.float32) for d in dimensions))


def of_seats(race: Race) -> np.ndarray:
    """What is told of a seat, by worm: float32[worms, SEAT]."""
    worms = race.end.shape[0]
    out = np.zeros((worms, SEAT), np.float32)
    turns = np.arange(race.end.shape[2])
    for worm in range(worms):
        left, colour, covered = parts_of(worm, race.fruits, race.before)
        places = race.fruits[colour] - covered
        out[worm, colour] = 1.0
        for c in range(6):
            out[worm, 6 + c] = (left >> c) & 1
        out[worm, 12] = places / 3.0
        out[worm, 13] = 1.0 if places == 1 else 0.0
        out[worm, 14] = 1.0 if places == 2 else 0.0
        open_fruits = places + sum(int(race.fruits[c]) for c in range(6) if (left >> c) & 1)
        out[worm, 15] = open_fruits / 10.0
        mean = float((race.end[worm, 0] * turns).sum())
        spread = float((race.end[worm, 0] * turns**2).sum()) - mean**2
        out[worm, 16] = mean / 8.0
        out[worm, 17] = np.sqrt(max(spread, 0.0)) / 3.0
        out[worm, 18:] = 1.0 - race.beyond[worm, 0, 1 : 1 + ROUNDS]
    return out


def of_rolls(race: Race) -> np.ndarray:
    """What is told of who is to roll, by worm and dice: float32[worms, 7, ROLL]."""
    worms = race.end.shape[0]
    out = np.zeros((worms, 7, ROLL), np.float32)
    for worm in range(worms):
        _, colour, covered = parts_of(worm, race.fruits, race.before)
        places = int(race.fruits[colour] - covered)
        for dice in range(7):
            n = dice or 6
            out[worm, dice, dice] = 1.0
            out[worm, dice, 7] = ONE_ROLL[n, min(places, 6)]
            hits = race.end[worm, n]
            out[worm, dice, 8:11] = np.cumsum(hits)[1:4]
            out[worm, dice, 11] = n / 6.0 * places / 3.0
            out[worm, dice, 12] = ONE_ROLL[n, min(places, 6)] / places
    return out


class Weights(NamedTuple):
    """Weights of a network, as it is fitted and kept.

    Attributes
    ----------
    outside : float32[inputs, units]
        Of all that is told: seats by place in the order and kind, then the roll, then the logarithms of the race.
    inner, inner_bias : float32[units, inner units], float32[inner units]
    outer, outer_bias : float32[inner units, players], float32[players]
    """

    outside: np.ndarray
    inner: np.ndarray
    inner_bias: np.ndarray
    outer: np.ndarray
    outer_bias: np.ndarray

    def rounded(self) -> Weights:
        """The weights as a file keeps them."""
        return Weights(*(w.astype(np.float16).astype(np.float32) for w in self))

    def network(self, race: Race, players: int) -> Network:
        """The tables of the network."""
        units = self.inner.shape[0]
        at = players * KINDS * SEAT
        each = self.outside[:at].reshape(players, KINDS, SEAT, units)
        told = of_seats(race)
        seen = np.stack([np.stack([told @ each[a, k] for a in range(players)]) for k in range(KINDS)])
        rolls = of_rolls(race) @ self.outside[at : at + ROLL]
        tables = (seen, rolls, self.outside[at + ROLL :], self.inner, self.inner_bias, self.outer.T, self.outer_bias)
        return Network(True, *(np.ascontiguousarray(t, np.float32) for t in tables))


def packed(weights: Weights, told: dict[str, Any]) -> bytes:
    """The content of a file; equal arguments give equal bytes."""
    buffer = io.BytesIO()
    parts = {name: w.astype(np.float16) for name, w in weights._asdict().items()}
    np.savez_compressed(buffer, provenance=np.array(json.dumps(told, sort_keys=True)), **parts)
    return buffer.getvalue()


def file_of(players: int) -> Path:
    """Where the network of a number of players lies."""
    return FOLDER / f"{players}.npz"


@lru_cache(maxsize=8)
def read(path: Path) -> tuple[Weights, dict[str, Any]]:
    """Weights and provenance of one file."""
    with np.load(path, allow_pickle=False) as file:
        weights = Weights(*(file[name].astype(np.float32) for name in Weights._fields))
        return weights, json.loads(str(file["provenance"]))
