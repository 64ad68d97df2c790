"""Who will win: the chances before every card of games of Parlett's Caterpillar, from play-outs by the same policies.

An onlooker sees both hands; the cards still in the stock are shuffled anew, which is all that is not known, and so is
the deck of a second deal. Nothing that happened before says more about the order of the stock: no policy sees it.
"""

from __future__ import annotations

import numpy as np

from sim.engine.jit import jit
from sim.engine.paths import PLAYOUTS, RESULTS, Walk, conclude, playout_key
from sim.games.base import Watched
from sim.games.parlett.kernel import ParlettPlayable, play_deal, play_from, play_games
from sim.games.parlett.moves import ALL, PIPS, SUIT, shuffle
from sim.games.parlett.policies import SEARCH
from sim.games.parlett.rules import CARDS, RANKS

#: policies that play on in thought themselves: with play-outs of play-outs nobody would see the end
SLOW = (SEARCH,)


@jit
def winners(first, second):
    """Who has won with these scores, as the sum of 2^seat."""
    return 3 if first == second else 1 if first > second else 2


@jit
def stack_stock(work, hidden, at):
    """Put the cards of `hidden` into ``work.deck`` from place `at`, in the order in which the deck has them."""
    deck = work.deck
    for i in range(CARDS):
        card = deck[i]
        if hidden >> card & 1:
            work.picks[at] = card
            at += 1
    return at


@jit
def take_deck(work, start, end):
    """Make the places `start` … `end` − 1 that `stack_stock` filled the deck's own."""
    for i in range(start, end):
        work.deck[i] = work.picks[i]


@jit
def watch_games(
    seed, first, games, playouts, positions, works, user, memory, out, records, no_records, counts, rows, turn, mover,
    chance, surest,
):  # fmt: skip
    """Chances before every card, and at the end, of `games` games.

    Rows of a game follow each other; ``rows[g]`` becomes their number. `records` has room for the deals of one game,
    `out` for its results; `counts` is clear. For the others see `play_games`.
    """
    position = positions[0]
    work = works[0]
    hand_size = position.hand_size
    row = 0
    for g in range(games):
        game = np.uint64(first + g)
        play_games(seed, first + g, 1, positions, works, user, memory, out, records)
        if work.fault[0]:  # what comes after a fault is not told
            break
        key = playout_key(seed, game)
        number = 1
        for deal in range(work.deals):
            record = records[deal]
            own = 0
            other = 0
            for i in range(hand_size):
                own |= 1 << record.deck[i]
                other |= 1 << record.deck[hand_size + i]
            if deal == 1:
                own, other = other, own
            seat = deal
            own_running = 0
            other_running = 0
            played = 0
            total = 0
            last_suit = -1
            last_rank = 0
            for t in range(record.count):
                hidden = ALL & ~(own | other | played)
                for j in range(playouts):
                    for s in range(2):
                        work.scores[s] = records[0].scores[s] if deal else 0
                    shuffle(work, key, np.uint64(j), deal)
                    start = 2 * hand_size + t
                    take_deck(work, start, stack_stock(work, hidden, start))
                    for i in range(t):
                        position.row[i] = record.plays[i, 1]
                    play_from(
                        t, own, other, own_running, other_running, played, total, last_suit, last_rank, seat, deal,
                        position, work, key, np.uint64(j), user, memory, no_records, 0,
                    )  # fmt: skip
                    one = work.scores[0]
                    two = work.scores[1]
                    if deal:
                        one += records[0].scores[0]
                        two += records[0].scores[1]
                    for later in range(deal + 1, work.deals):
                        shuffle(work, key, np.uint64(j), later)
                        play_deal(later, position, work, key, np.uint64(j), user, memory, no_records, 0)
                        one += work.scores[0]
                        two += work.scores[1]
                    counts[winners(one, two)] += 1
                surest[row] = conclude(counts, 2, playouts, chance[row])
                turn[row] = number
                mover[row] = seat
                row += 1
                number += 1
                card = record.plays[t, 1]
                own_running += record.plays[t, 3]
                total += PIPS[card]
                last_suit = SUIT[card]
                last_rank = card % RANKS + 1
                played |= 1 << card
                own = (own ^ (1 << card)) | (1 << record.deck[2 * hand_size + t])
                seat = 1 - seat
                own, other = other, own
                own_running, other_running = other_running, own_running
        one = 0
        two = 0
        for deal in range(work.deals):
            one += records[deal].scores[0]
            two += records[deal].scores[1]
        counts[winners(one, two)] = 1
        surest[row] = conclude(counts, 2, 1, chance[row])
        turn[row] = number
        mover[row] = -1
        row += 1
        rows[g] = number
    return row


class WatchedPlayable(ParlettPlayable, Watched):
    """As `ParlettPlayable`, with the chances of both seats before every card."""

    playouts = PLAYOUTS

    def walk(self, seed: int, first: int, games: int) -> Walk:
        scratch = self.scratch()
        most = games * (self.rules.deals * self.rules.plays + 1)
        rows = np.zeros(games, np.int64)
        turn, mover = np.zeros(most, np.int64), np.zeros(most, np.int64)
        chance, surest = np.zeros((most, 2)), np.zeros(most)
        end = watch_games(
            np.uint64(seed), first, games, self.playouts, scratch.positions, scratch.works, self._user, scratch.memory,
            np.zeros((len(self.fields), 2), np.int32), scratch.records, scratch.no_records,
            np.zeros(RESULTS, np.int64), rows, turn, mover, chance, surest,
        )  # fmt: skip
        self.raise_fault(scratch, seed)
        return Walk(rows, rows - 1, turn[:end], mover[:end], chance[:end], surest[:end])
