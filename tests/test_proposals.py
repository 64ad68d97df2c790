"""From candidates to a proposal, and from fresh games to a verdict."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest

import sim
from sim.analysis.candidates import SCHEMA, Games
from sim.analysis.candidates_levels import Step, setup_candidates, step_candidates
from sim.analysis.candidates_seats import seat_candidates, shortening_candidates
from sim.analysis.frames import table
from sim.analysis.proposals import ENOUGH, NOTHING, PROPOSAL, Pick, pick, same_candidate, settle

SMALLEST = 0.01


def offer(
    setting: str, gain: float, *, half: float = 0.004, reaches: str = "outside", cost: float = 0.0
) -> dict[str, Any]:
    """A candidate with a gain, its interval, and whether it reaches the target."""
    return {
        "question": "q",
        "measure": "m",
        "at": "",
        "factor": "rule",
        "setting": setting,
        "value": 0.5 + gain,
        "low": 0.5 + gain - half,
        "high": 0.5 + gain + half,
        "n": 1000,
        "base": 0.5,
        "base_low": 0.49,
        "base_high": 0.51,
        "gain": gain,
        "gain_low": gain - half,
        "gain_high": gain + half,
        "cost": cost,
        "smallest": SMALLEST,
        "target_low": 0.9,
        "target_high": 1.0,
        "reaches": reaches,
        "base_reaches": "outside",
    }


def offers(*rows: dict[str, Any]) -> pl.DataFrame:
    return table(rows, SCHEMA)


# ----------------------------------------------------------------------------------------------------------------------
# The rule


def test_of_those_that_reach_the_target_the_mildest_is_taken() -> None:
    found = pick(
        offers(
            offer("bold", 0.49, reaches="inside", cost=60),
            offer("mild", 0.41, reaches="inside", cost=20),
            offer("too mild", 0.2, cost=5),
            offer("perhaps", 0.4, reaches="not yet known", cost=1),
        )
    )
    assert (found.status, found.row["setting"]) == (PROPOSAL, "mild")
    assert (found.compared, found.better, found.enough) == (4, 4, 2)


def test_where_none_reaches_it_the_one_that_gains_most() -> None:
    found = pick(offers(offer("a", 0.1, cost=1), offer("b", 0.3, cost=9), offer("c", 0.2, cost=0)))
    assert (found.status, found.row["setting"], found.enough) == (PROPOSAL, "b", 0)


def test_a_gain_counts_only_with_its_whole_interval_above_the_smallest_that_matters() -> None:
    just = offer("just", SMALLEST + 0.003)  # its interval reaches below
    found = pick(offers(just, offer("worse", -0.2), offer("none", 0.0)))
    assert found.status == NOTHING
    assert found.compared == 3
    assert found.row["setting"] is None
    assert found.row["base"] == 0.5


def test_what_is_good_as_printed_is_left_alone() -> None:
    rows = [offer(name, 0.3, reaches="inside") | {"base_reaches": "inside"} for name in "ab"]
    found = pick(offers(*rows))
    assert (found.status, found.row["factor"], found.compared) == (ENOUGH, None, 2)


def test_without_candidates_there_is_nothing_to_propose() -> None:
    found = pick(offers(), "q")
    assert (found.status, found.compared, found.row["question"]) == (NOTHING, 0, "q")


# ----------------------------------------------------------------------------------------------------------------------
# Planted effects


def race(rng: np.random.Generator, means: dict[str, float], games: int = 4000) -> Games:
    """A made-up race of two: turns with these means, the printed rules first; the same luck in every variant."""
    luck = rng.normal(0, 8, games)
    counts, differences, scenarios = [], [], []
    printed: np.ndarray | None = None
    for name, mean in means.items():
        turns = np.rint(mean + luck + rng.normal(0, 4, games)).astype(int)
        values, number = np.unique(turns, return_counts=True)
        counts += [
            {"scenario": name, "seat": 0, "turns": int(v), "count": int(c)} for v, c in zip(values, number, strict=True)
        ]
        if printed is None:
            printed = turns
        else:
            values, number = np.unique(turns - printed, return_counts=True)
            differences += [
                {
                    "scenario": name,
                    "against": "printed",
                    "of": "turns",
                    "seat": 0,
                    "difference": float(v),
                    "count": int(c),
                }
                for v, c in zip(values, number, strict=True)
            ]
        told = ("", "") if name == "printed" else ("rule", name)
        scenarios.append({"scenario": name, "line_up": "p ×2", "factor": told[0], "value": told[1], "seats": 2})
    return Games(pl.DataFrame(counts), pl.DataFrame(differences), pl.DataFrame(scenarios))


def shorter(games: Games, enough: float = 0.9) -> pl.DataFrame:
    return shortening_candidates(games, "q", 2, "p", 60, enough, {"rule": "all"}, SMALLEST)


def test_a_planted_best_candidate_is_found() -> None:
    """One of eight rules shortens the game by 25 turns: 98 of 100 games are over in time, forty standard errors above
    the target, and no other rule comes near. A faultless program fails with probability below 1e-12.
    """
    for seed in range(50):
        means = {"printed": 65.0, **{f"r{i}": 65.0 for i in range(7)}, "planted": 40.0}
        found = pick(shorter(race(np.random.default_rng(seed), means)))
        assert (found.status, found.row["setting"]) == (PROPOSAL, "planted")


def test_of_two_planted_ones_that_suffice_the_smaller_cut_is_proposed() -> None:
    games = race(np.random.default_rng(1), {"printed": 65.0, "half": 30.0, "enough": 45.0, "little": 60.0})
    frame = shorter(games)
    assert pick(frame).row["setting"] == "enough"
    cut = frame.filter(pl.col("setting") == "half")["cost"][0]
    assert cut == pytest.approx(35, abs=0.5)


def test_where_nothing_helps_nothing_is_proposed() -> None:
    """Eight rules without any effect. A proposal needs a gain of one point with its whole interval, which is 0.038 here
    and four standard errors of the difference of the paired shares: below 1 in 1,000 for eight rules together. More
    than 2 of 100 repetitions have probability below 2e-4.
    """
    proposed = 0
    for seed in range(100):
        means = {"printed": 65.0, **{f"r{i}": 65.0 for i in range(8)}}
        proposed += pick(shorter(race(np.random.default_rng(seed), means, 2000))).status == PROPOSAL
    assert proposed <= 2


# ----------------------------------------------------------------------------------------------------------------------
# The winner's curse


def test_the_best_of_many_looks_too_good_and_fresh_games_tell_the_truth() -> None:
    """Ten rules gain 0.05 each, measured with a standard error of 0.02. The gain of the best of ten is 0.05 + 1.54 ×
    0.02 in the games that picked it, and 0.05 in fresh ones. Over 400 repetitions each mean is known to 0.001; the test
    fails with probability below 1e-6 for a faultless program (five standard errors).
    """
    rng = np.random.default_rng(7)
    first, fresh = [], []
    for _ in range(400):
        seen = rng.normal(0.05, 0.02, 10)
        found = pick(offers(*(offer(str(i), g, half=0.0) for i, g in enumerate(seen))))
        again = offer(found.row["setting"], float(rng.normal(0.05, 0.02)), half=0.04)
        row = settle(found, again, (1, 2))
        first.append(row["first_gain"])
        fresh.append(row["gain"])
    assert np.mean(first) == pytest.approx(0.05 + 1.5388 * 0.02, abs=0.005)
    assert np.mean(fresh) == pytest.approx(0.05, abs=0.005)


def test_a_lucky_pick_is_not_confirmed() -> None:
    found = pick(offers(offer("lucky", 0.1), *(offer(str(i), 0.0) for i in range(9))))
    row = settle(found, offer("lucky", 0.012), (1, 2))
    assert row["verdict"] == "not confirmed"
    assert (row["first"], row["value"], row["compared"]) == (0.6, 0.512, 10)
    assert settle(found, offer("lucky", 0.09), (1, 2))["verdict"] == "confirmed"


def test_rules_without_effect_are_rarely_confirmed() -> None:
    """Twenty rules without effect, and a rule that picks however little is gained: the pick is confirmed by fresh games
    with probability 2.5 % (one-sided) at most. More than 36 of 800 has probability below 1e-3.
    """
    rng = np.random.default_rng(3)
    confirmed = 0
    for _ in range(800):
        rows = [offer(str(i), g, half=0.0) | {"smallest": -1.0} for i, g in enumerate(rng.normal(0, 0.02, 20))]
        found = pick(offers(*rows))
        again = offer(found.row["setting"], float(rng.normal(0, 0.02)), half=1.96 * 0.02) | {"smallest": 0.0}
        confirmed += settle(found, again, (1, 2))["verdict"] == "confirmed"
    assert confirmed <= 36


def test_the_fresh_seed_has_to_be_another() -> None:
    with pytest.raises(ValueError, match="all different and new"):
        settle(pick(offers(offer("a", 0.1))), offer("a", 0.1), (1, 1))


# ----------------------------------------------------------------------------------------------------------------------
# Against the games themselves


def of_sweep(spec: dict[str, Any], folder: Any) -> Games:
    sim.sweep(spec, data=folder)
    name = spec["name"]
    return Games(
        sim.load(name, data=folder, table="counts"),
        sim.load(name, data=folder, table="differences"),
        sim.scenarios(name, data=folder),
    )


def test_a_step_is_that_of_games_played_one_by_one(tmp_path: Any) -> None:
    rules = [{"level": "intermediate"}, {"level": "advanced"}, {"level": "advanced", "setup": "variation"}]
    spec = {
        "name": "steps",
        "game": "caterpillars",
        "seed": 5,
        "games": 500,
        "by": ["score", "zeros"],
        "variants": [{"rules": rules[1], "one_factor": {"setup": ["variation"]}}, {"rules": rules[0]}],
        "policies": ["child", "random"],
        "pairs": [{"of": "score", "against": "base"}],
    }
    games = of_sweep(spec, tmp_path)
    mean = {
        (i, p): sim.simulate("caterpillars", rules=r, policies=[p], games=500, seed=5)["score"].to_numpy().astype(float)
        for i, r in enumerate(rules)
        for p in ("child", "random")
    }
    for measure in ("score", "spread", "choice"):
        step = Step("intermediate", "advanced", "child", "child", measure)
        row = step_candidates(games, "q", step, 2.0, {"setup": "all"}, 0.1).row(0, named=True)

        def size(i: int, kind: str = measure) -> float:
            if kind == "spread":
                return float(np.std(mean[i, "child"], ddof=1))
            return float(mean[i, "child"].mean() - (mean[i, "random"].mean() if kind == "choice" else 0))

        assert row["base"] == pytest.approx(size(1) - size(0))
        assert row["value"] == pytest.approx(size(2) - size(0))
        assert row["gain"] == pytest.approx(size(2) - size(1))
        assert row["gain_low"] < row["gain"] < row["gain_high"]
        assert row["cost"] == row["value"]
    frame = setup_candidates(games, "q", {"advanced": "child"}, 0.5, 0.1)
    assert frame["gain"][0] == pytest.approx(size(2, "choice") - size(1, "choice"))
    assert frame["at"][0] == "advanced"


def test_seats_are_fair_only_if_all_of_them_are_at_every_strength(tmp_path: Any) -> None:
    spec = {
        "name": "seats",
        "game": "parlett",
        "seed": 5,
        "games": 3000,
        "by": ["win"],
        "variants": [{"one_factor": {"deals": [2], "court_bonus": [0]}}],
        "policies": [{"repeat": 2, "policy": "greedy"}, {"repeat": 2, "policy": "random"}],
        "pairs": [{"of": "win", "against": "base"}],
    }
    games = of_sweep(spec, tmp_path)
    frame = seat_candidates(games, "q", ["greedy", "random"], 0.05, {"deals": "all", "court_bonus": "all"}, 0.01)
    assert frame["setting"].to_list() == ["2", "0"]
    for row, rules in zip(frame.iter_rows(named=True), ({"deals": 2}, {"court_bonus": 0}), strict=True):
        shares = [
            sim.simulate("parlett", rules=rules, policies=[p] * 2, games=3000, seed=5).filter(seat=s)["win"].mean()
            for p in ("greedy", "random")
            for s in (0, 1)
        ]
        assert row["value"] == pytest.approx(max(abs(share - 0.5) for share in shares))
        assert 0 <= row["low"] <= row["value"] <= row["high"]
    assert frame["reaches"].to_list() == ["inside", "outside"]
    found = pick(frame)
    assert (found.row["factor"], found.row["setting"]) == ("deals", "2")
    assert same_candidate(frame, found.row)["gain"] == found.row["gain"]
    assert same_candidate(frame, found.row | {"setting": "3"}) is None


def test_chances_are_those_of_games_played_one_by_one(tmp_path: Any) -> None:
    spec = {
        "name": "race",
        "game": "karolinchen",
        "seed": 5,
        "games": 400,
        "by": ["turns", "win"],
        "variants": [{"one_factor": {"fruits": [[1, 2, 3, 4, 4, 4]]}}],
        "policies": [{"repeat": 2, "policy": "match"}],
        "pairs": [{"of": ["turns", "win"], "against": "base"}],
    }
    games = of_sweep(spec, tmp_path)
    row = shortening_candidates(games, "q", 2, "match", 45, 0.9, {"fruits": [[1, 2, 3, 4, 4, 4]]}, 0.01).row(
        0, named=True
    )
    played = [
        sim.simulate("karolinchen", rules=r, policies=["match"] * 2, games=400, seed=5)
        .filter(seat=0)["turns"]
        .to_numpy()
        for r in ({}, {"fruits": [1, 2, 3, 4, 4, 4]})
    ]
    assert row["base"] == np.mean(played[0] <= 45)
    assert row["value"] == np.mean(played[1] <= 45)
    assert row["cost"] == pytest.approx(np.mean(played[0].astype(float) - played[1]))
    assert math.isclose(row["gain"], row["value"] - row["base"])
    assert shortening_candidates(games, "q", 2, "match", 45, 0.9, {"fruits": [[9, 9, 9, 9, 9, 9]]}, 0.01).is_empty()
    assert isinstance(pick(shortening_candidates(games, "q", 2, "match", 45, 0.9, {}, 0.01)), Pick)
