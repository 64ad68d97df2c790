"""When games are decided: ``sim decided`` plays and keeps them, the report reads what it kept.

Karolinchen between two who play perfectly is known exactly, and three of its games are shown. The other line-ups of the
parameters file are watched with play-outs. Ties are counted in plain games.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from sim import analysis
from sim import games as registry
from sim.engine.simulate import play_rows
from sim.errors import ReportError, play_range
from sim.games.base import Scenario
from sim.report.inputs import Given
from sim.report.names import LEVELS
from sim.report.params import Decided, Params
from sim.report.watched import entries, noise_tables, watched_tables
from sim.store.load import read_footer
from sim.store.parquet import write_table
from sim.store.provenance import provenance
from sim.store.schema import WATCHED
from sim.sweep.watching import paths_of

#: where the tables are kept, below the data folder
FOLDER = "decided"
#: who plays: the chances are those of two such players
LINE_UP = ("optimal", "optimal")
#: the tables about them
EXACT = ("paths", "moments")
#: fewest games of a line-up that is watched
FEWEST = 20

Tables = dict[str, pl.DataFrame]


def play(
    params: Params,
    data: Path | str = "data",
    games: int | None = None,
    workers: int = 1,
    on_entry: Callable[[str], None] | None = None,
) -> Tables:
    """Play games whose chances are told, and keep them; count ties.

    Equal calls give equal bytes, for any number of `workers`.

    Parameters
    ----------
    params : Params
        ``decided``: the seed, the numbers of games, who plays, and when a game is open.
    data : path
        The data folder; the tables go to ``decided/NAME.parquet``.
    games : int, optional
        Of the two perfect players, instead of the number in `params`; fewer make the others fewer in proportion.
    workers : int
        Threads.
    on_entry : callable, optional
        Told, in words, what is played next.

    Returns
    -------
    dict of str to polars.DataFrame
        ``paths`` and ``moments`` of the two perfect players, ``ties``, and the paths of every line-up that is watched
        by its name; columns as in `sim.store.schema.WATCHED`.

    Raises
    ------
    InputError, StoreError
        In one line: what was given, what is accepted.
    """
    given, folder = params.decided, Path(data) / FOLDER
    seed, _, games, workers = play_range(given.seed, 0, given.games if games is None else games, workers, 1)
    tell, part = on_entry or (lambda told: None), min(1.0, games / given.games)
    tell("Karolinchen, two perfect players")
    tables = _play_exact(params, folder, games, workers)
    for entry in entries(given):
        tell(entry.told)
        count = max(FEWEST, round(part * given.watch_games))
        tables[entry.name] = paths_of(entry.scenario, count, seed, playouts=given.playouts, workers=workers)
        more = {"playouts": given.playouts}
        _write(folder, entry.name, "paths", entry.scenario, tables[entry.name], seed, count, **more)
    tell("ties")
    tables["ties"] = _count_ties(params, folder, max(FEWEST, round(part * given.ties.games)), workers)
    return tables


def _write(
    folder: Path, name: str, table: str, scenario: Scenario, frame: pl.DataFrame, seed: int, games: int, **more: object
) -> None:
    columns = WATCHED[table][1]
    record = provenance(table, scenario, seed=seed, first_game=0, games=games, **more)
    write_table(folder / f"{name}.parquet", columns, record, {c.name: frame[c.name].to_numpy() for c in columns})


def _play_exact(params: Params, folder: Path, games: int, workers: int) -> Tables:
    given, game = params.decided, registry.get("karolinchen")
    scenario = game.scenario(None, list(LINE_UP))
    paths = paths_of(scenario, games, given.seed, workers=workers)
    picked = analysis.example_games(paths, given.open)
    told = [
        _told(game.tell(game.trace(scenario.rules, scenario.policies, given.seed, row["game"])), row["turn"])
        for row in picked.iter_rows(named=True)
    ]
    tables = {"paths": paths, "moments": picked.with_columns(told=pl.Series(told, dtype=pl.String))}
    for name, frame in tables.items():
        more = {} if name == "paths" else {"open": given.open}
        _write(folder, name, name, scenario, frame, given.seed, games, **more)
    return tables


def _count_ties(params: Params, folder: Path, games: int, workers: int) -> pl.DataFrame:
    """Ties at every level, by number of players; the same dice everywhere."""
    given, game = params.decided, registry.get("caterpillars")
    found, scenarios = [], []
    for level, players, scenario in _tied(given):
        playable = game.compile(scenario.rules, scenario.policies)
        rows = play_rows(playable, given.seed, 0, games, workers=workers)
        place = {field.name: i for i, field in enumerate(playable.fields)}
        frame = pl.DataFrame(
            {
                "level": np.full(games * players, level),
                "game": np.repeat(np.arange(games), players),
                "seat": np.tile(np.arange(players), games),
                "score": rows[place["score"]],
                "win": rows[place["win"]],
            }
        )
        found.append(analysis.tie_counts(frame, ["level"]))
        scenarios.append(scenario)
    counts = pl.concat(found)
    more = {"scenarios": [s.id for s in scenarios]}
    _write(folder, "ties", "ties", scenarios[0], counts, given.seed, games, **more)
    return counts


def _tied(given: Decided) -> list[tuple[str, int, Scenario]]:
    """Level, players and scenario of every line-up in which ties are counted, in order."""
    game, ties = registry.get("caterpillars"), given.ties
    return [
        (level, players, game.scenario({"level": level}, [ties.policy] * players))
        for level in LEVELS
        for players in ties.players
    ]


def _told(text: str, turn: int) -> str:
    """What happened in a turn, from a game in words: without whose turn it was, and without what was left over."""
    line = re.search(rf"^Turn {turn}, seat \d: (.*?)\.(?: Left: [^.]*\.)? Covered: ", text, flags=re.M)
    assert line is not None
    return line[1][:1].upper() + line[1][1:]


def read_kept(data: Path, params: Params) -> Tables:
    """The tables that `play` wrote, but for ties; nothing where none are kept.

    Raises
    ------
    ReportError
        In one line, where they are of another seed, threshold or line-up than `params` says.
    """
    folder, given = data / FOLDER, params.decided
    if not all((folder / f"{name}.parquet").exists() for name in EXACT):
        return {}
    wanted: dict[str, object] = {"seed": given.seed}
    exact = wanted | _played(registry.get("karolinchen").scenario(None, list(LINE_UP)))
    tables = {
        "paths": _read(folder, "paths", "paths", exact),
        "moments": _read(folder, "moments", "moments", exact | {"open": given.open}),
    }
    for entry in entries(given):
        more = {"playouts": given.playouts, **_played(entry.scenario)}
        tables[entry.name] = _read(folder, entry.name, "paths", wanted | more)
    return tables


def _played(scenario: Scenario) -> dict[str, object]:
    """What a record says of who played what; the line-up first, as its difference is told in words."""
    return {"policies": [policy.identity() for policy in scenario.policies], "scenario": scenario.id}


def _read(folder: Path, name: str, table: str, wanted: Mapping[str, object]) -> pl.DataFrame:
    """One table, if it is what was `wanted`."""
    path = folder / f"{name}.parquet"
    if not path.exists():
        raise ReportError(f"no {path.name} in {folder}; accepted: run `sim decided` again")
    record, frame = read_footer(path).provenance, pl.read_parquet(path)
    for key, value in wanted.items():
        if record[key] != value:
            was, now = (_in_words(key, one) for one in (record[key], value))
            raise ReportError(f"the games in {path} have {key} = {was}, not {now}; accepted: run `sim decided` again")
    if missing := sorted({c.name for c in WATCHED[table][1]} - set(frame.columns)):
        raise ReportError(f"{path} has no column {missing[0]}; accepted: run `sim decided` again")
    return frame


def _in_words(key: str, value: Any) -> str:
    """A value of a record as it is told: of a line-up, each policy once with its parameters and number of seats."""
    if key == "scenarios":
        return f"those of {len(value)} levels and numbers of players ({', '.join(value[:2])}, …)"
    if key != "policies":
        return str(value)
    told: Counter[str] = Counter()
    for policy in value:
        parts = [f"{name}={setting}" for name, setting in policy["parameters"].items()]
        told[policy["id"] + (f"({', '.join(parts)})" if parts else "")] += 1
    return ", ".join(f"{seats} × {policy}" for policy, seats in told.items())


def decided_tables(given: Given) -> Tables:
    """Tables ``decided``, ``comebacks``, ``chance_bands``, ``moments``, ``moment_paths``, ``watched``, ``noise``."""
    kept = read_kept(given.data, given.params)
    if not kept:
        return {}
    params, conf, paths = given.params.decided, given.params.confidence, kept["paths"]
    leader = paths.filter(pl.col("seat") == 0)
    shown = kept["moments"].select("kind", "game").join(leader, on="game", maintain_order="left_right")
    return {
        "decided": analysis.decided_time(paths, params.open, conf),
        "comebacks": analysis.comebacks(paths, params.comebacks, conf),
        "chance_bands": analysis.chance_bands(paths),
        "moments": kept["moments"],
        "moment_paths": shown.select("kind", "game", "turn", "turns", "value"),
        "watched": watched_tables(kept, given.params),
        **noise_tables(kept, given.params),
    }


def tie_tables(given: Given) -> Tables:
    """Table ``ties`` from kept counts.

    Raises
    ------
    ReportError
        In one line, where they are of another seed, policy or number of players than the parameters say.
    """
    folder = given.data / FOLDER
    if not (folder / "ties.parquet").exists():
        return {}
    params = given.params.decided
    scenarios = [scenario for _, _, scenario in _tied(params)]
    wanted = {"seed": params.seed, **_played(scenarios[0]), "scenarios": [s.id for s in scenarios]}
    counts = _read(folder, "ties", "ties", wanted)
    return {"ties": analysis.tie_shares(counts, given.params.confidence)}
