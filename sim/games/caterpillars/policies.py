"""Policies of Caterpillars: how a player chooses an outcome, and where labels are written.

`choose(policy, position, options, n, params, u)` returns an index into `options` (int16[n, 4], sorted outcomes).
`params[0]` is the `placement`
of every policy; the others are the policy's own, in the order of its catalogue entry. `position` is described in
`position.py`; `u` is one uniform
number per round.
"""

from __future__ import annotations

import math

from sim.engine.bits import count_ones
from sim.engine.jit import jit
from sim.engine.rng import pick
from sim.games.base import SLIP, PolicyInfo, PolicyParameter, PolicyRegistry
from sim.games.caterpillars.placement import placement
from sim.games.caterpillars.restrict import RESTRICTIONS
from sim.games.caterpillars.thumb import PARAMETERS as THUMB_PARAMETERS
from sim.games.caterpillars.thumb import choose_thumb

RANDOM = 0
GREEDY = 1
CHILD = 2
PLANNER = 3
WEIGHTED = 4
OPTIMAL = 5
LEARNED = 6
LOOKAHEAD = 7
ROLLOUT = 8
THUMB = 9
RIVAL = 10

#: outcomes whose values differ by no more are equally good: the first in sorted order is taken
TIE = 1e-9

EXPERT = 3  # the level with letters, which use what is stored as a fourth die

#: policies that look at the others' sheets; the kernel shows them only where one of these plays
READS_OTHERS: frozenset[int] = frozenset({RIVAL})


@jit
def choose_greedy(options, n):
    """The largest score; the first in sorted order among equals (reference policy)."""
    key = 0
    for i in range(n):  # one number to maximise, score first, then the earliest: no branch to mispredict
        key = max(key, ((int(options[i, 3]) + 1) << 16) - i)
    return -key & 0xFFFF


@jit
def choose_child(options, n, params):
    """The most points at once, where a stored value of at least `store` counts as points."""
    store = params[2]
    choice = 0
    most = -1
    for i in range(n):
        points = int(options[i, 3])
        if options[i, 1] >= store:
            points += int(options[i, 1])
        if points > most:
            most = points
            choice = i
    return choice


@jit
def expected(position, label, rounds_left, patience):
    """Points an empty box is good for: its mean best score, times a chance to be served in the rounds left.

    The chance is reach / (1 + reach), reach = patience × the label's odds in one round × rounds left.
    """
    reach = patience * position.chance[label] * rounds_left
    return position.best[label] * reach / (1.0 - position.chance[label] + reach + 1e-12)


@jit
def project(position, c, rounds_left, patience):
    """Projected end total of caterpillar `c`: what it has and what its empty boxes are good for."""
    total = float(position.totals[c])
    for b in range(c * position.boxes, (c + 1) * position.boxes):
        if position.scores[b] < 0:
            total += expected(position, position.labels[b], rounds_left, patience)
    return total


@jit
def choose_planner(position, options, n, params):
    """Feed two, give one up: points gained over what the box was good for, at a discount on the caterpillar
    given up.
    """
    patience = params[1]
    given_up = params[2]
    store = params[3]
    hold = params[4]
    left = position.rounds - position.round_index
    use = params[5] * (left - 1) if position.level == EXPERT else 0.0
    p0 = project(position, 0, left, patience)
    p1 = project(position, 1, left, patience)
    p2 = project(position, 2, left, patience)
    victim = 0
    if p1 < p0:
        victim = 1
    if p2 < min(p0, p1):
        victim = 2
    choice = 0
    most = -1e30
    for i in range(n):
        box = options[i, 2]
        c = position.owner[box]
        gain = options[i, 3] - expected(position, position.labels[box], left, patience)
        if c == victim:
            gain *= given_up
        if options[i, 0] >= 0:
            stored = options[i, 1]
            if stored < hold and left > 3:
                continue
            gain += stored * (store if options[i, 0] != victim else given_up * store) + stored * use
        if gain > most + 1e-9:
            most = gain
            choice = i
    return choice


@jit
def soft_median(a, b, c, noise):
    """Mean of the middle one of three uncertain numbers, roughly; their median where `noise` is zero.

    The larger of two uncertain numbers is (x + y + √((x − y)² + noise)) / 2, the smaller one has the root subtracted;
    the median is what is left of the sum without the largest and the smallest.
    """
    root = math.sqrt((a - b) * (a - b) + noise)  # of the larger and of the smaller one
    high = 0.5 * (a + b + root)
    low = 0.5 * (root - (a + b))  # with the sign turned
    high = 0.5 * (high + c + math.sqrt((high - c) * (high - c) + noise))
    low = 0.5 * (low - c + math.sqrt((low + c) * (low + c) + noise))
    return a + b + c - high + low


@jit
def shared(position, label, left, patience, crowd):
    """As `expected`, with empty boxes of one label in each other's way: they share its rolls."""
    same = count_ones(position.label_boxes[label] & position.open_boxes)
    return expected(position, label, left, patience / (1.0 + crowd * (same - 1)))


@jit
def project_shared(position, c, left, patience, crowd):
    """As `project`, with boxes judged by `shared`."""
    total = float(position.totals[c])
    for b in range(c * position.boxes, (c + 1) * position.boxes):
        if position.scores[b] < 0:
            total += shared(position, int(position.labels[b]), left, patience, crowd)
    return total


@jit
def choose_weighted(position, options, n, params):
    """The largest projected end total, where every total is still uncertain and zeros go to the lowest one."""
    patience = params[1]
    doubt = params[2]
    store = params[3]
    wish = params[4]
    crowd = params[6]
    left = position.rounds - position.round_index
    use = params[5] * (left - 1) if position.level == EXPERT else 0.0
    p0 = project_shared(position, 0, left, patience, crowd)
    p1 = project_shared(position, 1, left, patience, crowd)
    p2 = project_shared(position, 2, left, patience, crowd)
    neglected = 0
    if p1 < p0:
        neglected = 1
    if p2 < min(p0, p1):
        neglected = 2
    least = patience * params[7]
    if neglected == 0:
        p0 = project_shared(position, 0, left, least, crowd)
    elif neglected == 1:
        p1 = project_shared(position, 1, left, least, crowd)
    else:
        p2 = project_shared(position, 2, left, least, crowd)
    noise = doubt * position.typical * position.typical * (left - 1)
    now = soft_median(p0, p1, p2, noise)
    # chance that each caterpillar flies: how much a point more for it moves the projected median
    fly0 = soft_median(p0 + 1.0, p1, p2, noise) - now
    fly1 = soft_median(p0, p1 + 1.0, p2, noise) - now
    fly2 = soft_median(p0, p1, p2 + 1.0, noise) - now
    asked = wish * (left - 1) / (position.rounds - 1) if position.rounds > 1 else 0.0
    choice = 0
    most = -1e30
    for i in range(n):
        box = options[i, 2]
        c = position.owner[box]
        label = int(position.labels[box])
        gain = options[i, 3] - shared(position, label, left, least if c == neglected else patience, crowd)
        if c == 0:
            worth = soft_median(p0 + gain, p1, p2, noise)
        elif c == 1:
            worth = soft_median(p0, p1 + gain, p2, noise)
        else:
            worth = soft_median(p0, p1, p2 + gain, noise)
        k = options[i, 0]
        if k >= 0:
            fly = fly0 if k == 0 else fly1 if k == 1 else fly2
            stored = options[i, 1]
            worth += (store * fly + use) * (stored - asked)
        if worth > most + 1e-9:
            most = worth
            choice = i
    return choice


@jit
def after(position, box, book):
    """Where the values of positions after filling an empty box are found: place for a score of 0, and step per point.

    `book` is what an exact solver hands in: (values, place, length, node), see `kernel_table` there.
    """
    _, place, length, node = book
    n = position.boxes
    full = (1 << n) - 1
    opened = position.open_boxes & ~(1 << box)
    n0 = node[0, opened & full]
    n1 = node[1, (opened >> n) & full]
    n2 = node[2, opened >> (2 * n)]
    stride1 = length[2, n2]
    stride0 = length[1, n1] * stride1
    at = place[n0, n1, n2] + position.totals[0] * stride0 + position.totals[1] * stride1 + position.totals[2]
    c = position.owner[box]
    return at, stride0 if c == 0 else stride1 if c == 1 else 1


@jit
def choose_optimal(position, options, n, book):
    """The outcome that leads to the largest exact value; the first in sorted order among equals."""
    values = book[0]
    most = -1e30
    for i in range(n):
        at, step = after(position, int(options[i, 2]), book)
        most = max(most, values[at + step * int(options[i, 3])])
    for i in range(n):
        at, step = after(position, int(options[i, 2]), book)
        if values[at + step * int(options[i, 3])] >= most - TIE:
            return i
    return 0


@jit
def choose(policy, position, options, n, params, u):
    """Index of the outcome that policy number `policy` takes when it does not slip.

    `OPTIMAL` needs values, see `choose_optimal`; thinkers need a mind, see `search`.
    """
    if n == 1 or policy == GREEDY:
        return choose_greedy(options, n)
    if policy == RANDOM:
        return pick(u, n)
    if policy == CHILD:
        return choose_child(options, n, params)
    if policy == PLANNER:
        return choose_planner(position, options, n, params)
    if policy == THUMB:
        return choose_thumb(position, options, n, params)
    return choose_weighted(position, options, n, params)


@jit
def chances(policy, position, options, n, params, out):
    """Probability of each of the first `n` options over the policy's uniform number, into `out`; for exact answers."""
    slip = 1.0 if policy == RANDOM else params[SLIP]
    for i in range(n):
        out[i] = slip / n
    if slip < 1.0:
        out[choose(policy, position, options, n, params, 0.0)] += 1.0 - slip


POLICIES = PolicyRegistry(
    "caterpillars",
    [
        PolicyInfo(
            "random",
            RANDOM,
            "any legal outcome, all equally likely",
            "nobody; the floor",
            "reference policy",
            (placement("random"),),
            draws=True,
            noisy=False,
        ),
        PolicyInfo(
            "greedy",
            GREEDY,
            "the most points at once",
            "somebody who never looks ahead",
            "reference policy",
            (placement("lowest"),),
        ),
        PolicyInfo(
            "child",
            CHILD,
            "the most points at once, stores a good die in a bonus box, now and then plays anything",
            "a child's first habit: the highest die as score, the first box that fits",
            "this project",
            (
                placement("lowest"),
                PolicyParameter(
                    "slip", 0.1, "chance per round to take any legal outcome instead", 0.0, 1.0, "probability"
                ),
                PolicyParameter(
                    "store", 6.0, "smallest die worth a bonus box; 13 never stores", 1.0, 13.0, "points", integer=True
                ),
            ),
        ),
        PolicyInfo(
            "planner",
            PLANNER,
            "feeds two caterpillars and gives one up; judges a box by its label's odds",
            "a thoughtful family player",
            "this project",
            (
                placement("spread"),
                PolicyParameter(
                    "patience",
                    0.5,
                    "how surely an empty box will be served: weight of the label's odds × rounds left",
                    0.0,
                    10.0,
                    "ratio",
                ),
                PolicyParameter(
                    "given_up",
                    0.22,
                    "weight of points on the caterpillar given up (lowest projected total)",
                    0.0,
                    1.0,
                    "ratio",
                ),
                PolicyParameter("store", 0.27, "worth of a point stored in a bonus box", 0.0, 3.0, "points per point"),
                PolicyParameter("hold", 3.5, "smallest value stored before the last three rounds", 0.0, 13.0, "points"),
                PolicyParameter(
                    "use",
                    0.07,
                    "expert: worth of a stored point as a letter's fourth die, per round left",
                    0.0,
                    1.0,
                    "points per point",
                ),
            ),
        ),
        PolicyInfo(
            "weighted",
            WEIGHTED,
            "the largest projected end total, allowing for what is still open",
            "an expert with a pencil",
            "this project",
            (
                placement("spread"),
                PolicyParameter(
                    "patience",
                    1.08,
                    "how surely an empty box will be served: weight of the label's odds × rounds left",
                    0.0,
                    10.0,
                    "ratio",
                ),
                PolicyParameter(
                    "doubt",
                    0.11,
                    "how uncertain totals are per round left, in squared typical box scores",
                    0.0,
                    200.0,
                    "ratio",
                ),
                PolicyParameter(
                    "store",
                    0.3,
                    "worth of a stored point × the chance that its caterpillar flies",
                    0.0,
                    5.0,
                    "points per point",
                ),
                PolicyParameter(
                    "wish",
                    3.2,
                    "value a die has to exceed in the first round to be stored; falls to 0 in the last",
                    0.0,
                    13.0,
                    "points",
                ),
                PolicyParameter(
                    "use",
                    0.045,
                    "expert: worth of a stored point as a letter's fourth die, per round left",
                    0.0,
                    1.0,
                    "points per point",
                ),
                PolicyParameter(
                    "crowd",
                    0.72,
                    "how much empty boxes of one label are in each other's way: 0 not at all, 1 they share its rolls",
                    0.0,
                    10.0,
                    "ratio",
                ),
                PolicyParameter(
                    "neglect",
                    0.01,
                    "part of patience for the caterpillar with the lowest projected total, where the zeros will go",
                    0.0,
                    1.0,
                    "ratio",
                ),
            ),
            version=2,
        ),
        PolicyInfo(
            "thumb",
            THUMB,
            "counts every empty box as a few points and plays for the best count of the middle caterpillar, and a "
            "little for the others",
            "a child who can count, with six whole numbers in the head, and two more where they have a say: "
            "`keep` at the levels with bonus boxes, `far` on sheets with labels above 6",
            "this project; the defaults are found by a search at beginner",
            (placement("spread"), *THUMB_PARAMETERS),
        ),
        PolicyInfo(
            "optimal",
            OPTIMAL,
            "the largest expected end total, looked up in a table of exact values; on sheets without blanks, at "
            "beginner and intermediate",
            "nobody; the ceiling for a player alone",
            "this project",
            (placement("lowest"),),
        ),
        PolicyInfo(
            "learned",
            LEARNED,
            "the largest fitted value: a small network for each number of rounds left, made by backward induction "
            "(`sim learn`) under the default rules; under other finals a projection",
            "somebody with ten thousand games behind them and a feeling for what a sheet is worth",
            "this project",
            (placement("spread"),),
        ),
        PolicyInfo(
            "lookahead",
            LOOKAHEAD,
            "thinks through all rolls of the next round for the outcomes that look best, and judges what follows by "
            "the fitted value",
            "a computer, or a very patient expert",
            "this project",
            (
                placement("spread"),
                PolicyParameter("width", 4.0, "outcomes that are thought through", 1.0, 12.0, "outcomes", integer=True),
            ),
        ),
        PolicyInfo(
            "rollout",
            ROLLOUT,
            "plays the game to its end in thought, many times, with dice of its own, for the outcomes that look best",
            "a computer without a good judgement of positions",
            "this project",
            (
                placement("spread"),
                PolicyParameter(
                    "width",
                    4.0,
                    "outcomes that are played on, best fitted value first",
                    1.0,
                    12.0,
                    "outcomes",
                    integer=True,
                ),
                PolicyParameter(
                    "games",
                    32.0,
                    "continuations, with the same dice for all outcomes",
                    1.0,
                    200.0,
                    "games",
                    integer=True,
                ),
                PolicyParameter(
                    "base", "weighted", "policy that plays on", choices=("greedy", "planner", "weighted", "learned")
                ),
            ),
            draws=True,
        ),
        PolicyInfo(
            "rival",
            RIVAL,
            "the largest chance to win: the fitted value of each outcome against what the others' sheets are worth "
            "once they have played the same roll; alone it plays as `learned`",
            "a tournament player: copies when ahead, does something else when behind, and counts all boxes for ties",
            "this project; how uncertain a lead is was measured by `learn.margins`",
            (
                placement("spread"),
                PolicyParameter(
                    "nerve",
                    0.98,
                    "weight of the chance to win against that of the mean: 0 plays as `learned`, 1 for the win alone",
                    0.0,
                    1.0,
                    "ratio",
                ),
                PolicyParameter(
                    "spread",
                    1.5,
                    "how uncertain leads are held to be, as a multiple of what was measured",
                    0.1,
                    10.0,
                    "ratio",
                ),
            ),
        ),
    ],
    restrictions=RESTRICTIONS,
)
