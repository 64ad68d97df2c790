"""The page: prose, figures and tables rendered once as a self-contained HTML file and once as Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import markdown as markdown_library
from markupsafe import Markup

from sim import __version__
from sim.errors import ReportError, unknown
from sim.plots.style import COLOURS
from sim.report.claims import build_facts
from sim.report.facts import Facts
from sim.report.figures import Drawn, framed, names_of
from sim.report.findings import GROUPS, Finding
from sim.report.grid import Grid
from sim.report.grids import GRIDS
from sim.report.headline import FILE as HEADLINE
from sim.report.headline import headline
from sim.report.names import GAME_NAMES, called
from sim.report.params import Params
from sim.report.parts import CHAPTERS, OWN, PARTS, TITLE, Section, shown
from sim.report.prose import FOLDER, Captions, Prose, linked_mark, plain_mark
from sim.report.summary import summary
from sim.report.tables import Tables
from sim.report.words import listing

FINDINGS = "findings.j2"
_TOKEN = re.compile(r"<p>@@(\w+):(\w+)@@</p>")


def render(tables: Tables, params: Params, drawn: Mapping[str, Drawn]) -> dict[str, str]:
    """All texts of the report by file name: ``balance.html``, ``balance.md``, ``facts.json``,
    ``headline.json`` and ``figures/<name>.svg``.
    """
    facts, model = build_facts(tables, params)
    sections = shown(model["parts"], tables)
    for name in names_of(tables):
        if name not in drawn:
            raise ReportError(f"no figure '{name}' was drawn; accepted: run `sim report figures` first")
    drawn = {name: drawn[name] for name in names_of(tables)}
    grids = {name: GRIDS[name](facts, model, params) for section in sections for name in section.grids}
    files = {"balance.html": _html(facts, model, sections, grids, drawn)}
    files["balance.md"] = _markdown(facts, model, sections, grids, drawn)
    captions = Captions()
    plain = Prose(facts, model, plain_mark)
    for name, figure in drawn.items():
        caption = captions.of(name, plain)
        files[f"figures/{name}.svg"] = framed(figure.wide, caption["title"], caption["subtitle"], caption["foot"])
    files["facts.json"] = facts.json()
    files[HEADLINE] = headline(facts)
    return files


def title_of(model: Mapping[str, Any]) -> str:
    """The title of the page: the question of its only part, or that of the whole."""
    parts = model["parts"]
    if OWN in parts:
        return called(model["sweeps"][0])
    return PARTS[parts[0]] if len(parts) == 1 else TITLE


def lead_of(facts: Facts, model: Mapping[str, Any]) -> str:
    """What was played, in one sentence."""
    games = list(dict.fromkeys(GAME_NAMES[s["game"]] for s in model["sweeps"]))
    many = facts.get("scenarios").text
    scenarios = f"{many} scenario{'' if many == '1' else 's'}"
    return f"{listing(games)}, weighed with {facts.get('games').text} simulated games in {scenarios}."


def _chapters(sections: Sequence[Section]) -> dict[str, list[Section]]:
    """Sections by chapter, in the order of the page; chapters without sections are left out."""
    found = {name: [s for s in sections if s.chapter == name] for name in CHAPTERS}
    return {name: own for name, own in found.items() if own}


def _known(kind: str, name: str, names: Any) -> str:
    if name not in names:
        raise ReportError(unknown(f"{kind} in prose", name, names))
    return name


def _html(
    facts: Facts,
    model: Mapping[str, Any],
    sections: Sequence[Section],
    grids: Mapping[str, Grid],
    drawn: Mapping[str, Drawn],
) -> str:
    blocks = {
        "figure": lambda name: f"\n\n@@figure:{_known('figure', name, drawn)}@@\n\n",
        "table": lambda name: f"\n\n@@table:{_known('table', name, grids)}@@\n\n",
    }
    prose = Prose(facts, model, linked_mark, blocks, literally=OWN in model["parts"])
    captions = Captions()

    def block(match: re.Match[str]) -> str:
        kind, name = match.groups()
        return grids[name].html() if kind == "table" else figure_html(name, drawn[name], captions.of(name, prose))

    def html_of(text: str) -> str:
        made = markdown_library.markdown(paragraphs(text), extensions=["sane_lists"], output_format="html")
        return _TOKEN.sub(block, made)

    first = html_of(summary(prose, model["shown"]))
    found = html_of(prose.file(FINDINGS, link=lambda f: Markup(_link(f, "#figure-{}", "#{}")), heading_of=_heading_of))
    chapters = [
        (name, CHAPTERS[name], "\n".join(html_of(prose.part(section.name)) for section in own))
        for name, own in _chapters(sections).items()
    ]
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER), undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.get_template("page.html.j2")
    text = template.render(
        title=title_of(model),
        lead=lead_of(facts, model),
        version=__version__,
        css=(FOLDER / "page.css").read_text(encoding="utf-8").strip(),
        heading=summary_heading(first.count("<li>")),
        summary=first,
        findings=found,
        chapters=chapters,
        claims=facts.claims(),
        sweeps=model["sweeps"],
        rebuild=rebuild(model),
    )
    return text.rstrip() + "\n"


def _heading_of(group: str) -> str:
    """What a kind of findings is called."""
    return GROUPS[group][0]


def _link(finding: Finding, figure: str, chapter: str) -> str:
    """Where a finding is shown: its figure, and the chapter that tells it in full."""
    links = [f"[figure]({figure.format(finding.figure)})"] if finding.figure else []
    if chapter:
        links.append(f"[{CHAPTERS[finding.chapter]}]({chapter.format(finding.chapter)})")
    else:
        links.append(f"Section {CHAPTERS[finding.chapter]}.")
    return ", ".join(links) + ("." if chapter else "")


def summary_heading(sentences: int) -> str:
    """'In five sentences'."""
    names = ("no", "one", "two", "three", "four", "five", "six", "seven")
    return f"In {names[sentences]} sentence{'' if sentences == 1 else 's'}"


def rebuild(model: Mapping[str, Any]) -> str:
    """The command that makes the page again from stored sweeps."""
    if OWN in model["parts"]:
        return f"sim report --sweep {model['sweeps'][0]['path']}"
    return "sim report" + ("" if model["whole"] else "".join(f" --only {part}" for part in model["parts"]))


def paragraphs(text: str) -> str:
    """Rendered Markdown with each paragraph and list item on one line, and no leftovers of template lines."""
    blocks = re.split(r"\n\s*\n", text.strip())
    joined = []
    for block in blocks:
        if block.startswith("#"):
            joined.append(block)
            continue
        lines = re.sub(r"\n(?!\d+\. |- |\|)\s*", " ", block.strip())
        joined.append(re.sub(r"[ \t]+", " ", lines))
    return "\n\n".join(b for b in joined if b.strip()) + "\n"


def themed(svg: str, alt: str, kind: str) -> str:
    """A bare figure for the page: colours become the page's own, an alt text for those who cannot see it."""
    for name, colour in COLOURS.items():
        svg = re.sub(re.escape(colour), f"var(--{name})", svg, flags=re.I)
    svg = re.sub(r"font: ((?:\w+ )*)([\d.]+)px [^;\"]*", r"font: \1\2px var(--sans)", svg)
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    if size is None:
        raise ReportError("a figure without viewBox; accepted: SVG written by the plotting code")
    opening = (
        f'<svg class="{kind}" role="img" aria-label="{html.escape(alt)}" viewBox="0 0 {size[1]} {size[2]}" '
        f'width="{size[1]}" height="{size[2]}">'
    )
    svg = svg.replace("xlink:href=", "href=")  # inside HTML no name space is needed, and no address of one
    svg = re.sub(r"<svg [^>]*>", opening, svg, count=1)
    return re.sub(r"<defs>\s*<style[^>]*>.*?</style>\s*</defs>", "", svg, count=1, flags=re.S).strip()


def figure_html(name: str, figure: Drawn, caption: Mapping[str, str]) -> str:
    """A figure with its finding above and the small print below, for wide and narrow screens."""
    return (
        f'<figure id="figure-{name}">\n<figcaption><h4>{caption["title"]}</h4>\n'
        f'<p class="subtitle">{caption["subtitle"]}</p></figcaption>\n'
        f"{themed(figure.wide, figure.alt, 'wide')}\n{themed(figure.narrow, figure.alt, 'narrow')}\n"
        f'<p class="foot">{caption["foot"]}</p>\n</figure>'
    )


def _markdown(
    facts: Facts,
    model: Mapping[str, Any],
    sections: Sequence[Section],
    grids: Mapping[str, Grid],
    drawn: Mapping[str, Drawn],
) -> str:
    captions = Captions()
    plain = Prose(facts, model, plain_mark)

    def figure(name: str) -> str:
        caption = captions.of(_known("figure", name, drawn), plain)
        alt = drawn[name].alt.replace("[", "(").replace("]", ")")
        return f"\n\n![{alt}](figures/{name}.svg)\n\n**{caption['title']}.** {caption['subtitle']}\n\n"

    blocks = {"figure": figure, "table": lambda name: f"\n\n{grids[_known('table', name, grids)].markdown()}\n\n"}
    prose = Prose(facts, model, plain_mark, blocks)
    first = summary(prose, model["shown"])
    parts = [f"# {title_of(model)}\n", f"{lead_of(facts, model)}\n"]
    parts.append(f"## {summary_heading(first.count(chr(10)))}\n\n{first}")
    found = prose.file(FINDINGS, link=lambda f: _link(f, "figures/{}.svg", ""), heading_of=_heading_of)
    parts.append(f"## Findings\n\n{_keep_tables(found)}")
    for name, own in _chapters(sections).items():
        parts.append(f"## {CHAPTERS[name]}\n")
        parts += [_keep_tables(prose.part(section.name)) for section in own]
    parts.append(_provenance(model))
    return "\n".join(parts).rstrip() + "\n"


def _keep_tables(text: str) -> str:
    """As `paragraphs`, but tables keep their lines."""
    blocks = re.split(r"\n\s*\n", text.strip())
    return (
        "\n\n".join(b.strip() if b.lstrip().startswith("|") else paragraphs(b).strip() for b in blocks if b.strip())
        + "\n"
    )


def _provenance(model: Mapping[str, Any]) -> str:
    rows = [
        [
            s["sweep"],
            s["game"],
            f"{s['games']:,}",
            str(s["scenarios"]),
            s["seed"],
            str(s["kernel_version"]),
            s["kernel_sources"],
        ]
        for s in model["sweeps"]
    ]
    grid = Grid(
        "Where the numbers come from",
        ["sweep", "game", "games", "scenarios", "seed", "kernel version", "kernel sources"],
        rows,
        text_columns=2,
    )
    libraries = model["sweeps"][0]["libraries"]
    return (
        "## Provenance\n\n"
        + grid.markdown()
        + f"\nSimulated with {libraries}; laboratory version {__version__}. Every quoted number, with its interval, "
        "sample size, seed, method and scenario, is in `facts.json`; the result tables are in `tables/`. "
        f"Rebuild with `{rebuild(model)}`{', or with all sweeps by `make report`' if model['whole'] else ''}.\n"
    )


def write(files: Mapping[str, str], folder: Path) -> list[Path]:
    """Write texts whose content changed; returns the paths of all."""
    paths = []
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths
