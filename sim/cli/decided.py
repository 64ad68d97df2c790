"""``sim decided``: when games are decided, of one line-up, or of all that the report tells of."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.common import (
    Json,
    PolicyTexts,
    Preset,
    RuleTexts,
    Workers,
    number,
    print_frame,
    print_json,
    rules_from,
    told_rules,
)
from sim.cli.sweep import Data


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("decided")(decided)


def decided(
    game: Annotated[
        str | None,
        typer.Argument(metavar="[GAME]", help="caterpillars, karolinchen or parlett; left out: all of the report."),
    ] = None,
    rules: RuleTexts = None,
    preset: Preset = None,
    policy: PolicyTexts = None,
    games: Annotated[
        str | None, typer.Option("--games", metavar="N", help="With GAME 500; without, default as in the file.")
    ] = None,
    playouts: Annotated[
        str | None,
        typer.Option("--playouts", metavar="N", help="Of every position; default 400, or exact where that is known."),
    ] = None,
    seed: Annotated[str | None, typer.Option("--seed", metavar="N", help="Default: as in the file.")] = None,
    first_game: Annotated[
        str | None, typer.Option("--first-game", metavar="N", help="Index of the first game; default 0.")
    ] = None,
    workers: Workers = "1",
    data: Data = Path("data"),
    params: Annotated[
        Path, typer.Option("--params", metavar="FILE", help="Seed, who is watched, when a game is open.")
    ] = Path("params.yaml"),
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing.")] = False,
    as_json: Json = False,
) -> None:
    """When is a game decided? Chances of winning before every move, and the way back of those who won all the same.

    With GAME, games of one line-up are watched and told. Without, the games of the report are played and kept.
    """
    from sim.errors import InputError
    from sim.report.params import Decided, read_params

    if game is None:
        given = {"--rules": rules, "--preset": preset, "--policy": policy, "--playouts": playouts, "--seed": seed}
        given["--first-game"] = first_game
        for name, value in given.items():
            if value:
                raise InputError(
                    f"{name} without GAME is not accepted; accepted: a game, as sim decided parlett {name} …"
                )
        _of_the_report(read_params(params), data, games, number("workers", workers), quiet, as_json)
        return
    # whoever asks for a game of their own needs no parameters file
    read = read_params(params) if params.exists() else None
    _of_one(
        game,
        rules_from(preset, rules),
        policy,
        read.decided if read else Decided(),
        {
            "games": 500 if games is None else number("games", games),
            "seed": None if seed is None else number("seed", seed),
            "first_game": 0 if first_game is None else number("first_game", first_game),
            "playouts": None if playouts is None else number("playouts", playouts),
            "workers": number("workers", workers),
        },
        read.confidence if read else 0.95,
        quiet,
        as_json,
    )


_NAMES = {
    "share": "share of the turns while open",
    "left": "turns left once it is decided",
    "last": "games open until the last turn",
}


def _print(times: Any, back: Any) -> None:
    rows = [(_NAMES[r["measure"]], r, "") for r in times.iter_rows(named=True)]
    rows += [(f"winner once at {r['chance']:g} or less", r, f"{r['bound']:.4f}") for r in back.iter_rows(named=True)]
    print_frame(
        [
            {"": told, **{end: f"{r[key]:.4f}" for end, key in _ENDS.items()}, "bound": bound}
            for told, r, bound in rows
        ],
        right=(*_ENDS, "bound"),
    )  # fmt: skip


_ENDS = {"mean": "value", "low": "low", "high": "high"}


def _of_one(
    game: str, rules: Any, policy: list[str] | None, given: Any, call: dict[str, Any], level: float, quiet: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Watch one line-up."""
    from sim import analysis
    from sim import games as registry
    from sim.cli.common import waiting
    from sim.sweep.warm import announce
    from sim.sweep.watching import paths_of, usual

    room = registry.get(game)
    scenario = room.scenario(rules, list(policy) if policy else list(usual(room)))
    call["seed"] = given.seed if call["seed"] is None else call["seed"]
    announce(room)
    with waiting("watching games"):
        paths = paths_of(scenario, **call)
    times = analysis.decided_time(paths, given.open, level)
    back = analysis.comebacks(paths, given.comebacks, level)
    if quiet:
        return
    playouts = room.watched(scenario.rules, scenario.policies, call["playouts"]).playouts
    if as_json:
        head: dict[str, Any] = {"game": game, "scenario": scenario.id, "rules": scenario.rules.identity()}
        head |= {"policies": [p.text() for p in scenario.policies], **call, "playouts": playouts}
        print_json({**head, "decided": times.to_dicts(), "comebacks": back.to_dicts()})
        return
    told = ", ".join(p.text() for p in scenario.policies)
    how = f"{playouts:,} play-outs of every position" if playouts else "exact chances"
    print(f"{room.title}, {told_rules(scenario.rules)}: {told}\n{call['games']:,} games, seed {call['seed']}, {how}\n")
    _print(times, back)


def _of_the_report(read: Any, data: Path, games: str | None, workers: int, quiet: bool, as_json: bool) -> None:
    """Play and keep the games that the report tells of."""
    import sys

    from sim import analysis
    from sim import games as registry
    from sim.report.decided import FOLDER, play
    from sim.report.watched import watched_tables
    from sim.sweep.warm import announce

    most = None if games is None else number("games", games)
    for name in dict.fromkeys(["karolinchen", *(w.game for w in read.decided.watched), "caterpillars"]):
        announce(registry.get(name))

    def tell(told: str) -> None:
        if not quiet:
            print(f"sim: {told}", file=sys.stderr, flush=True)

    tables = play(read, data, most, workers, tell)
    if quiet:
        return
    paths = tables["paths"]
    times = analysis.decided_time(paths, read.decided.open, read.confidence)
    back = analysis.comebacks(paths, read.decided.comebacks, read.confidence)
    seen, ties = watched_tables(tables, read), analysis.tie_shares(tables["ties"], read.confidence)
    if as_json:
        kept = {"watched": seen.to_dicts(), "ties": ties.to_dicts()}
        print_json({"decided": times.to_dicts(), "comebacks": back.to_dicts(), **kept})
        return
    _print(times, back)
    print(f"\n{times['n'][0]:,} games of two who play perfectly, seed {read.decided.seed}\n")
    print_frame(
        [
            {
                "game": f"{r['game']} {r['level']}".strip(),
                "players": f"{r['players']} × {r['policy']}",
                "measure": r["measure"],
                "mean": f"{r['value']:.4f}",
                "low": f"{r['low']:.4f}",
                "high": f"{r['high']:.4f}",
                "games": f"{r['n']:,}",
            }
            for r in seen.iter_rows(named=True)
        ],
        right=("mean", "low", "high", "games"),
    )
    print(f"\nthe games, and counts of ties, are in {data / FOLDER}")
