"""Points that make two seats even: against a count by hand, against told games, and how often the interval holds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import sim
from sim import stats
from sim.analysis.compensation import common_compensation, compensation
from sim.stats.handicap import common_points, handicap, share_with

BAND = 0.02


def by_hand(differences: list[int], points: int) -> Fraction:
    """The first side's share with so many points: a win counts 1, a tie a half."""
    results = [Fraction(int(d + points > 0)) + Fraction(int(d + points == 0), 2) for d in differences]
    return sum(results, Fraction(0)) / len(results)


def counted(differences: list[int]) -> tuple[np.ndarray, np.ndarray]:
    values, counts = np.unique(np.asarray(differences), return_counts=True)
    return values, counts


@pytest.mark.parametrize("turned", [1, -1])
def test_the_fewest_points_are_those_of_a_search_by_hand(turned: int) -> None:
    games = [turned * d for d in [-40] * 20 + [-15] * 17 + [-5] * 15 + [0] * 8 + [10] * 20 + [55] * 20]
    found = handicap(*counted(games), BAND)
    shares = {k: by_hand(games, turned * k) for k in range(60)}
    fine = [k for k, share in shares.items() if abs(share - Fraction(1, 2)) <= Fraction(2, 100)]
    assert found.points == min(fine, default=None)
    best = min(shares, key=lambda k: (abs(shares[k] - Fraction(1, 2)), k))
    assert found.fairest == best
    assert found.fairest_share.value == pytest.approx(float(by_hand(games, turned * best)))
    assert found.side == (0 if turned == 1 else 1)
    for points in (0, 3, 5, 6, 15, 16):
        assert share_with(*counted(games), points).value == pytest.approx(float(by_hand(games, points)))


def test_win_draw_and_loss_are_those_with_the_points() -> None:
    games = [-20] * 40 + [-5] * 30 + [5] * 30
    found = handicap(*counted(games), 0.15)
    assert found.points == 5
    assert [found.parts[name].value for name in ("win", "draw", "loss")] == pytest.approx([0.3, 0.3, 0.4])
    assert found.share.value == pytest.approx(0.45)


def test_a_fair_game_needs_no_points() -> None:
    found = handicap([-10, 0, 10], [30_000, 40_000, 30_000], BAND)
    assert (found.side, found.points, found.low, found.high) == (-1, 0, 0, 0)
    assert found.fits is not None
    assert found.fits[0] == 0


def test_where_a_tie_decides_no_number_of_points_may_be_fair() -> None:
    """All games end level: one point more wins them all, and none at all is fair."""
    assert handicap([0], [1000], BAND).points == 0
    # three in five games are lost by 7: 7 points make these ties, 8 make them wins
    found = handicap([-7, 9], [60_000, 40_000], BAND)
    assert found.points is None
    assert found.fairest == 0
    assert found.share.value == pytest.approx(0.4)


def test_between_steps_the_share_stays_as_it_is() -> None:
    games = [-20] * 40_000 + [-5] * 30_000 + [5] * 30_000
    found = handicap(*counted(games), 0.06)
    assert found.fits == (5, 5)  # with 6 the middle games are won, and six in ten is too many
    wider = handicap(*counted(games), 0.12)
    assert wider.fits == (5, 19)
    assert [share_with(*counted(games), k).value for k in (6, 19)] == [0.6, 0.6]


def test_one_number_of_points_for_every_strength() -> None:
    weak = counted([-30] * 45_000 + [0] * 10_000 + [30] * 45_000)
    strong = counted([-30] * 46_000 + [-4] * 8_000 + [30] * 46_000)
    found = common_points([strong, weak], 0.06)
    assert found is not None
    points, shares = found
    assert points == min(
        (k for k in range(-40, 40) if all(abs(share_with(*s, k).value - 0.5) < 0.055 for s in (weak, strong))),
        key=abs,
    )
    assert all(stats.inside(s, 0.44, 0.56) == "inside" for s in shares)
    assert common_points([strong, counted([-30] * 90_000 + [30] * 10_000)], 0.06) is None


def test_the_interval_holds_the_true_number_of_points() -> None:
    """At least 95 in 100 intervals hold the true number (up to chance: 300 repetitions, a faultless function fails
    with probability below 1e-4: binomial tail of 268 or fewer of 300 at 0.95).
    """
    values = np.arange(-60, 61, 5)
    chance = np.exp(-((values + 6.0) ** 2) / 800)
    chance /= chance.sum()
    share = {k: float(chance[values + k > 0].sum() + chance[values + k == 0].sum() / 2) for k in range(61)}
    truth = min(k for k, p in share.items() if abs(p - 0.5) <= BAND)
    assert truth > 0
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(300):
        found = handicap(values, rng.multinomial(3000, chance), BAND)
        held += (found.low or 0) <= truth and (found.high is None or truth <= found.high) and found.side != 1
    assert held >= 269


def test_no_games_and_half_points_are_refused() -> None:
    with pytest.raises(ValueError, match="no games"):
        handicap([], [], BAND)
    with pytest.raises(ValueError, match="whole numbers"):
        handicap([0.5], [3], BAND)


# ----------------------------------------------------------------------------------------------------------------------
# Parlett's game


def parlett(policy: str, games: int, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Differences and the scenario, in the form a sweep has them."""
    _, found = sim.summarise(
        "parlett", policies=[policy] * 2, games=games, seed=seed, by=["win"], pairs=[{"of": "score", "seats": [0, 1]}]
    )
    scenario = {"scenario": policy, "line_up": f"{policy} ×2", "factor": "", "seats": 2}
    return found.with_columns(scenario=pl.lit(policy)), pl.DataFrame([scenario])


def test_compensation_is_that_of_games_told_one_by_one() -> None:
    """The share with the advised points, counted again from 300 told games with the points added to the score."""
    games, seed = 300, 11
    found = compensation(parlett("greedy", games, seed), None, ["greedy"], 0.05).row(0, named=True)
    given = (found["advised"] or 0) * (-1 if found["seat"] == 1 else 1)

    def result(record: dict[str, Any], points: int) -> float:
        mine, other = record["scores"][0] + points, record["scores"][1]
        return float(np.sign(mine - other) + 1) / 2

    told = [sim.trace("parlett", policies=["greedy"] * 2, seed=seed, game_index=k) for k in range(games)]
    assert found["value"] == pytest.approx(np.mean([result(r, given) for r in told]))
    assert found["without"] == pytest.approx(np.mean([result(r, 0) for r in told]))
    wins = np.mean([result(r, given) == 1 for r in told])
    assert found["win"] == pytest.approx(wins)


def test_points_are_found_on_one_seed_and_checked_on_another() -> None:
    found, fresh = parlett("greedy", 4000, 3), parlett("greedy", 4000, 4)
    row = compensation(found, fresh, ["greedy"], BAND).row(0, named=True)
    again = handicap(fresh[0]["difference"], fresh[0]["count"], BAND)
    given = (row["advised"] or 0) * (-1 if row["seat"] == 1 else 1)
    assert row["fresh"] == pytest.approx(share_with(fresh[0]["difference"], fresh[0]["count"], given).value)
    assert row["fresh_n"] == 4000
    assert row["win"] + row["draw"] / 2 == pytest.approx(row["fresh"])
    assert row["without"] != again.without.value
    assert common_compensation(found, ["greedy"], 0.2) == 0
