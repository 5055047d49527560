"""How near a foot is to slipping, yawing or tilting, as a rigid rectangle with friction.

The margin of `contact.wrench_cone`: 1 for a vertical force at the centre, 0 on the boundary,
negative outside. The pyramid is the inner one, mu/sqrt 2, so that what has a margin is held by the
friction cone; a wrench of a real simulation, which uses the whole cone, may be a little negative.
"""

from __future__ import annotations

import numpy as np

from contact.wrench_cone import WrenchCone
from contact.wrench_frames import about
from robot.treads import Tread
from sole.arrays import FloatArray


def foot_margins(
    wrenches: FloatArray, treads: list[Tread], least: float
) -> tuple[FloatArray, list[str]]:
    """Return margins (T,) of a foot's `wrenches` (T, 6) about its origin, and words of facets.

    Parameters
    ----------
    treads : of the foot, in its axes: the rectangle is their bounding box, on the lowest plane.
    least : vertical force [N] below which there is no margin (NaN).

    The words say how the foot would give way at each row, "" without a margin.
    """
    points = np.concatenate([t.points for t in treads])
    low, high = points.min(axis=0), points.max(axis=0)
    X, Y = (high - low)[:2] / 2
    mu = min(t.friction for t in treads)
    margins = np.full(len(wrenches), np.nan)
    words = [""] * len(wrenches)
    if not (X > 0 and Y > 0 and mu > 0):
        return margins, words
    cone = WrenchCone.of_rectangle(float(X), float(Y), mu, "inner")
    seen = wrenches[:, 2] > least
    center = np.array([*(low + high)[:2] / 2, low[2]])
    margin = cone.margin(about(wrenches[seen], center))
    margins[seen] = margin.value
    for i, facet in zip(np.flatnonzero(seen), margin.facet, strict=True):
        words[i] = cone.word(int(facet))
    return margins, words
