"""Combinations of parameters: grids, values changed together, lists, samples, and what is left out of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

from sim.errors import SweepError
from sim.sweep.sampling import KEYS, draws
from sim.sweep.space import Space, told

#: a sweep of more scenarios than this would take hours to plan: it is refused before it starts
MOST = 100_000


@dataclass
class Context:
    """What every part of a sweep's expansion knows: the seed of samples, and where notes go."""

    seed: int
    notes: list[str] = field(default_factory=list)

    def note(self, line: str) -> None:
        """Keep a note, once."""
        if line not in self.notes:
            self.notes.append(line)


@dataclass(frozen=True)
class Combination:
    """Values of some parameters, and how they are called in a label."""

    values: Mapping[str, Any]
    label: str


@dataclass(frozen=True)
class Block:
    """The ways in which parameters vary, as written: what is listed, changed together, crossed and sampled."""

    entries: Any = None
    together: Any = None
    grid: Any = None
    sample: Any = None

    def combinations(self, space: Space, context: Context) -> Iterator[Combination]:
        """Every entry of the list with every place of the zip, every combination of the grid and every draw."""
        parts = [
            _entries(self.entries, space),
            _together(self.together, space),
            [
                [Combination({key: v}, told({key: v})) for v in vs]
                for key, vs in _lists("grid", self.grid, space).items()
            ],
            _sample(self.sample, space, context),
        ]
        _once({"list": self.entries, "zip": self.together, "grid": self.grid, "sample": self.sample})
        factors = [*parts[0], *parts[1], *parts[2], *parts[3]]
        size = prod(len(choices) for choices in factors)
        if size > MOST:
            names = dict.fromkeys(key for choices in factors for choice in choices for key in choice.values)
            raise SweepError(f"{', '.join(names)} have {size:,} combinations; accepted: at most {MOST:,}")
        for choices in product(*factors):
            values = {key: value for choice in choices for key, value in choice.values.items()}
            yield Combination(values, ", ".join(choice.label for choice in choices if choice.label))


Factors = list[list[Combination]]


def _lists(what: str, given: Any, space: Space) -> dict[str, list[Any]]:
    """Lists of values by parameter."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise SweepError(f"{what} = {given!r} is not accepted; accepted: parameter: [values]")
    found = {str(key): values for key, values in given.items()}
    space.check(found, what)
    for key, values in found.items():
        if not isinstance(values, list | tuple) or not values:
            raise SweepError(f"{what}: {key} = {values!r} is not accepted; accepted: a list of at least one value")
    return found


def _together(given: Any, space: Space) -> Factors:
    lists = _lists("zip", given, space)
    if not lists:
        return []
    lengths = {key: len(values) for key, values in lists.items()}
    if len(set(lengths.values())) > 1:
        told_lengths = ", ".join(f"{key} has {n}" for key, n in lengths.items())
        raise SweepError(f"zip: {told_lengths} values; accepted: lists of one length")
    rows = [dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]
    return [[Combination(row, told(row)) for row in rows]]


def mappings(what: str, given: Any) -> list[dict[str, Any]]:
    """A list of mappings of parameters, none of them empty."""
    if not isinstance(given, list) or not given:
        raise SweepError(f"{what} = {given!r} is not accepted; accepted: a list of at least one mapping of parameters")
    for entry in given:
        if not isinstance(entry, Mapping) or not entry:
            raise SweepError(f"{what}: {entry!r} is not accepted; accepted: a mapping of at least one parameter")
    return [{str(key): value for key, value in entry.items()} for entry in given]


def _entries(given: Any, space: Space) -> Factors:
    if given is None:
        return []
    found = []
    for values in mappings("list", given):
        name = values.pop("name", None)
        if name is not None and (not isinstance(name, str) or not name.strip()):
            raise SweepError(f"list: name = {name!r} is not accepted; accepted: a text")
        space.check(values, "list")
        found.append(Combination(values, name or told(values)))
    return [found]


def _sample(given: Any, space: Space, context: Context) -> Factors:
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise SweepError(f"sample = {given!r} is not accepted; accepted: n, method and parameter: [low, high]")

    def find(key: str) -> tuple[Space, str]:
        space.check([key], "sample")
        return space, key

    block = {str(key): value for key, value in given.items()}
    if "preset" in block:
        raise SweepError("sample: preset is not accepted; accepted: preset in grid, zip or list")
    return [[Combination(draw, told(draw)) for draw in draws(block, find, context.seed, MOST, context.note)]]


def _once(ways: Mapping[str, Any]) -> None:
    """Refuse a parameter that varies in two ways: one of them would be lost without a word."""
    where: dict[str, str] = {}
    for way, given in ways.items():
        keys = given if isinstance(given, Mapping) else {key for entry in given or [] for key in entry}
        for key in set(keys) - set(KEYS if way == "sample" else ["name"] if way == "list" else []):
            if key in where:
                raise SweepError(f"{key} stands in {where[key]} and in {way}; accepted: one of them")
            where[key] = way


class Exclusions:
    """Combinations to be left out: those that match all values of one entry. An entry that matches none is an error."""

    def __init__(self, given: Any, matches: Callable[[str, Any, Any], bool]) -> None:
        """`matches` says whether a key and its value fit what is asked about."""
        self.entries: Sequence[dict[str, Any]] = [] if given is None else mappings("exclude", given)
        self._matches = matches
        self._idle = dict.fromkeys(range(len(self.entries)))

    def __bool__(self) -> bool:
        return bool(self.entries)

    def hit(self, asked: Any) -> bool:
        """Whether it is left out."""
        found = [i for i, e in enumerate(self.entries) if all(self._matches(k, v, asked) for k, v in e.items())]
        for i in found:
            self._idle.pop(i, None)
        return bool(found)

    def finish(self) -> None:
        """Refuse an entry that has matched nothing."""
        for i in self._idle:
            raise SweepError(
                f"exclude: {told(self.entries[i])} matches no combination"
                "; accepted: values that some combination has, all of them at once"
            )


def exclusions(given: Any, space: Space) -> Exclusions:
    """Exclusions among combinations of one space's parameters, which are asked about in full."""
    found = Exclusions(given, lambda key, value, full: key in full and space.same(key, full[key], value))
    for entry in found.entries:
        space.check(entry, "exclude")
    return found
