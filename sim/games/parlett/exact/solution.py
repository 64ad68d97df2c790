"""`sim.solve("parlett", …)`: a position of one deal with all cards known, played optimally by both seats.

Values are final score differences: own final score (running score, courts in hand or court-short bonus) minus the
other's, seen by the mover of the position asked for. Only the deal in progress counts, also where ``deals = 2``.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sim.errors import InputError, listing
from sim.games.parlett.exact.position import OpenPosition, pair, parse_card, parse_position, pips
from sim.games.parlett.exact.search import INFINITE, KIND, UNIT, WORK, courts_in, fill_rules, kind_gain, list_moves
from sim.games.parlett.exact.search import search as _search
from sim.games.parlett.rules import RANKS, ParlettRules, card_name

#: entries of a table of positions, as powers of two: 32 bytes each, so 128 KB to 128 MB
FEWEST_BITS, MOST_BITS = 12, 22

_own = threading.local()


def _table(plays: int) -> tuple[np.ndarray, int]:
    """This thread's table for searches of so many plays, and a stamp that tells this search's entries from older."""
    bits = min(max(plays + 6, FEWEST_BITS), MOST_BITS)
    tables = _own.__dict__.setdefault("tables", {})
    if bits not in tables:
        tables[bits] = [np.zeros((1 << bits, 4), np.int64), 0]
    tables[bits][1] += 1
    return tables[bits][0], tables[bits][1]


class OpenDeal:
    """The rest of a deal with a known stock: values of its positions, all searches sharing one table.

    Parameters
    ----------
    rules : ParlettRules
    stock : sequence of int
        Cards left to draw, the next one first.
    searched : int, optional
        How many of the last plays will be searched; default all. Decides the size of the table.
    """

    def __init__(self, rules: ParlettRules, stock: Sequence[int], searched: int | None = None) -> None:
        self.rules = rules
        self.stock = tuple(stock)
        self.table, stamp = _table(len(stock) if searched is None else searched)
        self.work = np.zeros(1, WORK).view(np.recarray)[0]
        fill_rules(self.work, rules.multiple, rules.court_bonus, rules.block == "barred")
        self.work.plays = len(stock)
        self.work.stock[: len(stock)] = KIND[list(stock)]
        self.work.stamp = stamp
        self.work.mask = len(self.table) - 1

    def value(
        self, hand: int, other: int, suit: int, total: int, t: int, alpha: int = -INFINITE, beta: int = INFINITE
    ) -> int:
        """Own minus other's score from here on under optimal play, to the mover; `t` cards of the stock are drawn.

        Hands are in the form of `hand_of`. With a window (alpha, beta): exact inside it, else a bound on that side.
        """
        return int(_search(hand, other, suit, total, t, alpha, beta, self.work, self.table))

    def legal(self, cards: Sequence[int], hand: int, other: int, suit: int, total: int, t: int) -> list[int]:
        """The cards, ascending, that may be played from `cards` (the same as `hand`); none at the end of the deal."""
        if t == len(self.stock):
            return []
        n = list_moves(hand, other, suit, total, t, self.work)
        kinds = {int(move) & 63 for move in self.work.moves[t][:n]}
        return [card for card in sorted(cards) if int(KIND[card]) in kinds]

    def gain(self, card: int, suit: int, total: int) -> int:
        """What a card scores at once."""
        return int(kind_gain(int(KIND[card]), suit, total, self.work))

    def courts(self, hand: int) -> int:
        """Courts in a hand."""
        return int(courts_in(hand))


def hand_of(cards: Sequence[int]) -> int:
    """A hand as the search keeps it."""
    return sum(int(UNIT[KIND[card]]) for card in cards)


class Walk:
    """A position that moves along a line of play."""

    def __init__(self, deal: OpenDeal, position: OpenPosition) -> None:
        self.deal = deal
        self.hands = [set(position.hands[0]), set(position.hands[1])]
        self.suit = position.suit
        self.total = position.total
        self.running = list(position.running)
        self.seat = position.mover
        self.t = 0

    def state(self) -> tuple[int, int, int, int, int]:
        """What `OpenDeal.value` takes: own hand, other hand, suit, total, t."""
        own, other = self.hands[self.seat], self.hands[1 - self.seat]
        return hand_of(sorted(own)), hand_of(sorted(other)), self.suit, self.total, self.t

    def legal(self) -> list[int]:
        return self.deal.legal(sorted(self.hands[self.seat]), *self.state())

    def lead(self) -> int:
        """Running score of the mover minus the other's."""
        return self.running[self.seat] - self.running[1 - self.seat]

    def play(self, card: int) -> dict[str, Any]:
        """Play a card and draw; returns the play as a trace tells it."""
        gain = self.deal.gain(card, self.suit, self.total)
        seat = self.seat
        self.running[seat] += gain
        self.total += pips(card)
        self.suit = card // RANKS
        self.hands[seat] = (self.hands[seat] - {card}) | {self.deal.stock[self.t]}
        self.t += 1
        self.seat = 1 - seat
        return {"seat": seat, "card": list(pair(card)), "total": self.total, "gain": gain}

    def after(self, card: int) -> tuple[int, tuple[int, int, int, int, int]]:
        """What a card scores, and the state that it leads to, without playing it."""
        own = self.hands[self.seat] - {card} | {self.deal.stock[self.t]}
        other = self.hands[1 - self.seat]
        follow = (hand_of(sorted(other)), hand_of(sorted(own)), card // RANKS, self.total + pips(card), self.t + 1)
        return self.deal.gain(card, self.suit, self.total), follow

    def end(self) -> tuple[int | None, tuple[int, int]]:
        """The stuck seat (None: the stock is empty) and the final scores, where no card can be played."""
        bonus = self.deal.rules.court_bonus
        courts = [self.deal.courts(hand_of(sorted(hand))) for hand in self.hands]
        scores = list(self.running)
        stuck = self.seat if self.t < len(self.deal.stock) else None
        if stuck is None:
            scores = [scores[s] + bonus * courts[s] for s in range(2)]
        else:
            scores[stuck] += bonus * courts[1 - stuck]
        return stuck, (scores[0], scores[1])


class OpenSolution:
    """A position of one deal, all cards known to both, played optimally by both.

    Attributes
    ----------
    position : OpenPosition
    value : int
        The mover's final score minus the other's (running scores included). Exact.
    difference : int
        The same for seat 0: seat 0's final score minus seat 1's.
    best : list of ((suit, rank), int)
        Every card that may be played, with the final score difference for the mover when both go on optimally; best
        first, equals in card order. Empty if the mover is stuck or the stock is empty.
    line : list of dict
        One line of optimal play to the end (equals: the first in card order), as the plays of a trace: ``seat``,
        ``card`` as [suit, rank], ``total``, ``gain``.
    scores : tuple of two int
        Final scores of seat 0 and seat 1 after that line.
    stuck : int or None
        The seat that is stuck at the end of the line; None if it ends with the stock.
    nodes : int
        Positions searched for the value.
    """

    def __init__(self, position: OpenPosition) -> None:
        self.position = position
        deal = OpenDeal(position.rules, position.stock)
        root = Walk(deal, position)
        lead = root.lead()
        self.value = lead + deal.value(*root.state())
        self.nodes = int(deal.work.nodes)
        self.difference = self.value if position.mover == 0 else -self.value
        ranked: list[tuple[tuple[int, int], int]] = []
        known: dict[int, int] = {}  # equal courts are searched once
        for card in root.legal():
            gain, state = root.after(card)
            kind = int(KIND[card])
            if kind not in known:
                known[kind] = lead + gain - deal.value(*state)
            ranked.append((pair(card), known[kind]))
        self.best = sorted(ranked, key=lambda entry: (-entry[1], entry[0]))
        self.line = list(self._line(deal, root, self.value - lead))
        self.stuck, self.scores = root.end()

    @staticmethod
    def _line(deal: OpenDeal, walk: Walk, value: int) -> Iterator[dict[str, Any]]:
        """Play on to the end: each time the first card that keeps the value, found with a window of one point."""
        while cards := walk.legal():
            for card in cards:
                gain, state = walk.after(card)
                if deal.value(*state, alpha=gain - value, beta=gain - value + 1) <= gain - value:
                    break
            value = gain - value
            yield walk.play(card)

    def loss(self, card: object) -> int:
        """Points that playing `card` gives away, 0 for an optimal one; `InputError` if it may not be played."""
        chosen = parse_card("loss", card)
        values = dict(self.best)
        if pair(chosen) not in values:
            playable = listing(card_name(*c) for c in sorted(values)) or "no card, because the deal is over"
            raise InputError(f"card {card_name(*pair(chosen))} may not be played here; accepted: {playable}")
        return self.value - values[pair(chosen)]

    def __repr__(self) -> str:
        return f"<OpenSolution value={self.value} cards_left={len(self.position.stock)} nodes={self.nodes}>"


def solve_position(
    rules: Mapping[str, Any] | str | ParlettRules | None = None,
    *,
    hands: object,
    stock: object,
    suit: object = None,
    total: object = None,
    previous: object = None,
    running: object = (0, 0),
    mover: object = 0,
) -> OpenSolution:
    """Solve a position of one deal with all cards known.

    Parameters
    ----------
    rules : mapping, preset id or rules object, optional
        If `hand_size` is left out, the hands tell it.
    hands : two lists of cards
        Seat 0's and seat 1's, equally many. A card is [suit, rank], a number ``13 × suit + rank − 1``, or text: 10S.
    stock : list of cards
        Cards left, the next one first.
    suit : int or text, optional
        Suit of the last card on the row (0 … 3, or C, D, H, S); left out before the first card.
    total : int, optional
        Row total; left out, it follows from the cards that are neither in the hands nor in the stock. Another total is
        taken as a study position.
    previous : card, optional
        The last card on the row, instead of `suit`.
    running : two int
        Running scores by seat.
    mover : {0, 1}
        The seat that plays next.

    Raises
    ------
    RulesError, InputError
        In one line: what was given, what is accepted.
    """
    return OpenSolution(
        parse_position(
            rules,
            hands=hands,
            stock=stock,
            suit=suit,
            total=total,
            previous=previous,
            running=running,
            mover=mover,
        )
    )
