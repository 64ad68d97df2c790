"""The register of facts: every number that prose quotes, with its sample size, seed, method, interval and scenario."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from sim.errors import ReportError, unknown
from sim.report import words


@dataclass(frozen=True)
class Kind:
    """How a kind of quantity is written.

    Attributes
    ----------
    unit : str
    text : callable
        The number as quoted alone.
    ends : callable
        An end of its interval, or the number beside it, with so many digits.
    digits : int
        Digits of an interval: usually one more than of a number alone.
    """

    unit: str
    text: Callable[[float], str]
    ends: Callable[[float, int], str]
    digits: int


def _hundreds(x: float, digits: int) -> str:
    return words.decimals(100 * x, digits)


def _signed_hundreds(x: float, digits: int) -> str:
    return words.signed(100 * x, digits)


def _count(x: float, _: int) -> str:
    return words.count(x)


def _as_it_is(x: float, _: int) -> str:
    return words.plain(x)


#: digits more than usual, where fewer would make an interval look like a point
MORE_DIGITS = 3


KINDS: dict[str, Kind] = {
    "points": Kind("points", lambda x: words.decimals(x, 1), words.decimals, 2),
    "change": Kind("points", lambda x: words.signed(x, 1), words.signed, 2),
    "fine": Kind("points", lambda x: words.signed(x, 2), words.signed, 2),
    "whole": Kind("points", lambda x: words.decimals(x, 0), words.decimals, 0),
    "share": Kind("share of games", words.in_hundred, _hundreds, 1),
    "gap": Kind("points of win rate", lambda x: words.signed(100 * x, 1), _signed_hundreds, 2),
    "part": Kind("share of the variance", words.in_hundred, _hundreds, 1),
    "rounds_share": Kind("share of rounds", words.in_hundred, _hundreds, 1),
    "turns_share": Kind("share of turns", words.in_hundred, _hundreds, 1),
    "turns_gap": Kind("points of the share of turns", lambda x: words.signed(100 * x, 1), _signed_hundreds, 2),
    "turns_left": Kind("turns", lambda x: words.decimals(x, 1), words.decimals, 2),
    "minutes_left": Kind("minutes", lambda x: words.decimals(x, 1), words.decimals, 2),
    "choices": Kind("", lambda x: words.decimals(x, 1), words.decimals, 2),
    "tries": Kind("comparisons", lambda x: words.decimals(x, 0), words.decimals, 0),
    "departure": Kind("points of win rate", lambda x: words.decimals(100 * x, 1), _hundreds, 2),
    "turns": Kind("turns", lambda x: words.decimals(x, 0), words.decimals, 0),
    "turns_change": Kind("turns", lambda x: words.signed(x, 1), words.signed, 2),
    "amount": Kind("", lambda x: words.decimals(x, 2), words.decimals, 2),
    "amount_change": Kind("", lambda x: words.signed(x, 2), words.signed, 2),
    "rounds": Kind("rounds", lambda x: words.decimals(x, 0), words.decimals, 1),
    "minutes": Kind("minutes", lambda x: words.decimals(x, 0), words.decimals, 0),
    "count": Kind("games", words.count, _count, 0),
    "number": Kind("", words.plain, _as_it_is, 0),
    "text": Kind("", str, _as_it_is, 0),  # type: ignore[arg-type]
}


@dataclass(frozen=True)
class Fact:
    """One claim that can be quoted."""

    key: str
    value: float | str
    kind: str
    text: str
    unit: str
    low: float | None = None
    high: float | None = None
    n: int | None = None
    seed: int | None = None
    level: float | None = None
    method: str = ""
    scenario: str = ""
    sweep: str = ""

    def interval(self) -> str:
        """The interval as '11.83 to 11.86'."""
        if self.low is None or self.high is None:
            raise ReportError(f"fact '{self.key}' has no interval; accepted: facts with an interval")
        ends, digits = KINDS[self.kind].ends, self._digits()
        return f"{ends(self.low, digits)} to {ends(self.high, digits)}"

    def beside(self) -> str:
        """The value in the unit and with the digits of its interval, so that one reads it inside its ends."""
        kind = KINDS[self.kind]
        if self.low is None or isinstance(self.value, str) or self.kind in ("count", "number"):
            return self.text
        told = kind.ends(self.value, self._digits())
        return f"{told} in 100" if kind.text is words.in_hundred else told

    def _digits(self) -> int:
        """As many digits as it takes to tell the ends apart, within reason."""
        ends, digits = KINDS[self.kind].ends, KINDS[self.kind].digits
        if self.low is None or self.high is None or self.low == self.high:
            return digits
        most = digits + MORE_DIGITS
        while digits < most and ends(self.low, digits) == ends(self.high, digits):
            digits += 1
        return digits


class Facts:
    """Facts by key; remembers which were quoted, in order."""

    def __init__(self) -> None:
        self._facts: dict[str, Fact] = {}
        self.quoted: dict[str, int] = {}

    def __contains__(self, key: object) -> bool:
        return key in self._facts

    def __len__(self) -> int:
        return len(self._facts)

    def add(self, key: str, value: Any, kind: str, **more: Any) -> Fact:
        """Register one fact; a key is given once.

        Parameters
        ----------
        key : str
            Dotted name, e.g. ``caterpillars.expert.child.mean``.
        value : float or str
        kind : str
            A name in `KINDS`.
        **more
            low, high, n, seed, level, method, scenario, sweep.
        """
        if key in self._facts:
            raise ReportError(f"fact '{key}' is registered twice; accepted: each key once")
        if kind not in KINDS:
            raise ReportError(unknown("kind of fact", kind, KINDS))
        plain: float | str
        if isinstance(value, str):
            plain = value
        else:
            plain = value if isinstance(value, int) else float(value)
            if math.isnan(plain):
                raise ReportError(f"fact '{key}' is not a number; accepted: a value that the data know")
        ends: dict[str, Any] = {name: float(more.pop(name)) for name in ("low", "high") if more.get(name) is not None}
        if any(math.isnan(v) for v in ends.values()):
            ends = {}
        more = {name: v for name, v in more.items() if v is not None}
        text = KINDS[kind].text(plain)  # type: ignore[arg-type]
        fact = Fact(key, plain, kind, text, KINDS[kind].unit, **ends, **more)
        self._facts[key] = fact
        return fact

    def row(self, key: str, row: dict[str, Any], kind: str, prefix: str = "", **more: Any) -> Fact:
        """Register an estimate from a row of a result table: ``value low high n scenario``, or with a prefix."""
        value, low, high = (prefix, f"{prefix}_low", f"{prefix}_high") if prefix else ("value", "low", "high")
        given = {"low": row.get(low), "high": row.get(high), "n": row.get("n"), "scenario": row.get("scenario", "")}
        return self.add(key, row[value], kind, **given, **more)

    def get(self, key: str) -> Fact:
        """The fact called `key`, without counting as quoted."""
        if key not in self._facts:
            raise ReportError(unknown("fact quoted in prose", key, self._facts))
        return self._facts[key]

    def quote(self, key: str) -> tuple[Fact, int | None]:
        """The fact called `key`, and its number in the list of claims; names and plain counts of players have none."""
        fact = self.get(key)
        if fact.n is None and not fact.method and not fact.sweep:
            return fact, None
        return fact, self.quoted.setdefault(key, len(self.quoted) + 1)

    def all(self) -> list[Fact]:
        """Every fact, in the order of registration."""
        return list(self._facts.values())

    def claims(self) -> list[tuple[int, Fact]]:
        """Quoted facts with their numbers."""
        return [(number, self._facts[key]) for key, number in self.quoted.items()]

    def json(self) -> str:
        """All facts as JSON text, by key, with the number of the claim where quoted."""
        content = {}
        for key in sorted(self._facts):
            record = {k: _finite(v) for k, v in asdict(self._facts[key]).items() if v not in (None, "") and k != "key"}
            if self._facts[key].low is not None:
                record |= {"beside": self._facts[key].beside(), "interval": self._facts[key].interval()}
            content[key] = record | ({"claim": self.quoted[key]} if key in self.quoted else {})
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _finite(value: Any) -> Any:
    """JSON has no infinity."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
