"""What a position of Parlett's game is worth: a small network over the cards that are known.

A position here is one just after a play. *Next* plays next, *last* has just played; of both hands the cards told so
far are known (`sim.games.parlett.luck.events`). The network says by how much next will lead over last from here on, and
what both will score together.

Cards are told by rank, and numerals by how far their rank is from scoring as well, modulo ten. So the same situation
looks the same at every row total. Each suit is read by one layer, the suit to be followed by weights of
its own, the other three by common ones whose outputs are added up: their order means nothing. A second layer reads both
together with numbers about the whole position, among them how the known hands go on from here by the policy itself,
nobody drawing. What comes out is a sum of two parts, one of them times the row total, as scores are row totals.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sim.engine.jit import jit
from sim.games.parlett.moves import (
    ALL,
    COURTS,
    PIPS,
    SUIT,
    card_gain,
    count_cards,
    harmless_cards,
    legal_cards,
    list_cards,
    lowest,
)
from sim.games.parlett.policies import choose
from sim.games.parlett.rules import LAST_NUMERAL, RANKS, SUITS

#: inputs of a suit: numerals by distance from scoring, cards by rank; of next, of last, and of those not told yet
KINDS = LAST_NUMERAL + RANKS
CARD_INPUTS = 3 * KINDS
#: numbers about the whole position, without the look ahead; and for each play looked ahead
WHOLE, PER_PLY = 16, 3
#: outputs: lead and sum, each as a part and a part by row total
OUTPUTS = 4
#: networks that are shipped
FOLDER = Path(__file__).parent / "nets"
_ZERO = np.float32(0.0)


class Net(NamedTuple):
    """Weights of one network, float32.

    `followed` and `others` are those of the suit layer by card input, ``[CARD_INPUTS, units]``; `whole_followed` and
    `whole_others` by whole number, ``[WHOLE + PER_PLY × plies, units]``; `hidden` and `whole_hidden` of the second
    layer, ``[2 × units, hidden]`` and by whole number; `out`, `whole_out` of the outputs, ``[OUTPUTS, hidden]`` and
    ``[OUTPUTS, whole numbers]``.
    """

    followed: np.ndarray
    others: np.ndarray
    whole_followed: np.ndarray
    whole_others: np.ndarray
    hidden: np.ndarray
    whole_hidden: np.ndarray
    out: np.ndarray
    whole_out: np.ndarray


class Room(NamedTuple):
    """Working memory of `tell_net`."""

    whole: np.ndarray
    suit: np.ndarray
    base: np.ndarray
    units: np.ndarray
    hidden: np.ndarray


def room_for(*nets: Net) -> Room:
    """Working memory for any of these networks."""
    units = max(net.followed.shape[1] for net in nets)
    hidden = max(net.hidden.shape[1] for net in nets)
    whole = max(net.whole_out.shape[1] for net in nets)
    return Room(*(np.zeros(n, np.float32) for n in (whole, units, units, 2 * units, hidden)))


@jit
def chosen(position: Any, cards: Any, number: Any, params: Any, u: Any, own: Any, legal: Any, unseen: Any, total: Any,
           suit: Any, left: Any) -> Any:  # fmt: skip
    """The card that a policy plays among `legal`, when it does not slip; `u` is its own number."""
    if legal & (legal - 1) == 0:
        return lowest(legal)
    position.hand = own
    position.legal = legal
    position.unseen = unseen
    position.total = total
    position.last_suit = suit
    position.stock = left
    n = list_cards(legal, cards)
    return cards[choose(number, position, cards, n, params, u)]


@jit
def may_play(position: Any, own: Any, other: Any, suit: Any, left: Any) -> Any:
    """The cards that may be played; under ``block = barred`` without those that are barred."""
    legal = legal_cards(own, suit)
    if position.barred and left > 1:
        harmless = harmless_cards(legal, other)
        if harmless:
            legal = harmless
    return legal


@jit
def describe(position: Any, cards: Any, number: Any, params: Any, multiple: Any, own: Any, other: Any, played: Any,
             total: Any, suit: Any, left: Any, whole: Any) -> None:  # fmt: skip
    """Numbers about the whole position into `whole`, as many as it has room for.

    Parameters
    ----------
    position : record of `POSITION`
        With the rules; all else is overwritten.
    cards : room for a hand
    number, params : of the policies that are asked how the deal goes on, next's first
    multiple : int
        Row totals that score.
    own, other, played : cards known of next and of last, cards on the row
    total, suit, left : row total, suit to be followed (−1: none), cards in the stock (at least one)
    """
    need = multiple - total % multiple
    bonus = position.court_bonus
    share = left / 26.0
    whole[:] = _ZERO
    whole[0] = 1.0
    whole[1] = share
    whole[2] = share * share
    whole[3] = total / 100.0
    whole[4] = total / 100.0 * share
    if need <= 5:
        whole[4 + need] = 1.0
    whole[10] = count_cards(own & COURTS) / 4.0
    whole[11] = count_cards(other & COURTS) / 4.0
    whole[12] = count_cards(ALL & ~(own | other | played) & COURTS) / 4.0
    whole[13] = count_cards(own) / 13.0
    whole[14] = left & 1
    whole[15] = 1.0 / left
    lead, both, sign, stuck, seat = 0.0, 0.0, 1.0, 0.0, 0
    for at in range(WHOLE, whole.shape[0], PER_PLY):
        if stuck == 0.0 and left > 0:
            legal = may_play(position, own, other, suit, left)
            if legal == 0:
                if own | other:  # else nobody has anything left: nothing is known
                    stuck = sign
                    lead += 0.5 * sign * bonus * count_cards(other & COURTS)
                left = 0
            else:
                card = chosen(
                    position, cards, number[seat], params[seat], 0.0, own, legal, ALL & ~(own | played), total, suit,
                    left,
                )  # fmt: skip
                scores = card_gain(card, total, suit, position.gain)
                lead += sign * scores
                both += scores
                total += PIPS[card]
                suit = SUIT[card]
                played |= 1 << card
                own ^= 1 << card
                own, other = other, own
                sign = -sign
                seat = 1 - seat
                left -= 1
        whole[at] = lead / 100.0
        whole[at + 1] = both / 100.0
        whole[at + 2] = stuck


@jit
def tell_net(net: Any, room: Any, own: Any, other: Any, unseen: Any, need: Any, suit: Any, whole: Any) -> Any:
    """Points by which next will lead from here on, and points of both together, by the network.

    Parameters
    ----------
    net : Net
    room : Room
    own, other, unseen : cards known of next and of last, cards not told yet
    need : int
        Pips missing to the next total that scores.
    suit : int
        To be followed; −1: none.
    whole : float32[whole numbers]
        From `describe`.
    """
    units = net.followed.shape[1]
    hidden = net.hidden.shape[1]
    here = room.suit
    base = room.base
    h = room.units
    a = room.hidden
    for j in range(units):
        base[j] = _ZERO
    for i in range(whole.shape[0]):
        w = whole[i]
        if w != 0:
            for j in range(units):
                base[j] += w * net.whole_others[i, j]
    h[:] = _ZERO
    for s in range(SUITS):
        if s == suit:
            weights = net.followed
            for j in range(units):
                here[j] = _ZERO
            for i in range(whole.shape[0]):
                w = whole[i]
                if w != 0:
                    for j in range(units):
                        here[j] += w * net.whole_followed[i, j]
        else:
            weights = net.others
            for j in range(units):
                here[j] = base[j]
        for role in range(3):
            rest = (own if role == 0 else (other if role == 1 else unseen)) >> RANKS * s & ((1 << RANKS) - 1)
            while rest:
                r = lowest(rest)
                rest &= rest - 1
                row = KINDS * role + LAST_NUMERAL + r
                if r < LAST_NUMERAL:
                    distance = KINDS * role + (r + 1 - need) % LAST_NUMERAL
                    for j in range(units):
                        here[j] += weights[row, j] + weights[distance, j]
                else:
                    for j in range(units):
                        here[j] += weights[row, j]
        if s == suit:
            for j in range(units):
                h[j] = here[j] if here[j] > 0 else _ZERO
        else:
            for j in range(units):
                h[units + j] += here[j] if here[j] > 0 else _ZERO
    for j in range(hidden):
        a[j] = _ZERO
    for i in range(whole.shape[0]):
        w = whole[i]
        if w != 0:
            for j in range(hidden):
                a[j] += w * net.whole_hidden[i, j]
    for i in range(2 * units):
        w = h[i]
        if w != 0:
            for j in range(hidden):
                a[j] += w * net.hidden[i, j]
    lead, by_lead, both, by_both = _ZERO, _ZERO, _ZERO, _ZERO
    for i in range(whole.shape[0]):
        w = whole[i]
        lead += w * net.whole_out[0, i]
        by_lead += w * net.whole_out[1, i]
        both += w * net.whole_out[2, i]
        by_both += w * net.whole_out[3, i]
    for j in range(hidden):
        w = a[j]
        if w > 0:
            lead += w * net.out[0, j]
            by_lead += w * net.out[1, j]
            both += w * net.out[2, j]
            by_both += w * net.out[3, j]
    high = whole[3]
    return 100.0 * (lead + high * by_lead), 100.0 * (both + high * by_both)


# ----------------------------------------------------------------------------------------------------------------------
# Files


def packed(hands: Net, row: Net, told: Mapping[str, Any]) -> bytes:
    """Content of a file with the networks of a policy and where they come from; in 16 bits."""
    arrays = {"told": np.array(json.dumps(told, sort_keys=True))}
    for part, net in (("hands", hands), ("row", row)):
        arrays |= {f"{part}_{name}": weights.astype(np.float16) for name, weights in net._asdict().items()}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def file_of(policy: str, block: str) -> Path:
    """Where the networks of a policy are, or would be."""
    return FOLDER / f"{policy}_{block}.npz"


@cache
def nets_of(policy: str, block: str) -> tuple[Net, Net]:
    """The networks of a policy: while hands are told, and once a row lies there; else those for ``block = allowed``."""
    file = file_of(policy, block)
    with np.load(file if file.exists() else file_of(policy, "allowed"), allow_pickle=False) as found:
        hands, row = (
            Net(*(np.ascontiguousarray(found[f"{part}_{name}"], np.float32) for name in Net._fields))
            for part in ("hands", "row")
        )
    return hands, row
