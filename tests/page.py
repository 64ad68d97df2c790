"""What the tests of reports want to know of a page."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest


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


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-default-apps --disable-extensions --enable-logging=stderr"
).split() + ["--host-resolver-rules=MAP * ~NOTFOUND"]  # nothing is fetched, only asked for

#: written into a copy of the page: what it looks like from inside goes into the title
PROBE = """<script>
window.addEventListener("load", function () {
  document.querySelectorAll("details").forEach(function (e) { e.open = true; });
  var wide = document.documentElement.scrollWidth, out = [];
  document.querySelectorAll("body *").forEach(function (e) {
    if (e.parentNode.closest("svg")) { return; }  // cut to its picture
    var far = e.getBoundingClientRect().right > window.innerWidth + 1;
    if (far && out.length < 5) { out.push(e.tagName + "." + e.className); }
  });
  var steps = [], last = 0;
  document.querySelectorAll("h1, h2, h3, h4, h5, h6").forEach(function (e) {
    var level = Number(e.tagName[1]);
    if (level > last + 1) { steps.push(e.tagName + " after H" + last); }
    last = level;
  });
  var figures = Array.prototype.map.call(document.querySelectorAll("figure"), function (e) {
    return e.getBoundingClientRect().height;
  });
  var shown = Array.prototype.filter.call(document.querySelectorAll("figure svg[role=img]"), function (e) {
    return e.getBoundingClientRect().width > 0;
  });
  parent.document.title = JSON.stringify({
    steps: steps, high: Math.max.apply(null, figures),
    inner: window.innerWidth, scroll: wide, out: out,
    shown: shown.map(function (e) { return e.getAttribute("class"); }),
    low: Math.min.apply(null, shown.map(function (e) { return e.getBoundingClientRect().height; }))
  });
});
</script></body>"""


def browser() -> str:
    """The browser's path; no browser is a skip with its reason, or a failure where one is required."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        reason = f"no browser found ({', '.join(BROWSERS)}); install Debian's chromium to run this test"
        if os.environ.get("SIM_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


def open_page(text: str, folder: Path, width: int) -> tuple[str, list[str], list[str]]:
    """Open a page; returns the document afterwards, console lines, and addresses asked for outside the page."""
    folder.mkdir(exist_ok=True)
    page, log = folder / f"page-{width}.html", folder / f"net-{width}.json"
    page.write_text(text, encoding="utf-8")
    command = [browser(), *FLAGS, f"--user-data-dir={folder / 'profile'}", "--window-size=1400,1000"]
    command += ["--virtual-time-budget=5000", f"--log-net-log={log}", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert "<html" in done.stdout, done.stderr[-2000:]
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    events = [event.get("params", {}) for event in json.loads(log.read_text(encoding="utf-8"))["events"]]
    requests = [(p["initiator"], p["url"]) for p in events if "initiator" in p and "url" in p]
    # what the browser asks for on its own account has no origin; the rest comes from the page
    asked = {address for initiator, address in requests if initiator != "not an origin"}
    outside = [address for address in asked if not address.startswith(("file:", "data:", "chrome"))]
    return done.stdout, console, outside


def look(html: str, folder: Path, width: int) -> tuple[dict[str, Any], list[str], list[str]]:
    """What the probe saw, console lines, addresses.

    The page is put into a frame of this width, because a window cannot be made as narrow as a telephone.
    """
    inside = escape(html.replace("</body>", PROBE), quote=True)
    frame = f'<iframe srcdoc="{inside}" style="width:{width}px;height:900px;border:0"></iframe>'
    document, console, outside = open_page(f"<!doctype html><title>frame</title><body>{frame}</body>", folder, width)
    title = re.search(r"<title>(.*?)</title>", document, flags=re.S)
    assert title is not None
    return json.loads(unescape(title[1])), console, outside
