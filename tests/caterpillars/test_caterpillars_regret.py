"""What policies lose against optimal play: exact, by round and by kind of decision."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy import stats

import sim
from sim.engine.simulate import play_rows
from sim.errors import InputError, RulesError
from sim.games import get
from sim.games.caterpillars import CaterpillarsRules, outcomes
from sim.games.caterpillars.exact.candidates import rolls
from sim.games.caterpillars.exact.choices import label_odds, list_choices, most_options
from sim.games.caterpillars.exact.moves import storable
from sim.games.caterpillars.exact.played import solve_policy
from sim.games.caterpillars.exact.policy import empty_sheet, lay_out
from sim.games.caterpillars.exact.push import list_options, make_options
from sim.games.caterpillars.odds import odds
from sim.games.caterpillars.policies import OPTIMAL, POLICIES, ROLLOUT
from sim.games.caterpillars.rules import FACES, LEVELS

SHEET = [1, 6, 3, 4, 2, 5, 1, 2, 1, 6, 5, 3]
#: all but the one that loses nothing, and the one that rolls dice in thought and is not followed exactly
PLAYERS = [p.id for p in POLICIES if p.number not in (OPTIMAL, ROLLOUT)]
#: those that look at values of positions, where others are far from optimal play
THINKERS = {"learned", "lookahead", "rival"}


def by_kind(solution) -> dict[str, float]:
    return dict(solution.regret.group_by("kind", maintain_order=True).sum().select("kind", "points").iter_rows())


# --- the losses add up ------------------------------------------------------------------------------------------------


READINGS = {
    "beginner": ("beginner", {}),
    "beginner split": ("beginner", {"zero_rule": "split", "final": "lowest"}),
    "intermediate idle": ("intermediate", {"idle_dice": True}),
}
#: those that think are slow to follow everywhere: one reading with every change, the others with the deep tests
EVERYWHERE = [
    pytest.param(
        *READINGS[name],
        policy,
        id=f"{name}-{policy}",
        marks=[pytest.mark.deep] if policy in THINKERS and name != "beginner split" else [],
    )
    for name in READINGS
    for policy in PLAYERS
]


@pytest.mark.parametrize(("level", "reading", "policy"), EVERYWHERE)
def test_the_losses_of_all_rounds_add_up_to_what_the_policy_falls_short_by(level, reading, policy) -> None:
    labels = [1, 6, 3, 3, 3, 5]
    rules = {"level": level, "boxes": 2, **reading}
    played = sim.solve("caterpillars", rules=rules, labels=labels, policies=[policy])
    best = sim.solve("caterpillars", rules=rules, labels=labels).value
    assert played.optimal_value == best
    assert abs(played.regret_total - (best - played.value)) < 1e-12 < played.regret_error_bound < 1e-8
    assert (played.regret["points"] >= -1e-15).all()
    assert abs(played.regret["points"].sum() - played.regret_total) < 1e-12
    assert played.regret["round"].to_list() == [r for r in range(1, 7) for _ in range(3)]
    assert played.regret["kind"].to_list() == ["split", "box", "zero"] * 6


@pytest.mark.parametrize("policy", ["greedy", "weighted"])
def test_they_add_up_on_a_full_beginner_sheet(policy) -> None:
    played = solve_policy("beginner", SHEET, policy)
    assert abs(played.regret_total - (played.optimal_value - played.value)) < 1e-10
    assert all(points > 0.01 for points in by_kind(played).values())
    # nothing is left to decide in the last round
    assert played.regret.filter(played.regret["round"] == 12)["points"].max() < 1e-12


@pytest.mark.deep
@pytest.mark.parametrize("policy", ["greedy", "weighted"])
def test_they_add_up_on_a_full_intermediate_sheet(policy) -> None:
    played = solve_policy("intermediate", SHEET, policy)
    assert abs(played.regret_total - (played.optimal_value - played.value)) < 1e-10


@pytest.mark.parametrize("policy", PLAYERS)
def test_they_add_up_with_bonus_boxes_within_the_fixed_points_bound(policy) -> None:
    """Values are rounded to steps of 1/3640: the bound is three half steps, and the losses are off by no more than
    twice that."""
    played = solve_policy({"level": "advanced", "boxes": 1}, [1, 3, 6], policy)
    gap = abs(played.regret_total - (played.optimal_value - played.value))
    assert gap <= played.regret_error_bound < 0.001
    # with three rounds, hardly anything matters more than what is stored; who has learned the worth of positions knows
    assert (by_kind(played)["bonus"] < 0.1) if policy in THINKERS else (by_kind(played)["bonus"] > 0.5)


# --- plain recursion in exact fractions -------------------------------------------------------------------------------


def end_total(totals, bonus, final) -> int:
    """The rule: strike one highest and one lowest, the best legal choice on ties."""
    if final == "total":
        return sum(totals) + sum(bonus)
    target = {"median": sorted(totals)[1], "lowest": min(totals), "highest": max(totals)}[final]
    return target + max(b for t, b in zip(totals, bonus, strict=True) if t == target)


def take_greedy(options) -> dict[tuple[int, ...], Fraction]:
    """The reference policy: the largest score, the first in sorted order among equals."""
    return {min(options, key=lambda o: (-o[3], o)): Fraction(1)}


def take_any(options) -> dict[tuple[int, ...], Fraction]:
    return {o: Fraction(1, len(options)) for o in options}


def kind_of_split(outcome, labels, dice, face) -> tuple[int, ...]:
    """What the dice were used for: label sum and score. Zeros and butterflies, the total of all dice left, fit boxes of
    any label."""
    _, stored, box, score = outcome
    anywhere = score == 0 or (face == "butterfly" and score == sum(dice) - stored)
    return (0 if anywhere else labels[box], score)


def recursion(rules: CaterpillarsRules, labels, take, filled, totals, bonus):
    """Value of a policy, and its losses by (boxes filled, kind), by the definition and over the kernel's outcomes."""
    weights = rolls(rules)
    total = sum(weights.values())

    @cache
    def options(filled, bonus, dice, face):
        return outcomes(rules, labels, filled, bonus, dice, face)

    def follow(filled, totals, bonus, outcome):
        box, value, b, score = outcome
        after = tuple(f or i == b for i, f in enumerate(filled))
        sums = tuple(t + (score if b // rules.boxes == c else 0) for c, t in enumerate(totals))
        return after, sums, tuple(value if box == c else x for c, x in enumerate(bonus))

    @cache
    def best(filled, totals, bonus) -> Fraction:
        if all(filled):
            return Fraction(end_total(totals, bonus, rules.final))
        return sum(
            (
                Fraction(weight, total)
                * max(best(*follow(filled, totals, bonus, o)) for o in options(filled, bonus, *r))
                for r, weight in weights.items()
            ),
            Fraction(0),
        )

    losses: dict[tuple[int, str], Fraction] = {}
    here = {(tuple(filled), tuple(totals), tuple(bonus)): Fraction(1)}
    while not all(next(iter(here))[0]):
        later: dict[tuple, Fraction] = {}
        for (filled, totals, bonus), chance in here.items():
            for (dice, face), weight in weights.items():
                worth = {o: best(*follow(filled, totals, bonus, o)) for o in options(filled, bonus, dice, face)}
                for chosen, share in take(list(worth)).items():
                    p = chance * share * Fraction(weight, total)
                    same_write = {o: v for o, v in worth.items() if o[:2] == chosen[:2]}
                    used = kind_of_split(chosen, labels, dice, face)
                    same_split = [v for o, v in same_write.items() if kind_of_split(o, labels, dice, face) == used]
                    steps = [max(worth.values()), max(same_write.values()), max(same_split), worth[chosen]]
                    kinds = ("bonus", "split", "box" if chosen[3] else "zero")
                    for kind, more, less in zip(kinds, steps[:-1], steps[1:], strict=True):
                        key = sum(filled) + 1, kind
                        losses[key] = losses.get(key, Fraction(0)) + p * (more - less)
                    after = follow(filled, totals, bonus, chosen)
                    later[after] = later.get(after, Fraction(0)) + p
        here = later
    return sum(p * end_total(totals, bonus, rules.final) for (_, totals, bonus), p in here.items()), losses


THREE, NONE = [0, 0, 0], [0, 0, 0]
POSITIONS = [
    # rules, labels, filled, totals, bonus
    ({"level": "beginner", "boxes": 1}, [1, 3, 3], THREE, NONE, NONE),
    ({"level": "beginner", "boxes": 1, "zero_rule": "split", "final": "highest"}, [2, 3, 6], THREE, NONE, NONE),
    ({"level": "intermediate", "boxes": 1, "zero_rule": "split"}, [4, 9, 4], [0, 1, 0], [0, 5, 0], NONE),
    ({"level": "intermediate", "boxes": 1, "idle_dice": True, "final": "total"}, [4, 4, 6], [0, 1, 0], [0, 5, 0], NONE),
    ({"level": "advanced", "boxes": 2}, [3, 7, 3, 2, 5, 6], [0, 1, 0, 1, 1, 1], [5, 7, 6], [4, 0, 5]),
    ({"level": "advanced", "boxes": 1, "zero_rule": "split"}, [3, 3, 8], [0, 1, 1], [0, 7, 6], [0, 0, 2]),
    ({"level": "advanced", "boxes": 1, "zero_rule": "strict"}, [3, 3, 8], [1, 0, 1], [5, 0, 6], [0, 0, 3]),
    ({"level": "expert", "boxes": 1}, [3, 7, 6], [1, 0, 1], [9, 0, 12], [0, 0, 3]),
    ({"level": "expert", "boxes": 1, "zero_rule": "split", "bonus_ban": "any"}, [3, 7, 6], [1, 0, 1], [9, 0, 2], NONE),
]


@pytest.mark.parametrize("take", [take_greedy, take_any], ids=["greedy", "random"])
@pytest.mark.parametrize("position", POSITIONS, ids=lambda p: " ".join(map(str, p[0].values())))
def test_losses_are_those_of_plain_recursion(position, take) -> None:
    given, labels, filled, totals, bonus = position
    rules = CaterpillarsRules.parse({**given, "sheet": labels})
    value, losses = recursion(rules, labels, take, filled, totals, bonus)
    policy = "greedy" if take is take_greedy else "random"
    played = solve_policy(rules, labels, policy, filled=filled, totals=totals, bonus=bonus)
    assert abs(played.value - float(value)) < 1e-12
    bound = played.regret_error_bound
    assert bound < (0.001 if rules.has_bonus else 1e-9)
    for round_index, kind, points in played.regret.iter_rows():
        assert abs(points - float(losses.pop((round_index, kind), 0))) <= bound, (round_index, kind)
    assert not any(losses.values())


# --- kinds, by hand ---------------------------------------------------------------------------------------------------


def test_a_zero_in_the_better_box_is_a_loss_of_kind_zero() -> None:
    """All points count. Bobby's 3 and Charlie's 5 are empty. In the last round a 3 brings 39/36 points on average, a 5
    37/36. Without a 3 or 5 (16 of 36 rolls) the zero belongs into the 5; greedy writes it into the lower box, the 3.
    Of 3 and 5 rolled together greedy makes the best: 5 into the 3.
    """
    position = {"filled": [1, 0, 0], "totals": [0, 0, 0]}
    rules = {"boxes": 1, "final": "total"}
    greedy = solve_policy(rules, [1, 3, 5], "greedy", **position)
    zero = 16 / 36 * 2 / 36
    assert greedy.regret.rows() == [
        (2, "split", 0.0), (2, "box", 0.0), (2, "zero", pytest.approx(zero)),
        (3, "split", 0.0), (3, "box", 0.0), (3, "zero", 0.0),
    ]  # fmt: skip
    # random takes each of the two with one half; of 3 and 5 (2 rolls) the 3 into the 5 loses 2 points less 2/36
    either = solve_policy(rules, [1, 3, 5], "random", **position)
    assert by_kind(either) == pytest.approx({"split": 2 / 36 * (2 - 2 / 36) / 2, "box": 0.0, "zero": zero / 2})


def test_the_wrong_one_of_two_boxes_with_the_label_is_a_loss_of_kind_box() -> None:
    """The highest total counts; Bobby has 4, the others nothing; Bobby and Charlie have a 3 each to fill. After 1 and
    3, the 1 belongs to Charlie: 4 + 39/36 in the end, against 5 + 2/36 if Bobby gets it, as with greedy. A zero (25
    rolls) belongs to Charlie too: 4 + 39/36 against 4 + 6/36.
    """
    rules = {"boxes": 2, "final": "highest"}
    played = solve_policy(rules, [1, 1, 1, 3, 1, 3], "greedy", filled=[1, 1, 1, 0, 1, 0], totals=[0, 4, 0])
    assert by_kind(played) == pytest.approx({"split": 0.0, "box": 2 / 36 * 1 / 36, "zero": 25 / 36 * 33 / 36})
    assert played.regret["round"].unique().to_list() == [5, 6]


def test_a_zero_where_an_entry_was_legal_is_a_loss_of_kind_split() -> None:
    """Only a 3 is empty. Under the split reading, 3 and another number x allow x points or a zero: random loses x/2."""
    position = {"filled": [1, 1, 0], "totals": [0, 0, 0]}
    played = solve_policy({"boxes": 1, "final": "total", "zero_rule": "split"}, [1, 2, 3], "random", **position)
    assert by_kind(played) == pytest.approx({"split": 2 / 36 * (1 + 2 + 4 + 5 + 6) / 2, "box": 0.0, "zero": 0.0})


def test_not_storing_is_a_loss_of_kind_bonus() -> None:
    """All points count, and one box with label 12 is left: two sixes and a die x bring x. Best is always the largest
    die into the bonus box, 1071/216 points on average. Greedy never stores a die: it gets x with two sixes, 51/216.
    """
    rules = {"level": "advanced", "boxes": 1, "final": "total"}
    played = solve_policy(rules, [1, 2, 12], "greedy", filled=[1, 1, 0], totals=[0, 0, 0], bonus=[0, 6, 6])
    assert played.value == pytest.approx(12 + 51 / 216)
    assert by_kind(played) == pytest.approx(
        {"bonus": 1020 / 216, "split": 0.0, "box": 0.0, "zero": 0.0}, abs=played.regret_error_bound
    )


# --- what the solver stands on ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_outcomes_and_their_groups_are_those_of_the_rules(level) -> None:
    """Random positions over every reading: the kernel's outcomes in the same order; two outcomes share a group if
    and only if they agree in the bonus choice, and in label sum and score."""
    rng = random.Random(level)
    serial = 0
    for _ in range(4 if level == "expert" else 12):
        rules = CaterpillarsRules.parse(
            {
                "level": level,
                "zero_rule": rng.choice(["forced", "split", "strict"]),
                "idle_dice": rng.random() < 0.3,
                "bonus_ban": rng.choice(["same_box", "any"]),
                "double_optional": rng.random() < 0.5,
                "double_stores": rng.choice(["doubled", "face", "barred"]),
                "bonus_source": rng.choice(["regular", "any"]),
            }
        )
        choices = list_choices(rules)
        room = make_options(most_options(choices, 12))
        values = [0, *storable(rules)]
        for _ in range(25):
            labels = [rng.choice([1, 2, 3, 5, 6, 9]) for _ in range(12)]
            filled = [rng.random() < 0.5 for _ in range(11)] + [False]
            bonus = tuple(rng.choice([0, *values]) for _ in range(3))
            dice = tuple(sorted(rng.randint(1, 6) for _ in range(rules.dice)))
            face = rng.choice(FACES) if rules.has_action else None
            blocks = lay_out(empty_sheet(rules), labels, rules)[0]
            masks = np.array([sum(1 << b for b in range(4) if filled[4 * c + b]) for c in range(3)])
            table = int(np.flatnonzero((choices.bonus == bonus).all(axis=1))[0])
            case = choices.case[table, list(rolls(rules)).index((dice, face))]
            n, serial = list_options(room, serial, masks, case, 4, blocks, choices)
            found = [tuple(o) for o in room.outcome[:n].tolist()]
            assert found == outcomes(rules, labels, filled, bonus, dice, face)
            fourth = 10 if face == "10" else bonus[FACES.index(face)] if face in ("A", "B", "C") else 0
            assert not (face == "butterfly" and fourth)
            groups = [(o[:2], kind_of_split(o, labels, dice, face)) for o in found]
            numbers = list(zip(room.write[:n].tolist(), room.split[:n].tolist(), strict=True))
            assert len(set(groups)) == len({s for _, s in numbers}) == len(set(zip(groups, numbers, strict=True)))
            assert len({g[0] for g in groups}) == len({w for w, _ in numbers})
            stores = [tuple(choices.bonus[table + int(s)]) for s in room.shift[:n]]
            assert stores == [tuple(o[1] if o[0] == c else x for c, x in enumerate(bonus)) for o in found]


@pytest.mark.parametrize("level", LEVELS)
def test_policies_are_told_the_same_odds_as_in_games(level) -> None:
    """To the last bit, since policies break ties by these numbers."""
    rules = CaterpillarsRules.parse({"level": level, "double_optional": True, "idle_dice": True})
    for own, kernel in zip(label_odds(rules), odds(rules), strict=True):
        assert np.array_equal(own, kernel)


@pytest.mark.parametrize(
    "policy", [pytest.param(p, marks=[pytest.mark.deep] if p in ("lookahead", "rival") else []) for p in PLAYERS]
)
@pytest.mark.parametrize(
    ("level", "reading"), [("advanced", {"zero_rule": "strict"}), ("expert", {"bonus_ban": "any"})]
)
def test_distributions_with_bonus_boxes_agree_with_simulated_games(level, reading, policy) -> None:
    """One box a caterpillar, 100,000 games; each of the 20 checks (z of the mean, chi-square) fails by chance once in
    10^5.
    """
    rules = {"level": level, "boxes": 1, "sheet": [2, 3, 6], **reading}
    played = solve_policy(rules, [2, 3, 6], policy)
    assert abs(played.pmf.sum() - 1) < 1e-12
    scenario = get("caterpillars").scenario(rules, [policy])
    games = 100_000
    score = play_rows(scenario.game.compile(scenario.rules, scenario.policies), 21, 0, games)[0]
    assert abs(score.mean() - played.value) / (score.std(ddof=1) / games**0.5) < 4.4
    observed = np.bincount(score, minlength=played.pmf.size)
    expected = played.pmf * games
    rare = expected < 10
    observed, expected = (np.append(x[~rare], x[rare].sum()) for x in (observed, expected))
    keep = expected > 1
    assert observed[~keep].sum() < 20
    assert stats.chisquare(observed[keep], expected[keep] * observed[keep].sum() / expected[keep].sum()).pvalue > 1e-5


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: solve_policy("advanced", SHEET, "greedy"),
            "accepted: at most 134 million, a whole sheet with boxes = 1 or 2",
        ),
        (lambda: solve_policy({"level": "expert", "boxes": 2}, SHEET[:6], "greedy"), "boxes = 1, or a later position"),
        (lambda: solve_policy("beginner", SHEET, "optimal"), "it loses nothing"),
        (lambda: solve_policy("beginner", SHEET, "greedy", filled=[1] * 11), "filled"),
        (lambda: solve_policy("beginner", SHEET, "greedy", totals=[1, 0, 0]), "totals[0] = 1"),
        (lambda: solve_policy("beginner", SHEET, "greedy", bonus=[1, 0, 0]), "bonus"),
        (
            lambda: sim.solve("caterpillars", labels=SHEET, policies=["greedy"], utility=[0.0]),
            "argument of solve for caterpillars 'utility'",
        ),
    ],
)
def test_wrong_calls_get_one_line(call, words) -> None:
    with pytest.raises((InputError, RulesError)) as caught:
        call()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
