"""Minor ticks of logarithmic axes as two artists an axis, not five for every tick."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sole.base.arrays import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_minor_ticks"]

POINTS = 72.0  # on an inch
BELOW_LINES = 1.5  # matplotlib's order of axes drawn below lines and above areas


def draw_minor_ticks(axes: Axes) -> None:
    """Draw the minor ticks of logarithmic axes, and their grid if they have one, all at once.

    They look as before. The limits of the axes are final; axes of less than a decade, whose minor
    ticks have labels, are left alone.
    """
    from matplotlib.ticker import NullLocator

    both: tuple[Any, Any] = (axes.xaxis, axes.yaxis)
    for axis in both:
        if axis.get_scale() != "log":
            continue
        low, high = sorted(axis.get_view_interval())
        places = np.asarray(axis.get_minorticklocs(), dtype=float)
        places = places[(places >= low) & (places <= high)]
        if not len(places) or any(axis.get_minor_formatter().format_ticks(places)):
            continue
        look = axis.get_tick_params(which="minor")
        axis.set_minor_locator(NullLocator())
        _draw(axes, axis.axis_name, places, look)


def _draw(axes: Axes, name: str, places: FloatArray, look: dict[str, Any]) -> None:
    import matplotlib
    from matplotlib.collections import LineCollection, PathCollection
    from matplotlib.path import Path

    style: Any = matplotlib.rcParams
    across, zero = name == "x", np.zeros(len(places))
    place = axes.get_xaxis_transform() if across else axes.get_yaxis_transform()
    length = -style[f"{name}tick.minor.size"] / POINTS
    marks = PathCollection(
        [Path([(0.0, 0.0), (0.0, length) if across else (length, 0.0)])],
        offsets=np.stack([places, zero] if across else [zero, places], axis=1),
        offset_transform=place,
        edgecolors=style[f"{name}tick.color"],
        linewidths=style[f"{name}tick.minor.width"],
        clip_on=False,
        zorder=BELOW_LINES,
    )
    figure: Any = axes.figure
    marks.set_transform(figure.dpi_scale_trans)  # inches
    axes.add_collection(marks, autolim=False)
    if not look.get("gridOn", False):
        return
    ends = np.stack([np.stack([places, zero], 1), np.stack([places, zero + 1.0], 1)], 1)
    grid = LineCollection(
        list(ends if across else ends[..., ::-1]),
        colors=style["grid.color"],
        linewidths=style["grid.linewidth"],
        alpha=look.get("grid_alpha"),
        transform=place,
        zorder=BELOW_LINES,
    )
    axes.add_collection(grid, autolim=False)
