"""Exact counts of a scenario while it is played: joint values of columns, and paired differences on the same dice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.engine.counts import JointCounts
from sim.engine.simulate import blocks, map_blocks
from sim.errors import InputError, unknown, whole_number
from sim.games.base import Field, Playable, Scenario
from sim.store.columns import Arrays, counts, grouped
from sim.store.schema import SEAT, decode

Table = dict[str, Arrays]


@dataclass(frozen=True)
class Pair:
    """A comparison on the same dice.

    Seat `seats[0]` minus seat `seats[1]` of one game where `against` is None; else this scenario minus `against`,
    seat by seat for every seat in `seats`.
    """

    of: str
    seats: tuple[int, ...]
    label: str
    against: Scenario | None = None

    def identity(self) -> dict[str, Any]:
        """The comparison as plain data, for provenance."""
        other = None if self.against is None else self.against.id
        return {"of": self.of, "seats": list(self.seats), "against": other, "label": self.label}


def check_by(fields: Sequence[Field], by: Sequence[str] | str) -> tuple[str, ...]:
    """Names of columns to count jointly, checked against a game's fields."""
    names = [f.name for f in fields]
    if not isinstance(by, str | Sequence):
        raise InputError(f"by = {by!r} is not accepted; accepted: a list of columns: {', '.join(names)}")
    chosen = (by,) if isinstance(by, str) else tuple(by)
    if not chosen:
        raise InputError(f"by is empty; accepted: at least one of {', '.join(names)}")
    for name in chosen:
        if name not in names:
            raise InputError(unknown("column in by", name, names))
    if len(set(chosen)) < len(chosen):
        raise InputError(f"by = {', '.join(chosen)} names a column twice; accepted: each once")
    return chosen


def make_pairs(
    scenario: Scenario, fields: Sequence[Field], given: Mapping[str, Any], against: Scenario | None
) -> list[Pair]:
    """The comparisons that one entry of ``pairs`` stands for: one per column in ``of``.

    Parameters
    ----------
    scenario : Scenario
        The first side.
    fields : sequence of Field
    given : mapping
        ``{"of": name or names, "seats": [i, j]}`` within a game, or ``{"of": …, "against": …, "seats": [seats to
        compare]}``.
    against : Scenario or None
        The second side, already parsed.
    """
    accepted = ("of", "seats", "against", "label")
    for key in given:
        if key not in accepted:
            raise InputError(unknown("key in pairs", key, accepted))
    of = given.get("of", "score")
    count = len(scenario.policies)
    seats = given.get("seats")
    if against is None:
        if not isinstance(seats, list | tuple) or len(seats) != 2:
            raise InputError(f"seats = {seats!r} in pairs is not accepted; accepted: two seats, as [0, 1]")
        chosen = tuple(whole_number("seat in pairs", s, 0, count - 1) for s in seats)
        label = f"seat {chosen[0]} − seat {chosen[1]}"
    else:
        both = min(count, len(against.policies))
        if seats is None:
            if count != len(against.policies):
                raise InputError(
                    f"pairs compare {count} seats with {len(against.policies)}"
                    "; accepted: equal numbers, or seats: [those to compare]"
                )
            seats = range(count)
        chosen = tuple(whole_number("seat in pairs", s, 0, both - 1) for s in seats)
        label = "this − " + (against.label or against.id)
    names = [f.name for f in fields]
    result = []
    for name in [of] if isinstance(of, str) else list(of):
        if name not in names:
            raise InputError(unknown("column in pairs", name, names))
        result.append(Pair(name, chosen, str(given.get("label", label)), against))
    return result


class _Difference:
    """Counts of first minus second of one column."""

    def __init__(self, pair: Pair, mine: Playable, other: Playable) -> None:
        self.pair = pair
        index = [f.name for f in mine.fields].index(pair.of)
        self._row = index
        self._fields = (mine.fields[index], other.fields[index])
        self._seats = (mine.seats, other.seats)
        width = 1 if pair.against is None else len(pair.seats)
        a, b = self._fields
        self._joint = a.kind == "share"  # 1/k − 1/m is not a whole number: count (k, m) and subtract in the end
        if self._joint:
            self._keys: tuple[Field, ...] = (a, b)
        else:
            high = None if a.high is None or b.high is None else a.high - b.low
            low = 0 if b.high is None else a.low - b.high
            self._keys = (Field("difference", "Int64", "", "", low, high),)
        # distinct names, so that two columns of one name can be counted jointly
        named = [Field(str(i), f.dtype, "", "", f.low, f.high) for i, f in enumerate(self._keys)]
        self.counts = JointCounts(named, [f.name for f in named], width)

    def add(self, mine: np.ndarray, other: np.ndarray) -> None:
        a = mine[self._row].reshape(-1, self._seats[0])
        b = other[self._row].reshape(-1, self._seats[1])
        if self.pair.against is None:
            i, j = self.pair.seats
            a, b = a[:, i], b[:, j]
        else:
            seats = list(self.pair.seats)
            a, b = (a, b) if seats == list(range(a.shape[1])) == list(range(b.shape[1])) else (a[:, seats], b[:, seats])
        block = np.stack([a.ravel(), b.ravel()]) if self._joint else (a - b).reshape(1, -1)
        self.counts.add(block)

    def arrays(self) -> Arrays:
        table = self.counts.table()
        if self._joint:
            value = decode(self._fields[0], table[:, 1]) - decode(self._fields[1], table[:, 2])
        else:
            value = table[:, 1].astype(np.float64)
        seat = np.array(self.pair.seats, SEAT.numpy)[table[:, 0]]
        rows = value.size
        against = "" if self.pair.against is None else self.pair.against.id
        return {
            "pair": np.full(rows, self.pair.label, object),
            "of": np.full(rows, self.pair.of, object),
            "against": np.full(rows, against, object),
            "seat": seat,
            "difference": value + 0.0,
            "count": table[:, -1],
        }


class ScenarioCounts:
    """All counts of one scenario in one thread."""

    def __init__(
        self, playable: Playable, by: Sequence[str], pairs: Sequence[Pair], others: Mapping[str, Playable]
    ) -> None:
        names = [f.name for f in playable.fields]
        self._fields = [playable.fields[names.index(name)] for name in by]
        self.joint = JointCounts(playable.fields, by, playable.seats)
        self.differences = [_Difference(p, playable, others[p.against.id] if p.against else playable) for p in pairs]

    def add(self, mine: np.ndarray, outs: Mapping[str, np.ndarray]) -> None:
        """Count one block; `outs` holds the same games of the other scenarios, by scenario id."""
        self.joint.add(mine)
        for difference in self.differences:
            against = difference.pair.against
            difference.add(mine, mine if against is None else outs[against.id])

    def tables(self) -> Table:
        """Columns of the tables ``counts`` and, where there are pairs, ``differences``."""
        result = {"counts": counts(self.joint.table(), self._fields)}
        if self.differences:
            result["differences"] = grouped([d.arrays() for d in self.differences])
        return result


def total(parts: Sequence[Table]) -> Table:
    """The sum of several tables of counts."""
    return {name: grouped([part[name] for part in parts]) for name in parts[0]}


def play_counts(
    scenario: Scenario,
    *,
    seed: int,
    games: int,
    by: Sequence[str],
    pairs: Sequence[Pair] = (),
    workers: int = 1,
    first_game: int = 0,
    on_block: Callable[[int], None] | None = None,
) -> Table:
    """Joint counts, and counts of paired differences, as numpy columns by table name; what `summarise` frames."""
    others = {p.against.id: p.against for p in pairs if p.against is not None}
    everything = {scenario.id: scenario, **others}
    playables: dict[str, Playable] = {id: s.game.compile(s.rules, s.policies) for id, s in everything.items()}
    ids = list(playables)

    def consume(_first: int, _games: int, outs: list[np.ndarray], state: ScenarioCounts) -> None:
        state.add(outs[0], dict(zip(ids, outs, strict=True)))

    states = map_blocks(
        list(playables.values()),
        seed,
        blocks(first_game, games),
        consume,
        workers=workers,
        local=lambda: ScenarioCounts(playables[scenario.id], by, pairs, playables),
        on_block=on_block,
    )
    return total([state.tables() for state in states])
