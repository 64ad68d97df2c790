"""``sim tournament GAME``: every policy against every other one on the same dice or cards."""

from __future__ import annotations

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
    number,
    parquet_name,
    print_frame,
    print_json,
    rules_from,
    told_rules,
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("tournament")(tournament)


def tournament(
    game: GameName,
    policy: PolicyTexts = None,
    rules: RuleTexts = None,
    preset: Preset = None,
    games: Annotated[
        str, typer.Option("--games", metavar="N", help="Game indices; each pair plays both seatings of each.")
    ] = "10000",
    seed: Seed = "1",
    workers: Workers = "1",
    first_game: FirstGame = "0",
    anchor: Annotated[
        str | None,
        typer.Option("--anchor", metavar="POLICY", help="Tell strengths against this one; default the first."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE.parquet", help="Also write one row per pair.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Let policies meet pair by pair: win rates, Bradley–Terry strengths, how well these fit, cycles."""
    from sim import api
    from sim import games as registry

    room = registry.get(game)
    parquet_name(out)
    found = api.tournament(
        game,
        policies=list(policy or ()),
        rules=rules_from(preset, rules),
        games=number("games", games),
        seed=number("seed", seed),
        workers=number("workers", workers),
        first_game=number("first_game", first_game),
        anchor=0 if anchor is None else anchor,
    )
    if out is not None:
        found.write(out)
    record = found.record()
    if as_json:
        print_json(record)
        return
    each = "one game" if record["games_per_pair"] == 1 else "both seatings"
    print(
        f"{room.title}, {told_rules(found.rules)}, {record['games']:,} game indices, {each} of each pair, seed "
        f"{record['seed']}"
    )
    print_frame([_policy(row) for row in record["table"]], right=("win rate", "strength", "score", "±", "± ", "±  "))
    print()
    print_frame([_pair(row) for row in record["pairs"]], right=("wins", "draws", "losses", "win rate", "±", "fitted"))
    print()
    print(f"Fit: {record['fit']['told']}.")
    for a, b, c in record["cycles"]:
        print(f"Cycle: {a} beats {b}, {b} beats {c}, {c} beats {a} (at a common error rate of 5 %).")
    if not record["cycles"]:
        print("Cycles: none at a common error rate of 5 %.")
    if out is not None:
        pairs = len(record["pairs"])
        print(f"{out}: {pairs} pair{'' if pairs == 1 else 's'}")


def _half(row: dict[str, Any], name: str) -> float:
    return float((row[f"{name}_high"] - row[f"{name}_low"]) / 2)


def _policy(row: dict[str, Any]) -> dict[str, str]:
    told = {
        "policy": row["policy"],
        "win rate": f"{row['rate']:.2%}",
        "±": f"{_half(row, 'rate'):.2%}",
        "strength": f"{row['strength']:.3f}",
        "± ": f"{_half(row, 'strength'):.3f}",
    }
    if "score" in row:
        told |= {"score": f"{row['score']:.3f}", "±  ": f"{_half(row, 'score'):.3f}"}
    return told


def _pair(row: dict[str, Any]) -> dict[str, str]:
    return {
        "first": row["first"],
        "second": row["second"],
        "wins": f"{row['wins']:,}",
        "draws": f"{row['draws']:,}",
        "losses": f"{row['losses']:,}",
        "win rate": f"{row['rate']:.2%}",
        "±": f"{_half(row, 'rate'):.2%}",
        "fitted": f"{row['fitted']:.2%}",
    }
