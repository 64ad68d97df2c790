"""The strongest short rule: a search over all rules of thumb of a stated family, level by level.

A rule is policy `thumb` (see `sim.games.caterpillars.thumb`) with whole numbers from `FAMILIES`: six at beginner and
intermediate, seven at the levels with bonus boxes. All rules of a family play the same games; the better eighth goes on
to six times as many, until few are left (successive halving: Jamieson and Talwalkar 2016, with common random numbers).
The one that is best then has been picked for its luck too, so it and the runner-up are measured again on fresh games.
Where exact values exist, its loss against optimal play is exact.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim import games as registry
from sim.errors import InputError, play_range, unknown, whole_number
from sim.games.caterpillars.rules import LEVELS, CaterpillarsRules
from sim.league import loss
from sim.league.means import Measured, mean_scores, measure
from sim.store.standings import standings_provenance, write_standings

Values = tuple[int, ...]
#: by level: what each number of a rule may be; every combination is a rule. Numbers left out have no say at the level:
#: labels above 6 do not occur in the standard set-up, and only two levels have bonus boxes.
FAMILIES: dict[str, dict[str, Values]] = {
    "beginner": {
        "low": (2, 3, 4, 5, 6),
        "mid": (1, 2, 3, 4, 5),
        "late": (2, 3, 4, 5, 6, 7),
        "twin": (0, 1, 2),
        "top": (3, 4, 5, 6, 7, 8),
        "bottom": (0, 1, 2, 3),
    },
    "intermediate": {
        "low": (4, 5, 6, 7, 8, 9),
        "mid": (3, 4, 5, 6, 7, 8),
        "late": (0, 2, 4, 6),
        "twin": (0, 1, 2, 3),
        "top": (4, 5, 6, 7, 8),
        "bottom": (0, 1, 2, 3),
    },
    "advanced": {
        "low": (4, 5, 6, 7, 8),
        "mid": (3, 4, 5, 6),
        "late": (0, 2, 4),
        "twin": (0, 1, 2),
        "top": (4, 5, 6, 7),
        "bottom": (0, 1, 2, 3),
        "keep": (2, 3, 4, 5),
    },
    "expert": {
        "low": (8, 9, 10, 11, 12),
        "mid": (8, 9, 10, 11, 12),
        "late": (0, 2, 4),
        "twin": (0, 1, 2),
        "top": (4, 5, 6, 7),
        "bottom": (0, 1, 2),
        "keep": (0, 1, 2, 3, 4),
    },
}
#: shipped policies that the winner is compared with
COMPARED = ("child", "greedy")
#: games of each rule in the first round of the search
FIRST = 500
#: how many times as many games the rules play that go on, and one in how many goes on
MORE, BETTER = 6, 8
#: rules in the last round
LAST = 4
_LOST = {"loss": "value", "loss_low": "low", "loss_high": "high"}
#: rules that are played together
TOGETHER = 64


@dataclass(frozen=True)
class Round:
    """One round of the search: so many rules played so many games each, and the best mean."""

    rules: int
    games: int
    best: float


@dataclass(frozen=True)
class Found:
    """What the search of one level found.

    Attributes
    ----------
    level : str
    rules : int
        Rules of the family, all of them tried.
    rounds : tuple of Round
    winner, runner_up : str
        The policies with their numbers.
    fresh : tuple of Measured
        The winner, the runner-up, and policies to compare with, all on the same games that had no say in the search.
    """

    level: str
    rules: int
    rounds: tuple[Round, ...]
    winner: str
    runner_up: str
    fresh: tuple[Measured, ...]


def family(level: str) -> Iterator[str]:
    """Every rule of a level's family, as a policy."""
    names = list(FAMILIES[level])
    for numbers in itertools.product(*FAMILIES[level].values()):
        yield "thumb(" + ", ".join(f"{k}={v}" for k, v in zip(names, numbers, strict=True)) + ")"


def search(
    level: str,
    *,
    seed: int = 1,
    games: int = 1_000_000,
    workers: int = 1,
    first: int = FIRST,
    every: Sequence[str] | None = None,
    on_rule: Callable[[int, int], None] | None = None,
) -> Found:
    """Search the strongest short rule of a level, and measure it on fresh games.

    Parameters
    ----------
    level : str
    seed : int
        Seed of the games.
    games : int
        Fresh games of the winner and the runner-up.
    workers : int
        Threads; the result does not depend on it.
    first : int
        Games of each rule in the first round.
    every : sequence of str, optional
        Rules to try instead of the whole family.
    on_rule : callable, optional
        Called with (rules done, rules in all) of the round.

    Raises
    ------
    InputError
    """
    if level not in LEVELS:
        raise InputError(unknown("level", level, LEVELS))
    seed, _, games, workers = play_range(seed, 0, games, workers, 2)
    rules = CaterpillarsRules.parse({"level": level})
    assert isinstance(rules, CaterpillarsRules)
    left = list(family(level) if every is None else every)
    if len(left) < 2:
        raise InputError(f"{len(left)} rules were given; accepted: at least 2")
    tried, n, rounds = len(left), whole_number("first", first, 1), []
    begin = 0
    with ThreadPoolExecutor(workers) as pool:
        while True:

            def means(some: Sequence[str], begin: int = begin, n: int = n) -> list[float]:
                return mean_scores(rules, some, seed, begin, n).mean.tolist()

            size = min(TOGETHER, -(-len(left) // workers))  # few rules: a share for every thread
            parts = [left[at : at + size] for at in range(0, len(left), size)]
            found: list[float] = []
            for part in pool.map(means, parts):
                found += part
                if on_rule is not None:
                    on_rule(len(found), len(left))
            order = sorted(range(len(left)), key=lambda i: (-found[i], i))
            rounds.append(Round(len(left), n, found[order[0]]))
            begin += n  # no game decides twice
            left = [left[i] for i in order]
            if len(left) <= LAST:
                break
            left = left[: max(LAST, len(left) // BETTER)]
            n *= MORE
    fresh = measure(rules, [*left[:2], *COMPARED], seed, begin, games, workers)
    return Found(level, tried, tuple(rounds), left[0], left[1], tuple(fresh))


def rows(found: Found, exact: Path | str, seed: int, workers: int = 1) -> list[dict[str, Any]]:
    """Rows of table ``thumb``: the winner, the runner-up and the policies compared, with what each loses."""
    lost = loss.losses(found.level, [m.policy for m in found.fresh], exact, seed=seed, workers=workers)
    return [
        {
            "level": found.level,
            "place": at if at <= 2 else 0,
            "policy": m.policy,
            "rules": found.rules,
            "games": m.mean.n,
            **{"mean": m.mean.value, "low": m.mean.low, "high": m.mean.high},
            **m.behind.row("behind"),
            **{name: getattr(gone, part) for name, part in _LOST.items()},
            "sheets": gone.sheets,
            "against": gone.against,
        }
        for at, (m, gone) in enumerate(zip(found.fresh, lost, strict=True), 1)
    ]


def write(path: Path | str, table: Sequence[Mapping[str, Any]], seed: int, games: int, first: int) -> Path:
    """Write table ``thumb``."""
    room = registry.get("caterpillars")
    told = [room.policies.parse(row["policy"]) for row in table]
    families = {level: {k: list(v) for k, v in FAMILIES[level].items()} for level in {row["level"] for row in table}}
    record = standings_provenance(
        "thumb", room, room.rules_type.parse(None), told, seed=seed, games=games, first=first, families=families
    )
    return write_standings(path, "thumb", table, record)
