"""``sim explain SWEEP FIGURE``: which rules and players of a stored sweep agree with a figure somebody published."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.common import Json, number, print_frame, print_json
from sim.cli.sweep import Data
from sim.errors import InputError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("explain")(explain)


def explain(
    sweep: Annotated[str, typer.Argument(metavar="SWEEP", help="Name, YAML file or folder of a finished sweep.")],
    figure: Annotated[str, typer.Argument(metavar="FIGURE", help="The published figure, with its digits: 24.4")],
    of: Annotated[str, typer.Option("--of", metavar="COLUMN", help="What it is about: score, turns, win, …")] = "score",
    measure: Annotated[str, typer.Option("--measure", metavar="NAME", help="mean, median or sd.")] = "mean",
    games: Annotated[
        str | None, typer.Option("--games", metavar="N", help="How many games the figure rests on, if that is known.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", metavar="NAME=VALUE", help="Only scenarios like this, as level=expert; repeatable."),
    ] = None,
    seat: Annotated[str, typer.Option("--seat", metavar="N", help="Whose.")] = "0",
    most: Annotated[str, typer.Option("--most", metavar="N", help="Lines to print.")] = "10",
    data: Data = Path("data"),
    as_json: Json = False,
) -> None:
    """Find the scenarios of a sweep that agree with a published figure, the nearest first."""
    from sim import api
    from sim.analysis import explain as agreeing

    published, rounding = _figure(figure)
    shown = number("most", most)
    chosen = _where(where or ())
    scenarios = api.scenarios(sweep, data=data)
    counts = api.load(sweep, table="counts", data=data, where=chosen or None)
    found = agreeing(
        counts,
        scenarios,
        published,
        of,
        measure=measure,
        rounding=rounding,
        games=None if games is None else number("games", games),
        seat=number("seat", seat),
    )
    if as_json:
        print_json(found.to_dicts())
        return
    agree = int(found["agrees"].sum())
    print(f"{agree} of {found.height} scenarios agree with a {measure} {of} of {figure}")
    print_frame(
        [
            {
                "": "●" if row["agrees"] else "○",
                measure: f"{row['value']:.3f}",
                "low": f"{row['low']:.3f}",
                "high": f"{row['high']:.3f}",
                "off": f"{row['off']:+.3f}",
                "games": f"{row['n']:,}",
                "scenario": row["scenario"],
                "label": row["label"],
            }
            for row in found.head(shown).iter_rows(named=True)
        ],
        right=(measure, "low", "high", "off", "games"),
    )


def _figure(text: str) -> tuple[float, float]:
    """The number, and half a unit of its last digit."""
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"figure = {text} is not accepted; accepted: a number, as 24.4") from None
    if "e" in text.lower() or "n" in text.lower():
        raise InputError(f"figure = {text} is not accepted; accepted: a number in plain digits, as 24.4")
    digits = len(text.partition(".")[2].replace("_", ""))
    return value, 0.5 * 10.0**-digits


def _where(texts: list[str] | tuple[str, ...]) -> dict[str, Any]:
    """Conditions by column; several for one column are alternatives."""
    found: dict[str, list[Any]] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not (name and sign and value):
            raise InputError(f"where = {text} is not accepted; accepted: NAME=VALUE, as level=expert")
        found.setdefault(name, []).append(_value(value))
    return {name: values if len(values) > 1 else values[0] for name, values in found.items()}


def _value(text: str) -> Any:
    words = {"true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
