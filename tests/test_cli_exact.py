"""`sim solve`: exact answers on the command line, in words and as plain data."""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np
import pytest
from test_cli import Result, lines

import sim
from sim.cli import run
from sim.cli.common import waiting
from sim.engine.distribution import distribution, pmf_quantile
from sim.games import get

#: the smallest game there is: three boxes, three rounds
TINY = ["--rules", "level=beginner", "--rules", "boxes=1", "--labels", "1 3 6"]
OPEN_HANDS = ["--hand0", "5H QH 2S", "--hand1", "2C,KC,9H", "--stock", "9S 4D JD", "--suit", "H", "--total", "95"]


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Solvers are compiled when first used; the line that says so would stand among what is tested."""
    for policies in (None, ["greedy"]):
        assert sim.solve("caterpillars", rules={"boxes": 1}, labels=[1, 3, 6], policies=policies).pmf.size > 1


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*arguments: Any) -> Result:
        capsys.readouterr()
        status = run([str(a) for a in arguments])
        return Result(status, *capsys.readouterr())

    return call


def test_a_known_distribution_in_figures() -> None:
    """A die: mean 3.5, variance 35/12; F(1) = 1/6, so a tenth is at 1, half at 3, nine tenths at 6."""
    die = np.array([0, 1, 1, 1, 1, 1, 1, 0]) / 6
    found = distribution(die)
    assert found.mean == pytest.approx(3.5)
    assert found.sd == pytest.approx((35 / 12) ** 0.5)
    assert (found.p10, found.median, found.p90, found.low, found.high) == (1, 3, 6, 1, 6)
    assert [pmf_quantile(die, p) for p in (1 / 6, 0.17, 5 / 6, 0.84)] == [1, 2, 5, 6]  # ties of rounding go down
    for wrong in ([], [0.0, 0.0], [0.5, -0.1, 0.6], [[1.0]]):
        with pytest.raises(ValueError, match="probabilities"):
            distribution(wrong)
    with pytest.raises(ValueError, match="0 < p < 1"):
        pmf_quantile(die, 1.0)


@pytest.mark.parametrize("policy", [None, "greedy", "child(slip=0.5)"])
def test_solve_caterpillars(cli: Any, policy: str | None) -> None:
    rules = {"level": "beginner", "boxes": 1}
    solved = sim.solve("caterpillars", rules=rules, labels=[1, 3, 6], policies=policy and [policy])
    asked = ["solve", "caterpillars", *TINY, *(["--policy", policy] if policy else [])]
    result = cli(*asked, "--json")
    assert (result.status, result.err) == (0, "")
    told = json.loads(result.out)
    assert (told["game"], told["labels"], told["policy"]) == ("caterpillars", [1, 3, 6], policy or "optimal")
    assert told["rules"] == {"level": "beginner", "boxes": 1, "zero_rule": "forced", "final": "median"}
    assert (told["value"], told["error_bound"]) == (solved.value, solved.error_bound)
    found = told["distribution"]
    assert found["pmf"] == solved.pmf.tolist()
    assert found["mean"] == pytest.approx(solved.value, abs=1e-12)
    words = lines(cli(*asked).out)
    assert words[0].startswith("Caterpillars, beginner, ")
    assert words[0].endswith(f"{policy or 'optimal play'}: Alex [1]  Bobby [3]  Charlie [6]")
    assert words[1] == f"expected end total {solved.value:.6f} points, proven to within {solved.error_bound:.1e}"
    assert f"half at or below {found['median']}" in words[2]
    shown = {int(line.split()[0]): line.split()[1] for line in words[5:] if line.split()[0].isdigit()}
    assert shown == {t: f"{p:.2%}" for t, p in enumerate(found["pmf"]) if t in shown}
    assert set(shown) >= {t for t, p in enumerate(found["pmf"]) if p >= 0.001}
    # the column "or more" ends where everything is counted
    assert words[5].split()[2 if words[5].split()[0].isdigit() else 3] == "100.00%"


def test_the_words_say_which_rules_were_solved(cli: Any) -> None:
    told = cli("solve", "caterpillars", *TINY, "--preset", "english", "--rules", "final=lowest").out
    assert told.startswith("Caterpillars, beginner, zero_rule = split, final = lowest, optimal play: ")


def test_without_pmf_only_the_value_is_told(cli: Any) -> None:
    result = cli("solve", "caterpillars", *TINY, "--no-pmf", "--json")
    assert json.loads(result.out)["distribution"] is None
    assert len(lines(cli("solve", "caterpillars", *TINY, "--no-pmf").out)) == 2


def test_solve_the_whole_game_of_caterpillars(cli: Any) -> None:
    """Without labels: set-up included. The distribution only where it is asked for."""
    rules = {"boxes": 2, "sheet": [1, 0, 2, 0, 6, 0]}
    solved = sim.solve("caterpillars", rules=rules)
    asked = ["solve", "caterpillars", "--rules", "boxes=2", "--rules", "sheet=[1,0,2,0,6,0]"]
    told = json.loads(cli(*asked, "--json").out)
    assert (told["labels"], told["value"], told["error_bound"]) == (None, solved.value, solved.error_bound)
    assert told["distribution"] is None
    assert told["labellings"]["number"] == len(solved.labellings) == 216
    assert told["labellings"]["best"] == solved.labellings.row(0, named=True)
    assert told["labellings"]["worst"]["value"] == solved.labellings["value"].min()
    assert told["labellings"]["likeliest"]["chance"] == solved.labellings["chance"].max()
    assert json.loads(cli(*asked, "--pmf", "--json").out)["distribution"]["pmf"] == solved.pmf.tolist()
    words = lines(cli(*asked).out)
    assert words[0].endswith("the whole game, optimal set-up and optimal play: Alex [1 ·]  Bobby [2 ·]  Charlie [6 ·]")
    assert words[2].startswith("216 distinct labellings; ")
    assert [line.split(":")[0].strip() for line in words[3:]] == ["best", "worst", "likeliest"]


def test_solve_tells_what_a_policy_loses(cli: Any) -> None:
    solved = sim.solve("caterpillars", rules={"boxes": 1}, labels=[1, 3, 6], policies=["greedy"])
    asked = ["solve", "caterpillars", *TINY, "--policy", "greedy", "--no-pmf", "--regret"]
    told = json.loads(cli(*asked, "--json").out)["regret"]
    assert told["table"] == solved.regret.to_dicts()
    assert (told["total"], told["optimal"]) == (solved.regret_total, solved.optimal_value)
    words = lines(cli(*asked).out)
    assert words[-6].startswith(
        f"regret {solved.regret_total:.6f} points: optimal play gets {solved.optimal_value:.6f}"
    )
    assert words[-5].split() == ["round", "split", "box", "zero", "all"]
    assert words[-1].split()[0] == "all"
    assert float(words[-1].split()[-1]) == pytest.approx(solved.regret_total, abs=5e-5)


@pytest.mark.parametrize(
    "asked",
    [
        ["caterpillars", *TINY],
        ["caterpillars", *TINY, "--policy", "optimal"],
        ["karolinchen", "--policy", "match", "--policy", "match"],
    ],
    ids=["no policy", "optimal", "karolinchen"],
)
def test_regret_needs_a_sheet_and_a_policy(cli: Any, asked: list[str]) -> None:
    result = cli("solve", *asked, "--regret")
    assert (result.status, result.out) == (2, "")
    assert "accepted: caterpillars with --labels and a --policy other than optimal" in result.err
    assert len(lines(result.err)) == 1


def test_solve_karolinchen(cli: Any) -> None:
    fruits = "fruits=[1,1,1,1,1,1]"
    asked = ["solve", "karolinchen", "--rules", fruits, "--rules", "start_fruit=[0,5]"]
    asked += ["--policy", "match", "--policy", "optimal", "--workers", 1]
    solved = sim.solve(
        "karolinchen", rules={"fruits": [1] * 6, "start_fruit": [0, 5]}, policies=["match", "optimal"], workers=1
    )
    told = json.loads(cli(*asked, "--json").out)
    assert (told["policies"], told["win"]) == (["match", "optimal"], solved.win.tolist())
    assert (told["error_bound"], told["residual"]) == (solved.error_bound, solved.residual)
    turns = told["turns"]
    assert (turns["mean"], turns["error_bound"]) == (solved.turns_mean, solved.turns_error_bound)
    assert turns["distribution"]["pmf"] == solved.turns_pmf.tolist()
    assert turns["distribution"]["mean"] == pytest.approx(turns["mean"], abs=1e-9)
    assert told["by_start"] == solved.by_start.to_dicts()
    words = lines(cli(*asked).out)
    assert words[0] == "Karolinchen, start_fruit = [0, 5], fruits = [1, 1, 1, 1, 1, 1]"
    assert words[1:3] == [
        f"seat 0, match: wins {solved.win[0]:.6%}",
        f"seat 1, optimal: wins {solved.win[1]:.6%}",
    ]
    assert words[3] == f"chances proven to within {solved.error_bound:.1e}"
    assert f"half by turn {turns['distribution']['median']}" in words[5]
    assert len(words) == 6


def test_solve_karolinchen_over_all_start_fruits(cli: Any) -> None:
    asked = ["solve", "karolinchen", "--rules", "fruits=[1,1,1,1,1,1]", "--policy", "longest", "--policy", "shortest"]
    told = json.loads(cli(*asked, "--no-pmf", "--json").out)
    assert told["turns"]["distribution"] is None
    assert len(told["by_start"]) == 30
    assert told["win"][0] == pytest.approx(np.mean([row["win_0"] for row in told["by_start"]]))
    words = lines(cli(*asked, "--no-pmf").out)
    assert words[-3].startswith(
        "mean over 30 equally likely line-ups of start fruits; where seat 0 fares worst and best:"
    )


def test_solve_parlett(cli: Any) -> None:
    """The value is the mover's final score minus the other's; each card is told by what it gives away."""
    solved = sim.solve(
        "parlett",
        hands=[["5H", "QH", "2S"], ["2C", "KC", "9H"]],
        stock=["9S", "4D", "JD"],
        suit="H",
        total=95,
        running=[20, 30],
    )
    told = json.loads(cli("solve", "parlett", *OPEN_HANDS, "--running", "20 30", "--json").out)
    assert (told["value"], told["difference"], told["scores"]) == (solved.value, solved.difference, list(solved.scores))
    assert [(tuple(row["card"]), row["value"]) for row in told["best"]] == solved.best
    assert told["line"] == solved.line
    assert told["position"]["hands"][0] == [[2, 5], [2, 12], [3, 2]]
    words = lines(cli("solve", "parlett", *OPEN_HANDS, "--running", "20 30").out)
    assert words[1] == "seat 0 holds 5♥ Q♥ 2♠"
    assert words[4].startswith(f"seat 0 to play: seat 0 ends {solved.value} points ahead")
    assert words[5:7] == ["  5♥: optimal", f"  Q♥: gives {solved.loss('QH')} points away"]
    assert words[-1] == f"then the stock is empty; final scores {solved.scores[0]} and {solved.scores[1]}"


def test_solve_parlett_for_the_other_seat(cli: Any) -> None:
    mirrored = [*OPEN_HANDS, "--mover", 1]
    told = json.loads(cli("solve", "parlett", *mirrored, "--json").out)
    assert told["position"]["mover"] == 1
    assert told["difference"] == -told["value"] == told["scores"][0] - told["scores"][1]


WRONG = [
    ("solve", "GAME is missing"),
    ("solve chess", "unknown game 'chess'; accepted: caterpillars, karolinchen, parlett"),
    ("solve caterpillars --labels one", "labels = one is not accepted; accepted: labels as whole numbers"),
    ("solve caterpillars --rules boxes=1 --labels 1,2,3 --workers 0", "workers = 0 is not accepted"),
    ("solve caterpillars --rules boxes=1 --workers 0", "workers = 0 is not accepted"),
    ("solve karolinchen --workers 0", "workers = 0 is not accepted"),
    ("exact atlas --workers 0", "workers = 0 is not accepted"),
    ("advise --labels 1,b,3 --dice 1,2", "labels = 1,b,3 is not accepted; accepted: labels as whole numbers, - for"),
    (
        "solve caterpillars --rules level=expert --labels 1,6,3,4,2,5,1,3,1,6,5,3 --pmf",
        "the distribution (pmf) of optimal play at level = expert is not solved; accepted: beginner, intermediate",
    ),
    (
        "solve caterpillars --rules level=advanced --labels 1,6,3,4,2,5,1,3,1,6,5,3 --policy greedy",
        "accepted: at most 134 million, a whole sheet with boxes = 1 or 2, or a later position",
    ),
    (
        "solve caterpillars --labels 1,2,3",
        "labels = [1, 2, 3] is not accepted; accepted: 12 whole numbers from 1 to 12",
    ),
    ("solve caterpillars --stock 9S --labels 1", "unknown argument of solve for caterpillars 'stock'; accepted: "),
    ("solve karolinchen --labels 1", "unknown argument of solve for karolinchen 'labels'; accepted: workers"),
    ("solve karolinchen --policy match", "is not solved exactly; accepted: two seats"),
    ("solve karolinchen --workers many", "workers = many is not accepted; accepted: a whole number"),
    ("solve parlett", "hands was not given; accepted: a position"),
    ("solve parlett --hand0 5H", "--hand0 was given alone; accepted: --hand0 and --hand1"),
    ("solve parlett --hand1 5H", "--hand1 was given alone; accepted: --hand0 and --hand1"),
    ("solve parlett --hand0 5H --hand1 5X --stock 9S", "card '5X' in hands[1] is not accepted; accepted: "),
    ("solve parlett --hand0 5H --hand1 6H --stock 9S --suit H --mover 2", "mover = 2 is not accepted; accepted: "),
    ("solve parlett --hand0 5H --hand1 6H --stock 9S --policy greedy", "policies were given; accepted: open-hands"),
]


@pytest.mark.parametrize(("command", "message"), WRONG)
def test_wrong_use_is_one_line_and_status_2(cli: Any, command: str, message: str) -> None:
    result = cli(*command.split())
    assert (result.status, result.out) == (2, "")
    assert len(lines(result.err)) == 1
    assert result.err.startswith("sim: error: ")
    assert message in result.err


def test_every_game_of_the_house_tells_its_answers() -> None:
    """A game with a solver has its words too; the two halves fit, whatever the game."""
    solved = {
        "caterpillars": sim.solve("caterpillars", rules={"boxes": 1}, labels=[1, 3, 6]),
        "karolinchen": sim.solve("karolinchen", rules={"fruits": [1] * 6, "start_fruit": [0, 5]}),
        "parlett": sim.solve("parlett", hands=[["5H"], ["6H"]], stock=["9S"], suit="H"),
    }
    assert set(solved) == set(sim.games())
    for name, found in solved.items():
        answer = get(name).answer(found)
        assert answer["game"] == name
        assert "error_bound" in answer
        again = json.loads(json.dumps(answer))  # plain data, and enough for the words
        assert get(name).tell_answer(again) == get(name).tell_answer(answer)


def test_long_work_says_that_it_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    with waiting("counting", first=0.01, every=0.01):
        time.sleep(0.2)
    told = lines(capsys.readouterr().err)
    assert told[0] == "sim: counting, 0 s so far (the first time after install also compiles)"
    assert told[1] == "sim: counting, 0 s so far"
    with waiting("counting"):
        pass
    assert capsys.readouterr().err == ""
