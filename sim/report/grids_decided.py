"""Tables about when games are decided: comebacks against their bound, every game and number of players, ties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.report import words
from sim.report.facts import Facts
from sim.report.grid import Grid
from sim.report.grids_proposals import SIGNS
from sim.report.names import GAME_NAMES
from sim.report.params import Params

#: what a verdict says of the chances
_TOLD = {
    "inside": "not above the bound",
    "outside": "above it: the chances are wrong",
    "not yet known": "not yet known",
}


def comebacks(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    """Games whose winner had been at a low chance, by that chance."""
    rows = []
    for e in model["karolinchen"]["decided"]["comebacks"]:
        fact = facts.get(e["key"])
        bound, chance = (facts.get(f"{e['key']}.{name}").text for name in ("bound", "chance"))
        rows.append([chance, fact.beside(), fact.interval(), bound, f"{SIGNS[e['verdict']]} {_TOLD[e['verdict']]}"])
    return Grid(
        "Comebacks, two players, perfect play",
        ["the winner once had at most", "games", "interval, in 100", "bound", "finding"],
        rows,
        f"Of {facts.get('karolinchen.decided.n').text} games. Bound: the chance p divided by 1 − p.",
    )


def watched(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    """Every game and number of players: how long it is open, and whether there is a way back."""
    rows = []
    for e in model["karolinchen"]["decided"]["watched"]:
        share, left, last, back, shared = (
            facts.get(f"{e['key']}.{name}") for name in ("share", "left", "last", "comeback", "shared")
        )
        level = f", {e['level']}" if e["level"] else ""
        how = f"{e['players']}\N{NO-BREAK SPACE}× {e['policy'].partition('(')[0]}"
        how += "" if e["playouts"] else ", exact"
        bound = facts.get(f"{e['key']}.bound")
        rows.append(
            [
                f"{GAME_NAMES[e['game']]}{level}",
                how,
                *(f"{fact.beside().removesuffix(' in 100')} ({fact.interval()})" for fact in (share, left, last)),
                f"{back.beside().removesuffix(' in 100')} ({back.interval()})",
                words.decimals(100 * float(bound.value), 1),
                f"{shared.beside().removesuffix(' in 100')} ({shared.interval()})",
                facts.get(f"{e['key']}.n").text,
            ]
        )
    return Grid(
        "How long a game stays open, by game and number of players",
        [
            "game",
            "players",
            "open for, of its turns, in 100",
            "turns left once decided",
            "open to the last turn, games in 100",
            f"winner once at {facts.get('decided.comeback').text} or less, games in 100",
            "and at most, if chances are right",
            "win shared, games in 100",
            "games",
        ],
        rows,
        f"A turn is a round of Caterpillars, a turn of Karolinchen, a card of Parlett's game. Chances from "
        f"{facts.get('decided.playouts').text} play-outs of every position, but where exact. Right chances p allow at "
        "most (k − 1) p / (1 − p) ways back with k players.",
        text_columns=2,
        tight=True,
    )  # fmt: skip


def ties(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    """Shared highest scores by level and number of players."""
    own, rows = model["caterpillars"]["ties"], []
    for players in own["players"]:
        cells = []
        for level in own["levels"]:
            key = own["keys"][level, players]
            tied, broken = (facts.get(f"{key}.{name}") for name in ("tied", "broken"))
            told = [words.games_in_hundred(float(fact.value)) for fact in (tied, broken)]
            cells.append(f"{told[0]} ({told[1]})")
        rows.append([f"{players} players", *cells])
    return Grid(
        "Ties, games in 100; in brackets those that the tie-break decides",
        ["", *own["levels"]],
        rows,
        f"{facts.get('ties.n').text} games a cell, all seats {facts.get('ties.policy').text}, intervals of at most "
        f"± {facts.get('ties.widest').text}. Tie-break: the larger sum of all boxes; where that is equal, too, the win "
        "is shared.",
    )
