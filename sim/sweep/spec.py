"""The text of a sweep: what a YAML file may say, and one clear line where it says something else.

::

    name: levels                 # the folder under data/
    title: Score by level
    game: caterpillars
    plugins: [my_policies.py]    # files of one's own policies, beside this one
    seed: 7
    games: 1_000_000             # per scenario; a variant, a line-up or a design may ask for fewer
    detail: summary              # exact joint counts of the columns in `by`; or games: one row per seat per game
    by: [score, zeros]           # default: the game's headline columns
    variants:                    # every entry stands for one or more sets of rules
      - grid: {level: [beginner, expert]}             # every combination
        rules: {zero_rule: split}                     # fixed beside it; preset: NAME goes under both
        one_factor: {final: [lowest, total]}          # and around each, one parameter changed at a time
    policies:                    # every entry stands for one or more line-ups
      - [greedy, random]                              # one policy per seat; a single seat needs no list
      - [{id: planner, grid: {hold: [2, 4]}}, greedy] # a grid over a policy parameter
      - {repeat: 2, policy: random, name: twins}      # the same policy in 2 seats; [2, 3]: in 2, and in 3
    pairs:                       # counts of differences on the same dice
      - {of: score, seats: [0, 1]}                    # seat 0 minus seat 1 of a game
      - {of: score, against: base}                    # a one-factor variant minus the one it varies
      - {of: score, against: {rules: {level: beginner}}}                     # minus the same with this changed
    impossible: skip             # leave out what the rules forbid, with a note; default: refuse
    designs: [{variants: …, policies: …, pairs: …, games: …}]                # several of these in one sweep
    until: half_width(mean score) <= 0.01 at 95 %  # stop when precise enough (or a list of such); `games` is the most
    minutes: 30                                    # stop after this time; `games` is the most
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from sim.errors import SweepError, unknown
from sim.games.own import load as load_policies

#: a condition of `until`, for messages
EXAMPLE = "half_width(mean score) <= 0.01 at 95 %"

_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _number(value: Any) -> Any:
    """Whole numbers may be written as 1_000_000 or 1e6 (which YAML 1.1 reads as a text)."""
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


class Variant(_Model):
    """Rule parameters: `rules` (over `preset`), every combination of `grid`, and around each one factor at a time."""

    name: str | None = None
    preset: str | None = None
    rules: dict[str, Any] = {}
    grid: dict[str, list[Any]] = {}
    one_factor: dict[str, list[Any]] = {}
    games: int | None = Field(default=None, ge=1)

    _games = field_validator("games", mode="before")(_number)


class LineUp(_Model):
    """One policy per seat. An element of `seats` is a policy (grids over its parameters are expanded) or
    ``{repeat: N, policy: …}``, the same policy in N seats; N may be a list of numbers."""

    name: str | None = None
    seats: list[str | dict[str, Any]]
    games: int | None = Field(default=None, ge=1)

    _games = field_validator("games", mode="before")(_number)


class PairSpec(_Model):
    """A comparison: two seats of a game, or each scenario against another one on the same dice."""

    of: str | list[str] = "score"
    seats: list[int] | None = None
    against: Any = None
    label: str | None = None


class Design(_Model):
    """Every variant with every line-up, and what is compared with what."""

    name: str = ""
    variants: list[Variant] = [Variant()]
    policies: list[Any]
    pairs: list[PairSpec] = []
    games: int | None = Field(default=None, ge=1)
    impossible: Literal["refuse", "skip"] = "refuse"

    _games = field_validator("games", mode="before")(_number)


class Spec(_Model):
    """A whole sweep file: one design (`variants`, `policies`, `pairs`), or several in `designs`, or both."""

    name: str
    title: str = ""
    game: str
    plugins: list[str] = []
    seed: int = Field(ge=0, le=2**64 - 1)
    games: int = Field(ge=1, le=2**63 - 1)
    first_game: int = Field(0, ge=0, le=2**63 - 1)
    detail: Literal["games", "summary"] = "summary"
    by: list[str] | None = None
    impossible: Literal["refuse", "skip"] = "refuse"
    variants: list[Variant] = [Variant()]
    policies: list[Any] = []
    pairs: list[PairSpec] = []
    designs: list[Design] = []
    until: str | list[str] | None = None
    minutes: float | None = Field(None, gt=0, allow_inf_nan=False)

    _counts = field_validator("games", "seed", "first_game", mode="before")(_number)

    @field_validator("until", mode="before")
    @classmethod
    def _texts(cls, value: Any) -> Any:
        texts = value if isinstance(value, list) else [value]
        if value is not None and not (texts and all(isinstance(text, str) for text in texts)):
            raise ValueError(f"until = {value!r} is not accepted; accepted: a text or a list of texts, as in {EXAMPLE}")
        return value

    @field_validator("minutes", mode="before")
    @classmethod
    def _time(cls, value: Any) -> Any:
        if isinstance(value, bool):  # which would count as one minute
            raise ValueError(f"minutes = {value!r} is not accepted; accepted: a number greater than 0")
        return value

    def every_design(self) -> list[Design]:
        """The design written at the top, if any, and those in the list."""
        own = {"variants": self.variants, "policies": self.policies, "pairs": self.pairs, "impossible": self.impossible}
        if self.designs and not self.policies:
            if {"variants", "pairs", "impossible"} & self.model_fields_set:
                raise SweepError(
                    "variants, pairs or impossible beside designs need policies; accepted: put them in a design"
                )
            return list(self.designs)
        return [Design(**own), *self.designs]

    @field_validator("name")
    @classmethod
    def _folder(cls, value: str) -> str:
        if not _NAME.match(value) or value == "runs":
            raise ValueError(
                f"name = {value!r} is not accepted"
                "; accepted: letters, digits, '_', '.' and '-' (not 'runs'): it names a folder"
            )
        return value


class _Loader(yaml.SafeLoader):
    """Refuses a key that stands twice in one mapping instead of silently taking the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key '{key}' stands twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def read(source: str | Path | Mapping[str, Any]) -> Spec:
    """A checked sweep from a YAML file or a mapping.

    Raises
    ------
    SweepError
        In one line: what was given, what is accepted.
    """
    if isinstance(source, Mapping):
        where, content = "sweep", dict(source)
    elif not isinstance(source, str | Path):
        raise SweepError(f"sweep = {source!r} is not accepted; accepted: a YAML file, as in sweeps/, or a mapping")
    else:
        where = str(source)
        try:
            with open(source, encoding="utf-8") as file:
                content = yaml.load(file, _Loader)
        except OSError as error:
            raise SweepError(
                f"cannot read sweep file {where}: {error.strerror}; accepted: a YAML file, as in sweeps/"
            ) from None
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            mark = getattr(error, "problem_mark", None)
            line = f" line {mark.line + 1}" if mark is not None else ""
            problem = getattr(error, "problem", None) or str(error).splitlines()[0]
            raise SweepError(
                f"{where}{line}: not readable as YAML ({problem}); accepted: a YAML file, as in sweeps/"
            ) from None
        if not isinstance(content, Mapping):
            raise SweepError(f"{where} holds no mapping; accepted keys: {', '.join(Spec.model_fields)}")
    try:
        spec = Spec(**{str(k): v for k, v in content.items()})
    except ValidationError as error:
        raise SweepError(f"{where}: {_one_line(error)}") from None
    beside = Path() if isinstance(source, Mapping) else Path(source).parent
    for plugin in spec.plugins:
        load_policies(beside / plugin)
    return spec


_MODELS: dict[str, type[_Model]] = {"variants": Variant, "pairs": PairSpec, "designs": Design}


def _first(error: ValidationError) -> Any:
    """The fault to tell of: an unknown key before a missing one, which it often is under a wrong name."""
    return sorted(error.errors(), key=lambda e: e["type"] != "extra_forbidden")[0]


def _one_line(error: ValidationError) -> str:
    first = _first(error)
    path = [str(part) for part in first["loc"]]
    inner = next((part for part in reversed(path[:-1]) if part in _MODELS), "")
    model = _MODELS.get(inner, Spec)
    if first["type"] == "extra_forbidden":
        return unknown(f"key in {inner}" if inner else "key", path[-1], model.model_fields)
    if first["type"] == "missing":
        return f"the key '{path[-1]}' is missing; accepted keys: {', '.join(model.model_fields)}"
    if first["type"] == "value_error":
        return str(first["ctx"]["error"])
    message = first["msg"].replace("Input should be ", "")
    return f"{'.'.join(path)} = {first['input']!r} is not accepted; accepted: {message}"


def line_up(given: Any) -> LineUp:
    """One entry of ``policies``: a policy, a list (one per seat), or a mapping (`seats`; or `policy` and `repeat`)."""
    if isinstance(given, str):
        return LineUp(seats=[given])
    if isinstance(given, list | tuple) and given and all(isinstance(g, str | Mapping) for g in given):
        return LineUp(seats=list(given))
    if not isinstance(given, Mapping):
        raise SweepError(
            f"policies entry {given!r} is not accepted"
            "; accepted: an id, id(parameter=value), a list with one per seat, or a mapping"
        )
    values = {str(k): v for k, v in given.items()}
    if "id" in values:
        return LineUp(seats=[values])
    if "policy" in values:
        values["seats"] = [{"policy": values.pop("policy"), "repeat": values.pop("repeat", 1)}]
    try:
        return LineUp(**values)
    except ValidationError as error:
        first = _first(error)
        key = str(first["loc"][0])
        if first["type"] == "extra_forbidden":
            raise SweepError(
                unknown("key in policies", key, ["id", "policy", "repeat", *LineUp.model_fields])
            ) from None
        if first["type"] == "missing":
            raise SweepError(
                f"policies entry {given!r} is not accepted; accepted: id: …, seats: [...], or policy: … with repeat: N"
            ) from None
        raise SweepError(
            f"policies: {key} = {first['input']!r} is not accepted"
            f"; accepted: {first['msg'].replace('Input should be ', '')}"
        ) from None
