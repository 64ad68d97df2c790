"""The files of the fitted value: one for each level, in ``learned/``, with what made them.

A file holds the networks as 32-bit numbers and its provenance as JSON text; `learn` writes it.
"""

from __future__ import annotations

import io
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sim.games.caterpillars.value import CURVE, ROWS, UNITS

FOLDER = Path(__file__).resolve().parent / "learned"
#: rounds that can be left after a move, 0 … 11
LEFT = 12
#: numbers for each of these in the table of `margins`
MARGIN = 8
MARGINS = FOLDER / "margins.json"


def file_of(level: str) -> Path:
    """Where the networks of a level lie."""
    return FOLDER / f"{level}.npz"


@lru_cache(maxsize=8)
def read(path: Path) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Networks (float64[LEFT, ROWS, UNITS]), curves (float64[LEFT, CURVE]) and provenance of one file."""
    with np.load(path, allow_pickle=False) as file:
        net = file["net"].astype(np.float64)
        curve = file["curve"].astype(np.float64)
        told = json.loads(str(file["provenance"]))
    if net.shape != (LEFT, ROWS, UNITS) or curve.shape != (LEFT, CURVE):
        raise ValueError(f"{path.name} holds networks of another shape: learn them again")
    return net, curve, told


def weights(level: str) -> tuple[np.ndarray, np.ndarray]:
    """Networks and curves of a level, see `value`."""
    net, curve, _ = read(file_of(level))
    return net, curve


def provenance(level: str) -> dict[str, Any]:
    """What made the networks of a level: rules, seed, sizes, versions, errors found."""
    return read(file_of(level))[2]


@lru_cache(maxsize=8)
def margins(level: str) -> np.ndarray:
    """How uncertain differences between two players of a level are, float64[LEFT, MARGIN]: see `rival`."""
    told = json.loads(MARGINS.read_text(encoding="utf-8"))
    margin = np.array(told["levels"][level], np.float64)
    if margin.shape != (LEFT, MARGIN):
        raise ValueError(f"{MARGINS.name} holds tables of another shape: measure them again")
    return margin


def packed(net: np.ndarray, curve: np.ndarray, told: dict[str, Any]) -> bytes:
    """The content of a file; equal arguments give equal bytes."""
    buffer = io.BytesIO()
    text = json.dumps(told, sort_keys=True)
    np.savez_compressed(buffer, net=net.astype(np.float32), curve=curve.astype(np.float32), provenance=np.array(text))
    return buffer.getvalue()
