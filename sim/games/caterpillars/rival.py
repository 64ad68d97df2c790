"""`rival`: plays to win, not for the mean.

Everybody plays the same rolls, so what the others will make of this one can be thought through: each of them is given
the outcome with the largest fitted value on the sheet seen. Then every outcome of one's own is a lead (or a lag) over
each of them, in expected end total and in the sum of all boxes, which decides ties. How sure a lead is depends on the
rounds left and on how far the two sheets are apart: two equal sheets do equally well on equal rolls. So the player
ahead does as the others do, and the player behind does something else.

The final lead D and the final lead in all boxes S have variances that are linear in how far the sheets are apart, with
weights by rounds left (`margin`, measured by `learn.margins`): whether they differ at all, open labels without a
counterpart, distance of the sorted projected totals, and of what the bonus boxes hold, both in typical box scores.
The law of D and S is taken to be Student's with four degrees of freedom: heavier tails than the normal, since others
may not play as thought, and a distribution function that needs no more than a root. The chance to beat one player is

    F((d − ½) / σ) + (F((d + ½) / σ) − F((d − ½) / σ)) × F(s / τ),

more points, or as many and more in all boxes. Players whose sheets will be equal are one player; the chances to beat
the others are multiplied. After the last round everything is known, and the rules decide.
"""

from __future__ import annotations

import math

from sim.engine.bits import trailing_zeros
from sim.engine.jit import jit
from sim.games.caterpillars.mind import NEVER, best_of, choose_learned, judge
from sim.games.caterpillars.outcomes import list_outcomes, unpack, write
from sim.games.caterpillars.value import TIE

#: columns of `seen`: value, projected sum of all boxes, sorted projected totals, bonus boxes, open boxes by label, and
#: how many players have this sheet
VALUE = 0
SUM = 1
LOW = 2
MID = 3
HIGH = 4
STORED = 5
LABELS = 6
TALLY = 19
#: standard deviation of Student's law with four degrees of freedom
_UNIT = math.sqrt(2.0)


@jit
def sit_at(thought, position, k):
    """Lay the sheet of the `k`-th other player into a copy of one's own position."""
    thought.open = 0
    thought.open_boxes = 0
    thought.open_labels = 0
    for label in range(14):
        thought.label_boxes[label] = 0
    for b in range(position.rounds):
        label = int(position.other_labels[k, b])
        thought.labels[b] = label
        thought.scores[b] = position.other_scores[k, b]
        thought.label_boxes[label] |= 1 << b
        if position.other_scores[k, b] < 0:
            thought.open += 1
            thought.open_boxes |= 1 << b
            thought.open_labels |= 1 << label
    for c in range(3):
        thought.totals[c] = position.other_totals[k, c]
        thought.empty[c] = position.other_empty[k, c]
        thought.bonus[c] = position.other_bonus[k, c]


@jit
def look(position, left, curve, seen):
    """Write what matters of a sheet into a row of `seen`; `left` rounds are left for `curve`."""
    for i in range(TALLY):
        seen[i] = 0.0
    p0 = float(position.totals[0])
    p1 = float(position.totals[1])
    p2 = float(position.totals[2])
    boxes = position.open_boxes
    while boxes != 0:
        box = trailing_zeros(boxes)
        boxes &= boxes - 1
        label = int(position.labels[box])
        c = position.owner[box]
        seen[LABELS + label] += 1.0
        worth = curve[left, label]
        p0 += worth if c == 0 else 0.0
        p1 += worth if c == 1 else 0.0
        p2 += worth if c == 2 else 0.0
    seen[SUM] = p0 + p1 + p2
    seen[LOW] = min(p0, p1, p2)
    seen[HIGH] = max(p0, p1, p2)
    seen[MID] = seen[SUM] - seen[LOW] - seen[HIGH]
    seen[STORED] = int(position.bonus[0]) + int(position.bonus[1]) + int(position.bonus[2])
    return p0, p1, p2


@jit
def foresee(position, mind):
    """Fill ``mind.seen`` with what the others' sheets will be after this round; returns how many differ."""
    left = position.rounds - position.round_index - 1
    packed = mind.works[0].packed
    options = mind.works[0].options
    found = 0
    for k in range(position.others):
        mind.positions[0] = position
        thought = mind.positions[0]
        sit_at(thought, position, k)
        n = list_outcomes(packed, thought, roll_of(thought), thought.face, mind.rules[0], mind.tables[0])
        i = choose_learned(thought, options, n, mind)
        value = mind.worth[i]
        bonus_box, bonus_value, box, score = unpack(packed[i])
        write(thought, bonus_box, bonus_value, box, score)
        row = mind.seen[found]
        look(thought, left, mind.curve, row)
        row[VALUE] = value
        row[TALLY] = 1.0
        known = False
        for j in range(found):
            same = True
            for m in range(TALLY):
                same = same and mind.seen[j, m] == row[m]
            if same:
                mind.seen[j, TALLY] += 1.0
                known = True
                break
        if not known:
            found += 1
    return found


@jit
def roll_of(position):
    """Number of this round's roll, as `list_outcomes` wants it."""
    roll = position.dice[0] - 1 + 6 * (position.dice[1] - 1)
    if position.dice[2] > 0:
        roll += 36 * (position.dice[2] - 1)
    return roll


@jit
def student(lead, spread):
    """Probability that a number is above zero, by mean and standard deviation (Student, four degrees)."""
    if spread <= 0.0:
        return 1.0 if lead > 0.0 else 0.5 if lead == 0.0 else 0.0
    t = _UNIT * lead / spread
    q = 1.0 + 0.25 * t * t
    return 0.5 + 0.375 * t / math.sqrt(q) * (1.0 - t * t / (12.0 * q))


@jit
def beats(d, s, variance, variance_of_sum, spread, tally):
    """Chance of a higher end total, or an equal one and more in all boxes; shared with `tally` players if equal."""
    if variance <= 0.0:  # nothing can come between the two any more
        if abs(d) < 1e-9:
            return 1.0 if s > 1e-9 else 0.0 if s < -1e-9 else 1.0 / (1.0 + tally)
        return 1.0 if d > 0.0 else 0.0
    sd = spread * math.sqrt(variance)
    above = student(d - 0.5, sd)
    return above + (student(d + 0.5, sd) - above) * student(s, spread * math.sqrt(variance_of_sum))


@jit
def apart(mine, other, labels, scale, out):
    """How far two sheets are apart, float64[4]; `labels` is the number of open boxes without a counterpart."""
    far = abs(mine[LOW] - other[LOW]) + abs(mine[MID] - other[MID]) + abs(mine[HIGH] - other[HIGH])
    stored = abs(mine[STORED] - other[STORED])
    out[1] = labels
    out[2] = far * scale
    out[3] = stored * scale
    out[0] = 1.0 if labels + far + stored > 1e-9 else 0.0


@jit
def chance(mine, value, position, left, found, spread, distance, mind):
    """Share of the win to be expected of a sheet like `mine` that is worth `value`."""
    share = 1.0
    ties = 0.0
    margin = mind.margin[left]
    for k in range(found):
        other = mind.seen[k]
        d = value - other[VALUE]
        s = mine[SUM] - other[SUM]
        if left == 0:  # by the rules
            if d < -TIE or (d < TIE and s < -TIE):
                return 0.0
            if d < TIE and s < TIE:
                ties += other[TALLY]
            continue
        labels = 0.0
        for label in range(LABELS + 1, TALLY):
            labels += abs(mine[label] - other[label])
        apart(mine, other, 0.5 * labels, 1.0 / position.typical, distance)
        variance = 0.0
        variance_of_sum = 0.0
        for j in range(4):
            variance += margin[j] * distance[j]
            variance_of_sum += margin[4 + j] * distance[j]
        share *= beats(d, s, variance, variance_of_sum, spread, other[TALLY])
    return share / (1.0 + ties)


@jit
def choose_rival(position, options, n, params, mind):
    """The option with the largest chance to win; alone, or without nerve, the one with the largest fitted value."""
    nerve = params[1]
    if position.others == 0 or nerve == 0.0:
        return choose_learned(position, options, n, mind)
    left = position.rounds - position.round_index - 1
    found = foresee(position, mind)
    judge(position, options, n, mind)
    before = mind.ahead[0]
    mine = mind.ahead[1]
    distance = mind.ahead[2]
    p0, p1, p2 = look(position, left, mind.curve, before)
    for label in range(LABELS, TALLY):
        mine[label] = before[label]
    for i in range(n):
        value = mind.worth[i]
        if value <= NEVER:
            continue
        box = options[i, 2]
        c = position.owner[box]
        label = int(position.labels[box])
        gain = options[i, 3] - mind.curve[left, label]
        t0 = p0 + (gain if c == 0 else 0.0)
        t1 = p1 + (gain if c == 1 else 0.0)
        t2 = p2 + (gain if c == 2 else 0.0)
        mine[SUM] = t0 + t1 + t2
        mine[LOW] = min(t0, t1, t2)
        mine[HIGH] = max(t0, t1, t2)
        mine[MID] = mine[SUM] - mine[LOW] - mine[HIGH]
        mine[STORED] = before[STORED] + options[i, 1]
        mine[LABELS + label] -= 1.0
        won = chance(mine, value, position, left, found, params[2], distance, mind)
        mine[LABELS + label] += 1.0
        mind.worth[i] = nerve * position.typical * won + (1.0 - nerve) * value
    return best_of(mind.worth, n)
