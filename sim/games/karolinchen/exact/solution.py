"""`sim.solve("karolinchen", …)`: exact chances of winning and lengths of games, without sampling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np

from sim.errors import InputError, PolicyError, RulesError, whole_number
from sim.games.base import Policy
from sim.games.karolinchen.exact.chains import MAX_ORDER_SEATS
from sim.games.karolinchen.exact.length import distributions
from sim.games.karolinchen.exact.orders import FIXED_ORDERS, MOST_BYTES, TAIL, OrderRace
from sim.games.karolinchen.exact.tree import TIE
from sim.games.karolinchen.exact.values import solve, solve_pair
from sim.games.karolinchen.exact.worms import (
    BEST,
    COLOURS,
    MAX_WORMS,
    MINIMAX,
    POLICY,
    RANDOM,
    plan,
    reached,
    worm_count,
)
from sim.games.karolinchen.policies import POLICIES, POSITION
from sim.games.karolinchen.rules import KarolinchenRules

OPTIMAL, RESPONSE = "optimal", "best_response"
MAX_WORKERS = 64

Given = str | Mapping[str, Any] | Policy


class RaceSolution:
    """Two players of Karolinchen, exactly.

    Attributes
    ----------
    rules : KarolinchenRules
    policies : tuple of str
        By seat; ``optimal`` and ``best_response`` beside the registered policies.
    win : float64[2]
        Probability of winning, by seat, averaged over the start fruits that the rules allow.
    turns_mean : float
        Expected turns of a game, the winning one counted.
    starts : tuple of (int, int)
        Start fruits that are averaged, all equally likely.
    pairs : int
        Pairs of worms solved, each for either player to move.
    residual : float
        Largest amount by which an equation is missed (in turns or chance of winning).
    error_bound : float
        Proven bound on ``|win − truth|``.
    turns_error_bound : float
        Proven bound on ``|turns_mean − truth|``.
    """

    def __init__(self, rules: KarolinchenRules, line_up: Sequence[str | Policy], workers: int) -> None:
        self.rules = rules
        self.policies = tuple(p.text() if isinstance(p, Policy) else p for p in line_up)
        self.starts = start_pairs(rules, 2)
        kinds = [_kind(p) for p in line_up]
        if list(line_up) == [OPTIMAL, OPTIMAL]:
            kinds = [BEST, BEST]
        symmetric = self.policies[0] == self.policies[1]
        self._threads = [records(rules, line_up, kinds, self.starts, symmetric) for _ in range(workers)]
        self._star = np.zeros((0, 2))
        if MINIMAX in kinds:
            self._star = self._perfect(kinds)
        self._values, self.pairs = solve(self._threads, self._star, rules.total)
        self._solve_starts(kinds)

    def _perfect(self, kinds: list[int]) -> np.ndarray:
        """Values of two perfect players, in the numbering of one table for both seats."""
        plans = [plans[0] for _, plans in self._threads]
        stride = int(plans[0].stride)
        for t in plans:
            t.kind[:] = BEST
            t.stride = 0
        values, _ = solve(self._threads, np.zeros((0, 2)), self.rules.total)
        for t in plans:
            t.kind[:] = kinds
            t.stride = stride
        return values

    def _solve_starts(self, kinds: list[int]) -> None:
        plays, plans = self._threads[0]
        t = plans[0]
        self._roots = [tuple(int(t.laid[COLOURS * (63 ^ (1 << c)) + c]) for c in pair) for pair in self.starts]
        star = self._star if len(self._star) else self._values
        found = np.zeros((len(self.starts), 2))
        for row, (a, b) in zip(found, self._roots, strict=True):
            solve_pair(plays[0], t, self._values, star, a, b)
            row[:] = t.opened[0] if self.rules.opening == "open" else t.value[0]
        self._by_start = found
        mean = found.mean(axis=0)
        self.win = np.array([mean[0], 1 - mean[0]])
        self.turns_mean = float(mean[1])
        self.residual = max(float(plans[0].residual) for _, plans in self._threads)
        # each level of fruits covered adds the rounding of one sum to what the levels after it bring; the share of the
        # two states that refer to each other cancels, as the sum's error is relative to the rest
        most = max(int(plans[0].most_terms) for _, plans in self._threads)
        rounding = (2 * self.rules.total - 1) * (most + 50) * 2.0**-53
        longest = float(self._values[:, 1].max())
        self.turns_error_bound = rounding * longest
        # each of at most ten choices may be worse than the best by a tie
        self.error_bound = rounding + (10 * TIE if {MINIMAX, BEST} & set(kinds) else 0.0)

    def kernel_table(self) -> np.ndarray:
        """Chances of winning of the player to roll, as the policy `optimal` reads them (one table for both seats)."""
        if self.policies != (OPTIMAL, OPTIMAL):
            raise ValueError("the table is that of two perfect players")
        return np.ascontiguousarray(self._values[:-1, 0])

    @property
    def by_start(self) -> Any:
        """Table (polars) of the start fruits: start_0, start_1, win_0, win_1, turns_mean."""
        import polars as pl

        start = np.array(self.starts)
        return pl.DataFrame(
            {
                "start_0": start[:, 0],
                "start_1": start[:, 1],
                "win_0": self._by_start[:, 0],
                "win_1": 1 - self._by_start[:, 0],
                "turns_mean": self._by_start[:, 1],
            }
        )

    @cached_property
    def turns_pmf_by_start(self) -> np.ndarray:
        """Probability of each number of turns, by start fruits: float64[starts, turns]."""
        total = self.rules.total
        opened = self.rules.opening == "open"
        size = 64 * (int(3 * self._values[:, 1].max() + 130) // 64 + 1)
        while True:
            try:
                found = distributions(
                    self._threads, self._values, self._star, total, self._roots, opened, size, MOST_BYTES
                )
            except MemoryError as needed:
                raise RulesError(
                    f"turns_pmf with fruits = {list(self.rules.fruits)} would take {needed}; accepted: up to "
                    f"{MOST_BYTES / 2**30:.0f} GiB (fewer fruits)"
                ) from None
            if np.max(1 - found.sum(axis=1)) < TAIL:
                break
            size *= 2
        last = int(np.flatnonzero(found.max(axis=0) > 0)[-1])
        return found[:, : last + 1]

    @cached_property
    def turns_pmf(self) -> np.ndarray:
        """Probability of each number of turns (index = turns), cut where the tail is below 1e-12: float64[turns]."""
        return np.asarray(self.turns_pmf_by_start.mean(axis=0))

    @property
    def tail(self) -> float:
        """Probability of games longer than `turns_pmf` holds (rounding included)."""
        return float(abs(1 - self.turns_pmf.sum()))


def start_pairs(rules: KarolinchenRules, seats: int) -> tuple[tuple[int, ...], ...]:
    """The start fruits to be averaged."""
    if rules.start_fruit != "distinct":
        return (tuple(rules.start_fruit),)
    return tuple(permutations(range(COLOURS), seats))


def _kind(policy: str | Policy) -> int:
    if isinstance(policy, Policy):
        return {"random": RANDOM, OPTIMAL: MINIMAX}.get(policy.id, POLICY)
    return MINIMAX if policy == OPTIMAL else BEST


def records(
    rules: KarolinchenRules,
    line_up: Sequence[str | Policy],
    kinds: Sequence[int],
    starts: Sequence[Sequence[int]],
    symmetric: bool,
) -> tuple[Any, Any]:
    """The two records of one thread: what policies see, and everything else."""
    play = np.zeros(1, POSITION)
    play["seats"] = 2
    play["turn"] = 1
    play["total"] = rules.total
    play["may"] = rules.new_card_take == "may"
    play["second_roll"] = rules.reroll_after_eating
    play["fruits"] = rules.fruits
    out = plan(rules.fruits)
    t = out[0]
    for seat in range(2):
        t["reached"][seat] = reached(t, {pair[seat] for pair in starts})
        policy = line_up[seat]
        if isinstance(policy, Policy):
            t["number"][seat] = policy.info.number
            t["params"][seat] = policy.vector()
            t["slip"][seat] = policy.slip  # weighed by the tree: policies are asked what they mean
    t["kind"] = kinds
    t["may"] = rules.new_card_take == "may"
    t["layers"] = 2 if rules.reroll_after_eating else 1
    t["stride"] = 0 if symmetric else t["worms"]
    t["lost"] = (1 if symmetric else 2) * int(t["worms"]) ** 2 * int(t["layers"])
    t["key"] = -1
    return play.view(np.recarray), out.view(np.recarray)


def line_up_of(given: Sequence[Given]) -> list[str | Policy]:
    """Policies by seat, checked: registered ones that an exact answer exists for, ``optimal``, ``best_response``.

    ``optimal`` is given back as that word, and as a `Policy` where it slips.
    """
    out: list[str | Policy] = []
    for policy in given:
        if isinstance(policy, str) and policy.strip() == RESPONSE:
            out.append(RESPONSE)
            continue
        parsed = POLICIES.parse(policy, also=(RESPONSE,))
        if parsed.info.code is not None:
            raise PolicyError(
                f"policy {parsed.id} is of one's own and is not solved exactly; accepted: the built-in policies, "
                f"{RESPONSE}"
            )
        if parsed.info.draws and parsed.id != "random":
            raise PolicyError(
                f"policy {parsed.id} draws random numbers and is not solved exactly; accepted: random, any policy that "
                f"draws none but for its slip, {RESPONSE}"
            )
        out.append(OPTIMAL if parsed.id == OPTIMAL and parsed.slip == 0.0 else parsed)
    return out


def solve_race(
    rules: Mapping[str, Any] | str | KarolinchenRules | None,
    policies: Sequence[Given] | None,
    workers: int = 2,
) -> RaceSolution | OrderRace:
    """Solve a game for a line-up; see `RaceSolution` and, for three and four players, `OrderRace`."""
    parsed = KarolinchenRules.parse(rules)
    assert isinstance(parsed, KarolinchenRules)
    if policies is None:
        policies = [OPTIMAL, OPTIMAL]
    if isinstance(policies, str | Mapping | Policy):
        policies = [policies]
    workers = whole_number("workers", workers, 1, MAX_WORKERS)
    line_up = line_up_of(policies)
    seats = len(line_up)
    if parsed.start_fruit != "distinct" and len(parsed.start_fruit) != seats:
        raise PolicyError(
            f"{seats} policies were given for karolinchen with start_fruit = {list(parsed.start_fruit)}; accepted: one "
            f"policy per start fruit, {len(parsed.start_fruit)}"
        )
    orders = all(isinstance(p, Policy) and p.id in FIXED_ORDERS and p.slip == 0.0 for p in line_up)
    if seats != 2 and not (2 < seats <= MAX_ORDER_SEATS and orders):
        raise InputError(
            f"policies = {[p.text() if isinstance(p, Policy) else p for p in line_up]} is not solved exactly; "
            f"accepted: two seats, or three to {MAX_ORDER_SEATS} that play {' or '.join(FIXED_ORDERS)}"
        )
    if line_up == [RESPONSE, RESPONSE]:
        raise PolicyError(f"both seats play {RESPONSE}; accepted: one of them (two perfect players are two {OPTIMAL})")
    check_size(parsed, seats)
    if seats > 2:
        return OrderRace(parsed, [p for p in line_up if isinstance(p, Policy)], start_pairs(parsed, seats), workers)
    return RaceSolution(parsed, line_up, workers)


def check_size(rules: KarolinchenRules, seats: int) -> None:
    """Refuse rules with too many states, or with a cap on turns that could be reached."""
    from scipy.stats import binom

    worms = worm_count(rules.fruits)
    if seats == 2 and worms > MAX_WORMS:
        raise RulesError(
            f"fruits = {list(rules.fruits)} gives {worms**2:,} pairs of worms; accepted: up to {MAX_WORMS**2:,}, a sum "
            f"of {MAX_WORMS // 32} fruits"
        )
    # whatever lies in the middle, a turn covers a fruit with a chance of at least 1/6
    capped = binom.cdf(seats * (rules.total - 1), rules.max_turns, 1 / 6)
    if capped > TAIL:
        raise RulesError(
            f"max_turns = {rules.max_turns} could be reached (exact answers are for uncapped games); accepted: high "
            f"enough that this has a chance below {TAIL:g}, such as 10000"
        )
