"""How sure a lead is: the tables that `rival` reads, measured on pairs of sheets that are played to the end.

Two players sit at one table with the same labels, on the same boxes or not. Up to a round drawn at random they play
`learned` with slips of their own, from then on without. After every round from then on the lead is noted, and later
what became of it. Squared errors are fitted by least squares, with weights of at least zero on how far the sheets are
apart. To be made again when the networks are: ``python -m sim.games.caterpillars.learn.margins``, seconds a level.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np

from sim.engine.jit import jit, source_hash
from sim.engine.rng import pick, uniform
from sim.games.caterpillars.learn.positions import draw_sheet, lay
from sim.games.caterpillars.mind import SEEN, Mind, choose_learned, make_mind
from sim.games.caterpillars.odds import show_level
from sim.games.caterpillars.outcomes import list_outcomes, unpack, write
from sim.games.caterpillars.position import POSITION
from sim.games.caterpillars.rival import LABELS, SUM, TALLY, VALUE, apart, look
from sim.games.caterpillars.rules import LEVELS, SHEETS, CaterpillarsRules
from sim.games.caterpillars.value import end_total
from sim.games.caterpillars.weights import LEFT, MARGIN, MARGINS
from sim.store.parquet import write_bytes

#: what the file that comes with the project was made with
GAMES = 200_000
SEED = 1

Tell = Callable[[str], None]
#: streams, beside those of `positions`
_SWAP = 21
_START = 22
_DICE = 23
_SLIP = 24
_ANY = 25
#: chance to slip before the round drawn
_CARELESS = 0.25
#: columns of what is noted: distances (4), lead, lead in all boxes
_NOTED = 6


@jit
def shuffle(labels, owner, n, printed, seed, number):
    """Let the labels that are not printed change places."""
    for b in range(n - 1, 0, -1):
        if printed[b] == 0:
            at = pick(uniform(seed, number, _SWAP, 0, 1 + b), b + 1)
            if printed[at] == 0:
                labels[b], labels[at] = labels[at], labels[b]


@jit
def play_pair(seed, number, printed, positions, mind, noted, ends):
    """Play one game for two; notes by rounds left, float64[LEFT, 6]; returns the first number of rounds left noted."""
    labels = np.zeros(12, np.int64)
    owner = np.zeros(12, np.int64)
    nothing = np.zeros(3, np.int64)
    rows = np.zeros((2, SEEN))
    packed = mind.works[0].packed
    options = mind.works[0].options
    rules = mind.rules[0]
    n = draw_sheet(seed, number, labels, owner, printed)
    lay(positions[0], labels, owner, (1 << n) - 1, nothing, nothing, n)
    if n == 12 and uniform(seed, number, _SWAP, 0, 0) < 0.5:
        shuffle(labels, owner, n, printed, seed, number)
    lay(positions[1], labels, owner, (1 << n) - 1, nothing, nothing, n)
    start = pick(uniform(seed, number, _START, 0, 0), n)
    for r in range(n):
        x = int(uniform(seed, number, _DICE, 0, r) * 1296)
        face = x // 216 if rules.has_action else -1
        left = n - 1 - r
        for s in range(2):
            position = positions[s]
            position.round_index = r
            position.face = face
            m = list_outcomes(packed, position, x % 216, face, rules, mind.tables[0])
            k = choose_learned(position, options, m, mind)
            rows[s, VALUE] = mind.worth[k]
            if r < start and uniform(seed, number, _SLIP, s, r) < _CARELESS:
                k = pick(uniform(seed, number, _ANY, s, r), m)
            bonus_box, bonus_value, box, score = unpack(packed[k])
            write(position, bonus_box, bonus_value, box, score)
            value = rows[s, VALUE]
            look(position, left, mind.curve, rows[s])
            rows[s, VALUE] = value
        if r >= start:
            open_apart = 0.0
            for label in range(LABELS + 1, TALLY):
                open_apart += 0.5 * abs(rows[0, label] - rows[1, label])
            apart(rows[0], rows[1], open_apart, 1.0 / positions[0].typical, noted[left])
            noted[left, 4] = rows[0, VALUE] - rows[1, VALUE]
            noted[left, 5] = rows[0, SUM] - rows[1, SUM]
    for s in range(2):
        t = positions[s].totals
        b = positions[s].bonus
        ends[s] = end_total(t[0], t[1], t[2], int(b[0]), int(b[1]), int(b[2]), positions[s].final)
    return n - 1 - start


@jit
def play_pairs(seed, games, printed, positions, mind, notes, count):
    """Notes of many games, float64[LEFT, games, 6] with leads less what became of them; `count` by rounds left."""
    noted = np.zeros((12, _NOTED))
    ends = np.zeros(2)
    for g in range(games):
        most = play_pair(seed, np.uint64(g), printed, positions, mind, noted, ends)
        lead = ends[0] - ends[1]
        lead_in_all = noted[0, 5]
        for left in range(1, most + 1):
            at = count[left]
            for j in range(4):
                notes[left, at, j] = noted[left, j]
            notes[left, at, 4] = lead - noted[left, 4]
            notes[left, at, 5] = lead_in_all - noted[left, 5]
            count[left] += 1


def measure(level: str, games: int, seed: int) -> np.ndarray:
    """The table of one level: variances of the final leads by rounds left, float64[LEFT, MARGIN]."""
    from scipy.optimize import nnls

    rules = CaterpillarsRules.model_validate({"level": level})
    positions = np.zeros(2, POSITION).view(np.recarray)
    for position in positions:
        show_level(position, rules)
    mind: Mind = make_mind(rules)
    notes = np.zeros((LEFT, games, _NOTED))
    count = np.zeros(LEFT, np.int64)
    play_pairs(np.uint64(seed), games, np.array(SHEETS["pairs"], np.int64), positions, mind, notes, count)
    out = np.zeros((LEFT, MARGIN))
    for left in range(1, LEFT):
        known = notes[left, : count[left]]
        for column, at in ((4, 0), (5, 4)):
            weights, _ = nnls(known[:, :4], known[:, column] ** 2)
            out[left, at : at + 4] = weights
    return out


def measured(games: int, seed: int, tell: Tell | None = None) -> str:
    """The content of the file of all levels, as JSON text; equal arguments give equal text."""
    levels = {}
    for level in LEVELS:
        levels[level] = [[round(float(x), 4) for x in row] for row in measure(level, games, seed)]
        if tell is not None:
            tell(f"{level}: measured on {games:,} pairs of sheets")
    told = {"games": games, "seed": seed, "kernel_sources": source_hash("caterpillars"), "levels": levels}
    return json.dumps(told, indent=1) + "\n"


def main() -> None:
    """Measure all levels and write the file that `rival` reads."""
    write_bytes(MARGINS, measured(GAMES, SEED, print).encode())


if __name__ == "__main__":
    main()
