"""What a game brings to the laboratory: rules, policies, result fields, a kernel and a trace.

A game is one folder in `sim.games` with one `Game` object named ``GAME`` in its ``__init__`` and one line in
`sim.games.REGISTRY`. Everything above (engine, sweeps, store, command line) works through the classes of this module.
"""

from __future__ import annotations

import abc
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from sim.errors import InputError, PolicyError, RulesError, listing, unknown

# ----------------------------------------------------------------------------------------------------------------------
# Rules


@dataclass(frozen=True)
class Preset:
    """A named set of rule parameters over the defaults."""

    id: str
    rules: Mapping[str, Any]
    meaning: str
    source: str


class RulesModel(BaseModel):
    """One full set of rule parameters of one game: validated, frozen, hashable by its canonical text.

    Every field is declared with ``Field(default, description=meaning, json_schema_extra={"accepts": …, "source":
    …})``; a
    field whose default is a reading, not a fact, also has ``"reading": reason``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)

    GAME: ClassVar[str] = ""
    PRESETS: ClassVar[dict[str, Preset]] = {}

    @classmethod
    def parse(cls, rules: Mapping[str, Any] | str | RulesModel | None) -> RulesModel:
        """Rules from a mapping over the defaults, a preset id, a rules object, or None for the defaults.

        A mapping may hold the key ``preset``; its other entries go over that preset.

        Raises
        ------
        RulesError
            In one line: what was given, what is accepted.
        """
        if rules is None:
            return cls()
        if isinstance(rules, cls):
            return rules
        if isinstance(rules, RulesModel):
            raise RulesError(f"rules of {rules.GAME} were given for {cls.GAME}")
        if isinstance(rules, str):
            rules = {"preset": rules}
        if not isinstance(rules, Mapping):
            raise RulesError(
                f"rules for {cls.GAME} = {rules!r} are not accepted; accepted: a mapping of parameters, a "
                f"preset id, or rules"
            )
        values = {str(key): value for key, value in rules.items()}
        preset = values.pop("preset", None)
        if preset is not None:
            if preset not in cls.PRESETS:
                raise RulesError(unknown(f"preset of {cls.GAME}", preset, cls.PRESETS))
            values = {**cls.PRESETS[preset].rules, **values}
        for key in values:
            if key not in cls.model_fields:
                raise RulesError(unknown(f"rule parameter of {cls.GAME}", key, cls.model_fields))
        try:
            return cls(**values)
        except ValidationError as error:
            raise RulesError(cls._one_line(error)) from None

    @classmethod
    def _one_line(cls, error: ValidationError) -> str:
        first = error.errors()[0]
        if first["type"] == "value_error":  # raised by our own validators: already one clear line
            return f"{cls.GAME}: " + str(first["ctx"]["error"])
        name = str(first["loc"][0]) if first["loc"] else ""
        return f"{cls.GAME}: {name} = {first['input']!r} is not accepted; accepted: {cls.accepts(name)}"

    @classmethod
    def accepts(cls, name: str) -> str:
        """What values a parameter takes, in words."""
        info = cls.model_fields.get(name)
        extra = info.json_schema_extra if info is not None else None
        return str(extra.get("accepts", "")) if isinstance(extra, dict) else ""

    @classmethod
    def source(cls, name: str) -> str:
        """Where a parameter and its default come from."""
        extra = cls.model_fields[name].json_schema_extra
        return str(extra.get("source", "")) if isinstance(extra, dict) else ""

    def without_effect(self) -> frozenset[str]:
        """Names of parameters that cannot change anything under the other values; left out of the identity."""
        return frozenset()

    def identity(self) -> dict[str, Any]:
        """Every parameter that matters, as plain JSON data (parameters without effect left out)."""
        idle = self.without_effect()
        return {k: v for k, v in self.model_dump(mode="json").items() if k not in idle}

    def text(self) -> str:
        """Canonical text of `identity`; two rules play the same game exactly if their texts are equal."""
        return json.dumps(self.identity(), sort_keys=True, separators=(",", ":"))

    def changed(self) -> dict[str, Any]:
        """The parameters that differ from the defaults, as plain data; for labels."""
        default = type(self)().model_dump(mode="json")
        return {k: v for k, v in self.model_dump(mode="json").items() if v != default[k]}


# ----------------------------------------------------------------------------------------------------------------------
# Policies

#: room for a policy's parameters in the kernels: its own in order, its restriction and its slip in the last places
PARAMETERS = 16
#: where the kernels find a policy's slip
SLIP = PARAMETERS - 1
#: where the kernels find the number of a policy's restriction
RESTRICT = PARAMETERS - 2
#: what a policy that is not restricted has for a restriction, number 0
NO_RESTRICTION = "none"


@dataclass(frozen=True)
class PolicyParameter:
    """One documented number (or choice) of a policy. A choice is carried to the kernel as its index in `choices`.

    A `common` parameter is one that every policy has; at its default it is left out of the policy's identity.
    """

    name: str
    default: float | str
    meaning: str
    low: float = 0.0
    high: float = 1.0
    unit: str = ""
    integer: bool = False
    choices: tuple[str, ...] = ()
    common: bool = False

    def accepts(self) -> str:
        """What values the parameter takes, in words."""
        if self.choices:
            return listing(self.choices)
        kind = "a whole number" if self.integer else "a number"
        return f"{kind} from {self.low:g} to {self.high:g}" + (f" ({self.unit})" if self.unit else "")

    def parse(self, policy: str, value: object) -> float | str:
        """The value in canonical form, or `PolicyError`."""
        refused = f"policy {policy}: {self.name} = {value!r} is not accepted; accepted: {self.accepts()}"
        if self.choices:
            if str(value) not in self.choices:
                raise PolicyError(refused)
            return str(value)
        try:
            number = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise PolicyError(refused) from None
        if isinstance(value, bool) or not self.low <= number <= self.high:
            raise PolicyError(refused)
        if self.integer and number != int(number):
            raise PolicyError(refused)
        return number + 0.0  # −0.0 becomes 0.0

    def number(self, value: float | str) -> float:
        """The value as the kernel sees it."""
        return float(self.choices.index(str(value))) if self.choices else float(value)


#: policies written by users have numbers from here on
OWN = 1000


@dataclass(frozen=True)
class OwnCode:
    """What a user's policy brings: its functions by the name of their slot, and where it is written."""

    functions: Mapping[str, Any]
    where: str


#: noise for every policy: with it, skill can be dialled down to nothing
SLIP_PARAMETER = PolicyParameter(
    "slip",
    0.0,
    "chance per decision to take any choice instead, all equally likely",
    0.0,
    1.0,
    "probability",
    common=True,
)


def restrict_parameter(restrictions: Sequence[str]) -> PolicyParameter:
    """The parameter with which every policy of a game can be restricted, the first word meaning that it is not."""
    return PolicyParameter(
        "restrict",
        restrictions[0],
        "what is never, or always, done, whatever the policy thinks of it; gives way where nothing else can be done",
        choices=tuple(restrictions),
        common=True,
    )


@dataclass(frozen=True)
class PolicyInfo:
    """Catalogue entry of a policy.

    `number` selects the compiled function; `version` is raised when decisions change; `draws` tells whether the
    policy uses
    its uniform numbers; `who` says who would play so. `noisy` policies get the parameter `slip` when they are
    registered. A user's own policy brings `code`, and `digest`, the hash of its source, as a part of its identity.
    """

    id: str
    number: int
    summary: str
    who: str
    source: str
    parameters: tuple[PolicyParameter, ...] = ()
    version: int = 1
    draws: bool = False
    noisy: bool = True
    code: OwnCode | None = field(default=None, compare=False)
    digest: str = ""


@dataclass(frozen=True)
class Policy:
    """A policy with all its parameter values: one per seat makes a line-up."""

    info: PolicyInfo
    values: tuple[float | str, ...]

    @property
    def id(self) -> str:
        return self.info.id

    @property
    def slip(self) -> float:
        """Chance per decision to take any choice instead."""
        return float(self.parameters().get("slip", 0.0))

    @property
    def restriction(self) -> str:
        """What it never, or always, does; `NO_RESTRICTION`: nothing in particular."""
        return str(self.parameters().get("restrict", NO_RESTRICTION))

    @property
    def draws(self) -> bool:
        """Whether it uses random numbers: because it is made so, or because it slips."""
        return self.info.draws or self.slip > 0.0

    def parameters(self) -> dict[str, float | str]:
        """Parameter values by name."""
        return dict(zip((p.name for p in self.info.parameters), self.values, strict=True))

    def text(self) -> str:
        """Canonical text ``id(parameter=value, …)`` with the parameters that differ from their defaults."""
        shown = [
            f"{p.name}={v if isinstance(v, str) else format_number(v)}"
            for p, v in zip(self.info.parameters, self.values, strict=True)
            if v != p.default
        ]
        return self.id + (f"({', '.join(shown)})" if shown else "")

    def identity(self) -> dict[str, Any]:
        """Everything that decides its choices, as plain JSON data."""
        values = {
            p.name: v if isinstance(v, str) else format_number(v)
            for p, v in zip(self.info.parameters, self.values, strict=True)
            if not (p.common and v == p.default)
        }
        own = {"digest": self.info.digest} if self.info.digest else {}
        return {"id": self.id, "version": self.info.version, "parameters": values, **own}

    def vector(self) -> np.ndarray:
        """Parameter vector for the kernel: float64[PARAMETERS], padded with zeros; restriction and slip at the end."""
        out = np.zeros(PARAMETERS)
        places = {"slip": SLIP, "restrict": RESTRICT}
        for i, (p, v) in enumerate(zip(self.info.parameters, self.values, strict=True)):
            out[places[p.name] if p.common else i] = p.number(v)
        if self.slip > 0.0:  # also where a policy has a slip of its own
            out[SLIP] = self.slip
        return out


def format_number(value: float) -> str:
    """Shortest exact text of a number; whole numbers without a point."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


_CALL = re.compile(r"^\s*([A-Za-z_][\w-]*)\s*(?:\((.*)\))?\s*$", re.S)


class PolicyRegistry:
    """The policies of one game, by id; duplicates are refused."""

    def __init__(self, game: str, entries: Iterable[PolicyInfo], restrictions: Sequence[str] = ()) -> None:
        self.game = game
        self.restrictions = tuple(restrictions)
        self.entries: dict[str, PolicyInfo] = {}
        for entry in entries:
            self.add(entry)

    def add(self, entry: PolicyInfo, instead: bool = False) -> PolicyInfo:
        """Register a policy, with the parameters that every policy has; returns the entry as registered.

        With `instead` it takes the place of one with the same id.
        """
        others = [e for e in self.entries.values() if not (instead and e.id == entry.id)]
        if entry.id in {e.id for e in others} or entry.number in {e.number for e in others}:
            raise ValueError(f"policy {entry.id} of {self.game} is registered twice")
        if entry.noisy and "slip" not in {p.name for p in entry.parameters}:
            entry = replace(entry, parameters=(*entry.parameters, SLIP_PARAMETER))
        if self.restrictions and "restrict" not in {p.name for p in entry.parameters}:
            entry = replace(entry, parameters=(*entry.parameters, restrict_parameter(self.restrictions)))
        own = sum(not p.common for p in entry.parameters)
        if own > PARAMETERS - 2:
            raise ValueError(f"policy {entry.id} of {self.game} has more than {PARAMETERS - 2} parameters")
        self.entries[entry.id] = entry
        return entry

    def __iter__(self) -> Iterable[PolicyInfo]:  # type: ignore[override]
        return iter(self.entries.values())

    def parse(self, given: str | Mapping[str, Any] | Policy, also: Sequence[str] = ()) -> Policy:
        """A policy from an id, ``{"id": …, parameter: value}``, the text ``id(parameter=value, …)``, or a `Policy`.

        `also`: words that the caller takes instead of a policy; errors name them.
        """
        if isinstance(given, Policy):
            if self.entries.get(given.id) != given.info:
                raise PolicyError(unknown(f"policy of {self.game}", given.id, [*self.entries, *also]))
            return given
        if isinstance(given, str):
            name, values = self._parse_text(given)
        elif isinstance(given, Mapping) and "id" in given:
            name, values = str(given["id"]), {str(k): v for k, v in given.items() if k != "id"}
        else:
            raise PolicyError(
                f"policy {given!r} is not accepted; accepted: an id, a mapping with id, or text id(parameter=value, …)"
            )
        info = self.entries.get(name)
        if info is None and name in also:
            raise PolicyError(f"policy {given!r} is not accepted; accepted: the text {name} alone")
        if info is None:
            raise PolicyError(unknown(f"policy of {self.game}", name, [*self.entries, *also]))
        names = [p.name for p in info.parameters]
        for key in values:
            if key not in names:
                raise PolicyError(unknown(f"parameter of policy {name}", key, names or ["(it has none)"]))
        return Policy(info, tuple(p.parse(name, values.get(p.name, p.default)) for p in info.parameters))

    @staticmethod
    def _parse_text(text: str) -> tuple[str, dict[str, Any]]:
        match = _CALL.match(text)
        if match is None:
            raise PolicyError(f"policy {text!r} is not accepted; accepted: id or id(parameter=value, …)")
        values: dict[str, Any] = {}
        for part in (match.group(2) or "").split(","):
            if not part.strip():
                continue
            key, equals, value = part.partition("=")
            key = key.strip()
            if not equals or key in values:
                raise PolicyError(
                    f"policy {text!r} is not accepted; accepted: id(parameter=value, …), each parameter once"
                )
            values[key] = value.strip()
        return match.group(1), values


# ----------------------------------------------------------------------------------------------------------------------
# Results


@dataclass(frozen=True)
class Field:
    """One result per seat and game, as the kernel writes it and as users see it.

    The kernel writes 32-bit whole numbers. `kind` says how they are read: ``int`` as they are; ``bool`` 0 or 1;
    ``share`` 0 for a loss and k for a win shared by k seats, shown as 1/k. ``real``, a number with a fraction, is for
    what is worked out of a game's rounds, never for a result.
    `low` and `high` bound what the kernel can write under the rules at hand (``high = None``: no small bound).
    """

    name: str
    dtype: str
    unit: str
    meaning: str
    low: int = 0
    high: int | None = None
    kind: Literal["int", "bool", "share", "real"] = "int"


class Playable(abc.ABC):
    """A game with rules and policies fixed, ready to be played: what the engine works with.

    Attributes
    ----------
    seats : int
    fields : tuple of Field
        One per row of the kernel's output, in order.
    dtype : type
        Numbers of the output: whole ones, where nothing else is said.
    """

    seats: int
    fields: tuple[Field, ...]
    dtype: type = np.int32

    @abc.abstractmethod
    def scratch(self) -> Any:
        """Working memory for one thread; `play` allocates none."""

    @abc.abstractmethod
    def play(self, seed: int, first: int, games: int, out: np.ndarray, scratch: Any) -> None:
        """Play games `first` … `first + games − 1` without the interpreter lock.

        `out` is of `dtype`, [len(fields), games × seats]; column ``g * seats + s`` is seat s of game ``first + g``.
        """


class Watched(abc.ABC):
    """A game with rules and policies fixed whose chances of winning are told while it goes on.

    Attributes
    ----------
    seats : int
    playouts : int
        Play-outs from which a chance is estimated; 0: chances are exact.
    """

    seats: int
    playouts: int = 0

    @abc.abstractmethod
    def walk(self, seed: int, first: int, games: int) -> Any:
        """Games `first` … `first + games − 1` with the chances before every move, as a `sim.engine.paths.Walk`.

        Called from several threads.
        """


class Recorder(abc.ABC):
    """Plays games with a recording buffer and tells them round by round: one row per decision point of a seat.

    Attributes
    ----------
    fields : tuple of Field
        The game's own columns.
    """

    fields: tuple[Field, ...]

    @abc.abstractmethod
    def record(self, seed: int, first: int, games: int) -> dict[str, np.ndarray]:
        """Rows of games `first` … `first + games − 1`, ordered by game, then as they were played.

        Returns
        -------
        dict
            Arrays of one length: ``game``; ``seat``; ``round`` from 1; ``options``, the number of legal choices;
            ``chosen``, the index of the choice in their sorted list; and one per field. May be called from several
            threads, and needs some hundred bytes a row.
        """


@dataclass(frozen=True)
class Scenario:
    """A variant and one policy per seat."""

    game: Game
    rules: RulesModel
    policies: tuple[Policy, ...]
    label: str = field(default="", compare=False)

    def identity(self) -> dict[str, Any]:
        """Everything its results depend on apart from seed and game index, as plain JSON data."""
        return {
            "game": self.game.name,
            "kernel_version": self.game.kernel_version,
            "rules": self.rules.identity(),
            "policies": [p.identity() for p in self.policies],
        }

    @property
    def id(self) -> str:
        """Hash of the canonical text of `identity` (12 hex digits)."""
        text = json.dumps(self.identity(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:12]


class Game(abc.ABC):
    """What a game brings. One object per game, named ``GAME`` in the game's folder."""

    name: str
    title: str
    #: raised when results change for equal arguments, never for speed; the golden digest test guards it
    kernel_version: int
    rules_type: type[RulesModel]
    policies: PolicyRegistry
    #: columns that summaries count by default
    headline: tuple[str, ...] = ("score", "win")
    #: functions that a user's policy may bring, by slot: names of their arguments; the first slot has to be filled
    slots: Mapping[str, Sequence[str]] = {}
    #: a line-up for examples and first tries: policy ids, one per seat
    example: tuple[str, ...] = ("random",)
    #: columns that tell which of two seats of one game did better, the first one first
    order: tuple[str, ...] = ("win",)
    #: outcomes that luck can be taken out of (`luck`), the usual one first
    adjustable: tuple[str, ...] = ()

    def own_parameters(self, functions: Mapping[str, Any]) -> tuple[PolicyParameter, ...]:
        """Parameters that every policy of the game has in front of its own; `functions` are a user's, by slot."""
        return ()

    @abc.abstractmethod
    def check_seats(self, rules: RulesModel, seats: int) -> None:
        """Raise `PolicyError` if the game cannot be played by so many seats."""

    def check_policies(self, rules: RulesModel, policies: Sequence[Policy]) -> None:
        """Raise `PolicyError` if one of the policies cannot play under the rules; by default every one can."""
        return None

    def interacts(self, policy: Policy) -> bool:
        """Whether a seat with this policy can be told from one that plays alone: by default every one can.

        Policies that do not interact may sit at one table, however many they are, and be compared two by two by the
        columns of `order`.
        """
        return True

    @abc.abstractmethod
    def fields(self, rules: RulesModel, seats: int) -> tuple[Field, ...]:
        """Result fields with their bounds under the rules; names and order do not depend on the rules."""

    @abc.abstractmethod
    def compile(self, rules: RulesModel, policies: Sequence[Policy]) -> Playable:
        """Fix rules and policies; checks nothing (see `scenario`)."""

    @abc.abstractmethod
    def trace(self, rules: RulesModel, policies: Sequence[Policy], seed: int, game: int) -> dict[str, Any]:
        """One game as plain data, by the same kernel with a recording buffer."""

    def round_fields(self, rules: RulesModel, seats: int, regret: bool = False) -> tuple[Field, ...]:
        """The game's own columns of rows per round; names and order depend on `regret` alone."""
        return ()

    def rows_per_game(self, rules: RulesModel, seats: int) -> int:
        """About how many rows the rounds of a game make; it decides how many games one file holds."""
        return 1

    def check_regret(self, rules: RulesModel) -> None:
        """Raise `InputError` unless there is a table of exact values that rounds can be compared with."""
        raise InputError(f"regret was asked for {self.name}; accepted: rounds without it")

    def recorder(self, rules: RulesModel, policies: Sequence[Policy], regret: bool = False) -> Recorder:
        """What tells games round by round; with `regret`, also what each choice lost against optimal play."""
        raise InputError(f"{self.name} does not tell its rounds; accepted: detail games or summary")

    def watched(self, rules: RulesModel, policies: Sequence[Policy], playouts: int | None = None) -> Watched:
        """What tells the chances of winning while games go on.

        Parameters
        ----------
        rules, policies
            Checked, see `scenario`.
        playouts : int, optional
            Play-outs of every position, 1 or more; left out: exact chances where they are known, else as many as
            `sim.engine.paths.PLAYOUTS`.

        Raises
        ------
        InputError
            For a line-up whose chances cannot be told.
        """
        raise InputError(f"{self.name} does not tell chances of winning; accepted: caterpillars, karolinchen, parlett")

    @abc.abstractmethod
    def tell(self, trace: Mapping[str, Any]) -> str:
        """A trace in words that a person can check by hand."""

    def solve(
        self,
        rules: Mapping[str, Any] | str | RulesModel | None = None,
        policies: Sequence[str | Mapping[str, Any] | Policy] | None = None,
        **position: Any,
    ) -> Any:
        """Exact answers for a position or a whole game; see the game's own ``exact``. Not every question is answered.

        Raises
        ------
        SimError
            In one line: what was asked, what can be answered.
        """
        raise InputError(f"{self.name} has no exact solver")

    def luck(
        self, rules: RulesModel, policies: Sequence[Policy], value: str = "auto", outcome: str | None = None
    ) -> Playable:
        """Games with the luck of their chance events taken out of the outcome, see `sim.stats.luck`.

        The output of what is returned has two rows of doubles: the outcome, and the outcome less its luck, that is less
        the sum over chance events of a value after the event minus the exact mean of that value before it.

        Parameters
        ----------
        rules, policies
            Checked, see `scenario`.
        value : str
            Name of the value function; ``auto``: the best one that the game has for these rules.
        outcome : str, optional
            One of `adjustable`, checked; left out: the first of them.

        Raises
        ------
        InputError
            For a value that the game does not have, or not for these rules.
        """
        known = "caterpillars, karolinchen, parlett"
        raise InputError(f"{self.name} has no value functions to take luck out with; accepted: {known}")

    def answer(self, solved: Any, pmf: bool | None = None) -> dict[str, Any]:
        """What `solve` returned, as plain data.

        `pmf` says whether to work out distributions as well; None: where that takes about as long as the answer itself.
        """
        raise InputError(f"{self.name} has no exact solver")

    def tell_answer(self, answer: Mapping[str, Any]) -> str:
        """An answer as plain data in words, with the proven bounds on its errors."""
        raise InputError(f"{self.name} has no exact solver")

    def scenario(
        self,
        rules: Mapping[str, Any] | str | RulesModel | None,
        policies: Sequence[str | Mapping[str, Any] | Policy],
        label: str = "",
    ) -> Scenario:
        """Parse and check a variant and a line-up."""
        parsed = self.rules_type.parse(rules)
        if isinstance(policies, str | Mapping | Policy):
            policies = [policies]
        line_up = tuple(self.policies.parse(p) for p in policies)
        if not line_up:
            raise PolicyError(f"no policies were given for {self.name}; accepted: one per seat, at least one")
        self.check_seats(parsed, len(line_up))
        self.check_policies(parsed, line_up)
        return Scenario(self, parsed, line_up, label)
