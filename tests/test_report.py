"""Facts, words, prose, parameters and tables of the report, one by one."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import polars as pl
import pytest

from sim.errors import ReportError
from sim.report import words
from sim.report.claims import CLAIMS
from sim.report.claims_open import QUESTIONS
from sim.report.facts import Facts
from sim.report.figures import FIGURES, framed
from sim.report.findings import FINDINGS, importance, verdict
from sim.report.findings_base import Candidate
from sim.report.grid import Grid
from sim.report.grids import GRIDS
from sim.report.names import reading, sheet
from sim.report.page import paragraphs, themed
from sim.report.params import Sweeps, read_params
from sim.report.parts import CHAPTERS, OWN, PARTS, SECTIONS, check_parts, shown, sweeps_of
from sim.report.prose import FOLDER, Prose, linked_mark, plain_mark
from sim.report.summary import clauses
from sim.report.tables import TABLES, read_tables, write_tables

ROOT = Path(__file__).resolve().parent.parent
PRESENT = read_params(ROOT / "params.yaml")


def one_line(error: pytest.ExceptionInfo[ReportError]) -> str:
    text = str(error.value)
    assert "\n" not in text
    assert "accepted" in text
    return text


@pytest.fixture
def facts() -> Facts:
    facts = Facts()
    facts.add(
        "score",
        11.84,
        "points",
        low=11.83,
        high=11.86,
        n=1_000_000,
        seed=7,
        level=0.95,
        method="Student's t",
        scenario="abc",
    )
    facts.add("wins", 0.317, "share", low=0.314, high=0.32, n=1_000_000, seed=7, level=0.95, method="Wilson")
    facts.add("players", 4, "number")
    facts.add("policy", "match", "text")
    return facts


# ----------------------------------------------------------------------------------------------------------------------
# Words


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.621, "62 in 100"),
        (0.0412, "4.1 in 100"),
        (0.0069, "6.9 in 1,000"),
        (0.00042, "1 in 2,400"),
        (0.0, "none"),
        (0.9931, "99.3 in 100"),
        (0.99996, "all but 1 in 25,000"),
        (1.0, "100 in 100"),
        (0.5, "50 in 100"),
    ],
)
def test_shares_are_said_as_people_say_them(share, text):
    assert words.in_hundred(share) == text


def test_signs_digits_and_counts():
    assert [words.signed(x, 1) for x in (1.26, -1.26, 0.04, -0.04)] == ["+1.3", "−1.3", "0.0", "0.0"]
    assert [words.plain(x) for x in (2.0, 0.5, 0.12345)] == ["2", "0.5", "0.1235"]
    assert [words.count(n) for n in (25_000, 1_000_000, 24_500_000, 24_512_345)] == [
        "25,000",
        "1 million",
        "24.5 million",
        "25 million",
    ]
    assert words.listing(["a", "b", "c"], "or") == "a, b or c"
    assert [words.games_in_hundred(s) for s in (0.83, 0.057, 0.0014, 0.99997, 0.9984, 1.0)] == [
        "83",
        "5.7",
        "0.14",
        "over 99.9",
        "99.8",
        "100",
    ]


def test_readings_in_words():
    assert reading("zero_rule", "split") == "zero as soon as one split finds no box"
    assert reading("hand_size", "7") == "7 cards in hand"
    assert reading("sheet", "[1, 6, 0, 0, 2, 5, 0, 0, 0, 0, 0, 0]") == "1 6 · 2 5 · –"
    assert reading("some_rule", "x") == "some rule = x"
    assert sheet([1, 2, 0, 3, 0, 0]) == "1 2 · 3 · –"


# ----------------------------------------------------------------------------------------------------------------------
# Facts


def test_a_fact_carries_where_it_comes_from(facts):
    fact = facts.get("score")
    assert (fact.text, fact.interval(), fact.unit) == ("11.8", "11.83 to 11.86", "points")
    assert (fact.n, fact.seed, fact.method, fact.scenario) == (1_000_000, 7, "Student's t", "abc")


def test_a_value_beside_its_interval_has_the_digits_and_the_unit_of_its_ends():
    """So that nobody reads '46 in 100 (46.1 to 46.3)' or '2.2 in 1,000 (0.2 to 0.3)' and takes it for a mistake."""
    facts = Facts()
    told = {
        "half": (facts.add("half", 0.4618, "share", low=0.461, high=0.463, n=9), "46.2 in 100", "46.1 to 46.3"),
        "rare": (facts.add("rare", 0.0022, "share", low=0.0019, high=0.0025, n=9), "0.22 in 100", "0.19 to 0.25"),
        "long": (facts.add("long", 29.0, "minutes", low=28.75, high=29.25, n=9), "29.0", "28.8 to 29.2"),
        "step": (facts.add("step", 0.714, "change", low=0.71, high=0.72, n=9), "+0.71", "+0.71 to +0.72"),
        "same": (facts.add("same", 7.0, "turns", low=7.0, high=7.0, n=9), "7", "7 to 7"),
        "bare": (facts.add("bare", 0.5, "share", n=9), "50 in 100", None),
    }
    for fact, beside, interval in told.values():
        assert fact.beside() == beside
        if interval is not None:
            assert fact.interval() == interval


def test_a_key_is_given_once_and_a_number_is_a_number(facts):
    with pytest.raises(ReportError) as error:
        facts.add("score", 1.0, "points")
    assert "'score'" in one_line(error)
    with pytest.raises(ReportError) as error:
        facts.add("nothing", math.nan, "points")
    assert "'nothing'" in one_line(error)


def test_only_quoted_facts_are_claims_and_all_are_in_the_register(facts):
    facts.quote("wins")
    facts.quote("players")  # a plain count of players: no claim
    assert [(number, fact.key) for number, fact in facts.claims()] == [(1, "wins")]
    register = json.loads(facts.json())
    assert set(register) == {"score", "wins", "players", "policy"}
    assert register["wins"]["claim"] == 1
    assert "claim" not in register["score"]
    facts.add("for ever", math.inf, "turns", n=10)
    json.loads(facts.json(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


# ----------------------------------------------------------------------------------------------------------------------
# Prose


def test_numbers_are_quoted_with_their_interval(facts):
    prose = Prose(facts, {}, plain_mark)
    assert prose.render('{{ v("wins") }} and {{ ci("score") }}', "text") == "32 in 100 and 11.84 (11.83 to 11.86)"
    linked = Prose(facts, {}, linked_mark).render('{{ v("wins") }}', "text")
    assert linked.startswith('<a class="fact" href="#claim-')
    assert "1 million games" in linked


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{{ v("winz") }}', "winz"),
        ("{{ winz }}", "winz"),
        ('{{ ci("players") }}', "players"),
        ("{% if %}", "line 1"),
    ],
)
def test_an_unknown_placeholder_fails_with_one_clear_line(facts, text, names):
    with pytest.raises(ReportError) as error:
        Prose(facts, {}, plain_mark).render(text, "page.md")
    line = one_line(error)
    assert names in line
    assert line.startswith("page.md")


def test_a_near_miss_is_suggested(facts):
    with pytest.raises(ReportError, match="did you mean wins"):
        Prose(facts, {}, plain_mark).render('{{ v("winz") }}', "page.md")


def typed_numbers(text: str) -> list[str]:
    """Digits outside placeholders."""
    return re.findall(r"\d+", re.sub(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", "", text, flags=re.S))


TEXTS = [*(f"{section.name}.md" for section in SECTIONS), "captions.yaml", "summary.yaml"]


@pytest.mark.parametrize("name", TEXTS)
def test_no_number_is_typed_into_prose(name):
    assert typed_numbers((FOLDER / name).read_text(encoding="utf-8")) == []


def test_words_that_mislead_are_not_used():
    for path in [*FOLDER.glob("*.md"), *FOLDER.glob("*.yaml"), FOLDER / "page.html.j2"]:
        text = path.read_text(encoding="utf-8").lower()
        found = re.findall(r"\b(?:in)?significant(?:ly)?\b|\bproves?\b|\bproven\b|\bobviously\b", text)
        assert not found, path.name


# ----------------------------------------------------------------------------------------------------------------------
# Sections


def test_every_section_finds_its_pieces_and_every_piece_a_section():
    names = [section.name for section in SECTIONS]
    assert len(set(names)) == len(names)
    assert {path.stem for path in FOLDER.glob("*.md")} == set(names)
    assert sorted(f for section in SECTIONS for f in section.figures) == sorted(FIGURES)
    assert sorted(g for section in SECTIONS for g in section.grids) == sorted(GRIDS)
    for registry in (TABLES, CLAIMS, QUESTIONS, FINDINGS):
        assert set(registry) <= set(names)
    assert {name for sentence in clauses().values() for name in sentence} <= set(names)
    assert {section.chapter for section in SECTIONS} == set(CHAPTERS)
    assert {section.part for section in SECTIONS} == {"", OWN, *PARTS}
    assert {sweep for section in SECTIONS for sweep in section.sweeps} == {OWN, *Sweeps.model_fields}


@pytest.mark.parametrize("section", SECTIONS, ids=lambda s: s.name)
def test_the_text_of_a_section_shows_its_figures_and_tables_and_no_others(section):
    text = (FOLDER / f"{section.name}.md").read_text(encoding="utf-8")
    assert re.findall(r'\{\{ figure\("(\w+)"\) \}\}', text) == list(section.figures)
    assert re.findall(r'\{\{ table\("(\w+)"\) \}\}', text) == list(section.grids)


def test_parts_are_taken_in_the_order_of_the_page_and_need_their_own_sweeps_only():
    assert check_parts(["parlett", "levels", "parlett"]) == ("levels", "parlett")
    assert check_parts([]) == tuple(PARTS)
    assert sweeps_of(["parlett"]) == ("parlett",)
    assert [s.name for s in shown(["setup"], {})] == ["setup", "card", "trust"]
    with pytest.raises(ReportError) as error:
        check_parts(["reading"])
    assert "did you mean readings" in one_line(error)


# ----------------------------------------------------------------------------------------------------------------------
# Findings


def test_importance_is_what_the_interval_surely_is_away_from_its_target(facts):
    facts.add("gap", 0.05, "gap", low=0.04, high=0.06, n=1_000, level=0.95)
    gap = facts.get("gap")
    assert importance(gap, -0.02, 0.02, 0.01) == pytest.approx(2)
    assert importance(gap, 0.08, math.inf, 0.01) == pytest.approx(2)
    assert importance(gap, -0.02, 0.045, 0.01) == 0
    told = [
        Candidate("q", "gap", "the seat", "too much", "too little", low, high, 0.01).told(verdict(gap, low, high), 0.05)
        for low, high in ((-0.02, 0.02), (0.08, math.inf), (-0.1, 0.1), (-0.02, 0.045))
    ]
    assert told == ["too much", "too little", "the seat: inside its target", "the seat: not yet known"]
    with pytest.raises(ReportError, match="'players' has no interval"):
        importance(facts.get("players"), 0, 1, 1)


# ----------------------------------------------------------------------------------------------------------------------
# Parameters, tables, pieces of the page


def test_the_shipped_parameters_are_accepted():
    params = read_params(ROOT / "params.yaml")
    assert params.smallest.score == 0.1
    assert params.seats.band == 0.02


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ("confidence: 2", "confidence = 2"),
        ("seats: {bond: 0.02}", "seats.bond"),
        ("levels: {thresholds: {score: 2}, views: {}}", "levels.thresholds"),
        ("levels: [1", "not readable as YAML"),
        ("just words", "holds no mapping"),
        ("confidence: 0.95", "'levels' is missing"),
        ("karolinchen: {published_minutes: [20, 15]}", "karolinchen.published_minutes has [20.0, 15.0]; accepted: the"),
        ("karolinchen: {published_minutes: [0, 15]}", "karolinchen.published_minutes has [0.0, 15.0]"),
        ("karolinchen: {bedtime: []}", "karolinchen.bedtime has no time; accepted: one or more"),
        ("karolinchen: {bedtime: [-5]}", "karolinchen.bedtime has [-5.0]"),
        (
            "karolinchen: {policy: nosuch}",
            "karolinchen.policy has an unknown policy of karolinchen 'nosuch'; accepted: ",
        ),
        ("karolinchen: {policy: match(slip=2)}", "karolinchen.policy has policy match: slip = '2'"),
        ("parlett: {policy: nosuch}", "parlett.policy has an unknown policy of parlett 'nosuch'; accepted: "),
        ("parlett: {hold: {policy: nosuch}}", "parlett.hold.policy has an unknown policy of parlett"),
    ],
)
def test_wrong_parameters_are_refused_in_one_line(tmp_path, change, names):
    path = tmp_path / "params.yaml"
    levels = "\nlevels: {thresholds: {score: 2, spread: 0.5, choice: 0.5, chance: 0.6}, views: {}}"
    if "levels" in names or change in ("levels: [1", "just words"):
        levels = ""
    path.write_text(change + levels, encoding="utf-8")
    with pytest.raises(ReportError) as error:
        read_params(path)
    assert names in one_line(error)


def test_tables_come_back_exactly(tmp_path):
    frame = pl.DataFrame(
        {
            "name": ["a", "", 'quote " and, comma', None],
            "value": [0.1 + 0.2, math.inf, -1e-300, None],
            "n": [1, 2**60, 3, 4],
            "flag": [True, False, True, False],
            "looks_like_a_number": ["2", "02", "2.0", ""],
        }
    )
    tables = {"one": frame, "none": frame.head(0)}
    write_tables(tables, tmp_path, PRESENT)
    back = read_tables(tmp_path, PRESENT)
    assert all(back[name].equals(tables[name]) for name in tables)
    write_tables({"one": frame}, tmp_path, PRESENT)
    assert not (tmp_path / "none.csv").exists()
    with pytest.raises(ReportError) as error:
        read_tables(tmp_path / "elsewhere", PRESENT)
    assert "sim report tables" in one_line(error)


def test_a_table_folds_on_a_telephone_and_is_markdown_too():
    grid = Grid("Caption", ["level", "mean"], [["beginner", "11.8"], ["<b>", "1|2"]], "note", text_columns=1)
    text = grid.html()
    assert '<td class="num" data-label="mean">11.8</td>' in text
    assert "&lt;b&gt;" in text
    assert "<b>" not in text
    assert "| beginner | 11.8 |" in grid.markdown()
    assert "1\\|2" in grid.markdown()


def test_paragraphs_are_joined_and_lists_kept():
    text = "One\nline.\n\n1. First\n   goes on.\n2. Second.\n\n## Head"
    assert paragraphs(text) == "One line.\n\n1. First goes on.\n2. Second.\n\n## Head\n"


BARE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 40" width="800" height="40">
<path d="M 0 0" style="fill: #0072b2"/>
</svg>
"""


def test_figures_take_the_colours_of_the_page():
    text = themed(BARE, 'Alt "text"', "wide")
    assert "var(--blue)" in text
    assert "#0072b2" not in text
    assert 'role="img"' in text
    assert 'aria-label="Alt &quot;text&quot;"' in text
    assert "http" not in text


def test_a_figure_that_travels_alone_carries_finding_and_foot():
    text = framed(BARE, "A finding & more", "unit", "seed 7")
    assert "A finding &amp; more" in text
    assert "seed 7" in text
    assert text.count("<svg") == 2
    with pytest.raises(ReportError) as error:
        framed("<svg></svg>", "", "", "")
    one_line(error)
