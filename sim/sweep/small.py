"""Small data of a sweep: the same scenarios with fewer games, to be kept beside the code; and whether data are current.

Small data are for notebooks and first looks. They are exact counts as everything is, of the first games of the full
sweep: what they say is true, with wider intervals. Data that other code made are worse than none, so `outdated` tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from sim import games as registry
from sim.errors import SimError, whole_number
from sim.sweep import manifest
from sim.sweep.compact import Compacted, compact
from sim.sweep.plan import Plan, plan
from sim.sweep.run import run

#: games of each scenario, at most
GAMES = 10_000

#: folder of small data in the data folder
FOLDER = "small"


def reduced(source: Path | str | Mapping[str, Any], games: int = GAMES) -> dict[str, Any]:
    """The content of a sweep file in which no scenario has more than `games` games.

    Parameters
    ----------
    source : path or mapping
        A sweep file, or the same as a mapping.
    games : int
        At least 1. A scenario that has fewer keeps them.
    """
    most = whole_number("games", games, 1, 2**63 - 1)
    content = source if isinstance(source, Mapping) else yaml.safe_load(Path(source).read_text(encoding="utf-8"))
    return dict(_fewer(content, most))


def _fewer(content: Any, most: int) -> Any:
    if isinstance(content, Mapping):
        return {
            key: min(value, most) if key == "games" and isinstance(value, int) else _fewer(value, most)
            for key, value in content.items()
        }
    return [_fewer(part, most) for part in content] if isinstance(content, list) else content


def small_plan(source: Path | str, games: int = GAMES) -> Plan:
    """The plan of a sweep file with few games."""
    return plan(reduced(source, games))


def make(
    source: Path | str, data: Path | str, *, games: int = GAMES, workers: int = 1, progress: bool = False
) -> Compacted:
    """Play a sweep file with few games into `data` and put the result into few files; a second time does nothing.

    With equal code and libraries the files are equal byte for byte. What other code left there is given up.
    """
    planned = small_plan(source, games)
    if differs(Path(data) / planned.name, planned):
        run(planned, workers=workers, data=data, progress=progress, replace=True)
    return compact(planned.name, data=data)


def differs(folder: Path, planned: Plan) -> str:
    """What a finished sweep in `folder` has otherwise than `planned` would have; an empty text where nothing is.

    Scenario ids tell rules, policies, and the versions of kernel and policies; so a result that changed is noticed, a
    changed comment in the code is not.
    """
    try:
        found = manifest.read(folder)
    except SimError as error:
        return str(error)
    for key, value in manifest.head(planned).items():
        if found.get(key) != value:
            return f"{folder}: {key} = {found.get(key)!r}, now {value!r}"
    kept = {entry["scenario"]: entry["games"] for entry in found["scenarios"]}
    wanted = {cell.id: cell.games for cell in planned.cells}
    for cell in planned.cells:
        if kept.get(cell.id) != cell.games:
            return f"{folder}: {kept.get(cell.id, 0):,} games of {cell.scenario.label}, now {cell.games:,}"
    if set(kept) - set(wanted):
        return f"{folder}: {len(set(kept) - set(wanted))} scenarios that are not planned any more"
    for entry, cell in zip(found["scenarios"], planned.cells, strict=True):
        told = {key: value for key, value in cell.describe().items() if entry.get(key) != value}
        if told:
            return f"{folder}: {next(iter(told))} of {cell.scenario.label} has changed"
    return ""


def outdated(found: Mapping[str, Any]) -> list[str]:
    """Labels of the scenarios of a manifest that the present code would play otherwise, or not at all.

    Parameters
    ----------
    found : mapping
        A manifest, as `sim.sweep.manifest.read` returns it.
    """
    game = registry.get(found["game"])
    return [entry["label"] for entry in found["scenarios"] if _id_now(game, entry) != entry["scenario"]]


def _id_now(game: Any, entry: Mapping[str, Any]) -> str | None:
    try:
        return str(game.scenario(entry["rules"], [policy["text"] for policy in entry["policies"]]).id)
    except SimError:
        return None


def games_of(found: Mapping[str, Any]) -> tuple[int, int]:
    """Fewest and most games of a scenario of a manifest."""
    played: Iterable[int] = [entry["games"] for entry in found["scenarios"]]
    return min(played), max(played)
