"""``sim adjusted``: prints what `sim.adjusted` finds, for any game that has value functions."""

from __future__ import annotations

import json
from typing import Any

import pytest

import sim
from sim.cli import run

SMALL = ["--rules", "boxes=1", "--rules", "sheet=[1, 6, 3]"]
RULES = {"boxes": 1, "sheet": [1, 6, 3]}


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*arguments: Any) -> tuple[int, str, str]:
        capsys.readouterr()
        status = run([str(a) for a in arguments])
        return (status, *capsys.readouterr())

    return call


def test_json_is_what_the_function_finds(cli: Any) -> None:
    policies = ["greedy(slip=0.2, placement=lowest)", "planner", "random"]
    given = ["--policies", ",".join(policies[:2]), "--policy", policies[2], *SMALL]
    more = ["--games", "1_000", "--seed", 5, "--first-game", 3, "--level", 0.9, "--value", "fitted", "--workers", 2]
    status, out, _ = cli("adjusted", "caterpillars", *given, *more, "--json")
    assert status == 0
    told = json.loads(out)
    found = sim.adjusted(
        "caterpillars", rules=RULES, policies=policies, games=1000, seed=5, first_game=3, level=0.9, value="fitted"
    )
    assert told["policies"][0].startswith("greedy(")
    assert (told["outcome"], told["value"], told["games"], told["level"]) == ("score", "fitted", 1000, 0.9)
    for row, lucky in zip(told["seats"], found.seats, strict=True):
        assert (row["adjusted"], row["adjusted_low"]) == (lucky.mean.value, lucky.mean.low)
        assert (row["raw"], row["raw_high"], row["ratio"]) == (lucky.raw.value, lucky.raw.high, lucky.ratio)
    assert [row["seats"] for row in told["differences"]] == [[0, 1], [0, 2], [1, 2]]
    for row in told["differences"]:
        lucky = found.difference(*row["seats"])
        assert (row["adjusted"], row["ratio"]) == (lucky.mean.value, lucky.ratio)


def test_the_table_has_a_line_for_every_seat_and_difference(cli: Any) -> None:
    status, out, _ = cli("adjusted", "caterpillars", "--policies", "planner,greedy", *SMALL, "--games", 50)
    assert status == 0
    lines = out.splitlines()
    found = sim.adjusted("caterpillars", rules=RULES, policies=["planner", "greedy"], games=50, seed=1)
    assert ", 50 games, seed 1, scenario " in lines[0]
    assert lines[1].startswith("score (points) with the luck taken out (value auto)")
    assert lines[3].split() == ["seat", "policy", "adjusted", "±", "raw", "raw", "±", "ratio"]
    seat = found.seats[1]
    assert lines[5].split()[:4] == ["1", "greedy", f"{seat.mean.value:.4f}", f"{seat.mean.half_width:.4f}"]
    apart = found.difference(0, 1)
    shown = ["0", "−", "1", "difference", f"{apart.mean.value:+.4f}", f"{apart.mean.half_width:.4f}"]
    assert lines[6].split()[:6] == shown


def test_shares_of_wins_are_told_in_100(cli: Any) -> None:
    status, out, _ = cli("adjusted", "karolinchen", "--policies", "match,odds", "--games", 20)
    assert status == 0
    found = sim.adjusted("karolinchen", policies=["match", "odds"], games=20, seed=1)
    assert "win (share of a win, in 100)" in out
    assert f" {100 * found.mean.value:.2f} " in out


def test_one_game_has_no_interval_and_exact_values_leave_no_luck(cli: Any) -> None:
    _, out, _ = cli("adjusted", "caterpillars", "--policies", "greedy", *SMALL, "--games", 1)
    assert out.splitlines()[4].split()[3::2] == ["–", "–"]
    assert out.splitlines()[4].split()[-1] == "–"
    _, out, _ = cli("adjusted", "caterpillars", "--policies", "greedy", *SMALL, "--games", 1, "--json")
    assert json.loads(out)["seats"][0]["ratio"] is None
    _, out, _ = cli("adjusted", "caterpillars", "--policies", "optimal", *SMALL, "--games", 50)
    assert out.splitlines()[4].endswith("  no luck left")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("adjusted", "GAME is missing"),
        ("adjusted snap", "unknown game 'snap'"),
        ("adjusted caterpillars --policies planner,,greedy", "policy '' is not accepted"),
        ("adjusted caterpillars --level expert", "level = expert is not accepted"),
        ("adjusted caterpillars --level 2", "level = 2.0 is not accepted"),
        ("adjusted caterpillars --outcome points", "unknown outcome 'points'"),
        ("adjusted caterpillars --value perfect", "unknown value 'perfect'"),
        ("adjusted caterpillars --games 0", "games = 0 is not accepted"),
        ("adjusted karolinchen --policies match", "accepted"),
    ],
)
def test_wrong_use_is_one_line_and_status_2(cli: Any, arguments: str, said: str) -> None:
    status, out, err = cli(*arguments.split())
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert said in err
    assert "accepted" in err
