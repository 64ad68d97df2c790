"""Ladders: policies of known strength, every rung surely stronger than the one below it.

From a pool of policies all are compared on the same games, and the longest chain is taken whose neighbours are at least
`gap` apart: win rate against the rung below above 1/2 + gap, or a mean score so much higher on the same dice. Choosing
the best of many comparisons flatters them, so the chosen ladder is measured again on fresh games, and only these
numbers are told, with intervals that hold for all neighbours together.

Policies that think for long cannot meet everybody. Those in ``top`` are put on the chain in their order, each if it is
surely above the rung below on `top_games` fresh games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from sim import games as registry
from sim.errors import InputError, SweepError, unknown, whole_number
from sim.games.base import Game, Policy, RulesModel
from sim.league.chain import longest_chain
from sim.league.tournament import check_field, check_lineups, labels_of
from sim.league.units import Played, plan, play
from sim.stats import Estimate, paired_share
from sim.store.standings import standings_provenance, write_standings

LEVEL = 0.95
#: game indices per pair of neighbours that a later check plays again and finds the same
FIRST = 1000
#: what rungs may be apart in: column of the interval and what it is told in
MEASURES = ("win", "score")


@dataclass(frozen=True)
class Pool:
    """What a ladder is chosen from; the content of a file in ``sweeps/ladders``.

    Attributes
    ----------
    by : {"win", "score"}
        What neighbours have to be apart in.
    gap : float
        By how much: share of wins above one half, or points.
    games, measure : int
        Game indices for choosing (seed `seed`) and for measuring (the seed after it).
    rungs, noise : int
        At most so many, and at most so many of them that slip.
    top : tuple of Policy
        Slow ones for the upper end, the weakest first.
    top_games : int
        Game indices for each of them.
    """

    name: str
    game: Game
    rules: RulesModel
    policies: tuple[Policy, ...]
    by: str
    gap: float
    games: int
    measure: int
    seed: int
    rungs: int
    noise: int
    top: tuple[Policy, ...]
    top_games: int


def read_pool(source: Path | str | Mapping[str, Any]) -> Pool:
    """A pool from a YAML file or the same as a mapping.

    Raises
    ------
    SimError
        In one line: what was given, what is accepted.
    """
    import yaml

    name = "ladder"
    given: Any = source
    if not isinstance(source, Mapping):
        name = Path(source).stem
        try:
            given = yaml.safe_load(Path(source).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            raise SweepError(f"cannot read {source}; accepted: a pool of policies, as in sweeps/ladders") from None
        except yaml.YAMLError:
            given = None
    known = ("game", "rules", "by", "gap", "games", "measure", "seed", "rungs", "noise", "pool", "top", "top_games")
    if not isinstance(given, Mapping) or not {"game", "pool"} <= set(given):
        wanted = ", ".join(key for key in known if key not in ("game", "pool"))
        raise SweepError(f"{name} is not a pool; accepted: YAML with game, pool and, if wanted, {wanted}")
    for key in given:
        if key not in known:
            raise SweepError(unknown(f"key of pool {name}", key, known))
    room = registry.get(str(given["game"]))
    rules = room.rules_type.parse(given.get("rules"))
    pool = given["pool"]
    policies = check_field(room, rules, pool if isinstance(pool, Sequence) else [])
    top = [room.policies.parse(p) for p in given.get("top") or ()]
    texts = labels_of([*policies, *top])
    if any("#" in text for text in texts):
        raise SweepError(f"pool {name} names a policy twice; accepted: each once")
    by = str(given.get("by", "win"))
    if by not in MEASURES:
        raise SweepError(unknown(f"measure (by) of pool {name}", by, MEASURES))
    if by == "score" and "score" not in [f.name for f in room.fields(rules, 2)]:
        raise SweepError(f"pool {name}: {room.name} has no scores; accepted: by: win")
    limit, unit = (0.5, "share of wins above one half") if by == "win" else (1_000, "points")
    gap = given.get("gap", 0.01 if by == "win" else 0.15)
    if isinstance(gap, bool) or not isinstance(gap, int | float) or not 0 <= gap < limit:
        raise SweepError(
            f"gap = {gap!r} of pool {name} is not accepted; accepted: a number from 0, less than {limit:,} ({unit})"
        )
    games = whole_number("games", given.get("games", 20_000), 2, 2**40)
    rungs = whole_number("rungs", given.get("rungs", 10), 2, 1000)
    if len(top) > rungs - 2:
        raise SweepError(f"pool {name} has {len(top)} policies in top; accepted: at most {rungs - 2} of {rungs} rungs")
    return Pool(
        name,
        room,
        rules,
        tuple(policies),
        by,
        float(gap),
        games,
        whole_number("measure", given.get("measure", games), 2, 2**40),
        whole_number("seed", given.get("seed", 1), 0, 2**64 - 2),
        rungs,
        whole_number("noise", given.get("noise", 3), 0, 1000),
        tuple(top),
        whole_number("top_games", given.get("top_games", games), 2, games),
    )


def _apart(pool: Pool, played: Played, i: int, j: int, level: float) -> Estimate:
    """By how much policy i is above policy j, in the pool's measure."""
    if pool.by == "win":
        return paired_share(*played.compared(i, j), played.units, level).scaled(1.0, -0.5)
    assert played.scores is not None
    weights = np.zeros(len(played.plan.places))
    weights[i] += 1
    weights[j] -= 1
    return played.scores.contrast(weights, level)


@dataclass(frozen=True)
class Ladder:
    """A ladder, measured on fresh games.

    Attributes
    ----------
    pool : Pool
    rungs : tuple of Policy
        Weakest first.
    gains : list of Estimate
        Of each rung but the lowest over the one below, in the pool's measure; the intervals hold for all together.
    rates : list of Estimate
        The same as win rates.
    floors : list of Estimate
        Win rate of each rung but the lowest against the lowest, each with its own 95 % interval.
    first : list of (won, drawn, lost)
        Games of each rung against the one below on the first game indices, the two of them alone.
    games : list of int
        Game indices behind each rung but the lowest.
    ranges : list of (Policy, Policy, Estimate)
        How far skill reaches: win rate of the strongest against the weakest of the pool, and against `random`.
    """

    pool: Pool
    rungs: tuple[Policy, ...]
    gains: list[Estimate]
    rates: list[Estimate]
    floors: list[Estimate]
    first: list[tuple[int, int, int]]
    games: list[int]
    ranges: list[tuple[Policy, Policy, Estimate]]

    @property
    def holds(self) -> bool:
        """Whether every gain is surely above the gap on the fresh games as well."""
        return all(e.low > self.pool.gap for e in self.gains)

    def rows(self) -> list[dict[str, Any]]:
        """One row per rung, the lowest first: the table ``ladder`` of the register."""
        even = Estimate(0.5, 0.5, 0.5, self.pool.measure, LEVEL, "itself")
        rows = []
        for i, policy in enumerate(self.rungs):
            gain = self.gains[i - 1] if i else even.scaled(1.0, -0.5)
            won, drawn, lost = self.first[i - 1] if i else (0, 0, 0)
            rows.append(
                {
                    "rung": i + 1,
                    "policy": policy.text(),
                    "noise": policy.slip > 0,
                    "games": self.games[i - 1] if i else 0,
                    **gain.row("gain"),
                    **(self.rates[i - 1] if i else even).row("rate"),
                    **(self.floors[i - 1] if i else even).row("floor"),
                    "first_wins": won,
                    "first_draws": drawn,
                    "first_losses": lost,
                }
            )
        return rows

    def range_rows(self) -> list[dict[str, Any]]:
        """`ranges` as plain data."""
        return [{"first": a.text(), "second": b.text(), **e.row("rate")} for a, b, e in self.ranges]

    def write(self, path: Path | str) -> Path:
        """The rungs as Parquet; the footer tells what they were chosen from, and how far skill reaches."""
        pool = self.pool
        made = standings_provenance(
            "ladder",
            pool.game,
            pool.rules,
            self.rungs,
            seed=pool.seed + 1,
            games=pool.measure,
            chosen={"seed": pool.seed, "games": pool.games, "pool": [p.text() for p in pool.policies]},
            top={"games": pool.top_games, "pool": [p.text() for p in pool.top]},
            asked={"by": pool.by, "gap": pool.gap, "rungs": pool.rungs, "noise": pool.noise},
            ranges=self.range_rows(),
        )
        return write_standings(path, "ladder", self.rows(), made)


def first_games(
    game: Game, rules: RulesModel, upper: Policy, lower: Policy, seed: int, units: int = FIRST
) -> tuple[int, int, int]:
    """Games won, drawn and lost by the upper of two rungs, the two alone, on the first game indices of a seed."""
    results = play(game, rules, plan(game, [upper, lower]), seed=seed, games=units).results[0]
    return int(results[2]), int(results[1]), int(results[0])


def make_ladder(source: Pool | Path | str | Mapping[str, Any], *, workers: int = 1) -> Ladder:
    """Choose a ladder from a pool, and measure it on fresh games."""
    pool = source if isinstance(source, Pool) else read_pool(source)
    wanted = plan(pool.game, pool.policies)
    check_lineups(pool.game, pool.rules, wanted)
    if pool.top:
        check_lineups(pool.game, pool.rules, plan(pool.game, [*pool.policies[:1], *pool.top]))
    threads = whole_number("workers", workers, 1, 1024)
    played = play(pool.game, pool.rules, wanted, seed=pool.seed, games=pool.games, workers=threads)
    order, margin = _ranking(pool, played)
    noisy = [p.slip > 0 for p in pool.policies]
    room = len(pool.top)
    while True:
        # rungs are kept free for the slow ones; where these do not hold, the chain may use them after all
        spent = sum(p.slip > 0 for p in pool.top)
        chain = longest_chain(order, margin, noisy, pool.rungs - room, max(0, pool.noise - spent))
        if len(chain) < 2:
            raise InputError(
                f"pool {pool.name}: no two policies are surely {pool.gap:g} apart; accepted: more games, or others"
            )
        ladder = _measured(pool, chain, order, threads)
        for policy in pool.top:
            ladder = _with_top(ladder, policy, threads)
        added = len(ladder.rungs) - len(chain)
        if added == room:
            return ladder
        room = added


def _ranking(pool: Pool, played: Played) -> tuple[list[int], np.ndarray]:
    """Policies of the pool, weakest first, and by how much each is surely more than the gap above each other one."""
    k, pairs = len(pool.policies), played.plan.pairs
    level = 1 - (1 - LEVEL) / len(pairs)
    margin = np.full((k, k), -np.inf)
    for i, j in pairs:
        margin[i, j] = _apart(pool, played, i, j, level).low - pool.gap
        margin[j, i] = _apart(pool, played, j, i, level).low - pool.gap
    if pool.by == "score":
        assert played.scores is not None
        strength = played.scores.mean
    else:
        strength = np.array([np.mean([played.compared(i, j)[0] for j in range(k) if j != i]) for i in range(k)])
    return [int(i) for i in np.argsort(strength, kind="stable")], margin


def _rate(played: Played, pair: tuple[int, int], level: float = LEVEL) -> Estimate:
    return paired_share(*played.compared(*pair), played.units, level)


def _measured(pool: Pool, chain: list[int], order: list[int], threads: int) -> Ladder:
    """The chain on fresh games; intervals leave room for the slow policies above it."""
    names = [p.id for p in pool.policies]
    reach = [(order[-1], order[0])]
    if "random" in names and names.index("random") not in reach[0]:
        reach.append((order[-1], names.index("random")))
    everybody = sorted({*chain, *(i for pair in reach for i in pair)})
    at = {i: n for n, i in enumerate(everybody)}
    policies = [pool.policies[i] for i in everybody]
    steps = [(at[b], at[a]) for a, b in pairwise(chain)]
    down = [(at[i], at[chain[0]]) for i in chain[1:]]
    far = [(at[a], at[b]) for a, b in reach]
    wanted = plan(pool.game, policies, list(dict.fromkeys([*steps, *down, *far])))
    seed = pool.seed + 1
    played = play(pool.game, pool.rules, wanted, seed=seed, games=pool.measure, workers=threads)
    level = _level(pool)
    rungs = tuple(pool.policies[i] for i in chain)
    return Ladder(
        pool,
        rungs,
        [_apart(pool, played, a, b, level) for a, b in steps],
        [_rate(played, pair, level) for pair in steps],
        [_rate(played, pair) for pair in down],
        [first_games(pool.game, pool.rules, b, a, seed) for a, b in pairwise(rungs)],
        [pool.measure] * len(steps),
        [(policies[a], policies[b], _rate(played, (a, b))) for a, b in far],
    )


def _level(pool: Pool) -> float:
    """Level of each neighbour's interval, so that all of them hold together (Bonferroni, for the longest ladder)."""
    return 1 - (1 - LEVEL) / (pool.rungs - 1)


def _with_top(ladder: Ladder, policy: Policy, threads: int) -> Ladder:
    """The ladder with a slow policy on it, if it is surely above; else as it was."""
    pool, seed = ladder.pool, ladder.pool.seed + 1
    wanted = plan(pool.game, [policy, ladder.rungs[-1], ladder.rungs[0]], [(0, 1), (0, 2)])
    played = play(pool.game, pool.rules, wanted, seed=seed, games=pool.top_games, workers=threads)
    gain = _apart(pool, played, 0, 1, _level(pool))
    if gain.low <= pool.gap:
        return ladder
    first = first_games(pool.game, pool.rules, policy, ladder.rungs[-1], seed, max(1, min(FIRST, pool.top_games // 10)))
    return replace(
        ladder,
        rungs=(*ladder.rungs, policy),
        gains=[*ladder.gains, gain],
        rates=[*ladder.rates, _rate(played, (0, 1), _level(pool))],
        floors=[*ladder.floors, _rate(played, (0, 2))],
        first=[*ladder.first, first],
        games=[*ladder.games, pool.top_games],
        ranges=[*ladder.ranges, (policy, ladder.rungs[0], _rate(played, (0, 2)))],
    )
