"""Policies of Karolinchen: the reference ones to the letter, the others against enumeration, what they are worth."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.engine.jit import COMPILED
from sim.engine.simulate import play_rows
from sim.games import get
from sim.games.base import Policy
from sim.games.karolinchen.odds import ONE_ROLL, TWO_ROLLS, lay_out, next_takes, others_on
from sim.games.karolinchen.policies import OPTIMAL, POLICIES, choose_next_card, choose_take
from sim.games.karolinchen.position import POSITION, POSITION_MEANING

GAME = get("karolinchen")
compiled_only = pytest.mark.skipif(not COMPILED, reason="too many games for the interpreter")


def test_every_field_of_the_position_is_explained_and_none_tells_the_future() -> None:
    assert set(POSITION_MEANING) == set(POSITION.names or ())
    told = " ".join(POSITION.names or ())
    assert not any(word in told for word in ("seed", "game", "word", "roll_", "stream"))


# ----------------------------------------------------------------------------------------------------------------------
# Positions


@st.composite
def positions(draw: Any, taking: bool = False) -> Any:
    """Any position in which a card is to be chosen or, with `taking`, dice for a card just laid out may be taken."""
    p = np.zeros(1, POSITION).view(np.recarray)[0]
    p.seats = draw(st.integers(2, 6))
    p.seat = draw(st.integers(0, int(p.seats) - 1))
    p.turn = draw(st.integers(1, 1000))
    p.may = 1 if taking else draw(st.integers(0, 1))
    p.second_roll = draw(st.integers(0, 1))
    p.fruits[:] = draw(st.lists(st.integers(1, draw(st.sampled_from([3, 6, 30]))), min_size=6, max_size=6))
    p.total = p.fruits.sum()
    for die in draw(st.lists(st.integers(0, 5), max_size=6)):
        p.middle[die] += 1
    p.dice = p.middle.sum()
    for seat in range(int(p.seats)):
        own = seat == p.seat
        order = draw(st.permutations(range(6)))
        filled = draw(st.integers(1 if own else 0, 4))
        p.first[seat] = order[0]
        p.current[seat] = order[filled]
        p.left[seat] = sum(1 << c for c in order[filled + 1 :])
        p.finished[seat] = filled
        p.places[seat] = p.fruits[p.current[seat]]
        p.covered[seat] = sum(int(p.fruits[c]) for c in order[:filled])
        if own and not taking:  # the card just filled is the current one
            p.left[seat] |= 1 << order[filled]
            p.current[seat], p.places[seat] = order[filled - 1], 0
        elif not own:
            done = draw(st.integers(0, int(p.places[seat]) - 1))
            p.places[seat] -= done
            p.covered[seat] += done
    return p


def cards_of(p: Any) -> list[int]:
    return [c for c in range(6) if (int(p.left[p.seat]) >> c) & 1]


def ask(policy: Policy | str, p: Any, u: float = 0.5) -> int:
    """The colour that a policy chooses."""
    policy = POLICIES.parse(policy)
    cards = cards_of(p)
    listed = np.zeros(7, np.int64)
    listed[: len(cards)] = cards
    chosen = choose_next_card(policy.info.number, p, listed, len(cards), policy.vector(), u)
    assert 0 <= chosen < len(cards), policy.text()
    assert listed[: len(cards)].tolist() == cards, "a policy must not write"
    return cards[int(chosen)]


def ask_take(policy: Policy | str, p: Any, u: float = 0.5) -> int:
    policy = POLICIES.parse(policy)
    card = int(p.current[p.seat])
    shown = int(p.middle[card])
    fits = min(shown, int(p.places[p.seat]))
    return int(choose_take(policy.info.number, p, card, shown, fits, policy.vector(), u))


def at_bounds() -> list[Policy]:
    """Every policy with every combination of its parameters at the ends of their ranges."""
    found = []
    for info in POLICIES.entries.values():
        if info.number == OPTIMAL:  # cannot be asked without its table: see the tests of perfect play
            continue
        ends = [(p.low, p.high) for p in info.parameters]
        found += [Policy(info, values) for values in itertools.product(*ends)]
    return found


ENDS = at_bounds()


@settings(deadline=None, max_examples=150 if COMPILED else 10)
@given(positions(), st.sampled_from([0.0, 0.3, 1 - 2**-53]))
def test_a_choice_is_always_among_the_cards_left(p: Any, u: float) -> None:
    before = p.tobytes()
    for policy in ENDS:
        assert ask(policy, p, u) == ask(policy, p, u)
    assert p.tobytes() == before, "a policy must not write to the position"


@settings(deadline=None, max_examples=150 if COMPILED else 10)
@given(positions(taking=True))
def test_taking_is_yes_or_no_and_dice_that_win_are_never_refused(p: Any) -> None:
    before = p.tobytes()
    for policy in ENDS:
        answer = ask_take(policy, p)
        assert answer in (0, 1)
        wins = p.covered[p.seat] + lay_out(p, int(p.current[p.seat]))[0] >= p.total
        always = policy.id != "racer" or policy.parameters()["guard"] == 0
        if always or wins:
            assert answer == 1, policy.text()
    assert p.tobytes() == before


# ----------------------------------------------------------------------------------------------------------------------
# Reference policies, to the letter of the rules page


@settings(deadline=None, max_examples=300 if COMPILED else 20)
@given(positions(), st.floats(0, 1, exclude_max=True))
def test_reference_policies(p: Any, u: float) -> None:
    cards = cards_of(p)
    fruits, middle = p.fruits.tolist(), p.middle.tolist()
    assert ask("random", p, u) == cards[math.floor(u * len(cards))]
    assert ask("longest", p) == min(cards, key=lambda c: (-fruits[c], c))
    assert ask("shortest", p) == min(cards, key=lambda c: (fruits[c], c))
    assert ask("match", p) == min(cards, key=lambda c: (-min(middle[c], fruits[c]), -fruits[c], c))


# ----------------------------------------------------------------------------------------------------------------------
# What the others work out, by plain enumeration


def test_expected_takes_by_counting_every_roll() -> None:
    for dice in range(7):
        counts = np.array([roll.count(0) for roll in itertools.product(range(6), repeat=dice)])
        for places in range(7):
            once = np.minimum(counts, places).mean()
            assert ONE_ROLL[dice, places] == pytest.approx(once, abs=1e-14)
            twice = np.where(counts > 0, np.minimum(counts, places), once).mean()
            assert TWO_ROLLS[dice, places] == pytest.approx(twice, abs=1e-14)


def most_dice(middle: list[int], fruits: list[int], card: int, left: frozenset[int]) -> int:
    """The most dice that can be taken this turn from `card` on, over every order of the cards after it."""
    fits = min(middle[card], fruits[card])
    if fits < fruits[card]:
        return fits
    return fits + max((most_dice(middle, fruits, c, left - {c}) for c in left), default=0)


@settings(deadline=None, max_examples=300 if COMPILED else 20)
@given(positions())
def test_laying_out_looks_through_the_whole_chain(p: Any) -> None:
    cards = cards_of(p)
    want = int(p.current[(int(p.seat) + 1) % int(p.seats)])
    for card in cards:
        taken, places, wanted = lay_out(p, card)
        assert taken == most_dice(p.middle.tolist(), p.fruits.tolist(), card, frozenset(cards) - {card})
        assert 0 <= places <= p.fruits.max()
        assert 0 <= wanted <= min(p.middle[want], p.dice - taken)
        if p.middle[card] < p.fruits[card]:
            assert places == p.fruits[card] - taken
            assert wanted == p.middle[want] - (taken if card == want else 0)


@settings(deadline=None, max_examples=200 if COMPILED else 20)
@given(positions(), st.integers(0, 6))
def test_what_the_next_player_may_expect(p: Any, dice: int) -> None:
    places = min(int(p.places[(int(p.seat) + 1) % int(p.seats)]), 6)
    for wanted in range(1, dice + 1):
        assert next_takes(p, dice, wanted) == min(wanted, places)
    table = TWO_ROLLS if dice == 0 and p.second_roll else ONE_ROLL
    assert next_takes(p, dice, 0) == table[dice or 6, places]
    assert others_on(p, 0) == sum(p.current[s] == 0 for s in range(int(p.seats)) if s != p.seat)


def position(middle: list[int], left: list[int], rival: int, rival_places: int) -> Any:
    """Two players; seat 0 has just filled a card, seat 1 needs `rival_places` more of colour `rival`."""
    p = np.zeros(1, POSITION).view(np.recarray)[0]
    p.seats, p.seat, p.total = 2, 0, 21
    p.fruits[:] = [1, 2, 3, 4, 5, 6]
    for die in middle:
        p.middle[die] += 1
    p.dice = len(middle)
    p.left[0] = sum(1 << c for c in left)
    p.current[:2] = [4, rival]
    p.places[:2] = [0, rival_places]
    return p


def test_odds_fills_the_small_card_on_the_way() -> None:
    """One blue and three red dice: red alone takes three, blue and then red take four."""
    p = position([0, 5, 5, 5], [0, 3, 5], rival=1, rival_places=2)
    assert ask("match", p) == 5
    assert ask("odds", p) == 0
    assert ask("odds(chain=0)", p) == 5


def test_odds_with_nothing_to_take_prefers_short_cards_and_free_colours() -> None:
    assert ask("odds", position([4, 4], [1, 3, 5], rival=0, rival_places=1)) == 1
    assert ask("odds(length=0.5)", position([4, 4], [1, 3, 5], rival=0, rival_places=1)) == 5
    assert ask("odds(rivals=1)", position([4, 4], [1, 3, 5], rival=1, rival_places=1)) == 3


def test_racer_takes_from_the_next_player() -> None:
    """One purple and one yellow die, and the next player needs purple: racer takes the purple one."""
    p = position([3, 2], [2, 3], rival=2, rival_places=3)
    assert ask("racer(deny=0, length=0.1, rivals=0)", p) == 3
    assert ask("racer(deny=1, length=0.1, rivals=0)", p) == 2


# ----------------------------------------------------------------------------------------------------------------------
# What they are worth


def wins_and_turns(policy: str, others: str, seats: int, games: int) -> tuple[float, float, float]:
    """Share of wins of one seat against the others, over every seat in turn; its standard error; mean turns."""
    won, turns = 0, 0
    for seat in range(seats):
        line_up = [others] * seats
        line_up[seat] = policy
        scenario = GAME.scenario(None, line_up)
        out = play_rows(GAME.compile(scenario.rules, scenario.policies), seat, 0, games)
        won += int(out[7].reshape(games, seats)[:, seat].sum())
        turns += int(out[0].sum()) // seats
    share = won / (games * seats)
    return share, math.sqrt(share * (1 - share) / (games * seats)), turns / (games * seats)


@compiled_only
@pytest.mark.parametrize(("policy", "seats"), [("racer", 2), ("racer", 4), ("odds", 2), ("odds", 4)])
def test_thoughtful_policies_beat_match(policy: str, seats: int) -> None:
    """One against equals wins more than its share by five standard errors: error rate 3e-7 if it were no better."""
    share, error, _ = wins_and_turns(policy, "match", seats, 40_000 // seats)
    assert share - 5 * error > 1 / seats


@compiled_only
def test_parameters_move_what_they_should() -> None:
    """Long cards first makes games longer and loses; watching the next player wins."""
    _, _, short = wins_and_turns("odds", "odds", 2, 10_000)
    _, _, long = wins_and_turns("odds(length=2)", "odds(length=2)", 2, 10_000)
    assert long > short + 3  # either mean has a standard error of about 0.15: error rate below 1e-9
    watching, error, _ = wins_and_turns("racer", "racer(deny=0)", 2, 40_000)
    assert watching - 4 * error > 0.5  # error rate 3e-5
    losing, error, _ = wins_and_turns("odds(length=2)", "odds", 2, 10_000)
    assert losing + 5 * error < 0.5  # error rate 3e-7


@pytest.mark.skipif(not COMPILED, reason="thousands of games")
@pytest.mark.parametrize("take", ["must", "may"])
@pytest.mark.parametrize(
    "policy",
    [
        pytest.param(info.id, marks=[pytest.mark.deep] if info.number == OPTIMAL else [])  # solves the game first
        for info in POLICIES.entries.values()
        if not info.draws
    ],
)
def test_no_decision_depends_on_coming_dice_or_on_the_stream(policy: str, take: str) -> None:
    """Games of other seeds and indices that went the same way so far go on the same way: what a policy decides in a
    turn is a function of what lies open, whatever the dice will be and wherever they come from."""
    rules = {"fruits": [1, 1, 2, 2, 1, 1], "start_fruit": [0, 5], "new_card_take": take}
    scenario = get("karolinchen").scenario(rules, [policy, policy])
    decided: dict[str, str] = {}
    again = choices = 0
    for game in range(3_000):
        trace = get("karolinchen").trace(scenario.rules, scenario.policies, game % 7, game)
        seen = f"{trace['opening']}"
        for turn in trace["turns"]:
            seen += f"|{turn['seat']} {turn['rolled']}"
            did = f"{turn['taken']} {turn['chosen']} {turn['left']}"
            if seen in decided:
                again += 1
                choices += bool(turn["chosen"])
                assert decided[seen] == did
            decided[seen] = did
            seen += did
    assert again > 1_000
    assert choices > 300
