"""``sim tune GAME``: fit the numbers of a policy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from sim.cli.common import (
    GameName,
    Json,
    Preset,
    RuleTexts,
    Seed,
    Workers,
    list_of_numbers,
    number,
    print_json,
    rules_from,
)
from sim.errors import InputError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("tune")(tune)


def _ranges(texts: list[str] | None) -> dict[str, tuple[float, float]]:
    """``name=low:high``, several times."""
    found: dict[str, tuple[float, float]] = {}
    for text in texts or ():
        name, equals, bounds = text.partition("=")
        low, colon, high = bounds.partition(":")
        try:
            if not (equals and colon) or name.strip() in found:
                raise ValueError
            found[name.strip()] = (float(low), float(high))
        except ValueError:
            raise InputError(
                f"--parameter {text} is not accepted; accepted: NAME=LOW:HIGH, each name once, as patience=0:2"
            ) from None
    return found


def tune(
    game: GameName,
    policy: Annotated[str, typer.Option("--policy", metavar="POLICY", help="Where to begin.")],
    parameter: Annotated[
        list[str] | None,
        typer.Option("--parameter", metavar="NAME=LOW:HIGH", help="A number to fit; may be given several times."),
    ] = None,
    rules: RuleTexts = None,
    preset: Preset = None,
    games: Annotated[str, typer.Option("--games", metavar="N", help="Games per candidate.")] = "2000",
    seed: Seed = "1",
    generations: Annotated[str, typer.Option("--generations", metavar="N", help="How long to search.")] = "20",
    population: Annotated[
        str | None, typer.Option("--population", metavar="N", help="Candidates per generation.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option("--against", metavar="POLICY", help="An opponent to win against; may be given several times."),
    ] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option("--labels", metavar="'N N …'", help="Caterpillars: a labelled sheet for exact regret."),
    ] = None,
    check: Annotated[
        str | None, typer.Option("--check", metavar="N", help="Fresh games for the gain; default 10 × --games.")
    ] = None,
    log: Annotated[
        Path | None, typer.Option("--log", metavar="FILE.jsonl", help="Keep every evaluation; go on from there.")
    ] = None,
    workers: Workers = "1",
    as_json: Json = False,
) -> None:
    """Fit numbers of a policy by CMA-ES, on the same games for all candidates, and tell the gain on fresh games."""
    from sim import api

    def tell(generation: int, best: float) -> None:
        print(f"tune: generation {generation}, smallest loss {best:.5g}", file=sys.stderr, flush=True)

    ranges = _ranges(parameter)
    found = api.tune(
        game,
        policy=policy,
        parameters=ranges,
        rules=rules_from(preset, rules),
        games=number("games", games),
        seed=number("seed", seed),
        generations=number("generations", generations),
        population=None if population is None else number("population", population),
        against=list(against or ()),
        labels=[list_of_numbers("labels", text) for text in labels or ()],
        check=None if check is None else number("check", check),
        log=log,
        workers=number("workers", workers),
        on_generation=tell if sys.stderr.isatty() else None,
    )
    if as_json:
        print_json(found.record())
        return
    e = found.gain
    scale, unit = (100, "points of win rate") if found.unit == "win rate" else (1, found.unit)
    print(found.policy.text())
    for name, (given, used) in found.moved.items():
        low, high = ranges[name]
        print(f"{name} = {given:g} lies outside {low:g} to {high:g}: the search began at {used:g}")
    if found.stays:
        same = found.candidate.text() == found.default.text()
        tried = "the search ended where it began" if same else f"tried {found.candidate.text()}, not surely better"
        print(f"{tried}: the start stays")
    whose = f"its gain over {found.default.text()}" if found.stays else f"gain over {found.default.text()}"
    print(
        f"{whose}: {scale * e.value:.3f} {unit}, 95 % interval {scale * e.low:.3f} to "
        f"{scale * e.high:.3f}, {e.n:,} fresh games, paired"
    )
    if found.regret is not None:
        after = "with what was tried" if found.stays else "after"
        print(f"exact regret: {found.regret[0]:.4f} points before, {found.regret[1]:.4f} {after}")
    print(f"{len(found.evaluations)} evaluations, {found.reused} of them found in the log")
