"""Learning the network of a number of players from games whose luck is taken out with the one before.

What a roll was worth to a seat is estimated by the outcome of the game less the luck of all that came after: without
bias, and with less noise the better the network before. So a few rounds suffice: the first takes luck out with the race
alone. To trade some of the noise for bias, λ-returns are used (R. S. Sutton, *Learning to predict by the methods of
temporal differences*, Machine Learning 3, 1988): of the luck after a roll, and of what is wrong with the values there,
a share 1 − λ is dropped at each further roll.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sim.engine.jit import source_hash
from sim.errors import whole_number
from sim.games.karolinchen.luck.network import KINDS, ROLL, SEAT, Network, Weights, of_rolls, of_seats, packed
from sim.games.karolinchen.luck.playable import LuckyPlayable, race_of
from sim.games.karolinchen.luck.race import Race
from sim.games.karolinchen.luck.worth import LEAST, race_worth
from sim.games.karolinchen.policies import POLICIES
from sim.games.karolinchen.rules import MAX_SEATS, MIN_SEATS, KarolinchenRules

#: units of the two hidden layers
UNITS, INNER = 64, 32
#: first game: no simulation comes to it that begins at 0
FIRST = 2**61
#: games of one line-up at a time
BLOCK = 100
BATCH = 512
#: step sizes of the first round, and of those that go on from the one before
RATE, RATE_LATER = 4e-3, 2e-3
#: λ of the first, the second and later rounds: the better the values, the less of the later luck is needed
LAMBDAS = (0.9, 0.85, 0.8)
#: share of the rolls that is kept aside to measure errors
ASIDE = 0.05
#: decay of the two running means (Kingma and Ba, *Adam: a method for stochastic optimization*, ICLR 2015)
_FIRST, _SECOND, _SMALL = 0.9, 0.999, 1e-8

Tell = Callable[[str], None]


class Settings(NamedTuple):
    """What decides the result.

    Attributes
    ----------
    players : int
    games : int
        In the last round; half of it in those before.
    rounds, epochs : int
    seed : int
    """

    players: int
    games: int = 3_000
    rounds: int = 3
    epochs: int = 6
    seed: int = 1


class Rolls(NamedTuple):
    """Positions before a roll: (roller, dice, worms) and the kinds of player by seat, and what they were worth."""

    nodes: np.ndarray
    kinds: np.ndarray
    target: np.ndarray


def line_up(rng: np.random.Generator, players: int) -> list[str]:
    """Policies of a block of games: all of one kind, or of both."""
    how = rng.random()
    knowing = str(rng.choice(["match", "match", "match", "odds", "racer"]))
    if how < 0.45:
        return [knowing] * players
    if how < 0.8:
        return ["random"] * players
    return [knowing if x else "random" for x in rng.random(players) < 0.5]


def returns(nodes: np.ndarray, told: np.ndarray, adjusted: np.ndarray, luck: np.ndarray, lam: float) -> np.ndarray:
    """What every roll was worth to each seat, by λ-returns: float64[rolls, 6].

    Parameters
    ----------
    nodes, told
        As `add_luck` writes them.
    adjusted, luck : float64[games, seats]
        Outcome less luck, and luck, of the games.
    lam : float
        λ; with 1 nothing is dropped.
    """
    out = np.zeros((len(nodes), 6))
    seats = adjusted.shape[1]
    later = np.zeros(seats)
    for i in range(len(nodes) - 1, -1, -1):
        game = nodes[i, 0]
        last = i + 1 == len(nodes) or nodes[i + 1, 0] != game
        mean, before = told[i, 0, :seats], told[i, 1, :seats]
        after = luck[game] if last else told[i + 1, 1, :seats]
        value = mean + after - before  # what the position at the next roll, or the end, is held to be worth
        if last:
            later = adjusted[game] + luck[game]
        out[i, :seats] = mean + lam * (later - value)
        later = out[i, :seats].copy()
    return out


def gather(settings: Settings, number: int, games: int, network: Network | None, lam: float) -> Rolls:
    """Rolls of the games of a round."""
    n = settings.players
    rng = np.random.default_rng([settings.seed, n, number])
    parts: list[Rolls] = []
    for block in range(-(-games // BLOCK)):
        policies = [POLICIES.parse(p) for p in line_up(rng, n)]
        playable = LuckyPlayable(KarolinchenRules(), policies, network=network)
        first = FIRST + (1000 * n + number) * 1_000_000 + block * BLOCK
        out = np.zeros((2, BLOCK * n))
        written = playable.tell(settings.seed, first, BLOCK, out, playable.scratch(), True)
        assert written is not None
        nodes, told = written
        won, adjusted = out.reshape(2, BLOCK, n)
        target = returns(nodes, told, adjusted, won - adjusted, lam)
        kinds = np.repeat(playable.sight.kinds[None], len(nodes), axis=0)
        parts.append(Rolls(nodes[:, 1:].astype(np.int16), kinds.astype(np.int8), target[:, :n].astype(np.float32)))
    return Rolls(*(np.concatenate(x) for x in zip(*parts, strict=True)))


def by_order(rolls: Rolls, players: int) -> Rolls:
    """Worms, kinds and targets in the order of turns, from who is to roll."""
    order = (rolls.nodes[:, :1] + np.arange(players)) % players
    nodes = rolls.nodes.copy()
    nodes[:, 2 : 2 + players] = np.take_along_axis(rolls.nodes[:, 2 : 2 + players], order, 1)
    return Rolls(nodes, np.take_along_axis(rolls.kinds, order, 1), np.take_along_axis(rolls.target, order, 1))


def logarithms(rolls: Rolls, race: Race, players: int) -> np.ndarray:
    """Logarithms of what the race says, in the order of turns: float32[rolls, players]."""
    out = np.zeros((len(rolls.nodes), players), np.float32)
    worth, room = np.zeros(6), np.zeros((4, 7))
    for i, node in enumerate(rolls.nodes.astype(np.int64)):
        race_worth(players, 0, node[2:], node[1], race.end, race.beyond, room, worth)
        out[i] = np.log(np.maximum(worth[:players], LEAST))
    return out


def inputs(rolls: Rolls, told: np.ndarray, of_roll: np.ndarray, logs: np.ndarray, players: int) -> np.ndarray:
    """What the first layer is told: float32[rolls, players × KINDS × SEAT + ROLL + players]."""
    n = len(rolls.nodes)
    x = np.zeros((n, players * KINDS * SEAT + ROLL + players), np.float32)
    seats = x[:, : players * KINDS * SEAT].reshape(n, players, KINDS, SEAT)
    at = np.arange(n)
    for a in range(players):
        seats[at, a, rolls.kinds[:, a]] = told[rolls.nodes[:, 2 + a]]
    x[:, players * KINDS * SEAT : players * KINDS * SEAT + ROLL] = of_roll[rolls.nodes[:, 2], rolls.nodes[:, 1]]
    x[:, -players:] = logs
    return x


def start(rng: np.random.Generator, players: int) -> Weights:
    """Weights to begin with: the race, uncorrected."""
    wide = players * KINDS * SEAT + ROLL + players
    return Weights(
        (rng.standard_normal((wide, UNITS)) * 0.12).astype(np.float32),
        (rng.standard_normal((UNITS, INNER)) * math.sqrt(2 / UNITS)).astype(np.float32),
        np.zeros(INNER, np.float32),
        np.zeros((INNER, players), np.float32),
        np.zeros(players, np.float32),
    )


def chances(x: np.ndarray, logs: np.ndarray, w: Weights) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Hidden layers and chances of winning: float32[n, UNITS], float32[n, INNER], float32[n, players]."""
    first = np.maximum(x @ w.outside, 0)
    second = np.maximum(first @ w.inner + w.inner_bias, 0)
    out = logs + second @ w.outer + w.outer_bias
    out = np.exp(out - out.max(axis=1, keepdims=True))
    return first, second, out / out.sum(axis=1, keepdims=True)


def fit(
    make: Callable[[np.ndarray], np.ndarray], logs: np.ndarray, target: np.ndarray, weights: Weights, *, epochs: int,
    rate: float, seed: Any,
) -> Weights:  # fmt: skip
    """Weights that bring the chances close to `target` (cross-entropy), from a start; `make` makes inputs of rows."""
    rng = np.random.default_rng(seed)
    now = [p.copy() for p in weights]
    means = [np.zeros_like(p) for p in now]
    squares = [np.zeros_like(p) for p in now]
    n = len(target)
    batch = min(BATCH, n)
    steps, step = epochs * (n // batch), 0
    for _ in range(epochs):
        order = rng.permutation(n)
        for at in range(0, n - batch + 1, batch):
            rows = order[at : at + batch]
            x = make(rows)
            w = Weights(*now)
            first, second, chance = chances(x, logs[rows], w)
            wrong = (chance - target[rows]) / batch
            back = (wrong @ w.outer.T) * (second > 0)
            further = (back @ w.inner.T) * (first > 0)
            slopes = [x.T @ further, first.T @ back, back.sum(axis=0), second.T @ wrong, wrong.sum(axis=0)]
            step += 1
            size = rate * 0.5 * (1 + math.cos(math.pi * step / steps))
            for p, g, m, v in zip(now, slopes, means, squares, strict=True):
                m += (1 - _FIRST) * (g - m)
                v += (1 - _SECOND) * (g * g - v)
                p -= size * (m / (1 - _FIRST**step)) / (np.sqrt(v / (1 - _SECOND**step)) + _SMALL)
    return Weights(*now)


def train(settings: Settings, *, tell: Tell | None = None) -> bytes:
    """Learn the network of a number of players; the content of its file.

    Raises
    ------
    InputError
        In one line: what was given, what is accepted.
    """
    whole_number("players", settings.players, MIN_SEATS, MAX_SEATS)
    for name, least in (("games", BLOCK), ("rounds", 1), ("epochs", 1), ("seed", 0)):
        whole_number(name, getattr(settings, name), least)
    n = settings.players
    rules = KarolinchenRules()
    race = race_of(rules.model_dump_json(), n)
    told, of_roll = of_seats(race), of_rolls(race)
    weights = start(np.random.default_rng([settings.seed, n]), n)
    network: Network | None = None
    errors: dict[str, dict[str, float]] = {}
    for number in range(settings.rounds):
        last = number + 1 == settings.rounds
        lam = LAMBDAS[min(number, 2)]
        rolls = by_order(gather(settings, number, settings.games if last else settings.games // 2, network, lam), n)
        logs = logarithms(rolls, race, n)
        learned = len(logs) - int(len(logs) * ASIDE)

        def make(rows: np.ndarray, rolls: Rolls = rolls, logs: np.ndarray = logs) -> np.ndarray:
            return inputs(Rolls(*(x[rows] for x in rolls)), told, of_roll, logs[rows], n)

        def error(w: Weights, logs: np.ndarray = logs, rolls: Rolls = rolls, learned: int = learned) -> float:
            rows = np.arange(learned, len(logs))
            return float(np.sqrt(((chances(make(rows), logs[rows], w)[2] - rolls.target[rows]) ** 2).mean()))

        before = error(weights)
        weights = fit(
            make, logs[:learned], rolls.target[:learned], weights, epochs=settings.epochs,
            rate=RATE if number == 0 else RATE_LATER, seed=[settings.seed, n, number],
        )  # fmt: skip
        weights = weights.rounded()
        network = weights.network(race, n)
        errors[str(number + 1)] = {"rolls": len(logs), "root_mean_square_before": before, "after": error(weights)}
        if tell is not None:
            tell(f"{n} players, round {number + 1} of {settings.rounds}: {errors[str(number + 1)]}")
    return packed(
        weights,
        {
            "game": "karolinchen",
            "rules": rules.identity(),
            "settings": settings._asdict(),
            "kernel_sources": source_hash("karolinchen"),
            "errors": errors,
        },
    )
