"""``sim adjusted GAME``: mean outcomes and differences between seats with the luck of the dice or cards taken out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations
from typing import Annotated, Any

import typer

from sim.cli.common import (
    FirstGame,
    GameName,
    Json,
    Preset,
    RuleTexts,
    Seed,
    Workers,
    line_up,
    number,
    print_frame,
    print_json,
    rules_from,
    told_rules,
    waiting,
)
from sim.errors import InputError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("adjusted")(adjusted)


def adjusted(
    game: GameName,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            "--policies",
            metavar="POLICY",
            help="The policies of the next seats, with commas between them; may be given several times.",
        ),
    ] = None,
    rules: RuleTexts = None,
    preset: Preset = None,
    games: Annotated[str, typer.Option("--games", metavar="N", help="Number of games.")] = "1000",
    seed: Seed = "1",
    outcome: Annotated[
        str | None,
        typer.Option("--outcome", metavar="NAME", help="What luck is taken out of: score or win; default the game's."),
    ] = None,
    value: Annotated[
        str, typer.Option("--value", metavar="NAME", help="The value function that luck is measured with.")
    ] = "auto",
    level: Annotated[str, typer.Option("--level", metavar="P", help="Confidence of the intervals.")] = "0.95",
    workers: Workers = "1",
    first_game: FirstGame = "0",
    as_json: Json = False,
) -> None:
    """Mean outcomes with the luck of dice or cards taken out: as exact as many times more games, without bias."""
    from sim import api
    from sim import games as registry

    room = registry.get(game)
    scenario = api.scenario_of(game, rules_from(preset, rules), line_up(room, _seats(policy or ())))
    call = {
        "games": number("games", games),
        "seed": number("seed", seed),
        "first_game": number("first-game", first_game),
    }
    with waiting("taking luck out"):
        found = api.adjusted(
            game,
            rules=scenario.rules,
            policies=scenario.policies,
            workers=number("workers", workers),
            value=value,
            level=_share(level),
            outcome=outcome,
            **call,
        )
    of = outcome or room.adjustable[0]
    policies = [p.text() for p in scenario.policies]
    pairs = [(a, b, found.difference(a, b)) for a, b in combinations(range(len(policies)), 2)]
    if as_json:
        head = {"game": game, "scenario": scenario.id, "rules": scenario.rules.identity(), "policies": policies}
        seats = [{"seat": s, "policy": policies[s], **_plain(lucky)} for s, lucky in enumerate(found.seats)]
        differences = [{"seats": [a, b], **_plain(lucky)} for a, b, lucky in pairs]
        more = {"outcome": of, "value": value, "level": found.level, "seats": seats, "differences": differences}
        print_json({**head, **call, **more})
        return
    unit = "share of a win, in 100" if of == "win" else "points"
    print(f"{room.title}, {told_rules(scenario.rules)}, {found.n:,} games, seed {call['seed']}, scenario {scenario.id}")
    sure = f"{100 * found.level:g} %"
    print(f"{of} ({unit}) with the luck taken out (value {value}), and as played; ± is half of the {sure} interval\n")
    scale = 100 if of == "win" else 1
    rows = [{"seat": str(s), "policy": policies[s], **_told(lucky, scale)} for s, lucky in enumerate(found.seats)]
    rows += [{"seat": f"{a} − {b}", "policy": "difference", **_told(lucky, scale, sign="+")} for a, b, lucky in pairs]
    print_frame(rows, right=("adjusted", "±", "raw", "raw ±", "ratio"))
    print("\nratio: variance as played over variance without luck; so many times the games would be needed without it")


def _seats(texts: Iterable[str]) -> list[str]:
    """Policies one by one: texts are split at the commas that no bracket holds together."""
    found = []
    for text in texts:
        depth, part = 0, ""
        for letter in text:
            depth += (letter == "(") - (letter == ")")
            if letter == "," and depth <= 0:
                found.append(part.strip())
                part = ""
            else:
                part += letter
        found.append(part.strip())
    return found


def _plain(lucky: Any) -> dict[str, Any]:
    return {**lucky.mean.row("adjusted"), **lucky.raw.row("raw"), "ratio": lucky.ratio}


def _told(lucky: Any, scale: int, sign: str = "") -> dict[str, str]:
    form = f"{{:{sign}.{4 if scale == 1 else 2}f}}"
    wide = form.replace("+", "")
    return {
        "adjusted": form.format(scale * lucky.mean.value),
        "±": _or_dash(wide, scale * lucky.mean.half_width),
        "raw": form.format(scale * lucky.raw.value),
        "raw ±": _or_dash(wide, scale * lucky.raw.half_width),
        "ratio": "no luck left" if math.isinf(lucky.ratio) else _or_dash("{:.1f}", lucky.ratio),
    }


def _or_dash(form: str, value: float) -> str:
    return "–" if math.isnan(value) else form.format(value)


def _share(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        raise InputError(
            f"level = {text} is not accepted; accepted: a number between 0 and 1, as 0.95 (a level of the game is "
            f"given with --rules)"
        ) from None
