"""Luck taken out of Parlett's game: it has mean 0 over all orders of the cards, and means are those of plain games."""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import permutations

import numpy as np
import pytest
from scipy import stats as distributions

import sim
from sim.engine.jit import COMPILED
from sim.errors import SimError
from sim.games import get
from sim.games.parlett.kernel import ParlettPlayable
from sim.games.parlett.luck import events, fit, learn, network, tell
from sim.games.parlett.luck.playable import LuckyPlayable
from sim.games.parlett.moves import PIPS, SUIT, card_gain, harmless_cards, legal_cards, list_cards
from sim.games.parlett.rules import ParlettRules

GAME = get("parlett")
LINE_UPS = [
    (["random", "greedy"], {}),
    (["greedy", "planner"], {"block": "barred"}),
    (["planner", "safe"], {"deals": 2, "hand_size": 20}),
    (["shedder(slip=0.2)", "greedy"], {"hand_size": 7, "multiple": 3, "court_bonus": 30}),
]
#: games to fit weights to, and ridge: fewer games than usual leave more variance, and no bias
SAMPLE, RIDGE = 250, 100.0
compiled = pytest.mark.skipif(not COMPILED, reason="weights are fitted to thousands of games")


@pytest.fixture(autouse=True, scope="module")
def small_samples():
    """Fits take seconds, not minutes; what was fitted to fewer games is forgotten afterwards."""
    usual = fit.SAMPLE, fit._RIDGE
    fit.SAMPLE, fit._RIDGE = SAMPLE, RIDGE
    fit._fitted.cache_clear()
    yield
    fit.SAMPLE, fit._RIDGE = usual
    fit._fitted.cache_clear()


PACK = (4, 8, 13 + 1, 13 + 2, 13 + 10, 26 + 5, 39 + 0, 12)
Deals = list[tuple[tuple[int, ...], float, np.ndarray, int]]


@lru_cache(maxsize=8)
def tiny_deals(orders: tuple[tuple[int, ...], ...], barred: bool, drawn: bool) -> Deals:
    """Deals of packs of a few cards, two in a hand: the pack, the chance of the plays, the plays, and how many.

    Players play the lowest of what scores most; or, with `drawn`, any card that may be played, each as likely.
    """
    gain = ParlettPlayable(ParlettRules(), [GAME.policies.parse("greedy")] * 2).scratch().positions[0].gain
    room, found = np.zeros(28, np.int64), []

    def go_on(cards: tuple[int, ...], t: int, hands: list[int], total: int, suit: int, rows: list, chance: float):
        turns = len(cards) - 4
        own, other = hands[t & 1], hands[1 - (t & 1)]
        legal = legal_cards(own, suit) if t < turns else 0
        if not legal:
            found.append((cards, chance, np.array([*rows, (0, 0, 0, 0)]), t))
            return
        if barred and t < turns - 1:
            legal = harmless_cards(legal, other) or legal
        may = room[: list_cards(legal, room)].tolist()
        if not drawn:
            may = [max(may, key=lambda c: (card_gain(c, total, suit, gain), -c))]
        for card in may:
            after = list(hands)
            after[t & 1] ^= (1 << card) | (1 << cards[4 + t])
            row = (t & 1, card, total + PIPS[card], card_gain(card, total, suit, gain))
            go_on(cards, t + 1, after, row[2], SUIT[card], [*rows, row], chance / len(may))

    for cards in orders:
        go_on(cards, 0, [sum(1 << c for c in cards[k : k + 2]) for k in (0, 2)], 0, -1, [], 1.0)
    return found


def mean_of_orders(
    barred: bool, told_barred: bool, weighted: bool, odds: float = 1.0, drawn: bool = False, orders=None
) -> tuple[np.ndarray, np.ndarray, int]:  # fmt: skip
    """Mean and spread of what is told of eight cards (two hands of two), over all 40,320 orders; and short deals."""
    orders = tuple(permutations(PACK)) if orders is None else orders
    turns = len(orders[0]) - 4
    deals = tiny_deals(orders, barred, drawn)
    rules = ParlettRules(block="barred" if barred else "allowed", court_bonus=20)
    teller = fit.Teller(rules, [GAME.policies.parse("random" if drawn else "greedy")] * 2)
    scratch = teller.scratch()
    thought = teller.thought(scratch)
    thought.odds[12] = odds
    scratch.positions[0].hand_size = 2
    scratch.positions[0].barred = told_barred
    n = events.bins(turns)
    width, centre, leads = np.full(n, 30.0 if weighted else 0.0), np.full(n, -5.0), np.zeros(n)
    one, sums, squares, short = *np.zeros((3, n, tell.TOLD)), 0
    for cards, chance, plays, count in deals:
        short += count < turns
        one[:] = 0.0
        events.tell_deal(np.array(cards), plays, count, 2, 1, 15, thought, centre, width, one, leads)
        sums += chance * one
        squares += chance * one**2
    return sums / len(orders), squares / len(orders), short


@compiled
@pytest.mark.parametrize("barred", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_luck_has_mean_zero_over_all_orders_of_a_tiny_pack(barred: bool, weighted: bool) -> None:
    """Dealt cards, draws and last cards, deals that end short among them; exactly, by enumeration."""
    mean, square, short = mean_of_orders(barred, barred, weighted)
    assert short > 1000
    assert np.abs(mean).max() < 1e-10
    # the last two cards of a stock are told as last cards; under `barred` at once, and the very last is known;
    # `greedy` draws no choice
    told = np.delete(square, [6, 7, 9] if barred else [6, 7], axis=0)[: 7 if barred else 8]
    assert (told.max(axis=1) > 1e-3).all()
    assert (told[:, tell.NET] > 1e-9).all()


@compiled
@pytest.mark.parametrize("barred", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_luck_of_choices_has_mean_zero_as_well(barred: bool, weighted: bool) -> None:
    """`random` with six cards: over all 720 orders and everything that may be chosen."""
    mean, square, _ = mean_of_orders(barred, barred, weighted, drawn=True, orders=tuple(permutations(PACK[2:])))
    assert np.abs(mean).max() < 1e-10
    assert (square[-2:, tell.NET] > 1e-9).all()


@compiled
def test_the_mean_over_choices_is_right_for_every_order() -> None:
    """Eight cards, some orders: what choices tell has mean 0 whatever the cards, and with a card too likely not."""
    rng = np.random.default_rng(3)
    for k in range(20):
        order = (tuple(rng.permutation(PACK).tolist()),)
        for barred in (False, True):
            mean, _, _ = mean_of_orders(barred, barred, k % 2 == 1, drawn=True, orders=order)
            assert np.abs(mean[-4:]).max() < 1e-10
    wrong, _, _ = mean_of_orders(False, False, False, odds=1.02, drawn=True, orders=((12, 4, *PACK[1:7]),))
    assert np.abs(wrong[-4:]).max() > 1e-4


@compiled
@pytest.mark.deep
@pytest.mark.parametrize("barred", [False, True])
def test_deep_luck_of_cards_and_choices_over_all_orders_of_eight_cards(barred: bool) -> None:
    """As with six cards: stock cards that are told between drawn choices."""
    mean, _, short = mean_of_orders(barred, barred, False, drawn=True)
    assert short > 1000
    assert np.abs(mean).max() < 1e-10


@compiled
def test_a_card_that_the_answer_depends_on_is_not_told_after_it() -> None:
    """Under `barred`, telling cards as late as under `allowed` is no luck of mean 0: the test above can fail."""
    mean, _, _ = mean_of_orders(True, False, False)
    assert np.abs(mean).max() > 1e-4


@compiled
def test_a_card_that_is_expected_too_often_is_seen() -> None:
    """One king 2 in 100 likelier than the others: the enumeration sees it at once."""
    mean, _, _ = mean_of_orders(False, False, False, odds=1.02)
    assert np.abs(mean).max() > 1e-4


@compiled
@pytest.mark.parametrize("outcome", ["score", "win"])
@pytest.mark.parametrize(
    "case", [pytest.param(0, marks=pytest.mark.deep), 1, pytest.param(2, marks=pytest.mark.deep), 3]
)
def test_adjusted_means_are_those_of_plain_games(case: int, outcome: str) -> None:
    """Against 50,000 other games: |z| < 4.1 for two seats in eight cases, half of them deep; error rate 7e-4."""
    policies, rules = LINE_UPS[case]
    found = sim.adjusted("parlett", rules=rules, policies=policies, games=300, seed=5, outcome=outcome)
    plain = sim.simulate("parlett", rules=rules, policies=policies, games=50_000, seed=6)
    plain = plain[outcome].to_numpy().astype(float).reshape(-1, 2)
    for s, seat in enumerate(found.seats):
        error = np.hypot((seat.mean.high - seat.mean.low) / 3.92, plain[:, s].std() / np.sqrt(len(plain)))
        assert abs(seat.mean.value - plain[:, s].mean()) < 4.1 * error


def lucks(playable: LuckyPlayable, games: int, seed: int) -> np.ndarray:
    """What is subtracted from seat 0's outcome, by game."""
    out = np.zeros((2, 2 * games))
    playable.play(seed, 0, games, out, playable.scratch())
    return (out[0] - out[1])[::2]


def z_of(x: np.ndarray) -> float:
    """Distance of a mean from 0, in standard errors."""
    return float(x.mean() / x.std() * np.sqrt(x.size))


@compiled
def test_a_wrong_expectation_is_found_out() -> None:
    """Against 400,000 plain games, |z| < 4.1 as it is (error rate 4e-5), and not with means 2 % too low."""
    policies = [GAME.policies.parse("greedy")] * 2
    playable = LuckyPlayable(ParlettRules(), policies)
    plain = sim.simulate("parlett", policies=["greedy"] * 2, games=400_000, seed=6)
    plain = plain["score"].to_numpy().astype(float)[1::2]
    right = playable._teller.thought

    def z() -> float:
        out = np.zeros((2, 2 * 500))
        playable.play(12, 0, 500, out, playable.scratch())
        adjusted = out[1, 1::2]
        error = np.hypot(adjusted.std() / np.sqrt(adjusted.size), plain.std() / np.sqrt(plain.size))
        return float((adjusted.mean() - plain.mean()) / error)

    assert abs(z()) < 4.1
    playable._teller.thought = lambda scratch: right(scratch)._replace(odds=np.full(52, 0.98))
    assert abs(z()) > 4.1


@compiled
def test_the_games_are_those_of_simulate_and_do_not_depend_on_workers() -> None:
    arguments = {"policies": ["greedy", "random"], "games": 260, "seed": 5, "rules": {"deals": 2, "hand_size": 20}}
    found = sim.adjusted("parlett", **arguments)
    scores = sim.simulate("parlett", **arguments)["score"].to_numpy().reshape(-1, 2)
    assert [s.raw.value for s in found.seats] == pytest.approx(scores.mean(axis=0))
    again = sim.adjusted("parlett", workers=2, **arguments)
    assert [s.mean for s in again.seats] == [s.mean for s in found.seats]
    wins = sim.adjusted("parlett", outcome="win", **arguments)
    assert sum(s.mean.value for s in wins.seats) == pytest.approx(1, abs=1e-6)


@compiled
def test_policies_that_think_are_adjusted_by_the_weights_of_planner() -> None:
    search = GAME.policies.parse("search(continuations=20, exact_left=0)")
    assert fit.stands_in(search) == "planner"
    found = sim.adjusted(
        "parlett", rules={"hand_size": 20}, policies=["search(continuations=20, exact_left=0)", "greedy"], games=4,
        seed=3,
    )  # fmt: skip
    assert found.n == 4


@pytest.mark.parametrize("path", sorted(network.FOLDER.glob("*.npz")), ids=lambda path: path.stem)
def test_shipped_networks_say_what_they_were_made_from(path) -> None:
    """The settings in the file are those with which `sim learn` makes it again."""
    policy, block = path.stem.split("_")
    with np.load(path, allow_pickle=False) as found:
        told = json.loads(str(found["told"]))
    assert told["settings"] == learn.settings_for(policy, block)._asdict()
    hands, row = network.nets_of(policy, block)
    assert row.out.shape == (network.OUTPUTS, told["settings"]["hidden"])
    assert all(np.isfinite(weights).all() for weights in (*hands, *row))


def test_learning_is_refused_in_one_line() -> None:
    with pytest.raises(SimError, match="block"):
        learn.train(learn.Settings("greedy", block="never"))
    with pytest.raises(SimError, match="positions"):
        learn.train(learn.Settings("greedy", positions=10))


def test_large_outcomes_are_summed_exactly() -> None:
    from sim.stats.luck import LuckSums

    for size in (100.0, 3000.0, 60_000.0):
        sums = LuckSums(2)
        x = np.full((2000, 2), size)
        x[::2] -= 1
        sums.add(x, x)
        found = sums.result("fitted")
        assert found.mean.value == pytest.approx(size - 0.5)
        assert found.joint.covariance[0, 0] * 2000 == pytest.approx(0.25, rel=1e-2)


def test_what_cannot_be_done_is_refused_in_one_line() -> None:
    with pytest.raises(SimError, match="value"):
        sim.adjusted("parlett", policies=["greedy"] * 2, games=10, seed=1, value="exact")
    with pytest.raises(SimError, match="outcome"):
        sim.adjusted("parlett", policies=["greedy"] * 2, games=10, seed=1, outcome="courts")


@compiled
@pytest.mark.deep
def test_deep_luck_has_mean_zero() -> None:
    """Four line-ups × two outcomes × 20 seeds of 250 games: max |z| < 4.1 (error rate 0.7 %), z normal at 1 %."""
    z = []
    for i, (policies, rules) in enumerate(LINE_UPS):
        for outcome in ("score", "win"):
            scenario = GAME.scenario(rules, policies)
            playable = GAME.luck(scenario.rules, scenario.policies, "auto", outcome)
            z += [z_of(lucks(playable, 250, 1000 * i + s)) for s in range(20)]
    assert np.abs(z).max() < 4.1
    assert distributions.kstest(z, "norm").pvalue > 0.01
