"""Ladders: policies of known strength, every rung surely stronger than the one below it.

From a pool of policies all are compared on the same games, and the longest chain is taken whose neighbours are at least
`gap` apart: win rate against the rung below above 1/2 + gap, or a mean score so much higher on the same dice. Choosing
the best of many comparisons flatters them, so the chosen ladder is measured again on fresh games, and only these
numbers are told, with intervals that hold for all neighbours together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
    known = ("game", "rules", "by", "gap", "games", "measure", "seed", "rungs", "noise", "pool")
    if not isinstance(given, Mapping) or not {"game", "pool"} <= set(given):
        raise SweepError(f"{name} is not a pool; accepted: YAML with game, pool and, if wanted, {', '.join(known)}")
    for key in given:
        if key not in known:
            raise SweepError(unknown(f"key of pool {name}", key, known))
    room = registry.get(str(given["game"]))
    rules = room.rules_type.parse(given.get("rules"))
    pool = given["pool"]
    policies = check_field(room, rules, pool if isinstance(pool, Sequence) else [])
    texts = labels_of(policies)
    if any("#" in text for text in texts):
        raise SweepError(f"pool {name} names a policy twice; accepted: each once")
    by = str(given.get("by", "win"))
    if by not in MEASURES:
        raise SweepError(unknown(f"measure (by) of pool {name}", by, MEASURES))
    if by == "score" and "score" not in [f.name for f in room.fields(rules, 2)]:
        raise SweepError(f"pool {name}: {room.name} has no scores; accepted: by: win")
    gap = given.get("gap", 0.01 if by == "win" else 0.15)
    if isinstance(gap, bool) or not isinstance(gap, int | float) or not 0 <= gap < (0.5 if by == "win" else 1e9):
        raise SweepError(f"gap = {gap!r} of pool {name} is not accepted; accepted: a number from 0")
    games = whole_number("games", given.get("games", 20_000), 2, 2**40)
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
        whole_number("rungs", given.get("rungs", 10), 2, 1000),
        whole_number("noise", given.get("noise", 3), 0, 1000),
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
    ranges : list of (Policy, Policy, Estimate)
        How far skill reaches: win rate of the strongest against the weakest of the pool, and against `random`.
    """

    pool: Pool
    rungs: tuple[Policy, ...]
    gains: list[Estimate]
    rates: list[Estimate]
    floors: list[Estimate]
    first: list[tuple[int, int, int]]
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
            asked={"by": pool.by, "gap": pool.gap, "rungs": pool.rungs, "noise": pool.noise},
            ranges=self.range_rows(),
        )
        return write_standings(path, "ladder", self.rows(), made)


def first_games(game: Game, rules: RulesModel, upper: Policy, lower: Policy, seed: int) -> tuple[int, int, int]:
    """Games won, drawn and lost by the upper of two rungs, the two alone, on the first game indices of a seed."""
    results = play(game, rules, plan(game, [upper, lower]), seed=seed, games=FIRST).results[0]
    return int(results[2]), int(results[1]), int(results[0])


def make_ladder(source: Path | str | Mapping[str, Any], *, workers: int = 1) -> Ladder:
    """Choose a ladder from a pool, and measure it on fresh games."""
    pool = read_pool(source)
    k = len(pool.policies)
    wanted = plan(pool.game, pool.policies)
    check_lineups(pool.game, pool.rules, wanted)
    call: dict[str, Any] = {"workers": whole_number("workers", workers, 1, 1024)}
    played = play(pool.game, pool.rules, wanted, seed=pool.seed, games=pool.games, **call)
    level = 1 - (1 - LEVEL) / len(wanted.pairs)
    margin = np.full((k, k), -np.inf)
    for i, j in wanted.pairs:
        margin[i, j] = _apart(pool, played, i, j, level).low - pool.gap
        margin[j, i] = _apart(pool, played, j, i, level).low - pool.gap
    if pool.by == "score":
        assert played.scores is not None
        strength = played.scores.mean
    else:
        strength = np.array([np.mean([played.compared(i, j)[0] for j in range(k) if j != i]) for i in range(k)])
    order = [int(i) for i in np.argsort(strength, kind="stable")]
    chain = longest_chain(order, margin, [p.slip > 0 for p in pool.policies], pool.rungs, pool.noise)
    if len(chain) < 2:
        raise InputError(
            f"pool {pool.name}: no two policies are surely {pool.gap:g} apart; accepted: more games, or other policies"
        )
    return _measured(pool, chain, order, call)


def _measured(pool: Pool, chain: list[int], order: list[int], call: Mapping[str, Any]) -> Ladder:
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
    played = play(pool.game, pool.rules, wanted, seed=seed, games=pool.measure, **call)
    level = 1 - (1 - LEVEL) / len(steps)

    def rate(pair: tuple[int, int], level: float) -> Estimate:
        return paired_share(*played.compared(*pair), played.units, level)

    rungs = tuple(pool.policies[i] for i in chain)
    return Ladder(
        pool,
        rungs,
        [_apart(pool, played, a, b, level) for a, b in steps],
        [rate(pair, level) for pair in steps],
        [rate(pair, LEVEL) for pair in down],
        [first_games(pool.game, pool.rules, b, a, seed) for a, b in pairwise(rungs)],
        [(policies[a], policies[b], rate((a, b), LEVEL)) for a, b in far],
    )
