"""Numbers about proposals and restricted play once more from the stored counts, as `tests/recount.py` does.

A proposal's fact names the scenario of the fresh games under the proposed rule; the printed rules' scenario is its twin
in the same sweep.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from recount import Counts, Fact, Store, mean, sd, share
from recount_several import superiority

Register = Mapping[str, Fact]
Entry = Mapping[str, Any]
PARAMS: Mapping[str, Any] = yaml.safe_load(
    (Path(__file__).resolve().parent.parent / "params.yaml").read_text(encoding="utf-8")
)


class Sweep:
    """Scenarios of one sweep, to be found by what was played."""

    def __init__(self, store: Store, name: str) -> None:
        self.store, self.name = store, name
        text = (store.data / name / "manifest.json").read_text(encoding="utf-8")
        self.entries: list[Entry] = json.loads(text)["scenarios"]

    def entry(self, scenario: str) -> Entry:
        return next(e for e in self.entries if e["scenario"] == scenario)

    def like(self, entry: Entry, *, policies: list[str] | None = None, rule: bool = True, **rules: Any) -> Entry:
        """The one scenario that differs from `entry` in what is named; ``rule=False``: under the printed rules."""
        wanted = policies or [p["text"] for p in entry["policies"]]
        level = entry["rules"].get("level")
        found = [
            e
            for e in self.entries
            if [p["text"] for p in e["policies"]] == wanted
            and ((e["factor"], e["value"]) == (entry["factor"], entry["value"]) if rule else not e["factor"])
            and e["rules"].get("level") == rules.get("level", level)
        ]
        assert len({e["scenario"] for e in found}) == 1, (self.name, wanted, rules, len(found))
        return found[0]

    def counts(self, entry: Entry, column: str, **where: Any) -> Counts:
        return self.store.counts({"sweep": self.name, "scenario": entry["scenario"]}, column, **where)

    def change(self, entry: Entry, of: str) -> Counts:
        return self.store.differences({"sweep": self.name, "scenario": entry["scenario"]}, of)


def _of(store: Store, fact: Fact) -> tuple[Sweep, Entry]:
    sweep = Sweep(store, fact["sweep"])
    return sweep, sweep.entry(fact["scenario"])


def _three(m: re.Match[str], value: Callable[[bool], float]) -> float:
    """With the rule, as printed (``.base``), or the gain of one over the other; smaller is better for departures."""
    if m["part"] == ".gain":
        sign = -1 if "tails" in m[0] or "seats" in m[0] else 1
        return sign * (value(True) - value(False))
    return value(m["part"] is None)


def _bedtime(register: Register, store: Store, key: str, m: re.Match[str]) -> float:
    sweep, entry = _of(store, register[key])
    limit = 60 * float(m["minutes"])

    def value(rule: bool) -> float:
        turns = sweep.counts(sweep.like(entry, rule=rule), "turns", seat=0)
        return share(turns, lambda t: t * store.seconds <= limit)

    return _three(m, value)


def _departures(sweep: Sweep, entry: Entry) -> list[float]:
    players = int(entry["seats"])
    return [mean(sweep.counts(entry, "win", seat=s)) - 1 / players for s in range(players)]


def _fair(register: Register, store: Store, key: str, m: re.Match[str]) -> float:
    sweep, entry = _of(store, register[key])
    line_ups = [[policy] * int(entry["seats"]) for policy in PARAMS["proposals"][m["kind"]]["policies"]]

    def value(rule: bool) -> float:
        played = [sweep.like(entry, policies=policies, rule=rule) for policies in line_ups]
        return max(abs(d) for e in played for d in _departures(sweep, e))

    return _three(m, value)


def _first(register: Register, store: Store, key: str, m: re.Match[str]) -> float:
    sweep, entry = _of(store, register[key])
    assert bool(entry["factor"]) == (m["which"] == "changed")
    if m["what"] == "first":
        return mean(sweep.counts(entry, "win", seat=0))
    return max(_departures(sweep, entry), key=abs)


def _paired(register: Register, store: Store, key: str, m: re.Match[str]) -> float:
    sweep, entry = _of(store, register[key])
    return mean(sweep.change(entry, m["of"]))


def _setup(register: Register, store: Store, key: str, m: re.Match[str]) -> float:
    """How much more the rule gives the best program than a player who picks at random."""
    sweep, entry = _of(store, register[key])
    floor = sweep.like(entry, policies=["random"])
    return 0.0 if m["part"] == ".base" else mean(sweep.change(entry, "score")) - mean(sweep.change(floor, "score"))


def _size(sweep: Sweep, low: Entry, high: Entry, measure: str) -> float:
    """A step between two scenarios of different levels."""
    lower, higher = sweep.counts(low, "score", seat=0), sweep.counts(high, "score", seat=0)
    if measure == "chance":
        return superiority(higher, lower)
    if measure == "spread":
        return sd(higher) - sd(lower)
    step = mean(higher) - mean(lower)
    if measure == "choice":
        floors = [mean(sweep.counts(sweep.like(e, policies=["random"]), "score", seat=0)) for e in (low, high)]
        step -= floors[1] - floors[0]
    return step


def _step(register: Register, store: Store, key: str, m: re.Match[str]) -> float:
    sweep, entry = _of(store, register[key])
    below = sweep.like(entry, policies=[p["text"] for p in entry["policies"]], rule=False, level=m["lower"])
    return _three(m, lambda rule: _size(sweep, below, sweep.like(entry, rule=rule), m["measure"]))


def _next(register: Register, store: Store, key: str, m: re.Match[str]) -> float:
    """The step that follows, from the level with the rule or without."""
    fact = register[key]
    sweep, top = _of(store, fact)
    changed = sweep.entry(register[key.split(".next")[0]]["scenario"])
    return _size(sweep, changed if m["which"] == "changed" else sweep.like(changed, rule=False), top, m["measure"])


def _level_price(register: Register, store: Store, key: str, m: re.Match[str]) -> float:
    sweep, entry = _of(store, register[key])
    if m["what"] == "spread":
        pair = [sd(sweep.counts(e, "score", seat=0)) for e in (entry, sweep.like(entry, rule=False))]
        return pair[0] - pair[1]
    return mean(sweep.change(entry, "score")) - mean(sweep.change(sweep.like(entry, policies=["random"]), "score"))


def _points(register: Register, store: Store, key: str, m: re.Match[str]) -> float:
    """The leader's share where the points of the compensation are given; a draw counts half."""
    told = register[f"better.points.{m['policy']}.fairest"]
    differences = store.differences(
        {"sweep": register[key]["sweep"], "scenario": told["scenario"]}, "score", between=True
    )
    given = {"without": None, "with": ".advised", "fresh": ".advised"}[m["part"]]
    points = 0.0 if given is None else float(register[f"better.points.{m['policy']}{given}"]["value"])
    return share(differences, lambda d: d + points > 0) + share(differences, lambda d: d + points == 0) / 2


def _restricted(register: Register, store: Store, key: str, m: re.Match[str]) -> float:
    """Against the same policy unrestricted, in every seat."""
    _, entry = _of(store, register[key])
    others = {pair["label"]: pair["against"] for pair in entry["pairs"]}
    plain = others.get(f"this − {m['policy']}") or others[f"this − {m['policy']} ×2"]
    seat = int(m.groupdict().get("seat") or 0)
    return mean(store.differences(register[key], "win" if "courts" in key else "score", seat, against=plain))


_Q = r"better\.(?:bedtime|published|tails|seats|setup|step)(?:\.[^.]+)*?"
_PART = r"(?P<part>\.base|\.gain)?"
_STEP = r"better\.step\.(?P<lower>[a-z]+)-[a-z]+\.\w+\.(?P<measure>score|spread|choice|chance)"
RULES: tuple[tuple[str, Callable[[Register, Store, str, re.Match[str]], float]], ...] = (
    (rf"better\.(bedtime|published)\.\d\.(?P<minutes>[\d.]+?){_PART}", _bedtime),
    (r"better\.dial\.\d\.(?P<minutes>[\d.]+)(?P<part>\.none)?", _bedtime),
    (rf"better\.(?P<kind>tails|seats)(\.\d)?{_PART}", _fair),
    (rf"{_Q}\.(?P<what>first|worst)\.(?P<which>printed|changed)\..+", _first),
    (rf"better\.setup{_PART}", _setup),
    (rf"{_STEP}{_PART}", _step),
    (rf"{_Q}\.(?P<of>turns|win|zeros|cards_played|score)\.[^.]+", _paired),
    (rf"{_STEP}\.next\.(?P<which>printed|changed)\..+", _next),
    (rf"{_STEP}\.(?P<what>spread|choice)\.[^.]+", _level_price),
    (r"better\.points\.(?P<policy>.+)\.(?P<part>with|without|fresh)", _points),
    (r"caterpillars\.restricted\.\w+\.(?P<policy>\w+)\.\w+", _restricted),
    (r"parlett\.courts\.(?P<policy>\w+)\.(?P<seat>\d)\.\w+", _restricted),
)


def recount(register: Register, store: Store) -> Iterator[tuple[str, float]]:
    """Key and number once more, for every fact that one of the rules knows."""
    for key, fact in register.items():
        if "sweep" not in fact or not (store.data / fact["sweep"] / "manifest.json").is_file():
            continue
        for pattern, how in RULES:
            if m := re.fullmatch(pattern, key):
                yield key, how(register, store, key, m)
                break
