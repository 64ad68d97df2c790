"""Two scenarios compared: on the same dice whichever way the difference is found, and honest where they are not."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats as sp

import sim
from sim import stats
from sim.cli import run as command
from sim.errors import FaultError, InputError, SimError, StoreError
from sim.sweep.run import run

pytestmark = pytest.mark.usefixtures("toy")

BASE: dict[str, Any] = {
    "name": "t",
    "game": "toy",
    "seed": 7,
    "games": 5_000,
    "policies": ["plain"],
    "variants": [{"one_factor": {"sides": [8]}}],
}
A, B = "sides=8 · plain", "default · plain"
PAIRS = {"pairs": [{"of": "score", "against": "base"}]}


def spec(**more: Any) -> dict[str, Any]:
    return {**BASE, **more}


def truth(games: int = 5_000, first: int = 0, seed: int = 7) -> tuple[np.ndarray, np.ndarray]:
    """Scores of both sides, game by game."""
    call: dict[str, Any] = {"policies": ["plain"], "seed": seed, "games": games, "first_game": first}
    return tuple(  # type: ignore[return-value]
        sim.simulate("toy", rules={"sides": sides}, **call)["score"].to_numpy().astype(float) for sides in (8, 6)
    )


@pytest.mark.parametrize(
    ("more", "how"),
    [(PAIRS, "pairs"), ({"detail": "games"}, "rows"), ({}, "again"), ({"by": ["win"]}, "again")],
    ids=["kept", "rows", "again", "again, not counted"],
)
def test_difference_is_that_of_the_games_whichever_way_it_is_found(
    tmp_path: Path, more: dict[str, Any], how: str
) -> None:
    run(spec(**more), data=tmp_path)
    found = sim.compare(A, B, data=tmp_path)
    x, y = truth()
    d = x - y
    assert (found.paired, found.how) == (True, how)
    assert found.difference.value == pytest.approx(d.mean())
    assert found.sd == pytest.approx(d.std(ddof=1))
    assert found.difference.half_width == pytest.approx(sp.t.ppf(0.975, d.size - 1) * d.std(ddof=1) / math.sqrt(d.size))
    assert found.difference.n == 5_000
    assert found.better is not None
    assert found.better.value == (d > 0).mean()
    beats = (x[:, None] > y[None, :]).mean() + (x[:, None] == y[None, :]).mean() / 2
    assert found.superiority is not None
    assert found.superiority.value == pytest.approx(beats)
    welch = sp.ttest_ind(x, y, equal_var=False).confidence_interval()
    assert found.half_width_unpaired == pytest.approx((welch.high - welch.low) / 2)
    assert found.half_width_unpaired > 2 * found.difference.half_width  # what the same dice are worth here
    turned = sim.compare(B, A, data=tmp_path)
    assert turned.difference.value == pytest.approx(-found.difference.value)
    assert turned.worse is not None
    assert turned.worse.value == found.better.value


def test_sides_may_be_of_two_sweeps_on_the_same_dice(tmp_path: Path) -> None:
    run(spec(variants=[{}]), data=tmp_path)
    run(spec(name="u", variants=[{"rules": {"sides": 8}}], games=3_000, first_game=1_000), data=tmp_path)
    found = sim.compare(_label(tmp_path, "u"), B, data=tmp_path)
    x, y = truth(3_000, 1_000)
    assert (found.how, found.difference.n) == ("again", 3_000)
    assert found.difference.value == pytest.approx((x - y).mean())
    assert found.superiority is not None
    assert found.superiority.value == pytest.approx(stats.superiority(x, np.ones(3000), y, np.ones(3000)).value)
    assert any("of the 3,000 games that both played" in note for note in found.notes)


def _label(data: Path, sweep: str) -> str:
    return str(sim.scenarios(sweep, data=data)["label"][0])


@pytest.mark.parametrize("other", [{"seed": 8}, {"first_game": 5_000}], ids=["seed", "range"])
def test_sides_without_a_common_game_get_the_interval_of_separate_samples_and_it_says_so(
    tmp_path: Path, other: dict[str, Any]
) -> None:
    run(spec(variants=[{}]), data=tmp_path)
    run(spec(name="u", variants=[{"rules": {"sides": 8}}], **other), data=tmp_path)
    found = sim.compare(_label(tmp_path, "u"), B, data=tmp_path)
    x = truth(first=other.get("first_game", 0), seed=other.get("seed", 7))[0]
    y = truth()[1]
    welch = sp.ttest_ind(x, y, equal_var=False).confidence_interval()
    assert (found.paired, found.how, found.better) == (False, "separate", None)
    assert (found.difference.low, found.difference.high) == pytest.approx((welch.low, welch.high))
    assert "Welch" in found.difference.method
    assert any("separate samples" in note for note in found.notes)


def test_one_sweep_with_both_is_preferred_to_two_that_only_share_dice(tmp_path: Path) -> None:
    run(spec(name="a", variants=[{}]), data=tmp_path)
    run(spec(**PAIRS), data=tmp_path)
    assert sim.compare(A, B, data=tmp_path).how == "pairs"
    assert sim.compare(A, B, sweep=["a", "t"], data=tmp_path).b["sweep"] == "t"


def test_seats_and_columns_are_chosen(tmp_path: Path) -> None:
    run(spec(policies=[["plain", "add(more=3)"]], by=["score", "win"]), data=tmp_path)
    a, b = sim.scenarios("t", data=tmp_path)["label"].to_list()[::-1]
    call: dict[str, Any] = {"policies": ["plain", "add(more=3)"], "seed": 7, "games": 5_000}
    played = [sim.simulate("toy", rules={"sides": sides}, **call) for sides in (8, 6)]
    wins = [rows.filter(pl.col("seat") == 1)["win"].mean() for rows in played]
    found = sim.compare(a, b, of="win", seat=1, data=tmp_path)
    assert found.difference.value == pytest.approx(wins[0] - wins[1])


def test_what_is_played_again_must_be_what_was_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(spec(), data=tmp_path)
    monkeypatch.setattr("toy.ToyPlayable.play", lambda self, seed, first, games, out, scratch: out.fill(1))
    with pytest.raises(FaultError, match="came out differently when it was played again"):
        sim.compare(A, B, data=tmp_path)


def test_scenario_of_another_version_is_not_played_again_but_kept_counts_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(spec(), data=tmp_path)
    run(spec(name="kept", **PAIRS), data=tmp_path)
    monkeypatch.setattr("toy.ToyGame.kernel_version", 2)
    with pytest.raises(StoreError, match=r"was played by another version.*; accepted: a sweep of this version"):
        sim.compare(A, B, sweep="t", data=tmp_path)
    assert sim.compare(A, B, sweep="kept", data=tmp_path).how == "pairs"


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((A, "nobody"), {}, "'nobody' is no scenario of a finished sweep; accepted: an id"),
        ((A, A), {}, "are one scenario"),
        ((A, B, "scroe"), {}, r"unknown column 'scroe' \(did you mean score\?\)"),
        ((A, B), {"seat": 1}, "seat = 1 is not accepted"),
        ((A, B), {"level": 95}, "level = 95 is not accepted"),
        ((A, B), {"sweep": "nope"}, "is not there"),
        ((A, B), {"workers": 0}, "workers = 0"),
    ],
)
def test_wrong_comparison_is_one_line(
    tmp_path: Path, arguments: tuple[str, ...], options: dict[str, Any], message: str
) -> None:
    run(spec(games=100), data=tmp_path)
    with pytest.raises(SimError, match=message) as caught:
        sim.compare(*arguments, data=tmp_path, **options)
    assert "\n" not in str(caught.value)
    assert "accepted" in str(caught.value)


def test_label_that_fits_several_scenarios_is_refused_with_their_ids(tmp_path: Path) -> None:
    run(spec(variants=[{"name": "x"}]), data=tmp_path)
    run(spec(name="u", variants=[{"name": "x", "rules": {"sides": 9}}]), data=tmp_path)
    with pytest.raises(InputError, match=r"'x · plain' fits .* \(t: x · plain\).*accepted: the id of one of them"):
        sim.compare("x · plain", "x · plain", data=tmp_path)
    id = sim.scenarios("u", data=tmp_path)["scenario"][0]
    other = sim.scenarios("t", data=tmp_path)["scenario"][0]
    assert sim.compare(id[:5], other, data=tmp_path).a["scenario"] == id


def test_command_prints_it_and_tells_what_is_played_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(spec(), data=tmp_path)
    assert command(["compare", A, B, "--data", str(tmp_path)]) == 0
    out, error = capsys.readouterr()
    found = sim.compare(A, B, data=tmp_path)
    assert f"A − B: {found.difference.value:+.4f}" in out
    assert f"half-width without pairing: {found.half_width_unpaired:.4f}" in out
    assert error.startswith("note: both are played again on the same dice: 2 × 5,000 games, about ")
    assert command(["compare", A, B, "--data", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["difference"]["value"] == found.difference.value
    assert told["how"] == "again"
    assert command(["compare", A, B, "--data", str(tmp_path), "--level", "much"]) == 2
    assert "level = much is not accepted" in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------------------------------
# The interval of separate samples


def test_interval_of_separate_samples_is_welchs() -> None:
    x, y = np.array([1.0, 4, 4, 6, 9]), np.array([2.0, 3, 4, 5, 5, 7, 20])
    found = stats.separate(x, np.ones(5, int), y, np.ones(7, int), 0.9)
    wanted = sp.ttest_ind(x, y, equal_var=False).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))
    assert stats.separate([3], [5], [1], [4]).half_width == 0
    assert math.isnan(stats.separate([3], [1], [1], [4]).half_width)
    same = stats.separate(x, np.ones(5, int), x[::-1] * 3, np.ones(5, int))
    assert stats.without_pairing(x.std(ddof=1), 3 * x.std(ddof=1), 5) == pytest.approx(same.half_width)


def test_interval_of_separate_samples_covers_the_truth() -> None:
    """2000 repetitions at 95 %: between 1862 and 1937 hits but for a chance of 1 in 10,000."""
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(2000):
        x, y = rng.poisson(3, 40), rng.poisson(4, 160)
        found = stats.separate(x, np.ones(40, int), y, np.ones(160, int))
        hits += found.low <= -1 <= found.high
    assert sp.binom.ppf(5e-5, 2000, 0.95) <= hits <= sp.binom.ppf(1 - 5e-5, 2000, 0.95)
