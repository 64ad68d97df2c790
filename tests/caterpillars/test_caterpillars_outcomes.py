"""The worked examples of the rules, and what distinguishes the readings."""

from __future__ import annotations

import pytest

from sim.errors import InputError
from sim.games.caterpillars import outcomes

NONE = (0, 0, 0)
LABELS = [1, 6, 3, 4, 2, 5, 1, 1, 1, 6, 2, 2]
EMPTY = [False] * 12


def boxes_left(*boxes: int) -> list[bool]:
    return [b not in boxes for b in range(12)]


def test_beginner_3_5() -> None:
    assert (-1, 0, 2, 5) in outcomes("beginner", LABELS, EMPTY, NONE, [3, 5])  # 5 into the box labelled 3


def test_beginner_one_die_is_the_label_the_other_the_score() -> None:
    assert outcomes("beginner", LABELS, EMPTY, NONE, [3, 5]) == [(-1, 0, 2, 5), (-1, 0, 5, 3)]
    assert outcomes("beginner", LABELS, EMPTY, NONE, [5, 3]) == [(-1, 0, 2, 5), (-1, 0, 5, 3)]
    assert outcomes("beginner", LABELS, EMPTY, NONE, [5, 5]) == [(-1, 0, 5, 5)]


def test_intermediate_2_3_6() -> None:
    found = outcomes("intermediate", LABELS[:3] + [9] + LABELS[4:], EMPTY, NONE, [2, 3, 6])
    assert (-1, 0, 1, 5) in found  # 5 into a 6
    assert (-1, 0, 3, 2) in found  # 2 into a 9


def test_advanced_2_3_5() -> None:
    assert (0, 5, 4, 3) in outcomes("advanced", LABELS, EMPTY, NONE, [2, 3, 5])  # 5 into bonus A, then 3 into a 2


def test_expert_butterfly_then_letter() -> None:
    found = outcomes("expert", LABELS, EMPTY, NONE, [2, 5, 6], "butterfly")
    for box in range(12):
        assert (2, 6, box, 7) in found  # 6 into bonus C, then 7 into any empty box
    assert (-1, 0, 0, 10) in outcomes("expert", LABELS, EMPTY, (0, 0, 6), [1, 2, 2], "C")  # 10 into a 1: 2 + 2 + 6


def test_no_entry_means_a_zero_anywhere() -> None:
    assert outcomes("beginner", LABELS, boxes_left(0, 1), NONE, [3, 5]) == [(-1, 0, 0, 0), (-1, 0, 1, 0)]


def test_no_empty_box_no_outcomes() -> None:
    assert outcomes("beginner", LABELS, [True] * 12, NONE, [3, 5]) == []


def test_zero_rules_differ() -> None:
    """Advanced, 2 3 5, only a box labelled 7 is left: 7 = 2 + 5 with score 3; after a bonus write only 2 + 5
    fits (3 stored).
    """
    labels, filled = [7] * 12, boxes_left(0)
    forced = outcomes({"level": "advanced"}, labels, filled, NONE, [2, 3, 5])
    split = outcomes({"level": "advanced", "zero_rule": "split"}, labels, filled, NONE, [2, 3, 5])
    strict = outcomes({"level": "advanced", "zero_rule": "strict"}, labels, filled, NONE, [2, 3, 5])
    assert strict == [(-1, 0, 0, 3)]
    # after storing, one die is label and one score, so no label is 7: a zero with every bonus write
    zeros = [(k, v, 0, 0) for k in range(3) for v in (2, 3, 5)]
    assert forced == [(-1, 0, 0, 3), *zeros]
    assert split == [(-1, 0, 0, 0), (-1, 0, 0, 3), *zeros]


def test_butterfly_may_be_declined_for_a_zero_under_split_only() -> None:
    labels, filled = [12] * 12, boxes_left(0)
    assert outcomes({"level": "expert"}, labels, filled, (1, 1, 1), [1, 1, 1], "butterfly") == [(-1, 0, 0, 3)]
    split = {"level": "expert", "zero_rule": "split"}
    assert outcomes(split, labels, filled, (1, 1, 1), [1, 1, 1], "butterfly") == [(-1, 0, 0, 0), (-1, 0, 0, 3)]


def test_letter_of_an_empty_bonus_box_gives_no_die_but_may_be_written() -> None:
    found = outcomes("expert", LABELS, EMPTY, NONE, [1, 2, 4], "A")
    assert (0, 4, 0, 2) in found
    assert max(score for *_, score in found) == 6  # three dice only


def test_bonus_ban_any_forfeits_the_letters_die_for_a_bonus_write() -> None:
    labels = [1] * 12
    same = outcomes({"level": "expert"}, labels, EMPTY, (6, 0, 0), [1, 2, 3], "A")
    banned = outcomes({"level": "expert", "bonus_ban": "any"}, labels, EMPTY, (6, 0, 0), [1, 2, 3], "A")
    assert (1, 3, 0, 8) in same  # 3 stored in B, then 1 | 2 + 6
    assert (1, 3, 0, 8) not in banned
    assert (1, 3, 0, 2) in banned
    assert (-1, 0, 0, 11) in banned  # without a write the die counts


def test_doubling() -> None:
    labels = [2] * 12
    stores = {
        s: outcomes({"level": "expert", "double_stores": s}, labels, EMPTY, NONE, [1, 3, 5], "2x")
        for s in ("doubled", "face", "barred")
    }
    assert (0, 10, 0, 0) in stores["doubled"]  # 5 doubled and stored, 1 and 3 match no 2
    assert not any(v == 10 for _, v, _, _ in stores["face"] + stores["barred"])
    assert (0, 5, 0, 3) in stores["barred"]  # 1 doubled is the label, 3 the score
    mandatory = outcomes({"level": "expert"}, [4] * 12, EMPTY, (1, 1, 1), [1, 3, 5], "2x")
    optional = outcomes({"level": "expert", "double_optional": True}, [4] * 12, EMPTY, (1, 1, 1), [1, 3, 5], "2x")
    assert (-1, 0, 0, 5) not in mandatory
    assert (-1, 0, 0, 5) in optional  # 1 + 3 | 5


def test_idle_dice() -> None:
    rules = {"level": "intermediate", "idle_dice": True}
    found = outcomes(rules, [3] * 12, boxes_left(0), NONE, [1, 3, 5])
    assert found == [(-1, 0, 0, 1), (-1, 0, 0, 5), (-1, 0, 0, 6)]


def test_fourth_die_can_be_stored_under_bonus_source_any() -> None:
    plain = outcomes({"level": "expert"}, [1] * 12, EMPTY, NONE, [1, 2, 3], "10")
    either = outcomes({"level": "expert", "bonus_source": "any"}, [1] * 12, EMPTY, NONE, [1, 2, 3], "10")
    assert (0, 10, 0, 5) in either
    assert not any(v == 10 for _, v, _, _ in plain)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"face": "A"}, "no action die"),
        ({"rules": "expert"}, "no face"),
        ({"rules": "expert", "dice": [1, 2, 3], "face": "D"}, "A, B, C, 2x, 10, butterfly"),
        ({"dice": [1, 7]}, "1 to 6"),
        ({"dice": [1, 2, 3]}, "2 whole numbers"),
        ({"labels": [0] * 12}, "1 to 12"),
        ({"labels": [1] * 9}, "12 whole numbers"),
        ({"bonus": [1, 2]}, "3 whole numbers"),
        ({"filled": None}, "12 whole numbers"),
    ],
)
def test_wrong_positions_get_one_line(change, words) -> None:
    call = {
        "rules": "beginner",
        "labels": LABELS,
        "filled": EMPTY,
        "bonus": NONE,
        "dice": [1, 2],
        "face": None,
    } | change
    if call["rules"] == "expert" and "dice" not in change:
        call["dice"] = [1, 2, 3]
    with pytest.raises(InputError, match=words) as caught:
        outcomes(**call)
    assert "\n" not in str(caught.value)
