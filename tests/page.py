"""What the tests of reports want to know of a page."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser


class Page(HTMLParser):
    """What the tests want to know of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.pictures: list[dict[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags[tag] += 1
        if given.get("id"):
            self.ids.append(str(given["id"]))
        self.links += [str(v) for k, v in attrs if k in ("href", "src", "xlink:href", "srcset", "action") and v]
        if tag in ("svg", "img") and "svg" not in self.open:
            self.pictures.append(given)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass


def commands_of(text: str) -> list[str]:
    """The commands that findings name, one by one."""
    part = text.split("## Findings")[1].split("\n## ")[0]
    return [command for line in re.findall(r"`(sim [^`]+)`", part) for command in line.split(" && ")]
