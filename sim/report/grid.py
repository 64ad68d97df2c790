"""A table for readers: rows of short texts, as HTML that folds on a telephone and as Markdown."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Grid:
    """A table: header, rows of texts, and how it is to be read.

    Attributes
    ----------
    caption : str
    header : list of str
    rows : list of list of str
    note : str
        Small print under the table.
    shades : list of list of float
        Optional background strength (0 … 1) of each cell.
    text_columns : int
        So many columns at the left are names; the others are numbers, set to the right.
    tight : bool
        Set smaller, with intervals under their numbers: for many columns.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    shades: Sequence[Sequence[float]] = field(default_factory=list)
    text_columns: int = 1
    tight: bool = False

    def html(self) -> str:
        """HTML; every cell carries its column's name for narrow screens."""
        head = "".join(
            f'<th scope="col"{"" if i < self.text_columns else " class=num"}>{html.escape(h)}</th>'
            for i, h in enumerate(self.header)
        )
        lines = []
        for r, row in enumerate(self.rows):
            cells = []
            for i, text in enumerate(row):
                label = f' data-label="{html.escape(self.header[i])}"'
                kind = ' class="num"' if i >= self.text_columns else ""
                if self.shades and i >= self.text_columns:
                    kind = f' class="num shade" style="--s:{self.shades[r][i - self.text_columns]:.2f}"'
                tag = 'th scope="row"' if i == 0 else "td"
                cells.append(f"<{tag}{kind}{'' if i == 0 else label}>{html.escape(text)}</{tag[:2]}>")
            lines.append("<tr>" + "".join(cells) + "</tr>")
        note = f'<p class="foot">{html.escape(self.note)}</p>' if self.note else ""
        body = "\n".join(lines)
        kind = "grid tight" if self.tight else "grid"
        return (
            f'<div class="{kind}"><table><caption>{html.escape(self.caption)}</caption><thead><tr>{head}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody></table>{note}</div>"
        )

    def markdown(self) -> str:
        """Markdown table."""
        align = ["---" if i < self.text_columns else "---:" for i in range(len(self.header))]
        lines = [f"**{self.caption}**", "", "| " + " | ".join(self.header) + " |", "|" + "|".join(align) + "|"]
        lines += ["| " + " | ".join(text.replace("|", "\\|") for text in row) + " |" for row in self.rows]
        return "\n".join(lines + (["", f"*{self.note}*"] if self.note else [])) + "\n"
