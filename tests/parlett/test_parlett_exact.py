"""Open-hands values against plain recursion from the rules text, and the solver's own moves against the kernel's."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive import parlett as plain

import sim
from sim.errors import InputError, RulesError, SimError
from sim.games import get
from sim.games.parlett.exact.hidden import endgame_loss, hidden_value, judge
from sim.games.parlett.exact.position import OpenPosition
from sim.games.parlett.exact.solution import OpenDeal, OpenSolution, Walk, hand_of, solve_position
from sim.games.parlett.moves import card_gain, fill_gain, harmless_cards, legal_cards
from sim.games.parlett.rules import CARDS, MOST_TOTAL, ParlettRules

HERE = Path(__file__).resolve().parent
GAME = get("parlett")

VARIANTS: list[dict[str, Any]] = [
    {},
    {"block": "barred"},
    {"deals": 2},
    {"multiple": 1, "court_bonus": 0},
    {"multiple": 3, "block": "barred", "court_bonus": 30},
    {"multiple": 7, "hand_size": 5},
    {"multiple": 220, "court_bonus": 1000},
    {"hand_size": 1},
    {"hand_size": 2, "block": "barred"},
    {"hand_size": 3, "court_bonus": 50},
    {"hand_size": 4, "block": "barred", "multiple": 2},
    {"hand_size": 20},
    {"hand_size": 22, "block": "barred"},
]


def cards_of(numbers):
    return [(n // 13, n % 13 + 1) for n in numbers]


def random_position(rng: random.Random, rules: dict[str, Any], left: int) -> dict[str, Any]:
    """A position after random legal play of a random deal; stuck deals are dealt again.

    Small hands hardly ever come so far: there any cards are taken as gone.
    """
    full = plain.full_rules(rules)
    size = full["hand_size"]
    if size < 8:
        deck = cards_of(rng.sample(range(CARDS), CARDS))
        gone = deck[2 * size : CARDS - left]
        return {
            "hands": [deck[:size], deck[size : 2 * size]],
            "stock": deck[CARDS - left :],
            "suit": rng.choice(gone)[0],
            "total": sum(plain.pips(card) for card in gone),
            "running": (rng.randrange(300), rng.randrange(300)),
            "mover": rng.randrange(2),
        }
    while True:
        deck = cards_of(rng.sample(range(CARDS), CARDS))
        hands, stock = [deck[:size], deck[size : 2 * size]], deck[2 * size :]
        row: list[tuple[int, int]] = []
        running = [0, 0]
        total, mover = 0, rng.randrange(2)
        while len(stock) > left:
            previous = row[-1] if row else None
            cards = plain.playable_cards(full, hands[mover], hands[1 - mover], previous, len(stock) == 1)
            if not cards:
                break
            card = rng.choice(cards)
            running[mover] += plain.gain(card, previous, total, full["multiple"])
            total += plain.pips(card)
            row.append(card)
            hands[mover] = [c for c in hands[mover] if c != card] + [stock.pop(0)]
            mover = 1 - mover
        if len(stock) == left:
            suit = row[-1][0] if row else None
            return {
                "hands": hands,
                "stock": stock,
                "suit": suit,
                "total": total,
                "running": tuple(running),
                "mover": mover,
            }


def recursion(rules: dict[str, Any], p: dict[str, Any]) -> dict[tuple[int, int] | None, int]:
    """Minimax by the definition: for each card (None: there is none) mover's final score minus the other's."""
    full = plain.full_rules(rules)
    bonus = full["court_bonus"]

    def values(own, other, previous, total, stock):
        if not stock:
            return {None: bonus * (plain.courts_in(own) - plain.courts_in(other))}
        cards = plain.playable_cards(full, own, other, previous, len(stock) == 1)
        if not cards:
            return {None: bonus * plain.courts_in(other)}
        out = {}
        for card in cards:
            rest = [c for c in own if c != card] + [stock[0]]
            after = values(other, rest, card, total + plain.pips(card), stock[1:])
            out[card] = plain.gain(card, previous, total, full["multiple"]) - max(after.values())
        return out

    own, other = p["hands"][p["mover"]], p["hands"][1 - p["mover"]]
    previous = None if p["suit"] is None else (p["suit"], 13)
    lead = p["running"][p["mover"]] - p["running"][1 - p["mover"]]
    return {c: lead + v for c, v in values(own, other, previous, p["total"], p["stock"]).items()}


def check_against_recursion(rules: dict[str, Any], p: dict[str, Any]) -> OpenSolution:
    wanted = recursion(rules, p)
    s = sim.solve("parlett", rules=rules, **p)
    assert s.value == max(wanted.values())
    assert dict(s.best) == {c: v for c, v in wanted.items() if c is not None}
    assert s.best == sorted(s.best, key=lambda entry: (-entry[1], entry[0]))
    check_line(rules, p, s)
    return s


def check_line(rules: dict[str, Any], p: dict[str, Any], s: OpenSolution) -> None:
    """The line is legal play that ends with the promised difference, told by the plain rules."""
    full = plain.full_rules(rules)
    hands, stock, running = [list(h) for h in p["hands"]], list(p["stock"]), list(p["running"])
    previous = None if p["suit"] is None else (p["suit"], 13)
    total, seat = p["total"], p["mover"]
    for play in s.line:
        card = tuple(play["card"])
        assert play["seat"] == seat
        assert card in plain.playable_cards(full, hands[seat], hands[1 - seat], previous, len(stock) == 1)
        assert play["gain"] == plain.gain(card, previous, total, full["multiple"])
        total += plain.pips(card)
        assert play["total"] == total
        running[seat] += play["gain"]
        hands[seat] = [c for c in hands[seat] if c != card] + [stock.pop(0)]
        previous, seat = card, 1 - seat
    courts = [plain.courts_in(hand) for hand in hands]
    if stock:
        assert not plain.legal_cards(hands[seat], previous)
        assert s.stuck == seat
        running[seat] += full["court_bonus"] * courts[1 - seat]
    else:
        assert s.stuck is None
        running = [running[i] + full["court_bonus"] * courts[i] for i in range(2)]
    assert s.scores == tuple(running)
    assert s.difference == running[0] - running[1]
    assert s.value == running[p["mover"]] - running[1 - p["mover"]]


# ----------------------------------------------------------------------------------------------------------------------
# Values


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_values_are_those_of_plain_recursion(rules: dict[str, Any]) -> None:
    rng = random.Random(str(rules))
    most = {20: 4, 22: 4, 13: 4}.get(plain.full_rules(rules)["hand_size"], 6)
    stuck = 0
    for i in range(40):
        s = check_against_recursion(rules, random_position(rng, rules, 1 + i % most))
        stuck += s.stuck is not None
    if rules.get("hand_size") in (1, 2, 3):
        assert stuck > 0  # both ways to end were met


def test_values_of_study_positions_with_few_cards() -> None:
    """Any hands, any total, also before the first card; the hands tell the hand size."""
    rng = random.Random(11)
    for i in range(150):
        size = 1 + i % 6
        deck = cards_of(rng.sample(range(CARDS), 2 * size + 6))
        suit = rng.choice([None, 0, 1, 2, 3])
        p = {
            "hands": [deck[:size], deck[size : 2 * size]],
            "stock": deck[2 * size : 2 * size + rng.randrange(4, 7)],
            "suit": suit,
            "total": 0 if suit is None else rng.randrange(MOST_TOTAL + 1),
            "running": (rng.randrange(300), rng.randrange(300)),
            "mover": i % 2,
        }
        check_against_recursion({"block": ("allowed", "barred")[i // 2 % 2], "multiple": 1 + i % 5}, p)


def test_one_position_under_many_rules_in_turn() -> None:
    """The same hands again under other rules, totals and stocks: nothing of an earlier search is taken for this one."""
    rng = random.Random(21)
    for _ in range(4):
        p = random_position(rng, {"hand_size": 5}, 5)
        for rules in ({}, {"multiple": 3}, {"court_bonus": 10}, {"block": "barred"}, {"multiple": 1, "court_bonus": 0}):
            check_against_recursion(rules, p)
        check_against_recursion({}, {**p, "total": p["total"] // 2})
        check_against_recursion({}, {**p, "stock": p["stock"][::-1]})


def test_deep_values_are_those_of_the_best_card_and_of_the_reply() -> None:
    """Ten cards left, where recursion is slow: Bellman's equation along the line, each position solved on its own."""
    rng = random.Random(5)
    for i in range(6):
        rules = VARIANTS[i % 3]
        p = random_position(rng, rules, 10)
        s = sim.solve("parlett", rules=rules, **p)
        check_line(rules, p, s)
        for card, value in s.best:
            hands = [list(h) for h in p["hands"]]
            hands[p["mover"]] = [c for c in hands[p["mover"]] if c != card] + [p["stock"][0]]
            previous = None if p["suit"] is None else (p["suit"], 13)
            running = list(p["running"])
            running[p["mover"]] += plain.gain(card, previous, p["total"], 5)
            after = {
                "hands": hands,
                "stock": p["stock"][1:],
                "suit": card[0],
                "total": p["total"] + plain.pips(card),
                "running": running,
                "mover": 1 - p["mover"],
            }
            assert sim.solve("parlett", rules=rules, **after).value == -value


def test_a_stuck_player_counts_the_courts_of_the_other() -> None:
    """Nothing to follow hearts: 100 for each of the other's two courts, nothing for the own scores' sake."""
    s = sim.solve("parlett", hands=[["2C", "3C"], ["JS", "QD"]], stock=["4C"], suit="H", total=11, running=(30, 90))
    assert (s.value, s.best, s.line, s.stuck, s.scores) == (140, [], [], 0, (230, 90))


def test_the_last_card_scores_or_keeps_a_court() -> None:
    """Total 95, hearts led: the five makes 100, which beats the queen in suit that would score 95 and cost 100."""
    s = sim.solve("parlett", hands=[["5H", "QH"], ["2C", "KC"]], stock=["9S"], suit="H", total=95)
    assert s.best == [((2, 5), 100), ((2, 12), 95 - 100)]
    assert s.line == [{"seat": 0, "card": [2, 5], "total": 100, "gain": 100}]
    assert s.scores == (200, 100)


# ----------------------------------------------------------------------------------------------------------------------
# Identities


def test_what_cannot_matter_does_not_matter() -> None:
    rng = random.Random(3)
    for i in range(25):
        rules = VARIANTS[i % 3]
        p = random_position(rng, rules, 7)
        value = sim.solve("parlett", rules=rules, **p).value
        swapped = {**p, "hands": p["hands"][::-1], "running": p["running"][::-1], "mover": 1 - p["mover"]}
        other = sim.solve("parlett", rules=rules, **swapped)
        assert (other.value, other.difference) == (value, -sim.solve("parlett", rules=rules, **p).difference)
        a, b = p["running"]
        ahead = {**p, "running": (a + 70, b + 40)}
        assert sim.solve("parlett", rules=rules, **ahead).value == value + (30 if p["mover"] == 0 else -30)
        order = rng.sample(range(4), 4)
        turn = {11: 13, 12: 11, 13: 12}

        def renamed(card, order=order, turn=turn):
            return order[card[0]], turn.get(card[1], card[1])

        named = {
            **p,
            "hands": [[renamed(c) for c in hand] for hand in p["hands"]],
            "stock": [renamed(c) for c in p["stock"]],
            "suit": None if p["suit"] is None else order[p["suit"]],
        }
        assert sim.solve("parlett", rules=rules, **named).value == value
        assert sim.solve("parlett", rules={**rules, "deals": 2}, **p).value == value
        # the total follows from the cards that are gone
        assert sim.solve("parlett", rules=rules, **{**p, "total": None}).position.total == p["total"]


def test_all_notations_of_a_card_mean_the_same() -> None:
    pairs = {"hands": [[(3, 10), (2, 12)], [(0, 1), (1, 13)]], "stock": [(2, 4), (0, 11)], "suit": 2, "total": 20}
    numbers = {"hands": [[48, 37], [0, 38 - 13]], "stock": [29, np.int64(10)], "previous": 13 * 2 + 6, "total": 20}
    text = {"hands": [["10S", "qh"], ["A♣", "KD"]], "stock": ["4♥", "JC"], "suit": "♥", "total": 20}
    solved = [sim.solve("parlett", **p) for p in (pairs, numbers, text)]
    assert solved[0].position == solved[1].position == solved[2].position
    with pytest.raises(InputError, match="10♠ may not be played here; accepted: Q♥"):
        solved[0].loss("10S")
    assert solved[0].loss("QH") == solved[0].value - dict(solved[0].best)[2, 12]


# ----------------------------------------------------------------------------------------------------------------------
# Its own moves and scores against the kernel's


@pytest.mark.parametrize("block", ["allowed", "barred"])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 13, 24])
def test_moves_and_gains_are_the_kernels(block: str, size: int) -> None:
    rng = random.Random(size)
    rules = ParlettRules(block=block, hand_size=size, multiple=1 + size % 5)
    gain = np.zeros(MOST_TOTAL + 11, np.int64)
    fill_gain(gain, rules.multiple)
    barred = 0
    for _ in range(300):
        deck = rng.sample(range(CARDS), CARDS)
        own, other = deck[:size], deck[size : 2 * size]
        stock = deck[2 * size : 2 * size + rng.randrange(1, 5)]
        suit, total = rng.randrange(-1, 4), rng.randrange(MOST_TOTAL - 9)
        legal = legal_cards(sum(1 << c for c in own), suit)
        if block == "barred" and len(stock) > 1 and legal:
            harmless = harmless_cards(legal, sum(1 << c for c in other))
            barred += 0 < harmless < legal
            legal = harmless or legal
        deal = OpenDeal(rules, stock)
        found = deal.legal(own, hand_of(own), hand_of(other), suit, total, 0)
        assert found == [c for c in range(CARDS) if legal >> c & 1]
        for card in found:
            assert deal.gain(card, suit, total) == card_gain(card, total, suit, gain)
    assert block == "allowed" or size not in (2, 3) or barred > 0


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_whole_deals_are_scored_as_in_the_trace(rules: dict[str, Any]) -> None:
    parsed = ParlettRules(**rules)
    for game in range(15):
        trace = sim.trace("parlett", rules=rules, policies=["random", "greedy"], seed=9, game_index=game)
        for deal in trace.get("deals", [trace]):
            deck = [13 * suit + rank - 1 for suit, rank in deal["deck"]]
            size = parsed.hand_size
            hands = (tuple(deck[:size]), tuple(deck[size : 2 * size]))
            stock = tuple(deck[2 * size :])
            walk = Walk(
                OpenDeal(parsed, stock, 0),
                OpenPosition(parsed, hands, stock, -1, 0, (0, 0), deal["plays"][0]["seat"]),
            )
            for play in deal["plays"]:
                card = 13 * play["card"][0] + play["card"][1] - 1
                assert card in walk.legal()
                assert walk.play(card) == play
            assert not walk.legal()
            assert walk.end() == (deal["stuck"], tuple(deal["scores"]))


def test_the_interpreter_searches_the_same_tree() -> None:
    """Values, lines and the number of nodes with the compiler off, in a process of its own; warnings are errors."""
    code = "import json, test_parlett_exact as t; print(json.dumps(t.searched()))"
    path = os.pathsep.join([str(HERE), str(HERE.parent), str(HERE.parent.parent)])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "SIM_JIT": "0", "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads(json.dumps(searched()))


def searched() -> list[Any]:
    rng = random.Random(8)
    solved = [solve_position(rules, **random_position(rng, rules, 5)) for rules in VARIANTS[:4]]
    return [[s.value, s.nodes, s.line, s.best] for s in solved]


# ----------------------------------------------------------------------------------------------------------------------
# Errors


GOOD: dict[str, Any] = {"hands": [["2C", "3C"], ["JS", "QD"]], "stock": ["4C"], "suit": "H", "total": 11}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stock": ["2C"]}, r"card 2♣ is given twice, in hands\[0\] and in stock"),
        ({"hands": [["2C", "2C"], ["JS", "QD"]]}, "card 2♣ is given twice"),
        ({"hands": [["2C"], ["JS", "QD"]]}, "hands of 1 and 2 cards"),
        ({"hands": [[], []]}, "hands of 0 and 0 cards"),
        ({"hands": [["2C", "3C"]]}, "accepted: two lists"),
        ({"hands": "2C"}, "accepted: two lists"),
        ({"hands": [7, 8]}, "accepted: a list of cards"),
        ({"rules": {"hand_size": 13}}, "hands of 2 cards are not accepted under hand_size = 13"),
        ({"rules": {"block": "maybe"}}, "block = 'maybe'"),
        ({"rules": "nonsense"}, "unknown preset"),
        ({"hands": [[*range(0, 25)], [*range(25, 50)]], "stock": [50, 51]}, "a stock of 2 is not accepted"),
        ({"stock": [[4, 1]]}, r"card \[4, 1\] in stock"),
        ({"stock": [[0, 14]]}, "rank 1 to 13"),
        ({"stock": [52]}, "card 52 in stock"),
        ({"stock": [True]}, "card True in stock"),
        ({"stock": ["1C"]}, "card '1C' in stock"),
        ({"stock": ["C"]}, "card 'C' in stock"),
        ({"stock": ["4X"]}, "card '4X' in stock"),
        ({"suit": 4}, "suit = 4"),
        ({"suit": "CD"}, "suit = 'CD'"),
        ({"suit": True}, "suit = True"),
        ({"suit": None}, "total = 11 without suit"),
        ({"previous": "4D"}, "suit = 'H' is not the suit of previous = 4♦"),
        ({"previous": "2C", "suit": None}, "previous = 2♣ is also in a hand"),
        ({"total": -1}, "total = -1"),
        ({"total": 221}, "0 to 220"),
        ({"running": 5}, "running = 5"),
        ({"running": (1, 2, 3)}, "accepted: two whole numbers"),
        ({"mover": 2}, "mover = 2"),
        ({"policies": ["greedy", "greedy"]}, "policies were given"),
        ({"labels": [1]}, "unknown argument of solve for parlett 'labels'"),
    ],
)
def test_impossible_positions_get_one_line(change: dict[str, Any], message: str) -> None:
    with pytest.raises(SimError, match=message) as caught:
        sim.solve("parlett", **{**GOOD, **change})
    assert "\n" not in str(caught.value)
    assert "accepted" in str(caught.value)


def test_a_position_needs_hands_and_stock() -> None:
    with pytest.raises(InputError, match="hands was not given"):
        sim.solve("parlett")
    with pytest.raises(InputError, match="stock was not given"):
        sim.solve("parlett", hands=GOOD["hands"])
    with pytest.raises(RulesError, match="for parlett"):
        sim.solve("parlett", **GOOD, rules=get("karolinchen").rules_type())


# ----------------------------------------------------------------------------------------------------------------------
# Policies judged


@pytest.mark.parametrize("rules", [{}, {"block": "barred", "deals": 2}, {"hand_size": 2}], ids=str)
def test_losses_of_a_played_deal(rules: dict[str, Any]) -> None:
    """A loss is the value of the position less that of the card played, both asked of the solver afresh."""
    for game in range(3):
        trace = sim.trace("parlett", rules=rules, policies=["random", "greedy"], seed=4, game_index=game)
        for deal in trace.get("deals", [trace]):
            judged = judge(ParlettRules(**rules), deal, 6)
            size = ParlettRules(**rules).hand_size
            hands = [deal["deck"][:size], deal["deck"][size : 2 * size]]
            stock = list(deal["deck"][2 * size :])
            at = 0
            for t in range(len(deal["plays"]) + 1):
                mover = (deal["plays"][0]["seat"] + t) % 2
                if 0 < len(stock) <= 6:
                    before = deal["plays"][t - 1]
                    s = sim.solve(
                        "parlett",
                        rules=rules,
                        hands=hands,
                        stock=stock,
                        suit=before["card"][0],
                        total=before["total"],
                        mover=mover,
                    )
                    j = judged[at]
                    assert (j.left, j.seat, j.legal, j.value) == (len(stock), mover, len(s.best), s.value)
                    assert j.loss == (s.loss(deal["plays"][t]["card"]) if t < len(deal["plays"]) else 0) >= 0
                    at += 1
                if t < len(deal["plays"]):
                    card = deal["plays"][t]["card"]
                    hands[mover] = [c for c in hands[mover] if c != card] + [stock.pop(0)]
            assert at == len(judged)
            if judged:  # losses telescope
                first = judged[0]
                own = sum(j.loss for j in judged if j.seat == first.seat)
                assert first.value - first.actual == own - (sum(j.loss for j in judged) - own)


def test_frames_of_losses_and_of_what_open_hands_are_worth() -> None:
    scenario = GAME.scenario(None, ["planner", "random"])
    losses = endgame_loss(scenario, games=40, seed=1, left=[1, 2, 5])
    assert losses["left"].to_list() == [1, 2, 5]
    assert losses["seat"].to_list() == [1, 0, 1]  # with 26 cards seat 0 has the even numbers left
    assert losses["policy"].to_list() == ["random", "planner", "random"]
    assert ((losses["n"] > 10) & (losses["n"] <= 40) & (losses["low"] <= losses["mean"])).all()
    assert (losses["mean"] >= 0).all()
    assert losses["mean"][0] > losses["mean"][1]  # a random last card throws courts and points away
    for row in losses.rows(named=True):
        assert (row["games"], row["seed"], row["first_game"], row["level"]) == (40, 1, 0, 0.95)
    worth = hidden_value(scenario, games=40, seed=1, left=[5])
    by = {(row["seat"], row["quantity"]): row["mean"] for row in worth.rows(named=True)}
    for quantity in ("open", "actual", "open_minus_actual"):
        assert by[0, quantity] == -by[1, quantity]
    assert by[0, "open_minus_actual"] == pytest.approx(by[0, "lost"] - by[1, "lost"], abs=1e-9)
    # the same games, asked for in two parts
    parts = [endgame_loss(scenario, games=20, seed=1, left=[5], first_game=f) for f in (0, 20)]
    joined = sum(p["mean"][0] * p["n"][0] for p in parts) / sum(p["n"][0] for p in parts)
    assert joined == pytest.approx(losses["mean"][2])


def test_actual_results_are_those_of_the_simulation() -> None:
    """From the first card on nothing is scored yet: the mean of what a seat got is that of the simulated scores."""
    rules = {"hand_size": 22, "deals": 2}
    worth = hidden_value(GAME.scenario(rules, ["greedy", "planner"]), games=20, seed=2, left=[8])
    frame = sim.simulate("parlett", rules=rules, policies=["greedy", "planner"], games=20, seed=2)
    scores = frame["score"].to_numpy().reshape(-1, 2)
    (found,) = [row for row in worth.rows(named=True) if row["seat"] == 0 and row["quantity"] == "actual"]
    assert found["n"] == 20
    assert found["mean"] == pytest.approx((scores[:, 0].astype(int) - scores[:, 1]).mean())


def test_the_examples_of_the_documentation_run() -> None:
    text = (HERE.parent.parent / "docs" / "exact.md").read_text(encoding="utf-8")
    section = text.partition("\n## Parlett\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```python\n(.*?)^```", section, re.M | re.S)
    assert len(blocks) == 2
    for block in blocks:
        exec(block, {})


def test_the_judge_refuses_what_it_cannot_sample() -> None:
    scenario = GAME.scenario(None, ["greedy", "greedy"])
    for wrong in ({"games": 0}, {"left": []}, {"left": [27]}, {"seed": -1}):
        with pytest.raises(InputError):
            endgame_loss(scenario, **{"games": 1, "seed": 1, **wrong})
    other = get("karolinchen").scenario(None, ["match", "match"])
    with pytest.raises(InputError, match="accepted: a scenario of parlett"):
        hidden_value(other, games=1, seed=1)
