"""When a game is decided: paths of the chance of winning, comebacks against their bound, ties and tie-breaks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from sim import stats
from sim.analysis.frames import ESTIMATE, table


def decided_time(paths: pl.DataFrame, open_from: float = 0.05, level: float = 0.95) -> pl.DataFrame:
    """How late a game is decided, and how long one sits through the rest.

    A game is open while the chance of seat 0 is strictly between `open_from` and 1 − `open_from`; it is decided at the
    first turn after the last such moment.

    Parameters
    ----------
    paths : polars.DataFrame
        One row per moment: game, turn, turns, value, won; as ``sim.games.get("karolinchen").win_paths`` gives them.

    Returns
    -------
    polars.DataFrame
        Long: columns measure, value, low, high, n. Measures: ``share`` (of the game's turns that were played while it
        was open, mean), ``left`` (turns left to play once it is decided, mean), ``last`` (share of games that are open
        until the very last turn).
    """
    inside = pl.col("value").is_between(open_from, 1 - open_from, closed="none")
    ends = paths.group_by("game").agg(
        pl.col("turns").first(), pl.col("turn").filter(inside).max().fill_null(0).alias("last")
    )
    share = (ends["last"] / ends["turns"]).to_numpy()
    left = (ends["turns"] - ends["last"]).to_numpy().astype(np.float64)
    rows = []
    for measure, values, estimate in (
        ("share", share, stats.mean_share),
        ("left", left, stats.mean),
        ("last", (left == 0).astype(np.float64), stats.mean_share),
    ):
        found, counts = np.unique(values, return_counts=True)
        e = estimate(found, counts, level)
        rows.append({"measure": measure, **e.row(), "n": e.n})
    return table(rows, {"measure": pl.String} | ESTIMATE)


def comebacks(
    paths: pl.DataFrame, chances: Sequence[float] = (0.05, 0.1, 0.2, 0.3), level: float = 0.95
) -> pl.DataFrame:
    """How often the winner had been all but beaten, against what any fair chance of winning allows.

    If the chances are what they say, the winner was at p or less at some time in at most a share p / (1 − p) of games:
    a seat is there with a chance of at most (1 − x) / (1 − p), x being where it began, and wins from there with p. A
    share surely above the bound says that the chances are wrong.

    Parameters
    ----------
    paths : polars.DataFrame
        As for `decided_time`.
    chances : sequence of float
        The p, below one half.

    Returns
    -------
    polars.DataFrame
        Columns chance, value (share of games whose winner was there), low, high, n, bound, verdict (``inside``: surely
        not above the bound; ``outside``: above; ``not yet known``).
    """
    own = pl.when(pl.col("won")).then(pl.col("value")).otherwise(1 - pl.col("value"))
    lowest = paths.group_by("game").agg(own.min().alias("lowest"))["lowest"].to_numpy()
    rows: list[dict[str, Any]] = []
    for p in chances:
        e = stats.wilson(int((lowest <= p).sum()), len(lowest), level)
        bound = p / (1 - p)
        verdict = stats.inside(e, 0.0, bound)
        rows.append({"chance": p, **e.row(), "n": e.n, "bound": bound, "verdict": str(verdict)})
    return table(rows, {"chance": pl.Float64} | ESTIMATE | {"bound": pl.Float64, "verdict": pl.String})


def deciding_moments(paths: pl.DataFrame) -> pl.DataFrame:
    """The moment of each game that changed the chances most.

    Returns
    -------
    polars.DataFrame
        One row per game: game, turn, turns, seat (who rolled), value (before), after, change (of seat 0), won.
    """
    moves = paths.with_columns(after=pl.col("value").shift(-1).over("game")).drop_nulls("after")
    moves = moves.with_columns(change=pl.col("after") - pl.col("value"))
    largest = pl.col("change").abs() == pl.col("change").abs().max().over("game")
    found = moves.filter(largest).unique("game", keep="first", maintain_order=True).sort("game")
    return found.select("game", "turn", "turns", "seat", "value", "after", "change", "won")


def chance_bands(
    paths: pl.DataFrame, shares: Sequence[float] = (0.1, 0.25, 0.5, 0.75, 0.9), steps: int = 50
) -> pl.DataFrame:
    """How far chances are spread while a game goes on: quantiles over games, after so much of each was played.

    Parameters
    ----------
    paths : polars.DataFrame
        As for `decided_time`.
    shares : sequence of float
        The quantiles.
    steps : int
        Into how many equal parts a game is cut.

    Returns
    -------
    polars.DataFrame
        Columns played (0 … 1, share of the game's turns), then q10, q25, … of the chance of seat 0 (0 … 1), n (games).
    """
    grid = pl.DataFrame({"played": np.arange(steps + 1) / steps})
    # a chance holds until the next roll, so after a share of the turns the last one before it counts; the first one
    # holds from the beginning, also where the first turns need no roll
    at = (pl.col("turn") - 1) / pl.col("turns")
    first = pl.col("turn") == pl.col("turn").min().over("game")
    moments = paths.select("game", "value", at=pl.when(first).then(0.0).otherwise(at)).sort("at", maintain_order=True)
    asked = paths.select(pl.col("game").unique(maintain_order=True)).join(grid, how="cross").sort("played")
    found = asked.join_asof(moments, left_on="played", right_on="at", by="game", check_sortedness=False)
    names = {f"q{round(100 * q):02d}": q for q in shares}
    return (
        found.group_by("played")
        .agg(*(pl.col("value").quantile(q, "linear").alias(name) for name, q in names.items()), n=pl.len())
        .sort("played")
        .cast({"n": pl.Int64})
    )


def example_games(paths: pl.DataFrame, open_from: float = 0.05) -> pl.DataFrame:
    """Three games that show when games are decided, picked by rank and not by looks.

    ``early``: one in twenty is decided as early; ``typical``: half of the games are decided earlier; ``last``: of those
    that the last roll decides, half are changed less by it.

    Returns
    -------
    polars.DataFrame
        Columns kind, game, turn (of the roll that decided: the last one before which the game was open), turns, seat
        (who rolled), before, after (chance of seat 0), won (seat 0). A kind without games is left out, and so are games
        that are never open.
    """
    inside = pl.col("value").is_between(open_from, 1 - open_from, closed="none")
    moves = paths.with_columns(after=pl.col("value").shift(-1).over("game")).drop_nulls("after")
    last = moves.filter(inside).unique("game", keep="last", maintain_order=True)
    ends = last.select("game", "turn", "turns", "seat", pl.col("value").alias("before"), "after", "won")
    ranked = ends.sort(pl.col("turn") / pl.col("turns"), "game")
    swing = (pl.col("after") - pl.col("before")).abs()
    final = ends.filter(pl.col("turn") == pl.col("turns")).sort(swing, "game")
    rows = [
        part[int(share * part.height)].with_columns(kind=pl.lit(kind))
        for kind, part, share in (("early", ranked, 0.05), ("typical", ranked, 0.5), ("last", final, 0.5))
        if part.height
    ]
    names = ("kind", *ends.columns)
    return pl.concat(rows).select(names) if rows else ends.with_columns(kind=pl.lit("")).select(names)


def ties(games: pl.DataFrame, keys: Sequence[str] = (), level: float = 0.95) -> pl.DataFrame:
    """How often the highest score is shared, how often the tie-break decides, and how often nothing does.

    Parameters
    ----------
    games : polars.DataFrame
        Rows of Caterpillars games for two or more players, as `sim.simulate` returns them: game, seat, score, win.
    keys : sequence of str
        Columns to tell apart, as scenario.

    Returns
    -------
    polars.DataFrame
        Long: the keys, players, measure, value, low, high, n (games). Measures: ``tied`` (at least two have the highest
        score), ``broken`` (of all games: tied, and the tie-break found one winner), ``shared`` (the win was shared).
    """
    best = pl.col("score") == pl.col("score").max()
    each = games.group_by([*keys, "game"], maintain_order=True).agg(
        players=pl.len(), best=best.sum(), winners=(pl.col("win") > 0).sum()
    )
    rows = []
    for values, part in each.partition_by([*keys, "players"], as_dict=True, maintain_order=True).items():
        key = dict(zip([*keys, "players"], values, strict=True))
        counts = {
            "tied": part["best"] > 1,
            "broken": (part["best"] > 1) & (part["winners"] == 1),
            "shared": part["winners"] > 1,
        }
        for measure, hit in counts.items():
            e = stats.wilson(int(hit.sum()), part.height, level)
            rows.append({**key, "measure": measure, **e.row(), "n": e.n})
    schema: dict[str, Any] = {name: games.schema[name] for name in keys}
    return table(rows, schema | {"players": pl.Int64, "measure": pl.String} | ESTIMATE)
