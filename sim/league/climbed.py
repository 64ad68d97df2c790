"""Kept ladders: read again, and a random pair of neighbours of each played again."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from sim import games as registry
from sim.errors import FaultError, InputError
from sim.league.ladder import first_games
from sim.league.units import plan
from sim.store.load import read_arrow, read_footer

#: where ladders are kept
RESULTS = Path("data/ladders")


def read(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Provenance and rungs (lowest first) of a kept ladder."""
    footer = read_footer(path)
    if footer.provenance["table"] != "ladder":
        raise InputError(f"{path} holds a table {footer.provenance['table']}; accepted: a file of `sim ladder`")
    return footer.provenance, read_arrow(footer).to_pylist()


def check(seed: int, results: Path = RESULTS) -> list[dict[str, Any]]:
    """Play a random pair of neighbours of every kept ladder again: its first games must come out the same.

    Returns
    -------
    list of dict
        ``ladder upper lower kept again passed``.

    Raises
    ------
    InputError
        If no ladders are kept.
    """
    found = sorted(results.glob("*.parquet"))
    if not found:
        raise InputError(f"{results} holds no ladders; accepted: the folder that `sim ladder` writes to")
    out = []
    for path in found:
        made, rungs = read(path)
        room = registry.get(made["game"])
        rules = room.rules_type.parse(made["rules"])
        upper = random.Random(f"{seed} {path.stem}").randrange(1, len(rungs))
        pair = [room.policies.parse(rungs[i]["policy"]) for i in (upper, upper - 1)]
        kept = tuple(rungs[upper][name] for name in ("first_wins", "first_draws", "first_losses"))
        meetings = len(plan(room, pair).meetings[0])
        again = first_games(room, rules, pair[0], pair[1], made["seed"], sum(kept) // meetings)
        out.append(
            {
                "ladder": path.stem,
                "upper": pair[0].text(),
                "lower": pair[1].text(),
                "kept": list(kept),
                "again": list(again),
                "passed": kept == again,
            }
        )
    return out


def fault(found: list[dict[str, Any]]) -> FaultError | None:
    """One line on a ladder that is no longer what it was, if any."""
    bad = [row for row in found if not row["passed"]]
    if not bad:
        return None
    row = bad[0]
    return FaultError(
        f"kept ladder {row['ladder']} is not what is played now: {row['upper']} against {row['lower']} won, drew, lost "
        f"{row['kept']} of the first games, now {row['again']}; make it again with `make ladders`"
    )


def text(found: list[dict[str, Any]], seed: int) -> str:
    """What was played again, as JSON text."""
    return json.dumps({"passed": fault(found) is None, "seed": seed, "ladders": found}, indent=1) + "\n"
