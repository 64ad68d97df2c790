"""Layouts compared: numbers by hand."""

from __future__ import annotations

import polars as pl
import pytest

from sim.analysis.layouts import by_layout, spread
from sim.errors import InputError


def tables() -> tuple[pl.DataFrame, pl.DataFrame]:
    layouts = pl.DataFrame(
        {"layout": ["a", "b"], "kind": ["even", "even"], "value": [13.0, 14.0], "error_bound": [0.0, 0.0]}
    )
    rows = []
    for layout, steps, effects in (("a", (15.0, 17.0), (1.0, 2.0)), ("b", (16.0, 16.0), (3.0, 3.0))):
        for game, (step, effect) in enumerate(zip(steps, effects, strict=True)):
            for setup, level, value in (
                ("standard", "beginner", 13.0),
                ("standard", "intermediate", 13.0 + step),
                ("variation", "intermediate", 13.0 + step + effect),
            ):
                rows.append({"layout": layout, "game": game, "setup": setup, "level": level, "value": value})
    return layouts, pl.DataFrame(rows)


def test_differences_are_paired_by_game() -> None:
    a, b = by_layout(*tables()).iter_rows(named=True)
    assert (a["optimum"], a["step"], a["variation"], a["n"]) == (13.0, 16.0, 1.5, 2)
    assert a["step_high"] == pytest.approx(16.0 + 12.7062)  # Student on one degree of freedom, sd √2, n 2
    assert (b["step_low"], b["step"], b["step_high"]) == (16.0, 16.0, 16.0)


def test_spread_between_layouts_leaves_out_what_sampling_explains() -> None:
    found = {row["quantity"]: row for row in spread(by_layout(*tables())).iter_rows(named=True)}
    assert found["optimum"]["sd"] == pytest.approx(0.5**0.5)  # exact values: nothing is left out
    assert found["step"]["sd"] == 0.0
    # variation: means 1.5 and 3, variance 1.125; squared standard errors 0.25 and 0
    assert found["variation"]["sd"] == pytest.approx((1.125 - 0.125) ** 0.5)
    assert (found["variation"]["least"], found["variation"]["most"]) == (1.5, 3.0)


def test_layouts_without_their_sheets_are_refused() -> None:
    layouts, sheets = tables()
    with pytest.raises(InputError, match="layout b has no sampled set-ups"):
        by_layout(layouts, sheets.filter(pl.col("layout") == "a"))
