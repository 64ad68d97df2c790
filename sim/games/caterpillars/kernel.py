"""The Caterpillars kernel: plays a range of games for any number of seats, without allocating.

There is no interaction between players but the comparison at the end, so every seat plays its own sheet on the same
dice. Rounds are the outer
loop, so that a policy may look at the others' sheets as of the last round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim.engine import rng
from sim.engine.bits import count_ones, nth_one, trailing_zeros
from sim.engine.jit import jit
from sim.engine.rng import pick
from sim.engine.slot import NUMBER, WHOLE, Slots, checked, field, fill_slots, raise_fault, record
from sim.games.base import OWN, SLIP, Field, Playable, Policy
from sim.games.caterpillars.lookup import list_fits, play_in_step, select_optimal
from sim.games.caterpillars.mind import make_mind
from sim.games.caterpillars.odds import show_level
from sim.games.caterpillars.outcomes import NO_FACE, list_outcomes, open_sheet, rules_record, tables, unpack, write
from sim.games.caterpillars.placement import DOUBLE as PLACE_DOUBLE
from sim.games.caterpillars.placement import LOWEST as PLACE_LOWEST
from sim.games.caterpillars.placement import OPTIMAL as PLACE_OPTIMAL
from sim.games.caterpillars.placement import OWN as PLACE_OWN
from sim.games.caterpillars.placement import RANDOM as PLACE_RANDOM
from sim.games.caterpillars.placement import SPREAD as PLACE_SPREAD
from sim.games.caterpillars.placement import best_offer, filled, offered, place, place_by_count, single
from sim.games.caterpillars.policies import (
    GREEDY,
    LEARNED,
    OPTIMAL,
    PLANNER,
    RANDOM,
    READS_OTHERS,
    RIVAL,
    ROLLOUT,
    WEIGHTED,
    choose,
    choose_optimal,
)
from sim.games.caterpillars.position import LANES, OTHERS, POSITION, SEAT, WORK
from sim.games.caterpillars.restrict import keep_allowed, limits, seen_face
from sim.games.caterpillars.rules import FINALS, CaterpillarsRules
from sim.games.caterpillars.search import THINKERS, think_deeply
from sim.games.caterpillars.select import select_greedy, select_random
from sim.games.caterpillars.sieve import fill_served, select_sieved

#: raised when results change for equal arguments
KERNEL_VERSION = 1

#: exact values of a labelled sheet: values, place, length, node (see `after` in the policies)
Book = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
#: exact values by what the caterpillars' blanks hold: value, add (see `way_value` in the placements)
Plan = tuple[np.ndarray, np.ndarray]

#: a recorded row, one per round and seat: an outcome, the dice of the round, and the label of the box whose number is
#: that of the round (there are as many boxes as rounds)
RECORDED = 6
BONUS_BOX, BONUS_VALUE, BOX, BOX_SCORE, DICE, LABEL = range(RECORDED)

_MEDIAN = 0
_LOWEST = 1
_TOTAL = 3


def result_fields(rules: CaterpillarsRules, seats: int) -> tuple[Field, ...]:
    """Result fields with their bounds under the rules."""
    total = rules.boxes * rules.max_entry
    letters = "abc"
    return (
        Field(
            "score",
            "int16",
            "points",
            "end total: what the flying caterpillar is worth with its bonus box",
            0,
            rules.max_score,
        ),
        *(
            Field(f"total_{x}", "int16", "points", f"sum of the boxes of caterpillar {x.upper()}", 0, total)
            for x in letters
        ),
        *(
            Field(f"bonus_{x}", "int8", "points", f"value in bonus box {x.upper()}, 0 if empty", 0, rules.max_bonus)
            for x in letters
        ),
        Field(
            "flying", "int8", "index", "caterpillar that counts: 0 Alex, 1 Bobby, 2 Charlie; −1 when all count", -1, 2
        ),
        Field("box_sum", "int16", "points", "sum of all boxes without bonus: the tie-break", 0, 3 * total),
        Field("zeros", "int8", "rounds", "rounds in which a zero was written", 0, rules.rounds),
        Field(
            "win",
            "float64",
            "share of a win",
            "1 for a win, 1/k for a win shared by k seats, 0 else",
            0,
            seats,
            "share",
        ),
    )


@jit
def flying(totals, bonus, final):
    """Caterpillar that counts and the end total: ties go to the better bonus, then to the lowest index."""
    if final == _TOTAL:
        end = 0
        for c in range(3):
            end += totals[c] + int(bonus[c])
        return -1, end
    low = min(totals[0], totals[1], totals[2])
    high = max(totals[0], totals[1], totals[2])
    if final == _MEDIAN:
        target = totals[0] + totals[1] + totals[2] - low - high
    elif final == _LOWEST:
        target = low
    else:
        target = high
    best = -1
    for c in range(3):
        if totals[c] == target and (best < 0 or bonus[c] > bonus[best]):
            best = c
    return best, target + int(bonus[best])


@jit
def list_blanks(blanks, mask):
    """Write the boxes of a bit mask in ascending order; returns how many."""
    n = 0
    while mask != 0:
        blanks[n] = trailing_zeros(mask)
        mask &= mask - 1
        n += 1
    return n


@jit
def put_label(position, work, mask, value, how, u):
    """Write one label where the placement wants it; returns the blanks left (bit mask)."""
    if how == PLACE_RANDOM:
        box = nth_one(mask, pick(u, count_ones(mask)))
    elif how == PLACE_LOWEST:
        box = trailing_zeros(mask)
    elif how == PLACE_SPREAD or how == PLACE_DOUBLE:
        box = place_by_count(position, value, mask, how)
    else:
        n = list_blanks(work.blanks, mask)
        box = int(work.blanks[place(position, value, work.blanks, n, how, u)])
    position.labels[box] = value
    return mask & ~(1 << box)


@jit
def set_up_optimally(position, rules, work, g, plan):
    """Write this seat's labels, all values of a roll at once, where the exact values of `plan` want them."""
    mask = rules.blanks
    n0 = 0
    n1 = 0
    n2 = 0
    n = position.boxes
    for j in range(rules.setup_rolls):
        x = work.setup[g, j]
        d0 = x % 6 + 1
        d1 = x // 6 % 6 + 1
        d2 = x // 36 % 6 + 1
        low = min(d0, d1, d2)
        high = max(d0, d1, d2)
        middle = d0 + d1 + d2 - low - high
        choice = best_offer(plan, n0, n1, n2, low, middle, high, rules.variation)
        v0, v1, v2 = offered(low, middle, high, rules.variation, choice // 27)
        way = choice % 27
        for i in range(2 if rules.variation else 3):
            c = way // 9 if i == 0 else way // 3 % 3 if i == 1 else way % 3
            v = v0 if i == 0 else v1 if i == 1 else v2
            if c == 0:
                n0 = filled(plan, 0, n0, v)
            elif c == 1:
                n1 = filled(plan, 1, n1, v)
            else:
                n2 = filled(plan, 2, n2, v)
            box = c * n + trailing_zeros((mask >> (c * n)) & ((1 << n) - 1))
            position.labels[box] = v
            mask &= ~(1 << box)


@jit
def put_own(position, work, mask, value, user, params, u):
    """Write one label where a user's function wants it; returns the blanks left (bit mask)."""
    n = list_blanks(work.blanks, mask)
    choice = user[2](position, value, work.blanks, n, params, u)
    box = int(work.blanks[checked(work, position.seat, choice, n)])
    position.labels[box] = value
    return mask & ~(1 << box)


@jit
def set_up_by_own(position, rules, work, g, draws, user, params):
    """Write this seat's labels as a user's functions want it; else as `set_up`."""
    mask = rules.blanks
    for j in range(rules.setup_rolls):
        x = work.setup[g, j]
        position.dice[0] = x % 6 + 1
        position.dice[1] = x // 6 % 6 + 1
        position.dice[2] = x // 36 % 6 + 1
        for i in range(3):
            position.pending[i] = position.dice[i]
        n = 3
        at = 0
        if rules.variation:
            one = checked(work, position.seat, user[1](position, params, draws[3 * j]), 3)
            alone = position.dice[one]
            position.pending[1] = position.dice[0] + position.dice[1] + position.dice[2] - alone
            position.pending[0] = alone
            position.pending[2] = 0
            n = 2
            at = 1
        for i in range(n):
            mask = put_own(position, work, mask, position.pending[i], user, params, draws[3 * j + at + i])
            position.pending[i] = 0


@jit
def set_up(position, rules, work, g, player, plan, user):
    """Write this seat's labels: the printed ones, then roll by roll."""
    how = int(player.params[0])
    draws = player.placement_draws
    mask = rules.blanks
    for b in range(rules.rounds):
        position.labels[b] = rules.printed[b]
    if plan is not None:  # without a plan this is not even compiled
        if how == PLACE_OPTIMAL:
            set_up_optimally(position, rules, work, g, plan)
            return
    if user is not None:
        if how == PLACE_OWN:
            set_up_by_own(position, rules, work, g, draws, user, player.params)
            return
    for j in range(rules.setup_rolls):
        x = work.setup[g, j]
        position.dice[0] = x % 6 + 1
        position.dice[1] = x // 6 % 6 + 1
        position.dice[2] = x // 36 % 6 + 1
        if rules.variation:
            one = single(position, how, draws[3 * j])
            alone = position.dice[one]
            pair = position.dice[0] + position.dice[1] + position.dice[2] - alone
            position.pending[0] = alone
            position.pending[1] = pair
            position.pending[2] = 0
            mask = put_label(position, work, mask, alone, how, draws[3 * j + 1])
            position.pending[0] = 0
            mask = put_label(position, work, mask, pair, how, draws[3 * j + 2])
            position.pending[1] = 0
        else:
            for i in range(3):
                position.pending[i] = position.dice[i]
            for i in range(3):
                mask = put_label(position, work, mask, position.dice[i], how, draws[3 * j + i])
                position.pending[i] = 0


@jit
def show_others(positions, seat, seats):
    """Copy the next seats' sheets into what `seat` sees."""
    me = positions[seat]
    shown = min(seats - 1, OTHERS)
    me.others = shown
    for k in range(shown):
        other = positions[(seat + 1 + k) % seats]
        for b in range(me.rounds):
            me.other_labels[k, b] = other.labels[b]
            me.other_scores[k, b] = other.scores[b]
        for c in range(3):
            me.other_totals[k, c] = other.totals[c]
            me.other_empty[k, c] = other.empty[c]
            me.other_bonus[k, c] = other.bonus[c]


@jit
def roll_dice(seed, first, rules, work):
    """The dice of four games: rounds in ``work.dice``, set-up in ``work.setup``."""
    for g in range(4):
        game = first + np.uint64(g)
        for b in range(3):
            rng.set_counter(work.words, 4 * g + b, game, rng.DICE, 0, b)
        rng.set_counter(work.words, 4 * g + 3, game, rng.SETUP, 0, 0)
    rng.philox_wide(work.words, seed)
    for g in range(4):
        game = first + np.uint64(g)
        for r in range(rules.rounds):
            w = work.words[rng.WIDE * (r & 3) + 4 * g + (r >> 2)]
            work.dice[g, r] = rng.bounded_from(w, seed, game, rng.DICE, 0, r, 1296)
        for j in range(min(rules.setup_rolls, 4)):
            work.setup[g, j] = rng.bounded_from(work.words[rng.WIDE * j + 4 * g + 3], seed, game, rng.SETUP, 0, j, 1296)
        for j in range(4, rules.setup_rolls):  # sheets with more blanks than the printed game has
            work.setup[g, j] = rng.bounded(seed, game, rng.SETUP, 0, j, 1296)


@jit
def draw_numbers(player, seat, seed, game, rules, work):
    """This seat's policy numbers of one game, for the set-up and for play."""
    how = int(player.params[0])
    n_placement = 3 * rules.setup_rolls if how == PLACE_RANDOM or how == PLACE_OWN else 0
    n_policy = rules.rounds if player.draws else 0
    if n_placement == 0 and n_policy == 0:
        return
    for b in range(6):
        rng.set_counter(work.words, b, game, rng.POLICY, seat, b)
    for b in range(10):
        rng.set_counter(work.words, 6 + b, game, rng.PLACEMENT, seat, b)
    rng.philox_wide(work.words, seed)
    for i in range(n_policy):
        at = 2 * rng.WIDE * (i & 1) + (i >> 1)
        player.policy_draws[i] = rng.to_unit(work.words[at], work.words[at + rng.WIDE])
    for i in range(n_placement):  # at most 18, 9 blocks
        at = 2 * rng.WIDE * (i & 1) + 6 + (i >> 1)
        player.placement_draws[i] = rng.to_unit(work.words[at], work.words[at + rng.WIDE])


@jit
def new_sheet(player, position, seed, game, g, rules, work, plan, user):
    """Clear a sheet and play this seat's set-up."""
    draw_numbers(player, position.seat, seed, game, rules, work)
    set_up(position, rules, work, g, player, plan, user)
    open_sheet(position, rules.rounds)
    for b in range(rules.rounds):
        position.scores[b] = -1
    for c in range(3):
        position.totals[c] = 0
        position.bonus[c] = 0
        position.empty[c] = position.boxes


@jit
def select_listed(player, position, n, u, work, book, user, mind):
    """The outcome that a policy takes of the first `n` of ``work.packed`` when it does not slip, packed."""
    if user is not None:  # without users' functions this is not even compiled
        if player.policy >= OWN:
            if n == 1:
                return work.packed[0]
            choice = user[0](position, work.options, n, player.params, u)
            return work.packed[checked(work, position.seat, choice, n)]
    if book is not None:  # without a book this is not even compiled
        if player.policy == OPTIMAL:
            return work.packed[choose_optimal(position, work.options, n, book)]
    if mind is not None:  # without a thinking policy this is not even compiled
        if LEARNED <= player.policy <= ROLLOUT or player.policy == RIVAL:
            return work.packed[think_deeply(player.policy, position, work.options, n, player.params, u, mind)]
    return work.packed[choose(player.policy, position, work.options, n, player.params, u)]


@jit
def decide_limited(player, position, x, roll, face, r, rules, tables, work, book, user, mind, limits):
    """As `decide`, for a seat with a restriction: it chooses from the outcomes that are left to it."""
    limit = limits[0][position.seat]
    position.round_index = r
    position.dice[0] = x % 6 + 1
    position.dice[1] = x // 6 % 6 + 1
    position.dice[2] = x // 36 % 6 + 1 if rules.level > 0 else 0
    position.face = face
    face = seen_face(face, limit.dead)
    n = list_outcomes(work.packed, position, roll, face, rules, tables)
    n = keep_allowed(work.packed, n, position, roll, face, rules, limit, limits[1])
    slip = player.params[SLIP]
    u = player.policy_draws[r]
    if u < slip:
        return work.packed[pick(u / slip, n)]
    return select_listed(player, position, n, (u - slip) / (1.0 - slip), work, book, user, mind)


@jit
def decide(player, position, x, roll, face, r, rules, tables, work, book, user, mind, limits):
    """The outcome that a seat's policy takes in round `r`, packed."""
    if limits is not None:  # without restrictions this is not even compiled
        if limits[0][position.seat].on:
            return decide_limited(player, position, x, roll, face, r, rules, tables, work, book, user, mind, limits)
    if player.policy == RANDOM:
        return select_random(position, roll, face, rules, tables, work, player.policy_draws[r])
    slip = player.params[SLIP]
    u = player.policy_draws[r]
    if slip > 0.0 and u < slip:
        return select_random(position, roll, face, rules, tables, work, u / slip)
    if player.policy == GREEDY:
        return select_greedy(position, roll, face, rules, tables)
    position.round_index = r
    if PLANNER <= player.policy <= WEIGHTED:
        outcome = select_sieved(position, roll, face, rules, tables, work, player)
        if outcome >= 0:
            return outcome
    if book is not None:  # without a book this is not even compiled
        if player.policy == OPTIMAL and rules.plain:
            return select_optimal(position, roll, rules, work, book)
    u = (u - slip) / (1.0 - slip)
    position.dice[0] = x % 6 + 1
    position.dice[1] = x // 6 % 6 + 1
    position.dice[2] = x // 36 % 6 + 1 if rules.level > 0 else 0
    position.face = face
    n = list_outcomes(work.packed, position, roll, face, rules, tables)
    return select_listed(player, position, n, u, work, book, user, mind)


@jit
def report(positions, seats, final, out, first_row):
    """Final scores, and who wins: the highest end total, then the larger sum of all boxes, then shared."""
    best_end = -1
    best_sum = -1
    sharing = 0
    for s in range(seats):
        position = positions[s]
        row = first_row + s
        fly, end = flying(position.totals, position.bonus, final)
        total = position.totals[0] + position.totals[1] + position.totals[2]
        zeros = 0
        for b in range(position.rounds):
            if position.scores[b] == 0:
                zeros += 1
        out[0, row] = end
        for c in range(3):
            out[1 + c, row] = position.totals[c]
            out[4 + c, row] = position.bonus[c]
        out[7, row] = fly
        out[8, row] = total
        out[9, row] = zeros
        if end > best_end or (end == best_end and total > best_sum):
            best_end = end
            best_sum = total
            sharing = 1
        elif end == best_end and total == best_sum:
            sharing += 1
    for s in range(seats):
        row = first_row + s
        won = out[0, row] == best_end and out[8, row] == best_sum
        out[10, row] = sharing if won else 0


@jit
def play_alone(seed, first, games, rules, player, position, work, book, out):
    """As `play_games` for one seat that plays `optimal` and never slips: games in step, see `lookup`."""
    new_sheet(player, position, seed, np.uint64(first), 0, rules, work, None, None)
    list_fits(position, rules, work)
    for g in range(0, games, LANES):
        roll_dice(seed, np.uint64(first + g), rules, work)
        lanes = min(LANES, games - g)
        play_in_step(lanes, position, rules, work, book)
        for lane in range(lanes):
            row = g + lane
            totals = work.totals[lane]
            fly, end = flying(totals, position.bonus, rules.final)
            out[0, row] = end
            for c in range(3):
                out[1 + c, row] = totals[c]
                out[4 + c, row] = 0
            out[7, row] = fly
            out[8, row] = totals[0] + totals[1] + totals[2]
            out[9, row] = work.zeros[lane]
            out[10, row] = 1


@jit
def play_games(
    seed,
    first,
    games,
    seats,
    rules_,
    tables_,
    players,
    positions,
    work_,
    reads_others,
    book,
    plan,
    user,
    mind,
    limits,
    out,
    record,
    recorded,
):
    """Play games `first` … `first + games − 1` into `out`; with `record`, keep their moves in `recorded`.

    `rules_`, `tables_` and `work_` are arrays of one record, `players` and `positions` have one per seat; `book` is
    None or the exact values that policy `optimal` reads, `plan` None or those that placement `optimal` reads; `user`
    None or the users' functions (choose, single, place), `mind` None or what thinking policies need, `limits` None or
    what some seats restrict themselves to; `recorded` is int64[games × rounds × seats, RECORDED], game by game, round
    by round; without `record` it is not touched. Labels of the last game stay in `positions`, dice in `work_`.
    """
    rules = rules_[0]
    tables = tables_[0]
    work = work_[0]
    if book is not None:  # without a book this is not even compiled
        alone = seats == 1 and rules.plain and not record
        if alone and players[0].policy == OPTIMAL and players[0].params[SLIP] == 0.0 and limits is None:
            play_alone(seed, first, games, rules, players[0], positions[0], work, book, out)
            return
    for g in range(games):
        game = np.uint64(first + g)
        if user is not None:
            if work.fault[0] == 0:
                work.fault[3] = first + g
            else:  # what comes after a fault is not told
                break
        if g & 3 == 0:
            roll_dice(seed, game, rules, work)
        for s in range(seats):
            new_sheet(players[s], positions[s], seed, game, g & 3, rules, work, plan, user)
        for r in range(rules.rounds):
            x = work.dice[g & 3, r]
            roll = x % 216
            face = x // 216 if rules.has_action else NO_FACE
            if reads_others:
                for s in range(seats):
                    show_others(positions, s, seats)
            for s in range(seats):
                position = positions[s]
                outcome = decide(players[s], position, x, roll, face, r, rules, tables, work, book, user, mind, limits)
                bonus_box, bonus_value, box, score = unpack(outcome)
                write(position, bonus_box, bonus_value, box, score)
                if record:
                    row = (g * rules.rounds + r) * seats + s
                    recorded[row, BONUS_BOX] = bonus_box
                    recorded[row, BONUS_VALUE] = bonus_value
                    recorded[row, BOX] = box
                    recorded[row, BOX_SCORE] = score
                    recorded[row, DICE] = x
                    recorded[row, LABEL] = position.labels[r]
        report(positions, seats, rules.final, out, g * seats)


def reads_book(policy: Policy) -> bool:
    """Whether a policy looks up the exact values of a labelled sheet."""
    return policy.info.number == OPTIMAL


def reads_plan(policy: Policy, rules: CaterpillarsRules) -> bool:
    """Whether a policy looks up the exact values of the set-up."""
    return policy.vector()[0] == PLACE_OPTIMAL and rules.blanks > 0


class _Scratch:
    """Working memory of one thread."""

    def __init__(self, rules: CaterpillarsRules, policies: Sequence[Policy]) -> None:
        seats = len(policies)
        self.positions = np.zeros(seats, POSITION).view(np.recarray)
        self.players = np.zeros(seats, SEAT).view(np.recarray)
        for s, policy in enumerate(policies):
            position, player = self.positions[s], self.players[s]
            position.rounds = rules.rounds
            position.boxes = rules.boxes
            position.owner[: rules.rounds] = [b // rules.boxes for b in range(rules.rounds)]
            position.final = FINALS.index(rules.final)
            position.seat = s
            position.seats = seats
            show_level(position, rules)
            player.policy = policy.info.number
            player.draws = policy.draws
            player.params[:] = policy.vector()
            if PLANNER <= player.policy <= WEIGHTED:
                fill_served(player, position)
        self.work = np.zeros(1, WORK).view(np.recarray)
        self.recorded = np.zeros((rules.rounds * seats, RECORDED), np.int64)  # of one game
        self.mind = make_mind(rules) if any(p.info.number in THINKERS for p in policies) else None


#: what a user's functions are given
SLOTS: Slots = {
    "choose": (
        ("position", record(POSITION)),
        ("options", field(WORK, "options")),
        ("n", WHOLE),
        ("params", field(SEAT, "params")),
        ("u", NUMBER),
    ),
    "single": (("position", record(POSITION)), ("params", field(SEAT, "params")), ("u", NUMBER)),
    "place": (
        ("position", record(POSITION)),
        ("value", WHOLE),
        ("blanks", field(WORK, "blanks")),
        ("n", WHOLE),
        ("params", field(SEAT, "params")),
        ("u", NUMBER),
    ),
}


def _single(position: Any, params: Any, u: float) -> int:
    """Which die stands alone where a user's policy does not say."""
    return single(position, PLACE_SPREAD, u)  # type: ignore[no-any-return]


def _place(position: Any, value: int, blanks: Any, n: int, params: Any, u: float) -> int:
    """Where a label goes where a user's policy does not say."""
    return place(position, value, blanks, n, PLACE_SPREAD, u)  # type: ignore[no-any-return]


class CaterpillarsPlayable(Playable):
    """Caterpillars with rules and policies fixed.

    `book` holds the exact values of a labelled sheet (values, place, length, node) and has to be given where a seat
    plays `optimal`; `plan` those of the set-up (value, add) where one has ``placement=optimal`` and there are blanks.
    """

    def __init__(
        self,
        rules: CaterpillarsRules,
        policies: Sequence[Policy],
        book: Book | None = None,
        plan: Plan | None = None,
    ) -> None:
        if book is None and any(reads_book(p) for p in policies):
            raise ValueError("policy optimal needs a book of exact values")
        if plan is None and any(reads_plan(p, rules) for p in policies):
            raise ValueError("placement optimal needs a plan of exact values")
        self.rules = rules
        self._book = book
        self._plan = plan
        self.policies = tuple(policies)
        self.seats = len(policies)
        self.fields = result_fields(rules, self.seats)
        self._tables = tables(rules)
        self._rules = rules_record(rules)
        reads = [p.info.number in READS_OTHERS or p.info.code is not None for p in policies]
        self._reads_others = any(reads) and self.seats > 1
        self._user = fill_slots(policies, SLOTS, {"single": _single, "place": _place})
        self.limits = limits(rules, policies)

    @property
    def book(self) -> Book | None:
        """The exact values of a labelled sheet that a seat reads, if one does."""
        return self._book

    @property
    def plan(self) -> Plan | None:
        """The exact values of the set-up that a seat reads, if one does."""
        return self._plan

    @property
    def kernel_rules(self) -> tuple[np.ndarray, np.ndarray]:
        """The rules as the kernel sees them, and its tables of outcomes."""
        return self._rules, self._tables

    def scratch(self) -> _Scratch:
        return _Scratch(self.rules, self.policies)

    def play(self, seed: int, first: int, games: int, out: np.ndarray, scratch: Any, record: bool = False) -> None:
        play_games(
            np.uint64(seed),
            first,
            games,
            self.seats,
            self._rules,
            self._tables,
            scratch.players,
            scratch.positions,
            scratch.work,
            self._reads_others,
            self._book,
            self._plan,
            self._user,
            scratch.mind,
            self.limits,
            out,
            record,
            scratch.recorded,
        )
        self.raise_fault(scratch.work[0].fault, seed)

    def raise_fault(self, fault: np.ndarray, seed: int) -> None:
        """Raise the error of a user's policy, if there was one."""
        raise_fault(self, fault, seed, SLOTS, {"single": _single, "place": _place})
