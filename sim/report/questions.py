"""What the report asks: would another rule balance better? Each question with its candidates and its fresh games."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import polars as pl
import yaml

from sim import analysis
from sim.analysis.candidates import Games
from sim.analysis.candidates_levels import Step, setup_candidates, step_candidates
from sim.analysis.candidates_seats import seat_candidates, shortening_candidates
from sim.report.inputs import Stored
from sim.report.names import LEVELS
from sim.report.params import Params

Row = dict[str, Any]
Inputs = Mapping[str, Stored]

#: the level of no choice at all, from which the worth of choosing is measured
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
    look : callable
        Games → table of candidates; reads the stored sweep and the fresh one alike.
    design : callable
        Chosen row → a design of the fresh sweep.
    about : dict
        What the question is about: levels, view, players, minutes.
    """

    id: str
    kind: str
    part: str
    look: Callable[[Games], pl.DataFrame]
    design: Callable[[Row], Row]
    about: Row = field(default_factory=dict)


def games_of(stored: Stored) -> Games:
    """A stored sweep as candidates are looked up in it."""
    return Games(stored.counts, stored.differences, stored.scenarios)


def questions(inputs: Inputs, params: Params) -> list[Question]:
    """Every question of the report, in its order."""
    return [
        *_steps(inputs, params),
        *_setup(inputs, params),
        *_shorter(params),
        *_tails(params),
        *_seats(params),
    ]


def setting_of(row: Row) -> Any:
    """The value of a rule parameter from the text that a sweep keeps of it."""
    return yaml.safe_load(row["setting"])


def _varied(row: Row, rules: Row | None = None) -> Row:
    return {"rules": dict(rules or {}), "one_factor": {row["factor"]: [setting_of(row)]}}


# ----------------------------------------------------------------------------------------------------------------------
# Caterpillars


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
    readings = inputs["readings"]
    best = best_played(readings, params)
    found = []
    for row in missed_steps(inputs, params):
        policy = params.levels.views[row["view"]]
        pair = [best[row[end]] if policy == "best" else policy for end in ("lower", "higher")]
        name = f"step.{row['lower']}-{row['higher']}.{row['view']}.{row['measure']}"
        step = Step(row["lower"], row["higher"], pair[0], pair[1], row["measure"], FLOOR)
        allowed = params.proposals.steps.candidates
        look = partial(
            step_candidates,
            question=name,
            step=step,
            threshold=row["threshold"],
            allowed=allowed,
            smallest=params.smallest.score,
            level=params.confidence,
        )
        after = LEVELS[LEVELS.index(row["higher"]) + 1 :][:1]
        upper = [best[after[0]] if policy == "best" else policy] if after else []
        about = {k: row[k] for k in ("view", "lower", "higher", "measure")}
        about |= {"policy": pair[1], "next": after[0] if after else "", "next_policy": upper[0] if upper else ""}
        found.append(Question(name, "step", "readings", look, partial(_step_design, name, step, after, upper), about))
    return found


def _step_design(name: str, step: Step, after: Sequence[str], upper: Sequence[str], row: Row) -> Row:
    others = [{"rules": {"level": at}} for at in (step.lower, *after)]
    return {
        "name": name,
        "variants": [_varied(row, {"level": step.higher}), *others],
        "policies": list(dict.fromkeys([step.lower_policy, step.higher_policy, *upper, step.floor])),
        "pairs": [{"of": ["score", "zeros"], "against": "base"}],
    }


def _setup(inputs: Inputs, params: Params) -> list[Question]:
    best = best_played(inputs["setup"], params)
    look = partial(
        setup_candidates,
        question="setup",
        policies=best,
        threshold=params.levels.thresholds["choice"],
        smallest=params.smallest.score,
        floor=FLOOR,
        level=params.confidence,
    )
    child = params.levels.views.get("child", "child")

    def design(row: Row) -> Row:
        return {
            "name": "setup",
            "variants": [_varied(row, {"level": row["at"]})],
            "policies": list(dict.fromkeys([best[row["at"]], child, FLOOR])),
            "pairs": [{"of": ["score", "zeros"], "against": "base"}],
        }

    return [Question("setup", "setup", "setup", look, design, {"best": best, "child": child})]


# ----------------------------------------------------------------------------------------------------------------------
# Karolinchen and Parlett's game


def turns_in(minutes: float, params: Params) -> int:
    """Whole turns that fit."""
    return int(minutes * 60 / params.karolinchen.seconds_per_turn + 1e-9)


def _shorter(params: Params) -> list[Question]:
    table, given = params.karolinchen, params.proposals.shorter
    asked = [("published", table.published_minutes[1], given.typical)]
    asked += [("bedtime", minutes, given.enough) for minutes in table.bedtime]
    found = []
    for kind, minutes, enough in asked:
        for players in PLAYERS:
            name = f"{kind}.{players}.{minutes:g}"
            look = partial(
                shortening_candidates,
                question=name,
                players=players,
                policy=table.policy,
                turns=turns_in(minutes, params),
                enough=enough,
                allowed=given.candidates,
                smallest=params.smallest.win,
                level=params.confidence,
            )
            about = {"players": players, "minutes": float(minutes), "turns": turns_in(minutes, params)}
            design = partial(_race_design, players, (table.policy,))
            found.append(Question(name, kind, "karolinchen", look, design, about))
    return found


def _race_design(players: int, policies: Sequence[str], row: Row) -> Row:
    return {
        "variants": [_varied(row)],
        "policies": [{"repeat": players, "policy": policy} for policy in policies],
        "pairs": [{"of": ["turns", "win"], "against": "base"}],
    }


def _tails(params: Params) -> list[Question]:
    given = params.proposals.tails
    found = []
    for players in PLAYERS:
        look = partial(
            seat_candidates,
            question=f"tails.{players}",
            policies=given.policies,
            band=params.seats.band,
            allowed=given.candidates,
            smallest=params.smallest.win,
            players=players,
            level=params.confidence,
        )
        design = partial(_race_design, players, given.policies)
        found.append(Question(f"tails.{players}", "tails", "karolinchen", look, design, {"players": players}))
    return found


def _seats(params: Params) -> list[Question]:
    given = params.proposals.seats
    look = partial(
        seat_candidates,
        question="seats",
        policies=given.policies,
        band=params.seats.band,
        allowed=given.candidates,
        smallest=params.smallest.win,
        level=params.confidence,
    )

    def design(row: Row) -> Row:
        return {
            "name": "seats",
            "variants": [_varied(row)],
            "policies": [{"repeat": 2, "policy": policy} for policy in given.policies],
            "pairs": [{"of": ["score", "win", "cards_played"], "against": "base"}, {"of": "score", "seats": [0, 1]}],
        }

    return [Question("seats", "seats", "parlett", look, design)]
