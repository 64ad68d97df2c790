"""Exact answers against plain recursion in fractions, against a second solver, and against the simulation."""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, permutations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

import sim
from sim.engine.jit import CACHE_FOLDER, COMPILED
from sim.engine.simulate import play_rows
from sim.errors import SimError
from sim.games import get
from sim.games.karolinchen import KarolinchenRules
from sim.games.karolinchen.exact.orders import OrderRace
from sim.games.karolinchen.exact.solution import line_up_of, records, start_pairs
from sim.games.karolinchen.exact.values import solve_level
from sim.games.karolinchen.exact.worms import BEST, POLICY, RANDOM
from sim.games.karolinchen.policies import OPTIMAL, POLICIES, POSITION, choose_next_card, choose_take
from tests.naive.karolinchen import POLICIES as NAIVE

compiled_only = pytest.mark.skipif(not COMPILED, reason="too many states for the interpreter")
GAME = get("karolinchen")


def solve(policies, workers=2, **rules):
    return sim.solve("karolinchen", rules=rules, policies=policies, workers=workers)


# ----------------------------------------------------------------------------------------------------------------------
# Plain recursion in exact fractions


class Plain:
    """The rules, word for word: a worm is (cards left, open card, fruits covered on it), the middle a sorted tuple.

    Everything returns (chance that seat 0 wins, expected turns still to come). `policies` are ids of the plain
    reference policies, ``id(slip=…)`` for one that slips, or ``best``: the card (and taking or refusing) with the best
    chance of winning.
    """

    def __init__(self, policies, fruits, may=False, second_roll=False):
        self.policies, self.fruits, self.may, self.second_roll = policies, fruits, may, second_roll
        self.circle = cache(self.circle)

    def roll(self, seat, worms, dice):
        """`seat` has to roll."""
        return self.circle(worms, dice)[seat]

    def after_eating(self, seat, worms):
        if not self.second_roll:
            return self.roll(seat, worms, 6)
        return self.mix((p, self.look(seat, worms, middle)) for p, middle in rolls(6))

    def circle(self, worms, dice):
        """Both players' states at once: where neither finds a match, the other one rolls the same dice."""
        known, loop = [], Fraction(0)
        for seat in (0, 1):
            parts = []
            for p, middle in rolls(dice):
                if worms[seat][1] in middle:
                    parts.append((p, self.look(seat, worms, middle)))
                elif worms[1 - seat][1] in middle:
                    win, turns = self.look(1 - seat, worms, middle)
                    parts.append((p, (win, turns + 1)))
            loop = 1 - sum(p for p, _ in parts)
            win, turns = self.mix(parts)
            known.append((win, turns + loop))
        out = []
        for seat in (0, 1):
            mine, theirs = known[seat], known[1 - seat]
            out.append(tuple((a + loop * b) / (1 - loop * loop) for a, b in zip(mine, theirs, strict=True)))
        return out

    @staticmethod
    def mix(parts):
        parts = list(parts)
        return sum((p * w for p, (w, _) in parts), Fraction(0)), sum((p * t for p, (_, t) in parts), Fraction(0))

    def look(self, seat, worms, middle):
        """`seat` begins a turn with this middle."""
        if not middle:
            return self.after_eating(seat, worms)
        if worms[seat][1] not in middle:
            return self.roll(seat, worms, len(middle))
        return self.take(seat, worms, middle)

    def take(self, seat, worms, middle):
        left, card, covered = worms[seat]
        n = min(middle.count(card), self.fruits[card] - covered)
        rest = list(middle)
        for _ in range(n):
            rest.remove(card)
        if covered + n < self.fruits[card]:
            return self.next_turn(seat, worms, (left, card, covered + n), tuple(rest))
        if not left:
            return Fraction(seat == 0), Fraction(1)
        if self.policies[seat] == "best":
            options = [
                self.lay_out(seat, worms, c, tuple(rest), refuse)
                for c in left
                for refuse in ((False, True) if self.may and c in rest else (False,))
            ]
            return max(options, key=lambda option: option[0] if seat == 0 else -option[0])
        if self.policies[seat] == "random":
            share = Fraction(1, len(left))
            return self.mix((share, self.lay_out(seat, worms, c, tuple(rest), False)) for c in left)
        position = {"fruits": self.fruits, "middle": rest}
        policy, _, given = self.policies[seat].rstrip(")").partition("(slip=")
        slip = Fraction(given or 0)
        chosen = left[NAIVE[policy].next_card(position, list(left), len(left), (), 0.0)]
        parts = []
        for card in left:
            share = slip / len(left) + (1 - slip if card == chosen else 0)
            refusal = slip / 2 if self.may and card in rest else Fraction(0)  # the card may slip, then the taking
            for p, refuse in ((share * (1 - refusal), False), (share * refusal, True)):
                if p:
                    parts.append((p, self.lay_out(seat, worms, card, tuple(rest), refuse)))
        return self.mix(parts)

    def lay_out(self, seat, worms, card, middle, refuse):
        worm = (tuple(c for c in worms[seat][0] if c != card), card, 0)
        if card not in middle or refuse:
            return self.next_turn(seat, worms, worm, middle)
        return self.take(seat, (worm, worms[1]) if seat == 0 else (worms[0], worm), middle)

    def next_turn(self, seat, worms, worm, middle):
        worms = (worm, worms[1]) if seat == 0 else (worms[0], worm)
        win, turns = self.look(1 - seat, worms, middle)
        return win, turns + 1

    def game(self, starts, opening="open"):
        worms = tuple((tuple(c for c in range(6) if c != start), start, 0) for start in starts)
        if opening == "own_roll":
            return self.roll(0, worms, 6)
        return self.mix((p, self.look(0, worms, middle)) for p, middle in rolls(6))


@cache
def rolls(dice):
    out = []
    for middle in combinations_with_replacement(range(6), dice):
        ways = math.factorial(dice)
        for n in Counter(middle).values():
            ways //= math.factorial(n)
        out.append((Fraction(ways, 6**dice), middle))
    return out


def state(k, seat, worms):
    """The solver's (chance that seat 0 wins, turns) for a state in which `seat` has to roll."""
    t = k._threads[0][1][0]
    a, b = (int(t.laid[6 * sum(1 << c for c in left) + card]) + covered for left, card, covered in worms)
    own, other = (a, b) if seat == 0 else (b, a)
    win, turns = k._values[((seat * int(t.stride) + own) * int(t.worms) + other) * int(t.layers)]
    return (win if seat == 0 else 1 - win), turns


#: fruits, and pairs of worms with one or two cards to come that began with cards 0 and 1; cards that stay open
#: beside one that gets full, and two equal open cards, are among them
LATE = [
    ((1, 1, 1, 1, 1, 1), [(((2, 5), 4, 0), ((3, 4), 2, 0))]),
    ((1, 1, 2, 1, 3, 1), [(((2,), 4, 0), ((3,), 5, 0)), (((5,), 2, 1), ((3,), 4, 1)), (((3,), 4, 0), ((2,), 4, 0))]),
]


LINE_UPS = [
    ("match", "match"),
    ("longest", "match"),
    ("random", "match"),
    ("random", "random"),
    ("optimal", "optimal"),
    ("match", "best_response"),
    ("best_response", "random"),
    ("match(slip=0.3)", "longest(slip=1)"),
    ("best_response", "match(slip=0.3)"),
]


@compiled_only
@pytest.mark.parametrize(("may", "second_roll"), [(False, False), (True, True)])
@pytest.mark.parametrize("line_up", LINE_UPS, ids=" ".join)
def test_late_states_are_those_of_plain_recursion(line_up, may, second_roll) -> None:
    """Positions with one or two cards to come, in two small games."""
    for fruits, pairs in LATE:
        k = solve(
            list(line_up),
            fruits=fruits,
            start_fruit=[0, 1],
            new_card_take="may" if may else "must",
            reroll_after_eating=second_roll,
        )
        plain = Plain(["best" if p in ("optimal", "best_response") else p for p in line_up], fruits, may, second_roll)
        for worms in pairs:
            done = sum(sum(fruits) - sum(fruits[c] for c in (*left, card)) + on for left, card, on in worms)
            for seat in (0, 1):
                win, turns = state(k, seat, worms)
                exact_win, exact_turns = plain.roll(seat, worms, 6 - done % 6)
                assert abs(win - float(exact_win)) < 1e-11
                if "optimal" not in line_up:  # equally good choices may differ in length
                    assert abs(turns - float(exact_turns)) < 1e-9 or "best_response" in line_up


@compiled_only
@pytest.mark.parametrize(
    ("line_up", "starts"),
    [
        pytest.param(("longest", "shortest"), (0, 5), marks=pytest.mark.deep),
        (("shortest", "longest"), (3, 3)),
    ],
    ids=str,
)
def test_a_whole_game_is_that_of_plain_recursion(line_up, starts) -> None:
    fruits = (1,) * 6 if starts[0] else (1, 1, 1, 1, 1, 2)
    for second_roll, opening in ((False, "own_roll"), (True, "open")):
        k = solve(list(line_up), fruits=fruits, start_fruit=starts, opening=opening, reroll_after_eating=second_roll)
        win, turns = Plain(line_up, fruits, second_roll=second_roll).game(starts, opening)
        assert abs(k.win[0] - float(win)) < k.error_bound + 1e-15
        assert abs(k.turns_mean - float(turns)) < k.turns_error_bound + 1e-14
        assert k.residual < 1e-12


# ----------------------------------------------------------------------------------------------------------------------
# A second solver: worms that cover fruits in a fixed order


@compiled_only
@pytest.mark.parametrize("second_roll", [pytest.param(False, marks=pytest.mark.deep), True])
def test_fixed_orders_of_two_players_agree_with_the_solver_of_pairs(second_roll) -> None:
    rules = {"fruits": (2, 1, 1, 3, 1, 2), "start_fruit": (3, 0), "reroll_after_eating": second_roll}
    k = solve(["longest", "shortest"], **rules)
    parsed = KarolinchenRules.parse(rules)
    line_up = line_up_of(["longest", "shortest"])
    orders = OrderRace(parsed, line_up, start_pairs(parsed, 2), 2)
    assert np.abs(k.win - orders.win).max() < 1e-13
    assert abs(k.turns_mean - orders.turns_mean) < 1e-11
    n = min(k.turns_pmf.size, orders.turns_pmf.size)
    assert np.abs(k.turns_pmf[:n] - orders.turns_pmf[:n]).max() < 1e-14


@compiled_only
def test_one_table_for_both_seats_gives_what_two_give() -> None:
    """With equal cards the longest is the shortest, but only equal policies share a table."""
    rules = {"fruits": (2,) * 6, "start_fruit": (4, 1)}
    one, two = solve(["longest", "longest"], **rules), solve(["longest", "shortest"], **rules)
    assert np.abs(one.win - two.win).max() < 1e-14
    assert np.abs(one.turns_pmf - two.turns_pmf).max() < 1e-15


# ----------------------------------------------------------------------------------------------------------------------
# The simulation


def compare(solution, rules, policies, games, seed, lengths=True) -> None:
    """Wins and mean turns within 4.5 standard errors (7 in a million each), turns by chi-square at 1e-5."""
    scenario = GAME.scenario(rules, policies)
    playable = GAME.compile(scenario.rules, scenario.policies)
    seats = len(policies)
    out = play_rows(playable, seed, 0, games, workers=2)
    names = [f.name for f in playable.fields]
    turns = np.asarray(out[names.index("turns")])[::seats]
    win = np.asarray(out[names.index("win")]).reshape(-1, seats)
    for seat in range(seats):
        p = float(solution.win[seat])
        assert abs(win[:, seat].mean() - p) < 4.5 * math.sqrt(p * (1 - p) / games), f"seat {seat}"
    assert abs(turns.mean() - solution.turns_mean) < 4.5 * turns.std() / math.sqrt(games)
    if not lengths:
        return
    pmf = solution.turns_pmf
    index = np.arange(pmf.size)
    mean = float(index @ pmf)
    assert abs(pmf.sum() - 1) < 1e-12
    assert solution.tail < 1e-12
    assert abs(mean - solution.turns_mean) < solution.turns_error_bound + 1e-9
    expected = games * pmf
    inner = np.flatnonzero(expected >= 20)
    low, high = inner[0], inner[-1]
    seen = np.bincount(turns, minlength=pmf.size)
    cells = [(seen[low : high + 1], expected[low : high + 1])]
    cells += [(seen[:low].sum(), expected[:low].sum()), (seen[high + 1 :].sum(), expected[high + 1 :].sum())]
    total = sum(float(np.sum((s - e) ** 2 / np.maximum(e, 1e-9))) for s, e in cells if np.min(e) > 5)
    assert total < chi2.isf(1e-5, high - low + 3)


SCENARIOS = [
    ({"start_fruit": [0, 5], "fruits": [1, 2, 1, 2, 1, 3]}, ["match", "match"]),
    ({"start_fruit": [2, 4], "fruits": [1, 2, 1, 1, 2, 1], "opening": "own_roll"}, ["odds", "random"]),
    (
        {
            "start_fruit": [3, 3],
            "fruits": [1, 2, 2, 2, 1, 1],
            "new_card_take": "may",
            "reroll_after_eating": True,
        },
        ["racer(guard=1.5)", "match"],
    ),
    ({"fruits": [1] * 6}, ["longest", "racer"]),
    pytest.param(
        {"fruits": [1, 2, 1, 1, 2, 1], "start_fruit": [0, 4], "new_card_take": "may"},
        ["optimal", "optimal"],
        marks=pytest.mark.deep,
    ),
    (
        {"fruits": [2, 1, 1, 2, 1, 1], "start_fruit": [5, 0], "opening": "own_roll", "reroll_after_eating": True},
        ["match", "optimal"],
    ),
    pytest.param(
        {"fruits": [1, 1, 1, 1, 2, 1], "start_fruit": [2, 4], "new_card_take": "may", "reroll_after_eating": True},
        ["optimal(slip=0.3)", "racer(guard=1.5, slip=0.5)"],
        marks=pytest.mark.deep,
    ),
    ({"start_fruit": [0, 3, 5], "reroll_after_eating": True}, ["longest", "shortest", "longest"]),
    ({"start_fruit": [1, 1, 2, 0], "fruits": [2, 1, 2, 3, 1, 1], "opening": "own_roll"}, ["longest", "shortest"] * 2),
]


@compiled_only
@pytest.mark.parametrize(("rules", "policies"), SCENARIOS, ids=str)
def test_the_simulation_agrees(rules, policies) -> None:
    compare(solve(policies, **rules), rules, policies, 200_000, 11)


@compiled_only
@pytest.mark.parametrize("policies", [["match"] * 2, ["optimal"] * 2, ["odds(slip=0.2)", "optimal"]], ids=str)
def test_the_simulation_agrees_in_the_published_game_with_given_starts(policies) -> None:
    rules = {"start_fruit": [0, 5]}
    compare(solve(policies, **rules), rules, policies, 500_000, 2, lengths=False)


@compiled_only
@pytest.mark.deep
@pytest.mark.parametrize("preset", ["standard", "may", "own_roll", "second_roll"])
@pytest.mark.parametrize(
    "policies",
    [
        ["match", "match"],
        ["odds", "racer"],
        ["racer(guard=2)", "match"],
        ["random", "longest"],
        ["optimal", "optimal"],
        ["optimal", "match"],
        ["racer(guard=2, slip=0.2)", "optimal(slip=0.2)"],
    ],
    ids=str,
)
def test_the_simulation_agrees_in_the_published_game(policies, preset) -> None:
    compare(sim.solve("karolinchen", rules=preset, policies=policies), preset, policies, 2_000_000, 5)


@compiled_only
@pytest.mark.deep
def test_the_simulation_agrees_at_four_seats() -> None:
    rules, policies = {"start_fruit": [0, 1, 2, 3]}, ["longest", "shortest", "shortest", "longest"]
    compare(solve(policies, **rules), rules, policies, 1_000_000, 5)


# ----------------------------------------------------------------------------------------------------------------------
# What must hold for any game

SMALL = {"fruits": (1, 2, 1, 1, 1, 1)}


@compiled_only
def test_perfect_play_is_what_no_policy_beats() -> None:
    rules = {"fruits": (1,) * 6, "start_fruit": (0, 5)}
    best = solve(["optimal", "optimal"], **rules)
    assert np.abs(solve(["optimal", "best_response"], **rules).win - best.win).max() < 1e-11
    for policy in ("match", "random"):
        against = solve(["optimal", policy], **rules).win[0]
        response = solve(["best_response", policy], **rules).win[0]
        assert best.win[0] - 1e-11 <= against <= response + 1e-11
        assert response > solve([policy, policy], **rules).win[0]


@compiled_only
def test_a_right_to_refuse_never_hurts_a_player_alone() -> None:
    """Against a policy that always takes, the right is the best response's only."""
    must = solve(["best_response", "match"], **SMALL, start_fruit=(0, 5))
    may = solve(["best_response", "match"], **SMALL, start_fruit=(0, 5), new_card_take="may")
    assert may.win[0] > must.win[0]  # in this small game refusing does pay


@compiled_only
def test_colours_are_only_names() -> None:
    fruits = (1, 2, 1, 1, 2, 1)
    order = (3, 5, 0, 1, 4, 2)  # colour c is called order[c]
    renamed = [0] * 6
    for c, name in enumerate(order):
        renamed[name] = fruits[c]
    one = solve(["optimal", "optimal"], fruits=fruits, start_fruit=[1, 3])
    other = solve(["optimal", "optimal"], fruits=renamed, start_fruit=[order[1], order[3]])
    assert np.abs(one.win - other.win).max() < 1e-11


@compiled_only
def test_distinct_start_fruits_are_the_mean_of_all_pairs() -> None:
    rules = {"fruits": (1,) * 6}
    k = solve(["match", "shortest"], **rules)
    table = k.by_start
    assert [tuple(row) for row in table.select("start_0", "start_1").rows()] == list(permutations(range(6), 2))
    assert abs(table["win_0"].mean() - k.win[0]) < 1e-14
    assert abs(table["turns_mean"].mean() - k.turns_mean) < 1e-12
    given = solve(["match", "shortest"], **rules, start_fruit=[4, 2])
    row = table.filter((table["start_0"] == 4) & (table["start_1"] == 2)).row(0, named=True)
    assert abs(row["win_0"] - given.win[0]) < 1e-14
    assert abs(row["win_0"] + row["win_1"] - 1) < 1e-15
    at = list(permutations(range(6), 2)).index((4, 2))
    n = min(given.turns_pmf.size, k.turns_pmf_by_start.shape[1])
    assert np.abs(k.turns_pmf_by_start[at, :n] - given.turns_pmf[:n]).max() < 1e-15


@compiled_only
def test_threads_do_not_matter() -> None:
    one, two = (solve(["optimal", "match"], workers, **SMALL, start_fruit=(0, 5)) for workers in (1, 2))
    assert np.array_equal(one.win, two.win)
    assert np.array_equal(one.turns_pmf, two.turns_pmf)


@pytest.mark.parametrize("line_up", [("match", "random"), ("optimal", "optimal")], ids=" ".join)
def test_the_last_states_also_in_plain_python(line_up) -> None:
    """The same functions with the compiler off, where a whole game would take too long."""
    fruits = (1,) * 6
    parsed = KarolinchenRules.parse({"fruits": fruits, "start_fruit": (0, 1), "new_card_take": "may"})
    kinds = [{"match": POLICY, "random": RANDOM, "optimal": BEST}[p] for p in line_up]
    plays, plans = records(parsed, line_up_of(line_up), kinds, ((0, 1),), line_up[0] == line_up[1])
    t = plans[0]
    values = np.zeros((int(t.lost) + 1, 2))
    for level in (10, 9):
        solve_level(plays, plans, values, values, 6, level, 0, 1)
    worms = (((2,), 3, 0), ((), 4, 0))
    a, b = (int(t.laid[6 * sum(1 << c for c in left) + card]) for left, card, _ in worms)
    win, turns = values[(a * int(t.worms) + b) * int(t.layers)]
    plain = Plain(["best" if p == "optimal" else p for p in line_up], fruits, may=True)
    exact_win, exact_turns = plain.roll(0, worms, 6 - 9 % 6)
    assert abs(win - float(exact_win)) < 1e-13
    assert abs(turns - float(exact_turns)) < 1e-11


@compiled_only
def test_the_function_that_calls_itself_is_compiled_in_one_form() -> None:
    """Two forms would crash once they come from the disk cache (numba issue 6061)."""
    solve(["match", "optimal"], fruits=(1,) * 6, start_fruit=(0, 1), new_card_take="may").turns_pmf  # noqa: B018
    # one folder per checkout that shares the cache
    forms = Counter(path.parent for path in Path(CACHE_FOLDER).rglob("*.follow-*.nbc"))
    assert set(forms.values()) == {1}


def test_a_game_of_fixed_orders_in_plain_python() -> None:
    """Also with the compiler off."""
    rules = {"fruits": (1,) * 6, "start_fruit": (0, 1)}
    parsed = KarolinchenRules.parse(rules)
    orders = OrderRace(parsed, line_up_of(["longest", "shortest"]), start_pairs(parsed, 2), 1)
    win, turns = Plain(("longest", "shortest"), (1,) * 6).game((0, 1))
    assert abs(orders.win[0] - float(win)) < 1e-14
    assert abs(orders.turns_mean - float(turns)) < 1e-12


def test_no_policy_reads_what_a_state_does_not_hold() -> None:
    """First cards and the number of the turn are on the table, but no part of the solver's states."""
    rng = random.Random(3)
    for _ in range(300 if COMPILED else 60):
        p = np.zeros(1, POSITION).view(np.recarray)[0]
        p.seats, p.turn, p.may, p.second_roll = 2, 1, rng.randint(0, 1), rng.randint(0, 1)
        p.seat = rng.randint(0, 1)
        p.fruits[:] = [rng.randint(1, 6) for _ in range(6)]
        p.total = p.fruits.sum()
        for die in [rng.randint(0, 5) for _ in range(rng.randint(0, 6))]:
            p.middle[die] += 1
        p.dice = p.middle.sum()
        for seat in (0, 1):
            own = rng.sample(range(6), 6)
            p.current[seat], p.places[seat], p.finished[seat] = own[0], 0, 1
            p.left[seat] = sum(1 << c for c in own[1:4])
            p.covered[seat] = sum(int(p.fruits[c]) for c in (own[0], own[4], own[5]))
        cards = np.array([c for c in range(6) if int(p.left[p.seat]) >> c & 1] + [0] * 4)
        for info in POLICIES.entries.values():
            if info.number == OPTIMAL:  # decided by the tree itself
                continue
            vector = POLICIES.parse(info.id).vector()
            answers = set()
            for turn, first in ((1, 0), (50, 3), (51, 5)):
                p.turn = turn
                p.first[:2] = first, (first + 1) % 6
                answers.add(
                    (
                        choose_next_card(info.number, p, cards, 3, vector, 0.4),
                        choose_take(info.number, p, int(cards[0]), 1, 1, vector, 0.4),
                    )
                )
            assert len(answers) == 1, info.id


# ----------------------------------------------------------------------------------------------------------------------
# Errors


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: solve(["match"] * 3), "two seats, or three to 4 that play longest or shortest"),
        (lambda: solve(["match"]), "two seats"),
        (lambda: solve(["longest"] * 5), "two seats"),
        (lambda: solve(["best_response"] * 2), "one of them"),
        (lambda: solve(["longest"] * 3, start_fruit=[0, 1]), "one policy per start fruit, 2"),
        (lambda: solve(["match", "optimum"]), "(did you mean optimal?)"),
        (lambda: solve(["match", "nobody"]), "racer, optimal, best_response"),
        (lambda: solve(["match", "optimal(depth=2)"]), "unknown parameter of policy optimal"),
        (lambda: solve(["match", "best_response(depth=2)"]), "accepted: the text best_response alone"),
        (lambda: solve(["longest(slip=0.1)"] * 3), "two seats, or three to 4"),
        (lambda: solve(["match"] * 2, fruits=[30] * 6), "a sum of 44 fruits"),
        (lambda: solve(["longest"] * 4, fruits=[9] * 6), "states; accepted: up to"),
        (lambda: solve(["match"] * 2, max_turns=200), "max_turns = 200"),
        (lambda: solve(["match"] * 2, workers=0), "workers = 0"),
        (lambda: sim.solve("karolinchen", policies=["match"] * 2, labels=[1]), "unknown argument"),
    ],
)
def test_wrong_questions_get_one_line(call, words) -> None:
    with pytest.raises(SimError) as caught:
        call()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
