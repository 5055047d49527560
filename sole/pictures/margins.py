"""Margins of figures that hold their letters, without drawing anything twice.

Axes stand on a grid; those of a column are equally wide, those of a line equally high. With the
room of letters left and right of column c, the greatest of its axes, and a figure of width W,

    width of axes = (W - sum_c (left_c + right_c)) / columns,

and likewise for heights. The letters are measured, not drawn: matplotlib's constrained layout
draws the whole figure to find them, and then once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.text import Text

EM = 0.6  # of the font's size: room between letters and edges, and between panels
BAR = 1.2  # of the font's size: width of a colour bar, and its distance
POINTS = 72.0  # on an inch
SHARPNESS = 150.0  # dots per inch at which letters are measured


class Room(NamedTuple):
    """What letters need around axes [inches]."""

    left: float
    right: float
    below: float
    above: float


class _Ruler:
    """Sizes of letters [inches] in a figure."""

    def __init__(self, figure: Figure) -> None:
        from matplotlib import rcParams
        from matplotlib.backends import backend_agg

        agg: Any = backend_agg
        self.figure, self.renderer = figure, agg.RendererAgg(1, 1, SHARPNESS)
        self.em = float(rcParams["font.size"]) / POINTS

    def text(self, text: Text | None) -> tuple[float, float]:
        """Return width and height; (0, 0) without a text."""
        if text is None or not text.get_text() or not text.get_visible():
            return 0.0, 0.0
        box = text.get_window_extent(self.renderer, dpi=SHARPNESS)
        return box.width / SHARPNESS, box.height / SHARPNESS

    def ticks(self, axis: Axis) -> tuple[float, float]:
        """Return width and height of the largest tick label."""
        from matplotlib.text import Text

        label = axis.get_major_ticks(1)[0].label1
        low, high = sorted(axis.get_view_interval())
        slack = 1e-9 * (high - low)
        words = {""}
        for places, formatter in (
            (axis.get_majorticklocs(), axis.get_major_formatter()),
            (axis.get_minorticklocs(), axis.get_minor_formatter()),
        ):
            seen = [x for x in places if low - slack <= x <= high + slack]
            words.update(formatter.format_ticks(seen) if seen else ())
        longest = sorted(words, key=len)[-3:]
        font = label.get_fontproperties()
        made = (Text(0, 0, w, fontproperties=font, figure=self.figure) for w in longest)
        sizes = np.array([self.text(text) for text in made])
        wide, high = sizes.max(axis=0)
        return float(wide), float(high)


def arrange(
    figure: Figure,
    grid: NDArray[Any],
    *,
    bars: Mapping[Axes, Axes] | None = None,
    head: Text | None = None,
    above: float = 0.0,
) -> None:
    """Place the axes of a `grid` (lines, columns) so that no letters are cut or overlap.

    `bars` are the colour bars right of axes; `head` is a text above all;
    `above` is a share of the height left free at the top. Axes that were removed, or are not
    visible, leave their place empty.
    """
    ruler = _Ruler(figure)
    for _ in range(2):  # the second time the number of ticks suits the size
        _place(figure, grid, bars or {}, head, above, ruler)


def _place(
    figure: Figure,
    grid: NDArray[Any],
    bars: Mapping[Axes, Axes],
    head: Text | None,
    above: float,
    ruler: _Ruler,
) -> None:
    lines, columns = grid.shape
    width, height = figure.get_size_inches()
    pad = EM * ruler.em
    left, right = np.full(columns, pad), np.full(columns, pad)
    top, bottom, tall = np.full(lines, pad), np.full(lines, pad), np.zeros(lines)
    for (line, column), axes in np.ndenumerate(grid):
        if axes.figure is None or not axes.get_visible():
            continue
        room = _room(axes, bars.get(axes), ruler)
        left[column] = max(float(left[column]), room.left + pad)
        right[column] = max(float(right[column]), room.right + pad)
        top[line] = max(float(top[line]), room.above)
        bottom[line] = max(float(bottom[line]), room.below + pad)
        tall[line] = max(float(tall[line]), ruler.text(axes.yaxis.label)[1])
    top[0] += above * height + pad
    if head is not None:
        top[0] += ruler.text(head)[1] + pad
        head.set_y(1.0 - pad / height)
    w = max(width - left.sum() - right.sum(), 0.1 * width) / columns
    h = max(height - top.sum() - bottom.sum(), 0.1 * height) / lines
    over = np.maximum(0.0, tall - h) / 2  # of labels longer than the axes
    top, bottom = np.maximum(top, over), np.maximum(bottom, over)
    h = max(height - top.sum() - bottom.sum(), 0.1 * height) / lines
    for (line, column), axes in np.ndenumerate(grid):
        if axes.figure is None:
            continue
        x = left[: column + 1].sum() + right[:column].sum() + column * w
        y = height - top[: line + 1].sum() - bottom[:line].sum() - (line + 1) * h
        axes.set_position((x / width, y / height, w / width, h / height))
        if axes in bars:
            bar = BAR * ruler.em
            bars[axes].set_position(((x + w + bar) / width, y / height, bar / width, h / height))


def _room(axes: Axes, bar: Axes | None, ruler: _Ruler) -> Room:
    """Return the room that the letters of axes, and of their colour bar, need."""
    x, y = axes.xaxis, axes.yaxis
    below = above = right = 0.0
    left = _beside(y, ruler)
    if x.get_tick_params().get("labelbottom", True):
        wide, high = ruler.ticks(x)
        below, right = high + _gap(x), wide / 2
    if x.label.get_text():
        below += ruler.text(x.label)[1] + x.labelpad / POINTS
    if axes.title.get_text():
        above = ruler.text(axes.title)[1] + EM * ruler.em
    if has_power(y):  # a power of ten above the axis
        above += 1.5 * ruler.em
    if bar is not None:
        right = 2 * BAR * ruler.em + _beside(bar.yaxis, ruler)
    return Room(left, right, below, above)


def _beside(axis: Axis, ruler: _Ruler) -> float:
    """Return the width of the ticks and the label beside a vertical axis."""
    wide = ruler.ticks(axis)[0] + _gap(axis)
    label = ruler.text(axis.label)[0]
    return wide + (label + axis.labelpad / POINTS if label else 0.0)


def has_power(axis: Axis) -> bool:
    """Return whether matplotlib writes a power of ten at the end of an axis."""
    formatter = axis.get_major_formatter()
    formatter.format_ticks(list(axis.get_majorticklocs()))
    return bool(formatter.get_offset())


def _gap(axis: Any) -> float:
    """Return length and distance of ticks [inches]."""
    import matplotlib

    style: Any = matplotlib.rcParams
    size, pad = (style[f"{axis.axis_name}tick.major.{part}"] for part in ("size", "pad"))
    return float(size + pad) / POINTS
