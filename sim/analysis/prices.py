"""What a proposal costs: what else it changes, beside what it is meant to change. One row per quantity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from sim import stats
from sim.analysis.candidates import Games, line
from sim.analysis.candidates_levels import Step
from sim.analysis.frames import ESTIMATE, table
from sim.analysis.seats import seat_shares
from sim.stats import Estimate

SCHEMA = {"question": pl.String, "what": pl.String, "who": pl.String, "scenario": pl.String} | ESTIMATE
Row = dict[str, Any]
#: what is changed, for whom, by how much, in which scenario
Price = tuple[str, str, Estimate, str]


def step_prices(
    games: Games, step: Step, row: Row, after: str = "", after_policy: str = "", level: float = 0.95
) -> Iterator[Price]:
    """What a rule of the higher level does to scores there, and to the step that follows.

    Yields
    ------
    (what, who, estimate, scenario)
        ``score``, ``spread``, ``choice``, ``zeros``: changes at the higher level for its policy; ``next.printed`` and
        ``next.changed``: the same measure of the step to the level `after`, without and with the rule.
    """
    told = {"factor": row["factor"], "value": row["setting"], "level": step.higher}
    plain = {"factor": "", "level": step.higher}
    who = step.higher_policy
    ids = [games.id(seat0=p, **t) for p in (who, step.floor) for t in (told, plain)]
    new, old, new_floor, old_floor = ids
    if new is None or old is None:
        return
    score = games.change(new, old, "score", level)
    yield "score", who, score, new
    spreads = [stats.spread(*games.sample(s, "score"), level) for s in (new, old)]
    yield "spread", who, line([(1, spreads[0]), (-1, spreads[1])]), new
    yield "zeros", who, games.change(new, old, "zeros", level), new
    if new_floor is not None and old_floor is not None:
        yield "choice", who, line([(1, score), (-1, games.change(new_floor, old_floor, "score", level))]), new
    if after:
        up = Step(step.higher, after, who, after_policy, step.measure, step.floor)
        top, top_floor = (games.id(level=after, factor="", seat0=p) for p in (after_policy, step.floor))
        if top is not None and not (step.measure == "choice" and None in (top_floor, new_floor, old_floor)):
            for name, low, floor in (("printed", old, old_floor), ("changed", new, new_floor)):
                yield f"next.{name}", who, up.size(games, low, top, (str(floor), str(top_floor)), level), top


def change_prices(
    games: Games, row: Row, of: Sequence[str], policies: Sequence[str], seat: int = 0, conf: float = 0.95, **more: Any
) -> Iterator[Price]:
    """Paired changes of some columns for some policies (or line-ups, as ``match ×4``), seen from one seat.

    Parameters
    ----------
    conf : float
        Level of the intervals.
    **more
        Attributes that both scenarios share, as ``level="expert"``.
    """
    for policy in policies:
        name = "line_up" if " ×" in policy else "seat0"
        new = games.id(**{name: policy}, factor=row["factor"], value=row["setting"], **more)
        old = games.id(**{name: policy}, factor="", **more)
        if new is None or old is None:
            continue
        for column in of:
            yield column, policy, games.change(new, old, column, conf, seat), new


def share_prices(games: Games, row: Row, line_ups: Sequence[str], band: float, level: float = 0.95) -> Iterator[Price]:
    """The first seat's share of the wins, and the largest departure of any seat, as printed and changed.

    Yields
    ------
    (what, who, estimate, scenario)
        ``first.printed``, ``first.changed`` (share), ``worst.printed``, ``worst.changed`` (departure of the seat that
        is furthest from its fair share, signed), for each line-up.
    """
    wanted = [
        (who, name, scenario)
        for who in line_ups
        for name, scenario in (
            ("printed", games.id(line_up=who, factor="")),
            ("changed", games.id(line_up=who, factor=row["factor"], value=row["setting"])),
        )
        if scenario is not None
    ]
    shown = games.scenarios.filter(pl.col("scenario").is_in([s for *_, s in wanted]))
    shares = seat_shares(games.counts, shown, band, ("line_up",), level)
    for who, name, scenario in wanted:
        own = shares.filter(pl.col("scenario") == scenario).sort("seat").to_dicts()
        first = own[0]
        yield f"first.{name}", who, _estimate(first, 0.0, level), scenario
        worst = max(own, key=lambda seat: abs(seat["value"] - seat["fair"]))
        yield f"worst.{name}", who, _estimate(worst, worst["fair"], level), scenario


def _estimate(row: Row, minus: float, level: float) -> Estimate:
    return Estimate(row["value"] - minus, row["low"] - minus, row["high"] - minus, row["n"], level, "share of wins")


def price_table(question: str, prices: Iterator[Price]) -> pl.DataFrame:
    """Prices of one question as a frame: question, what, who, scenario, value, low, high, n."""
    rows = [
        {"question": question, "what": what, "who": who, "scenario": scenario, **e.row(), "n": e.n}
        for what, who, e, scenario in prices
    ]
    return table(rows, SCHEMA)
