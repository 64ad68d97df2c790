"""``sim run GAME``: play, and print a summary with intervals or write rows to Parquet."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.common import (
    FirstGame,
    GameName,
    Json,
    PolicyTexts,
    Preset,
    RuleTexts,
    Seed,
    Workers,
    line_up,
    number,
    parquet_name,
    print_frame,
    print_json,
    rules_from,
    told_rules,
)

#: columns of the printed summary that are numbers: 95 % interval from low to high, then spread and quantiles
NUMBERS = ("mean", "low", "high", "sd", "5 %", "25 %", "50 %", "75 %", "95 %", "range")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("run")(run)


def run(
    game: GameName,
    rules: RuleTexts = None,
    preset: Preset = None,
    policy: PolicyTexts = None,
    games: Annotated[str, typer.Option("--games", metavar="N", help="Number of games.")] = "10000",
    seed: Seed = "1",
    workers: Workers = "1",
    first_game: FirstGame = "0",
    by: Annotated[
        str | None, typer.Option("--by", metavar="A,B", help="Columns of the summary; default the game's headline.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE.parquet", help="Write one row per seat per game instead.")
    ] = None,
    detail: Annotated[
        str,
        typer.Option("--detail", metavar="games|rounds", help="What --out holds; rounds: one row per seat per round."),
    ] = "games",
    regret: Annotated[
        bool, typer.Option("--regret", help="With --detail rounds: also what each choice lost against optimal play.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Play games of one scenario; without --out print a summary with 95 % intervals."""
    from sim import api
    from sim import games as registry
    from sim.errors import InputError, unknown
    from sim.store.load import read_footer
    from sim.sweep.estimate import rounds_cost, seconds_per_game
    from sim.sweep.progress import Progress, duration, rate
    from sim.sweep.rounds import check

    room = registry.get(game)
    scenario = api.scenario_of(game, rules_from(preset, rules), line_up(room, policy))
    call: dict[str, Any] = {
        "seed": number("seed", seed),
        "games": number("games", games),
        "workers": number("workers", workers),
        "first_game": number("first_game", first_game),
    }
    api.check_call(**call)
    parquet_name(out)
    if out is not None and by is not None:
        raise InputError("--by with --out is not accepted; accepted: one of them (rows have every column)")
    if detail not in ("games", "rounds"):
        raise InputError(unknown("--detail", detail, ("games", "rounds")))
    told_rounds = detail == "rounds"
    if told_rounds and out is None:
        raise InputError("--detail rounds without --out is not accepted; accepted: with --out FILE.parquet")
    if regret and not told_rounds:
        raise InputError("--regret without --detail rounds is not accepted; accepted: both")
    if told_rounds:
        check(scenario, call["games"], regret)
    fields = room.fields(scenario.rules, len(scenario.policies))
    # who plays alone always wins: no line for that unless it is asked for
    usual = [name for name in room.headline if name != "win" or len(scenario.policies) > 1]
    chosen = api.check_by(fields, usual if by is None else [name.strip() for name in by.split(",")])
    api.announce(room)
    # compiles, if need be, before the clock starts
    per_game = rounds_cost(scenario, call["seed"])[0] if told_rounds else seconds_per_game(scenario, call["seed"])
    begun = time.perf_counter()
    with Progress(game, call["games"] * per_game, show=call["games"] * per_game > 2.0) as bar:

        def on_block(count: int) -> None:
            bar.advance(count, count * per_game)

        if out is not None and told_rounds:
            record = api.play_rounds_file(out, scenario, regret=regret, on_block=on_block, **call)
        elif out is not None:
            record = api.play_file(out, scenario, on_block=on_block, **call)
        else:
            tables = api.play_counts(scenario, by=chosen, on_block=on_block, **call)
    seconds = time.perf_counter() - begun
    if out is not None:
        told = {"file": str(out), "rows": read_footer(out).rows, "bytes": out.stat().st_size}
        if as_json:
            print_json({**told, "provenance": record})
        else:
            print(f"{out}: {told['rows']:,} rows, {told['bytes']:,} bytes, {duration(seconds)}")
        return
    from sim.cli.summary import summary

    rows = summary(tables["counts"], [f for name in chosen for f in fields if f.name == name])
    head: dict[str, Any] = {
        "game": game,
        "scenario": scenario.id,
        "rules": scenario.rules.identity(),
        "policies": [p.text() for p in scenario.policies],
        **{key: call[key] for key in ("seed", "first_game", "games")},
    }
    if as_json:
        print_json({**head, "summary": rows})
        return
    print(
        f"{room.title}, {told_rules(scenario.rules)}, {call['games']:,} games, seed {call['seed']}, scenario "
        f"{scenario.id}"
    )
    print_frame(
        [_told(row, head["policies"]) for row in rows],
        right=NUMBERS,
    )
    print(f"{duration(seconds)}, {rate(call['games'], seconds)}")


def _told(row: dict[str, Any], policies: list[str]) -> dict[str, str]:
    number = row["kind"] == "number"
    form = "{:.3f}" if number else "{:.2%}"
    told = {
        "seat": str(row["seat"]),
        "policy": policies[row["seat"]],
        "column": row["column"],
        "mean": form.format(row["mean"]),
        "low": form.format(row["low"]),
        "high": form.format(row["high"]),
        "sd": f"{row['sd']:.3f}" if number else "",
    }
    for q in ("5", "25", "50", "75", "95"):
        told[f"{q} %"] = str(row["quantiles"][q]) if number else ""
    return {**told, "range": f"{row['minimum']}–{row['maximum']}" if number else ""}
