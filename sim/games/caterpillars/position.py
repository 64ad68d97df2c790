"""What a Caterpillars player sees: the record that policies receive."""

from __future__ import annotations

import numpy as np

from sim.games.base import PARAMETERS

#: sheets of others shown to a policy; with more players, the next seats clockwise
OTHERS = 7

#: Position of one seat. Own sheet, the dice of this round, what is public about the level, and the others' sheets as
#: of the last round; never future dice, another seat's policy numbers or the random stream.
POSITION = np.dtype(
    [
        ("labels", np.int16, (12,)),
        ("scores", np.int16, (12,)),
        ("open", np.int64),
        ("open_boxes", np.int64),
        ("open_labels", np.int64),
        ("label_boxes", np.int64, (14,)),
        ("owner", np.int64, (12,)),
        ("totals", np.int64, (3,)),
        ("empty", np.int64, (3,)),
        ("bonus", np.int16, (3,)),
        ("dice", np.int64, (3,)),
        ("face", np.int64),
        ("round_index", np.int64),
        ("rounds", np.int64),
        ("boxes", np.int64),
        ("level", np.int64),
        ("final", np.int64),
        ("chance", np.float64, (13,)),
        ("best", np.float64, (13,)),
        ("typical", np.float64),
        ("pending", np.int64, (3,)),
        ("seat", np.int64),
        ("seats", np.int64),
        ("others", np.int64),
        ("other_labels", np.int16, (OTHERS, 12)),
        ("other_scores", np.int16, (OTHERS, 12)),
        ("other_totals", np.int64, (OTHERS, 3)),
        ("other_empty", np.int64, (OTHERS, 3)),
        ("other_bonus", np.int64, (OTHERS, 3)),
    ],
    align=True,
)

POSITION_MEANING = {
    "labels": "by box: label, 0 while blank",
    "scores": "by box: score, −1 while empty",
    "open": "number of empty boxes",
    "open_boxes": "the empty boxes, as the sum of 2^box",
    "open_labels": "the labels of empty boxes, as the sum of 2^label",
    "label_boxes": "by label: the boxes with that label, empty or not, as the sum of 2^box",
    "owner": "by box: the caterpillar it belongs to",
    "totals": "by caterpillar: sum of its scores",
    "empty": "by caterpillar: number of its empty boxes",
    "bonus": "by bonus box: value, 0 while empty",
    "dice": "this round's regular dice, 0 where not rolled",
    "face": "this round's action face: 0 A, 1 B, 2 C, 3 2x, 4 10, 5 butterfly; −1 without action die",
    "round_index": "this round, from 0",
    "rounds": "rounds in the game, the same as boxes on the sheet",
    "boxes": "boxes per caterpillar",
    "level": "0 beginner, 1 intermediate, 2 advanced, 3 expert",
    "final": "0 median, 1 lowest, 2 highest, 3 total",
    "chance": "by label: probability that a roll has an entry for it",
    "best": "by label: mean best score, in points, when a roll has an entry for it",
    "typical": "mean of best over the labels 1 … 6, in points: the size of a good box score at this level",
    "pending": "during set-up: values of this roll still to be written, 0 where none",
    "seat": "own seat",
    "seats": "number of players",
    "others": "number of sheets shown in the fields below, at most 7",
    "other_labels": "by player (the next seats clockwise) and box: label",
    "other_scores": "by player and box: score before this round, −1 while empty",
    "other_totals": "by player and caterpillar: totals before this round",
    "other_empty": "by player and caterpillar: empty boxes before this round",
    "other_bonus": "by player and bonus box: value before this round, 0 while empty",
}

#: A kernel's private record per seat: policy number, parameters, and this game's policy numbers; `served` is what an
#: empty box is good for, see `sieve`.
SEAT = np.dtype(
    [
        ("policy", np.int64),
        ("draws", np.bool_),
        ("params", np.float64, (PARAMETERS,)),
        ("placement_draws", np.float64, (24,)),
        ("policy_draws", np.float64, (12,)),
        ("served", np.float64, (2, 13, 13, 13)),
    ],
    align=True,
)

#: room for the outcomes of any position (the largest variant needs 840)
CAPACITY = 1024
#: room for the bonus choices of one bonus box, and none, in any position (the largest variant needs 7)
GROUPS = 16
_END = 1472 + 8 * CAPACITY
#: games that are played in step
LANES = 4
_MORE = _END + 368 + 56 * GROUPS

#: A kernel's private working memory. `packed` is the same memory as `options`, one 64-bit number per outcome: it is
#: written
#: with one store instead of four (bonus_box, bonus_value, box, score in 16 bits each, lowest first).
#: `words` holds sixteen Philox blocks, which are computed together; `dice` and `setup` are the rolls of the next four
#: games. `fault` tells of a user's policy that chose nothing offered: seat + 1 (0: none did), what it returned, number
#: of choices, game. `served` and the two after it are those of `sieve`, the rest is that of `lookup`.
WORK = np.dtype(
    {
        "names": [
            *("dice", "setup", "counts", "words", "blanks", "options", "packed", "fault"),
            *("served", "worths", "gains"),
            *("open", "nodes", "totals", "zeros", "boxes", "points", "at", "fits"),
        ],
        "formats": [
            (np.int64, (4, 12)),
            (np.int64, (4, 12)),
            (np.int64, (16,)),
            (np.uint64, (64,)),
            (np.int16, (12,)),
            (np.int16, (CAPACITY, 4)),
            (np.int64, (CAPACITY,)),
            (np.int64, (4,)),
            (np.float64, (3, 14)),
            (np.float64, (4, GROUPS)),
            (np.float64, (3, GROUPS)),
            (np.int64, (LANES,)),
            (np.int64, (LANES, 3)),
            (np.int64, (LANES, 3)),
            (np.int64, (LANES,)),
            (np.int64, (LANES,)),
            (np.int64, (LANES,)),
            (np.int64, (LANES, 12)),
            (np.int64, (216,)),
        ],
        "offsets": [
            *(0, 384, 768, 896, 1408, 1472, 1472),
            *(_END + at for at in (0, 32, 368, 368 + 32 * GROUPS)),
            *(_MORE + 8 * LANES * at for at in (0, 1, 4, 7, 8, 9, 10, 22)),
        ],
        "itemsize": _MORE + 8 * LANES * 22 + 8 * 216,
    }
)
