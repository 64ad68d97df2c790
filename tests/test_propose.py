"""`sim propose`: from stored sweeps to fresh games and their verdicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

import sim
from sim.analysis.proposals import PROPOSAL
from sim.errors import ReportError
from sim.report.inputs import read_inputs
from sim.report.params import read_params
from sim.report.propose import GAMES, KEPT, check_seeds, propose, read_picks, sweeps
from sim.report.tables_proposals import proposal_tables

ROOT = Path(__file__).resolve().parent.parent
PARAMS = read_params(ROOT / "params.yaml")


def with_few_games(value: Any, games: int) -> Any:
    if isinstance(value, dict):
        return {k: games if k == "games" else with_few_games(v, games) for k, v in value.items()}
    return [with_few_games(v, games) for v in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    for name in PARAMS.sweeps.model_dump().values():
        content = yaml.safe_load((ROOT / "sweeps" / f"{name}.yaml").read_text(encoding="utf-8"))
        sim.sweep(with_few_games(content, 300), workers=2, data=folder)
    propose(PARAMS, folder, workers=2, games=300)
    return folder


@pytest.fixture(scope="module")
def tables(data: Path) -> dict[str, pl.DataFrame]:
    inputs = read_inputs(PARAMS, data)
    return {name: frame for game in GAMES for name, frame in proposal_tables(game, inputs, PARAMS, data).items()}


def test_every_question_has_an_answer_and_says_how_many_were_compared(tables: dict[str, pl.DataFrame]) -> None:
    kinds = {kind: 0 for kind in ("step", "setup", "published", "bedtime", "tails", "seats")}
    for game in GAMES:
        for row in tables[f"proposals_{game}"].iter_rows(named=True):
            kinds[row["kind"]] += 1
            assert row["compared"] >= 1
            if row["status"] == PROPOSAL:
                assert row["verdict"] in ("confirmed", "not confirmed")
                assert row["seed"] == str(PARAMS.proposals.seed) != row["first_seed"]
                assert row["low"] <= row["value"] <= row["high"]
                assert row["first_low"] <= row["first"] <= row["first_high"]
            else:
                assert row["value"] is None
                assert row["verdict"] is None
    assert kinds["step"] >= 1
    assert kinds["bedtime"] == 5 * len(PARAMS.karolinchen.bedtime)
    assert [kinds[k] for k in ("setup", "published", "tails", "seats")] == [1, 5, 5, 1]


def test_the_verdict_is_that_of_the_fresh_games_alone(tables: dict[str, pl.DataFrame], data: Path) -> None:
    """The chance of a proposed race, played again by hand with the fresh seed."""
    row = tables["proposals_karolinchen"].filter(pl.col("status") == PROPOSAL).row(0, named=True)
    rules = {row["factor"]: yaml.safe_load(row["setting"])}
    fresh = sim.simulate(
        "karolinchen", rules=rules, policies=["match"] * row["players"], games=300, seed=PARAMS.proposals.seed
    )
    assert row["value"] == (fresh.filter(seat=0)["turns"] <= row["turns"]).mean()


def test_every_proposal_has_a_price(tables: dict[str, pl.DataFrame]) -> None:
    for game in GAMES:
        asked = tables[f"proposals_{game}"].filter(pl.col("status") == PROPOSAL)["question"].to_list()
        assert set(tables[f"prices_{game}"]["question"]) == set(asked)
    seats = tables["prices_karolinchen"].filter(pl.col("what") == "first.changed")
    assert seats["value"].is_between(0, 1).all()


def test_a_dial_for_every_number_of_players_and_minutes(tables: dict[str, pl.DataFrame]) -> None:
    dial = tables["dial"]
    assert dial.select("minutes", "seats").rows() == [(m, k) for m in (15.0, 20.0, 30.0) for k in range(2, 7)]
    better = dial.filter(pl.col("status") == PROPOSAL)
    assert (better["changed"] > better["value"]).sum() >= 0.8 * better.height
    assert dial["value"].is_between(0, 1).all()


def test_asked_again_nothing_is_played_and_the_record_is_the_same(data: Path) -> None:
    before = (data / KEPT).read_bytes()
    runs = (data / "runs" / "runs.jsonl").read_text(encoding="utf-8").count("\n")
    propose(PARAMS, data, workers=1, games=300)
    assert (data / KEPT).read_bytes() == before
    assert (data / "runs" / "runs.jsonl").read_text(encoding="utf-8").count("\n") == runs
    json.loads(before, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


def test_the_fresh_seed_is_fresh(data: Path) -> None:
    inputs = read_inputs(PARAMS, data)
    same = PARAMS.model_copy(update={"proposals": PARAMS.proposals.model_copy(update={"seed": 20261104})})
    with pytest.raises(ReportError, match="is the seed of sweep karolinchen; accepted: another number"):
        check_seeds(inputs, same)
    for spec in sweeps(read_picks(data, PARAMS, "parlett"), PARAMS).values():
        assert spec["seed"] not in {stored.head["seed"] for stored in inputs.values()}


def test_fresh_games_of_other_proposals_are_refused(data: Path) -> None:
    other = PARAMS.model_copy(update={"proposals": PARAMS.proposals.model_copy(update={"seed": 9})})
    with pytest.raises(ReportError, match=f"judged with seed {PARAMS.proposals.seed}, not 9"):
        read_picks(data, other, "parlett")


def test_without_fresh_games_there_are_no_tables(tmp_path: Path) -> None:
    assert proposal_tables("parlett", {}, PARAMS, tmp_path) == {}
