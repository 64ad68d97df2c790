"""Drawing functions: what stands on the axes is what stands in the table; alt texts say it in words."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sim import plots
from sim.plots.forest import games_text
from sim.plots.scores import quantile, quantile_dots
from sim.plots.style import COLOURS, SERIES, clip_alt, figure, number, svg


@pytest.fixture
def ax():
    with plots.house_style():
        yield figure(500, 300).subplots()


@pytest.fixture
def scores() -> pl.DataFrame:
    return pl.DataFrame({"score": [12, 10, 14, 11], "count": [20, 50, 10, 20]})


@pytest.fixture
def forest() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "label": ["a", "b", "a", "b"],
            "series": ["child", "child", "best", "best"],
            "value": [0.5, -0.2, 1.5, 0.1],
            "low": [0.4, -0.3, 1.4, 0.0],
            "high": [0.6, -0.1, 1.6, 0.2],
            "n": [1000, 2000, 3000, 1_500_000],
        }
    )


@pytest.fixture
def curve() -> pl.DataFrame:
    turns = [0, 10, 20, 30] * 2
    share = [1.0, 0.6, 0.2, 0.0, 1.0, 0.9, 0.5, 0.04]
    return pl.DataFrame(
        {"turns": turns, "value": share, "low": share, "high": share, "seats": [2] * 4 + [6] * 4, "n": [100] * 8}
    )


def test_dots_are_quantiles_of_the_exact_counts(scores):
    dots = quantile_dots(scores, 10)
    assert np.unique(dots, return_counts=True)[1].tolist() == [5, 2, 2, 1]
    assert quantile(scores, 0.5) == 10


def test_scores_show_every_dot_and_bars_in_proportion(ax, scores):
    ax.set_xlim(0, 30)
    assert plots.draw_scores(scores, ax, dots=20) is ax
    dots = next(line for line in ax.get_lines() if line.get_label() == "_dots")
    assert len(dots.get_xdata()) == 20
    corners = ax.patches[0].get_path().vertices.reshape(-1, 5, 2)
    depth = -corners[:, 2, 1]
    assert corners.shape[0] == 4
    assert np.allclose(depth / depth.sum(), [0.5, 0.2, 0.2, 0.1])  # in ascending order of the score
    assert "10 to 12" in ax.texts[0].get_text()


def test_round_dots_make_one_dot_as_wide_as_high(scores):
    with plots.house_style():
        fig = figure(400, 200)
        ax = fig.subplots()
        ax.set_xlim(0, 40)
        plots.draw_scores(scores, ax, dot=2.0)
        fig.draw_without_rendering()
        plots.round_dots(ax, 2.0)
        box = ax.get_window_extent()
        pixels = box.height / (ax.get_ylim()[1] - ax.get_ylim()[0])
        assert pixels == pytest.approx(2.0 * box.width / 40)


def test_differences_grey_bar_is_no_change(ax):
    frame = pl.DataFrame({"difference": [-1.0, 0.0, 2.0], "count": [30, 50, 20]})
    plots.draw_differences(frame, ax)
    heights = [patch.get_path().vertices[:, 1].max() for patch in ax.patches if hasattr(patch.get_path(), "vertices")]
    assert 50.0 in [round(float(h), 6) for h in heights]
    marker = ax.get_lines()[-1]
    assert marker.get_xdata()[0] == pytest.approx(0.1)  # the mean
    alt = plots.alt_differences(frame, "a change")
    assert "50 in 100 games unchanged" in alt
    assert "mean 0.1" in alt


def test_forest_rows_series_and_games(ax, forest):
    plots.draw_forest(forest, ax, band=(-0.1, 0.1))
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "b"]
    lines = {line.get_label(): line for line in ax.get_lines() if line.get_label() in ("child", "best")}
    assert lines["child"].get_xdata().tolist() == [0.5, -0.2]
    assert lines["child"].get_marker() != lines["best"].get_marker()  # readable in grey
    texts = [t.get_text() for t in ax.texts]
    assert {"1 k", "2 k", "games"} <= set(texts)  # the smallest n of the row
    bottom, top = ax.get_ylim()
    assert bottom > top  # the first row is on top


def test_forest_threshold_and_headings(ax, forest):
    one = forest.filter(pl.col("series") == "best").drop("series").with_columns(group=pl.lit("heading"))
    plots.draw_forest(one, ax, threshold=3.0, show_n=False)
    assert ax.get_xlim()[1] >= 3.0
    texts = [t.get_text() for t in ax.texts]
    assert "heading" in texts
    assert "1.5" in texts


def test_games_in_few_signs():
    assert [games_text(n) for n in (999, 50_000, 1_000_000, 24_500_000)] == ["999", "50 k", "1 M", "24.5 M"]


def test_survival_lines_at_half_and_one_in_twenty(ax, curve):
    plots.draw_survival(curve, ax, until=30)
    levels = [line.get_ydata()[0] for line in ax.get_lines() if len(set(line.get_ydata())) == 1]
    assert {50, 5} <= set(levels)
    texts = [t.get_text() for t in ax.texts]
    assert {"half of the games", "1 in 20", "2", "6"} <= set(texts)
    alt = plots.alt_survival(curve, "a race", unit="turns")
    assert "2 seats: half are over after 20 turns, 19 in 20 after 30" in alt


def test_survival_shows_a_cap_on_the_axis_only(ax, curve):
    plots.draw_survival(curve, ax, until=30, cap=25)
    assert "cap" in [t.get_text() for t in ax.texts]


def test_curve_scales_and_keeps_the_reference(ax):
    frame = pl.DataFrame({"t": [2, 0, 1], "value": [0.5, 0.4, 0.6], "low": [0.4, 0.3, 0.5], "high": [0.6, 0.5, 0.7]})
    plots.draw_curve(frame, ax, x="t", scale=100, reference=0.5)
    drawn = next(line for line in ax.get_lines() if len(line.get_xdata()) == 3)
    assert drawn.get_ydata().tolist() == [40, 60, 50]
    alt = plots.alt_curve(frame, "wins", x="t", xname="threshold", unit="wins in 100", scale=100)
    assert "highest 60 wins in 100 at threshold 1" in alt


def test_heat_map_has_the_numbers_in_the_cells(ax):
    frame = pl.DataFrame({"policy": ["a", "b"], "opponent": ["b", "a"], "value": [0.7, 0.3]})
    plots.draw_heat(frame, ax, order=["a", "b"])
    assert sorted(t.get_text() for t in ax.texts) == ["30", "70"]
    assert "a against b, won 70 times in 100" in plots.alt_heat(frame, "wins")


def test_deviations_stand_side_by_side_before_the_limit(ax):
    deviations = [0.1, 0.1, 0.1, 2.0, 9.0]
    frame = pl.DataFrame(
        {
            "group": ["A game"] * 4 + ["Another"],
            "label": ["dice"] * 3 + ["wins"] * 2,
            "deviation": deviations,
            "passed": [True] * 4 + [False],
        }
    )
    plots.draw_deviations(frame, ax, limit=4.0, pixels=400, row=30, limit_label="limit for all")
    points = [(x, y) for line in ax.get_lines() for x, y in line.get_xydata() if line.get_linestyle() == "None"]
    assert sorted(x for x, _ in points) == deviations
    assert len(set(points)) == 5  # no dot covers another
    texts = {t.get_text() for t in ax.texts}
    assert {"A game", "Another", "limit for all "} <= texts
    assert [t.get_text() for t in ax.get_yticklabels()] == ["dice (3)", "wins (1)", "wins (1)"]
    assert ax.get_xlim()[1] >= 9.0
    alt = plots.alt_deviations(frame, 4.0, "comparisons")
    assert alt == (
        "Dots for 5 comparisons, 1 outside the limit of 4 standard deviations; the largest, 9, is Another, wins."
    )


def test_alt_texts_are_short_and_hold_a_number(scores, forest, curve):
    long = forest.with_columns(label=pl.lit("a very long label " * 20))
    for alt in (
        plots.alt_scores(scores, "end totals"),
        plots.alt_forest(long, "something " * 20, "points"),
        plots.alt_survival(curve, "a race"),
    ):
        assert len(alt) < 250
        assert re.search(r"\d", alt)
        assert alt.endswith(".")  # nothing was cut off at the end
    assert clip_alt("word " * 100).endswith("…")


def test_numbers_have_a_real_minus_and_no_minus_zero():
    assert [number(x) for x in (-1.5, -0.001, 2.0, 1234.567)] == ["−1.5", "0", "2", "1,234.57"]


def draw_twice(scores: pl.DataFrame) -> list[str]:
    texts = []
    for _ in range(2):
        with plots.house_style():
            fig = figure(300, 200)
            ax = fig.subplots()
            ax.set_xlim(0, 20)
            plots.draw_scores(scores, ax)
            texts.append(svg(fig, "name"))
    return texts


def test_svg_is_the_same_bytes_every_time_without_date_or_address(scores):
    one, two = draw_twice(scores)
    assert one == two
    assert not re.search(r"20\d\d-\d\d-\d\d", one)
    assert "matplotlib.org" not in one
    ids = re.findall(r'\bid="([^"]+)"', one)
    assert len(ids) == len(set(ids))
    assert all(name.startswith("name-") for name in ids)
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', one))
    assert used <= set(ids)  # nothing points nowhere


def test_a_changed_setting_changes_the_drawing(scores):
    with plots.house_style({"axes.linewidth": 3.0}):
        fig = figure(300, 200)
        ax = fig.subplots()
        ax.set_xlim(0, 20)
        plots.draw_scores(scores, ax)
        assert svg(fig, "name") != draw_twice(scores)[0]


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def test_line_colours_stand_out_on_paper_and_series_differ_without_colour():
    for name in ("blue", "vermillion", "green", "purple", "ink", "muted"):
        assert 1.05 / (luminance(COLOURS[name]) + 0.05) >= 2.95, name
    assert len({str(dash) for _, dash, _ in SERIES}) == len(SERIES)
    assert len({marker for _, _, marker in SERIES}) == len(SERIES)


def test_drawing_returns_the_axes_it_was_given_and_leaves_no_global_figure(ax, forest, curve):
    from matplotlib import _pylab_helpers

    assert isinstance(ax.figure, Figure)
    for drawn in (plots.draw_forest(forest, ax), plots.draw_survival(curve, ax)):
        assert isinstance(drawn, Axes)
        assert drawn is ax
    assert not _pylab_helpers.Gcf.figs


def test_the_frontier_shows_every_point_and_names_the_others(ax):
    frame = pl.DataFrame({"risk": [0.02, 0.0, -0.1], "mean": [9.0, 10.0, 9.9], "sd": [1.0, 2.0, 2.2]})
    points = pl.DataFrame({"policy": ["slow", "bold"], "mean": [8.0, 9.5], "sd": [1.5, 2.5]})
    plots.draw_frontier(frame, points, ax, told=(0.0, 0.02), name="weight {:g}".format)
    curve, others = ax.lines[0], ax.lines[-1]
    assert curve.get_xydata().tolist() == [[2.2, 9.9], [2.0, 10.0], [1.0, 9.0]]  # in the order of the weights
    assert others.get_xydata().tolist() == [[1.5, 8.0], [2.5, 9.5]]
    assert {text.get_text() for text in ax.texts} == {"best mean", "weight 0.02", "slow", "bold"}
    told = plots.alt_frontier(frame, points, "a game")
    assert "Best mean: mean 10, sd 2" in told
    assert "bold: mean 9.5" in told


def test_words_keep_their_digits_and_places_lose_theirs() -> None:
    with plots.house_style():
        drawn = figure(200, 100)
        drawn.text(0.123456, 0.5, "λ = 0.035")
        text = svg(drawn, "digits")
    assert "λ = 0.035" in text
    assert not re.search(r"<[^>]*\d\.\d{3}", text)


def test_a_narrow_forest_tells_values_beside_the_labels(ax, forest):
    single = forest.filter(pl.col("series") == "child").drop("series")
    plots.draw_forest(single, ax, stacked=True, show_n=False)
    assert [t.get_text() for t in ax.texts] == ["a: 0.5", "b: −0.2"]


def test_names_at_the_ends_of_curves_do_not_cover_each_other(ax):
    frame = pl.DataFrame(
        {
            "t": [1, 2] * 4,
            "s": ["a", "a", "b", "b", "c", "c", "d", "d"],
            "value": [0.0, 1.0, 0.0, 1.0, 0.0, 1.001, 0.0, 9.0],
        }
    ).with_columns(low="value", high="value")
    plots.draw_curve(frame, ax, x="t", series="s")
    heights = sorted(ax.transData.transform(t.xy)[1] + t.xyann[1] for t in ax.texts)
    assert len(heights) == 4
    assert min(np.diff(heights)) > 13
    assert all(float(t).is_integer() for t in ax.get_xticks())


def test_a_grid_has_every_amount_in_its_cell(ax):
    frame = pl.DataFrame({"kind": ["box", "box", "zero"], "round": [1, 2, 2], "value": [0.25, 0.1, 1.5]})
    plots.draw_grid(frame, ax, row="kind", column="round")
    texts = {t.get_position(): t.get_text() for t in ax.texts}
    assert texts == {(0, 0): "0.25", (1, 0): "0.1", (1, 1): "1.5"}
    assert [t.get_text() for t in ax.get_yticklabels()] == ["box", "zero"]
    alt = plots.alt_grid(frame, "losses", row="kind", column="round", unit="points")
    assert "3 cells" in alt
    assert "1.5 points, is at kind zero, round 2" in alt


def test_exact_chances_lie_over_the_counted_shares(ax):
    frame = pl.DataFrame(
        {"score": [3, 4, 5], "value": [0.2, 0.5, 0.3], "low": [0.1, 0.4, 0.2], "high": [0.3, 0.6, 0.4]}
    ).with_columns(exact=pl.Series([0.25, 0.45, 0.3]))
    plots.draw_exact(frame, ax)
    bars = ax.patches[0].get_path().vertices.reshape(-1, 5, 2)
    assert bars[:, 2, 1] == pytest.approx([20, 50, 30])
    (points,) = ax.get_lines()
    assert points.get_ydata() == pytest.approx([25, 45, 30])
    alt = plots.alt_exact(frame, "a sheet")
    assert "counted 20 in 100, exactly 25" in alt or "counted 50 in 100, exactly 45" in alt


def test_curves_on_logarithmic_axes_have_plain_numbers(ax):
    frame = pl.DataFrame({"n": [100, 10_000, 1_000_000], "value": [1.0, 0.1, 0.01]}).with_columns(
        low="value", high="value"
    )
    plots.draw_curve(frame, ax, x="n", log=True)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    ax.figure.draw_without_rendering()
    assert {"100", "10 k", "1 M"} <= {t.get_text() for t in ax.get_xticklabels()}
    assert {"1", "0.1", "0.01"} <= {t.get_text() for t in ax.get_yticklabels()}
