"""Draws of a ``sample:`` block: random, Latin hypercube or Sobol points over ranges and choices.

The same block with the same seed gives the same draws everywhere: every number comes from raw bits of PCG64, which
NumPy promises to keep, and from Sobol's published sequence, never from a sampler that may change with a library's
version. Every parameter has a stream of its own, found by its name: to sample one more leaves random and Latin
hypercube draws of the others as they are, and two blocks that sample the same parameter with the same seed draw the
same values, which makes what they differ in comparable.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.errors import SweepError, unknown, whole_number
from sim.sweep.space import Space, text

METHODS = ("random", "lhs", "sobol")
#: keys of a block that are no parameters
KEYS = ("n", "method", "seed")
#: digits of a drawn number over the width of its range: enough for any surface, and short in a label
DIGITS = 6
_BITS = 30


def number(value: Any) -> Any:
    """A number that YAML 1.1 reads as a text (1e6, 1e-3), and a whole one as an int; anything else as it is."""
    if isinstance(value, str):
        try:
            return int(value.replace("_", ""))
        except ValueError:
            pass
        try:
            value = float(value)
        except ValueError:
            return value
    return int(value) if isinstance(value, float) and value.is_integer() else value


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, both included."""

    low: float
    high: float
    whole: bool

    def at(self, u: float) -> float:
        """The value at u in [0, 1)."""
        if self.whole:
            low, high = int(self.low), int(self.high)
            return min(low + int(u * (high - low + 1)), high)
        width = self.high - self.low
        value = round(self.low + u * width, DIGITS - math.floor(math.log10(width)))
        return min(max(value, self.low), self.high)


@dataclass(frozen=True)
class Choices:
    """Values of any kind, all equally likely."""

    values: tuple[Any, ...]

    def at(self, u: float) -> Any:
        """The value at u in [0, 1)."""
        return self.values[int(u * len(self.values))]


def _axis(space: Space, key: str, name: str, given: Any) -> Range | Choices:
    """What one parameter is drawn from; `key` as it stands in the file, `name` as the space knows it."""
    refused = f"sample: {key} = {given!r} is not accepted; accepted: "
    if isinstance(given, Mapping):
        values = given.get("choices")
        if set(given) != {"choices"} or not isinstance(values, list) or not values:
            raise SweepError(refused + "{choices: [a list of at least one value]}")
        return Choices(tuple(values))
    whole = space.whole(name)
    if whole is None:
        raise SweepError(
            refused + f"{{choices: [...]}}, because it is no number, with values out of: {space.accepts(name)}"
        )
    if not isinstance(given, list) or len(given) != 2:
        raise SweepError(refused + "[low, high], or {choices: [...]}")
    ends = [number(end) for end in given]
    sound = all(isinstance(end, int | float) and not isinstance(end, bool) and math.isfinite(end) for end in ends)
    if not sound or (whole and not all(isinstance(end, int) for end in ends)):
        raise SweepError(refused + f"[low, high] of {space.accepts(name)}")
    if not ends[0] < ends[1]:
        raise SweepError(refused + "[low, high] with low below high")
    if not all(space.inside(name, end) for end in ends):
        raise SweepError(refused + f"[low, high] within {space.accepts(name)}")
    return Range(ends[0], ends[1], whole)


def _raw(seed: int, stream: str, n: int) -> np.ndarray:
    """n raw 64-bit numbers of a stream with a name."""
    digest = hashlib.sha256(f"{seed}/{stream}".encode()).digest()
    return np.random.PCG64(int.from_bytes(digest, "big")).random_raw(n)


def _unit(raw: np.ndarray) -> np.ndarray:
    """Numbers in [0, 1) from raw bits."""
    return (raw >> np.uint64(11)).astype(np.float64) * 2.0**-53


def points(method: str, seed: int, keys: list[str], n: int) -> np.ndarray:
    """n points in the unit cube, one column per key.

    Parameters
    ----------
    method : {"random", "lhs", "sobol"}
        Independent numbers; one number in each of n equal slices of every axis; or Sobol's sequence from its start,
        with the bits of every axis turned by a drawn number (a digital shift, which keeps its balance and has no bias).
    seed : int
    keys : list of str
        Names of the streams.
    n : int

    Returns
    -------
    numpy.ndarray
        float64[n, len(keys)] in [0, 1).
    """
    if method == "sobol":
        from scipy.stats import qmc  # takes longer to load than all the rest of a plan

        power = max(n - 1, 0).bit_length()
        base = qmc.Sobol(len(keys), scramble=False, bits=_BITS).random_base2(power)[:n]
        shift = np.array([_raw(seed, f"sobol/{key}", 1)[0] >> np.uint64(64 - _BITS) for key in keys], np.uint64)
        turned = (base * 2.0**_BITS).astype(np.uint64) ^ shift
        return (turned.astype(np.float64) + 0.5) * 2.0**-_BITS
    columns = [_unit(_raw(seed, f"{method}/{key}", n)) for key in keys]
    if method == "lhs":
        order = [np.argsort(_raw(seed, f"slices/{key}", n), kind="stable") for key in keys]
        columns = [(slices + inside) / n for slices, inside in zip(order, columns, strict=True)]
    return np.stack(columns, axis=1)


def draws(
    block: Mapping[str, Any],
    find: Callable[[str], tuple[Space, str]],
    seed: int,
    most: int,
    note: Callable[[str], None],
) -> Iterator[dict[str, Any]]:
    """The draws of a block, each once, in the order in which they come.

    Parameters
    ----------
    block : mapping
        ``n``, ``method``, ``seed``; every other key is a parameter: [low, high] or {choices: [...]}.
    find : callable
        The space of a key and the parameter's name in it; refuses what is none.
    seed : int
        Unless the block has one.
    most : int
        A block may draw so many.
    note : callable
        Takes what a reader of the plan should know.
    """
    where = "sample"
    keys = [key for key in block if key not in KEYS]
    if "n" not in block:
        raise SweepError(f"{where}: the key 'n' is missing; accepted keys: {', '.join(KEYS)}, and parameters")
    n = whole_number(f"{where}: n", number(block["n"]), 1, most)
    method = block.get("method", "random")
    if method not in METHODS:
        raise SweepError(unknown(f"method in {where}", method, METHODS))
    seed = whole_number(f"{where}: seed", number(block.get("seed", seed)), 0, 2**64 - 1)
    if not keys:
        raise SweepError(f"{where} names no parameter; accepted: at least one, with [low, high] or {{choices: [...]}}")
    axes = [_axis(*_located(find, key), block[key]) for key in keys]
    if method == "sobol" and n & (n - 1):
        note(f"{where}: n = {n} is no power of two, so the Sobol points are not fully balanced")
    seen: set[str] = set()
    for row in points(method, seed, keys, n).tolist():
        draw = {key: axis.at(u) for key, axis, u in zip(keys, axes, row, strict=True)}
        if (shown := text(list(draw.values()))) not in seen:
            seen.add(shown)
            yield draw
    if len(seen) < n:
        note(f"{where}: {n} draws of {', '.join(keys)} are {len(seen)} different ones")


def _located(find: Callable[[str], tuple[Space, str]], key: str) -> tuple[Space, str, str]:
    space, name = find(key)
    return space, key, name
