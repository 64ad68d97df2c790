"""One game of Karolinchen as plain data, and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sim.games.base import Policy
from sim.games.karolinchen.kernel import KarolinchenPlayable
from sim.games.karolinchen.moves import CHOICES, CHOSEN, EATING, LEFT, MIDDLE, ROLLED, ROLLS, SEAT, TAKEN, TAKES
from sim.games.karolinchen.rules import COLOURS, FRUITS, KarolinchenRules


def trace(
    playable: KarolinchenPlayable, rules: KarolinchenRules, policies: Sequence[Policy], seed: int, game: int
) -> dict[str, Any]:
    """The game that row `game` of a simulation reports, turn by turn.

    Returns
    -------
    dict
        ``rules`` (every parameter), ``policies`` (texts), ``starts`` (first card by seat), ``opening`` (the roll before
        the first turn, or None), ``winner`` (seat, or None for a capped game) and ``turns``, each with ``seat``,
        ``middle`` before it (empty where the mover first rolls all six), ``rolled`` (the rolls), ``taken`` ([colour, n]
        with n at least 1), ``chosen`` (next cards, in order), ``left`` (the middle after it), ``eating``. Colours are
        0 … 5, lists of dice sorted.
    """
    out, record = playable.record(seed, game)
    row = {field.name: out[i].tolist() for i, field in enumerate(playable.fields)}
    moves: list[list[int]] = record.tolist()
    return {
        "rules": rules.model_dump(mode="json"),
        "policies": [p.text() for p in policies],
        "starts": row["start_fruit"],
        "opening": _dice(moves[0][MIDDLE]) if rules.opening == "open" else None,
        "turns": [_turn(move) for move in moves],
        "winner": row["win"].index(1) if 1 in row["win"] else None,
    }


def _dice(packed: int) -> list[int]:
    """The colours of the dice behind packed counts, sorted."""
    return [colour for colour in range(6) for _ in range((packed >> (4 * colour)) & 15)]


def _turn(move: list[int]) -> dict[str, Any]:
    return {
        "seat": move[SEAT],
        "middle": _dice(move[MIDDLE]),
        "rolled": [_dice(packed) for packed in move[ROLLED : ROLLED + move[ROLLS]]],
        "taken": [[taken // 16, taken % 16] for taken in move[TAKEN : TAKEN + move[TAKES]]],
        "chosen": move[CHOSEN : CHOSEN + move[CHOICES]],
        "left": _dice(move[LEFT]),
        "eating": bool(move[EATING]),
    }


# ----------------------------------------------------------------------------------------------------------------------
# In words


def tell(trace: Mapping[str, Any]) -> str:
    """A trace in words: every roll, what is taken and chosen, how full each card is, what is left, who wins."""
    fruits = trace["rules"]["fruits"]
    total = sum(fruits)
    shown = ", ".join(f"{name} {_plain(value)}" for name, value in trace["rules"].items())
    lines = [f"Karolinchen ({shown})"]
    cards = ", ".join(f"{c} ({f}) {n}" for c, f, n in zip(COLOURS, FRUITS, fruits, strict=True))
    lines.append(f"Fruits on the cards: {cards}; {total} to cover.")
    for seat, (colour, policy) in enumerate(zip(trace["starts"], trace["policies"], strict=True)):
        lines.append(f"Seat {seat} plays {policy} and starts with the {COLOURS[colour]} card.")
    if trace["opening"] is not None:
        lines.append(f"Before the first turn all six dice are rolled: {_colours(trace['opening'])}.")
    current = list(trace["starts"])
    on_card = [0] * len(current)
    covered = [0] * len(current)
    for number, turn in enumerate(trace["turns"], start=1):
        seat = turn["seat"]
        said = [_rolling(turn, current[seat]), *_taking(turn, fruits, current, on_card, covered)]
        if turn["eating"]:
            said.append("The middle is empty: all six dice go to the next player")
        elif turn["left"]:
            said.append(f"Left: {_colours(turn['left'])}")
        lines.append(f"Turn {number}, seat {seat}: {'. '.join(said)}. Covered: {covered[seat]} of {total}.")
    if trace["winner"] is None:
        lines.append(f"The game ends at the cap of {len(trace['turns'])} turns; nobody wins.")
    else:
        lines.append(f"Seat {trace['winner']} has covered all {total} fruits and wins in turn {len(trace['turns'])}.")
    return "\n".join(lines)


def _plain(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value).lower()


def _colours(dice: Sequence[int]) -> str:
    """Dice as counts: ``2 blue, 1 red``."""
    return ", ".join(f"{dice.count(c)} {COLOURS[c]}" for c in range(6) if c in dice) or "nothing"


def _rolling(turn: Mapping[str, Any], card: int) -> str:
    colour = COLOURS[card]
    if not turn["rolled"]:
        return f"the middle shows {colour}, no roll"
    first = turn["rolled"][0]
    why = f"the middle shows no {colour}, rolls {len(first)}" if turn["middle"] else "rolls all six"
    text = f"{why}: {_colours(first)}"
    return text + "".join(f"; no {colour}, rolls again: {_colours(again)}" for again in turn["rolled"][1:])


def _taking(
    turn: Mapping[str, Any], fruits: Sequence[int], current: list[int], on_card: list[int], covered: list[int]
) -> Iterator[str]:
    """What the mover takes and chooses; brings `current`, `on_card` and `covered` up to date."""
    seat = turn["seat"]
    taken = [tuple(pair) for pair in turn["taken"]]
    for number, card in enumerate([current[seat], *turn["chosen"]]):
        if number > 0:
            current[seat], on_card[seat] = card, 0
            yield f"Lays out {COLOURS[card]}"
        size = fruits[card]
        if taken and taken[0][0] == card:
            dice = taken.pop(0)[1]
            on_card[seat] += dice
            covered[seat] += dice
            full = ", full" if on_card[seat] == size else ""
            yield f"Takes {dice} {COLOURS[card]} ({on_card[seat]} of {size}{full})"
        elif card in turn["left"]:
            yield f"Refuses the {COLOURS[card]}"
        else:
            yield f"No {COLOURS[card]} to take"
