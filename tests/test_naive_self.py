"""The naive programs against known answers and against the rules text, before anything is compared with them."""

from __future__ import annotations

import pytest

from tests.naive import caterpillars, karolinchen, parlett, philox

# ----------------------------------------------------------------------------------------------------------------------
# Random numbers


def test_philox_known_answers() -> None:
    zero = philox.philox((0, 0, 0, 0), (0, 0))
    assert zero == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    ones = philox.philox((2**32 - 1,) * 4, (2**32 - 1,) * 2)
    assert ones == (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)


def test_philox_known_answer_of_mixed_words() -> None:
    """Third published vector (digits of pi), which tells the halves of key and counter apart."""
    words = philox.philox((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0))
    assert words == (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)


def test_a_word_is_addressed_by_where_it_is_used() -> None:
    seed, game = 2**40 + 5, 2**33 + 7
    counter = (2, 7, 2, 4 + 256 * 3)  # block 2; low and high game index; stream policy, seat 3
    assert philox.word(seed, game, "policy", 3, 9) == philox.philox(counter, (5, 256))[1]
    later = (2 + 5 * 2**24, *counter[1:])
    assert philox.word(seed, game, "policy", 3, 9, attempt=5) == philox.philox(later, (5, 256))[1]


def test_bounded_refuses_exactly_the_words_that_would_bias_it() -> None:
    """With n = 3 × 2^30 one word in four is refused: the numbers are those of the first accepted attempt."""
    n, refusals = 3 * 2**30, 0
    for index in range(200):
        attempts = [philox.word(1, 0, "dice", 0, index, attempt) for attempt in range(40)]
        accepted = [w for w in attempts if (w * n) % 2**32 >= 2**30]
        assert philox.bounded(1, 0, "dice", 0, index, n) == accepted[0] * n >> 32
        refusals += attempts[0] != accepted[0]
    assert 20 < refusals < 85  # expected 50, standard deviation 6.1; outside with probability below 1e-6


def test_uniform_is_in_the_unit_interval_and_uses_two_words() -> None:
    a, b = philox.word(3, 1, "policy", 0, 10), philox.word(3, 1, "policy", 0, 11)
    assert philox.uniform(3, 1, "policy", 0, 5) == ((a >> 5) * 67108864 + (b >> 6)) / 9007199254740992
    assert all(0 <= philox.uniform(3, game, "policy", 0, 0) < 1 for game in range(100))
    assert philox.pick(0.999999999, 3) == 2


# ----------------------------------------------------------------------------------------------------------------------
# Caterpillars: outcomes

PAIRS = [1, 6, 3, 4, 2, 5, 3, 4, 1, 6, 3, 4]
NONE_FILLED = [False] * 12
NO_BONUSES = [0, 0, 0]


def only(*open_boxes: int) -> list[bool]:
    return [box not in open_boxes for box in range(12)]


def test_beginner_example() -> None:
    """Roll 3 5: 5 into a box labelled 3 (or 3 into a box labelled 5)."""
    got = caterpillars.outcomes({"level": "beginner"}, PAIRS, NONE_FILLED, NO_BONUSES, [3, 5])
    assert got == [(-1, 0, 2, 5), (-1, 0, 5, 3), (-1, 0, 6, 5), (-1, 0, 10, 5)]


def test_intermediate_example() -> None:
    """2 3 6: 5 into a 6, or, in the variation, 2 into a 9."""
    labels = [1, 6, 9, 7, 2, 5, 11, 12, 1, 4, 8, 10]
    got = caterpillars.outcomes({"level": "intermediate"}, labels, NONE_FILLED, NO_BONUSES, [2, 3, 6])
    assert (-1, 0, 1, 5) in got
    assert (-1, 0, 2, 2) in got
    # 2 → 9, 3 → 8, 6 → 5, 8 → 3, 9 → 2, 5 → 6: label and score group are all three dice
    assert got == [(-1, 0, 1, 5), (-1, 0, 2, 2), (-1, 0, 4, 9), (-1, 0, 5, 6), (-1, 0, 10, 3)]


def test_advanced_example() -> None:
    """2 3 5: 5 into bonus A, then 3 into a 2."""
    got = caterpillars.outcomes({"level": "advanced"}, PAIRS, NONE_FILLED, NO_BONUSES, [2, 3, 5])
    assert (0, 5, 4, 3) in got
    assert (-1, 0, 5, 5) in got  # 2 + 3 is the label, 5 the score


def test_expert_example() -> None:
    """2 5 6 butterfly: 6 into bonus C, 7 into any empty box; then, C holding 6, roll 1 2 2 and C: 10 into a 1."""
    rules = {"level": "expert"}
    got = caterpillars.outcomes(rules, PAIRS, NONE_FILLED, NO_BONUSES, [2, 5, 6], "butterfly")
    assert all((2, 6, box, 7) in got for box in range(12))
    assert all((-1, 0, box, 13) in got for box in range(12))
    got = caterpillars.outcomes(rules, PAIRS, only(0, 8), [0, 0, 6], [1, 2, 2], "C")
    assert (-1, 0, 0, 10) in got
    assert (-1, 0, 8, 10) in got


def test_zero_rules_differ_as_written() -> None:
    """3 5 with only a box labelled 3 open: one split fits, the other does not."""

    def legal(zero_rule: str, labels: list[int], dice: list[int]) -> list[tuple[int, int, int, int]]:
        return caterpillars.outcomes({"zero_rule": zero_rule}, labels, only(0, 1), NO_BONUSES, dice)

    labels = [3, 6] + [1] * 10
    assert legal("forced", labels, [3, 5]) == [(-1, 0, 0, 5)]
    assert legal("strict", labels, [3, 5]) == [(-1, 0, 0, 5)]
    assert legal("split", labels, [3, 5]) == [(-1, 0, 0, 0), (-1, 0, 0, 5), (-1, 0, 1, 0)]
    for zero_rule in ("forced", "split", "strict"):
        assert legal(zero_rule, labels, [2, 4]) == [(-1, 0, 0, 0), (-1, 0, 1, 0)]


def test_forced_and_strict_differ_over_bonus_choices() -> None:
    """Advanced 1 2 3, only a 5 open: 2 + 3 matches without a bonus write, nothing matches with one."""
    labels = [5] + [1] * 11
    forced = caterpillars.outcomes({"level": "advanced"}, labels, only(0), [4, 4, 0], [1, 2, 3])
    assert forced == [(-1, 0, 0, 1), (2, 1, 0, 0), (2, 2, 0, 0), (2, 3, 0, 0)]
    strict = caterpillars.outcomes({"level": "advanced", "zero_rule": "strict"}, labels, only(0), [4, 4, 0], [1, 2, 3])
    assert strict == [(-1, 0, 0, 1)]
    labels = [12] + [1] * 11
    strict = caterpillars.outcomes({"level": "advanced", "zero_rule": "strict"}, labels, only(0), [4, 4, 0], [1, 2, 3])
    assert strict == [(-1, 0, 0, 0), (2, 1, 0, 0), (2, 2, 0, 0), (2, 3, 0, 0)]


def test_a_butterfly_counts_as_an_entry_and_may_be_declined_only_under_split() -> None:
    labels = [12] + [1] * 11
    rules = {"level": "expert"}
    args = (labels, only(0), [1, 1, 1], [1, 1, 1], "butterfly")
    assert caterpillars.outcomes(rules, *args) == [(-1, 0, 0, 3)]
    assert caterpillars.outcomes({**rules, "zero_rule": "strict"}, *args) == [(-1, 0, 0, 3)]
    assert caterpillars.outcomes({**rules, "zero_rule": "split"}, *args) == [(-1, 0, 0, 0), (-1, 0, 0, 3)]


@pytest.mark.parametrize(
    ("changes", "stored"),
    [
        ({}, {1, 2, 3, 4, 6}),  # 1 2 3, one of them doubled: plain 1 2 3 while another is doubled, or 2 4 6
        ({"double_stores": "face"}, {1, 2, 3}),
        ({"double_stores": "barred"}, {1, 2, 3}),
    ],
)
def test_a_doubled_die_in_a_bonus_box(changes: dict[str, str], stored: set[int]) -> None:
    got = caterpillars.outcomes({"level": "expert", **changes}, PAIRS, NONE_FILLED, [9, 9, 0], [1, 2, 3], "2x")
    assert {value for box, value, _, _ in got if box == 2} == stored


def test_doubling_is_mandatory_by_default_and_storing_the_double_uses_it_up() -> None:
    labels = [1] * 12
    args = (labels, only(0), [9, 9, 0], [1, 1, 1], "2x")
    # left are 1 1 2: a plain die as label, 1 + 2 as score; a plain die stored leaves 1 2, the double leaves 1 1
    mandatory = caterpillars.outcomes({"level": "expert"}, *args)
    assert mandatory == [(-1, 0, 0, 3), (2, 1, 0, 2), (2, 2, 0, 1)]
    optional = caterpillars.outcomes({"level": "expert", "double_optional": True}, *args)
    assert optional == [(-1, 0, 0, 2), (-1, 0, 0, 3), (2, 1, 0, 1), (2, 1, 0, 2), (2, 2, 0, 1)]
    face = caterpillars.outcomes({"level": "expert", "double_stores": "face"}, *args)
    assert face == [(-1, 0, 0, 3), (2, 1, 0, 1), (2, 1, 0, 2)]
    barred = caterpillars.outcomes({"level": "expert", "double_stores": "barred"}, *args)
    assert barred == [(-1, 0, 0, 3), (2, 1, 0, 2)]


def test_letter_faces_and_the_bonus_ban() -> None:
    labels = [1] * 12
    args = (labels, only(0), [6, 0, 5], [1, 1, 1])
    same = caterpillars.outcomes({"level": "expert"}, *args, "A")
    assert same == [(-1, 0, 0, 8), (1, 1, 0, 7)]  # a fourth die of 6, also beside a write to B
    banned = caterpillars.outcomes({"level": "expert", "bonus_ban": "any"}, *args, "A")
    assert banned == [(-1, 0, 0, 8), (1, 1, 0, 1)]  # the write forfeits the fourth die
    empty = caterpillars.outcomes({"level": "expert"}, *args, "B")
    assert empty == [(-1, 0, 0, 2), (1, 1, 0, 1)]  # no die from an empty box, but it may be written
    ten = caterpillars.outcomes({"level": "expert", "bonus_ban": "any"}, *args, "10")
    assert ten == [(-1, 0, 0, 12), (1, 1, 0, 11)]  # the ten is not affected
    stored = caterpillars.outcomes({"level": "expert", "bonus_source": "any"}, *args, "10")
    assert stored == [(-1, 0, 0, 12), (1, 1, 0, 11), (1, 10, 0, 2)]
    letter = caterpillars.outcomes({"level": "expert", "bonus_source": "any"}, *args, "A")
    assert letter == [(-1, 0, 0, 8), (1, 1, 0, 7), (1, 6, 0, 2)]
    neither = caterpillars.outcomes({"level": "expert", "bonus_source": "any", "bonus_ban": "any"}, *args, "A")
    assert neither == banned


def test_idle_dice() -> None:
    labels = [2] + [9] * 11
    rules = {"level": "intermediate", "idle_dice": True}
    got = caterpillars.outcomes(rules, labels, only(0), NO_BONUSES, [2, 3, 6])
    assert got == [(-1, 0, 0, 3), (-1, 0, 0, 6), (-1, 0, 0, 9)]
    butterfly = caterpillars.outcomes({**rules, "level": "expert"}, labels, only(1), [1, 1, 1], [1, 1, 1], "butterfly")
    assert butterfly == [(-1, 0, 1, 3)]  # all of them


def test_no_empty_box_no_outcomes() -> None:
    assert caterpillars.outcomes({"level": "beginner"}, PAIRS, [True] * 12, NO_BONUSES, [1, 2]) == []


# ----------------------------------------------------------------------------------------------------------------------
# Caterpillars: the end and whole games


@pytest.mark.parametrize(
    ("final", "totals", "bonus", "flying", "score"),
    [
        ("median", [5, 9, 7], [6, 6, 1], 2, 8),
        ("median", [5, 9, 9], [6, 1, 3], 2, 12),  # one of the two highest is struck: the better one is kept
        ("median", [5, 5, 9], [2, 4, 6], 1, 9),
        ("median", [7, 7, 7], [1, 6, 6], 1, 13),  # still equal: the lowest index
        ("median", [0, 0, 0], [0, 0, 0], 0, 0),
        ("lowest", [5, 9, 5], [1, 6, 2], 2, 7),
        ("highest", [5, 9, 9], [6, 2, 2], 1, 11),
        ("total", [5, 9, 9], [6, 2, 2], -1, 33),
    ],
)
def test_who_flies(final: str, totals: list[int], bonus: list[int], flying: int, score: int) -> None:
    assert caterpillars.flying_caterpillar({"final": final}, totals, bonus) == (flying, score)


def test_win_shares() -> None:
    assert caterpillars.win_shares([10, 12, 12], [30, 25, 31]) == [0, 0, 1]
    assert caterpillars.win_shares([12, 12, 10], [25, 25, 40]) == [0.5, 0.5, 0]
    assert caterpillars.win_shares([3], [7]) == [1]


BOUNDS = {"beginner": 24, "intermediate": 48, "advanced": 54, "expert": 108}


@pytest.mark.parametrize("level", BOUNDS)
def test_whole_games_of_caterpillars(level: str) -> None:
    setups = ["standard"] if level == "beginner" else ["standard", "variation"]
    for setup in setups:
        for game in range(6):
            rules = {"level": level, "setup": setup}
            trace = caterpillars.play_game(rules, ["random", "greedy", "random"], 11, game)
            assert len(trace["rolls"]) == 12
            assert len(trace["setup_rolls"]) == (2 if setup == "standard" else 3)
            assert sum(seat["win"] for seat in trace["seats"]) == pytest.approx(1)
            for seat in trace["seats"]:
                assert sorted(box for _, _, box, _ in seat["outcomes"]) == list(range(12))
                assert sorted(seat["labels"])[0] >= 1
                pools = sum(sum(roll) for roll in trace["setup_rolls"])
                assert sum(seat["labels"]) == 21 + pools  # every set-up die is on the sheet
                assert seat["score"] <= BOUNDS[level]
            solo = caterpillars.play_game(rules, ["random"], 11, game)
            assert solo["seats"][0]["outcomes"] == trace["seats"][0]["outcomes"]


def test_greedy_set_up_fills_the_lowest_blanks() -> None:
    trace = caterpillars.play_game({"level": "beginner"}, ["greedy"], 3, 0)
    first, second = trace["setup_rolls"]
    labels = trace["seats"][0]["labels"]
    assert [labels[box] for box in (2, 3, 6, 7, 10, 11)] == first + second
    trace = caterpillars.play_game({"level": "expert", "setup": "variation"}, ["greedy"], 3, 0)
    labels = trace["seats"][0]["labels"]
    expected = [value for a, b, c in trace["setup_rolls"] for value in (a, b + c)]
    assert [labels[box] for box in (2, 3, 6, 7, 10, 11)] == expected


def test_greedy_choice_and_its_ties() -> None:
    def best(*options: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
        return options[caterpillars.choose_greedy({}, list(options), len(options), (), 0.0)]

    assert best((-1, 0, 0, 3), (0, 1, 0, 4)) == (0, 1, 0, 4)
    assert best((0, 1, 0, 4), (-1, 0, 11, 4)) == (-1, 0, 11, 4)
    assert best((1, 2, 0, 4), (0, 6, 5, 4)) == (0, 6, 5, 4)
    assert best((1, 2, 3, 4), (1, 1, 7, 4), (1, 1, 6, 4)) == (1, 1, 6, 4)


def test_own_policies_can_be_plugged_in() -> None:
    def last(position: dict, options: list, n: int, params: tuple, u: float) -> int:
        assert n == len(options) == len(set(options))
        assert len(position["others"]) == 1
        return n - 1

    trace = caterpillars.play_game({"level": "advanced"}, [last, "random"], 5, 2)
    assert trace["seats"][0]["policy"] == "last"
    # the last outcome in sorted order writes bonus C at once
    assert trace["seats"][0]["outcomes"][0][0] == 2


# ----------------------------------------------------------------------------------------------------------------------
# Karolinchen

BLUE, ORANGE, PURPLE, YELLOW, GREEN, RED = range(6)


def scripted(monkeypatch: pytest.MonkeyPatch, rolls: dict[tuple[int, int], list[int]]) -> None:
    """Replace the dice by a table from (turn, roll within the turn) to colours."""

    def roll(seed: int, game: int, turn: int, k: int, dice: int) -> list[int]:
        assert len(rolls[turn, k]) == dice, f"turn {turn}, roll {k}: {dice} dice were rolled"
        return sorted(rolls[turn, k])

    monkeypatch.setattr(karolinchen, "roll", roll)


def test_a_chain_of_cards_in_one_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Surplus stays; each full card is followed at once by the next; no roll after a card change."""
    scripted(
        monkeypatch,
        {(0, 0): [BLUE, BLUE, ORANGE, ORANGE, PURPLE, YELLOW], (2, 0): [RED, RED]},
    )
    rules = {"start_fruit": [BLUE, RED], "max_turns": 2}
    trace = karolinchen.play_game(rules, ["match", "match"], 0, 0)
    results = karolinchen.report(trace)
    first, second = trace["turns"]
    # one blue fits; orange takes two, more than any other; purple and yellow take one each, yellow is longer
    assert first["rolled"] == []
    assert first["taken"] == [[BLUE, 1], [ORANGE, 2], [YELLOW, 1]]
    assert first["chosen"] == [ORANGE, YELLOW]
    assert first["left"] == [BLUE, PURPLE]
    # red is not in the middle: both dice are rolled once, both are red and taken; the middle is empty
    assert second["middle"] == [BLUE, PURPLE]
    assert second["rolled"] == [[RED, RED]]
    assert second["taken"] == [[RED, 2]]
    assert second["left"] == []
    assert second["eating"] is True
    assert trace["winner"] is None
    assert [own["fruits"] for own in results] == [4, 2]
    assert [own["cards"] for own in results] == [2, 0]
    assert {(own["turns"], own["rolls"], own["eatings"], own["capped"]) for own in results} == {(2, 2, 1, True)}


@pytest.mark.parametrize(("again", "rolled"), [(False, 1), (True, 2)])
def test_after_an_eating_all_six_are_rolled_once(monkeypatch: pytest.MonkeyPatch, again: bool, rolled: int) -> None:
    scripted(
        monkeypatch,
        {(0, 0): [RED] * 6, (1, 0): [YELLOW] * 6, (2, 0): [BLUE] * 6, (2, 1): [GREEN] * 6, (3, 0): [BLUE] * 6},
    )
    rules = {"start_fruit": [RED, GREEN], "reroll_after_eating": again, "max_turns": 2}
    trace = karolinchen.play_game(rules, ["longest", "longest"], 0, 0)
    first, second = trace["turns"]
    # red takes all six and is full; the next card is chosen although the middle is empty
    assert first["eating"] is True
    assert first["chosen"] == [GREEN]
    assert second["middle"] == []
    assert len(second["rolled"]) == rolled
    assert second["taken"] == ([[GREEN, 5]] if again else [])
    # green full, then the longest card left is red, which takes nothing from the one green die
    assert second["chosen"] == ([RED] if again else [])


def test_own_opening_roll_gives_no_second_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    scripted(monkeypatch, {(1, 0): [YELLOW] * 6, (2, 0): [BLUE] * 6})
    rules = {"start_fruit": [RED, GREEN], "opening": "own_roll", "reroll_after_eating": True, "max_turns": 2}
    trace = karolinchen.play_game(rules, ["longest", "longest"], 0, 0)
    results = karolinchen.report(trace)
    assert trace["opening"] is None
    assert trace["turns"][0]["middle"] == []
    assert trace["turns"][0]["rolled"] == [[YELLOW] * 6]
    assert trace["turns"][1]["middle"] == [YELLOW] * 6
    assert results[0]["rolls"] == 2


def test_a_winning_move_is_no_eating(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one fruit on every card six different dice win in the first turn."""
    scripted(monkeypatch, {(0, 0): [0, 1, 2, 3, 4, 5]})
    rules = {"start_fruit": [RED, GREEN], "fruits": [1] * 6}
    trace = karolinchen.play_game(rules, ["shortest", "longest"], 0, 0)
    results = karolinchen.report(trace)
    (turn,) = trace["turns"]
    assert turn["chosen"] == [0, 1, 2, 3, 4]
    assert turn["left"] == []
    assert turn["eating"] is False
    assert trace["winner"] == 0
    assert [own["win"] for own in results] == [1.0, 0.0]
    assert [(own["fruits"], own["cards"]) for own in results] == [(6, 6), (0, 0)]


def test_new_card_may_be_refused_but_not_the_current_card(monkeypatch: pytest.MonkeyPatch) -> None:
    refuser = karolinchen.Policy("refuser", karolinchen.longest_card, lambda position, n, params, u: False)
    scripted(monkeypatch, {(0, 0): [BLUE, RED, RED, RED, GREEN, GREEN]})
    rules = {"start_fruit": [BLUE, GREEN], "new_card_take": "may", "max_turns": 3}
    trace = karolinchen.play_game(rules, [refuser, refuser], 0, 0)
    first, second, third = trace["turns"]
    assert first["taken"] == [[BLUE, 1]]
    assert first["chosen"] == [RED]
    assert first["left"] == [GREEN, GREEN, RED, RED, RED]
    assert second["taken"] == [[GREEN, 2]]
    assert third["taken"] == [[RED, 3]]  # the current card must take


@pytest.mark.parametrize(
    ("policy", "middle", "fruits", "card"),
    [
        ("longest", [], [1, 2, 3, 4, 5, 6], GREEN),
        ("longest", [], [3, 3, 3, 3, 3, 3], ORANGE),
        ("shortest", [], [1, 2, 3, 4, 5, 6], ORANGE),
        ("shortest", [], [3, 3, 3, 3, 3, 3], ORANGE),
        ("match", [ORANGE, ORANGE, ORANGE, YELLOW, YELLOW, YELLOW], [1, 2, 3, 4, 5, 6], YELLOW),  # orange takes two
        ("match", [ORANGE, ORANGE, YELLOW, YELLOW], [1, 2, 3, 4, 5, 6], YELLOW),  # equal: the longer card
        ("match", [ORANGE, ORANGE, YELLOW, YELLOW], [4, 4, 4, 4, 4, 4], ORANGE),  # still equal: the lower colour
        ("match", [], [1, 2, 3, 4, 5, 6], GREEN),
    ],
)
def test_next_card_of_the_reference_policies(policy: str, middle: list[int], fruits: list[int], card: int) -> None:
    cards = [ORANGE, PURPLE, YELLOW, GREEN]
    position = {"middle": middle, "fruits": fruits}
    assert cards[karolinchen.POLICIES[policy].next_card(position, cards, 4, (), 0.5)] == card


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_whole_games_of_karolinchen(seats: int) -> None:
    policies = (["random", "longest", "shortest", "match"] * 2)[:seats]
    for game in range(20):
        trace = karolinchen.play_game({}, policies, 2, game)
        results = karolinchen.report(trace)
        assert len(set(trace["starts"])) == seats
        assert results[trace["winner"]]["fruits"] == 21
        assert sum(own["win"] for own in results) == 1
        for seat in range(seats):
            taken = [n for turn in trace["turns"] if turn["seat"] == seat for _, n in turn["taken"]]
            assert sum(taken) == results[seat]["fruits"]
        for before, after in zip(trace["turns"], trace["turns"][1:], strict=False):
            assert after["middle"] == before["left"]
            assert before["eating"] == (before["left"] == [])


# ----------------------------------------------------------------------------------------------------------------------
# Parlett's Caterpillar

CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
JACK, QUEEN, KING = 11, 12, 13


def test_facts_of_the_published_example() -> None:
    assert parlett.gain((CLUBS, 10), None, 0, 5) == 10
    assert parlett.gain((CLUBS, 1), (CLUBS, 4), 34, 5) == 35
    # the dealer's last four scores: a queen in suit repeats 90, then 100, 110 and 120 are reached
    assert parlett.gain((HEARTS, QUEEN), (HEARTS, 2), 90, 5) == 90
    assert [parlett.gain((HEARTS, pips), (HEARTS, 2), before, 5) for before, pips in ((96, 4), (105, 5), (111, 9))] == [
        100,
        110,
        120,
    ]


def test_a_court_scores_only_in_suit_and_zero_never_scores() -> None:
    assert parlett.gain((HEARTS, QUEEN), (CLUBS, 5), 90, 5) == 0
    assert parlett.gain((HEARTS, QUEEN), (HEARTS, 5), 91, 5) == 0
    assert parlett.gain((HEARTS, QUEEN), None, 0, 5) == 0
    assert parlett.gain((HEARTS, KING), (HEARTS, JACK), 0, 5) == 0
    assert parlett.gain((HEARTS, 5), None, 0, 5) == 5
    assert parlett.gain((HEARTS, 7), None, 0, 7) == 7


def deck_from(*first: tuple[int, int]) -> list[tuple[int, int]]:
    """A deck that begins with the given cards."""
    rest = [(suit, rank) for suit in range(4) for rank in range(1, 14) if (suit, rank) not in first]
    return [*first, *rest]


def deal(rules: dict, deck: list[tuple[int, int]], leader: int = 0, policy: str = "greedy") -> dict:
    players = [parlett.POLICIES[policy]] * 2
    return parlett.play_deal(parlett.full_rules(rules), players, deck, lambda seat, t: 0.0, leader)


def test_court_short_pays_the_stuck_player_for_the_others_courts() -> None:
    """Two cards each: seat 0 leads a club, seat 1 has hearts only and is stuck at once."""
    deck = deck_from((CLUBS, 5), (DIAMONDS, KING), (HEARTS, 2), (HEARTS, 3), (SPADES, QUEEN))
    end = deal({"hand_size": 2}, deck)
    assert end["plays"] == [{"seat": 0, "card": [CLUBS, 5], "total": 5, "gain": 5}]
    assert end["ended"] == "court_short"
    assert end["stuck"] == 1
    assert end["running"] == [5, 0]
    assert end["courts"] == [2, 0]  # the king, and the queen drawn after the five
    assert end["scores"] == [5, 200]


def test_a_card_that_would_block_is_barred_while_another_is_there() -> None:
    deck = deck_from((CLUBS, 5), (HEARTS, 4), (HEARTS, 2), (HEARTS, 3), (SPADES, QUEEN))
    barred = deal({"hand_size": 2, "block": "barred"}, deck)
    assert barred["plays"][0]["card"] == [HEARTS, 4]
    # without a harmless card the sanction is the penalty
    deck = deck_from((CLUBS, 5), (CLUBS, 4), (HEARTS, 2), (HEARTS, 3), (SPADES, QUEEN))
    sanction = deal({"hand_size": 2, "block": "barred"}, deck)
    assert len(sanction["plays"]) == 1
    assert sanction["stuck"] == 1


@pytest.mark.parametrize("block", ["allowed", "barred"])
def test_the_last_card_is_never_barred(block: str) -> None:
    """Hands of 25, so two plays; the second, a king of spades, would leave the leader (no spade, no court) stuck."""
    leader = [(suit, rank) for suit in (CLUBS, DIAMONDS) for rank in range(1, 11)] + [(HEARTS, r) for r in range(1, 6)]
    courts = [(suit, rank) for suit in range(4) for rank in (JACK, QUEEN, KING)]
    second = courts + [(SPADES, rank) for rank in range(1, 11)] + [(HEARTS, rank) for rank in (6, 7, 8)]
    deck = leader + second + [(HEARTS, 9), (HEARTS, 10)]
    rules = parlett.full_rules({"hand_size": 25, "block": block})
    players = [parlett.POLICIES["random"]] * 2
    end = parlett.play_deal(rules, players, deck, lambda seat, t: 0.9999, 0)  # always the highest card number
    assert [play["card"] for play in end["plays"]] == [[HEARTS, 5], [SPADES, KING]]
    assert end["ended"] == "stock"
    assert end["courts"] == [0, 11]
    assert end["scores"] == [5, 1100]
    # were it not the last card, it would be barred
    hand = [card for card in second if card != (HEARTS, 6)]
    allowed = parlett.playable_cards({"block": "barred"}, hand, leader[:20], (HEARTS, 5), last=False)
    assert (SPADES, KING) not in allowed
    assert (CLUBS, KING) in allowed


def test_final_scores_of_the_published_example() -> None:
    """Running scores 280 and 750 with 4 and 2 courts end at 680 and 950; the sum is that of a normal end."""
    hand_a = [(CLUBS, JACK), (CLUBS, QUEEN), (CLUBS, KING), (HEARTS, JACK), (HEARTS, 4)]
    hand_b = [(SPADES, JACK), (HEARTS, KING), (SPADES, 9)]
    assert 280 + 100 * parlett.courts_in(hand_a) == 680
    assert 750 + 100 * parlett.courts_in(hand_b) == 950


def test_whole_games_of_parlett() -> None:
    ends = set()
    for game in range(60):
        trace = parlett.play_game({}, ["random", "greedy"], 4, game)
        results = parlett.report(trace)
        assert sorted(map(tuple, trace["deck"])) == [(suit, rank) for suit in range(4) for rank in range(1, 14)]
        hands = [set(map(tuple, trace["deck"][:13])), set(map(tuple, trace["deck"][13:26]))]
        stock = [tuple(card) for card in trace["deck"][26:]]
        total, running = 0, [0, 0]
        for t, play in enumerate(trace["plays"]):
            assert play["seat"] == t % 2
            card = tuple(play["card"])
            hands[t % 2].remove(card)
            hands[t % 2].add(stock[t])
            total += card[1] if card[1] <= 10 else 0
            assert play["total"] == total
            running[t % 2] += play["gain"]
        assert trace["running"] == running
        assert (trace["ended"] == "stock") == (len(trace["plays"]) == 26) == (trace["stuck"] is None)
        assert sum(own["win"] for own in results) == 1
        ends.add(trace["ended"])
    assert ends == {"stock", "court_short"}


def test_greedy_card_and_its_ties() -> None:
    def best(row: list, total: int, *cards: tuple[int, int]) -> tuple[int, int]:
        position = {"row": row, "total": total, "multiple": 5}
        return cards[parlett.play_greedy(position, list(cards), len(cards), (), 0.0)]

    assert best([], 0, (CLUBS, 5), (DIAMONDS, 10), (HEARTS, 10)) == (DIAMONDS, 10)
    assert best([(CLUBS, 10)], 10, (CLUBS, 5), (CLUBS, JACK)) == (CLUBS, 5)
    assert best([(CLUBS, 10)], 10, (CLUBS, 4), (DIAMONDS, JACK), (CLUBS, QUEEN)) == (CLUBS, QUEEN)  # scores 10
    assert best([(CLUBS, 4)], 4, (CLUBS, 2), (CLUBS, 3), (CLUBS, JACK)) == (CLUBS, 2)  # nothing scores
    assert best([(CLUBS, 4)], 4, (DIAMONDS, QUEEN), (HEARTS, JACK), (SPADES, JACK)) == (HEARTS, JACK)


def test_two_deals_add_up_and_the_second_is_led_by_seat_one() -> None:
    trace = parlett.play_game({"deals": 2}, ["greedy", "greedy"], 4, 1)
    results = parlett.report(trace)
    first, second = trace["deals"]
    assert first["plays"][0]["seat"] == 0
    assert second["plays"][0]["seat"] == 1
    assert first["deck"] != second["deck"]
    assert [own["score"] for own in results] == [first["scores"][s] + second["scores"][s] for s in range(2)]
    single = parlett.play_game({}, ["greedy", "greedy"], 4, 1)
    assert first == {key: value for key, value in single.items() if key != "rules"}
