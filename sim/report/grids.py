"""The tables of the page: which facts stand in which cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sim.report import grids_choices as choices
from sim.report import grids_decided, grids_own, grids_trust, words
from sim.report.facts import Facts
from sim.report.grid import Grid
from sim.report.grids_proposals import PROPOSALS, SIGNS
from sim.report.names import VIEWS
from sim.report.params import Params


def verdict(text: str) -> str:
    """A verdict with a sign that needs no colour."""
    return f"{SIGNS[text]} {text}"


def _steps(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    rows = []
    for step in model["caterpillars"]["steps"]:
        for view, verdicts in step["verdicts"].items():
            cells = [f"{step['lower']} → {step['higher']}", VIEWS.get(view, view)]
            for measure in ("score", "spread", "choice", "chance"):
                fact = facts.get(f"caterpillars.step.{step['lower']}-{step['higher']}.{view}.{measure}")
                least = params.levels.thresholds[measure]
                close = measure != "chance" and abs(float(fact.value) - least) < 0.1
                # one digit would hide on which side of the threshold it is
                text = words.signed(float(fact.value), 2) if close else fact.text
                cells.append(f"{text} {SIGNS[verdicts[measure]]}")
            rows.append(cells)
    needed = [facts.get(f"caterpillars.threshold.{m}").text for m in ("score", "spread", "choice", "chance")]
    return Grid(
        "Does each level step up?",
        ["step", "seen by", "mean score", "spread", "worth of choosing", "next level scores more"],
        rows,
        "● at least the threshold, ○ below it, ◐ not yet known. Thresholds, fixed before the run: "
        f"{needed[0]}, {needed[1]} and {needed[2]} points, {needed[3]}.",
        text_columns=2,
    )


def _par(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    measures = ("p5", "p25", "p50", "p75", "p95", "best5", "best10", "best25")
    rows = []
    for level in model["caterpillars"]["levels"]:
        for view in model["caterpillars"]["views"]:
            key = f"caterpillars.{level}.{view}"
            rows.append([level, VIEWS.get(view, view), *(facts.get(f"{key}.{m}").text for m in measures)])
    return Grid(
        "Solo par table: points at the end of a game played alone",
        [
            "level",
            "played by",
            "1 in 20 below",
            "lower quarter",
            "middle",
            "upper quarter",
            "1 in 20 above",
            "best of 5",
            "best of 10",
            "best of 25",
        ],
        rows,
        "Percentiles of single games; expected best result of 5, 10 and 25 games.",
        text_columns=2,
    )


def _setup(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    return _change_grid(
        facts,
        model["caterpillars"]["setup"],
        "Set-up variation against the standard set-up, same dice",
        "change of the mean",
    )


def _languages(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    caption = "English wording against the German note on zeros, same dice"
    return _change_grid(facts, model["caterpillars"]["languages"], caption, "English minus German")


def _change_grid(facts: Facts, entries: Sequence[Mapping[str, Any]], caption: str, change: str) -> Grid:
    rows = []
    for entry in entries:
        fact = facts.get(entry["key"])
        parts = [facts.get(f"{entry['key']}.{p}").value for p in ("better", "same", "worse")]
        shares = [words.number_of(float(p)) for p in parts]
        spread = facts.get(f"{entry['key']}.sd").text
        rows.append(
            [entry["level"], VIEWS.get(entry["view"], entry["view"]), fact.beside(), fact.interval(), spread, *shares]
        )
    return Grid(
        caption,
        ["level", "played by", change, "interval", "spread", "higher", "same", "lower"],
        rows,
        "Points of the end total; spread is the standard deviation of the difference; the last three columns are games "
        "in 100.",
        text_columns=2,
    )


def _length(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    shown = ("p50", "p50.rounds", "p50.minutes", "p95", "p95.minutes", "p99.minutes", "longest", "fitting")
    players = model["karolinchen"]["players"]
    rows = [[f"{k} players", *(facts.get(f"karolinchen.{k}.{name}").text for name in shown)] for k in players]
    published = "{:g} to {:g} minutes".format(*params.karolinchen.published_minutes)
    return Grid(
        "Length of a game",
        [
            "",
            "half over: turns",
            "rounds",
            "minutes",
            "19 in 20 over: turns",
            "in minutes",
            "99 in 100 over: minutes",
            "longest seen: turns",
            f"seconds a turn for {published}",
        ],
        rows,
        f"Minutes are turns times {facts.get('karolinchen.seconds').text} seconds, an assumption; rounds are turns "
        "divided by players.",
    )


def _bedtime(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    minutes = model["karolinchen"]["bedtime"]
    rows, shades = [], []
    for k in model["karolinchen"]["players"]:
        found = [facts.get(f"karolinchen.{k}.within.{m:g}") for m in minutes]
        rows.append([f"{k} players", *(words.games_in_hundred(float(f.value)) for f in found)])
        shades.append([float(f.value) for f in found])
    return Grid(
        "Is the game over in time?",
        ["", *(f"within {m:g} minutes" for m in minutes)],
        rows,
        f"Games in 100 that are over by then, at {facts.get('karolinchen.seconds').text} seconds a turn.",
        shades,
    )


def _house(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    rows = []
    for entry in model["karolinchen"]["house"]:
        if entry["reading"]:
            turns, win = facts.get(entry["turns"]), facts.get(entry["win"])
            cells = [
                entry["told"],
                str(entry["players"]),
                turns.beside(),
                turns.interval(),
                matters(entry["turns_verdict"]),
            ]
            rows.append([*cells, win.beside(), win.interval(), matters(entry["win_verdict"])])
    return Grid(
        "Other readings of the rules, same dice",
        [
            "reading",
            "players",
            "turns",
            "their interval",
            "matters?",
            "first player's share",
            "its interval",
            "matters too?",
        ],
        rows,
        f"Turns: change of the mean; share: points of win rate. Smallest difference that matters: "
        f"{params.smallest.turns:g} turn, {100 * params.smallest.win:g} point of win rate.",
    )


def _fruits(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    entries = [e for e in model["karolinchen"]["house"] if not e["reading"]]
    players = model["karolinchen"]["players"]
    rows = []
    for told in dict.fromkeys(e["told"] for e in entries):
        own = {e["players"]: e for e in entries if e["told"] == told}
        turns = [facts.get(own[k]["turns"]).text if k in own else "" for k in players]
        shares = [facts.get(own[k]["win"]) for k in players if k in own]
        rows.append([told.removeprefix("fruits "), *turns, f"{shares[0].text} to {shares[-1].text}"])
    return Grid(
        "Shorter games for designers: other numbers of fruits on the six cards",
        [
            "fruits on the cards",
            *(f"turns, {k} players" for k in players),
            "first player's share, fewest to most players",
        ],
        rows,
        "Change of the mean length and of the first player's share of the wins (points of win rate), same dice.",
    )


def _card_policies(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    lengths = model["karolinchen"]["policies"]["lengths"]
    players = sorted({e["players"] for e in lengths})
    order = sorted({e["policy"] for e in lengths}, key=lambda p: sum(e["turns"] for e in lengths if e["policy"] == p))
    cells = {(e["policy"], e["players"]): facts.get(e["key"]).text for e in lengths}
    rows = [[policy, *(cells.get((policy, k), "") for k in players)] for policy in order]
    return Grid(
        "Length by way of choosing cards: turns after which half of the games are over",
        ["everybody plays", *(f"{k} players" for k in players)],
        rows,
        "What each policy does is told by: sim policies karolinchen.",
    )


def matters(text: str) -> str:
    """Whether a difference matters: outside the band of no difference it does."""
    return {"inside": "no", "outside": "yes", "not yet known": "not yet known"}[text]


def _parlett_seats(facts: Facts, model: Mapping[str, Any], params: Params) -> Grid:
    rows = []
    for entry in model["parlett"]["seats"]:
        fact = facts.get(entry["key"])
        parts = [words.number_of(float(facts.get(f"{entry['key']}.{p}").value), 1) for p in ("win", "draw", "loss")]
        short = f"parlett.short.{entry['policy']}"
        rows.append(
            [
                entry["policy"],
                fact.beside(),
                fact.interval(),
                verdict(entry["verdict"]),
                *parts,
                facts.get(short).text if short in facts else "",
            ]
        )
    return Grid(
        "The player who leads: share of the wins when both play alike",
        [
            "both play",
            "leader's share",
            "interval",
            f"band 50 ± {100 * params.seats.band:g}",
            "wins",
            "draws",
            "losses",
            "court short",
        ],
        rows,
        "A draw counts half. Wins, draws and losses of the leader in 100 games.",
    )


GRIDS: Mapping[str, Callable[[Facts, Mapping[str, Any], Params], Grid]] = {
    "steps": _steps,
    "par": _par,
    "setup": _setup,
    "languages": _languages,
    "length": _length,
    "bedtime": _bedtime,
    "house": _house,
    "fruits": _fruits,
    "card_policies": _card_policies,
    "parlett_seats": _parlett_seats,
    "restricted": choices.restricted,
    "courts": choices.courts,
    "skill": choices.skill,
    "decisions": choices.decisions,
    "sums": choices.sums,
    "comebacks": grids_decided.comebacks,
    "watched": grids_decided.watched,
    "ties": grids_decided.ties,
    "card": grids_trust.card,
    "alarms": grids_trust.alarms,
    **PROPOSALS,
    "own_scenarios": grids_own.scenarios,
    "own_cut": grids_own.cut,
    "own_results": grids_own.results,
    "own_seats": grids_own.seats,
    "own_changes": grids_own.changes,
    "own_more": grids_own.more,
}
