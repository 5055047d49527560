"""How near a foot is to slipping, yawing or tilting, as a rigid rectangle with friction.

The margin of `contact.wrench_cone`: 1 for a vertical force at the centre, 0 on the boundary,
negative outside. The pyramid is the inner one, mu/sqrt 2, so that what has a margin is held by the
friction cone; a wrench of a real simulation, which uses the whole cone, may be a little negative.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from contact.wrench_cone import WrenchCone
from contact.wrench_cones.kernels import UNLOADED
from contact.wrench_frames import about
from robot.scenery.treads import Tread
from sole.arrays import FloatArray


def foot_margins(
    wrenches: FloatArray, treads: list[Tread], least: float
) -> tuple[FloatArray, Callable[[int], str]]:
    """Return margins (T,) of a foot's `wrenches` (T, 6) about its origin, and what they mean.

    Parameters
    ----------
    treads : of the foot, in its axes: the rectangle is their bounding box, on the lowest plane.
    least : vertical force [N] below which there is no margin (NaN).

    The function returned says in words how the foot would give way at a row.
    """
    points = np.concatenate([t.points for t in treads])
    low, high = points.min(axis=0), points.max(axis=0)
    X, Y = (high - low)[:2] / 2
    mu = min(t.friction for t in treads)
    margins = np.full(len(wrenches), np.nan)
    facets = np.full(len(wrenches), UNLOADED)
    if not (X > 0 and Y > 0 and mu > 0):
        return margins, lambda row: "a foot without area or friction"
    cone = WrenchCone.of_rectangle(float(X), float(Y), mu, "inner")
    seen = wrenches[:, 2] > least
    center = np.array([*(low + high)[:2] / 2, low[2]])
    margin = cone.margin(about(wrenches[seen], center))
    margins[seen], facets[seen] = margin.value, margin.facet
    return margins, lambda row: cone.word(int(facets[row]))
