"""What the questions about better rules look at: gains of proposals that fresh games confirmed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from sim.report.facts import Facts
from sim.report.findings_base import Candidate
from sim.report.names import VIEWS
from sim.report.params import Params

Model = Mapping[str, Any]


def _told(entry: Model) -> str:
    """What the proposed rule makes better, in words."""
    if entry["kind"] == "setup":
        return f"The set-up variation makes choosing worth more at {entry['at']}, on fresh dice"
    rule, players = f'"{entry["told"]}"', entry["players"]
    if entry["kind"] == "step":
        step, who = f"the step from {entry['lower']} to {entry['higher']}", VIEWS.get(entry["view"], entry["view"])
        return f"{rule} makes {step} larger in {entry['what']} for {who}, on fresh dice"
    if entry["kind"] in ("bedtime", "published"):
        return f"{rule} lets more games with {players} players end within {entry['minutes']:g} minutes, on fresh dice"
    whose = "both seats" if entry["kind"] == "seats" else f"all {players} seats"
    return f"{rule} makes {whose} fairer, whoever plays, on fresh {'cards' if entry['kind'] == 'seats' else 'dice'}"


def _gains(entries: list[Model]) -> Iterator[Candidate]:
    for entry in entries:
        if entry["proposed"] and entry["confirmed"]:
            # times to finish by belong to one question, whichever rule says by when
            kind = "bedtime" if entry["kind"] == "published" else entry["kind"]
            least, told = entry["smallest"], _told(entry)
            figure = {"bedtime": "dial", "seats": "compensation"}.get(kind, "")
            yield Candidate(f"better.{kind}", f"{entry['key']}.gain", told, told, "", -math.inf, least, least, figure)


def levels(facts: Facts, model: Model, params: Params) -> Iterator[Candidate]:
    """Rules that make a step of Caterpillars larger, and the set-up variation."""
    return _gains(model["caterpillars"]["better"])


def karolinchen(facts: Facts, model: Model, params: Params) -> Iterator[Candidate]:
    """Rules that end Karolinchen sooner, and rules for fair seats."""
    return _gains(model["karolinchen"]["better"])


def parlett(facts: Facts, model: Model, params: Params) -> Iterator[Candidate]:
    """Rules for fair seats in Parlett's game."""
    return _gains(model["parlett"]["better"])
