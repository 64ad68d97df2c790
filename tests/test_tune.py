"""Tuning: it finds what is there, on the same games for all, and goes on exactly where it stopped."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

import sim
from sim.cli import run
from sim.errors import SimError
from sim.games import get
from sim.league.objectives import Regret, objective_for
from sim.league.tune import tune

pytestmark = pytest.mark.usefixtures("toy")

TOY: dict[str, Any] = {
    "policy": "add(more=0)",
    "parameters": {"more": (0, 10)},
    "against": ["add(more=5)"],
    "games": 300,
    "seed": 4,
}
SHEET = [1, 6, 3, 4, 2, 5]
SMALL = {"boxes": 2, "sheet": SHEET}


def test_it_finds_what_is_best() -> None:
    """Whoever adds most wins most; whole numbers are played as whole numbers."""
    found = tune("toy", **TOY, generations=10)
    assert found.policy.text() == "add(more=10)"
    assert found.gain.low > 0.5
    assert all(e["parameters"]["more"] == int(e["parameters"]["more"]) for e in found.evaluations)


def test_candidates_of_a_generation_meet_the_same_games_and_the_next_one_fresh_ones() -> None:
    found = tune("toy", **TOY, generations=5)
    by_value: dict[tuple[int, float], set[float]] = {}
    for e in found.evaluations:
        assert e["first_game"] == 300 * e["generation"]
        by_value.setdefault((e["first_game"], e["parameters"]["more"]), set()).add(e["loss"])
    assert all(len(losses) == 1 for losses in by_value.values())  # the same candidate on the same games
    assert len(by_value) < len(found.evaluations)  # some came twice in a generation
    fresh: dict[float, list[float]] = {}
    for (_, more), losses in by_value.items():
        fresh.setdefault(more, []).extend(losses)
    again = [losses for more, losses in fresh.items() if len(losses) > 1 and more != 5]  # 5 against 5 is always even
    assert again
    assert all(len(set(losses)) > 1 for losses in again)


def test_the_loss_of_a_player_alone_is_the_mean_score_of_the_games() -> None:
    found = tune("caterpillars", policy="planner", parameters={"patience": (0, 2)}, games=200, seed=6, generations=2)
    e = found.evaluations[-1]
    rows = sim.simulate(
        "caterpillars", policies=[{"id": "planner", **e["parameters"]}], games=200, seed=6, first_game=e["first_game"]
    )
    assert -e["loss"] == pytest.approx(rows["score"].mean(), abs=1e-9)


def test_the_loss_against_opponents_is_the_mean_of_both_seatings() -> None:
    room = get("parlett")
    own, others = room.policies.parse("safe(caution=2)"), [room.policies.parse(p) for p in ("greedy", "planner")]
    goal = objective_for(room, room.rules_type(), own, others)
    (loss,) = goal.losses([own], 3, 100, 250, 1)
    points = []
    for other in others:
        for line_up, seat in (([own, other], 0), ([other, own], 1)):
            rows = sim.simulate("parlett", policies=line_up, games=250, seed=3, first_game=100)
            win = rows["win"].to_numpy().reshape(-1, 2)
            points.append((1 + win[:, seat] - win[:, 1 - seat]).mean() / 2)
    assert -loss == pytest.approx(np.mean(points), abs=1e-12)


def test_the_gain_in_exact_regret_is_measured_on_the_labelled_sheets() -> None:
    """t of 20,000 pairs a sheet at 1 − 10⁻⁶; the sheets as printed, with blanks, give a gain nine half-widths away."""
    room = get("caterpillars")
    rules = room.rules_type.parse({"boxes": 2})
    poor, good = (room.policies.parse(p) for p in ("planner(given_up=1, patience=3)", "planner"))
    for sheets in ([SHEET], [SHEET, [1, 6, 1, 1, 2, 5]]):
        goal = objective_for(room, rules, poor, sheets=sheets)
        assert isinstance(goal, Regret)
        gain = goal.gain(good, poor, 1, 20_000, 1)
        exact = goal.regret(poor) - goal.regret(good)
        assert gain.n == 20_000 * len(sheets)
        assert exact > 2.5 * gain.half_width  # there is something to see
        assert abs(gain.value - exact) < 4.9 * gain.half_width / 1.96
        assert goal.better(good, poor, gain)
        assert not goal.better(poor, good, gain)


def test_the_start_stays_where_nothing_better_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    """Slips only do harm, and the search cannot end at the very border."""
    found = tune(
        "caterpillars", policy="planner", parameters={"slip": (0, 1)}, games=50, check=5000, seed=4, generations=1
    )
    assert found.candidate.parameters()["slip"] > 0
    assert found.gain.high < 0
    assert found.policy.text() == found.default.text() == "planner"
    assert found.stays
    record = found.record()
    assert (record["policy"], record["stays"], record["candidate"]) == ("planner", True, found.candidate.text())
    call = "tune caterpillars --policy planner --parameter slip=0:1 --games 50 --check 5000 --seed 4 --generations 1"
    assert run(call.split()) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["planner", f"tried {found.candidate.text()}, not surely better: the start stays"]
    assert lines[2].startswith("its gain over planner: -")
    # and where the search comes back to where it began
    call = "tune toy --policy add(more=10) --parameter more=0:10 --against add(more=5) --games 300 --seed 4"
    assert run([*call.split(), "--generations", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        "add(more=10)",
        "the search ended where it began: the start stays",
    ]


def test_a_start_outside_its_range_is_moved_to_the_nearer_end_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    found = tune("toy", **{**TOY, "parameters": {"more": (6, 9)}}, generations=1)
    assert found.default.text() == "add(more=6)"
    assert found.moved == {"more": (0.0, 6.0)}
    assert found.record()["moved"] == {"more": {"given": 0.0, "used": 6.0}}
    assert all(6 <= e["parameters"]["more"] <= 9 for e in found.evaluations)
    assert tune("toy", **TOY, generations=1).moved == {}
    call = "tune toy --policy add(more=10) --parameter more=2:4 --against add(more=5) --games 300 --seed 4"
    assert run([*call.split(), "--generations", "1"]) == 0
    assert "more = 10 lies outside 2 to 4: the search began at 4\n" in capsys.readouterr().out


def test_own_policies_that_play_alone_are_tuned_for_their_score(monkeypatch: pytest.MonkeyPatch) -> None:
    room = get("caterpillars")
    monkeypatch.setattr(room.policies, "entries", dict(room.policies.entries))

    @sim.policy("caterpillars", parameters={"worth": sim.parameter(0.0, 0.0, 3.0, "points per point", "of the store")})
    def collector(position, options, n, params, u):
        "The first that there is."
        return 0

    own = room.policies.parse("collector")
    goal = objective_for(room, room.rules_type.parse(None), own)
    assert goal.identity() == {"kind": "score"}
    with pytest.raises(SimError, match=r"labels were given for collector, one's own policy, .*; accepted: built-in"):
        objective_for(room, room.rules_type.parse({"boxes": 2}), own, sheets=[SHEET])
    with pytest.raises(SimError, match="rival of caterpillars, which does not play alone"):
        objective_for(room, room.rules_type.parse(None), room.policies.parse("rival"))


@pytest.mark.deep
def test_exact_regret_is_made_small_where_sheets_are_given() -> None:
    start = "planner(given_up=1, patience=3)"
    found = tune(
        "caterpillars",
        policy=start,
        parameters={"given_up": (0, 1), "patience": (0, 3)},
        rules=SMALL,
        labels=[SHEET],
        games=2,
        check=20_000,
        seed=1,
        generations=4,
    )
    solved = sim.solve("caterpillars", rules=SMALL, labels=SHEET, policies=[found.policy.text()])
    before = sim.solve("caterpillars", rules=SMALL, labels=SHEET, policies=[start])
    assert found.regret is not None
    assert found.regret == pytest.approx((before.regret_total, solved.regret_total), abs=1e-9)
    assert found.regret[1] < found.regret[0]
    # the sheet has no blanks, so the mean gain in simulated games is the exact one: t of 20,000 pairs at 1 − 10⁻⁶
    exact = before.regret_total - solved.regret_total
    assert abs(found.gain.value - exact) < 4.9 * found.gain.half_width / 1.96


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    one = tune("toy", **TOY, generations=6, log=whole)
    tune("toy", **TOY, generations=3, log=parts)
    content = parts.read_bytes()
    parts.write_bytes(content[:-20])  # the end of the last line is lost, and with it its generation
    two = tune("toy", **TOY, generations=6, log=parts, workers=2)
    assert parts.read_bytes() == whole.read_bytes()
    assert {**two.record(), "reused": 0} == one.record()
    assert 0 < two.reused < len(one.evaluations) / 2
    again = tune("toy", **TOY, generations=6, log=parts)
    assert again.reused == len(again.evaluations)
    assert parts.read_bytes() == whole.read_bytes()


def test_nothing_depends_on_random_numbers_of_others() -> None:
    np.random.seed(1)  # noqa: NPY002
    first = tune("toy", **TOY, generations=2)
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    second = tune("toy", **TOY, generations=2)
    assert first.evaluations == second.evaluations
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002


def test_a_log_of_another_tuning_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "x.jsonl"
    tune("toy", **TOY, generations=1, log=log)
    with pytest.raises(SimError, match=r"is of another tuning \(games = 300, asked for 301\); accepted"):
        tune("toy", **{**TOY, "games": 301}, log=log)
    lines = log.read_text().splitlines()
    changed = json.loads(lines[1])
    changed["parameters"]["more"] = 11 - changed["parameters"]["more"]
    log.write_text("\n".join([lines[0], json.dumps(changed), *lines[2:]]) + "\n")
    with pytest.raises(SimError, match="candidate 0 is not what this tuning asks for"):
        tune("toy", **TOY, generations=1, log=log)
    log.write_text("something else\n")
    with pytest.raises(SimError, match="is of another tuning; accepted"):
        tune("toy", **TOY, log=log)


WRONG = [
    ("toy --policy nobody --parameter more=0:1", "unknown policy of toy 'nobody'"),
    ("toy --policy add", "no parameters to tune were given for add; accepted: more, slip"),
    ("toy --policy add --parameter less=0:1 --against plain", "unknown number of policy add 'less'"),
    ("toy --policy add --parameter more=0 --against plain", "--parameter more=0 is not accepted; accepted: NAME=LOW:"),
    ("toy --policy add --parameter more=4:2 --against plain", "bounds (4.0, 2.0) of more are not accepted; accepted:"),
    ("toy --policy add --parameter more=0:11 --against plain", "0 ≤ low < high ≤ 10"),
    ("toy --policy add --parameter more=0:1", "no opponents were given for add of toy, which does not play alone"),
    ("toy --policy add --parameter more=0:1 --against plain --labels 1", "both given; accepted: one of them"),
    ("toy --policy add --parameter more=0:1 --labels 1", "labels were given for toy; accepted: caterpillars"),
    ("toy --policy add --parameter more=0:1 --against plain --games 1", "games = 1 is not accepted"),
    ("toy --policy add --parameter more=0:1 --against plain --population 2", "population = 2 is not accepted"),
    ("toy --policy add --parameter more=0:1 --against plain --generations 0", "generations = 0 is not accepted"),
    ("caterpillars --policy planner --parameter placement=0:1", "unknown number of policy planner 'placement'"),
]


@pytest.mark.parametrize(("line", "message"), WRONG)
def test_wrong_use_is_told_in_one_line(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = run(["tune", *shlex.split(line)])
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err


def test_the_examples_of_the_documentation_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "docs" / "how-to" / "tune.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    commands = [line for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S) for line in block.splitlines()]
    assert len(commands) >= 3
    for command in commands:
        assert run(shlex.split(command)[1:]) == 0, capsys.readouterr().err
    for code in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S):
        exec(compile(code, "tune.md", "exec"), {})
