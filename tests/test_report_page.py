"""The whole report, made from the shipped sweeps with few games, and opened in a browser."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from page import Page, commands_of, look

import sim
from sim.errors import ReportError
from sim.report import build
from sim.report.decided import play
from sim.report.figures import draw_all
from sim.report.findings import GROUPS
from sim.report.params import read_params
from sim.report.parts import PARTS, sections_of, sweeps_of
from sim.report.propose import propose
from sim.report.tables import read_tables
from sim.verify import verify, write

ROOT = Path(__file__).resolve().parent.parent
PARAMS = ROOT / "params.yaml"
GAMES = 400
FIGURES = [name for section in sections_of(PARTS) for name in section.figures]
GRIDS = [name for section in sections_of(PARTS) for name in section.grids]


def with_few_games(value: Any) -> Any:
    """A sweep file with `GAMES` games for every scenario."""
    if isinstance(value, dict):
        return {k: GAMES if k == "games" else with_few_games(v) for k, v in value.items()}
    return [with_few_games(v) for v in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    played = ("restricted", "courts", "rounds", "decisions", "skill-caterpillars", "skill-parlett", "skill-karolinchen")
    for name in ("levels", "setup", "readings", "karolinchen", "parlett", *played):
        content = yaml.safe_load((ROOT / "sweeps" / f"{name}.yaml").read_text(encoding="utf-8"))
        sim.sweep(with_few_games(content), workers=2, data=folder)
    propose(read_params(PARAMS), folder, workers=2, games=GAMES)
    play(read_params(PARAMS), folder, games=GAMES)
    return folder


@pytest.fixture(scope="module")
def report(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reports")
    some = verify(games=GAMES, scenario="fair dice, level")
    # a part of the list stands for the whole: what is looked at here is the page
    write(replace(some, listed=len(some.checks)), folder / "verification.json")
    build.build_report(data, folder, PARAMS)
    return folder


@pytest.fixture(scope="module")
def html(report: Path) -> str:
    return (report / "balance.html").read_text(encoding="utf-8")


def test_the_page_needs_nothing_but_itself(html):
    page = Page(html)
    assert "http:" not in html
    assert "https:" not in html
    assert not [link for link in page.links if not link.startswith("#") and link != "data:,"]
    assert not re.search(r"url\((?!#)", html)
    assert page.tags["link"] == 1  # the empty icon, so that nobody asks for one
    assert "@import" not in html


def test_ids_are_unique_and_every_link_arrives(html):
    page = Page(html)
    assert [name for name, count in Counter(page.ids).items() if count > 1] == []
    targets = {link[1:] for link in page.links if link.startswith("#")}
    assert targets <= set(page.ids)


def test_every_figure_is_there_wide_and_narrow_with_an_alt_text(html, report):
    page = Page(html)
    alts = [p.get("aria-label") for p in page.pictures]
    assert all(alts)
    drawn = json.loads((report / "build" / "alt.json").read_text(encoding="utf-8"))
    assert set(drawn) == set(FIGURES)
    for name, alt in drawn.items():
        assert f'id="figure-{name}"' in html, name
        assert alts.count(alt) == 2, name
        assert len(alt) < 250
        assert re.search(r"\d", alt)
        assert (report / "figures" / f"{name}.svg").is_file()


def test_every_table_is_on_the_page_and_cells_are_labelled(html, report):
    markdown = (report / "balance.md").read_text(encoding="utf-8")
    assert html.count("<caption>") == len(GRIDS)
    assert markdown.count("|---|") + markdown.count("|---:|") >= len(GRIDS)
    assert "data-label=" in html


def test_markdown_twin_has_the_same_sections_and_figures(html, report):
    markdown = (report / "balance.md").read_text(encoding="utf-8")
    headings = re.findall(r"^#{2,3} (.+)$", markdown, flags=re.M)
    for heading in headings:
        assert f">{heading.replace(chr(39), chr(39))}<" in html, heading
    pictures = re.findall(r"!\[(.+?)\]\((figures/\w+\.svg)\)", markdown)
    assert {path for _, path in pictures} == {f"figures/{name}.svg" for name in FIGURES}
    assert all((report / path).is_file() and len(alt) < 250 for alt, path in pictures)
    assert not re.search(r"[a-z)][.!?] \*\*[A-Z]", markdown)  # a bold lead begins a paragraph
    assert "{{" not in markdown
    assert "{%" not in markdown
    assert "@@" not in html


def test_the_executive_summary_has_five_sentences(report):
    markdown = (report / "balance.md").read_text(encoding="utf-8")
    part = markdown.split("## In five sentences")[1].split("## ")[0]
    points = re.findall(r"^\d\. \*\*(.+?)\*\* (.+)$", part, flags=re.M)
    assert len(points) == 5
    for _, text in points:
        assert text.endswith(".")
        assert not re.search(r"[.!?] [A-Z]", text)  # one sentence each


def test_findings_are_ranked_one_line_each_with_number_interval_and_commands_that_parse(html, report):
    from typer.main import get_command

    from sim.cli import build as command_line

    markdown = (report / "balance.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\d+\. .+$", markdown.split("## Findings")[1].split("\n## ")[0], flags=re.M)
    assert len(lines) >= 15
    for line in lines:
        assert re.match(r"\d+\. \*\*[^*]+:\*\* \S+.* \(\S+ to \S+\).*games.*`sim .*sim report --only \w+`$", line), line
    kinds = re.split(r"^### ", markdown.split("## Findings")[1].split("\n## ")[0], flags=re.M)[1:]
    assert [kind.splitlines()[0] for kind in kinds] == [heading for heading, _ in GROUPS.values()]
    for kind in kinds:  # the most important first, what is as it should be last
        sizes = [float(x) for x in re.findall(r"; ([\d.]+) smallest differences?", kind)]
        assert sizes == sorted(sizes, reverse=True)
    assert [int(line.split(".")[0]) for line in lines] == list(range(1, len(lines) + 1))
    register = json.loads((report / "facts.json").read_text(encoding="utf-8"))
    assert {k: v["value"] for k, v in register.items() if k.startswith("finding.")}
    for command in commands_of(markdown):
        _, name, *words = command.split()
        get_command(command_line()).commands[name].make_context(name, list(words))  # type: ignore[attr-defined]
        assert all((ROOT / word).is_file() for word in words if word.endswith(".yaml"))
    assert html.count("<ol") == 1 + len(GROUPS)
    assert 'href="#figure-steps"' in html


def test_every_linked_number_is_a_claim_with_its_source(html, report):
    register = json.loads((report / "facts.json").read_text(encoding="utf-8"))
    claims = {entry["claim"]: key for key, entry in register.items() if "claim" in entry}
    linked = {int(n) for n in re.findall(r'href="#claim-(\d+)"', html)}
    assert linked == set(claims)
    assert sorted(claims) == list(range(1, len(claims) + 1))
    for key in claims.values():
        entry = register[key]
        assert entry.get("n") or entry.get("method") or entry.get("sweep"), key
    mean = register["caterpillars.beginner.child.mean"]
    assert mean["n"] == GAMES
    assert mean["low"] < mean["value"] < mean["high"]
    assert {"seed", "scenario", "method", "level", "sweep"} <= set(mean)
    assert sim.describe  # a scenario id leads back to what it was


def test_a_fact_is_what_the_stored_counts_say(data, report):
    """The number in prose, recomputed from the sweep by another road."""
    register = json.loads((report / "facts.json").read_text(encoding="utf-8"))
    mean = register["caterpillars.expert.child.mean"]
    counts = sim.load("levels", where={"scenario": mean["scenario"]}, data=data)
    assert mean["value"] == pytest.approx((counts["score"] * counts["count"]).sum() / counts["count"].sum())
    assert sim.describe(mean["scenario"], data=data)["rules"]["level"] == "expert"
    first = register["karolinchen.4.seat0"]
    rows = sim.load("karolinchen", where={"scenario": first["scenario"], "seat": 0}, data=data)
    assert first["value"] == pytest.approx((rows["win"] * rows["count"]).sum() / GAMES)


def test_headline_figures_are_a_few_flat_numbers_of_the_register(report):
    figures = json.loads((report / "headline.json").read_text(encoding="utf-8"))
    register = json.loads((report / "facts.json").read_text(encoding="utf-8"))
    assert 15 <= len(figures) <= 30
    for key, value in figures.items():
        assert value == pytest.approx(register[key]["value"], rel=1e-5)
    page = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]["page"]
    assert [next(iter(metric)) for metric in page["metrics"]] == ["reports/headline.json"]


def test_the_same_tables_give_the_same_bytes(report, tmp_path):
    params, again = build.read_params(PARAMS), tmp_path / "again"
    shutil.copytree(report / "tables", again / "tables")
    shutil.copytree(report / "build", again / "build")
    draw_all(read_tables(again / "tables", params), params, again / "build", ["scores", "seats"])
    build.page_step(params, again)
    names = [
        "build/scores-wide.svg",
        "build/seats-narrow.svg",
        "build/alt.json",
        "balance.html",
        "balance.md",
        "facts.json",
        "headline.json",
    ]
    names += [f"figures/{name}.svg" for name in FIGURES]
    assert [name for name in names if (report / name).read_bytes() != (again / name).read_bytes()] == []


def test_tables_of_other_thresholds_are_refused(report, tmp_path):
    """Their verdicts would stand beside the new thresholds and contradict them."""
    changed, folder = tmp_path / "params.yaml", tmp_path / "out"
    changed.write_text(PARAMS.read_text(encoding="utf-8").replace("band: 0.02", "band: 0.2"), encoding="utf-8")
    shutil.copytree(report / "tables", folder / "tables")
    shutil.copytree(report / "build", folder / "build")
    for step in ("figures", "page"):
        with pytest.raises(ReportError, match=r"another 'seats' in the parameters file; accepted: .*sim report tables"):
            build.build_report(tmp_path / "no data", folder, changed, [step])


def test_a_changed_style_needs_no_data(report, tmp_path):
    changed, folder = tmp_path / "params.yaml", tmp_path / "out"
    changed.write_text(PARAMS.read_text(encoding="utf-8").replace("dots: 20", "dots: 10"), encoding="utf-8")
    shutil.copytree(report / "tables", folder / "tables")
    shutil.copytree(report / "build", folder / "build")
    params = build.read_params(changed)
    draw_all(read_tables(folder / "tables", params), params, folder / "build", ["scores"])
    page = build.build_report(tmp_path / "no data", folder, changed, ["page"])
    assert page.is_file()
    assert (folder / "facts.json").read_bytes() == (report / "facts.json").read_bytes()
    assert (folder / "figures" / "scores.svg").read_bytes() != (report / "figures" / "scores.svg").read_bytes()


def test_missing_sweeps_steps_and_tables_are_told_in_one_line(report, tmp_path):
    with pytest.raises(ReportError, match=r"run `sim verify --out reports/verification\.json` first"):
        build.build_report(tmp_path, tmp_path / "none", PARAMS)
    (tmp_path / "out").mkdir()
    shutil.copy(report / "verification.json", tmp_path / "out")
    with pytest.raises(ReportError, match=r"sim sweep sweeps/levels\.yaml"):
        build.build_report(tmp_path, tmp_path / "out", PARAMS)
    with pytest.raises(ReportError, match="accepted: tables, figures, page"):
        build.build_report(tmp_path, tmp_path / "out", PARAMS, ["pages"])
    with pytest.raises(ReportError, match="sim report tables"):
        build.build_report(tmp_path, tmp_path / "out", PARAMS, ["figures"])


def test_the_dispute_card_says_what_is_settled_and_what_would_settle_the_rest(report):
    markdown = (report / "balance.md").read_text(encoding="utf-8")
    card = markdown.split("### The dispute card")[1].split("###")[0]
    lines = [line.split("|")[1:-1] for line in card.splitlines() if line.startswith("| ")][1:]
    assert len(lines) >= 6
    register = json.loads((report / "facts.json").read_text(encoding="utf-8"))
    settled = [tuple(map(int, re.findall(r"\d+", line[1]))) for line in lines]
    assert sum(count for _, count in settled) == register["open.verdicts"]["value"]
    assert sum(count - known for known, count in settled) == register["open.count"]["value"] > 0
    for line, (known, count) in zip(lines, settled, strict=True):
        assert (line[3].strip() == "nothing is open") == (known == count)
        assert bool(line[4].strip()) == (known < count)  # the games that would settle it


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_a_page_of_its_own_and_needs_its_own_sweep_only(data, tmp_path, part):
    alone = tmp_path / "data"
    stored = read_params(PARAMS).sweeps.model_dump()
    needed = {stored[name] for name in sweeps_of([part])}
    needed |= {"rounds", "decisions"} if part == "choices" else set()
    alone.mkdir()
    for name in needed:
        shutil.copytree(data / name, alone / name)
    page = build.build_report(alone, tmp_path / "out", PARAMS, only=[part])
    text = page.read_text(encoding="utf-8")
    found = Page(text)
    assert "http:" not in text
    assert {link[1:] for link in found.links if link.startswith("#")} <= set(found.ids)
    assert f"<h1>{PARTS[part]}</h1>" in text.replace("&#39;", "'")
    assert f"sim report --only {part}" in text
    register = json.loads((tmp_path / "out" / "facts.json").read_text(encoding="utf-8"))
    assert {fact["sweep"] for fact in register.values() if "sweep" in fact} == needed
    markdown = (tmp_path / "out" / "balance.md").read_text(encoding="utf-8")
    assert re.search(r"^## In (one|two|three|four) sentences?$", markdown, flags=re.M)
    assert "### The dispute card" in markdown
    drawn = json.loads((tmp_path / "out" / "build" / "alt.json").read_text(encoding="utf-8"))
    assert set(re.findall(r'id="figure-(\w+)"', text)) == set(drawn)


def test_an_unknown_placeholder_in_a_shipped_text_stops_the_page(report, tmp_path, monkeypatch):
    from sim.report import prose

    broken = tmp_path / "prose"
    shutil.copytree(prose.FOLDER, broken)
    text = (broken / "karolinchen.md").read_text(encoding="utf-8")
    (broken / "karolinchen.md").write_text(text + '\n{{ v("karolinchen.7.p50") }}\n', encoding="utf-8")
    monkeypatch.setattr(prose, "FOLDER", broken)
    with pytest.raises(ReportError, match=r"karolinchen\.md: unknown fact quoted in prose 'karolinchen\.7\.p50'"):
        build.page_step(build.read_params(PARAMS), report)


# ----------------------------------------------------------------------------------------------------------------------
# In a browser


@pytest.mark.browser
@pytest.mark.parametrize(("width", "kind"), [(1280, "wide"), (900, "wide"), (390, "narrow")])
def test_the_page_opens_without_error_request_or_sideways_scrolling(html, tmp_path, width, kind):
    seen, console, outside = look(html, tmp_path, width)
    assert console == []
    assert outside == []
    assert seen["inner"] == width
    assert seen["scroll"] <= width
    assert seen["out"] == []
    assert seen["shown"] == [kind] * len(FIGURES)
    assert seen["low"] > 60
    assert seen["steps"] == []


@pytest.mark.browser
def test_every_figure_fits_on_a_printed_page(html, tmp_path):
    """A sheet of A4 less its margins is 182 by 266 mm: 688 by 1,005 pixels."""
    seen, _, _ = look(html, tmp_path, 688)
    assert 300 < seen["high"] < 1_005


@pytest.mark.browser
def test_the_browser_checks_can_fail(tmp_path):
    bad = (
        "<!doctype html><title>x</title><body><h1>a</h1><h2>b</h2><h4>c</h4><div style='width:900px'>wide</div>"
        "<img src='https://example.invalid/x.png'><figure><svg role=img class=wide width=90 height=90></svg></figure>"
        "<script>console.error('a fault')</script></body>"
    )
    seen, console, outside = look(bad, tmp_path, 390)
    assert any("a fault" in line for line in console)
    assert any("example.invalid" in address for address in outside)
    assert seen["scroll"] > 390
    assert seen["out"]
    assert seen["steps"] == ["H4 after H2"]
