"""Rulers in millimetres or metres along the visible edges of a panel's object."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sole.base.arrays import FloatArray
from sole.pictures.camera import VIEWS
from sole.pictures.drawing import INK, lettering

if TYPE_CHECKING:
    from pyvista import Plotter, PolyData


def draw_rulers(plotter: Plotter, bounds: Sequence[float], view: str, unit: str = "mm") -> None:
    """Draw rulers in "mm" or "m" along the visible edges of a box (xmin, xmax, ymin, ... [m])."""
    towards, up = (np.asarray(v) / np.linalg.norm(v) for v in VIEWS[view])
    right = np.cross(towards, up)
    right /= np.linalg.norm(right)
    plane = np.array([right, np.cross(right, towards)])
    box = np.asarray(bounds, dtype=float).reshape(3, 2)
    size = float(np.linalg.norm(np.ptp(box, axis=1)))
    for axis in range(3):
        ruler = _ruler(box, axis, plane, size, unit)
        if ruler is not None:
            lines, ticks, texts, middle, title = ruler
            name = f"ruler-{plotter.renderers.active_index}-{axis}"
            plotter.add_mesh(lines, color=INK, line_width=1.2, name=name)
            _labels(plotter, ticks, texts, lettering(plotter, 13), name=f"{name}-ticks")
            _labels(plotter, [middle], [title], lettering(plotter, 14), name=f"{name}-title")


def _ruler(
    box: FloatArray, axis: int, plane: FloatArray, size: float, unit: str
) -> tuple[PolyData, FloatArray, list[str], FloatArray, str] | None:
    """Return lines, tick positions, tick texts, title position and title of one ruler."""
    import pyvista

    along = plane[:, axis]
    shown = float(np.linalg.norm(along))
    if shown < 0.15:
        return None  # seen end-on
    others = [a for a in range(3) if a != axis]
    center = box.mean(axis=1)
    best, corner = (math.inf, math.inf), center
    for i in range(4):
        start = center.copy()
        start[others] = box[others, [i % 2, i // 2]]
        across, upward = plane @ (start - center)
        # Sideways rulers lie below the object, upward rulers left of it.
        score = (across, upward) if abs(along[1]) > abs(along[0]) else (upward, across)
        score = (round(score[0] / size, 6), round(score[1] / size, 6))
        if score < best:
            best, corner = score, start
    outward = np.array([-along[1], along[0]]) / shown
    outward *= np.sign(outward @ (plane @ (corner - center))) or 1.0
    n = plane.T @ outward
    factor = {"mm": 1e3, "m": 1.0}[unit]
    low, high = factor * box[axis]
    needed = 0.09 if abs(along[0]) > abs(along[1]) else 0.045  # text is wider than high
    marks = ruler_marks(low, high, max((high - low) / 6, factor * needed * size / shown))
    if (marks[-1] - marks[0]) * shown < 0.035 * factor * size:  # two numbers would overlap
        marks = marks[-1:] if abs(marks[-1]) >= abs(marks[0]) else marks[:1]
    at = np.repeat(corner[None], len(marks), axis=0)
    at[:, axis] = marks / factor
    base = at + 0.012 * size * n
    tips = at + 0.025 * size * n
    ends = np.repeat((corner + 0.012 * size * n)[None], 2, axis=0)
    ends[:, axis] = box[axis]
    points = np.vstack([ends, np.stack([base, tips], axis=1).reshape(-1, 3)])
    middle = corner + 0.055 * size * n  # of the letters beside the ruler
    if abs(along[0]) > abs(along[1]):
        middle += 0.037 * size * n
        middle[axis] = center[axis]
    else:  # above an upright ruler, where the title takes no width
        middle[axis] = box[axis][int(along[1] > 0)]
        middle += 0.055 * size * plane[1]
    texts = [f"{m:.3g}" for m in marks]
    labels = tips + 0.03 * size * n
    # The camera finds the places of the letters among the points, which no line uses.
    segments = pyvista.line_segments_from_points(points)
    lines = pyvista.PolyData(np.vstack([points, labels, middle[None]]), lines=segments.lines)
    return lines, labels, texts, middle, f"{'xyz'[axis]} [{unit}]"


def ruler_marks(low: float, high: float, least: float) -> FloatArray:
    """Return round positions in [low, high], at least `least` apart; two if there are too few."""
    step = _round_step(least)
    first, last = math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6)
    marks: FloatArray = np.arange(first, last + 1, dtype=np.float64) * step
    if len(marks) > 1:
        return marks
    unit = 10.0 ** math.floor(math.log10(max(high - low, 1e-12)))  # too few: round ends
    ends = np.array([math.ceil(low / unit - 1e-6), math.floor(high / unit + 1e-6)]) * unit
    return ends if ends[1] > ends[0] else np.array([low, high])


def _round_step(least: float) -> float:
    """Return the smallest of 1, 2, 5 times a power of ten that is at least `least`."""
    power = float(10.0 ** math.floor(math.log10(least)))
    return next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= least * (1 - 1e-9))


def _labels(
    plotter: Plotter,
    points: Any,
    texts: list[str],
    size: int,
    color: str = INK,
    name: str | None = None,
) -> None:
    plotter.add_point_labels(
        np.asarray(points, dtype=float),
        texts,
        font_size=size,
        text_color=color,
        bold=False,
        shape=None,
        show_points=False,
        always_visible=True,
        justification_horizontal="center",
        justification_vertical="center",
        name=name,
    )
