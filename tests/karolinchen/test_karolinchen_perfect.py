"""The policy `optimal`: its search against plain recursion, its choices against the exact solver, who may play it."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

import sim
from sim.engine.jit import COMPILED
from sim.errors import PolicyError, SimError
from sim.games import get
from sim.games.base import OwnCode, PolicyInfo
from sim.games.karolinchen.exact.tree import TIE, follow, is_choice, lay, worth
from sim.games.karolinchen.exact.worms import BEST
from sim.games.karolinchen.kernel import KarolinchenPlayable
from sim.games.karolinchen.perfect import DEPTH, STEP, perfect_card, perfect_take, table_size
from sim.games.karolinchen.policies import POLICIES, POSITION
from sim.games.karolinchen.rules import KarolinchenRules

compiled_only = pytest.mark.skipif(not COMPILED, reason="too many states for the interpreter")
GAME = get("karolinchen")


# ----------------------------------------------------------------------------------------------------------------------
# Positions


def position(rng: random.Random, fruits: list[int], may: int, second_roll: int, taking: bool = False) -> Any:
    """Two players' cards and the dice that may then lie in the middle: all six less those on fruits since the last
    eating. The player to decide has just filled a card or, with `taking`, laid one out whose colour lies there.
    """
    while True:
        p = np.zeros(1, POSITION).view(np.recarray)[0]
        p.seats, p.turn, p.may, p.second_roll = 2, rng.randint(1, 99), may, second_roll
        p.seat, p.total, p.fruits[:] = rng.randint(0, 1), sum(fruits), fruits
        p.first[:2] = rng.randint(0, 5), rng.randint(0, 5)
        for seat in (0, 1):
            order = rng.sample(range(6), 6)
            filled = rng.randint(1, 5) if seat == p.seat else rng.randint(0, 5)
            p.finished[seat] = filled
            p.covered[seat] = sum(fruits[c] for c in order[:filled])
            p.left[seat] = sum(1 << c for c in order[filled:])
            p.current[seat] = order[filled - 1] if seat == p.seat else order[filled]
            if seat != p.seat or taking:
                p.current[seat] = order[filled]
                p.left[seat] ^= 1 << order[filled]
                done = 0 if seat == p.seat else rng.randrange(fruits[order[filled]])
                p.covered[seat] += done
                p.places[seat] = fruits[order[filled]] - done
        p.dice = -int(p.covered.sum()) % 6
        colours = rng.choices(range(6), k=rng.randint(1, 6))  # few colours make long chains
        for _ in range(int(p.dice)):
            p.middle[rng.choice(colours)] += 1
        if not taking or p.middle[p.current[p.seat]] > 0:
            return p


def cards_of(p: Any) -> list[int]:
    return [c for c in range(6) if int(p.left[p.seat]) >> c & 1]


def asked(p: Any, book: np.ndarray) -> int:
    """The card that `optimal` lays out."""
    cards = cards_of(p)
    listed = np.zeros(7, np.int64)
    listed[: len(cards)] = cards
    before = p.tobytes()
    chosen = perfect_card(p, *room(), listed, len(cards), book)
    assert p.tobytes() == before, "a policy must not write"
    return cards[int(chosen)]


def asked_take(p: Any, book: np.ndarray) -> int:
    return int(perfect_take(p, *room(), int(p.current[p.seat]), book))


def room() -> tuple[np.ndarray, np.ndarray]:
    return np.full((DEPTH + 1, STEP), -99), np.full(DEPTH + 1, np.nan)


# ----------------------------------------------------------------------------------------------------------------------
# The search, against plain recursion over lists of dice, whatever the table says


class Plain:
    """Two players who read one table: a worm is (cards left, open card, fruits covered on it)."""

    def __init__(self, fruits: list[int], may: int, second_roll: int, book: np.ndarray) -> None:
        self.fruits, self.may, self.second_roll, self.book = fruits, may, second_roll, book
        worms = []
        for card in range(6):
            others = [c for c in range(6) if c != card]
            for chosen in range(32):
                left = tuple(c for i, c in enumerate(others) if chosen >> i & 1)
                worms += [(left, card, covered) for covered in range(fruits[card])]
        self.number = {worm: i for i, worm in enumerate(worms)}

    def chance(self, mover: Any, other: Any, middle: tuple[int, ...]) -> float:
        """The mover begins a turn with these dice in the middle."""
        left, card, covered = mover
        n = min(middle.count(card), self.fruits[card] - covered)
        if n == 0:
            place = self.number[mover] * len(self.number) + self.number[other]
            return float(self.book[(2 * place + (not middle)) if self.second_roll else place])
        rest = list(middle)
        for _ in range(n):
            rest.remove(card)
        if covered + n < self.fruits[card]:
            return 1 - self.chance(other, (left, card, covered + n), tuple(rest))
        if not left:
            return 1.0
        return max(value for _, _, value in self.options(left, other, tuple(rest)))

    def options(self, left: Any, other: Any, middle: tuple[int, ...]) -> list[tuple[int, bool, float]]:
        """Every next card, taking its dice or not, and what it is worth."""
        found = []
        for card in left:
            worm = (tuple(c for c in left if c != card), card, 0)
            if card not in middle:
                found.append((card, False, 1 - self.chance(other, worm, middle)))
                continue
            found.append((card, False, self.chance(worm, other, middle)))
            if self.may:
                found.append((card, True, 1 - self.chance(other, worm, middle)))
        return found

    def ask(self, p: Any) -> list[tuple[int, bool, float]]:
        them = 1 - int(p.seat)
        card = int(p.current[them])
        other = (
            tuple(c for c in range(6) if int(p.left[them]) >> c & 1),
            card,
            self.fruits[card] - int(p.places[them]),
        )
        left = set(cards_of(p)) | ({int(p.current[p.seat])} if p.places[p.seat] else set())
        middle = tuple(c for c in range(6) for _ in range(int(p.middle[c])))
        return self.options(tuple(sorted(left)), other, middle)


@pytest.mark.parametrize("second_roll", [0, 1])
@pytest.mark.parametrize("may", [0, 1])
@pytest.mark.parametrize("fruits", [[1, 2, 3, 4, 5, 6], [1, 1, 1, 1, 1, 1], [2, 1, 2, 1, 3, 1]], ids=str)
def test_the_search_is_plain_recursion(fruits: list[int], may: int, second_roll: int) -> None:
    """Tables of random numbers: nothing but the right search over the right entries finds the same choices."""
    rng = random.Random(f"{fruits} {may} {second_roll}")
    book = np.random.default_rng(5).random(table_size(sum(fruits), bool(second_roll)))
    plain = Plain(fruits, may, second_roll, book)
    refused = 0
    for _ in range(1500 if COMPILED else 40):
        p = position(rng, fruits, may, second_roll)
        assert asked(p, book) == max(plain.ask(p), key=lambda option: option[2])[0]
        p = position(rng, fruits, may, second_roll, taking=True)
        options = [o for o in plain.ask(p) if o[0] == p.current[p.seat]]
        refuses = max(options, key=lambda option: option[2])[1]
        assert asked_take(p, book) == 1 - refuses
        refused += refuses
    assert (refused > 0) == bool(may)


def test_equal_choices_go_to_the_lower_card_and_dice_are_taken() -> None:
    """A table in which every position is even, but for differences too small to count."""
    fruits = [2, 2, 2, 2, 2, 2]
    rng = random.Random(3)
    book = 0.5 + 1e-13 * np.random.default_rng(1).random(table_size(12, False))
    plain = Plain(fruits, 1, 0, book)

    def even(p: Any) -> bool:  # nobody can win with the dice that lie there
        return all(abs(option[2] - 0.5) < 1e-9 for option in plain.ask(p))

    met = 0
    for _ in range(300 if COMPILED else 30):
        p = position(rng, fruits, 1, 0)
        q = position(rng, fruits, 1, 0, taking=True)
        assert not even(p) or asked(p, book) == cards_of(p)[0]
        assert not even(q) or asked_take(q, book) == 1
        met += even(p) and even(q)
    assert met > 10


def test_what_a_player_cannot_see_or_need_not_know_changes_nothing() -> None:
    fruits = [1, 2, 3, 4, 5, 6]
    rng = random.Random(8)
    book = np.random.default_rng(2).random(table_size(21, False))
    for _ in range(200 if COMPILED else 20):
        p = position(rng, fruits, 1, 0)
        card = asked(p, book)
        p.turn, p.first[:2] = 77, (rng.randint(0, 5), rng.randint(0, 5))
        assert asked(p, book) == card


# ----------------------------------------------------------------------------------------------------------------------
# Its choices, against the exact solver


@cache
def solved(may: bool, second_roll: bool) -> Any:
    rules = {"new_card_take": "may" if may else "must", "reroll_after_eating": second_roll}
    return sim.solve("karolinchen", rules=rules, policies=["optimal", "optimal"], workers=2)


def solver_says(k: Any, p: Any) -> tuple[int, list[int]]:
    """The choice (2 × card + refusal) of the exact solver, and the cards for which it would refuse dice."""
    plays, plans = k._threads[0]
    q, t = plays[0], plans[0]
    t.kind[:] = BEST
    seat = int(p.seat)
    left, card = int(p.left[seat]), int(p.current[1 - seat])
    other = int(t.laid[6 * int(p.left[1 - seat]) + card]) + int(p.fruits[card] - p.places[1 - seat])
    middle = sum(int(p.middle[c]) << 4 * c for c in range(6))
    best, chosen, taken, refuses = -1.0, -1, -1.0, []
    for choice in range(12):
        if not is_choice(t, left, middle, choice):
            continue
        after, n = lay(t, left, middle, choice)
        full = t.places[after] == 0
        mover, first, second = (seat, after, other) if full else (1 - seat, other, after)
        t.leaves = 0
        follow(
            q, t, k._values, k._values, 1, 1.0, mover, int(first), int(second), middle - int(n[0]),
            int(p.dice - n[1]), 0 if full else 1,
        )  # fmt: skip
        value = worth(t, k._values, 0, 0)
        if value > best + TIE:
            best, chosen = value, choice
        if choice % 2 == 0:
            taken = value
        elif value > taken + TIE:
            refuses.append(choice // 2)
    return chosen, refuses


@compiled_only
@pytest.mark.parametrize(("may", "second_roll"), [(False, False), pytest.param(True, True, marks=pytest.mark.deep)])
def test_decision_by_decision_it_chooses_as_the_exact_solver(may: bool, second_roll: bool) -> None:
    k = solved(may, second_roll)
    book = k.kernel_table()
    rng = random.Random(17)
    fruits = [1, 2, 3, 4, 5, 6]
    refusals = 0
    for _ in range(3000):
        p = position(rng, fruits, int(may), int(second_roll))
        choice, refuses = solver_says(k, p)
        card = asked(p, book)
        assert card == choice // 2
        seat = int(p.seat)
        for card in (c for c in cards_of(p) if p.middle[c] > 0):
            q = np.frombuffer(p.tobytes(), POSITION).copy().view(np.recarray)[0]
            q.left[seat] ^= 1 << card
            q.current[seat], q.places[seat] = card, fruits[card]
            assert asked_take(q, book) == (0 if card in refuses else 1)
            refusals += card in refuses
    assert (refusals > 0) == may


@compiled_only
def test_the_table_of_the_kernel_is_that_of_the_rules_whatever_the_opening_or_the_cap() -> None:
    """Openings and caps do not change what positions are worth; given start fruits leave out what cannot come up."""
    small = {"fruits": [1] * 6, "start_fruit": [0, 3]}
    pair = ["optimal", "match"]

    def book(**rules: Any) -> np.ndarray:
        scenario = GAME.scenario({**small, **rules}, pair)
        table = GAME.compile(scenario.rules, scenario.policies)._book
        assert table is not None
        return table

    table = book()
    assert table.shape == (table_size(6, False),)
    assert book(opening="own_roll") is table
    assert book(max_turns=30) is table
    assert book(max_turns=1, reroll_after_eating=True) is table
    assert book(reroll_after_eating=True).size == 2 * table.size
    whole = book(start_fruit="distinct")
    assert np.array_equal(table[table > 0], whole[table > 0])
    assert 0 < np.count_nonzero(table) < np.count_nonzero(whole)


@pytest.mark.deep
@compiled_only
@pytest.mark.parametrize(("better", "told"), [("optimal", 0.5087), ("best_response", 0.5090)])
def test_the_whole_race_in_view_gains_less_than_a_point_on_racer(better: str, told: float) -> None:
    """`racer` does not look at how far anybody is; the figures told in the pages of ladders and exact answers."""
    first = sim.solve("karolinchen", policies=[better, "racer"], workers=2).win[0]
    second = sim.solve("karolinchen", policies=["racer", better], workers=2).win[1]
    assert round((first + second) / 2, 4) == told


# ----------------------------------------------------------------------------------------------------------------------
# Slips, exactly


@compiled_only
def test_a_player_who_always_slips_is_the_random_one_exactly() -> None:
    """Under ``must``; under ``may`` a slip may refuse dice, which `random` never does."""
    rules: dict[str, Any] = {"fruits": [1, 2, 1, 1, 2, 1], "start_fruit": [1, 4]}
    win = sim.solve("karolinchen", rules=rules, policies=["random", "match"]).win
    for policy in ("racer(slip=1)", "optimal(slip=1)"):
        k = sim.solve("karolinchen", rules=rules, policies=[policy, "match"])
        assert np.abs(k.win - win).max() < 1e-13
        may = sim.solve("karolinchen", rules={**rules, "new_card_take": "may"}, policies=[policy, "match"])
        assert np.abs(may.win - win).max() > 1e-3


@compiled_only
def test_slips_cost_more_the_more_there_are() -> None:
    rules: dict[str, Any] = {"fruits": [1, 2, 1, 1, 2, 1], "start_fruit": [1, 4]}
    wins = [
        sim.solve("karolinchen", rules=rules, policies=[f"optimal(slip={s})", "optimal"]).win[0] for s in (0, 0.1, 0.5)
    ]
    assert wins[0] > wins[1] > wins[2]
    best = sim.solve("karolinchen", rules=rules, policies=["optimal(slip=0)", "optimal"])
    assert best.policies == ("optimal", "optimal")


# ----------------------------------------------------------------------------------------------------------------------
# Who may play it


@pytest.mark.parametrize(
    ("rules", "policies", "words"),
    [
        ({}, ["optimal"] * 3, "in a line-up of 3; accepted: two seats"),
        ({}, ["match", "random", "optimal", "odds"], "in a line-up of 4; accepted: two seats"),
        ({"fruits": [30] * 6}, ["optimal", "match"], "a sum of 180; accepted: a sum of up to 44"),
    ],
)
def test_where_it_has_no_values_it_is_refused_in_one_line(rules: Any, policies: list[str], words: str) -> None:
    with pytest.raises(PolicyError) as caught:
        GAME.scenario(rules, policies)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_its_table_it_does_not_play() -> None:
    rules = KarolinchenRules.parse(None)
    assert isinstance(rules, KarolinchenRules)
    line_up = [POLICIES.parse("optimal"), POLICIES.parse("match")]
    for book in (None, np.zeros(5)):
        with pytest.raises(ValueError, match="the table of values of these rules"):
            KarolinchenPlayable(rules, line_up, book)


def test_policies_of_ones_own_are_not_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(POLICIES, "entries", dict(POLICIES.entries))
    POLICIES.add(PolicyInfo("mine", 1000, "s", "w", "s", code=OwnCode({}, "here"), digest="0"))
    with pytest.raises(SimError, match="of one's own and is not solved exactly; accepted: the built-in"):
        sim.solve("karolinchen", policies=["mine", "match"])
