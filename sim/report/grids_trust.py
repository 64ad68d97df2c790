"""The tables about how far the report is to be trusted: the dispute card, and its own false alarms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.report.facts import Facts
from sim.report.grid import Grid
from sim.report.params import Params


def card(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    """One line for each main question: settled verdicts, what is open, and how many games would settle it."""
    rows = []
    for entry in model["card"]:
        key = entry["key"]
        shows = f"{facts.get(f'{key}.shows').text} {entry['unit']}"
        settled = f"{facts.get(f'{key}.settled').text} of {facts.get(f'{key}.count').text}"
        if entry["open"]:
            games = facts.get(f"{key}.games").text
            rows.append([entry["topic"], settled, shows, entry["open"], games])
        else:
            rows.append([entry["topic"], settled, shows, "nothing is open", ""])
    return Grid(
        "What this sample can show, and what it cannot",
        [
            "question",
            "settled",
            "it shows what is farther from its limit than",
            "not yet known (the nearest to settle)",
            "games",
        ],
        rows,
        "Games of each scenario after which that verdict should be known if the value stays where it is.",
        text_columns=4,
    )  # fmt: skip


def alarms(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    """Families of claims, and how often each alarms where nothing differs."""
    rows = []
    for entry in model["trust"]["alarms"]:
        rate = facts.get(f"{entry['key']}.rate")
        counts = [facts.get(f"{entry['key']}.{name}").text for name in ("claims", "held")]
        rows.append([entry["told"], *counts, rate.beside(), rate.interval()])
    return Grid(
        "Claims that something differs, by family",
        ["family", "claims", "hold", "false alarms in A/A runs", "interval"],
        rows,
        f"Holm's adjustment, level {facts.get('alarms.alpha').text} in 100 for each family. Whether a difference "
        "matters is another question: see the findings.",
    )
