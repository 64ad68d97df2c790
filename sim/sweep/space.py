"""What the parameters of a design may be: the rules of a game, or the parameters of a policy, asked in one way."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Mapping
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from sim.errors import PolicyError, RulesError, unknown
from sim.games.base import Game, PolicyInfo, PolicyParameter, RulesModel, format_number


def text(value: Any) -> str:
    """A value in a label: as one would type it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return format_number(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(text(v) for v in value) + "]"
    return str(value)


def told(values: Mapping[str, Any]) -> str:
    """Parameters in a label."""
    return ", ".join(f"{k}={text(v)}" for k, v in values.items())


class Space(abc.ABC):
    """Parameters by name: which there are, what each takes, and what they are where nothing is given."""

    #: in a message: what a key is
    what: str
    error: type[RulesError] | type[PolicyError]

    @abc.abstractmethod
    def names(self) -> Iterable[str]:
        """Names of the parameters."""

    @abc.abstractmethod
    def accepts(self, key: str) -> str:
        """What values a parameter takes, in words."""

    @abc.abstractmethod
    def whole(self, key: str) -> bool | None:
        """Whether a parameter takes whole numbers only; None if it is no number at all."""

    @abc.abstractmethod
    def inside(self, key: str, value: float) -> bool:
        """Whether a number is within the documented bounds of a parameter."""

    @abc.abstractmethod
    def full(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values over the defaults; whether they fit together is not asked."""

    def same(self, key: str, one: Any, other: Any) -> bool:
        """Whether two values of a parameter are the same one, however they are written."""
        return text(one) == text(other)

    def check(self, keys: Iterable[str], where: str) -> None:
        """Refuse a key that is no parameter."""
        for key in keys:
            if key not in self.names():
                raise self.error(unknown(f"{self.what} in {where}", key, self.names()))


def _kinds(annotation: Any) -> set[Any]:
    """The types in an annotation; a list of words counts as `Literal`."""
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        return set().union(*(_kinds(part) for part in get_args(annotation)))
    return {origin or annotation} - {type(None)}


class RuleSpace(Space):
    """The rule parameters of a game."""

    error = RulesError

    def __init__(self, game: Game) -> None:
        self.type: type[RulesModel] = game.rules_type
        self.what = f"rule parameter of {game.name}"
        self._defaults = {name: info.get_default() for name, info in self.type.model_fields.items()}

    def names(self) -> Iterable[str]:
        return self.type.model_fields

    def check(self, keys: Iterable[str], where: str) -> None:
        super().check((key for key in keys if key != "preset"), where)

    def accepts(self, key: str) -> str:
        return self.type.accepts(key)

    def whole(self, key: str) -> bool | None:
        kinds = _kinds(self.type.model_fields[key].annotation)
        return kinds == {int} if kinds <= {int, float} else None

    def inside(self, key: str, value: float) -> bool:
        try:
            self.type.parse({key: value})
        except RulesError as error:
            # whether it fits the other rules is another question: those are not the defaults
            return not str(error).startswith(f"{self.type.GAME}: {key} = ")
        return True

    def full(self, values: Mapping[str, Any]) -> dict[str, Any]:
        preset = self.type.PRESETS.get(values.get("preset", ""))
        return {**self._defaults, **(preset.rules if preset else {}), **values}

    def listed(self, key: str) -> list[Any] | None:
        """Every value of a parameter that takes words or true and false; None for any other."""
        annotation = self.type.model_fields[key].annotation
        if annotation is bool:
            return [False, True]
        return list(get_args(annotation)) if get_origin(annotation) is Literal else None

    def readings(self) -> list[str]:
        """Parameters whose default is a reading of the rules, not a fact."""
        extras = {name: info.json_schema_extra for name, info in self.type.model_fields.items()}
        return [name for name, extra in extras.items() if isinstance(extra, dict) and "reading" in extra]


class PolicySpace(Space):
    """The parameters of a policy."""

    error = PolicyError

    def __init__(self, info: PolicyInfo) -> None:
        self.id = info.id
        self.what = f"parameter of policy {info.id}"
        self._parameters: dict[str, PolicyParameter] = {p.name: p for p in info.parameters}

    def names(self) -> Iterable[str]:
        return self._parameters or ["(it has none)"]

    def accepts(self, key: str) -> str:
        return self._parameters[key].accepts()

    def whole(self, key: str) -> bool | None:
        parameter = self._parameters[key]
        return None if parameter.choices else parameter.integer

    def inside(self, key: str, value: float) -> bool:
        return self._parameters[key].low <= value <= self._parameters[key].high

    def full(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {**{name: p.default for name, p in self._parameters.items()}, **values}

    def same(self, key: str, one: Any, other: Any) -> bool:
        parameter = self._parameters[key]
        return parameter.parse(self.id, one) == parameter.parse(self.id, other)
