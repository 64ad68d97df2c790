"""When a scenario has been played long enough: conditions on the precision of its results.

::

    until: half_width(mean score) <= 0.01 at 95 %          # "≤" too; "at 95 %" may be left out
    until:                                                 # all of them
      - half_width(win rate, seat 0) <= 0.005              # one seat; without a seat: every seat
      - half_width(median score) <= 0.5
      - half_width(quantile 0.9 score) <= 1 at 99 %
      - half_width(difference score) <= 0.02               # every comparison of `pairs` with this column

Conditions are looked at after fixed numbers of games only (`schedule`), counted in the order of game indices, so that
the answer does not depend on timing or workers. The half-widths are those of repeated confidence intervals (see
`sim.stats.sequential`): each interval holds with its confidence over all looks together, so the one at the look where
a scenario stops can be trusted. Confidence is per interval, not over all seats and scenarios at once.

A scenario that a condition says nothing about (too few seats, nothing to compare it with) is not held up by it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sim.errors import SweepError, unknown
from sim.games.base import Field, Scenario
from sim.sweep.counting import Pair, Table
from sim.sweep.spec import EXAMPLE, Spec

if TYPE_CHECKING:
    from sim.stats import Estimate

# estimators are imported where they are used: most sweeps have no conditions, and scipy takes a second to load

#: games at the first look, and how many times as many at each further one
FIRST = 4096
FACTOR = 2

QUANTITIES = ("mean", "win rate", "median", "quantile", "difference")

#: least and greatest value; None: not known
Range = tuple[float | None, float | None]

#: of a column in a game, by (column,); of a difference, by (column, id of the scenario subtracted or "")
Limits = Mapping[tuple[str, ...], Range]

_NUMBER = r"[+-]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_OUTER = re.compile(rf"half_width\s*\((.*)\)\s*(?:<=|≤)\s*({_NUMBER})(?:\s*at\s*({_NUMBER})\s*%)?", re.I | re.S)
_SEAT = re.compile(r"(?:\s*,\s*|\s+)(?:of\s+)?seat\s+(\d+)$", re.I)
_ACCEPTED = (
    "half_width(QUANTITY COLUMN, seat N) <= NUMBER at CONFIDENCE %, seat and confidence optional, as in " + EXAMPLE
)


@dataclass(frozen=True)
class Condition:
    """A half-width that has to be reached.

    Attributes
    ----------
    quantity : str
        One of `QUANTITIES`; the median is a quantity of its own with `q` 0.5.
    q : float or None
        Which quantile.
    column : str
        ``win`` for the win rate.
    seat : int or None
        None for every seat.
    target : float
        Greatest half-width, in units of the column.
    confidence : float
        As a share, e.g. 0.95, over all looks together.
    """

    quantity: str
    q: float | None
    column: str
    seat: int | None
    target: float
    confidence: float

    def text(self) -> str:
        """The condition as it may be written in a sweep."""
        seat = "" if self.seat is None else f", seat {self.seat}"
        return f"half_width({self._what()}{seat}) <= {self.target:g} at {100 * self.confidence:g} %"

    def _what(self) -> str:
        if self.quantity == "win rate":
            return self.quantity
        return f"{self.quantity}{f' {self.q:g}' if self.quantity == 'quantile' else ''} {self.column}"

    def widths(self, tables: Table, level: float, limits: Limits | None = None) -> list[tuple[str, float, float]]:
        """What is known: (name, estimate, half-width) for every seat, or every comparison and seat, asked for.

        Parameters
        ----------
        tables : mapping
            Exact counts, ``counts`` and with comparisons ``differences``, as `ScenarioCounts.tables` gives them.
        level : float
            Two-sided level of the intervals at this look.
        limits : mapping, optional
            See `limits`. Without them, a mean of a value that hardly ever changes has no finite half-width.
        """
        found = []
        for name, key, values, counts in self._samples(tables):
            estimate = self._estimator(level, (limits or {}).get(key, (None, None)))(values, counts)
            found.append((name, estimate.value, estimate.half_width))
        return found

    def _samples(self, tables: Table) -> Iterator[tuple[str, tuple[str, ...], np.ndarray, np.ndarray]]:
        if self.quantity != "difference":
            table = tables["counts"]
            for seat in self._seats(table["seat"]):
                here = table["seat"] == seat
                yield f"{self._what()}, seat {seat}", (self.column,), table[self.column][here], table["count"][here]
            return
        if "differences" not in tables:
            return
        every = tables["differences"]
        table = {name: values[every["of"] == self.column] for name, values in every.items()}
        for pair, against in sorted(set(zip(table["pair"], table["against"], strict=True))):
            one = (table["pair"] == pair) & (table["against"] == against)
            for seat in self._seats(table["seat"][one]):
                here = one & (table["seat"] == seat)
                # a comparison of two seats is filed under the first of them, and its label names both
                name = f"{self._what()} ({pair})" + (f", seat {seat}" if against else "")
                yield name, (self.column, str(against)), table["difference"][here], table["count"][here]

    def _seats(self, column: np.ndarray) -> list[int]:
        return [seat for seat in np.unique(column).tolist() if self.seat in (None, seat)]

    def _estimator(self, level: float, limits: Range) -> Callable[[np.ndarray, np.ndarray], Estimate]:
        from sim.stats import early_mean, early_share, quantile

        if self.q is not None:
            return partial(quantile, p=self.q, level=level)
        if self.quantity == "win rate":
            return partial(early_share, level=level)
        return partial(early_mean, level=level, low=limits[0], high=limits[1])


def parse(text: str) -> Condition:
    """A condition from its text.

    Raises
    ------
    SweepError
        In one line: what was given, what is accepted.
    """
    outer = _OUTER.fullmatch(text.strip())
    if outer is None:
        raise _refused(text, _ACCEPTED)
    inner, target, confidence = outer[1].strip(), float(outer[2]), float(outer[3] or 95)
    if not (target > 0 and math.isfinite(target)):
        raise _refused(text, "a half-width greater than 0")
    if not 50 < confidence < 100:
        raise _refused(text, "a confidence between 50 % and 100 %")
    seat = _SEAT.search(inner)
    words = (inner[: seat.start()] if seat else inner).split()
    quantity = " ".join(words[:2]) if words[:2] == ["win", "rate"] else "".join(words[:1])
    if quantity not in QUANTITIES:
        raise SweepError(unknown("quantity in until", quantity or text, QUANTITIES))
    rest = words[len(quantity.split()) :]
    q = 0.5 if quantity == "median" else None
    if quantity == "quantile":
        if not rest or not re.fullmatch(_NUMBER, rest[0], re.I) or not 0 < float(rest[0]) < 1:
            raise _refused(text, "quantile Q COLUMN with Q between 0 and 1, as in quantile 0.9 score")
        q = float(rest.pop(0))
    if quantity == "win rate":
        rest = rest or ["win"]
        if rest != ["win"]:
            raise _refused(text, "win rate without a column: its column is win")
    share = round(confidence / 100, 12)  # 99.9 / 100 is not 0.999
    if len(rest) != 1:
        raise _refused(text, f"{quantity} and one column, as in {EXAMPLE}")
    return Condition(quantity, q, rest[0], None if seat is None else int(seat[1]), target, share)


def _refused(text: str, accepted: str) -> SweepError:
    return SweepError(f"until = {' '.join(text.split())!r} is not accepted; accepted: {accepted}")


def check(spec: Spec, by: Sequence[str], pairs: Sequence[Pair], seats: int) -> tuple[Condition, ...]:
    """The conditions of a sweep, checked against what it counts.

    Parameters
    ----------
    spec : Spec
    by : sequence of str
        Columns counted jointly.
    pairs : sequence of Pair
        All comparisons of all scenarios.
    seats : int
        The most seats of any scenario.

    Raises
    ------
    SweepError
    """
    for key, value in (("until", spec.until), ("minutes", spec.minutes)):
        if value is not None and spec.detail != "summary":
            raise SweepError(
                f"{key} with detail = {spec.detail} is not accepted; accepted: detail: summary, or only games"
            )
    texts = [spec.until] if isinstance(spec.until, str) else spec.until or []
    found = tuple(parse(text) for text in texts)
    for condition in found:
        compared = sorted({pair.of for pair in pairs})
        if condition.quantity == "difference":
            if not compared:
                raise _refused(condition.text(), "a difference in a sweep with pairs")
            if condition.column not in compared:
                raise SweepError(unknown("column in until", condition.column, compared))
        elif condition.column not in by:
            raise SweepError(unknown("column in until", condition.column, by) + " (the columns in by)")
        if condition.seat is not None and condition.seat >= seats:
            raise _refused(condition.text(), f"seats 0 to {seats - 1}" if seats > 1 else "seat 0")
    return found


def schedule(most: int) -> list[int]:
    """Numbers of games after which a scenario that may play `most` is looked at."""
    from sim.stats import looks

    return looks(FIRST, most, FACTOR)


def limits(scenario: Scenario, pairs: Sequence[Pair] = ()) -> Limits:
    """What values can occur in a scenario and in its comparisons, as far as the game knows."""
    mine = _ranges(scenario)
    found: dict[tuple[str, ...], Range] = {(name,): limit for name, limit in mine.items()}
    for pair in pairs:
        a, b = mine[pair.of], _ranges(pair.against or scenario)[pair.of]
        against = "" if pair.against is None else pair.against.id
        found[pair.of, against] = (_minus(a[0], b[1]), _minus(a[1], b[0]))
    return found


def _ranges(scenario: Scenario) -> dict[str, Range]:
    def one(field: Field) -> Range:
        return (field.low, field.high) if field.kind == "int" else (0.0, 1.0)

    return {f.name: one(f) for f in scenario.game.fields(scenario.rules, len(scenario.policies))}


def _minus(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b


def met(
    conditions: Sequence[Condition], tables: Table, looks: Sequence[int], k: int, limits: Limits | None = None
) -> bool:
    """Whether a scenario may stop at look `k`, counted from 0: every half-width that is asked for is reached.

    Parameters
    ----------
    conditions : sequence of Condition
        None at all are never met.
    tables : mapping
        Exact counts of the first ``looks[k]`` games, no more and no fewer.
    looks : sequence of int
        The whole schedule, also what has not been played: the levels depend on it.
    limits : mapping, optional
        See `limits`.
    """
    entries = reached(conditions, tables, looks, k, limits)
    return bool(conditions) and all(entry["met"] for entry in entries)


def reached(
    conditions: Sequence[Condition], tables: Table, looks: Sequence[int], k: int, limits: Limits | None = None
) -> list[dict[str, Any]]:
    """What a scenario knows at look `k`, as plain data for the manifest; parameters as in `met`.

    Returns
    -------
    list of dict
        ``condition`` (text), ``name`` (of the result), ``estimate``, ``half_width`` (None: no finite one yet),
        ``confidence`` (over all looks), ``level`` (of this look alone), ``look`` (from 1), ``looks``, ``games``,
        ``met``.
    """
    from sim.stats import look_level

    first = tables["counts"]["seat"] == tables["counts"]["seat"].min()
    games = int(tables["counts"]["count"][first].sum())
    if games != looks[k]:
        raise ValueError(f"counts of {games} games at look {k}, which is after {looks[k]}")
    found = []
    for condition in conditions:
        level = look_level(looks, 1 - condition.confidence)
        for name, estimate, half in condition.widths(tables, level, limits):
            found.append(
                {
                    "condition": condition.text(),
                    "name": name,
                    "estimate": estimate,
                    "half_width": half if math.isfinite(half) else None,
                    "confidence": condition.confidence,
                    "level": level,
                    "look": k + 1,
                    "looks": len(looks),
                    "games": games,
                    "met": half <= condition.target,
                }
            )
    return found
