"""Which games are watched, and the table of what was seen: how long they are open, ways back, shared wins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from sim import analysis, stats
from sim import games as registry
from sim.analysis.frames import ESTIMATE, table
from sim.games.base import Scenario
from sim.report.names import GAME_NAMES, LEVELS
from sim.report.params import Decided, Params

#: measures of the table, in order
MEASURES = ("share", "left", "last", "comeback", "shared")


@dataclass(frozen=True)
class Entry:
    """One line-up that is watched.

    Attributes
    ----------
    name : str
        Of its file.
    game, level, policy : str
        The level of Caterpillars, else empty.
    players : int
    scenario : Scenario
    """

    name: str
    game: str
    level: str
    policy: str
    players: int
    scenario: Scenario

    @property
    def exact(self) -> bool:
        """Whether its chances are known exactly, too: play-outs of it show what these are worth."""
        return self.scenario.game.watched(self.scenario.rules, self.scenario.policies).playouts == 0

    @property
    def told(self) -> str:
        """In words."""
        level = f", {self.level}" if self.level else ""
        return f"{GAME_NAMES[self.game]}{level}, {self.players} players, {self.policy}"


def entries(given: Decided) -> list[Entry]:
    """Every line-up of the parameters file, in order; Caterpillars at every level."""
    found = []
    for watched in given.watched:
        game = registry.get(watched.game)
        for level in LEVELS if watched.game == "caterpillars" else ("",):
            for players in watched.players:
                scenario = game.scenario({"level": level} if level else None, [watched.policy] * players)
                parts = (watched.game, level, str(players), scenario.policies[0].id)
                name = "-".join(part for part in parts if part)
                found.append(Entry(name, watched.game, level, watched.policy, players, scenario))
    return found


def watched_tables(kept: Mapping[str, pl.DataFrame], params: Params) -> pl.DataFrame:
    """What was seen of every line-up, the two perfect players of Karolinchen with their exact chances first.

    Returns
    -------
    polars.DataFrame
        Long: name, game, level, players, policy, playouts (0: exact), measure, value, low, high, n, bound, verdict
        (of comebacks, else empty). Measures: those of `sim.analysis.decided_time`; ``comeback`` (share of games whose
        winner once had `Decided.comeback` or less); ``shared`` (share of games whose win is shared).
    """
    given, level = params.decided, params.confidence
    exact = {"name": "exact", "game": "karolinchen", "level": "", "players": 2, "policy": "optimal", "playouts": 0}
    rows = []
    lines = [(exact, kept["paths"])]
    for e in (e for e in entries(given) if not e.exact):
        key = {"name": e.name, "game": e.game, "level": e.level, "players": e.players, "policy": e.policy}
        lines.append((key | {"playouts": given.playouts}, kept[e.name]))
    for key, paths in lines:
        for row in analysis.decided_time(paths, given.open, level).to_dicts():
            rows.append(key | row | {"bound": None, "verdict": ""})
        (back,) = analysis.comebacks(paths, [given.comeback], level).to_dicts()
        rows.append(key | back | {"measure": "comeback"})
        wins = paths.filter(pl.col("turn") > pl.col("turns")).group_by("game").agg(pl.col("won").max())["won"]
        shared = stats.wilson(int(((wins > 0) & (wins < 1)).sum()), wins.len(), level)
        rows.append(key | shared.row() | {"measure": "shared", "n": shared.n, "bound": None, "verdict": ""})
    texts = {name: pl.String for name in ("name", "game", "level")}
    numbers = {"players": pl.Int64, "policy": pl.String, "playouts": pl.Int64, "measure": pl.String}
    return table(rows, texts | numbers | ESTIMATE | {"bound": pl.Float64, "verdict": pl.String})


def noise_tables(kept: Mapping[str, pl.DataFrame], params: Params) -> dict[str, pl.DataFrame]:
    """Table ``noise``: what play-outs make of games whose chances are exact, see `sim.analysis.playout_noise`."""
    given = params.decided
    for entry in entries(given):
        if entry.exact:
            found = analysis.playout_noise(
                kept["paths"], kept[entry.name], given.open, given.comeback, params.confidence
            )
            return {"noise": found}
    return {}
