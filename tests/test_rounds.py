"""Games told round by round: what could be done and what was done, checked against traces, results and the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from folders import content

import sim
from sim import analysis, api
from sim.cli import run as cli
from sim.errors import InputError, SweepError
from sim.games import REGISTRY, get
from sim.store.load import read_footer
from sim.store.schema import columns
from sim.sweep import rounds as table
from sim.sweep.compact import compact
from sim.sweep.run import run
from tests.naive import caterpillars as naive_caterpillars
from tests.naive import parlett as naive_parlett

SEED = 2**63 + 12345
BIG = 2**40 + 3

Row = dict[str, Any]


# ----------------------------------------------------------------------------------------------------------------------
# What a trace says about each round, by the slow programs that were written from the rules alone


def caterpillars(trace: Mapping[str, Any]) -> Iterator[Row]:
    rules = trace["rules"]
    sheets = [([False] * len(seat["labels"]), [0, 0, 0]) for seat in trace["seats"]]
    for r, roll in enumerate(trace["rolls"]):
        for s, seat in enumerate(trace["seats"]):
            filled, bonus = sheets[s]
            plain = {**rules, "sheet": seat["labels"]}
            options = naive_caterpillars.outcomes(plain, seat["labels"], filled, bonus, roll["dice"], roll["face"])
            bonus_box, bonus_value, box, score = outcome = tuple(seat["outcomes"][r])
            yield {
                "seat": s,
                "round": r + 1,
                "options": len(options),
                "chosen": options.index(outcome),
                "box": box,
                "score": score,
                "zero": score == 0,
                "bonus_box": bonus_box,
                "bonus_value": bonus_value,
            }
            filled[box] = True
            if bonus_box >= 0:
                bonus[bonus_box] = bonus_value


def ways(middle: list[int], left: frozenset[int], fruits: list[int], may: bool) -> list[tuple[Any, ...]]:
    """Every way of going on after a card is full: (card, taken) again and again."""
    if not left:
        return [()]
    found: list[tuple[Any, ...]] = []
    for card in sorted(left):
        fitting = middle.count(card)
        if fitting == 0 or may:
            found.append(((card, False),))
        if fitting >= fruits[card]:
            gone = list(middle)
            for _ in range(fruits[card]):
                gone.remove(card)
            found += [((card, True), *more) for more in ways(gone, left - {card}, fruits, may)]
        elif fitting:
            found.append(((card, True),))
    return sorted(found)


def karolinchen(trace: Mapping[str, Any]) -> Iterator[Row]:
    fruits, may = trace["rules"]["fruits"], trace["rules"]["new_card_take"] == "may"
    cards = [[start] for start in trace["starts"]]
    on_card = [0 for _ in cards]
    for t, turn in enumerate(trace["turns"]):
        s = turn["seat"]
        middle = list(turn["rolled"][-1] if turn["rolled"] else turn["middle"])
        taken = {colour: n for colour, n in turn["taken"]}
        full, options, chosen = 0, [()], ()
        for card in [cards[s][-1], *turn["chosen"]]:
            if card != cards[s][-1]:
                cards[s].append(card)
                on_card[s] = 0
                chosen = (*chosen, (card, card in taken))
            on_card[s] += taken.get(card, 0)
            full += on_card[s] == fruits[card]
            if full == 1 and not chosen and on_card[s] == fruits[card]:
                for _ in range(taken[card]):
                    middle.remove(card)
                options = ways(middle, frozenset(range(6)) - set(cards[s]), fruits, may)
        yield {
            "seat": s,
            "round": t + 1,
            "options": len(options),
            "chosen": options.index(chosen),
            "rolls": len(turn["rolled"]),
            "dice": sum(taken.values()),
            "cards": full,
            "eating": turn["eating"],
        }


def parlett(trace: Mapping[str, Any]) -> Iterator[Row]:
    rules = trace["rules"]
    size = rules["hand_size"]
    for d, deal in enumerate(trace.get("deals", [trace])):
        deck = [tuple(card) for card in deal["deck"]]
        hands = [deck[:size], deck[size : 2 * size]]
        stock = deck[2 * size :]
        previous = None
        for t, play in enumerate(deal["plays"]):
            s, card = play["seat"], tuple(play["card"])
            last = t == len(stock) - 1
            options = sorted(naive_parlett.playable_cards(rules, hands[s], hands[1 - s], previous, last))
            yield {
                "seat": s,
                "round": t + 1,
                "options": len(options),
                "chosen": options.index(card),
                "deal": d,
                "card": 13 * card[0] + card[1] - 1,
                "gain": play["gain"],
                "total": play["total"],
            }
            hands[s].remove(card)
            hands[s].append(stock[t])
            previous = card


TOLD = {"caterpillars": caterpillars, "karolinchen": karolinchen, "parlett": parlett}

GAMES: list[tuple[str, dict[str, Any], list[str], int]] = [
    ("caterpillars", {"level": "beginner"}, ["random", "planner"], 20),
    ("caterpillars", {"level": "intermediate", "zero_rule": "split", "idle_dice": True}, ["random"], 8),
    ("caterpillars", {"level": "advanced", "setup": "variation"}, ["weighted", "random", "greedy"], 8),
    ("caterpillars", {"level": "expert", "boxes": 3, "zero_rule": "strict"}, ["planner(slip=0.5)", "child"], 8),
    ("caterpillars", {"level": "intermediate", "boxes": 2, "sheet": [2, 5, 7, 3, 6, 6]}, ["optimal"], 8),
    ("karolinchen", {}, ["racer", "match", "random"], 20),
    ("karolinchen", {"new_card_take": "may", "fruits": [1, 1, 2, 1, 1, 2]}, ["random"] * 6, 40),
    ("karolinchen", {"new_card_take": "may", "opening": "own_roll"}, ["random", "odds"], 20),
    ("karolinchen", {"reroll_after_eating": True, "max_turns": 30}, ["match(slip=0.5)"] * 4, 20),
    ("parlett", {}, ["random", "greedy"], 20),
    ("parlett", {"deals": 2, "block": "barred"}, ["planner", "random"], 20),
    ("parlett", {"hand_size": 1, "deals": 2}, ["random", "random"], 20),
]


def told(game: str, rules: Any, policies: Any, games: int, **more: Any) -> pl.DataFrame:
    return sim.rounds(game, rules=rules, policies=policies, games=games, seed=SEED, **more)


@pytest.mark.parametrize(("game", "rules", "policies", "games"), GAMES)
def test_rounds_are_those_of_the_trace_and_options_those_of_the_rules(
    game: str, rules: dict[str, Any], policies: list[str], games: int
) -> None:
    frame = told(game, rules, policies, games, first_game=BIG)
    assert frame["game"].unique().sort().to_list() == list(range(BIG, BIG + games))
    for k in range(BIG, BIG + games):
        trace = sim.trace(game, rules=rules, policies=policies, seed=SEED, game_index=k)
        expected = [{"game": k, **row, "forced": row["options"] == 1} for row in TOLD[game](trace)]
        found = frame.filter(pl.col("game") == k).to_dicts()
        assert [dict(sorted(row.items())) for row in found] == [dict(sorted(row.items())) for row in expected]


def sums(game: str, frame: pl.DataFrame) -> dict[str, pl.Expr]:
    """Result column → what it is in terms of a seat's rounds."""
    if game == "caterpillars":
        return {"box_sum": pl.col("score").sum(), "zeros": pl.col("zero").sum()}
    if game == "karolinchen":
        return {"fruits": pl.col("dice").sum(), "cards": pl.col("cards").sum()}
    return {"running": pl.col("gain").sum(), "cards_played": pl.len()}


@pytest.mark.parametrize(("game", "rules", "policies", "games"), GAMES)
def test_rounds_add_up_to_the_results(game: str, rules: dict[str, Any], policies: list[str], games: int) -> None:
    frame = told(game, rules, policies, 500)
    results = sim.simulate(game, rules=rules, policies=policies, games=500, seed=SEED)
    added = sums(game, frame)
    by_seat = frame.group_by("game", "seat").agg(e.cast(pl.Int64).alias(name) for name, e in added.items())
    # a seat whose turn never came has no rows
    both = results.join(by_seat, on=["game", "seat"], how="left", suffix="_told").with_columns(pl.all().fill_null(0))
    for name in added:
        assert both[name].cast(pl.Int64).to_list() == both[f"{name}_told"].to_list(), name
    if game == "karolinchen":
        whole = frame.group_by("game").agg(pl.len(), pl.col("rolls", "eating").cast(pl.Int64).sum()).sort("game")
        first = results.filter(pl.col("seat") == 0)
        opening = 0 if rules.get("opening") == "own_roll" else 1
        assert whole["len"].to_list() == first["turns"].to_list()
        assert (whole["rolls"] + opening).to_list() == first["rolls"].to_list()
        assert whole["eating"].to_list() == first["eatings"].to_list()


@pytest.mark.parametrize("name", REGISTRY)
def test_columns_are_registered_and_keep_their_bounds(name: str) -> None:
    game = get(name)
    frame = told(name, None, game.example, 300)
    registered = columns("rounds", game.round_fields(game.rules_type(), len(game.example)))
    assert frame.columns == [column.name for column in registered]
    for column in registered:
        values = frame[column.name].to_numpy()
        assert values.dtype == column.numpy, column.name
        assert column.low is None or values.min() >= column.low, column.name
        assert column.high is None or values.max() <= column.high, column.name
        assert column.meaning
    assert (frame["chosen"] < frame["options"]).all()


@pytest.mark.parametrize("name", REGISTRY)
def test_rounds_depend_on_the_game_index_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    policies = ["random"] * len(get(name).example)
    whole = told(name, None, policies, 300)
    monkeypatch.setattr(table, "_BLOCK_ROWS", 1000)
    assert told(name, None, policies, 300, workers=3).equals(whole)
    assert told(name, None, policies, 200, first_game=100).equals(whole.filter(pl.col("game") >= 100))


# ----------------------------------------------------------------------------------------------------------------------
# Regret


SHEET = {"boxes": 2, "sheet": [2, 5, 7, 3, 6, 6]}


@pytest.mark.parametrize("level", ["beginner", "intermediate"])
def test_regret_is_the_best_value_less_the_chosen_one(level: str) -> None:
    rules = {"level": level, **SHEET}
    frame = told("caterpillars", rules, ["random", "greedy"], 6, regret=True)
    assert frame["regret"].dtype == pl.Float64
    solved = sim.solve("caterpillars", rules={"level": level, "boxes": 2}, labels=SHEET["sheet"])
    assert frame["regret"].max() > 0.5
    for k in range(6):
        trace = sim.trace("caterpillars", rules=rules, policies=["random", "greedy"], seed=SEED, game_index=k)
        for s, seat in enumerate(trace["seats"]):
            lost = frame.filter((pl.col("game") == k) & (pl.col("seat") == s))["regret"].to_list()
            filled, totals = [False] * 6, [0, 0, 0]
            for r, roll in enumerate(trace["rolls"]):
                values = dict(solved.best(filled=filled, totals=totals, dice=roll["dice"]))
                outcome = tuple(seat["outcomes"][r])
                assert lost[r] == pytest.approx(max(values.values()) - values[outcome], abs=1e-9)
                filled[outcome[2]] = True
                totals[outcome[2] // 2] += outcome[3]


def test_optimal_play_has_no_regret() -> None:
    frame = told("caterpillars", {"level": "beginner", **SHEET}, ["optimal"], 2000, regret=True)
    assert frame["regret"].max() < 1e-8
    assert not frame["forced"].all()


@pytest.mark.parametrize(
    ("game", "rules", "message"),
    [
        ("caterpillars", {"level": "beginner"}, "a sheet with 6 blanks; accepted: beginner and intermediate"),
        ("caterpillars", {"level": "advanced", **SHEET}, "at level advanced"),
        ("karolinchen", {}, "regret was asked for karolinchen; accepted: rounds without it"),
        ("parlett", {}, "regret was asked for parlett; accepted: rounds without it"),
    ],
)
def test_regret_without_exact_values_is_refused_before_anything_is_solved(game: str, rules: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        told(game, rules, get(game).example, 10, regret=True)


# ----------------------------------------------------------------------------------------------------------------------
# Files


def spec(**more: Any) -> dict[str, Any]:
    given = {"name": "t", "game": "karolinchen", "seed": 5, "games": 300, "detail": "rounds"}
    return {**given, "policies": [["match", "random"], ["racer"] * 3], **more}


def test_a_sweep_keeps_the_rows_of_each_scenario(tmp_path: Path) -> None:
    run(spec(first_game=7), data=tmp_path)
    frame = sim.load("t", data=tmp_path)
    for line in sim.scenarios("t", data=tmp_path).to_dicts():
        policies = [line[f"seat{s}"] for s in range(line["seats"])]
        expected = sim.rounds("karolinchen", policies=policies, games=300, seed=5, first_game=7)
        assert frame.filter(pl.col("scenario") == line["scenario"]).drop("scenario").equals(expected)
    assert sim.load("t", data=tmp_path, where={"seats": 3, "forced": False}, columns=["options"])["options"].min() > 1


def test_files_are_equal_for_any_workers_and_back_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = content(run(spec(), backend="sequential", data=tmp_path / "one").folder)
    monkeypatch.setattr(table, "_BLOCK_ROWS", 999)
    assert content(run(spec(), workers=3, data=tmp_path / "threads").folder) == whole
    assert content(run(spec(), backend="loky", workers=2, data=tmp_path / "loky").folder) == whole


def test_a_sweep_goes_on_with_the_pieces_that_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "GROUP_ROWS", 64 * 100)  # a hundred games a file
    whole = run(spec(), data=tmp_path)
    expected = content(whole.folder)
    pieces = sorted((whole.folder / "rounds").rglob("rows-*.parquet"))
    assert len(pieces) == 6
    pieces[1].unlink()
    pieces[4].write_bytes(pieces[4].read_bytes()[:-10])
    (whole.folder / "manifest.json").unlink()
    again = run(spec(), workers=2, data=tmp_path)
    assert (again.played, again.reused) == (200, 400)
    assert content(again.folder) == expected
    more = run(spec(games=350), data=tmp_path)  # a longer sample keeps the full pieces
    assert more.played == 100


def test_a_sweep_put_into_few_files_goes_on_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "GROUP_ROWS", 64 * 100)
    whole = run(spec(), data=tmp_path / "whole")
    made = run(spec(), data=tmp_path)
    frame = sim.load("t", data=tmp_path)
    assert compact("t", data=tmp_path).files == 1
    assert sim.load("t", data=tmp_path).equals(frame)
    assert run(spec(), data=tmp_path).played == 0
    assert run(spec(games=400), data=tmp_path).played == 200
    first = {name: data for name, data in content(whole.folder).items() if name != "manifest.json"}
    assert first.items() <= content(made.folder).items()


def test_a_file_tells_what_made_it_and_that_makes_it_again(tmp_path: Path) -> None:
    scenario = api.scenario_of("caterpillars", {"level": "beginner", **SHEET}, ["greedy"])
    path = tmp_path / "a.parquet"
    api.play_rounds_file(path, scenario, seed=5, games=400, regret=True)
    record = read_footer(path).provenance
    assert (record["table"], record["games"], record["regret"]) == ("rounds", 400, True)
    assert [c.name for c in read_footer(path).columns][-1] == "regret"
    api.rerun(path, tmp_path / "b.parquet", workers=2)
    assert (tmp_path / "b.parquet").read_bytes() == path.read_bytes()
    expected = sim.rounds(
        "caterpillars", rules={"level": "beginner", **SHEET}, policies="greedy", games=400, seed=5, regret=True
    )
    assert sim.load(path).drop("scenario").equals(expected)


def test_regret_is_another_content(tmp_path: Path) -> None:
    given = spec(game="caterpillars", policies=["greedy"], variants=[{"rules": {"level": "beginner", **SHEET}}])
    run(given, data=tmp_path)
    assert "regret" not in sim.load("t", data=tmp_path).columns
    with pytest.raises(SweepError, match=r"regret = False \(now True\)"):
        run({**given, "regret": True}, data=tmp_path)
    assert run({**given, "regret": True}, data=tmp_path, replace=True).played == 300
    assert sim.load("t", data=tmp_path)["regret"].sum() > 0


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"games": 1_000_001}, "games = 1,000,001 with detail = rounds is not accepted; accepted: 1 to 1,000,000"),
        ({"by": ["turns"]}, "by with detail = rounds is not accepted; accepted: detail: summary"),
        ({"pairs": [{"of": "win", "seats": [0, 1]}]}, "pairs with detail = rounds are not accepted"),
        ({"until": "half_width(mean turns) <= 0.1 at 95 %"}, "until with detail = rounds is not accepted"),
        ({"regret": True}, "regret was asked for karolinchen; accepted: rounds without it"),
        ({"regret": True, "detail": "games"}, "regret with detail = games is not accepted; accepted: detail: rounds"),
        ({"regret": "yes"}, "regret"),
    ],
)
def test_wrong_sweeps_are_refused_in_one_line(more: dict[str, Any], message: str) -> None:
    from sim.sweep.plan import plan

    with pytest.raises(SweepError, match=message) as caught:
        plan(spec(**more))
    assert "\n" not in str(caught.value)


def test_a_game_without_rounds_says_so(toy: object) -> None:
    with pytest.raises(InputError, match="toy does not tell its rounds; accepted: detail games or summary"):
        told("toy", None, ["plain"], 10)


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.parquet"
    call = ["run", "parlett", "--policy", "greedy", "--policy", "random", "--games", "50", "--seed", "5"]
    assert cli([*call, "--detail", "rounds", "--out", str(out)]) == 0
    expected = sim.rounds("parlett", policies=["greedy", "random"], games=50, seed=5)
    assert sim.load(out).drop("scenario").equals(expected)
    assert f"{expected.height:,} rows" in capsys.readouterr().out
    for wrong, message in (
        (["--detail", "rounds"], "--detail rounds without --out is not accepted"),
        (["--detail", "turns", "--out", str(out)], "unknown --detail"),
        (["--regret", "--out", str(out)], "--regret without --detail rounds is not accepted"),
    ):
        assert cli([*call, *wrong]) == 2
        assert message in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------------------------------
# Decision richness


def test_richness_counts_each_game_once() -> None:
    """Two games with two seats: the mean over games of the mean over seats, and Student's interval with n = 2."""
    frame = pl.DataFrame(
        {
            "game": [0, 0, 1, 1],
            "seat": [0, 1, 0, 1],
            "round": [1, 1, 1, 1],
            "options": [1, 3, 5, 7],
            "forced": [True, False, False, False],
            "zero": [False, False, False, False],
        }
    )
    found = {row["measure"]: row for row in analysis.decision_richness(frame).to_dicts()}
    half = 12.706204736 * np.std([2, 6], ddof=1) / np.sqrt(2)
    assert found["options"]["value"] == 4
    assert found["options"]["high"] == pytest.approx(4 + half)
    assert {row["n"] for row in found.values()} == {2}
    assert found["forced"]["value"] == 0.25
    assert found["zeros"]["value"] == 0
    assert found["zeros"]["high"] > 0.3  # no zero among two games says little
    by_seat = analysis.decision_richness(frame, keys=["seat"]).filter(pl.col("measure") == "options")
    assert by_seat["value"].to_list() == [3, 5]


def test_the_last_box_leaves_no_choice_at_beginner() -> None:
    frame = told("caterpillars", {"level": "beginner"}, ["planner"], 200)
    found = analysis.decision_richness(frame).filter(pl.col("measure") == "forced").sort("round")
    # two dice with different labels fit one box with either; with one box left that is a zero or one entry
    assert found["round"].to_list() == list(range(1, 13))
    assert found["value"][-1] > 0.9
    assert found["value"][0] < 0.1
