"""Every number of a report that names a sweep and a scenario, once more from the stored counts (`tests/recount.py`),
and those that come from several scenarios together (`tests/recount_several.py`).
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import recount_several as several
import yaml
from recount import RULES, Store, recount, wrong

import sim
from sim.report import build

ROOT = Path(__file__).resolve().parent.parent
PARAMS = ROOT / "params.yaml"
GAMES = 300
PARTS = ("levels", "setup", "readings", "karolinchen", "parlett")

Register = dict[str, dict[str, Any]]


def with_few_games(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: GAMES if k == "games" else with_few_games(v) for k, v in value.items()}
    return [with_few_games(v) for v in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Register, Store]:
    folder = tmp_path_factory.mktemp("claims")
    for name in PARTS:
        content = yaml.safe_load((ROOT / "sweeps" / f"{name}.yaml").read_text(encoding="utf-8"))
        sim.sweep(with_few_games(content), workers=2, data=folder / "data")
    build.build_report(folder / "data", folder / "out", PARAMS, only=PARTS)
    register = json.loads((folder / "out" / "facts.json").read_text(encoding="utf-8"))
    return register, Store(folder / "data")


def test_every_number_of_the_report_is_what_the_counts_say(made: tuple[Register, Store]) -> None:
    register, store = made
    again = dict(recount(register, store))
    assert wrong(register, store) == {}
    assert [key for key, number in again.items() if number is None] == []  # every one has a rule
    quoted = [key for key in again if "claim" in register[key]]
    print(f"{len(again)} facts counted again, {len(quoted)} of them quoted in prose, of {len(register)}")
    assert len(again) > 900
    assert len(quoted) > 80
    kinds = {key.split(".")[0] for key in again}
    assert kinds == {"caterpillars", "karolinchen", "parlett"}


def test_each_kind_of_number_is_among_them(made: tuple[Register, Store]) -> None:
    again = [key for key, _ in recount(*made)]
    used = [pattern for pattern, _ in RULES if not pattern.startswith("own")]
    assert [p for p in used if not any(re.fullmatch(p, key) for key in again)] == []


def test_numbers_from_several_scenarios_are_what_the_counts_say(made: tuple[Register, Store]) -> None:
    register, store = made
    assert several.wrong(register, store) == {}
    again = [key for key, _ in several.recount(register, store)]
    assert [p for p, _ in several.RULES if not any(re.fullmatch(p, key) for key in again)] == []
    assert len(again) >= 60
    assert {key.split(".")[1] for key in again} == {"step", "duel", "hold"}


@pytest.mark.parametrize(
    "key",
    [
        *(f"caterpillars.step.advanced-expert.planner.{what}" for what in ("score", "spread", "choice", "chance")),
        "karolinchen.duel.match.random",
        "parlett.duel.greedy.random",
        "parlett.hold.greedy.best",
        "parlett.hold.greedy.best.score",
    ],
)
def test_a_number_of_several_scenarios_that_was_tampered_with_is_found(made: tuple[Register, Store], key: str) -> None:
    register, store = made
    changed = {**register, key: {**register[key], "value": register[key]["value"] * 1.001 + 0.001}}
    assert list(several.wrong(changed, store)) == [key]


@pytest.mark.parametrize(
    "key",
    [
        "caterpillars.expert.child.mean",
        "caterpillars.expert.best.sd",
        "caterpillars.beginner.child.p95",
        "caterpillars.beginner.child.best10",
        "caterpillars.expert.skill",
        "caterpillars.expert.skill.gain",
        "caterpillars.setup.expert.planner",
        "caterpillars.setup.expert.child.same",
        "karolinchen.4.p95.minutes",
        "karolinchen.4.within.20",
        "karolinchen.4.seat0.gap",
        "karolinchen.house.opening.own_roll.4.win",
        "parlett.seat.greedy",
        "parlett.seat.greedy.draw",
    ],
)
def test_a_number_that_was_tampered_with_is_found(made: tuple[Register, Store], key: str) -> None:
    register, store = made
    fact = register[key]
    changed = {**register, key: {**fact, "value": fact["value"] * 1.001 + 0.001}}
    assert list(wrong({key: changed[key]}, store)) == [key]
    others = (f for f in register.values() if f.get("sweep") == fact["sweep"] and "scenario" in f)
    elsewhere = next(f["scenario"] for f in others if f["scenario"] != fact["scenario"])
    assert list(wrong({key: {**fact, "scenario": elsewhere}}, store)) == [key]  # the right number of another scenario
