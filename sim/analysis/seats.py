"""Does a seat help? Shares of the wins by seat against the fair share."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from sim import stats
from sim.analysis.frames import ESTIMATE, arrays, attach, groups, table


def seat_shares(
    counts: pl.DataFrame,
    scenarios: pl.DataFrame,
    band: float,
    keys: Sequence[str] = ("variant", "seats", "line_up"),
    level: float = 0.95,
) -> pl.DataFrame:
    """Share of the wins by seat (a shared win counts 1/k), against the fair share 1/k.

    Only line-ups with the same policy in every seat say anything about seats alone; others are reported as they are.

    Parameters
    ----------
    band : float
        Departure from the fair share that is still balanced, e.g. 0.02 for two points.

    Returns
    -------
    polars.DataFrame
        Columns scenario, the keys, seat, value (share of wins), low, high (simultaneous over the seats), n, win,
        draw, loss (shares of
        games), fair (1/k), mirror (bool: same policy in every seat), chi_square, p_value (games without shared wins
        only), spread
        (standard deviation of the seats' shares, corrected for noise), verdict.
    """
    frame = attach(counts, scenarios.filter(pl.col("seats") > 1), keys)
    players = [n for n in scenarios.columns if n.startswith("seat") and n[4:].isdigit()]
    mirror = {
        row["scenario"]: len({row[n] for n in players if row[n] is not None}) == 1
        for row in scenarios.iter_rows(named=True)
    }
    rows = []
    for key, part in groups(frame, ["scenario", *keys]):
        parts = [(s["seat"], p) for s, p in groups(part.sort("seat"), ["seat"])]
        k = len(parts)
        samples = [arrays(p, "win") for _, p in parts]
        n = int(samples[0][1].sum())
        wins = [float((v * c).sum()) for v, c in samples]
        alone = all(np.isin(v, (0.0, 1.0)).all() for v, _ in samples)
        if alone:
            fair = stats.fair_share([round(w) for w in wins], n, level)
            shares, test = fair.shares, (fair.chi_square, fair.p_value, fair.spread)
        else:
            # of two seats, both intervals hold or fail together; with more, shares of wins go together in unknown ways
            each = stats.seat_level([w / n for w in wins], level) if k == 2 else 1 - (1 - level) / k
            shares = [stats.mean_share(*s, each) for s in samples]
            test = (math.nan, math.nan, _spread(samples, n))
        for (seat, _), share, s in zip(parts, shares, samples, strict=True):
            parts_of = {name: e.value for name, e in stats.win_draw_loss(*s, level).items()}
            rows.append(
                {
                    **key,
                    "seat": seat,
                    **share.row(),
                    "n": n,
                    **parts_of,
                    "fair": 1 / k,
                    "mirror": mirror[key["scenario"]],
                    "chi_square": test[0],
                    "p_value": test[1],
                    "spread": test[2],
                    "verdict": str(stats.inside(share, 1 / k - band, 1 / k + band)),
                }
            )
    numbers = dict.fromkeys(("win", "draw", "loss", "fair", "chi_square", "p_value", "spread"), pl.Float64)
    schema = {"scenario": pl.String} | {name: scenarios.schema[name] for name in keys} | {"seat": pl.Int64} | ESTIMATE
    return table(rows, schema | numbers | {"mirror": pl.Boolean, "verdict": pl.String})


def odd_one_out(counts: pl.DataFrame, scenarios: pl.DataFrame, level: float = 0.95) -> pl.DataFrame:
    """One player plays differently from all the others: what it does to that player's share of the wins.

    Three or more seats, one of them with another policy; compared with the same seat where everybody plays alike.

    Returns
    -------
    polars.DataFrame
        Columns scenario, seats, policy (of the odd one), others, seat, value (share of wins), low, high, n, alike
        (share of that seat when
        all play as the others), change, change_low, change_high (independent games).
    """
    players = [n for n in scenarios.columns if n.startswith("seat") and n[4:].isdigit()]
    shares = {}
    line_ups = {}
    for row in scenarios.iter_rows(named=True):
        line_ups[row["scenario"]] = tuple(row[n] for n in players if row[n] is not None)
    for key, part in groups(counts.sort("scenario", "seat", maintain_order=True), ["scenario", "seat"]):
        if key["scenario"] in line_ups:
            shares[line_ups[key["scenario"]], key["seat"]] = stats.mean_share(*arrays(part, "win"), level)
    rows = []
    for scenario, line_up in line_ups.items():
        names = sorted(set(line_up), key=line_up.count)
        if len(line_up) < 3 or len(names) != 2 or line_up.count(names[0]) != 1:
            continue
        seat, alike = line_up.index(names[0]), (names[1],) * len(line_up)
        if (alike, seat) not in shares:
            continue
        mine, theirs = shares[line_up, seat], shares[alike, seat]
        change, half = mine.value - theirs.value, math.hypot(mine.half_width, theirs.half_width)
        who = {"scenario": scenario, "seats": len(line_up), "policy": names[0], "others": names[1], "seat": seat}
        ends = {"change": change, "change_low": change - half, "change_high": change + half}
        rows.append({**who, **mine.row(), "n": mine.n, "alike": theirs.value, **ends})
    schema = {"scenario": pl.String, "seats": pl.Int64, "policy": pl.String, "others": pl.String, "seat": pl.Int64}
    return table(rows, schema | ESTIMATE | dict.fromkeys(("alike", "change", "change_low", "change_high"), pl.Float64))


def shares_by(
    counts: pl.DataFrame,
    scenarios: pl.DataFrame,
    attribute: str,
    keys: Sequence[str] = ("variant", "seats", "line_up"),
    level: float = 0.95,
) -> pl.DataFrame:
    """Share of the wins by something a player has, over all seats: say, the start fruit.

    Returns
    -------
    polars.DataFrame
        Columns scenario, the keys, `attribute`, value, low, high, n (players that had it), fair.

    Notes
    -----
    A player's share is a proportion over games; a game enters once for each player with that value.
    """
    frame = attach(counts, scenarios, keys)
    rows = []
    for key, part in groups(frame, ["scenario", *keys]):
        for value, own in groups(part.sort(attribute, maintain_order=True), [attribute]):
            e = stats.mean_share(*arrays(own, "win"), level)
            rows.append({**key, **value, **e.row(), "n": e.n, "fair": 1 / part["seat"].n_unique()})
    schema = {"scenario": pl.String} | {name: scenarios.schema[name] for name in keys}
    return table(rows, schema | {attribute: pl.Int64} | ESTIMATE | {"fair": pl.Float64})


def _spread(samples: Sequence[tuple[np.ndarray, np.ndarray]], n: int) -> float:
    """Noise-corrected spread of the seats' mean shares; the covariances between seats are left out, which corrects
    too little.
    """
    moments = [stats.moments(*s) for s in samples]
    means = np.array([m.mean for m in moments])
    noise = sum(m.sd**2 for m in moments) / n * (1 - 1 / means.size)
    return math.sqrt(max(0.0, float(((means - means.mean()) ** 2).sum()) - noise) / means.size)
