"""Numbers of a report once more from the stored counts, by plain arithmetic that shares nothing with `sim.analysis`.

A fact that names a sweep and a scenario is matched by its key; the rule says which counts to take and what to do with
them. Nothing of the report's code is used: counts come from the Parquet files, the rest is sums.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

Counts = dict[float, int]
Fact = Mapping[str, Any]


class Store:
    """Rows of the stored tables, as Python has them, by scenario."""

    def __init__(self, data: Path, seconds: float = 15) -> None:
        self.data, self.seconds = data, seconds
        self._rows: dict[tuple[str, str], dict[str, list[dict[str, Any]]]] = {}

    def rows(self, sweep: str, table: str, scenario: str) -> list[dict[str, Any]]:
        """Rows of one scenario."""
        if (sweep, table) not in self._rows:
            found: dict[str, list[dict[str, Any]]] = {}
            for path in sorted((self.data / sweep / table).rglob("*.parquet")):
                for row in pq.ParquetFile(path).read().to_pylist():
                    found.setdefault(row.get("scenario") or _scenario_of(path), []).append(row)
            self._rows[sweep, table] = found
        return self._rows[sweep, table].get(scenario, [])

    def alike(self, fact: Fact, policy: str) -> str:
        """The scenario of the same sweep and rules in which every seat has this policy."""
        listed = json.loads((self.data / fact["sweep"] / "manifest.json").read_text(encoding="utf-8"))["scenarios"]
        mine = next(e for e in listed if e["scenario"] == fact["scenario"])
        same = [e for e in listed if e["rules"] == mine["rules"] and len(e["policies"]) == len(mine["policies"])]
        return str(next(e["scenario"] for e in same if {p["text"] for p in e["policies"]} == {policy}))

    def counts(self, fact: Fact, column: str, **where: Any) -> Counts:
        """How many games had each value of a column."""
        return _tally(self.rows(fact["sweep"], "counts", fact["scenario"]), column, where)

    def differences(self, fact: Fact, of: str, seat: int = 0, between: bool = False, against: str = "") -> Counts:
        """How many pairs had each difference; between two scenarios, or between the seats of one."""
        rows = [r for r in self.rows(fact["sweep"], "differences", fact["scenario"]) if bool(r["against"]) != between]
        if against:
            rows = [r for r in rows if r["against"] == against]
        return _tally(rows, "difference", {"of": of, "seat": seat})


def _scenario_of(path: Path) -> str:
    return str(json.loads(pq.read_metadata(path).metadata[b"sim.provenance"])["scenario"])


def _tally(rows: list[dict[str, Any]], column: str, where: Mapping[str, Any]) -> Counts:
    found: Counts = {}
    for row in rows:
        if all(row[k] == v for k, v in where.items()):
            found[float(row[column])] = found.get(float(row[column]), 0) + int(row["count"])
    return found


def games(counts: Counts) -> int:
    return sum(counts.values())


def mean(counts: Counts) -> float:
    return math.fsum(v * c for v, c in counts.items()) / games(counts)


def sd(counts: Counts) -> float:
    centre = mean(counts)
    return math.sqrt(math.fsum((v - centre) ** 2 * c for v, c in counts.items()) / (games(counts) - 1))


def quantile(counts: Counts, p: float) -> float:
    """Smallest value that a share `p` of the games does not exceed."""
    seen = 0
    for value in sorted(counts):
        seen += counts[value]
        if seen >= p * games(counts) - 1e-9:
            return value
    raise AssertionError("no games")


def share(counts: Counts, where: Callable[[float], bool]) -> float:
    return sum(c for v, c in counts.items() if where(v)) / games(counts)


def best_of(counts: Counts, k: int) -> float:
    """Expected largest of `k` games drawn from those played, without putting back."""
    n, seen, total = games(counts), 0, Fraction(0)
    for value in sorted(counts):
        before, seen = seen, seen + counts[value]
        total += Fraction(value) * (math.comb(seen, k) - math.comb(before, k))
    return float(total / math.comb(n, k))


_SIGNS: dict[str, Callable[[float], bool]] = {
    "better": lambda d: d > 0,
    "same": lambda d: d == 0,
    "worse": lambda d: d < 0,
}


def _difference(d: Counts, part: str | None) -> float:
    if part is None:
        return mean(d)
    return sd(d) if part == "sd" else share(d, _SIGNS[part])


def _score(store: Store, fact: Fact, m: re.Match[str]) -> float:
    counts, what = store.counts(fact, "score", seat=0), m["what"]
    if what.startswith("best"):
        return best_of(counts, int(what[4:]))
    if what.startswith("p"):
        return quantile(counts, int(what[1:]) / 100)
    return {"mean": mean, "sd": sd, "n": games, "highest": max}[what](counts)


def _skill(store: Store, fact: Fact, m: re.Match[str]) -> float:
    """Against the child's habit: the pair whose other side is a scenario of its own with that policy."""
    d = store.differences(fact, "score", against=store.alike(fact, "child"))
    return mean(d) if m["gain"] else share(d, lambda x: x > 0) + share(d, lambda x: x == 0) / 2


def _changed(store: Store, fact: Fact, m: re.Match[str]) -> float:
    return _difference(store.differences(fact, "score"), m["part"])


def _length(store: Store, fact: Fact, m: re.Match[str]) -> float:
    turns, what = store.counts(fact, "turns", seat=0), m["what"]
    if what == "capped":
        return float(sum(c for v, c in turns.items() if v >= 10_000))
    value = {"mean": mean, "longest": max, "n": games}.get(what, lambda c: quantile(c, int(what[1:]) / 100))(turns)
    per = {"rounds": 1 / int(m["players"]), "minutes": store.seconds / 60, None: 1}
    return float(value * per[m["unit"]])


def _bedtime(store: Store, fact: Fact, m: re.Match[str]) -> float:
    turns = store.counts(fact, "turns", seat=0)
    return share(turns, lambda t: t * store.seconds <= 60 * float(m["minutes"]))


def _wins(store: Store, fact: Fact, seat: int) -> float:
    return mean(store.counts(fact, "win", seat=seat))


def _seat(store: Store, fact: Fact, m: re.Match[str]) -> float:
    return _wins(store, fact, int(m["seat"])) - (1 / int(m["players"]) if m["gap"] else 0)


def _tail(store: Store, fact: Fact, m: re.Match[str]) -> float:
    fruits = {r["start_fruit"] for r in store.rows(fact["sweep"], "counts", fact["scenario"])}
    shares = [mean(store.counts(fact, "win", start_fruit=f)) for f in fruits]
    return max(shares) if m["end"] == "best" else min(shares)


def _house(store: Store, fact: Fact, m: re.Match[str]) -> float:
    return mean(store.differences(fact, m["of"]))


def _odd(store: Store, fact: Fact, m: re.Match[str]) -> float:
    seat = int(m["seat"])
    if m["part"] is None:
        return _wins(store, fact, seat)
    alike = _wins(store, {**fact, "scenario": store.alike(fact, "match")}, seat)
    return alike if m["part"] == ".alike" else _wins(store, fact, seat) - alike


def _leader(store: Store, fact: Fact, m: re.Match[str]) -> float:
    wins = store.counts(fact, "win", seat=0)
    outcome = {"win": 1.0, "draw": 0.5, "loss": 0.0}
    if m["part"] in outcome:
        return share(wins, lambda w: w == outcome[m["part"]])
    return mean(wins) - (0.5 if m["part"] == "gap" else 0)


def _short(store: Store, fact: Fact, m: re.Match[str]) -> float:
    return mean(store.counts(fact, "court_short", seat=0))


def _own(store: Store, fact: Fact, m: re.Match[str]) -> float:
    what, seat = m["what"], 0 if m["seat"] == "all" else int(m["seat"])
    if m["column"] is None:
        players = {r["seat"] for r in store.rows(fact["sweep"], "counts", fact["scenario"])}
        return _wins(store, fact, seat) - (1 / len(players) if what.endswith("gap") else 0)
    counts = store.counts(fact, m["column"], seat=seat)
    return {"mean": mean, "sd": sd}.get(what, lambda c: quantile(c, int(what[1:]) / 100))(counts)


def _own_change(store: Store, fact: Fact, m: re.Match[str]) -> float:
    seat = 0 if m["seat"] == "all" else int(m["seat"])
    if not m["side"].isdigit():
        return _difference(store.differences(fact, m["of"], between=True), m["part"])
    listed = json.loads((store.data / fact["sweep"] / "manifest.json").read_text(encoding="utf-8"))["scenarios"]
    against = listed[int(m["side"]) - 1]["scenario"]
    return _difference(store.differences(fact, m["of"], seat, against=against), m["part"])


_LEVEL, _VIEW = r"(?P<level>beginner|intermediate|advanced|expert)", r"(?P<view>child|planner|best)"
_PART = r"(\.(?P<part>sd|better|same|worse))?"
#: pattern of the key → the number once more
RULES: tuple[tuple[str, Callable[[Store, Fact, re.Match[str]], float]], ...] = (
    (rf"caterpillars\.{_LEVEL}\.{_VIEW}\.(?P<what>mean|sd|n|highest|p\d+|best\d+)", _score),
    (rf"caterpillars\.{_LEVEL}\.skill(?P<gain>\.gain)?", _skill),
    (rf"caterpillars\.(setup|language)\.{_LEVEL}\.{_VIEW}{_PART}", _changed),
    (rf"caterpillars\.(reading|sheet)\..+\.{_LEVEL}\.{_VIEW}{_PART}", _changed),
    (
        r"karolinchen\.(?P<players>\d)\.(?P<what>mean|longest|n|capped|p\d+)(\.(?P<unit>rounds|minutes))?",
        _length,
    ),
    (r"karolinchen\.(?P<players>\d)\.within\.(?P<minutes>[\d.]+)", _bedtime),
    (r"karolinchen\.(?P<players>\d)\.seat(?P<seat>\d)(?P<gap>\.gap)?", _seat),
    (r"karolinchen\.\d\.tail\.(?P<end>best|worst)", _tail),
    (r"karolinchen\.(?P<players>\d)\.policy\.\w+", lambda s, f, m: quantile(s.counts(f, "turns", seat=0), 0.5)),
    (r"karolinchen\.house\..+\.(?P<of>turns|win)", _house),
    (r"karolinchen\.\d\.odd\.\w+\.(?P<seat>\d)(?P<part>\.change|\.alike)?", _odd),
    (r"parlett\.seat\..+?(\.(?P<part>gap|win|draw|loss))?", _leader),
    (r"parlett\.(alike|rule)\..+", lambda s, f, m: _wins(s, f, 0)),
    (r"parlett\.short\..+", _short),
    (r"own\.\d+\.(?P<seat>all|\d)\.change\.(?P<of>\w+)\.(?P<side>\d+|seat[-\d]+seat-\d)" + _PART, _own_change),
    (r"own\.\d+\.(?P<seat>all|\d)\.((?P<column>\w+)\.)?(?P<what>mean|sd|p\d+|share|share\.gap)", _own),
)

#: facts that name a scenario and are no estimate of it alone: how important a finding is, games until a verdict is
#: known, spreads without their noise, published minutes over a median, and how far the two ends of a sweep are apart
OTHERS = r"finding\..+|card\.\d+\.games|.*\.spread|.*\.fitting|own\.range"


def recount(register: Mapping[str, Fact], store: Store) -> Iterator[tuple[str, float | None]]:
    """Key and number once more, for every fact that names a sweep and a scenario; None where no rule knows it."""
    for key, fact in register.items():
        if "sweep" not in fact or "scenario" not in fact or re.fullmatch(OTHERS, key):
            continue
        rule = next(((m, how) for pattern, how in RULES if (m := re.fullmatch(pattern, key))), None)
        yield key, rule[1](store, fact, rule[0]) if rule else None


def wrong(register: Mapping[str, Fact], store: Store) -> dict[str, tuple[float, float | None]]:
    """Facts whose number is another one when counted again, with both numbers."""
    found = {}
    for key, again in recount(register, store):
        told = float(register[key]["value"])
        if again is None or not math.isclose(told, again, rel_tol=1e-9, abs_tol=1e-12):
            found[key] = (told, again)
    return found
