"""The lower part of a surface, such as a whole foot: cut at a height and closed by a lid."""

from __future__ import annotations

import numpy as np

from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import ShapeError
from sole.mesh.layering import split_surface

NEAR = 1e-4  # of the height that is kept: vertices so close to the cut are moved onto it
INSIDE = 0.5  # turns of the rim around a place under the lid


def cut_surface(
    points: FloatArray, faces: IntArray, height: float, what: str
) -> tuple[FloatArray, IntArray]:
    """Return the part of a surface up to `height` [m] above its lowest point, with a lid.

    The lid closes the rim where the rim goes round a place; an open surface keeps its gaps.

    Raises
    ------
    ShapeError
        The height is not positive, or nothing lies above it.
    """
    z = points[:, 2]
    low, high = float(z.min()), float(z.max())
    if not 0 < height < high - low:
        raise ShapeError(
            f"{what}: --cut {height:g} m must lie between 0 and its height {high - low:.4g} m; "
            "leave --cut out to keep all of it"
        )
    level = low + height
    points = points.copy()
    points[np.abs(z - level) < NEAR * height, 2] = level
    points, faces = split_surface(points, faces, level)
    faces = faces[(points[faces, 2] <= level).all(axis=1)]
    in_lid = (points[faces, 2] == level).all(axis=1)
    faces = faces[~in_lid]
    lid = _lid(points, faces, level)
    used, index = np.unique(np.concatenate([faces, lid]), return_inverse=True)
    return points[used], index.reshape(-1, 3)


def _lid(points: FloatArray, faces: IntArray, level: float) -> IntArray:
    """Return the triangles that close the rim of a cut surface, facing up."""
    import shapely

    edges = np.concatenate([faces[:, [k, (k + 1) % 3]] for k in range(3)])
    rim = edges[(points[edges, 2] == level).all(axis=1)]
    ends = points[rim][:, :, :2]
    if not len(rim):
        return np.empty((0, 3), dtype=np.int64)
    lines = shapely.unary_union(shapely.linestrings(ends))
    cells = shapely.polygonize([lines]).geoms
    inside = [
        cell for cell in cells if _turns(ends, np.array(cell.representative_point().coords[0]))
    ]
    number = {tuple(points[i, :2]): int(i) for i in np.unique(rim)}
    found: list[list[int]] = []
    for cell in inside:
        for triangle in shapely.constrained_delaunay_triangles(cell).geoms:
            ring = [number.get(xy, -1) for xy in triangle.exterior.coords[:-1]]
            if -1 not in ring:  # a corner where two rims cross each other is no vertex
                found.append(ring if triangle.exterior.is_ccw else ring[::-1])
    return np.array(found, dtype=np.int64).reshape(-1, 3)


def _turns(ends: FloatArray, place: FloatArray) -> bool:
    """Return whether the directed edges (k, 2, 2) go round a place, either way."""
    a, b = ends[:, 0] - place, ends[:, 1] - place
    turn = np.arctan2(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], np.einsum("ij,ij->i", a, b))
    return abs(float(turn.sum())) > INSIDE * 2 * np.pi
