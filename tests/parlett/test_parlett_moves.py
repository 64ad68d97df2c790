"""Single moves: what may follow, what scores, how a deal is settled, how the deck is shuffled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.engine import rng
from sim.engine.jit import COMPILED
from sim.games.parlett import moves
from sim.games.parlett.kernel import final_score

CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
JACK, QUEEN, KING = 11, 12, 13
NO_CARD = -1


def card(suit: int, rank: int) -> int:
    return 13 * suit + rank - 1


def hand(*cards: tuple[int, int]) -> int:
    return sum(1 << card(*c) for c in cards)


def gain(suit: int, rank: int, total: int, last_suit: int, multiple: int = 5) -> int:
    table = np.zeros(231, np.int64)
    moves.fill_gain(table, multiple)
    return int(moves.card_gain(card(suit, rank), total, last_suit, table))


# ----------------------------------------------------------------------------------------------------------------------
# Scores


def test_the_published_example() -> None:
    assert gain(HEARTS, 10, 0, NO_CARD) == 10  # the opening ten
    assert gain(CLUBS, 1, 34, CLUBS) == 35  # an ace brings 34 to 35
    assert gain(SPADES, QUEEN, 90, SPADES) == 90  # the dealer's last four scores: a queen in suit, …
    assert [gain(SPADES, 10, total, SPADES) for total in (90, 100, 110)] == [100, 110, 120]
    # running scores 280 and 750, courts 4 and 2
    assert final_score(280, 4, 2, -1, 0, 100) == 680
    assert final_score(750, 2, 4, -1, 1, 100) == 950


def test_a_five_led_scores_by_the_same_rule_and_other_leads_do_not() -> None:
    assert [gain(DIAMONDS, rank, 0, NO_CARD) for rank in range(1, 14)] == [0, 0, 0, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0]


def test_a_court_scores_only_in_suit_and_only_a_multiple() -> None:
    for court in (JACK, QUEEN, KING):
        assert gain(HEARTS, court, 45, HEARTS) == 45
        assert gain(HEARTS, court, 45, SPADES) == 0
        assert gain(HEARTS, court, 44, HEARTS) == 0


def test_total_nought_scores_nothing() -> None:
    """A court on a row of courts repeats a total of 0."""
    assert gain(HEARTS, KING, 0, HEARTS) == 0
    assert gain(HEARTS, KING, 0, NO_CARD) == 0


@given(total=st.integers(0, 210), rank=st.integers(1, 13), same=st.booleans(), multiple=st.integers(1, 220))
@settings(deadline=None, max_examples=200)
def test_any_multiple(total: int, rank: int, same: bool, multiple: int) -> None:
    pips = rank if rank <= 10 else 0
    scores = (total + pips) % multiple == 0 and (rank <= 10 or same)
    assert gain(CLUBS, rank, total, CLUBS if same else HEARTS, multiple) == (total + pips if scores else 0)


def test_a_stuck_player_counts_the_courts_of_the_other_who_counts_none() -> None:
    assert final_score(100, 0, 3, 1, 1, 100) == 400
    assert final_score(250, 3, 0, 1, 0, 100) == 250


# ----------------------------------------------------------------------------------------------------------------------
# What may be played


def test_a_numeral_follows_its_suit_and_a_court_follows_anything() -> None:
    own = hand((CLUBS, 3), (CLUBS, JACK), (HEARTS, 10), (SPADES, KING))
    assert moves.legal_cards(own, NO_CARD) == own
    assert moves.legal_cards(own, CLUBS) == hand((CLUBS, 3), (CLUBS, JACK), (SPADES, KING))
    assert moves.legal_cards(own, HEARTS) == hand((HEARTS, 10), (CLUBS, JACK), (SPADES, KING))
    assert moves.legal_cards(hand((CLUBS, 3)), HEARTS) == 0


def test_a_court_leads_its_own_suit() -> None:
    """After a court, its suit is to be followed: also when that court leaves the other stuck."""
    legal = hand((CLUBS, 3), (SPADES, KING))
    assert moves.harmless_cards(legal, hand((CLUBS, 10))) == hand((CLUBS, 3))
    assert moves.harmless_cards(legal, hand((SPADES, 10))) == hand((SPADES, KING))
    assert moves.harmless_cards(legal, hand((HEARTS, 10))) == 0
    assert moves.harmless_cards(legal, hand((HEARTS, QUEEN))) == legal


# ----------------------------------------------------------------------------------------------------------------------
# Sets of cards


@given(cards=st.sets(st.integers(0, 51), max_size=25))
@settings(deadline=None, max_examples=200)
def test_sets_of_cards(cards: set[int]) -> None:
    bits = sum(1 << c for c in cards)
    out = np.zeros(28, np.int64)
    n = moves.list_cards(bits, out)
    assert out[:n].tolist() == sorted(cards)
    assert moves.count_cards(bits) == len(cards)
    assert moves.ranks_of(bits) == sum(1 << r for r in {c % 13 for c in cards})
    if cards:
        assert (moves.lowest(bits), moves.highest(bits)) == (min(cards), max(cards))


def test_cards_of_given_ranks() -> None:
    assert moves.of_ranks(1 << 4) == hand(*[(suit, 5) for suit in range(4)])


def test_ranks_that_score() -> None:
    """On 43 a two and a seven score; on 40 a five and a ten."""
    table, scoring = np.zeros(231, np.int64), np.zeros(221, np.int64)
    moves.fill_gain(table, 5)
    moves.fill_scoring(scoring, table)
    assert scoring[43] == 1 << 1 | 1 << 6
    assert scoring[40] == 1 << 4 | 1 << 9


# ----------------------------------------------------------------------------------------------------------------------
# The deck


def slow_deck(seed: int, game: int, deal: int) -> list[int]:
    """`docs/randomness.md`, word for word."""
    deck = list(range(52))
    for i in range(51):
        j = i + int(rng.bounded(np.uint64(seed), np.uint64(game), rng.DECK, 0, 64 * deal + i, 52 - i))
        deck[i], deck[j] = deck[j], deck[i]
    return deck


class Work:
    """The part of the kernel's working record that a shuffle uses."""

    def __init__(self) -> None:
        self.words = np.zeros(64, np.uint64)
        self.picks = np.zeros(64, np.int64)
        self.deck = np.zeros(52, np.int64)


def fast_deck(seed: int, game: int, deal: int) -> list[int]:
    work = Work()
    moves.deck_words(work.words, np.uint64(seed), np.uint64(game), deal)
    moves.deck_picks(work.words, work.picks)
    moves.swap_cards(work.deck, work.picks)
    return work.deck.tolist()


@pytest.mark.parametrize("seed", [0, 7, 2**32 + 5, 2**64 - 1])
@pytest.mark.parametrize("deal", [0, 1])
def test_the_deck_is_the_specified_one(seed: int, deal: int) -> None:
    for game in [0, 1, 2**32 - 1, 2**32, 2**63 - 1, *range(2, 50 if COMPILED else 4)]:
        assert fast_deck(seed, game, deal) == slow_deck(seed, game, deal)


def test_a_word_that_may_have_to_be_refused_is_noticed() -> None:
    """With ``n`` cards left a word is refused if the low half of word × n is below 2³² mod n, which is below n."""
    picks = np.zeros(64, np.int64)
    words = np.full(64, 0x9E3779B9, np.uint64)
    assert not moves.deck_picks(words, picks)
    words[3] = np.uint64(0)
    assert moves.deck_picks(words, picks)


def test_exact_picks_are_the_same_where_nothing_is_refused() -> None:
    work = Work()
    for game in range(20 if COMPILED else 2):
        moves.deck_words(work.words, np.uint64(3), np.uint64(game), 1)
        assert not moves.deck_picks(work.words, work.picks)
        fast = work.picks.copy()
        moves.exact_picks(work.picks, np.uint64(3), np.uint64(game), 1)
        places = [16 * (i & 3) + (i >> 2) for i in range(52)]
        assert work.picks[places].tolist() == fast[places].tolist()
