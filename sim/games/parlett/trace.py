"""One game of Parlett's Caterpillar as plain data, and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sim.games.base import Policy
from sim.games.parlett.kernel import ParlettPlayable
from sim.games.parlett.rules import CARDS, LAST_NUMERAL, RANKS, ParlettRules, card_name


def trace(rules: ParlettRules, policies: Sequence[Policy], seed: int, game: int) -> dict[str, Any]:
    """The game that row `game` of a simulation reports, play by play.

    Returns
    -------
    dict
        ``rules``, ``policies`` and, for a game of one deal, its ``deck`` (suit, rank; seat 0's hand, seat 1's hand, the
        stock from the top), ``plays``, ``ended``, ``stuck``, ``running``, ``courts``, ``scores``. For a game of two
        deals these are in ``deals``, one record each, and ``running``, ``courts``, ``scores`` are the sums.
    """
    playable = ParlettPlayable(rules, policies)
    scratch = playable.scratch()
    out = np.zeros((len(playable.fields), playable.seats), np.int32)
    playable.play(seed, game, 1, out, scratch, record=True)
    deals = [_deal(record) for record in scratch.records]
    result: dict[str, Any] = {"rules": rules.model_dump(mode="json"), "policies": [p.text() for p in policies]}
    if len(deals) == 1:
        return result | deals[0]
    sums = {key: [sum(deal[key][s] for deal in deals) for s in range(2)] for key in ("running", "courts", "scores")}
    return result | {"deals": deals} | sums


def _card(number: int) -> list[int]:
    return [int(number) // RANKS, int(number) % RANKS + 1]


def _deal(record: Any) -> dict[str, Any]:
    stuck = int(record.stuck)
    return {
        "deck": [_card(card) for card in record.deck],
        "plays": [
            {"seat": int(seat), "card": _card(card), "total": int(total), "gain": int(gain)}
            for seat, card, total, gain in record.plays[: int(record.count)]
        ],
        "ended": "stock" if stuck < 0 else "court_short",
        "stuck": None if stuck < 0 else stuck,
        "running": [int(v) for v in record.running],
        "courts": [int(v) for v in record.courts],
        "scores": [int(v) for v in record.scores],
    }


# ----------------------------------------------------------------------------------------------------------------------
# In words


def tell(trace: Mapping[str, Any]) -> str:
    """A trace in words: the hands, every card with its total and score, every draw, and how the final scores add up."""
    rules = trace["rules"]
    shown = ", ".join(f"{name} {value}" for name, value in rules.items())
    lines = [f"Parlett's Caterpillar ({shown})"]
    lines += [f"Seat {seat} plays {policy}." for seat, policy in enumerate(trace["policies"])]
    deals = trace.get("deals", [trace])
    for number, deal in enumerate(deals):
        lines.append("")
        if len(deals) > 1:
            lines.append(f"Deal {number + 1}, led by seat {number}")
        lines += _tell_deal(rules, deal)
    scores = trace["scores"]
    if len(deals) > 1:
        sums = [" + ".join(str(deal["scores"][s]) for deal in deals) for s in range(2)]
        lines += ["", f"Both deals: seat 0 {sums[0]} = {scores[0]}, seat 1 {sums[1]} = {scores[1]}."]
    if scores[0] == scores[1]:
        lines.append(f"A draw at {scores[0]}.")
    else:
        winner = int(scores[1] > scores[0])
        lines.append(f"Seat {winner} wins, {scores[winner]} to {scores[1 - winner]}.")
    return "\n".join(lines)


def _names(cards: Sequence[Sequence[int]]) -> str:
    return " ".join(card_name(*card) for card in sorted(map(tuple, cards))) or "no card"


def _tell_deal(rules: Mapping[str, Any], deal: Mapping[str, Any]) -> list[str]:
    size = int(rules["hand_size"])
    deck = [tuple(card) for card in deal["deck"]]
    hands = [set(deck[:size]), set(deck[size : 2 * size])]
    stock = deck[2 * size : CARDS]
    lines = [f"Seat {seat} holds {_names(sorted(hand))}" for seat, hand in enumerate(hands)]
    running = [0, 0]
    previous: tuple[int, ...] | None = None
    for t, play in enumerate(deal["plays"]):
        seat, card, gain = play["seat"], tuple(play["card"]), play["gain"]
        court = card[1] > LAST_NUMERAL
        running[seat] += gain
        hands[seat] = hands[seat] - {card} | {stock[t]}
        total = f"total stays {play['total']}" if court else f"total {play['total']}"
        if gain:
            how = " in suit" if court else ""
            scores = f"scores {gain}{how} (running {running[seat]})"
        elif court and play["total"] % rules["multiple"] == 0 and play["total"] > 0:
            scores = f"scores nothing: not in the suit of {card_name(*previous)}" if previous else "scores nothing"
        else:
            scores = "scores nothing"
        lines.append(f"{t + 1:3d}. Seat {seat}: {card_name(*card)}, {total}, {scores}; draws {card_name(*stock[t])}")
        previous = card
    bonus, courts, final = rules["court_bonus"], deal["courts"], deal["scores"]
    if deal["ended"] == "stock":
        lines.append("The stock is empty: the deal ends, and courts in hand count.")
        owners = [0, 1]
    else:
        stuck = deal["stuck"]
        lines.append(f"Court short: seat {stuck} holds {_names(sorted(hands[stuck]))} and cannot follow.")
        lines.append(f"The courts in seat {1 - stuck}'s hand count for seat {stuck}, and for nobody else.")
        owners = [1 - stuck if seat == stuck else -1 for seat in range(2)]
    for seat, owner in enumerate(owners):
        held = f" + {courts[owner]} court{'' if courts[owner] == 1 else 's'} × {bonus}" if owner >= 0 else ""
        lines.append(f"Seat {seat}: {deal['running'][seat]}{held} = {final[seat]}")
    return lines
