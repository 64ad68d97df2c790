"""What `sim.solve("parlett", …)` found, as plain data and in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.games.parlett.exact.position import pair
from sim.games.parlett.rules import SUIT_NAMES, card_name


def answer(solved: Any) -> dict[str, Any]:
    """An `OpenSolution` as plain data.

    Returns
    -------
    dict
        ``game``, ``rules`` (what decides the answer), ``position`` (``hands``, ``stock``, ``suit``, ``total``,
        ``running``, ``mover``; cards as [suit, rank]), ``value`` to the mover and ``difference`` for seat 0 (points),
        ``error_bound`` (0: whole numbers), ``best`` (``card`` and ``value``, best first), ``line``, ``stuck``,
        ``scores``, ``nodes``.
    """
    position = solved.position
    rules = position.rules.model_dump(mode="json")
    return {
        "game": "parlett",
        "rules": {key: rules[key] for key in ("block", "multiple", "court_bonus")},
        "position": {
            "hands": [[list(pair(card)) for card in hand] for hand in position.hands],
            "stock": [list(pair(card)) for card in position.stock],
            "suit": None if position.suit < 0 else position.suit,
            "total": position.total,
            "running": list(position.running),
            "mover": position.mover,
        },
        "value": solved.value,
        "difference": solved.difference,
        "error_bound": 0,
        "best": [{"card": list(card), "value": value} for card, value in solved.best],
        "line": solved.line,
        "stuck": solved.stuck,
        "scores": list(solved.scores),
        "nodes": solved.nodes,
    }


def _points(number: int) -> str:
    return f"{number:,} point{'' if abs(number) == 1 else 's'}"


def _cards(cards: list[list[int]]) -> str:
    return " ".join(card_name(*card) for card in cards) or "no card"


def tell(answer: Mapping[str, Any]) -> str:
    """An answer in words: the value, every card that may be played, and one line of optimal play to the end."""
    position, value = answer["position"], answer["value"]
    mover = position["mover"]
    rules = answer["rules"]
    row = "no card is played yet" if position["suit"] is None else f"{SUIT_NAMES[position['suit']]} is to be followed"
    lines = [
        f"Parlett's Caterpillar with open hands ({', '.join(f'{k} {v}' for k, v in rules.items())})",
        *(f"seat {s} holds {_cards(hand)}" for s, hand in enumerate(position["hands"])),
        f"stock, next card first: {_cards(position['stock'])}; row total {position['total']}, {row}; "
        f"running {position['running'][0]} and {position['running'][1]}",
    ]
    if value:
        ahead = mover if value > 0 else 1 - mover
        result = f"seat {ahead} ends {_points(abs(value))} ahead"
    else:
        result = "both end with equal scores"
    lines.append(f"seat {mover} to play: {result} if both play optimally (exact, in whole numbers)")
    for entry in answer["best"]:
        loss = value - entry["value"]
        told = f"gives {_points(loss)} away" if loss else "optimal"
        lines.append(f"  {card_name(*entry['card'])}: {told}")
    if answer["line"]:
        lines.append("one line of optimal play:")
    for play in answer["line"]:
        gain = f"scores {play['gain']}" if play["gain"] else "scores nothing"
        lines.append(f"  seat {play['seat']}: {card_name(*play['card'])}, total {play['total']}, {gain}")
    end = "the stock is empty" if answer["stuck"] is None else f"court short, seat {answer['stuck']} is stuck"
    lines.append(f"then {end}; final scores {answer['scores'][0]:,} and {answer['scores'][1]:,}")
    return "\n".join(lines)
