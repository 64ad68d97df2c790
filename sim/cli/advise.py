"""``sim advise``: a sheet of Caterpillars and a roll; what to do with it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sim.cli.common import Json, Preset, RuleTexts, list_of_numbers, number, print_json, rules_from, waiting, words
from sim.errors import InputError, whole_number

#: how an empty box or a missing label may be written
EMPTY = ("-", "–", ".", "_")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("advise")(advise)


def _boxes(name: str, text: str) -> list[int | None]:
    """Numbers per box, None where a box is empty."""
    try:
        return [None if part in EMPTY else number(name, part) for part in words(text)]
    except InputError:  # its words are for a single number
        raise InputError(
            f"{name} = {text} is not accepted; accepted: {name} as whole numbers, - for none, separated by spaces or "
            f"commas, as '1 - 6'"
        ) from None


def _rules(rules: list[str] | None, preset: str | None, level: str | None, labels: list[int | None]) -> Any:
    """The rules asked for; how many boxes there are, and in the set-up which are blank, is told by the labels."""
    from sim.games.caterpillars import CaterpillarsRules

    given = rules_from(preset, rules)
    if level is not None:
        if "level" in given:
            raise InputError("--level and --rules level=… were both given; accepted: one of them")
        given["level"] = level
    if "boxes" not in given and len(labels) in (3, 6, 9):
        given["boxes"] = len(labels) // 3
    if "sheet" not in given and not all(labels) and len(labels) == 3 * given.get("boxes", 4):
        given["sheet"] = [label or 0 for label in labels]
    return CaterpillarsRules.parse(given)


def advise(
    labels: Annotated[str, typer.Option("--labels", metavar="'N N …'", help="The labels, box by box; - for a blank.")],
    dice: Annotated[str, typer.Option("--dice", metavar="'N N …'", help="The regular dice of this roll.")],
    scores: Annotated[
        str | None,
        typer.Option("--scores", metavar="'N - …'", help="The scores, box by box, - for empty; left out: none yet."),
    ] = None,
    face: Annotated[
        str | None, typer.Option("--face", metavar="FACE", help="Expert: the action die: A, B, C, 2x, 10, butterfly.")
    ] = None,
    bonus: Annotated[
        str, typer.Option("--bonus", metavar="'N N N'", help="The bonus boxes A, B, C; 0 or - for empty.")
    ] = "0 0 0",
    level: Annotated[
        str | None, typer.Option("--level", metavar="LEVEL", help="Short for --rules level=LEVEL; default beginner.")
    ] = None,
    rules: RuleTexts = None,
    preset: Preset = None,
    top: Annotated[str, typer.Option("--top", metavar="N", help="How many outcomes to tell.")] = "10",
    as_json: Json = False,
) -> None:
    """Caterpillars: rank what can be done with a roll, of the set-up too, by the end total that it leads to."""
    from sim import api
    from sim.games.caterpillars.exact import advice, setup_advice

    own = _boxes("labels", labels)
    marks = None if scores is None else _boxes("scores", scores)
    held = [value or 0 for value in _boxes("bonus", bonus)]
    rolled = list_of_numbers("dice", dice)
    most = whole_number("top", number("top", top), 1)
    begun = any(held) or any(mark is not None for mark in marks or ())
    parsed = _rules(rules, preset, level, [label or 1 for label in own] if begun else own)
    setting_up = not begun and not all(own) and len(own) == parsed.rounds
    if setting_up:
        if face is not None:
            raise InputError(f"--face {face} in the set-up is not accepted; accepted: three regular dice")
        with waiting("solving the set-up"):
            found = setup_advice.advise_setup(
                api.solve("caterpillars", rules=parsed), [label or 0 for label in own], rolled
            )
    else:
        sheet = advice.read_sheet(parsed, own, [None] * parsed.rounds if marks is None else marks, held)
        with waiting("solving the sheet"):
            solved = api.solve("caterpillars", rules=parsed, labels=list(sheet.labels))
            found = advice.advise(solved, sheet, rolled, face)
    ranked = "placements" if setting_up else "outcomes"
    if as_json:
        print_json({**found, ranked: found[ranked][:most]})
    else:
        print((setup_advice if setting_up else advice).tell(found, most))
