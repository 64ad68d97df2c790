"""The contract of a policy, for users: does a file of policies keep what every built-in policy keeps?

Each policy plays typical variants, with its defaults and with every parameter at both ends of its range, and

- chooses only among what is offered, always;
- plays the same games again, also when a run starts in the middle: it keeps nothing in mind between games;
- uses its random number if and only if it says so;
- plays the same games as plain Python, where it may read what it is shown but not write to it. This is what finds a
  place outside an array, which compiled code reads without a word.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sim.engine.digest import digest
from sim.engine.jit import COMPILED
from sim.errors import PolicyError
from sim.games import get
from sim.games.base import Game, Policy
from sim.games.own import load

#: rules to play under; the first is also played by the slow plain lane
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "caterpillars": [
        {"level": "advanced"},
        {"level": "beginner"},
        {"level": "intermediate", "setup": "variation"},
        {"level": "expert", "zero_rule": "split"},
        {"level": "expert", "boxes": 1, "final": "total"},
    ],
    "karolinchen": [{"new_card_take": "may"}, {}],
    "parlett": [{"deals": 2}, {"block": "barred"}, {"hand_size": 20}],
}
GAMES = 200
PLAIN_GAMES = 2
SEED = 2_026
_ALONE = "accepted: a function of its arguments alone"


@dataclass(frozen=True)
class Checked:
    """What was found out about one policy: the settings and variants played, and the games."""

    game: str
    policy: str
    settings: int
    variants: int
    games: int


def settings(policy: Policy, every: bool) -> Iterator[Policy]:
    """A policy with its defaults and, with `every`, each own parameter at both ends or at each choice."""
    yield policy
    for at, parameter in enumerate(policy.info.parameters if every else ()):
        for value in parameter.choices or (parameter.low, parameter.high):
            if parameter.name == "placement" and value == "optimal":  # exact values of the whole game: not everywhere
                continue
            values = list(policy.values)
            values[at] = value
            yield replace(policy, values=tuple(values))


def _play(game: Game, rules: Mapping[str, Any], policy: Policy, first: int, games: int) -> np.ndarray:
    playable = game.compile(game.rules_type.parse(rules), [policy, policy])
    out = np.zeros((len(playable.fields), 2 * games), np.int32)
    playable.play(SEED, first, games, out, playable.scratch())
    return out


def _check(game: Game, policy: Policy) -> Checked:
    name, where = policy.id, policy.info.code.where if policy.info.code else policy.id
    played = 0
    chosen = list(settings(policy, True))
    for rules in VARIANTS[game.name]:
        for setting in chosen:
            told = f"{where}: policy {setting.text()} under {dict(rules) or 'the default rules'}"
            whole = _play(game, rules, setting, 0, GAMES)
            if not (whole == _play(game, rules, setting, 0, GAMES)).all():
                raise PolicyError(f"{told} plays other games in a second run; {_ALONE}")
            half = _play(game, rules, setting, GAMES // 2, GAMES // 2)
            if not (whole[:, GAMES:] == half).all():
                raise PolicyError(f"{told} plays other games when a run starts later; {_ALONE}")
            played += 2 * GAMES + GAMES // 2
        if not policy.info.draws:
            drawing = replace(policy, info=replace(policy.info, draws=True))
            if not (_play(game, rules, policy, 0, GAMES) == _play(game, rules, drawing, 0, GAMES)).all():
                raise PolicyError(f"{where}: policy {name} uses its random number; accepted: draws=True")
    return Checked(game.name, name, len(chosen), len(VARIANTS[game.name]), played)


def _plain_digests(path: Path) -> dict[str, str]:
    """Fingerprints of a few games of every policy of a file, in the lane that this process plays in."""
    found = {}
    for key in load(path):
        name, _, id = key.partition(":")
        game = get(name)
        policy = game.policies.parse(id)
        for setting in settings(policy, True):
            out = _play(game, VARIANTS[name][0], setting, 0, PLAIN_GAMES)
            found[f"{name}: {setting.text()}"] = digest(out)
    return found


def check_file(path: str | Path) -> list[Checked]:
    """Check every policy of a file; the module's docstring says what for.

    Raises
    ------
    PolicyError, InputError
        The first breach of the contract, in one line with file and line number.
    """
    file = Path(path)
    checked = []
    for key in load(file):
        name, _, id = key.partition(":")
        game = get(name)
        checked.append(_check(game, game.policies.parse(id)))
    if COMPILED:
        _compare_lanes(file)
    return checked


def _compare_lanes(file: Path) -> None:
    own = _plain_digests(file)
    command = [sys.executable, "-m", "sim.verify.own", str(file)]
    done = subprocess.run(command, env={**os.environ, "SIM_JIT": "0"}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        raise PolicyError(f"as plain Python, {lines[-1]}")
    plain = json.loads(done.stdout)
    for told, value in own.items():
        if plain.get(told) != value:
            raise PolicyError(
                f"{file}: {told} plays other games when compiled than as plain Python; look for whole numbers that "
                f"grow too large, divisions by zero and places outside an array"
            )


if __name__ == "__main__":
    try:
        print(json.dumps(_plain_digests(Path(sys.argv[1]))))
    except PolicyError as error:
        sys.exit(str(error))
