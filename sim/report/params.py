"""The parameters file: targets, assumptions and figure sizes, checked, with one clear line where something is wrong."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from sim.errors import PolicyError, ReportError, SimError, listing, unknown

MEASURES = ("score", "spread", "choice", "chance")


def _policy_of(game: str, text: str) -> str:
    """A policy's text as it was given, if `game` knows it."""
    from sim.games import get

    try:
        get(game).policies.parse(text)
    except PolicyError as error:
        raise ValueError(f"an {error}" if str(error).startswith("unknown") else str(error)) from None
    return text


def _different_players(value: list[int]) -> list[int]:
    if not value or len(set(value)) < len(value):
        raise ValueError(f"{value}; accepted: one or more different numbers of players, as [2, 4]")
    return value


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Sweeps(_Part):
    """Names of the stored sweeps behind each part."""

    levels: str = "levels"
    setup: str = "setup"
    readings: str = "readings"
    karolinchen: str = "karolinchen"
    parlett: str = "parlett"
    restricted: str = "restricted"
    courts: str = "courts"
    skill_caterpillars: str = "skill-caterpillars"
    skill_parlett: str = "skill-parlett"
    skill_karolinchen: str = "skill-karolinchen"


class Smallest(_Part):
    """Smallest differences that matter."""

    score: float = Field(0.1, gt=0)
    win: float = Field(0.01, gt=0, lt=1)
    turns: float = Field(1.0, gt=0)
    cards: float = Field(5.0, gt=0)


class Seats(_Part):
    """Target band around the fair share."""

    band: float = Field(0.02, gt=0, lt=1)


class Levels(_Part):
    """What a step from level to level has to bring, and whose eyes see it."""

    thresholds: dict[str, float]
    views: dict[str, str]

    @field_validator("thresholds")
    @classmethod
    def _measures(cls, value: dict[str, float]) -> dict[str, float]:
        if set(value) != set(MEASURES):
            raise ValueError(f"{', '.join(value) or 'nothing'}; accepted: one number each for {', '.join(MEASURES)}")
        return value


class Karolinchen(_Part):
    """Assumptions about the table."""

    policy: str = "match"
    seconds_per_turn: float = Field(15, gt=0)
    published_minutes: tuple[float, float] = (15, 20)
    bedtime: list[float] = [15, 20, 30]

    @field_validator("policy")
    @classmethod
    def _known(cls, value: str) -> str:
        return _policy_of("karolinchen", value)

    @field_validator("published_minutes")
    @classmethod
    def _ascending(cls, value: tuple[float, float]) -> tuple[float, float]:
        if not 0 < value[0] <= value[1] < math.inf:
            raise ValueError(f"{list(value)}; accepted: the shortest and the longest time in minutes, as [15, 20]")
        return value

    @field_validator("bedtime")
    @classmethod
    def _some_minutes(cls, value: list[float]) -> list[float]:
        if not value or not all(0 < minutes < math.inf for minutes in value):
            raise ValueError(f"{value or 'no time'}; accepted: one or more numbers of minutes above 0, as [15, 20, 30]")
        return value


class Hold(_Part):
    """The policy parameter behind the court-holding curve."""

    policy: str = "hoarder"
    parameter: str = "threshold"

    @field_validator("policy")
    @classmethod
    def _known(cls, value: str) -> str:
        return _policy_of("parlett", value)


class Parlett(_Part):
    """Headline line-up and court-holding curve."""

    policy: str = "greedy"
    hold: Hold = Hold()

    @field_validator("policy")
    @classmethod
    def _known(cls, value: str) -> str:
        return _policy_of("parlett", value)


#: rule parameters that may change → their settings, or all that were played
Candidates = dict[str, list[Any] | Literal["all"]]


class Steps(_Part):
    """Rules that may change at the higher level of a step."""

    candidates: Candidates = {}


class Shorter(_Part):
    """Rules that may shorten Karolinchen, and how often it is to be over in time."""

    candidates: Candidates = {}
    enough: float = Field(0.9, gt=0, lt=1)
    typical: float = Field(0.5, gt=0, lt=1)


class EverySeat(_Part):
    """Rules that may make seats fair, and the strengths of play at which they have to."""

    policies: list[str] = []
    candidates: Candidates = {}


class Searcher(_Part):
    """A slow, strong policy that is played in fewer games."""

    policy: str = "search(continuations=50)"
    games: int = Field(10_000, ge=100)


class Proposals(_Part):
    """Counter-proposals: what is compared, and the fresh games that judge."""

    seed: int = Field(20261215, ge=0)
    games: int = Field(400_000, ge=100)
    steps: Steps = Steps()
    shorter: Shorter = Shorter()
    tails: EverySeat = EverySeat()
    seats: EverySeat = EverySeat()
    search: Searcher = Searcher()


class Choices(_Part):
    """Restricted play, skill and luck, decisions round by round."""

    broken: float = Field(0.2, gt=0, lt=1)
    least: float = Field(0.1, gt=0)
    sure: float = Field(0.9, gt=0.5, lt=1)
    games: list[int] = [1, 3, 10]
    rounds: str = "rounds"
    decisions: str = "decisions"


class Watched(_Part):
    """Games in which the chances of winning are told by play-outs: one policy in every seat."""

    game: Literal["caterpillars", "karolinchen", "parlett"]
    policy: str
    players: list[Annotated[int, Field(ge=2, le=6)]] = [2]

    @field_validator("players")
    @classmethod
    def _different(cls, value: list[int]) -> list[int]:
        return _different_players(value)

    @model_validator(mode="after")
    def _known(self) -> Watched:
        from sim.games import get

        _policy_of(self.game, self.policy)
        for players in self.players:
            try:
                get(self.game).scenario(None, [self.policy] * players)
            except SimError as error:
                raise ValueError(f"players = {self.players}: {error}") from None
        return self


class Ties(_Part):
    """Games of Caterpillars in which ties are counted, at every level."""

    games: int = Field(20_000, ge=100)
    policy: str = "planner(placement=random)"
    players: list[Annotated[int, Field(ge=2, le=6)]] = [2, 3, 4, 5, 6]

    @field_validator("policy")
    @classmethod
    def _known(cls, value: str) -> str:
        return _policy_of("caterpillars", value)

    @field_validator("players")
    @classmethod
    def _different(cls, value: list[int]) -> list[int]:
        return _different_players(value)


class Decided(_Part):
    """When games count as decided, which are watched, and for how much of a game it should be open."""

    seed: int = Field(20261222, ge=0)
    games: int = Field(10_000, ge=100)
    open: float = Field(0.05, gt=0, lt=0.5)
    comebacks: list[Annotated[float, Field(gt=0, lt=0.5)]] = [0.05, 0.1, 0.2, 0.3]
    comeback: float = Field(0.1, gt=0, lt=0.5)
    enough: float = Field(0.75, gt=0, lt=1)
    least: float = Field(0.05, gt=0, lt=1)
    watch_games: int = Field(2_000, ge=20)
    playouts: int = Field(400, ge=1, le=100_000)
    watched: list[Watched] = []
    ties: Ties = Ties()

    @field_validator("comebacks")
    @classmethod
    def _whole_percents(cls, value: list[float]) -> list[float]:
        # what is told of a chance is named by its percents
        percents = [round(100 * chance) for chance in value]
        whole = all(abs(100 * chance - percent) < 1e-9 for chance, percent in zip(value, percents, strict=True))
        if not value or not whole or len(set(percents)) < len(percents):
            raise ValueError(f"{value}; accepted: one or more different chances in whole percents, as [0.05, 0.1]")
        return value

    @field_validator("watched")
    @classmethod
    def _told_apart(cls, value: list[Watched]) -> list[Watched]:
        from sim.games import get

        # files and facts are named by game, number of players and policy without its parameters
        first: dict[tuple[str, int, str], str] = {}
        for watched in value:
            for players in watched.players:
                key = (watched.game, players, get(watched.game).policies.parse(watched.policy).id)
                if key in first:
                    raise ValueError(
                        f"{first[key]} and {watched.policy} of {watched.game} for {players} players; accepted: each "
                        f"policy once for a game and number of players, whatever its parameters"
                    )
                first[key] = watched.policy
        return value

    @model_validator(mode="after")
    def _one_of_them(self) -> Decided:
        if self.comeback not in self.comebacks:
            raise ValueError(f"comeback = {self.comeback}; accepted: one of comebacks, {listing(self.comebacks)}")
        return self


class People(_Part):
    """What only people can answer: assumptions behind the numbers of playtests."""

    spread: float = Field(0.6, gt=0, le=10)
    within: float = Field(0.2, gt=0, le=1)
    prefer: float = Field(0.7, ge=0.55, le=0.99)
    sure: float = Field(0.9, gt=0.5, le=0.999)


Kind = Literal["expected", "open", "changed", "played"]


class Findings(_Part):
    """The list of findings."""

    most: int = Field(20, ge=1)
    order: tuple[Kind, ...] = ("expected", "open", "changed", "played")

    @model_validator(mode="after")
    def _every_kind_once(self) -> Findings:
        if sorted(self.order) != sorted(get_args(Kind)):
            raise ValueError(f"order = {list(self.order)}; accepted: each of {', '.join(get_args(Kind))} once")
        return self


class Figures(_Part):
    """Sizes in pixels, and matplotlib settings on top of the house style."""

    wide: float = Field(800, ge=400, le=2000)
    narrow: float = Field(344, ge=240, le=600)
    dots: int = Field(20, ge=5, le=100)
    settings: dict[str, Any] = {}


class Params(_Part):
    """Everything in ``params.yaml`` that the report reads; other top-level keys belong to others."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    confidence: float = Field(0.95, gt=0.5, lt=1)
    sweeps: Sweeps = Sweeps()
    smallest: Smallest = Smallest()
    seats: Seats = Seats()
    levels: Levels
    karolinchen: Karolinchen = Karolinchen()
    parlett: Parlett = Parlett()
    proposals: Proposals = Proposals()
    choices: Choices = Choices()
    decided: Decided = Decided()
    people: People = People()
    findings: Findings = Findings()
    figures: Figures = Figures()


def read_params(path: Path | str = "params.yaml") -> Params:
    """The checked parameters file.

    Raises
    ------
    ReportError
        In one line: what was given, what is accepted.
    """
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ReportError(
            f"cannot read {path}: {error.strerror}; accepted: a parameters file, as params.yaml"
        ) from None
    except yaml.YAMLError as error:
        raise ReportError(
            f"{path} is not readable as YAML ({str(error).splitlines()[0]}); accepted: as params.yaml"
        ) from None
    if not isinstance(content, dict):
        raise ReportError(f"{path} holds no mapping; accepted: keys {', '.join(Params.model_fields)}")
    try:
        return Params(**content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            part = Params.model_fields[str(first["loc"][0])].annotation
            raise ReportError(f"{path}: {unknown('key', place, part.model_fields)}") from None  # type: ignore[union-attr]
        if first["type"] == "missing":
            raise ReportError(
                f"{path}: the key '{place}' is missing; accepted: as in the shipped params.yaml"
            ) from None
        if first["type"] == "value_error":
            raise ReportError(f"{path}: {place} has {first['ctx']['error']}") from None
        told = first["msg"].replace("Input should be ", "")
        raise ReportError(f"{path}: {place} = {first['input']!r} is not accepted; accepted: {told}") from None
