"""The shuffled deck of a deal.

A deck takes 51 words of one stream, which lie in thirteen blocks. The generator is written out here with its rounds
outside and sixteen blocks inside, one array of sixteen for each of the four words: compilers turn the inner loop into
vector instructions, which makes the deck twice as cheap as block by block. The tests compare it with `sim.engine.rng`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.engine.jit import jit
from sim.engine.rng import DECK, bounded
from sim.games.parlett.moves import CARDS

_BLOCKS = 16
_M0 = np.uint64(0xD2511F53)
_M1 = np.uint64(0xCD9E8D57)
_W0 = np.uint64(0x9E3779B9)
_W1 = np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
#: how many cards there are to pick from at word ``4 b + lane``, which lies at ``16 lane + b``; 1 where no pick is left
_LEFT = np.array([max(CARDS - 4 * (i % _BLOCKS) - i // _BLOCKS, 1) for i in range(4 * _BLOCKS)], np.uint64)


@jit
def deck_words(words: Any, seed: Any, game: Any, deal: Any) -> None:
    """Words 0 … 63 of a deal's part of the deck stream, word ``4 b + lane`` at ``words[16 lane + b]``."""
    k0 = seed & _LOW
    k1 = seed >> _32
    g0 = game & _LOW
    g1 = game >> _32
    for b in range(_BLOCKS):
        words[b] = np.uint64(_BLOCKS * deal + b)
        words[_BLOCKS + b] = g0
        words[2 * _BLOCKS + b] = g1
        words[3 * _BLOCKS + b] = np.uint64(DECK)
    for _ in range(10):
        for b in range(_BLOCKS):
            p0 = _M0 * words[b]
            p1 = _M1 * words[2 * _BLOCKS + b]
            words[b] = (p1 >> _32) ^ words[_BLOCKS + b] ^ k0
            words[_BLOCKS + b] = p1 & _LOW
            words[2 * _BLOCKS + b] = (p0 >> _32) ^ words[3 * _BLOCKS + b] ^ k1
            words[3 * _BLOCKS + b] = p0 & _LOW
        k0 = (k0 + _W0) & _LOW
        k1 = (k1 + _W1) & _LOW


@jit
def deck_picks(words: Any, picks: Any) -> Any:
    """Scale every word to its pick; true if a word may have to be refused (about 3 in 10 million decks)."""
    doubtful = 0
    for i in range(4 * _BLOCKS):
        m = words[i] * _LEFT[i]
        doubtful |= (m & _LOW) < _LEFT[i]
        picks[i] = np.int64(m >> _32)
    return doubtful


@jit
def exact_picks(picks: Any, seed: Any, game: Any, deal: Any) -> None:
    """The picks one by one, with refusals."""
    for i in range(CARDS):
        picks[_BLOCKS * (i & 3) + (i >> 2)] = bounded(seed, game, DECK, 0, 64 * deal + i, CARDS - i)


@jit
def swap_cards(deck: Any, picks: Any) -> None:
    """The forward shuffle: each place in turn changes cards with itself or a later one."""
    for i in range(CARDS):
        deck[i] = i
    for b in range(CARDS // 4):
        for lane in range(4):
            i = 4 * b + lane
            j = i + picks[_BLOCKS * lane + b]
            deck[i], deck[j] = deck[j], deck[i]


@jit
def shuffle(work: Any, seed: Any, game: Any, deal: Any) -> None:
    """The deck of one deal into `work.deck`."""
    deck_words(work.words, seed, game, deal)
    if deck_picks(work.words, work.picks):
        exact_picks(work.picks, seed, game, deal)
    swap_cards(work.deck, work.picks)
