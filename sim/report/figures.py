"""All figures of the report by name, and how they become files: bare SVG for the page, framed SVG for everybody
else.
"""

from __future__ import annotations

import html
import json
import re
import textwrap
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from sim.errors import ReportError
from sim.plots.style import INK, MUTED, PAPER, house_style, svg
from sim.report import figures_caterpillars as caterpillars
from sim.report import figures_choices as choices
from sim.report import figures_decided as decided
from sim.report import figures_others as others
from sim.report import figures_own as own
from sim.report import figures_proposals as proposals
from sim.report import figures_verified as verified
from sim.report.params import Params
from sim.report.parts import shown
from sim.report.tables import Tables, parts_of


@dataclass(frozen=True)
class Drawing:
    """A figure: how to draw it at a width in pixels, and what it says to somebody who cannot see it."""

    draw: Callable[[Tables, Params, float], Figure]
    alt: Callable[[Tables, Params], str]


FIGURES: Mapping[str, Drawing] = {
    "scores": Drawing(caterpillars.scores, caterpillars.scores_alt),
    "steps": Drawing(caterpillars.steps, caterpillars.steps_alt),
    "setup": Drawing(caterpillars.setup, caterpillars.setup_alt),
    "readings": Drawing(caterpillars.readings, caterpillars.readings_alt),
    "sheets": Drawing(caterpillars.sheets, caterpillars.sheets_alt),
    "survival": Drawing(others.survival, others.survival_alt),
    "seats": Drawing(others.seats, others.seats_alt),
    "house": Drawing(others.house, others.house_alt),
    "decided": Drawing(decided.ribbon, decided.ribbon_alt),
    "dial": Drawing(proposals.dial, proposals.dial_alt),
    "hold": Drawing(others.hold, others.hold_alt),
    "leader": Drawing(others.leader, others.leader_alt),
    "card_rules": Drawing(others.card_rules, others.card_rules_alt),
    "strength": Drawing(others.strength, others.strength_alt),
    "restricted": Drawing(choices.restricted, choices.restricted_alt),
    "skill": Drawing(choices.skill, choices.skill_alt),
    "choices": Drawing(choices.choices, choices.choices_alt),
    "compensation": Drawing(proposals.compensation, proposals.compensation_alt),
    "own_results": Drawing(own.results, own.results_alt),
    "own_seats": Drawing(own.seats, own.seats_alt),
    "own_changes": Drawing(own.changes, own.changes_alt),
    "verification": Drawing(verified.verification, verified.verification_alt),
}

ALTS = "alt.json"


def names_of(tables: Tables) -> tuple[str, ...]:
    """Figures of the sections that these tables make up, in the order of the page."""
    return tuple(name for section in shown(parts_of(tables), tables) for name in section.figures)


def draw_all(tables: Tables, params: Params, folder: Path, names: Collection[str] = tuple(FIGURES)) -> None:
    """Figures, wide and narrow, as bare SVG files in `folder`, and their alt texts.

    Parameters
    ----------
    names : collection of str
        Those to draw; files of others stay as they are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        if old.stem.rsplit("-", 1)[0] not in FIGURES:
            old.unlink()
    known = json.loads((folder / ALTS).read_text(encoding="utf-8")) if (folder / ALTS).is_file() else {}
    alts = {name: known[name] for name in FIGURES if name in known}
    with house_style(params.figures.settings):
        for name in names:
            drawing = FIGURES[name]
            alts[name] = drawing.alt(tables, params)
            for size, width in (("wide", params.figures.wide), ("narrow", params.figures.narrow)):
                text = svg(drawing.draw(tables, params, width), f"{name}-{size}")
                (folder / f"{name}-{size}.svg").write_text(text, encoding="utf-8")
    alts = {name: alts[name] for name in FIGURES if name in alts}
    (folder / ALTS).write_text(json.dumps(alts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


@dataclass(frozen=True)
class Drawn:
    """A drawn figure: bare SVG texts and the alt text."""

    wide: str
    narrow: str
    alt: str


def read_drawn(folder: Path) -> dict[str, Drawn]:
    """What `draw_all` wrote."""
    try:
        alts = json.loads((folder / ALTS).read_text(encoding="utf-8"))
        texts = {
            (name, size): (folder / f"{name}-{size}.svg").read_text(encoding="utf-8")
            for name in alts
            for size in ("wide", "narrow")
        }
        return {name: Drawn(texts[name, "wide"], texts[name, "narrow"], alt) for name, alt in alts.items()}
    except FileNotFoundError as error:
        raise ReportError(
            f"no figures in {folder} ({error.filename}); accepted: run `sim report figures` first"
        ) from None


def framed(bare: str, title: str, subtitle: str, foot: str) -> str:
    """A figure that can travel alone: white paper, the finding above, the small print below."""
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', bare)
    if size is None:
        raise ReportError("a figure without viewBox; accepted: SVG written by the plotting code")
    width, height = float(size[1]), float(size[2])
    lines: list[str] = []
    y = 30.0

    def write(text: str, pixels: float, weight: str, colour: str, gap: float) -> None:
        nonlocal y
        for line in textwrap.wrap(text, int(width / (pixels * (0.6 if weight == "700" else 0.52)))):
            font = f"font: {weight} {pixels:g}px sans-serif; fill: {colour}"
            lines.append(f'<text x="20" y="{y:g}" style="{font}">{html.escape(line)}</text>')
            y += pixels * 1.35
        y += gap

    write(title, 17, "700", INK, 0)
    write(subtitle, 12.5, "400", MUTED, 0)
    top = y
    y = top + height + 18
    write(foot, 11, "400", MUTED, 0)
    inner = re.sub(
        r"<svg [^>]*>",
        f'<svg x="20" y="{top:g}" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}">',
        bare,
        count=1,
    )
    total = width + 40
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    opening = f'<svg {spaces} width="{total:g}" height="{y:g}" viewBox="0 0 {total:g} {y:g}">'
    paper = f'<rect width="100%" height="100%" fill="{PAPER}"/>'
    return "\n".join([opening, paper, *lines, inner.strip(), "</svg>"]) + "\n"
