"""`sim advise`: a sheet and a roll; what is ranked, what is said, and what is refused."""

from __future__ import annotations

import json
import re
import shlex
from itertools import combinations_with_replacement
from typing import Any

import pytest
from conftest import ROOT
from test_cli import Result, lines

import sim
from sim.cli import run
from sim.errors import InputError
from sim.games import get
from sim.games.caterpillars import CaterpillarsRules, outcomes
from sim.games.caterpillars.exact.advice import advise, entries, in_words, read_sheet, tell
from sim.games.caterpillars.rules import FACES

SMALL = ["--rules", "boxes=2", "--labels", "1 6 3 4 2 5"]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*arguments: Any) -> Result:
        capsys.readouterr()
        status = run([str(a) for a in arguments])
        return Result(status, *capsys.readouterr())

    return call


def test_outcomes_are_ranked_by_the_end_total_they_lead_to(cli: Any) -> None:
    solved = sim.solve("caterpillars", rules={"boxes": 2}, labels=[1, 6, 3, 4, 2, 5])
    ranked = solved.best(filled=[0, 1, 0, 0, 1, 0], totals=[5, 0, 0], dice=[3, 5])
    asked = ["advise", *SMALL, "--scores", "- 5 - - 0 -", "--dice", "3 5"]
    told = json.loads(cli(*asked, "--json").out)
    assert [(tuple(o["outcome"]), o["expected"]) for o in told["outcomes"]] == ranked
    best = ranked[0][1]
    assert [o["regret"] for o in told["outcomes"]] == [best - value for _, value in ranked]
    assert [o["rank"] for o in told["outcomes"]] == [1, 2]
    assert (told["scores"], told["totals"], told["round"]) == ([None, 5, None, None, 0, None], [5, 0, 0], 3)
    assert told["error_bound"] == solved.error_bound
    words = lines(cli(*asked).out)
    assert words[:2] == [
        "Caterpillars, beginner, round 3 of 6: rolled 3 5",
        "Alex [1:– 6:5]  Bobby [3:– 4:–]  Charlie [2:0 5:–]",
    ]
    into3 = f"write 5 into Bobby's box 1 (label 3): expected end total {dict(ranked)[-1, 0, 2, 5]:.3f}; "
    into5 = f"write 3 into Charlie's box 2 (label 5): expected end total {dict(ranked)[-1, 0, 5, 3]:.3f}; "
    second = f"{best - ranked[1][1]:.3f} less than the best"
    first, last = (into3, into5) if ranked[0][0] == (-1, 0, 2, 5) else (into5, into3)
    assert words[2:4] == [f"  1. {first}the best", f"  2. {last}{second}"]


def test_equals_are_said_to_tie(cli: Any) -> None:
    """On a sheet with the same labels everywhere, all empty boxes of all caterpillars are as good as each other."""
    asked = ["advise", "--labels", "3 3 3", "--dice", "3 5"]
    told = json.loads(cli(*asked, "--json").out)["outcomes"]
    assert [(o["rank"], o["regret"], o["outcome"]) for o in told] == [(1, 0.0, [-1, 0, b, 5]) for b in range(3)]
    words = lines(cli(*asked).out)
    assert words[2] == "3 outcomes tie for the best:"
    assert all(line.endswith("; ties for the best") for line in words[3:6])
    assert words[5].startswith("  1. ")


def test_a_zero_and_the_last_box(cli: Any) -> None:
    """The last box: one outcome, its end total is certain. Totals 4, 2 and 0: the middle one is 2."""
    out = cli("advise", "--labels", "1 3 6", "--scores", "4 2 -", "--dice", "2 2").out
    assert (
        "there is one outcome only:\n  1. write a zero into Charlie's box 1 (label 6): expected end total 2.000" in out
    )


def test_top_cuts_and_says_so(cli: Any) -> None:
    asked = ["advise", *SMALL, "--level", "intermediate", "--dice", "1 2 3"]
    every = json.loads(cli(*asked, "--json").out)["outcomes"]
    assert json.loads(cli(*asked, "--json", "--top", 2).out)["outcomes"] == every[:2]
    assert f"     … and {len(every) - 2} more" in lines(cli(*asked, "--top", 2).out)


def test_the_set_up_is_advised_on_too(cli: Any) -> None:
    """The sheet as it stands is what is printed: a roll of three dice for three of its blanks."""
    labels = [1, 0, 2, 0, 5, 0]
    solved = sim.solve("caterpillars", rules={"boxes": 2, "sheet": labels})
    ranked = solved.place(labels, [6, 3, 4])
    asked = ["advise", "--labels", "1 - 2 - 5 -", "--dice", "6 3 4"]
    told = json.loads(cli(*asked, "--json").out)
    assert told["labels"] == labels
    assert [(tuple(map(tuple, p["placement"])), p["expected"]) for p in told["placements"]] == ranked
    assert [p["regret"] for p in told["placements"]] == [ranked[0][1] - value for _, value in ranked]
    words = lines(cli(*asked, "--top", 2).out)
    assert words[:2] == ["Caterpillars, beginner, set-up: rolled 6 3 4", "Alex [1 ·]  Bobby [2 ·]  Charlie [5 ·]"]
    (a, i), (b, j), (c, k) = ranked[0][0]
    name = {1: "Alex's box 2", 3: "Bobby's box 2", 5: "Charlie's box 2"}
    written = f"label {name[i]} with {a}, {name[j]} with {b}, {name[k]} with {c}"
    assert words[2] == f"  1. {written}: expected end total {ranked[0][1]:.3f}; the best"
    assert words[4] == f"     … and {len(ranked) - 2} more"


def test_bonus_levels(cli: Any) -> None:
    """A stored die and a letter's fourth die, with the sheet's own exact values."""
    solved = sim.solve("caterpillars", rules={"level": "expert", "boxes": 1}, labels=[1, 3, 6])
    ranked = solved.best(filled=[0, 1, 0], totals=[0, 5, 0], bonus=[0, 6, 0], dice=[2, 5, 6], face="B")
    asked = ["advise", "--level", "expert", "--labels", "1 3 6", "--scores", "- 5 -", "--bonus", "- 6 -"]
    told = json.loads(cli(*asked, "--dice", "2 5 6", "--face", "B", "--json", "--top", 99).out)
    assert [(tuple(o["outcome"]), o["expected"]) for o in told["outcomes"]] == ranked
    assert (told["bonus"], told["face"], told["error_bound"]) == ([0, 6, 0], "B", solved.error_bound)


#: what a solution of a bonus level gives, made up: values by score and store
class Fake:
    error_bound = 0.01

    def __init__(self, rules: CaterpillarsRules, labels: list[int]) -> None:
        self.rules, self.labels = rules, labels

    def best(self, *, filled: Any, totals: Any, dice: Any, bonus: Any, face: Any) -> list[Any]:
        found = outcomes(self.rules, self.labels, filled, bonus, dice, face)
        return sorted(((o, 20.0 + o[3] + 0.5 * o[1]) for o in found), key=lambda pair: (-pair[1], pair[0]))


def test_bonus_outcomes_in_words() -> None:
    rules = CaterpillarsRules.parse({"level": "expert", "boxes": 1})
    labels = [1, 3, 6]
    sheet = read_sheet(rules, labels, [None, 5, None], [0, 6, 0])
    found = advise(Fake(rules, labels), sheet, [2, 5, 6], "butterfly")
    assert found["outcomes"][0]["outcome"] == [-1, 0, 0, 13]
    said = tell(found, 50)
    assert "round 2 of 3: rolled 2 5 6 and butterfly" in said
    assert "Charlie [6:–]  bonus B 6" in said
    assert "store 6 in bonus box C, then write 7 into Alex's box 1 (label 1)" in said
    assert in_words((0, 2, 2, 0), labels) == "store 2 in bonus box A, then write a zero into Charlie's box 1 (label 6)"
    for entry in found["outcomes"]:  # values closer than twice the error are not told apart; equals share a rank
        assert entry["rank"] == 1 + sum(other["expected"] > entry["expected"] + 0.02 for other in found["outcomes"])
        assert (entry["regret"] == 0) == (entry["rank"] == 1)
    assert len({entry["rank"] for entry in found["outcomes"]}) < len(found["outcomes"])


WRONG = [
    ("--labels '1 6 3' --dice '3'", "dice = [3] is not accepted; accepted: 2 whole numbers from 1 to 6"),
    ("--labels '1 6 3' --dice '3 7'", "dice = [3, 7] is not accepted"),
    ("--labels '1 6' --dice '3 5'", "labels = [1, 6] is not accepted; accepted: 12 whole numbers from 1 to 12"),
    ("--labels '1 6 13' --dice '3 5'", "labels = [1, 6, 13] is not accepted"),
    (
        "--labels '1 - 0 2 5 3' --dice '3 5 1'",
        "sheet has 2 blanks, which do not fill whole rolls; accepted: a multiple",
    ),
    ("--labels '1 - - - 5 3' --dice '3 5'", "roll = [3, 5] is not accepted; accepted: 3 whole numbers from 1 to 6"),
    (
        "--labels '1 - - - 5 3' --dice '3 5 1' --face A",
        "--face A in the set-up is not accepted; accepted: three regular",
    ),
    (
        "--labels '1 - 0 2 5 3' --scores '4 - - - - -' --dice '3 5'",
        "the labels of Alex's box 2, Bobby's box 1 are missing, and play has begun; accepted: every label, or",
    ),
    (
        "--level expert --labels '1 - - - 5 3' --dice '3 5 1'",
        "level = expert is not solved with its set-up; accepted: ",
    ),
    ("--labels '1 6 3' --scores '- -' --dice '3 5'", "scores for 2 boxes were given; accepted: 3"),
    (
        "--labels '1 6 3' --scores '- x -' --dice '3 5'",
        "scores = - x - is not accepted; accepted: scores as whole numbers",
    ),
    (
        "--labels '1 6 3' --scores '- 7 -' --dice '3 5'",
        "a score of 7 in Bobby's box 1 (label 6) cannot be; accepted: - (empty), 0, 1, 2, 3, 4, 5, 6",
    ),
    (
        "--labels '12 6 3' --scores '5 - -' --dice '3 5'",
        "a score of 5 in Alex's box 1 (label 12) cannot be; accepted: - (empty), 0",
    ),
    ("--labels '1 6 3' --scores '1 -1 -' --dice '3 5'", "a score of -1 in Bobby's box 1 (label 6) cannot be"),
    (
        "--labels '1 6 3' --scores '1 - -' --level intermediate --dice '3 5 1'",
        "a score of 1 in Alex's box 1 (label 1) cannot be; accepted: - (empty), 0, 2, 3,",
    ),
    ("--labels '1 6 3' --scores '1 2 3' --dice '3 5'", "every box has a score: the game is over; accepted: "),
    ("--labels '1 6 3' --dice '3 5' --bonus '0 6 0'", "bonus = [0, 6, 0] at level beginner is not accepted"),
    ("--labels '1 6 3' --dice '3 5' --face A", "face = 'A' at level beginner is not accepted; accepted: None"),
    ("--labels '1 6 3' --dice '3 5' --level hard", "level = 'hard' is not accepted; accepted: beginner, intermediate,"),
    ("--labels '1 6 3' --dice '3 5' --level beginner --rules level=expert", "were both given; accepted: one of them"),
    ("--labels '1 6 3' --dice '3 5' --top 0", "top = 0 is not accepted; accepted: a whole number of at least 1"),
    (
        "--labels '1 6 3' --dice '3 5 1' --level advanced --bonus '7 0 0'",
        "bonus = [7, 0, 0] is not accepted; accepted: 3 whole numbers from 0 to 6",
    ),
    (
        "--labels '1 6 3' --dice '3 5 1' --level expert --face A --bonus '7 0 0'",
        "bonus box A holds 7, which cannot be stored; accepted: 0 (empty), 1, 2, 3, 4, 5, 6, 8, 10, 12",
    ),
    (
        "--labels '1 6 3' --dice '3 5 1' --level advanced --bonus '1 2 0' --scores '- 5 -'",
        "2 bonus boxes are filled after 1 rounds; accepted: at most one per round",
    ),
]


@pytest.mark.parametrize(("command", "message"), WRONG)
def test_a_wrong_sheet_gets_one_clear_line(cli: Any, command: str, message: str) -> None:
    result = cli("advise", *shlex.split(command))
    assert (result.status, result.out) == (2, "")
    assert len(lines(result.err)) == 1
    assert result.err.startswith("sim: error: ")
    assert message in result.err
    assert "accepted" in result.err


@pytest.mark.parametrize(
    "rules",
    [
        {"level": "intermediate", "zero_rule": "split", "idle_dice": True},
        {"level": "advanced"},
        {"level": "expert", "bonus_source": "any", "double_optional": True},
        {"level": "expert", "double_stores": "face", "bonus_ban": "any", "setup": "variation"},
    ],
)
def test_no_sheet_of_a_real_game_is_refused(rules: dict[str, Any]) -> None:
    """Every sheet that play can reach passes: 10 random games, all rounds."""
    game = get("caterpillars")
    parsed = game.rules_type.parse(rules)
    assert isinstance(parsed, CaterpillarsRules)
    for index in range(10):
        seat = sim.trace("caterpillars", rules=rules, policies=["random"], seed=11, game_index=index)["seats"][0]
        scores: list[int | None] = [None] * 12
        bonus = [0, 0, 0]
        for bonus_box, value, box, score in seat["outcomes"]:
            sheet = read_sheet(parsed, seat["labels"], scores, bonus)
            assert sheet.filled == [s is not None for s in scores]
            scores[box] = score
            if bonus_box >= 0:
                bonus[bonus_box] = value
        with pytest.raises(InputError, match="the game is over"):
            read_sheet(parsed, seat["labels"], scores, bonus)


@pytest.mark.parametrize(
    ("rules", "bonus"),
    [
        ({"level": "beginner"}, (0, 0, 0)),
        ({"level": "intermediate", "idle_dice": True}, (0, 0, 0)),
        ({"level": "advanced"}, (0, 4, 0)),
        ({"level": "expert"}, (0, 0, 3)),
    ],
)
def test_possible_scores_are_those_that_some_roll_brings(rules: dict[str, Any], bonus: tuple[int, ...]) -> None:
    """Against the kernel's own outcomes over every roll, before and after the bonus box was filled."""
    parsed = CaterpillarsRules.parse({**rules, "boxes": 1})
    assert isinstance(parsed, CaterpillarsRules)
    found = entries(parsed, bonus)
    for label in (1, 4, 11):
        expected = set()
        for dice in combinations_with_replacement(range(1, 7), parsed.dice):
            for face in FACES if parsed.has_action else (None,):
                for before in {(0, 0, 0), bonus}:
                    for box, value, _, score in outcomes(parsed, [label] * 3, [False] * 3, before, dice, face):
                        if box < 0 or bonus[box] == value:
                            expected.add(score)
        assert found[label] == expected - {0}, label


@pytest.mark.parametrize("page", ["docs/how-to/advise.md", "docs/exact.md"])
def test_the_examples_of_the_documentation_run(cli: Any, page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
    commands = [line for block in blocks for line in block.splitlines() if line.startswith("sim ")]
    assert len(commands) >= 3
    results = [cli(*shlex.split(command)[1:]) for command in commands]
    for command, result in zip(commands, results, strict=True):
        assert result.status == 0, f"{command}\n{result.err}"
    printed = re.findall(r"^```text\n(.*?)^```", text, re.M | re.S)
    assert [result.out for result in results[: len(printed)]] == printed
