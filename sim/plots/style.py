"""The look of every figure: colours, sizes, and SVG text that is the same bytes in every run.

Line colours are those of Okabe and Ito that keep a contrast of 3 to 1 on white. Series always differ in marker or
dash as
well, so that a figure reads in grey. One unit of a figure is one CSS pixel: sizes are given in pixels.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator, Mapping
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
#: black of lines and texts, muted text, hairlines, shaded bands; pages may map them to their own theme
INK, MUTED, GRID, BAND = "#1c1c1f", "#5f6068", "#d8d8dd", "#e6ecf2"
PAPER = "#ffffff"

COLOURS: Mapping[str, str] = {
    "blue": BLUE,
    "vermillion": VERMILLION,
    "green": GREEN,
    "purple": PURPLE,
    "ink": INK,
    "muted": MUTED,
    "grid": GRID,
    "band": BAND,
    "paper": PAPER,
}
#: for series without a colour of their own: colour, dash and marker always change together
SERIES = (
    (BLUE, "-", "o"),
    (VERMILLION, (0, (6, 2)), "s"),
    (PURPLE, (0, (1.5, 1.5)), "^"),
    (INK, (0, (8, 2, 1.5, 2)), "D"),
    (GREEN, (0, (3, 1.5)), "v"),
)

FONT_SIZE = 12.0

_RC: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": FONT_SIZE,
    "svg.fonttype": "none",
    "svg.hashsalt": "caterpillar-table-lab",
    "figure.dpi": 72,
    "savefig.dpi": 72,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": MUTED,
    "axes.labelsize": 11,
    "axes.titlesize": 12,
    "axes.titlelocation": "left",
    "axes.titlecolor": INK,
    "axes.titleweight": "bold",
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelsize": 11,
    "ytick.labelsize": 11,
    "xtick.major.size": 3,
    "ytick.major.size": 0,
    "xtick.major.width": 0.8,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "lines.linewidth": 2,
    "lines.solid_capstyle": "round",
    "lines.markersize": 6,
    "legend.frameon": False,
    "legend.fontsize": 11,
}


@contextlib.contextmanager
def house_style(changes: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Draw in the house style; `changes` are matplotlib settings on top (from the parameters file)."""
    settings: Any = _RC | dict(changes or {})
    with mpl.rc_context(settings):
        yield


def figure(width: float, height: float) -> Figure:
    """An empty figure of so many pixels; no display, no global state."""
    return Figure(figsize=(width / 72, height / 72), layout="constrained")


def svg(fig: Figure, name: str) -> str:
    """The figure as SVG text without date, with ids that are unique to `name` and the same in every run."""
    buffer = io.StringIO()
    fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.S)
    text = re.sub(r' d="([^"]*)"', lambda m: f' d="{_short(m[1])}"', text)
    # a hundredth of a pixel is enough; only inside tags, words keep their digits
    text = re.sub(r"<[^>]*>", lambda m: re.sub(r"(-?\d+\.\d\d)\d+", r"\1", m[0]), text)
    text = re.sub(r"\n\s*", "\n", text)
    text = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', text)
    text = re.sub(r'(url\(#|xlink:href="#|href="#)', rf"\1{name}-", text)
    # sizes without a unit are pixels
    return re.sub(
        r'(<svg [^>]*?)width="([\d.]+)pt" height="([\d.]+)pt"', r'\1width="\2" height="\3"', _sorted_size(text), count=1
    )


def _short(path: str) -> str:
    """Path data on one line."""
    return " ".join(path.split())


def _sorted_size(text: str) -> str:
    """Width before height in the opening tag, whatever the order matplotlib chose."""
    head, rest = text[: text.index(">") + 1], text[text.index(">") + 1 :]
    sizes = dict(re.findall(r'\b(width|height)="([\d.]+)pt"', head))
    head = re.sub(r'\s(width|height)="[\d.]+pt"', "", head)
    return head[:-1] + f' width="{sizes["width"]}pt" height="{sizes["height"]}pt">' + rest


def quiet_grid(ax: Axes, axis: str = "x") -> None:
    """Hairlines along one axis."""
    ax.grid(True, axis=axis)  # type: ignore[arg-type]


def number(value: float, digits: int = 2) -> str:
    """A number for alt texts and labels: `digits` decimals at most, a real minus sign."""
    text = f"{value:,.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace("-", "−") if text not in ("-0", "0") else "0"


def clip_alt(text: str, most: int = 249) -> str:
    """An alt text of at most `most` characters, cut at a word."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + "…"
