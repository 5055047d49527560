"""Outlines from foot geometry without edges shorter than the mesh size.

Every corner of an outline becomes a node. Corners close to each other would make nodes of some mm2
beside others of some cm2, and the pressure of so small a node means little.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sole.base.arrays import FloatArray
from sole.mesh.meshing import mesh_shape, mesh_sizes
from sole.mesh.sole_mesh import SoleMesh
from sole.shape import Shape

SHORTEST = 0.6  # of the mesh size at the tread
CHANGED = 0.02  # largest share of the area that is cut off and added in all
FEWEST = 4  # corners that are left


def mesh_foot(
    shape: Shape, size_tread: float | None = None, size_bond: float | None = None
) -> SoleMesh:
    """Mesh a shape whose outline comes from foot geometry: no edges far below `size_tread` [m].

    A polygon, which must be convex, loses its edges shorter than `SHORTEST` of the size, as far as
    that keeps its area; rectangles and pads stay. Sizes and errors are those of `mesh_shape`.
    """
    if shape.polygon is not None:
        outline = shape.outlines[0]
        size, _ = mesh_sizes(outline.area, outline.perimeter, shape.thickness, size_tread)
        corners = without_short_edges(np.array(shape.polygon.points), SHORTEST * size)
        points = tuple((float(x), float(y)) for x, y in corners)
        shape = replace(shape, polygon=replace(shape.polygon, points=points))
    return mesh_shape(shape, size_tread, size_bond)


def without_short_edges(corners: FloatArray, shortest: float) -> FloatArray:
    """Return a convex outline with edges of at least `shortest` [m], as far as it keeps its shape.

    The shortest edge goes first: by dropping one of its ends, or by prolonging its neighbours to
    where they meet, whatever changes the area least. It ends when the changes sum up to `CHANGED`
    of the area, or `FEWEST` corners are left. Length and width stay: the result is stretched to
    the bounding box, and its area then differs by no more than `CHANGED` either.

    Parameters
    ----------
    corners : (n, 2) in order, either sense [m].
    """
    P = np.asarray(corners, dtype=float)
    low, high = P.min(axis=0), P.max(axis=0)
    whole = _area(P)
    left = CHANGED * whole
    while len(P) > FEWEST:
        lengths = np.linalg.norm(np.roll(P, -1, axis=0) - P, axis=1)
        k = int(lengths.argmin())
        if lengths[k] >= shortest:
            break
        P = np.roll(P, 1 - k, axis=0)  # the edge runs from P[1] to P[2]
        area, corner = _cheapest(P[0], P[1], P[2], P[3])
        left -= area
        shorter = np.concatenate([P[:1], [corner], P[3:]])
        if left < 0 or abs(_area(_stretched(shorter, low, high)) - whole) > CHANGED * whole:
            break
        P = shorter
    return _stretched(P, low, high)


def _stretched(P: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return an outline stretched to the bounding box from `low` to `high`."""
    least = P.min(axis=0)
    return np.asarray(low + (P - least) * (high - low) / (P.max(axis=0) - least))


def _area(P: FloatArray) -> float:
    return abs(float(np.sum(_cross(P, np.roll(P, -1, axis=0))))) / 2


def _cheapest(
    before: FloatArray, start: FloatArray, end: FloatArray, after: FloatArray
) -> tuple[float, FloatArray]:
    """Return the area changed [m^2] and the corner that replaces an edge: the best of three."""
    found = [(_triangle(before, start, end), end), (_triangle(start, end, after), start)]
    u, v = start - before, end - after
    turn = float(_cross(u, v))
    if turn:
        s, t = _cross(after - before, v) / turn, _cross(after - before, u) / turn
        if s >= 1 and t >= 1:  # they meet beyond the edge
            meet = before + s * u
            found.append((_triangle(start, meet, end), meet))
    return min(found, key=lambda way: way[0])


def _triangle(a: FloatArray, b: FloatArray, c: FloatArray) -> float:
    return abs(float(_cross(b - a, c - a))) / 2


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
