"""Which data a notebook runs on: the full sweep where it was played, else the small one that is shipped."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sim.errors import StoreError
from sim.sweep import manifest, small


@dataclass(frozen=True)
class Source:
    """A finished sweep that the present code made: `data` is the folder that `sim.load` takes, `told` says which."""

    sweep: str
    data: str
    told: str


def source(sweep: str, data: str) -> Source:
    """The sweep in `data`, or where it was never played there the small one in `data`/small; checked, and told.

    Data that other rules, policies or kernels made are an error, not a fallback: a notebook shows no old results.
    """
    folder, kept = Path(data) / sweep, Path(data) / small.FOLDER / sweep
    full = (folder / manifest.NAME).exists() or not kept.is_dir()
    chosen = folder if full else kept
    found = manifest.read(chosen)
    old = small.outdated(found)
    if old:
        again = "make small" if kept == chosen or Path(data).name == small.FOLDER else f"sim sweep sweeps/{sweep}.yaml"
        raise StoreError(
            f"{chosen} holds results of another version of the rules or policies ({len(old)} of "
            f"{len(found['scenarios'])} scenarios, first {old[0]}); accepted: current data (run `{again}`)"
        )
    least, most = small.games_of(found)
    games = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    what = f"{len(found['scenarios'])} scenarios of {games} games each, seed {found['seed']}"
    if full and Path(data).name != small.FOLDER:
        told = f"**Data.** The full sweep `{sweep}`: {what}."
    else:
        more = " It was begun here and is not finished." if folder.is_dir() else ""
        told = (
            f"**Data.** The small sweep `{sweep}` that is shipped: {what}. Intervals are wide; `make report` plays the "
            f"full sweep, and this page then takes that.{more}"
        )
    return Source(sweep, str(chosen.parent), told)
