"""A small network with one hidden layer, fitted by least squares: Adam on shuffled batches, with numpy alone."""

from __future__ import annotations

import math

import numpy as np

#: decay of the two running means (Kingma and Ba, *Adam: a method for stochastic optimization*, ICLR 2015)
_FIRST = 0.9
_SECOND = 0.999
_SMALL = 1e-8


def _hidden(inputs: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums of the hidden units and what they hand on: rectified, but the first is linear."""
    sums = inputs @ weights
    hidden = np.maximum(sums, 0)
    hidden[:, 0] = sums[:, 0]
    return sums, hidden


def output(inputs: np.ndarray, weights: np.ndarray, out: np.ndarray) -> np.ndarray:
    """What the network says: float32[n]."""
    return np.asarray(_hidden(inputs, weights)[1] @ out)


def fit(
    inputs: np.ndarray, target: np.ndarray, weights: np.ndarray, out: np.ndarray, *, epochs: int, batch: int,
    rate: float, seed: int,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Weights that bring the outputs close to `target`, from a start.

    Parameters
    ----------
    inputs : float32[n, inputs]
    target : float32[n]
    weights : float32[inputs, units], out : float32[units]
        The start; not changed.
    epochs, batch : int
        Passes over the data, and how many rows make a step.
    rate : float
        First step size; it falls to nothing along a quarter of a cosine.
    seed : int
        Order of the rows.

    Returns
    -------
    weights, out
    """
    rng = np.random.default_rng(seed)
    now = [weights.astype(np.float32).copy(), out.astype(np.float32).copy()]
    first = [np.zeros_like(p) for p in now]
    second = [np.zeros_like(p) for p in now]
    steps = epochs * (len(inputs) // batch)
    step = 0
    for _ in range(epochs):
        order = rng.permutation(len(inputs))
        for start in range(0, len(inputs) - batch + 1, batch):
            rows = order[start : start + batch]
            x = inputs[rows]
            sums, hidden = _hidden(x, now[0])
            wrong = (hidden @ now[1] - target[rows]) / batch
            passed = sums > 0
            passed[:, 0] = True
            slopes = [x.T @ (wrong[:, None] * now[1] * passed), hidden.T @ wrong]
            step += 1
            size = rate * 0.5 * (1 + math.cos(math.pi * step / steps))
            for p, g, m, v in zip(now, slopes, first, second, strict=True):
                m += (1 - _FIRST) * (g - m)
                v += (1 - _SECOND) * (g * g - v)
                p -= size * (m / (1 - _FIRST**step)) / (np.sqrt(v / (1 - _SECOND**step)) + _SMALL)
    return now[0], now[1]
