"""`planner` and `weighted` without the list, and placements by counting: the same choices as by definition."""

from __future__ import annotations

import random

import numpy as np

from sim.engine.jit import jit
from sim.games.caterpillars import CaterpillarsRules
from sim.games.caterpillars.odds import show_level
from sim.games.caterpillars.outcomes import close_box, list_outcomes, open_sheet, rules_record, tables
from sim.games.caterpillars.placement import DOUBLE, SPREAD, place, place_by_count
from sim.games.caterpillars.policies import POLICIES, choose
from sim.games.caterpillars.position import POSITION, SEAT, WORK
from sim.games.caterpillars.rules import FINALS
from sim.games.caterpillars.sieve import fill_served, select_sieved

LEVELS = ("beginner", "intermediate", "advanced", "expert")


@jit
def both_ways(position, roll, face, rules, tables, work_, player):
    work = work_[0]
    n = list_outcomes(work.packed, position, roll, face, rules, tables)
    listed = work.packed[choose(player.policy, position, work.options, n, player.params, 0.0)]
    return listed, select_sieved(position, roll, face, rules, tables, work, player)


def some_rules(rng: random.Random) -> CaterpillarsRules:
    return CaterpillarsRules.parse(
        {
            "level": rng.choice(LEVELS),
            "zero_rule": rng.choice(["forced", "split", "strict"]),
            "idle_dice": rng.random() < 0.3,
            "bonus_ban": rng.choice(["same_box", "any"]),
            "double_optional": rng.random() < 0.5,
            "double_stores": rng.choice(["doubled", "face", "barred"]),
            "bonus_source": rng.choice(["regular", "any"]),
            "boxes": rng.choice([1, 2, 4, 4]),
        }
    )


def some_policy(rng: random.Random) -> str:
    """A policy with its defaults, or with numbers anywhere in their ranges, their ends among them."""
    name = rng.choice(["planner", "weighted"])
    if rng.random() < 0.4:
        return name
    given = []
    for p in POLICIES.entries[name].parameters:
        if not p.choices and rng.random() < 0.5:
            span = p.high - p.low
            value = rng.choice([p.low, p.high, p.low + span * rng.random(), p.low + 0.05 * span * rng.random()])
            given.append(f"{p.name}={value}")
    return f"{name}({', '.join(given)})" if given else name


def test_the_same_outcome_with_and_without_the_list() -> None:
    """300 random positions in each of 80 random pairs of variant and policy; hardly ever is the list asked."""
    rng = random.Random(4)
    asked = 0
    for _ in range(80):
        rules, policy = some_rules(rng), POLICIES.parse(some_policy(rng))
        record, table = rules_record(rules)[0], tables(rules)[0]
        position = np.zeros(1, POSITION).view(np.recarray)[0]
        player = np.zeros(1, SEAT).view(np.recarray)[0]
        work = np.zeros(1, WORK).view(np.recarray)
        size = rules.rounds
        position.rounds, position.boxes, position.final = size, rules.boxes, FINALS.index(rules.final)
        position.owner[:size] = [b // rules.boxes for b in range(size)]
        show_level(position, rules)
        player.policy = policy.info.number
        player.params[:] = policy.vector()
        fill_served(player, position)
        for _ in range(300):
            position.labels[:size] = [
                rng.randint(1, 12) if rng.random() < 0.2 else rng.randint(1, 6) for _ in range(size)
            ]
            position.bonus[:] = [rng.choice([0, 0, 2, 6, 12]) if rules.has_bonus else 0 for _ in range(3)]
            open_sheet(position, size)
            position.round_index = rng.randrange(size)
            position.scores[:] = -1
            position.totals[:] = 0
            for box in rng.sample(range(size), position.round_index):
                close_box(position, box)
                position.scores[box] = rng.randint(0, rules.max_entry)
                position.totals[box // rules.boxes] += position.scores[box]
            roll = rng.randrange(216 if rules.dice == 3 else 36)
            face = rng.randrange(6) if rules.has_action else -1
            listed, chosen = both_ways(position, roll, face, record, table, work, player)
            assert chosen in (listed, -1), (rules.changed(), policy.text(), position.labels, roll, face)
            asked += chosen == -1
    assert asked < 24


def test_labels_go_where_counting_says_as_by_definition() -> None:
    """Every value on 300 half-written sheets."""
    rng = random.Random(5)
    position = np.zeros(1, POSITION).view(np.recarray)[0]
    position.boxes = 4
    for _ in range(300):
        blanks = sorted(rng.sample(range(12), rng.randint(1, 11)))
        position.labels[:] = [0 if b in blanks else rng.randint(1, 6) for b in range(12)]
        mask = sum(1 << b for b in blanks)
        boxes = np.array(blanks, np.int16)
        for value in range(1, 7):
            for how in (SPREAD, DOUBLE):
                by_definition = blanks[place(position, value, boxes, len(blanks), how, 0.0)]
                assert place_by_count(position, value, mask, how) == by_definition
