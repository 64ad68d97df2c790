"""How a notebook shows a figure (wide and narrow, with a text for those who cannot see it), a table (with few digits),
and how far a longer piece of work has come.
"""

from __future__ import annotations

import html
import re
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Any, TypeVar

import polars as pl
from IPython.display import HTML
from matplotlib.axes import Axes

from sim import plots
from sim.plots.style import figure, house_style, number, svg

#: pixels; a page shows the one that fits
WIDE, NARROW = 760, 344
STYLE = (
    "<style>figure .narrow { display: none; } "
    "@media (max-width: 640px) { figure .wide { display: none; } figure .narrow { display: block; } }</style>"
)

#: what draws on axes: a `plots.draw_*` with everything but the axes
Panel = partial[Axes]
T = TypeVar("T")


def show(
    panels: Panel | Mapping[str, Panel],
    name: str,
    *,
    title: str,
    note: str,
    alt: str,
    height: float = 300,
    rows: int | None = None,
    across: int = 1,
) -> HTML:
    """A figure as the value of a cell.

    `panels` is ``partial(plots.draw_…, frame, …)``, or several by their headings. `name` makes its ids unique on the
    page; `title` is the finding, `note` says what is measured, on how many games; `alt` says what it shows. `height` is
    that of a panel in pixels; of a forest plot give the number of its `rows` instead. `across` panels stand side by
    side where there is room.
    """
    drawn = {"": panels} if isinstance(panels, partial) else dict(panels)
    parts = []
    with house_style():
        for kind, width in (("wide", WIDE), ("narrow", NARROW)):
            parts.append(f'<div class="{kind}">{_draw(drawn, f"{name}-{kind}", width, height, rows, across)}</div>')
    finding, about = (html.escape(re.sub(r"(?<![\w.])-(?=\d)", "−", text)) for text in (title, note))
    caption = f"<figcaption><strong>{finding}</strong><br>{about}</figcaption>"
    label = html.escape(" ".join(alt.split()))
    return HTML(f'{STYLE}<figure role="img" aria-label="{label}">{caption}{"".join(parts)}</figure>')


def _draw(drawn: Mapping[str, Panel], name: str, width: int, height: float, rows: int | None, across: int) -> str:
    slim = width == NARROW
    columns = 1 if slim else min(across, len(drawn))
    lines = -(-len(drawn) // columns)
    if rows is not None:
        height = (35 if slim else 26) * rows + (24 if len(drawn) > 1 else 0)
    fig = figure(width, lines * height + 60)
    axes = fig.subplots(lines, columns, squeeze=False).ravel()
    dots: list[tuple[Axes, float]] = []
    for ax, (heading, panel) in zip(axes, drawn.items(), strict=False):
        drawer = panel.func
        more: dict[str, Any] = {"stacked": True} if slim and drawer is plots.draw_forest else {}
        if drawer is plots.draw_scores:
            more = {"dot": panel.keywords["until"] / (46 if slim else 58)}
            dots.append((ax, more["dot"]))
        panel(ax=ax, **more)
        if heading:
            ax.set_title(heading)
    for ax in axes[len(drawn) :]:
        ax.set_visible(False)
    handles, labels = axes[0].get_legend_handles_labels()
    if labels and next(iter(drawn.values())).func is plots.draw_forest:
        fig.legend(handles, labels, loc="outside upper left", ncols=len(labels), handletextpad=0.2, columnspacing=1.2)
    fig.draw_without_rendering()
    for ax, dot in dots:
        plots.round_dots(ax, dot)
    return svg(fig, name)


def table(frame: pl.DataFrame, digits: int = 2) -> HTML:
    """A frame as a plain table: columns of text at the left, numbers with at most `digits` decimals at the right."""
    words = [not dtype.is_numeric() for dtype in frame.dtypes]

    def cell(value: object, word: bool, tag: str) -> str:
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        missing = value is None or (isinstance(value, float) and value != value)
        told = "–" if missing else number(value, digits) if plain else str(value)  # type: ignore[arg-type]
        return f'<{tag} class="{"word" if word else "number"}">{html.escape(told)}</{tag}>'

    def line(values: tuple[object, ...], tag: str) -> str:
        return "<tr>" + "".join(cell(v, w, tag) for v, w in zip(values, words, strict=True)) + "</tr>"

    body = "\n".join(line(row, "td") for row in frame.iter_rows())
    return HTML(
        f'<div class="table"><table>\n<thead>{line(tuple(frame.columns), "th")}</thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def progress(work: Collection[T], what: str) -> Iterator[T]:
    """The items of `work`, and how many of them are done on stderr (which pages leave out)."""
    begun = last = time.monotonic()
    for done, item in enumerate(work):
        if time.monotonic() - last > 0.5:
            last = time.monotonic()
            left = (last - begun) / max(done, 1) * (len(work) - done)
            print(f"\r{what}: {done} of {len(work)}, about {left:.0f} s left   ", end="", file=sys.stderr, flush=True)
        yield item
    if last != begun:
        print(f"\r{what}: {len(work)} of {len(work)}, {time.monotonic() - begun:.0f} s   ", file=sys.stderr, flush=True)
