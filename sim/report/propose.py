"""Fresh games for every proposal: what the stored sweeps suggest is played again on dice that had no part in it.

One sweep for each game (``proposals-<game>``), run by the usual machinery: it goes on where it stopped, plays nothing
twice, and is the same bytes for any number of workers. What was picked, and from which sweeps, is kept beside them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sim.analysis.frames import LEVELS
from sim.analysis.proposals import PROPOSAL, Pick, pick
from sim.errors import ReportError
from sim.report.inputs import Stored, read_inputs, read_sweep
from sim.report.params import Params
from sim.report.questions import FLOOR, PLAYERS, Question, design, games_of, look, questions
from sim.sweep import frames, manifest

#: the fresh sweep of a game is called so and by the game's name
PREFIX = "proposals"
#: what was picked, below the data folder
KEPT = Path("proposals") / "picks.json"
GAMES = ("caterpillars", "karolinchen", "parlett")
AGAIN = "accepted: run `sim propose` again"
_BY = {
    "caterpillars": ["score", "zeros"],
    "karolinchen": ["turns", "win"],
    "parlett": ["score", "win", "cards_played"],
}
Row = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A question with what the stored sweep answered, and the seed that it was played with."""

    question: Question
    found: Pick
    seed: int


def picks(inputs: Mapping[str, Stored], params: Params) -> list[Asked]:
    """What the written rule picks from the stored sweeps, question by question."""
    games = {part: games_of(stored) for part, stored in inputs.items()}
    found = []
    for question in questions(inputs, params):
        chosen = pick(look(question, games[question.part], params), question.id)
        found.append(Asked(question, chosen, int(inputs[question.part].head["seed"])))
    return found


def check_seeds(inputs: Mapping[str, Stored], params: Params) -> None:
    """Refuse a "fresh" seed that the sweeps in which candidates were found were played with."""
    for stored in inputs.values():
        if int(stored.head["seed"]) == params.proposals.seed:
            raise ReportError(
                f"proposals.seed = {params.proposals.seed} is the seed of sweep {stored.head['sweep']}; accepted: "
                f"another number, so that the games which judge had no part in picking"
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
        designs = _printed(game, params, most)
        for ask in asked:
            if ask.question.game == game and ask.found.status == PROPOSAL:
                one = design(ask.question, ask.found.row, params)
                if one not in designs:  # several questions may propose the same
                    designs.append(one)
        found[game] = {
            "name": f"{PREFIX}-{game}",
            "title": "Printed rules and proposals on fresh dice",
            "game": game,
            "seed": params.proposals.seed,
            "games": most,
            "by": _BY[game],
            "designs": [{**one, "name": str(number)} for number, one in enumerate(designs, 1)],
        }
    return found


def _printed(game: str, params: Params, most: int) -> list[Row]:
    """The printed rules: every level, Karolinchen by number of players, Parlett's game at every strength."""
    given = params.proposals
    if game == "caterpillars":
        policies = [policy for policy in params.levels.views.values() if policy != "best"]
        return [{"variants": [{"grid": {"level": list(LEVELS)}}], "policies": [*policies, FLOOR]}]
    if game == "karolinchen":
        everybody = dict.fromkeys([params.karolinchen.policy, *given.tails.policies])
        return [{"policies": [{"repeat": list(PLAYERS), "policy": policy} for policy in everybody]}]
    line_ups = [{"repeat": 2, "policy": policy} for policy in given.seats.policies]
    slow = {"repeat": 2, "policy": given.search.policy, "games": min(given.search.games, most)}
    return [{"policies": [*line_ups, slow], "pairs": [{"of": "score", "seats": [0, 1]}]}]


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
    kept = Path(data) / KEPT
    kept.unlink(missing_ok=True)  # until the fresh games are there, nothing is proposed
    for spec in sweeps(asked, params, games).values():
        run(spec, workers=workers, data=data, progress=progress, replace=True)
    kept.parent.mkdir(parents=True, exist_ok=True)
    content = {"seed": params.proposals.seed, "picks": [_plain(asdict(ask)) for ask in asked]}
    kept.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return asked


def _plain(value: Any) -> Any:
    """Without the infinite end of a target, for which JSON has no word."""
    if isinstance(value, dict):
        return {key: _plain(v) for key, v in value.items()}
    return None if isinstance(value, float) and math.isinf(value) else value


def read_picks(data: Path | str, params: Params, game: str) -> list[Asked]:
    """What was picked for a game; an empty list where nothing was ever asked.

    Raises
    ------
    ReportError
        Where the record belongs to another fresh seed.
    """
    path = Path(data) / KEPT
    if not path.is_file():
        return []
    content = json.loads(path.read_text(encoding="utf-8"))
    if content["seed"] != params.proposals.seed:
        raise ReportError(
            f"{path} was judged with seed {content['seed']}, not {params.proposals.seed} (proposals.seed); {AGAIN}"
        )
    asked = [Asked(Question(**a["question"]), Pick(**a["found"]), a["seed"]) for a in content["picks"]]
    return [ask for ask in asked if ask.question.game == game]


def read_fresh(game: str, data: Path | str) -> Stored:
    """The fresh sweep of a game.

    Raises
    ------
    ReportError
        Where it was not finished.
    """
    name = f"{PREFIX}-{game}"
    if not (frames.folder_of(name, data) / manifest.NAME).is_file():
        raise ReportError(f"no finished sweep {name} in {data}; {AGAIN}")
    return read_sweep(name, data)
