"""What a player sees: the record that every policy of Parlett's Caterpillar is given."""

from __future__ import annotations

import numpy as np

from sim.games.parlett.rules import LAST_NUMERAL, MOST_FOLLOWERS, MOST_PLAYS, MOST_TOTAL

#: what a player sees; a set of cards is a whole number whose bit ``c`` is card ``c``; pairs are (own, other)
POSITION = np.dtype(
    [
        ("hand", np.int64),
        ("legal", np.int64),
        ("unseen", np.int64),
        ("row", np.int64, (MOST_PLAYS,)),
        ("row_count", np.int64),
        ("total", np.int64),
        ("last_suit", np.int64),
        ("last_rank", np.int64),
        ("stock", np.int64),
        ("running", np.int64, (2,)),
        ("carried", np.int64, (2,)),
        ("deal", np.int64),
        ("deals", np.int64),
        ("seat", np.int64),
        ("leads", np.int64),
        ("hand_size", np.int64),
        ("court_bonus", np.int64),
        ("barred", np.int64),
        ("gain", np.int64, (MOST_TOTAL + LAST_NUMERAL + 1,)),
        ("scoring", np.int64, (MOST_TOTAL + 1,)),
        ("none_chance", np.float64, (MOST_PLAYS + 1, MOST_FOLLOWERS + 1)),
    ]
)

POSITION_MEANING = {
    "hand": "own hand, a set of cards",
    "legal": "the cards among which to choose, the same as cards[:n], a set of cards",
    "unseen": "the cards neither in own hand nor on the row, a set of cards: the other hand and the stock, mixed",
    "row": "the cards of the row in the order of play; entries from row_count on mean nothing",
    "row_count": "cards on the row",
    "total": "row total: the sum of all pips on the row",
    "last_suit": "suit of the last card on the row, −1 before the first",
    "last_rank": "rank of the last card on the row, 0 before the first",
    "stock": "cards in the stock; the deal has at most so many plays left, this one counted",
    "running": "running scores of this deal, own and other",
    "carried": "final scores of the deals before, own and other",
    "deal": "number of this deal, from 0",
    "deals": "deals in the game",
    "seat": "own seat",
    "leads": "1 if this seat led this deal",
    "hand_size": "cards in each hand",
    "court_bonus": "points for a court in hand at the end",
    "barred": "1 under block = barred: cards that leave the other stuck are then not in the list where avoidable",
    "gain": "by row total: what making it scores (0 if it does not score)",
    "scoring": "by row total: the numerals that score on it, a set of ranks (bit rank − 1)",
    "none_chance": "by stock and k: probability that none of k given unseen cards is in the other hand",
}
