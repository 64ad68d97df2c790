"""What the questions about Karolinchen and Parlett's Caterpillar look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.report import words
from sim.report.facts import Facts
from sim.report.findings_base import Candidate
from sim.report.names import GAME_NAMES
from sim.report.params import Params

Model = Mapping[str, Any]


def karolinchen(facts: Facts, model: Model, params: Params) -> Iterator[Candidate]:
    """Length against the published one, seats, readings, and playing differently."""
    mine, win, turns = model["karolinchen"], params.smallest.win, params.smallest.turns
    low, high = params.karolinchen.published_minutes
    minute = turns * params.karolinchen.seconds_per_turn / 60
    for k in mine["players"]:
        above, below = (f"A middling game with {k} players is {w} than published" for w in ("longer", "shorter"))
        topic = f"the length of a middling game with {k} players against the published one"
        yield Candidate("length", f"karolinchen.{k}.p50.minutes", topic, above, below, low, high, minute, "survival")
    for entry in mine["seats"]:
        for seat in range(entry["players"]):
            who, k = f"the {words.seat(seat)} player", entry["players"]
            above, below = (f"With {k} players {who} wins {w} often than is fair" for w in ("more", "less"))
            topic, key = f"the share of {who} with {k} players", f"karolinchen.{k}.seat{seat}.gap"
            yield Candidate("seats", key, topic, above, below, -params.seats.band, params.seats.band, win, "seats")
    for entry in mine["house"]:
        rule, k = f'"{entry["told"]}"', entry["players"]
        figure = "house" if entry["reading"] else ""
        kind = "house" if entry["reading"] else "fruits"
        above, below = (f"{rule} makes games with {k} players {w}" for w in ("longer", "shorter"))
        topic = f"the length of games with {k} players under {rule}"
        yield Candidate(f"{kind}.turns", entry["turns"], topic, above, below, -turns, turns, turns, figure)
        above, below = (f"{rule} {w} the first of {k} players" for w in ("favours", "harms"))
        topic = f"the share of the first of {k} players under {rule}"
        yield Candidate(f"{kind}.win", entry["win"], topic, above, below, -win, win, win)
    for entry in mine["odd"]:
        alone = f"playing {entry['policy']} among {entry['seats'] - 1} who play {entry['others']}"
        above, below = (f"{alone[:1].upper()}{alone[1:]} {w}" for w in ("pays", "costs wins"))
        yield Candidate("odd", f"{entry['key']}.change", alone, above, below, -win, win, win)


def decided(facts: Facts, model: Model, params: Params) -> Iterator[Candidate]:
    """For how much of its turns a game is open."""
    given = params.decided
    for entry in model["karolinchen"]["decided"]["watched"]:
        level = f" at {entry['level']}" if entry["level"] else ""
        game = f"{GAME_NAMES[entry['game']]}{level} with {entry['players']} players"
        yield Candidate(
            "decided", f"{entry['key']}.share", f"for how much of its turns {game} is open", "",
            f"{game} is decided too early", given.enough, 1.0, given.least,
        )  # fmt: skip


def parlett(facts: Facts, model: Model, params: Params) -> Iterator[Candidate]:
    """Who leads, other rules, holding courts, and who beats whom."""
    mine, win, band = model["parlett"], params.smallest.win, params.seats.band
    for entry in mine["seats"]:
        above, below = (f"The player who {w} has the better seat when both play {entry['policy']}" for w in _SIDES)
        topic = f"the leader's share when both play {entry['policy']}"
        yield Candidate("leader", f"{entry['key']}.gap", topic, above, below, -band, band, win, "leader")
    for rule in mine["rules"]:
        for entry in rule["keys"]:
            told = f'under "{rule["told"]}" when both play {entry["policy"]}'
            above, below = (f"The player who {w} has the better seat {told}" for w in _SIDES)
            topic = f"the leader's share {told}"
            yield Candidate("card_rules", entry["key"], topic, above, below, 0.5 - band, 0.5 + band, win, "card_rules")
    for entry in mine["hold"]:
        told = f"the right moment to play courts against {entry['opponent']}"
        yield Candidate(
            "hold", f"parlett.hold.{entry['opponent']}.gain", told, f"{told[:1].upper()}{told[1:]} matters", "", -win,
            win, win, "hold",
        )  # fmt: skip
    for entry in mine["duels"]:
        if entry["opponent"] == params.parlett.policy:
            told = f"{entry['policy']} against {entry['opponent']}"
            above, below = (f"{entry['policy']} {w} {entry['opponent']}" for w in ("beats", "loses to"))
            yield Candidate("strength", entry["key"], told, above, below, 0.5 - win, 0.5 + win, win, "strength")


_SIDES = ("leads", "deals")
