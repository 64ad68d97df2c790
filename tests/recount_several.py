"""Numbers of a report that come from several scenarios together, once more from the stored counts.

As `tests/recount.py`, for facts that name a sweep but no scenario: steps from level to level, duels over both seats,
and thresholds for holding court cards. The scenarios are found in the manifest by their rules and policies.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from recount import Counts, Fact, Store, games, mean, sd

Register = Mapping[str, Fact]


def scenario(store: Store, sweep: str, policies: list[str], **rules: Any) -> dict[str, str]:
    """Sweep and scenario with these policies seat by seat, under the sweep's default rules but for `rules`."""
    listed = json.loads((store.data / sweep / "manifest.json").read_text(encoding="utf-8"))["scenarios"]
    default = listed[0]["rules"] | rules
    found = [e["scenario"] for e in listed if e["rules"] == default and [p["text"] for p in e["policies"]] == policies]
    assert len(found) == 1, (sweep, policies, rules, found)
    return {"sweep": sweep, "scenario": found[0]}


def superiority(a: Counts, b: Counts) -> float:
    """Chance that a game of `a` has more than one of `b`, ties half."""
    total = 0.0
    for x, n in a.items():
        total += n * (sum(m for y, m in b.items() if y < x) + sum(m for y, m in b.items() if y == x) / 2)
    return total / games(a) / games(b)


def _step(register: Register, store: Store, key: str, m: re.Match[str]) -> float:
    sweep = register[key]["sweep"]

    def scores(level: str, policy: str) -> Counts:
        return store.counts(scenario(store, sweep, [policy], level=level), "score", seat=0)

    played = [str(register[f"caterpillars.{m[end]}.{m['view']}.policy"]["value"]) for end in ("lower", "higher")]
    lower, higher = scores(m["lower"], played[0]), scores(m["higher"], played[1])
    if m["measure"] == "score":
        return mean(higher) - mean(lower)
    if m["measure"] == "spread":
        return sd(higher) - sd(lower)
    if m["measure"] == "chance":
        return superiority(higher, lower)
    floors = [mean(scores(m[end], "random")) for end in ("lower", "higher")]
    return mean(higher) - floors[1] - mean(lower) + floors[0]


def _over_both_seats(store: Store, sweep: str, column: str, policy: str, opponent: str) -> float:
    first = store.counts(scenario(store, sweep, [policy, opponent]), column, seat=0)
    second = store.counts(scenario(store, sweep, [opponent, policy]), column, seat=1)
    return (mean(first) + mean(second)) / 2


def _duel(register: Register, store: Store, key: str, m: re.Match[str]) -> float:
    return _over_both_seats(store, register[key]["sweep"], "win", m["policy"], m["opponent"])


def _hold(register: Register, store: Store, key: str, m: re.Match[str]) -> float:
    sweep, name = register[key]["sweep"], str(register["parlett.hold.policy"]["value"])
    told = float(register[f"parlett.hold.{m['opponent']}.{m['end']}.threshold"]["value"])
    listed = json.loads((store.data / sweep / "manifest.json").read_text(encoding="utf-8"))["scenarios"]
    texts = {p["text"]: float(p["parameters"]["threshold"]) for e in listed for p in e["policies"] if p["id"] == name}
    shares = {}
    for text, threshold in texts.items():
        if any([p["text"] for p in e["policies"]] == [text, m["opponent"]] for e in listed):
            shares[threshold] = _over_both_seats(store, sweep, "win", text, m["opponent"])
    wanted = (max if m["end"] == "best" else min)(shares.values())
    if m["part"] == ".threshold":
        return told if shares[told] == wanted else math.nan
    if told not in shares:
        return math.nan
    text = next(t for t, threshold in texts.items() if threshold == told)
    return wanted if m["part"] is None else _over_both_seats(store, sweep, "score", text, m["opponent"])


_ENDS = r"(?P<lower>\w+)-(?P<higher>\w+)\.(?P<view>\w+)\.(?P<measure>score|spread|choice|chance)"
RULES: tuple[tuple[str, Callable[[Register, Store, str, re.Match[str]], float]], ...] = (
    (rf"caterpillars\.step\.{_ENDS}", _step),
    (r"(karolinchen|parlett)\.duel\.(?P<policy>[^.]+)\.(?P<opponent>[^.]+)", _duel),
    (r"parlett\.hold\.(?P<opponent>[^.]+)\.(?P<end>best|worst)(?P<part>\.threshold|\.score)?", _hold),
)


def recount(register: Register, store: Store) -> Iterator[tuple[str, float]]:
    """Key and number once more, for every fact that one of the rules knows."""
    for key in register:
        for pattern, how in RULES:
            if m := re.fullmatch(pattern, key):
                yield key, how(register, store, key, m)


def wrong(register: Register, store: Store) -> dict[str, tuple[float, float]]:
    """Facts whose number is another one when counted again, with both numbers."""
    return differing(register, dict(recount(register, store)))


def differing(register: Register, again: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """Facts whose number is not the one that was counted again, with both numbers."""
    return {
        key: (float(register[key]["value"]), number)
        for key, number in again.items()
        if not math.isclose(float(register[key]["value"]), number, rel_tol=1e-9, abs_tol=1e-9)
    }
