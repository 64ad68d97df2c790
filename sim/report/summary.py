"""The executive summary: sentences that the sections on the page write together, one clause each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import yaml

from sim.report.prose import FOLDER, Prose

FILE = "summary.yaml"


@cache
def clauses() -> dict[str, dict[str, str]]:
    """Head of the sentence → section → template of its clause."""
    read: dict[str, dict[str, str]] = yaml.safe_load((FOLDER / FILE).read_text(encoding="utf-8"))
    return read


def summary(prose: Prose, sections: Sequence[str]) -> str:
    """The sentences as a numbered list in Markdown, made of what these sections say."""
    lines: list[str] = []
    for head, templates in clauses().items():
        told = [
            " ".join(prose.render(templates[name], f"{FILE}, {head}, {name}").split())
            for name in sections
            if name in templates
        ]
        told = [text for text in told if text]
        if told:
            text = "; ".join(told)
            lines.append(f"{len(lines) + 1}. **{head}.** {text[:1].upper()}{text[1:]}.")
    return "\n".join(lines) + "\n"
