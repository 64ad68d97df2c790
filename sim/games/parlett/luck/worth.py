"""What a position is worth by the networks, before a play and after it: means over what a known player may do."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sim.engine.jit import jit
from sim.games.parlett.kernel import allowed_cards
from sim.games.parlett.luck.network import Net, Room, chosen, describe, may_play, tell_net
from sim.games.parlett.moves import ALL, COURTS, PIPS, SUIT, card_gain, count_cards, lowest


class Players(NamedTuple):
    """Who plays and what is known of it, by seat.

    Attributes
    ----------
    numbers, params
        Of the policies that are asked what comes next; ``[seat, k]``: of the seat itself, and of the other.
    mix : float64[2]
        Chance that a choice is made among all cards alike: 1 for `random`, else the slip.
    chance : bool[2]
        Whether a choice is a chance event whose probabilities are known.
    limits : int64[2]
        Restrictions, as the kernel has them.
    """

    numbers: np.ndarray
    params: np.ndarray
    mix: np.ndarray
    chance: np.ndarray
    limits: np.ndarray


class Judge(NamedTuple):
    """The networks, by seat the ones of its policy; `one`: both seats have the same.

    With up to `deeper` cards left untold the mean is over the other's next card as well.
    """

    hands: tuple[Net, Net]
    row: tuple[Net, Net]
    one: bool
    room: Room
    multiple: int
    deeper: int


@jit
def judge_known(
    judge: Any, players: Any, position: Any, cards: Any, dealt: Any, seat: Any, own: Any, other: Any, played: Any,
    total: Any, suit: Any, left: Any,
) -> Any:  # fmt: skip
    """Lead of `seat`, which plays next, from here on, and the sum of both, by the networks alone.

    `dealt`: hands are still being told.
    """
    lead, both = 0.0, 0.0
    unseen = ALL & ~(own | other | played)
    need = judge.multiple - total % judge.multiple
    for k in range(1 if judge.one else 2):
        net = judge.hands[k] if dealt else judge.row[k]
        whole = judge.room.whole[: net.whole_out.shape[1]]
        describe(
            position, cards, players.numbers[seat], players.params[seat], judge.multiple, own, other, played, total,
            suit, left, whole,
        )  # fmt: skip
        a, b = tell_net(net, judge.room, own, other, unseen, need, suit, whole)
        lead += a
        both += b
    if judge.one:
        return lead, both
    return 0.5 * lead, 0.5 * both


@jit
def missing_courts(position: Any, hand: Any, unseen: Any) -> Any:
    """Courts to be expected among the cards of a hand that are not told yet."""
    n = count_cards(unseen)
    return (position.hand_size - count_cards(hand)) * count_cards(unseen & COURTS) / n if n else 0.0


@jit
def after_play(
    judge: Any, players: Any, position: Any, cards: Any, seat: Any, own: Any, other: Any, played: Any, total: Any,
    suit: Any, left: Any,
) -> Any:  # fmt: skip
    """Lead of `seat`, which has just played, from here on, and the sum of both; `left` cards will be in the stock."""
    if left == 0:
        unseen = ALL & ~(own | other | played)
        mine = count_cards(own & COURTS) + missing_courts(position, own, unseen)
        theirs = count_cards(other & COURTS) + missing_courts(position, other, unseen)
        return position.court_bonus * (mine - theirs), position.court_bonus * (mine + theirs)
    known = position.hand_size - 1
    dealt = count_cards(other) < known or count_cards(own) < known
    lead, both = judge_known(
        judge, players, position, cards, dealt, 1 - seat, other, own, played, total, suit, left
    )  # fmt: skip
    return -lead, both


@jit
def before_play(
    judge: Any, players: Any, position: Any, cards: Any, seat: Any, own: Any, other: Any, played: Any, total: Any,
    suit: Any, left: Any,
) -> Any:  # fmt: skip
    """Lead of `seat`, which plays next, from here on, and the sum of both: the mean over what it may play."""
    legal = may_play(position, own, other, suit, left)
    if legal == 0:
        got = position.court_bonus * (
            count_cards(other & COURTS) + missing_courts(position, other, ALL & ~(own | other | played))
        )
        return got, got
    if players.limits[seat]:
        legal = allowed_cards(legal, players.limits[seat])
    lead, both = 0.0, 0.0
    alike, choice = weigh(players, position, cards, seat, own, legal, played, total, suit, left)
    rest = legal
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        p = alike + (1.0 - players.mix[seat] if card == choice else 0.0)
        if p > 0.0:
            a, b = play_card(judge, players, position, cards, seat, own, other, played, total, suit, left, card)
            lead += p * a
            both += p * b
    return lead, both


@jit
def weigh(
    players: Any, position: Any, cards: Any, seat: Any, own: Any, legal: Any, played: Any, total: Any, suit: Any,
    left: Any,
) -> Any:  # fmt: skip
    """Chance of every card as one of all, and the card that is played else (−1: none)."""
    choice = -1
    if players.mix[seat] < 1.0:
        choice = chosen(
            position, cards, players.numbers[seat, 0], players.params[seat, 0], 0.0, own, legal, ALL & ~(own | played),
            total, suit, left,
        )  # fmt: skip
    return players.mix[seat] / count_cards(legal), choice


@jit
def play_card(
    judge: Any, players: Any, position: Any, cards: Any, seat: Any, own: Any, other: Any, played: Any, total: Any,
    suit: Any, left: Any, card: Any,
) -> Any:  # fmt: skip
    """As `before_play`, if `card` is played."""
    scores = card_gain(card, total, suit, position.gain)
    a, b = after_play(
        judge, players, position, cards, seat, own & ~(1 << card), other, played | 1 << card, total + PIPS[card],
        SUIT[card], left - 1,
    )  # fmt: skip
    return scores + a, scores + b


@jit
def foresee_next(
    judge: Any, players: Any, position: Any, cards: Any, seat: Any, own: Any, other: Any, played: Any, total: Any,
    suit: Any, left: Any, pack: Any, at: Any, i: Any,
) -> Any:  # fmt: skip
    """As `before_play` where nothing is drawn by lot, one card deeper: the mean over the other's next card as well.

    That card is told when the other plays: any of ``pack[at:]`` but ``pack[i]``, which `seat` has got.
    """
    legal = may_play(position, own, other, suit, left)
    if legal == 0 or left < 2:
        return before_play(judge, players, position, cards, seat, own, other, played, total, suit, left)
    if players.limits[seat]:
        legal = allowed_cards(legal, players.limits[seat])
    _, card = weigh(players, position, cards, seat, own, legal, played, total, suit, left)
    scores = card_gain(card, total, suit, position.gain)
    rest = own & ~(1 << card)
    lead, both = 0.0, 0.0
    n = pack.shape[0] - at - 1
    for j in range(at, pack.shape[0]):
        if j != i:
            a, b = before_play(
                judge, players, position, cards, 1 - seat, other | 1 << pack[j], rest, played | 1 << card,
                total + PIPS[card], SUIT[card], left - 1,
            )  # fmt: skip
            lead += a / n
            both += b / n
    return scores - lead, scores + both
