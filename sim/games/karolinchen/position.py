"""What a player sees: the record that every policy of Karolinchen is given."""

from __future__ import annotations

import numpy as np

#: what a player sees; arrays of six are by colour or by seat (seats beyond the number of players hold zeros)
POSITION = np.dtype(
    [
        ("seat", np.int64),
        ("seats", np.int64),
        ("turn", np.int64),
        ("dice", np.int64),
        ("total", np.int64),
        ("may", np.int64),
        ("second_roll", np.int64),
        ("fruits", np.int64, (6,)),
        ("middle", np.int64, (6,)),
        ("first", np.int64, (6,)),
        ("current", np.int64, (6,)),
        ("places", np.int64, (6,)),
        ("covered", np.int64, (6,)),
        ("finished", np.int64, (6,)),
        ("left", np.int64, (6,)),
    ]
)

POSITION_MEANING = {
    "seat": "the player to decide",
    "seats": "number of players",
    "turn": "number of the turn, from 1",
    "dice": "dice in the middle; if it stays at 0, the next player rolls all six",
    "total": "fruits to cover to win",
    "may": "1 under new_card_take = may: dice for a new card may be refused",
    "second_roll": "1 under reroll_after_eating: the player after an eating has a second roll",
    "fruits": "by colour: fruits on the card",
    "middle": "by colour: dice in the middle that show it",
    "first": "by seat: colour of the first card",
    "current": "by seat: colour of the current card (own: the card just filled in next_card, the new card in take)",
    "places": "by seat: free places on the current card (own: 0 in next_card)",
    "covered": "by seat: fruits covered on all cards together",
    "finished": "by seat: cards filled",
    "left": "by seat: the cards not yet laid out, as the sum of 2^colour",
}
