"""Claims about the strongest rule of thumb of each level, found by ``sim thumb`` and kept in ``data/league``."""

from __future__ import annotations

from typing import Any

import polars as pl

from sim.games import get
from sim.games.caterpillars.thumb import MIDDLE
from sim.report.facts import Facts
from sim.report.params import Params
from sim.report.tables import Tables


def _times(n: int) -> str:
    return {0: "not at all", 1: "once", 2: "twice"}.get(n, f"{n} times")


def in_words(policy: str, bonus: bool) -> str:
    """A rule of thumb as one would tell it to a child."""
    numbers: dict[str, Any] = dict(get("caterpillars").policies.parse(policy).parameters())
    p = {k: int(v) for k, v in numbers.items() if not isinstance(v, str)}  # choices are no part of the rule
    count = f"Count every empty box as {p['low']} points if its label is 1 to 3, as {p['mid']} if it is 4 to 6"
    if p["low"] == p["mid"]:
        count = f"Count every empty box as {p['low']} points"
    twin = f", {p['twin']} less while another empty box has the same label" if p["twin"] else ""
    late = f", and half of that with {p['late']} rounds or fewer to come" if p["late"] else ""
    weights = f"the middle one {_times(MIDDLE)}, the highest {_times(p['top'])}, the lowest {_times(p['bottom'])}"
    store = f" A die in a bonus box adds to its caterpillar what it is above {p['keep']}." if bonus else ""
    return (
        f"{count}{twin}{late}. Add up each caterpillar, points and empty boxes. Count {weights}, and take the play "
        f"that makes the sum largest; of equals the one with more points now.{store}"
    )


def add(facts: Facts, tables: Tables, params: Params) -> dict[str, Any]:
    """Register the winners, what they gain on a child's habit, and what they lose; returns a list by level."""
    told = []
    for (level,), rows in tables["thumb"].group_by("level", maintain_order=True):
        winner, second = (rows.row(by_predicate=pl.col("place") == place, named=True) for place in (1, 2))
        child = rows.row(by_predicate=pl.col("policy") == "child", named=True)
        key = f"thumb.{level}"
        more: dict[str, Any] = {"seed": int(winner["seed"]), "sweep": "thumb", "n": winner["games"]}
        mean = {"low": winner["low"], "high": winner["high"], "level": 0.95, "method": "mean, Student's t"}
        facts.add(f"{key}.mean", winner["mean"], "points", **mean, **more)
        facts.add(f"{key}.policy", winner["policy"], "text", **more)
        facts.add(f"{key}.rule", in_words(winner["policy"], level in ("advanced", "expert")), "text", **more)
        facts.add(f"{key}.rules", winner["rules"], "count", method="all rules of the family, on the same dice", **more)
        for name, row, kind in (("child", child, "points"), ("second", second, "fine")):
            ends = {"low": row["behind_low"], "high": row["behind_high"], "level": 0.95}
            facts.add(f"{key}.{name}", row["behind"], kind, method="paired, on fresh games", **ends, **more)
        lost = {"low": winner["loss_low"], "high": winner["loss_high"], "level": 0.95, "method": winner["against"]}
        facts.add(f"{key}.loss", winner["loss"], "points", **lost, **{**more, "n": None})
        facts.add(f"{key}.sheets", winner["sheets"], "number", **{**more, "n": None})
        alike = bool(second["behind_low"] <= 0 <= second["behind_high"])
        told.append({"level": level, "key": key, "bound": winner["against"] == "upper bound", "alike": alike})
    return {"thumb": told}
