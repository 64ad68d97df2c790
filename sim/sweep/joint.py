"""What a design says of rules and policies together: one sample over both, and combinations that are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sim.errors import SweepError, unknown
from sim.games.base import Game, Policy
from sim.sweep.combine import MOST, Context, Exclusions
from sim.sweep.expand import Point, Seats, seat_text
from sim.sweep.sampling import KEYS, draws
from sim.sweep.space import PolicySpace, RuleSpace, Space, told

_KEY = re.compile(r"(rules|seat(\d{1,5}))(?:\.(\w+))?")
_ACCEPTED = "rules.PARAMETER, or seat0.PARAMETER (seat1, …)"


def _parts(key: str, where: str) -> tuple[int | None, str]:
    """Seat (None: the rules) and parameter of a key; the parameter is empty where a seat stands alone."""
    match = _KEY.fullmatch(key)
    if match is None or (match[2] is None and not match[3]):
        raise SweepError(f"key in {where} of a design '{key}' is not accepted; accepted: {_ACCEPTED}")
    return (None if match[2] is None else int(match[2])), match[3] or ""


class Joint:
    """The sample of a design: draws of rules and of parameters of the policies in their seats, in one.

    A line-up has its own draws only as far as its policies' bounds ask for it: the points in the unit cube are the same
    for all.
    """

    def __init__(self, block: Mapping[str, Any], game: Game, context: Context) -> None:
        self.block = {str(key): value for key, value in block.items()}
        self._game, self._context = game, context
        self._rules = RuleSpace(game)
        self._drawn: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        for key in self.block:
            if key not in KEYS and not _parts(key, "sample")[1]:
                raise SweepError(f"key in sample of a design '{key}' is not accepted; accepted: {_ACCEPTED}")

    def _draws(self, policies: Sequence[Policy]) -> list[dict[str, Any]]:
        ids = tuple(policy.id for policy in policies)
        if ids not in self._drawn:

            def find(key: str) -> tuple[Space, str]:
                seat, name = _parts(key, "sample")
                if seat is not None and seat >= len(policies):
                    raise SweepError(
                        unknown(f"seat in sample for {', '.join(ids)}", key, [f"seat{i}" for i in range(len(ids))])
                    )
                space = self._rules if seat is None else PolicySpace(policies[seat].info)
                if name == "preset":
                    raise SweepError("sample: rules.preset is not accepted; accepted: preset in variants")
                space.check([name], "sample")
                return space, name

            self._drawn[ids] = list(draws(self.block, find, self._context.seed, MOST, self._context.note))
        return self._drawn[ids]

    def size(self, seats: Seats) -> int:
        """Number of draws for a line-up."""
        return len(self._draws([self._game.policies.parse(p) for p in seats.policies]))

    def around(self, point: Point, seats: Seats) -> Iterator[tuple[Point, Seats]]:
        """A variant and a line-up with every draw."""
        policies = [self._game.policies.parse(p) for p in seats.policies]
        before = seat_text([p.text() for p in policies])
        for draw in self._draws(policies):
            rules: dict[str, Any] = {}
            values: list[dict[str, Any]] = [{"id": p.id, **p.parameters()} for p in policies]
            for key, value in draw.items():
                seat, name = _parts(key, "sample")
                if seat is None:
                    rules[name] = value
                else:
                    default = next(p.default for p in policies[seat].info.parameters if p.name == name)
                    self._free(key, values[seat][name] == default)
                    values[seat][name] = value
            for name in rules:
                self._free(f"rules.{name}", name not in point.rules)
            shown = seat_text([self._game.policies.parse(v).text() for v in values])
            yield (
                _with(point, rules),
                replace(
                    seats, name=shown if seats.name == before else f"{seats.name}: {shown}", policies=tuple(values)
                ),
            )

    @staticmethod
    def _free(key: str, free: bool) -> None:
        if not free:
            raise SweepError(f"{key} is sampled and given in the variant or line-up too; accepted: one of the two")


def _with(point: Point, rules: Mapping[str, Any]) -> Point:
    """A variant and the base it varies, with rules that were drawn."""
    name = told(rules) if point.name == "default" and rules else ", ".join(filter(None, (point.name, told(rules))))
    return replace(point, name=name, rules={**point.rules, **rules}, base={**point.base, **rules}, drawn=dict(rules))


def joint_exclusions(given: Any, game: Game) -> Exclusions:
    """Exclusions of a design: what they are asked about is a variant's rules in full and the line-up's policies."""
    space = RuleSpace(game)

    def matches(key: str, value: Any, asked: tuple[Mapping[str, Any], Sequence[Policy]]) -> bool:
        rules, policies = asked
        seat, name = _parts(key, "exclude")
        if seat is None:
            return name in rules and space.same(name, rules[name], value)
        if seat >= len(policies):
            return False
        if not name:
            return value in (policies[seat].id, policies[seat].text())
        own = policies[seat].parameters()
        return name in own and PolicySpace(policies[seat].info).same(name, own[name], value)

    found = Exclusions(given, matches)
    for entry in found.entries:
        for key in entry:
            seat, name = _parts(key, "exclude")
            if seat is None:
                space.check([name], "exclude")
    return found
