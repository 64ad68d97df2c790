"""The tables about a designer's own sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sim.report import words
from sim.report.facts import Facts
from sim.report.grid import Grid
from sim.report.params import Params

#: rows that a table of the page shows
MOST = 60
_SIGNS = {"inside": "● inside", "outside": "○ outside", "not yet known": "◐ not yet known", "": ""}
_MATTERS = {"inside": "no", "outside": "yes", "not yet known": "not yet known", "": ""}


def _rest(count: int, file: str) -> str:
    return f" The first {MOST} of {count} rows; all are in tables/{file}.csv." if count > MOST else ""


def scenarios(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    """What each scenario was."""
    own = model["own"]["scenarios"]
    rows = [[str(r["number"]), r["policies"], r["rules"], f"{r['games']:,}", r["scenario"]] for r in own[:MOST]]
    note = "Policies are told by: sim policies GAME; rules by: sim rules GAME."
    return Grid(
        "The scenarios", ["no.", "who plays", "rules", "games", "id"], rows, note + _rest(len(own), "own_scenarios"),
        text_columns=3,
    )  # fmt: skip


def _seat(seat: int) -> str:
    return "all" if seat < 0 else words.seat(seat)


def _cells(facts: Facts, entry: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    return [facts.get(f"{entry['of']}.{name}").text for name in names]


def results(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    """What came out."""
    own = model["own"]["results"]
    rows = []
    for e in own[:MOST]:
        mean = facts.get(e["key"])
        rest = _cells(facts, e, ("sd", "p5", "p25", "p50", "p75", "p95"))
        rows.append([str(e["number"]), _seat(e["seat"]), mean.beside(), mean.interval(), *rest])
    head = ["no.", "seat", "mean", "interval", "spread", "1 in 20 below", "lower quarter", "middle", "upper quarter"]
    return Grid(
        f"What came out: {model['own']['column']}", [*head, "1 in 20 above"], rows,
        f"Spread is the standard deviation of single games.{_rest(len(own), 'own_results')}", text_columns=2,
    )  # fmt: skip


def more(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    """Whatever else was counted."""
    own = model["own"]["more"]
    rows = []
    for e in own[:MOST]:
        mean = facts.get(e["key"])
        told = [e["column"].replace("_", " "), str(e["number"]), _seat(e["seat"])]
        rows.append([*told, mean.beside(), mean.interval(), *_cells(facts, e, ("sd",))])
    return Grid(
        "What else was counted", ["what", "no.", "seat", "mean", "interval", "spread"], rows,
        f"Means per game.{_rest(len(own), 'own_more')}", text_columns=3,
    )  # fmt: skip


def seats(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    """Who wins from which seat."""
    own = model["own"]["seats"]
    rows = []
    for e in own[:MOST]:
        share, gap = facts.get(e["key"]), facts.get(e["gap"])
        verdict = _SIGNS[e["verdict"]] if e["mirror"] else "not of equals"
        rows.append([str(e["number"]), _seat(e["seat"]), share.beside(), share.interval(), gap.text, verdict])
    return Grid(
        "Shares of the wins by seat", ["no.", "seat", "wins", "interval", "minus fair", "target band"], rows,
        f"A shared win counts in parts. The band of {100 * params.seats.band:g} points around the fair share says "
        f"something about seats only where all play alike.{_rest(len(own), 'own_seats')}", text_columns=2,
    )  # fmt: skip


def changes(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    """Differences on the same dice."""
    own = model["own"]["changes"]
    rows = []
    for e in own[:MOST]:
        fact = facts.get(e["key"])
        parts = [words.number_of(float(facts.get(f"{e['key']}.{p}").value)) for p in ("better", "same", "worse")]
        spread = facts.get(f"{e['key']}.sd").text
        told = [str(e["number"]), e["against"], e["column"], _seat(e["seat"])]
        rows.append([*told, fact.beside(), fact.interval(), spread, *parts, _MATTERS[e["verdict"]]])
    head = ["no.", "against", "of", "seat", "difference", "interval", "spread", "higher", "same", "lower", "matters?"]
    return Grid(
        "Differences on the same dice", head, rows,
        "Higher, same, lower: games in 100. It matters where it is beyond the smallest difference of params.yaml."
        f"{_rest(len(own), 'own_changes')}", text_columns=4,
    )  # fmt: skip
