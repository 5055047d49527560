"""Cameras: the view of a panel, scaled to fill the panel in true proportion."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sole.base.arrays import FloatArray

if TYPE_CHECKING:
    from pyvista import Plotter

# Camera direction (towards the object) and up vector in the sole frame: x forward, y left,
# z up. In the first three, x (or y) points to the right of the picture.
VIEWS = {
    "below": ((0.0, 0.0, 1.0), (0.0, -1.0, 0.0)),
    "above": ((0.0, 0.0, -1.0), (0.0, 1.0, 0.0)),
    "side": ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "front": ((-1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    "oblique": ((-0.45, 0.75, -0.5), (0.0, 0.0, 1.0)),
    "approach": ((0.45, 0.75, -0.5), (0.0, 0.0, 1.0)),
    "oblique_below": ((-0.45, 0.75, 0.6), (0.0, 0.0, 1.0)),
}
FRAME = (0.13, 0.32, 0.80, 0.54)  # of a panel with a title and a colour bar below


def look(
    plotter: Plotter,
    view: str,
    zoom: float = 1.0,
    frame: tuple[float, float, float, float] = FRAME,
) -> None:
    """Aim a parallel camera so that everything drawn fills the `frame` of the panel.

    The frame is (left, bottom, width, height) in shares of the panel, by default what a title and
    a colour bar below leave.
    """
    towards, up = (np.asarray(v) / np.linalg.norm(v) for v in VIEWS[view])
    right = np.cross(towards, up)
    right /= np.linalg.norm(right)
    up = np.cross(right, towards)
    points = drawn_points(plotter)
    box = np.array([points.min(axis=0), points.max(axis=0)])
    center = box.mean(axis=0)
    ends = np.array([[f(points @ v) for f in (np.min, np.max)] for v in (right, up)])
    width, height = np.ptp(ends, axis=1)
    for v, middle in zip((right, up), ends.mean(axis=1), strict=True):
        center = center + (middle - center @ v) * v
    left, bottom, rest_x, rest_y = frame
    x0, y0, x1, y1 = plotter.renderer.GetViewport()
    aspect = (x1 - x0) * plotter.window_size[0] / ((y1 - y0) * plotter.window_size[1])
    full = max(height / rest_y, width / rest_x / aspect, 1e-6) / zoom
    center = center + (0.5 - bottom - rest_y / 2) * full * up
    center = center + (0.5 - left - rest_x / 2) * full * aspect * right
    distance = 4 * float(np.linalg.norm(np.ptp(box, axis=0))) + 1e-6
    camera = plotter.camera
    camera.focal_point = tuple(center)
    camera.position = tuple(center - distance * towards)
    camera.up = tuple(up)
    camera.parallel_projection = True
    camera.parallel_scale = full / 2
    plotter.renderer.reset_camera_clipping_range()


def drawn_points(plotter: Plotter) -> FloatArray:
    """Return the points (n, 3) of all that the active panel shows; the origin if it is empty."""
    import pyvista

    found = [np.zeros((0, 3))]
    for actor in plotter.renderer.actors.values():
        mapper = getattr(actor, "mapper", None)
        if isinstance(actor, pyvista.Actor) and mapper is not None and mapper.dataset is not None:
            found.append(np.asarray(mapper.dataset.points, dtype=float))
    points = np.concatenate(found)
    return points if len(points) else np.zeros((1, 3))


def come_closer(plotter: Plotter) -> None:
    """Give a camera that `look` has aimed the distance from which it sees as much in perspective.

    The viewer of a page knows no parallel projection: it takes the place of the camera.
    """
    camera = plotter.camera
    aim, place = np.asarray(camera.focal_point), np.asarray(camera.position)
    distance = camera.parallel_scale / math.tan(math.radians(camera.view_angle) / 2)
    camera.position = tuple(aim + (place - aim) * (distance / np.linalg.norm(place - aim)))
    camera.parallel_projection = False
    plotter.renderer.reset_camera_clipping_range()
