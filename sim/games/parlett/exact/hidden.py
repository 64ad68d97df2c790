"""What policies give away: their plays in sampled games, judged by open-hands optimal play.

A deal is played by the kernel (the traces of a scenario: the very games that `simulate` reports) and replayed here.
Each position from some number of cards left on has an exact open-hands value V to its mover. The *loss* of a play is V
minus the value of playing it and going on optimally: never negative, 0 for an optimal card. Losses telescope: what the
value promised a seat minus what the seat got is the sum of its own losses minus the sum of the other's. So the losses
of a seat are what it pays, in points of final score difference, for not seeing the cards and for not being a perfect
player with them; the two are not told apart. The open-hands value supposes that both seats see everything.

Values are exact; the games are a sample. Means carry Student's interval over games, which are independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from sim.errors import InputError, whole_number
from sim.games.base import Scenario
from sim.games.parlett.exact.position import OpenPosition
from sim.games.parlett.exact.solution import OpenDeal, Walk
from sim.games.parlett.rules import RANKS, ParlettRules
from sim.stats.counts import mean


@dataclass(frozen=True)
class Judged:
    """One position of a played deal.

    Attributes
    ----------
    left : int
        Cards left in the stock.
    seat : int
        Whose turn it was.
    legal : int
        Cards that could be played; with 0 the seat was stuck.
    value : int
        Open-hands value to the mover, from here on.
    loss : int
        What the play gave away, in points; 0 where `legal` is 0.
    actual : int
        What the mover got from here on: own minus other's final score, less the lead in running scores.
    """

    left: int
    seat: int
    legal: int
    value: int
    loss: int
    actual: int


def judge(rules: ParlettRules, deal: Mapping[str, Any], most_left: int) -> list[Judged]:
    """Every position of a traced deal with at most `most_left` cards in the stock, in order of play.

    Parameters
    ----------
    rules : ParlettRules
    deal : mapping
        One deal of a trace: ``deck``, ``plays``, ``scores``.
    most_left : int
        Cards in the stock from which on plays are judged.
    """
    size = rules.hand_size
    deck = [RANKS * suit + rank - 1 for suit, rank in deal["deck"]]
    plays = deal["plays"]
    stock = deck[2 * size :]
    start = max(len(stock) - most_left, 0)
    hands = (tuple(deck[:size]), tuple(deck[size : 2 * size]))
    dealt = OpenPosition(rules, hands, tuple(stock), -1, 0, (0, 0), plays[0]["seat"])
    walk = Walk(OpenDeal(rules, stock, len(stock) - start), dealt)
    values, legal, leads, seats = [], [], [], []
    for t in range(len(plays) + 1):
        if t >= start:
            values.append(walk.deal.value(*walk.state()))
            legal.append(len(walk.legal()))
            leads.append(walk.lead())
            seats.append(walk.seat)
        if t < len(plays):
            suit, rank = plays[t]["card"]
            walk.play(RANKS * suit + rank - 1)
    out = []
    for i, value in enumerate(values):
        t = start + i
        if t == len(stock):
            break
        gain = plays[t]["gain"] if t < len(plays) else 0
        loss = value - (gain - values[i + 1]) if t < len(plays) else 0
        actual = deal["scores"][seats[i]] - deal["scores"][1 - seats[i]] - leads[i]
        out.append(Judged(len(stock) - t, seats[i], legal[i], value, loss, actual))
    return out


def judged_games(scenario: Scenario, most_left: int, games: int, seed: int, first_game: int) -> Iterator[list[Judged]]:
    """The judged positions of each game of a sample, all its deals together."""
    rules = scenario.rules
    if not isinstance(rules, ParlettRules):
        raise InputError(f"a scenario of {scenario.game.name} was given; accepted: a scenario of parlett")
    for game in range(first_game, first_game + games):
        trace = scenario.game.trace(rules, scenario.policies, seed, game)
        yield [position for deal in trace.get("deals", [trace]) for position in judge(rules, deal, most_left)]


def _checked(scenario: Scenario, left: Sequence[int], games: int, seed: int, first_game: int) -> list[int]:
    if not isinstance(scenario.rules, ParlettRules):
        raise InputError(f"a scenario of {scenario.game.name} was given; accepted: a scenario of parlett")
    whole_number("games", games, 1)
    whole_number("seed", seed, 0, 2**64 - 1)
    whole_number("first_game", first_game, 0, 2**63 - 2)
    chosen = sorted({whole_number("left", n, 1, scenario.rules.plays) for n in left})
    if not chosen:
        raise InputError(f"left = [] is not accepted; accepted: numbers of cards left, 1 to {scenario.rules.plays}")
    return chosen


def _estimate(values: Iterable[float], level: float) -> dict[str, float]:
    """Mean of one number per game with Student's interval, and the number of games."""
    numbers = np.fromiter(values, np.float64)
    found = mean(numbers, np.ones(numbers.size, np.int64), level)
    return {"mean": found.value, "low": found.low, "high": found.high, "n": found.n}


def endgame_loss(
    scenario: Scenario,
    *,
    games: int,
    seed: int,
    left: Sequence[int] = tuple(range(1, 11)),
    first_game: int = 0,
    level: float = 0.95,
) -> pl.DataFrame:
    """Loss of a decision with so many cards left: open optimal play, less the policy's card and then optimal play.

    A decision is a turn with at least two cards to choose from. A game gives at most one decision per deal and number
    of cards left; with two deals a game's mean is used, so games stay the independent units.

    Parameters
    ----------
    scenario : Scenario
        ``sim.games.get("parlett").scenario(rules, policies)``.
    games : int
        Games sampled: indices `first_game` … of `seed`, the games of `simulate`.
    seed : int
    left : sequence of int
        Numbers of cards left in the stock.
    level : float
        Confidence level.

    Returns
    -------
    polars.DataFrame
        A row per number of cards left and seat that decided there: ``left seat policy mean low high n`` (points; `n`
        games with such a decision), ``optimal`` (share of games in which nothing was lost), ``games seed first_game
        level method``.
    """
    chosen = _checked(scenario, left, games, seed, first_game)
    losses: dict[tuple[int, int], list[float]] = {}
    for positions in judged_games(scenario, chosen[-1], games, seed, first_game):
        found: dict[tuple[int, int], list[int]] = {}
        for p in positions:
            if p.left in chosen and p.legal > 1:
                found.setdefault((p.left, p.seat), []).append(p.loss)
        for key, of_game in found.items():
            losses.setdefault(key, []).append(sum(of_game) / len(of_game))
    rows = [
        {
            "left": n,
            "seat": seat,
            "policy": scenario.policies[seat].text(),
            **_estimate(values, level),
            "optimal": sum(v == 0 for v in values) / len(values),
            "games": games,
            "seed": seed,
            "first_game": first_game,
            "level": level,
            "method": "mean, Student's t, over games",
        }
        for (n, seat), values in sorted(losses.items())
    ]
    return pl.DataFrame(rows, schema=_LOSS)


def hidden_value(
    scenario: Scenario,
    *,
    games: int,
    seed: int,
    left: Sequence[int] = (4, 8, 12),
    first_game: int = 0,
    level: float = 0.95,
) -> pl.DataFrame:
    """What open-hands optimal play is worth against what the policies got, from so many cards left to the end.

    Returns
    -------
    polars.DataFrame
        For each number of cards left, seat and quantity, over the games of which a deal came so far (``n``):
        ``left seat policy quantity mean low high n games seed first_game level method``, in points of final score
        difference from the seat's side, counted from there on. Quantities: ``open`` (both play optimally with all cards
        known), ``actual`` (what the seat got), ``open_minus_actual``, and ``lost`` (the sum of the seat's own losses),
        so that *open_minus_actual = lost − the other seat's lost*. With two deals a game's sums are used.
    """
    chosen = _checked(scenario, left, games, seed, first_game)
    samples: dict[tuple[int, int], dict[str, list[float]]] = {}
    for positions in judged_games(scenario, chosen[-1], games, seed, first_game):
        for n in chosen:
            starts = [i for i, p in enumerate(positions) if p.left == n]
            if not starts:
                continue
            for seat in range(2):
                sums = dict.fromkeys(QUANTITIES, 0)
                for i in starts:
                    sign = 1 if positions[i].seat == seat else -1
                    sums["open"] += sign * positions[i].value
                    sums["actual"] += sign * positions[i].actual
                sums["open_minus_actual"] = sums["open"] - sums["actual"]
                sums["lost"] = sum(p.loss for p in positions if p.seat == seat and p.left <= n)
                for name in QUANTITIES:
                    samples.setdefault((n, seat), {}).setdefault(name, []).append(sums[name])
    rows = [
        {
            "left": n,
            "seat": seat,
            "policy": scenario.policies[seat].text(),
            "quantity": name,
            **_estimate(values, level),
            "games": games,
            "seed": seed,
            "first_game": first_game,
            "level": level,
            "method": "mean, Student's t, over games",
        }
        for (n, seat), by_name in sorted(samples.items())
        for name, values in by_name.items()
    ]
    return pl.DataFrame(rows, schema=_HIDDEN)


QUANTITIES = ("open", "actual", "open_minus_actual", "lost")
_KEY = {"left": pl.Int16, "seat": pl.Int8, "policy": pl.String}
_MEAN = {"mean": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64}
_SAMPLE = {"games": pl.Int64, "seed": pl.UInt64, "first_game": pl.Int64, "level": pl.Float64, "method": pl.String}
_LOSS: Any = {**_KEY, **_MEAN, "optimal": pl.Float64, **_SAMPLE}
_HIDDEN: Any = {**_KEY, "quantity": pl.String, **_MEAN, **_SAMPLE}
