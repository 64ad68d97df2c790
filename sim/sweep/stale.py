"""Whether a stored sweep is still what its file would play."""

from __future__ import annotations

from pathlib import Path

from sim.errors import SimError
from sim.sweep import manifest
from sim.sweep.frames import folder_of
from sim.sweep.plan import plan


def stale(sweep: str | Path, data: str | Path = "data") -> str:
    """What is to be said of a stored sweep that its file beside the data folder would not play so; else an empty text.

    Compared are scenarios and their numbers of games (where these are fixed); nothing is played, and no data are read.

    Parameters
    ----------
    sweep : str or path
        Name or folder.
    data : path
        The data folder; the file is ``sweeps/NAME.yaml`` beside it.

    Returns
    -------
    str
        One line: how many of the planned scenarios are stored as planned, and what to run. Empty as well where there is
        no such file or nothing is stored.
    """
    folder = folder_of(sweep, data)
    file = folder.parent.parent / "sweeps" / f"{folder.name}.yaml"
    if not file.is_file():
        return ""
    try:
        planned, stored = plan(file), manifest.read(folder)
    except SimError:
        return ""  # whoever reads the one or plays the other tells what is wrong with it
    fixed = not planned.conditions and planned.spec.minutes is None
    games = {entry["scenario"]: entry["games"] for entry in stored["scenarios"]}
    fitting = sum(
        cell.id in games and (not fixed or games[cell.id] == cell.games) and planned.spec.seed == stored["seed"]
        for cell in planned.cells
    )
    others = len(games.keys() - {cell.id for cell in planned.cells})
    if fitting == len(planned.cells) and not others:
        return ""
    told = f"{fitting} of {len(planned.cells)} scenarios" + (f", and {others} others" if others else "")
    where = "" if folder.parent == Path("data") else f" --data {folder.parent}"
    return f"{folder} was played from another {file} ({told}); run sim sweep {file}{where}"
