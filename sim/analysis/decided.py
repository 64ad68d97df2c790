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

    A game is open while no result (who wins, or who share the win) has a chance of 1 − `open_from` or more; between two
    who do not share wins: while both win with more than `open_from`. It is decided at the first turn after the last
    such moment.

    Parameters
    ----------
    paths : polars.DataFrame
        As `win_paths` gives them. Chances from play-outs are noisy, which moves the last open moment a little (see
        docs/statistics.md).

    Returns
    -------
    polars.DataFrame
        Long: columns measure, value, low, high, n. Measures: ``share`` (of the game's turns that were played while it
        was open, mean), ``left`` (turns left to play once it is decided, mean), ``last`` (share of games that are open
        until the very last turn).

    Raises
    ------
    ValueError
        In one line: what was given, what is accepted.
    """
    _check(paths, level, open_from)
    ends = _ends(paths, open_from)
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


def _check(paths: pl.DataFrame, level: float, open_from: float = 0.05, chances: Sequence[float] = (0.1,)) -> None:
    """Refuse what no share can be told of, in one line."""
    if paths.is_empty():
        raise ValueError("paths of no game were given; accepted: paths of one game or more, as win_paths gives them")
    if not 0 < level < 1:
        raise ValueError(f"level = {level}; accepted: a number above 0 and below 1, as 0.95")
    if not 0 < open_from < 0.5:
        raise ValueError(f"open_from = {open_from}; accepted: a chance above 0 and below 0.5, as 0.05")
    for chance in chances:
        if not 0 < chance < 0.5:
            raise ValueError(f"chance = {chance}; accepted: chances above 0 and below 0.5, as 0.1")


def _ends(paths: pl.DataFrame, open_from: float) -> pl.DataFrame:
    """One row per game: game, turns, last (the last turn before which it was open, 0: none)."""
    last = pl.col("turn").filter(_is_open(open_from)).max().fill_null(0)
    own = paths.filter(pl.col("seat") == 0).group_by("game", maintain_order=True)
    return own.agg(pl.col("turns").first(), last.alias("last"))


def _is_open(open_from: float) -> pl.Expr:
    """Moments at which no result is all but certain."""
    return pl.col("surest") < 1 - open_from


def comebacks(
    paths: pl.DataFrame, chances: Sequence[float] = (0.05, 0.1, 0.2, 0.3), level: float = 0.95
) -> pl.DataFrame:
    """How often the winner had been all but beaten, against what any right chances of winning allow.

    If the chances are what they say, a seat that began with x is at p or less at some time with a chance of at most
    (1 − x) / (1 − p), and wins from there with p at most. Summed over k seats, the winner was there in at most a share
    (k − 1) p / (1 − p) of games, p / (1 − p) for two. A share surely above the bound says that the chances are wrong.

    Parameters
    ----------
    paths : polars.DataFrame
        As for `decided_time`. Where several share a win, each of them counts as its part of it.
    chances : sequence of float
        The p, above 0 and below one half.

    Returns
    -------
    polars.DataFrame
        Columns chance, value (share of games whose winner was there), low, high, n, bound (at most 1), verdict
        (``inside``: surely not above the bound; ``outside``: above; ``not yet known``).

    Raises
    ------
    ValueError
        In one line: what was given, what is accepted.
    """
    _check(paths, level, chances=chances)
    seats = 1 + int(paths["seat"].max())  # type: ignore[arg-type]
    winners = _lowest(paths)
    lowest, won = winners["lowest"].to_numpy(), winners["won"].to_numpy()
    games = paths["game"].n_unique()
    rows: list[dict[str, Any]] = []
    for p in chances:
        # parts of a win vary less than whole ones: Wilson's interval is on the safe side
        e = stats.wilson(float(won[lowest <= p].sum()), games, level)
        bound = min(1.0, (seats - 1) * p / (1 - p))
        verdict = stats.inside(e, 0.0, bound)
        rows.append({"chance": p, **e.row(), "n": e.n, "bound": bound, "verdict": str(verdict)})
    return table(rows, {"chance": pl.Float64} | ESTIMATE | {"bound": pl.Float64, "verdict": pl.String})


def _lowest(paths: pl.DataFrame) -> pl.DataFrame:
    """One row per winner: game, seat, lowest (chance before the end), won (share of the win)."""
    before = paths.filter(pl.col("turn") <= pl.col("turns"), pl.col("won") > 0)
    found = before.group_by("game", "seat", maintain_order=True)
    return found.agg(pl.col("value").min().alias("lowest"), pl.col("won").first())


def playout_noise(
    exact: pl.DataFrame, guessed: pl.DataFrame, open_from: float = 0.05, chance: float = 0.1, level: float = 0.95
) -> pl.DataFrame:
    """What play-outs, or fewer of them, make of the same games: paired differences of what is told of games.

    Parameters
    ----------
    exact, guessed : polars.DataFrame
        Paths of the same games: with exact chances or many play-outs, and with those in question. Games of `exact` that
        `guessed` has not are left out.
    open_from, chance : float
        As for `decided_time`, and one of the chances of `comebacks`.

    Returns
    -------
    polars.DataFrame
        Long: measure (``share``, ``left``, ``last``, as in `decided_time`; ``comeback``), value (mean over games of
        guessed less exact), low, high (Student's t), n (games).
    """
    both = []
    for paths in (exact.join(guessed.select(pl.col("game").unique()), on="game", how="semi"), guessed):
        back = _lowest(paths).filter(pl.col("lowest") <= chance).group_by("game").agg(pl.col("won").sum().alias("back"))
        told = _ends(paths, open_from).join(back, on="game", how="left").with_columns(pl.col("back").fill_null(0))
        left = (pl.col("turns") - pl.col("last")).cast(pl.Float64)
        both.append(
            told.sort("game").select(
                "game",
                share=pl.col("last") / pl.col("turns"),
                left=left,
                last=(left == 0).cast(pl.Float64),
                comeback=pl.col("back").cast(pl.Float64),
            )
        )
    rows = []
    for measure in ("share", "left", "last", "comeback"):
        values, counts = np.unique((both[1][measure] - both[0][measure]).to_numpy(), return_counts=True)
        e = stats.mean(values, counts, level)
        rows.append({"measure": measure, **e.row(), "n": e.n})
    return table(rows, {"measure": pl.String} | ESTIMATE)


def _moves(paths: pl.DataFrame) -> pl.DataFrame:
    """Moments before the end with the chance after the move, and the change."""
    after = pl.col("value").shift(-1).over("game", "seat")
    moves = paths.with_columns(after=after).drop_nulls("after")
    return moves.with_columns(change=pl.col("after") - pl.col("value"))


def deciding_moments(paths: pl.DataFrame) -> pl.DataFrame:
    """The moment of each game that raised a chance most.

    Returns
    -------
    polars.DataFrame
        One row per game: game, turn, turns, mover (whose move it was; −1 everybody's), seat (whose chance rose most),
        value (before), after, change, won (the share of that seat). Games whose chances never change have none.
    """
    moves = _moves(paths)
    largest = (pl.col("change") == pl.col("change").max().over("game")) & (pl.col("change") > 0)
    found = moves.filter(largest).unique("game", keep="first", maintain_order=True).sort("game")
    return found.select("game", "turn", "turns", "mover", "seat", "value", "after", "change", "won")


def chance_bands(
    paths: pl.DataFrame, shares: Sequence[float] = (0.1, 0.25, 0.5, 0.75, 0.9), steps: int = 50, seat: int = 0
) -> pl.DataFrame:
    """How far chances are spread while a game goes on: quantiles over games, after so much of each was played.

    Parameters
    ----------
    paths : polars.DataFrame
        As for `decided_time`.
    shares : sequence of float
        The quantiles, 0 … 1; different ones in whole percents.
    steps : int
        Into how many equal parts a game is cut, 1 or more.
    seat : int
        Whose chances.

    Returns
    -------
    polars.DataFrame
        Columns played (0 … 1, share of the game's turns), then q10, q25, … of the chance of that seat (0 … 1), n
        (games).

    Raises
    ------
    ValueError
        In one line: what was given, what is accepted.
    """
    names = {f"q{round(100 * q):02d}": q for q in shares if 0 <= q <= 1}
    if not names or len(names) < len(shares):
        raise ValueError(
            f"shares = {list(shares)}; accepted: one or more quantiles from 0 to 1 that differ in whole percents"
        )
    if steps < 1:
        raise ValueError(f"steps = {steps}; accepted: a whole number of at least 1")
    if seat not in (seats := paths["seat"].unique().sort().to_list()):
        raise ValueError(f"seat = {seat}; accepted: a seat of these games, of {seats}")
    grid = pl.DataFrame({"played": np.arange(steps + 1) / steps})
    # a chance holds until the next move, so after a share of the turns the last one before it counts; the first one
    # holds from the beginning, also where the first turns need no roll
    own = paths.filter(pl.col("seat") == seat)
    at = (pl.col("turn") - 1) / pl.col("turns")
    first = pl.col("turn") == pl.col("turn").min().over("game")
    moments = own.select("game", "value", at=pl.when(first).then(0.0).otherwise(at)).sort("at", maintain_order=True)
    asked = own.select(pl.col("game").unique(maintain_order=True)).join(grid, how="cross").sort("played")
    found = asked.join_asof(moments, left_on="played", right_on="at", by="game", check_sortedness=False)
    return (
        found.group_by("played")
        .agg(*(pl.col("value").quantile(q, "linear").alias(name) for name, q in names.items()), n=pl.len())
        .sort("played")
        .cast({"n": pl.Int64})
    )


def example_games(paths: pl.DataFrame, open_from: float = 0.05, seat: int = 0) -> pl.DataFrame:
    """Three games that show when games are decided, picked by rank and not by looks.

    ``early``: one in twenty is decided as early; ``typical``: half of the games are decided earlier; ``last``: of those
    that the last move decides, half are changed less by it.

    Parameters
    ----------
    paths : polars.DataFrame
        As for `decided_time`.
    open_from : float
    seat : int
        Whose chances are told.

    Returns
    -------
    polars.DataFrame
        Columns kind, game, turn (of the move that decided: the last one before which the game was open), turns, mover,
        before, after (chance of that seat), won (its share). A kind without games is left out, and so are games that
        are never open.
    """
    moves = _moves(paths.filter(pl.col("seat") == seat))
    last = moves.filter(_is_open(open_from)).unique("game", keep="last", maintain_order=True)
    ends = last.select("game", "turn", "turns", "mover", pl.col("value").alias("before"), "after", "won")
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


def tie_counts(games: pl.DataFrame, keys: Sequence[str] = ()) -> pl.DataFrame:
    """How many games had a shared highest score, and how they ended.

    Parameters
    ----------
    games : polars.DataFrame
        Rows of Caterpillars games for two or more players, as `sim.simulate` returns them: game, seat, score, win.
    keys : sequence of str
        Columns to tell apart, as scenario.

    Returns
    -------
    polars.DataFrame
        The keys, players, games, tied (at least two have the highest score), broken (of these the tie-break found one
        winner), shared (the win was shared).
    """
    best = pl.col("score") == pl.col("score").max()
    each = games.group_by([*keys, "game"], maintain_order=True).agg(
        players=pl.len().cast(pl.Int64), best=best.sum(), winners=(pl.col("win") > 0).sum()
    )
    tied, alone = pl.col("best") > 1, pl.col("winners") == 1
    return each.group_by([*keys, "players"], maintain_order=True).agg(
        games=pl.len().cast(pl.Int64),
        tied=tied.sum().cast(pl.Int64),
        broken=(tied & alone).sum().cast(pl.Int64),
        shared=(~alone).sum().cast(pl.Int64),
    )


def tie_shares(counts: pl.DataFrame, level: float = 0.95) -> pl.DataFrame:
    """Shares of games, with Wilson's interval, from what `tie_counts` counted: see `ties`."""
    keys = counts.columns[: counts.columns.index("games")]
    rows = []
    for row in counts.iter_rows(named=True):
        for measure in ("tied", "broken", "shared"):
            e = stats.wilson(row[measure], row["games"], level)
            rows.append({**{k: row[k] for k in keys}, "measure": measure, **e.row(), "n": e.n})
    schema: dict[str, Any] = {name: counts.schema[name] for name in keys}
    return table(rows, schema | {"measure": pl.String} | ESTIMATE)


def ties(games: pl.DataFrame, keys: Sequence[str] = (), level: float = 0.95) -> pl.DataFrame:
    """How often the highest score is shared, how often the tie-break decides, and how often nothing does.

    Parameters
    ----------
    games, keys
        As for `tie_counts`.

    Returns
    -------
    polars.DataFrame
        Long: the keys, players, measure, value, low, high, n (games). Measures: ``tied`` (at least two have the highest
        score), ``broken`` (of all games: tied, and the tie-break found one winner), ``shared`` (the win was shared).
    """
    return tie_shares(tie_counts(games, keys), level)
