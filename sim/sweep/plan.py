"""From the text of a sweep to the list of scenarios that will be played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from sim import games as registry
from sim.errors import PolicyError, RulesError, SimError, SweepError, unknown, whole_number
from sim.games.base import Game, Playable, Scenario
from sim.sweep import rounds
from sim.sweep.combine import MOST, Context
from sim.sweep.counting import Pair, check_by, make_pairs
from sim.sweep.expand import Point, Seats, line_ups, points
from sim.sweep.joint import Joint, joint_exclusions
from sim.sweep.precision import Condition, check, schedule
from sim.sweep.rowkind import RowKind
from sim.sweep.space import RuleSpace, told
from sim.sweep.spec import Design, PairSpec, Spec, line_up, read


@dataclass
class Cell:
    """One scenario of a plan and what is to be done with it."""

    scenario: Scenario
    design: str
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

    def place(self) -> dict[str, str]:
        """Where in the sweep it stands."""
        return {
            "design": self.design,
            "variant": self.variant,
            "line_up": self.line_up,
            "factor": self.factor,
            "value": self.value,
        }

    def describe(self) -> dict[str, Any]:
        """The scenario as plain data, for the manifest."""
        scenario = self.scenario
        return {
            "scenario": self.id,
            "label": scenario.label,
            **self.place(),
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
    conditions: tuple[Condition, ...] = ()

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def rows(self) -> RowKind | None:
        """The table of rows that it keeps; None where it counts."""
        return None if self.spec.detail == "summary" else RowKind(self.spec.detail, self.spec.regret)

    def looks(self, games: int) -> list[int]:
        """Numbers of games at which a scenario of at most `games` is looked at; only then may it stop."""
        return schedule(games) if self.conditions else [games]

    def games(self) -> int:
        """Games to be recorded, over all scenarios."""
        return sum(cell.games for cell in self.cells)


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
    designs = spec.every_design()
    if spec.detail != "summary" and any(design.pairs for design in designs):
        raise SweepError(
            f"pairs with detail = {spec.detail} are not accepted; accepted: detail: summary (rows can be paired later)"
        )
    if spec.by and spec.detail != "summary":
        raise SweepError(
            f"by with detail = {spec.detail} is not accepted; accepted: detail: summary (rows have every column)"
        )
    if spec.regret and spec.detail != "rounds":
        raise SweepError(f"regret with detail = {spec.detail} is not accepted; accepted: detail: rounds")
    result = Plan(spec, game, (), [], [], [])
    cells: dict[str, Cell] = {}
    for design in designs:
        _add(result, cells, design)
    result.cells = list(cells.values())
    if not cells:
        raise SweepError("every combination is impossible; accepted: at least one that can be played")
    whole_number("first_game + games", spec.first_game + max(cell.games for cell in result.cells), 1, 2**63 - 1)
    if spec.detail == "rounds":
        for cell in result.cells:
            rounds.check(cell.scenario, cell.games, spec.regret)
    if spec.detail == "summary":
        example = result.cells[0].scenario
        fields = game.fields(example.rules, len(example.policies))
        result.by = check_by(fields, spec.by or game.headline)
    pairs, seats = [p for c in result.cells for p in c.pairs], max(len(c.scenario.policies) for c in result.cells)
    result.conditions = check(spec, result.by, pairs, seats)
    return result


def _add(result: Plan, cells: dict[str, Cell], design: Design) -> None:
    """Add the cells of one design, merging those that are the same scenario as an earlier one."""
    game = result.game
    context = Context(result.spec.seed if result.spec.sample_seed is None else result.spec.sample_seed, result.notes)
    everyone = [seats for entry in design.policies for seats in line_ups(line_up(entry), game, context)]
    every_point = [point for variant in design.variants for point in points(variant, game, context)]
    if not everyone or not every_point:
        raise SweepError("nothing to play; accepted: at least one entry in variants and in policies")
    joint = None if design.sample is None else Joint(design.sample, game, context)
    drawn = "" if joint is None else ", with their draws"
    size = len(every_point) * sum(1 if joint is None else joint.size(seats) for seats in everyone)
    if size > MOST or size + len(cells) > MOST:
        raise SweepError(
            f"{len(every_point):,} variants times {len(everyone):,} line-ups{drawn}"
            f"; accepted: at most {MOST:,} scenarios in a sweep"
        )
    exclude, rules = joint_exclusions(design.exclude, game), RuleSpace(game)
    named = {point.name: point for point in reversed(every_point)}
    for one, line in product(every_point, everyone):
        for point, seats in [(one, line)] if joint is None else joint.around(one, line):
            label = f"{point.name} · {seats.name}"
            if exclude and exclude.hit((rules.full(point.rules), [game.policies.parse(p) for p in seats.policies])):
                continue
            try:
                scenario = game.scenario(point.rules, seats.policies, label)
                pairs = _pairs(design, point, named, seats, scenario, context)
            except (RulesError, PolicyError) as error:
                if design.impossible == "refuse":
                    raise type(error)(f"{label}: {error}") from None
                result.notes.append(f"{label} is left out: {error}")
                continue
            limits = [n for n in (point.games, seats.games, design.games) if n is not None]
            games = min(limits) if limits else result.spec.games
            cell = Cell(scenario, design.name, point.name, seats.name, point.factor, point.value, games, pairs)
            first = cells.setdefault(scenario.id, cell)
            if first is cell:
                continue
            result.aliases.append({"scenario": first.id, **cell.place()})
            if cell.place() != {**first.place(), "design": design.name}:
                result.notes.append(f"{label} is the same scenario as {first.scenario.label}: played once")
            first.games = max(first.games, games)
            if not point.factor or point.factor == first.factor:  # a factor without effect has nothing to compare
                first.pairs += [p for p in pairs if p.identity() not in [q.identity() for q in first.pairs]]
    exclude.finish()


def _pairs(
    design: Design, point: Point, named: Mapping[str, Point], seats: Seats, scenario: Scenario, context: Context
) -> list[Pair]:
    result = []
    fields = scenario.game.fields(scenario.rules, len(scenario.policies))
    for entry in design.pairs:
        given = {k: v for k, v in entry.model_dump().items() if v is not None}
        if entry.against is None:
            result += make_pairs(scenario, fields, given, None)
            continue
        other, label = _against(entry, point, named, seats, scenario.game, context)
        if other.id != scenario.id:
            result += make_pairs(scenario, fields, {"label": f"this − {label}", **given}, other)
    return result


def _against(
    entry: PairSpec, point: Point, named: Mapping[str, Point], seats: Seats, game: Game, context: Context
) -> tuple[Scenario, str]:
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
        if against["variant"] not in named:
            raise SweepError(unknown("variant in against", against["variant"], ["base", *named]))
        other = named[against["variant"]]
        rules, labels = {**other.rules, **point.drawn}, [other.name]  # on the same draw
    if "rules" in against:
        if not isinstance(against["rules"], Mapping):
            raise SweepError(
                f"against.rules = {against['rules']!r} is not accepted; accepted: a mapping of rule parameters"
            )
        rules = {**rules, **against["rules"]}
        labels.append(told(against["rules"]))
    policies = seats.policies
    if "policies" in against:
        found = line_ups(line_up(against["policies"]), game, context)
        if len(found) != 1:
            raise SweepError(f"against.policies stands for {len(found)} line-ups; accepted: one, without grids")
        policies = found[0].policies
        labels.append(found[0].name)
    label = ", ".join(labels)
    return game.scenario(rules, policies, label), label
