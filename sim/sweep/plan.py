"""From the text of a sweep to the list of scenarios that will be played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from sim import games as registry
from sim.errors import PolicyError, RulesError, SimError, SweepError, unknown, whole_number
from sim.games.base import Game, Playable, Scenario, format_number
from sim.sweep.counting import Pair, check_by, make_pairs
from sim.sweep.spec import LineUp, PairSpec, Spec, Variant, line_up, read


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


@dataclass
class Cell:
    """One scenario of a plan and what is to be done with it."""

    scenario: Scenario
    variant: str
    line_up: str
    factor: str
    value: str
    games: int
    pairs: list[Pair] = field(default_factory=list)

    @property
    def id(self) -> str:
        return self.scenario.id

    @property
    def playable(self) -> Playable:
        return self.scenario.game.compile(self.scenario.rules, self.scenario.policies)

    def describe(self) -> dict[str, Any]:
        """The scenario as plain data, for the manifest."""
        scenario = self.scenario
        return {
            "scenario": self.id,
            "label": scenario.label,
            "variant": self.variant,
            "line_up": self.line_up,
            "factor": self.factor,
            "value": self.value,
            "seats": len(scenario.policies),
            "games": self.games,
            "rules": scenario.rules.model_dump(mode="json"),
            "changed": scenario.rules.changed(),
            "without_effect": sorted(scenario.rules.without_effect()),
            "policies": [{"text": p.text(), **p.identity()} for p in scenario.policies],
            "pairs": [p.identity() for p in self.pairs],
        }


@dataclass
class Plan:
    """A checked sweep: its cells in order, and notes about what was merged or left out."""

    spec: Spec
    game: Game
    by: tuple[str, ...]
    cells: list[Cell]
    aliases: list[dict[str, str]]
    notes: list[str]

    @property
    def name(self) -> str:
        return self.spec.name

    def games(self) -> int:
        """Games to be recorded, over all scenarios."""
        return sum(cell.games for cell in self.cells)


def text(value: Any) -> str:
    """A rule value in a label: as one would type it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return format_number(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(text(v) for v in value) + "]"
    return str(value)


def _combinations(grid: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    for values in product(*grid.values()):
        yield dict(zip(grid, values, strict=True))


def _told(rules: Mapping[str, Any]) -> str:
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
        parts = [variant.name or ("" if combination else _told(fixed)), _told(combination)]
        name = ": ".join(part for part in parts if part) or "default"
        result.append(Point(name, base, base, variant.games))
        for key, values in variant.one_factor.items():
            for value in values:
                told = f"{key}={text(value)}"
                full = told if name == "default" else f"{name}, {told}"
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
    choices = list(product(*(_options(item) for item in entry.seats)))
    for choice in choices:
        seats = tuple(policy for part in choice for policy in part)
        told = seat_text([game.policies.parse(p).text() for p in seats])
        name = told if entry.name is None else entry.name if len(choices) == 1 else f"{entry.name}: {told}"
        result.append(Seats(name, seats, entry.games))
    return result


def seat_text(policies: Sequence[str]) -> str:
    """A line-up in words; a policy in every seat once, with the number of seats."""
    if len(policies) > 1 and len(set(policies)) == 1:
        return f"{policies[0]} ×{len(policies)}"
    return ", ".join(policies)


def plan(source: str | Path | Mapping[str, Any]) -> Plan:
    """The plan of a sweep file or mapping.

    Parameters
    ----------
    source : path or mapping

    Returns
    -------
    Plan

    Raises
    ------
    SweepError
        In one line: what was given, what is accepted.
    """
    spec = read(source)
    try:
        return _plan(spec)
    except SimError as error:
        raise SweepError(f"sweep {spec.name}: {error}") from None


def _plan(spec: Spec) -> Plan:
    game = registry.get(spec.game)
    if spec.pairs and spec.detail == "games":
        raise SweepError(
            "pairs with detail = games are not accepted"
            "; accepted: detail: summary (rows can be paired afterwards by game)"
        )
    if spec.by and spec.detail == "games":
        raise SweepError("by with detail = games is not accepted; accepted: detail: summary (rows have every column)")
    everyone = [seats for entry in spec.policies for seats in line_ups(line_up(entry), game)]
    if not everyone or not spec.variants:
        raise SweepError("nothing to play; accepted: at least one entry in variants and in policies")
    every_point = [point for variant in spec.variants for point in points(variant, game)]
    notes: list[str] = []
    aliases: list[dict[str, str]] = []
    cells: dict[str, Cell] = {}
    for point in every_point:
        for seats in everyone:
            told = f"{point.name} · {seats.name}"
            try:
                scenario = game.scenario(point.rules, seats.policies, told)
                pairs = _pairs(spec, point, every_point, seats, scenario)
            except (RulesError, PolicyError) as error:
                if spec.impossible == "refuse":
                    raise type(error)(f"{told}: {error}") from None
                notes.append(f"{told} is left out: {error}")
                continue
            limits = [n for n in (point.games, seats.games) if n is not None]
            games = min(limits) if limits else spec.games
            cell = Cell(scenario, point.name, seats.name, point.factor, point.value, games, pairs)
            first = cells.setdefault(scenario.id, cell)
            if first is not cell:
                aliases.append(
                    {
                        "scenario": first.id,
                        "variant": point.name,
                        "line_up": seats.name,
                        "factor": point.factor,
                        "value": point.value,
                    }
                )
                notes.append(f"{told} is the same scenario as {first.scenario.label}: played once")
                first.games = max(first.games, games)
                if not point.factor:  # a factor without effect here has nothing to compare
                    first.pairs += [p for p in pairs if p.identity() not in [q.identity() for q in first.pairs]]
    if not cells:
        raise SweepError("every combination is impossible; accepted: at least one that can be played")
    longest = max(cell.games for cell in cells.values())
    whole_number("first_game + games", spec.first_game + longest, 1, 2**63 - 1)
    example = next(iter(cells.values()))
    fields = game.fields(example.scenario.rules, len(example.scenario.policies))
    by = () if spec.detail == "games" else check_by(fields, spec.by or game.headline)
    return Plan(spec, game, by, list(cells.values()), aliases, notes)


def _pairs(spec: Spec, point: Point, every: Sequence[Point], seats: Seats, scenario: Scenario) -> list[Pair]:
    result = []
    fields = scenario.game.fields(scenario.rules, len(scenario.policies))
    for entry in spec.pairs:
        given = {k: v for k, v in entry.model_dump().items() if v is not None}
        if entry.against is None:
            result += make_pairs(scenario, fields, given, None)
            continue
        other, label = _against(entry, point, every, seats, scenario.game)
        if other.id != scenario.id:
            result += make_pairs(scenario, fields, {"label": f"this − {label}", **given}, other)
    return result


def _against(entry: PairSpec, point: Point, every: Sequence[Point], seats: Seats, game: Game) -> tuple[Scenario, str]:
    against = entry.against
    if against == "base":
        return game.scenario(point.base, seats.policies, f"base · {seats.name}"), "base"
    keys = ("rules", "policies", "variant")
    if isinstance(against, str):
        against = {"variant": against}
    if not isinstance(against, Mapping) or not against:
        raise SweepError(
            f"against = {against!r} in pairs is not accepted"
            f"; accepted: base, a variant's name, or a mapping with {', '.join(keys)}"
        )
    for key in against:
        if key not in keys:
            raise SweepError(unknown("key in against", key, keys))
    rules: Mapping[str, Any] = point.rules
    labels = []
    if "variant" in against:
        named = [p for p in every if p.name == against["variant"]]
        if not named:
            raise SweepError(unknown("variant in against", against["variant"], ["base", *(p.name for p in every)]))
        rules, labels = named[0].rules, [named[0].name]
    if "rules" in against:
        if not isinstance(against["rules"], Mapping):
            raise SweepError(
                f"against.rules = {against['rules']!r} is not accepted; accepted: a mapping of rule parameters"
            )
        rules = {**rules, **against["rules"]}
        labels.append(_told(against["rules"]))
    policies = seats.policies
    if "policies" in against:
        found = line_ups(line_up(against["policies"]), game)
        if len(found) != 1:
            raise SweepError(f"against.policies stands for {len(found)} line-ups; accepted: one, without grids")
        policies = found[0].policies
        labels.append(found[0].name)
    label = ", ".join(labels)
    return game.scenario(rules, policies, label), label
