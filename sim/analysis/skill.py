"""Skill and luck between named policies: what decides a result, and how many games until the better one shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from sim import stats
from sim.analysis.frames import ESTIMATE, arrays, attach, groups, table

Sample = tuple[np.ndarray, np.ndarray]

_KEYS = {"scenario": pl.String, "against": pl.String, "seat": pl.Int64}
_WHO = {"better": pl.String, "other": pl.String, "plays": pl.Int64}


@dataclass(frozen=True)
class _Match:
    """Two line-ups on the same dice, the one with the higher mean first."""

    key: dict[str, Any]
    better: Sample
    other: Sample
    difference: Sample

    def row(self) -> dict[str, Any]:
        return dict(self.key)


def _matches(
    counts: pl.DataFrame, differences: pl.DataFrame, scenarios: pl.DataFrame, of: str, keys: Sequence[str]
) -> Iterator[_Match]:
    """Every pair of scenarios with the same rules and other policies whose difference was counted."""
    told = scenarios.select("scenario", *dict.fromkeys(["variant", "line_up", *keys]))
    asked = differences.filter((pl.col("of") == of) & (pl.col("against") != ""))
    frame = attach(asked, told, list(dict.fromkeys(["variant", "line_up", *keys])))
    other = told.select(against="scenario", other_line_up="line_up", other_variant="variant")
    frame = frame.join(other, on="against", how="inner", maintain_order="left")
    frame = frame.filter(
        (pl.col("variant") == pl.col("other_variant")) & (pl.col("line_up") != pl.col("other_line_up"))
    )
    names = ["scenario", "against", "seat", "line_up", "other_line_up", *keys]
    for key, part in groups(frame, list(dict.fromkeys(names))):
        sides = [_side(counts, key[name], key["seat"], of) for name in ("scenario", "against")]
        d, c = arrays(part, "difference")
        who = [key.pop("line_up"), key.pop("other_line_up")]
        # seats swapped on the same dice: one comparison is a game from each side of the table
        key["plays"] = 2 if sorted(who[0].split(", ")) == sorted(who[1].split(", ")) else 1
        if float(d @ c) < 0:
            d, sides, who = -d, sides[::-1], who[::-1]
        yield _Match({**key, "better": who[0], "other": who[1]}, sides[0], sides[1], (d, c))


def _side(counts: pl.DataFrame, scenario: str, seat: int, of: str) -> Sample:
    return arrays(counts.filter((pl.col("scenario") == scenario) & (pl.col("seat") == seat)), of)


def skill_and_luck(
    counts: pl.DataFrame,
    differences: pl.DataFrame,
    scenarios: pl.DataFrame,
    of: str = "score",
    keys: Sequence[str] = ("level",),
    sure: float = 0.9,
    level: float = 0.95,
) -> pl.DataFrame:
    """How much of a result is skill, between two named policies, and how many games tell who is better.

    For two players whose results depend on each other, line-ups are compared with their seats swapped ("planner,
    greedy" against "greedy, planner"): then a row is about who sits in that seat, and one comparison takes two games
    (`plays`).

    Parameters
    ----------
    counts, differences, scenarios : polars.DataFrame
        Of a sweep with ``pairs: {of: …, against: {policies: …}}`` that counts `of`, as in ``sweeps/skill-….yaml``.
    of : str
        The result: ``score``, or ``win``.
    keys : sequence of str
        Attributes of the scenarios to carry along.
    sure : float
        Probability with which the better policy is to be ahead in total after `needed` comparisons.

    Returns
    -------
    polars.DataFrame
        Columns scenario, against, seat, the keys, better, other (line-ups; the better by its mean), plays, value (mean
        difference), low, high, n, in_sd (in standard deviations of one game), the shares of the variance policy, dice,
        interaction, each with _low and _high, beats (chance to have more in one game on the same dice, ties half) and
        beats_apart (each with its own dice), needed with needed_low and needed_high, needed_apart (own dice).
    """
    rows = []
    for match in _matches(counts, differences, scenarios, of, keys):
        effect = stats.effect_sizes(*match.difference, match.better, match.other, level)
        shares = stats.variance_shares(match.better, match.other, match.difference, level)
        needed = stats.games_needed(*match.difference, sure, level)
        rows.append(
            {
                **match.row(),
                **effect.points.row(),
                "n": effect.points.n,
                **effect.sd.row("in_sd"),
                **shares.policy.row("policy"),
                **shares.dice.row("dice"),
                **shares.interaction.row("interaction"),
                **effect.superiority.row("beats"),
                **effect.apart.row("beats_apart"),
                **needed.row("needed"),
                "needed_apart": _needed_apart(match, sure),
            }
        )
    names = ("in_sd", "policy", "dice", "interaction", "beats", "beats_apart", "needed")
    numbers = [column for name in names for column in (name, f"{name}_low", f"{name}_high")]
    schema = _KEYS | {name: scenarios.schema[name] for name in keys} | _WHO | ESTIMATE
    return table(rows, schema | dict.fromkeys([*numbers, "needed_apart"], pl.Float64))


def _needed_apart(match: _Match, sure: float) -> float:
    """Games needed where each has its own dice, from the distribution of the difference of independent games."""
    (v, c), (w, m) = match.better, match.other
    # exact while whole numbers hold it: as if every game of one met every game of the other
    d = (v[:, None] - w[None, :]).ravel()
    weights = np.outer(c.astype(object), m.astype(object)).ravel()
    largest = int(c.sum()) * int(m.sum())
    if largest > 2**62:
        weights = weights * 2**40 // largest
    return stats.games_needed(d, weights.astype(np.int64), sure).value


def chance_ahead(
    counts: pl.DataFrame,
    differences: pl.DataFrame,
    scenarios: pl.DataFrame,
    of: str = "score",
    keys: Sequence[str] = ("level",),
    games: Sequence[int] = (1, 2, 3, 5, 10, 20),
    level: float = 0.95,
) -> pl.DataFrame:
    """Chance that the better policy is ahead in total after several games, a tie counting half.

    Parameters
    ----------
    counts, differences, scenarios, of, keys
        As for `skill_and_luck`.
    games : sequence of int
        Numbers of comparisons (of `plays` games each).

    Returns
    -------
    polars.DataFrame
        Columns scenario, against, seat, the keys, better, other, plays, games, dice (``same`` or ``own``), value, low,
        high, n.
    """
    rows = []
    for match in _matches(counts, differences, scenarios, of, keys):
        for k in games:
            same = stats.ahead(*match.difference, k, level)
            own = stats.ahead_apart(*match.better, *match.other, k, level)
            for dice, e in (("same", same), ("own", own)):
                rows.append({**match.row(), "games": k, "dice": dice, **e.row(), "n": e.n})
    schema = _KEYS | {name: scenarios.schema[name] for name in keys} | _WHO
    return table(rows, schema | {"games": pl.Int64, "dice": pl.String} | ESTIMATE)


def seats_alike(games: pl.DataFrame, seed: int, alpha: float = 0.05) -> stats.SeatsAA:
    """A/A test of the seats, from rows of games with the same policy in every seat (`sim.stats.aa_seats`).

    Parameters
    ----------
    games : polars.DataFrame
        Rows as `sim.simulate` returns them: game, seat, win.
    seed : int
        Of the lots that decide shared wins.
    """
    return stats.aa_seats(*winners(games), seed, alpha=alpha)


def winners(games: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Which seats won, and how often: what `sim.stats.seat_balance` and `sim.stats.aa_seats` take.

    Parameters
    ----------
    games : polars.DataFrame
        Rows as `sim.simulate` returns them: game, seat, win.

    Returns
    -------
    patterns : bool[kinds, seats]
    counts : int64[kinds]
    """
    seats = int(games["seat"].max()) + 1 if games.height else 0  # type: ignore[arg-type]
    won = games.sort("game", "seat")["win"].to_numpy() > 0
    if seats < 2 or won.size % seats:
        return np.zeros((0, max(seats, 1)), bool), np.zeros(0, np.int64)
    patterns, counts = np.unique(won.reshape(-1, seats), axis=0, return_counts=True)
    return patterns, counts
