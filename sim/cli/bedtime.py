"""``sim bedtime`` and ``sim compensate``: two questions that families and designers ask, answered on the spot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sim.cli.common import GameName, Json, PolicyTexts, Seed, Workers, note_stale, number, print_frame, print_json
from sim.cli.sweep import Data
from sim.errors import InputError


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("bedtime")(bedtime)
    app.command("compensate")(compensate)


def bedtime(
    minutes: Annotated[str, typer.Option("--minutes", metavar="M", help="Until bedtime.")] = "20",
    players: Annotated[str, typer.Option("--players", metavar="N", help="2 to 6.")] = "4",
    seconds: Annotated[
        str, typer.Option("--seconds-per-turn", metavar="S", help="What a turn takes at the table; an assumption.")
    ] = "15",
    policy: Annotated[str, typer.Option("--policy", metavar="POLICY", help="Everybody plays it.")] = "match",
    enough: Annotated[str, typer.Option("--enough", metavar="P", help="Chance that is good enough.")] = "0.9",
    workers: Workers = "2",
    data: Data = Path("data"),
    as_json: Json = False,
) -> None:
    """Karolinchen: is the game over by bedtime, and which rule would see to it? Two players: exact."""
    from sim.analysis.dial import bedtime_dial
    from sim.cli.common import waiting

    note_stale(["karolinchen"], data)
    stored, fresh = (_games(name, data) for name in ("karolinchen", "proposals-karolinchen"))
    with waiting("solving the game of two"):
        found = bedtime_dial(
            number("players", players),
            _real("minutes", minutes),
            games=stored,
            fresh=fresh,
            policy=policy,
            seconds_per_turn=_real("seconds-per-turn", seconds),
            enough=_real("enough", enough, "a chance above 0 and below 1, as 0.9"),
            workers=number("workers", workers),
        )
    if as_json:
        print_json(found.record())
        return
    print(
        f"Karolinchen, {found.players} players, everybody plays {found.policy}, {found.minutes:g} minutes at "
        f"{found.seconds_per_turn:g} seconds a turn: {found.turns} turns fit"
    )
    print(f"by the printed rules {_chance(found.printed)} are over in time")
    if found.rule is not None and found.changed is not None:
        from sim.report.names import reading
        from sim.sweep.space import text

        ((name, setting),) = found.rule.items()
        print(f'with "{reading(name, text(setting))}" {_chance(found.changed)} ({found.judged})')
        print(f"best of {found.compared} rules compared: the mildest that is enough, or the one that gains most")
        if found.fairness is not None:
            f = found.fairness
            ends = "exact" if f.n == 0 else f"{100 * f.low:+.2f} to {100 * f.high:+.2f}, same dice"
            print(f"the first player's share of the wins then changes by {100 * f.value:+.2f} points ({ends})")
    elif found.status == "not asked":
        print("no stored games to compare other rules in; run `sim sweep sweeps/karolinchen.yaml` for that")
    else:
        print(found.status + (f", of {found.compared} rules compared" if found.status != "good as printed" else ""))


def _games(name: str, data: Path) -> Any:
    """A finished sweep as candidates are looked up in it; None where it is not there."""
    from sim.analysis.candidates import Games
    from sim.sweep import frames, manifest

    if not (frames.folder_of(name, data) / manifest.NAME).is_file():
        return None
    counts, differences = (frames.load(name, table=table, data=data) for table in ("counts", "differences"))
    return Games(counts, differences, frames.scenarios(name, data=data))


def _chance(e: Any) -> str:
    from sim.report.words import in_hundred

    if e.n == 0:
        return f"{in_hundred(e.value)} games ({100 * e.value:.6f} %, exact)"
    sure = f"{100 * e.level:g} %: {100 * e.low:.1f} to {100 * e.high:.1f}"
    return f"{in_hundred(e.value)} games ({sure}, {e.n:,} games)"


def _real(name: str, text: str, accepted: str = "a number greater than 0") -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{name} = {text} is not accepted; accepted: {accepted}") from None


def compensate(
    game: GameName = "parlett",
    policies: PolicyTexts = None,
    band: Annotated[
        str, typer.Option("--band", metavar="P", help="Departure from one half that is still fair.")
    ] = "0.02",
    games: Annotated[str, typer.Option("--games", metavar="N", help="For each policy and seed.")] = "200000",
    seed: Seed = "1",
    fresh: Annotated[
        str, typer.Option("--fresh-seed", metavar="N", help="Of the games in which the answer is checked.")
    ] = "2",
    workers: Workers = "1",
    as_json: Json = False,
) -> None:
    """The smallest handicap that makes a seat fair: points (parlett), tails (karolinchen, two players, exact)."""
    chosen = list(policies or (["random", "greedy", "planner"] if game == "parlett" else ["match"]))
    limit = _real("band", band, (accepted := "a number above 0 and below 0.5, as 0.02"))
    if not 0 < limit < 0.5:
        raise InputError(f"band = {band} is not accepted; accepted: {accepted}")
    if game == "parlett":
        seeds = number("seed", seed), number("fresh-seed", fresh)
        _points(chosen, limit, number("games", games), seeds, number("workers", workers), as_json)
    elif game == "karolinchen":
        _tails(chosen, limit, number("workers", workers), as_json)
    else:
        raise InputError(
            f"game = {game} is not accepted; accepted: parlett, karolinchen (seats of caterpillars do not differ)"
        )


def _points(policies: list[str], band: float, games: int, seeds: tuple[int, int], workers: int, as_json: bool) -> None:
    import polars as pl

    from sim import api
    from sim.analysis.compensation import compensation
    from sim.games import get

    if seeds[0] == seeds[1]:
        raise InputError(f"fresh-seed = {seeds[1]} is the seed itself; accepted: another number")
    known = [get("parlett").policies.parse(policy).text() for policy in policies]
    scenarios = pl.DataFrame([{"scenario": p, "line_up": f"{p} ×2", "factor": "", "seats": 2} for p in known])
    sides = []
    for at in seeds:
        frames = []
        for policy in known:
            _, found = api.summarise(
                "parlett",
                policies=[policy] * 2,
                games=games,
                seed=at,
                workers=workers,
                by=["win"],
                pairs=[{"of": "score", "seats": [0, 1]}],
            )
            frames.append(found.with_columns(scenario=pl.lit(policy)))
        sides.append((pl.concat(frames), scenarios))
    rows = compensation(sides[0], sides[1], known, band).drop("scenario").to_dicts()
    if as_json:
        print_json(rows)
        return
    print(f"Parlett's game, both play alike, {games:,} games each of seeds {seeds[0]} and {seeds[1]} (fresh)")
    print(f"fair: within {100 * band:g} points of one half; a draw counts half\n")
    told = []
    for row in rows:
        who = {0: "leader", 1: "dealer", -1: "nobody"}[row["seat"]]
        points = "none does" if row["points"] is None else str(row["points"])
        ends = "" if row["points_high"] is None else f"{row['points_low']} to {row['points_high']}"
        told.append(
            {
                "both play": row["policy"],
                "leader wins": f"{100 * row['without']:.2f}",
                "points to": who,
                "fewest": points,
                "interval": ends,
                "surely": "" if row["fits_from"] is None else str(row["fits_from"]),
                "then, fresh": "{:.2f} ({:.2f} to {:.2f})".format(
                    *(100 * row[name] for name in ("fresh", "fresh_low", "fresh_high"))
                ),
                "verdict": row["verdict"],
            }
        )
    print_frame(told, right=("leader wins", "fewest", "surely"))


def _tails(policies: list[str], band: float, workers: int, as_json: bool) -> None:
    from sim.analysis.handicaps import fair_tails
    from sim.cli.common import waiting
    from sim.games.karolinchen.rules import FRUITS

    with waiting("solving the game of two"):
        found = {policy: fair_tails(policy, max(workers, 1)) for policy in policies}
    if as_json:
        print_json({policy: frame.to_dicts() for policy, frame in found.items()})
        return
    print("Karolinchen, two players, both play alike: who has which tail, exactly (the tail is the first card)\n")
    rows = []
    for policy, frame in found.items():
        for row in frame.head(4).iter_rows(named=True):
            tails = "drawn" if row["start_0"] is None else f"{FRUITS[row['start_0']]}, {FRUITS[row['start_1']]}"
            rows.append(
                {
                    "both play": policy,
                    "tails (first, second)": tails,
                    "who begins": row["opening"],
                    "first wins": f"{100 * row['win_0']:.3f}",
                    "fair": "inside" if abs(row["win_0"] - 0.5) <= band else "outside",
                }
            )
    print_frame(rows, right=("first wins",))
    print("\nsorted by fairness, for each policy the four fairest of all tails and both readings of the opening")
