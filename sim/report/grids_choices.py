"""Tables of the page about choices: restricted play, courts, skill and luck, decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.report import words
from sim.report.facts import Facts
from sim.report.grid import Grid
from sim.report.names import GAME_NAMES, VIEWS
from sim.report.params import Params

Model = Mapping[str, Any]


def _share(facts: Facts, key: str) -> str:
    """A share in hundredths, for a cell."""
    return words.games_in_hundred(float(facts.get(key).value))


def restricted(facts: Facts, model: Model, params: Params) -> Grid:
    """Every restriction, by level and player."""
    entries = model["caterpillars"]["restricted"]["rows"]
    columns = list(dict.fromkeys((e["level"], e["who"]) for e in entries))
    cells = {(e["told"], e["level"], e["who"]): e for e in entries}
    rows = []
    for told in dict.fromkeys(e["told"] for e in entries):
        own = [cells.get((told, *column)) for column in columns]
        rows.append([told, *("" if e is None else facts.get(e["key"]).text for e in own)])
    return Grid(
        "Never, or always: what it costs, same dice",
        ["", *(f"{level}, {who}" for level, who in columns)],
        rows,
        "Change of the mean end total, points; a minus: the player is worse off than without the restriction. "
        f"Smallest difference that matters: {params.smallest.score:g} points.",
    )


def courts(facts: Facts, model: Model, params: Params) -> Grid:
    """Court cards never or always played."""
    rows = []
    for e in model["parlett"]["courts"]["rows"]:
        fact = facts.get(e["key"])
        rows.append([e["told"], e["policy"], e["seat"], fact.beside(), fact.interval(), e["finding"]])
    return Grid(
        "Court cards: never, or always",
        ["the player plays", "otherwise as", "seat", "change", "interval", "finding"],
        rows,
        "Change of the share of wins, points of win rate, against the same policy without the restriction; the other "
        f"player plays the same policy. Smallest difference that matters: {100 * params.smallest.win:g} point.",
        text_columns=3,
    )


def skill(facts: Facts, model: Model, params: Params) -> Grid:
    """Pairs of policies: shares of the variance, who is ahead, games needed."""
    mine, rows = model["choices"]["skill"], []
    for e in mine["rows"]:
        times = " × 2" if e["plays"] == 2 else ""
        parts = [_share(facts, f"{e['key']}.{p}") for p in ("policy", "dice", "interaction")]
        after = [_share(facts, f"{e['key']}.after.{k}") for k in mine["games"]]
        needed = facts.get(f"{e['key']}.needed")
        where = e["level"] or GAME_NAMES[e["game"]]
        rows.append([where, f"{e['better']} over {e['other']}", *parts, *after, f"{needed.text}{times}"])
    sure = facts.get("choices.sure").text
    return Grid(
        "Skill and luck between named programs",
        [
            *("", "programs", "who plays", "dice or cards", "what suits whom"),
            *(f"ahead after {k}" for k in mine["games"]),
            "games needed",
        ],
        rows,
        "First three numbers: shares of the variance of a result, in 100. Ahead after so many comparisons, in 100, a "
        f"tie half. Games needed: until the better one is ahead with {sure}, on the same dice; × 2: a comparison is "
        "two games on the same dice or cards, with seats swapped.",
        text_columns=2,
    )


def decisions(facts: Facts, model: Model, params: Params) -> Grid:
    """What there is to decide, by level and player."""
    mine, rows = model["choices"]["decisions"], []
    for level in mine["levels"]:
        for player in mine["players"]:
            key, exact = f"decisions.{level}.{player}", f"decisions.exact.{level}.{player}"
            cells = [facts.get(f"{key}.options").text]
            cells += [_share(facts, f"{key}.{m}") for m in ("forced", "zeros", "no_entry")]
            known = f"{exact}.matters" in facts
            cells += [_share(facts, f"{exact}.matters") if known else ""]
            cells += [facts.get(f"{exact}.{m}").text if known else "" for m in ("random", "regret")]
            rows.append([level, VIEWS.get(player, player), *cells])
    return Grid(
        "What there is to decide",
        [
            *("level", "played by", "choices a round", "rounds without a choice", "rounds with a zero"),
            *("nothing but zeros", "decisions that matter", "lost by a choice at random", "lost by this player"),
        ],
        rows,
        "Rounds in 100; the last two columns: points a game against optimal play, on one labelled sheet, where it is "
        f"known exactly. A decision matters if the best choice is worth {params.choices.least:g} points more than the "
        "second best.",
        text_columns=2,
    )


def sums(facts: Facts, model: Model, params: Params) -> Grid:
    """Sums in the head by level."""
    rows = [
        [level, *(facts.get(f"sums.{level}.{m}").text for m in ("mean", "most", "largest"))]
        for level in model["choices"]["decisions"]["levels"]
    ]
    return Grid(
        "Sums in the head, a round",
        ["level", "in the mean", "at most", "largest sum"],
        rows,
        "Different sums of two or more dice that have to be formed to see every entry of a roll; exact, over all "
        "rolls, with bonus boxes that hold fives.",
    )
