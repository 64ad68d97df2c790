"""Does each Caterpillars level step up, and in what: score, spread, or what choosing well is worth?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import polars as pl

from sim import stats
from sim.analysis.frames import ESTIMATE, LEVELS, arrays, groups, table
from sim.analysis.scores import best_policies, score_summary, solo
from sim.errors import InputError, listing
from sim.stats import Estimate

#: the policy of somebody who does not choose at all; what choosing is worth is measured from here
FLOOR = "random"
MEASURES = ("score", "spread", "choice", "chance")


def _difference(parts: list[tuple[float, Estimate]], method: str) -> Estimate:
    """Sum of weighted independent estimates; half-widths add in squares."""
    value = sum(w * e.value for w, e in parts)
    half = math.sqrt(sum((w * e.half_width) ** 2 for w, e in parts))
    first = parts[0][1]
    return Estimate(value, value - half, value + half, min(e.n for _, e in parts), first.level, method)


def level_balance(
    counts: pl.DataFrame,
    scenarios: pl.DataFrame,
    thresholds: Mapping[str, float],
    views: Mapping[str, str],
    level: float = 0.95,
) -> pl.DataFrame:
    """Steps from level to level against thresholds that were fixed before the run, seen with the eyes of several
    policies.

    Parameters
    ----------
    thresholds : mapping
        Smallest step worth having: ``score`` (rise of the mean, points), ``spread`` (rise of the standard deviation,
        points), ``choice``
        (rise of the points gained over a player who picks at random), ``chance`` (probability that a game of the
        higher level scores more
        than one of the lower, ties half).
    views : mapping
        Name of the view → policy; ``best`` stands for the best policy of each level.

    Returns
    -------
    polars.DataFrame
        Columns view, lower, higher (levels), lower_policy, higher_policy, measure, value, low, high, n, threshold,
        verdict (``inside``: at
        least the threshold; ``outside``: less; ``not yet known``).

    Notes
    -----
    The two levels roll the same dice, which makes their scores alike; the intervals treat them as independent, so
    they are on the wide side.
    """
    summary = score_summary(counts, scenarios, level)
    best = best_policies(summary)
    samples = {
        (k["level"], k["policy"]): arrays(p, "score") for k, p in groups(solo(counts, scenarios), ["level", "policy"])
    }
    known = [name for name in LEVELS if name in best]
    rows: list[dict[str, Any]] = []
    for view, policy in views.items():
        for lower, higher in pairwise(known):
            pair = [(lvl, best[lvl] if policy == "best" else policy) for lvl in (lower, higher)]
            for lvl, chosen in [*pair, (lower, FLOOR), (higher, FLOOR)]:
                if (lvl, chosen) not in samples:
                    has = listing(p for at, p in samples if at == lvl)
                    raise InputError(f"policy {chosen} was not played at {lvl}; accepted: {has}")
            a, b = (samples[key] for key in pair)
            means = [stats.mean(*s, level) for s in (a, b)]
            floors = [stats.mean(*samples[lvl, FLOOR], level) for lvl in (lower, higher)]
            spreads = [stats.spread(*s, level) for s in (a, b)]
            estimates = {
                "score": _difference([(1, means[1]), (-1, means[0])], "difference of means"),
                "spread": _difference([(1, spreads[1]), (-1, spreads[0])], "difference of standard deviations"),
                "choice": _difference(
                    [(1, means[1]), (-1, floors[1]), (-1, means[0]), (1, floors[0])],
                    "difference of differences of means",
                ),
                "chance": stats.superiority(*b, *a, level),
            }
            for measure, e in estimates.items():
                rows.append(
                    {
                        "view": view,
                        "lower": lower,
                        "higher": higher,
                        "lower_policy": pair[0][1],
                        "higher_policy": pair[1][1],
                        "measure": measure,
                        **e.row(),
                        "n": e.n,
                        "threshold": thresholds[measure],
                        "verdict": str(stats.at_least(e, thresholds[measure])),
                    }
                )
    texts = ("view", "lower", "higher", "lower_policy", "higher_policy", "measure")
    return table(rows, dict.fromkeys(texts, pl.String) | ESTIMATE | {"threshold": pl.Float64, "verdict": pl.String})
