"""The bedtime dial and handicaps: against exact answers, games played one by one, and on the command line."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import sim
from sim.analysis import Games, bedtime_dial, fair_tails
from sim.analysis.dial import exact_chance, turns_within
from sim.cli import build
from sim.cli import run as command
from sim.errors import SimError

SHORT = [1, 1, 1, 1, 1, 2]
LONG = [1, 2, 2, 2, 2, 2]


def played(folder: Path, seed: int, games: int, name: str) -> Games:
    """Two and three players; the base is a short game, so that its exact answer is quick."""
    spec = {
        "name": name,
        "game": "karolinchen",
        "seed": seed,
        "games": games,
        "by": ["turns", "win"],
        "variants": [{"rules": {"fruits": LONG}, "one_factor": {"fruits": [SHORT], "opening": ["own_roll"]}}],
        "policies": [{"repeat": [2, 3], "policy": "match"}],
        "pairs": [{"of": ["turns", "win"], "against": "base"}],
    }
    sim.sweep(spec, data=folder)
    tables = [sim.load(name, data=folder, table=table) for table in ("counts", "differences")]
    return Games(tables[0], tables[1], sim.scenarios(name, data=folder))


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> tuple[Games, Games]:
    folder = tmp_path_factory.mktemp("data")
    return played(folder, 3, 20_000, "first"), played(folder, 4, 20_000, "fresh")


def test_the_dial_is_that_of_the_exact_distribution_for_two(sides: tuple[Games, Games]) -> None:
    """Chances from 20,000 games against exact ones: each of four within 4.5 standard errors, which a faultless program
    misses with probability below 3e-5.
    """
    for minutes in (4, 6):
        found = bedtime_dial(
            2, minutes, games=sides[0], fresh=sides[1], exact=False, allowed={"fruits": [SHORT]}, enough=0.999
        )
        assert found.changed is not None
        assert found.judged == "fresh games"
        for rules, seen in (({"fruits": LONG}, found.printed), ({"fruits": SHORT}, found.changed)):
            pmf = sim.solve("karolinchen", rules=rules, policies=["match", "match"]).turns_pmf
            truth = float(pmf[: found.turns + 1].sum())
            error = math.sqrt(truth * (1 - truth) / seen.n)
            assert abs(seen.value - truth) <= 4.5 * error, (minutes, rules)
            assert seen.n == 20_000


def test_an_exact_chance_needs_no_games() -> None:
    chance, first = exact_chance({"fruits": SHORT}, "match", 24)
    solved = sim.solve("karolinchen", rules={"fruits": SHORT}, policies=["match", "match"])
    assert chance.value == pytest.approx(solved.turns_pmf[:25].sum(), abs=1e-12)
    assert chance.high - chance.low < 1e-9
    assert first == pytest.approx(solved.win[0])
    assert exact_chance({"fruits": SHORT}, "match", 4000)[0].value == pytest.approx(1)
    assert exact_chance({"fruits": SHORT}, "match", 2)[0].value == 0  # seven fruits, six dice: nobody is done so soon


def test_a_proposal_is_judged_by_fresh_games_where_there_are_any(sides: tuple[Games, Games]) -> None:
    first, fresh = sides
    question: dict[str, Any] = {"exact": False, "allowed": {"fruits": [SHORT], "opening": "all"}, "enough": 0.9}
    alone = bedtime_dial(3, 7, games=first, **question)
    judged = bedtime_dial(3, 7, games=first, fresh=fresh, **question)
    assert alone.rule == judged.rule == {"fruits": SHORT}
    assert (alone.judged, judged.judged) == ("the games that picked it", "fresh games")
    assert alone.changed is not None
    assert judged.changed is not None
    assert alone.changed.value != judged.changed.value
    assert alone.compared == 2
    games = sim.simulate("karolinchen", rules={"fruits": SHORT}, policies=["match"] * 3, games=20_000, seed=4)
    assert judged.changed.value == (games.filter(seat=0)["turns"] <= judged.turns).mean()


def test_what_is_over_in_time_needs_no_other_rule(sides: tuple[Games, Games]) -> None:
    found = bedtime_dial(3, 60, games=sides[0], exact=False)
    assert (found.status, found.rule, found.changed) == ("good as printed", None, None)


def test_minutes_are_whole_turns() -> None:
    assert [turns_within(m, s) for m, s in ((20, 15), (1, 7), (0.1, 15), (1, 0.1))] == [80, 8, 0, 600]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"players": 1, "minutes": 20}, "players = 1 is not accepted; accepted: a whole number from 2 to 6"),
        ({"players": 7, "minutes": 20}, "players = 7"),
        ({"players": 3, "minutes": 0}, "minutes = 0 is not accepted; accepted: a number greater than 0"),
        ({"players": 3, "minutes": math.nan}, "minutes = nan"),
        ({"players": 3, "minutes": 20, "seconds_per_turn": -1}, "seconds_per_turn = -1"),
        ({"players": 2, "minutes": 20, "enough": 1.5}, "enough = 1.5 is not accepted; accepted: a chance above 0 and"),
        ({"players": 2, "minutes": 20, "enough": 0}, "enough = 0 is not accepted"),
        ({"players": 2, "minutes": 20, "enough": math.nan}, "enough = nan is not accepted"),
        ({"players": 2, "minutes": 20, "policy": "nosuch"}, "unknown policy of karolinchen 'nosuch'; accepted: random"),
        ({"players": 3, "minutes": 20}, "no stored games of 3 who all play match; accepted: run"),
    ],
)
def test_wrong_questions_are_one_line(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(SimError, match=told) as error:
        bedtime_dial(**asked)
    assert "\n" not in str(error.value)


def test_fair_tails_are_the_exact_chances_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The list is put together right, on a solver that answers at once."""
    import polars as pl

    from sim.games.karolinchen.exact import solution

    class Solved:
        def __init__(self, rules: dict[str, Any], policies: list[str], workers: int) -> None:
            shift = 0.0 if rules["opening"] == "open" else 0.03
            self.win, self.turns_mean, self.error_bound = np.array([0.54 - shift, 0.46 + shift]), 50.0, 1e-12
            wins = [0.62 - shift, 0.485 - shift]
            self.by_start = pl.DataFrame(
                {
                    "start_0": [0, 1],
                    "start_1": [1, 0],
                    "win_0": wins,
                    "win_1": [1 - w for w in wins],
                    "turns_mean": 50.0,
                }
            )

    monkeypatch.setattr(solution, "solve_race", Solved)
    frame = fair_tails("match")
    assert frame.height == 6
    assert frame["gap"].is_sorted()
    assert frame.row(0)[:4] == (None, None, "own_roll", pytest.approx(0.51))
    assert frame.filter(start_0=1, opening="open")["win_0"][0] == pytest.approx(0.485)


# ----------------------------------------------------------------------------------------------------------------------
# The command line


def call(*arguments: str) -> str:
    result = CliRunner().invoke(build(), list(arguments))
    assert result.exit_code == 0, result.output
    return result.stdout


def test_bedtime_on_the_command_line(tmp_path: Path) -> None:
    spec = {
        "name": "karolinchen",
        "game": "karolinchen",
        "seed": 3,
        "games": 2000,
        "by": ["turns", "win"],
        "variants": [{"one_factor": {"fruits": [[1, 2, 3, 3, 3, 3]]}}],
        "policies": [{"repeat": 4, "policy": "match"}],
        "pairs": [{"of": ["turns", "win"], "against": "base"}],
    }
    sim.sweep(spec, data=tmp_path)
    where = ("--players", "4", "--minutes", "20", "--data", str(tmp_path))
    told = call("bedtime", *where)
    assert "80 turns fit" in told
    assert 'with "no card needs more than 3 fruits"' in told
    record = json.loads(call("bedtime", *where, "--json"))
    games = sim.simulate("karolinchen", policies=["match"] * 4, games=2000, seed=3).filter(seat=0)
    assert record["printed"]["value"] == (games["turns"] <= 80).mean()
    assert record["rule"] == {"fruits": [1, 2, 3, 3, 3, 3]}
    slow = json.loads(call("bedtime", *where, "--json", "--seconds-per-turn", "30"))
    assert slow["turns"] == 40
    assert slow["printed"]["value"] < record["printed"]["value"]


def test_compensate_on_the_command_line() -> None:
    rows = json.loads(call("compensate", "parlett", "--policy", "greedy", "--games", "3000", "--json"))
    assert [row["policy"] for row in rows] == ["greedy"]
    wins = sim.simulate("parlett", policies=["greedy"] * 2, games=3000, seed=1).filter(seat=0)["win"]
    assert rows[0]["without"] == pytest.approx(wins.mean())
    told = call("compensate", "parlett", "--policy", "greedy", "--policy", "random", "--games", "1000")
    assert "both play" in told
    assert "random" in told


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("bedtime", "--enough", "1.5"), "enough = 1.5 is not accepted; accepted: a chance above 0 and below 1"),
        (("bedtime", "--enough", "most"), "enough = most is not accepted; accepted: a chance above 0 and below 1"),
        (("bedtime", "--policy", "nosuch"), "unknown policy of karolinchen 'nosuch'; accepted: "),
        (("compensate", "--band", "0.6"), "band = 0.6 is not accepted; accepted: a number above 0 and below 0.5"),
        (("compensate", "karolinchen", "--band", "0"), "band = 0 is not accepted; accepted: a number above 0 and"),
        (("compensate", "--band", "wide"), "band = wide is not accepted; accepted: a number above 0 and below 0.5"),
    ],
)
def test_wrong_options_are_refused_before_any_work(
    asked: tuple[str, ...], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ("--data", str(tmp_path)) if asked[0] == "bedtime" else ()
    assert command([*asked, *where]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert told in said[0]
