"""Drawing: ``draw_*(frame, ax)`` puts a table on axes and returns them; ``alt_*`` says the same in one sentence.

Knows no game: what the rows are is told by the caller. Nothing here simulates, reads or writes.
"""

from sim.plots.curves import alt_curve, alt_survival, draw_curve, draw_survival
from sim.plots.deviations import alt_deviations, draw_deviations
from sim.plots.dial import alt_dial, draw_dial
from sim.plots.forest import alt_forest, draw_forest
from sim.plots.frontier import alt_frontier, draw_frontier
from sim.plots.heat import alt_grid, alt_heat, draw_grid, draw_heat
from sim.plots.lines import draw_lines
from sim.plots.paths import alt_paths, draw_paths
from sim.plots.ranges import alt_ranges, draw_ranges
from sim.plots.scores import (
    alt_differences,
    alt_exact,
    alt_scores,
    draw_differences,
    draw_exact,
    draw_scores,
    round_dots,
)
from sim.plots.shares import draw_shares
from sim.plots.style import COLOURS, house_style

__all__ = [
    "COLOURS",
    "alt_curve",
    "alt_deviations",
    "alt_dial",
    "alt_differences",
    "alt_exact",
    "alt_forest",
    "alt_frontier",
    "alt_grid",
    "alt_heat",
    "alt_paths",
    "alt_ranges",
    "alt_scores",
    "alt_survival",
    "draw_curve",
    "draw_deviations",
    "draw_dial",
    "draw_differences",
    "draw_exact",
    "draw_forest",
    "draw_frontier",
    "draw_grid",
    "draw_heat",
    "draw_lines",
    "draw_paths",
    "draw_ranges",
    "draw_scores",
    "draw_shares",
    "draw_survival",
    "house_style",
    "round_dots",
]
