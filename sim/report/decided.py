"""When games of Karolinchen are decided: ``sim decided`` plays and keeps them, the report reads what it kept."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from sim import analysis
from sim import games as registry
from sim.errors import ReportError, play_range
from sim.report.inputs import Given
from sim.report.params import Params
from sim.store.load import read_footer
from sim.store.parquet import write_table
from sim.store.provenance import provenance
from sim.store.schema import WATCHED
from sim.sweep.watching import paths_of

#: where both tables are kept, below the data folder
FOLDER = "decided"
#: who plays: the chances are those of two such players
LINE_UP = ("optimal", "optimal")
#: the tables about them
EXACT = ("paths", "moments")


def play(params: Params, data: Path | str = "data", games: int | None = None) -> dict[str, pl.DataFrame]:
    """Play games of two perfect players and keep their chances, and the rolls that decided three of them.

    Equal calls give equal bytes.

    Parameters
    ----------
    params : Params
        ``decided``: the seed, the number of games, and when a game is open.
    data : path
        The data folder; the tables go to ``decided/paths.parquet`` and ``decided/moments.parquet``.
    games : int, optional
        Instead of the number in `params`.

    Returns
    -------
    dict of str to polars.DataFrame
        ``paths`` and ``moments``, columns as in `sim.store.schema.WATCHED`.

    Raises
    ------
    InputError, StoreError
        In one line: what was given, what is accepted.
    """
    given = params.decided
    seed, first, games, _ = play_range(given.seed, 0, given.games if games is None else games, 1, 1)
    game = registry.get("karolinchen")
    scenario = game.scenario(None, list(LINE_UP))
    paths = paths_of(scenario, games, seed)
    picked = analysis.example_games(paths, given.open)
    told = [
        _told(game.tell(game.trace(scenario.rules, scenario.policies, seed, row["game"])), row["turn"])
        for row in picked.iter_rows(named=True)
    ]
    tables = {"paths": paths, "moments": picked.with_columns(told=pl.Series(told, dtype=pl.String))}
    for name, frame in tables.items():
        columns = WATCHED[name][1]
        more = {} if name == "paths" else {"open": given.open}
        record = provenance(name, scenario, seed=seed, first_game=first, games=games, **more)
        arrays = {c.name: frame[c.name].to_numpy() for c in columns}
        write_table(Path(data) / FOLDER / f"{name}.parquet", columns, record, arrays)
    return tables


def _told(text: str, turn: int) -> str:
    """What happened in a turn, from a game in words: without whose turn it was, and without what was left over."""
    line = re.search(rf"^Turn {turn}, seat \d: (.*?)\.(?: Left: [^.]*\.)? Covered: ", text, flags=re.M)
    assert line is not None
    return line[1][:1].upper() + line[1][1:]


def read_kept(data: Path, params: Params) -> dict[str, pl.DataFrame]:
    """The tables that `play` wrote; nothing where none are kept.

    Raises
    ------
    ReportError
        In one line, where they are of another seed or another threshold than `params` says.
    """
    paths = {name: data / FOLDER / f"{name}.parquet" for name in EXACT}
    if not all(path.exists() for path in paths.values()):
        return {}
    record, given = read_footer(paths["moments"]).provenance, params.decided
    found = {name: pl.read_parquet(path) for name, path in paths.items()}
    for name, frame in found.items():
        if missing := sorted({c.name for c in WATCHED[name][1]} - set(frame.columns)):
            raise ReportError(f"{paths[name]} has no column {missing[0]}; accepted: run `sim decided` again")
    for name, stored, wanted in (("seed", record["seed"], given.seed), ("open", record["open"], given.open)):
        if stored != wanted:
            raise ReportError(
                f"the games in {data / FOLDER} have {name} = {stored}, not {wanted}; accepted: run `sim decided` again"
            )
    return found


def decided_tables(given: Given) -> dict[str, pl.DataFrame]:
    """Tables ``decided``, ``comebacks``, ``chance_bands``, ``moments`` and ``moment_paths`` from kept games."""
    kept = read_kept(given.data, given.params)
    if not kept:
        return {}
    params, conf, paths = given.params.decided, given.params.confidence, kept["paths"]
    shown = (
        kept["moments"]
        .select("kind", "game")
        .join(paths.filter(pl.col("seat") == 0), on="game", maintain_order="left_right")
    )
    return {
        "decided": analysis.decided_time(paths, params.open, conf),
        "comebacks": analysis.comebacks(paths, params.comebacks, conf),
        "chance_bands": analysis.chance_bands(paths),
        "moments": kept["moments"],
        "moment_paths": shown.select("kind", "game", "turn", "turns", "value"),
    }
