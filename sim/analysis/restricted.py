"""Restricted play: what a box, a face, a kind of split or court cards are worth to a player who may not use them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import polars as pl

from sim import stats
from sim.analysis.frames import ESTIMATE, arrays, attach, groups, table

#: what is restricted, by the second word of a restriction
FACTORS = {"bonus": "bonus box", "face": "face", "butterfly": "face", "split": "split", "courts": "court cards"}

_RESTRICT = re.compile(r",? ?restrict=(\w+)")


def restricted_play(
    counts: pl.DataFrame,
    differences: pl.DataFrame,
    scenarios: pl.DataFrame,
    of: str = "score",
    keys: Sequence[str] = ("level",),
    smallest: float = 0.1,
    broken: float = 0.2,
    level: float = 0.95,
) -> pl.DataFrame:
    """What a player gains or loses by never, or always, doing one thing, on the same dice or cards.

    Correlation between the use of a box and the score says little, as good players use boxes well; forbidding it, all
    else equal, says what it is worth to this player.

    Parameters
    ----------
    counts, differences, scenarios : polars.DataFrame
        Of a sweep whose policies have ``restrict``, compared with the same line-up without it, as in
        ``sweeps/restricted.yaml``.
    of : str
        The result: ``score`` or ``win``.
    keys : sequence of str
        Attributes of the scenarios to carry along.
    smallest : float
        The smallest difference that matters, in units of `of`.
    broken : float
        Share of the mean result: one box or face that is worth more carries the game too much.

    Returns
    -------
    polars.DataFrame
        One row per scenario with one restricted seat, by the plan's order: scenario, against, seat, the keys, policy,
        others (the other seats' policies, empty for one player), restrict, factor (``bonus box``, ``face``, ``split``,
        ``court cards``), value (mean paired difference, restricted less free), low, high, n, base (mean of the free
        player), better, same, worse (shares of games), verdict (``inside``, ``outside``, ``not yet known``: whether
        it stays within `smallest`) and finding, where the interval supports one, else ``not yet known``. Of a thing
        never done: ``filler`` (no practical difference), ``of use`` (it is missed), ``broken`` (one box or face, and
        the loss is surely above the share `broken` of the mean), ``trap`` (this player does better without). Of a
        thing always done: ``no matter``, ``overdone`` (worse), ``underused`` (better).
    """
    told = scenarios.select("scenario", *dict.fromkeys(["variant", "line_up", *keys]), *_seat_columns(scenarios))
    asked = differences.filter((pl.col("of") == of) & (pl.col("against") != ""))
    names = [name for name in told.columns if name != "scenario"]
    frame = attach(asked, told, names)
    sides = {row["scenario"]: row for row in told.iter_rows(named=True)}
    rows = []
    for key, part in groups(frame, ["scenario", "against", "seat"]):
        own, other = sides[key["scenario"]], sides.get(key["against"])
        policies = _line_up(own)
        found = [(s, m.group(1)) for s, text in enumerate(policies) if (m := _RESTRICT.search(text))]
        if other is None or len(found) != 1 or found[0][0] != key["seat"] or own["variant"] != other["variant"]:
            continue
        free = [_free(text) for text in policies]
        if free != _line_up(other):
            continue
        seat, restrict = found[0]
        p = stats.paired(*arrays(part, "difference"), level)
        theirs = (pl.col("scenario") == key["against"]) & (pl.col("seat") == seat)
        base = stats.mean(*arrays(counts.filter(theirs), of), level).value
        verdict = stats.inside(p.mean, -smallest, smallest)
        rows.append(
            {
                **key,
                **{name: own[name] for name in keys},
                "policy": free[seat],
                "others": ", ".join(free[:seat] + free[seat + 1 :]),
                "restrict": restrict,
                "factor": FACTORS[restrict.split("_")[1]],
                **p.mean.row(),
                "n": p.mean.n,
                "base": base,
                "better": p.better.value,
                "same": p.same.value,
                "worse": p.worse.value,
                "verdict": str(verdict),
                "finding": _finding(restrict, p.mean, str(verdict), broken * abs(base)),
            }
        )
    schema: dict[str, Any] = {"scenario": pl.String, "against": pl.String, "seat": pl.Int64}
    schema |= {name: scenarios.schema[name] for name in keys}
    schema |= dict.fromkeys(("policy", "others", "restrict", "factor"), pl.String) | ESTIMATE
    schema |= dict.fromkeys(("base", "better", "same", "worse"), pl.Float64)
    return table(rows, schema | {"verdict": pl.String, "finding": pl.String})


def _seat_columns(scenarios: pl.DataFrame) -> list[str]:
    return [name for name in scenarios.columns if re.fullmatch(r"seat\d+", name)]


def _line_up(scenario: dict[str, object]) -> list[str]:
    """Policies by seat, as texts."""
    return [str(v) for k, v in scenario.items() if re.fullmatch(r"seat\d+", k) and v is not None]


def _free(policy: str) -> str:
    """A policy's text without its restriction."""
    return _RESTRICT.sub("", policy).replace("(, ", "(").removesuffix("()")


def _finding(restrict: str, e: stats.Estimate, verdict: str, much: float) -> str:
    never = restrict.startswith("no_")
    if verdict == "inside":
        return "filler" if never else "no matter"
    if verdict != "outside":
        return "not yet known"
    if e.low > 0:
        return "trap" if never else "underused"
    single = restrict.count("_") == 2 and not restrict.startswith("no_split")  # one box or face, not the whole kind
    if never and single and e.high < -much:
        return "broken"
    return "of use" if never else "overdone"
