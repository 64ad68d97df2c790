"""What the questions about a designer's own sweep look at."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sim.report import words
from sim.report.facts import Facts
from sim.report.findings_base import Candidate
from sim.report.own_tables import smallest
from sim.report.params import Params

Model = Mapping[str, Any]


def _slug(text: str) -> str:
    return re.sub(r"\W+", "-", text).strip("-")


def results(facts: Facts, model: Model, params: Params) -> Iterator[Candidate]:
    """How far the scenarios are apart."""
    mine = model["own"]
    unit = smallest(params, mine["sweep"]["game"], mine["lowest"]["column"])
    if "own.range" in facts and unit is not None:
        low, high = mine["range"]["low"], mine["range"]["high"]
        told = f"no two scenarios are farther apart: the mean {mine['column']} of {high['place']} is above "
        told += f"that of {low['place']}"
        topic = f"how far the means of {high['place']} and {low['place']} are apart"
        question = "own.range" if low["rules"] != high["rules"] else "own.players.range"
        yield Candidate(question, "own.range", topic, told, "", -math.inf, unit, unit, "own_results")


def seats(facts: Facts, model: Model, params: Params) -> Iterator[Candidate]:
    """Seats of equals against the band; of others against the fair share."""
    win = params.smallest.win
    for entry in model["own"]["seats"]:
        alike, place = (
            entry["mirror"],
            f"the {words.seat(entry['seat'])} seat of no. {entry['number']} ({entry['told']})",
        )
        where = place if alike else f"{entry['player']} in {place}"
        band = params.seats.band if alike else win
        than = "is fair" if alike else "among equals"
        above, below = (f"{where} wins {w} often than {than}" for w in ("more", "less"))
        question = f"own.seats.{_slug(entry['rules'])}" if alike else "own.players"
        yield Candidate(question, entry["gap"], f"the share of {where}", above, below, -band, band, win, "own_seats")


def changes(facts: Facts, model: Model, params: Params) -> Iterator[Candidate]:
    """Paired differences of what has a smallest difference that matters."""
    for entry in model["own"]["changes"]:
        least = entry["least"]
        if least is not None:
            topic = f"the {entry['column']} of {entry['told']}"
            above, below = (f"{topic} is {w}" for w in ("higher", "lower"))
            # one line for every set of rules: who plays them is not another question
            kind = "own.seats" if entry["alike"] else "own.players" if entry["same_rules"] else "own"
            question = f"{kind}.{entry['of']}.{_slug(entry['rules'])}"
            yield Candidate(question, entry["key"], topic, above, below, -least, least, least, "own_changes")
