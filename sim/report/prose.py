"""Prose with placeholders: one Markdown text, in which every number is quoted from the register of facts.

``{{ v("key") }}`` quotes a value, ``{{ ci("key") }}`` a value with its interval; ``{{ figure("name") }}`` and
``{{ table("name") }}`` stand for figures and tables. A placeholder that nobody knows fails the build with one line.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jinja2

from sim.errors import ReportError, unknown
from sim.report import words
from sim.report.facts import Fact, Facts
from sim.report.names import GAME_NAMES, VIEWS

#: a verdict about a band, before the name of the band
PLACES = {"inside": "inside", "outside": "outside", "not yet known": "not yet known to be inside"}
FOLDER = Path(__file__).resolve().parent / "prose"
#: letters from which a quoted text is a sentence
SENTENCE = 60
Mark = Callable[[Fact, int, str], str]


def plain_mark(fact: Fact, number: int, text: str) -> str:
    """A quoted number as plain text."""
    return text


def linked_mark(fact: Fact, number: int, text: str) -> str:
    """A quoted number as a link to its claim, with the interval and sample size as a tip."""
    tip = [fact.key]
    if fact.low is not None:
        tip.append(f"{fact.interval()} ({words.plain(100 * (fact.level or 0))} % interval)")
    if fact.n is not None:
        tip.append(f"{words.count(fact.n)} games")
    # a whole sentence is a link as well, but underlined it would be hard to read
    kind = "fact words" if len(text) > SENTENCE else "fact"
    return f'<a class="{kind}" href="#claim-{number}" title="{html.escape("; ".join(tip))}">{html.escape(text)}</a>'


class Prose:
    """Renders templates against facts; `mark` decides how a quoted number looks."""

    def __init__(
        self,
        facts: Facts,
        model: Mapping[str, Any],
        mark: Mark,
        blocks: Mapping[str, Callable[[str], str]] | None = None,
    ) -> None:
        self.facts = facts
        self.mark = mark
        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(FOLDER),
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,
            keep_trailing_newline=True,
        )
        self._environment.filters.update(
            told=lambda name: VIEWS.get(name, name), first_capital=lambda text: text[:1].upper() + text[1:]
        )
        self._environment.globals.update(
            v=self.value,
            ci=self.with_interval,
            iv=self.interval,
            raw=lambda key: facts.get(key).value,
            has=lambda key: key in facts,
            view=lambda name: VIEWS.get(name, name),
            game_name=lambda name: GAME_NAMES.get(name, name),
            seat=words.seat,
            both=words.listing,
            count=words.count,
            place=lambda verdict: PLACES[verdict],
            **(blocks or {}),
            **model,
        )

    def value(self, key: str) -> str:
        """Quote a value."""
        return self._marked(key, lambda fact: fact.text)

    def interval(self, key: str) -> str:
        """Quote an interval alone."""
        return self._marked(key, Fact.interval)

    def with_interval(self, key: str) -> str:
        """Quote a value with its interval."""
        return self._marked(key, lambda fact: f"{fact.beside()} ({fact.interval()})")

    def _marked(self, key: str, told: Callable[[Fact], str]) -> str:
        fact, number = self.facts.quote(key)
        return told(fact) if number is None else self.mark(fact, number, told(fact))

    def render(self, text: str, name: str) -> str:
        """Render a template's text; errors name the template."""
        try:
            return self._environment.from_string(text).render()
        except jinja2.UndefinedError as error:
            raise ReportError(
                f"{name}: unknown placeholder: {error}; accepted: names of the prose's vocabulary"
            ) from None
        except jinja2.TemplateSyntaxError as error:
            raise ReportError(f"{name} line {error.lineno}: {error.message}; accepted: a Jinja template") from None
        except ReportError as error:
            raise ReportError(f"{name}: {error}") from None

    def file(self, name: str, **more: Any) -> str:
        """Render a template of the folder of texts, with some more names."""
        self._environment.globals.update(more)
        return self.render((FOLDER / name).read_text(encoding="utf-8"), name)

    def part(self, name: str) -> str:
        """Render one of the shipped texts."""
        path = FOLDER / f"{name}.md"
        if not path.is_file():
            raise ReportError(unknown("text of a section", name, (p.stem for p in sorted(FOLDER.glob("*.md")))))
        return self.render(path.read_text(encoding="utf-8"), path.name)


class Captions:
    """Title, subtitle and foot of each figure, as templates in ``captions.yaml``."""

    def __init__(self) -> None:
        import yaml

        self._texts: dict[str, dict[str, str]] = yaml.safe_load((FOLDER / "captions.yaml").read_text(encoding="utf-8"))

    def of(self, figure: str, prose: Prose) -> dict[str, str]:
        """The rendered caption of a figure."""
        if figure not in self._texts:
            raise ReportError(unknown("caption of a figure", figure, self._texts))
        return {
            part: " ".join(prose.render(text, f"captions.yaml, {figure}.{part}").split())
            for part, text in self._texts[figure].items()
        }
