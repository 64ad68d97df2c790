"""What a key of a sweep file accepts, in the house's words: a validator's own text never reaches a reader."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

_KINDS = {
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "string_type": "a text",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
}
#: how a validator marks what it has tried of several kinds
_ALTERNATIVES = {"str": "a text", "list[str]": "a list of texts"}
_WHOLE = ("int_type", "int_parsing", "int_from_float", "int_parsing_size")
_NUMBER = ("float_type", "float_parsing", "finite_number")
_LIMITS = {"greater_than": "gt", "greater_than_equal": "ge", "less_than": "lt", "less_than_equal": "le"}


def keys(model: type[BaseModel]) -> list[str]:
    """The keys of a model as a file writes them."""
    return [info.alias or name for name, info in model.model_fields.items()]


def first_of(error: ValidationError) -> Any:
    """The fault to tell of: an unknown key before a missing one, which it often is under a wrong name."""
    return sorted(error.errors(), key=lambda e: e["type"] != "extra_forbidden")[0]


def refused(error: ValidationError, model: type[BaseModel]) -> str:
    """One line for a value that was refused; `model` is the innermost one of the value's place."""
    first = first_of(error)
    place = [str(part) for part in first["loc"]]
    tags = [part for part in place if part in _ALTERNATIVES]
    words = accepted(first, model)
    if place[-1] == "[key]":
        return f"key {first['input']!r} in {place[-3]} is not accepted; accepted: a name"
    if tags:  # a key that takes one of several kinds: each was tried, and every one is told
        before = first["loc"][: place.index(tags[0])]
        tried = [str(e["loc"][len(before)]) for e in error.errors() if e["loc"][: len(before)] == before]
        words = " or ".join(dict.fromkeys(_ALTERNATIVES[tag] for tag in tried if tag in _ALTERNATIVES))
        place = [str(part) for part in before]
    shown = ".".join(part for part in place if part.isidentifier() or part.isdecimal())
    return f"{shown} = {first['input']!r} is not accepted; accepted: {words}"


def accepted(first: Mapping[str, Any], model: type[BaseModel]) -> str:
    """What would be accepted in place of a value."""
    kind = first["type"]
    if kind in _KINDS:
        return _KINDS[kind]
    if kind == "literal_error":
        return str(first["ctx"]["expected"])
    if kind in _LIMITS or kind in _WHOLE or kind in _NUMBER:
        key = next((str(part) for part in reversed(first["loc"]) if str(part) in keys(model)), "")
        return _numbers(key, model)
    return "what docs/how-to/run-a-sweep.md shows"


def _numbers(key: str, model: type[BaseModel]) -> str:
    """The numbers that a key takes."""
    infos = {info.alias or name: info for name, info in model.model_fields.items()}
    if key not in infos:
        return "a number"
    info = infos[key]
    limits = {name: getattr(m, name) for m in info.metadata for name in _LIMITS.values() if hasattr(m, name)}
    what = "a number" if "float" in str(info.annotation) else "a whole number"
    if "ge" in limits and "le" in limits:
        return f"{what} from {limits['ge']} to {limits['le']}"
    if "ge" in limits:
        return f"{what} of at least {limits['ge']}"
    return f"{what} greater than {limits['gt']}" if "gt" in limits else what
