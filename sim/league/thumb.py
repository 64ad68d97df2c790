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

import numpy as np

from sim import games as registry
from sim.errors import InputError, unknown, whole_number
from sim.games.base import Policy
from sim.games.caterpillars.rules import LEVELS, CaterpillarsRules
from sim.stats import Estimate, mean, paired
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
#: rules are asked in blocks of so many games
BLOCK = 2000


@dataclass(frozen=True)
class Round:
    """One round of the search: so many rules played so many games each, and the best mean."""

    rules: int
    games: int
    best: float


@dataclass(frozen=True)
class Measured:
    """A policy on the games that had no say in the search.

    Attributes
    ----------
    policy : str
    mean : Estimate
        Mean end total, in points.
    behind : Estimate
        The winner's end total minus this policy's, on the same dice, in points.
    """

    policy: str
    mean: Estimate
    behind: Estimate


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


def scores(rules: CaterpillarsRules, policy: Policy, seed: int, first: int, games: int) -> Iterator[np.ndarray]:
    """End totals of one player's games, block by block: int64[at most BLOCK]."""
    playable = registry.get("caterpillars").compile(rules, [policy])
    scratch = playable.scratch()
    at = [field.name for field in playable.fields].index("score")
    for start in range(first, first + games, BLOCK):
        n = min(BLOCK, first + games - start)
        out = np.zeros((len(playable.fields), n), np.int32)
        playable.play(seed, start, n, out, scratch)
        yield out[at].astype(np.int64)


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
    whole_number("games", games, 2)
    rules = CaterpillarsRules.parse({"level": level})
    assert isinstance(rules, CaterpillarsRules)
    room = registry.get("caterpillars")
    left = list(family(level) if every is None else every)
    if len(left) < 2:
        raise InputError(f"{len(left)} rules were given; accepted: at least 2")
    tried, n, rounds = len(left), whole_number("first", first, 1), []
    begin = 0
    with ThreadPoolExecutor(workers) as pool:
        while True:

            def total(policy: str, begin: int = begin, n: int = n) -> int:
                return sum(int(s.sum()) for s in scores(rules, room.policies.parse(policy), seed, begin, n))

            totals = []
            for done, value in enumerate(pool.map(total, left), 1):
                totals.append(value)
                if on_rule is not None:
                    on_rule(done, len(left))
            order = sorted(range(len(left)), key=lambda i: (-totals[i], i))
            rounds.append(Round(len(left), n, totals[order[0]] / n))
            begin += n  # no game decides twice
            left = [left[i] for i in order]
            if len(left) <= LAST:
                break
            left = left[: max(LAST, len(left) // BETTER)]
            n *= MORE
    fresh = measure(rules, [*left[:2], *COMPARED], seed, begin, games, workers)
    return Found(level, tried, tuple(rounds), left[0], left[1], tuple(fresh))


def measure(
    rules: CaterpillarsRules, policies: Sequence[str], seed: int, first: int, games: int, workers: int = 1
) -> list[Measured]:
    """Mean end totals of policies on the same games, and how far each is behind the first one.

    Memory does not grow with the number of games.
    """
    room = registry.get("caterpillars")
    parsed = [room.policies.parse(p) for p in policies]
    most = rules.max_score

    def counted(span: tuple[int, int]) -> np.ndarray:
        counts = np.zeros((len(parsed), 2, 2 * most + 1), np.int64)
        for blocks in zip(*(scores(rules, p, seed, *span) for p in parsed), strict=True):
            for at, block in enumerate(blocks):
                counts[at, 0] += np.bincount(block + most, minlength=2 * most + 1)
                counts[at, 1] += np.bincount(blocks[0] - block + most, minlength=2 * most + 1)
        return counts

    spans = [(start, min(50 * BLOCK, first + games - start)) for start in range(first, first + games, 50 * BLOCK)]
    with ThreadPoolExecutor(workers) as pool:
        total = np.sum(list(pool.map(counted, spans)), axis=0)
    points = np.arange(-most, most + 1)
    return [
        Measured(p.text(), mean(points, counts[0]), paired(points, counts[1]).mean)
        for p, counts in zip(parsed, total, strict=True)
    ]


def rows(found: Found, exact: Path | str, seed: int, workers: int = 1) -> list[dict[str, Any]]:
    """Rows of table ``thumb``: the winner, the runner-up and the policies compared, with what each loses."""
    from sim.league.loss import losses

    lost = losses(found.level, [m.policy for m in found.fresh], exact, seed=seed, workers=workers)
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
