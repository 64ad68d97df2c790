"""Fits the networks that luck is taken out with: positions of recorded games, and what came of them.

Squared error, Adam, every position used once. A step is compiled and sums in a fixed order, so that equal settings give
equal networks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sim.engine.jit import jit, source_hash
from sim.errors import InputError, unknown, whole_number
from sim.games.parlett.kernel import RECORD, ParlettPlayable
from sim.games.parlett.luck.network import CARD_INPUTS, KINDS, OUTPUTS, PER_PLY, WHOLE, Net, packed
from sim.games.parlett.luck.positions import PER_GAME, gather
from sim.games.parlett.moves import lowest
from sim.games.parlett.policies import POLICIES
from sim.games.parlett.rules import LAST_NUMERAL, MOST_HAND, RANKS, SUITS, ParlettRules

#: decay of the two running means of Adam (Kingma and Ba, *Adam: a method for stochastic optimization*, ICLR 2015)
FIRST, SECOND, SMALL = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
_ZERO = np.float32(0.0)
#: how much an error of the sum counts, next to one of the lead
SUM_COUNTS = np.float32(0.5)
BLOCKS = ("allowed", "barred")
#: positions gathered at a time
POOL = 200_000


class Settings(NamedTuple):
    """What decides the result.

    Attributes
    ----------
    policy, block : str
        Who plays, under which rule.
    positions : int
        To fit the network of the row to; that of the hands gets a fifth.
    units, hidden, plies : int
        Size of the network of the row, and plays looked ahead (none is best for `random`, which draws them); that of
        the hands has 16 and 24, and looks at none.
    batch : int
    rate : float
        First step size; it falls to nothing along half a cosine.
    seed : int
    """

    policy: str
    block: str = "allowed"
    positions: int = 12_000_000
    units: int = 48
    hidden: int = 48
    plies: int = 8
    batch: int = 512
    rate: float = 3e-3
    seed: int = 1


def settings_for(policy: str, block: str) -> Settings:
    """The settings that the networks shipped for a policy were made with."""
    settings = Settings(policy, block)
    if policy == "random":
        return settings._replace(positions=8_000_000, units=32, hidden=32, plies=0)
    return settings if block == "allowed" else settings._replace(positions=8_000_000)


@jit
def learn(states: Any, whole: Any, target: Any, order: Any, batch: Any, net: Any, slopes: Any, means: Any,
          squares: Any, turned: Any, step: Any, steps: Any, rate: Any) -> Any:  # fmt: skip
    """Change a network by one pass over positions; returns the mean squared error before each step, lead and sum.

    `slopes`, `means` and `squares` are networks of the same shape, `turned` is room for ``net.hidden`` turned round.
    """
    units = net.followed.shape[1]
    hidden = net.hidden.shape[1]
    wholes = whole.shape[1]
    u = np.zeros((SUITS, units), np.float32)
    back = np.zeros(2 * units, np.float32)
    h = np.zeros(2 * units, np.float32)
    base = np.zeros(units, np.float32)
    a = np.zeros(hidden, np.float32)
    d = np.zeros(hidden, np.float32)
    rows = np.zeros((SUITS, 2 * RANKS), np.int64)
    counts = np.zeros(SUITS, np.int64)
    o = np.zeros(OUTPUTS, np.float32)
    e = np.zeros(OUTPUTS, np.float32)
    wrong_lead, wrong_sum = 0.0, 0.0
    batches = order.shape[0] // batch
    for b in range(batches):
        clear(slopes)
        for i in range(2 * units):
            for j in range(hidden):
                turned[j, i] = net.hidden[i, j]
        for z in range(batch):
            k = order[b * batch + z]
            x = whole[k]
            need, suit = states[k, 3], states[k, 4]
            base[:] = _ZERO
            for i in range(wholes):
                if x[i] != 0:
                    for j in range(units):
                        base[j] += x[i] * net.whole_others[i, j]
            h[:] = _ZERO
            for s in range(SUITS):
                here = u[s]
                m = 0
                for role in range(3):
                    rest = states[k, role] >> RANKS * s & ((1 << RANKS) - 1)
                    while rest:
                        r = lowest(rest)
                        rest &= rest - 1
                        rows[s, m] = KINDS * role + LAST_NUMERAL + r
                        m += 1
                        if r < LAST_NUMERAL:
                            rows[s, m] = KINDS * role + (r + 1 - need) % LAST_NUMERAL
                            m += 1
                counts[s] = m
                if s == suit:
                    here[:] = _ZERO
                    for i in range(wholes):
                        if x[i] != 0:
                            for j in range(units):
                                here[j] += x[i] * net.whole_followed[i, j]
                    for q in range(m):
                        for j in range(units):
                            here[j] += net.followed[rows[s, q], j]
                    for j in range(units):
                        h[j] = here[j] if here[j] > 0 else _ZERO
                else:
                    here[:] = base
                    for q in range(m):
                        for j in range(units):
                            here[j] += net.others[rows[s, q], j]
                    for j in range(units):
                        h[units + j] += here[j] if here[j] > 0 else _ZERO
            a[:] = _ZERO
            for i in range(wholes):
                if x[i] != 0:
                    for j in range(hidden):
                        a[j] += x[i] * net.whole_hidden[i, j]
            for i in range(2 * units):
                if h[i] != 0:
                    for j in range(hidden):
                        a[j] += h[i] * net.hidden[i, j]
            o[:] = _ZERO
            for i in range(wholes):
                for c in range(OUTPUTS):
                    o[c] += x[i] * net.whole_out[c, i]
            for j in range(hidden):
                if a[j] > 0:
                    for c in range(OUTPUTS):
                        o[c] += a[j] * net.out[c, j]
            high = x[3]
            lead = o[0] + high * o[1] - target[k, 0]
            both = o[2] + high * o[3] - target[k, 1]
            wrong_lead += lead * lead
            wrong_sum += both * both
            e[0] = lead
            e[1] = lead * high
            e[2] = SUM_COUNTS * both
            e[3] = SUM_COUNTS * both * high
            for c in range(OUTPUTS):
                for i in range(wholes):
                    slopes.whole_out[c, i] += e[c] * x[i]
            d[:] = _ZERO
            for c in range(OUTPUTS):
                for j in range(hidden):
                    if a[j] > 0:
                        slopes.out[c, j] += e[c] * a[j]
                        d[j] += e[c] * net.out[c, j]
            for i in range(wholes):
                if x[i] != 0:
                    for j in range(hidden):
                        slopes.whole_hidden[i, j] += x[i] * d[j]
            back[:] = _ZERO
            for j in range(hidden):
                if d[j] != 0:
                    for i in range(2 * units):
                        back[i] += d[j] * turned[j, i]
            for i in range(2 * units):
                if h[i] != 0:
                    for j in range(hidden):
                        slopes.hidden[i, j] += h[i] * d[j]
            base[:] = _ZERO
            for s in range(SUITS):
                here = u[s]
                if s == suit:
                    for j in range(units):
                        here[j] = back[j] if here[j] > 0 else _ZERO
                    for q in range(counts[s]):
                        for j in range(units):
                            slopes.followed[rows[s, q], j] += here[j]
                    for i in range(wholes):
                        if x[i] != 0:
                            for j in range(units):
                                slopes.whole_followed[i, j] += x[i] * here[j]
                else:
                    for j in range(units):
                        here[j] = back[units + j] if here[j] > 0 else _ZERO
                        base[j] += here[j]
                    for q in range(counts[s]):
                        for j in range(units):
                            slopes.others[rows[s, q], j] += here[j]
            for i in range(wholes):
                if x[i] != 0:
                    for j in range(units):
                        slopes.whole_others[i, j] += x[i] * base[j]
        step += 1
        size = np.float32(rate * 0.5 * (1.0 + np.cos(np.pi * step / steps)))
        one = np.float32(1.0 - 0.9**step)
        two = np.float32(1.0 - 0.999**step)
        change(net.followed, slopes.followed, means.followed, squares.followed, batch, size, one, two)
        change(net.others, slopes.others, means.others, squares.others, batch, size, one, two)
        change(
            net.whole_followed, slopes.whole_followed, means.whole_followed, squares.whole_followed, batch, size, one,
            two,
        )  # fmt: skip
        change(net.whole_others, slopes.whole_others, means.whole_others, squares.whole_others, batch, size, one, two)
        change(net.hidden, slopes.hidden, means.hidden, squares.hidden, batch, size, one, two)
        change(net.whole_hidden, slopes.whole_hidden, means.whole_hidden, squares.whole_hidden, batch, size, one, two)
        change(net.out, slopes.out, means.out, squares.out, batch, size, one, two)
        change(net.whole_out, slopes.whole_out, means.whole_out, squares.whole_out, batch, size, one, two)
    return wrong_lead / (batches * batch), wrong_sum / (batches * batch)


@jit
def clear(net: Any) -> None:
    """All weights 0."""
    net.followed[:] = _ZERO
    net.others[:] = _ZERO
    net.whole_followed[:] = _ZERO
    net.whole_others[:] = _ZERO
    net.hidden[:] = _ZERO
    net.whole_hidden[:] = _ZERO
    net.out[:] = _ZERO
    net.whole_out[:] = _ZERO


@jit
def change(weights: Any, slopes: Any, means: Any, squares: Any, batch: Any, size: Any, one: Any, two: Any) -> None:
    """One step of Adam; `one` and `two` are what is told of the two running means so far."""
    part = np.float32(1.0 / batch)
    rest = np.float32(1.0)
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            slope = slopes[i, j] * part
            means[i, j] += (rest - FIRST) * (slope - means[i, j])
            squares[i, j] += (rest - SECOND) * (slope * slope - squares[i, j])
            weights[i, j] -= size * (means[i, j] / one) / (np.sqrt(squares[i, j] / two) + SMALL)


def begin(units: int, hidden: int, plies: int, seed: int) -> Net:
    """Small random weights."""
    rng = np.random.default_rng(seed)
    wholes = WHOLE + PER_PLY * plies
    shapes = (
        (CARD_INPUTS, units, 0.2), (CARD_INPUTS, units, 0.2), (wholes, units, 0.1), (wholes, units, 0.1),
        (2 * units, hidden, 0.12), (wholes, hidden, 0.1), (OUTPUTS, hidden, 0.05), (OUTPUTS, wholes, 0.01),
    )  # fmt: skip
    return Net(*((size * rng.standard_normal((a, b))).astype(np.float32) for a, b, size in shapes))


def fit_net(settings: Settings, hands: bool, tell: Callable[[str], None] | None = None) -> tuple[Net, dict[str, Any]]:
    """One of the two networks of a policy, and its last errors in points."""
    rules = ParlettRules.model_validate({"block": settings.block})
    policies = [POLICIES.parse(settings.policy)] * 2
    plies = 0 if hands else settings.plies
    net = begin(16, 24, 0, settings.seed) if hands else begin(settings.units, settings.hidden, plies, settings.seed)
    wanted = settings.positions // 5 if hands else settings.positions
    rounds = max(1, wanted // POOL)
    slopes, means, squares = (Net(*(np.zeros_like(w) for w in net)) for _ in range(3))
    turned = np.zeros(net.hidden.shape[::-1], np.float32)
    playable = ParlettPlayable(rules, policies)
    scratch = playable.scratch()
    numbers = np.array([p.info.number for p in policies])
    params = np.stack([p.vector() for p in policies])
    games = POOL // 3
    states = np.zeros((POOL, 5), np.int64)
    whole = np.zeros((POOL, net.whole_out.shape[1]), np.float32)
    target = np.zeros((POOL, 2), np.float32)
    step, steps = 0, rounds * (POOL // settings.batch) + 1
    errors: dict[str, Any] = {}
    for r in range(rounds):
        rng = np.random.default_rng([settings.seed, int(hands), r])
        scratch.records = np.zeros(games, RECORD).view(np.recarray)
        out = np.zeros((len(playable.fields), 2 * games), np.int32)
        playable.play(settings.seed, 2**61 + r * games, games, out, scratch, record=True)
        n = gather(
            scratch.records, rules.block == "barred", rules.hand_size, hands,
            rng.integers(0, 2**40, (games, PER_GAME)), scratch.positions[0], np.zeros(MOST_HAND + 3, np.int64), numbers,
            params, rules.multiple, states, whole, target,
        )  # fmt: skip
        error = learn(
            states, whole, target, rng.permutation(n), settings.batch, net, slopes, means, squares, turned, step,
            steps, settings.rate,
        )  # fmt: skip
        step += n // settings.batch
        errors = {"lead": 100 * float(np.sqrt(error[0])), "sum": 100 * float(np.sqrt(error[1]))}
        if tell is not None:
            tell(f"{r + 1} of {rounds}: error {errors['lead']:.1f} and {errors['sum']:.1f} points")
    return net, errors


def train(settings: Settings, tell: Callable[[str], None] | None = None) -> bytes:
    """Content of the file with both networks of a policy.

    Raises
    ------
    InputError
        In one line: what was given, what is accepted.
    """
    POLICIES.parse(settings.policy)
    if settings.block not in BLOCKS:
        raise InputError(unknown("block", settings.block, BLOCKS))
    for name, least in (("positions", POOL), ("units", 1), ("hidden", 1), ("plies", 0), ("batch", 1), ("seed", 0)):
        whole_number(name, getattr(settings, name), least)
    hands, of_hands = fit_net(settings, True, tell)
    row, of_row = fit_net(settings, False, tell)
    told = {
        "game": "parlett",
        "settings": settings._asdict(),
        "kernel_sources": source_hash("parlett"),
        "errors": {"hands": of_hands, "row": of_row},
    }
    return packed(hands, row, told)
