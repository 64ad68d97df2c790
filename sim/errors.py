"""What can go wrong, in one line each: what was given, and what would be accepted.

Every error a user can cause is a `SimError`. The command line prints its text after `sim: error:` and
nothing else, so a message is one line, names the value given and lists what would be accepted.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SimError(Exception):
    """Base of every error that is the caller's to mend (exit status 2)."""


class RulesError(SimError):
    """An unknown rule parameter, a value out of range, or an impossible game."""


class PolicyError(SimError):
    """An unknown policy, a policy parameter out of range, or the wrong number of seats."""


class InputError(SimError):
    """Any other wrong argument: game counts, seeds, columns, file names."""


class SweepError(SimError):
    """A sweep file that cannot be understood or planned."""


class StoreError(SimError):
    """A data file or folder that is missing, damaged, foreign or cannot be written."""


class DiskError(StoreError):
    """A disk that is full, or fails, while a run writes to it (exit status 1)."""


class ReportError(SimError):
    """A report that cannot be built: missing facts, unknown placeholders."""


class FaultError(Exception):
    """A fault while running that is not the caller's (exit status 1)."""


def listing(values: Iterable[object], most: int = 40) -> str:
    """Join values for a message; long lists are cut and say so."""
    texts = [str(value) for value in values]
    if len(texts) > most:
        return ", ".join(texts[:most]) + f", … ({len(texts)} in all)"
    return ", ".join(texts)


def unknown(what: str, given: object, accepted: Iterable[object]) -> str:
    """Message for a name that is not in a list, with the nearest accepted name where one is close."""
    names = [str(value) for value in accepted]
    close = difflib.get_close_matches(str(given), names, n=1)
    hint = f" (did you mean {close[0]}?)" if close else ""
    return f"unknown {what} '{given}'{hint}; accepted: {listing(names)}"


def whole_number(name: str, value: object, low: int, high: int | None = None) -> int:
    """Return `value` as an int in [low, high] or raise `InputError` naming the limits."""
    limit = f"a whole number of at least {low}" if high is None else f"a whole number from {low} to {high}"
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise InputError(f"{name} = {value!r} is not accepted; accepted: {limit}")
    number = int(value.__index__())
    if number < low or (high is not None and number > high):
        raise InputError(f"{name} = {number} is not accepted; accepted: {limit}")
    return number


def play_range(
    seed: object, first_game: object, games: object, workers: object, least: int = 1
) -> tuple[int, int, int, int]:
    """Seed, first game, number of games (at least `least`) and threads of a call, as whole numbers within limits."""
    first = whole_number("first_game", first_game, 0, 2**63 - 2)
    return (
        whole_number("seed", seed, 0, 2**64 - 1),
        first,
        whole_number("games", games, least, 2**63 - 1 - first),
        whole_number("workers", workers, 1, 1024),
    )
