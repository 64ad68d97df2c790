"""`rival` plays to win: it looks at the others, knows nothing that is hidden, and is `learned` when alone."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from scipy.stats import t as student_law

from sim.engine.jit import jit
from sim.engine.simulate import play_rows
from sim.games import get
from sim.games.caterpillars import outcomes
from sim.games.caterpillars.kernel import decide
from sim.games.caterpillars.learn.margins import measured
from sim.games.caterpillars.learn.positions import lay
from sim.games.caterpillars.outcomes import pack
from sim.games.caterpillars.policies import LEARNED, POLICIES, RIVAL
from sim.games.caterpillars.rival import beats, student
from sim.games.caterpillars.rules import FACES, LEVELS
from sim.games.caterpillars.search import think_deeply
from sim.games.caterpillars.weights import LEFT, MARGIN, MARGINS, margins

GAME = get("caterpillars")
SMALL = {"level": "beginner", "boxes": 2, "sheet": [1, 6, 3, 5, 2, 4]}


def rows(rules, policies, games=100):
    scenario = GAME.scenario(rules, policies)
    return play_rows(GAME.compile(scenario.rules, scenario.policies), 7, 0, games)


# ----------------------------------------------------------------------------------------------------------------------
# What it is built on


@pytest.mark.parametrize("level", LEVELS)
def test_without_nerve_it_plays_as_learned(level: str) -> None:
    rules = {"level": level}
    others = ["random", "learned"]
    base = rows(rules, ["learned", *others])
    assert np.array_equal(rows(rules, ["rival(nerve=0)", *others]), base)
    assert not np.array_equal(rows(rules, ["rival", *others]), base)


@pytest.mark.parametrize("level", LEVELS)
def test_alone_it_plays_as_learned(level: str) -> None:
    assert np.array_equal(rows({"level": level}, ["rival"]), rows({"level": level}, ["learned"]))


def test_the_law_of_a_lead_is_student_s_with_the_standard_deviation_given() -> None:
    for lead, sd in product((-9.0, -1.0, 0.0, 0.3, 4.0), (0.2, 1.0, 7.0)):
        assert student(lead, sd) == pytest.approx(student_law(4).cdf(lead / sd * np.sqrt(2)), abs=1e-12)
    assert [student(x, 0.0) for x in (-1.0, 0.0, 1.0)] == [0.0, 0.5, 1.0]


def test_the_chances_of_two_players_add_up_and_the_box_sum_breaks_ties() -> None:
    for d, s, v, w in product((-3.0, 0.0, 0.7), (-5.0, 0.0, 2.0), (0.0, 1.5), (0.0, 9.0)):
        assert beats(d, s, v, w, 1.0, 1.0) + beats(-d, -s, v, w, 1.0, 1.0) == pytest.approx(1)
    assert beats(0.0, 3.0, 1.5, 9.0, 1.0, 1.0) > 0.5
    assert beats(0.0, 3.0, 0.0, 0.0, 1.0, 1.0) == 1
    assert beats(0.0, 0.0, 0.0, 0.0, 1.0, 3.0) == 0.25  # four equal sheets share the win


# ----------------------------------------------------------------------------------------------------------------------
# It looks at the others: two rounds to go at a small table, everything counted by hand


class Two:
    """A table for two, with the second player's sheet laid before the first one's eyes."""

    def __init__(self, rules: dict, policy: str = "rival") -> None:
        scenario = GAME.scenario(rules, [policy, "learned"])
        self.playable = GAME.compile(scenario.rules, scenario.policies)
        self.rules = scenario.rules
        self.scratch = self.playable.scratch()
        self.params = POLICIES.parse(policy).vector()

    def lay(self, sheet, other=None) -> None:
        labels, filled, totals, bonus = sheet
        n, k = self.rules.rounds, self.rules.boxes
        position = self.scratch.positions[0]
        owner = np.array([b // k for b in range(n)])
        opened = sum(1 << b for b in range(n) if not filled[b])
        lay(position, np.array(labels), owner, opened, np.array(totals), np.array(bonus), n)
        position.round_index = sum(filled)
        position.others = 0 if other is None else 1
        if other is not None:
            labels, filled, totals, bonus = other
            position.other_labels[0, :n] = labels
            position.other_scores[0, :n] = [0 if f else -1 for f in filled]
            position.other_totals[0] = totals
            position.other_empty[0] = [k - sum(filled[k * c : k * c + k]) for c in range(3)]
            position.other_bonus[0] = bonus

    def choose(self, dice, policy=RIVAL) -> tuple[int, int, int, int]:
        position = self.scratch.positions[0]
        position.dice[:] = [*dice, 0][:3]
        position.face = -1
        n = self.rules.rounds
        filled = [not (position.open_boxes >> b) & 1 for b in range(n)]
        found = outcomes(self.rules, position.labels[:n].tolist(), filled, position.bonus.tolist(), dice)
        options = np.zeros((1024, 4), np.int16)
        options[: len(found)] = found
        return found[think_deeply(policy, position, options, len(found), self.params, 0.0, self.scratch.mind)]


def after(sheet, outcome):
    labels, filled, totals, bonus = sheet
    _, _, box, score = outcome
    filled, totals = list(filled), list(totals)
    filled[box] = 1
    totals[box // 2] += score
    return labels, filled, totals, bonus


def last_results(sheet) -> list[tuple[int, int]]:
    """By roll: the best end total (no bonus at beginner), and the sum of all boxes that goes with it."""
    results = []
    for dice in product(range(1, 7), repeat=2):
        ends = []
        for outcome in outcomes(SMALL, sheet[0], sheet[1], (0, 0, 0), sorted(dice)):
            totals = after(sheet, outcome)[2]
            ends.append((sorted(totals)[1], sum(totals)))
        results.append(max(ends))
    return results


def win_share(mine, other) -> float:
    """Share of the win before the last roll, over all rolls."""
    pairs = zip(last_results(mine), last_results(other), strict=True)
    return sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs) / 36


def two_to_go(rng) -> tuple[list[int], list[int], list[int], list[int]]:
    filled = [1] * 6
    for b in rng.permutation(6)[:2]:
        filled[b] = 0
    totals = [sum(int(rng.integers(0, 7)) for b in (2 * c, 2 * c + 1) if filled[b]) for c in range(3)]
    return rng.integers(1, 7, 6).tolist(), filled, totals, [0, 0, 0]


def test_it_wins_more_than_learned_where_all_can_be_counted() -> None:
    """300 fixed positions with two rounds to go: no chance is left, but for the positions drawn."""
    table = Two(SMALL)
    rng = np.random.default_rng(4)
    gained = []
    for _ in range(300):
        mine, other = two_to_go(rng), two_to_go(rng)
        dice = sorted(rng.integers(1, 7, 2).tolist())
        table.lay(other)
        answer = after(other, table.choose(dice, LEARNED))
        table.lay(mine, other)
        moves = [table.choose(dice, policy) for policy in (RIVAL, LEARNED)]
        if moves[0] != moves[1]:
            shares = [win_share(after(mine, move), answer) for move in moves]
            gained.append(shares[0] - shares[1])
    assert len(gained) > 5
    assert sum(gained) > 0.8


#: own sheet, the other's before this roll with its totals when it is behind and when it is ahead, the roll, what to do
#: when ahead, what to do when behind
CALM = (
    ([1, 5, 2, 3, 1, 3], [1, 0, 1, 0, 1, 1], [1, 4, 10], [0, 0, 0]),
    ([6, 2, 6, 6, 5, 1], [1, 1, 1, 0, 0, 1]),
    ([5, 0, 2], [8, 3, 5]),
    [1, 4],
    (-1, 0, 3, 0),
    (-1, 0, 1, 0),
)
BOLD = (
    ([4, 6, 6, 6, 2, 6], [1, 1, 1, 0, 0, 1], [7, 0, 2], [0, 0, 0]),
    ([1, 2, 1, 4, 5, 3], [1, 0, 1, 0, 1, 1]),
    ([0, 0, 4], [3, 0, 10]),
    [1, 4],
    (-1, 0, 3, 0),
    (-1, 0, 4, 0),
)


@pytest.mark.parametrize("case", [CALM, BOLD], ids=["calm", "bold"])
def test_ahead_it_takes_the_sure_thing_and_behind_the_gamble(case) -> None:
    """The same sheet and the same roll: only the other's totals differ, and each choice is right, counted over all
    rolls. In `CALM` the sure thing has the smaller mean, in `BOLD` the gamble has: `learned` would do the other."""
    mine, (labels, filled), totals, dice, sure, gamble = case
    table = Two(SMALL)
    for theirs, right, wrong in ((totals[0], sure, gamble), (totals[1], gamble, sure)):
        other = (labels, filled, theirs, [0, 0, 0])
        table.lay(other)
        answer = after(other, table.choose(dice, LEARNED))
        table.lay(mine, other)
        assert table.choose(dice) == right
        assert win_share(after(mine, right), answer) > win_share(after(mine, wrong), answer) + 0.07
    mean = {move: np.mean([end for end, _ in last_results(after(mine, move))]) for move in (sure, gamble)}
    assert bool(mean[sure] < mean[gamble]) == (case is CALM)
    assert table.choose(dice, LEARNED) == (gamble if case is CALM else sure)


# ----------------------------------------------------------------------------------------------------------------------
# What is hidden stays hidden


@jit
def decide_once(players, positions, x, face, r, rules, tables, works, mind):
    return decide(players[0], positions[0], x, x % 216, face, r, rules[0], tables[0], works[0], None, None, mind, None)


@pytest.mark.parametrize("level", LEVELS)
def test_coming_dice_keys_and_what_others_do_this_round_change_nothing(level: str) -> None:
    """Every decision of a game is made again with the table as of the last round, and everything else changed: dice
    to come, random words, the others' records, policies and numbers, and a mind that has played other games."""
    scenario = GAME.scenario({"level": level}, ["rival", "weighted", "learned(slip=0.2)"])
    trace = GAME.trace(scenario.rules, scenario.policies, 5, 3)
    again = Two({"level": level})
    out = np.zeros((len(again.playable.fields), 4), np.int32)
    again.playable.play(99, 40, 2, out, again.scratch)
    rng = np.random.default_rng(1)
    sheets = [([0] * 12, [0] * 12, [0] * 3, [0] * 3) for _ in range(3)]  # filled, scores, totals, bonus
    for r, roll in enumerate(trace["rolls"]):
        work, player = again.scratch.work[0], again.scratch.players[0]
        work.dice[:] = rng.integers(0, 1296, work.dice.shape)
        work.words[:] = rng.integers(0, 2**32, work.words.shape)
        again.scratch.positions[1].totals[:] = rng.integers(0, 20, 3)
        again.scratch.positions[1].scores[:] = rng.integers(-1, 9, 12)
        again.scratch.players[1].policy = rng.integers(0, 5)
        player.policy_draws[:] = rng.random(12)
        filled, _, totals, bonus = sheets[0]
        again.lay((trace["seats"][0]["labels"], filled, totals, bonus))
        me = again.scratch.positions[0]
        me.others = 2
        for k in (1, 2):
            filled, scores, totals, bonus = sheets[k]
            me.other_labels[k - 1] = trace["seats"][k]["labels"]
            me.other_scores[k - 1] = [s if f else -1 for s, f in zip(scores, filled, strict=True)]
            me.other_totals[k - 1] = totals
            me.other_empty[k - 1] = [4 - sum(filled[4 * c : 4 * c + 4]) for c in range(3)]
            me.other_bonus[k - 1] = bonus
        x = sum((d - 1) * 6**i for i, d in enumerate([*roll["dice"], 1][:3]))
        face = FACES.index(roll["face"]) if level == "expert" else -1
        p = again.playable
        chosen = decide_once(
            again.scratch.players, again.scratch.positions, x, face, r, p._rules, p._tables, again.scratch.work,
            again.scratch.mind,
        )  # fmt: skip
        assert chosen == pack(*trace["seats"][0]["outcomes"][r]), f"round {r}"
        for (filled, scores, totals, bonus), seat in zip(sheets, trace["seats"], strict=True):
            bonus_box, value, box, score = seat["outcomes"][r]
            filled[box], scores[box] = 1, score
            totals[box // 4] += score
            if bonus_box >= 0:
                bonus[bonus_box] = value


# ----------------------------------------------------------------------------------------------------------------------
# The table of spreads


def test_the_table_covers_all_levels_and_tells_what_made_it() -> None:
    told = json.loads(MARGINS.read_text(encoding="utf-8"))
    assert told["games"] >= 100_000
    assert list(told["levels"]) == list(LEVELS)
    for level in LEVELS:
        table = margins(level)
        assert table.shape == (LEFT, MARGIN)
        assert (table >= 0).all()
        assert (table[0] == 0).all()  # after the last round nothing is uncertain
        assert (table[1:, :4].sum(axis=1) > 0).all()


def test_equal_measurements_give_equal_text() -> None:
    one = measured(200, 3)
    assert measured(200, 3) == one
    assert measured(200, 4) != one
