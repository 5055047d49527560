"""Margins hold letters; what is drawn all at once lies where matplotlib draws it one by one."""

from __future__ import annotations

import numpy as np
import pytest
from letters import blocks_of, faults_of
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from sole.pictures import arrange, powers_of_ten
from sole.pictures.minor_ticks import draw_minor_ticks


def drawn(figure):
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba()).astype(int)


def panels(values, *, bar=False):
    """Return a figure of 2 x 2 panels whose ticks have these values."""
    figure = Figure(figsize=(6.0, 4.0))
    grid, bars = figure.subplots(2, 2), {}
    for axes in grid.ravel():
        points = axes.scatter([0, 1], values, c=values)
        axes.set(xlabel="place [m]", ylabel="something [N]", title="its title")
        if bar:
            bars[axes] = figure.add_axes((0.9, 0.1, 0.05, 0.8))
            figure.colorbar(points, cax=bars[axes], label="the same [N]")
    return figure, grid, bars


@pytest.mark.parametrize("bar", [False, True])
@pytest.mark.parametrize("values", [(-123456.0, 123456.0), (0.00012, 0.00034)])
def test_letters_have_room_whatever_the_ticks(values, bar):
    figure, grid, bars = panels(values, bar=bar)
    arrange(figure, grid, bars=bars, head=figure.suptitle("a title over all"))
    assert not faults_of(figure)
    assert faults_of(panels(values, bar=bar)[0])  # without margins they have none


def test_a_power_of_ten_above_axes_has_room():
    figure, grid, _ = panels((0, 3e9))
    for axes in grid.ravel():
        axes.set_title("a title as wide as its axes")  # it moves above the power
    arrange(figure, grid)
    assert (0, "power") in blocks_of(figure, 150) and not faults_of(figure)


def test_axes_of_a_grid_are_equally_large_and_fill_the_figure():
    figure, grid, _ = panels((0, 1))
    arrange(figure, grid)
    sizes = np.array([axes.get_position().size for axes in grid.ravel()])
    np.testing.assert_allclose(sizes, sizes[:1].repeat(4, axis=0), rtol=1e-12)
    boxes = blocks_of(figure, 150)
    left = min(box.x0 for box in boxes.values())
    right = max(box.x1 for box in boxes.values())
    # A pad of 0.6 ems of 10 points at either side, and half a tick label in the last column.
    em = 10 / 72 * 150
    assert left == pytest.approx(0.6 * em, abs=2) and figure.bbox.x1 - right < 2 * em


def test_room_above_stays_free():
    figure, grid, _ = panels((0, 1))
    arrange(figure, grid, above=0.25)
    assert max(box.y1 for box in blocks_of(figure, 100).values()) <= 0.75 * figure.bbox.y1


@pytest.mark.parametrize("grid", [False, True])
def test_minor_ticks_drawn_at_once_look_as_one_by_one(grid):
    def picture(at_once):
        figure = Figure(figsize=(5, 4), dpi=150)
        axes = figure.subplots()
        axes.loglog([1, 1e3], [2e-2, 5e3])
        if grid:
            axes.grid(True, which="both", alpha=0.25)
        powers_of_ten(axes.xaxis)
        powers_of_ten(axes.yaxis)
        if at_once:
            draw_minor_ticks(axes)
            assert not len(axes.xaxis.get_minorticklocs()) and len(axes.collections) == 2 + 2 * grid
        else:
            assert len(axes.xaxis.get_minorticklocs()) > 20
        return drawn(figure)

    one_by_one, at_once = picture(False), picture(True)
    far = np.abs(one_by_one - at_once).max(axis=2)
    # Lines that snap to pixels otherwise differ by shades; one that is elsewhere is black on white.
    assert not (far > 100).any()
    bare = Figure(figsize=(5, 4), dpi=150)
    bare.subplots().loglog([1, 1e3], [2e-2, 5e3])
    bare.axes[0].minorticks_off()
    assert (np.abs(drawn(bare) - one_by_one).max(axis=2) > 20).mean() > 2e-3


def test_minor_ticks_with_labels_are_left_alone():
    axes = Figure().subplots()
    axes.set(xscale="log", xlim=(1.2, 4.1))
    before = axes.xaxis.get_minorticklocs()
    assert any(axes.xaxis.get_minor_formatter().format_ticks(before))
    draw_minor_ticks(axes)
    np.testing.assert_array_equal(axes.xaxis.get_minorticklocs(), before)


@pytest.mark.parametrize(
    ("value", "text"), [(1e-12, "10⁻¹²"), (1.0, "10⁰"), (1e3, "10³"), (2e3, "2000")]
)
def test_powers_of_ten_in_letters(value, text):
    axes = Figure().subplots()
    axes.set(yscale="log", ylim=(value / 10, 10 * value))
    powers_of_ten(axes.yaxis)
    assert axes.yaxis.get_major_formatter()(value) == text
