"""What the report asks: would another rule balance better? Each question with its candidates and its fresh games.

A question is plain data, so that it can be kept with what was picked for it and asked again of the fresh games.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl
import yaml

from sim import analysis
from sim.analysis.candidates import Games
from sim.analysis.candidates_levels import Step, setup_candidates, step_candidates
from sim.analysis.candidates_seats import seat_candidates, shortening_candidates
from sim.analysis.frames import LEVELS
from sim.report.inputs import Stored
from sim.report.params import Params

Row = dict[str, Any]
Inputs = Mapping[str, Stored]

#: nobody who chooses: from here the worth of choosing is measured
FLOOR = "random"
PLAYERS = (2, 3, 4, 5, 6)
MEASURED = ("score", "spread", "choice")


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes
    ----------
    id : str
    kind : str
        ``step``, ``setup``, ``published``, ``bedtime``, ``tails`` or ``seats``.
    part : str
        Whose sweep holds the candidates.
    about : dict
        What it is about: levels, view, policies, threshold; players, minutes, turns, enough.
    """

    id: str
    kind: str
    part: str
    about: Row = field(default_factory=dict)

    @property
    def game(self) -> str:
        """The game that is asked about."""
        return self.part if self.part in ("karolinchen", "parlett") else "caterpillars"


def games_of(stored: Stored) -> Games:
    """A stored sweep as candidates are looked up in it."""
    return Games(stored.counts, stored.differences, stored.scenarios)


def questions(inputs: Inputs, params: Params) -> list[Question]:
    """Every question of the report, in its order."""
    table, given = params.karolinchen, params.proposals.shorter
    asked = [("published", table.published_minutes[1], given.typical)]
    asked += [("bedtime", minutes, given.enough) for minutes in table.bedtime]
    races = [
        Question(
            f"{kind}.{players}.{minutes:g}",
            kind,
            "karolinchen",
            {"players": players, "minutes": float(minutes), "turns": turns_in(minutes, params), "enough": enough},
        )
        for kind, minutes, enough in asked
        for players in PLAYERS
    ]
    tails = [Question(f"tails.{players}", "tails", "karolinchen", {"players": players}) for players in PLAYERS]
    best = best_played(inputs["setup"], params)
    setup = Question("setup", "setup", "setup", {"best": best, "child": params.levels.views.get("child", "child")})
    return [*_steps(inputs, params), setup, *races, *tails, Question("seats", "seats", "parlett", {"players": 2})]


def turns_in(minutes: float, params: Params) -> int:
    """Whole turns that fit."""
    return int(minutes * 60 / params.karolinchen.seconds_per_turn + 1e-9)


def best_played(stored: Stored, params: Params) -> dict[str, str]:
    """The best policy of each level among those played by the printed rules of a sweep."""
    printed = stored.scenarios.filter((pl.col("factor") == "") & (pl.col("setup") == "standard"))
    return analysis.best_policies(analysis.score_summary(stored.counts, printed, params.confidence))


def missed_steps(inputs: Inputs, params: Params) -> list[Row]:
    """Steps that surely miss a threshold, by view; where there are none, the smallest step against its threshold."""
    levels = inputs["levels"]
    rows = analysis.level_balance(
        levels.counts, levels.scenarios, params.levels.thresholds, params.levels.views, params.confidence
    ).filter(pl.col("measure").is_in(MEASURED))
    missed = rows.filter(pl.col("verdict") == "outside")
    if missed.is_empty():
        missed = rows.sort(pl.col("value") / pl.col("threshold"), maintain_order=True).head(1)
    return missed.to_dicts()


def _steps(inputs: Inputs, params: Params) -> list[Question]:
    best = best_played(inputs["readings"], params)
    found = []
    for row in missed_steps(inputs, params):
        policy = params.levels.views[row["view"]]

        def at(level: str, policy: str = policy) -> str:
            return best[level] if policy == "best" else policy

        after = next(iter(LEVELS[LEVELS.index(row["higher"]) + 1 :]), "")
        about = {k: row[k] for k in ("view", "lower", "higher", "measure", "threshold")}
        about |= {"lower_policy": at(row["lower"]), "policy": at(row["higher"])}
        about |= {"next": after, "next_policy": at(after) if after else ""}
        name = f"step.{row['lower']}-{row['higher']}.{row['view']}.{row['measure']}"
        found.append(Question(name, "step", "readings", about))
    return found


def step_of(about: Row) -> Step:
    """The step that a question is about."""
    return Step(about["lower"], about["higher"], about["lower_policy"], about["policy"], about["measure"], FLOOR)


def look(question: Question, games: Games, params: Params) -> pl.DataFrame:
    """The candidates for a question in a sweep: the stored one, or the fresh one."""
    about, given, least, level = question.about, params.proposals, params.smallest, params.confidence
    if question.kind == "step":
        step, allowed = step_of(about), given.steps.candidates
        return step_candidates(games, question.id, step, about["threshold"], allowed, least.score, level)
    if question.kind == "setup":
        threshold = params.levels.thresholds["choice"]
        return setup_candidates(games, question.id, about["best"], threshold, least.score, FLOOR, level)
    players = about["players"]
    if question.kind in ("published", "bedtime"):
        policy, allowed = params.karolinchen.policy, given.shorter.candidates
        return shortening_candidates(
            games, question.id, players, policy, about["turns"], about["enough"], allowed, least.win, level
        )
    own, band = given.tails if question.kind == "tails" else given.seats, params.seats.band
    return seat_candidates(
        games, question.id, own.policies, band, own.candidates, least.win, players=players, level=level
    )


def setting_of(row: Row) -> Any:
    """The value of a rule parameter from the text that a sweep keeps of it."""
    return yaml.safe_load(row["setting"])


def design(question: Question, row: Row, params: Params) -> Row:
    """The fresh games of a candidate, as a design of a sweep: it and the printed rules, paired."""
    about, kind = question.about, question.kind
    varied: Row = {"one_factor": {row["factor"]: [setting_of(row)]}}
    if kind in ("step", "setup"):
        if kind == "step":
            names = [about[name] for name in ("lower_policy", "policy", "next_policy")]
            others = [about["lower"], about["next"]]
        else:
            names, others = [about["best"][row["at"]], about["child"]], []
        return {
            "variants": [
                varied | {"rules": {"level": row["at"]}},
                *({"rules": {"level": level}} for level in others if level),
            ],
            "policies": list(dict.fromkeys([*filter(None, names), FLOOR])),
            "pairs": [{"of": ["score", "zeros"], "against": "base"}],
        }
    strengths = {"tails": params.proposals.tails.policies, "seats": params.proposals.seats.policies}
    policies = strengths.get(kind, [params.karolinchen.policy])
    pairs: list[Row] = [{"of": ["turns", "win"], "against": "base"}]
    if kind == "seats":
        pairs = [{"of": ["score", "win", "cards_played"], "against": "base"}, {"of": "score", "seats": [0, 1]}]
    line_ups = [{"repeat": about["players"], "policy": policy} for policy in policies]
    return {"variants": [varied], "policies": line_ups, "pairs": pairs}
