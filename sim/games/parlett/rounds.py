"""Parlett's Caterpillar play by play: how many cards could be played, and which one was."""

from __future__ import annotations

import numpy as np

from sim.engine.jit import jit
from sim.games.base import Field, Recorder
from sim.games.parlett.kernel import RECORD, ParlettPlayable
from sim.games.parlett.moves import SUIT, count_cards, harmless_cards, legal_cards
from sim.games.parlett.rules import CARDS, MOST_TOTAL, ParlettRules


def round_fields(rules: ParlettRules) -> tuple[Field, ...]:
    """Columns of a play, with their bounds under the rules."""
    return (
        Field("deal", "int8", "index", "deal of the game, from 0; rounds are counted within it", 0, rules.deals - 1),
        Field("card", "int8", "index", "card played: 13 × suit + rank − 1", 0, CARDS - 1),
        Field("gain", "int16", "points", "points that it scored", 0, MOST_TOTAL),
        Field("total", "int16", "pips", "total of the row after it", 0, MOST_TOTAL),
    )


@jit
def replay(deals, hand_size, barred, records, rows):
    """Fill `rows`, int64[plays of all deals, 9]: game from 0, seat, round, options, chosen, deal, card, gain, total.

    `records` holds the deals game by game, `deals` for each.
    """
    turns = CARDS - 2 * hand_size
    at = 0
    for i in range(records.shape[0]):
        record = records[i]
        own = 0
        other = 0
        for k in range(hand_size):
            own |= 1 << record.deck[k]
            other |= 1 << record.deck[hand_size + k]
        if i % deals == 1:
            own, other = other, own
        last_suit = -1
        for t in range(record.count):
            play = record.plays[t]
            card = play[1]
            legal = legal_cards(own, last_suit)
            if barred and t < turns - 1:
                harmless = harmless_cards(legal, other)
                if harmless:
                    legal = harmless
            row = rows[at]
            row[0] = i // deals
            row[1] = play[0]
            row[2] = t + 1
            row[3] = count_cards(legal)
            row[4] = count_cards(legal & ((1 << card) - 1))
            row[5] = i % deals
            row[6] = card
            row[7] = play[3]
            row[8] = play[2]
            at += 1
            last_suit = SUIT[card]
            own = (own ^ (1 << card)) | (1 << record.deck[2 * hand_size + t])
            own, other = other, own


class ParlettRecorder(Recorder):
    """Tells games of Parlett's Caterpillar play by play."""

    def __init__(self, playable: ParlettPlayable) -> None:
        self.playable = playable
        self.fields = round_fields(playable.rules)

    def record(self, seed: int, first: int, games: int) -> dict[str, np.ndarray]:
        rules = self.playable.rules
        scratch = self.playable.scratch()
        scratch.records = records = np.zeros(games * rules.deals, RECORD).view(np.recarray)
        out = np.zeros((len(self.playable.fields), 2 * games), np.int32)
        self.playable.play(seed, first, games, out, scratch, record=True)
        rows = np.zeros((int(records["count"].sum()), 9), np.int64)
        replay(rules.deals, rules.hand_size, rules.block == "barred", records, rows)
        names = ("game", "seat", "round", "options", "chosen", "deal", "card", "gain", "total")
        return {name: rows[:, i] + (first if name == "game" else 0) for i, name in enumerate(names)}
