"""What the questions about better rules look at: gains of proposals that fresh games confirmed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from sim.report import names
from sim.report.facts import Facts
from sim.report.findings_base import Candidate
from sim.report.params import Params

Model = Mapping[str, Any]


def _gains(entries: list[Model]) -> Iterator[Candidate]:
    for entry in entries:
        if entry["proposed"] and entry["confirmed"]:
            # times to finish by belong to one question, whichever rule says by when
            kind = "bedtime" if entry["kind"] == "published" else entry["kind"]
            least, told = entry["smallest"], f"{names.gained(entry)}, on fresh {'cards' if kind == 'seats' else 'dice'}"
            told = told[:1].upper() + told[1:]
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
