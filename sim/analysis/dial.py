"""The bedtime dial: so many players, so many minutes; is the game over in time, and which rule would see to it?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import yaml

from sim import stats
from sim.analysis.candidates import Allowed, Games
from sim.analysis.candidates_seats import shortening_candidates
from sim.analysis.proposals import ENOUGH, PROPOSAL, pick, same_candidate
from sim.errors import InputError
from sim.games import get
from sim.stats import Estimate

#: what the box allows: a second roll, who rolls first, and cards that are full with fewer fruits
CANDIDATES: Allowed = {
    "reroll_after_eating": "all",
    "opening": "all",
    "fruits": [[min(n, most) for n in range(1, 7)] for most in (5, 4, 3, 2)],
}


@dataclass(frozen=True)
class Bedtime:
    """An answer of the bedtime dial.

    Attributes
    ----------
    players, policy, minutes, seconds_per_turn, turns
        The question; `turns` fit into the time.
    printed : Estimate
        Chance that a game by the printed rules is over in time.
    status : str
        ``good as printed``, ``proposal`` or ``nothing better``.
    rule : dict or None
        The mildest rule that is enough (or the one that gains most): parameter → setting.
    changed : Estimate or None
        Chance with that rule.
    fairness : Estimate or None
        Change of the first player's share of the wins, paired; exact where both games are.
    compared : int
        Rules compared.
    judged : str
        Where `changed` comes from: ``exact``, ``fresh games``, or ``the games that picked it``.
    """

    players: int
    policy: str
    minutes: float
    seconds_per_turn: float
    turns: int
    printed: Estimate
    status: str
    rule: dict[str, Any] | None
    changed: Estimate | None
    fairness: Estimate | None
    compared: int
    judged: str

    def record(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def exact_chance(rules: Mapping[str, Any], policy: str, turns: int, workers: int = 2) -> tuple[Estimate, float]:
    """Chance that a game of two is over within so many turns, and the first player's share of the wins: no sampling.

    Parameters
    ----------
    rules : mapping
        Parameters over the defaults.
    policy : str
        Played in both seats.

    Returns
    -------
    (Estimate, float)
        The interval is the proven error.
    """
    from sim.games.karolinchen.exact.solution import solve_race  # the compiler comes in with it

    solved: Any = solve_race(dict(rules), [policy] * 2, workers)
    pmf = solved.turns_pmf
    value = float(pmf[: turns + 1].sum())
    error = float(solved.tail) + len(pmf) * 2.0**-52
    ends = max(0.0, value - error), min(1.0, value + error)
    return Estimate(min(value, 1.0), *ends, 0, 1.0, "exact"), float(solved.win[0])


def turns_within(minutes: float, seconds_per_turn: float) -> int:
    """Whole turns that fit into so many minutes."""
    return math.floor(minutes * 60 / seconds_per_turn + 1e-9)


def bedtime_dial(
    players: int,
    minutes: float,
    *,
    games: Games | None = None,
    fresh: Games | None = None,
    policy: str = "match",
    seconds_per_turn: float = 15,
    enough: float = 0.9,
    smallest: float = 0.01,
    allowed: Allowed | None = None,
    exact: bool = True,
    workers: int = 2,
    level: float = 0.95,
) -> Bedtime:
    """Chance that a game of Karolinchen is over in time, and the mildest rule that makes it likely enough.

    Parameters
    ----------
    players : int
        2 to 6.
    minutes : float
        Until bedtime.
    games : Games, optional
        A stored sweep with one-factor variants of the rules, paired with the printed ones; needed for more than two
        players, and for proposals.
    fresh : Games, optional
        Another one, with another seed, in which the proposal is judged where it was played.
    policy : str
        Everybody plays it.
    seconds_per_turn : float
        What a turn takes at the table: an assumption.
    enough : float
        Share of games that are to be over in time.
    smallest : float
        The smallest gain of chance that matters.
    allowed : mapping, optional
        Rule parameters that may change → their settings; default: what can be played with what is in the box.
    exact : bool
        For two players: chances from the exact solver instead of games.

    Raises
    ------
    InputError
        In one line: a number of players, minutes or a chance that is none, or games that are not there.
    PolicyError
        In one line: a policy that Karolinchen does not know.
    """
    if not 2 <= players <= 6:
        raise InputError(f"players = {players} is not accepted; accepted: a whole number from 2 to 6")
    for name, value in (("minutes", minutes), ("seconds_per_turn", seconds_per_turn)):
        if not (value > 0 and math.isfinite(value)):
            raise InputError(f"{name} = {value:g} is not accepted; accepted: a number greater than 0")
    if not 0 < enough < 1:
        raise InputError(f"enough = {enough:g} is not accepted; accepted: a chance above 0 and below 1, as 0.9")
    get("karolinchen").policies.parse(policy)
    turns = turns_within(minutes, seconds_per_turn)
    exact = exact and players == 2
    base = f"{policy} ×{players}"
    if games is not None and games.id(line_up=base, factor="") is None:
        games = None
    if games is None and not exact:
        raise InputError(
            f"no stored games of {players} who all play {policy}; accepted: run `sim sweep sweeps/karolinchen.yaml` "
            f"first, or two players"
        )
    question = (turns, enough, allowed or CANDIDATES, smallest, level)
    rows = None if games is None else shortening_candidates(games, "bedtime", players, policy, *question)
    found = None if rows is None else pick(rows)
    printed, share = exact_chance({}, policy, turns, workers) if exact else (None, math.nan)
    if printed is None:
        assert games is not None
        printed = _over(games, base, turns, level)
    if found is None or found.status != PROPOSAL or printed.low >= enough:
        status = ENOUGH if printed.low >= enough else "not asked" if found is None else found.status
        compared = 0 if found is None else found.compared
        told = "exact" if exact else ""
        return Bedtime(
            players, policy, minutes, seconds_per_turn, turns, printed, status, None, None, None, compared, told
        )
    chosen = found.row
    rule = {chosen["factor"]: yaml.safe_load(chosen["setting"])}
    judged, source = "the games that picked it", games
    if fresh is not None and fresh.id(line_up=base, factor="") is not None:
        again = same_candidate(shortening_candidates(fresh, "bedtime", players, policy, *question), chosen)
        if again is not None:
            judged, source, chosen = "fresh games", fresh, again
    changed = Estimate(chosen["value"], chosen["low"], chosen["high"], chosen["n"], level, "Wilson")
    assert source is not None
    fairness = source.change(chosen["scenario"], chosen["against"], "win", level)
    if exact:
        changed, other = exact_chance(rule, policy, turns, workers)
        judged, fairness = "exact", Estimate(other - share, other - share, other - share, 0, 1.0, "exact")
    return Bedtime(
        players,
        policy,
        minutes,
        seconds_per_turn,
        turns,
        printed,
        PROPOSAL,
        rule,
        changed,
        fairness,
        found.compared,
        judged,
    )


def _over(games: Games, line_up: str, turns: int, level: float) -> Estimate:
    """Share of games by the printed rules that are over within so many turns."""
    v, c = games.sample(str(games.id(line_up=line_up, factor="")), "turns")
    return stats.wilson(int(c[v <= turns].sum()), int(c.sum()), level)
