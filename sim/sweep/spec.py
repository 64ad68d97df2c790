"""The text of a sweep: what a YAML file may say, and one clear line where it says something else.

::

    name: levels                 # the folder under data/
    title: Score by level
    game: caterpillars
    plugins: [my_policies.py]    # files of one's own policies, beside this one
    seed: 7
    games: 1_000_000             # per scenario; a variant, a line-up or a design may ask for fewer
    detail: summary              # exact joint counts of the columns in `by`; or games: one row per seat per game; or
                                 # rounds: one row per seat per round (with regret: true also what a choice lost)
    by: [score, zeros]           # default: the game's headline columns
    variants:                    # every entry stands for one or more sets of rules
      - grid: {level: [beginner, expert]}             # every combination
        rules: {zero_rule: split}                     # fixed beside it; preset: NAME goes under both
        one_factor: {final: [lowest, total]}          # and around each, one parameter changed at a time; or all: every
                                                      # one that takes words; readings: those that are none but readings
      - zip: {boxes: [2, 3], final: [lowest, total]}  # changed together: first with first, second with second
      - list: [{name: short, boxes: 1}, {boxes: 2, final: total}]  # as written, with names or without
      - grid: {boxes: [1, 2], final: [lowest, total]}
        exclude: [{boxes: 1, final: total}]           # left out: what matches all of an entry
      - sample: {n: 4, method: random, boxes: [1, 4], zero_rule: {choices: [split, strict]}}  # or lhs, sobol
    policies:                    # every entry stands for one or more line-ups
      - [greedy, random]                              # one policy per seat; a single seat needs no list
      - [{id: planner, grid: {hold: [2, 4]}}, greedy] # a grid over a policy parameter
      - [{id: planner, sample: {n: 3, method: lhs, hold: [0, 13]}}, greedy]  # zip, list and exclude as well
      - {repeat: 2, policy: random, name: twins}      # the same policy in 2 seats; [2, 3]: in 2, and in 3
      - [[child, planner], [greedy, random]]          # choices for every seat: all four line-ups
      - {all_pairs: [child, greedy, random]}          # every two; ordered: true, self_pairs: true
    exclude:                     # left out: what matches all of an entry; also seat0.PARAMETER
      - {rules.level: beginner, seat0: child}
    sample_seed: 11              # of samples; default: seed
    pairs:                       # counts of differences on the same dice
      - {of: score, seats: [0, 1]}                    # seat 0 minus seat 1 of a game
      - {of: score, against: base}                    # a one-factor variant minus the one it varies
      - {of: score, against: {rules: {level: beginner}}}                     # minus the same with this changed
    impossible: skip             # leave out what the rules forbid, with a note; default: refuse
    designs:                     # several of these in one sweep: variants, policies, pairs, games, exclude, sample
      - policies: [[planner, greedy]]
        sample: {n: 8, method: sobol, rules.boxes: [1, 4], seat0.hold: [0, 13]}   # rules and policies drawn together
    until: half_width(mean score) <= 0.01 at 95 %  # stop when precise enough (or a list of such); `games` is the most
    minutes: 30                                    # stop after this time; `games` is the most
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError, ValidationInfo, field_validator

from sim.errors import SweepError, unknown
from sim.games.own import load as load_policies
from sim.sweep.sampling import number
from sim.sweep.source import content_of
from sim.sweep.wording import first_of, keys, refused

#: a condition of `until`, for messages
EXAMPLE = "half_width(mean score) <= 0.01 at 95 %"

#: folders under data/ that are not sweeps
_OWN_FOLDERS = ("runs", "exact", "ladders", "league", "proposals")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
#: names that no folder may have on Windows, with any ending
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.I)
#: folders, files and messages carry the name; file systems end at 255 bytes
LONGEST_NAME = 100


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _number(value: Any, info: ValidationInfo) -> Any:
    """Whole numbers may be written as 1_000_000 or 1e6 (which YAML 1.1 reads as a text); true is not 1."""
    if isinstance(value, bool):
        raise ValueError(f"{info.field_name} = {value} is not accepted; accepted: a whole number")
    return number(value)


class Variant(_Model):
    """Rule parameters: `rules` (over `preset`); every entry of `list` with every place of `zip`, every combination of
    `grid` and every draw of `sample`; and around each one factor at a time, without what `exclude` leaves out."""

    name: str | None = None
    preset: str | None = None
    rules: dict[str, Any] = {}
    grid: dict[str, list[Any]] = {}
    together: dict[str, list[Any]] = Field({}, alias="zip")
    entries: list[dict[str, Any]] | None = Field(None, alias="list")
    sample: dict[str, Any] | None = None
    exclude: list[dict[str, Any]] | None = None
    one_factor: dict[str, list[Any]] | Literal["all", "readings"] = {}
    games: int | None = Field(default=None, ge=1)

    _games = field_validator("games", mode="before")(_number)

    @field_validator("one_factor", mode="before")
    @classmethod
    def _factors(cls, value: Any) -> Any:
        lists = isinstance(value, Mapping) and all(isinstance(values, list | tuple) for values in value.values())
        if not lists and value not in ("all", "readings"):
            raise ValueError(f"one_factor = {value!r} is not accepted; accepted: parameter: [values], all, or readings")
        return value


class LineUp(_Model):
    """One policy per seat. An element of `seats` is a policy (grids and the like over its parameters are expanded), a
    list to choose from, or ``{repeat: N, policy: …}``, the same policy in N seats; N may be a list of numbers.
    Instead of seats, `all_pairs` is a pool: every two of it, `ordered` in both seatings, `self_pairs` each with itself.
    """

    name: str | None = None
    seats: list[Any] = []
    pool: list[Any] | None = Field(None, alias="all_pairs")
    ordered: bool = False
    self_pairs: bool = False
    games: int | None = Field(default=None, ge=1)

    _games = field_validator("games", mode="before")(_number)


class PairSpec(_Model):
    """A comparison: two seats of a game, or each scenario against another one on the same dice."""

    of: str | list[str] = "score"
    seats: list[int] | None = None
    against: Any = None
    label: str | None = None


class Design(_Model):
    """Every variant with every line-up, and what is compared with what; `sample` draws rules and policies together."""

    name: str = ""
    variants: list[Variant] = [Variant()]
    policies: list[Any]
    sample: dict[str, Any] | None = None
    exclude: list[dict[str, Any]] | None = None
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
    sample_seed: int | None = Field(None, ge=0, le=2**64 - 1)
    games: int = Field(ge=1, le=2**63 - 1)
    first_game: int = Field(0, ge=0, le=2**63 - 1)
    detail: Literal["games", "rounds", "summary"] = "summary"
    regret: StrictBool = False
    by: list[str] | None = None
    impossible: Literal["refuse", "skip"] = "refuse"
    variants: list[Variant] = [Variant()]
    policies: list[Any] = []
    sample: dict[str, Any] | None = None
    exclude: list[dict[str, Any]] | None = None
    pairs: list[PairSpec] = []
    designs: list[Design] = []
    until: str | list[str] | None = None
    minutes: float | None = Field(None, gt=0, allow_inf_nan=False)

    _counts = field_validator("games", "seed", "sample_seed", "first_game", mode="before")(_number)

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
        own = ("variants", "policies", "sample", "exclude", "pairs", "impossible")
        if self.designs and not self.policies:
            if set(own) & self.model_fields_set - {"policies"}:
                raise SweepError(
                    f"{', '.join(own[2:])} or variants beside designs need policies; accepted: put them in a design"
                )
            return list(self.designs)
        return [Design(**{key: getattr(self, key) for key in own}), *self.designs]

    @field_validator("name")
    @classmethod
    def _folder(cls, value: str) -> str:
        if len(value) > LONGEST_NAME:
            raise ValueError(f"name has {len(value)} letters; accepted: at most {LONGEST_NAME}: it names a folder")
        if not _NAME.fullmatch(value) or value.endswith(".") or value in _OWN_FOLDERS or _DEVICE.fullmatch(value):
            raise ValueError(
                f"name = {value!r} is not accepted"
                "; accepted: letters, digits, '_', '.' and '-', a letter or digit first, no '.' at the end"
                " (not one of the lab's own, as 'runs' or 'exact', or a device like 'con'): it names a folder"
            )
        return value


def read(source: str | Path | Mapping[str, Any]) -> Spec:
    """A checked sweep from a YAML file or a mapping.

    Raises
    ------
    SweepError
        In one line: what was given, what is accepted.
    """
    where, content = content_of(source, keys(Spec))
    try:
        spec = Spec(**{str(k): v for k, v in content.items()})
    except ValidationError as error:
        raise SweepError(f"{where}: {_one_line(error)}") from None
    beside = Path() if isinstance(source, Mapping) else Path(source).parent
    for plugin in spec.plugins:
        load_policies(beside / plugin)
    return spec


_MODELS: dict[str, type[_Model]] = {"variants": Variant, "pairs": PairSpec, "designs": Design}


def _one_line(error: ValidationError) -> str:
    first = first_of(error)
    path = [str(part) for part in first["loc"]]
    inner = next((part for part in reversed(path[:-1]) if part in _MODELS), "")
    model = _MODELS.get(inner, Spec)
    if first["type"] == "extra_forbidden":
        return unknown(f"key in {inner}" if inner else "key", path[-1], keys(model))
    if first["type"] == "missing":
        return f"the key '{path[-1]}' is missing; accepted keys: {', '.join(keys(model))}"
    if first["type"] == "value_error":
        return str(first["ctx"]["error"])
    return refused(error, model)


def line_up(given: Any) -> LineUp:
    """One entry of ``policies``: a policy, a list (one per seat), or a mapping: `seats`, `policy` and `repeat`, or
    `all_pairs`."""
    if isinstance(given, str):
        return LineUp(seats=[given])
    if isinstance(given, list | tuple) and given and all(isinstance(g, str | list | Mapping) for g in given):
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
        found = LineUp(**values)
    except ValidationError as error:
        first = first_of(error)
        key = str(first["loc"][0])
        if first["type"] == "extra_forbidden":
            raise SweepError(unknown("key in policies", key, ["id", "policy", "repeat", *keys(LineUp)])) from None
        if first["type"] == "value_error":
            raise SweepError(f"policies: {first['ctx']['error']}") from None
        raise SweepError(f"policies: {refused(error, LineUp)}") from None
    if (found.pool is None) != bool(found.seats):
        raise SweepError(
            f"policies entry {given!r} is not accepted"
            "; accepted: one of id: …, seats: [...], policy: … with repeat: N, or all_pairs: [...]"
        )
    if found.pool is None and {"ordered", "self_pairs"} & found.model_fields_set:
        raise SweepError("ordered or self_pairs without all_pairs is not accepted; accepted: beside all_pairs: [...]")
    return found
