"""Paths of the chance of winning, when games are decided, comebacks against their bound, ties."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import polars as pl
import pytest

import sim
from sim import analysis

GAMES = 1500


@cache
def paths(reroll: bool = False) -> pl.DataFrame:
    return sim.win_paths("karolinchen", rules={"reroll_after_eating": reroll}, games=GAMES, seed=5)


@pytest.mark.parametrize("reroll", [False, True])
def test_chances_are_a_martingale_that_ends_as_the_games_do(reroll: bool) -> None:
    """Mean change 0, also where the chance was high or low: |z| < 4.1 three times (two rules), error rate 3e-4."""
    found = paths(reroll)
    games = {"rules": {"reroll_after_eating": reroll}, "policies": ["optimal"] * 2, "games": GAMES, "seed": 5}
    rows = sim.simulate("karolinchen", **games)
    ends = found.group_by("game", "seat", maintain_order=True).last()
    assert ends["value"].to_list() == rows["win"].to_list() == ends["won"].to_list()
    assert ends["turns"].to_list() == rows["turns"].to_list()
    own = found.filter(pl.col("seat") == 0)
    assert (own["value"] + found.filter(pl.col("seat") == 1)["value"] == 1).all()
    moves = own.with_columns(change=pl.col("value").shift(-1).over("game") - pl.col("value")).drop_nulls("change")
    for low, high in ((0.0, 1.0), (0.0, 0.3), (0.7, 1.0)):
        change = moves.filter(pl.col("value").is_between(low, high))["change"].to_numpy()
        assert abs(change.mean()) < 4.1 * change.std() / np.sqrt(change.size)
    assert moves.filter(pl.col("mover") == 0)["change"].std() > 0.05


def test_a_first_chance_is_that_of_the_exact_answer() -> None:
    """Mean chance before the first roll against the chance before the opening roll: |z| < 4.1, error rate 4e-5."""
    first = paths().filter(pl.col("seat") == 0).group_by("game", maintain_order=True).first()["value"].to_numpy()
    exact = sim.solve("karolinchen", policies=["optimal", "optimal"]).win[0]
    assert abs(first.mean() - exact) < 4.1 * first.std() / np.sqrt(first.size)


def game(number: int, values: list[float], turns: int) -> pl.DataFrame:
    """A path of two with one moment per turn, and the end; `values` are the chances of seat 0."""
    return many(number, [[v, 1 - v] for v in values], turns)


def many(number: int, chances: list[list[float]], turns: int) -> pl.DataFrame:
    """A path with one moment per turn, and the end; one list of chances, by seat, per moment."""
    n, k = len(chances), len(chances[0])
    return pl.DataFrame(
        {
            "game": [number] * (n * k),
            "turn": [turn for turn in [*range(1, n), turns + 1] for _ in range(k)],
            "turns": [turns] * (n * k),
            "mover": [mover for mover in [*(i % k for i in range(n - 1)), -1] for _ in range(k)],
            "seat": [*range(k)] * n,
            "value": [value for moment in chances for value in moment],
            "won": chances[-1] * n,
            "surest": [max(moment) for moment in chances[:-1] for _ in range(k)] + [1.0] * k,
        }
    )


def test_decided_time_by_hand() -> None:
    both = pl.concat([game(1, [0.5, 0.96, 0.9, 0.97, 1.0], 4), game(2, [0.5, 0.5, 0.5, 0.5, 0.0], 4)])
    found = {r["measure"]: r["value"] for r in analysis.decided_time(both).iter_rows(named=True)}
    assert found["share"] == pytest.approx((3 / 4 + 4 / 4) / 2)
    assert found["left"] == pytest.approx((1 + 0) / 2)
    assert found["last"] == pytest.approx(0.5)


def test_comebacks_keep_their_bound_and_wrong_chances_are_found_out() -> None:
    """Exact chances are inside; the same games with chances pushed away from one half are above the bound."""
    assert (analysis.comebacks(paths())["verdict"] == "inside").all()
    pushed = (3 * (pl.col("value") - 0.5) + 0.5).clip(0, 1)
    bold = paths().with_columns(value=pl.when(pl.col("mover") < 0).then(pl.col("value")).otherwise(pushed))
    assert (analysis.comebacks(bold, [0.05, 0.1])["verdict"] == "outside").all()
    found = analysis.comebacks(pl.concat([game(1, [0.5, 0.1, 1.0], 2), game(2, [0.5, 0.4, 0.0], 2)]), [0.2])
    assert found["value"][0] == 0.5
    assert found["bound"][0] == 0.25


def test_the_moment_that_decided() -> None:
    found = analysis.deciding_moments(game(7, [0.5, 0.6, 0.2, 1.0], 3))
    assert found.row(0, named=True) == {
        "game": 7, "turn": 3, "turns": 3, "mover": 0, "seat": 0, "value": 0.2, "after": 1.0, "change": 0.8, "won": 1.0
    }  # fmt: skip
    whole = analysis.deciding_moments(paths())
    assert whole.height == GAMES
    assert (whole["change"] > 0).all()


def test_three_players_by_hand() -> None:
    """Open while the likeliest result is below 95 %; each seat's way to the win counts towards twice p / (1 − p)."""
    one = many(1, [[0.3, 0.3, 0.4], [0.02, 0.02, 0.96], [0.08, 0.32, 0.6], [0.03, 0.97, 0.0], [0.0, 1.0, 0.0]], 4)
    two = many(2, [[0.4, 0.3, 0.3], [0.1, 0.6, 0.3], [0.5, 0.5, 0.0]], 2)
    both = pl.concat([one, two])
    found = {r["measure"]: r["value"] for r in analysis.decided_time(both).iter_rows(named=True)}
    assert found == pytest.approx({"share": (3 / 4 + 2 / 2) / 2, "left": 1 / 2, "last": 1 / 2})
    back = analysis.comebacks(both, [0.02, 0.2])
    assert back["value"].to_list() == pytest.approx([1 / 2, (1 + 1 / 2) / 2])  # half of a shared win
    assert back["bound"].to_list() == pytest.approx([2 * 0.02 / 0.98, 2 * 0.2 / 0.8])
    assert analysis.comebacks(both, [0.4])["bound"][0] == 1.0
    moment = analysis.deciding_moments(two).row(0, named=True)
    assert (moment["turn"], moment["seat"], moment["after"]) == (2, 0, 0.5)
    bands = analysis.chance_bands(both, [0.5], steps=2, seat=2)
    assert bands["q50"].to_list() == pytest.approx([0.35, 0.45, 0.0])
    early = analysis.example_games(two, seat=1).row(0, named=True)
    assert (early["kind"], early["turn"], early["before"], early["after"]) == ("early", 2, 0.6, 0.5)


def test_what_play_outs_make_of_games_by_hand() -> None:
    """Paired over the games that both have: open for one turn of four more, and one winner more from a low chance."""
    exact = pl.concat([game(1, [0.5, 0.96, 0.97, 0.98, 1.0], 4), game(2, [0.5, 0.3, 0.0], 2), game(3, [0.5, 1.0], 1)])
    found = pl.concat([game(1, [0.5, 0.94, 0.97, 0.98, 1.0], 4), game(2, [0.92, 0.3, 0.0], 2)])
    noise = {r["measure"]: (r["value"], r["n"]) for r in analysis.playout_noise(exact, found).iter_rows(named=True)}
    assert noise["share"] == (pytest.approx((1 / 4 + 0) / 2), 2)
    assert noise["left"] == (pytest.approx(-1 / 2), 2)
    assert noise["last"] == (0, 2)
    assert noise["comeback"] == (pytest.approx(1 / 2), 2)


def test_a_shared_win_that_is_certain_is_decided() -> None:
    """Nobody's chance is above a half, and yet nothing is open any more."""
    path = game(1, [0.5, 0.5, 0.5], 2).with_columns(surest=pl.Series([0.6, 0.6, 1.0, 1.0, 1.0, 1.0]))
    found = {r["measure"]: r["value"] for r in analysis.decided_time(path).iter_rows(named=True)}
    assert found["share"] == 0.5


def test_ties_are_those_of_the_scores() -> None:
    frame = sim.simulate("caterpillars", policies=["weighted", "greedy", "child"], games=2000, seed=4)
    found = {r["measure"]: r["value"] for r in analysis.ties(frame).iter_rows(named=True)}
    scores = frame["score"].to_numpy().reshape(-1, 3)
    sums = frame["box_sum"].to_numpy().reshape(-1, 3)
    tied = (scores == scores.max(axis=1, keepdims=True)).sum(axis=1) > 1
    best = np.where(scores == scores.max(axis=1, keepdims=True), sums, -1)
    alone = (best == best.max(axis=1, keepdims=True)).sum(axis=1) == 1
    assert found["tied"] == pytest.approx(tied.mean())
    assert found["broken"] == pytest.approx((tied & alone).mean())
    assert found["shared"] == pytest.approx((~alone).mean())
    assert found["tied"] == pytest.approx(found["broken"] + found["shared"])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda p: analysis.comebacks(p, [0.1, 0.5]), r"chance = 0\.5; accepted: chances above 0 and below 0\.5"),
        (lambda p: analysis.comebacks(p, [0.0]), r"chance = 0\.0; accepted: chances above 0"),
        (lambda p: analysis.comebacks(p, level=1.0), r"level = 1\.0; accepted: a number above 0 and below 1"),
        (lambda p: analysis.comebacks(p.clear()), "paths of no game were given; accepted: paths of one game"),
        (lambda p: analysis.decided_time(p.clear()), "paths of no game were given; accepted: paths of one game"),
        (lambda p: analysis.decided_time(p, 0.0), r"open_from = 0\.0; accepted: a chance above 0 and below 0\.5"),
        (lambda p: analysis.decided_time(p, 0.5), r"open_from = 0\.5; accepted: a chance above 0 and below 0\.5"),
        (lambda p: analysis.decided_time(p, level=0.0), r"level = 0\.0; accepted: a number above 0 and below 1"),
        (lambda p: analysis.chance_bands(p, steps=0), "steps = 0; accepted: a whole number of at least 1"),
        (lambda p: analysis.chance_bands(p, seat=2), r"seat = 2; accepted: a seat of these games, of \[0, 1\]"),
        (lambda p: analysis.chance_bands(p, [0.1, 0.101]), r"shares = \[0\.1, 0\.101\]; accepted: .* whole percents"),
        (lambda p: analysis.chance_bands(p, [0.1, 1.5]), r"shares = \[0\.1, 1\.5\]; accepted: .* from 0 to 1"),
    ],
)
def test_what_cannot_be_told_is_refused_in_one_line(call: Callable[[pl.DataFrame], object], said: str) -> None:
    with pytest.raises(ValueError, match=f"^{said}") as error:
        call(game(1, [0.5, 0.6, 1.0], 2))
    assert "\n" not in str(error.value)
