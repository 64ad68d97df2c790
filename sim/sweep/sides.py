"""The two sides of a comparison: scenarios of finished sweeps, found by id or label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from sim import games as registry
from sim.errors import InputError, StoreError, listing
from sim.games.base import Scenario
from sim.store.load import read_columns
from sim.sweep import manifest
from sim.sweep.frames import checked, folder_of

#: values and counts
Counted = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Side:
    """A scenario of a finished sweep.

    Attributes
    ----------
    folder : Path
        Of the sweep.
    head : dict
        The manifest of the sweep.
    entry : dict
        The scenario in it.
    """

    folder: Path
    head: dict[str, Any]
    entry: dict[str, Any]

    @property
    def id(self) -> str:
        return str(self.entry["scenario"])

    @property
    def first(self) -> int:
        return int(self.head["first_game"])

    @property
    def end(self) -> int:
        return self.first + int(self.entry["games"])

    def describe(self) -> dict[str, Any]:
        """Which scenario it is, as plain data."""
        told = {"sweep": self.head["sweep"], "scenario": self.id, "label": self.entry["label"]}
        return {**told, "seed": self.head["seed"], "first_game": self.first, "games": self.entry["games"]}

    def _today(self) -> Scenario:
        policies = [{"id": p["id"], **p["parameters"]} for p in self.entry["policies"]]
        return registry.get(self.head["game"]).scenario(self.entry["rules"], policies, self.entry["label"])

    def columns(self) -> list[str]:
        """Names of the columns that its games have."""
        made = self._today()
        return [field.name for field in made.game.fields(made.rules, len(made.policies))]

    def scenario(self) -> Scenario:
        """The scenario itself, to be played again; StoreError where today's code would play it differently."""
        made = self._today()
        if made.id != self.id:
            raise StoreError(
                f"scenario {self.id} of {self.head['sweep']} was played by another version of the game or its policies"
                f"; accepted: a sweep of this version (sim sweep plays it again)"
            )
        return made

    def arrays(self, table: str) -> list[dict[str, np.ndarray]]:
        """The columns of its files of a table."""
        files = [file for file in self.entry["files"] if file["table"] == table]
        return [read_columns(checked(self.folder, file)) for file in files]

    def counted(self, of: str, seat: int) -> Counted | None:
        """Values of a column and their counts from the files of counts; None where they do not hold it."""
        if self.head["detail"] != "summary" or of not in self.head["by"]:
            return None
        (found,) = self.arrays("counts")
        here = found["seat"] == seat
        return found[of][here].astype(np.float64), found["count"][here]


def find(given: Sequence[str], sweeps: Sequence[str | Path], data: str | Path) -> tuple[Side, Side]:
    """The two sides that were named: of one sweep if possible, else of sweeps with the same games.

    Parameters
    ----------
    given : two str
        Ids, beginnings of ids (at least four characters) or labels.
    sweeps : sequence of str or path
        Where to look, in this order; all finished sweeps of the data folder where it is empty.
    data : path
    """
    folders = [folder_of(sweep, data) for sweep in sweeps]
    folders = folders or [path.parent for path in sorted(Path(data).glob(f"*/{manifest.NAME}"))]
    heads = [(folder, manifest.read(folder)) for folder in folders]
    sides = [Side(folder, head, entry) for folder, head in heads for entry in head["scenarios"]]
    found = [_named(text, sides) for text in given]
    pairs = list(product(*found))
    # the earliest where several are as good: the order of folders is fixed
    best = max(pairs, key=lambda pair: (pair[0].folder == pair[1].folder, common(*pair), _known(*pair)))
    return best[0], best[1]


def _named(text: str, sides: Sequence[Side]) -> list[Side]:
    hits = [side for side in sides if side.entry["label"] == text]
    hits = hits or [side for side in sides if len(text) >= 4 and side.id.startswith(text)]
    ids = list(dict.fromkeys(side.id for side in hits))
    if len(ids) == 1:
        return hits
    if ids:
        places = dict.fromkeys(f"{side.id} ({side.head['sweep']}: {side.entry['label']})" for side in hits)
        raise InputError(f"'{text}' fits {listing(places, 6)}; accepted: the id of one of them, or --sweep")
    known = dict.fromkeys(f"{side.id} ({side.entry['label']})" for side in sides)
    raise InputError(
        f"'{text}' is no scenario of a finished sweep; accepted: an id, the beginning of one (4 characters) or a label"
        f", such as {listing(known, 6) or 'there will be after sim sweep FILE'}"
    )


def common(a: Side, b: Side) -> int:
    """How many games both played on the same dice."""
    if a.head["seed"] != b.head["seed"]:
        return 0
    return max(0, min(a.end, b.end) - max(a.first, b.first))


def _known(a: Side, b: Side) -> bool:
    """Whether a sweep holds their difference already."""
    sides = ((a, b), (b, a))
    return any(pair["against"] == other.id for one, other in sides for pair in one.entry["pairs"])
