"""How a notebook shows a figure (with a text for those who cannot see it) and a table (with few digits)."""

from __future__ import annotations

import html

import polars as pl
from IPython.display import HTML, SVG
from matplotlib.figure import Figure

from sim.plots.style import house_style, number, svg


def show(fig: Figure, name: str, alt: str) -> SVG:
    """The figure as the value of a cell; `name` makes its ids unique on the page, `alt` says what it shows."""
    with house_style():
        return SVG(svg(fig, name), metadata={"alt": alt})


def table(frame: pl.DataFrame, digits: int = 2) -> HTML:
    """A frame as a plain table: columns of text at the left, numbers with at most `digits` decimals at the right."""
    words = [not dtype.is_numeric() for dtype in frame.dtypes]

    def cell(value: object, word: bool, tag: str) -> str:
        told = "" if value is None else number(value, digits) if isinstance(value, int | float) else str(value)
        return f'<{tag} class="{"word" if word else "number"}">{html.escape(told)}</{tag}>'

    def line(values: tuple[object, ...], tag: str) -> str:
        return "<tr>" + "".join(cell(v, w, tag) for v, w in zip(values, words, strict=True)) + "</tr>"

    body = "\n".join(line(row, "td") for row in frame.iter_rows())
    return HTML(f"<table>\n<thead>{line(tuple(frame.columns), 'th')}</thead>\n<tbody>\n{body}\n</tbody></table>")
