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
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
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


@contextmanager
def _limit(seconds: float | None, text: str, late: Callable[[str], None] | None) -> Iterator[None]:
    """Call ``late(text)`` from another thread if the block takes longer."""
    if seconds is None or late is None:
        yield
        return
    timer = threading.Timer(seconds, late, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def check_file(
    path: str | Path, seconds: float | None = None, late: Callable[[str], None] | None = None
) -> list[Checked]:
    """Check every policy of a file; the module's docstring says what for.

    Parameters
    ----------
    path : str or Path
        The file.
    seconds : float, optional
        Time for the games of each policy, without compiling. Plain Python is stopped after it.
    late : callable, optional
        Called from another thread with what to say when compiled games take longer: nothing but the end of the process
        stops an endless loop in compiled code.

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
        policy = game.policies.parse(id)
        _play(game, VARIANTS[name][0], policy, 0, 0)  # compiles; no policy is asked
        where = policy.info.code.where if policy.info.code else str(file)
        with _limit(seconds, f"{where}: policy {id} {_late(seconds)}", late):
            checked.append(_check(game, policy))
    if COMPILED:
        _compare_lanes(file, seconds and seconds * len(checked))
    return checked


def _late(seconds: float | None) -> str:
    return f"did not play its games within {seconds or 0:g} s; accepted: no endless loop, or more with --seconds"


def _compare_lanes(file: Path, seconds: float | None) -> None:
    own = _plain_digests(file)
    command = [sys.executable, "-m", "sim.verify.own", str(file)]
    plainly = {**os.environ, "SIM_JIT": "0"}
    try:
        done = subprocess.run(command, env=plainly, capture_output=True, text=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise PolicyError(f"{file}:1: as plain Python, a policy {_late(seconds)}") from None
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
