"""Restricted play: the kernels do what the naive programs do, nothing changes without a restriction, and the table.

Comparisons are exact, so no error rate applies, where nothing else is said.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import polars as pl
import pytest

import sim
from sim import analysis
from sim.errors import SimError
from sim.games import get
from sim.games.base import NO_RESTRICTION
from sim.games.caterpillars.restrict import RESTRICTIONS
from tests.costly import affordable
from tests.naive import caterpillars as naive_caterpillars
from tests.naive import parlett as naive_parlett
from tests.test_naive_agrees import differences, drawn_caterpillars

GAMES = {"caterpillars": naive_caterpillars, "parlett": naive_parlett}


def same_game(name: str, rules: Any, line_up: list[tuple[str, str]], seed: int, index: int) -> None:
    """One game of `line_up`, (policy, restriction) by seat, in the kernel and in the naive program."""
    game = get(name)
    scenario = game.scenario(rules, [{"id": p, "restrict": r} for p, r in line_up])
    players = [
        GAMES[name].POLICIES[p]._replace(name=policy.text(), restrict=r)
        for (p, r), policy in zip(line_up, scenario.policies, strict=True)
    ]
    naive = GAMES[name].play_game(rules, players, seed, index)
    found = list(differences(naive, game.trace(scenario.rules, scenario.policies, seed, index)))
    assert not found, f"{name} {rules} {line_up} seed {seed} game {index}: {found[:5]}"
    out = sim.simulate(name, rules=rules, policies=scenario.policies, games=1, seed=seed, first_game=index)
    assert out["win"].to_list() == [row["win"] for row in GAMES[name].report(naive)]


@pytest.mark.parametrize("restrict", RESTRICTIONS)
def test_caterpillars_plays_as_the_naive_program(restrict: str) -> None:
    for number in range(2):
        draw = random.Random(f"{restrict} {number}")
        rules, _ = drawn_caterpillars(draw)
        if number % 2:  # where there is most to restrict
            rules |= {"level": "expert", "boxes": 4, "sheet": "pairs"}
        line_up = [(p, r) for p in ("random", "greedy") for r in (restrict, draw.choice(RESTRICTIONS))]
        same_game("caterpillars", rules, line_up, draw.getrandbits(64), draw.getrandbits(62))


@pytest.mark.parametrize("block", ["allowed", "barred"])
def test_parlett_plays_as_the_naive_program(block: str) -> None:
    values = get("parlett").policies.restrictions
    for number, restrict in enumerate(values * 6):
        line_up = [("greedy", restrict), ("random", values[number // len(values) % len(values)])]
        same_game("parlett", {"block": block, "deals": 1 + number % 2}, line_up, 5, number)


@pytest.mark.parametrize("name", list(GAMES))
def test_every_policy_keeps_to_its_restriction(name: str) -> None:
    """Every policy's every choice is one that the naive program leaves to a player with the restriction."""
    game = get(name)
    for number, info in enumerate(game.policies.entries.values()):
        values = game.policies.restrictions[1:]
        restrict = values[(7 * number) % len(values)]
        rules: dict[str, Any] = {"level": "expert"} if name == "caterpillars" else {}
        if info.id == "optimal":
            rules = {"level": "intermediate", "sheet": [1, 6, 3, 2, 5, 4], "boxes": 2}
            restrict = "no_split_one"
        policy = {**game.policies.parse(affordable(name, info.id)).parameters(), "id": info.id, "restrict": restrict}
        others = ["greedy"] * (name == "parlett")
        scenario = game.scenario(rules, [policy, *others])
        trace = game.trace(scenario.rules, scenario.policies, 3, number)
        if name == "parlett":
            follow_parlett(trace, restrict)
        else:
            follow_caterpillars(trace, restrict, naive_caterpillars.full_rules(rules))


def follow_caterpillars(trace: dict[str, Any], restrict: str, rules: dict[str, Any]) -> None:
    seat = trace["seats"][0]
    filled, bonus = [False] * len(seat["labels"]), [0, 0, 0]
    for roll, move in zip(trace["rolls"], seat["outcomes"], strict=True):
        left = naive_caterpillars.restricted_outcomes(
            restrict, rules, seat["labels"], filled, bonus, roll["dice"], roll["face"]
        )
        assert tuple(move) in left, f"{seat['policy']}: {move} of {left}"
        filled[move[2]] = True
        if move[0] >= 0:
            bonus[move[0]] = move[1]


def follow_parlett(trace: dict[str, Any], restrict: str) -> None:
    hand = [tuple(card) for card in trace["deck"][:13]]
    stock = [tuple(card) for card in trace["deck"][26:]]
    previous = None
    for t, play in enumerate(trace["plays"]):
        card = tuple(play["card"])
        if play["seat"] == 0:
            cards = naive_parlett.restricted_cards(restrict, naive_parlett.legal_cards(hand, previous))
            assert card in cards
            hand = [c for c in hand if c != card] + [stock[t]]
        previous = card


@pytest.mark.parametrize("name", list(GAMES))
def test_without_a_restriction_nothing_changes(name: str) -> None:
    """The identity has no restriction, and an unrestricted seat plays the same beside a restricted one."""
    game = get(name)
    for info in game.policies.entries.values():
        policy = game.policies.parse(info.id)
        assert policy.restriction == NO_RESTRICTION
        assert "restrict" not in policy.identity()["parameters"]
        other = game.policies.parse({"id": info.id, "restrict": game.policies.restrictions[1]})
        assert other.identity()["parameters"]["restrict"] == game.policies.restrictions[1]
    if name == "caterpillars":
        for policy in ("random", "greedy", "child", "planner", "weighted", "thumb", "learned"):
            arguments = {"rules": {"level": "expert"}, "games": 40, "seed": 8}
            alone = sim.simulate(name, policies=[policy], **arguments)
            beside = sim.simulate(name, policies=[policy, "random(restrict=no_bonus)"], **arguments)
            assert alone["score"].to_list() == beside.filter(pl.col("seat") == 0)["score"].to_list(), policy


def test_a_restriction_that_forbids_what_there_is_not_changes_no_score() -> None:
    """No bonus boxes at beginner; two dice have one kind of split, so forbidding it gives way."""
    plain = sim.simulate("caterpillars", policies=["weighted"], games=200, seed=4)["score"].to_list()
    for restrict in ("no_bonus", "force_bonus_b", "no_face", "force_butterfly", "no_split_one", "force_split_two"):
        policy = {"id": "weighted", "restrict": restrict}
        assert sim.simulate("caterpillars", policies=[policy], games=200, seed=4)["score"].to_list() == plain, restrict


def test_what_the_kernel_keeps_shows_in_the_results() -> None:
    arguments = {"rules": {"level": "expert"}, "games": 300, "seed": 4}
    never = sim.simulate("caterpillars", policies=["weighted(restrict=no_bonus_b)"], **arguments)
    assert never["bonus_b"].max() == 0
    assert never["bonus_a"].max() > 0
    forced = sim.simulate("caterpillars", policies=["weighted(restrict=force_bonus_b)"], **arguments)
    assert (forced["bonus_b"] > 0).all()
    rounds = sim.rounds("caterpillars", policies=["weighted(restrict=no_face_10)"], **arguments)
    assert (rounds["chosen"] < rounds["options"]).all()  # a dead face is left out of what was legal
    courts = sim.rounds("parlett", policies=["greedy(restrict=force_courts)", "greedy"], games=50, seed=1)
    led = courts.filter((pl.col("seat") == 0) & (pl.col("round") == 1))["card"] % 13
    assert (led >= 10).sum() > 40  # of 50; 1 hand in 50 has no court


def test_luck_can_be_taken_out_of_restricted_play() -> None:
    """The adjusted mean of restricted play is its mean: |z| < 4.1, error rate 4e-5."""
    arguments = {"rules": {"level": "intermediate"}, "policies": ["planner(restrict=no_split_two)"]}
    found = sim.adjusted("caterpillars", games=400, seed=5, **arguments)
    assert found.ratio > 1.2
    many = sim.simulate("caterpillars", games=200_000, seed=6, **arguments)["score"].to_numpy()
    error = np.hypot(many.std() / np.sqrt(many.size), (found.mean.high - found.mean.low) / 3.92)
    assert abs(found.mean.value - many.mean()) < 4.1 * error


def test_errors_are_one_line() -> None:
    with pytest.raises(SimError, match="restrict = 'no_bonus_d' is not accepted; accepted: none") as caught:
        sim.simulate("caterpillars", policies=["greedy(restrict=no_bonus_d)"], games=1, seed=1)
    assert "\n" not in str(caught.value)
    with pytest.raises(SimError, match="is restricted; accepted: policies without restrict"):
        sim.solve("caterpillars", labels=[1, 6, 3], rules={"boxes": 1}, policies=["greedy(restrict=no_split_one)"])
    with pytest.raises(SimError, match="parameter of policy match"):
        sim.simulate("karolinchen", policies=["match(restrict=none)", "match"], games=1, seed=1)


def test_the_table_finds_what_a_box_is_worth(tmp_path: Any) -> None:
    """Signs and findings of a small sweep; the table's differences are those of the rows of the same games."""
    sweep = {
        "name": "boxes",
        "game": "caterpillars",
        "seed": 3,
        "games": 3000,
        "by": ["score"],
        "variants": [{"grid": {"level": ["beginner", "expert"]}}],
        "policies": [{"id": "planner", "grid": {"restrict": ["none", "no_bonus_a", "force_bonus", "no_face_10"]}}],
        "pairs": [{"of": "score", "against": {"policies": "planner"}}],
    }
    sim.sweep(sweep, data=tmp_path)
    tables = [sim.load("boxes", table=name, data=tmp_path) for name in ("counts", "differences")]
    found = analysis.restricted_play(*tables, sim.scenarios("boxes", data=tmp_path), broken=0.1)
    assert found.height == 6
    assert found["policy"].unique().to_list() == ["planner"]
    rows = {(r["level"], r["restrict"]): r for r in found.iter_rows(named=True)}
    assert rows["beginner", "no_bonus_a"]["finding"] == "filler"
    assert rows["beginner", "force_bonus"]["finding"] == "no matter"
    assert rows["beginner", "no_face_10"]["value"] == 0
    assert rows["expert", "no_bonus_a"]["finding"] == "of use"
    assert rows["expert", "force_bonus"]["finding"] == "overdone"
    assert rows["expert", "no_face_10"]["finding"] == "broken"  # worth more than a tenth of the mean
    assert rows["expert", "no_face_10"]["factor"] == "face"
    both = [
        sim.simulate("caterpillars", rules={"level": "expert"}, policies=[p], games=3000, seed=3)["score"].mean()
        for p in ("planner(restrict=no_bonus_a)", "planner")
    ]
    assert rows["expert", "no_bonus_a"]["value"] == pytest.approx(both[0] - both[1])
    assert rows["expert", "no_bonus_a"]["base"] == pytest.approx(both[1])


def test_a_trap_is_found() -> None:
    """A player who does better without a thing has walked into a trap by using it."""
    tables = {
        "counts": pl.DataFrame({"scenario": ["a"], "seat": [0], "score": [10.0], "count": [100]}),
        "differences": pl.DataFrame(
            {"scenario": ["b"] * 2, "against": ["a"] * 2, "pair": [""] * 2, "of": ["score"] * 2, "seat": [0] * 2,
             "difference": [1.0, 2.0], "count": [50, 50]}
        ),
        "scenarios": pl.DataFrame(
            {"scenario": ["a", "b"], "variant": ["v"] * 2, "line_up": ["x", "x(restrict=no_bonus)"],
             "seat0": ["x(depth=2)", "x(depth=2, restrict=no_bonus)"]}
        ),
    }  # fmt: skip
    found = analysis.restricted_play(*tables.values(), keys=())
    assert found.select("policy", "restrict", "finding", "value").row(0) == ("x(depth=2)", "no_bonus", "trap", 1.5)
