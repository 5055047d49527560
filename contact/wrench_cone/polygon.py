"""Convex polygons of support: checked, counter-clockwise, with the area's centroid."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from sole.base.arrays import FloatArray
from sole.base.errors import ShapeError

STRAIGHT = 1e-12  # sine of a turn that counts as none
MOST_COORDINATE = 1e50  # [m]
MOST_CORNERS = 40  # of a polyhedral cone, whose rows grow like 2.8 n^2
SLENDER = 1e-5  # area over diameter squared of a polygon that counts as a line


def _crossed(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def area_of(vertices: FloatArray) -> float:
    """Return the area [m^2] of `vertices` (n, 2), positive counter-clockwise."""
    return float(_crossed(vertices, np.roll(vertices, -1, axis=0)).sum() / 2)


def centroid_of(vertices: FloatArray) -> FloatArray:
    """Return the centroid (2,) of the area [m]."""
    middle = vertices.mean(axis=0)
    p = vertices - middle
    q = np.roll(p, -1, axis=0)
    weights = _crossed(p, q)
    return np.asarray(middle + (weights[:, None] * (p + q)).sum(axis=0) / (3 * weights.sum()))


def convex_hull(points: ArrayLike) -> FloatArray:
    """Return the hull (n, 2) of points (m, 2), counter-clockwise.

    The wrench cone of a flat region of any shape is that of its hull [CaronPhamNakamura2015],
    Proposition 1: pressure and friction inside can be moved to the vertices.
    """
    from scipy.spatial import ConvexHull, QhullError

    p = _points(points)
    try:
        hull = ConvexHull(p)
    except QhullError as error:
        raise ShapeError("these points lie on one line and span no area") from error
    return np.asarray(p[hull.vertices])


def checked_polygon(vertices: ArrayLike) -> FloatArray:
    """Return `vertices` (n, 2) counter-clockwise, without those that lie on straight edges.

    Raises
    ------
    ShapeError
        If there is no area, or the polygon is not convex (or its edges cross).
    """
    p = _points(vertices)
    size = float(np.ptp(p, axis=0).max())
    p = p[np.linalg.norm(p - np.roll(p, 1, axis=0), axis=1) > 0]
    area = area_of(p)
    if not abs(area) > SLENDER * size**2:
        raise ShapeError(
            f"a polygon of support needs an area, got {len(p)} different vertices that enclose "
            f"{abs(area):.3g} m^2"
        )
    p = p if area > 0 else p[::-1]
    before, after = p - np.roll(p, 1, axis=0), np.roll(p, -1, axis=0) - p
    before /= np.linalg.norm(before, axis=1)[:, None]
    after /= np.linalg.norm(after, axis=1)[:, None]
    turn = np.arctan2(_crossed(before, after), (before * after).sum(axis=1))
    worst = int(turn.argmin())
    if turn[worst] < -STRAIGHT or abs(turn.sum() - 2 * np.pi) > 1e-6:
        raise ShapeError(
            f"the polygon is not convex at ({p[worst, 0]:g}, {p[worst, 1]:g}), or its edges "
            "cross: give the vertices in order, or their convex hull (it has the same wrench cone)"
        )
    return np.asarray(p[turn > STRAIGHT])


def few_corners(vertices: FloatArray) -> FloatArray:
    """Return `vertices` (n, 2) if they are few enough for a polyhedral cone."""
    n = len(vertices)
    if n > MOST_CORNERS:
        raise ShapeError(
            f"a polygon of {n} corners has about {2.8 * n**2:.0f} rows: simplify it to at most "
            f"{MOST_CORNERS} corners, or take contact.wrench_cone.CircularCone"
        )
    return vertices


def _points(values: ArrayLike) -> FloatArray:
    try:
        p = np.array(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise ShapeError(f"vertices must be numbers (n, 2): {error}") from error
    if p.ndim != 2 or p.shape[1] != 2 or len(p) < 3:
        raise ShapeError(f"a polygon needs at least 3 vertices (n, 2) [m], got shape {p.shape}")
    if not np.isfinite(p).all() or np.abs(p).max() > MOST_COORDINATE:
        raise ShapeError(f"vertices must be finite, and within {MOST_COORDINATE:g} m")
    return p
