"""Whole games, checked play by play from their traces: every rule is applied again here, with plain lists of cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from sim.engine.jit import COMPILED
from sim.engine.simulate import play_rows
from sim.games import get

GAME = get("parlett")
GAMES = 40 if COMPILED else 2
VARIANTS: list[dict[str, Any]] = [
    {},
    {"block": "barred"},
    {"deals": 2},
    {"deals": 2, "block": "barred", "hand_size": 6, "multiple": 3, "court_bonus": 40},
    *({"hand_size": size, "block": block} for size in (1, 2, 20, 25) for block in ("allowed", "barred")),
]
LINE_UPS = [("random", "random"), ("greedy", "shedder"), ("planner", "random"), ("safe", "hoarder")]

Card = tuple[int, int]


def traces(rules: Any, policies: Any, games: int, seed: int = 5) -> Iterator[dict[str, Any]]:
    scenario = GAME.scenario(rules, policies)
    for game in range(games):
        yield GAME.trace(scenario.rules, scenario.policies, seed, game)


def rows(rules: Any, policies: Any, games: int, seed: int = 5) -> np.ndarray:
    scenario = GAME.scenario(rules, policies)
    return play_rows(GAME.compile(scenario.rules, scenario.policies), seed, 0, games)


def deals_of(trace: dict[str, Any]) -> list[dict[str, Any]]:
    return trace.get("deals") or [trace]


def follows(card: Card, previous: Card | None) -> bool:
    return previous is None or card[1] > 10 or card[0] == previous[0]


def courts(hand: set[Card]) -> int:
    return sum(rank > 10 for _, rank in hand)


def steps(rules: dict[str, Any], deal: dict[str, Any]) -> Iterator[tuple[int, list[set[Card]], Card | None, dict]]:
    """(number, hands before the play, card before, play) for every play; then once more with an empty play."""
    size = rules["hand_size"]
    deck = [tuple(card) for card in deal["deck"]]
    hands = [set(deck[:size]), set(deck[size : 2 * size])]
    stock = deck[2 * size :]
    previous: Card | None = None
    for t, play in enumerate(deal["plays"]):
        yield t, [set(hand) for hand in hands], previous, play
        card = tuple(play["card"])
        hands[play["seat"]].remove(card)
        hands[play["seat"]].add(stock[t])
        previous = card
    yield len(deal["plays"]), hands, previous, {}


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
@pytest.mark.parametrize("policies", LINE_UPS, ids=str)
def test_every_play_by_the_rules(rules: dict[str, Any], policies: tuple[str, str]) -> None:
    for trace in traces(rules, policies, GAMES):
        full = trace["rules"]
        for number, deal in enumerate(deals_of(trace)):
            total = 0
            running = [0, 0]
            assert sorted(map(tuple, deal["deck"])) == [(s, r) for s in range(4) for r in range(1, 14)]
            for t, hands, previous, play in steps(full, deal):
                mover = (number + t) % 2
                if not play:
                    break
                card = tuple(play["card"])
                assert play["seat"] == mover
                assert card in hands[mover]
                assert follows(card, previous)
                pips = card[1] if card[1] <= 10 else 0
                total += pips
                in_suit = pips > 0 or (previous is not None and card[0] == previous[0])
                gain = total if in_suit and total % full["multiple"] == 0 else 0
                assert (play["total"], play["gain"]) == (total, gain)
                running[mover] += gain
            assert deal["running"] == running
            assert deal["courts"] == [courts(hand) for hand in hands]
            bonus = [full["court_bonus"] * n for n in deal["courts"]]
            if deal["ended"] == "stock":
                assert t == 52 - 2 * full["hand_size"]
                assert deal["stuck"] is None
                assert deal["scores"] == [running[0] + bonus[0], running[1] + bonus[1]]
            else:
                stuck = deal["stuck"]
                assert t < 52 - 2 * full["hand_size"]
                assert stuck == mover
                assert not any(follows(card, previous) for card in hands[stuck])
                assert deal["courts"][stuck] == 0
                assert deal["scores"][stuck] == running[stuck] + bonus[1 - stuck]
                assert deal["scores"][1 - stuck] == running[1 - stuck]


@pytest.mark.parametrize("rules", [{}, {"deals": 2, "hand_size": 5}], ids=str)
def test_rows_are_the_traces(rules: dict[str, Any]) -> None:
    out = rows(rules, ("shedder", "greedy"), GAMES).reshape(7, -1, 2)
    for game, trace in enumerate(traces(rules, ("shedder", "greedy"), GAMES)):
        deals = deals_of(trace)
        for seat in range(2):
            score, running, held, played, short, stuck, win = out[:, game, seat].tolist()
            assert [score, running, held] == [trace[key][seat] for key in ("scores", "running", "courts")]
            assert score == sum(deal["scores"][seat] for deal in deals)
            assert played == sum(play["seat"] == seat for deal in deals for play in deal["plays"])
            assert short == any(deal["ended"] == "court_short" for deal in deals)
            assert stuck == any(deal["stuck"] == seat for deal in deals)
            other = trace["scores"][1 - seat]
            assert win == (1 if score > other else 2 if score == other else 0)


def test_court_short_happens_to_either_seat_and_in_either_deal() -> None:
    found = set()
    for trace in traces({"deals": 2}, ("shedder", "shedder"), 60 if COMPILED else 12):
        for number, deal in enumerate(trace["deals"]):
            found.add((number, deal["stuck"]))
    assert found == {(number, stuck) for number in (0, 1) for stuck in (None, 0, 1)}


def test_a_draw_is_shared() -> None:
    """25 cards each and no bonus: most games end 0 to 0."""
    out = rows({"hand_size": 25, "court_bonus": 0}, ("random", "random"), GAMES).reshape(7, -1, 2)
    tied = out[0, :, 0] == out[0, :, 1]
    assert tied.any()
    assert (out[6, tied] == 2).all()
    assert (out[6, ~tied].sum(axis=1) == 1).all()


def test_the_second_deal_is_fresh_and_led_by_seat_1() -> None:
    for trace, single in zip(
        traces({"deals": 2}, ("greedy", "greedy"), GAMES), traces({}, ("greedy", "greedy"), GAMES), strict=True
    ):
        first, second = trace["deals"]
        assert first["plays"] == single["plays"]
        assert first["plays"][0]["seat"] == 0
        assert second["plays"][0]["seat"] == 1
        assert first["deck"] != second["deck"]


def blocking(rules: dict[str, Any], deal: dict[str, Any]) -> Iterator[tuple[bool, bool]]:
    """For every play that leaves the other stuck: (last of the deal, whether a legal card would have avoided it)."""
    last = 52 - 2 * rules["hand_size"] - 1
    for t, hands, previous, play in steps(rules, deal):
        if not play:
            return
        own, other = hands[play["seat"]], hands[1 - play["seat"]]
        harmless = {c for c in own if follows(c, previous) and any(follows(d, c) for d in other)}
        if tuple(play["card"]) not in harmless:
            yield t == last, bool(harmless)


def test_barred_never_leaves_the_other_stuck_where_avoidable() -> None:
    seen = {"allowed": 0, "barred": 0}
    last_cards = 0
    for rules in ({}, {"hand_size": 2}, {"hand_size": 4}, {"deals": 2, "hand_size": 9}, {"hand_size": 20}):
        for block in seen:
            for trace in traces({**rules, "block": block}, ("shedder", "random"), 60 if COMPILED else 2):
                for deal in deals_of(trace):
                    for last, avoidable in blocking(trace["rules"], deal):
                        seen[block] += avoidable and not last
                        last_cards += block == "barred" and avoidable and last
    assert seen["barred"] == 0
    assert seen["allowed"] > 0, "nothing was there to be barred: the test is empty"
    assert last_cards > 0 or not COMPILED, "the last card of a deal is never barred: not seen"


def test_results_stay_within_their_bounds() -> None:
    for rules in VARIANTS:
        for policies in LINE_UPS:
            scenario = GAME.scenario(rules, policies)
            out = rows(rules, policies, 20 * GAMES)
            for field, values in zip(GAME.fields(scenario.rules, 2), out, strict=True):
                assert field.low <= values.min(), field.name
                assert field.high is None or values.max() <= field.high, field.name


# ----------------------------------------------------------------------------------------------------------------------
# In words


@pytest.mark.parametrize("rules", [{}, {"deals": 2, "multiple": 7, "hand_size": 9}], ids=str)
def test_a_game_in_words_holds_every_card_and_every_sum(rules: dict[str, Any]) -> None:
    for trace in traces(rules, ("shedder", "planner"), 10 if COMPILED else 2):
        text = GAME.tell(trace)
        lines = text.splitlines()
        plays = [line for line in lines if line[:3].strip().isdigit()]
        assert len(plays) == sum(len(deal["plays"]) for deal in deals_of(trace))
        numbered = iter(plays)
        for deal in deals_of(trace):
            running = [0, 0]
            for play in deal["plays"]:
                line = next(numbered)
                suit, rank = play["card"]
                running[play["seat"]] += play["gain"]
                name = "A 2 3 4 5 6 7 8 9 10 J Q K".split()[rank - 1] + "♣♦♥♠"[suit]
                assert f"Seat {play['seat']}: {name}, total" in line
                assert f" {play['total']}, " in line
                assert (f"scores {play['gain']}" if play["gain"] else "scores nothing") in line
                assert not play["gain"] or f"(running {running[play['seat']]})" in line
        for deal in deals_of(trace):
            for seat in range(2):
                assert any(
                    line.startswith(f"Seat {seat}: ") and line.endswith(f"= {deal['scores'][seat]}") for line in lines
                )
            assert ("Court short: seat" in text) or deal["stuck"] is None
        low, high = sorted(trace["scores"])
        assert lines[-1].endswith(f"{high} to {low}." if low < high else f"at {high}.")
