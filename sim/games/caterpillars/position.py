"""What a Caterpillars player sees: the record that policies receive."""

from __future__ import annotations

import numpy as np

from sim.games.base import PARAMETERS

#: sheets of others shown to a policy; with more players, the next seats clockwise
OTHERS = 7

#: Position of one seat. Own sheet, the dice of this round, what is public about the level, and the others' sheets as
#: of the last
#: round; never future dice, another seat's policy numbers or the random stream.
#:
#: ====================  =========================================================================================
#: labels, scores        per box (12): label, 0 while blank; score, −1 while empty
#: open, open_boxes      number of empty boxes; bit b set where box b is empty
#: open_labels           bit L set where some empty box has label L
#: label_boxes           per label (14): bit b set where box b has that label, empty or not
#: owner                 per box (12): the caterpillar it belongs to
#: totals, empty         per caterpillar (3): sum of its scores; number of its empty boxes
#: bonus                 per bonus box (3): value, 0 while empty
#: dice, face            this round's regular dice (0 where not rolled); action face 0 … 5 or −1
#: round_index, rounds   this round, counted from 0; rounds in the game (= boxes on the sheet)
#: boxes                 boxes per caterpillar
#: level, final          0 … 3; 0 median, 1 lowest, 2 highest, 3 total
#: chance, best          per label (13): chance that a roll has an entry for it; mean best score when it has
#: typical               mean of `best` over the labels 1 … 6: the size of a good box score at this level
#: pending               during set-up: values of this roll still to be written (3), 0 where none
#: seat, seats           own place; number of players
#: others                number of sheets shown in the three fields below
#: other_totals, other_empty, other_bonus   as above, for the next seats clockwise, before this round
#: ====================  =========================================================================================
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
        ("other_totals", np.int64, (OTHERS, 3)),
        ("other_empty", np.int64, (OTHERS, 3)),
        ("other_bonus", np.int64, (OTHERS, 3)),
    ],
    align=True,
)

#: A kernel's private record per seat: policy number, parameters, and this game's policy numbers.
SEAT = np.dtype(
    [
        ("policy", np.int64),
        ("draws", np.bool_),
        ("params", np.float64, (PARAMETERS,)),
        ("placement_draws", np.float64, (24,)),
        ("policy_draws", np.float64, (12,)),
    ],
    align=True,
)

#: room for the outcomes of any position (the largest variant needs 840)
CAPACITY = 1024

#: A kernel's private working memory. `packed` is the same memory as `options`, one 64-bit number per outcome: it is
#: written
#: with one store instead of four (bonus_box, bonus_value, box, score in 16 bits each, lowest first).
#: `words` holds sixteen Philox blocks, which are computed together; `dice` and `setup` are the rolls of the next four
#: games.
WORK = np.dtype(
    {
        "names": ["dice", "setup", "counts", "words", "blanks", "options", "packed"],
        "formats": [
            (np.int64, (4, 12)),
            (np.int64, (4, 12)),
            (np.int64, (16,)),
            (np.uint64, (64,)),
            (np.int16, (12,)),
            (np.int16, (CAPACITY, 4)),
            (np.int64, (CAPACITY,)),
        ],
        "offsets": [0, 384, 768, 896, 1408, 1472, 1472],
        "itemsize": 1472 + 8 * CAPACITY,
    }
)
