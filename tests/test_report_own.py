"""A report of a designer's own sweep, of each of the games: played where it is missing, self-contained, and honest."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from page import Page, commands_of, look
from recount import Store, recount, wrong

import sim
from sim.cli import run as command
from sim.errors import ReportError
from sim.report import build
from sim.report.own_tables import changes, told
from sim.report.params import read_params
from sim.report.pdf import print_pdf

ROOT = Path(__file__).resolve().parent.parent
PARAMS = ROOT / "params.yaml"

SWEEPS: dict[str, dict[str, Any]] = {
    "mine": {
        "game": "caterpillars",
        "title": "My reading",
        "by": ["score", "zeros", "win"],
        "variants": [{"rules": {"level": "expert"}, "one_factor": {"double_stores": ["face"]}}],
        "policies": ["child", ["greedy", "random", "child"]],
        "pairs": [{"of": "score", "against": "base"}],
    },
    "race": {
        "game": "karolinchen",
        "title": "Six children",
        "variants": [{"one_factor": {"opening": ["own_roll"]}}],
        "policies": [{"repeat": [2, 6], "policy": "match"}],
        "pairs": [{"of": ["turns", "win"], "against": "base"}],
        "by": ["turns", "win"],
    },
    "plain": {"game": "karolinchen", "title": "One scenario", "policies": [["match", "random"]]},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    for name, content in SWEEPS.items():
        text = yaml.safe_dump({"name": name, "seed": 3, "games": 600, **content})
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    text = (ROOT / "sweeps" / "examples" / "surface.yaml").read_text(encoding="utf-8")
    (folder / "surface.yaml").write_text(text.replace("2_000", "500"), encoding="utf-8")
    return folder


@pytest.fixture(
    scope="module", params=["mine", *(pytest.param(n, marks=pytest.mark.deep) for n in ("race", "plain", "surface"))]
)
def made(folder: Path, request: pytest.FixtureRequest) -> Path:
    """A report from the command line, which plays the sweep first."""
    name = str(request.param)
    words = ["report", "--sweep", str(folder / f"{name}.yaml"), "--data", str(folder / "data")]
    assert command([*words, "--params", str(PARAMS), "--out", str(folder / "out" / name)]) == 0
    return folder / "out" / name


def test_the_page_is_self_contained_and_every_link_arrives(made: Path) -> None:
    text = (made / "balance.html").read_text(encoding="utf-8")
    page = Page(text)
    assert "http:" not in text
    assert "https:" not in text
    assert not [link for link in page.links if not link.startswith("#") and link != "data:,"]
    assert [name for name, count in Counter(page.ids).items() if count > 1] == []
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)
    alts = [p.get("aria-label") for p in page.pictures]
    assert all(alt and len(alt) < 250 for alt in alts)


@pytest.mark.browser
@pytest.mark.parametrize(("width", "kind"), [(1280, "wide"), (390, "narrow")])
def test_it_opens_without_error_request_or_sideways_scrolling(
    made: Path, tmp_path: Path, width: int, kind: str
) -> None:
    text = (made / "balance.html").read_text(encoding="utf-8")
    seen, console, outside = look(text, tmp_path, width)
    assert console == outside == seen["out"] == seen["steps"] == []
    assert seen["scroll"] <= width
    assert seen["shown"] == [kind] * text.count("<figure")


@pytest.mark.browser
def test_it_prints_with_whole_figures(made: Path, tmp_path: Path) -> None:
    """A sheet of A4 less its margins is 182 by 266 mm: 688 by 1,005 pixels."""
    seen, _, _ = look((made / "balance.html").read_text(encoding="utf-8"), tmp_path, 688)
    assert seen["high"] < 1_005
    printed = print_pdf(made / "balance.html", tmp_path / "balance.pdf").read_bytes()
    pages = len(re.findall(rb"/Type\s*/Page\b", printed))
    assert 3 <= pages <= 40
    assert not list(tmp_path.glob("*.tmp"))


def test_without_a_browser_a_pdf_is_refused_in_one_line_before_the_work(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(folder))
    words = ["report", "--sweep", str(folder / "mine.yaml"), "--pdf", "--out", str(folder / "none")]
    assert command([*words, "--params", str(PARAMS), "--data", str(folder / "data")]) == 2
    error = capsys.readouterr().err
    assert "no browser to print the page with; accepted: one of chromium" in error
    assert error.count("\n") == 1
    assert not (folder / "none").exists()


def test_it_says_what_was_played_and_how_to_do_it_again(made: Path, folder: Path) -> None:
    text = (made / "balance.md").read_text(encoding="utf-8")
    sweep = yaml.safe_load((folder / f"{made.name}.yaml").read_text(encoding="utf-8"))
    assert text.startswith(f"# {sweep['title']}\n")
    assert f"sim report --sweep {folder / made.name}.yaml" in text
    scenarios = sim.scenarios(made.name, data=folder / "data")
    assert all(name in text for name in scenarios["scenario"])
    assert "## Findings" in text
    assert "### The dispute card" in text
    assert ("### Does this report cry wolf?" in text) == (made.name in ("mine", "race"))
    assert re.search(r"^## In (two|three|four|five) sentences$", text, flags=re.M)
    assert commands_of(text) or made.name == "plain"


def test_no_result_is_told_without_its_interval(made: Path) -> None:
    register = json.loads((made / "facts.json").read_text(encoding="utf-8"))
    part = (made / "balance.md").read_text(encoding="utf-8").split("## Findings")[1].split("\n## ")[0]
    for line in re.findall(r"^\d+\. .+$", part, flags=re.M):
        assert re.search(r":\*\* \S+.* \(\S+ to \S+\)", line), line
    estimates = re.compile(r"own\.\d+\.(all|\d)\.((\w+\.)?(mean|sd|p\d+|share|share\.gap)|change\.\w+\.[\w-]+)")
    results = {key: fact for key, fact in register.items() if estimates.fullmatch(key)}
    assert results
    for key, fact in results.items():
        assert fact["low"] <= fact["value"] <= fact["high"], key
        assert fact["n"] > 0
        assert fact["seed"] in (3, 20261130)


def test_numbers_are_those_of_the_counts(folder: Path, made: Path) -> None:
    register = json.loads((made / "facts.json").read_text(encoding="utf-8"))
    counts = sim.load(made.name, data=folder / "data")
    scenario = sim.scenarios(made.name, data=folder / "data")["scenario"][0]
    column = "turns" if "turns" in counts.columns else "score"
    place = "all" if column == "turns" else "0"
    own = counts.filter((pl.col("scenario") == scenario) & (pl.col("seat") == 0))
    mean = (own[column] * own["count"]).sum() / own["count"].sum()
    assert register[f"own.1.{place}.{column}.mean"]["value"] == pytest.approx(mean)


def test_every_number_is_what_the_counts_say(made: Path, folder: Path) -> None:
    register = json.loads((made / "facts.json").read_text(encoding="utf-8"))
    store = Store(folder / "data")
    again = dict(recount(register, store))
    assert wrong(register, store) == {}
    assert len(again) > (150 if made.name == "surface" else 10)
    key = next(iter(again))
    assert list(wrong({key: {**register[key], "value": register[key]["value"] + 0.01}}, store)) == [key]


def test_scenarios_are_told_in_words(folder: Path) -> None:
    sim.sweep(folder / "race.yaml", data=folder / "data")
    frame = told(build.own_sweep(folder / "race.yaml", folder / "data"))
    assert frame["told"].to_list() == [
        "2 players, all match",
        "6 players, all match",
        "2 players, all match; the first player rolls first",
        "6 players, all match; the first player rolls first",
    ]
    assert frame["mirror"].all()


def test_a_difference_of_the_game_is_told_once_and_one_of_seats_for_each(folder: Path) -> None:
    sim.sweep(folder / "race.yaml", data=folder / "data")
    frame = changes(build.own_sweep(folder / "race.yaml", folder / "data"), read_params(PARAMS))
    assert frame.filter(pl.col("of") == "turns")["seat"].to_list() == [-1, -1]
    assert frame.filter(pl.col("of") == "win")["seat"].to_list() == [0, 1, 0, 1, 2, 3, 4, 5]


def test_what_cannot_be_reported_is_said_in_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ReportError, match=r"no finished sweep nobody in .*; accepted: the name or the file of one"):
        build.build_report(folder / "data", folder / "x", PARAMS, sweep="nobody")
    with pytest.raises(ReportError, match=r"run `sim sweep .*mine\.yaml` first"):
        build.build_report(folder / "elsewhere", folder / "x", PARAMS, sweep=str(folder / "mine.yaml"))
    with pytest.raises(ReportError, match="accepted: one of them"):
        build.build_report(folder / "data", folder / "x", PARAMS, only=["levels"], sweep="mine")
    text = (folder / "plain.yaml").read_text(encoding="utf-8")
    (folder / "single.yaml").write_text(text.replace("plain", "single").replace("600", "1"), encoding="utf-8")
    (folder / "rows.yaml").write_text(text.replace("plain", "rows") + "detail: games\n", encoding="utf-8")
    for words, expected in (
        (["--sweep", str(folder / "rows.yaml")], "detail = games; accepted: detail = summary"),
        (["--sweep", str(folder / "absent.yaml")], "absent.yaml"),
        (["--sweep", str(folder / "single.yaml"), "--out", str(folder / "x")], "accepted: at least 2 games each"),
        (["--sweep", "mine", "--only", "levels"], "accepted: one of them"),
        (["--sweep", "tables"], "accepted: --out FOLDER"),
    ):
        assert command(["report", *words, "--data", str(folder / "data"), "--params", str(PARAMS)]) == 2
        error = capsys.readouterr().err
        assert expected in error
        assert len([line for line in error.splitlines() if "error" in line]) == 1


def report(folder: Path, name: str, content: dict[str, Any], **more: Any) -> tuple[str, str, dict[str, Any]]:
    """HTML, Markdown and facts of the report of a sweep that is written, played and told."""
    text = yaml.safe_dump({"name": name, "seed": 3, "games": 400, **content, **more})
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    sim.sweep(folder / f"{name}.yaml", data=folder / "data")
    page = build.build_report(folder / "data", folder / "out" / name, PARAMS, sweep=str(folder / f"{name}.yaml"))
    facts = json.loads((page.parent / "facts.json").read_text(encoding="utf-8"))
    return page.read_text(encoding="utf-8"), (page.parent / "balance.md").read_text(encoding="utf-8"), facts


def section(text: str, heading: str) -> str:
    """What stands under a heading."""
    return re.split(r"^##", text.split(f"{heading}\n")[1], maxsplit=1, flags=re.M)[0] if heading in text else ""


def test_a_title_is_shown_letter_by_letter(tmp_path: Path) -> None:
    title = "A <script>alert(1)</script> & *b* [x](javascript:y)"
    page, _, _ = report(tmp_path, "sly", SWEEPS["mine"], title=title)
    escaped = "A &lt;script&gt;alert(1)&lt;/script&gt; &amp; *b* [x](javascript:y)"
    assert f"<title>{escaped}</title>" in page
    assert f"<h1>{escaped}</h1>" in page
    assert "<script>alert" not in page
    assert 'href="javascript' not in page
    assert page.count("<script>") == 1
    assert "(A &lt;script&gt;alert(1)&lt;/script&gt; &amp; &#42;b&#42; &#91;x&#93;(javascript:y))" in page


def test_without_title_the_name_stands_for_it(tmp_path: Path) -> None:
    content = {key: value for key, value in SWEEPS["plain"].items() if key != "title"}
    page, text, _ = report(tmp_path, "nameless", content)
    assert "<title>nameless</title>" in page
    assert "<h1>nameless</h1>" in page
    assert text.startswith("# nameless\n")


def test_only_seats_of_equals_are_a_matter_of_fairness(tmp_path: Path) -> None:
    content = {"game": "parlett", "policies": [["greedy", "random"], ["greedy", "greedy"]]}
    _, text, facts = report(tmp_path, "unequal", content)
    fair = section(text, "### What was promised, and what is fair")
    played = section(text, "### What playing differently is worth")
    assert "no. 2 (2 players, all greedy)" in fair
    assert "no. 1" not in fair
    assert re.search(
        r"(Greedy|Random) in the (first|second) seat of no. 1 .* wins (more|less) often than among", played
    )
    assert re.search(r"farthest from its fair share is the \w+ seat of no. 2 \(2 players, all greedy\)", text)
    # the two seats of no. 1 are farthest apart, and no two scenarios: of those the half-widths add up
    apart, means = facts["own.range"], [facts[f"own.{n}.{s}.score.mean"] for n in (1, 2) for s in (0, 1)]
    gaps = [(abs(a["value"] - b["value"]), a, b) for a in means[:2] for b in means[2:]]
    most, one, other = max(gaps, key=lambda gap: gap[0])
    assert apart["value"] == pytest.approx(most)
    assert apart["high"] - apart["low"] == pytest.approx(one["high"] - one["low"] + other["high"] - other["low"])
    assert "half-widths added up" in apart["method"]
    assert "no two scenarios are farther apart" in played.lower()


def test_what_a_stored_pair_states_is_not_stated_again(tmp_path: Path) -> None:
    content = SWEEPS["race"] | {"policies": [{"repeat": 2, "policy": "match"}]}
    _, _, facts = report(tmp_path, "paired", content)
    assert "own.2.all.change.turns.1" in facts
    assert "own.range" not in facts


@pytest.mark.parametrize("by", [["turns", "win"], ["capped", "win"], ["capped"], ["win"]])
def test_games_cut_at_the_cap_are_told_and_their_seats_not_judged(tmp_path: Path, by: list[str]) -> None:
    content: dict[str, Any] = {"game": "karolinchen", "policies": [{"repeat": [2, 3], "policy": "match"}], "by": by}
    _, text, facts = report(tmp_path, "cut", content | {"variants": [{"rules": {"max_turns": 40}}]})
    call: dict[str, Any] = {"policies": ["match", "match"], "rules": {"max_turns": 40}, "games": 400, "seed": 3}
    counts = sim.summarise("karolinchen", **call, by=["capped"])
    own = counts.filter((pl.col("seat") == 0) & pl.col("capped"))
    assert facts["own.1.cut"]["value"] == own["count"].sum() / 400
    assert facts["own.1.cut"]["low"] < facts["own.1.cut"]["value"] < facts["own.1.cut"]["high"]
    assert "### How many games were cut?" in text
    assert not [key for key in facts if key.endswith(("share", "share.gap"))]
    assert "of the games of no. " in text.split("## Findings")[0]
    assert "What else was counted" in text


def test_whatever_is_counted_is_shown_and_empty_lists_are_sentences(tmp_path: Path) -> None:
    content = {"game": "parlett", "policies": [["greedy", "random"]], "by": ["stuck"]}
    page, text, facts = report(tmp_path, "alone", content)
    assert 0 < facts["own.1.0.stuck.mean"]["value"] < 1
    assert "| stuck | 1 | first |" in text
    assert "nothing is ranked here" in text
    assert "no verdict is open or settled" in text
    assert "it shows what is farther from its limit" not in page
