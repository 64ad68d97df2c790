"""Exact distribution of the end total when a registered policy plays one labelled sheet at beginner or intermediate.

One pass forward: the probability of every position (filled boxes × three totals) is handed on along what the policy
does with every
roll. The policy is asked through its own decision function; the outcomes it chooses from come from this package's
generator. A policy must depend
on the sheet only through labels, filled boxes and totals, as every registered one does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.engine.jit import jit
from sim.games.base import Policy
from sim.games.caterpillars.exact.candidates import rolls
from sim.games.caterpillars.exact.pmf import count_ends
from sim.games.caterpillars.exact.sheet import build_boxes
from sim.games.caterpillars.exact.values import Rolls
from sim.games.caterpillars.policies import POLICIES, chances
from sim.games.caterpillars.position import POSITION
from sim.games.caterpillars.rules import FINALS, MAX_LABEL, CaterpillarsRules

#: outcomes of one roll: at most a zero and eleven scores for each of twelve boxes
_MOST = 160


def label_odds(rules: CaterpillarsRules, r: Rolls) -> tuple[np.ndarray, np.ndarray]:
    """Chance per roll that a label can be served, and the mean best score when it can: float64[13] each."""
    chance = np.zeros(MAX_LABEL + 1)
    best = np.zeros(MAX_LABEL + 1)
    for i, weight in enumerate(r.weight):
        for label in range(1, MAX_LABEL + 1):
            start, stop = r.offset[13 * i + label], r.offset[13 * i + label + 1]
            if stop > start:
                chance[label] += weight
                best[label] += weight * r.scores[stop - 1]
    return chance, np.divide(best, chance, out=np.zeros_like(best), where=chance > 0)


@jit
def list_options(options, m, roll, labels, boxes, sums, offset, scores, split):
    """All outcomes of one roll in a block, in sorted order, as the policies' `options`; returns how many."""
    opened = 0
    for c in range(3):
        for b in range(boxes):
            if (m[c] >> b) & 1 == 0:
                opened |= 1 << labels[c * boxes + b]
    matched = (sums[roll] & opened) != 0
    zeros = (sums[roll] & ~opened) != 0 if split else not matched
    n = 0
    for c in range(3):
        for b in range(boxes):
            if (m[c] >> b) & 1:
                continue
            box = c * boxes + b
            at = 13 * roll + labels[box]
            for i in range(offset[at] - 1, offset[at + 1]):
                if i < offset[at] and not zeros:
                    continue
                options[n, 0] = -1
                options[n, 1] = 0
                options[n, 2] = box
                options[n, 3] = 0 if i < offset[at] else scores[i]
                n += 1
    return n


@jit
def push_policy(
    chance, handed, triples, round_index, dice, offset, length, labels, boxes, weight, sums, roll_offset, scores,
    split, policy, params, positions, options, counts, share
):  # fmt: skip
    """Hand the probability of every position of one layer on to the next, along the policy's choices."""
    position = positions[0]
    position.round_index = round_index
    for i in range(triples.shape[0]):
        m = triples[i]
        l0 = length[0, m[0]]
        l1 = length[1, m[1]]
        l2 = length[2, m[2]]
        base = offset[m[0], m[1], m[2]]
        position.open_boxes = 0
        position.open_labels = 0
        position.open = 0
        for c in range(3):
            position.empty[c] = 0
            for b in range(boxes):
                box = c * boxes + b
                if (m[c] >> b) & 1:
                    position.scores[box] = 0
                else:
                    position.scores[box] = -1
                    position.open_boxes |= 1 << box
                    position.open_labels |= 1 << labels[box]
                    position.open += 1
                    position.empty[c] += 1
        for r in range(weight.size):
            counts[r] = list_options(options[r], m, r, labels, boxes, sums, roll_offset, scores, split)
        for t0 in range(l0):
            for t1 in range(l1):
                for t2 in range(l2):
                    p = chance[base + (t0 * l1 + t1) * l2 + t2]
                    if p == 0.0:
                        continue
                    position.totals[0] = t0
                    position.totals[1] = t1
                    position.totals[2] = t2
                    for r in range(weight.size):
                        for d in range(3):
                            position.dice[d] = dice[r, d]
                        chances(policy, position, options[r], counts[r], params, share)
                        for k in range(counts[r]):
                            if share[k] == 0.0:
                                continue
                            box = int(options[r, k, 2])
                            c = box // boxes
                            bit = 1 << (box % boxes)
                            n0 = m[0] | bit if c == 0 else m[0]
                            n1 = m[1] | bit if c == 1 else m[1]
                            n2 = m[2] | bit if c == 2 else m[2]
                            s = int(options[r, k, 3])
                            u0 = t0 + s if c == 0 else t0
                            u1 = t1 + s if c == 1 else t1
                            u2 = t2 + s if c == 2 else t2
                            at = offset[n0, n1, n2] + (u0 * length[1, n1] + u1) * length[2, n2] + u2
                            handed[at] += p * weight[r] * share[k]


def policy_pmf(labels: Sequence[int], rules: CaterpillarsRules, policy: Policy) -> np.ndarray:
    """Probability of each end total when `policy` plays one labelled sheet: float64[rules.max_score + 1]."""
    # every set of filled boxes has a block of its own: a policy may tell equal labels apart by their place
    sheet = build_boxes(labels, rules.boxes, rules.max_entry)
    r = Rolls(rules)
    chance = np.ones(1)
    pmf = np.zeros(rules.max_score + 1)
    own = np.array(labels, np.int64)
    dice = np.zeros((r.weight.size, 3), np.int64)
    for i, (rolled, _) in enumerate(rolls(rules)):
        dice[i, : len(rolled)] = rolled
    positions = np.zeros(1, POSITION).view(np.recarray)
    position = positions[0]
    odds, best = label_odds(rules, r)
    position.rounds = rules.rounds
    position.boxes = rules.boxes
    position.level = rules.level_index
    position.final = FINALS.index(rules.final)
    position.owner[: rules.rounds] = [b // rules.boxes for b in range(rules.rounds)]
    position.seats = 1
    position.face = -1
    position.chance[:] = odds
    position.best[:] = best
    position.typical = best[1:7].mean()
    for b, label in enumerate(labels):
        position.labels[b] = label
        position.label_boxes[label] |= 1 << b
    options = np.zeros((r.weight.size, _MOST, 4), np.int16)
    counts = np.zeros(r.weight.size, np.int64)
    for layer, triples in enumerate(sheet.layers[:-1]):
        handed = np.zeros(sheet.sizes[layer + 1])
        push_policy(
            chance, handed, triples, layer, dice, sheet.offset, sheet.length, own, sheet.boxes, r.weight, r.sums,
            r.offset, r.scores, r.split, policy.info.number, policy.vector(POLICIES.width), positions, options, counts,
            np.zeros(_MOST),
        )  # fmt: skip
        chance = handed
    count_ends(chance, pmf, sheet.layers[-1], sheet.offset, sheet.length, FINALS.index(rules.final))
    return pmf
