"""The fitted value and the policies that think with it: the same numbers another way; nothing hidden is seen."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest

import sim
from sim.errors import InputError
from sim.games import get
from sim.games.base import SLIP
from sim.games.caterpillars.kernel import decide
from sim.games.caterpillars.learn.network import fit, output
from sim.games.caterpillars.learn.positions import describe, lay
from sim.games.caterpillars.learn.train import Settings, train
from sim.games.caterpillars.mind import blank_mind, judge, make_mind
from sim.games.caterpillars.outcomes import outcomes, pack
from sim.games.caterpillars.policies import LOOKAHEAD, OPTIMAL, POLICIES
from sim.games.caterpillars.rules import FACES, LEVELS, CaterpillarsRules
from sim.games.caterpillars.search import mean_of_next, think_deeply
from sim.games.caterpillars.value import BIAS_ROW, OUT_ROW, POINTS, end_total
from sim.games.caterpillars.weights import file_of, provenance, weights

GAME = get("caterpillars")
STRONG = ("learned", "lookahead", "rollout")


class Table:
    """One sheet to think about: position record, mind, and the game's scratch memory."""

    def __init__(self, rules: dict, policy: str = "learned") -> None:
        scenario = GAME.scenario(rules, [policy])
        self.playable = GAME.compile(scenario.rules, scenario.policies)
        self.rules: CaterpillarsRules = scenario.rules  # type: ignore[assignment]
        self.scratch = self.playable.scratch()
        self.positions = self.scratch.positions
        self.position = self.positions[0]
        self.mind = self.scratch.mind

    def lay(self, labels, filled, totals, bonus) -> None:
        n = self.rules.rounds
        owner = [b // self.rules.boxes for b in range(n)]
        opened = sum(1 << b for b in range(n) if not filled[b])
        lay(self.position, np.array(labels), np.array(owner), opened, np.array(totals), np.array(bonus), n)
        self.position.round_index = sum(filled)

    def options(self, choices) -> np.ndarray:
        out = np.zeros((1024, 4), np.int16)
        out[: len(choices)] = choices
        return out


def random_place(rng: np.random.Generator, rules: CaterpillarsRules, least_open: int = 2):
    """A labelled sheet with some boxes filled, as twelve lists of plain numbers."""
    n = rules.rounds
    labels = rng.integers(1, 7 if rng.random() < 0.7 else 13, n).tolist()
    filled = [0] * n
    for b in rng.permutation(n)[: rng.integers(0, n - least_open + 1)]:
        filled[b] = 1
    k = rules.boxes
    totals = [sum(int(rng.choice((0, 3, 5, 8))) for b in range(c * k, c * k + k) if filled[b]) for c in range(3)]
    bonus = [int(rng.choice((0, 3, 6))) if rules.has_bonus else 0 for _ in range(3)]
    return labels, filled, totals, bonus


def a_roll(rng: np.random.Generator, rules: CaterpillarsRules) -> tuple[list[int], str | None]:
    return rng.integers(1, 7, rules.dice).tolist(), str(rng.choice(FACES)) if rules.has_action else None


def net_value(table: Table, left: int) -> float:
    """What the network says of the position as it stands, from the inputs that it was fitted with."""
    net, curve = table.mind.net, table.mind.curve
    p = table.position
    if left == 0:
        return end_total(*p.totals.tolist(), *p.bonus.tolist(), p.final)
    inputs = np.zeros(net.shape[1])
    base = describe(p, left, curve, inputs)
    assert inputs[BIAS_ROW] == 1
    inside = net[left].copy()
    inside[OUT_ROW] = 0.0
    return base + curve[left, POINTS] * float(output(inputs[None], inside, net[left, OUT_ROW])[0])


@pytest.mark.parametrize("level", LEVELS)
def test_a_value_after_a_move_is_what_the_network_says_of_the_new_position(level: str) -> None:
    """The kernel changes sums by what a move changes; the network is computed from all its inputs."""
    rng = np.random.default_rng(LEVELS.index(level))
    for boxes in (4, 2):
        table = Table({"level": level, "boxes": boxes, "sheet": [1] * (3 * boxes)})
        for _ in range(40):
            labels, filled, totals, bonus = random_place(rng, table.rules, least_open=1)
            dice, face = a_roll(rng, table.rules)
            found = outcomes(table.rules, labels, filled, bonus, dice, face)
            table.lay(labels, filled, totals, bonus)
            judge(table.position, table.options(found), len(found), table.mind)
            worth = table.mind.worth.copy()
            left = filled.count(0) - 1
            judged = 0
            for i, (bonus_box, bonus_value, box, score) in enumerate(found):
                if i + 1 < len(found) and found[i + 1][:3] == (bonus_box, bonus_value, box):
                    assert worth[i] == -1e30  # a larger score for the same box is there
                    continue
                after, total, stored = list(filled), list(totals), list(bonus)
                after[box] = 1
                total[box // boxes] += score
                if bonus_box >= 0:
                    stored[bonus_box] = bonus_value
                table.lay(labels, after, total, stored)
                assert worth[i] == pytest.approx(net_value(table, left), abs=1e-9)
                judged += 1
            assert judged


@pytest.mark.parametrize("level", LEVELS)
def test_the_mean_over_the_next_roll_is_the_one_over_all_rolls_one_by_one(level: str) -> None:
    rng = np.random.default_rng(7 + LEVELS.index(level))
    table = Table({"level": level, "boxes": 2, "sheet": [1] * 6})
    other = Table({"level": level, "boxes": 2, "sheet": [1] * 6})
    for _ in range(3):
        labels, filled, totals, bonus = random_place(rng, table.rules)
        left = filled.count(0)
        table.lay(labels, filled, totals, bonus)
        found = mean_of_next(table.position, left, table.mind)
        total = count = 0
        for face in FACES if table.rules.has_action else (None,):
            for dice in product(range(1, 7), repeat=table.rules.dice):
                choices = outcomes(table.rules, labels, filled, bonus, sorted(dice), face)
                other.lay(labels, filled, totals, bonus)
                judge(other.position, other.options(choices), len(choices), other.mind)
                total += other.mind.worth[: len(choices)].max()
                count += 1
        assert found == pytest.approx(total / count, abs=1e-9)


@pytest.mark.parametrize("level", ["beginner", "intermediate"])
def test_looking_ahead_is_optimal_where_two_rounds_are_left(level: str) -> None:
    """After the move one roll is left, and what follows it is the end: nothing is estimated."""
    rng = np.random.default_rng(3)
    labels = [1, 6, 3, 5, 2, 4]
    rules = {"level": level, "boxes": 2, "sheet": labels}
    table = Table(rules, "lookahead(width=12)")
    exact = sim.solve("caterpillars", rules=rules, labels=labels)
    for _ in range(60):
        filled = [1] * 6
        for b in rng.permutation(6)[:2]:
            filled[b] = 0
        totals = [int(rng.integers(0, 7)) * sum(filled[2 * c : 2 * c + 2]) for c in range(3)]
        dice, _ = a_roll(rng, table.rules)
        choices = outcomes(table.rules, labels, filled, (0, 0, 0), dice)
        table.lay(labels, filled, totals, (0, 0, 0))
        params = POLICIES.parse("lookahead(width=12)").vector()
        chosen = choices[
            think_deeply(LOOKAHEAD, table.position, table.options(choices), len(choices), params, 0.0, table.mind)
        ]
        ranked = dict(exact.best(filled=filled, totals=totals, dice=dice))
        assert ranked[chosen] == pytest.approx(max(ranked.values()), abs=1e-9)


# ----------------------------------------------------------------------------------------------------------------------
# What is hidden stays hidden


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("policy", [info.id for info in POLICIES.entries.values() if info.number != OPTIMAL])
def test_no_decision_depends_on_coming_dice_or_on_memories(level: str, policy: str) -> None:
    """Every decision of a game is made again with the table as a player sees it and everything else changed: dice to
    come, random words, and a mind that has thought about other games."""
    game = "rollout(games=4)" if policy == "rollout" else policy
    rules = {"level": level}
    scenario = GAME.scenario(rules, [game])
    played = GAME.trace(scenario.rules, scenario.policies, 5, 3)
    first = Table(rules, game)
    out = np.zeros((len(first.playable.fields), 1), np.int32)
    first.playable.play(5, 3, 1, out, first.scratch)
    numbers = first.scratch.players[0].policy_draws.copy()
    seat = played["seats"][0]
    filled, totals, bonus = [0] * 12, [0] * 3, [0] * 3
    rng = np.random.default_rng(1)
    again = Table(rules, game)
    for other in (8, 9):  # thoughts of other games
        again.playable.play(77, other, 1, out, again.scratch)
    for r, (roll, outcome) in enumerate(zip(played["rolls"], seat["outcomes"], strict=True)):
        work = again.scratch.work[0]
        work.dice[:] = rng.integers(0, 1296, work.dice.shape)
        work.words[:] = rng.integers(0, 2**32, work.words.shape)
        again.lay(seat["labels"], filled, totals, bonus)
        player = again.scratch.players[0]
        player.policy_draws[:] = rng.random(12)
        player.policy_draws[r] = numbers[r]
        dice = roll["dice"]
        three = [*dice, 1][:3]
        x = sum((d - 1) * 6**i for i, d in enumerate(three))
        face = FACES.index(roll["face"]) if level == "expert" else -1
        chosen = once(again, x, face, r)
        assert chosen == pack(*outcome), f"round {r}"
        bonus_box, bonus_value, box, score = outcome
        filled[box] = 1
        totals[box // 4] += score
        if bonus_box >= 0:
            bonus[bonus_box] = bonus_value


def once(table: Table, x: int, face: int, r: int) -> int:
    """One decision by the kernel's own function."""
    from sim.engine.jit import jit

    global _once
    if _once is None:

        @jit
        def call(players, positions, x, face, r, rules, tables, works, mind):
            return decide(
                players[0], positions[0], x, x, face, r, rules[0], tables[0], works[0], None, None, mind, None
            )

        _once = call
    p = table.playable
    return int(
        _once(table.scratch.players, table.positions, x, face, r, p._rules, p._tables, table.scratch.work, table.mind)
    )


_once = None


def test_dice_in_thought_are_keyed_by_the_policy_s_number_alone() -> None:
    """With one number the decision is one; over many numbers a close decision goes both ways."""
    table = Table({"level": "beginner"}, "rollout(games=1)")
    labels = [1, 6, 3, 5, 2, 5, 4, 2, 1, 6, 3, 4]
    choices = outcomes(table.rules, labels, [0] * 12, (0, 0, 0), [3, 5])
    params = POLICIES.parse("rollout(games=1)").vector()
    assert params[SLIP] == 0
    number = POLICIES.parse("rollout").info.number

    def chosen(u: float) -> int:
        table.lay(labels, [0] * 12, [0] * 3, [0] * 3)
        return think_deeply(number, table.position, table.options(choices), len(choices), params, u, table.mind)

    seen = [chosen(u) for u in np.linspace(0.01, 0.99, 30)]
    assert len(set(seen)) > 1
    assert seen == [chosen(u) for u in np.linspace(0.01, 0.99, 30)]


# ----------------------------------------------------------------------------------------------------------------------
# The files, and how they are made


@pytest.mark.parametrize("level", LEVELS)
def test_a_file_tells_what_made_it(level: str) -> None:
    told = provenance(level)
    assert told["rules"] == CaterpillarsRules.parse({"level": level}).identity()
    settings = told["settings"]
    assert settings["level"] == level
    assert settings["positions"] >= 40_000
    assert set(told["errors"]) == {str(left) for left in range(1, 12)}
    for left, errors in told["errors"].items():
        assert errors["positions"] == settings["positions"]
        assert errors["root_mean_square"] < 0.5 * errors["without_network"], left
    assert len(told["kernel_sources"]) == 12
    assert file_of(level).stat().st_size < 200_000
    net, curve = weights(level)
    assert np.isfinite(net).all()
    assert np.isfinite(curve).all()
    assert (np.abs(net[1:]).max(axis=(1, 2)) > 0).all()


def test_learning_goes_on_after_an_interruption_and_gives_equal_bytes(tmp_path) -> None:
    settings = Settings("beginner", positions=200, passes=2, epochs=2, seed=3)
    whole = train(settings, work=tmp_path / "one")
    told: list[str] = []

    def stop(line: str) -> None:
        told.append(line)
        if len(told) == 15:  # in the second pass
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(settings, work=tmp_path / "two", tell=stop)
    again: list[str] = []
    assert train(settings, work=tmp_path / "two", tell=again.append) == whole
    assert 0 < len(again) < 10
    assert not list((tmp_path / "two").iterdir())
    assert train(settings._replace(seed=4), work=tmp_path / "two") != whole


def test_a_network_learns_what_a_network_can_say() -> None:
    rng = np.random.default_rng(5)
    x = rng.standard_normal((4000, 6)).astype(np.float32)
    y = (np.maximum(x[:, 0] - x[:, 1], 0) + 0.5 * x[:, 2]).astype(np.float32)
    start = (0.3 * rng.standard_normal((6, 8))).astype(np.float32), (0.1 * rng.standard_normal(8)).astype(np.float32)
    before = float(np.square(output(x, *start) - y).mean())
    learned = fit(x, y, *start, epochs=60, batch=100, rate=0.01, seed=1)
    assert float(np.square(output(x, *learned) - y).mean()) < 0.01 * before


def test_wrong_calls_get_one_line() -> None:
    with pytest.raises(InputError, match="unknown level 'sunshine'; accepted: beginner"):
        train(Settings("sunshine"))
    with pytest.raises(InputError, match="positions = 5 is not accepted; accepted: a whole number"):
        train(Settings("beginner", positions=5))
    with pytest.raises(InputError, match="policy rollout rolls dice in thought; accepted: policies that do not"):
        sim.solve("caterpillars", rules={"boxes": 1, "sheet": [1, 2, 3]}, labels=[1, 2, 3], policies=["rollout"])


@pytest.mark.parametrize("policy", ["learned", "lookahead", "weighted"])
@pytest.mark.parametrize("level", ["beginner", "advanced"])
@pytest.mark.deep
def test_exact_answers_follow_a_thinking_policy_as_games_do(level: str, policy: str) -> None:
    """Six standard errors: a false alarm in 500 million a comparison."""
    labels = [1, 5, 3, 6, 2, 4]
    boxes = 2 if level == "beginner" else 1
    rules = {"level": level, "boxes": boxes, "sheet": labels[: 3 * boxes]}
    exact = sim.solve("caterpillars", rules=rules, labels=labels[: 3 * boxes], policies=[policy])
    played = sim.simulate("caterpillars", rules=rules, policies=[policy], games=20_000, seed=4)["score"].to_numpy()
    assert abs(played.mean() - exact.value) < 6 * played.std() / np.sqrt(played.size)


@pytest.mark.parametrize("final", ["lowest", "highest", "total"])
def test_other_finals_are_played_sensibly(final: str) -> None:
    """Better than random play by six standard errors of the difference, on the same dice."""
    rules = {"level": "advanced", "final": final}
    rows = sim.simulate("caterpillars", rules=rules, policies=["learned", "random"], games=2000, seed=4)
    scores = rows["score"].to_numpy().reshape(-1, 2).astype(float)
    gained = scores[:, 0] - scores[:, 1]
    assert gained.mean() > 6 * gained.std() / np.sqrt(gained.size)


def test_the_file_is_plain_data() -> None:
    with np.load(file_of("beginner"), allow_pickle=False) as file:
        assert json.loads(str(file["provenance"]))["game"] == "caterpillars"
        assert file["net"].dtype == np.float32


def test_a_mind_can_be_given_other_networks() -> None:
    rules = CaterpillarsRules.parse({"level": "beginner"})
    one = make_mind(rules)
    other = blank_mind(rules, one.net * 0.5, one.curve)
    assert (other.net == 0.5 * one.net).all()
