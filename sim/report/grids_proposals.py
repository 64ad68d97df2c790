"""The tables about proposals: which facts stand in which cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sim.report import words
from sim.report.facts import Facts
from sim.report.grid import Grid
from sim.report.names import VIEWS
from sim.report.params import Params

Model = Mapping[str, Any]
Entry = Mapping[str, Any]
#: signs of verdicts that need no colour
SIGNS = {"inside": "●", "outside": "○", "not yet known": "◐"}
_CONFIRMED = {True: "● confirmed", False: "○ not confirmed"}


def _price(facts: Facts, entry: Entry, what: str, who: int = 0) -> str:
    """A price as text; nothing where there is none."""
    found = entry["prices"][what]
    return facts.get(found[who]["key"]).text if len(found) > who else ""


def _outcome(facts: Facts, entry: Entry) -> list[str]:
    """Cells: rule, measure as printed and with it, target, how many were compared, verdict."""
    key = entry["key"]
    compared = facts.get(f"{key}.compared").text
    base = facts.get(f"{key}.base").text if f"{key}.base" in facts else ""
    target = facts.get(f"{key}.target").text if f"{key}.target" in facts else ""
    if not entry["proposed"]:
        return [entry["status"], base, "", target, compared, ""]
    return [entry["told"], base, facts.get(key).text, target, compared, _CONFIRMED[entry["confirmed"]]]


def _levels(facts: Facts, model: Model, params: Params) -> Grid:
    rows = []
    for entry in model["caterpillars"]["better"]:
        if entry["kind"] == "step":
            name = f"{entry['lower']} → {entry['higher']}, {entry['what']}"
            cells = [name, VIEWS.get(entry["view"], entry["view"])]
        else:
            cells = [f"worth of choosing{' at ' + entry['at'] if entry['at'] else ''}", VIEWS["best"]]
        prices = [_price(facts, entry, what) for what in ("score", "zeros")]
        rows.append([*cells, *_outcome(facts, entry), *prices])
    return Grid(
        "What would make a step larger: the rule picked, judged on fresh dice",
        [
            "what is short",
            "seen by",
            "rule of the higher level",
            "as printed",
            "with it",
            "enough",
            "compared",
            "gain",
            "price: mean score",
            "zeros",
        ],
        rows,
        "Points of the end total. Compared: candidates from which one was picked. Gain: ● surely above the smallest "
        "that matters in the fresh games alone. Prices: changes at the higher level, same dice; zeros per game. The "
        "best program: the best of those played in the sweep with the candidates.",
        text_columns=3,
    )


def _dial(facts: Facts, model: Model, params: Params) -> Grid:
    rows = []
    for cell in model["karolinchen"]["dial"]:
        entry = cell["answer"]
        chance = words.games_in_hundred(float(facts.get(cell["key"]).value))
        cells = [f"{cell['minutes']:g} min, {cell['players']} players"]
        if entry["proposed"]:
            share = words.games_in_hundred(float(facts.get(entry["key"]).value))
            cells += [entry["told"], chance, share, _price(facts, entry, "turns"), _price(facts, entry, "win")]
            cells += [_price(facts, entry, "first.changed")]
        else:
            cells += [entry["status"], chance, "", "", "", ""]
        rows.append(cells)
    compared = {facts.get(f"{c['answer']['key']}.compared").text for c in model["karolinchen"]["dial"]}
    return Grid(
        "The bedtime dial: chance to finish, and the mildest rule that makes it "
        f"{words.in_hundred(params.proposals.shorter.enough)}",
        [
            "bedtime",
            "rule",
            "over in time as printed",
            "with the rule",
            "turns",
            "first player's share: change",
            "then",
        ],
        rows,
        f"Games in 100, at {facts.get('karolinchen.seconds').text} seconds a turn; "
        f"{words.listing(sorted(compared), 'or')} rules compared for each; all numbers from fresh games. Changes on "
        "the same dice: mean length in turns, and points of win rate.",
        text_columns=2,
    )


def _answers(facts: Facts, entries: Sequence[Entry], first: Callable[[Entry], str]) -> list[list[str]]:
    return [[first(entry), *_outcome(facts, entry)] for entry in entries]


_HEADER = ["rule", "as printed", "with it", "enough", "compared", "gain"]


def _race(facts: Facts, model: Model, params: Params) -> Grid:
    entries = [e for e in model["karolinchen"]["better"] if e["kind"] == "published"]
    minutes = params.karolinchen.published_minutes[1]
    rows = _answers(facts, entries, lambda entry: f"{entry['players']} players")
    return Grid(
        f"The mildest rule that ends half of the games within the published {minutes:g} minutes",
        ["", *_HEADER],
        rows,
        "Share of games over by then. Where the printed rules do it, nothing is proposed. Gain: ● surely above the "
        "smallest that matters in the fresh games alone.",
        text_columns=2,
    )


def _tails(facts: Facts, model: Model, params: Params) -> Grid:
    entries = [e for e in model["karolinchen"]["better"] if e["kind"] == "tails"]
    rows = _answers(facts, entries, lambda entry: f"{entry['players']} players")
    return Grid(
        "What would make every seat of Karolinchen fair, whoever plays?",
        ["", *_HEADER],
        rows,
        "Largest departure of any seat from its fair share, in points of win rate, over policies "
        f"{words.listing(params.proposals.tails.policies)}. Compared: who rolls first, and tails dealt by seat, the "
        "luckiest to the last.",
        text_columns=2,
    )


def _compensation(facts: Facts, model: Model, params: Params) -> Grid:
    rows = []
    for entry in model["parlett"]["compensation"]:
        key = entry["key"]
        fewest = facts.get(key) if entry["known"] else None
        between = fewest.interval() if fewest is not None and fewest.low is not None else ""
        fresh = facts.get(f"{key}.fresh") if f"{key}.fresh" in facts else facts.get(f"{key}.with")
        rows.append(
            [
                entry["policy"].split("(")[0],
                entry["seat"],
                facts.get(f"{key}.without").text,
                fewest.text if fewest else "none is enough",
                between,
                facts.get(f"{key}.advised").text if entry["known"] else "",
                "" if entry["seat"] == "nobody" else facts.get(f"{key}.fairest").text,
                fresh.text,
                f"{fresh.interval()} {SIGNS[entry['verdict']]}",
                " / ".join(words.number_of(float(facts.get(f"{key}.{p}").value), 1) for p in ("win", "draw", "loss")),
            ]
        )
    return Grid(
        "The smallest handicap in points that makes the seat fair",
        [
            "both play",
            "points to",
            "leader wins without",
            "fewest",
            "interval",
            "surely enough",
            "closest to even",
            "leader wins with what is enough",
            "interval of the share",
            "wins / draws / losses",
        ],
        rows,
        "A draw counts half. Surely enough: the fewest points with which the whole interval is within "
        f"{100 * params.seats.band:g} points of one half. With what is enough: fresh games (● inside, ○ outside the "
        "band, ◐ not yet known); wins, draws and losses of the leader in 100.",
        text_columns=2,
    )


def _seats(facts: Facts, model: Model, params: Params) -> Grid:
    rows = []
    for entry in model["parlett"]["better"]:
        for printed, changed in zip(entry["prices"]["first.printed"], entry["prices"]["first.changed"], strict=True):
            before, after = facts.get(printed["key"]), facts.get(changed["key"])
            rows.append(
                [entry["told"], printed["who"], before.beside(), before.interval(), after.beside(), after.interval()]
            )
        if not entry["proposed"]:
            rows.append([entry["status"], "", "", "", "", ""])
    return Grid(
        "The rule that makes the seat fair at every strength, on fresh cards: the leader's share of the wins",
        ["rule", "both play", "as printed", "interval", "with it", "interval with it"],
        rows,
        "A draw counts half.",
        text_columns=2,
    )


PROPOSALS: Mapping[str, Callable[[Facts, Model, Params], Grid]] = {
    "better_levels": _levels,
    "dial": _dial,
    "better_race": _race,
    "better_tails": _tails,
    "compensation": _compensation,
    "better_seats": _seats,
}
