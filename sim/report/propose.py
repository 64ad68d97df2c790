"""Fresh games for every proposal: what the stored sweeps suggest is played again on dice that had no part in it.

One sweep for each game (``proposals-<game>``), run by the usual machinery: it goes on where it stopped, plays nothing
twice, and is the same bytes for any number of workers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.analysis.proposals import PROPOSAL, Pick, pick
from sim.errors import ReportError
from sim.report.inputs import Stored, read_inputs, read_sweep
from sim.report.names import LEVELS
from sim.report.params import Params
from sim.report.questions import FLOOR, PLAYERS, Question, games_of, questions
from sim.sweep import frames, manifest

#: the fresh sweep of a game is called so and by the game's name
PREFIX = "proposals"
GAMES = ("caterpillars", "karolinchen", "parlett")
_BY = {
    "caterpillars": ["score", "zeros"],
    "karolinchen": ["turns", "win"],
    "parlett": ["score", "win", "cards_played"],
}
_GAME_OF = {"readings": "caterpillars", "setup": "caterpillars", "karolinchen": "karolinchen", "parlett": "parlett"}
Row = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A question with what the stored sweeps answered."""

    question: Question
    found: Pick

    @property
    def game(self) -> str:
        return _GAME_OF[self.question.part]


def picks(inputs: Mapping[str, Stored], params: Params) -> list[Asked]:
    """What the written rule picks from the stored sweeps, question by question."""
    return [Asked(q, pick(q.look(games_of(inputs[q.part])), q.id)) for q in questions(inputs, params)]


def check_seeds(inputs: Mapping[str, Stored], params: Params) -> None:
    """Refuse a "fresh" seed that the sweeps in which candidates were found were played with."""
    used = {name: stored.head["seed"] for name, stored in inputs.items()}
    for name, seed in used.items():
        if int(seed) == params.proposals.seed:
            raise ReportError(
                f"proposals.seed = {params.proposals.seed} is the seed of sweep {name}; accepted: another number, so "
                f"that the games which judge had no part in picking"
            )


def sweeps(asked: list[Asked], params: Params, games: int | None = None) -> dict[str, Row]:
    """The fresh sweeps as mappings, by game: the printed rules, and every proposal.

    Parameters
    ----------
    games : int, optional
        Of each scenario, at most; default: as in the parameters file.
    """
    most = params.proposals.games if games is None else games
    found = {}
    for game in GAMES:
        mine = [a for a in asked if a.game == game and a.found.status == PROPOSAL]
        designs = [*_printed(game, params, most), *_merged([a.question.design(a.found.row) for a in mine])]
        found[game] = {
            "name": f"{PREFIX}-{game}",
            "title": "Printed rules and proposals on fresh dice",
            "game": game,
            "seed": params.proposals.seed,
            "games": most,
            "by": _BY[game],
            "designs": designs,
        }
    return found


def _merged(designs: list[Row]) -> list[Row]:
    """Designs that are alike are one: several questions may propose the same."""
    kept: list[Row] = []
    for design in designs:
        plain = {k: v for k, v in design.items() if k != "name"}
        if plain not in [{k: v for k, v in other.items() if k != "name"} for other in kept]:
            kept.append(design)
    return [{**design, "name": f"{i + 1}"} for i, design in enumerate(kept)]


def _printed(game: str, params: Params, most: int) -> list[Row]:
    """The printed rules: every level, Karolinchen by number of players, Parlett's game at every strength."""
    given = params.proposals
    if game == "caterpillars":
        policies = [policy for policy in params.levels.views.values() if policy != "best"]
        return [{"name": "printed", "variants": [{"grid": {"level": list(LEVELS)}}], "policies": [*policies, FLOOR]}]
    if game == "karolinchen":
        everybody = dict.fromkeys([params.karolinchen.policy, *given.tails.policies])
        line_ups: list[Row] = [{"repeat": list(PLAYERS), "policy": policy} for policy in everybody]
        return [{"name": "printed", "policies": line_ups}]
    line_ups = [{"repeat": 2, "policy": policy} for policy in given.seats.policies]
    slow = {"repeat": 2, "policy": given.search.policy, "games": min(given.search.games, most)}
    return [{"name": "printed", "policies": [*line_ups, slow], "pairs": [{"of": "score", "seats": [0, 1]}]}]


def propose(
    params: Params,
    data: Path | str = "data",
    *,
    workers: int = 1,
    games: int | None = None,
    progress: bool = False,
) -> list[Asked]:
    """Pick from the stored sweeps and play the fresh games of every proposal.

    Parameters
    ----------
    params : Params
    data : path
        The data folder with finished sweeps.
    workers : int
        Threads; the files do not depend on it.
    games : int, optional
        Of each scenario, at most; default: as in the parameters file.
    progress : bool

    Returns
    -------
    list of Asked
        Every question with what was picked.

    Raises
    ------
    ReportError
        In one line: a missing sweep, or a fresh seed that is not fresh.
    """
    from sim.sweep.run import run

    inputs = read_inputs(params, data)
    check_seeds(inputs, params)
    asked = picks(inputs, params)
    for spec in sweeps(asked, params, games).values():
        run(spec, workers=workers, data=data, progress=progress, replace=True)
    return asked


def fresh_inputs(asked: list[Asked], params: Params, data: Path | str) -> dict[str, Stored] | None:
    """The fresh sweeps by game; None where none were played.

    Raises
    ------
    ReportError
        Where they belong to other proposals than these.
    """
    again = "accepted: run `sim propose` again"
    wanted = sweeps(asked, params)
    there = {g: (frames.folder_of(s["name"], data) / manifest.NAME).is_file() for g, s in wanted.items()}
    if not any(there.values()):
        return None
    found = {}
    for game, spec in wanted.items():
        if not there[game]:
            raise ReportError(f"no finished sweep {spec['name']} in {data}; {again}")
        stored = read_sweep(spec["name"], data)
        if int(stored.head["seed"]) != spec["seed"]:
            held = stored.head["seed"]
            raise ReportError(f"sweep {spec['name']} has seed {held}, not {spec['seed']} (proposals.seed); {again}")
        found[game] = stored
    return found
