"""``sim solve GAME``: exact answers, in words or as plain data."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sim.cli.common import (
    GameName,
    Json,
    PolicyTexts,
    Preset,
    RuleTexts,
    list_of_numbers,
    number,
    print_json,
    rules_from,
    waiting,
    words,
)
from sim.errors import InputError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("solve")(solve)


def solve(
    game: GameName,
    rules: RuleTexts = None,
    preset: Preset = None,
    policy: PolicyTexts = None,
    labels: Annotated[
        str | None,
        typer.Option("--labels", metavar="'N N …'", help="Caterpillars: the labels of one sheet, box by box."),
    ] = None,
    hand0: Annotated[
        str | None, typer.Option("--hand0", metavar="CARDS", help="Parlett: seat 0's cards, as '5H QH 2S'.")
    ] = None,
    hand1: Annotated[str | None, typer.Option("--hand1", metavar="CARDS", help="Parlett: seat 1's cards.")] = None,
    stock: Annotated[
        str | None, typer.Option("--stock", metavar="CARDS", help="Parlett: cards left, the next one first.")
    ] = None,
    suit: Annotated[
        str | None, typer.Option("--suit", metavar="SUIT", help="Parlett: suit of the last card: C, D, H or S.")
    ] = None,
    previous: Annotated[
        str | None, typer.Option("--previous", metavar="CARD", help="Parlett: the last card, instead of its suit.")
    ] = None,
    total: Annotated[
        str | None,
        typer.Option("--total", metavar="N", help="Parlett: row total; left out, it follows from the cards."),
    ] = None,
    running: Annotated[
        str | None, typer.Option("--running", metavar="'N N'", help="Parlett: running scores of seat 0 and seat 1.")
    ] = None,
    mover: Annotated[
        str | None, typer.Option("--mover", metavar="N", help="Parlett: the seat to play, 0 or 1.")
    ] = None,
    workers: Annotated[
        str | None, typer.Option("--workers", metavar="N", help="Threads; answers do not depend on it.")
    ] = None,
    pmf: Annotated[
        bool | None,
        typer.Option("--pmf/--no-pmf", help="Work out the distribution too; default: where it is about as quick."),
    ] = None,
    regret: Annotated[
        bool,
        typer.Option("--regret", help="Caterpillars: what the policy loses, by round and by kind of decision."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Answer without sampling: optimal play or given policies, with the proven bound on the error."""
    from sim import api
    from sim import games as registry

    room = registry.get(game)
    position: dict[str, Any] = {}
    if labels is not None:
        position["labels"] = list_of_numbers("labels", labels)
    if (hand0 is None) != (hand1 is None):
        raise InputError(f"--hand{int(hand0 is None)} was given alone; accepted: --hand0 and --hand1")
    if hand0 is not None and hand1 is not None:
        position["hands"] = [words(hand0), words(hand1)]
    if stock is not None:
        position["stock"] = words(stock)
    for name, text in (("suit", suit), ("previous", previous)):
        if text is not None:
            position[name] = text
    for name, text in (("total", total), ("mover", mover), ("workers", workers)):
        if text is not None:
            position[name] = number(name, text)
    if running is not None:
        position["running"] = list_of_numbers("running", running)
    refused = f"--regret was given for {game}; accepted: caterpillars with --labels and a --policy other than optimal"
    if regret and not (policy and labels):
        raise InputError(refused)
    with waiting(f"solving {game}"):
        solved = api.solve(game, rules=rules_from(preset, rules) or None, policies=policy or None, **position)
        answer = room.answer(solved, pmf=pmf)
        if regret:
            if not hasattr(type(solved), "regret"):
                raise InputError(refused)
            answer["regret"] = solved.regret_answer()
    if as_json:
        print_json(answer)
    else:
        print(room.tell_answer(answer))
