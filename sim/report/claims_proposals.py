"""Claims about proposals: what would balance better, judged by fresh games, with its price; bedtimes; handicaps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from sim.analysis.proposals import ENOUGH, NOTHING, PROPOSAL
from sim.report.claims_base import Source
from sim.report.facts import Facts
from sim.report.names import MEASURES, proposed, short
from sim.report.params import Params
from sim.report.propose import PREFIX
from sim.report.tables import Tables

Model = dict[str, Any]
#: how a measure is written, by kind of question
_KINDS = {"step": "change", "setup": "change", "published": "share", "bedtime": "share"}
_METHODS = {
    "step": "difference between levels, unpaired",
    "setup": "difference of paired differences",
    "published": "Wilson",
    "bedtime": "Wilson",
    "tails": "largest departure of a seat at any strength, simultaneous",
    "seats": "largest departure of a seat at any strength, simultaneous",
}
#: how prices are written: what → kind
_PRICES = {
    **dict.fromkeys(("score", "spread", "choice", "next.printed", "next.changed"), "change"),
    "zeros": "fine",
    "turns": "turns_change",
    "win": "gap",
    "cards_played": "change",
    **dict.fromkeys(("first.printed", "first.changed"), "share"),
    **dict.fromkeys(("worst.printed", "worst.changed"), "gap"),
}
_PAIRED = ("score", "zeros", "turns", "win", "cards_played")


def levels(facts: Facts, tables: Tables, params: Params) -> Model:
    """What would make a step of Caterpillars larger, and where the set-up variation makes choosing worth more."""
    return {"better": _answers("caterpillars", facts, tables, params)}


def karolinchen(facts: Facts, tables: Tables, params: Params) -> Model:
    """Rules that shorten the game, the bedtime dial, and rules for fair seats."""
    answers = _answers("karolinchen", facts, tables, params)
    source = _fresh("karolinchen", facts, tables, params)
    given = params.proposals.shorter
    facts.add("better.enough", given.enough, "share", method="fixed in params.yaml before the run")
    facts.add("better.typical", given.typical, "share", method="fixed in params.yaml before the run")
    source.add("better.karolinchen.each", int(tables["dial"]["n"].max()), "count", method="fresh games of a scenario")  # type: ignore[arg-type]
    return {"better": answers, "dial": _dial(source, tables["dial"], answers)}


def parlett(facts: Facts, tables: Tables, params: Params) -> Model:
    """Which rule makes the seat fair, and how many points would."""
    answers = _answers("parlett", facts, tables, params)
    source = _fresh("parlett", facts, tables, params)
    found = Source.of("parlett", facts, tables, params)
    common = tables["compensation_common"].row(0, named=True)
    if common["points"] is not None:
        found.add("better.points.common", abs(common["points"]), "number", method="inside the band at every strength")
    sign = common["points"] or 0
    told = {"points": common["points"], "seat": _SEAT[0 if sign > 0 else 1 if sign < 0 else -1]}
    strengths = tables["compensation_common"]["policies"][0].split(", ")
    return {
        "better": answers,
        "compensation": _compensation(found, source, tables["compensation"]),
        "common": told | {"policies": strengths},
    }


def _fresh(game: str, facts: Facts, tables: Tables, params: Params) -> Source:
    """The source of numbers from the fresh games of a game."""
    return Source.of(f"{PREFIX}-{game}", facts, tables, params)


def _answers(game: str, facts: Facts, tables: Tables, params: Params) -> list[Model]:
    """One entry per question: what was found, in keys and words."""
    source = _fresh(game, facts, tables, params)
    prices = tables[f"prices_{game}"]
    return [_answer(source, told, prices, params) for told in tables[f"proposals_{game}"].iter_rows(named=True)]


def _answer(source: Source, row: Mapping[str, Any], prices: pl.DataFrame, params: Params) -> Model:
    facts, key = source.facts, f"better.{row['question']}"
    kind, method = _KINDS.get(row["kind"], "departure"), _METHODS[row["kind"]]
    first = Source(facts, {"seed": row["first_seed"], "sweep": "the games that picked it"}, params.confidence)
    first.add(f"{key}.compared", row["compared"], "number", method="candidates compared")
    target = row["target_high"] if kind == "departure" else row["target_low"]
    if target is not None:
        told = "number" if kind == "change" else kind
        facts.add(f"{key}.target", target, told, method="fixed in params.yaml before the run")
    about: tuple[str, ...] = ("kind", "view", "lower", "higher", "policy", "measure", "players", "minutes")
    about += ("status", "verdict", "at", "smallest")
    entry: Model = {name: row[name] for name in about} | {"key": key, "id": row["question"]}
    entry["what"] = MEASURES.get(row["measure"] or "", row["measure"])
    entry |= {"proposed": row["status"] == PROPOSAL, "nothing": row["status"] == NOTHING}
    entry |= {"enough": row["status"] == ENOUGH, "prices": {what: [] for what in _PRICES}}
    if row["status"] != PROPOSAL:
        if row["base"] is not None:
            base = {"value": row["base"], "low": row["base_low"], "high": row["base_high"]}
            first.row(f"{key}.base", base | {"n": row["n"]}, kind, method)
        return entry
    entry["told"] = proposed(row["factor"], row["setting"])
    entry |= {"short": short(row["factor"], row["setting"]), "reaches": row["reaches"]}
    entry["confirmed"] = row["verdict"] == "confirmed"
    source.row(key, row, kind, method)
    change = "gap" if kind in ("share", "departure") else "change"
    for name, written in (("base", kind), ("gain", change)):
        source.row(f"{key}.{name}", row, written, method, name)
    old = {"value": row["first"], "low": row["first_low"], "high": row["first_high"], "n": row["first_n"]}
    first.row(f"{key}.first", old, kind, method)
    for price in prices.filter(pl.col("question") == row["question"]).iter_rows(named=True):
        name = f"{key}.{price['what']}.{price['who'].replace(' ', '')}"
        how = "mean of paired differences, Student's t" if price["what"] in _PAIRED else "from exact counts"
        source.row(name, price, _PRICES[price["what"]], how)
        entry["prices"].setdefault(price["what"], []).append(
            {"who": price["who"].rsplit(" ×", 1)[0], "key": name, "value": price["value"]}
        )
    return entry


def _dial(source: Source, frame: pl.DataFrame, answers: list[Model]) -> list[Model]:
    """Chance to finish by players and minutes, as printed, with the key of what was proposed."""
    found = []
    by_id = {entry["id"]: entry for entry in answers}
    for row in frame.iter_rows(named=True):
        key = f"better.dial.{row['seats']}.{row['minutes']:g}"
        source.row(key, row, "share", "Wilson")
        answer = by_id[f"bedtime.{row['seats']}.{row['minutes']:g}"]
        found.append({"players": row["seats"], "minutes": row["minutes"], "key": key, "answer": answer})
    return found


_SEAT = {0: "the leader", 1: "the dealer", -1: "nobody"}


def _compensation(found: Source, fresh: Source, frame: pl.DataFrame) -> list[Model]:
    """By strength: who needs how many points, and the leader's share without and with them."""
    result = []
    for row in frame.iter_rows(named=True):
        key = f"better.points.{row['policy']}"
        method = "fewest points whose share is inside the band; intervals of shares turned around"
        more = {"n": row["n"], "scenario": row["scenario"]}
        known = row["points"] is not None
        if known:
            ends = {"low": row["points_low"], "high": row["points_high"]} if row["points_high"] is not None else {}
            found.add(key, row["points"], "number", method=method, **ends, **more)
            found.add(f"{key}.advised", row["advised"], "number", method="whole interval inside the band", **more)
        found.add(f"{key}.fairest", row["fairest"], "number", method="share closest to one half", **more)
        found.row(f"{key}.without", row, "share", "mean share, a draw counts half", "without")
        found.row(f"{key}.with", row, "share", "mean share, a draw counts half")
        for part in ("win", "draw", "loss"):
            judge, n = (found, row["n"]) if row["fresh"] is None else (fresh, row["fresh_n"])
            judge.add(f"{key}.{part}", row[part], "share", n=n, scenario=row["scenario"], method="share of games")
        if row["fresh"] is not None:
            again = {"value": row["fresh"], "low": row["fresh_low"], "high": row["fresh_high"], "n": row["fresh_n"]}
            fresh.row(f"{key}.fresh", again, "share", "mean share, a draw counts half")
        told = {"policy": row["policy"], "key": key, "seat": _SEAT[row["seat"]], "verdict": row["verdict"]}
        told |= {"known": known, "advised": row["advised"], "sure": row["fits_from"] is not None}
        told |= {"checked": row["fresh"] is not None}
        result.append(told)
    return result
