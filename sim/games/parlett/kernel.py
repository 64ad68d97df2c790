"""Plays Parlett's Caterpillar: one compiled function for every variant and line-up, with an optional recording.

State of a deal: both hands and the cards played as sets (see `moves`), the row total, the last card's suit, both
running scores, whose turn it is. Turn ``t`` draws card ``2 × hand_size + t`` of the deck. Random numbers are placed as
in ``docs/randomness.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sim.engine.jit import jit
from sim.engine.rng import POLICY, pick, uniform
from sim.engine.slot import NUMBER, WHOLE, Slots, checked, field, fill_slots, raise_fault, record, row
from sim.games.base import OWN, PARAMETERS, RESTRICT, SLIP, Field, Playable, Policy
from sim.games.parlett.moves import (
    ALL,
    COURTS,
    PIPS,
    SUIT,
    card_gain,
    count_cards,
    fill_gain,
    fill_scoring,
    harmless_cards,
    legal_cards,
    list_cards,
    shuffle,
)
from sim.games.parlett.odds import fill_none_chance
from sim.games.parlett.policies import NO_COURTS, SEARCH, choose
from sim.games.parlett.position import POSITION
from sim.games.parlett.rules import CARDS, LAST_NUMERAL, MOST_HAND, MOST_PLAYS, RANKS, SUITS, ParlettRules
from sim.games.parlett.search import play_search, search_memory

#: raised when results change for equal arguments
KERNEL_VERSION = 1

#: rows of the output
SCORE, RUNNING, COURTS_HELD, CARDS_PLAYED, COURT_SHORT, STUCK, WIN = range(7)
FIELDS = 7

#: what the kernel works with and no policy sees: line-up, restrictions, deck, words for its draws, legal cards, results
#: by seat
WORK = np.dtype(
    [
        ("deals", np.int64),
        ("numbers", np.int64, (2,)),
        ("draws", np.int64, (2,)),
        ("limits", np.int64, (2,)),
        ("params", np.float64, (2, PARAMETERS)),
        ("words", np.uint64, (64,)),
        ("picks", np.int64, (64,)),
        ("deck", np.int64, (CARDS,)),
        ("cards", np.int64, (MOST_HAND + 3,)),
        ("running", np.int64, (2,)),
        ("courts", np.int64, (2,)),
        ("played", np.int64, (2,)),
        ("scores", np.int64, (2,)),
        ("stuck", np.int64),
        ("fault", np.int64, (4,)),
    ]
)

#: what a user's function is given
SLOTS: Slots = {
    "play": (
        ("position", record(POSITION)),
        ("cards", field(WORK, "cards")),
        ("n", WHOLE),
        ("params", row()),
        ("u", NUMBER),
    )
}

#: what is recorded of a deal: the deck, the plays as (seat, card, total, gain), and the results
RECORD = np.dtype(
    [
        ("deck", np.int64, (CARDS,)),
        ("plays", np.int64, (MOST_PLAYS, 4)),
        ("count", np.int64),
        ("stuck", np.int64),
        ("running", np.int64, (2,)),
        ("courts", np.int64, (2,)),
        ("scores", np.int64, (2,)),
    ]
)

# ----------------------------------------------------------------------------------------------------------------------
# The game


@jit
def final_score(running, own_courts, other_courts, stuck, seat, bonus):
    """A seat's score of one deal: running score and bonus for courts in hand.

    Where a player was stuck (seat `stuck`, else −1) that player counts the other's courts and the other counts none.
    """
    if stuck < 0:
        return running + bonus * own_courts
    if stuck == seat:
        return running + bonus * other_courts
    return running


@jit
def allowed_cards(legal, limit):
    """The legal cards that a seat's restriction leaves; all of them where it would leave none."""
    courts = legal & COURTS
    kept = legal ^ courts if limit == NO_COURTS else courts
    return kept if kept else legal


@jit
def decide(position, work, n, u, user, memory):
    """The choice of the seat to play among the first `n` of `work.cards`."""
    seat = position.seat
    number = work.numbers[seat]
    params = work.params[seat]
    slip = params[SLIP]
    if u < slip:
        return pick(u / slip, n)
    u = (u - slip) / (1.0 - slip)
    if user is not None:  # without users' functions this is not even compiled
        if number >= OWN:
            return checked(work, seat, user[0](position, work.cards, n, params, u), n)
    if memory is not None:  # nor is the search where nobody searches
        if number == SEARCH:
            return play_search(position, work.cards, n, params, u, memory[0])
    return choose(number, position, work.cards, n, params, u)


@jit
def play_from(
    start, own, other, own_running, other_running, played, total, last_suit, last_rank, seat, deal, position, work,
    seed, game, user, memory, records, at,
):  # fmt: skip
    """Play a deal on from play `start`, with `seat` to move; for the rest see `play_deal`.

    `own` and `other` are the hands, `played` the cards on the row. ``position.row`` holds these in order, ``work.deck``
    the cards that are still to be drawn, and ``work.scores`` what the deals before this one came to.
    """
    hand_size = position.hand_size
    deck = work.deck
    cards = work.cards
    turns = CARDS - 2 * hand_size
    count = start
    stuck = -1
    position.deal = deal
    for t in range(start, turns):
        legal = legal_cards(own, last_suit)
        if legal == 0:
            stuck = seat
            break
        if position.barred and t < turns - 1:
            harmless = harmless_cards(legal, other)
            if harmless:
                legal = harmless
        if work.limits[seat]:
            legal = allowed_cards(legal, work.limits[seat])
        n = list_cards(legal, cards)
        choice = 0
        if n > 1:
            position.hand = own
            position.legal = legal
            position.unseen = ALL & ~(own | played)
            position.row_count = t
            position.total = total
            position.last_suit = last_suit
            position.last_rank = last_rank
            position.stock = turns - t
            position.running[0] = own_running
            position.running[1] = other_running
            position.carried[0] = work.scores[seat] if deal else 0
            position.carried[1] = work.scores[1 - seat] if deal else 0
            position.seat = seat
            position.leads = 1 if seat == deal else 0
            u = uniform(seed, game, POLICY, seat, 64 * deal + t) if work.draws[seat] else 0.0
            choice = decide(position, work, n, u, user, memory)
        card = cards[choice]
        gain = card_gain(card, total, last_suit, position.gain)
        total += PIPS[card]
        own_running += gain
        last_suit = SUIT[card]
        last_rank = card % RANKS + 1
        position.row[t] = card
        if records.shape[0] > 0:
            play = records[at].plays[t]
            play[0] = seat
            play[1] = card
            play[2] = total
            play[3] = gain
        played |= 1 << card
        own = (own ^ (1 << card)) | (1 << deck[2 * hand_size + t])
        count += 1
        seat = 1 - seat
        own, other = other, own
        own_running, other_running = other_running, own_running
    # a player without a legal card is "own" here; after a full deal "own" is the leader again
    rival = 1 - seat
    own_courts = count_cards(own & COURTS)
    other_courts = count_cards(other & COURTS)
    work.running[seat] = own_running
    work.running[rival] = other_running
    work.courts[seat] = own_courts
    work.courts[rival] = other_courts
    work.played[deal] = count - count // 2
    work.played[1 - deal] = count // 2
    work.stuck = stuck
    bonus = position.court_bonus
    work.scores[seat] = final_score(own_running, own_courts, other_courts, stuck, seat, bonus)
    work.scores[rival] = final_score(other_running, other_courts, own_courts, stuck, rival, bonus)
    if records.shape[0] > 0:
        record = records[at]
        for i in range(CARDS):
            record.deck[i] = deck[i]
        record.count = count
        record.stuck = stuck
        for s in range(2):
            record.running[s] = work.running[s]
            record.courts[s] = work.courts[s]
            record.scores[s] = work.scores[s]


@jit
def play_deal(deal, position, work, seed, game, user, memory, records, at):
    """Play one deal with the cards of `work.deck`; leaves its results in `work`, and its plays in ``records[at]``."""
    hand_size = position.hand_size
    deck = work.deck
    own = 0
    other = 0
    for i in range(hand_size):
        own |= 1 << deck[i]
        other |= 1 << deck[hand_size + i]
    # seat 0 leads the first deal, seat 1 the second
    if deal == 1:
        own, other = other, own
    play_from(
        0, own, other, 0, 0, 0, 0, -1, 0, deal, deal, position, work, seed, game, user, memory, records, at
    )  # fmt: skip


@jit
def play_games(seed, first, games, positions, works, user, memory, out, records):
    """Play `games` games from index `first`; column ``2 g + seat`` of `out` is a seat's result.

    `positions` and `works` hold one record each: what the policies see, with the rules, and what they do not. `user` is
    None or the users' functions, `memory` None or the working memory of the search. `records`
    is empty, or holds one record for each deal of every game.
    """
    position = positions[0]
    work = works[0]
    for g in range(games):
        game = np.uint64(first + g)
        if work.fault[0] == 0:
            work.fault[3] = first + g
        else:  # what comes after a fault is not told
            break
        column = 2 * g
        for f in range(FIELDS):
            out[f, column] = 0
            out[f, column + 1] = 0
        for deal in range(work.deals):
            shuffle(work, seed, game, deal)
            play_deal(deal, position, work, seed, game, user, memory, records, g * work.deals + deal)
            for s in range(2):
                out[SCORE, column + s] += work.scores[s]
                out[RUNNING, column + s] += work.running[s]
                out[COURTS_HELD, column + s] += work.courts[s]
                out[CARDS_PLAYED, column + s] += work.played[s]
            if work.stuck >= 0:
                out[COURT_SHORT, column] = 1
                out[COURT_SHORT, column + 1] = 1
                out[STUCK, column + work.stuck] = 1
        lead = out[SCORE, column] - out[SCORE, column + 1]
        if lead == 0:
            out[WIN, column] = 2
            out[WIN, column + 1] = 2
        else:
            out[WIN, column + (lead < 0)] = 1


# ----------------------------------------------------------------------------------------------------------------------
# The laboratory's view


def most_running(rules: ParlettRules) -> int:
    """An upper bound of one seat's running score in one deal.

    No row total after ``k`` cards is above the sum of the ``k`` highest pips, and a seat makes every second total: at
    best the 2nd, the 4th and so on.
    """
    pips = sorted(PIPS.tolist(), reverse=True)
    totals = [sum(pips[:k]) // rules.multiple * rules.multiple for k in range(2, rules.plays + 1, 2)]
    return sum(totals)


def result_fields(rules: ParlettRules) -> tuple[Field, ...]:
    """Result fields with their bounds under the rules."""
    deals = rules.deals
    courts = min(rules.hand_size, SUITS * (RANKS - LAST_NUMERAL))
    running = deals * most_running(rules)
    score = running + deals * courts * rules.court_bonus
    played = deals * rules.plays // 2
    return (
        Field("score", "int16", "points", "final score, summed over deals", 0, score),
        Field("running", "int16", "points", "points scored while playing, summed over deals", 0, running),
        Field("courts", "int8", "cards", "courts in own hand at the end, summed over deals", 0, deals * courts),
        # each seat leads one deal of two, and the leader always has a first card to play
        Field("cards_played", "int8", "cards", "cards played by this seat, summed over deals", deals - 1, played),
        Field("court_short", "bool", "", "a deal ended because a player was stuck", 0, 1, "bool"),
        Field("stuck", "bool", "", "this seat was the stuck player in a deal", 0, 1, "bool"),
        Field("win", "float64", "share of a win", "1 for a win, 1/2 for a draw, 0 for a loss", 0, 2, "share"),
    )


class Scratch:
    """Working memory of one thread, with rules and line-up filled in."""

    def __init__(self, rules: ParlettRules, policies: Sequence[Policy]) -> None:
        self.positions = np.zeros(1, POSITION).view(np.recarray)
        position = self.positions[0]
        position.deals = rules.deals
        position.hand_size = rules.hand_size
        position.court_bonus = rules.court_bonus
        position.barred = rules.block == "barred"
        fill_gain(position.gain, rules.multiple)
        fill_scoring(position.scoring, position.gain)
        fill_none_chance(position.none_chance, rules.hand_size)
        self.works = np.zeros(1, WORK).view(np.recarray)
        work = self.works[0]
        work.deals = rules.deals
        for seat, policy in enumerate(policies):
            work.numbers[seat] = policy.info.number
            work.draws[seat] = policy.draws
            work.params[seat] = policy.vector()
            work.limits[seat] = int(work.params[seat, RESTRICT])
        self.records = np.zeros(rules.deals, RECORD).view(np.recarray)
        self.no_records = np.zeros(0, RECORD).view(np.recarray)
        searches = any(policy.info.number == SEARCH for policy in policies)
        self.memory = search_memory(rules.hand_size) if searches else None


class ParlettPlayable(Playable):
    """Parlett's Caterpillar with rules and two policies fixed."""

    def __init__(self, rules: ParlettRules, policies: Sequence[Policy]) -> None:
        self.rules = rules
        self.policies = tuple(policies)
        self.seats = 2
        self.fields = result_fields(rules)
        self._user = fill_slots(policies, SLOTS, {})

    def scratch(self) -> Scratch:
        return Scratch(self.rules, self.policies)

    def play(self, seed: int, first: int, games: int, out: np.ndarray, scratch: Any, record: bool = False) -> None:
        """See `Playable.play`; with `record` the deals are kept in ``scratch.records``, which has room for one game."""
        records = scratch.records if record else scratch.no_records
        play_games(
            np.uint64(seed), first, games, scratch.positions, scratch.works, self._user, scratch.memory, out, records
        )
        self.raise_fault(scratch, seed)

    def raise_fault(self, scratch: Any, seed: int) -> None:
        """Raise the error of a user's policy, if there was one."""
        raise_fault(self, scratch.works[0].fault, seed, SLOTS, {})
