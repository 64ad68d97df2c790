"""Expansion of the entries of a sweep: grids, one factor at a time, repeated policies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from sim.errors import RulesError, SweepError, unknown, whole_number
from sim.games.base import Game, format_number
from sim.sweep.spec import LineUp, Variant


@dataclass(frozen=True)
class Point:
    """One variant of the sweep: rule parameters as given, and where it comes from."""

    name: str
    rules: Mapping[str, Any]
    base: Mapping[str, Any]
    games: int | None
    factor: str = ""
    value: str = ""


@dataclass(frozen=True)
class Seats:
    """One line-up of the sweep: policies as given."""

    name: str
    policies: tuple[str | Mapping[str, Any], ...]
    games: int | None


def text(value: Any) -> str:
    """A rule value in a label: as one would type it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return format_number(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(text(v) for v in value) + "]"
    return str(value)


#: a sweep of more scenarios than this would take hours to plan: it is refused before it starts
MOST = 100_000


def _combinations(grid: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    size = prod(len(values) for values in grid.values())
    if size > MOST:
        raise SweepError(f"a grid over {', '.join(grid)} has {size:,} combinations; accepted: at most {MOST:,}")
    for values in product(*grid.values()):
        yield dict(zip(grid, values, strict=True))


def told(rules: Mapping[str, Any]) -> str:
    """Rule parameters in a label."""
    return ", ".join(f"{k}={text(v)}" for k, v in rules.items())


def points(variant: Variant, game: Game) -> list[Point]:
    """The variants that one entry of ``variants`` stands for, the base of each family first."""
    for what, keys in (("grid", variant.grid), ("one_factor", variant.one_factor)):
        for key, values in keys.items():
            if key != "preset" and key not in game.rules_type.model_fields:
                raise RulesError(unknown(f"rule parameter of {game.name} in {what}", key, game.rules_type.model_fields))
            if not values:
                raise SweepError(f"{what}: {key} = [] is not accepted; accepted: a list of at least one value")
    fixed = ({"preset": variant.preset} if variant.preset else {}) | variant.rules
    result = []
    for combination in _combinations(variant.grid):
        base = fixed | combination
        parts = [variant.name or ("" if combination else told(fixed)), told(combination)]
        name = ": ".join(part for part in parts if part) or "default"
        result.append(Point(name, base, base, variant.games))
        for key, values in variant.one_factor.items():
            for value in values:
                changed = f"{key}={text(value)}"
                full = changed if name == "default" else f"{name}, {changed}"
                result.append(Point(full, base | {key: value}, base, variant.games, key, text(value)))
    return result


def _options(item: str | Mapping[str, Any]) -> list[tuple[str | Mapping[str, Any], ...]]:
    """What one element of a line-up stands for: a list of choices, each some seats' policies."""
    if isinstance(item, Mapping) and "policy" in item:
        for key in item:
            if key not in ("policy", "repeat"):
                raise SweepError(unknown("key beside policy", key, ("policy", "repeat")))
        repeats = item.get("repeat", 1)
        given = repeats if isinstance(repeats, list) else [repeats]
        numbers = [whole_number("repeat", n, 1, 2**15 - 1) for n in given]
        return [choice * number for number in numbers for choice in _options(item["policy"])]
    if isinstance(item, Mapping):
        grid = item.get("grid", {})
        if not isinstance(grid, Mapping) or not all(isinstance(v, list) and v for v in grid.values()):
            raise SweepError(
                f"grid = {grid!r} of policy {item.get('id')} is not accepted; accepted: parameter: [values]"
            )
        fixed = {k: v for k, v in item.items() if k != "grid"}
        return [({**fixed, **combination},) for combination in _combinations(grid)]
    return [(item,)]


def line_ups(entry: LineUp, game: Game) -> list[Seats]:
    """The line-ups that one entry of ``policies`` stands for."""
    result = []
    options = [_options(item) for item in entry.seats]
    size = prod(len(choices) for choices in options)
    if size > MOST:
        raise SweepError(f"a line-up with {size:,} combinations of policies; accepted: at most {MOST:,}")
    choices = list(product(*options))
    for choice in choices:
        seats = tuple(policy for part in choice for policy in part)
        shown = seat_text([game.policies.parse(p).text() for p in seats])
        name = shown if entry.name is None else entry.name if len(choices) == 1 else f"{entry.name}: {shown}"
        result.append(Seats(name, seats, entry.games))
    return result


def seat_text(policies: Sequence[str]) -> str:
    """A line-up in words; a policy in every seat once, with the number of seats."""
    if len(policies) > 1 and len(set(policies)) == 1:
        return f"{policies[0]} ×{len(policies)}"
    return ", ".join(policies)
