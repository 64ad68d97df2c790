"""How a notebook shows a figure: as SVG with a text for those who cannot see it."""

from __future__ import annotations

from IPython.display import SVG
from matplotlib.figure import Figure

from sim.plots.style import house_style, svg


def show(fig: Figure, name: str, alt: str) -> SVG:
    """The figure as the value of a cell; `name` makes its ids unique on the page, `alt` says what it shows."""
    with house_style():
        return SVG(svg(fig, name), metadata={"alt": alt})
