"""Plays Karolinchen: one compiled function for every variant and line-up, with an optional recording of every move.

State: by seat, the current card and its free places, fruits covered, cards filled and the set of cards not yet laid
out (all in the record that policies see, `POSITION`); the dice in the middle, as packed counts and as their number; the
seat whose turn it is.

A turn: if the middle does not show the colour of the current card, all its dice are rolled (all six if it is empty);
fitting dice are taken; a full card is followed by the next one, until a card stays open, dice are refused or the last
fruit is covered. An empty middle then returns all six dice. Random numbers are placed as in ``docs/randomness.md``.

All working memory is in two records rather than arrays, because passing arrays on costs reference counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim.engine.jit import jit
from sim.engine.rng import POLICY, block, pick, to_unit
from sim.engine.slot import NUMBER, WHOLE, Slots, checked, field, fill_slots, raise_fault, record, row
from sim.games.base import OWN, PARAMETERS, SLIP, Field, Playable, Policy
from sim.games.karolinchen.moves import (
    CHOICES,
    CHOSEN,
    DECODE,
    EATING,
    LEFT,
    MIDDLE,
    RECORD,
    ROLLED,
    ROLLS,
    SEAT,
    TAKES,
    fill_words,
    record_take,
    rolled,
    start_cards,
)
from sim.games.karolinchen.perfect import DEPTH, STEP, perfect_card, perfect_take, table_size
from sim.games.karolinchen.policies import OPTIMAL, choose_next_card, choose_take
from sim.games.karolinchen.position import POSITION
from sim.games.karolinchen.rules import KarolinchenRules

#: raised when results change for equal arguments, never for speed
KERNEL_VERSION = 1


def result_fields(rules: KarolinchenRules, seats: int) -> tuple[Field, ...]:
    """Result fields with their bounds under the rules."""
    cap = rules.max_turns
    return (
        Field(
            "turns", "int32", "turns", "turns of the game, the winning one counted; the cap if it was reached", 1, cap
        ),
        Field("rolls", "int32", "rolls", "rolls of the shared dice, the opening roll counted", 1, 2 * cap + 1),
        # an eating takes all six dice, each of which covers a fruit
        Field("eatings", "int16", "eatings", "times the middle was emptied", 0, min(cap, seats * rules.total // 6)),
        Field("fruits", "int16", "fruits", "fruits covered by this seat", 0, rules.total),
        Field("cards", "int8", "cards", "cards finished by this seat", 0, 6),
        Field("start_fruit", "int8", "index", "first card: 0 blue, 1 orange, 2 purple, 3 yellow, 4 green, 5 red", 0, 5),
        Field("capped", "bool", "truth value", "the game was ended by the cap on turns", 0, 1, "bool"),
        Field(
            "win", "float64", "share of a win", "1 for the winner, 0 else; 0 for all in a capped game", 0, 1, "share"
        ),
    )


#: what the kernel works with and no policy sees: line-up, look-up table, and words for the dice of 32 turns
WORK = np.dtype(
    [
        ("start", np.int64, (6,)),
        ("numbers", np.int64, (6,)),
        ("draws", np.int64, (6,)),
        ("params", np.float64, (6, PARAMETERS)),
        ("cards", np.int64, (7,)),
        ("words", np.uint64, (64,)),
        ("decode", np.int32, (7 * 432,)),
        ("fault", np.int64, (4,)),
        ("path", np.int64, (DEPTH + 1, STEP)),
        ("worth", np.float64, (DEPTH + 1,)),
    ]
)

#: what a user's functions are given
SLOTS: Slots = {
    "next_card": (
        ("position", record(POSITION)),
        ("cards", field(WORK, "cards")),
        ("n", WHOLE),
        ("params", row()),
        ("u", NUMBER),
    ),
    "take": (
        ("position", record(POSITION)),
        ("card", WHOLE),
        ("count_available", WHOLE),
        ("n_fitting", WHOLE),
        ("params", row()),
        ("u", NUMBER),
    ),
}


def _take(position: Any, card: int, count_available: int, n_fitting: int, params: Any, u: float) -> int:
    """Whether a user's policy takes dice where it does not say: always."""
    return 1


@jit
def decide_card(position, work, n, u, user, book):
    """Index of the next card among the first `n` of `work.cards`; any of them if the policy slips."""
    seat = position.seat
    params = work.params[seat]
    slip = params[SLIP]
    if u < slip:
        return pick(u / slip, n)
    u = (u - slip) / (1.0 - slip)
    if book is not None:  # without a table of values this is not even compiled
        if work.numbers[seat] == OPTIMAL:
            return perfect_card(position, work.path, work.worth, work.cards, n, book)
    if user is not None:  # without users' functions this is not even compiled
        if work.numbers[seat] >= OWN:
            return checked(work, seat, user[0](position, work.cards, n, params, u), n)
    return choose_next_card(work.numbers[seat], position, work.cards, n, params, u)


@jit
def decide_take(position, work, colour, count, n, v, user, book):
    """1 to take the fitting dice for a new card, 0 to refuse; either if the policy slips."""
    seat = position.seat
    params = work.params[seat]
    slip = params[SLIP]
    if v < slip:
        return pick(v / slip, 2)
    v = (v - slip) / (1.0 - slip)
    if book is not None:
        if work.numbers[seat] == OPTIMAL:
            return perfect_take(position, work.path, work.worth, colour, book)
    if user is not None:
        if work.numbers[seat] >= OWN:
            return checked(work, seat, user[1](position, colour, count, n, params, v), 2)
    return choose_take(work.numbers[seat], position, colour, count, n, params, v)


@jit
def choose(position, work, turn, middle, dice, seed, game, user, book):
    """Ask seat `position.seat` for its next card; returns the colour and the number for the decision to take dice."""
    seat = position.seat
    position.turn = turn
    position.dice = dice
    n = 0
    for c in range(6):
        position.middle[c] = (middle >> (4 * c)) & 15
        work.cards[n] = c
        n += (position.left[seat] >> c) & 1
    if n == 1 and position.may == 0:
        return work.cards[0], 0.0
    u, v = 0.0, 0.0
    if work.draws[seat] != 0:
        w0, w1, w2, w3 = block(seed, game, POLICY, seat, position.finished[seat], 0)
        u, v = to_unit(w0, w1), to_unit(w2, w3)
    if n == 1:
        return work.cards[0], v
    return work.cards[decide_card(position, work, n, u, user, book)], v


@jit
def play_on(
    turn, seat, middle, dice, rolls, eatings, max_turns, position, work, seed, game, user, book, record, before
):  # fmt: skip
    """Play a game on after `turn` turns, the last of them by `seat`, until somebody wins or `max_turns` are played.

    `work.words` are those of turn ``turn + 1``. Returns turn, seat, middle, dice, rolls, eatings as they are then, and
    the winner's seat or −1. For `record` see `play_games`; `before` are the turns of the games before this one.
    """
    seats = position.seats
    may = position.may == 1
    second_roll = position.second_roll == 1
    winner = -1
    while turn < max_turns and winner < 0:
        turn += 1
        seat += 1
        if seat == seats:
            seat = 0
        position.seat = seat
        if turn & 31 == 0:
            fill_words(work, turn, seed, game)
        if record is not None:
            record[before + turn - 1, SEAT] = seat
            record[before + turn - 1, MIDDLE] = middle
            record[before + turn - 1, ROLLS] = -rolls
        colour = position.current[seat]
        shift = 4 * colour
        count = (middle >> shift) & 15
        fresh = middle == 0
        need = count == 0
        # the roll is worked out whether needed or not: cheaper than a branch that nobody can predict
        new = rolled(work, turn, 0, dice, seed, game)
        middle = new if need else middle
        rolls += 1 if need else 0
        count = (middle >> shift) & 15
        if record is not None:
            record[before + turn - 1, ROLLED] = new
        if second_roll and fresh and count == 0 and turn > 1:
            middle = rolled(work, turn, 1, dice, seed, game)
            count = (middle >> shift) & 15
            rolls += 1
            if record is not None:
                record[before + turn - 1, ROLLED + 1] = middle
        places = position.places[seat]
        n = min(count, places)
        middle -= n << shift
        dice -= n
        places -= n
        position.covered[seat] += n
        position.places[seat] = places
        if record is not None:
            record[before + turn - 1, TAKES] = 0
            record[before + turn - 1, CHOICES] = 0
            record_take(record, before + turn, colour, n)
        while places == 0:
            position.finished[seat] += 1
            if position.finished[seat] == 6:
                winner = seat
                break
            colour, v = choose(position, work, turn, middle, dice, seed, game, user, book)
            places = position.fruits[colour]
            position.current[seat] = colour
            position.places[seat] = places
            position.left[seat] ^= 1 << colour
            if record is not None:
                record[before + turn - 1, CHOSEN + record[before + turn - 1, CHOICES]] = colour
                record[before + turn - 1, CHOICES] += 1
            count = (middle >> (4 * colour)) & 15
            if count == 0:
                break
            n = min(count, places)
            if may and decide_take(position, work, colour, count, n, v, user, book) == 0:
                break
            middle -= n << (4 * colour)
            dice -= n
            places -= n
            position.covered[seat] += n
            position.places[seat] = places
            if record is not None:
                record_take(record, before + turn, colour, n)
        if record is not None:
            record[before + turn - 1, ROLLS] += rolls
            record[before + turn - 1, LEFT] = middle
            record[before + turn - 1, EATING] = 1 if dice == 0 and winner < 0 else 0
        if dice == 0 and winner < 0:
            eatings += 1
            dice = 6
    return turn, seat, middle, dice, rolls, eatings, winner


@jit
def play_games(seed, first, games, own_roll, max_turns, positions, works, user, book, out, record):
    """Play games `first` … `first + games − 1`; `positions` and `works` hold the rules and the line-up.

    `book` is the table of values that `optimal` reads, None where nobody plays it.

    With `record`, int64[turns of all games, RECORD], the moves are written down, game after game; None compiles to a
    kernel without a trace of recording.
    """
    position = positions[0]
    work = works[0]
    seats = position.seats
    before = 0  # turns of the games before this one
    for g in range(games):
        game = np.uint64(first + g)
        if work.fault[0] == 0:
            work.fault[3] = first + g
        else:  # what comes after a fault is not told
            break
        start_cards(position, work, seed, game)
        fill_words(work, 0, seed, game)
        middle = 0
        rolls = 0
        if not own_roll:
            middle = rolled(work, 0, 0, 6, seed, game)
            rolls = 1
        turn, _, _, _, rolls, eatings, winner = play_on(
            0, -1, middle, 6, rolls, 0, max_turns, position, work, seed, game, user, book, record, before
        )
        before += turn
        for s in range(seats):
            row = g * seats + s
            out[0, row] = turn
            out[1, row] = rolls
            out[2, row] = eatings
            out[3, row] = position.covered[s]
            out[4, row] = position.finished[s]
            out[5, row] = position.first[s]
            out[6, row] = 1 if winner < 0 else 0
            out[7, row] = 1 if winner == s else 0


def reads_book(policy: Policy) -> bool:
    """Whether a policy reads exact values."""
    return policy.info.number == OPTIMAL


class KarolinchenPlayable(Playable):
    """Karolinchen with rules and policies fixed.

    `book` is the table of exact values that `perfect` describes, and has to be given where a seat plays `optimal`.
    """

    def __init__(self, rules: KarolinchenRules, policies: Sequence[Policy], book: np.ndarray | None = None) -> None:
        if any(reads_book(p) for p in policies):
            second_roll = rules.reroll_after_eating and "reroll_after_eating" not in rules.without_effect()
            if book is None or len(policies) != 2 or book.shape != (table_size(rules.total, second_roll),):
                raise ValueError("policy optimal needs two seats and the table of values of these rules")
        self._book = book
        self.seats = len(policies)
        self.policies = tuple(policies)
        self.fields = result_fields(rules, self.seats)
        self._user = fill_slots(policies, SLOTS, {"take": _take})
        self._own_roll = rules.opening == "own_roll"
        self._max_turns = rules.max_turns
        self._work = np.zeros(1, WORK)
        self._work["start"] = -1
        if rules.start_fruit != "distinct":
            self._work["start"][0, : self.seats] = rules.start_fruit
        self._work["numbers"][0, : self.seats] = [p.info.number for p in policies]
        self._work["draws"][0, : self.seats] = [p.draws for p in policies]
        self._work["params"][0, : self.seats] = [p.vector() for p in policies]
        self._work["decode"] = DECODE
        self._position = np.zeros(1, POSITION)
        self._position["seats"] = self.seats
        self._position["total"] = rules.total
        self._position["may"] = rules.new_card_take == "may"
        # a rule without effect must not reach a policy either: equal identities play equal games
        self._position["second_roll"] = (
            rules.reroll_after_eating and "reroll_after_eating" not in rules.without_effect()
        )
        self._position["fruits"] = rules.fruits

    @property
    def book(self) -> np.ndarray | None:
        """The exact values that a seat reads, if one does."""
        return self._book

    def scratch(self) -> Any:
        """The two records of one thread."""
        return self._position.copy().view(np.recarray), self._work.copy().view(np.recarray)

    def play(self, seed: int, first: int, games: int, out: np.ndarray, scratch: Any) -> None:
        """Play games `first` … `first + games − 1` into `out`, int32[8, games × seats]."""
        self._play(seed, first, games, out, scratch, None)

    def record(self, seed: int, first: int, games: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Play games and write them down: results int32[8, games × seats] and moves int64[turns of all, RECORD]."""
        out = np.zeros((len(self.fields), games * self.seats), np.int32)
        scratch = self.scratch()
        self.play(seed, first, games, out, scratch)
        turns = int(out[0, :: self.seats].sum(dtype=np.int64))  # how long a game is, only playing it can tell
        record = np.zeros((turns, RECORD), np.int64)
        self._play(seed, first, games, out, scratch, record)
        return out, record

    def _play(
        self, seed: int, first: int, games: int, out: np.ndarray, scratch: Any, record: np.ndarray | None
    ) -> None:
        positions, works = scratch
        play_games(
            np.uint64(seed),
            np.int64(first),
            games,
            self._own_roll,
            self._max_turns,
            positions,
            works,
            self._user,
            self._book,
            out,
            record,
        )
        self.raise_fault(works, seed)

    def raise_fault(self, works: Any, seed: int) -> None:
        """Raise the error of a user's policy, if there was one."""
        raise_fault(self, works[0].fault, seed, SLOTS, {"take": _take})
