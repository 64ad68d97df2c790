"""Expansion of the entries of a sweep: variants, one factor at a time, line-ups, pairs out of a pool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, combinations_with_replacement, product
from math import prod
from typing import Any

from sim.errors import SweepError, unknown, whole_number
from sim.games.base import Game
from sim.sweep.combine import MOST, Block, Context, exclusions
from sim.sweep.space import PolicySpace, RuleSpace, text, told
from sim.sweep.spec import LineUp, Variant


@dataclass(frozen=True)
class Point:
    """One variant of the sweep: rule parameters as given, where it comes from, and what a design has drawn for it."""

    name: str
    rules: Mapping[str, Any]
    base: Mapping[str, Any]
    games: int | None
    factor: str = ""
    value: str = ""
    drawn: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Seats:
    """One line-up of the sweep: policies as given."""

    name: str
    policies: tuple[str | Mapping[str, Any], ...]
    games: int | None


def points(variant: Variant, game: Game, context: Context) -> list[Point]:
    """The variants that one entry of ``variants`` stands for, the base of each family first."""
    space = RuleSpace(game)
    block = Block(variant.entries, variant.together, variant.grid, variant.sample)
    exclude = exclusions(variant.exclude, space)
    fixed = ({"preset": variant.preset} if variant.preset else {}) | variant.rules
    result = []
    for combination in block.combinations(space, context):
        base = {**fixed, **combination.values}
        parts = [variant.name or ("" if combination.values else told(fixed)), combination.label]
        name = ": ".join(part for part in parts if part) or "default"
        family = [Point(name, base, base, variant.games)]
        for key, values in _factors(variant, space, base, context).items():
            for value in values:
                changed = f"{key}={text(value)}"
                full = changed if name == "default" else f"{name}, {changed}"
                family.append(Point(full, base | {key: value}, base, variant.games, key, text(value)))
        result += [point for point in family if not (exclude and exclude.hit(space.full(point.rules)))]
        if len(result) > MOST:
            raise SweepError(f"an entry of variants stands for over {MOST:,} variants; accepted: at most {MOST:,}")
    exclude.finish()
    return result


def _factors(variant: Variant, space: RuleSpace, base: Mapping[str, Any], context: Context) -> Mapping[str, list[Any]]:
    """What changes one at a time around a base; ``all`` and ``readings`` stand for what the rules document."""
    if not isinstance(variant.one_factor, str):
        space.check(variant.one_factor, "one_factor")
        for key, values in variant.one_factor.items():
            if not values:
                raise SweepError(f"one_factor: {key} = [] is not accepted; accepted: a list of at least one value")
        return variant.one_factor
    names = list(space.names()) if variant.one_factor == "all" else space.readings()
    now = space.full(base)
    found = {}
    for name in names:
        every = space.listed(name)
        if every is None:
            context.note(
                f"one_factor: {name} stays as it is, because its values cannot be listed: {space.accepts(name)}"
            )
            continue
        found[name] = [value for value in every if not space.same(name, value, now[name])]
    return found


Given = str | Mapping[str, Any]
#: some seats' policies, each with the name under which a list calls it ("" without one)
Choice = tuple[tuple[Given, str], ...]


def _options(item: Any, game: Game, context: Context) -> list[Choice]:
    """What one element of a line-up stands for: a list of choices, each some seats' policies."""
    if isinstance(item, list | tuple):
        if not item:
            raise SweepError(
                "a seat = [] is not accepted; accepted: a policy, or a list of at least one to choose from"
            )
        return [choice for part in item for choice in _options(part, game, context)]
    if isinstance(item, Mapping) and "policy" in item:
        for key in item:
            if key not in ("policy", "repeat"):
                raise SweepError(unknown("key beside policy", key, ("policy", "repeat")))
        repeats = item.get("repeat", 1)
        given = repeats if isinstance(repeats, list) else [repeats]
        if not given:
            raise SweepError("repeat = [] is not accepted; accepted: a whole number, or a list of at least one")
        numbers = [whole_number("repeat", n, 1, 2**15 - 1) for n in given]
        return [choice * number for number in numbers for choice in _options(item["policy"], game, context)]
    if isinstance(item, Mapping) and {"grid", "zip", "list", "sample", "exclude"} & set(item):
        return _varied({str(key): value for key, value in item.items()}, game, context)
    return [((item, ""),)]


def _varied(item: dict[str, Any], game: Game, context: Context) -> list[Choice]:
    """The policies that a mapping with grid, zip, list or sample over a policy's parameters stands for."""
    block = Block(*(item.pop(key, None) for key in ("list", "zip", "grid", "sample")))
    excluded = item.pop("exclude", None)
    space = PolicySpace(game.policies.parse(item).info)
    exclude = exclusions(excluded, space)
    found: list[Choice] = []
    for combination in block.combinations(space, context):
        values = {**item, **combination.values}
        if not (exclude and exclude.hit(space.full(values))):
            named = "" if combination.label == told(combination.values) else f"{item['id']}: {combination.label}"
            found.append(((values, named),))
    exclude.finish()
    if not found:
        raise SweepError(f"exclude leaves nothing of policy {item['id']}; accepted: at least one combination")
    return found


def _line_up_choices(entry: LineUp, game: Game, context: Context) -> Iterator[Choice]:
    """The policies of every line-up of an entry, seat by seat."""
    if entry.pool is not None:
        yield from _pairs_of_pool(entry, game, context)
        return
    options = [_options(item, game, context) for item in entry.seats]
    size = prod(len(choices) for choices in options)
    if size > MOST:
        raise SweepError(f"a line-up with {size:,} combinations of policies; accepted: at most {MOST:,}")
    for choice in product(*options):
        yield tuple(policy for part in choice for policy in part)


def _pairs_of_pool(entry: LineUp, game: Game, context: Context) -> Iterator[Choice]:
    pool = [choice for item in entry.pool or () for choice in _options(item, game, context)]
    texts = []
    for choice in pool:
        if len(choice) != 1:
            raise SweepError("all_pairs with repeat is not accepted; accepted: policies, one seat each")
        shown = game.policies.parse(choice[0][0]).text()
        if shown in texts:
            raise SweepError(f"all_pairs names {shown} twice; accepted: each policy once")
        texts.append(shown)
    if len(pool) < 2 and not entry.self_pairs:
        raise SweepError(f"all_pairs of {len(pool)} policies; accepted: at least two, or self_pairs: true")
    if len(pool) ** 2 > MOST:
        raise SweepError(f"all_pairs of {len(pool):,} policies; accepted: at most {int(MOST**0.5)}")
    policies = [choice[0] for choice in pool]
    if entry.ordered:
        for one, other in product(range(len(pool)), repeat=2):
            if one != other or entry.self_pairs:
                yield (policies[one], policies[other])
    else:
        yield from combinations_with_replacement(policies, 2) if entry.self_pairs else combinations(policies, 2)


def line_ups(entry: LineUp, game: Game, context: Context) -> list[Seats]:
    """The line-ups that one entry of ``policies`` stands for."""
    every = list(_line_up_choices(entry, game, context))
    result = []
    for seats in every:
        shown = seat_text([named or game.policies.parse(policy).text() for policy, named in seats])
        name = shown if entry.name is None else entry.name if len(every) == 1 else f"{entry.name}: {shown}"
        result.append(Seats(name, tuple(policy for policy, _ in seats), entry.games))
    return result


def seat_text(policies: Sequence[str]) -> str:
    """A line-up in words; a policy in every seat once, with the number of seats."""
    if len(policies) > 1 and len(set(policies)) == 1:
        return f"{policies[0]} ×{len(policies)}"
    return ", ".join(policies)
