"""What a policy itself will make of a sheet: how much of each view counts, by least squares, from games of its own.

The games are none that a simulation from game 0 on comes to, so what is fitted knows nothing of what is measured.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sim.games.caterpillars.luck.views import VIEWS, WORTH

#: seed of the games that are fitted to, and the first of them: no simulation comes to it that begins at 0
SEED, FIRST = 1, 2**62
#: games that say what boxes bring, and games whose luck is told
PLAIN, TOLD = 4000, 500
#: weights change with the round like a polynomial of this degree
DEGREE = 2
#: ridge, in games: that many with every luck at its spread, and nothing left to explain
_RIDGE = 3.0
#: boxes of a label count as this many of any label, on top of their own
_ANY = 5
#: what is fitted is rounded to this, so that it is the same on every machine
_STEP = 2.0**-12


class Fitted(NamedTuple):
    """What the value of one policy is put together from; see `views.Views`.

    Attributes
    ----------
    points, spread : float64[13, 13]
    weight : float64[12, VIEWS]
    setup : float
        How much of the luck of the set-up counts.
    """

    points: np.ndarray
    spread: np.ndarray
    weight: np.ndarray
    setup: float


def plain() -> Fitted:
    """V and nothing else."""
    weight = np.zeros((12, VIEWS))
    weight[:, WORTH] = 1.0
    return Fitted(np.zeros((13, 13)), np.zeros((13, 13)), weight, 1.0)


def boxes_of(told: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of what a box brings, float64[13, 13] by rounds left and label; rare labels as any other."""
    any_label = told.sum(axis=2, keepdims=True)
    told = told + _ANY * any_label / np.maximum(any_label[0], 1.0)
    count = np.maximum(told[0], 1.0)
    points = told[1] / count
    return _rounded(points), _rounded(np.maximum(told[2] / count - points * points, 0.0))


def fit_weights(
    tell: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]], rounds: int, told: np.ndarray
) -> Fitted:
    """Weights for a policy.

    Parameters
    ----------
    tell
        Gives outcomes, their luck by round and view, and that of the set-up, from `points` and `spread`.
    rounds : int
    told : float64[3, 13, 13]
        Of `rounds.watch_boxes`.
    """
    points, spread = boxes_of(told)
    outcomes, luck, setup = tell(points, spread)
    rest = outcomes - luck[:, :, WORTH].sum(axis=1) - setup
    # in the last round V is the end total itself, and nothing can be added to it
    time = np.linspace(-1.0, 1.0, rounds - 1)[:, None] ** np.arange(DEGREE + 1)
    terms = np.einsum("grv,rd->gdv", luck[:, : rounds - 1], time).reshape(len(luck), -1)
    x = np.column_stack([terms, setup])
    square = x.T @ x
    told_of = np.diag(square) > 1e-6
    ridge = square[told_of][:, told_of]
    ridge[np.diag_indices_from(ridge)] *= 1.0 + _RIDGE / len(x)
    found = np.zeros(x.shape[1])
    found[told_of] = np.linalg.solve(ridge + 1e-6 * np.eye(len(ridge)), x[:, told_of].T @ (rest - rest.mean()))
    weight = plain().weight.copy()
    by_round = time @ found[:-1].reshape(DEGREE + 1, VIEWS)
    weight[rounds - 1 : 0 : -1] += _rounded(by_round)
    return Fitted(points, spread, weight, 1.0 + float(_rounded(found[-1:])[0]))


def _rounded(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.rint(x / _STEP) * _STEP)
